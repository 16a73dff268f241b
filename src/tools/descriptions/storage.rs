//! The tools of capability `storage`.

use super::Prose;

/// The tools of capability `storage`.
pub(super) const STORAGE: &[Prose] = &[
    Prose {
        tool: "browser_cookie_list",
        text: "List cookies, of all sites.",
        parameters: &[
            ("domain", "Only domains that contain this"),
            ("path", "Only paths that begin with this"),
        ],
    },
    Prose {
        tool: "browser_cookie_get",
        text: "Read a cookie.",
        parameters: &[("name", "Name of the cookie")],
    },
    Prose {
        tool: "browser_cookie_set",
        text: "Set a cookie.",
        parameters: &[
            ("name", "Name of the cookie"),
            ("value", "Value of the cookie"),
            ("domain", "Domain, that of the page if not given"),
            ("path", "Path, / if not given"),
            (
                "expires",
                "End, in seconds since 1970; with the session if not given",
            ),
            ("httpOnly", "Hide it from scripts"),
            ("secure", "Send it over https only"),
            ("sameSite", "Whether other sites get to send it"),
        ],
    },
    Prose {
        tool: "browser_cookie_delete",
        text: "Remove the cookies of a name.",
        parameters: &[("name", "Name of the cookies")],
    },
    Prose {
        tool: "browser_cookie_clear",
        text: "Remove all cookies.",
        parameters: &[],
    },
    Prose {
        tool: "browser_localstorage_list",
        text: "List all localStorage items of the page.",
        parameters: &[],
    },
    Prose {
        tool: "browser_localstorage_get",
        text: "Read a localStorage item.",
        parameters: &[("key", "Key of the item")],
    },
    Prose {
        tool: "browser_localstorage_set",
        text: "Set a localStorage item.",
        parameters: &[("key", "Key of the item"), ("value", "Value of the item")],
    },
    Prose {
        tool: "browser_localstorage_delete",
        text: "Remove a localStorage item.",
        parameters: &[("key", "Key of the item")],
    },
    Prose {
        tool: "browser_localstorage_clear",
        text: "Remove all localStorage items of the page.",
        parameters: &[],
    },
    Prose {
        tool: "browser_sessionstorage_list",
        text: "List all sessionStorage items of the page.",
        parameters: &[],
    },
    Prose {
        tool: "browser_sessionstorage_get",
        text: "Read a sessionStorage item.",
        parameters: &[("key", "Key of the item")],
    },
    Prose {
        tool: "browser_sessionstorage_set",
        text: "Set a sessionStorage item.",
        parameters: &[("key", "Key of the item"), ("value", "Value of the item")],
    },
    Prose {
        tool: "browser_sessionstorage_delete",
        text: "Remove a sessionStorage item.",
        parameters: &[("key", "Key of the item")],
    },
    Prose {
        tool: "browser_sessionstorage_clear",
        text: "Remove all sessionStorage items of the page.",
        parameters: &[],
    },
    Prose {
        tool: "browser_storage_state",
        text: "Save cookies and localStorage to a file, to restore them later.",
        parameters: &[(
            "filename",
            "File to write, relative to the workspace; storage-state-<time>.json in the output folder if not given",
        )],
    },
    Prose {
        tool: "browser_set_storage_state",
        text: "Replace cookies and localStorage by what a saved file holds.",
        parameters: &[("filename", "File to read, relative to the workspace")],
    },
];
