//! `page.keyboard` and `page.mouse`.

use playguard_cdp::action::{self, mouse as hand};
use playguard_cdp::input::mouse::{Button, Click};
use playguard_cdp::page::Page;
use serde_json::Value;

use super::fault::{fault, pause};
use crate::script::{KeyboardAction, MouseAction, MouseButton, ScriptFault};

pub(super) fn button(button: Option<MouseButton>) -> Button {
    match button {
        None | Some(MouseButton::Left) => Button::Left,
        Some(MouseButton::Middle) => Button::Middle,
        Some(MouseButton::Right) => Button::Right,
    }
}

pub(super) async fn keyboard(page: &Page, action: KeyboardAction) -> Result<Value, ScriptFault> {
    match action {
        KeyboardAction::Press { key, delay } => {
            if let Some(delay) = delay.filter(|delay| *delay > 0.0) {
                // With a pause between them, the two are two events to the page.
                page.key_down(&key).await.map_err(fault)?;
                tokio::time::sleep(pause(delay)).await;
                page.key_up(&key).await.map_err(fault)?;
            } else {
                action::press(page, &key).await.map_err(fault)?;
            }
        }
        KeyboardAction::Type { text, delay } => match delay.filter(|delay| *delay > 0.0) {
            None => {
                let typed = page.unless_modal(page.type_text(&text)).await;
                typed.transpose().map_err(fault)?;
            }
            Some(delay) => {
                for c in text.chars() {
                    let typed = page.type_text(c.encode_utf8(&mut [0; 4])).await;
                    typed.map_err(fault)?;
                    tokio::time::sleep(pause(delay)).await;
                }
            }
        },
        KeyboardAction::InsertText { text } => {
            let inserted = page.unless_modal(page.insert_text(&text)).await;
            inserted.transpose().map_err(fault)?;
        }
        KeyboardAction::Down { key } => page.key_down(&key).await.map_err(fault)?,
        KeyboardAction::Up { key } => page.key_up(&key).await.map_err(fault)?,
    }
    Ok(Value::Null)
}

pub(super) async fn mouse(page: &Page, action: MouseAction) -> Result<Value, ScriptFault> {
    match action {
        MouseAction::Move { x, y, steps } => {
            let steps = steps.unwrap_or(1).clamp(1, 1_000);
            let (from_x, from_y) = page.state().mouse.position();
            for step in 1..=steps {
                let part = f64::from(step) / f64::from(steps);
                let at = (from_x + (x - from_x) * part, from_y + (y - from_y) * part);
                hand::move_to(page, at.0, at.1).await.map_err(fault)?;
            }
        }
        MouseAction::Click {
            x,
            y,
            button: which,
            click_count,
            delay,
        } => {
            let click = Click {
                button: button(which),
                count: click_count.unwrap_or(1),
                delay: pause(delay.unwrap_or_default()),
            };
            hand::click_at(page, x, y, click).await.map_err(fault)?;
        }
        MouseAction::Down { button: which, .. } => {
            hand::press(page, button(which)).await.map_err(fault)?;
        }
        MouseAction::Up { button: which, .. } => {
            hand::release(page, button(which)).await.map_err(fault)?;
        }
        MouseAction::Wheel { delta_x, delta_y } => {
            hand::wheel(page, delta_x, delta_y).await.map_err(fault)?;
        }
    }
    Ok(Value::Null)
}
