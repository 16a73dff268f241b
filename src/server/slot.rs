//! The place of a session's backend: made at the first call, replaced when it died.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;

use crate::backend::{Backend, CreateError};
use crate::pipeline::Pipeline;

/// A backend that does not close in this time is left to itself.
const CLOSE_LIMIT: Duration = Duration::from_secs(10);

/// Holds at most one backend.
#[derive(Default)]
pub(super) struct BackendSlot {
    /// Attempts to make a backend that have ended.
    attempts: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    current: Option<Arc<Pipeline>>,
    failure: Option<CreateError>,
    /// The session is over.
    closed: bool,
}

impl BackendSlot {
    /// The backend behind its layers; `make` is called when there is none or it died. Calls that
    /// come meanwhile wait and share the outcome, also a failure.
    ///
    /// # Errors
    /// What `make` returned, or that the session is over.
    pub(super) async fn get<F>(
        &self,
        make: impl FnOnce() -> F,
    ) -> Result<Arc<Pipeline>, CreateError>
    where
        F: Future<Output = Result<Pipeline, CreateError>>,
    {
        let seen = self.attempts.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        if state.closed {
            return Err(CreateError("Error: The server is closing.".to_owned()));
        }
        if let Some(pipeline) = &state.current {
            if pipeline.backend().is_alive() {
                return Ok(pipeline.clone());
            }
            state.close_current().await;
        }
        if self.attempts.load(Ordering::Acquire) != seen
            && let Some(failure) = &state.failure
        {
            return Err(failure.clone());
        }
        let made = make().await.map(Arc::new);
        self.attempts.fetch_add(1, Ordering::Release);
        state.current = made.as_ref().ok().cloned();
        state.failure = made.as_ref().err().cloned();
        made
    }

    /// Closes the backend of `pipeline` if it died and was not replaced yet.
    pub(super) async fn bury(&self, pipeline: &Arc<Pipeline>) {
        if pipeline.backend().is_alive() {
            return;
        }
        let mut state = self.state.lock().await;
        if state
            .current
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, pipeline))
        {
            state.close_current().await;
        }
    }

    /// Closes whatever is there, for good.
    pub(super) async fn close(&self) {
        let mut state = self.state.lock().await;
        state.closed = true;
        state.close_current().await;
    }
}

impl State {
    async fn close_current(&mut self) {
        let Some(pipeline) = self.current.take() else {
            return;
        };
        let backend: &Arc<dyn Backend> = pipeline.backend();
        if tokio::time::timeout(CLOSE_LIMIT, backend.close())
            .await
            .is_err()
        {
            tracing::warn!(
                "the browser did not close within {} s",
                CLOSE_LIMIT.as_secs()
            );
        }
    }
}
