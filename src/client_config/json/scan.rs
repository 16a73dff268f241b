//! Reads JSON with comments and trailing commas (what editors call JSONC), without taking it apart:
//! what is found is where in the text things are. Nothing here recurses.

use std::ops::Range;

use serde_json::value::RawValue;

use super::super::error::MergeError;

/// One member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    /// The key, decoded.
    pub(super) key: String,
    /// Where the key begins.
    pub(super) start: usize,
    /// The value.
    pub(super) value: Range<usize>,
}

/// Where the parts of an object are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    /// Place of `{`.
    pub(super) open: usize,
    /// Place of `}`.
    pub(super) close: usize,
    /// In the order of the text.
    pub(super) members: Vec<Member>,
    /// End of the comma behind the last member, if there is one.
    pub(super) trailing_comma: Option<usize>,
}

impl Object {
    /// The member that counts: of several with the same key, the last, as in every client.
    pub(super) fn get(&self, key: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| member.key == key)
    }
}

/// The one value of a text; `None` when it has nothing but space and comments.
///
/// # Errors
/// [`MergeError::Broken`].
pub(super) fn root(text: &str) -> Result<Option<Range<usize>>, MergeError> {
    let scan = Scan(text);
    let start = scan.skip(0)?;
    if start == text.len() {
        return Ok(None);
    }
    let end = scan.value(start, None)?;
    let rest = scan.skip(end)?;
    if rest < text.len() {
        return Err(scan.fault(rest, "the end of the file is expected here"));
    }
    Ok(Some(start..end))
}

/// The object that begins at `open`; `None` when something else does.
///
/// # Errors
/// [`MergeError::Broken`], not for a text that [`root`] has read.
pub(super) fn object(text: &str, open: usize) -> Result<Option<Object>, MergeError> {
    if text.as_bytes().get(open) != Some(&b'{') {
        return Ok(None);
    }
    let mut object = Object {
        open,
        close: open,
        members: Vec::new(),
        trailing_comma: None,
    };
    let end = Scan(text).value(open, Some(&mut object))?;
    object.close = end - 1; // The brace is one byte.
    Ok(Some(object))
}

/// A value without what JSON proper does not have (RFC 8259), and whether comments were in it.
///
/// # Errors
/// [`MergeError::Broken`], not for a value that [`root`] has read.
pub(super) fn plain(value: &str) -> Result<(String, bool), MergeError> {
    let scan = Scan(value);
    let mut plain = String::with_capacity(value.len());
    let mut comments = false;
    let mut at = 0;
    while at < value.len() {
        let next = scan.skip(at)?;
        comments |= value[at..next].contains('/');
        at = next;
        let end = match value.as_bytes().get(at) {
            None => break,
            Some(b'"') => scan.string(at)?,
            Some(b',') => {
                let next = scan.skip(at + 1)?;
                if matches!(value.as_bytes().get(next), Some(b'}' | b']')) {
                    comments |= value[at..next].contains('/');
                    at = next;
                }
                at + 1
            }
            Some(b'{' | b'}' | b'[' | b']' | b':') => at + 1,
            Some(_) => scan.word(at)?,
        };
        plain.push_str(&value[at..end]);
        at = end;
    }
    Ok((plain, comments))
}

struct Scan<'t>(&'t str);

