//! What the engine's loop and the functions that scripts call have in common. One thread only.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::host::ScriptFault;
use super::life::Life;
use super::limits::{Limit, Limits};
use super::log::SharedLog;
use super::operation::Operation;
use super::session::{Incoming, Outgoing};

/// The longest `setTimeout`, as in browsers (2³¹−1 ms).
const MAX_DELAY: f64 = 2_147_483_647.0;

pub(super) struct State {
    pub(super) limits: Limits,
    life: Life,
    incoming: Receiver<Incoming>,
    outgoing: UnboundedSender<Outgoing>,
    /// Messages that came while a call held the script.
    backlog: RefCell<VecDeque<Incoming>>,
    /// When what runs now must be over; `None` when nothing runs.
    deadline: Cell<Option<(Instant, Duration)>>,
    tripped: Cell<Option<Limit>>,
    calls: Cell<usize>,
    pending: Cell<usize>,
    next_held: Cell<u64>,
    subscriptions: Cell<usize>,
    timers: RefCell<Timers>,
    pub(super) log: SharedLog,
}

#[derive(Default)]
struct Timers {
    due: BTreeMap<(Instant, u64), u32>,
    known: HashMap<u32, (Instant, u64)>,
    sequence: u64,
}

/// Why waiting ended without a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// The moment that was asked for has come.
    Due,
    /// The session is over.
    Gone,
}

impl State {
    pub(super) fn new(
        limits: Limits,
        life: Life,
        incoming: Receiver<Incoming>,
        outgoing: UnboundedSender<Outgoing>,
        log: SharedLog,
    ) -> Self {
        Self {
            limits,
            life,
            incoming,
            outgoing,
            backlog: RefCell::default(),
            deadline: Cell::new(None),
            tripped: Cell::new(None),
            calls: Cell::new(0),
            pending: Cell::new(0),
            // Calls of promises are numbered from 1 by the prelude; those that hold the script
            // have numbers of their own.
            next_held: Cell::new(1 << 52),
            subscriptions: Cell::new(0),
            timers: RefCell::default(),
            log,
        }
    }

    /// Gives what follows this much time.
    pub(super) fn start_clock(&self, time: Duration) {
        // A time too long to be added is no limit that anyone could notice.
        self.deadline
            .set(Instant::now().checked_add(time).map(|at| (at, time)));
    }

    pub(super) fn stop_clock(&self) {
        self.deadline.set(None);
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline.get().map(|(at, _)| at)
    }

    /// Whether the engine must stop; remembers why.
    pub(super) fn must_stop(&self) -> bool {
        if self.life.is_cancelled() || self.tripped.get().is_some() {
            return true;
        }
        match self.deadline.get() {
            Some((at, time)) if Instant::now() >= at => {
                self.tripped.set(Some(Limit::Time(time)));
                true
            }
            _ => false,
        }
    }

    pub(super) fn tripped(&self) -> Option<Limit> {
        self.tripped.get()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.life.is_cancelled()
    }

    /// The next message, or why there is none. Messages that came earlier come first.
    pub(super) fn next(&self, until: Option<Instant>) -> Result<Incoming, Woken> {
        if let Some(message) = self.backlog.borrow_mut().pop_front() {
            return Ok(message);
        }
        self.receive(until)
    }

