//! Entries in JSON files.

mod edit;
mod scan;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use self::edit::{Style, insert};
use super::client::JsonShape;
use super::error::MergeError;
use super::{Entry, Merged, apply, line_end};

/// Keys that say that a server is called at an address, and not started.
const REMOTE: [&str; 4] = ["url", "httpUrl", "serverUrl", "tcp"];

/// A whole file with nothing but this entry.
pub(super) fn document(shape: &JsonShape, entry: &Entry, line_end: &'static str) -> String {
    let servers = Map::from_iter([(entry.name.clone(), Value::Object(fresh(shape, entry)))]);
    let root = Map::from_iter([(shape.servers.to_owned(), Value::Object(servers))]);
    let text = Style::usual(line_end).render(&Value::Object(root), "");
    format!("{text}{line_end}")
}

/// What a client is to know of a server.
fn wanted(shape: &JsonShape, entry: &Entry) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(kind) = shape.kind {
        fields.insert("type".to_owned(), kind.into());
    }
    fields.insert("command".to_owned(), entry.command.clone().into());
    fields.insert("args".to_owned(), entry.args.clone().into());
    fields
}

/// The same, with what only an entry has that was not there before.
fn fresh(shape: &JsonShape, entry: &Entry) -> Map<String, Value> {
    let mut fields = wanted(shape, entry);
    if shape.env {
        fields.insert("env".to_owned(), Value::Object(Map::new()));
    }
    fields
}

/// See [`super::merge()`].
pub(super) fn merge(shape: &JsonShape, text: &str, entry: &Entry) -> Result<Merged, MergeError> {
    let Some(root) = scan::root(text)? else {
        let line_end = line_end(text);
        let whole = document(shape, entry, line_end);
        // Comments alone stay where they are.
        let kept = text.trim_end();
        let between = if kept.is_empty() { "" } else { line_end };
        return Ok(Merged::Added(format!("{kept}{between}{whole}")));
    };
    let Some(root) = scan::object(text, root.start)? else {
        return Err(no_object("what the file holds"));
    };
    let style = Style::of(text, &root);
    let new = |fields| Value::Object(Map::from_iter([(entry.name.clone(), fields)]));

    let Some(servers) = root.get(shape.servers) else {
        let servers = new(Value::Object(fresh(shape, entry)));
        let members = Map::from_iter([(shape.servers.to_owned(), servers)]);
        return Ok(Merged::Added(apply(
            text,
            insert(text, &root, &members, &style),
        )));
    };
    let Some(servers) = scan::object(text, servers.value.start)? else {
        return Err(no_object(shape.servers));
    };
    let place = format!("{}.{}", shape.servers, entry.name);
    let Some(present) = servers.get(&entry.name) else {
        let members = Map::from_iter([(entry.name.clone(), fresh(shape, entry).into())]);
        return Ok(Merged::Added(apply(
            text,
            insert(text, &servers, &members, &style),
        )));
    };
    let Some(present) = scan::object(text, present.value.start)? else {
        return Err(no_object(place));
    };
    if let Some(key) = REMOTE.iter().find(|key| present.get(key).is_some()) {
        return Err(MergeError::Remote {
            name: place,
            key: (*key).to_owned(),
        });
    }
    let mut edits = Vec::new();
    let mut missing = Map::new();
    for (key, value) in wanted(shape, entry) {
        let Some(member) = present.get(&key) else {
            missing.insert(key, value);
            continue;
        };
        let (plain, comments) = scan::plain(&text[member.value.clone()])?;
        // Nested deeper than serde reads is not what we want, either.
        if serde_json::from_str::<Value>(&plain).is_ok_and(|plain| plain == value) {
            continue;
        }
        if comments {
            return Err(MergeError::Comment {
                place: format!("{place}.{key}"),
            });
        }
        edits.push((member.value.clone(), style.render_in_line(&value)));
    }
    if !missing.is_empty() {
        edits.extend(insert(text, &present, &missing, &style));
    }
    Ok(if edits.is_empty() {
        Merged::Same
    } else {
        Merged::Updated(apply(text, edits))
    })
}

fn no_object(place: impl Into<String>) -> MergeError {
    MergeError::Shape {
        place: place.into(),
        wanted: "an object: { … }",
    }
}
