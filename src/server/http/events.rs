//! What a client is sent over HTTP, kept until it has it and a while longer.
//!
//! Connections come and go, a session stays. Each answering stream (of a POST) and the one listening
//! stream (of a GET) is a *track* of numbered events here; a [`Reader`] is a connection that a track
//! is read over at the moment. Without one, events wait. What waits on the track of a POST whose
//! connection broke goes to whoever listens, or to whoever names that track by `Last-Event-ID`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use tokio::sync::watch;

use super::super::outbox::Outlet;

/// The track of the listening stream.
const LISTENING: u64 = 0;

/// How long an event is kept after it was handed to a connection: the connection may break with the
/// event in it, and the client return for it.
const KEEP: Duration = Duration::from_secs(300);
/// Bytes of such events, for one client.
const KEPT_BYTES: usize = 1 << 20;
/// Bytes of such events for all clients together, beyond [`KEPT_LEAST`] for each.
const KEPT_BYTES_OF_ALL: usize = 8 << 20;
/// Bytes of such events that a client is left with, however many others there are.
const KEPT_LEAST: usize = 64 << 10;
/// Bytes of events that wait for a connection.
const WAITING_BYTES: usize = 8 << 20;
/// Events of either kind.
const EVENTS: usize = 512;

/// How streams behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamRules {
    /// Number the events, keep them, and let a second listening stream take over from the first.
    /// Otherwise a second one is refused, and what a broken connection should have carried is lost.
    pub(super) resumable: bool,
    /// Our own requests take the stream of a call when nobody listens; clients that only ever POST
    /// would not get them otherwise.
    pub(super) any_stream: bool,
}

/// Bytes that all clients together have kept.
#[derive(Debug, Default)]
pub(super) struct Budget(AtomicUsize);

/// All tracks of one client.
pub(super) struct Hub {
    rules: StreamRules,
    budget: Arc<Budget>,
    state: Mutex<State>,
    /// The reader that listens.
    listener: watch::Sender<Option<u64>>,
}

#[derive(Default)]
struct State {
    tracks: BTreeMap<u64, Track>,
    next_track: u64,
    next_reader: u64,
    /// What of the budget is ours.
    kept: usize,
    closed: bool,
}

struct Track {
    events: VecDeque<Event>,
    /// Number of the next event; the first one is 1.
    next: u64,
    /// Events with lower numbers have been handed to a connection.
    given: u64,
    /// Nothing more will come.
    done: bool,
    reader: Option<u64>,
    waker: Option<Waker>,
}

struct Event {
    number: u64,
    payload: Bytes,
    at: Instant,
}

/// Somebody listens already.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taken;

impl Default for Track {
    fn default() -> Self {
        Self {
            events: VecDeque::new(),
            next: 1,
            given: 1,
            done: false,
            reader: None,
            waker: None,
        }
    }
}

impl Track {
    fn push(&mut self, payload: Bytes, at: Instant) {
        self.events.push_back(Event {
            number: self.next,
            payload,
            at,
        });
        self.next += 1;
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Bytes of events that were given, and of those that wait.
    fn bytes(&self) -> (usize, usize) {
        self.events.iter().fold((0, 0), |(kept, waiting), event| {
            if event.number < self.given {
                (kept + event.payload.len(), waiting)
            } else {
                (kept, waiting + event.payload.len())
            }
        })
    }

    /// When the oldest event came, if it was given (or was not, as asked).
    fn oldest(&self, given: bool) -> Option<Instant> {
        // Given events come before the others.
        let event = if given {
            self.events.front()
        } else {
            self.events.iter().find(|event| event.number >= self.given)
        };
        event
            .filter(|event| (event.number < self.given) == given)
            .map(|event| event.at)
    }

    fn drop_oldest(&mut self, given: bool) {
        let place = if given {
            Some(0)
        } else {
            self.events
                .iter()
                .position(|event| event.number >= self.given)
        };
        if let Some(place) = place {
            self.events.remove(place);
        }
    }
}

impl State {
    fn track(&mut self, id: u64) -> &mut Track {
        self.tracks.entry(id).or_default()
    }

    fn totals(&self) -> (usize, usize, usize) {
        self.tracks.values().fold((0, 0, 0), |sum, track| {
            let (kept, waiting) = track.bytes();
            (sum.0 + kept, sum.1 + waiting, sum.2 + track.events.len())
        })
    }

    /// Drops the oldest event that was given, or that waits; false when there is none.
    fn drop_oldest(&mut self, given: bool) -> bool {
        let oldest = self
            .tracks
            .values_mut()
            .filter_map(|track| Some((track.oldest(given)?, track)))
            .min_by_key(|(at, _)| *at);
        match oldest {
            Some((_, track)) => {
                track.drop_oldest(given);
                true
            }
            None => false,
        }
    }

