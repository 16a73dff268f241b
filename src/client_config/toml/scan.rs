//! Finds the statements of a TOML text (toml.io, version 1.1) and where they stand.
//!
//! It checks what an edit relies on: that keys are keys, strings and brackets end, and a statement
//! has its line for itself. Whether a date is a date is left to those who read it. Nothing here
//! recurses.

use std::ops::Range;

use super::super::error::MergeError;

/// A path of keys, decoded.
pub(super) type Path = Vec<String>;

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    /// `[path]`, or for an element of an array `[[path]]`.
    Header {
        /// Its keys.
        path: Path,
        /// Whether it has two brackets.
        array: bool,
        /// Where the next line begins, or the text ends.
        next_line: usize,
    },
    /// `key = value`.
    Pair {
        /// The keys of the table it is in, and its own.
        path: Path,
        /// How many of these keys are its own.
        own: usize,
        /// The value.
        value: Range<usize>,
    },
}

/// The statements of a text, in its order.
///
/// # Errors
/// [`MergeError::Broken`].
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, MergeError> {
    let scan = Scan(text);
    let mut found = Vec::new();
    let mut table = Path::new();
    let mut at = 0;
    loop {
        at = scan.skip_lines(at);
        match scan.byte(at) {
            None => return Ok(found),
            Some(b'[') => {
                let array = scan.byte(at + 1) == Some(b'[');
                let brackets = if array { 2 } else { 1 };
                let (path, end) = scan.path(at + brackets)?;
                if !text[end..].starts_with(&"]]"[..brackets]) {
                    return Err(scan.fault(end, "']' is expected here"));
                }
                table.clone_from(&path);
                at = scan.line_end(end + brackets)?;
                found.push(Statement::Header {
                    path,
                    array,
                    next_line: at,
                });
            }
            Some(_) => {
                let (keys, end) = scan.path(at)?;
                if scan.byte(end) != Some(b'=') {
                    return Err(scan.fault(end, "'=' is expected here"));
                }
                let start = scan.skip_space(end + 1);
                let end = scan.value(start)?;
                at = scan.line_end(end)?;
                let own = keys.len();
                found.push(Statement::Pair {
                    path: [table.clone(), keys].concat(),
                    own,
                    value: start..end,
                });
            }
        }
    }
}

/// A value that is a string or a list of strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Words {
    /// One string.
    One(String),
    /// A list of strings.
    List(Vec<String>),
}

/// Decodes a value, `None` for one of another kind, and tells whether comments are in it.
///
/// # Errors
/// [`MergeError::Broken`], not for a value that [`statements`] has found.
pub(super) fn words(value: &str) -> Result<(Option<Words>, bool), MergeError> {
    let scan = Scan(value);
    if value.starts_with(['"', '\'']) {
        let (word, _) = scan.string(0)?;
        return Ok((Some(Words::One(word)), false));
    }
    let mut list = Vec::new();
    let mut strings_only = value.starts_with('[');
    let mut comments = false;
    let mut at = 1;
    while let Some(byte) = scan.byte(at) {
        match byte {
            b'"' | b'\'' => {
                let (word, end) = scan.string(at)?;
                list.push(word);
                at = end;
            }
            b'#' => {
                comments = true;
                at = scan.comment(at);
            }
            b' ' | b'\t' | b'\r' | b'\n' | b',' => at += 1,
            b']' if at + 1 == value.len() => at += 1,
            _ => {
                strings_only = false;
                at += 1;
            }
        }
    }
    Ok((strings_only.then_some(Words::List(list)), comments))
}

struct Scan<'t>(&'t str);

