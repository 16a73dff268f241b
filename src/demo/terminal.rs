//! What the place where the transcript goes can show.

use std::io::IsTerminal as _;

/// What can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Columns that text is fitted into. From 80 on each call has one line,
    /// below that two.
    pub width: usize,
    /// Whether to send escape sequences for colour.
    pub color: bool,
    /// Whether more than ASCII can be shown.
    pub unicode: bool,
}

impl Terminal {
    /// Columns when nobody says how many there are.
    pub const USUAL_WIDTH: usize = 80;

    /// What standard output can show.
    pub fn of_stdout() -> Self {
        Self::detect(
            std::io::stdout().is_terminal(),
            cfg!(target_os = "linux"),
            |name| std::env::var(name).ok(),
        )
    }

    /// Judges from the environment. `is_terminal` is false for files and
    /// pipes. Where the locale is not the judge of what can be shown, as on
    /// Windows, `locale_decides` is false and everything can be.
    ///
    /// Colour follows <https://no-color.org>: any value of `NO_COLOR` but the
    /// empty one turns it off.
    fn detect(
        is_terminal: bool,
        locale_decides: bool,
        var: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        // The order in which POSIX looks at them.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let utf8 = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        Terminal {
            width: set("COLUMNS")
                .and_then(|columns| columns.parse().ok())
                .filter(|columns| is_terminal && *columns >= 20)
                .unwrap_or(Self::USUAL_WIDTH),
            color: is_terminal
                && set("NO_COLOR").is_none()
                && set("TERM").is_none_or(|term| term != "dumb"),
            unicode: utf8 || !locale_decides,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(is_terminal: bool, vars: &[(&str, &str)]) -> Terminal {
        Terminal::detect(is_terminal, true, |name| {
            vars.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn colour_needs_a_terminal_that_was_not_asked_to_stay_plain() {
        assert!(detect(true, &[]).color);
        assert!(detect(true, &[("NO_COLOR", "")]).color);
        assert!(!detect(false, &[]).color);
        assert!(!detect(true, &[("NO_COLOR", "1")]).color);
        assert!(!detect(true, &[("TERM", "dumb")]).color);
    }

    #[test]
    fn the_first_locale_that_is_set_decides() {
        assert!(!detect(true, &[]).unicode);
        assert!(detect(true, &[("LANG", "en_GB.UTF-8")]).unicode);
        assert!(detect(true, &[("LC_CTYPE", "C.utf8"), ("LANG", "C")]).unicode);
        assert!(!detect(true, &[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]).unicode);
        assert!(detect(true, &[("LC_ALL", ""), ("LANG", "en_GB.UTF-8")]).unicode);
        assert!(Terminal::detect(true, false, |_| None).unicode);
    }

    #[test]
    fn width_is_that_of_the_terminal_if_it_makes_sense() {
        assert_eq!(detect(true, &[("COLUMNS", "120")]).width, 120);
        assert_eq!(detect(true, &[("COLUMNS", "60")]).width, 60);
        assert_eq!(detect(true, &[("COLUMNS", "0")]).width, 80);
        assert_eq!(detect(true, &[("COLUMNS", "wide")]).width, 80);
        assert_eq!(detect(false, &[("COLUMNS", "120")]).width, 80);
    }
}
