//! Values that replies must not show: names and values, from a file in dotenv
//! notation or from the configuration file.

use std::fmt;

/// Secrets by name, in the order given.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    entries: Vec<(String, String)>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.entries.iter().map(|(name, _)| name))
            .finish()
    }
}

impl Secrets {
    /// These names and values. Of equal names the last one counts.
    pub fn new(entries: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut kept: Vec<(String, String)> = Vec::new();
        for (name, value) in entries {
            match kept.iter_mut().find(|(known, _)| *known == name) {
                Some(entry) => entry.1 = value,
                None => kept.push((name, value)),
            }
        }
        Self { entries: kept }
    }

    /// Reads dotenv notation: `NAME=value` a line, with or without `export`;
    /// quotes of three kinds, whose contents may span lines; comments after
    /// `#`. Other lines mean nothing.
    pub(super) fn parse(text: &str) -> Self {
        let mut entries = Vec::new();
        let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        while !rest.is_empty() {
            let line_end = rest.find(['\n', '\r']).unwrap_or(rest.len());
            match entry(rest, line_end) {
                Some((name, value, taken)) => {
                    entries.push((name, value));
                    rest = &rest[taken..];
                }
                None => rest = &rest[line_end..],
            }
            rest = rest.trim_start_matches(['\n', '\r']);
        }
        Self::new(entries)
    }

    /// The value of a name; an empty one counts as none.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Names and values, without the empty ones.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }
}

/// Name and value at the beginning of the text, whose first line ends at
/// `line_end`, and how much of the text they take.
fn entry(text: &str, line_end: usize) -> Option<(String, String, usize)> {
    let line = &text[..line_end];
    let (left, _) = line.split_once('=')?;
    let name = left.trim();
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(good) {
        return None;
    }
    let start = left.len() + 1;
    let spaces = text[start..line_end].len() - text[start..line_end].trim_start().len();
    let start = start + spaces;
    let quote = text[start..].chars().next().filter(|c| "'\"`".contains(*c));
    if let Some(quote) = quote
        && let Some(end) = closing(&text[start + 1..], quote)
    {
        let inner = &text[start + 1..start + 1 + end];
        let value = if quote == '"' {
            inner.replace("\\n", "\n").replace("\\r", "\r")
        } else {
            inner.to_owned()
        };
        let after = start + 1 + end + 1;
        let rest_of_line = text[after..].find(['\n', '\r']);
        return Some((
            name.to_owned(),
            value,
            rest_of_line.map_or(text.len(), |at| after + at),
        ));
    }
    let value = text[start..line_end].split('#').next().unwrap_or_default();
    Some((name.to_owned(), value.trim().to_owned(), line_end))
}

/// Where the quotation ends; a quote after a backslash is part of it.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !escaped {
            return Some(at);
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        Secrets::parse(text).entries
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn lines_quotes_and_comments() {
        let text = "\u{feff}# remark\nA=1\n export B = two words # why\r\nC='it''s'\n\
                    D=\"a\\nb\" # x\nE=`multi\nline`\nnot a line\nF=\nG=a=b\n1bad name=x\nA=last";
        assert_eq!(
            read(text),
            [
                pair("A", "last"),
                pair("B", "two words"),
                pair("C", "it"),
                pair("D", "a\nb"),
                pair("E", "multi\nline"),
                pair("F", ""),
                pair("G", "a=b"),
            ]
        );
    }

    #[test]
    fn odd_texts() {
        assert_eq!(read("A=\"open"), [pair("A", "\"open")]);
        assert_eq!(read("A='é'"), [pair("A", "é")]);
        for text in ["", "=", "=x", "A", "\n\r\n", "A=\\", "A='\\'"] {
            read(text);
        }
    }

    #[test]
    fn empty_values_are_not_secret_and_no_value_is_logged() {
        let secrets = Secrets::parse("A=\nB=hunter2");
        assert_eq!(secrets.value("A"), None);
        assert_eq!(secrets.iter().collect::<Vec<_>>(), [("B", "hunter2")]);
        assert!(!format!("{secrets:?}").contains("hunter2"));
    }
}
