//! Joins the snapshot's flattened tree with the light trees of
//! `DOM.getDocument` and numbers the nodes.

use std::collections::HashMap;
use std::sync::Arc;

use super::capture::{DocumentSnapshot, DomSnapshot, NodeTable};
use super::document::Document;
use super::links::Links;
use super::node::{NONE, NodeId, Pseudo, ShadowKind};
use super::numbering::Numbering;
use super::rendering;
use super::strings::{StrId, Strings};
use super::tree::{DomTree, Relation, TreeNode};

/// Nodes before numbering: first those of the snapshot under their own indices,
/// then those that only the DOM tree knows.
pub(super) struct Raw<'a> {
    pub(super) table: &'a NodeTable,
    pub(super) tree: Option<&'a DomTree>,
    /// Flattened parent of each snapshot node.
    pub(super) flat_parent: Vec<u32>,
    /// DOM tree node of each raw node.
    pub(super) tree_of: Vec<u32>,
    /// Light children, pseudo elements excluded.
    pub(super) light: Vec<Vec<u32>>,
    pub(super) shadows: HashMap<u32, (ShadowKind, Vec<u32>)>,
    pub(super) assigned: HashMap<u32, Vec<u32>>,
    pub(super) pseudos: HashMap<u32, Vec<(u32, Option<Pseudo>)>>,
}

pub(crate) fn assemble(
    snapshot: &DomSnapshot,
    source: &DocumentSnapshot,
    tree: Option<&DomTree>,
) -> Document {
    let mut strings = Strings::new(Arc::clone(&snapshot.strings));
    let has_shadows = !source.nodes.shadow_root_type.index.is_empty();
    let raw = Raw::new(source, tree.filter(|_| has_shadows), &strings);
    let rows = rendering::rows(source, &raw.flat_parent, &strings);
    let frame = strings.get(StrId::from_wire(source.frame_id)).into();
    let forced_layout = rendering::skipped_layout(source, &raw.flat_parent, &rows);
    let mut numbering = Numbering::new(&raw);
    numbering.run(&raw);
    let (nodes, attributes) = numbering.columns(&raw, source, &rows, &mut strings);
    let mut document = Document {
        strings,
        nodes,
        attributes,
        light: numbering.light,
        shadows: numbering.shadows,
        assigned: numbering.assigned,
        pseudos: numbering.pseudos,
        scope_hosts: numbering.scope_hosts,
        links: Links::default(),
        by_backend: HashMap::new(),
        values: HashMap::new(),
        content_frames: HashMap::new(),
        layout: source.layout.clone(),
        scroll: (source.scroll_offset_x, source.scroll_offset_y),
        url: StrId::from_wire(source.document_url),
        title: StrId::from_wire(source.title),
        frame_id: frame,
        forced_layout,
        needs_tree: has_shadows && raw.tree.is_none(),
    };
    let number = |index: usize| -> Option<NodeId> {
        numbering
            .number
            .get(index)
            .copied()
            .filter(|&n| n != NONE)
            .map(NodeId)
    };
    for (index, value) in source
        .nodes
        .input_value
        .strings()
        .chain(source.nodes.text_value.strings())
    {
        if let Some(node) = number(index) {
            document.values.insert(node, value);
        }
    }
    for (index, target) in source.nodes.content_document_index.pairs() {
        let frame = usize::try_from(target)
            .ok()
            .and_then(|target| snapshot.frame_id(target));
        if let (Some(node), Some(frame)) = (number(index), frame) {
            document.content_frames.insert(node, Arc::from(frame));
        }
    }
    for (index, data) in document.nodes.iter().enumerate() {
        // Fewer than 2^32 nodes by construction.
        document
            .by_backend
            .entry(data.backend_id)
            .or_insert(NodeId(index as u32));
    }
    super::derive::inherit(&mut document);
    rendering::finish(&mut document);
    document.links = Links::collect(&document);
    document
}

