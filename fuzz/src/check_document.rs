//! What holds for every [`Document`], however odd the capture it came from.

use crate::dom::{Document, NodeId};

/// Checks the links between the nodes.
///
/// # Panics
/// When the document is no tree.
pub fn check(document: &Document) {
    let count = document.len();
    let mut listed = vec![false; count];
    for node in document.nodes() {
        let end = document.subtree_end(node);
        assert!(
            node < end && end.0 as usize <= count,
            "{node:?} ends at {end:?}"
        );
        if let Some(parent) = document.parent_or_host(node) {
            assert!(
                parent < node,
                "{parent:?} is above {node:?}, but comes later"
            );
            assert!(end <= document.subtree_end(parent));
            assert!(document.is_inclusive_descendant(node, parent));
        }
        if let Some(parent) = document.parent(node) {
            assert!((parent.0 as usize) < count);
        }
        let light = document.light_children(node);
        let shadow = document.shadow_children(node);
        for children in [light, shadow] {
            assert!(
                children.is_sorted(),
                "children of {node:?} are out of order"
            );
        }
        for &child in light.iter().chain(shadow) {
            assert_eq!(document.parent_or_host(child), Some(node));
            assert!(!std::mem::replace(&mut listed[child.0 as usize], true));
        }
        assert!(
            light
                .iter()
                .all(|&child| document.light_parent(child) == Some(node))
        );
        assert!(
            shadow
                .iter()
                .all(|&child| document.host(child) == Some(node))
        );
        for &assigned in document.assigned_nodes(node).unwrap_or(&[]) {
            assert_eq!(document.assigned_slot(assigned), Some(node));
        }
        if let Some(known) = document.by_backend_id(document.backend_node_id(node)) {
            assert!(known <= node);
        }
        texts(document, node);
    }
}

/// Reads whatever can be read of a node; indices inside may point anywhere.
fn texts(document: &Document, node: NodeId) {
    let _ = (
        document.tag(node),
        document.value(node),
        document.form_value(node),
    );
    let _ = (
        document.bounds(node),
        document.closest_table(node),
        document.element_siblings(node),
    );
    for (name, value) in document.attrs(node) {
        assert!(document.attr(node, name).is_some());
        if name == "id" && !value.is_empty() && document.is_element(node) {
            let own = document.attr(node, "id").unwrap_or_default();
            let all = document.all_by_id(document.scope(node), own);
            assert!(all.into_iter().any(|found| found == node));
        }
    }
    for label in document.labels(node) {
        assert_eq!(document.label_control(label), Some(node));
    }
}
