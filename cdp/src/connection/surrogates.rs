//! Repairs `\uD83D`-style escapes that stand alone.
//!
//! JavaScript strings may hold lone surrogates and Chromium passes them on as JSON escapes, which
//! strict decoders refuse (RFC 8259 §8.2 calls their effect unpredictable). One bad character on a
//! page must not cost a whole message, so each lone half becomes U+FFFD before anything is decoded.

use std::borrow::Cow;

/// Replaces every lone surrogate escape in JSON text by `\ufffd`.
///
/// Works on the raw bytes: an escape is only recognised after an odd run of backslashes. The length
/// never changes, because the replacement is six bytes long too. Text without `\ud` is returned as is.
pub fn repair(json: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &json[at..]) {
        let escape = at + found;
        let Some(unit) = escaped_unit(json, escape) else {
            // Any other escape is two bytes long; `\\` must be stepped over as one.
            at = (escape + 2).min(json.len());
            continue;
        };
        at = escape + 6;
        match unit {
            0xD800..=0xDBFF => match escaped_unit(json, at) {
                Some(0xDC00..=0xDFFF) => at += 6,
                _ => overwrite(&mut repaired, json, escape),
            },
            0xDC00..=0xDFFF => overwrite(&mut repaired, json, escape),
            _ => {}
        }
    }
    match repaired {
        Some(bytes) => Cow::Owned(bytes),
        None => Cow::Borrowed(json),
    }
}

fn overwrite(repaired: &mut Option<Vec<u8>>, json: &[u8], escape: usize) {
    let bytes = repaired.get_or_insert_with(|| json.to_vec());
    bytes[escape..escape + 6].copy_from_slice(b"\\ufffd");
}

/// The UTF-16 unit of a `\uXXXX` escape that starts at `at`, if one does.
fn escaped_unit(json: &[u8], at: usize) -> Option<u16> {
    let escape = json.get(at..at + 6)?;
    if &escape[..2] != b"\\u" || !escape[2..].iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> String {
        String::from_utf8(repair(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn pairs_and_plain_text_stay() {
        assert_eq!(
            repaired(r#"{"a":"\ud83d\ude00 x\u00e9"}"#),
            r#"{"a":"\ud83d\ude00 x\u00e9"}"#
        );
        assert!(matches!(
            repair(br#"{"a":"\ud83d\ude00"}"#),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn lone_halves_become_the_replacement_character() {
        assert_eq!(repaired(r#""a\ud83d end""#), r#""a\ufffd end""#);
        assert_eq!(repaired(r#""\ude00\ud83d""#), r#""\ufffd\ufffd""#);
        assert_eq!(
            repaired(r#""\uD83D\uD83D\uDE00""#),
            r#""\ufffd\uD83D\uDE00""#
        );
    }

    #[test]
    fn an_escaped_backslash_is_not_an_escape() {
        assert_eq!(repaired(r#""\\ud83d""#), r#""\\ud83d""#);
        assert_eq!(repaired(r#""\\\ud83d""#), r#""\\\ufffd""#);
    }

    #[test]
    fn cut_off_input_is_left_alone() {
        for text in ["\\", "\\u", "\\ud83", "\"\\ud83d\\u"] {
            repair(text.as_bytes());
        }
    }
}
