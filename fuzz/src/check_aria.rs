//! Snapshots of captured pages.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::aria::{
    AriaTree, AxSnapshotOptions, Child, RefBook, SnapshotOptions, ax_snapshot, render, snapshot,
};
use crate::dom::Document;
use crate::page::Page;
use crate::{check_document, page};

/// Builds and prints every snapshot that a page allows.
///
/// # Panics
/// When a document is no tree, or a snapshot breaks a promise.
pub fn check(data: &[u8]) {
    let page = page::read(data);
    for documents in [&page.plain, &page.joined] {
        for document in documents {
            check_document::check(document);
        }
        if !documents.is_empty() {
            check_page(&page, documents);
        }
    }
    check_ax(page);
}

fn check_page(page: &Page, documents: &[Arc<Document>]) {
    let capture = page.capture(documents);
    let mut refs = RefBook::new(&capture.main_frame);
    let stock = SnapshotOptions::default();
    let first = snapshot(&capture, &mut refs, &stock);
    let distinct = are_distinct(documents);
    check_tree(&first, &refs, distinct);
    let text = render(&first);
    assert_eq!(text.lines().count(), lines(&first), "a line broke:\n{text}");
    let again = snapshot(&capture, &mut refs, &stock);
    if distinct {
        assert_eq!(render(&again), text, "the same page gave another snapshot");
    }
    let other = snapshot(&capture, &mut refs, &page.options);
    check_tree(&other, &refs, distinct);
    assert_eq!(render(&other).lines().count(), lines(&other));
}

/// No two nodes of a frame have the same id. Where they have, refs take turns.
fn are_distinct(documents: &[Arc<Document>]) -> bool {
    let mut seen = HashSet::new();
    documents.iter().all(|document| {
        document.nodes().all(|node| {
            let id = document.backend_node_id(node);
            seen.insert((Arc::clone(document.frame_id()), id))
        })
    })
}

fn check_ax(page: Page) {
    if page.ax.is_empty() {
        return;
    }
    let options = AxSnapshotOptions {
        depth: page.options.depth,
        target: None,
        extras: page.options.extras,
    };
    let page = page.into_ax();
    let mut refs = RefBook::new(&page.main_frame);
    let tree = ax_snapshot(&page, &mut refs, &options);
    let mut seen = HashSet::new();
    let mut nodes = page.frames.values().flat_map(|frame| &frame.tree.nodes);
    // Ids of elements are unique in the whole browser.
    let distinct = nodes.all(|node| node.backend_id.is_none_or(|id| seen.insert(id)));
    check_tree(&tree, &refs, distinct);
    let text = render(&tree);
    let again = ax_snapshot(&page, &mut refs, &options);
    if distinct {
        assert_eq!(render(&again), text, "the same page gave another snapshot");
    }
}

/// A forest in which each node stands once, and each ref leads to the element
/// that it is printed on.
fn check_tree(tree: &AriaTree, refs: &RefBook, distinct: bool) {
    let mut seen = vec![false; tree.nodes.len()];
    let mut given = HashMap::new();
    for (id, _) in tree.walk() {
        let node = tree.node(id);
        assert!(
            !std::mem::replace(&mut seen[id.0 as usize], true),
            "{id:?} stands twice"
        );
        let Some(reference) = node.reference else {
            continue;
        };
        let first = given.insert(reference, id).is_none();
        assert!(first || !distinct, "{reference} is on two nodes");
        let target = refs
            .resolve(&reference.to_string())
            .expect("a printed ref resolves");
        let element = node
            .element
            .as_ref()
            .expect("a node with a ref has an element");
        assert_eq!(target.frame_id, element.frame_id);
        // Backend ids are unique; where a capture says otherwise, refs follow.
        assert_eq!(target.backend_node_id, element.backend_node_id);
    }
}

/// Number of lines that a tree prints as.
fn lines(tree: &AriaTree) -> usize {
    let mut lines = tree.roots.len();
    let walked: HashSet<_> = tree.walk().map(|(id, _)| id).collect();
    for id in walked {
        let node = tree.node(id);
        let on_the_same_line =
            node.props.is_empty() && matches!(node.children.as_slice(), [Child::Text(_)]);
        lines += node.props.len();
        lines += if on_the_same_line {
            0
        } else {
            node.children.len()
        };
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds() {
        let seeds = page::seeds("aria_tree");
        assert!(seeds.len() > 20, "seeds are missing");
        for seed in seeds {
            let page = page::read(&seed);
            assert!(!page.plain.is_empty() || !page.ax.is_empty());
            check(&seed);
        }
    }
}
