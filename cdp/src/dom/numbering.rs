//! Numbers the nodes of a joined tree and lays them out in columns.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::capture::DocumentSnapshot;
use super::node::{NONE, Namespace, NodeData, NodeId, Pseudo, ShadowData, flag};
use super::rendering::Row;
use super::skeleton::Raw;
use super::strings::{StrId, Strings};

/// Assigns [`NodeId`]s by an iterative walk and collects the links between them.
pub(super) struct Numbering {
    /// Number of each raw node.
    pub(super) number: Vec<u32>,
    /// Raw node of each number, with its parent's number and its scope.
    order: Vec<(u32, u32, u32)>,
    pub(super) light: Vec<NodeId>,
    ranges: Vec<(u32, u32)>,
    slots: HashMap<NodeId, NodeId>,
    pub(super) shadows: HashMap<NodeId, ShadowData>,
    pub(super) assigned: HashMap<NodeId, Vec<NodeId>>,
    pub(super) pseudos: HashMap<(NodeId, Pseudo), NodeId>,
    pub(super) scope_hosts: Vec<Option<NodeId>>,
    is_pseudo: Vec<bool>,
}

impl Numbering {
    pub(super) fn new(raw: &Raw<'_>) -> Self {
        Numbering {
            number: vec![NONE; raw.light.len()],
            order: Vec::with_capacity(raw.light.len()),
            light: Vec::with_capacity(raw.light.len()),
            ranges: Vec::new(),
            slots: HashMap::new(),
            shadows: HashMap::new(),
            assigned: HashMap::new(),
            pseudos: HashMap::new(),
            scope_hosts: vec![None],
            is_pseudo: Vec::with_capacity(raw.light.len()),
        }
    }

    pub(super) fn run(&mut self, raw: &Raw<'_>) {
        // (raw node, parent's number, scope, is pseudo)
        let mut stack: Vec<(u32, u32, u32, bool)> = Vec::new();
        for root in (0..raw.snapshot_len() as u32).rev() {
            if raw.flat_parent[root as usize] == NONE {
                stack.push((root, NONE, 0, false));
            }
        }
        while let Some((node, parent, scope, pseudo)) = stack.pop() {
            if self.number[node as usize] != NONE {
                continue;
            }
            let number = self.order.len() as u32;
            self.number[node as usize] = number;
            self.order.push((node, parent, scope));
            self.is_pseudo.push(pseudo);
            if let Some((kind, children)) = raw.shadows.get(&node) {
                let inner = self.scope_hosts.len() as u32;
                self.scope_hosts.push(Some(NodeId(number)));
                self.shadows.insert(
                    NodeId(number),
                    ShadowData {
                        kind: *kind,
                        children: Vec::new(),
                    },
                );
                stack.extend(
                    children
                        .iter()
                        .rev()
                        .map(|&child| (child, number, inner, false)),
                );
            }
            let children = &raw.light[node as usize];
            stack.extend(
                children
                    .iter()
                    .rev()
                    .map(|&child| (child, number, scope, pseudo)),
            );
            if let Some(pseudos) = raw.pseudos.get(&node) {
                stack.extend(
                    pseudos
                        .iter()
                        .rev()
                        .map(|&(child, _)| (child, number, scope, true)),
                );
            }
        }
        self.link(raw);
    }

    /// Child lists in terms of numbers. A node counts as a child only where the
    /// walk found it, which keeps hostile input a tree.
    fn link(&mut self, raw: &Raw<'_>) {
        self.ranges = Vec::with_capacity(self.order.len());
        for (number, &(node, _, scope)) in self.order.iter().enumerate() {
            let parent = number as u32;
            let own = |children: &[u32], in_shadow: bool| -> Vec<NodeId> {
                let numbers = children.iter().map(|&child| self.number[child as usize]);
                numbers
                    .filter(|&child| child != NONE)
                    .filter(|&child| {
                        let (_, p, s) = self.order[child as usize];
                        p == parent && (s != scope) == in_shadow
                    })
                    .map(NodeId)
                    .collect()
            };
            let start = self.light.len() as u32;
            self.light.extend(own(&raw.light[node as usize], false));
            self.ranges.push((start, self.light.len() as u32));
            let parent = NodeId(parent);
            if let Some((_, children)) = raw.shadows.get(&node) {
                let children = own(children, true);
                if let Some(shadow) = self.shadows.get_mut(&parent) {
                    shadow.children = children;
                }
            }
            if let Some(nodes) = raw.assigned.get(&node) {
                let nodes: Vec<NodeId> = nodes
                    .iter()
                    .map(|&n| self.number[n as usize])
                    .filter(|&n| n != NONE)
                    .map(NodeId)
                    .filter(|&n| match self.slots.entry(n) {
                        // The first slot keeps it.
                        Entry::Occupied(_) => false,
                        Entry::Vacant(entry) => {
                            entry.insert(parent);
                            true
                        }
                    })
                    .collect();
                if !nodes.is_empty() {
                    self.assigned.insert(parent, nodes);
                }
            }
            for &(child, kind) in raw.pseudos.get(&node).into_iter().flatten() {
                let child = self.number[child as usize];
                if let (Some(kind), true) = (kind, child != NONE) {
                    self.pseudos.insert((parent, kind), NodeId(child));
                }
            }
        }
    }

