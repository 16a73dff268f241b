//! Promises that were rejected while nobody listened.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Persistent, Runtime, Value};

/// More than these are not told apart: the first one decides.
const MAX_KEPT: usize = 50;

/// Collects rejections until the end of a turn, when a late handler may still have taken them up.
#[derive(Clone, Default)]
pub(super) struct Rejections(Rc<RefCell<Vec<Kept>>>);

struct Kept {
    promise: Persistent<Value<'static>>,
    reason: Persistent<Value<'static>>,
}

impl Rejections {
    /// Begins to collect.
    pub(super) fn watch(&self, runtime: &Runtime) {
        let kept = self.0.clone();
        runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |ctx: Ctx<'_>, promise: Value<'_>, reason: Value<'_>, is_handled: bool| {
                let mut kept = kept.borrow_mut();
                if is_handled {
                    kept.retain(|one| {
                        one.promise
                            .clone()
                            .restore(&ctx)
                            .is_ok_and(|other| other != promise)
                    });
                } else if kept.len() < MAX_KEPT {
                    kept.push(Kept {
                        promise: Persistent::save(&ctx, promise),
                        reason: Persistent::save(&ctx, reason),
                    });
                }
            },
        )));
    }

    /// Takes the reason of the oldest rejection and forgets the others.
    pub(super) fn take<'js>(&self, ctx: &Ctx<'js>) -> Option<Value<'js>> {
        let kept = std::mem::take(&mut *self.0.borrow_mut());
        let first = kept.into_iter().next()?;
        first.reason.restore(ctx).ok()
    }

    /// Lets go of everything; the values must not outlive the runtime.
    pub(super) fn clear(&self) {
        let kept = std::mem::take(&mut *self.0.borrow_mut());
        drop(kept);
    }
}
