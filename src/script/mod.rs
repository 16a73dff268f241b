//! Playwright scripts without Node: `browser_run_code_unsafe` and `--init-page`.
//!
//! A [`Session`] is one JavaScript engine (QuickJS) on a thread of its own, with a `page` in
//! Playwright's shape. Scripts reach the browser only through a [`ScriptHost`]; the engine itself
//! has no network, no files and no modules. Locators are composed on the script's side, so that the
//! host sees one selector text and never a chain of calls.
//!
//! ```text
//!  async side (tokio)                       engine's thread
//!  Session::run_code ──── job ────────────▶ runs code, promises, timers
//!  pump: ScriptHost::call ◀── Operation ─── page.click('…')
//!                         ─── answer ─────▶ settles the promise
//!  EventSender ────────── event ──────────▶ page.on(…), page.route(…)
//! ```
//!
//! A thread, and not the engine's own futures, because a script that loops must not hold a worker
//! of the runtime: the thread is interrupted at the time limit, and whoever waits does not depend
//! on that.

mod convert;
mod engine;
mod error;
mod host;
mod input;
mod life;
mod limits;
mod log;
mod native;
mod operation;
mod rejections;
mod session;
mod source;
mod state;
mod strip_types;
mod web;

pub use error::{ScriptError, Thrown};
pub use host::{EventSender, ScriptFault, ScriptHost};
pub use input::{
    ActionOptions, ElementState, KeyboardAction, LocatorAction, MouseAction, MouseButton,
    OptionChoice, Point,
};
pub use limits::{Limit, Limits};
pub use log::LogLine;
pub use operation::{
    ContextAction, DownloadAction, Event, FetchAnswer, FetchRequest, Function, Handle, InputFile,
    LoadState, Operation, PageAction, PageFacts, PageId, RequestAction, RequestFacts,
    ResponseAction, ResponseFacts, RouteAction, Size, SubscriptionId, UrlPattern,
};
pub use session::{Outcome, Session};
pub use source::Form;
pub use strip_types::{StripError, Stripped, strip_types};

#[cfg(test)]
mod tests;
