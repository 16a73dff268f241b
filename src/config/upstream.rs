//! What `@playwright/mcp` 0.0.83 has and we have not, so that whoever brings
//! such a setting along hears that it is missing, rather than unknown.

use super::options::SHARED_PREFIX;

/// Its flags that are not here yet, with the rest of the variable that sets
/// the same thing, after `PLAYWRIGHT_MCP_`. Without one, upstream has no such
/// variable or does not read it.
pub const NOT_YET: &[(&str, Option<&str>)] = &[
    ("codegen", Some("CODEGEN")),
    ("endpoint", None),
    ("extension", Some("EXTENSION")),
    ("init-page", Some("INIT_PAGE")),
    ("no-webmcp", Some("WEBMCP")),
    ("profile-dir-name", Some("PROFILE_DIR_NAME")),
    ("remote-header", Some("REMOTE_HEADERS")),
];

/// Whether upstream has this flag, given without its dashes, and we do not.
pub fn is_not_yet(flag: &str) -> bool {
    NOT_YET.iter().any(|(known, _)| *known == flag)
}

/// The flag that is not here yet and whose variable this is, without dashes.
pub(super) fn flag_of_variable(name: &str) -> Option<&'static str> {
    let suffix = name.strip_prefix(SHARED_PREFIX)?;
    NOT_YET
        .iter()
        .find(|(_, variable)| *variable == Some(suffix))
        .map(|(flag, _)| *flag)
}

#[cfg(test)]
mod tests {
    use super::super::options::OPTIONS;
    use super::*;

    #[test]
    fn the_list_is_sorted_and_holds_nothing_that_is_here() {
        assert!(NOT_YET.is_sorted_by(|a, b| a.0 < b.0));
        for (flag, _) in NOT_YET {
            assert!(OPTIONS.iter().all(|opt| opt.long != *flag), "--{flag}");
        }
        assert!(is_not_yet("extension") && !is_not_yet("headless"));
    }

    #[test]
    fn variables_lead_to_their_flags() {
        assert_eq!(
            flag_of_variable("PLAYWRIGHT_MCP_REMOTE_HEADERS"),
            Some("remote-header")
        );
        assert_eq!(flag_of_variable("PLAYWRIGHT_MCP_HEADLESS"), None);
        assert_eq!(flag_of_variable("PLAYGUARD_PORT"), None);
    }
}
