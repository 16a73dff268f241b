//! The forms that a caller may ask for in `_meta` of its arguments: bare lines, or JSON.

use playguard_cdp::aria::{AriaNode, AriaTree, Child, Invalid, Toggle};
use serde_json::{Map, Value, json};

use super::sections::{Section, sections};
use super::{RenderOptions, redact::Redactor};
use crate::call::{Delivery, SnapshotContent, SnapshotPart, ToolReply};

/// How the text of a reply is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// Sections under headings.
    #[default]
    Text,
    /// The lines of what matters, without headings and fences.
    Raw,
    /// The same as one JSON object.
    Json,
}

/// The sections that are printed without headings.
const BARE: [&str; 3] = ["Error", "Result", "Snapshot"];

/// Nodes of a snapshot that lie deeper are left out: JSON nests, and its readers have limits.
const MAX_DEPTH: usize = 100;

/// The lines of what matters.
pub(super) fn raw(reply: &ToolReply, options: &RenderOptions) -> String {
    let lines: Vec<String> = bare(reply, options)
        .flat_map(|section| section.lines)
        .collect();
    options.redactor.redact(lines.join("\n"))
}

/// The same as an object: `isError` (only when true), `error`, `result`, `snapshot`.
pub(super) fn object(reply: &ToolReply, options: &RenderOptions) -> String {
    let mut out = Map::new();
    if reply.is_error() {
        out.insert("isError".to_owned(), true.into());
    }
    for section in bare(reply, options) {
        let (key, value) = match (section.title, &reply.snapshot) {
            ("Error", _) => ("error", section.lines.join("\n").into()),
            ("Result", _) => ("result", section.lines.join("\n").into()),
            (_, Some(part)) => ("snapshot", snapshot(part)),
            (_, None) => continue,
        };
        out.insert(key.to_owned(), redacted(value, &options.redactor));
    }
    format!("{:#}", Value::Object(out))
}

fn bare(reply: &ToolReply, options: &RenderOptions) -> impl Iterator<Item = Section> {
    let all = sections(reply, options).into_iter();
    all.filter(|section| BARE.contains(&section.title))
}

fn snapshot(part: &SnapshotPart) -> Value {
    match (&part.delivery, &part.content) {
        (Delivery::File { link, .. }, _) => json!({ "file": link }),
        (Delivery::Inline, SnapshotContent::Interrupted) => json!([]),
        (Delivery::Inline, SnapshotContent::Tree(tree)) => children(tree, &tree.roots, 0, true),
    }
}

/// Nodes and texts in their order. Bounded by [`MAX_DEPTH`].
fn children(tree: &AriaTree, list: &[Child], depth: usize, top: bool) -> Value {
    list.iter()
        .map(|child| match child {
            Child::Text(text) if top => json!({ "role": "text", "text": &**text }),
            Child::Text(text) => Value::from(&**text),
            Child::Node(id) => node(tree, tree.node(*id), depth),
        })
        .collect()
}

fn node(tree: &AriaTree, node: &AriaNode, depth: usize) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    put("role", Value::from(&*node.role));
    if !node.name.is_empty() {
        put("name", Value::from(&*node.name));
    }
    let toggle = |toggle| match toggle {
        Toggle::True => Value::from(true),
        Toggle::Mixed => Value::from("mixed"),
    };
    let states = &node.states;
    let flags = |on: bool| on.then_some(Value::from(true));
    let marks = [
        ("checked", states.checked.map(toggle)),
        ("disabled", flags(states.disabled)),
        ("expanded", flags(states.expanded)),
        ("active", flags(states.active)),
        (
            "invalid",
            states.invalid.map(|invalid| match invalid {
                Invalid::True => Value::from(true),
                Invalid::Grammar => Value::from("grammar"),
                Invalid::Spelling => Value::from("spelling"),
            }),
        ),
        ("level", states.level.map(Value::from)),
        ("pressed", states.pressed.map(toggle)),
        ("selected", flags(states.selected)),
        ("ref", node.reference.map(|r| Value::from(r.to_string()))),
        (
            "cursor",
            node.cursor_pointer.then_some(Value::from("pointer")),
        ),
        (
            "box",
            node.bounds
                .map(|b| json!({ "x": b.x, "y": b.y, "width": b.width, "height": b.height })),
        ),
    ];
    for (key, value) in marks {
        if let Some(value) = value {
            put(key, value);
        }
    }
    for (name, value) in &node.props {
        put(name, Value::from(&**value));
    }
    if states.aria_hidden {
        put("ariaHidden", true.into());
    }
    for (name, value) in &node.extras {
        put(name, Value::from(value.as_str()));
    }
    match node.children.as_slice() {
        [] => {}
        [Child::Text(text)] => put("text", Value::from(&**text)),
        list if depth < MAX_DEPTH => put("children", children(tree, list, depth + 1, false)),
        _ => {}
    }
    Value::Object(out)
}

/// The value with its texts redacted; as deep as the snapshot at most.
fn redacted(value: Value, redactor: &Redactor) -> Value {
    match value {
        _ if redactor.is_empty() => value,
        Value::String(text) => redactor.redact(text).into(),
        Value::Array(items) => items
            .into_iter()
            .map(|item| redacted(item, redactor))
            .collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, redacted(value, redactor)))
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn reply() -> ToolReply {
        let mut tree = AriaTree::default();
        let button = tree.push(AriaNode {
            role: "button".into(),
            name: "Go".into(),
            reference: playguard_cdp::aria::Ref::parse("e2"),
            children: vec![Child::Text("now".into())],
            ..AriaNode::default()
        });
        tree.roots = vec![Child::Text("Hi".into()), Child::Node(button)];
        ToolReply {
            code: vec!["await page.x();".to_owned()],
            snapshot: Some(SnapshotPart {
                content: SnapshotContent::Tree(Arc::new(tree)),
                delivery: Delivery::Inline,
            }),
            ..ToolReply::result("a\nb")
        }
    }

    #[test]
    fn raw_has_no_headings() {
        let text = raw(&reply(), &RenderOptions::default());
        assert_eq!(text, "a\nb\n- text: Hi\n- button \"Go\" [ref=e2]: now");
        let failed = ToolReply::thrown("Error: x");
        assert_eq!(raw(&failed, &RenderOptions::default()), "Error: x");
    }

    #[test]
    fn json_has_upstreams_keys() {
        let text = object(&reply(), &RenderOptions::default());
        let expected = json!({
            "result": "a\nb",
            "snapshot": [
                { "role": "text", "text": "Hi" },
                { "role": "button", "name": "Go", "ref": "e2", "text": "now" },
            ],
        });
        assert_eq!(text, format!("{expected:#}"));
        let failed = object(&ToolReply::thrown("Error: x"), &RenderOptions::default());
        assert_eq!(
            failed,
            "{\n  \"isError\": true,\n  \"error\": \"Error: x\"\n}"
        );
    }

    #[test]
    fn deep_trees_end_somewhere() {
        let mut tree = AriaTree::default();
        let mut below = Vec::new();
        for _ in 0..10_000 {
            let id = tree.push(AriaNode {
                role: "generic".into(),
                children: below,
                ..AriaNode::default()
            });
            below = vec![Child::Node(id)];
        }
        let text = children(&tree, &below, 0, true).to_string();
        assert_eq!(text.matches("role").count(), MAX_DEPTH + 1);
    }
}
