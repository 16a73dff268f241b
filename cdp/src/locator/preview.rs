//! Short texts about elements, for error messages.

use super::generate::GenerateOptions;
use super::query::Engine;
use super::selector::Selector;
use crate::dom::{Document, NodeId, utf16_len};

/// Matches that a strictness message lists.
const MAX_LISTED: usize = 10;
/// UTF-16 units of attribute text and of content that a preview shows.
const MAX_ATTRIBUTES: usize = 500;
const MAX_TEXT: usize = 50;
/// Child nodes up to which content is shown.
const MAX_CHILDREN: usize = 5;

/// The element as a tag with its attributes and short text, for example
/// `<button id="covered">Covered</button>`.
pub fn preview(document: &Document, node: NodeId) -> String {
    let name = document.node_name(node).to_lowercase();
    let mut attributes: Vec<String> = document
        .attrs(node)
        .filter(|(name, _)| *name != "style")
        .map(|(name, value)| match value.is_empty() && is_boolean(name) {
            true => format!(" {name}"),
            false => format!(" {name}=\"{value}\""),
        })
        .collect();
    attributes.sort_by_key(|text| utf16_len(text));
    let attributes = shortened(&attributes.concat(), MAX_ATTRIBUTES);
    if is_void(document, node) {
        return one_line(&format!("<{name}{attributes}/>"));
    }
    let children = document.light_children(node);
    let plain =
        children.len() <= MAX_CHILDREN && children.iter().all(|&child| document.is_text(child));
    let text = match plain {
        true => {
            let text: String = children
                .iter()
                .map(|&child| document.value(child))
                .collect();
            shortened(&text, MAX_TEXT)
        }
        false => "…".to_owned(),
    };
    one_line(&format!("<{name}{attributes}>{text}</{name}>"))
}

/// The error for an action whose locator found several elements, first line and
/// list, without call log:
///
/// ```text
/// strict mode violation: locator('h1') resolved to 2 elements:
///     1) <h1>One</h1> aka getByRole('heading', { name: 'One' })
///     2) <h1>Two</h1> aka getByRole('heading', { name: 'Two' })
/// ```
pub fn strict_violation(
    engine: &Engine<'_>,
    selector: &Selector,
    found: &[NodeId],
    options: &GenerateOptions,
) -> String {
    let mut text = format!(
        "strict mode violation: {} resolved to {} elements:",
        selector.to_javascript(),
        found.len()
    );
    for (index, &node) in found.iter().take(MAX_LISTED).enumerate() {
        let own = engine.generate(node, options).to_javascript();
        let preview = preview(engine.document(), node);
        text.push_str(&format!("\n    {}) {preview} aka {own}", index + 1));
    }
    if found.len() > MAX_LISTED {
        text.push_str("\n    ...");
    }
    text.push('\n');
    text
}

fn is_boolean(name: &str) -> bool {
    matches!(
        name,
        "checked" | "selected" | "disabled" | "readonly" | "multiple"
    )
}

fn is_void(document: &Document, node: NodeId) -> bool {
    matches!(
        document.tag(node),
        "AREA"
            | "BASE"
            | "BR"
            | "COL"
            | "COMMAND"
            | "EMBED"
            | "HR"
            | "IMG"
            | "INPUT"
            | "KEYGEN"
            | "LINK"
            | "MENUITEM"
            | "META"
            | "PARAM"
            | "SOURCE"
            | "TRACK"
            | "WBR"
    )
}

/// At most `length` UTF-16 units, the last of which is an ellipsis if something
/// was cut off.
fn shortened(text: &str, length: usize) -> String {
    if utf16_len(text) <= length {
        return text.to_owned();
    }
    let mut units = 0;
    let mut short: String = text
        .chars()
        .take_while(|c| {
            units += c.len_utf16();
            units < length
        })
        .collect();
    short.push('…');
    short
}

fn one_line(text: &str) -> String {
    text.replace('\n', "↵").replace('\t', "⇆")
}
