//! The names of our environment variables, and what to say about names that
//! look like ours and are not.

use super::options::{OPTIONS, OWN_PREFIX, SHARED_PREFIX, Setting, Variable};
use super::upstream;

/// Variables of ours that belong to no option: the server that
/// `install-browser` downloads from.
pub const OTHER_VARIABLES: &[&str] = &["PLAYGUARD_BROWSER_DOWNLOAD_HOST"];

/// The variables that set this, ours first because it wins.
pub(super) fn variable_names(setting: Setting) -> [Option<String>; 2] {
    match setting.variable() {
        Variable::Shared(suffix) => [
            Some(format!("{OWN_PREFIX}{suffix}")),
            Some(format!("{SHARED_PREFIX}{suffix}")),
        ],
        Variable::Own(suffix) => [Some(format!("{OWN_PREFIX}{suffix}")), None],
        Variable::Absent => [None, None],
    }
}

/// Warnings for variables that carry one of the two prefixes and are not
/// read: a typing error, or a setting of upstream that is not here. Being
/// silent about either would let someone believe in a setting that is not in
/// force.
pub fn unread_variables<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut unread: Vec<&str> = names
        .into_iter()
        .filter(|name| name.starts_with(OWN_PREFIX) || name.starts_with(SHARED_PREFIX))
        .filter(|name| !known().any(|known| known == *name))
        .collect();
    // The environment has no order of its own; messages should.
    unread.sort_unstable();
    unread
        .into_iter()
        .map(|name| {
            if let Some(flag) = upstream::flag_of_variable(name) {
                return format!(
                    "The variable {name} has no effect: PlayGuard does not have --{flag} yet."
                );
            }
            let mut warning = format!("The variable {name} is not known and has no effect.");
            if let Some(near) = nearest(name) {
                warning.push_str(&format!(" Did you mean {near}?"));
            }
            warning
        })
        .collect()
}

/// A variable of ours whose value is no text, which the others would take for
/// one that is not set.
pub(super) fn unreadable_variable() -> Option<String> {
    known().find(|name| std::env::var_os(name).is_some_and(|value| value.to_str().is_none()))
}

fn known() -> impl Iterator<Item = String> {
    OPTIONS
        .iter()
        .flat_map(|opt| match opt.variable {
            Variable::Absent => [None, None],
            _ => variable_names(opt.setting),
        })
        .flatten()
        .chain(OTHER_VARIABLES.iter().map(|name| (*name).to_owned()))
}

/// The known variable that a slip of the hand could have turned into `name`:
/// at most a quarter of the part after the prefix differs. Or the one that
/// only we have.
fn nearest(name: &str) -> Option<String> {
    let prefix = if name.starts_with(OWN_PREFIX) {
        OWN_PREFIX
    } else {
        SHARED_PREFIX
    };
    if let Some(suffix) = name.strip_prefix(SHARED_PREFIX) {
        let ours = format!("{OWN_PREFIX}{suffix}");
        if known().any(|known| known == ours) {
            return Some(ours);
        }
    }
    let limit = (name.len() - prefix.len()).div_ceil(4).min(4);
    known()
        .filter(|known| known.starts_with(prefix))
        .map(|known| (strsim::osa_distance(name, &known), known))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_gets_a_hint() {
        assert_eq!(
            unread_variables(["PLAYGUARD_HEADLES", "PATH", "PLAYGUARD_STOCK"]),
            [
                "The variable PLAYGUARD_HEADLES is not known and has no effect. \
                 Did you mean PLAYGUARD_HEADLESS?"
            ]
        );
    }

    #[test]
    fn a_strange_name_gets_none() {
        assert_eq!(
            unread_variables(["PLAYGUARD_COLOUR_OF_MOON", "PLAYGUARD_"]),
            [
                "The variable PLAYGUARD_ is not known and has no effect.",
                "The variable PLAYGUARD_COLOUR_OF_MOON is not known and has no effect."
            ]
        );
    }

    #[test]
    fn a_setting_of_upstream_that_is_not_here_is_announced() {
        assert_eq!(
            unread_variables(["PLAYWRIGHT_MCP_EXTENSION"]),
            ["The variable PLAYWRIGHT_MCP_EXTENSION has no effect: \
                 PlayGuard does not have --extension yet."]
        );
        // Upstream documents this one and does not read it either.
        assert_eq!(
            unread_variables(["PLAYWRIGHT_MCP_SNAPSHOT_MODE"]),
            [
                "The variable PLAYWRIGHT_MCP_SNAPSHOT_MODE is not known and has no effect. \
                 Did you mean PLAYGUARD_SNAPSHOT_MODE?"
            ]
        );
    }

    #[test]
    fn the_variable_of_the_installer_is_known() {
        use playguard_cdp::launch::install::HOST_VARIABLE;
        assert_eq!(OTHER_VARIABLES, [HOST_VARIABLE]);
        assert_eq!(unread_variables([HOST_VARIABLE]), [""; 0]);
        assert!(unread_variables(["PLAYGUARD_BROWSER_DOWNLOAD_HOTS"])[0].contains(HOST_VARIABLE));
    }

    #[test]
    fn names_that_are_not_ascii_are_handled() {
        assert_eq!(unread_variables(["PLAYGUARD_STÖCK"]).len(), 1);
    }

    #[test]
    fn each_prefix_has_its_own_names() {
        assert_eq!(
            variable_names(Setting::CdpHeader),
            [
                Some("PLAYGUARD_CDP_HEADERS".to_owned()),
                Some("PLAYWRIGHT_MCP_CDP_HEADERS".to_owned())
            ]
        );
        assert_eq!(
            variable_names(Setting::Stock),
            [Some("PLAYGUARD_STOCK".to_owned()), None]
        );
    }
}
