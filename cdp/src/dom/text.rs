//! Text rules of ECMAScript, where they differ from Rust's: white space,
//! `Number()`, UTF-16 lengths.

use std::borrow::Cow;

/// White space as the regular expression class `\s` and `String.prototype.trim`
/// know it (ECMA-262 `WhiteSpace` and `LineTerminator`).
///
/// Unlike `char::is_whitespace` it has U+FEFF and lacks U+0085.
pub fn is_js_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

/// `String.prototype.trim`.
pub fn js_trim(s: &str) -> &str {
    s.trim_matches(is_js_space)
}

/// Length in UTF-16 code units, as `String.prototype.length`.
pub fn utf16_len(s: &str) -> usize {
    s.encode_utf16().count()
}

/// Drops zero width spaces and soft hyphens, trims, and collapses every run of
/// white space to one space. Borrows when nothing changes.
pub fn normalize_white_space(s: &str) -> Cow<'_, str> {
    let trimmed = js_trim(s);
    if is_normal(trimmed) {
        return Cow::Borrowed(trimmed);
    }
    let mut out = String::with_capacity(trimmed.len());
    let mut gap = false;
    for c in trimmed.chars() {
        if is_invisible(c) {
            continue;
        }
        if is_js_space(c) {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        out.push(c);
    }
    Cow::Owned(out)
}

fn is_invisible(c: char) -> bool {
    c == '\u{200b}' || c == '\u{ad}'
}

fn is_normal(trimmed: &str) -> bool {
    let mut previous_space = false;
    for c in trimmed.chars() {
        if c == ' ' {
            if previous_space {
                return false;
            }
            previous_space = true;
        } else if is_invisible(c) || is_js_space(c) {
            return false;
        } else {
            previous_space = false;
        }
    }
    true
}

/// ECMAScript `Number(s)`; `None` stands for NaN.
pub fn js_number(s: &str) -> Option<f64> {
    let s = js_trim(s);
    if s.is_empty() {
        return Some(0.0);
    }
    let prefix = s.get(..2).map(str::to_ascii_lowercase);
    let radix = match prefix.as_deref() {
        Some("0x") => Some(16),
        Some("0o") => Some(8),
        Some("0b") => Some(2),
        _ => None,
    };
    if let Some(radix) = radix {
        let digits = s.get(2..).unwrap_or("");
        if digits.is_empty() {
            return None;
        }
        return digits.chars().try_fold(0.0, |n, c| {
            Some(n * f64::from(radix) + f64::from(c.to_digit(radix)?))
        });
    }
    let unsigned = s.strip_prefix(['+', '-']).unwrap_or(s);
    if unsigned == "Infinity" {
        return Some(if s.starts_with('-') {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    if !is_decimal_literal(unsigned) {
        return None;
    }
    // The grammar above is a subset of what Rust parses, "5." and ".5" included.
    s.parse().ok()
}

fn is_decimal_literal(s: &str) -> bool {
    let (mantissa, exponent) = match s.find(['e', 'E']) {
        Some(at) => (s.get(..at).unwrap_or(""), s.get(at + 1..)),
        None => (s, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let exponent_ok = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent_ok
}

/// Bytes of a JSON string after unescaping, possibly holding lone surrogates in
/// WTF-8 form (which is how `serde_json` hands them to `visit_bytes`), as text:
/// every broken sequence becomes one U+FFFD.
pub fn lossy_utf16_json(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut out = String::with_capacity(bytes.len());
            let mut rest = bytes;
            while !rest.is_empty() {
                match std::str::from_utf8(rest) {
                    Ok(text) => {
                        out.push_str(text);
                        break;
                    }
                    Err(error) => {
                        let (good, bad) = rest.split_at(error.valid_up_to());
                        // `good` is valid by the contract of `valid_up_to`.
                        out.push_str(std::str::from_utf8(good).unwrap_or_default());
                        out.push('\u{fffd}');
                        let surrogate = matches!(bad, [0xed, 0xa0..=0xbf, _, ..]);
                        let skip = if surrogate {
                            3
                        } else {
                            error.error_len().unwrap_or(bad.len())
                        };
                        rest = bad.get(skip..).unwrap_or_default();
                    }
                }
            }
            Cow::Owned(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_that_of_ecmascript() {
        assert!(is_js_space('\u{feff}'));
        assert!(is_js_space('\u{3000}'));
        assert!(!is_js_space('\u{85}'));
        assert!(!is_js_space('\u{200b}'));
    }

    #[test]
    fn normalization_collapses_and_drops() {
        assert_eq!(normalize_white_space("  a \n\t b\u{a0}\u{3000}c "), "a b c");
        assert_eq!(normalize_white_space("so\u{ad}ft\u{200b}ly"), "softly");
        assert_eq!(normalize_white_space("\u{200b} x"), "x");
        assert_eq!(normalize_white_space("x \u{200b} y"), "x y");
        assert!(matches!(
            normalize_white_space(" plain text "),
            Cow::Borrowed("plain text")
        ));
        assert_eq!(normalize_white_space(" \n"), "");
    }

    #[test]
    fn numbers_follow_string_to_number() {
        for (text, value) in [
            ("", 0.0),
            (" 12 ", 12.0),
            ("1e3", 1000.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("+5", 5.0),
            ("-0x1", f64::NAN),
            ("0x1F", 31.0),
            ("0b11", 3.0),
            ("0o17", 15.0),
            ("0x", f64::NAN),
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("infinity", f64::NAN),
            ("inf", f64::NAN),
            ("nan", f64::NAN),
            ("NaN", f64::NAN),
            ("1,200", f64::NAN),
            ("12:30", f64::NAN),
            ("1_000", f64::NAN),
            ("1e", f64::NAN),
            (".", f64::NAN),
            ("e5", f64::NAN),
            ("ünï", f64::NAN),
        ] {
            let got = js_number(text).unwrap_or(f64::NAN);
            assert!(
                got == value || got.is_nan() && value.is_nan(),
                "{text:?}: {got}"
            );
        }
    }

    #[test]
    fn lone_surrogates_become_one_replacement_each() {
        assert_eq!(lossy_utf16_json(b"a\xed\xa0\xbdb"), "a\u{fffd}b");
        assert_eq!(lossy_utf16_json("caf\u{e9}".as_bytes()), "caf\u{e9}");
        assert_eq!(lossy_utf16_json(b"\xff\xed\xa0\xbd"), "\u{fffd}\u{fffd}");
    }
}
