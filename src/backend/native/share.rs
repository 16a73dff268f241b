//! One browser for several clients: who is in it, and who turns off the light.

use std::collections::HashMap;
use std::future::Future;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, Weak};

use playguard_cdp::browser::ContextId;
use tokio::sync::{Mutex, MutexGuard, OnceCell};

use super::host::Host;
use super::idle::Idle;

/// A browser with all who use it.
pub(super) struct House {
    host: Host,
    guests: AtomicUsize,
    /// Calls of all guests: the browser is idle when nobody has one.
    idle: Idle,
    /// The context of all guests, where they share one that is not the browser's own.
    common: OnceCell<ContextId>,
    saved: Arc<Saved>,
}

impl House {
    fn new(host: Host) -> Self {
        Self {
            host,
            guests: AtomicUsize::new(0),
            idle: Idle::default(),
            common: OnceCell::new(),
            saved: Arc::default(),
        }
    }

    /// The context that guests share, made by the first one.
    pub(super) fn common(&self) -> &OnceCell<ContextId> {
        &self.common
    }

    /// The downloads of all guests.
    pub(super) fn saved(&self) -> &Arc<Saved> {
        &self.saved
    }
}

/// Where downloads were put, or why not, by guid. Guests of one context all see its downloads, and
/// each file can be moved once.
#[derive(Default)]
pub(super) struct Saved(std::sync::Mutex<HashMap<String, Arc<OnceCell<Outcome>>>>);

type Outcome = Result<PathBuf, String>;

impl Saved {
    /// Does it, unless somebody else has or does; then waits for that.
    pub(super) async fn once<F>(&self, guid: &str, save: impl FnOnce() -> F) -> Outcome
    where
        F: Future<Output = std::io::Result<PathBuf>>,
    {
        let cell = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(guid.to_owned()).or_default().clone()
        };
        let saving = || async { save().await.map_err(|error| error.to_string()) };
        cell.get_or_init(saving).await.clone()
    }
}

/// Where clients find a browser that others have started.
#[derive(Clone, Default)]
pub(super) struct Pool {
    /// Locked while a browser starts or ends, so that nobody moves in meanwhile, and two who come at
    /// once start one. Weak: guests own the house, and what they let go of ends.
    open: Arc<Mutex<Weak<House>>>,
}

impl Pool {
    /// Waits for whoever starts or ends a browser.
    pub(super) async fn enter(&self) -> Door<'_> {
        Door {
            open: self.open.lock().await,
            pool: self.clone(),
        }
    }
}

/// The right to move in.
pub(super) struct Door<'a> {
    open: MutexGuard<'a, Weak<House>>,
    pool: Pool,
}

impl Door<'_> {
    /// A seat in the browser that runs, if one does.
    pub(super) fn join(&self) -> Option<Seat> {
        let house = self.open.upgrade()?;
        let runs = house.guests.load(Ordering::Acquire) > 0 && house.host.browser().is_connected();
        runs.then(|| Seat::new(house, Some(self.pool.clone())))
    }

    /// The first seat in a new browser, which others may join.
    pub(super) fn found(mut self, host: Host) -> Seat {
        let house = Arc::new(House::new(host));
        *self.open = Arc::downgrade(&house);
        Seat::new(house, Some(self.pool.clone()))
    }
}

/// One client's place in a browser.
pub(super) struct Seat {
    house: Arc<House>,
    /// `None`: nobody else may come.
    pool: Option<Pool>,
    left: AtomicBool,
    first: bool,
}

impl Seat {
    fn new(house: Arc<House>, pool: Option<Pool>) -> Self {
        let first = house.guests.fetch_add(1, Ordering::AcqRel) == 0;
        Self {
            house,
            pool,
            left: AtomicBool::new(false),
            first,
        }
    }

    /// The only seat in a browser.
    pub(super) fn alone(host: Host) -> Self {
        Self::new(Arc::new(House::new(host)), None)
    }

    /// Whether the browser was started for this client.
    pub(super) fn is_first(&self) -> bool {
        self.first
    }

    pub(super) fn house(&self) -> &House {
        &self.house
    }

    pub(super) fn idle(&self) -> &Idle {
        &self.house.idle
    }

    /// Ends the browser if nobody else is in it, else the client's own context only.
    pub(super) async fn leave(&self, context: Option<&ContextId>) {
        let open = match &self.pool {
            Some(pool) => Some(pool.open.lock().await),
            None => None,
        };
        if self.give_up() {
            // Nobody can join while this is locked, nor afterwards: no guests.
            self.house.host.close(context).await;
            return;
        }
        drop(open);
        let own = context.filter(|context| self.house.common.get() != Some(*context));
        self.house.host.leave(own).await;
    }

    /// Returns whether this was the last guest.
    fn give_up(&self) -> bool {
        !self.left.swap(true, Ordering::AcqRel)
            && self.house.guests.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

impl Deref for Seat {
    type Target = Host;

    fn deref(&self) -> &Host {
        &self.house.host
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // Whoever is let go of without a farewell is gone, too. With the last seat goes the house,
        // and a browser that is dropped ends.
        self.give_up();
    }
}
