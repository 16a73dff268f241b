//! The keyboard of one page: what is held, and the events that pressing and typing send.

use serde::Serialize;

use super::layout::{self, Key, PhysicalKey};
use super::mac_commands;
use super::shortcut::{Platform, UnknownKey, parse_key, parse_shortcut};

/// Held modifiers as the protocol's bit field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Modifiers(u8);

impl Modifiers {
    /// None held.
    pub const NONE: Self = Self(0);
    /// Alt, Option on macOS.
    pub const ALT: Self = Self(1);
    /// Control.
    pub const CONTROL: Self = Self(2);
    /// Meta: Command on macOS, the Windows key elsewhere.
    pub const META: Self = Self(4);
    /// Shift.
    pub const SHIFT: Self = Self(8);

    /// The bits: 1 Alt, 2 Control, 4 Meta, 8 Shift.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether all of `other` are held.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These without `other`.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// From a tool's argument: `Alt`, `Control`, `ControlOrMeta`, `Meta` or `Shift`.
    pub fn parse(name: &str, platform: Platform) -> Option<Self> {
        match (name, platform) {
            ("ControlOrMeta", Platform::Mac) => Some(Self::META),
            ("ControlOrMeta", Platform::Other) => Some(Self::CONTROL),
            (name, _) => Self::of_key(name),
        }
    }

    fn of_key(key: &str) -> Option<Self> {
        match key {
            "Alt" => Some(Self::ALT),
            "Control" => Some(Self::CONTROL),
            "Meta" => Some(Self::META),
            "Shift" => Some(Self::SHIFT),
            _ => None,
        }
    }
}

/// What happens to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyEventKind {
    /// Pressed, and it produces text.
    KeyDown,
    /// Pressed, and it produces none.
    RawKeyDown,
    /// Released.
    KeyUp,
}

/// Parameters of `Input.dispatchKeyEvent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyEvent {
    /// What happens.
    #[serde(rename = "type")]
    pub kind: KeyEventKind,
    /// Modifiers held, the key itself included once it is down.
    pub modifiers: Modifiers,
    /// Windows virtual-key code.
    pub windows_virtual_key_code: u16,
    /// `KeyboardEvent.code`.
    pub code: &'static str,
    /// `KeyboardEvent.key`.
    pub key: &'static str,
    /// The text produced; absent on release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'static str>,
    /// The text without modifiers; absent on release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmodified_text: Option<&'static str>,
    /// `KeyboardEvent.location`.
    pub location: u8,
    /// Whether it is a key of the number pad.
    pub is_keypad: bool,
    /// Whether it was down already.
    pub auto_repeat: bool,
    /// Editing commands that macOS binds to the key.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub commands: &'static [&'static str],
}

/// One command that typing sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TypeStep {
    /// `Input.dispatchKeyEvent`.
    Key(KeyEvent),
    /// `Input.insertText`.
    Insert {
        /// Characters that no key of the layout types.
        text: String,
    },
}

impl TypeStep {
    /// The command's name; its parameters are the serialised step.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Key(_) => "Input.dispatchKeyEvent",
            Self::Insert { .. } => "Input.insertText",
        }
    }
}

/// Which keys of a page are held.
#[derive(Debug, Clone)]
pub struct Keyboard {
    platform: Platform,
    /// Codes of the keys that are down, few at a time.
    down: Vec<&'static str>,
    modifiers: Modifiers,
}

impl Keyboard {
    /// Nothing is held.
    pub fn new(platform: Platform) -> Self {
        Self {
            platform,
            down: Vec::new(),
            modifiers: Modifiers::NONE,
        }
    }

    /// The modifiers that are held.
    pub fn modifiers(&self) -> Modifiers {
        self.modifiers
    }

    /// Presses a shortcut such as `a`, `Enter` or `Control+Shift+a`: holds the first keys in order,
    /// presses and releases the last, releases in reverse.
    ///
    /// # Errors
    /// A name is no key; nothing has changed then.
    pub fn plan_press(&mut self, shortcut: &str) -> Result<Vec<KeyEvent>, UnknownKey> {
        let keys = parse_shortcut(shortcut, self.platform)?;
        let mut events = Vec::with_capacity(2 * keys.len());
        events.extend(keys.iter().map(|&key| self.press(key)));
        events.extend(keys.iter().rev().map(|&key| self.release(key)));
        Ok(events)
    }

