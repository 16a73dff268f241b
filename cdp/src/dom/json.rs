//! A pull reader for JSON that may be nested deeper than any parser's stack.
//!
//! `DOM.getDocument` nests two JSON levels per element, so a page of ordinary
//! depth breaks `serde_json`'s limit of 128 and a hostile one breaks any stack.
//! This reader keeps its own stack and hands out one event at a time.

use std::borrow::Cow;

use serde::de::Deserializer as _;

use super::text::lossy_utf16_json;

/// One step through a JSON text.
#[derive(Debug, PartialEq)]
pub(crate) enum Event<'a> {
    StartObject,
    EndObject,
    StartArray,
    EndArray,
    /// A member name; its value follows.
    Key(Cow<'a, str>),
    Text(Cow<'a, str>),
    Number(f64),
    Bool,
    Null,
}

/// Reads events until the text ends or turns out not to be JSON.
pub(crate) struct Reader<'a> {
    json: &'a str,
    at: usize,
    /// One flag per open container: is it an object?
    open: Vec<bool>,
    expect_key: bool,
}

/// Offset at which the text stops being JSON.
#[derive(Debug, PartialEq)]
pub(crate) struct NotJson(pub(crate) usize);

impl<'a> Reader<'a> {
    pub(crate) fn new(json: &'a str) -> Self {
        Reader {
            json,
            at: 0,
            open: Vec::new(),
            expect_key: false,
        }
    }

    /// Number of containers that are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The next event, `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<Event<'a>>, NotJson> {
        let bytes = self.json.as_bytes();
        // Separators carry no information once strings are told apart by place.
        while let Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':') = bytes.get(self.at) {
            if bytes[self.at] == b',' {
                self.expect_key = self.open.last() == Some(&true);
            }
            self.at += 1;
        }
        let Some(&byte) = bytes.get(self.at) else {
            return if self.open.is_empty() {
                Ok(None)
            } else {
                Err(NotJson(self.at))
            };
        };
        let event = match byte {
            b'{' | b'[' => {
                self.at += 1;
                self.open.push(byte == b'{');
                self.expect_key = byte == b'{';
                return Ok(Some(if byte == b'{' {
                    Event::StartObject
                } else {
                    Event::StartArray
                }));
            }
            b'}' | b']' => {
                if self.open.pop() != Some(byte == b'}') {
                    return Err(NotJson(self.at));
                }
                self.at += 1;
                self.expect_key = false;
                return Ok(Some(if byte == b'}' {
                    Event::EndObject
                } else {
                    Event::EndArray
                }));
            }
            b'"' => {
                let text = self.string()?;
                if std::mem::take(&mut self.expect_key) {
                    return Ok(Some(Event::Key(text)));
                }
                Event::Text(text)
            }
            b't' => self.word("true", Event::Bool)?,
            b'f' => self.word("false", Event::Bool)?,
            b'n' => self.word("null", Event::Null)?,
            _ => self.number()?,
        };
        Ok(Some(event))
    }

    /// Skips the value that comes next, however large.
    pub(crate) fn skip_value(&mut self) -> Result<(), NotJson> {
        let depth = self.depth();
        loop {
            match self.next()? {
                None => return Err(NotJson(self.at)),
                Some(_) if self.depth() <= depth => return Ok(()),
                Some(_) => {}
            }
        }
    }

    fn word(&mut self, word: &str, event: Event<'a>) -> Result<Event<'a>, NotJson> {
        if self.json.get(self.at..self.at + word.len()) != Some(word) {
            return Err(NotJson(self.at));
        }
        self.at += word.len();
        Ok(event)
    }

    fn number(&mut self) -> Result<Event<'a>, NotJson> {
        let rest = self.json.get(self.at..).ok_or(NotJson(self.at))?;
        let end = rest
            .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
            .unwrap_or(rest.len());
        let number = rest
            .get(..end)
            .and_then(|text| text.parse().ok())
            .ok_or(NotJson(self.at))?;
        self.at += end;
        Ok(Event::Number(number))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, NotJson> {
        let bytes = self.json.as_bytes();
        let start = self.at;
        let mut end = start + 1;
        let mut escaped = false;
        loop {
            match bytes.get(end) {
                None => return Err(NotJson(start)),
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    end += 2;
                }
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
        if !escaped {
            return self
                .json
                .get(start + 1..end)
                .map(Cow::Borrowed)
                .ok_or(NotJson(start));
        }
        let quoted = self.json.get(start..=end).ok_or(NotJson(start))?;
        unescape(quoted).map(Cow::Owned).ok_or(NotJson(start))
    }
}

/// One JSON string literal as text, lone surrogates replaced.
fn unescape(quoted: &str) -> Option<String> {
    struct Bytes;
    impl serde::de::Visitor<'_> for Bytes {
        type Value = String;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E>(self, s: &str) -> Result<String, E> {
            Ok(s.to_owned())
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            Ok(lossy_utf16_json(bytes).into_owned())
        }
    }
    serde_json::Deserializer::from_str(quoted)
        .deserialize_bytes(Bytes)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(json: &str) -> Result<Vec<Event<'_>>, NotJson> {
        let mut reader = Reader::new(json);
        let mut out = Vec::new();
        while let Some(event) = reader.next()? {
            out.push(event);
        }
        Ok(out)
    }

    #[test]
    fn tells_keys_from_values() {
        use Event::{EndArray, EndObject, Key, Null, Number, StartArray, StartObject, Text};
        assert_eq!(
            events(r#" {"a": ["b", -1.5e1, null], "c\n": "\ud83d\ude00\ud83d"} "#).unwrap(),
            [
                StartObject,
                Key("a".into()),
                StartArray,
                Text("b".into()),
                Number(-15.0),
                Null,
                EndArray,
                Key("c\n".into()),
                Text("😀\u{fffd}".into()),
                EndObject
            ]
        );
    }

    #[test]
    fn refuses_what_is_not_json() {
        for text in ["{", "[}", "\"a", "\"a\\", "tru", "x", "[\"\\u12\"]", "}"] {
            assert!(events(text).is_err(), "{text}");
        }
    }

    #[test]
    fn skips_values_and_goes_deep() {
        let mut reader = Reader::new(r#"{"a":{"b":[1,{"c":2}]},"d":3}"#);
        assert_eq!(reader.next(), Ok(Some(Event::StartObject)));
        assert_eq!(reader.next(), Ok(Some(Event::Key("a".into()))));
        reader.skip_value().unwrap();
        assert_eq!(reader.next(), Ok(Some(Event::Key("d".into()))));
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(events(&deep).unwrap().len(), 400_000);
    }
}
