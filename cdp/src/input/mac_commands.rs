//! Editing commands that macOS binds to keys.
//!
//! On macOS the system, not the browser, turns keys into editing: AppKit's standard key bindings map
//! a key to selectors such as `deleteBackward:`. Synthetic events bypass it, so the commands go along
//! with the event, spelled without the colon.

use super::keyboard::Modifiers;

const NONE: u8 = 0;
const SHIFT: u8 = 8;
const CONTROL: u8 = 2;
const ALT: u8 = 1;
const META: u8 = 4;

/// The commands for a key (by code) with modifiers held.
pub(super) fn of(code: &str, modifiers: Modifiers) -> &'static [&'static str] {
    let modifiers = modifiers.bits();
    BINDINGS
        .iter()
        .find(|(bound_to, bound_code, _)| *bound_to == modifiers && *bound_code == code)
        .map_or(&[], |(_, _, commands)| commands)
}

/// Modifiers, code, commands. Commands that insert text are absent: the event's own text does that.
#[rustfmt::skip]
static BINDINGS: &[(u8, &str, &[&str])] = &[
    (NONE, "Backspace", &["deleteBackward"]),
    (NONE, "Delete", &["deleteForward"]),
    (NONE, "Escape", &["cancelOperation"]),
    (NONE, "ArrowUp", &["moveUp"]),
    (NONE, "ArrowDown", &["moveDown"]),
    (NONE, "ArrowLeft", &["moveLeft"]),
    (NONE, "ArrowRight", &["moveRight"]),
    (NONE, "F5", &["complete"]),
    (NONE, "Home", &["scrollToBeginningOfDocument"]),
    (NONE, "End", &["scrollToEndOfDocument"]),
    (NONE, "PageUp", &["scrollPageUp"]),
    (NONE, "PageDown", &["scrollPageDown"]),
    (SHIFT, "Backspace", &["deleteBackward"]),
    (SHIFT, "Escape", &["cancelOperation"]),
    (SHIFT, "ArrowUp", &["moveUpAndModifySelection"]),
    (SHIFT, "ArrowDown", &["moveDownAndModifySelection"]),
    (SHIFT, "ArrowLeft", &["moveLeftAndModifySelection"]),
    (SHIFT, "ArrowRight", &["moveRightAndModifySelection"]),
    (SHIFT, "F5", &["complete"]),
    (SHIFT, "Home", &["moveToBeginningOfDocumentAndModifySelection"]),
    (SHIFT, "End", &["moveToEndOfDocumentAndModifySelection"]),
    (SHIFT, "PageUp", &["pageUpAndModifySelection"]),
    (SHIFT, "PageDown", &["pageDownAndModifySelection"]),
    (CONTROL, "Tab", &["selectNextKeyView"]),
    (CONTROL, "KeyA", &["moveToBeginningOfParagraph"]),
    (CONTROL, "KeyB", &["moveBackward"]),
    (CONTROL, "KeyD", &["deleteForward"]),
    (CONTROL, "KeyE", &["moveToEndOfParagraph"]),
    (CONTROL, "KeyF", &["moveForward"]),
    (CONTROL, "KeyH", &["deleteBackward"]),
    (CONTROL, "KeyK", &["deleteToEndOfParagraph"]),
    (CONTROL, "KeyL", &["centerSelectionInVisibleArea"]),
    (CONTROL, "KeyN", &["moveDown"]),
    (CONTROL, "KeyO", &["moveBackward"]),
    (CONTROL, "KeyP", &["moveUp"]),
    (CONTROL, "KeyT", &["transpose"]),
    (CONTROL, "KeyV", &["pageDown"]),
    (CONTROL, "KeyY", &["yank"]),
    (CONTROL, "Backspace", &["deleteBackwardByDecomposingPreviousCharacter"]),
    (CONTROL, "ArrowUp", &["scrollPageUp"]),
    (CONTROL, "ArrowDown", &["scrollPageDown"]),
    (CONTROL, "ArrowLeft", &["moveToLeftEndOfLine"]),
    (CONTROL, "ArrowRight", &["moveToRightEndOfLine"]),
    (CONTROL | SHIFT, "Tab", &["selectPreviousKeyView"]),
    (CONTROL | SHIFT, "KeyA", &["moveToBeginningOfParagraphAndModifySelection"]),
    (CONTROL | SHIFT, "KeyB", &["moveBackwardAndModifySelection"]),
    (CONTROL | SHIFT, "KeyE", &["moveToEndOfParagraphAndModifySelection"]),
    (CONTROL | SHIFT, "KeyF", &["moveForwardAndModifySelection"]),
    (CONTROL | SHIFT, "KeyN", &["moveDownAndModifySelection"]),
    (CONTROL | SHIFT, "KeyP", &["moveUpAndModifySelection"]),
    (CONTROL | SHIFT, "KeyV", &["pageDownAndModifySelection"]),
    (CONTROL | SHIFT, "Backspace", &["deleteBackwardByDecomposingPreviousCharacter"]),
    (CONTROL | SHIFT, "ArrowUp", &["scrollPageUp"]),
    (CONTROL | SHIFT, "ArrowDown", &["scrollPageDown"]),
    (CONTROL | SHIFT, "ArrowLeft", &["moveToLeftEndOfLineAndModifySelection"]),
    (CONTROL | SHIFT, "ArrowRight", &["moveToRightEndOfLineAndModifySelection"]),
    (ALT, "Backspace", &["deleteWordBackward"]),
    (ALT, "Delete", &["deleteWordForward"]),
    (ALT, "Escape", &["complete"]),
    (ALT, "ArrowUp", &["moveBackward", "moveToBeginningOfParagraph"]),
    (ALT, "ArrowDown", &["moveForward", "moveToEndOfParagraph"]),
    (ALT, "ArrowLeft", &["moveWordLeft"]),
    (ALT, "ArrowRight", &["moveWordRight"]),
    (ALT, "PageUp", &["pageUp"]),
    (ALT, "PageDown", &["pageDown"]),
    (ALT | SHIFT, "Backspace", &["deleteWordBackward"]),
    (ALT | SHIFT, "Delete", &["deleteWordForward"]),
    (ALT | SHIFT, "Escape", &["complete"]),
    (ALT | SHIFT, "ArrowUp", &["moveParagraphBackwardAndModifySelection"]),
    (ALT | SHIFT, "ArrowDown", &["moveParagraphForwardAndModifySelection"]),
    (ALT | SHIFT, "ArrowLeft", &["moveWordLeftAndModifySelection"]),
    (ALT | SHIFT, "ArrowRight", &["moveWordRightAndModifySelection"]),
    (ALT | SHIFT, "PageUp", &["pageUp"]),
    (ALT | SHIFT, "PageDown", &["pageDown"]),
    (CONTROL | ALT, "KeyB", &["moveWordBackward"]),
    (CONTROL | ALT, "KeyF", &["moveWordForward"]),
    (CONTROL | ALT, "Backspace", &["deleteWordBackward"]),
    (META, "Backspace", &["deleteToBeginningOfLine"]),
    (META, "ArrowUp", &["moveToBeginningOfDocument"]),
    (META, "ArrowDown", &["moveToEndOfDocument"]),
    (META, "ArrowLeft", &["moveToLeftEndOfLine"]),
    (META, "ArrowRight", &["moveToRightEndOfLine"]),
    (META, "KeyA", &["selectAll"]),
    (META, "KeyC", &["copy"]),
    (META, "KeyV", &["paste"]),
    (META, "KeyX", &["cut"]),
    (META, "KeyZ", &["undo"]),
    (META | SHIFT, "Backspace", &["deleteToBeginningOfLine"]),
    (META | SHIFT, "ArrowUp", &["moveToBeginningOfDocumentAndModifySelection"]),
    (META | SHIFT, "ArrowDown", &["moveToEndOfDocumentAndModifySelection"]),
    (META | SHIFT, "ArrowLeft", &["moveToLeftEndOfLineAndModifySelection"]),
    (META | SHIFT, "ArrowRight", &["moveToRightEndOfLineAndModifySelection"]),
    (META | SHIFT, "KeyZ", &["redo"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn bindings_need_exactly_their_modifiers() {
        assert_eq!(of("KeyA", Modifiers::META), ["selectAll"]);
        assert_eq!(
            of("KeyA", Modifiers::CONTROL),
            ["moveToBeginningOfParagraph"]
        );
        assert_eq!(of("KeyZ", Modifiers::META.with(Modifiers::SHIFT)), ["redo"]);
        assert!(of("KeyA", Modifiers::NONE).is_empty());
        assert_eq!(of("ArrowLeft", Modifiers::ALT), ["moveWordLeft"]);
    }

    #[test]
    fn each_shortcut_is_bound_once_and_to_a_known_key() {
        let keys: HashSet<_> = BINDINGS
            .iter()
            .map(|&(modifiers, code, _)| (modifiers, code))
            .collect();
        assert_eq!(keys.len(), BINDINGS.len());
        for (_, code, _) in BINDINGS {
            assert!(super::super::layout::find(code).is_some(), "{code}");
        }
    }
}
