//! The loop around every action on an element: find it, try, and try again while there is time.

use std::future::Future;
use std::time::{Duration, Instant};

use super::{ActionError, CallLog, Manner};
use crate::connection::{CdpError, Deadline};
use crate::page::{Element, Page, Target};

/// Pauses between attempts, in milliseconds; the last one repeats.
const PAUSES: [u64; 5] = [0, 20, 100, 100, 500];

/// With [`Manner::early_refusal`]: how long the same obstacle is looked at before giving up.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// The reason given when the element is no longer in its document.
pub(super) const DETACHED: &str = "element was detached from the DOM, retrying";

/// The outcome of one attempt.
pub(super) enum Attempt<T> {
    /// Done.
    Done(T),
    /// Not possible now; the text says why and is the same as long as the reason is.
    NotNow(String),
}

impl<T> Attempt<T> {
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Self::Done(done) => Attempt::Done(change(done)),
            Self::NotNow(reason) => Attempt::NotNow(reason),
        }
    }
}

/// States in words, for the log.
pub(super) fn state_words(states: &[&str]) -> String {
    match states {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// Finds `target` and runs `attempt` on it until it is done or time is up.
///
/// `attempt` gets the element, the number of the attempt, and the log.
pub(super) async fn with_retries<T, F, Fut>(
    page: &Page,
    target: &Target,
    name: &str,
    manner: Manner<'_>,
    attempt: F,
) -> Result<T, ActionError>
where
    F: FnMut(Element, usize, CallLog) -> Fut,
    Fut: Future<Output = (CallLog, Result<Attempt<T>, ActionError>)>,
{
    with_noted_retries(page, target, name, None, manner, attempt).await
}

/// The same, with a line in the log that says what exactly is to be done.
pub(super) async fn with_noted_retries<T, F, Fut>(
    page: &Page,
    target: &Target,
    name: &str,
    note: Option<&str>,
    manner: Manner<'_>,
    mut attempt: F,
) -> Result<T, ActionError>
where
    F: FnMut(Element, usize, CallLog) -> Fut,
    Fut: Future<Output = (CallLog, Result<Attempt<T>, ActionError>)>,
{
    let deadline = manner.deadline;
    let mut log = CallLog::default();
    log.step(format!("waiting for {}", target.locator()));
    let mut same: Option<(String, Instant)> = None;
    let mut number = 0;
    loop {
        if number > 0 {
            log.step(format!("retrying {name} action"));
            let pause = PAUSES[(number - 1).min(PAUSES.len() - 1)];
            if pause > 0 {
                log.detail(format!("waiting {pause}ms"));
                tokio::time::sleep(Duration::from_millis(pause).min(deadline.left())).await;
            }
        }
        if deadline.passed() {
            return Err(give_up(page, target, deadline, log).await);
        }
        settle_navigation(page, deadline).await?;
        let outcome = match page.find_one(target, deadline).await {
            Ok(Some(element)) => {
                if number == 0 {
                    if let Some(note) = note {
                        log.detail(note);
                    }
                    log.step(format!("attempting {name} action"));
                }
                page.change(|state| state.touched = Some(element.clone()));
                let (after, outcome) = attempt(element, number, std::mem::take(&mut log)).await;
                log = after;
                outcome
            }
            // What is not there at first, or was a ref's element and is gone, is not waited for.
            Ok(None) if number == 0 || target.is_ref() => {
                return Err(ActionError::NoElement(target.absent()));
            }
            Ok(None) => Ok(Attempt::NotNow("no element matches".into())),
            Err(ActionError::Ambiguous(text)) => {
                return Err(ActionError::refused(format!("Error: {text}"), &log));
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(Attempt::Done(done)) => return Ok(done),
            Ok(Attempt::NotNow(reason)) if reason == DETACHED && target.is_ref() => {
                return Err(ActionError::NoElement(target.absent()));
            }
            Ok(Attempt::NotNow(reason)) => {
                let since = match &same {
                    Some((before, since)) if *before == reason => *since,
                    _ => Instant::now(),
                };
                if manner.early_refusal && since.elapsed() >= PATIENCE {
                    log.step("gave up early: nothing changed in the way of the element");
                    return Err(refuse(page, target, &reason, log).await);
                }
                same = Some((reason, since));
            }
            Err(ActionError::Cdp(CdpError::Timeout { .. })) if deadline.passed() => {
                return Err(give_up(page, target, deadline, log).await);
            }
            Err(error) => return Err(error),
        }
        number += 1;
    }
}

async fn settle_navigation(page: &Page, deadline: Deadline) -> Result<(), ActionError> {
    let quiet = page.until(deadline, |state| {
        state
            .frames
            .main()
            .is_none_or(|main| !main.navigating || state.dialog().is_some())
            .then_some(())
    });
    match quiet.await {
        Ok(()) | Err(CdpError::Timeout { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The time-out error, with the element's look added to the log.
async fn give_up(page: &Page, target: &Target, deadline: Deadline, log: CallLog) -> ActionError {
    ActionError::Timeout {
        budget: deadline.budget(),
        log: described(page, target, log).await,
    }
}

async fn refuse(page: &Page, target: &Target, reason: &str, log: CallLog) -> ActionError {
    ActionError::Refused {
        message: reason.to_owned(),
        log: described(page, target, log).await,
    }
}

async fn described(page: &Page, target: &Target, mut log: CallLog) -> CallLog {
    if let Some(preview) = page.preview_of(target).await {
        log.resolved_to(&preview);
    }
    log
}
