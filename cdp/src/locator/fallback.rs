//! CSS for elements that nothing else tells apart, and CSS quoting.

use super::candidates::Token;
use super::query::Engine;
use super::selector::{Part, Selector};
use crate::dom::{Document, NodeId, is_js_space};

/// Penalty of a path that says where an element is instead of what.
const PATH_SCORE: i64 = 10_000_000;
const NTH_SCORE: i64 = 10_000;

/// Levels of a path. Deeper elements get the path that they share with others,
/// and a position.
const MAX_LEVELS: usize = 64;
/// Elements to look at, times compounds to compare, for one path.
const MAX_WORK: usize = 5_000_000;

/// A string in double quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

/// `#id`, or an attribute selector for ids that are no plain names.
pub(super) fn identifier_selector(id: &str) -> String {
    let plain = id.len() > 1
        && id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if plain {
        format!("#{id}")
    } else {
        format!("[id={}]", quoted(id))
    }
}

/// The element's name as a type selector. White space that HTML takes for a part
/// of a name is escaped, for readers trim selectors.
pub(super) fn name_selector(document: &Document, node: NodeId) -> String {
    let mut out = String::new();
    for c in document.node_name(node).to_lowercase().chars() {
        match c {
            ':' | '.' => out.extend(['\\', c]),
            c if is_js_space(c) => out.push_str(&code_point(c)),
            c => out.push(c),
        }
    }
    out
}

/// An escape by number.
fn code_point(c: char) -> String {
    format!("\\{:x} ", u32::from(c))
}

/// An identifier, after CSSOM "serialize an identifier", with more white space
/// escaped.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (index, c) in name.chars().enumerate() {
        let leading_digit =
            c.is_ascii_digit() && (index == 0 || (index == 1 && name.starts_with('-')));
        match c {
            '\0' => out.push('\u{FFFD}'),
            c if c < ' ' || c == '\u{7F}' || leading_digit || is_js_space(c) => {
                out.push_str(&code_point(c));
            }
            c if !c.is_ascii() || c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            '-' if name.len() > 1 => out.push(c),
            c => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out
}

/// A path of child combinators from the nearest ancestor that needs no further
/// context: by id, by classes, by tag or by position.
pub(super) fn css_path(engine: &Engine<'_>, node: NodeId) -> Vec<Token> {
    let document = engine.document();
    let mut path = Path {
        engine,
        node,
        tail: Vec::new(),
        work: 0,
    };
    for element in std::iter::once(node)
        .chain(document.ancestors(node))
        .take(MAX_LEVELS)
    {
        if !document.is_element(element) {
            continue;
        }
        path.work += document.len() * (path.tail.len() + 1);
        if path.work > MAX_WORK && !path.tail.is_empty() {
            break;
        }
        let mut level: Option<String> = None;
        if let Some(id) = document.attr(element, "id").filter(|id| !id.is_empty()) {
            let token = identifier_selector(id);
            if let Some(selector) = path.leads_to_node(&token) {
                return path.strict(selector);
            }
            level = Some(token);
        }
        let siblings: Vec<NodeId> = match document.light_parent(element) {
            Some(parent) => document.element_children(parent).collect(),
            None => match document.host(element) {
                Some(host) => document
                    .shadow_children(host)
                    .iter()
                    .copied()
                    .filter(|&child| document.is_element(child))
                    .collect(),
                None => vec![element],
            },
        };
        let classes: Vec<&str> = unique_classes(document, element);
        let mut token = String::new();
        for (index, class) in classes.iter().enumerate() {
            token.push('.');
            token.push_str(&escaped(class));
            if let Some(selector) = path.leads_to_node(&token) {
                return path.strict(selector);
            }
            if level.is_none() && is_only_below_parent(document, element, &classes[..=index]) {
                level = Some(token.clone());
            }
        }
        let name = name_selector(document, element);
        let own_name = document.node_name(element);
        let first = siblings
            .iter()
            .find(|&&other| document.node_name(other) == own_name);
        let token = match siblings.iter().position(|&other| other == element) {
            Some(position) if first != Some(&element) => {
                format!("{name}:nth-child({})", position + 1)
            }
            _ => name,
        };
        if let Some(selector) = path.leads_to_node(&token) {
            return path.strict(selector);
        }
        path.tail.push(level.unwrap_or(token));
    }
    let whole = path.joined(None);
    path.strict(whole)
}

