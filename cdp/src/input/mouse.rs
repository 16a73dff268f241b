//! The mouse of one page: where it is, what is pressed, and the events its moves send.

use std::time::Duration;

use serde::Serialize;

use super::keyboard::Modifiers;

/// A mouse button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Button {
    /// The usual one.
    #[default]
    Left,
    /// The context menu's.
    Right,
    /// The wheel.
    Middle,
}

impl Button {
    /// From a tool's argument: `left`, `right` or `middle`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "left" => Some(Self::Left),
            "right" => Some(Self::Right),
            "middle" => Some(Self::Middle),
            _ => None,
        }
    }

    /// Its bit in `MouseEvent.buttons`.
    fn bit(self) -> u8 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

/// What the mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MouseEventKind {
    /// Moves.
    MouseMoved,
    /// A button goes down.
    MousePressed,
    /// A button comes up.
    MouseReleased,
    /// The wheel turns.
    MouseWheel,
}

/// Parameters of `Input.dispatchMouseEvent`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MouseEvent {
    /// What happens.
    #[serde(rename = "type")]
    pub kind: MouseEventKind,
    /// CSS pixels from the left edge of the viewport.
    pub x: f64,
    /// CSS pixels from the top edge of the viewport.
    pub y: f64,
    /// Modifiers held on the keyboard.
    pub modifiers: Modifiers,
    /// The button that changes, or the one held while moving; sent as `none` when there is none.
    #[serde(serialize_with = "button_or_none")]
    pub button: Option<Button>,
    /// All buttons held afterwards: 1 left, 2 right, 4 middle.
    pub buttons: u8,
    /// Which click in a row this is; 0 when it is none.
    pub click_count: u32,
    /// Pressure: 0.5 while a button is held.
    pub force: f64,
    /// Always a mouse.
    pub pointer_type: &'static str,
    /// How far the wheel scrolls right, in CSS pixels; absent unless it turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_x: Option<f64>,
    /// How far the wheel scrolls down, in CSS pixels; absent unless it turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_y: Option<f64>,
}

fn button_or_none<S: serde::Serializer>(button: &Option<Button>, to: S) -> Result<S::Ok, S::Error> {
    match button {
        Some(button) => button.serialize(to),
        None => to.serialize_str("none"),
    }
}

/// One step of a mouse action.
#[derive(Debug, Clone, PartialEq)]
pub enum MouseStep {
    /// Send `Input.dispatchMouseEvent`.
    Event(MouseEvent),
    /// Wait before the next step.
    Wait(Duration),
}

/// How to click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Click {
    /// With which button.
    pub button: Button,
    /// How often; 2 is a double click.
    pub count: u32,
    /// How long a button stays down, and how long to wait between clicks.
    pub delay: Duration,
}

impl Default for Click {
    fn default() -> Self {
        Self {
            button: Button::Left,
            count: 1,
            delay: Duration::ZERO,
        }
    }
}

/// More clicks than a hand makes in a row are a mistake or an attack.
const MOST_CLICKS: u32 = 1_000;

/// Where the mouse of a page is and what is pressed; starts in the upper left corner.
#[derive(Debug, Clone, Default)]
pub struct Mouse {
    x: f64,
    y: f64,
    held: Option<Button>,
    buttons: u8,
}

impl Mouse {
    /// Its position in CSS pixels of the viewport.
    pub fn position(&self) -> (f64, f64) {
        (self.x, self.y)
    }

    /// Moves to a point; a held button drags.
    pub fn plan_move(&mut self, x: f64, y: f64, modifiers: Modifiers) -> MouseEvent {
        (self.x, self.y) = (x, y);
        self.event(MouseEventKind::MouseMoved, self.held, 0, modifiers)
    }

    /// Presses a button; `click_count` is 2 for the second press of a double click.
    pub fn plan_down(
        &mut self,
        button: Button,
        click_count: u32,
        modifiers: Modifiers,
    ) -> MouseEvent {
        self.held = Some(button);
        self.buttons |= button.bit();
        self.event(
            MouseEventKind::MousePressed,
            Some(button),
            click_count,
            modifiers,
        )
    }

    /// Releases a button.
    pub fn plan_up(
        &mut self,
        button: Button,
        click_count: u32,
        modifiers: Modifiers,
    ) -> MouseEvent {
        self.held = None;
        self.buttons &= !button.bit();
        self.event(
            MouseEventKind::MouseReleased,
            Some(button),
            click_count,
            modifiers,
        )
    }

    /// Moves to a point and clicks there, at least once.
    ///
    /// Without delay the events follow each other directly and may be sent without waiting for
    /// answers.
    pub fn plan_click(
        &mut self,
        x: f64,
        y: f64,
        click: Click,
        modifiers: Modifiers,
    ) -> Vec<MouseStep> {
        let count = click.count.clamp(1, MOST_CLICKS);
        let mut steps = vec![MouseStep::Event(self.plan_move(x, y, modifiers))];
        for nth in 1..=count {
            steps.push(MouseStep::Event(self.plan_down(
                click.button,
                nth,
                modifiers,
            )));
            push_wait(&mut steps, click.delay);
            steps.push(MouseStep::Event(self.plan_up(click.button, nth, modifiers)));
            if nth < count {
                push_wait(&mut steps, click.delay);
            }
        }
        steps
    }

    /// Presses at one point, moves to another, releases there.
    pub fn plan_drag(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        modifiers: Modifiers,
    ) -> [MouseEvent; 4] {
        [
            self.plan_move(from.0, from.1, modifiers),
            self.plan_down(Button::Left, 1, modifiers),
            self.plan_move(to.0, to.1, modifiers),
            self.plan_up(Button::Left, 1, modifiers),
        ]
    }

    /// Turns the wheel where the mouse is: right and down are positive, in CSS pixels.
    pub fn plan_wheel(&self, delta_x: f64, delta_y: f64, modifiers: Modifiers) -> MouseEvent {
        MouseEvent {
            delta_x: Some(delta_x),
            delta_y: Some(delta_y),
            force: 0.0,
            ..self.event(MouseEventKind::MouseWheel, None, 0, modifiers)
        }
    }

    fn event(
        &self,
        kind: MouseEventKind,
        button: Option<Button>,
        click_count: u32,
        modifiers: Modifiers,
    ) -> MouseEvent {
        MouseEvent {
            kind,
            x: self.x,
            y: self.y,
            modifiers,
            button,
            buttons: self.buttons,
            click_count,
            force: if self.buttons == 0 { 0.0 } else { 0.5 },
            pointer_type: "mouse",
            delta_x: None,
            delta_y: None,
        }
    }
}

fn push_wait(steps: &mut Vec<MouseStep>, delay: Duration) {
    if !delay.is_zero() {
        steps.push(MouseStep::Wait(delay));
    }
}

#[cfg(test)]
#[path = "mouse_tests.rs"]
mod tests;
