//! One connection to a browser: numbered commands out, answers and events in.
//!
//! The layer only multiplexes. It knows ids, flat sessions and deadlines; what commands and events
//! mean is decided above. Events are handed to an [`EventHandler`] in order and between the answers
//! they arrived with, so a handler that keeps state is always as far as the browser was when it
//! answered. See <https://chromedevtools.github.io/devtools-protocol/>.

mod deadline;
pub mod endpoint;
pub mod envelope;
mod error;
pub mod surrogates;
mod transport;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot, watch};

pub use deadline::{Deadline, Elapsed};
use envelope::Incoming;
pub use error::CdpError;
pub use transport::MAX_MESSAGE;
use transport::{Inbound, Transport};

/// The id of a flat session, as in `Target.attachedToTarget`.
pub type SessionId = Arc<str>;

/// Something that happened in the browser.
#[derive(Debug)]
pub struct Event<'a> {
    /// `Domain.eventName`.
    pub method: &'a str,
    /// Where; `None` is the browser itself.
    pub session_id: Option<&'a str>,
    /// Undecoded parameters.
    pub params: &'a RawValue,
}

impl Event<'_> {
    /// Decodes the parameters; `None` if they are not of the expected shape, which a newer browser
    /// may cause and which then only means that this event is not understood.
    pub fn parse<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.get())
            .inspect_err(
                |error| tracing::debug!(method = self.method, %error, "event not understood"),
            )
            .ok()
    }
}

/// Receives events in order. Runs on the reading task, so it must not block.
pub trait EventHandler: Send + Sync + 'static {
    /// One event.
    fn on_event(&self, event: &Event<'_>);
    /// The connection is over; no more events will come.
    fn on_close(&self, reason: &str);
}

/// What comes of a command: the result object, undecoded.
type Answer = Result<Box<RawValue>, CdpError>;

struct Pending {
    session: Option<SessionId>,
    answer: oneshot::Sender<Answer>,
    method: String,
}

struct Shared {
    next_id: AtomicU64,
    pending: Mutex<HashMap<u64, Pending>>,
    outgoing: Mutex<Option<mpsc::UnboundedSender<Vec<u8>>>>,
    closed: watch::Sender<Option<String>>,
    handler: OnceLock<Arc<dyn EventHandler>>,
    sent: AtomicU64,
}

/// A handle to a connection; clones share it.
#[derive(Clone)]
pub struct Connection(Arc<Shared>);

