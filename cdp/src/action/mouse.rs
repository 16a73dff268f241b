//! The bare mouse, at points of the viewport: nothing is looked for, scrolled to or checked. Drags of
//! the HTML kind work as with a hand: the browser leaves them to us while a button is down.

use serde_json::{Value, json};

use super::ActionError;
use crate::connection::{CdpError, Deadline};
use crate::input::mouse::{Button, Click};
use crate::page::{FrameId, Page, STEP};

/// How long the browser may take to hand over the data of a drag that has begun.
const DRAG_DATA_MS: u64 = 2_000;

/// Moves the pointer to a point, in CSS pixels of the viewport.
///
/// # Errors
/// The page is gone.
pub async fn move_to(page: &Page, x: f64, y: f64) -> Result<(), CdpError> {
    page.unless_modal(page.move_to(x, y))
        .await
        .unwrap_or(Ok(()))
}

/// Moves to a point and clicks there.
///
/// # Errors
/// The page is gone.
pub async fn click_at(page: &Page, x: f64, y: f64, click: Click) -> Result<(), CdpError> {
    let held = page.state().keyboard.modifiers();
    page.unless_modal(page.click_at(x, y, click, held))
        .await
        .unwrap_or(Ok(()))
}

/// Presses a button where the pointer is.
///
/// # Errors
/// The page is gone.
pub async fn press(page: &Page, button: Button) -> Result<(), CdpError> {
    intercept_drags(page, true);
    page.change(|state| state.drag = None);
    for frame in frames(page) {
        // A frame that cannot watch begins no drag that we would have to know of.
        let watch = page.agent::<Value>(&frame, "watchDrag", &[], Deadline::after(STEP));
        let _ = page.unless_modal(watch).await;
    }
    page.unless_modal(page.mouse_down(button))
        .await
        .unwrap_or(Ok(()))
}

/// Releases a button where the pointer is; what is being dragged is dropped there.
///
/// # Errors
/// The page is gone, or does not take part in the drag it has begun.
pub async fn release(page: &Page, button: Button) -> Result<(), ActionError> {
    let outcome = page.unless_modal(drop_and_release(page, button)).await;
    page.change(|state| state.drag = None);
    intercept_drags(page, false);
    outcome.unwrap_or(Ok(()))
}

async fn drop_and_release(page: &Page, button: Button) -> Result<(), ActionError> {
    if drag_began(page).await {
        let data = page
            .until(Deadline::ms(DRAG_DATA_MS), |state| state.drag.clone())
            .await?;
        let (x, y) = page.state().mouse.position();
        for kind in ["dragEnter", "dragOver", "drop"] {
            let params = json!({ "type": kind, "x": x, "y": y, "data": data, "modifiers": 0 });
            page.command("Input.dispatchDragEvent", &params, Deadline::after(STEP))
                .await?;
        }
    }
    Ok(page.mouse_up(button).await?)
}

/// Presses at one point, moves to another, and releases there.
///
/// # Errors
/// As [`release`].
pub async fn drag(page: &Page, from: (f64, f64), to: (f64, f64)) -> Result<(), ActionError> {
    move_to(page, from.0, from.1).await?;
    press(page, Button::Left).await?;
    // The way in two steps: pages compare positions to tell a drag from a click.
    let halfway = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    let mut moved = move_to(page, halfway.0, halfway.1).await;
    if moved.is_ok() {
        moved = move_to(page, to.0, to.1).await;
    }
    // Never leave a button pressed behind.
    let released = release(page, Button::Left).await;
    moved?;
    released
}

/// Turns the wheel where the pointer is: right and down are positive, in CSS pixels.
///
/// # Errors
/// The page is gone.
pub async fn wheel(page: &Page, delta_x: f64, delta_y: f64) -> Result<(), CdpError> {
    page.unless_modal(page.turn_wheel(delta_x, delta_y))
        .await
        .unwrap_or(Ok(()))
}

async fn drag_began(page: &Page) -> bool {
    for frame in frames(page) {
        let asked = page.agent::<Option<bool>>(&frame, "dragBegan", &[], Deadline::after(STEP));
        if let Ok(Some(true)) = asked.await {
            return true;
        }
    }
    false
}

fn frames(page: &Page) -> Vec<FrameId> {
    let state = page.state();
    let frames = state.frames.in_order();
    frames.iter().map(|frame| frame.id.clone()).collect()
}

fn intercept_drags(page: &Page, enabled: bool) {
    page.connection().post(
        Some(page.session()),
        "Input.setInterceptDrags",
        &json!({ "enabled": enabled }),
    );
}