    /// Gives the listening track what waits on tracks that nobody reads.
    fn adopt(&mut self) {
        let mut adopted = Vec::new();
        for (id, track) in &mut self.tracks {
            if *id != LISTENING && track.reader.is_none() && track.given < track.next {
                let waiting = track.events.iter().filter(|e| e.number >= track.given);
                adopted.extend(waiting.map(|event| (event.at, event.payload.clone())));
                track.given = track.next;
            }
        }
        adopted.sort_by_key(|(at, _)| *at);
        let listening = self.track(LISTENING);
        for (at, payload) in adopted {
            listening.push(payload, at);
        }
    }
}

impl Hub {
    pub(super) fn new(rules: StreamRules, budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self {
            rules,
            budget,
            state: Mutex::new(State {
                next_track: LISTENING + 1,
                next_reader: 1,
                ..State::default()
            }),
            listener: watch::Sender::new(None),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each step leaves the tracks sound.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream for the answers to one POST: where they go in, and the connection. The stream ends
    /// once the way in is let go of.
    pub(super) fn answering(self: &Arc<Self>) -> (Arc<dyn Outlet>, Reader) {
        let track = {
            let mut state = self.state();
            let track = state.next_track;
            state.next_track += 1;
            state.track(track);
            track
        };
        let way_in = Arc::new(Answers {
            hub: self.clone(),
            track,
        });
        (way_in, self.read(track, 1))
    }

    /// Listens. `last` is the `Last-Event-ID` of the client; one that means nothing, or something
    /// that is not kept any more, is as good as none.
    ///
    /// # Errors
    /// [`Taken`], where a second stream does not take over.
    pub(super) fn listen(self: &Arc<Self>, last: Option<&str>) -> Result<Reader, Taken> {
        let (track, from) = {
            let mut state = self.state();
            let last = last.filter(|_| self.rules.resumable).and_then(position);
            let known = last.filter(|(track, number)| {
                let track = state.tracks.get(track);
                track.is_some_and(|track| *number < track.next)
            });
            let (track, from) = match known {
                Some((track, number)) => (track, number + 1),
                None => (LISTENING, state.track(LISTENING).given),
            };
            if !self.rules.resumable && state.track(track).reader.is_some() {
                return Err(Taken);
            }
            (track, from)
        };
        Ok(self.read(track, from))
    }

    fn read(self: &Arc<Self>, track: u64, from: u64) -> Reader {
        let id = {
            let mut state = self.state();
            let id = state.next_reader;
            state.next_reader += 1;
            let read = state.track(track);
            read.reader = Some(id);
            // The one before finds itself replaced.
            read.wake();
            id
        };
        if track == LISTENING {
            self.listener.send_replace(Some(id));
        }
        Reader {
            hub: self.clone(),
            track,
            id,
            next: from,
            preface: None,
        }
    }

    /// Sends a message of ours that answers nothing.
    pub(super) fn send(&self, message: Vec<u8>) {
        let track = {
            let state = self.state();
            let heard = |track: &Track| track.reader.is_some() && !track.done;
            let listens = state.tracks.get(&LISTENING).is_some_and(heard);
            let other = state.tracks.iter().rev().find(|(_, track)| heard(track));
            match other {
                Some((id, _)) if !listens && self.rules.any_stream => *id,
                _ => LISTENING,
            }
        };
        self.push(track, message);
    }

    fn push(&self, track: u64, message: Vec<u8>) {
        {
            let mut state = self.state();
            if state.closed {
                return;
            }
            state.track(track).push(payload(message), Instant::now());
            if track != LISTENING && state.track(track).reader.is_none() {
                // Whoever listens gets it.
                state.track(LISTENING).wake();
            }
        }
        self.trim(Instant::now());
    }

    /// Lets go of what has been kept for long enough.
    pub(super) fn trim(&self, now: Instant) {
        let mut state = self.state();
        let keep = if self.rules.resumable {
            KEEP
        } else {
            Duration::ZERO
        };
        for track in state.tracks.values_mut() {
            while track
                .oldest(true)
                .is_some_and(|at| now.saturating_duration_since(at) >= keep)
            {
                track.drop_oldest(true);
            }
        }
        if !self.rules.resumable {
            // Nobody can come for what was on a connection that broke.
            for (id, track) in &mut state.tracks {
                if *id != LISTENING && track.reader.is_none() {
                    track.events.clear();
                }
            }
        }
        let (mut kept, mut waiting, mut events) = state.totals();
        let others = self
            .budget
            .0
            .load(Ordering::Relaxed)
            .saturating_sub(state.kept);
        let share = KEPT_BYTES_OF_ALL.saturating_sub(others).max(KEPT_LEAST);
        while kept > share.min(KEPT_BYTES) && state.drop_oldest(true) {
            (kept, waiting, events) = state.totals();
        }
        while events > EVENTS && state.drop_oldest(true) {
            (kept, waiting, events) = state.totals();
        }
        while (waiting > WAITING_BYTES || events > EVENTS) && state.drop_oldest(false) {
            tracing::warn!("a message that no client came for is dropped");
            (kept, waiting, events) = state.totals();
        }
        state.tracks.retain(|id, track| {
            *id == LISTENING || !track.done || track.reader.is_some() || !track.events.is_empty()
        });
        self.account(&mut state, kept);
    }

    fn account(&self, state: &mut State, kept: usize) {
        self.budget.0.fetch_add(kept, Ordering::Relaxed);
        self.budget.0.fetch_sub(state.kept, Ordering::Relaxed);
        state.kept = kept;
    }

    /// Whether any connection is open.
    pub(super) fn is_read(&self) -> bool {
        let state = self.state();
        state.tracks.values().any(|track| track.reader.is_some())
    }

    /// The connection that listens.
    pub(super) fn listener(&self) -> Option<u64> {
        *self.listener.borrow()
    }

    /// Waits until somebody listens.
    pub(super) async fn listened(&self) {
        let mut listener = self.listener.subscribe();
        // The sender lives as long as this borrow does.
        let _ = listener.wait_for(Option::is_some).await;
    }

    /// Ends the listening connection; a client that is there opens another.
    pub(super) fn hang_up_listener(&self) {
        {
            let mut state = self.state();
            let track = state.track(LISTENING);
            track.reader = None;
            track.wake();
        }
        self.listener.send_replace(None);
    }

    /// Ends all connections and forgets everything.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        for track in state.tracks.values_mut() {
            track.wake();
        }
        self.account(&mut state, 0);
    }

