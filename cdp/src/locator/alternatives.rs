//! Shorter texts that still point to the same element.

use crate::dom::utf16_len;

/// A text to look for instead of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    pub text: String,
    /// How much better than the whole text it is.
    pub bonus: i64,
}

/// Lengths in UTF-16 units, as everywhere in Playwright.
const LONG: usize = 80;
const SHORT: usize = 30;

/// The text without a number at its start or end (counters change), and the
/// text itself, cut to word boundaries when it is long. Never empty for a text
/// that is not.
pub(super) fn alternatives(text: &str) -> Vec<Alternative> {
    let mut found = Vec::new();
    let numberless = |rest: &str| {
        let text = cut(rest, LONG);
        let bonus = if utf16_len(&text) <= SHORT { 2 } else { 1 };
        Alternative { text, bonus }
    };
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let ends_number = |c: char| !is_number(c) && !is_word(c);
    let rest = text.trim_start_matches(is_number);
    if rest.len() < text.len() && rest.starts_with(ends_number) {
        found.push(numberless(rest.trim_start()));
    }
    let rest = text.trim_end_matches(is_number);
    if rest.len() < text.len() && rest.ends_with(ends_number) {
        found.push(numberless(rest.trim_end()));
    }
    if utf16_len(text) <= SHORT {
        found.push(Alternative {
            text: text.to_owned(),
            bonus: 0,
        });
    } else {
        found.push(Alternative {
            text: cut(text, LONG),
            bonus: 0,
        });
        found.push(Alternative {
            text: cut(text, SHORT),
            bonus: 1,
        });
    }
    found.retain(|alternative| !alternative.text.is_empty());
    if found.is_empty() {
        found.push(Alternative {
            text: prefix(text, LONG).to_owned(),
            bonus: 0,
        });
    }
    found
}

/// A word character in the sense of JavaScript's `\w`.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// At most `length` UTF-16 units from the start.
fn prefix(text: &str, length: usize) -> &str {
    let mut units = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        units += c.len_utf16();
        (units > length).then_some(at)
    });
    &text[..end.unwrap_or(text.len())]
}

/// Texts longer than `length` lose everything behind their last word boundary
/// within it; texts without such a boundary vanish.
fn cut(text: &str, length: usize) -> String {
    let start = prefix(text, length);
    if start.len() == text.len() {
        return text.to_owned();
    }
    let mut after = None;
    for (at, c) in start.char_indices().rev() {
        let boundary = match after {
            // The end of the cut is no boundary: the word may go on.
            None => false,
            Some((_, next)) => is_word(c) != is_word(next),
        };
        if boundary && let Some((end, _)) = after {
            return start[..end].trim_end().to_owned();
        }
        after = Some((at, c));
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(String, i64)> {
        let found = alternatives(text).into_iter();
        found.map(|found| (found.text, found.bonus)).collect()
    }

    #[test]
    fn numbers_at_the_edges() {
        assert_eq!(
            texts("5 items"),
            [("items".into(), 2), ("5 items".into(), 0)]
        );
        assert_eq!(
            texts("pi is 3.14"),
            [("pi is".into(), 2), ("pi is 3.14".into(), 0)]
        );
        // A number glued to a word is part of the word.
        assert_eq!(texts("5th of 7x"), [("5th of 7x".into(), 0)]);
        assert_eq!(texts("42"), [("42".into(), 0)]);
    }

    #[test]
    fn long_texts_end_at_words() {
        let text = "Some very long paragraph text that goes beyond thirty characters and keeps going on for a while so it is long";
        assert_eq!(
            texts(text),
            [
                (
                    "Some very long paragraph text that goes beyond thirty characters and keeps"
                        .into(),
                    0
                ),
                ("Some very long paragraph text".into(), 1),
            ]
        );
    }

    #[test]
    fn texts_without_word_boundaries() {
        let text = "漢".repeat(100);
        assert_eq!(texts(&text), [("漢".repeat(80), 0)]);
        assert_eq!(cut(&"a".repeat(100), 30), "");
        // Never half of a surrogate pair.
        assert_eq!(prefix(&"😀".repeat(50), 31), "😀".repeat(15));
    }
}
