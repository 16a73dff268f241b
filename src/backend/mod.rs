//! The seam between the MCP server and whatever drives a browser.
//!
//! A [`BackendFactory`] makes one [`Backend`] per client session, at the first tool call. The
//! server knows nothing else of browsers.

pub mod native;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::call::{ClientInfo, ToolCall, ToolReply};

/// A future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Executes tool calls.
pub trait Backend: Send + Sync {
    /// Executes one call. Calls of one client overlap; a backend that must not do two things at
    /// once orders them itself.
    ///
    /// Failures are part of the reply. When `call.cancel` fires, the call should end soon: a
    /// second later its future is dropped, at whatever point it waits.
    fn call(&self, call: ToolCall) -> BoxFuture<'_, ToolReply>;

    /// Whether further calls make sense. Once `false` (the browser is gone, or was closed by
    /// `browser_close`), the server closes this backend and makes a new one for the next call.
    fn is_alive(&self) -> bool;

    /// Once it is not alive: what the client should know about its end. `None` if the client asked
    /// for it.
    fn end(&self) -> Option<String> {
        None
    }

    /// Releases everything: browser, files, tasks. Called once, also on a backend that is not
    /// alive any more.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// Makes backends.
pub trait BackendFactory: Send + Sync {
    /// Makes the backend of one client. May be dropped half-way, and must then leave no browser
    /// behind.
    ///
    /// # Errors
    /// [`CreateError`]; the client sees it as the result of its call, and the next call tries
    /// again.
    fn create(
        &self,
        client: Arc<ClientInfo>,
        hooks: Hooks,
    ) -> BoxFuture<'_, Result<Arc<dyn Backend>, CreateError>>;
}

/// Why there is no backend. Holds the string form of an exception, name included, such as
/// `Error: Browser is already in use for /home/me/profile, use --isolated to …`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CreateError(pub String);

/// What a backend may tell its client unasked.
pub struct Hooks {
    /// The list of tools may differ now. To be called when the first tab is there, as upstream
    /// does even when nothing differs. As the list is fixed today, a session announces it once.
    pub tools_changed: Box<dyn Fn() + Send + Sync>,
    /// How this client's backend before this one ended, if that was not the client's own doing.
    pub predecessor: Option<String>,
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
