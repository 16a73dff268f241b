//! Many steps on one server: starting a browser is what costs.

use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use serde_json::json;

use super::{Answer, Launch, Pages, Session};

/// A server and pages for its browser. Replies show `http://HOST` for the
/// origin of the pages and `http://OTHER` for their second one.
pub struct Stage {
    pub session: Session,
    pub pages: Pages,
}

impl Deref for Stage {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Stage {
    #[track_caller]
    pub fn new(launch: Launch) -> Self {
        let pages = Pages::start();
        let session = launch.start();
        session.alias(pages.origin(), "http://HOST");
        session.alias(pages.other_origin(), "http://OTHER");
        Self { session, pages }
    }

    /// Opens a page made of this body, titled "T".
    #[track_caller]
    pub fn show(&self, body: &str) {
        let url = self.pages.put("/", Answer::page("T", body));
        self.open(&url);
    }

    /// Opens a page of `fixtures/pages`.
    #[track_caller]
    pub fn visit(&self, name: &str) {
        self.open(&self.pages.url(&format!("/{name}")));
    }
}

/// A named step: what it proves, and how.
pub type Step = (&'static str, fn(&Stage));

/// Runs the steps one after the other. After a failed one the browser is
/// closed, so that the next starts clean. Fails when any did.
#[track_caller]
pub fn run(stage: &Stage, steps: &[Step]) {
    let only = std::env::var("PLAYGUARD_TEST_STEP").unwrap_or_default();
    let mut failed = Vec::new();
    for (name, step) in steps {
        if !name.contains(&only) {
            continue;
        }
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| step(stage)));
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        eprintln!("{word:6} {name} ({:.1} s)", start.elapsed().as_secs_f32());
        if outcome.is_err() {
            failed.push(*name);
            if !stage.runs() {
                failed.push("(the server ended, the remaining steps did not run)");
                break;
            }
            let reset = AssertUnwindSafe(|| stage.call("browser_close", json!({})));
            let _ = catch_unwind(reset);
        }
    }
    assert!(failed.is_empty(), "failed: {failed:#?}");
}

/// Runs functions as steps, named as they are.
#[macro_export]
macro_rules! steps {
    ($stage:expr; $($step:ident),+ $(,)?) => {
        $crate::common::stage::run(
            $stage,
            &[$((stringify!($step), $step as fn(&$crate::common::Stage))),+],
        )
    };
}
