//! Clicking and hovering.

use serde::Deserialize;
use serde_json::json;

use super::retry::{Attempt, DETACHED, state_words, with_retries};
use super::{ActionError, CallLog, Manner, Rested};
use crate::connection::{CdpError, Deadline};
use crate::input::keyboard::Modifiers;
use crate::input::mouse::Click;
use crate::page::{Argument, EarlyLook, Element, Page, STEP, ScriptError, Target};

/// What the agent says about an element.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Prepared {
    pub(super) error: Option<String>,
    #[serde(default)]
    pub(super) x: f64,
    #[serde(default)]
    pub(super) y: f64,
}

/// What an attempt needs of an element before it acts.
#[derive(Clone, Copy)]
pub(super) struct Need<'a> {
    /// For the log: `click`, `hover` …
    pub(super) name: &'a str,
    /// States, in the order in which they are named.
    pub(super) states: &'a [&'a str],
    /// Whether the next pointer event is to be checked; moves count too.
    pub(super) guard: Guard,
    /// Whether to notice changes from here on.
    pub(super) watch: bool,
    /// How often the button will be released, for whoever waits for the end of that.
    pub(super) releases: u32,
}

/// What the guard checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    None,
    Moves,
    Presses,
}

/// A point in the viewport of the main frame, in CSS pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// What became of a click.
#[derive(Debug, Default)]
pub struct Clicked {
    /// How the page came to rest. `None` if nobody asked, its document went away, or a dialog opened.
    pub rested: Option<Rested>,
    /// The page at rest, if it was looked at in time.
    pub early: Option<EarlyLook>,
}

/// Clicks an element.
///
/// # Errors
/// See [`ActionError`]; the click was then not made.
pub async fn click(
    page: &Page,
    target: &Target,
    click: Click,
    modifiers: Modifiers,
    manner: Manner<'_>,
) -> Result<Clicked, ActionError> {
    let need = Need {
        name: "click",
        states: &["visible", "enabled", "stable"],
        guard: Guard::Presses,
        watch: manner.rest.is_some(),
        releases: if manner.rest.is_some() {
            click.count
        } else {
            0
        },
    };
    with_retries(
        page,
        target,
        need.name,
        manner,
        |element, number, mut log| async move {
            let outcome = async {
                let point = match ready(page, &element, need, number, manner, &mut log).await? {
                    Attempt::Done(point) => point,
                    Attempt::NotNow(reason) => return Ok(Attempt::NotNow(reason)),
                };
                let press = page.click_at(point.x, point.y, click, modifiers);
                let Some(rule) = manner.rest else {
                    if page.unless_modal(press).await.transpose()?.is_none() {
                        return Ok(Attempt::Done(Clicked::default()));
                    }
                    return Ok(arrived(page, &element, manner, &mut log)
                        .await?
                        .map(|_| Clicked::default()));
                };
                let press_and_look = async {
                    press.await?;
                    Ok::<_, CdpError>(EarlyLook::begin(page, element.frame()))
                };
                // The wait for rest is sent along with the events; it begins when they have come.
                let rest = page.rest(element.frame(), rule);
                let both = futures_util::future::join(press_and_look, rest);
                match page.unless_modal(both).await {
                    None => Ok(Attempt::Done(Clicked::default())),
                    Some((pressed, rested)) => {
                        let look = pressed?;
                        let judged = judge(page, &element, rested, &mut log).await?;
                        let Attempt::Done(rested) = judged else {
                            return Ok(judged.map(|_| Clicked::default()));
                        };
                        let early = match (&rested, look) {
                            (Some(rested), Some(look)) => look.confirmed_by(rested).await,
                            _ => None,
                        };
                        Ok(Attempt::Done(Clicked { rested, early }))
                    }
                }
            };
            let outcome = outcome.await;
            (log, outcome)
        },
    )
    .await
}

/// Moves the pointer onto an element.
///
/// # Errors
/// See [`ActionError`].
pub async fn hover(
    page: &Page,
    target: &Target,
    manner: Manner<'_>,
) -> Result<Option<Rested>, ActionError> {
    let need = Need {
        name: "hover",
        states: &["visible", "stable"],
        guard: Guard::Moves,
        watch: manner.rest.is_some(),
        releases: 0,
    };
    with_retries(
        page,
        target,
        need.name,
        manner,
        |element, number, mut log| async move {
            let outcome = async {
                let point = match ready(page, &element, need, number, manner, &mut log).await? {
                    Attempt::Done(point) => point,
                    Attempt::NotNow(reason) => return Ok(Attempt::NotNow(reason)),
                };
                if page
                    .unless_modal(page.move_to(point.x, point.y))
                    .await
                    .transpose()?
                    .is_none()
                {
                    return Ok(Attempt::Done(None));
                }
                arrived(page, &element, manner, &mut log).await
            };
            let outcome = outcome.await;
            (log, outcome)
        },
    )
    .await
}

