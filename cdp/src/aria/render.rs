//! Snapshots as text: upstream's YAML-like format.

use std::fmt::Write as _;

use super::tree::{AriaId, AriaNode, AriaTree, Child, Invalid, States, Toggle};
use crate::dom::{is_js_space, js_number, utf16_len};

/// Longest name that prints, in UTF-16 units.
const MAX_NAME: usize = 900;

/// The text of a snapshot, without a newline at the end. Empty for an empty tree.
pub fn render(tree: &AriaTree) -> String {
    let mut out = String::new();
    let mut line = String::new();
    let mut stack: Vec<(Line<'_>, usize)> = Vec::new();
    push_children(&mut stack, &tree.roots, 0);
    while let Some((item, depth)) = stack.pop() {
        if !out.is_empty() {
            out.push('\n');
        }
        indent(&mut out, depth);
        out.push_str("- ");
        match item {
            Line::Text(text) => {
                out.push_str("text: ");
                write_value(&mut out, text);
            }
            Line::Node(id) => {
                let node = tree.node(id);
                line.clear();
                write_key(&mut line, node);
                if needs_quotes(&line) {
                    write_single_quoted(&mut out, &line);
                } else {
                    out.push_str(&line);
                }
                match node.children.as_slice() {
                    [] if node.props.is_empty() => {}
                    [Child::Text(text)] if node.props.is_empty() => {
                        out.push_str(": ");
                        write_value(&mut out, text);
                    }
                    children => {
                        out.push(':');
                        for (name, value) in &node.props {
                            out.push('\n');
                            indent(&mut out, depth + 1);
                            let _ = write!(out, "- /{name}: ");
                            write_value(&mut out, value);
                        }
                        push_children(&mut stack, children, depth + 1);
                    }
                }
            }
        }
    }
    out
}

/// The key of one line: role, name and marks, not quoted.
pub fn key(node: &AriaNode) -> String {
    let mut out = String::new();
    write_key(&mut out, node);
    out
}

enum Line<'t> {
    Node(AriaId),
    Text(&'t str),
}

fn push_children<'t>(stack: &mut Vec<(Line<'t>, usize)>, children: &'t [Child], depth: usize) {
    stack.extend(children.iter().rev().map(|child| {
        let line = match child {
            Child::Node(id) => Line::Node(*id),
            Child::Text(text) => Line::Text(text),
        };
        (line, depth)
    }));
}

/// Depth at which indentation stops growing. It is as deep as the browser's own
/// parser nests elements; scripts can nest them deeper, and the spaces of fifty
/// thousand nested lists would fill gigabytes.
const MAX_INDENT: usize = 512;

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
}

fn write_key(out: &mut String, node: &AriaNode) {
    out.push_str(&node.role);
    if !node.name.is_empty() && utf16_len(&node.name) <= MAX_NAME {
        out.push(' ');
        write_json(out, &node.name);
    }
    write_states(out, &node.states);
    if let Some(reference) = node.reference {
        let _ = write!(out, " [ref={reference}]");
    }
    if node.cursor_pointer {
        out.push_str(" [cursor=pointer]");
    }
    if let Some(b) = node.bounds {
        let _ = write!(out, " [box={},{},{},{}]", b.x, b.y, b.width, b.height);
    }
    for (name, value) in &node.extras {
        if value.is_empty() {
            let _ = write!(out, " [{name}]");
        } else if is_plain(value) {
            let _ = write!(out, " [{name}={value}]");
        } else {
            let _ = write!(out, " [{name}=");
            write_json(out, value);
            out.push(']');
        }
    }
}

fn is_plain(value: &str) -> bool {
    value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+'))
}

fn write_states(out: &mut String, states: &States) {
    let toggle = |out: &mut String, name: &str, value: Option<Toggle>| match value {
        Some(Toggle::True) => {
            let _ = write!(out, " [{name}]");
        }
        Some(Toggle::Mixed) => {
            let _ = write!(out, " [{name}=mixed]");
        }
        None => {}
    };
    let mark = |out: &mut String, on: bool, text: &str| {
        if on {
            out.push_str(text);
        }
    };
    toggle(out, "checked", states.checked);
    mark(out, states.disabled, " [disabled]");
    mark(out, states.expanded, " [expanded]");
    mark(out, states.active, " [active]");
    out.push_str(match states.invalid {
        None => "",
        Some(Invalid::True) => " [invalid]",
        Some(Invalid::Grammar) => " [invalid=grammar]",
        Some(Invalid::Spelling) => " [invalid=spelling]",
    });
    if let Some(level) = states.level {
        let _ = write!(out, " [level={level}]");
    }
    toggle(out, "pressed", states.pressed);
    mark(out, states.selected, " [selected]");
    mark(out, states.aria_hidden, " [aria-hidden]");
}

