//! Dispatch over a pair of byte streams, one JSON message per line.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};

use super::ServerOptions;
use super::dispatch::Dispatcher;
use super::line::{Line, Lines, repaired};
use super::outbox::{Outlet, Writer};
use super::peer::LinePeer;
use super::session::Session;
use super::wire::{self, Incoming};
use crate::backend::BackendFactory;

/// Longest message accepted, in bytes. Scripts and form values travel in messages, files do not.
const MAX_LINE: usize = 64 << 20;

// Clients kill a server that is not gone a few seconds after they closed its input, and then nobody
// says goodbye to the browser. So the end is short: calls get the limits of `dispatch`, then the
// browser closes while the last answers leave.

/// How long the last answers may take to leave.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

/// Serves one client over any pair of streams; see [`serve_stdio`](super::serve_stdio).
///
/// # Errors
/// Those of `input`.
pub async fn serve<R, W>(
    input: R,
    output: W,
    factory: Arc<dyn BackendFactory>,
    options: ServerOptions,
) -> io::Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let broken = options.shutdown.child_token();
    let (outbox, writer) = Writer::start(output, broken.clone());
    let outbox: Arc<dyn Outlet> = Arc::new(outbox);
    let peer = Arc::new(LinePeer::new(outbox.clone()));
    let session = Arc::new(Session::new(factory, options, peer.clone()));
    let mut dispatcher = Dispatcher::new(session.clone(), peer.clone());

    let mut lines = Lines::new(BufReader::new(input), MAX_LINE);
    let ended = loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = broken.cancelled() => break Ok(()),
        };
        match line {
            Ok(Some(line)) => {
                for message in messages(&line) {
                    dispatcher.message(message, &outbox);
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };

    // No answer can arrive any more; calls that wait for one go on without.
    peer.hang_up();
    dispatcher.calls().finish(&broken).await;
    // A client that does not read must not hold up the browser's end, nor the other way round.
    tokio::join!(session.close(), writer.finish(FLUSH_LIMIT));
    ended
}

/// The messages of a line.
fn messages(line: &Line) -> Vec<Incoming> {
    match line {
        Line::TooLong => vec![wire::unreadable(format!(
            "Parse error: more than {MAX_LINE} bytes"
        ))],
        Line::Whole(bytes) => {
            let text = repaired(bytes);
            if text.trim_ascii().is_empty() {
                return Vec::new();
            }
            wire::parse(&text)
        }
    }
}
