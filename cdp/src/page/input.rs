//! Sending real input to a page.

use serde_json::json;

use super::{Page, STEP};
use crate::action::ActionError;
use crate::connection::{CdpError, Deadline};
use crate::input::keyboard::{KeyEvent, Modifiers, TypeStep};
use crate::input::mouse::{Button, Click, MouseEvent, MouseStep};

/// Text is inserted in pieces of at most this many characters, so that no single message is huge.
const INSERT_CHUNK: usize = 1 << 20;

impl Page {
    /// Presses and releases a key or chord.
    ///
    /// # Errors
    /// The key is unknown, or the page is gone.
    pub async fn press(&self, key: &str) -> Result<(), ActionError> {
        let planned = self.state().keyboard.plan_press(key);
        let events = planned
            .map_err(|error| ActionError::refused(error.to_string(), &Default::default()))?;
        for event in &events {
            self.send_key(event).await?;
        }
        Ok(())
    }

    /// Types text key by key; what the layout does not have is inserted.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn type_text(&self, text: &str) -> Result<(), CdpError> {
        let steps = self.state().keyboard.plan_type(text);
        for step in &steps {
            match step {
                TypeStep::Key(event) => self.send_key(event).await?,
                TypeStep::Insert { text } => self.insert_text(text).await?,
            }
        }
        Ok(())
    }

    /// Inserts text where the focus is, as an input method does: `input` events, no key events.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn insert_text(&self, text: &str) -> Result<(), CdpError> {
        let mut rest = text;
        while !rest.is_empty() {
            let cut = rest
                .char_indices()
                .nth(INSERT_CHUNK)
                .map_or(rest.len(), |(at, _)| at);
            let (piece, after) = rest.split_at(cut);
            self.command(
                "Input.insertText",
                &json!({ "text": piece }),
                Deadline::after(STEP),
            )
            .await?;
            rest = after;
        }
        Ok(())
    }

    /// Moves the pointer.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn move_to(&self, x: f64, y: f64) -> Result<(), CdpError> {
        let event = {
            let mut state = self.state();
            let held = state.keyboard.modifiers();
            state.mouse.plan_move(x, y, held)
        };
        self.send_mouse(&event).await
    }

    /// Moves the pointer by a few pixels, enough to turn a press into a drag.
    ///
    /// # Errors
    /// The page is gone.
    pub(crate) async fn nudge(&self) -> Result<(), CdpError> {
        let (x, y) = self.state().mouse.position();
        self.move_to(x + 5.0, y + 5.0).await
    }

    /// Presses a button where the pointer is.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn mouse_down(&self, button: Button) -> Result<(), CdpError> {
        let event = {
            let mut state = self.state();
            let held = state.keyboard.modifiers();
            state.mouse.plan_down(button, 1, held)
        };
        self.send_mouse(&event).await
    }

    /// Releases a button where the pointer is.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn mouse_up(&self, button: Button) -> Result<(), CdpError> {
        let event = {
            let mut state = self.state();
            let held = state.keyboard.modifiers();
            state.mouse.plan_up(button, 1, held)
        };
        self.send_mouse(&event).await
    }

    /// Turns the wheel where the pointer is: right and down are positive, in CSS pixels.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn turn_wheel(&self, delta_x: f64, delta_y: f64) -> Result<(), CdpError> {
        let event = {
            let state = self.state();
            let held = state.keyboard.modifiers();
            state.mouse.plan_wheel(delta_x, delta_y, held)
        };
        self.send_mouse(&event).await
    }

    /// Clicks at a point while `modifiers` are held, and afterwards restores what was held before.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn click_at(
        &self,
        x: f64,
        y: f64,
        click: Click,
        modifiers: Modifiers,
    ) -> Result<(), CdpError> {
        let (press, steps, release) = {
            let mut state = self.state();
            let before = state.keyboard.modifiers();
            let press = state.keyboard.plan_modifiers(modifiers);
            let steps = state.mouse.plan_click(x, y, click, modifiers);
            let release = state.keyboard.plan_modifiers(before);
            (press, steps, release)
        };
        for event in &press {
            self.send_key(event).await?;
        }
        // Written at once and answered in order: the browser need not wait for us between them.
        let mut pending = Vec::with_capacity(steps.len());
        for step in &steps {
            match step {
                MouseStep::Event(event) => pending.push(self.send_mouse(event)),
                MouseStep::Wait(pause) => {
                    sent(std::mem::take(&mut pending)).await?;
                    tokio::time::sleep(*pause).await;
                }
            }
        }
        sent(pending).await?;
        for event in &release {
            self.send_key(event).await?;
        }
        Ok(())
    }

    pub(super) async fn send_planned(
        &self,
        planned: Result<KeyEvent, crate::input::shortcut::UnknownKey>,
    ) -> Result<(), ActionError> {
        let event = planned
            .map_err(|error| ActionError::refused(error.to_string(), &Default::default()))?;
        Ok(self.send_key(&event).await?)
    }

    async fn send_key(&self, event: &KeyEvent) -> Result<(), CdpError> {
        self.command("Input.dispatchKeyEvent", event, Deadline::after(STEP))
            .await
    }

    async fn send_mouse(&self, event: &MouseEvent) -> Result<(), CdpError> {
        self.command("Input.dispatchMouseEvent", event, Deadline::after(STEP))
            .await
    }
}

/// Waits for all; the futures are polled in order, so their messages are written in order.
async fn sent(pending: Vec<impl Future<Output = Result<(), CdpError>>>) -> Result<(), CdpError> {
    futures_util::future::try_join_all(pending).await.map(drop)
}
