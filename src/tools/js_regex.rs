//! Regular expressions with JavaScript's grammar and meaning (ECMA-262), as tool arguments carry
//! them.

use std::fmt;

use playguard_cdp::locator;

/// Flags of a JavaScript regular expression, in the order the `flags` property prints them.
const KNOWN_FLAGS: &str = "dgimsuvy";

/// The text was no valid pattern. It prints as the validation message upstream gives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid regular expression")]
pub struct InvalidRegex;

/// A compiled regular expression. Displays as `String(RegExp)` does: `/source/flags`.
///
/// The engine is that of locators: linear in the text, except for look-around and back-references,
/// where it gives up after a number of steps and reports no match. Text comes from pages, and no
/// page may keep the server busy. It reads code points, so `.` takes a whole emoji even without
/// the `u` flag, and patterns of excessive size or nesting are refused.
#[derive(Debug, Clone)]
pub struct JsRegex {
    source: String,
    flags: String,
    regex: locator::JsRegex,
}

impl JsRegex {
    /// Compiles a bare source, as `new RegExp(source)` does.
    ///
    /// # Errors
    /// [`InvalidRegex`] when JavaScript would throw a SyntaxError.
    pub fn from_source(source: &str) -> Result<Self, InvalidRegex> {
        Self::new(source, "")
    }

    /// Compiles `/source/flags` or a bare source. The flag `g` is dropped: it would make `test`
    /// remember where it stood. Text such as `/api/users`, whose tail are no flags, is a source.
    ///
    /// # Errors
    /// [`InvalidRegex`] when JavaScript would throw a SyntaxError.
    pub fn parse(text: &str) -> Result<Self, InvalidRegex> {
        match literal(text) {
            Some((source, flags)) => Self::new(source, &flags.replace('g', "")),
            None => Self::from_source(text),
        }
    }

    fn new(source: &str, flags: &str) -> Result<Self, InvalidRegex> {
        if flags.contains('u') && flags.contains('v') {
            return Err(InvalidRegex);
        }
        // A sticky expression that starts anew each time matches at the start only.
        let anchored;
        let pattern = if flags.contains('y') {
            // First on its own: `a)(b` must not become valid.
            locator::JsRegex::new(source, flags).map_err(|_| InvalidRegex)?;
            anchored = format!("^(?:{source})");
            &anchored
        } else {
            source
        };
        Ok(Self {
            source: printable(source),
            flags: KNOWN_FLAGS
                .chars()
                .filter(|flag| flags.contains(*flag))
                .collect(),
            regex: locator::JsRegex::new(pattern, flags).map_err(|_| InvalidRegex)?,
        })
    }

    /// Whether the text contains a match; with the flag `y`, whether it begins with one.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl fmt::Display for JsRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.source, self.flags)
    }
}

/// Splits `/source/flags` when the text has that form.
fn literal(text: &str) -> Option<(&str, &str)> {
    let (source, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    let is_literal = !source.is_empty() && flags.chars().all(|flag| KNOWN_FLAGS.contains(flag));
    is_literal.then_some((source, flags))
}

/// The `source` property: slashes outside classes and line ends are escaped, and an empty pattern
/// becomes `(?:)` (ECMA-262 `EscapeRegExpPattern`).
fn printable(source: &str) -> String {
    if source.is_empty() {
        return "(?:)".to_owned();
    }
    let mut out = String::with_capacity(source.len());
    let mut in_class = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push('\\');
                out.extend(chars.next().map(line_end));
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => out.push('\\'),
            _ => {}
        }
        match line_end(c) {
            plain if plain == c => out.push(c),
            letter => {
                out.push('\\');
                out.push(letter);
            }
        }
    }
    out
}

/// The letter of the escape of a line end, any other character as it is. U+2028 and U+2029 have no
/// letter and stay.
fn line_end(c: char) -> char {
    match c {
        '\n' => 'n',
        '\r' => 'r',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> JsRegex {
        JsRegex::parse(text).unwrap()
    }

    #[test]
    fn literals_and_bare_sources() {
        let regex = parsed("/apples/i");
        assert_eq!(regex.to_string(), "/apples/i");
        assert!(regex.is_match("Red APPLES"));
        let bare = parsed("apples");
        assert_eq!(bare.to_string(), "/apples/");
        assert!(!bare.is_match("Red APPLES"));
    }

    #[test]
    fn the_global_flag_is_dropped_and_flags_are_sorted() {
        assert_eq!(parsed("/a/gi").to_string(), "/a/i");
        assert_eq!(parsed("/a/smi").to_string(), "/a/ims");
    }

    #[test]
    fn paths_are_sources() {
        assert_eq!(parsed("/api/users").to_string(), r"/\/api\/users/");
        assert!(parsed("/api/.*user").is_match("http://h/api/x/user"));
        assert!(parsed("//").is_match("http://h"));
        assert_eq!(
            JsRegex::from_source("/a/i").unwrap().to_string(),
            r"/\/a\/i/"
        );
    }

    #[test]
    fn invalid_patterns() {
        for text in [
            "(",
            "[",
            "a**",
            "/a/ii",
            "/a/uv",
            "(?<n>a)(?<n>b)",
            "/\\u{110000}/u",
        ] {
            assert_eq!(
                JsRegex::parse(text).unwrap_err().to_string(),
                "Invalid regular expression"
            );
        }
    }

    #[test]
    fn javascript_meaning() {
        // Back-references, look-behind and named groups, none of which a linear engine knows.
        assert!(parsed(r"(\w)\1").is_match("apple"));
        assert!(parsed(r"(?<=\$)\d+").is_match("cost $42"));
        assert!(parsed(r"(?<y>\d{4})-\k<y>").is_match("2026-2026"));
        // Annex B: a lone brace is literal without the flag u.
        assert!(parsed("{").is_match("a{b"));
        assert!(JsRegex::parse("/{/u").is_err());
        assert!(parsed("/b/y").is_match("bc"));
        assert!(!parsed("/b/y").is_match("ab"));
        assert!(parsed("").is_match("anything"));
    }

    #[test]
    fn source_prints_as_in_javascript() {
        assert_eq!(parsed("").to_string(), "/(?:)/");
        assert_eq!(parsed("a/b").to_string(), r"/a\/b/");
        assert_eq!(parsed(r"a\/b").to_string(), r"/a\/b/");
        assert_eq!(parsed("[/]").to_string(), "/[/]/");
        assert_eq!(parsed("a\nb").to_string(), r"/a\nb/");
    }

    #[test]
    fn no_pattern_is_too_much() {
        let deep = |levels: usize| "(".repeat(levels) + &")*".repeat(levels);
        for pattern in [deep(100_000), "a|".repeat(100_000), "[".repeat(100_000)] {
            assert!(JsRegex::parse(&pattern).is_err());
        }
        // Both take for ever on an engine that backtracks without a limit.
        for pattern in ["a.*b.*c.*d", "(a+)+$", r"(a*)*\1b"] {
            parsed(pattern).is_match(&"ab".repeat(20_000));
        }
    }
}
