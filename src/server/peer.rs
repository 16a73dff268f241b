//! The client as something to ask and to tell.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::RequestId;
use serde_json::Value;
use tokio::sync::oneshot;

use super::outbox::Outlet;
use super::wire;
use crate::backend::BoxFuture;

/// A client reached through some transport.
pub(super) trait Peer: Send + Sync {
    /// Sends a request without params and waits for the answer. `None` when the client answers
    /// with an error or the connection ends. Has no time limit of its own; drop it to give up.
    fn request<'a>(&'a self, method: &'a str) -> BoxFuture<'a, Option<Value>>;

    /// Sends a notification without params.
    fn notify(&self, method: &str);
}

/// Requests of ours that wait for an answer. `None` once no answer can come any more.
type Pending = Option<HashMap<i64, oneshot::Sender<Option<Value>>>>;

/// A client that is reached by messages in both directions.
pub(super) struct LinePeer {
    outbox: Arc<dyn Outlet>,
    next_id: AtomicI64,
    pending: Mutex<Pending>,
}

impl LinePeer {
    pub(super) fn new(outbox: Arc<dyn Outlet>) -> Self {
        Self {
            outbox,
            next_id: AtomicI64::new(1),
            pending: Mutex::new(Some(HashMap::new())),
        }
    }

    /// Hands an answer of the client to whoever waits for it.
    pub(super) fn answered(&self, id: Option<RequestId>, outcome: Result<Value, Value>) {
        let Some(RequestId::Number(id)) = id else {
            return;
        };
        let waiting = self
            .pending()
            .as_mut()
            .and_then(|pending| pending.remove(&id));
        match waiting {
            // Whoever waited may have given up.
            Some(waiting) => drop(waiting.send(outcome.ok())),
            None => tracing::debug!(id, "an answer nobody waits for"),
        }
    }

    /// Gives up on all answers: the input has ended.
    pub(super) fn hang_up(&self) {
        self.pending().take();
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, Pending> {
        // The map is sound at every step, whoever panicked meanwhile.
        self.pending
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Peer for LinePeer {
    fn request<'a>(&'a self, method: &'a str) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move {
            let id = self.next_id.fetch_add(1, Ordering::Relaxed);
            let (sender, answer) = oneshot::channel();
            self.pending().as_mut()?.insert(id, sender);
            let _forget = Forget { peer: self, id };
            self.outbox
                .send(wire::request(&RequestId::Number(id), method));
            answer.await.ok().flatten()
        })
    }

    fn notify(&self, method: &str) {
        self.outbox.send(wire::notification(method));
    }
}

/// Removes the entry of a request that was given up.
struct Forget<'a> {
    peer: &'a LinePeer,
    id: i64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        if let Some(pending) = self.peer.pending().as_mut() {
            pending.remove(&self.id);
        }
    }
}
