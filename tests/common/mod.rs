//! What the end-to-end tests share: the server under test, pages for it to
//! open, and the processes it leaves behind.
//!
//! The server is this package's binary. `PLAYGUARD_TEST_SERVER` names another
//! command line, such as that of `@playwright/mcp`, so that the tests of
//! `--stock` can be checked against the program whose words they quote.
//! `PLAYGUARD_TEST_BROWSER` names the browser, `PLAYGUARD_TEST_STEP` a part of
//! the names of the only steps to run.

// Each test program compiles this module and uses only a part of it.
#![allow(dead_code, unused_imports)]

pub mod http;
pub mod images;
pub mod launch;
pub mod pages;
pub mod processes;
pub mod reply;
pub mod session;
pub mod shared;
pub mod stage;

pub use launch::{Launch, reference};
pub use pages::{Answer, Gate, Pages, Request};
pub use reply::{Reply, dedent, ref_of};
pub use session::{Call, Session};
pub use stage::Stage;

use std::time::{Duration, Instant};

/// The limit for everything that has no tighter one: generous, because tests
/// share two slow cores with a browser each.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Asks until the answer is something, and panics with `what` when `limit` is
/// over.
#[track_caller]
pub fn wait_for<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(
            start.elapsed() < limit,
            "still waiting after {limit:?} for {what}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}