impl Scan<'_> {
    fn fault(&self, at: usize, what: &'static str) -> MergeError {
        MergeError::broken(self.0, at, what)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.0.as_bytes().get(at).copied()
    }

    /// The next place that is neither space nor comment.
    fn skip(&self, mut at: usize) -> Result<usize, MergeError> {
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => at += 1,
                Some(b'/') => {
                    let rest = &self.0[at..];
                    if rest.starts_with("//") {
                        at += rest.find('\n').unwrap_or(rest.len());
                    } else if let Some(comment) = rest.strip_prefix("/*") {
                        let length = comment
                            .find("*/")
                            .ok_or_else(|| self.fault(at, "a comment begins that never ends"))?;
                        at += length + "/**/".len();
                    } else {
                        return Err(self.fault(at, "a '/' that begins no comment"));
                    }
                }
                _ => return Ok(at),
            }
        }
    }

    /// End of the value that begins at `start`. If it is an object and `found` is given, its members
    /// are put there.
    fn value(&self, start: usize, mut found: Option<&mut Object>) -> Result<usize, MergeError> {
        // The brackets that are open, by what closes them.
        let mut open: Vec<u8> = Vec::new();
        let mut at = start;
        // A member of the outermost object whose value is being read.
        let mut pending: Option<(String, usize, usize)> = None;
        loop {
            // A value begins here.
            match self.byte(at) {
                Some(b'{') => {
                    open.push(b'}');
                    at = self.skip(at + 1)?;
                    if self.byte(at) != Some(b'}') {
                        at = self.key(at, open.len(), &mut pending)?;
                        continue;
                    }
                }
                Some(b'[') => {
                    open.push(b']');
                    at = self.skip(at + 1)?;
                    if self.byte(at) != Some(b']') {
                        continue;
                    }
                }
                Some(b'"') => at = self.string(at)?,
                _ => at = self.word(at)?,
            }
            // It has ended, or its closing bracket is here.
            loop {
                if open.len() == 1
                    && let (Some((key, start, value)), Some(object)) =
                        (pending.take(), found.as_deref_mut())
                {
                    object.members.push(Member {
                        key,
                        start,
                        value: value..at,
                    });
                }
                let Some(&closing) = open.last() else {
                    return Ok(at);
                };
                at = self.skip(at)?;
                if self.byte(at) == Some(b',') {
                    let comma = at + 1;
                    at = self.skip(comma)?;
                    if self.byte(at) != Some(closing) {
                        if closing == b'}' {
                            at = self.key(at, open.len(), &mut pending)?;
                        }
                        break;
                    }
                    if open.len() == 1
                        && let Some(object) = found.as_deref_mut()
                    {
                        object.trailing_comma = Some(comma);
                    }
                }
                if self.byte(at) != Some(closing) {
                    return Err(self.fault(
                        at,
                        if closing == b'}' {
                            "',' or '}' is expected here"
                        } else {
                            "',' or ']' is expected here"
                        },
                    ));
                }
                open.pop();
                at += 1;
            }
        }
    }

    /// Reads a key and its colon; returns where the value begins. At `depth` 1 the key is kept.
    fn key(
        &self,
        at: usize,
        depth: usize,
        pending: &mut Option<(String, usize, usize)>,
    ) -> Result<usize, MergeError> {
        if self.byte(at) != Some(b'"') {
            return Err(self.fault(at, "a key in double quotes is expected here"));
        }
        let end = self.string(at)?;
        let colon = self.skip(end)?;
        if self.byte(colon) != Some(b':') {
            return Err(self.fault(colon, "':' is expected here"));
        }
        let value = self.skip(colon + 1)?;
        if depth == 1 {
            // A lone surrogate is valid JSON and no text; no key that we look for has one.
            let key = serde_json::from_str(&self.0[at..end]).unwrap_or_default();
            *pending = Some((key, at, value));
        }
        Ok(value)
    }

    /// End of the string that begins at `at`.
    fn string(&self, at: usize) -> Result<usize, MergeError> {
        let mut end = at + 1;
        loop {
            match self.byte(end) {
                None | Some(b'\n' | b'\r') => {
                    return Err(self.fault(at, "a string begins that does not end in its line"));
                }
                Some(b'\\') => end += 2,
                Some(b'"') => break,
                Some(_) => end += 1,
            }
        }
        end += 1;
        self.proper(at..end, "this string is not valid")
    }

    /// End of the number or the word that begins at `at`.
    fn word(&self, at: usize) -> Result<usize, MergeError> {
        let word = self.0.as_bytes()[at.min(self.0.len())..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
            .count();
        self.proper(at..at + word, "a value is expected here")
    }

    /// Asks the grammar of RFC 8259 about a string, a number or a word.
    fn proper(&self, range: Range<usize>, otherwise: &'static str) -> Result<usize, MergeError> {
        let Range { start, end } = range;
        let token = self.0.get(start..end).unwrap_or_default();
        match serde_json::from_str::<&RawValue>(token) {
            Ok(_) => Ok(end),
            Err(_) => Err(self.fault(start, otherwise)),
        }
    }
}
