//! Positions among siblings, worked out for a whole document at once.

use std::collections::HashMap;

use crate::dom::{Document, NodeId, ScopeId, ShadowKind};

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
    /// Place of each element in the order in which searches find elements;
    /// empty where that is document order.
    rank: Vec<u32>,
}

/// See [`Order::sort_as_found`].
fn ranks(document: &Document, elements: &[NodeId]) -> Vec<u32> {
    let mut trees: HashMap<ScopeId, Vec<NodeId>> = HashMap::new();
    for &node in elements {
        trees.entry(document.scope(node)).or_default().push(node);
    }
    if trees.len() < 2 {
        return Vec::new();
    }
    let mut ranks = vec![NONE; document.len()];
    let mut next = 0;
    let mut open = vec![ScopeId(0)];
    while let Some(tree) = open.pop() {
        let Some(members) = trees.remove(&tree) else {
            continue;
        };
        for &node in &members {
            ranks[node.0 as usize] = next;
            next += 1;
        }
        let hosted = members.iter().rev().filter_map(|&host| {
            document
                .shadow_children(host)
                .first()
                .map(|&child| document.scope(child))
        });
        open.extend(hosted);
    }
    ranks
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
            rank: Vec::new(),
        };
        order.rank = ranks(document, &order.elements);
        for &parent in &order.elements.clone() {
            order.number(document, document.light_children(parent));
            order.number(document, document.shadow_children(parent));
        }
        order
    }

    fn number(&mut self, document: &Document, children: &[NodeId]) {
        let siblings: Vec<NodeId> = children
            .iter()
            .copied()
            .filter(|&child| document.is_element(child))
            .collect();
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

    /// Sorts elements as a search through shadow trees meets them: a whole tree
    /// first, then the shadow trees of its hosts.
    pub(super) fn sort_as_found(&self, elements: &mut [NodeId]) {
        if !self.rank.is_empty() {
            elements.sort_by_key(|node| self.rank.get(node.0 as usize).copied());
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
        let table = if of_type {
            &self.type_position
        } else {
            &self.position
        };
        table.get(node.0 as usize).copied().unwrap_or((1, 1))
    }
}
