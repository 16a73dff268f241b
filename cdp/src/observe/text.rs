//! Keeping texts from pages within bounds.

/// Cuts `text` to at most `limit` bytes of its own and says how much is missing.
///
/// The cut falls between characters. Text within the limit is left alone.
pub(super) fn cut(text: &mut String, limit: usize) {
    if text.len() <= limit {
        return;
    }
    let kept = floor_boundary(text, limit);
    let missing = text.len() - kept;
    text.truncate(kept);
    text.push_str(&format!("… [{missing} more bytes cut]"));
    text.shrink_to_fit();
}

/// The largest character boundary of `text` that is not after `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&index| text.is_char_boundary(index))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_to(text: &str, limit: usize) -> String {
        let mut text = text.to_owned();
        cut(&mut text, limit);
        text
    }

    #[test]
    fn short_text_is_left_alone() {
        assert_eq!(cut_to("four", 4), "four");
        assert_eq!(cut_to("", 0), "");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(cut_to("abcdef", 4), "abcd… [2 more bytes cut]");
        // "é" takes bytes 1 and 2, so a cut at 2 moves to 1.
        assert_eq!(cut_to("aéb", 2), "a… [3 more bytes cut]");
        assert_eq!(cut_to("𠮷", 3), "… [4 more bytes cut]");
    }
}
