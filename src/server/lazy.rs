//! A session's backend as layers see it: always there, and made when a call first gets through.
//!
//! Whatever a layer answers by itself needs no browser. A backend that died is replaced unseen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::backend::{Backend, BackendFactory, BoxFuture, CreateError, Hooks};
use crate::call::{ClientInfo, ToolCall, ToolReply};

/// A backend that does not close in this time is let go of, which ends its browser too, if less
/// politely. More than an orderly end takes; see the time that clients give us, in `stdio`.
const CLOSE_LIMIT: Duration = Duration::from_millis(3_500);

/// Tells the client that its list of tools may differ.
pub(super) type Announce = Arc<dyn Fn() + Send + Sync>;

/// The end of a session's pipeline.
pub(super) struct LazyBackend {
    inner: Arc<Inner>,
}

struct Inner {
    factory: Arc<dyn BackendFactory>,
    announce: Announce,
    /// Attempts to make a backend that have ended.
    attempts: AtomicU64,
    state: Mutex<State>,
    /// Fires when the session is over.
    ended: CancellationToken,
}

#[derive(Default)]
struct State {
    current: Option<Arc<dyn Backend>>,
    failure: Option<CreateError>,
    /// How the last backend ended, until the client has been told.
    lost: Option<String>,
}

impl LazyBackend {
    pub(super) fn new(factory: Arc<dyn BackendFactory>, announce: Announce) -> Self {
        Self {
            inner: Arc::new(Inner {
                factory,
                announce,
                attempts: AtomicU64::new(0),
                state: Mutex::default(),
                ended: CancellationToken::new(),
            }),
        }
    }

    /// The backend. Calls that come while it is made wait and share the outcome, also a failure.
    /// Dropping the future does not stop the making: others may wait for it.
    async fn get(&self, client: &Arc<ClientInfo>) -> Result<Arc<dyn Backend>, CreateError> {
        let seen = self.inner.attempts.load(Ordering::Acquire);
        if let Some(backend) = self.inner.state.lock().await.living() {
            return Ok(backend);
        }
        let making = tokio::spawn(self.inner.clone().make(client.clone(), seen));
        making.await.unwrap_or_else(|failure| {
            tracing::error!(%failure, "starting the browser panicked");
            Err(CreateError(
                "Error: Internal error while starting the browser.".to_owned(),
            ))
        })
    }
}

impl Backend for LazyBackend {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, ToolReply> {
        Box::pin(async move {
            let backend = match self.get(&call.client).await {
                Ok(backend) => backend,
                Err(error) => return ToolReply::thrown(error.to_string()),
            };
            if call.cancel.is_cancelled() {
                return ToolReply::thrown("Error: The call was cancelled.");
            }
            let reply = backend.call(call).await;
            if !backend.is_alive() {
                // Once begun, closing is not given up, even if this call is.
                let _ = tokio::spawn(self.inner.clone().bury(backend)).await;
            }
            reply
        })
    }

    fn is_alive(&self) -> bool {
        !self.inner.ended.is_cancelled()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.inner.ended.cancel();
            // A call may be closing a backend that died: the limit is for both.
            let closing = async { self.inner.state.lock().await.close_current().await };
            if tokio::time::timeout(CLOSE_LIMIT, closing).await.is_err() {
                tracing::warn!("the end does not wait for the browser any longer");
            }
        })
    }
}

impl Inner {
    /// Makes a backend unless somebody else has meanwhile. `seen` is the number of attempts when
    /// the caller began to wait.
    async fn make(
        self: Arc<Self>,
        client: Arc<ClientInfo>,
        seen: u64,
    ) -> Result<Arc<dyn Backend>, CreateError> {
        let mut state = self.state.lock().await;
        if let Some(backend) = state.living() {
            return Ok(backend);
        }
        let end = state.current.as_ref().and_then(|backend| backend.end());
        state.lost = end.or(state.lost.take());
        state.close_current().await;
        if self.attempts.load(Ordering::Acquire) != seen
            && let Some(failure) = &state.failure
        {
            return Err(failure.clone());
        }
        let announce = self.announce.clone();
        let hooks = Hooks {
            tools_changed: Box::new(move || announce()),
            predecessor: state.lost.clone(),
        };
        let made = tokio::select! {
            biased;
            () = self.ended.cancelled() => {
                return Err(CreateError("Error: The server is closing.".to_owned()));
            }
            made = self.factory.create(client, hooks) => made,
        };
        self.attempts.fetch_add(1, Ordering::Release);
        state.current = made.as_ref().ok().cloned();
        state.failure = made.as_ref().err().cloned();
        if made.is_ok() {
            state.lost = None;
        }
        made
    }

    /// Closes a backend that died, unless that happened already.
    async fn bury(self: Arc<Self>, backend: Arc<dyn Backend>) {
        let mut state = self.state.lock().await;
        if state
            .current
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, &backend))
        {
            state.lost = backend.end();
            state.close_current().await;
        }
    }
}

impl State {
    fn living(&self) -> Option<Arc<dyn Backend>> {
        self.current.clone().filter(|backend| backend.is_alive())
    }

    async fn close_current(&mut self) {
        let Some(backend) = self.current.take() else {
            return;
        };
        if tokio::time::timeout(CLOSE_LIMIT, backend.close())
            .await
            .is_err()
        {
            tracing::warn!("the browser did not close within {CLOSE_LIMIT:?}");
        }
    }
}
