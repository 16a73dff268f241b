//! What to do with each message, whichever way it came, and the calls that run.
//!
//! Quick methods are answered at once, tool calls run as tasks of their own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::outbox::Outlet;
use super::peer::LinePeer;
use super::session::Session;
use super::wire::{self, Incoming};
use crate::call::ToolReply;

/// How long calls may go on after the input ended.
const FINISH_LIMIT: Duration = Duration::from_millis(700);

/// How long calls may take to stop once told to. Those that take longer meet a closed browser.
const STOP_LIMIT: Duration = Duration::from_millis(300);

/// Decides what to do with each message of one client.
pub(super) struct Dispatcher {
    session: Arc<Session>,
    peer: Arc<LinePeer>,
    calls: Arc<Calls>,
    /// Set once input that is no message was answered, until a sound message comes. Two programs
    /// that answer each other's complaints would never stop. A complaint names no method, so what
    /// does is no complaint, and its sender waits for an answer.
    muted: bool,
}

impl Dispatcher {
    /// `peer` is who answers our own requests.
    pub(super) fn new(session: Arc<Session>, peer: Arc<LinePeer>) -> Self {
        Self {
            session,
            peer,
            calls: Arc::default(),
            muted: false,
        }
    }

    /// The calls that run.
    pub(super) fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }

    /// Handles a message. What it asks for is answered through `reply`, which is let go of once
    /// there is nothing more to say.
    pub(super) fn message(&mut self, message: Incoming, reply: &Arc<dyn Outlet>) {
        if let Incoming::Malformed { id, asks, error } = message {
            tracing::debug!(%error, "malformed message");
            if asks || id.is_some() || !self.muted {
                reply.send(wire::refusal(id.as_ref(), &error));
            }
            self.muted |= !asks && id.is_none();
            return;
        }
        self.muted = false;
        match message {
            Incoming::Request { id, method, params } => self.request(id, &method, params, reply),
            Incoming::Notification { method, params } => self.notification(&method, params),
            Incoming::Response { id, outcome } => self.peer.answered(id, outcome),
            Incoming::Malformed { .. } => {}
        }
    }

    fn request(&self, id: RequestId, method: &str, params: Option<Value>, reply: &Arc<dyn Outlet>) {
        match method {
            "initialize" => {
                let greeting = self.session.initialize(&params.unwrap_or_default());
                reply.send(wire::answer(&id, Ok(greeting)));
            }
            "ping" => reply.send(wire::answer(&id, Ok(json!({})))),
            "tools/list" => reply.send(wire::answer(&id, Ok(self.session.tool_list()))),
            "tools/call" => self.call(id, params, reply.clone()),
            _ => {
                let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None);
                reply.send(wire::refusal(Some(&id), &error));
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

    fn call(&self, id: RequestId, params: Option<Value>, reply: Arc<dyn Outlet>) {
        let (session, calls) = (self.session.clone(), self.calls.clone());
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
                reply.send(wire::answer(&id, outcome));
            }
        });
    }
}

/// Calls under way.
#[derive(Default)]
pub(super) struct Calls {
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

    /// Whether a call runs, or winds up.
    pub(super) fn any(&self) -> bool {
        !self.tasks.is_empty()
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
    pub(super) async fn finish(&self, hurry: &CancellationToken) {
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
