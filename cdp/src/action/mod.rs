//! Acting on elements as a person would: only when the element can take it, through real input
//! events, and with a check that the event arrived where it was meant to.

mod call_log;
mod check;
mod drag;
mod drop;
mod error;
mod fill;
mod glance;
mod keys;
pub mod mouse;
mod pointer;
mod rest;
mod retry;
mod select;

pub use call_log::CallLog;
pub use check::set_checked;
pub use drag::drag;
pub use drop::{DropData, DropFile, drop};
pub use error::ActionError;
pub use fill::fill;
pub use glance::Glance;
pub use keys::{press, press_on, type_into};
pub use pointer::{Clicked, click, hover, wait_visible};
pub use rest::{Rest, RestRule, Rested};
pub use select::select_options;

use crate::connection::Deadline;

/// How an action is to be carried out.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'a> {
    /// When to give up.
    pub deadline: Deadline,
    /// Give up before the deadline once waiting on cannot help: nothing on the page changes and the
    /// same thing stays in the way.
    pub early_refusal: bool,
    /// Afterwards, wait until the page has come to rest by this rule.
    pub rest: Option<RestRule>,
    /// Where to keep what the page looks like just before.
    pub glance: Option<&'a Glance>,
}
