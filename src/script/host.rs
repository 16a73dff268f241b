//! The other side of a script: who does what it asks, and how events reach it.

use std::sync::mpsc::Sender;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::operation::{Operation, SubscriptionId};
use super::session::Incoming;

/// Does what scripts ask of the browser. The engine itself touches neither network nor files, so
/// an implementation decides what a script may do.
///
/// How [`call`](Self::call) is used:
/// - The shape of each answer stands at the [`Operation`]'s variant; objects are those types of
///   [`operation`](super::operation) in JSON. An answer of another shape surfaces as an exception
///   inside the script.
/// - Calls run concurrently, as the script started them, on the tokio runtime where the session was
///   made. Each is first polled in the order in which the script made it. Answers may come in any order.
/// - The script's thread stands still for `pages`, `subscribe` and `unsubscribe`: answer these from
///   memory.
/// - A call that is no longer wanted (time limit, cancelled tool call, session dropped) is dropped
///   where it waits. So it must be safe to drop at every await.
/// - Timeouts are the host's: the session's time limit ends the whole script, not a single call.
/// - Nothing is said about who is trusted: file paths (`setInputFiles`, `saveAs`, `fulfill`) and
///   addresses come from the script as they are and must be checked like those of a tool call.
/// - A [`ScriptFault`] becomes an `Error` inside the script, with the method's name in front.
///
/// Events go the other way, through the session's [`EventSender`], for as long as the script
/// subscribes to them. When the session ends, the host forgets its subscriptions and routes and
/// lets go of requests that are still held.
pub trait ScriptHost: Send + Sync + 'static {
    /// Does one thing, and says how it went.
    fn call(&self, operation: Operation) -> BoxFuture<'_, Result<Value, ScriptFault>>;
}

/// Why an operation failed, as the script sees it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {message}")]
pub struct ScriptFault {
    /// `Error`, `TimeoutError` or another name for the exception.
    pub name: String,
    /// Without the API's name, which the script's side puts in front; with the call log, if any.
    pub message: String,
}

impl ScriptFault {
    /// A plain `Error`.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            name: "Error".to_owned(),
            message: message.into(),
        }
    }

    /// A `TimeoutError`; the message begins with `Timeout <n>ms exceeded.`
    pub fn timeout(message: impl Into<String>) -> Self {
        Self {
            name: "TimeoutError".to_owned(),
            message: message.into(),
        }
    }
}

/// Where a host sends a session's events. Cheap to clone, usable from any thread, and it does not
/// keep the session alive.
#[derive(Debug, Clone)]
pub struct EventSender {
    pub(super) inbox: Sender<Incoming>,
}

impl EventSender {
    /// Sends one event of a subscription or a route; its value's shape stands at
    /// [`Event`](super::operation::Event) or [`Operation::Route`]. False when the session has ended.
    pub fn send(&self, subscription: SubscriptionId, value: Value) -> bool {
        let event = Incoming::Event {
            subscription,
            value,
        };
        self.inbox.send(event).is_ok()
    }
}
