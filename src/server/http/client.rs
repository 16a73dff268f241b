//! One client's session over HTTP: the same session as on standard input and output, whose
//! connections come and go.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::ServerOptions;
use super::super::dispatch::{Calls, Dispatcher};
use super::super::outbox::Outlet;
use super::super::peer::{LinePeer, Peer as _};
use super::super::session::Session;
use super::super::wire::Incoming;
use super::events::Hub;
use crate::backend::{Backend, BackendFactory, BoxFuture, CreateError, Hooks};
use crate::call::ClientInfo;

/// By which of the two transports a client came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Streamable,
    /// The older one: one stream, whose end is the client's.
    Sse,
}

/// A client.
pub(super) struct Client {
    pub(super) id: String,
    pub(super) transport: Transport,
    pub(super) hub: Arc<Hub>,
    session: Arc<Session>,
    peer: Arc<LinePeer>,
    dispatcher: Mutex<Dispatcher>,
    calls: Arc<Calls>,
    /// The version that was agreed on, once one was.
    version: OnceLock<String>,
    /// When it last said something.
    heard: watch::Sender<Instant>,
    /// Fires when its first browser is there.
    has_backend: CancellationToken,
    closed: AtomicBool,
    /// Fires when the session is over.
    pub(super) ended: CancellationToken,
}

impl Client {
    pub(super) fn new(
        transport: Transport,
        factory: Arc<dyn BackendFactory>,
        options: ServerOptions,
        hub: Arc<Hub>,
    ) -> Arc<Self> {
        let has_backend = CancellationToken::new();
        let factory = Arc::new(Announcing {
            inner: factory,
            made: has_backend.clone(),
        });
        let peer = Arc::new(LinePeer::new(Arc::new(Unasked(hub.clone()))));
        let session = Arc::new(Session::new(factory, options, peer.clone()));
        let dispatcher = Dispatcher::new(session.clone(), peer.clone());
        Arc::new(Self {
            // From the system's source of randomness: the id is what lets a client in.
            id: uuid::Uuid::new_v4().to_string(),
            transport,
            hub,
            session,
            peer,
            calls: dispatcher.calls().clone(),
            dispatcher: Mutex::new(dispatcher),
            version: OnceLock::new(),
            heard: watch::Sender::new(Instant::now()),
            has_backend,
            closed: AtomicBool::new(false),
            ended: CancellationToken::new(),
        })
    }

    /// Handles messages of the client, answering through `reply`.
    pub(super) fn messages(&self, messages: Vec<Incoming>, reply: &Arc<dyn Outlet>) {
        self.hear();
        let mut dispatcher = self
            .dispatcher
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for message in messages {
            dispatcher.message(message, reply);
        }
    }

    /// Notes a sign of life.
    pub(super) fn hear(&self) {
        self.heard.send_replace(Instant::now());
    }

    /// When it last gave a sign of life, and when it gives another.
    pub(super) fn heard(&self) -> watch::Receiver<Instant> {
        self.heard.subscribe()
    }

    /// How long it has been away: no word, no connection, no call.
    pub(super) fn away(&self) -> Duration {
        if self.hub.is_read() || self.calls.any() {
            return Duration::ZERO;
        }
        self.heard.borrow().elapsed()
    }

    /// Whether a call of its runs.
    pub(super) fn is_busy(&self) -> bool {
        self.calls.any()
    }

    /// Notes the version that was agreed on.
    pub(super) fn agreed(&self, version: &str) {
        let _ = self.version.set(version.to_owned());
    }

    /// The version that was agreed on; `None` before initialize.
    pub(super) fn version(&self) -> Option<&str> {
        self.version.get().map(String::as_str)
    }

    /// Waits until the client has had a browser.
    pub(super) async fn has_backend(&self) {
        self.has_backend.cancelled().await;
    }

    /// Asks for a sign of life and waits for the answer, whatever it says.
    pub(super) async fn ping(&self) {
        self.peer.request("ping").await;
    }

    /// Ends the session: its connections, its calls, its browser or its part of one.
    pub(super) async fn close(&self) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        self.ended.cancel();
        self.hub.close();
        self.peer.hang_up();
        // Nobody is there to read what calls have to say.
        self.calls.finish(&self.ended).await;
        self.session.close().await;
    }
}

/// The way of messages that answer nothing.
struct Unasked(Arc<Hub>);

impl Outlet for Unasked {
    fn send(&self, line: Vec<u8>) {
        self.0.send(line);
    }
}

/// A factory that tells when it has made something.
struct Announcing {
    inner: Arc<dyn BackendFactory>,
    made: CancellationToken,
}

impl BackendFactory for Announcing {
    fn create(
        &self,
        client: Arc<ClientInfo>,
        hooks: Hooks,
    ) -> BoxFuture<'_, Result<Arc<dyn Backend>, CreateError>> {
        Box::pin(async move {
            let made = self.inner.create(client, hooks).await;
            if made.is_ok() {
                self.made.cancel();
            }
            made
        })
    }
}
