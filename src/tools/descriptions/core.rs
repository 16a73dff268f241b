//! The tools that are always on.

use super::{ELEMENT, Prose, SAVE, TARGET};

/// The tools that are always on.
pub(super) const CORE: &[Prose] = &[
    Prose {
        tool: "browser_close",
        text: "Close the browser. The next call starts a fresh one.",
        parameters: &[],
    },
    Prose {
        tool: "browser_resize",
        text: "Set the size of the page's viewport.",
        parameters: &[
            ("width", "Width in CSS pixels"),
            ("height", "Height in CSS pixels"),
        ],
    },
    Prose {
        tool: "browser_console_messages",
        text: "Read what the page wrote to the console, with uncaught exceptions.",
        parameters: &[
            (
                "level",
                "Least severe level to include; more severe ones are always included",
            ),
            ("all", "Include messages from before the last navigation"),
            ("filename", SAVE),
        ],
    },
    Prose {
        tool: "browser_handle_dialog",
        text: "Answer the open alert, confirm, prompt or beforeunload dialog.",
        parameters: &[
            ("accept", "True for OK, false for Cancel"),
            ("promptText", "Answer to give to a prompt"),
        ],
    },
    Prose {
        tool: "browser_emulate_media",
        text: "Override media features of the page. Omitted ones stay as they are, null ends an override.",
        parameters: &[
            ("colorScheme", "Value of prefers-color-scheme"),
            ("reducedMotion", "Value of prefers-reduced-motion"),
            ("forcedColors", "Value of forced-colors"),
            ("contrast", "Value of prefers-contrast"),
            ("media", "CSS media type"),
        ],
    },
    Prose {
        tool: "browser_evaluate",
        text: "Run JavaScript in the page and return its value as JSON.",
        parameters: &[
            ("element", ELEMENT),
            (
                "target",
                "Element to pass to the function: ref, CSS selector or locator",
            ),
            (
                "function",
                "() => { ... }, or (element) => { ... } when target is given; a plain expression works too",
            ),
            ("filename", SAVE),
        ],
    },
    Prose {
        tool: "browser_file_upload",
        text: "Give files to the open file chooser.",
        parameters: &[(
            "paths",
            "Absolute paths of the files; omit to cancel the chooser",
        )],
    },
    Prose {
        tool: "browser_drop",
        text: "Drop files or data onto an element, as if dragged in from outside the page.",
        parameters: &[
            ("element", ELEMENT),
            ("target", TARGET),
            ("paths", "Absolute paths of files to drop"),
            (
                "data",
                "Data to drop, by MIME type, such as {\"text/plain\": \"hello\"}",
            ),
        ],
    },
    Prose {
        tool: "browser_find",
        text: "Search the page's snapshot and return the matching lines with refs and some lines around them. Cheaper than a whole snapshot.",
        parameters: &[
            ("text", "Text to look for, ignoring case"),
            (
                "regex",
                "JavaScript regular expression to look for instead: /source/flags or only its source",
            ),
            ("filename", SAVE),
        ],
    },
    Prose {
        tool: "browser_fill_form",
        text: "Fill in several form fields, one after the other.",
        parameters: &[
            ("fields", "The fields, in the order to fill them"),
            ("fields.element", ELEMENT),
            ("fields.target", TARGET),
            ("fields.name", "Name of the field for people"),
            ("fields.type", "Kind of field"),
            (
                "fields.value",
                "Text or number to enter; true or false for checkbox and radio; the option's label for combobox",
            ),
        ],
    },
    Prose {
        tool: "browser_press_key",
        text: "Press a key or a combination of keys where the focus is.",
        parameters: &[(
            "key",
            "Key or character, such as ArrowLeft, Enter, a, Control+a",
        )],
    },
    Prose {
        tool: "browser_type",
        text: "Enter text into an editable element, replacing what it holds.",
        parameters: &[
            ("element", ELEMENT),
            ("target", TARGET),
            ("text", "Text to enter"),
            ("submit", "Press Enter afterwards"),
            (
                "slowly",
                "Press one key per character, without clearing first, for pages that listen to keys",
            ),
        ],
    },
    Prose {
        tool: "browser_navigate",
        text: "Open a URL in the current tab.",
        parameters: &[(
            "url",
            "Address to open; https:// is assumed when it names no scheme",
        )],
    },
    Prose {
        tool: "browser_navigate_back",
        text: "Go back to the previous page in the tab's history.",
        parameters: &[],
    },
    Prose {
        tool: "browser_network_requests",
        text: "List the requests made since the last browser_navigate, numbered. browser_network_request shows one of them.",
        parameters: &[
            (
                "static",
                "Include successful requests for images, fonts, scripts, styles and the like",
            ),
            (
                "filter",
                "JavaScript regular expression that the URL must match",
            ),
            ("filename", SAVE),
        ],
    },
    Prose {
        tool: "browser_network_request",
        text: "Show headers or body of one request.",
        parameters: &[
            ("index", "Number from browser_network_requests"),
            ("part", "Only this part; bodies are shown only on request"),
            ("filename", SAVE),
        ],
    },
    Prose {
        tool: "browser_run_code_unsafe",
        text: "Run Playwright code with full power over the browser. Prefer the other tools.",
        parameters: &[
            (
                "code",
                "Function that takes the page: async (page) => { ... }",
            ),
            ("filename", "File to load the code from instead"),
        ],
    },
    Prose {
        tool: "browser_take_screenshot",
        text: "Take a picture of the page. To act on the page, use browser_snapshot: pictures have no refs.",
        parameters: &[
            ("element", ELEMENT),
            (
                "target",
                "Element to take a picture of: ref, CSS selector or locator; the viewport when omitted",
            ),
            ("type", "Format; follows the file name, else png"),
            (
                "filename",
                "Save to this file, relative to the workspace, and do not return the picture",
            ),
            (
                "fullPage",
                "The whole scrollable page; not together with target",
            ),
            (
                "scale",
                "css: one pixel per CSS pixel; device: the screen's pixels",
            ),
        ],
    },
    Prose {
        tool: "browser_snapshot",
        text: "Get the page as an accessibility tree in text form, with a ref for each element. Best way to see what is there and to act on it.",
        parameters: &[
            (
                "target",
                "Only the part below this element: ref, CSS selector or locator",
            ),
            ("filename", SAVE),
            ("depth", "Levels to show; all when omitted"),
            (
                "boxes",
                "Add position and size: [box=x,y,width,height] in CSS pixels",
            ),
        ],
    },
    Prose {
        tool: "browser_click",
        text: "Click an element.",
        parameters: &[
            ("element", ELEMENT),
            ("target", TARGET),
            ("doubleClick", "Click twice"),
            ("button", "Mouse button; left when omitted"),
            ("modifiers", "Keys to hold down"),
        ],
    },
    Prose {
        tool: "browser_drag",
        text: "Drag one element onto another with the mouse.",
        parameters: &[
            (
                "startElement",
                "Short human description of the element to drag",
            ),
            (
                "startTarget",
                "Element to drag: ref, CSS selector or locator",
            ),
            (
                "endElement",
                "Short human description of the element to drop on",
            ),
            (
                "endTarget",
                "Element to drop on: ref, CSS selector or locator",
            ),
        ],
    },
    Prose {
        tool: "browser_hover",
        text: "Move the mouse over an element.",
        parameters: &[("element", ELEMENT), ("target", TARGET)],
    },
    Prose {
        tool: "browser_select_option",
        text: "Choose options of a select element.",
        parameters: &[
            ("element", ELEMENT),
            ("target", TARGET),
            (
                "values",
                "Values or labels of the options; several for a multiple select",
            ),
        ],
    },
    Prose {
        tool: "browser_tabs",
        text: "List, open, close or select tabs.",
        parameters: &[
            ("action", "What to do"),
            (
                "index",
                "Number from the list: tab to close (the current one when omitted) or to select",
            ),
            ("url", "Address to open in a new tab"),
        ],
    },
    Prose {
        tool: "browser_wait_for",
        text: "Wait until a text appears or disappears, or for some time.",
        parameters: &[
            ("time", "Seconds to wait, at most 30"),
            ("text", "Text that must appear"),
            ("textGone", "Text that must disappear"),
        ],
    },
];
