//! JavaScript regular expressions on Rust's engines.
//!
//! Locators carry regular expressions in JavaScript syntax. The syntax is
//! translated, not passed through, because the two dialects differ silently:
//! `\d` and `\w` are ASCII in JavaScript, `.` stops at four line terminators,
//! `[` is literal inside a class, `\<` is a plain `<`. Expressions without
//! look-around and back references run on the linear-time engine; the others
//! on a backtracking one with a step limit, since the text comes from pages.

mod class;
mod translate;

use std::fmt;
use std::sync::Arc;

use super::LocatorError;
use translate::Translator;

/// Steps that one match attempt may take on the backtracking engine. An
/// attempt that needs more counts as no match.
const BACKTRACK_LIMIT: usize = 200_000;
/// Characters in an expression; longer ones are refused.
const MAX_SOURCE: usize = 10_000;

/// A compiled JavaScript regular expression.
#[derive(Clone)]
pub struct JsRegex {
    source: String,
    flags: String,
    engine: Engine,
}

#[derive(Clone)]
enum Engine {
    Linear(Arc<regex::Regex>),
    Backtracking(Arc<fancy_regex::Regex>),
}

impl JsRegex {
    /// Compiles `source` (the text between the slashes) with `flags`.
    ///
    /// # Errors
    /// [`LocatorError::Regex`] if JavaScript would reject the expression or if
    /// it has no translation (lone surrogates, set notation of the `v` flag).
    pub fn new(source: &str, flags: &str) -> Result<Self, LocatorError> {
        Self::compile(source, flags).map_err(|reason| LocatorError::Regex {
            literal: format!("/{source}/{flags}"),
            reason,
        })
    }

    fn compile(source: &str, flags: &str) -> Result<Self, String> {
        for (i, flag) in flags.chars().enumerate() {
            if !"dgimsuvy".contains(flag) || flags.chars().take(i).any(|f| f == flag) {
                return Err(format!("Invalid flags '{flags}'"));
            }
        }
        if source.chars().count() > MAX_SOURCE {
            return Err("Regular expression too large".into());
        }
        let linear = Translator::run(source, flags, false)?;
        let engine = if linear.needs_backtracking {
            let pattern = Translator::run(source, flags, true)?.out;
            let compiled = fancy_regex::RegexBuilder::new(&pattern)
                .backtrack_limit(BACKTRACK_LIMIT)
                .build()
                .map_err(|error| error.to_string())?;
            Engine::Backtracking(Arc::new(compiled))
        } else {
            let compiled = regex::Regex::new(&linear.out).map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => "Regular expression too large".to_owned(),
                other => other.to_string(),
            })?;
            Engine::Linear(Arc::new(compiled))
        };
        Ok(Self {
            source: source.to_owned(),
            flags: flags.to_owned(),
            engine,
        })
    }

    /// Whether the expression matches somewhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Linear(regex) => regex.is_match(text),
            Engine::Backtracking(regex) => regex.is_match(text).unwrap_or(false),
        }
    }

    /// The text between the slashes.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The flags, as written.
    pub fn flags(&self) -> &str {
        &self.flags
    }
}

impl fmt::Display for JsRegex {
    /// Writes the JavaScript literal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.source, self.flags)
    }
}

impl fmt::Debug for JsRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for JsRegex {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.flags == other.flags
    }
}

impl Eq for JsRegex {}