    fn receive(&self, until: Option<Instant>) -> Result<Incoming, Woken> {
        let Some(until) = until else {
            return self.incoming.recv().map_err(|_| Woken::Gone);
        };
        let wait = until.saturating_duration_since(Instant::now());
        self.incoming
            .recv_timeout(wait)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => Woken::Due,
                RecvTimeoutError::Disconnected => Woken::Gone,
            })
    }

    /// Starts a call whose answer settles a promise.
    pub(super) fn submit(&self, id: u64, operation: Operation) -> Result<(), String> {
        if self.pending.get() >= self.limits.pending_calls {
            return Err(Limit::PendingCalls(self.limits.pending_calls).to_string());
        }
        self.send(id, operation)?;
        self.pending.set(self.pending.get() + 1);
        Ok(())
    }

    fn send(&self, id: u64, operation: Operation) -> Result<(), String> {
        if self.calls.get() >= self.limits.calls {
            return Err(Limit::Calls(self.limits.calls).to_string());
        }
        self.calls.set(self.calls.get() + 1);
        self.count_subscription(&operation)?;
        self.outgoing
            .send(Outgoing::Call {
                id,
                operation: Box::new(operation),
            })
            .map_err(|_| "the session has ended".to_owned())
    }

    fn count_subscription(&self, operation: &Operation) -> Result<(), String> {
        let count = self.subscriptions.get();
        match operation {
            Operation::Subscribe { .. } | Operation::Route { .. } => {
                if count >= self.limits.subscriptions {
                    return Err(Limit::Subscriptions(self.limits.subscriptions).to_string());
                }
                self.subscriptions.set(count + 1);
            }
            Operation::Unsubscribe { .. } | Operation::Unroute { .. } => {
                self.subscriptions.set(count.saturating_sub(1));
            }
            _ => {}
        }
        Ok(())
    }

    /// A promise's call was answered.
    pub(super) fn answered(&self) {
        self.pending.set(self.pending.get().saturating_sub(1));
    }

    /// Does a call while the script stands still.
    pub(super) fn ask(&self, operation: Operation) -> Result<Value, ScriptFault> {
        let id = self.next_held.get();
        self.next_held.set(id + 1);
        self.send(id, operation).map_err(ScriptFault::error)?;
        loop {
            if self.must_stop() {
                return Err(ScriptFault::error("the script is over"));
            }
            match self.receive(self.deadline()) {
                Ok(Incoming::Reply { call, result }) if call == id => return result,
                Ok(Incoming::Stop) | Err(Woken::Gone) => {
                    self.life.cancel();
                    return Err(ScriptFault::error("the session has ended"));
                }
                Ok(other) => self.backlog.borrow_mut().push_back(other),
                Err(Woken::Due) => {}
            }
        }
    }

    /// Drops the calls that are under way.
    pub(super) fn abandon_calls(&self) {
        // Without a pump there are no calls.
        let _ = self.outgoing.send(Outgoing::Abandon);
    }

    pub(super) fn set_timer(&self, id: u32, milliseconds: f64) -> Result<(), String> {
        let mut timers = self.timers.borrow_mut();
        if timers.known.len() >= self.limits.timers {
            return Err(Limit::Timers(self.limits.timers).to_string());
        }
        // NaN counts as 0, and so do negative times.
        let milliseconds = match milliseconds.is_nan() {
            true => 0.0,
            false => milliseconds.clamp(0.0, MAX_DELAY),
        };
        let delay = Duration::from_secs_f64(milliseconds / 1000.0);
        timers.sequence += 1;
        let key = (Instant::now() + delay, timers.sequence);
        timers.due.insert(key, id);
        timers.known.insert(id, key);
        Ok(())
    }

    pub(super) fn clear_timer(&self, id: u32) {
        let mut timers = self.timers.borrow_mut();
        if let Some(key) = timers.known.remove(&id) {
            timers.due.remove(&key);
        }
    }

    /// Takes a timer whose time has come.
    pub(super) fn due_timer(&self) -> Option<u32> {
        let mut timers = self.timers.borrow_mut();
        let entry = timers.due.first_entry()?;
        if entry.key().0 > Instant::now() {
            return None;
        }
        let id = entry.remove();
        timers.known.remove(&id);
        Some(id)
    }

    pub(super) fn next_timer(&self) -> Option<Instant> {
        let timers = self.timers.borrow();
        timers.due.first_key_value().map(|((at, _), _)| *at)
    }

    /// Whether anything can still happen by itself.
    pub(super) fn is_alive(&self) -> bool {
        self.subscriptions.get() > 0
            || self.pending.get() > 0
            || !self.timers.borrow().known.is_empty()
            || !self.backlog.borrow().is_empty()
    }
}
