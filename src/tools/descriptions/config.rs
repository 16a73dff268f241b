//! The tools of capability `config`.

use super::Prose;

/// The tools of capability `config`.
pub(super) const CONFIG: &[Prose] = &[Prose {
    tool: "browser_get_config",
    text: "Show the configuration of this server, from file, environment and flags.",
    parameters: &[],
}];