/// After the events: did they reach the element? In the same trip, waits for the page to rest.
async fn arrived(
    page: &Page,
    element: &Element,
    manner: Manner<'_>,
    log: &mut CallLog,
) -> Result<Attempt<Option<Rested>>, ActionError> {
    let verdict = match manner.rest {
        Some(rule) => {
            let rested = page.rest(element.frame(), rule).await;
            return judge(page, element, rested, log).await;
        }
        None => {
            let asked = page.agent::<Option<String>>(
                element.frame(),
                "verdict",
                &[],
                Deadline::after(STEP),
            );
            // A document that is gone, or busy with a dialog, has taken the event.
            page.unless_modal(asked)
                .await
                .and_then(Result::ok)
                .flatten()
        }
    };
    judge(
        page,
        element,
        Some(Rested {
            verdict,
            stirred: false,
            changes: 0,
        }),
        log,
    )
    .await
    .map(|attempt| match attempt {
        Attempt::Done(_) => Attempt::Done(None),
        not_now => not_now,
    })
}

/// Whether the events met the element; `None` means that its document went away under them.
async fn judge(
    page: &Page,
    element: &Element,
    rested: Option<Rested>,
    log: &mut CallLog,
) -> Result<Attempt<Option<Rested>>, ActionError> {
    if rested
        .as_ref()
        .is_some_and(|rested| rested.verdict.as_deref() == Some("missed"))
    {
        let reason = intercepted(page, element).await;
        log.detail(&reason);
        return Ok(Attempt::NotNow(reason));
    }
    Ok(Attempt::Done(rested))
}

/// Waits for nothing, but checks everything: is the element in the states it needs to be in, is it
/// in view (it is scrolled there if not), and does its point take pointer events?
pub(super) async fn ready(
    page: &Page,
    element: &Element,
    need: Need<'_>,
    number: usize,
    manner: Manner<'_>,
    log: &mut CallLog,
) -> Result<Attempt<Point>, ActionError> {
    let deadline = manner.deadline;
    let words = state_words(need.states);
    log.detail(format!("waiting for element to be {words}"));
    if number > 0 && !(number).is_multiple_of(4) {
        // Something may stick to an edge: other attempts bring the element to other places.
        let place = json!(number - 1);
        let _: Option<serde_json::Value> = element
            .agent(page, "scroll", vec![Argument::Value(place)], deadline)
            .await?;
    }
    let mut scrolled = false;
    loop {
        if let Some(glance) = manner.glance {
            // Sent once this task waits for the check, and thus behind it.
            glance.begin(page, element.frame(), deadline);
        }
        let prepared: Prepared = element
            .agent(page, "prepare", vec![prepare_arguments(need)], deadline)
            .await?;
        let error = match prepared.error.as_deref() {
            None => {
                let point = Point {
                    x: prepared.x,
                    y: prepared.y,
                };
                match lift(page, element, point, deadline).await? {
                    Lifted::Open(point) => {
                        if !scrolled {
                            note_ready(log, &words);
                        }
                        return Ok(Attempt::Done(point));
                    }
                    Lifted::Hidden => "visible",
                    Lifted::Outside if !scrolled => "outside",
                    Lifted::Outside => {
                        let reason = "element is outside of the viewport".to_owned();
                        log.detail(&reason);
                        return Ok(Attempt::NotNow(reason));
                    }
                    Lifted::Covered(reason) => {
                        if !scrolled {
                            note_ready(log, &words);
                        }
                        log.detail(&reason);
                        return Ok(Attempt::NotNow(reason));
                    }
                }
            }
            Some(error) => error,
        };
        let reason = match error {
            "outside" | "boxless" if !scrolled => {
                scrolled = true;
                note_ready(log, &words);
                scroll_into_view(page, element, deadline).await?;
                continue;
            }
            "outside" => "element is outside of the viewport".to_owned(),
            "boxless" => "element is not visible".to_owned(),
            "covered" => {
                if !scrolled {
                    note_ready(log, &words);
                }
                intercepted(page, element).await
            }
            "detached" => DETACHED.to_owned(),
            state => format!("element is not {state}"),
        };
        log.detail(&reason);
        return Ok(Attempt::NotNow(reason));
    }
}