    fn done(&self, track: u64) {
        let mut state = self.state();
        let track = state.track(track);
        track.done = true;
        track.wake();
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let kept = self.state().kept;
        self.budget.0.fetch_sub(kept, Ordering::Relaxed);
    }
}

/// The way in of an answering stream.
struct Answers {
    hub: Arc<Hub>,
    track: u64,
}

impl Outlet for Answers {
    fn send(&self, line: Vec<u8>) {
        self.hub.push(self.track, line);
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.hub.done(self.track);
    }
}

/// A connection that events leave by.
pub(super) struct Reader {
    hub: Arc<Hub>,
    track: u64,
    id: u64,
    /// Number of the next event.
    next: u64,
    /// What is said before any event.
    preface: Option<Bytes>,
}

impl Reader {
    /// The same, with `preface` before all else.
    pub(super) fn with_preface(mut self, preface: Bytes) -> Self {
        self.preface = Some(preface);
        self
    }

    /// The same, beginning with an event without data, whose id is where to go on from when not even
    /// one other event has come.
    pub(super) fn primed(self) -> Self {
        if !self.hub.rules.resumable {
            return self;
        }
        let preface = format!("id: {}-{}\ndata: \n\n", self.track, self.next - 1);
        self.with_preface(preface.into())
    }

    /// The next piece of the stream; `None` when it ends.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.hub.state();
        if state.closed {
            return Poll::Ready(None);
        }
        match state.tracks.get(&self.track) {
            Some(track) if track.reader == Some(self.id) => {}
            _ => return Poll::Ready(None),
        }
        if let Some(preface) = self.preface.take() {
            return Poll::Ready(Some(preface));
        }
        if self.track == LISTENING && self.hub.rules.resumable {
            state.adopt();
        }
        let track = state.track(self.track);
        let event = track.events.iter().find(|event| event.number >= self.next);
        if let Some(event) = event {
            self.next = event.number + 1;
            let id = (self.hub.rules.resumable).then_some((self.track, event.number));
            let frame = frame(id, &event.payload);
            track.given = track.given.max(self.next);
            return Poll::Ready(Some(frame));
        }
        if track.done {
            return Poll::Ready(None);
        }
        track.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let was_listening = {
            let mut state = self.hub.state();
            let Some(track) = state.tracks.get_mut(&self.track) else {
                return;
            };
            if track.reader != Some(self.id) {
                return;
            }
            track.reader = None;
            track.waker = None;
            // What waits here goes to whoever listens.
            state.track(LISTENING).wake();
            self.track == LISTENING
        };
        if was_listening {
            self.hub.listener.send_replace(None);
        }
        self.hub.trim(Instant::now());
    }
}

/// A message without its line end, which ends an event.
fn payload(mut message: Vec<u8>) -> Bytes {
    while message.last() == Some(&b'\n') {
        message.pop();
    }
    message.into()
}

/// An event as it stands in the stream. JSON on one line has no line ends of its own.
fn frame(id: Option<(u64, u64)>, payload: &[u8]) -> Bytes {
    let head = match id {
        Some((track, number)) => format!("event: message\nid: {track}-{number}\ndata: "),
        None => "event: message\ndata: ".to_owned(),
    };
    let mut frame = BytesMut::with_capacity(head.len() + payload.len() + 2);
    frame.extend_from_slice(head.as_bytes());
    frame.extend_from_slice(payload);
    frame.extend_from_slice(b"\n\n");
    frame.freeze()
}

/// Track and number of an event by its id.
fn position(id: &str) -> Option<(u64, u64)> {
    let (track, number) = id.trim().split_once('-')?;
    let number: u64 = number.parse().ok()?;
    Some((track.parse().ok()?, number.min(u64::MAX - 1)))
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
