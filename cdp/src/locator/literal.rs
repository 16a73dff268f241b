//! JavaScript literals inside selector and locator texts.

/// Reads a regular expression literal whose first slash is at `start`.
/// Returns source, flags and the position behind them.
pub(super) fn regex(chars: &[char], start: usize) -> Option<(String, String, usize)> {
    let mut pos = start + 1;
    let mut in_class = false;
    loop {
        match chars.get(pos)? {
            '\\' => pos += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => break,
            '\n' => return None,
            _ => {}
        }
        pos += 1;
    }
    let source: String = chars[start + 1..pos].iter().collect();
    if source.is_empty() {
        // Two slashes begin a comment.
        return None;
    }
    let flags: String = chars[pos + 1..]
        .iter()
        .take_while(|c| c.is_ascii_alphabetic())
        .collect();
    let end = pos + 1 + flags.len();
    Some((source, flags, end))
}

/// Reads a string literal whose quote (`'`, `"` or a backquote) is at `start`.
/// Returns its value and the position behind the closing quote.
pub(super) fn string(chars: &[char], start: usize) -> Option<(String, usize)> {
    let quote = *chars.get(start)?;
    let mut text = String::new();
    let mut pos = start + 1;
    loop {
        let c = *chars.get(pos)?;
        pos += 1;
        match c {
            c if c == quote => return Some((text, pos)),
            '\n' if quote != '`' => return None,
            '$' if quote == '`' && chars.get(pos) == Some(&'{') => return None,
            '\\' => pos = escape(chars, pos, &mut text)?,
            c => text.push(c),
        }
    }
}

/// Reads one escape after its backslash; returns the position behind it.
fn escape(chars: &[char], pos: usize, text: &mut String) -> Option<usize> {
    let hex = |from: usize, digits: usize| -> Option<u32> {
        let body: String = chars.get(from..from + digits)?.iter().collect();
        u32::from_str_radix(&body, 16).ok()
    };
    match chars.get(pos)? {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        'b' => text.push('\u{8}'),
        'f' => text.push('\u{C}'),
        'v' => text.push('\u{B}'),
        '0' => text.push('\0'),
        '\n' => {}
        'x' => {
            text.push(char::from_u32(hex(pos + 1, 2)?)?);
            return Some(pos + 3);
        }
        'u' if chars.get(pos + 1) == Some(&'{') => {
            let length = chars[pos + 2..].iter().take(8).position(|c| *c == '}')?;
            text.push(char::from_u32(hex(pos + 2, length)?)?);
            return Some(pos + 3 + length);
        }
        'u' => {
            let high = hex(pos + 1, 4)?;
            if !(0xD800..=0xDBFF).contains(&high) {
                text.push(char::from_u32(high)?);
                return Some(pos + 5);
            }
            let escaped = chars.get(pos + 5) == Some(&'\\') && chars.get(pos + 6) == Some(&'u');
            let low = hex(pos + 7, 4).filter(|low| escaped && (0xDC00..=0xDFFF).contains(low))?;
            text.push(char::from_u32(
                0x10000 + ((high - 0xD800) << 10) + low - 0xDC00,
            )?);
            return Some(pos + 11);
        }
        c => text.push(*c),
    }
    Some(pos + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Option<(String, usize)> {
        string(&source.chars().collect::<Vec<_>>(), 0)
    }

    #[test]
    fn strings() {
        assert_eq!(read(r"'it\'s'x"), Some(("it's".into(), 7)));
        assert_eq!(
            read(r#""\u00e9\x41\u{1F600}\ud83d\ude00""#).unwrap().0,
            "éA😀😀"
        );
        assert_eq!(read("`a\nb`").unwrap().0, "a\nb");
        assert_eq!(read("`${x}`"), None);
        assert_eq!(read("'open"), None);
        assert_eq!(read(r"'\u00'"), None);
        assert_eq!(read(r"'\"), None);
    }

    #[test]
    fn regexes() {
        let read = |s: &str| regex(&s.chars().collect::<Vec<_>>(), 0);
        assert_eq!(
            read(r"/a\/[/]/gi)"),
            Some((r"a\/[/]".into(), "gi".into(), 10))
        );
        assert_eq!(read("/a"), None);
        assert_eq!(read("/a\\"), None);
    }
}