fn note_ready(log: &mut CallLog, words: &str) {
    log.detail(format!("element is {words}"));
    log.detail("scrolling into view if needed");
    log.detail("done scrolling");
}

fn prepare_arguments(need: Need<'_>) -> Argument<'static> {
    Argument::Value(json!({
        "states": need.states,
        "behaviour": "none",
        "point": if need.guard == Guard::None { "look" } else { "guard" },
        "hover": need.guard == Guard::Moves,
        "watch": need.watch,
        "releases": need.releases,
    }))
}

async fn scroll_into_view(
    page: &Page,
    element: &Element,
    deadline: Deadline,
) -> Result<(), ActionError> {
    let params = json!({ "backendNodeId": element.backend_node_id() });
    let done = page
        .connection()
        .call_raw(
            Some(element.session()),
            "DOM.scrollIntoViewIfNeeded",
            &params,
            deadline,
        )
        .await;
    match done {
        Ok(_) => Ok(()),
        // No box to scroll to; the next look at the element says so.
        Err(CdpError::Protocol { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn intercepted(page: &Page, element: &Element) -> String {
    let deadline = Deadline::after(STEP);
    let obstacle = page
        .obstacle(element.frame(), deadline)
        .await
        .ok()
        .flatten();
    let preview = match obstacle {
        Some(node) => page.preview(element.frame(), node).await,
        None => None,
    };
    match preview {
        Some(preview) => format!("{preview} intercepts pointer events"),
        None => "another element intercepts pointer events".to_owned(),
    }
}

/// A point of a frame, seen from the main frame.
enum Lifted {
    Open(Point),
    Hidden,
    Outside,
    Covered(String),
}

#[derive(Deserialize)]
struct Offset {
    x: f64,
    y: f64,
    open: bool,
    visible: bool,
}

/// Carries a point up through the frames around it, and checks on each level that the frame is what
/// the pointer would meet there.
async fn lift(
    page: &Page,
    element: &Element,
    mut point: Point,
    deadline: Deadline,
) -> Result<Lifted, ActionError> {
    let mut frame = element.frame().clone();
    loop {
        let Some(parent) = page.parent_frame(&frame) else {
            return Ok(Lifted::Open(point));
        };
        let Some(owner) = page.frame_element(&frame, deadline).await? else {
            return Err(CdpError::TargetClosed.into());
        };
        let arguments = vec![
            Argument::Value(json!(point.x)),
            Argument::Value(json!(point.y)),
        ];
        let offset: Offset = owner
            .agent(page, "frameOffset", arguments, deadline)
            .await
            .map_err(keep_cdp)?;
        if !offset.visible {
            return Ok(Lifted::Hidden);
        }
        if !offset.open {
            return Ok(
                match page.obstacle(&parent, deadline).await.ok().flatten() {
                    Some(_) => Lifted::Covered(intercepted(page, &owner).await),
                    None => Lifted::Outside,
                },
            );
        }
        point = Point {
            x: offset.x,
            y: offset.y,
        };
        frame = parent;
    }
}

fn keep_cdp(error: ScriptError) -> ActionError {
    error.into()
}

/// Waits until an element is visible and does not move, and scrolls it into view.
///
/// # Errors
/// See [`ActionError`].
pub async fn wait_visible(
    page: &Page,
    target: &Target,
    deadline: Deadline,
) -> Result<Element, ActionError> {
    let manner = Manner {
        deadline,
        early_refusal: false,
        rest: None,
        glance: None,
    };
    with_retries(page, target, "screenshot", manner, |element, _, mut log| async move {
        let outcome = async {
            log.detail("waiting for element to be visible and stable");
            let look = json!({ "states": ["visible", "stable"], "behaviour": "none", "point": "", "watch": false });
            let prepared: Prepared =
                element.agent(page, "prepare", vec![Argument::Value(look)], deadline).await?;
            match prepared.error {
                None => Ok(Attempt::Done(element)),
                Some(state) => {
                    let reason = format!("element is not {state}");
                    log.detail(&reason);
                    Ok(Attempt::NotNow(reason))
                }
            }
        };
        let outcome = outcome.await;
        (log, outcome)
    })
    .await
}
