//! What stays on disk of a session: its log, and no more files than wanted.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::call::{ToolCall, ToolReply};
use crate::reply::RenderOptions;
use crate::reply::budget::{Files, OutputBudget};
use crate::reply::files::output_dir;
use crate::reply::session_log::SessionLog;

/// What stays on disk.
#[derive(Debug, Clone, Default)]
pub struct KeepOptions {
    /// The output folder, when one was configured.
    pub output_dir: Option<PathBuf>,
    /// The most bytes that it may hold; older files go.
    pub max_size: Option<u64>,
    /// Write a log of each session.
    pub log_sessions: bool,
}

/// Looks after the files of one session.
pub(super) struct Keeper {
    options: KeepOptions,
    log: Mutex<Option<SessionLog>>,
}

/// What is to be remembered of a call until its end.
pub(super) struct Kept {
    budget: Option<(OutputBudget, Files)>,
    /// Name and arguments, for the log.
    call: Option<(String, Map<String, Value>)>,
}

impl Keeper {
    pub(super) fn new(options: KeepOptions) -> Self {
        Self {
            options,
            log: Mutex::default(),
        }
    }

    /// To be called before a call runs.
    pub(super) async fn before(&self, call: &ToolCall) -> Kept {
        let folder = || output_dir(self.options.output_dir.as_deref(), &call.client.workspace);
        let budget = match self.options.max_size {
            Some(limit) => {
                let budget = OutputBudget::new(folder(), limit);
                let files = budget.look().await;
                Some((budget, files))
            }
            None => None,
        };
        if self.options.log_sessions {
            self.begin_log(folder(), call).await;
        }
        Kept {
            budget,
            call: self
                .options
                .log_sessions
                .then(|| (call.name.clone(), call.arguments.clone())),
        }
    }

    /// To be called once the files of a reply are written.
    pub(super) async fn after(&self, kept: Kept, reply: &ToolReply, render: &RenderOptions) {
        if reply.thrown.is_some() {
            return;
        }
        if let Some((budget, before)) = kept.budget {
            budget.enforce(before).await;
        }
        let Some((name, arguments)) = kept.call else {
            return;
        };
        let mut log = self.log.lock().await;
        if let Some(log) = log.as_ref() {
            log.add(&name, &arguments, reply, render).await;
        }
        if name == "browser_close" {
            // The next call begins a session of its own.
            log.take();
        }
    }

    async fn begin_log(&self, output: PathBuf, call: &ToolCall) {
        let mut log = self.log.lock().await;
        if log.is_some() {
            return;
        }
        match SessionLog::begin(&output, SystemTime::now()).await {
            Ok(begun) => {
                let _ = writeln!(std::io::stderr(), "Session: {}", begun.folder().display());
                *log = Some(begun);
            }
            Err(error) => {
                tracing::warn!(%error, client = call.client.name, "no log of this session");
            }
        }
    }
}
