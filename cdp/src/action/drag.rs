//! Dragging one element onto another, both the HTML kind and the kind made of pointer events.

use serde_json::{Value, json};

use super::pointer::{Guard, Need, ready};
use super::retry::{Attempt, with_retries};
use super::{ActionError, Manner};
use crate::connection::Deadline;
use crate::input::mouse::Button;
use crate::page::{Element, Page, STEP, Target};

/// Presses on `source`, moves onto `target`, lets go.
///
/// HTML drag and drop runs in the browser's own loop, not in the page's events, so it is intercepted
/// (`Input.setInterceptDrags`) and played on to the target; a page that moves things by pointer
/// events gets just those.
///
/// # Errors
/// See [`ActionError`].
pub async fn drag(
    page: &Page,
    source: &Target,
    target: &Target,
    manner: Manner<'_>,
) -> Result<(), ActionError> {
    page.command(
        "Input.setInterceptDrags",
        &json!({ "enabled": true }),
        Deadline::after(STEP),
    )
    .await?;
    page.change(|state| state.drag = None);
    let outcome = drag_intercepted(page, source, target, manner).await;
    page.connection().post(
        Some(page.session()),
        "Input.setInterceptDrags",
        &json!({ "enabled": false }),
    );
    outcome
}

async fn drag_intercepted(
    page: &Page,
    source: &Target,
    target: &Target,
    manner: Manner<'_>,
) -> Result<(), ActionError> {
    let need = Need {
        name: "drag",
        states: &["visible", "stable"],
        guard: Guard::None,
        watch: false,
        releases: 0,
    };
    let from = with_retries(
        page,
        source,
        "move and down",
        manner,
        |element, number, mut log| async move {
            let outcome = async {
                let point = match ready(page, &element, need, number, manner, &mut log).await? {
                    Attempt::Done(point) => point,
                    Attempt::NotNow(reason) => return Ok(Attempt::NotNow(reason)),
                };
                watch_drag(page, &element).await?;
                page.unless_modal(async {
                    page.move_to(point.x, point.y).await?;
                    page.mouse_down(Button::Left).await
                })
                .await
                .transpose()?;
                Ok(Attempt::Done(element))
            };
            let outcome = outcome.await;
            (log, outcome)
        },
    )
    .await?;
    let landed = with_retries(
        page,
        target,
        "move and up",
        manner,
        |element, number, mut log| {
            let from = from.clone();
            async move {
                let outcome = async {
                    let point = match ready(page, &element, need, number, manner, &mut log).await? {
                        Attempt::Done(point) => point,
                        Attempt::NotNow(reason) => return Ok(Attempt::NotNow(reason)),
                    };
                    finish(page, &from, point.x, point.y).await?;
                    Ok(Attempt::Done(()))
                };
                let outcome = outcome.await;
                (log, outcome)
            }
        },
    )
    .await;
    if landed.is_err() {
        // Never leave a button pressed behind.
        let _ = page.mouse_up(Button::Left).await;
    }
    landed
}

/// Lets the source's document note whether an HTML drag begins.
async fn watch_drag(page: &Page, element: &Element) -> Result<(), ActionError> {
    let _: Option<Value> = element
        .agent(page, "watchDrag", vec![], Deadline::after(STEP))
        .await?;
    Ok(())
}

async fn finish(page: &Page, from: &Element, x: f64, y: f64) -> Result<(), ActionError> {
    let moved = page.unless_modal(async {
        // The first step takes the press over the distance that makes it a drag; pages that follow
        // the pointer get at least two moves on the target.
        page.nudge().await?;
        page.move_to(x, y).await?;
        page.move_to(x, y).await
    });
    if moved.await.transpose()?.is_none() {
        return Ok(());
    }
    let began = page
        .agent::<Option<bool>>(from.frame(), "dragBegan", &[], Deadline::after(STEP))
        .await;
    if began.ok().flatten() != Some(true) {
        return Ok(page
            .unless_modal(page.mouse_up(Button::Left))
            .await
            .transpose()
            .map(drop)?);
    }
    let data = page
        .until(Deadline::ms(2_000), |state| state.drag.clone())
        .await?;
    let play = async {
        for kind in ["dragEnter", "dragOver", "drop"] {
            let params = json!({ "type": kind, "x": x, "y": y, "data": data, "modifiers": 0 });
            page.command("Input.dispatchDragEvent", &params, Deadline::after(STEP))
                .await?;
        }
        page.mouse_up(Button::Left).await
    };
    page.change(|state| state.drag = None);
    Ok(page.unless_modal(play).await.transpose().map(drop)?)
}
