//! Reading of shortcuts such as `Control+Shift+a`.

use super::layout::{self, PhysicalKey};

/// The platform the browser runs on, as far as keys differ there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// macOS: shortcuts use Meta, and editing needs commands of its own.
    Mac,
    /// Everything else: shortcuts use Control.
    Other,
}

impl Platform {
    /// The platform this program was built for.
    pub fn host() -> Self {
        if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Other
        }
    }
}

/// A name that is no key of the layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Unknown key: \"{0}\"")]
pub struct UnknownKey(pub String);

/// Looks up one key by name; `ControlOrMeta` is Meta on macOS and Control elsewhere.
///
/// # Errors
/// The layout has no such key.
pub fn parse_key(name: &str, platform: Platform) -> Result<PhysicalKey, UnknownKey> {
    let name = match (name, platform) {
        ("ControlOrMeta", Platform::Mac) => "Meta",
        ("ControlOrMeta", Platform::Other) => "Control",
        (name, _) => name,
    };
    layout::find(name).ok_or_else(|| UnknownKey(name.to_owned()))
}

/// Reads a shortcut: keys to hold in order, then the key to press, joined by `+`.
///
/// A `+` where a key should begin is the plus key itself (`+`, `Control++`).
///
/// # Errors
/// One of the names is no key. Nothing has been pressed then, so nothing stays held.
pub fn parse_shortcut(shortcut: &str, platform: Platform) -> Result<Vec<PhysicalKey>, UnknownKey> {
    split(shortcut)
        .into_iter()
        .map(|name| parse_key(name, platform))
        .collect()
}

fn split(shortcut: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut start = 0;
    for (at, character) in shortcut.char_indices() {
        if character == '+' && at > start {
            names.push(&shortcut[start..at]);
            start = at + 1;
        }
    }
    names.push(&shortcut[start..]);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plus_separates_and_is_a_key() {
        assert_eq!(split("a"), ["a"]);
        assert_eq!(split("Control+Shift+a"), ["Control", "Shift", "a"]);
        assert_eq!(split("+"), ["+"]);
        assert_eq!(split("Control++"), ["Control", "+"]);
        assert_eq!(split("Control+++Shift"), ["Control", "+", "Shift"]);
        assert_eq!(split("+a"), ["+a"]);
        assert_eq!(split("Control+"), ["Control", ""]);
        assert_eq!(split("++"), ["+", ""]);
        assert_eq!(split("é+漢"), ["é", "漢"]);
    }

    #[test]
    fn unknown_names_are_quoted() {
        let error = |shortcut| {
            parse_shortcut(shortcut, Platform::Other)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(error("Nope"), r#"Unknown key: "Nope""#);
        assert_eq!(error("Control+Nope"), r#"Unknown key: "Nope""#);
        assert_eq!(error("+a"), r#"Unknown key: "+a""#);
        assert_eq!(error("Control+"), r#"Unknown key: """#);
        assert_eq!(error(""), r#"Unknown key: """#);
    }

    #[test]
    fn control_or_meta_depends_on_the_platform() {
        let code = |platform| {
            parse_shortcut("ControlOrMeta+a", platform).unwrap()[0]
                .plain
                .code
        };
        assert_eq!(code(Platform::Other), "ControlLeft");
        assert_eq!(code(Platform::Mac), "MetaLeft");
    }
}
