//! The CSS `content` property as text.

use crate::dom::{Document, NodeId, Pseudo, StyleProperty};

/// Text that `::before` or `::after` adds, spaced like a block where it is one.
/// Empty when the box is not rendered.
pub(crate) fn pseudo_text(document: &Document, node: NodeId, which: Pseudo) -> Option<String> {
    let pseudo = document.pseudo(node, which)?;
    let hidden = document.style(pseudo, StyleProperty::Visibility) == Some("hidden");
    if !document.is_laid_out(pseudo) || hidden {
        return None;
    }
    let content = document.style(pseudo, StyleProperty::Content)?;
    let text = content_text(document, node, content, true)?;
    Some(if document.is_display_inline(pseudo) {
        text
    } else {
        format!(" {text} ")
    })
}

/// Alternative text that `content` gives a real element; replaces its children.
pub(crate) fn replaced_text(document: &Document, node: NodeId) -> Option<String> {
    let content = document.style(node, StyleProperty::Content)?;
    if document.style(node, StyleProperty::Visibility) == Some("hidden") {
        return None;
    }
    content_text(document, node, content, false)
}

/// Strings and `attr()` joined; whatever comes after a slash replaces what stands
/// before it. `None` when there is anything else in the list.
fn content_text(document: &Document, node: NodeId, content: &str, pseudo: bool) -> Option<String> {
    if matches!(content, "" | "none" | "normal") {
        return None;
    }
    let mut out = String::new();
    let mut understood = true;
    let mut has_alternative = false;
    let mut rest = content.trim_start();
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '"' | '\'' => {
                let (text, after) = quoted(rest, first);
                out.push_str(&text);
                after
            }
            '/' => {
                if has_alternative {
                    return None;
                }
                has_alternative = true;
                out.clear();
                understood = true;
                rest.get(1..).unwrap_or("")
            }
            _ => match attribute_name(rest) {
                Some((name, after)) => {
                    out.push_str(document.attr(node, &name).unwrap_or(""));
                    after
                }
                None => {
                    understood = false;
                    skip_value(rest)
                }
            },
        }
        .trim_start();
    }
    (understood && (pseudo || has_alternative)).then_some(out)
}

/// A CSS string and what follows it.
fn quoted(text: &str, quote: char) -> (String, &str) {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return (out, text.get(at + 1..).unwrap_or(""));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        // CSS Syntax 3, consume an escaped code point.
        let mut hex = String::new();
        while let Some(&(_, digit)) = chars.peek()
            && digit.is_ascii_hexdigit()
            && hex.len() < 6
        {
            hex.push(digit);
            chars.next();
        }
        if hex.is_empty() {
            match chars.next() {
                Some((_, '\n')) | None => {}
                Some((_, escaped)) => out.push(escaped),
            }
            continue;
        }
        if chars.peek().is_some_and(|(_, c)| c.is_ascii_whitespace()) {
            chars.next();
        }
        let code = u32::from_str_radix(&hex, 16).unwrap_or(0);
        out.push(
            char::from_u32(code)
                .filter(|&c| c != '\0')
                .unwrap_or('\u{fffd}'),
        );
    }
    (out, "")
}

/// The name in `attr(name)` and what follows.
fn attribute_name(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix("attr(")?;
    let (name, after) = inside.split_once(')')?;
    let name = name.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || !c.is_ascii();
    (!name.is_empty() && name.chars().all(is_name)).then(|| (name.to_owned(), after))
}

/// Skips one value that carries no text, such as `url("…")` or `counter(x)`.
fn skip_value(text: &str) -> &str {
    let mut depth = 0usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            '"' | '\'' if depth > 0 => {
                rest = quoted(rest, c).1;
                continue;
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && (c.is_ascii_whitespace() || matches!(c, '/' | '"' | '\'')) => {
                // A stray slash or quote is the caller's; progress is certain
                // because it starts a value only with another character.
                return rest;
            }
            _ => {}
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    rest
}
