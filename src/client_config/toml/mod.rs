//! Entries in TOML files: a table `[mcp_servers.<name>]`.

mod scan;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::scan::{Statement, Words, statements, words};
use super::error::MergeError;
use super::{Edit, Entry, Merged, apply, line_end};

/// Name of the table that holds the servers.
const SERVERS: &str = "mcp_servers";

/// What a table must be for us to edit it.
const HEADER: &str = "a table under a header of its own";

/// A whole file with nothing but this entry.
pub(super) fn document(entry: &Entry, line_end: &str) -> String {
    let mut lines = vec![format!("[{SERVERS}.{}]", key(&entry.name))];
    lines.extend(wanted(entry).iter().map(line));
    lines.push(String::new());
    lines.join(line_end)
}

/// What a text says of one server.
#[derive(Default)]
struct Present<'s> {
    /// Where the line behind the header of its table begins.
    header: Option<usize>,
    /// Whether it is told by keys with dots, without a header of its own.
    dotted: bool,
    /// Its own keys and where their values are.
    pairs: Vec<(&'s str, Range<usize>)>,
    /// Keys in it that are tables.
    tables: Vec<&'s str>,
}

fn present<'s>(statements: &'s [Statement], target: &[String]) -> Result<Present<'s>, MergeError> {
    let wrong = |path: &[String], wanted| MergeError::Shape {
        place: path.join("."),
        wanted,
    };
    let mut present = Present::default();
    for statement in statements {
        match statement {
            Statement::Header {
                path,
                array,
                next_line,
            } => {
                if *array && target.starts_with(path) {
                    return Err(wrong(path, "a table: it is an array"));
                }
                match path.strip_prefix(target) {
                    Some([key, ..]) => present.tables.push(key),
                    Some([]) if present.header.replace(*next_line).is_some() => {
                        return Err(wrong(path, "one table: it is there twice"));
                    }
                    _ => {}
                }
            }
            Statement::Pair { path, own, value } => {
                if target.starts_with(path) {
                    return Err(wrong(path, HEADER));
                }
                let Some(keys) = path.strip_prefix(target) else {
                    continue;
                };
                present.dotted |= *own > keys.len();
                match keys {
                    [key] => present.pairs.push((key, value.clone())),
                    [key, ..] => present.tables.push(key),
                    [] => {}
                }
            }
        }
    }
    Ok(present)
}

/// See [`super::merge()`].
pub(super) fn merge(text: &str, entry: &Entry) -> Result<Merged, MergeError> {
    let statements = statements(text)?;
    let target = [SERVERS.to_owned(), entry.name.clone()];
    let place = target.join(".");
    let present = present(&statements, &target)?;
    let get = |wanted: &str| present.pairs.iter().find(|(key, _)| *key == wanted);
    if let Some((key, _)) = get("url") {
        return Err(MergeError::Remote {
            name: place,
            key: (*key).to_owned(),
        });
    }

    let mut edits: Vec<Edit> = Vec::new();
    let mut missing = Vec::new();
    for (key, wanted) in wanted(entry) {
        if present.tables.contains(&key) {
            return Err(MergeError::Shape {
                place: format!("{place}.{key}"),
                wanted: "a value: it is a table",
            });
        }
        let Some((_, value)) = get(key) else {
            missing.push((key, wanted));
            continue;
        };
        let (found, comments) = words(&text[value.clone()])?;
        if found.as_ref() == Some(&wanted) {
            continue;
        }
        if comments {
            return Err(MergeError::Comment {
                place: format!("{place}.{key}"),
            });
        }
        edits.push((value.clone(), render(&wanted)));
    }

    let end = line_end(text);
    if !missing.is_empty() {
        if present.dotted {
            // Its table must not be opened a second time (toml.io, "Table").
            return Err(MergeError::Shape {
                place,
                wanted: HEADER,
            });
        }
        let Some(at) = present.header else {
            return Ok(Merged::Added(append(text, &document(entry, end), end)));
        };
        let mut lines = String::new();
        if !text[..at].ends_with('\n') {
            lines.push_str(end);
        }
        for pair in &missing {
            lines.push_str(&line(pair));
            lines.push_str(end);
        }
        edits.push((at..at, lines));
    }
    Ok(if edits.is_empty() {
        Merged::Same
    } else {
        Merged::Updated(apply(text, edits))
    })
}

/// The text with a table behind it, and an empty line between them.
fn append(text: &str, table: &str, line_end: &str) -> String {
    match text {
        "" => table.to_owned(),
        _ if text.ends_with('\n') => format!("{text}{line_end}{table}"),
        _ => format!("{text}{line_end}{line_end}{table}"),
    }
}

fn wanted(entry: &Entry) -> [(&'static str, Words); 2] {
    [
        ("command", Words::One(entry.command.clone())),
        ("args", Words::List(entry.args.clone())),
    ]
}

fn line((key, value): &(&str, Words)) -> String {
    format!("{key} = {}", render(value))
}

fn render(value: &Words) -> String {
    match value {
        Words::One(word) => quote(word),
        Words::List(list) => {
            let list: Vec<String> = list.iter().map(|word| quote(word)).collect();
            format!("[{}]", list.join(", "))
        }
    }
}

/// A key, bare if it may be.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// A basic string.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // All of them are below U+0100.
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