#[derive(Serialize)]
struct Command<'a, P: Serialize> {
    id: u64,
    method: &'a str,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    params: &'a P,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing below panics while holding these locks in a way that leaves them half changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// A connection over the two ends of `--remote-debugging-pipe`.
    pub fn over_pipe(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        handler: Arc<dyn EventHandler>,
    ) -> Self {
        Self::start(transport::pipe(reader, writer), handler)
    }

    /// A connection to a DevTools WebSocket.
    ///
    /// # Errors
    /// See [`CdpError::Connect`].
    pub async fn over_websocket(
        url: &str,
        headers: &[(String, String)],
        limit: Duration,
        handler: Arc<dyn EventHandler>,
    ) -> Result<Self, CdpError> {
        Ok(Self::start(
            transport::websocket(url, headers, limit).await?,
            handler,
        ))
    }

    fn start(transport: Transport, handler: Arc<dyn EventHandler>) -> Self {
        let Transport {
            outgoing,
            mut incoming,
        } = transport;
        let shared = Arc::new(Shared {
            next_id: AtomicU64::new(1),
            pending: Mutex::default(),
            outgoing: Mutex::new(Some(outgoing)),
            closed: watch::Sender::new(None),
            handler: OnceLock::from(handler),
            sent: AtomicU64::new(0),
        });
        let connection = Self(shared.clone());
        tokio::spawn(async move {
            let reason = loop {
                match incoming.recv().await {
                    Some(Inbound::Message(message)) => shared.take_in(&message),
                    Some(Inbound::End(reason)) => break reason,
                    None => break "the connection ended".to_owned(),
                }
            };
            shared.close(&reason);
        });
        connection
    }

    /// Sends a command and waits for its answer, undecoded.
    ///
    /// # Errors
    /// The browser refuses, the deadline passes, the session or the connection ends.
    pub async fn call_raw<P: Serialize + Sync>(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
        deadline: Deadline,
    ) -> Result<Box<RawValue>, CdpError> {
        self.begin_call(session, method, params, deadline)?.await
    }

    /// Sends a command now; the future that comes back waits for its answer.
    ///
    /// # Errors
    /// The connection has ended. The future's errors are those of [`Self::call_raw`].
    pub fn begin_call<P: Serialize>(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
        deadline: Deadline,
    ) -> Result<impl Future<Output = Result<Box<RawValue>, CdpError>> + Send + use<P>, CdpError>
    {
        let (id, answer) = self.submit(session, method, params)?;
        let forget = ForgetOnDrop {
            shared: self.0.clone(),
            id,
        };
        let method = method.to_owned();
        Ok(async move {
            let outcome = deadline.run(answer).await;
            drop(forget);
            match outcome {
                Err(elapsed) => Err(CdpError::Timeout {
                    method,
                    budget: elapsed.0,
                }),
                Ok(Err(_)) => Err(CdpError::TargetClosed),
                Ok(Ok(result)) => result,
            }
        })
    }

    /// Sends a command and decodes its answer.
    ///
    /// # Errors
    /// As [`Self::call_raw`], and when the answer is not of the expected shape.
    pub async fn call<P: Serialize + Sync, R: DeserializeOwned>(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
        deadline: Deadline,
    ) -> Result<R, CdpError> {
        let raw = self.call_raw(session, method, params, deadline).await?;
        serde_json::from_str(raw.get()).map_err(|error| CdpError::Answer {
            method: method.to_owned(),
            reason: error.to_string(),
        })
    }

    /// Sends one of the protocol crate's typed commands; only its answer's envelope is checked, since
    /// generated answer types refuse values that are newer than they are.
    ///
    /// # Errors
    /// As [`Self::call_raw`].
    pub async fn execute<C: chromiumoxide_types::Command + Sync>(
        &self,
        session: Option<&SessionId>,
        command: &C,
        deadline: Deadline,
    ) -> Result<Box<RawValue>, CdpError> {
        self.call_raw(session, &command.identifier(), command, deadline)
            .await
    }

    /// Sends a command whose answer nobody needs.
    pub fn post<P: Serialize>(&self, session: Option<&SessionId>, method: &str, params: &P) {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        // A closed connection is noticed by whoever waits for something.
        let _ = self.transmit(id, session, method, params);
    }

    fn submit<P: Serialize>(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
    ) -> Result<(u64, oneshot::Receiver<Answer>), CdpError> {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, waiting) = oneshot::channel();
        lock(&self.0.pending).insert(
            id,
            Pending {
                session: session.cloned(),
                answer,
                method: method.to_owned(),
            },
        );
        if let Err(error) = self.transmit(id, session, method, params) {
            lock(&self.0.pending).remove(&id);
            return Err(error);
        }
        Ok((id, waiting))
    }

    fn transmit<P: Serialize>(
        &self,
        id: u64,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
    ) -> Result<(), CdpError> {
        let command = Command {
            id,
            method,
            session_id: session.map(AsRef::as_ref),
            params,
        };
        let message = serde_json::to_vec(&command).map_err(|error| CdpError::Answer {
            method: method.to_owned(),
            reason: error.to_string(),
        })?;
        self.0.sent.fetch_add(1, Ordering::Relaxed);
        tracing::trace!(id, method, bytes = message.len(), "→");
        let outgoing = lock(&self.0.outgoing);
        match outgoing.as_ref().map(|channel| channel.send(message)) {
            Some(Ok(())) => Ok(()),
            _ => Err(CdpError::ConnectionClosed(
                self.close_reason()
                    .unwrap_or_else(|| "not connected".into()),
            )),
        }
    }

    /// Why the connection ended, once it has.
    pub fn close_reason(&self) -> Option<String> {
        self.0.closed.borrow().clone()
    }

    /// Waits until the connection has ended and says why.
    pub async fn closed(&self) -> String {
        let mut closed = self.0.closed.subscribe();
        match closed.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => "the connection ended".to_owned(),
        }
    }

    /// Ends the connection from our side; waiting commands fail with `reason`.
    pub fn close(&self, reason: &str) {
        self.0.close(reason);
    }

    /// Commands sent so far, for tests and statistics.
    pub fn commands_sent(&self) -> u64 {
        self.0.sent.load(Ordering::Relaxed)
    }

    /// Fails every command that waits on a session which has ended.
    pub fn session_ended(&self, session: &str, error: &CdpError) {
        let ended: Vec<Pending> = {
            let mut pending = lock(&self.0.pending);
            let ids: Vec<u64> = pending
                .iter()
                .filter(|(_, p)| p.session.as_deref() == Some(session))
                .map(|(id, _)| *id)
                .collect();
            ids.iter().filter_map(|id| pending.remove(id)).collect()
        };
        for waiting in ended {
            let _ = waiting.answer.send(Err(error.clone()));
        }
    }
}

/// Forgets a command when its caller stops waiting, so that abandoned calls leave nothing behind.
struct ForgetOnDrop {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for ForgetOnDrop {
    fn drop(&mut self) {
        lock(&self.shared.pending).remove(&self.id);
    }
}

impl Shared {
    fn take_in(&self, message: &[u8]) {
        let message = surrogates::repair(message);
        match envelope::decode(&message) {
            Ok(Incoming::Reply { id, outcome }) => {
                tracing::trace!(id, bytes = message.len(), "←");
                let Some(waiting) = lock(&self.pending).remove(&id) else {
                    return;
                };
                let answer = match outcome {
                    Ok(result) => Ok(result.to_owned()),
                    Err(error) => Err(CdpError::Protocol {
                        method: waiting.method,
                        code: error.code,
                        message: error.message,
                        data: error.data,
                    }),
                };
                let _ = waiting.answer.send(answer);
            }
            Ok(Incoming::Event {
                method,
                session_id,
                params,
            }) => {
                let Some(handler) = self.handler.get() else {
                    return;
                };
                let event = Event {
                    method: &method,
                    session_id: session_id.as_deref(),
                    params,
                };
                // One odd event must not end the reading of all others.
                if std::panic::catch_unwind(AssertUnwindSafe(|| handler.on_event(&event))).is_err()
                {
                    tracing::error!(method = %method, "handling an event panicked");
                }
            }
            Ok(Incoming::Other) => {}
            Err(error) => {
                tracing::warn!(%error, bytes = message.len(), "message from the browser not understood")
            }
        }
    }

    fn close(&self, reason: &str) {
        let first = self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            if first {
                *closed = Some(reason.to_owned());
            }
            first
        });
        if !first {
            return;
        }
        lock(&self.outgoing).take();
        let pending: Vec<Pending> = lock(&self.pending)
            .drain()
            .map(|(_, waiting)| waiting)
            .collect();
        for waiting in pending {
            let _ = waiting
                .answer
                .send(Err(CdpError::ConnectionClosed(reason.to_owned())));
        }
        if let Some(handler) = self.handler.get() {
            handler.on_close(reason);
        }
    }
}

#[cfg(test)]
mod tests;
