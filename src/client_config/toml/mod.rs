//! Entries in TOML files: a table `[mcp_servers.<name>]`.

mod scan;
#[cfg(test)]
mod tests;

use self::scan::{Statement, Words, statements, words};
use super::error::MergeError;
use super::{Edit, Entry, Merged, apply, line_end};

/// Name of the table that holds the servers.
const SERVERS: &str = "mcp_servers";

/// A whole file with nothing but this entry.
pub(super) fn document(entry: &Entry, line_end: &str) -> String {
    let mut lines = vec![format!("[{SERVERS}.{}]", key(&entry.name))];
    lines.extend(wanted(entry).iter().map(line));
    lines.push(String::new());
    lines.join(line_end)
}

/// See [`super::merge()`].
pub(super) fn merge(text: &str, entry: &Entry) -> Result<Merged, MergeError> {
    let statements = statements(text)?;
    let target = [SERVERS.to_owned(), entry.name.clone()];
    let place = target.join(".");
    let mut header = None;
    let mut dotted = false;
    let mut present = Vec::new();
    for statement in &statements {
        match statement {
            Statement::Header {
                path,
                array,
                next_line,
            } => {
                if *array && target.starts_with(path) {
                    return Err(MergeError::Shape {
                        place: path.join("."),
                        wanted: "a table: it is an array",
                    });
                }
                if *path == target && header.replace(*next_line).is_some() {
                    return Err(MergeError::Shape {
                        place,
                        wanted: "one table: it is there twice",
                    });
                }
            }
            Statement::Pair { path, own, value } => {
                if target.starts_with(path) {
                    return Err(MergeError::Shape {
                        place: path.join("."),
                        wanted: "a table under a header of its own",
                    });
                }
                if let [rest @ .., last] = &path[..]
                    && *rest == target
                {
                    dotted |= *own > 1;
                    present.push((last.as_str(), value.clone()));
                }
            }
        }
    }
    if let Some((key, _)) = present.iter().find(|(key, _)| *key == "url") {
        return Err(MergeError::Remote {
            name: place,
            key: (*key).to_owned(),
        });
    }

    let mut edits: Vec<Edit> = Vec::new();
    let mut missing = Vec::new();
    for (key, wanted) in wanted(entry) {
        let Some((_, value)) = present.iter().find(|(present, _)| *present == key) else {
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
    if missing.is_empty() {
        return Ok(if edits.is_empty() {
            Merged::Same
        } else {
            Merged::Updated(apply(text, edits))
        });
    }
    if dotted {
        // Its table must not be opened a second time (toml.io, "Table").
        return Err(MergeError::Shape {
            place,
            wanted: "a table under a header of its own",
        });
    }
    if let Some(at) = header {
        let mut lines = String::new();
        if !text[..at].ends_with('\n') {
            lines.push_str(end);
        }
        for pair in &missing {
            lines.push_str(&line(pair));
            lines.push_str(end);
        }
        edits.push((at..at, lines));
        return Ok(Merged::Updated(apply(text, edits)));
    }
    let mut added = text.to_owned();
    if !added.is_empty() {
        if !added.ends_with('\n') {
            added.push_str(end);
        }
        added.push_str(end);
    }
    added.push_str(&document(entry, end));
    Ok(Merged::Added(added))
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
