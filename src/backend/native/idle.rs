//! Closing a browser that nobody uses.

use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::NativeBackend;
use crate::backend::Backend as _;

/// Upstream's limit for browsers without a window that we started.
const HEADLESS: Duration = Duration::from_secs(3600);

/// Keeps track of calls.
#[derive(Debug)]
pub(super) struct Idle {
    running: AtomicUsize,
    since: Mutex<Instant>,
}

impl Default for Idle {
    fn default() -> Self {
        Self {
            running: AtomicUsize::new(0),
            since: Mutex::new(Instant::now()),
        }
    }
}

impl Idle {
    /// A call runs until the value that comes back is dropped.
    pub(super) fn busy(&self) -> Busy<'_> {
        self.running.fetch_add(1, Ordering::Relaxed);
        Busy(self)
    }

    /// How long no call has run. A call that takes long is no idleness.
    fn time(&self) -> Duration {
        if self.running.load(Ordering::Relaxed) > 0 {
            return Duration::ZERO;
        }
        self.since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .elapsed()
    }
}

pub(super) struct Busy<'a>(&'a Idle);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        *self.0.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl NativeBackend {
    fn note_idleness(&self, limit: Duration) {
        let text = format!(
            "The browser was closed after {} without a call. This is a new one{}",
            humantime(limit),
            self.lost_pages()
        );
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// After how long without a call the browser is closed; `None` for never.
    pub(super) fn idle_limit(&self) -> Option<Duration> {
        match self.config.timeouts.idle_ms {
            Some(0) => None,
            Some(ms) => Some(Duration::from_millis(ms)),
            None => self.host.is_headless().then_some(HEADLESS),
        }
    }
}

/// `30 s`, `250 ms`.
fn humantime(time: Duration) -> String {
    match time.as_millis() {
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

/// Closes the backend once it has been idle for `limit`. The next call gets a new one.
pub(super) fn watch(backend: Weak<NativeBackend>, limit: Duration) {
    tokio::spawn(async move {
        loop {
            let Some(open) = backend.upgrade() else {
                return;
            };
            if !open.is_alive() {
                return;
            }
            let left = limit.saturating_sub(open.host.idle().time());
            if left.is_zero() {
                tracing::info!(
                    "no call for {} ms: the browser is closed",
                    limit.as_millis()
                );
                open.note_idleness(limit);
                open.close().await;
                return;
            }
            drop(open);
            tokio::time::sleep(left).await;
        }
    });
}
