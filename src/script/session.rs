//! The async side of a script: starting the engine's thread, running jobs on it, and doing its calls.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::engine;
use super::error::ScriptError;
use super::host::{EventSender, ScriptFault, ScriptHost};
use super::life::Life;
use super::limits::{Limit, Limits};
use super::log::{LogLine, SharedLog};
use super::operation::{Operation, PageId};
use super::source::Form;

/// How long after its time limit an engine may take to notice.
const GRACE: Duration = Duration::from_secs(2);
/// The engine's own frames, on top of the script's stack.
const SPARE_STACK: usize = 4 << 20;

/// What the engine's thread receives.
#[derive(Debug)]
pub enum Incoming {
    Job(Job),
    Reply {
        call: u64,
        result: Result<Value, ScriptFault>,
    },
    Event {
        subscription: u64,
        value: Value,
    },
    Stop,
}

/// What the engine's thread sends.
#[derive(Debug)]
pub(super) enum Outgoing {
    Call {
        id: u64,
        operation: Box<Operation>,
    },
    /// The calls that are under way are no longer wanted.
    Abandon,
}

/// Something to run.
#[derive(Debug)]
pub struct Job {
    pub(super) task: Task,
    pub(super) done: oneshot::Sender<Result<Outcome, ScriptError>>,
}

#[derive(Debug)]
pub(super) enum Task {
    Code { source: String, form: Form },
    Module { name: String, source: String },
    Method { name: String, arguments: Vec<Value> },
    IsPatched { name: String },
}

/// What a run leaves behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The result as `JSON.stringify` writes it; `None` for `undefined`.
    pub json: Option<String>,
    /// What went to `console` since the run before, oldest first.
    pub log: Vec<LogLine>,
    /// Whether event handlers, routes or timers are left. They work as long as the session is kept;
    /// Playwright keeps them for the life of the page.
    pub alive: bool,
}

/// One script engine with its `page`. Dropping it ends the script, its calls and its handlers.
#[derive(Debug)]
pub struct Session {
    inbox: Sender<Incoming>,
    pump: JoinHandle<()>,
    life: Life,
    log: SharedLog,
    limits: Limits,
    /// One job at a time.
    turn: Mutex<()>,
}

impl Session {
    /// Starts an engine whose `page` is `page`. Call it on a tokio runtime: the host's calls run there.
    ///
    /// # Errors
    /// [`ScriptError::Engine`] when no thread can be started, [`ScriptError::Limit`] when too many
    /// scripts that cannot be stopped still run.
    pub fn start(
        host: Arc<dyn ScriptHost>,
        page: PageId,
        limits: Limits,
    ) -> Result<Self, ScriptError> {
        let life = Life::begin().map_err(|limit| ScriptError::Limit { limit, line: None })?;
        let (inbox, incoming) = std::sync::mpsc::channel();
        let (outgoing, requests) = mpsc::unbounded_channel();
        let log = SharedLog::new(limits.log);
        let setup = engine::Setup {
            limits: limits.clone(),
            page,
            life: life.clone(),
            incoming,
            outgoing,
            log: log.clone(),
        };
        std::thread::Builder::new()
            .name("script".to_owned())
            .stack_size(limits.stack.min(Limits::MAX_STACK) + SPARE_STACK)
            .spawn(move || engine::run(setup))
            .map_err(|error| ScriptError::Engine(error.to_string()))?;
        let pump = tokio::spawn(pump(host, requests, inbox.clone()));
        Ok(Self {
            inbox,
            pump,
            life,
            log,
            limits,
            turn: Mutex::new(()),
        })
    }

    /// Where the host sends this session's events.
    pub fn events(&self) -> EventSender {
        EventSender {
            inbox: self.inbox.clone(),
        }
    }

    /// Takes what went to `console` and was not part of an [`Outcome`] yet: after a run that
    /// failed, or between runs. Works after the session's end too.
    pub fn take_log(&self) -> Vec<LogLine> {
        self.log.take()
    }

