//! The US keyboard: which keys exist and what they say.
//!
//! Codes and key values follow the W3C lists (UI Events KeyboardEvent code and key values), the key
//! codes are Windows virtual-key codes as `Input.dispatchKeyEvent` wants them.

/// What one key says when it is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// `KeyboardEvent.key`.
    pub key: &'static str,
    /// `KeyboardEvent.code`.
    pub code: &'static str,
    /// Windows virtual-key code, the same for the left and right one of a pair.
    pub key_code: u16,
    /// The text it produces; empty for keys that only act.
    pub text: &'static str,
    /// `KeyboardEvent.location`: 0 standard, 1 left, 2 right, 3 keypad.
    pub location: u8,
}

impl Key {
    /// `KeyboardEvent.location` of the number pad.
    pub const KEYPAD: u8 = 3;
}

/// A physical key: what it says alone and with Shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhysicalKey {
    /// Without Shift.
    pub plain: Key,
    /// With Shift, where that differs.
    pub shifted: Option<Key>,
}

/// Looks up a key by its code (`KeyA`, `Digit1`, `ArrowLeft`), which honours Shift, or by the value
/// it types (`a`, `A`, `!`), which stays the same whatever is held. `Shift`, `Control`, `Alt` and
/// `Meta` are the left ones, line feed and carriage return are Enter. Case matters.
pub fn find(name: &str) -> Option<PhysicalKey> {
    if let Some(key) = KEYS.iter().find(|key| key.plain.code == name) {
        return Some(*key);
    }
    let fixed = |plain| PhysicalKey {
        plain,
        shifted: None,
    };
    match name {
        "" => return None,
        "Shift" => return find("ShiftLeft"),
        "Control" => return find("ControlLeft"),
        "Alt" => return find("AltLeft"),
        "Meta" => return find("MetaLeft"),
        "\n" | "\r" => return find("Enter"),
        // The only key without a code of its own in this layout.
        "AltGraph" => return Some(fixed(ALT_GRAPH)),
        _ => {}
    }
    let typed =
        |key: &Key| key.location != Key::KEYPAD && is_one_character(key.key) && key.key == name;
    KEYS.iter()
        .flat_map(|key| [Some(key.plain), key.shifted])
        .flatten()
        .find(typed)
        .map(fixed)
}

fn is_one_character(text: &str) -> bool {
    text.chars().count() == 1
}

const ALT_GRAPH: Key = Key {
    key: "AltGraph",
    code: "",
    key_code: 225,
    text: "",
    location: 0,
};

/// A key that types: one character alone, another with Shift.
const fn types(
    code: &'static str,
    key_code: u16,
    key: &'static str,
    shifted: &'static str,
) -> PhysicalKey {
    let plain = Key {
        key,
        code,
        key_code,
        text: key,
        location: 0,
    };
    PhysicalKey {
        plain,
        shifted: Some(Key {
            key: shifted,
            text: shifted,
            ..plain
        }),
    }
}

/// A key that only acts.
const fn acts(code: &'static str, key_code: u16, key: &'static str, location: u8) -> PhysicalKey {
    PhysicalKey {
        plain: Key {
            key,
            code,
            key_code,
            text: "",
            location,
        },
        shifted: None,
    }
}

/// A key with a text of its own that Shift does not change.
const fn says(
    code: &'static str,
    key_code: u16,
    key: &'static str,
    text: &'static str,
    location: u8,
) -> PhysicalKey {
    PhysicalKey {
        plain: Key {
            key,
            code,
            key_code,
            text,
            location,
        },
        shifted: None,
    }
}

/// A keypad key with NumLock off: it acts, and types a character with Shift.
const fn pad(
    code: &'static str,
    key_code: u16,
    key: &'static str,
    shifted_code: u16,
    shifted: &'static str,
) -> PhysicalKey {
    let plain = Key {
        key,
        code,
        key_code,
        text: "",
        location: Key::KEYPAD,
    };
    PhysicalKey {
        plain,
        shifted: Some(Key {
            key: shifted,
            key_code: shifted_code,
            text: shifted,
            ..plain
        }),
    }
}

