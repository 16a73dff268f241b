//! Target texts of agents, run over small fixed documents.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use crate::dom::Document;
use crate::locator::{Engine, Selector, Target, parse_target, preview};
use crate::page;

/// A page with shadow trees and labels, and one with svg.
static DOCUMENTS: LazyLock<Vec<Arc<Document>>> = LazyLock::new(|| {
    let pages: [&[u8]; 2] = [
        include_bytes!("../seeds/aria_tree/shadow-labels-refs.json"),
        include_bytes!("../seeds/aria_tree/svg-inline.json"),
    ];
    pages.into_iter().flat_map(documents).collect()
});

fn documents(page: &[u8]) -> Vec<Arc<Document>> {
    let page = page::read(page);
    if page.joined.is_empty() {
        page.plain
    } else {
        page.joined
    }
}

/// Reads a target, runs it, prints it in both syntaxes and reads those.
///
/// # Panics
/// When a printed locator is read as another one, or a query gives nonsense.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = Selector::from_javascript(&text);
    let selector = match parse_target(&text) {
        Ok(Target::Selector(selector)) => selector,
        Ok(Target::Ref(_)) => return,
        Err(error) => {
            let _ = (error.to_string(), error.detail());
            return;
        }
    };
    let shown = selector.to_string();
    let code = selector.to_javascript();
    match parse_target(&shown) {
        Ok(Target::Selector(read)) if read.to_string() == shown => {}
        // White space around it made a type selector of what is a ref without.
        Ok(Target::Ref(read)) => assert_eq!(read, shown),
        other => assert!(
            is_ambiguous(&shown),
            "{shown:?}, printed for {text:?}, is read as {other:?}"
        ),
    }
    // A description is printed instead of what it describes.
    if !shown.contains("internal:describe=") {
        match Selector::from_javascript(&code) {
            Ok(read) if read.to_javascript() == code => {}
            other => assert!(
                is_ambiguous(&shown),
                "{code:?}, printed for {text:?}, is read as {other:?}"
            ),
        }
    }
    let _ = (selector.split_frames(), selector.description());
    for document in DOCUMENTS.iter() {
        let engine = Engine::new(document).with_refs(|_| document.body());
        let Ok(found) = engine.query_all(&selector, None) else {
            continue;
        };
        let distinct: HashSet<_> = found.iter().collect();
        assert_eq!(
            distinct.len(),
            found.len(),
            "{shown:?} finds an element twice"
        );
        assert!(
            found.iter().all(|&node| document.is_element(node)),
            "{shown:?}"
        );
        for &node in found.iter().take(3) {
            let _ = preview(document, node);
        }
    }
}

/// Whether a selector is printed the way upstream prints it, although that reads
/// as another one: roles that are no words come without quotes, and what is quoted
/// is marked as text, which makes apostrophes of the quotes inside.
fn is_ambiguous(shown: &str) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let odd_role = |rest: &str| {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        end == 0 || !rest[end..].starts_with(['[', ' ', '"', '\\']) && end < rest.len()
    };
    // Quotes may hold the separator as well, so that a piece lacks its last one.
    let odd_text = |piece: &str| {
        let mut inner = piece.strip_prefix("text=").unwrap_or("").chars();
        let quote = inner.next().filter(|&c| is_quote(c));
        let inner = inner.as_str();
        quote.is_some_and(|quote| {
            inner
                .strip_suffix(quote)
                .unwrap_or(inner)
                .contains(is_quote)
        })
    };
    shown.split("internal:role=").skip(1).any(odd_role) || shown.split(" >> ").any(odd_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds() {
        for seed in page::seeds("locator") {
            check(&seed);
        }
    }
}
