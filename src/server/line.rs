//! Lines of input: bounded in length, repaired where JavaScript is laxer than JSON.

use std::borrow::Cow;
use std::io;

use playguard_cdp::connection::surrogates;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// One line of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its bytes, without the line end.
    Whole(Vec<u8>),
    /// It was longer than allowed and was skipped.
    TooLong,
}

/// Reads lines of at most `limit` bytes. Not safe to cancel: use it from one loop that owns it.
pub(super) struct Lines<R> {
    reader: R,
    limit: usize,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit }
    }

    /// The next line, `None` at the end of input. A last line without an end counts.
    ///
    /// # Errors
    /// Those of the reader.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut too_long = false;
        loop {
            let available = self.reader.fill_buf().await?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let at_end_of_input = available.is_empty();
            if line.len() + part.len() > self.limit {
                too_long = true;
                line = Vec::new();
            }
            if !too_long {
                line.extend_from_slice(part);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_none() && !at_end_of_input {
                continue;
            }
            return Ok(match (too_long, at_end_of_input && line.is_empty()) {
                (true, _) => Some(Line::TooLong),
                (false, true) => None,
                (false, false) => Some(Line::Whole(line)),
            });
        }
    }
}

/// Makes a line acceptable to a strict decoder: drops a byte order mark, replaces broken UTF-8 and
/// lone surrogate escapes (`\ud83d` without its other half) by U+FFFD. JavaScript strings may hold
/// lone surrogates, clients send them on as escapes, and one of them must not cost a message.
pub(super) fn repaired(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    // The repair replaces ASCII by ASCII of the same length, so what was UTF-8 stays that.
    let utf8 = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_default();
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(text) => match surrogates::repair(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(utf8(bytes)),
        },
        Cow::Owned(text) => Cow::Owned(utf8(surrogates::repair(text.as_bytes()).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &[u8], limit: usize) -> Vec<Line> {
        // A tiny buffer, so that lines come in pieces.
        let mut lines = Lines::new(tokio::io::BufReader::with_capacity(3, input), limit);
        let mut out = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            out.push(line);
        }
        out
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_end_with_newline_or_input() {
        assert_eq!(
            lines(b"first\n\nlast", 100).await,
            [whole("first"), whole(""), whole("last")]
        );
        assert_eq!(lines(b"a\n", 100).await, [whole("a")]);
        assert_eq!(lines(b"", 100).await, []);
    }

    #[tokio::test]
    async fn long_lines_are_skipped_and_reading_goes_on() {
        assert_eq!(
            lines(b"12345678\n1234567\nok\n", 7).await,
            [Line::TooLong, whole("1234567"), whole("ok")]
        );
        assert_eq!(lines(b"12345678", 7).await, [Line::TooLong]);
    }

    #[test]
    fn sound_text_is_not_copied() {
        for text in [
            r#"{"a":"\ud83d\ude00\n\u00e9"}"#,
            r#""\\ud83d""#,
            "\"\u{1f600}\"",
        ] {
            assert!(matches!(repaired(text.as_bytes()), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        for (text, expected) in [
            (r#""a\ud83d b""#, r#""a\ufffd b""#),
            (r#""\uDE00\uD83D""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\\ud83d\u0041""#, r#""\\\ufffd\u0041""#),
            (r#""\ud83d\\ude00""#, r#""\ufffd\\ude00""#),
        ] {
            assert_eq!(repaired(text.as_bytes()), expected);
        }
    }

    #[test]
    fn odd_ends_do_not_panic() {
        for text in [
            r"\",
            r"\u",
            r"\ud8",
            r"\ud83d",
            "\\\u{e9}\\ud83\u{e9}",
            r"\u+123",
        ] {
            repaired(text.as_bytes());
        }
        assert_eq!(repaired(b"\xef\xbb\xbf{}"), "{}");
        assert_eq!(repaired(b"\"\xff\\udead\""), "\"\u{fffd}\\ufffd\"");
    }
}
