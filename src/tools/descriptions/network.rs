//! The tools of capability `network`.

use super::Prose;

/// The tools of capability `network`.
pub(super) const NETWORK: &[Prose] = &[
    Prose {
        tool: "browser_network_state_set",
        text: "Take the browser offline, or back online.",
        parameters: &[("state", "The state from now on")],
    },
    Prose {
        tool: "browser_route",
        text: "Answer matching requests with a mock (give status or body), or change the headers of what is sent. Later routes win.",
        parameters: &[
            (
                "pattern",
                "URL pattern; * is anything but a slash, ** anything, {a,b} one of several, as in **/api/users",
            ),
            (
                "status",
                "Status of the mocked answer, 200 if only a body is given",
            ),
            ("body", "Body of the mocked answer, text or JSON"),
            ("contentType", "Content type of the mocked answer"),
            ("headers", "Headers to add, each as Name: Value"),
            (
                "removeHeaders",
                "Names of request headers to leave out, separated by commas",
            ),
        ],
    },
    Prose {
        tool: "browser_route_list",
        text: "List the active routes.",
        parameters: &[],
    },
    Prose {
        tool: "browser_unroute",
        text: "Remove routes.",
        parameters: &[(
            "pattern",
            "Pattern of the routes to remove; all if not given",
        )],
    },
];