#[rustfmt::skip]
static KEYS: &[PhysicalKey] = &[
    // Function row.
    acts("Escape", 27, "Escape", 0),
    acts("F1", 112, "F1", 0), acts("F2", 113, "F2", 0), acts("F3", 114, "F3", 0), acts("F4", 115, "F4", 0),
    acts("F5", 116, "F5", 0), acts("F6", 117, "F6", 0), acts("F7", 118, "F7", 0), acts("F8", 119, "F8", 0),
    acts("F9", 120, "F9", 0), acts("F10", 121, "F10", 0), acts("F11", 122, "F11", 0), acts("F12", 123, "F12", 0),
    acts("F13", 124, "F13", 0), acts("F14", 125, "F14", 0), acts("F15", 126, "F15", 0), acts("F16", 127, "F16", 0),
    acts("F17", 128, "F17", 0), acts("F18", 129, "F18", 0), acts("F19", 130, "F19", 0), acts("F20", 131, "F20", 0),
    acts("F21", 132, "F21", 0), acts("F22", 133, "F22", 0), acts("F23", 134, "F23", 0), acts("F24", 135, "F24", 0),
    acts("PrintScreen", 44, "PrintScreen", 0), acts("ScrollLock", 145, "ScrollLock", 0), acts("Pause", 19, "Pause", 0),
    // Digits.
    types("Backquote", 192, "`", "~"),
    types("Digit1", 49, "1", "!"), types("Digit2", 50, "2", "@"), types("Digit3", 51, "3", "#"),
    types("Digit4", 52, "4", "$"), types("Digit5", 53, "5", "%"), types("Digit6", 54, "6", "^"),
    types("Digit7", 55, "7", "&"), types("Digit8", 56, "8", "*"), types("Digit9", 57, "9", "("),
    types("Digit0", 48, "0", ")"), types("Minus", 189, "-", "_"), types("Equal", 187, "=", "+"),
    acts("Backspace", 8, "Backspace", 0),
    // Letters and what stands between them.
    acts("Tab", 9, "Tab", 0),
    types("KeyQ", 81, "q", "Q"), types("KeyW", 87, "w", "W"), types("KeyE", 69, "e", "E"), types("KeyR", 82, "r", "R"),
    types("KeyT", 84, "t", "T"), types("KeyY", 89, "y", "Y"), types("KeyU", 85, "u", "U"), types("KeyI", 73, "i", "I"),
    types("KeyO", 79, "o", "O"), types("KeyP", 80, "p", "P"),
    types("BracketLeft", 219, "[", "{"), types("BracketRight", 221, "]", "}"), types("Backslash", 220, "\\", "|"),
    acts("CapsLock", 20, "CapsLock", 0),
    types("KeyA", 65, "a", "A"), types("KeyS", 83, "s", "S"), types("KeyD", 68, "d", "D"), types("KeyF", 70, "f", "F"),
    types("KeyG", 71, "g", "G"), types("KeyH", 72, "h", "H"), types("KeyJ", 74, "j", "J"), types("KeyK", 75, "k", "K"),
    types("KeyL", 76, "l", "L"),
    types("Semicolon", 186, ";", ":"), types("Quote", 222, "'", "\""),
    says("Enter", 13, "Enter", "\r", 0),
    types("KeyZ", 90, "z", "Z"), types("KeyX", 88, "x", "X"), types("KeyC", 67, "c", "C"), types("KeyV", 86, "v", "V"),
    types("KeyB", 66, "b", "B"), types("KeyN", 78, "n", "N"), types("KeyM", 77, "m", "M"),
    types("Comma", 188, ",", "<"), types("Period", 190, ".", ">"), types("Slash", 191, "/", "?"),
    says("Space", 32, " ", " ", 0),
    // Modifiers.
    acts("ShiftLeft", 16, "Shift", 1), acts("ShiftRight", 16, "Shift", 2),
    acts("ControlLeft", 17, "Control", 1), acts("ControlRight", 17, "Control", 2),
    acts("AltLeft", 18, "Alt", 1), acts("AltRight", 18, "Alt", 2),
    acts("MetaLeft", 91, "Meta", 1), acts("MetaRight", 92, "Meta", 2),
    acts("ContextMenu", 93, "ContextMenu", 0),
    // Editing and moving.
    acts("Insert", 45, "Insert", 0), acts("Delete", 46, "Delete", 0),
    acts("Home", 36, "Home", 0), acts("End", 35, "End", 0),
    acts("PageUp", 33, "PageUp", 0), acts("PageDown", 34, "PageDown", 0),
    acts("ArrowLeft", 37, "ArrowLeft", 0), acts("ArrowUp", 38, "ArrowUp", 0),
    acts("ArrowRight", 39, "ArrowRight", 0), acts("ArrowDown", 40, "ArrowDown", 0),
    // Keypad.
    acts("NumLock", 144, "NumLock", 0),
    says("NumpadDivide", 111, "/", "/", 3), says("NumpadMultiply", 106, "*", "*", 3),
    says("NumpadSubtract", 109, "-", "-", 3), says("NumpadAdd", 107, "+", "+", 3),
    says("NumpadEnter", 13, "Enter", "\r", 3),
    pad("Numpad0", 45, "Insert", 96, "0"), pad("Numpad1", 35, "End", 97, "1"), pad("Numpad2", 40, "ArrowDown", 98, "2"),
    pad("Numpad3", 34, "PageDown", 99, "3"), pad("Numpad4", 37, "ArrowLeft", 100, "4"), pad("Numpad5", 12, "Clear", 101, "5"),
    pad("Numpad6", 39, "ArrowRight", 102, "6"), pad("Numpad7", 36, "Home", 103, "7"), pad("Numpad8", 38, "ArrowUp", 104, "8"),
    pad("Numpad9", 33, "PageUp", 105, "9"), pad("NumpadDecimal", 46, "Delete", 110, "."),
    // Media.
    acts("AudioVolumeMute", 173, "AudioVolumeMute", 0), acts("AudioVolumeDown", 174, "AudioVolumeDown", 0),
    acts("AudioVolumeUp", 175, "AudioVolumeUp", 0), acts("MediaTrackNext", 176, "MediaTrackNext", 0),
    acts("MediaTrackPrevious", 177, "MediaTrackPrevious", 0), acts("MediaStop", 178, "MediaStop", 0),
    acts("MediaPlayPause", 179, "MediaPlayPause", 0),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique() {
        let codes: HashSet<_> = KEYS.iter().map(|key| key.plain.code).collect();
        assert_eq!(codes.len(), KEYS.len());
    }

    #[test]
    fn every_printable_ascii_character_has_a_key() {
        for character in ' '..='~' {
            let text = character.to_string();
            let key = find(&text).unwrap().plain;
            assert_eq!((key.key, key.text), (text.as_str(), text.as_str()));
            assert_ne!(key.location, Key::KEYPAD);
        }
    }

    #[test]
    fn letters_and_digits_carry_their_upper_case_codes() {
        for letter in 'A'..='Z' {
            let key = find(&format!("Key{letter}")).unwrap();
            assert_eq!(u32::from(key.plain.key_code), u32::from(letter));
            assert_eq!(key.shifted.unwrap().text, letter.to_string());
        }
        for digit in '0'..='9' {
            let key = find(&format!("Digit{digit}")).unwrap();
            assert_eq!(u32::from(key.plain.key_code), u32::from(digit));
            assert_eq!(key.plain.text, digit.to_string());
        }
    }

    #[test]
    fn codes_honour_shift_and_values_do_not() {
        assert_eq!(find("KeyA").unwrap().shifted.unwrap().key, "A");
        assert_eq!(find("a").unwrap().shifted, None);
        assert_eq!(find("A").unwrap().plain.code, "KeyA");
        assert_eq!(find("!").unwrap().plain.code, "Digit1");
        assert_eq!(find("+").unwrap().plain.code, "Equal");
    }

    #[test]
    fn other_names() {
        assert_eq!(find("Shift").unwrap().plain.code, "ShiftLeft");
        assert_eq!(find("\n").unwrap().plain.code, "Enter");
        assert_eq!(find("Enter").unwrap().plain.text, "\r");
        assert_eq!(find("NumpadEnter").unwrap().plain.location, 3);
        assert_eq!(find("Numpad7").unwrap().plain.key, "Home");
        assert_eq!(find("AltGraph").unwrap().plain.key_code, 225);
        for unknown in ["", "Nope", "Esc", "control", "é", "€", "keya", "\t"] {
            assert_eq!(find(unknown), None, "{unknown:?}");
        }
    }
}
