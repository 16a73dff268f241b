//! Whether an engine is still wanted, and how many unwanted ones still run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use super::limits::Limit;

/// Unwanted engines at most. An engine notices in milliseconds that it is unwanted, unless it is
/// inside a built-in function that never looks; only a script that means harm gets there.
const MAX_RUNAWAYS: usize = 16;

/// Cancelled engines whose threads have not ended.
static RUNAWAYS: AtomicUsize = AtomicUsize::new(0);

const RUNNING: u8 = 0;
const CANCELLED: u8 = 1;
const ENDED: u8 = 2;

/// Shared by a session and its engine's thread.
#[derive(Debug, Clone)]
pub(super) struct Life(Arc<AtomicU8>);

impl Life {
    /// A new engine's, unless too many that nobody wants are still busy.
    pub(super) fn begin() -> Result<Self, Limit> {
        if RUNAWAYS.load(Ordering::Relaxed) >= MAX_RUNAWAYS {
            return Err(Limit::Runaways(MAX_RUNAWAYS));
        }
        Ok(Self(Arc::new(AtomicU8::new(RUNNING))))
    }

    /// Asks the engine to stop.
    pub(super) fn cancel(&self) {
        let order = Ordering::Relaxed;
        if self
            .0
            .compare_exchange(RUNNING, CANCELLED, order, order)
            .is_ok()
        {
            RUNAWAYS.fetch_add(1, order);
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == CANCELLED
    }

    /// The thread is about to end.
    pub(super) fn end(&self) {
        if self.0.swap(ENDED, Ordering::Relaxed) == CANCELLED {
            RUNAWAYS.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
