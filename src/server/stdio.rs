//! Dispatch over a pair of byte streams, one JSON message per line.
//!
//! Quick methods are answered from the reading loop, tool calls run as tasks of their own.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ServerOptions;
use super::line::{Line, Lines, repaired};
use super::outbox::{Outbox, Writer};
use super::peer::LinePeer;
use super::session::Session;
use super::wire::{self, Incoming};
use crate::backend::BackendFactory;
use crate::call::ToolReply;

/// Longest message accepted, in bytes. Scripts and form values travel in messages, files do not.
const MAX_LINE: usize = 64 << 20;

// Clients kill a server that is not gone a few seconds after they closed its input, and then nobody
// says goodbye to the browser. So the end is short: these two limits come one after the other, then
// the browser closes while the last answers leave.

/// How long calls may go on after the input ended.
const FINISH_LIMIT: Duration = Duration::from_millis(700);

/// How long calls may take to stop once told to. Those that take longer meet a closed browser.
const STOP_LIMIT: Duration = Duration::from_millis(300);

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
    let peer = Arc::new(LinePeer::new(outbox.clone()));
    let session = Arc::new(Session::new(factory, options, peer.clone()));
    let calls = Arc::new(Calls::default());
    let mut dispatcher = Dispatcher {
        session: session.clone(),
        peer: peer.clone(),
        outbox,
        calls,
        muted: false,
    };

    let mut lines = Lines::new(BufReader::new(input), MAX_LINE);
    let ended = loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = broken.cancelled() => break Ok(()),
        };
        match line {
            Ok(Some(line)) => dispatcher.line(line),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };

    // No answer can arrive any more; calls that wait for one go on without.
    peer.hang_up();
    dispatcher.calls.finish(&broken).await;
    // A client that does not read must not hold up the browser's end, nor the other way round.
    tokio::join!(session.close(), writer.finish(FLUSH_LIMIT));
    ended
}

/// Decides what to do with each message.
struct Dispatcher {
    session: Arc<Session>,
    peer: Arc<LinePeer>,
    outbox: Outbox,
    calls: Arc<Calls>,
    /// Set once input that is no message was answered, until a sound message comes. Two programs
    /// that answer each other's complaints would never stop. A complaint names no method, so what
    /// does is no complaint, and its sender waits for an answer.
    muted: bool,
}

impl Dispatcher {
    fn line(&mut self, line: Line) {
        let messages = match &line {
            Line::TooLong => {
                vec![wire::unreadable(format!(
                    "Parse error: more than {MAX_LINE} bytes"
                ))]
            }
            Line::Whole(bytes) => {
                let text = repaired(bytes);
                if text.trim_ascii().is_empty() {
                    return;
                }
                wire::parse(&text)
            }
        };
        for message in messages {
            self.message(message);
        }
    }

    fn message(&mut self, message: Incoming) {
        if let Incoming::Malformed { id, asks, error } = message {
            tracing::debug!(%error, "malformed message");
            if asks || id.is_some() || !self.muted {
                self.outbox.send(wire::refusal(id.as_ref(), &error));
            }
            self.muted |= !asks && id.is_none();
            return;
        }
        self.muted = false;
        match message {
            Incoming::Request { id, method, params } => self.request(id, &method, params),
            Incoming::Notification { method, params } => self.notification(&method, params),
            Incoming::Response { id, outcome } => self.peer.answered(id, outcome),
            Incoming::Malformed { .. } => {}
        }
    }

    fn request(&self, id: RequestId, method: &str, params: Option<Value>) {
        match method {
            "initialize" => {
                let greeting = self.session.initialize(&params.unwrap_or_default());
                self.outbox.send(wire::answer(&id, Ok(greeting)));
            }
            "ping" => self.outbox.send(wire::answer(&id, Ok(json!({})))),
            "tools/list" => self
                .outbox
                .send(wire::answer(&id, Ok(self.session.tool_list()))),
            "tools/call" => self.call(id, params),
            _ => {
                let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None);
                self.outbox.send(wire::refusal(Some(&id), &error));
            }
        }
    }

    fn notification(&self, method: &str, params: Option<Value>) {
        if method == "notifications/cancelled" {
            let id = params.and_then(|mut params| params.get_mut("requestId").map(Value::take));
            match id.and_then(|id| serde_json::from_value(id).ok()) {
                Some(id) => self.calls.cancel(&id),
                None => tracing::debug!("a cancellation of nothing"),
            }
        }
        // All others, known or made up, ask for nothing.
    }

    fn call(&self, id: RequestId, params: Option<Value>) {
        let (session, outbox, calls) = (
            self.session.clone(),
            self.outbox.clone(),
            self.calls.clone(),
        );
        let (ticket, cancel) = self.calls.begin(&id);
        self.calls.tasks.spawn(async move {
            let call = {
                let (session, cancel) = (session.clone(), cancel.clone());
                async move { session.call_tool(params, cancel).await }
            };
            // A task of its own, so that a panic ends the call and not the answer.
            let outcome = tokio::spawn(call).await.unwrap_or_else(|failure| {
                tracing::error!(%failure, "a tool call panicked");
                let text = "Error: Internal error in the tool; the server goes on.";
                Ok(session.printed(&ToolReply::thrown(text)))
            });
            if calls.end(&id, ticket) {
                outbox.send(wire::answer(&id, outcome));
            }
        });
    }
}

/// Calls under way.
#[derive(Default)]
struct Calls {
    tasks: TaskTracker,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    /// Told apart by ticket, in case a client uses an id twice.
    tokens: HashMap<RequestId, (u64, CancellationToken)>,
    tickets: u64,
    all: CancellationToken,
}

impl Calls {
    fn running(&self) -> std::sync::MutexGuard<'_, Running> {
        // Each step leaves the map sound.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, id: &RequestId) -> (u64, CancellationToken) {
        let mut running = self.running();
        running.tickets += 1;
        let (ticket, token) = (running.tickets, running.all.child_token());
        running.tokens.insert(id.clone(), (ticket, token.clone()));
        (ticket, token)
    }

    fn cancel(&self, id: &RequestId) {
        if let Some((_, token)) = self.running().tokens.remove(id) {
            token.cancel();
        }
    }

    /// Notes that a call is done. Returns whether to answer it: not when it was cancelled.
    fn end(&self, id: &RequestId, ticket: u64) -> bool {
        let mut running = self.running();
        match running.tokens.get(id) {
            Some((current, token)) if *current == ticket => {
                let cancelled = token.is_cancelled();
                running.tokens.remove(id);
                !cancelled
            }
            // Another call took the id over.
            Some(_) => true,
            None => false,
        }
    }

    /// Lets the calls finish, then stops those that did not. Stops them at once when `hurry` fires.
    async fn finish(&self, hurry: &CancellationToken) {
        self.tasks.close();
        tokio::select! {
            () = self.tasks.wait() => return,
            () = tokio::time::sleep(FINISH_LIMIT) => {}
            () = hurry.cancelled() => {}
        }
        self.running().all.cancel();
        if tokio::time::timeout(STOP_LIMIT, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some calls did not stop");
        }
    }
}
