//! The tools of capability `testing`.

use super::{ELEMENT, Prose, TARGET};

/// The tools of capability `testing`.
pub(super) const TESTING: &[Prose] = &[
    Prose {
        tool: "browser_generate_locator",
        text: "Give a locator for an element that test code can use.",
        parameters: &[("element", ELEMENT), ("target", TARGET)],
    },
    Prose {
        tool: "browser_verify_element_visible",
        text: "Check that an element of a role and name is on the page.",
        parameters: &[
            ("role", "ARIA role, such as button"),
            ("accessibleName", "Accessible name or a part of it"),
        ],
    },
    Prose {
        tool: "browser_verify_text_visible",
        text: "Check that a text is visible. Prefer browser_verify_element_visible.",
        parameters: &[("text", "Text or a part of it")],
    },
    Prose {
        tool: "browser_verify_list_visible",
        text: "Check that a list shows items.",
        parameters: &[
            ("element", ELEMENT),
            ("target", TARGET),
            ("items", "Texts of the items"),
        ],
    },
    Prose {
        tool: "browser_verify_value",
        text: "Check what a field, box or selection holds.",
        parameters: &[
            ("type", "Kind of the control"),
            ("element", ELEMENT),
            ("target", TARGET),
            (
                "value",
                "Expected value; true or false for a checkbox or radio",
            ),
        ],
    },
];
