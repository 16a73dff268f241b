//! Regular expressions with JavaScript's grammar and meaning (ECMA-262), as tool arguments carry
//! them.

use std::fmt;

use regress::{Flags, Regex};

/// Flags of a JavaScript regular expression, in the order the `flags` property prints them.
const KNOWN_FLAGS: &str = "dgimsuvy";

/// Deeper nesting than this is refused: the engine's parser and compiler recurse, and a pattern of
/// a few kilobytes must not overflow the stack.
const MAX_NESTING: usize = 250;

/// The text was no valid pattern. It prints as the validation message upstream gives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid regular expression")]
pub struct InvalidRegex;

/// A compiled regular expression. Displays as `String(RegExp)` does: `/source/flags`.
///
/// One difference to JavaScript: text is always read by code points, so `.` takes a whole emoji
/// even without the `u` flag. Matching backtracks and has no time limit: match one line at a time,
/// and outside the async runtime when the text comes from a page.
#[derive(Debug, Clone)]
pub struct JsRegex {
    source: String,
    flags: String,
    regex: Regex,
    sticky: bool,
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
        let mut seen = String::new();
        for flag in flags.chars() {
            if !KNOWN_FLAGS.contains(flag) || seen.contains(flag) {
                return Err(InvalidRegex);
            }
            seen.push(flag);
        }
        let has = |flag| seen.contains(flag);
        if (has('u') && has('v')) || nesting(source) > MAX_NESTING {
            return Err(InvalidRegex);
        }
        let regex = Regex::with_flags(
            source,
            Flags {
                icase: has('i'),
                multiline: has('m'),
                dot_all: has('s'),
                unicode: has('u'),
                unicode_sets: has('v'),
                ..Flags::default()
            },
        )
        .map_err(|_| InvalidRegex)?;
        Ok(Self {
            source: printable(source),
            flags: KNOWN_FLAGS.chars().filter(|flag| has(*flag)).collect(),
            sticky: has('y'),
            regex,
        })
    }

    /// Whether the text contains a match; with the flag `y`, whether it begins with one.
    pub fn is_match(&self, text: &str) -> bool {
        match self.regex.find(text) {
            Some(found) => !self.sticky || found.start() == 0,
            None => false,
        }
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

/// The deepest nesting of groups and classes; an upper bound, as escapes and classes are honoured
/// but not understood.
fn nesting(source: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '(' | '[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
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
    fn nesting_is_bounded() {
        let deep = |levels: usize| "(".repeat(levels) + &")".repeat(levels);
        assert!(JsRegex::parse(&deep(MAX_NESTING)).is_ok());
        assert!(JsRegex::parse(&deep(100_000)).is_err());
        assert!(JsRegex::parse(&"[".repeat(100_000)).is_err());
    }
}