impl Scan<'_> {
    fn fault(&self, at: usize, what: &'static str) -> MergeError {
        MergeError::broken(self.0, at, what)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.0.as_bytes().get(at).copied()
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    }

    /// The next place that is no space, line end or comment.
    fn skip_lines(&self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t' | b'\n') => at += 1,
                Some(b'\r') if self.byte(at + 1) == Some(b'\n') => at += 2,
                Some(b'#') => at = self.comment(at),
                _ => return at,
            }
        }
    }

    /// End of the comment that begins at `at`: the line end, or the end of the text.
    fn comment(&self, at: usize) -> usize {
        let rest = &self.0[at..];
        at + rest.find('\n').unwrap_or(rest.len())
    }

    /// Skips the rest of a line in which nothing may follow but a comment.
    fn line_end(&self, at: usize) -> Result<usize, MergeError> {
        let mut at = self.skip_space(at);
        if self.byte(at) == Some(b'#') {
            at = self.comment(at);
        }
        match self.byte(at) {
            None => Ok(at),
            Some(b'\n') => Ok(at + 1),
            Some(b'\r') if self.byte(at + 1) == Some(b'\n') => Ok(at + 2),
            Some(_) => Err(self.fault(at, "the end of the line is expected here")),
        }
    }

    /// Keys with dots between them, and the place of what follows.
    fn path(&self, mut at: usize) -> Result<(Path, usize), MergeError> {
        let mut path = Path::new();
        loop {
            at = self.skip_space(at);
            match self.byte(at) {
                Some(b'"' | b'\'') if !self.is_triple(at) => {
                    let (key, end) = self.string(at)?;
                    path.push(key);
                    at = end;
                }
                _ => {
                    let bare = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
                    let rest = &self.0.as_bytes()[at.min(self.0.len())..];
                    let end = at + rest.iter().take_while(bare).count();
                    if end == at {
                        return Err(self.fault(at, "a key is expected here"));
                    }
                    path.push(self.0[at..end].to_owned());
                    at = end;
                }
            }
            at = self.skip_space(at);
            if self.byte(at) != Some(b'.') {
                return Ok((path, at));
            }
            at += 1;
        }
    }

    /// End of the value that begins at `start`.
    fn value(&self, start: usize) -> Result<usize, MergeError> {
        // The brackets that are open, by what closes them, and where they were opened.
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut at = start;
        loop {
            match self.byte(at) {
                Some(b'"' | b'\'') => at = self.string(at)?.1,
                Some(b'[') => {
                    open.push((b']', at));
                    at += 1;
                }
                Some(b'{') => {
                    open.push((b'}', at));
                    at += 1;
                }
                Some(byte @ (b']' | b'}')) if open.last().is_some_and(|(b, _)| *b == byte) => {
                    open.pop();
                    at += 1;
                }
                Some(b',' | b'=' | b'.') if !open.is_empty() => at += 1,
                _ => at = self.word(at, open.is_empty())?,
            }
            let Some((_, opened)) = open.last() else {
                return Ok(at);
            };
            at = self.skip_lines(at);
            if at == self.0.len() {
                return Err(self.fault(*opened, "a bracket opens here that is never closed"));
            }
        }
    }

    /// End of a number, date, word or, in an inline table, key.
    fn word(&self, at: usize, alone: bool) -> Result<usize, MergeError> {
        let rest = &self.0.as_bytes()[at.min(self.0.len())..];
        let part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-_.:".contains(byte);
        let length = rest.iter().take_while(part).count();
        let word = &self.0[at.min(self.0.len())..][..length];
        let bare = word.trim_start_matches(['+', '-']);
        let value = matches!(word, "true" | "false")
            || matches!(bare, "inf" | "nan")
            || bare.starts_with(|first: char| first.is_ascii_digit());
        if length == 0 || (alone && !value) {
            return Err(self.fault(at, "a value is expected here"));
        }
        // Between a date and a time there may be a space.
        let date = length == "2026-11-30".len() && word.matches('-').count() == 2;
        if date
            && rest.get(length) == Some(&b' ')
            && rest.get(length + 1).is_some_and(u8::is_ascii_digit)
        {
            let time = rest[length + 1..].iter().take_while(part).count();
            return Ok(at + length + 1 + time);
        }
        Ok(at + length)
    }

    fn is_triple(&self, at: usize) -> bool {
        let rest = &self.0[at..];
        rest.starts_with("\"\"\"") || rest.starts_with("'''")
    }

    /// The string that begins at `at`, of any of the four kinds, and its end.
    fn string(&self, at: usize) -> Result<(String, usize), MergeError> {
        let unended = || self.fault(at, "a string begins that does not end");
        let triple = self.is_triple(at);
        let quote = self.byte(at).ok_or_else(unended)?;
        let literal = quote == b'\'';
        let mut decoded = String::new();
        let mut rest = self.0[at..].chars();
        let width = if triple { 3 } else { 1 };
        for _ in 0..width {
            rest.next();
        }
        if triple {
            // A line end right behind the quotes is not part of the string.
            let text = rest.as_str();
            let text = text
                .strip_prefix("\r\n")
                .or(text.strip_prefix('\n'))
                .unwrap_or(text);
            rest = text.chars();
        }
        let here = |rest: &std::str::Chars<'_>| self.0.len() - rest.as_str().len();
        loop {
            let place = here(&rest);
            match rest.next().ok_or_else(unended)? {
                c if c == char::from(quote) => {
                    if !triple {
                        return Ok((decoded, here(&rest)));
                    }
                    // Up to two quotes may stand before the three that end it.
                    let quotes = 1 + rest.as_str().bytes().take_while(|b| *b == quote).count();
                    if quotes >= 3 {
                        let inside = (quotes - 3).min(2);
                        decoded.extend(std::iter::repeat_n(char::from(quote), inside));
                        return Ok((decoded, place + inside + 3));
                    }
                    decoded.push(char::from(quote));
                }
                '\n' if !triple => return Err(unended()),
                '\\' if !literal => {
                    let after = rest.as_str();
                    let trimmed = after.trim_start_matches([' ', '\t', '\r', '\n']);
                    if triple && after[..after.len() - trimmed.len()].contains('\n') {
                        // A line that goes on in the next one.
                        rest = trimmed.chars();
                        continue;
                    }
                    let escaped = self.escape(&mut rest);
                    decoded.push(escaped.ok_or_else(|| self.fault(place, "no such escape"))?);
                }
                c => decoded.push(c),
            }
        }
    }

    /// What stands behind a backslash.
    fn escape(&self, rest: &mut std::str::Chars<'_>) -> Option<char> {
        let digits = match rest.next()? {
            'b' => return Some('\u{8}'),
            't' => return Some('\t'),
            'n' => return Some('\n'),
            'f' => return Some('\u{c}'),
            'r' => return Some('\r'),
            'e' => return Some('\u{1b}'),
            '"' => return Some('"'),
            '\\' => return Some('\\'),
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return None,
        };
        let mut code = 0_u32;
        for _ in 0..digits {
            code = (code << 4) | rest.next()?.to_digit(16)?;
        }
        char::from_u32(code)
    }
}
