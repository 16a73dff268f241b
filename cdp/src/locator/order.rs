//! Positions among siblings, worked out for a whole document at once.

use std::collections::HashMap;

use crate::dom::{Document, NodeId, ShadowKind};

const NONE: u32 = u32::MAX;

/// Which elements queries can reach, and where they stand.
pub(super) struct Order {
    /// Elements outside closed shadow trees, in document order.
    pub elements: Vec<NodeId>,
    previous: Vec<u32>,
    next: Vec<u32>,
    /// 1-based position among siblings, and their number.
    position: Vec<(u32, u32)>,
    /// The same among siblings of one name.
    type_position: Vec<(u32, u32)>,
}

impl Order {
    pub(super) fn new(document: &Document) -> Self {
        let mut elements = Vec::new();
        let mut skip_until = NodeId(0);
        for node in document.nodes() {
            if node < skip_until {
                continue;
            }
            let host = document.host(node);
            if host.is_some_and(|host| document.shadow_kind(host) != Some(ShadowKind::Open)) {
                skip_until = document.subtree_end(node);
            } else if document.is_element(node) {
                elements.push(node);
            }
        }
        let mut order = Order {
            elements,
            previous: vec![NONE; document.len()],
            next: vec![NONE; document.len()],
            position: vec![(1, 1); document.len()],
            type_position: vec![(1, 1); document.len()],
        };
        for &parent in &order.elements.clone() {
            order.number(document, document.light_children(parent));
            order.number(document, document.shadow_children(parent));
        }
        order
    }

    fn number(&mut self, document: &Document, children: &[NodeId]) {
        let siblings: Vec<NodeId> =
            children.iter().copied().filter(|&child| document.is_element(child)).collect();
        let mut by_name: HashMap<&str, u32> = HashMap::new();
        for (index, &node) in siblings.iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                self.previous[node.0 as usize] = siblings[before].0;
                self.next[siblings[before].0 as usize] = node.0;
            }
            self.position[node.0 as usize] = (index as u32 + 1, siblings.len() as u32);
            let count = by_name.entry(document.node_name(node)).or_default();
            *count += 1;
            self.type_position[node.0 as usize].0 = *count;
        }
        for &node in &siblings {
            let count = by_name.get(document.node_name(node)).copied().unwrap_or(1);
            self.type_position[node.0 as usize].1 = count;
        }
    }

    /// The reachable elements with numbers in `start..end`.
    pub(super) fn range(&self, start: NodeId, end: NodeId) -> &[NodeId] {
        let first = self.elements.partition_point(|&node| node < start);
        let last = self.elements.partition_point(|&node| node < end);
        self.elements.get(first..last).unwrap_or(&[])
    }

    /// The reachable elements below `scope`, or all.
    pub(super) fn below(&self, document: &Document, scope: Option<NodeId>) -> &[NodeId] {
        match scope {
            Some(scope) => self.range(NodeId(scope.0 + 1), document.subtree_end(scope)),
            None => &self.elements,
        }
    }

    /// `previousElementSibling`.
    pub(super) fn previous(&self, node: NodeId) -> Option<NodeId> {
        let previous = *self.previous.get(node.0 as usize)?;
        (previous != NONE).then_some(NodeId(previous))
    }

    /// `nextElementSibling`.
    pub(super) fn next(&self, node: NodeId) -> Option<NodeId> {
        let next = *self.next.get(node.0 as usize)?;
        (next != NONE).then_some(NodeId(next))
    }

    /// 1-based position among element siblings, and their number; only those of
    /// the same name if `of_type`.
    pub(super) fn position(&self, node: NodeId, of_type: bool) -> (u32, u32) {
        let table = if of_type { &self.type_position } else { &self.position };
        table.get(node.0 as usize).copied().unwrap_or((1, 1))
    }
}
