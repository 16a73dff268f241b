//! How much a script may use.

use std::time::Duration;

/// Bounds of one session. Whatever reaches one is told which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the script's heap.
    pub memory: usize,
    /// Time from start to end of one run, with the time that the browser takes.
    pub time: Duration,
    /// The same for a callback (event, route, timer) after the run.
    pub callback_time: Duration,
    /// Bytes of the script's stack; bounds recursion. At most [`Limits::MAX_STACK`].
    pub stack: usize,
    /// Bytes of source text.
    pub source: usize,
    /// Bytes of a result as JSON.
    pub result: usize,
    /// Timers that wait at the same time.
    pub timers: usize,
    /// Requests to the host that wait at the same time.
    pub pending_calls: usize,
    /// Requests to the host in one session.
    pub calls: usize,
    /// Subscriptions and routes at the same time.
    pub subscriptions: usize,
    /// Bytes of `console` output that are kept for one run.
    pub log: usize,
}

impl Limits {
    /// The largest useful value of `stack`: the engine's thread has little more.
    pub const MAX_STACK: usize = 4 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            time: Duration::from_secs(60),
            callback_time: Duration::from_secs(10),
            stack: 1 << 20,
            source: 1_000_000,
            result: 10_000_000,
            timers: 1_000,
            pending_calls: 500,
            calls: 20_000,
            subscriptions: 200,
            log: 100_000,
        }
    }
}

/// A bound that was reached, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Limit {
    #[error("memory limit of {} MB reached", .0 >> 20)]
    Memory(usize),
    #[error("time limit of {} ms reached", .0.as_millis())]
    Time(Duration),
    #[error("limit of recursion reached ({} kB of stack)", .0 >> 10)]
    Stack(usize),
    #[error("source is longer than the limit of {0} bytes")]
    Source(usize),
    #[error("result is longer than the limit of {0} bytes")]
    Result(usize),
    #[error("limit of {0} waiting timers reached")]
    Timers(usize),
    #[error("limit of {0} waiting calls reached")]
    PendingCalls(usize),
    #[error("limit of {0} calls reached")]
    Calls(usize),
    #[error("limit of {0} subscriptions reached")]
    Subscriptions(usize),
    /// Scripts that could not be interrupted still run; no new ones are started.
    #[error("limit of {0} scripts that cannot be stopped reached")]
    Runaways(usize),
}