impl<'a> Raw<'a> {
    fn new(source: &'a DocumentSnapshot, tree: Option<&'a DomTree>, strings: &Strings) -> Self {
        let table = &source.nodes;
        // More than four thousand million nodes do not fit the links; nor memory.
        let count = table.node_name.len().min(NONE as usize - 1);
        let flat_parent: Vec<u32> = (0..count)
            .map(
                |index| match table.parent_index.get(index).map(|&p| usize::try_from(p)) {
                    // A parent stands before its children; anything else is an orphan.
                    Some(Ok(parent)) if parent < index => parent as u32,
                    _ => NONE,
                },
            )
            .collect();
        let root_backend = table.backend_node_id.first().copied();
        let tree = tree.filter(|tree| root_backend.is_some_and(|id| tree.by_backend(id).is_some()));
        let mut raw = Raw {
            table,
            tree,
            flat_parent,
            tree_of: vec![NONE; count],
            light: vec![Vec::new(); count],
            shadows: HashMap::new(),
            assigned: HashMap::new(),
            pseudos: HashMap::new(),
        };
        let mut pseudo_kind: HashMap<usize, Option<Pseudo>> = HashMap::new();
        for (index, kind) in table.pseudo_type.strings() {
            let kind = match strings.get(kind) {
                "before" => Some(Pseudo::Before),
                "after" => Some(Pseudo::After),
                _ => None,
            };
            pseudo_kind.insert(index, kind);
        }
        for index in 0..count {
            let parent = raw.flat_parent[index];
            if parent == NONE {
                continue;
            }
            match pseudo_kind.get(&index) {
                Some(&kind) => {
                    raw.pseudos
                        .entry(parent)
                        .or_default()
                        .push((index as u32, kind));
                }
                None => raw.light[parent as usize].push(index as u32),
            }
        }
        match tree {
            Some(tree) => raw.join(tree, strings),
            None => raw.guess_shadows(strings),
        }
        raw
    }

    pub(super) fn snapshot_len(&self) -> usize {
        self.flat_parent.len()
    }