    /// Runs the code of `browser_run_code_unsafe` and waits for its result. When this future is
    /// dropped the script is interrupted and the session ends.
    ///
    /// # Errors
    /// See [`ScriptError`].
    pub async fn run_code(&self, source: &str, form: Form) -> Result<Outcome, ScriptError> {
        let source = source.to_owned();
        self.run(Task::Code { source, form }).await
    }

    /// Runs an init page: a module whose default export is called with `{ page }`. Types of
    /// TypeScript are removed from it. `name` is the file's name, for stack traces.
    ///
    /// # Errors
    /// See [`ScriptError`]; a module without a function as default export throws.
    pub async fn run_init_page(&self, name: &str, source: &str) -> Result<Outcome, ScriptError> {
        let (name, source) = (name.to_owned(), source.to_owned());
        self.run(Task::Module { name, source }).await
    }

    /// Whether a script has put another function in place of `page`'s method, as init pages may.
    ///
    /// # Errors
    /// [`ScriptError::Ended`].
    pub async fn is_patched(&self, method: &str) -> Result<bool, ScriptError> {
        let name = method.to_owned();
        let outcome = self.run(Task::IsPatched { name }).await?;
        Ok(outcome.json.as_deref() == Some("true"))
    }

    /// Calls a method of `page` as the script sees it: the way to let an init page's own
    /// `page.screenshot` decide. Bytes come back as `{"type": "Buffer", "data": […]}`.
    ///
    /// # Errors
    /// See [`ScriptError`].
    pub async fn call_method(
        &self,
        method: &str,
        arguments: Vec<Value>,
    ) -> Result<Outcome, ScriptError> {
        let name = method.to_owned();
        self.run(Task::Method { name, arguments }).await
    }

    async fn run(&self, task: Task) -> Result<Outcome, ScriptError> {
        let _turn = self.turn.lock().await;
        let (done, result) = oneshot::channel();
        self.inbox
            .send(Incoming::Job(Job { task, done }))
            .map_err(|_| ScriptError::Ended)?;
        let mut unfinished = Unfinished {
            life: &self.life,
            finished: false,
        };
        match tokio::time::timeout(self.limits.time + GRACE, result).await {
            Ok(Ok(result)) => {
                unfinished.finished = true;
                result
            }
            Ok(Err(_)) => Err(ScriptError::Ended),
            Err(_) => Err(ScriptError::Limit {
                limit: Limit::Time(self.limits.time),
                line: None,
            }),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.life.cancel();
        // An engine that has ended needs no message.
        let _ = self.inbox.send(Incoming::Stop);
        self.pump.abort();
    }
}

/// Interrupts the engine when whoever waits for a job goes away.
struct Unfinished<'a> {
    life: &'a Life,
    finished: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.life.cancel();
        }
    }
}

/// Does the engine's calls until either side is gone.
async fn pump(
    host: Arc<dyn ScriptHost>,
    mut requests: mpsc::UnboundedReceiver<Outgoing>,
    inbox: Sender<Incoming>,
) {
    let mut calls = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            request = requests.recv() => match request {
                Some(Outgoing::Call { id, operation }) => {
                    let mut call = host.call(*operation);
                    // Polled here once, so that calls begin in the script's order.
                    match futures_util::poll!(&mut call) {
                        std::task::Poll::Ready(result) => {
                            if inbox.send(Incoming::Reply { call: id, result }).is_err() {
                                return;
                            }
                        }
                        std::task::Poll::Pending => calls.push(async move { (id, call.await) }),
                    }
                }
                Some(Outgoing::Abandon) => calls.clear(),
                None => return,
            },
            Some((call, result)) = calls.next(), if !calls.is_empty() => {
                if inbox.send(Incoming::Reply { call, result }).is_err() {
                    return;
                }
            }
        }
    }
}
