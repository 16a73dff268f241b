//! Quoting of texts in generated code and selectors.

/// A JSON string literal.
pub(super) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A JavaScript string literal in single quotes, as Playwright's code
/// generator writes it: JSON escapes, but only the single quote escaped.
///
/// ```
/// # use playguard_cdp::locator::quote;
/// assert_eq!(quote("it's \"q\"\n"), r#"'it\'s "q"\n'"#);
/// ```
pub fn quote(text: &str) -> String {
    let literal = json(text);
    // The literal always has its two ASCII quotes.
    let body = &literal[1..literal.len() - 1];
    format!("'{}'", body.replace("\\\"", "\"").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_quotes() {
        assert_eq!(quote(r"a\b"), r"'a\\b'");
        assert_eq!(quote("\u{1}\u{2028}é"), "'\\u0001\u{2028}é'");
        assert_eq!(quote(""), "''");
    }

    #[test]
    fn a_backslash_before_a_quote_survives() {
        // Upstream's own rule un-escapes `\"` even in `\\"`; so do we.
        assert_eq!(quote("\\\""), r#"'\\"'"#);
    }
}