    pub(super) fn columns(
        &self,
        raw: &Raw<'_>,
        source: &DocumentSnapshot,
        rows: &[Row],
        strings: &mut Strings,
    ) -> (Vec<NodeData>, Vec<(StrId, StrId)>) {
        let table = &source.nodes;
        let mut nodes: Vec<NodeData> = Vec::with_capacity(self.order.len());
        let mut attributes: Vec<(StrId, StrId)> = Vec::new();
        let mut upper: HashMap<StrId, StrId> = HashMap::new();
        for (number, &(node, parent, scope)) in self.order.iter().enumerate() {
            let index = node as usize;
            let start = attributes.len() as u32;
            let wire = |values: &[i64]| StrId::from_wire(values.get(index).copied().unwrap_or(-1));
            let known = if index < raw.snapshot_len() {
                None
            } else {
                raw.tree_node(node)
            };
            let (node_type, name, value, backend_id) = match known {
                None => {
                    let pairs = table.attributes.get(index).chunks_exact(2);
                    attributes
                        .extend(pairs.map(|p| (StrId::from_wire(p[0]), StrId::from_wire(p[1]))));
                    let node_type = table.node_type.get(index).copied().unwrap_or(0);
                    let backend = table.backend_node_id.get(index).copied().unwrap_or(0);
                    (
                        node_type,
                        wire(&table.node_name),
                        wire(&table.node_value),
                        backend,
                    )
                }
                Some(node) => {
                    for pair in node.attributes.chunks_exact(2) {
                        let pair = (strings.intern(&pair[0]), strings.intern(&pair[1]));
                        attributes.push(pair);
                    }
                    let (name, value) = (strings.intern(&node.name), strings.intern(&node.value));
                    (node.node_type, name, value, node.backend_id)
                }
            };
            let tag = *upper.entry(name).or_insert_with(|| {
                let text = strings.get(name);
                if text.bytes().any(|b| b.is_ascii_lowercase()) {
                    let text = text.to_ascii_uppercase();
                    strings.intern(&text)
                } else {
                    name
                }
            });
            let slot = self
                .slots
                .get(&NodeId(number as u32))
                .map_or(NONE, |slot| slot.0);
            let row = rows.get(index).copied().unwrap_or(Row::NOT_FLAT);
            let pseudo = if self.is_pseudo[number] {
                flag::PSEUDO
            } else {
                0
            };
            nodes.push(NodeData {
                backend_id,
                // Types above 12 do not exist.
                node_type: u8::try_from(node_type).unwrap_or(0),
                namespace: Namespace::Html,
                name,
                tag,
                value,
                attributes: (start, attributes.len() as u32),
                parent,
                end: number as u32 + 1,
                children: self.ranges[number],
                scope,
                position: 0,
                slot,
                layout: row.layout,
                closest_table: NONE,
                flags: row.flags | pseudo,
            });
        }
        for number in (0..nodes.len()).rev() {
            let (parent, end) = (nodes[number].parent, nodes[number].end);
            if let Some(parent) = nodes.get_mut(parent as usize) {
                parent.end = parent.end.max(end);
            }
        }
        for children in self
            .ranges
            .iter()
            .map(|&(start, end)| &self.light[start as usize..end as usize])
            .chain(
                self.shadows
                    .values()
                    .map(|shadow| shadow.children.as_slice()),
            )
        {
            for (position, child) in children.iter().enumerate() {
                nodes[child.index()].position = position as u32;
            }
        }
        (nodes, attributes)
    }
}
