//! The only place where a [`ToolReply`](crate::call::ToolReply) becomes what a client reads.
//!
//! [`text`] and [`content`] are pure. [`deliver`] writes the files that snapshots go to; [`files`]
//! and [`names`] decide where files lie, what they are called and which ones may be touched.

pub mod budget;
pub mod deliver;
pub mod files;
mod form;
pub mod names;
mod parts;
pub mod redact;
mod sections;
pub mod session_log;

pub use form::Form;
pub use parts::{ContentPart, content};
pub use sections::{
    NO_OPEN_TABS, RenderOptions, Section, sections, snapshot_text, tab_lines, text,
};
