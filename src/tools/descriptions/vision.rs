//! The tools of capability `vision`.

use super::Prose;

/// The tools of capability `vision`.
pub(super) const VISION: &[Prose] = &[
    Prose {
        tool: "browser_mouse_move_xy",
        text: "Move the mouse to a point of the viewport.",
        parameters: &[
            ("x", "CSS pixels from the left"),
            ("y", "CSS pixels from the top"),
        ],
    },
    Prose {
        tool: "browser_mouse_click_xy",
        text: "Click at a point of the viewport. Nothing checks what is there: prefer browser_click.",
        parameters: &[
            ("x", "CSS pixels from the left"),
            ("y", "CSS pixels from the top"),
            ("button", "Button, left if not given"),
            ("clickCount", "Clicks in a row, 1 if not given"),
            (
                "delay",
                "Milliseconds the button stays down, and between clicks",
            ),
        ],
    },
    Prose {
        tool: "browser_mouse_drag_xy",
        text: "Drag with the left button from one point of the viewport to another.",
        parameters: &[
            ("startX", "Start, CSS pixels from the left"),
            ("startY", "Start, CSS pixels from the top"),
            ("endX", "End, CSS pixels from the left"),
            ("endY", "End, CSS pixels from the top"),
        ],
    },
    Prose {
        tool: "browser_mouse_down",
        text: "Press a mouse button where the mouse is and keep it down.",
        parameters: &[("button", "Button, left if not given")],
    },
    Prose {
        tool: "browser_mouse_up",
        text: "Release a mouse button.",
        parameters: &[("button", "Button, left if not given")],
    },
    Prose {
        tool: "browser_mouse_wheel",
        text: "Turn the mouse wheel where the mouse is.",
        parameters: &[
            ("deltaX", "CSS pixels to the right"),
            ("deltaY", "CSS pixels down"),
        ],
    },
];