    /// Types text: keys for what the layout has, inserted text for the rest, Enter for line ends.
    pub fn plan_type(&mut self, text: &str) -> Vec<TypeStep> {
        let mut steps = Vec::new();
        let mut buffer = [0; 4];
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            // CR LF ends one line, not two.
            if character == '\r' && characters.peek() == Some(&'\n') {
                continue;
            }
            match layout::find(character.encode_utf8(&mut buffer)) {
                Some(key) => {
                    steps.push(TypeStep::Key(self.press(key)));
                    steps.push(TypeStep::Key(self.release(key)));
                }
                // Inserted in one piece, so that joined characters such as emoji stay joined.
                None => match steps.last_mut() {
                    Some(TypeStep::Insert { text }) => text.push(character),
                    _ => steps.push(TypeStep::Insert {
                        text: character.into(),
                    }),
                },
            }
        }
        steps
    }

    /// Presses one key and leaves it down.
    ///
    /// # Errors
    /// The name is no key.
    pub fn plan_down(&mut self, name: &str) -> Result<KeyEvent, UnknownKey> {
        parse_key(name, self.platform).map(|key| self.press(key))
    }

    /// Releases one key.
    ///
    /// # Errors
    /// The name is no key.
    pub fn plan_up(&mut self, name: &str) -> Result<KeyEvent, UnknownKey> {
        parse_key(name, self.platform).map(|key| self.release(key))
    }

    /// Holds exactly these modifiers: releases the others, presses the missing ones.
    ///
    /// Calling it again with what [`Keyboard::modifiers`] said before restores the state.
    pub fn plan_modifiers(&mut self, wanted: Modifiers) -> Vec<KeyEvent> {
        const ALL: [(&str, Modifiers); 4] = [
            ("Alt", Modifiers::ALT),
            ("Control", Modifiers::CONTROL),
            ("Meta", Modifiers::META),
            ("Shift", Modifiers::SHIFT),
        ];
        let mut events = Vec::new();
        for (name, modifier) in ALL {
            let Some(key) = layout::find(name) else {
                continue;
            };
            let held = self.modifiers.contains(modifier);
            if wanted.contains(modifier) && !held {
                events.push(self.press(key));
            } else if held && !wanted.contains(modifier) {
                events.push(self.release(key));
            }
        }
        events
    }

    fn press(&mut self, key: PhysicalKey) -> KeyEvent {
        let said = self.said(key);
        let auto_repeat = self.down.contains(&said.code);
        if !auto_repeat {
            self.down.push(said.code);
        }
        if let Some(modifier) = Modifiers::of_key(said.key) {
            self.modifiers = self.modifiers.with(modifier);
        }
        let text = match said.text {
            "" => None,
            text => Some(text),
        };
        KeyEvent {
            kind: match text {
                Some(_) => KeyEventKind::KeyDown,
                None => KeyEventKind::RawKeyDown,
            },
            modifiers: self.modifiers,
            windows_virtual_key_code: said.key_code,
            code: said.code,
            key: said.key,
            text,
            unmodified_text: text,
            location: said.location,
            is_keypad: said.location == Key::KEYPAD,
            auto_repeat,
            commands: match self.platform {
                Platform::Mac => mac_commands::of(said.code, self.modifiers),
                Platform::Other => &[],
            },
        }
    }

    fn release(&mut self, key: PhysicalKey) -> KeyEvent {
        let said = self.said(key);
        self.down.retain(|&code| code != said.code);
        if let Some(modifier) = Modifiers::of_key(said.key) {
            self.modifiers = self.modifiers.without(modifier);
        }
        KeyEvent {
            kind: KeyEventKind::KeyUp,
            modifiers: self.modifiers,
            windows_virtual_key_code: said.key_code,
            code: said.code,
            key: said.key,
            text: None,
            unmodified_text: None,
            location: said.location,
            is_keypad: said.location == Key::KEYPAD,
            auto_repeat: false,
            commands: &[],
        }
    }

    /// What the key says with what is held: Shift changes it, any other modifier takes its text.
    fn said(&self, key: PhysicalKey) -> Key {
        let shift = self.modifiers.contains(Modifiers::SHIFT);
        let said = key.shifted.filter(|_| shift).unwrap_or(key.plain);
        if self.modifiers.without(Modifiers::SHIFT) == Modifiers::NONE {
            said
        } else {
            Key { text: "", ..said }
        }
    }
}

#[cfg(test)]
#[path = "keyboard_tests.rs"]
mod tests;
