//! Locators made for elements of captured pages.

use std::sync::Arc;

use crate::dom::{Document, NodeId};
use crate::locator::{Engine, GenerateOptions, Selector, Target, parse_target, preview};
use crate::page;

/// Elements per document that get a locator: making one queries the document
/// many times.
const PER_DOCUMENT: usize = 3;

/// Makes locators for some elements and runs them.
///
/// # Panics
/// When a locator cannot be read back, or does not find its element.
pub fn check(data: &[u8]) {
    let page = page::read(data);
    let documents = if page.joined.is_empty() {
        &page.plain
    } else {
        &page.joined
    };
    for document in documents {
        check_some(document, data.len());
    }
}

fn check_some(document: &Arc<Document>, salt: usize) {
    let engine = Engine::new(document);
    let elements: Vec<NodeId> = document.elements().collect();
    if elements.is_empty() {
        return;
    }
    // Spread over the document, and over its other parts for other inputs.
    let step = elements.len() / PER_DOCUMENT + 1;
    for &node in elements.iter().skip(salt % step).step_by(step) {
        check_one(&engine, node);
    }
}

/// Makes and checks the locator of one element.
pub fn check_one(engine: &Engine<'_>, node: NodeId) {
    let document = engine.document();
    let _ = preview(document, node);
    let selector = engine.generate(node, &GenerateOptions::default());
    let found = engine.query_all(&selector, None);
    let shown = selector.to_string();
    let found = found.unwrap_or_else(|error| panic!("{shown:?} does not run: {error}"));
    assert!(
        found.len() <= 1 || !is_plain(document),
        "{shown:?} finds {}",
        found.len()
    );
    let read = match parse_target(&shown) {
        Ok(Target::Selector(read)) => read,
        other => panic!("{shown:?} is read as {other:?}"),
    };
    let again = engine.query_all(&read, None);
    assert_eq!(again.ok().as_ref(), Some(&found), "{shown:?}");
    let code = selector.to_javascript();
    let _ = Selector::from_javascript(&code);
}

/// One root, one HTML element, nothing below texts and no shadow trees: what
/// upstream's own rules are made for.
fn is_plain(document: &Document) -> bool {
    let roots = document
        .nodes()
        .filter(|&node| document.parent_or_host(node).is_none());
    let html = |node: &NodeId| document.tag(*node) == "HTML";
    roots.count() == 1
        && document.elements().filter(html).count() == 1
        && document.nodes().all(|node| {
            let inside_text = document.parent(node).is_some_and(|p| document.is_text(p));
            !inside_text && document.shadow_kind(node).is_none()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_of_the_seeds() {
        for seed in page::seeds("aria_tree") {
            let page = page::read(&seed);
            for document in page.plain.iter().chain(&page.joined) {
                let engine = Engine::new(document);
                for node in document.elements() {
                    check_one(&engine, node);
                }
            }
        }
    }
}