    /// What the DOM tree says of a node that only it knows.
    pub(super) fn tree_node(&self, raw: u32) -> Option<&'a TreeNode> {
        let node = *self.tree_of.get(raw as usize)?;
        self.tree?.nodes.get(node as usize)
    }

    fn name<'s>(&self, index: usize, strings: &'s Strings) -> &'s str {
        let name = self.table.node_name.get(index).copied().unwrap_or(-1);
        strings.get(StrId::from_wire(name))
    }

    /// Without the DOM tree: shadow trees one level deep are recognised by their
    /// marks, deeper ones are taken for light children.
    fn guess_shadows(&mut self, strings: &Strings) {
        let marks: HashMap<usize, StrId> = self.table.shadow_root_type.strings().collect();
        if marks.is_empty() {
            return;
        }
        // Innermost host found so far on the way down to each node.
        let mut host_of = vec![NONE; self.snapshot_len()];
        for index in 0..self.snapshot_len() {
            let parent = self.flat_parent[index];
            if parent == NONE {
                continue;
            }
            let parent_marked = marks.contains_key(&(parent as usize));
            host_of[index] = host_of[parent as usize];
            match marks.get(&index) {
                Some(&kind) if !parent_marked => {
                    host_of[index] = parent;
                    let kind = ShadowKind::from_wire(strings.get(kind));
                    let shadow = self.shadows.entry(parent).or_insert((kind, Vec::new()));
                    shadow.1.push(index as u32);
                }
                None if parent_marked && self.name(parent as usize, strings) == "SLOT" => {
                    self.assigned.entry(parent).or_default().push(index as u32);
                }
                _ => {}
            }
        }
        for &host in self.shadows.keys() {
            self.light[host as usize].clear();
        }
        let mut slots: Vec<(&u32, &Vec<u32>)> = self.assigned.iter().collect();
        slots.sort_unstable();
        for (&slot, nodes) in slots {
            self.light[slot as usize].clear();
            let host = host_of[slot as usize];
            if host != NONE {
                self.light[host as usize].extend_from_slice(nodes);
            }
        }
        for &host in self.shadows.keys() {
            self.light[host as usize].sort_unstable();
        }
    }

    /// Replaces the children of hosts and slots by what the DOM tree says, and
    /// adds the nodes that only it knows.
    fn join(&mut self, tree: &DomTree, strings: &Strings) {
        let mut raw_of_tree = vec![NONE; tree.nodes.len()];
        for index in 0..self.snapshot_len() {
            let backend = self.table.backend_node_id.get(index).copied().unwrap_or(0);
            if let Some(node) = tree.by_backend(backend) {
                self.tree_of[index] = node;
                raw_of_tree[node as usize] = index as u32;
            }
        }
        let hosts_and_slots: Vec<u32> = (0..self.snapshot_len() as u32)
            .filter(|&index| {
                let node = self.tree_of[index as usize];
                node != NONE
                    && (shadow_root(tree, node).is_some()
                        || self.name(index as usize, strings) == "SLOT")
            })
            .collect();
        let mut pending: Vec<u32> = Vec::new();
        // Slotted text that the DOM tree leaves out, by the light sibling or host
        // it follows.
        let mut strays: HashMap<Anchor, Vec<u32>> = HashMap::new();
        for index in hosts_and_slots {
            let node = self.tree_of[index as usize];
            let flat = std::mem::take(&mut self.light[index as usize]);
            if let Some((kind, _)) = shadow_root(tree, node) {
                self.shadows.insert(index, (kind, flat));
                self.light[index as usize] = self.adopt(tree, node, &mut raw_of_tree, &mut pending);
                continue;
            }
            let fallback = |raw: u32| {
                let child = self.tree_of[raw as usize];
                child != NONE && tree.nodes[child as usize].parent == node
            };
            let is_fallback = flat.iter().any(|&raw| fallback(raw))
                || flat.is_empty() && tree.nodes[node as usize].assigned.is_empty();
            if is_fallback {
                self.light[index as usize] = flat;
                continue;
            }
            self.light[index as usize] = self.adopt(tree, node, &mut raw_of_tree, &mut pending);
            let host = scope_host(tree, node).map_or(NONE, |host| raw_of_tree[host as usize]);
            let mut anchor = Anchor::First(host);
            for &raw in &flat {
                if self.tree_of[raw as usize] == NONE {
                    strays.entry(anchor).or_default().push(raw);
                } else {
                    anchor = Anchor::After(raw);
                }
            }
            self.assigned.insert(index, flat);
        }
        // Below nodes that only the tree knows, only the tree can tell.
        while let Some(raw) = pending.pop() {
            let node = self.tree_of[raw as usize];
            self.light[raw as usize] = self.adopt(tree, node, &mut raw_of_tree, &mut pending);
            if let Some((kind, root)) = shadow_root(tree, node) {
                let children = self.adopt(tree, root, &mut raw_of_tree, &mut pending);
                self.shadows.insert(raw, (kind, children));
            }
            let assigned = tree.nodes[node as usize].assigned.iter();
            let assigned: Vec<u32> = assigned
                .filter_map(|&backend| tree.by_backend(backend))
                .map(|node| raw_of_tree[node as usize])
                .filter(|&raw| raw != NONE)
                .collect();
            if !assigned.is_empty() {
                self.assigned.insert(raw, assigned);
            }
        }
        self.insert_strays(&strays);
    }

    /// Raw nodes of the DOM children of `node`; new ones are queued in `pending`.
    fn adopt(
        &mut self,
        tree: &DomTree,
        node: u32,
        raw_of_tree: &mut [u32],
        pending: &mut Vec<u32>,
    ) -> Vec<u32> {
        let mut out = Vec::new();
        for &child in &tree.nodes[node as usize].children {
            if tree.nodes[child as usize].relation != Relation::Child {
                continue;
            }
            if raw_of_tree[child as usize] == NONE && self.light.len() < NONE as usize - 1 {
                let raw = self.light.len() as u32;
                raw_of_tree[child as usize] = raw;
                self.tree_of.push(child);
                self.light.push(Vec::new());
                pending.push(raw);
            }
            out.push(raw_of_tree[child as usize]);
        }
        out
    }

    fn insert_strays(&mut self, strays: &HashMap<Anchor, Vec<u32>>) {
        if strays.is_empty() {
            return;
        }
        let hosts: Vec<u32> = self.shadows.keys().copied().collect();
        for host in hosts {
            let before = std::mem::take(&mut self.light[host as usize]);
            let mut after = Vec::with_capacity(before.len());
            after.extend(strays.get(&Anchor::First(host)).into_iter().flatten());
            for raw in before {
                after.push(raw);
                after.extend(strays.get(&Anchor::After(raw)).into_iter().flatten());
            }
            self.light[host as usize] = after;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Anchor {
    /// At the start of this host's children.
    First(u32),
    After(u32),
}

/// The open or closed shadow root of an element.
fn shadow_root(tree: &DomTree, node: u32) -> Option<(ShadowKind, u32)> {
    tree.nodes[node as usize]
        .children
        .iter()
        .find_map(|&child| match tree.nodes[child as usize].relation {
            Relation::ShadowRoot(kind) if kind != ShadowKind::UserAgent => Some((kind, child)),
            _ => None,
        })
}

/// Host of the shadow tree that contains `node`.
fn scope_host(tree: &DomTree, node: u32) -> Option<u32> {
    let up = |&node: &u32| {
        let parent = tree.nodes[node as usize].parent;
        (parent != NONE).then_some(parent)
    };
    std::iter::successors(Some(node), up)
        .find(|&node| matches!(tree.nodes[node as usize].relation, Relation::ShadowRoot(_)))
        .map(|root| tree.nodes[root as usize].parent)
        .filter(|&host| host != NONE)
}