fn unique_classes(document: &Document, element: NodeId) -> Vec<&str> {
    let mut classes: Vec<&str> = Vec::new();
    for class in document
        .attr(element, "class")
        .unwrap_or("")
        .split_ascii_whitespace()
    {
        if !classes.contains(&class) {
            classes.push(class);
        }
    }
    classes
}

/// Whether no other element below the parent, in the same tree, has these
/// classes.
fn is_only_below_parent(document: &Document, element: NodeId, classes: &[&str]) -> bool {
    let Some(parent) = document.parent_or_host(element) else {
        return false;
    };
    let tree = document.scope(element);
    let has_all = |node: NodeId| {
        let own = document.attr(node, "class").unwrap_or("");
        classes
            .iter()
            .all(|class| own.split_ascii_whitespace().any(|word| word == *class))
    };
    (parent.0 + 1..document.subtree_end(parent).0)
        .map(NodeId)
        .filter(|&node| document.is_element(node) && document.scope(node) == tree && has_all(node))
        .nth(1)
        .is_none()
}

struct Path<'e, 'd> {
    engine: &'e Engine<'d>,
    node: NodeId,
    /// Levels so far, innermost first.
    tail: Vec<String>,
    work: usize,
}

impl Path<'_, '_> {
    fn joined(&self, head: Option<&str>) -> String {
        let levels = head
            .into_iter()
            .chain(self.tail.iter().rev().map(String::as_str));
        levels.collect::<Vec<_>>().join(" > ")
    }

    fn found(&self, source: &str) -> Vec<NodeId> {
        let selector = Selector::css(source);
        selector
            .and_then(|selector| self.engine.query_all(&selector, None))
            .unwrap_or_default()
    }

    /// The path with `head` in front, if the node is the first that it finds.
    fn leads_to_node(&self, head: &str) -> Option<String> {
        let source = self.joined(Some(head));
        (self.found(&source).first() == Some(&self.node)).then_some(source)
    }

    /// The path, with a position if it finds several.
    fn strict(&self, source: String) -> Vec<Token> {
        let found = self.found(&source);
        let index = found
            .iter()
            .position(|&other| other == self.node)
            .unwrap_or(0);
        let mut tokens: Vec<Token> = Part::css(&source)
            .ok()
            .map(|part| Token::new(part, PATH_SCORE))
            .into_iter()
            .collect();
        if found.len() != 1 || tokens.is_empty() {
            tokens.push(Token::new(Part::Nth(index as i64), NTH_SCORE));
        }
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::testing::PageWriter;
    use crate::locator::{GenerateOptions, Target, parse_target};

    #[test]
    fn white_space_at_the_end_of_a_name_survives() {
        assert_eq!(escaped("a\u{3000}"), r"a\3000 ");
        // HTML ends a tag's name at ASCII white space only.
        let mut page = PageWriter::html();
        page.leaf("P", &[], "").leaf("P\u{3000}", &[], "");
        let document = page.document();
        let engine = Engine::new(&document);
        let node = NodeId(document.len() as u32 - 1);
        assert_eq!(name_selector(&document, node), r"p\3000 ");
        let selector = engine.generate(node, &GenerateOptions::default());
        let Ok(Target::Selector(read)) = parse_target(&selector.to_string()) else {
            panic!("{selector}");
        };
        assert_eq!(engine.query_all(&read, None), Ok(vec![node]));
    }
}
