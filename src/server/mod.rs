//! The MCP server: protocol in, tool calls out.
//!
//! `session` knows what methods mean and owns the client's backend; `dispatch` keeps calls apart;
//! `stdio` moves lines, `http` serves several clients. Message types are rmcp's. Its dispatcher is not used: it has no say over
//! unreadable input, cancelled calls and calls that are under way when the input ends.

mod dispatch;
mod http;
mod keep;
mod lazy;
mod line;
mod outbox;
mod peer;
mod protocol;
mod roots;
mod session;
mod standard;
mod stdio;
#[cfg(test)]
mod tests;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::backend::BackendFactory;
use crate::config::Secrets;
use crate::reply::RenderOptions;
use crate::tools::catalogue::Catalogue;

pub use http::{HttpOptions, serve_http};
pub use keep::KeepOptions;
pub use stdio::serve;

/// How a server behaves.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Say to be `@playwright/mcp`, and nothing that it would not say.
    pub stock: bool,
    /// The tools that are offered.
    pub tools: Arc<Catalogue>,
    /// How replies are printed.
    pub render: RenderOptions,
    /// What can be typed by its name and is not shown.
    pub secrets: Secrets,
    /// Whether `browser_run_code_unsafe` runs.
    pub unsafe_code: bool,
    /// What stays on disk.
    pub keep: KeepOptions,
    /// The longest a tool call may take; `None` leaves that to the tools' own timeouts.
    pub call_limit: Option<Duration>,
    /// The workspace of clients that name no root: the working directory, absolute.
    pub working_dir: PathBuf,
    /// Fires when the process shall end. Running calls are stopped and the browser is closed.
    pub shutdown: CancellationToken,
}

/// Serves one client on standard input and output until the input ends, the output breaks or
/// [`ServerOptions::shutdown`] fires.
///
/// Nothing happens before the first message but reading. At the end of input, running calls get one
/// second to finish or stop; then everything is closed. All of it takes less than five seconds.
///
/// # Errors
/// Those of standard input.
pub async fn serve_stdio(
    factory: Arc<dyn BackendFactory>,
    options: ServerOptions,
) -> std::io::Result<()> {
    let (input, output) = standard::pipes();
    serve(input, output, factory, options).await
}