/// Escapes `text` so that it matches itself in a JavaScript regular expression
/// literal.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if ".*+?^${}()|[]\\/".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(source: &str, flags: &str, text: &str) -> bool {
        JsRegex::new(source, flags).unwrap().is_match(text)
    }

    fn reason(source: &str, flags: &str) -> String {
        match JsRegex::new(source, flags) {
            Err(LocatorError::Regex { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn classes_are_ascii_as_in_javascript() {
        assert!(!test(r"^\d$", "", "٣"));
        assert!(!test(r"^\w$", "", "é"));
        assert!(test(r"^\s$", "", "\u{FEFF}"));
        assert!(!test(r"^\s$", "", "\u{85}"));
        assert!(!test(r"café\b", "", "café x"));
        assert!(test(r"\bcaf\b", "", "a caf x"));
    }

    #[test]
    fn dialect_traps() {
        assert!(test(r"\<b\>", "", "<b>"));
        assert!(test("[[]", "", "["));
        assert!(test("^[a&&b]$", "", "&"));
        assert!(test("^[a~~b]$", "", "~"));
        assert!(test("a{", "", "a{"));
        assert!(test("a{x}", "", "a{x}"));
        assert!(test("x{2}", "", "xx"));
        assert!(test("^a b#c$", "", "a b#c"));
        assert!(test(r"\/", "", "/"));
        assert!(test(r"^[\w-]+$", "", "a-b"));
        assert!(test(r"\x41\u0042\u{2}", "", "ABuu"));
        assert!(test(r"\u{1F600}", "u", "😀"));
        assert!(test(r"\ud83d\ude00", "", "😀"));
        assert!(test("[^]", "", "\n"));
        assert!(!test("[]", "", "a"));
        assert!(!test("^.$", "", "\u{2028}"));
        assert!(test("^.$", "s", "\n"));
        assert!(!test("^a$", "", "a\n"));
        assert!(test("^a$", "m", "b\na\nc"));
        assert!(test(r"\p{Lu}", "u", "É"));
        assert!(test("(?i:A)b", "", "ab"));
        assert!(test("b", "y", "bc"));
        assert!(!test("b", "y", "ab"));
        assert!(test("ΑΣ", "i", "ας"));
    }

    #[test]
    fn look_around_and_references() {
        assert!(test(r"(?<=\$)\d+", "", "$12"));
        assert!(!test(r"a(?!b)", "", "ab"));
        assert!(test(r"(['x]).*\1", "", "'a'"));
        assert!(test(r"(?<q>['x]).*\k<q>", "", "'a'"));
        assert!(test(r"(a)|\1b", "", "b"));
        assert!(test(r"(?=x)\bx", "", "a x"));
        // Octal, since there is no group 1.
        assert!(test(r"\101", "", "A"));
    }

    #[test]
    fn errors_speak_javascript() {
        assert_eq!(reason("(", ""), "Unterminated group");
        assert_eq!(reason(")", ""), "Unmatched ')'");
        assert_eq!(reason("*", ""), "Nothing to repeat");
        assert_eq!(reason("a**", ""), "Nothing to repeat");
        assert_eq!(reason("a++", ""), "Nothing to repeat");
        assert_eq!(reason("[a", ""), "Unterminated character class");
        assert_eq!(reason("[b-a]", ""), "Range out of order in character class");
        assert_eq!(reason("(?>a)", ""), "Invalid group");
        assert_eq!(reason("(?P<n>a)", ""), "Invalid group");
        assert_eq!(reason("a", "gg"), "Invalid flags 'gg'");
        assert_eq!(reason("a", "x"), "Invalid flags 'x'");
        assert_eq!(reason("\\", ""), "\\ at end of pattern");
        assert_eq!(
            JsRegex::new("(", "i").unwrap_err().to_string(),
            "Invalid regular expression: /(/i: Unterminated group"
        );
    }

    #[test]
    fn hostile_text_ends_soon() {
        // Exponential for a naive backtracking engine.
        assert!(!test("(a+)+$", "", &format!("{}b", "a".repeat(5_000))));
        assert!(!test(
            r"(?=a)(a+)+\1$",
            "",
            &format!("{}b", "a".repeat(200))
        ));
        assert!(JsRegex::new(&"(".repeat(5_000), "").is_err());
        assert!(JsRegex::new(&"a{9}{".repeat(3), "").is_ok());
    }

    #[test]
    fn escape_is_literal() {
        let text = "a.b*c+(d)[e]{f}^$|\\?/-";
        assert!(test(&format!("^{}$", escape(text)), "", text));
    }
}