/// A JSON string literal as `JSON.stringify` writes it.
fn write_json(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn write_single_quoted(out: &mut String, text: &str) {
    out.push('\'');
    for c in text.chars() {
        if c == '\'' {
            out.push('\'');
        }
        out.push(c);
    }
    out.push('\'');
}

/// A scalar value, quoted if YAML would take it for something else.
fn write_value(out: &mut String, text: &str) {
    if !needs_quotes(text) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Upstream's test for text that cannot stand bare.
fn needs_quotes(text: &str) -> bool {
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else {
        return true;
    };
    if is_js_space(first) || is_js_space(last) || last == ':' {
        return true;
    }
    if matches!(
        first,
        '-' | '&' | '*' | ']' | ',' | '?' | '!' | '>' | '|' | '@' | '"' | '\'' | '#' | '%' | '['
    ) {
        return true;
    }
    let mut previous = '\0';
    for c in text.chars() {
        let bad = match c {
            '\0'..='\u{8}' | '\u{a}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
            '{' | '}' | '`' => true,
            '#' => is_js_space(previous),
            _ => previous == ':' && is_js_space(c),
        };
        if bad {
            return true;
        }
        previous = c;
    }
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "true", "false", "on", "off", "null"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) || js_number(text).is_some()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::aria::tree::{Box2d, Ref};

    #[test]
    fn quoting_of_values() {
        for bare in [
            "a",
            "1,200",
            "12:30",
            "NaN",
            "a:b",
            "a#b",
            "x-y",
            "http://x/#y",
            "Yes!",
        ] {
            assert!(!needs_quotes(bare), "{bare:?}");
        }
        for quoted in [
            "",
            " a",
            "a ",
            "a: b",
            "a:",
            "a #b",
            "- a",
            "a\nb",
            "{",
            "`",
            "1e3",
            "0x1F",
            ".5",
            "+5",
            "Infinity",
            "YES",
            "Null",
            "[x",
            "%",
            "\u{7f}",
            "\u{a0}a",
            "a:\u{3000}b",
        ] {
            assert!(needs_quotes(quoted), "{quoted:?}");
        }
        let mut out = String::new();
        write_value(&mut out, "a: \"b\"\\\u{7f}\u{1}\t");
        assert_eq!(out, r#""a: \"b\"\\\x7f\x01\t""#);
    }

    #[test]
    fn a_node_with_everything() {
        let node = AriaNode {
            role: "button".into(),
            name: "it's: \"x\"".into(),
            states: States {
                checked: Some(Toggle::Mixed),
                disabled: true,
                expanded: true,
                active: true,
                invalid: Some(Invalid::Grammar),
                level: Some(2),
                pressed: Some(Toggle::True),
                selected: true,
                aria_hidden: true,
            },
            reference: Some(Ref {
                frame: 1,
                element: 2,
            }),
            cursor_pointer: true,
            bounds: Some(Box2d {
                x: -1,
                y: 2,
                width: 3,
                height: 4,
            }),
            extras: vec![
                ("required", String::new()),
                ("description", "a \"b\"".into()),
            ],
            ..AriaNode::default()
        };
        let mut tree = AriaTree::default();
        let id = tree.push(node);
        tree.roots.push(Child::Node(id));
        assert_eq!(
            render(&tree),
            "- 'button \"it''s: \\\"x\\\"\" [checked=mixed] [disabled] [expanded] [active] \
             [invalid=grammar] [level=2] [pressed] [selected] [aria-hidden] [ref=f1e2] \
             [cursor=pointer] [box=-1,2,3,4] [required] [description=\"a \\\"b\\\"\"]'"
        );
    }

    #[test]
    fn children_and_props() {
        let mut tree = AriaTree::default();
        let text = |t: &str| Child::Text(Arc::from(t));
        let node = |role: &'static str, children: Vec<Child>| AriaNode {
            role: role.into(),
            children,
            ..AriaNode::default()
        };
        let empty = tree.push(node("separator", vec![]));
        let single = tree.push(node("listitem", vec![text("1.5")]));
        let mut link = node("link", vec![text("go")]);
        link.props.push(("url".into(), "/x".into()));
        let link = tree.push(link);
        let children = vec![text("a"), Child::Node(single), Child::Node(link)];
        let list = tree.push(node("list", children));
        tree.roots = vec![Child::Node(empty), text("top"), Child::Node(list)];
        assert_eq!(
            render(&tree),
            "- separator\n- text: top\n- list:\n  - text: a\n  - listitem: \"1.5\"\n  - link:\n    \
             - /url: /x\n    - text: go"
        );
    }

    #[test]
    fn long_names_are_left_out() {
        let name: Arc<str> = "😀".repeat(450).into();
        let node = AriaNode {
            role: "img".into(),
            name,
            ..AriaNode::default()
        };
        assert!(key(&node).contains('😀'));
        let node = AriaNode {
            name: format!("{}x", node.name).into(),
            ..node
        };
        assert_eq!(key(&node), "img");
    }
}
