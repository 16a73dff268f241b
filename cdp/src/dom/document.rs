//! [`Document`]: one frame's document as immutable arrays.

use std::collections::HashMap;
use std::sync::Arc;

use super::DomTree;
use super::capture::{DocumentSnapshot, DomSnapshot, LayoutTable};
use super::links::Links;
use super::node::{
    NONE, Namespace, NodeData, NodeId, Pseudo, ScopeId, ShadowData, ShadowKind, flag,
};
use super::strings::{StrId, Strings};

/// One frame's document: the flattened tree of the snapshot together with light
/// trees, shadow roots, ids, labels and what follows from them.
///
/// Built once per capture; share it by `Arc`.
#[derive(Debug)]
pub struct Document {
    pub(crate) strings: Strings,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) attributes: Vec<(StrId, StrId)>,
    pub(crate) light: Vec<NodeId>,
    pub(crate) shadows: HashMap<NodeId, ShadowData>,
    pub(crate) assigned: HashMap<NodeId, Vec<NodeId>>,
    pub(crate) pseudos: HashMap<(NodeId, Pseudo), NodeId>,
    /// Host of each scope; none for the document.
    pub(crate) scope_hosts: Vec<Option<NodeId>>,
    pub(crate) links: Links,
    pub(crate) by_backend: HashMap<i64, NodeId>,
    pub(crate) values: HashMap<NodeId, StrId>,
    pub(crate) content_frames: HashMap<NodeId, Arc<str>>,
    pub(crate) layout: LayoutTable,
    pub(crate) scroll: (f64, f64),
    pub(crate) url: StrId,
    pub(crate) title: StrId,
    pub(crate) frame_id: Arc<str>,
    pub(crate) forced_layout: Vec<i64>,
    pub(crate) needs_tree: bool,
}

impl Document {
    /// Builds document number `index` of a snapshot. `tree` is the reply of
    /// `DOM.getDocument`; without it, documents for which
    /// [`Document::needs_document_tree`] is true are only approximated.
    ///
    /// Never panics, whatever the snapshot holds; gives an empty document when
    /// there is no such entry.
    pub fn build(snapshot: &DomSnapshot, index: usize, tree: Option<&DomTree>) -> Self {
        let empty = DocumentSnapshot::default();
        let source = snapshot.documents.get(index).unwrap_or(&empty);
        super::skeleton::assemble(snapshot, source, tree)
    }

    /// Builds all documents of a snapshot, in its order.
    pub fn build_all(snapshot: &DomSnapshot, tree: Option<&DomTree>) -> Vec<Arc<Self>> {
        (0..snapshot.documents.len())
            .map(|index| Arc::new(Self::build(snapshot, index, tree)))
            .collect()
    }

    /// True when this document has shadow trees and was built without the reply
    /// of `DOM.getDocument`: fetch it and build again. Stays true when that reply
    /// does not cover the document; what was built is then the best there is.
    pub fn needs_document_tree(&self) -> bool {
        self.needs_tree
    }

    /// Backend ids of elements whose layout the browser has skipped
    /// (`content-visibility: auto` off screen). Sending `DOM.getBoxModel` for each
    /// forces it; capture again afterwards, at most three times.
    pub fn needs_forced_layout(&self) -> &[i64] {
        &self.forced_layout
    }

    /// Id of the frame that shows this document.
    pub fn frame_id(&self) -> &Arc<str> {
        &self.frame_id
    }

    /// The document's URL.
    pub fn url(&self) -> &str {
        self.strings.get(self.url)
    }

    /// `document.title`.
    pub fn title(&self) -> &str {
        self.strings.get(self.title)
    }

    /// Scroll offset of the document in CSS pixels.
    pub fn scroll(&self) -> (f64, f64) {
        self.scroll
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of all strings of the capture, each counted once.
    pub(crate) fn text_bytes(&self) -> usize {
        self.strings.bytes()
    }

    /// True for a document without any node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes in order, pseudo elements included.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        // Node numbers are 32-bit by construction.
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// All real elements in order.
    pub fn elements(&self) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        self.nodes().filter(|&node| self.is_element(node))
    }

    /// `body`, or `frameset` when the document has that: what a snapshot starts
    /// from. The first of the two in tree order, as `querySelector` finds it.
    pub fn body(&self) -> Option<NodeId> {
        self.elements().find(|&node| {
            self.scope(node) == ScopeId(0) && matches!(self.tag(node), "BODY" | "FRAMESET")
        })
    }

    /// The root element.
    pub fn document_element(&self) -> Option<NodeId> {
        self.elements().next()
    }

    pub(crate) fn data(&self, node: NodeId) -> &NodeData {
        &self.nodes[node.index()]
    }

    pub(crate) fn has(&self, node: NodeId, flags: u32) -> bool {
        self.data(node).flags & flags != 0
    }

    /// `Node.nodeType`: 1 element, 3 text, 8 comment, 9 document …
    pub fn node_type(&self, node: NodeId) -> u8 {
        self.data(node).node_type
    }

    /// True for elements, pseudo elements excluded.
    pub fn is_element(&self, node: NodeId) -> bool {
        self.node_type(node) == 1 && !self.has(node, flag::PSEUDO)
    }

    /// True for text nodes.
    pub fn is_text(&self, node: NodeId) -> bool {
        self.node_type(node) == 3
    }

    /// `Node.nodeName` as the browser gives it (SVG and XHTML in lower case).
    pub fn node_name(&self, node: NodeId) -> &str {
        self.strings.get(self.data(node).name)
    }

    /// The element's name in ASCII upper case, whatever the namespace.
    pub fn tag(&self, node: NodeId) -> &str {
        self.strings.get(self.data(node).tag)
    }

    /// Markup language of the element.
    pub fn namespace(&self, node: NodeId) -> Namespace {
        self.data(node).namespace
    }

    /// True for HTML elements.
    pub fn is_html(&self, node: NodeId) -> bool {
        self.namespace(node) == Namespace::Html
    }

    /// True for SVG elements, the outermost `svg` included.
    pub fn is_svg(&self, node: NodeId) -> bool {
        self.namespace(node) == Namespace::Svg
    }

    /// True when `ownerSVGElement` would not be null: an SVG element below an `svg`.
    pub fn has_owner_svg(&self, node: NodeId) -> bool {
        self.is_svg(node) && self.has(node, flag::IN_SVG)
    }

    /// `Node.nodeValue`: the raw text of text nodes and comments.
    pub fn value(&self, node: NodeId) -> &str {
        self.strings.get(self.data(node).value)
    }

    /// `getAttribute(name)`; names of HTML attributes are in lower case.
    pub fn attr(&self, node: NodeId, name: &str) -> Option<&str> {
        self.attribute_ids(node)
            .iter()
            .find(|(key, _)| self.strings.get(*key) == name)
            .map(|(_, value)| self.strings.get(*value))
    }

    /// `hasAttribute(name)`.
    pub fn has_attr(&self, node: NodeId, name: &str) -> bool {
        self.attr(node, name).is_some()
    }

    /// All attributes in source order.
    pub fn attrs(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attribute_ids(node)
            .iter()
            .map(|(key, value)| (self.strings.get(*key), self.strings.get(*value)))
    }

    /// Id of an attribute's value.
    pub(crate) fn attr_id(&self, node: NodeId, name: &str) -> Option<StrId> {
        let ids = self.attribute_ids(node).iter();
        ids.copied()
            .find(|(key, _)| self.strings.get(*key) == name)
            .map(|(_, value)| value)
    }

    fn attribute_ids(&self, node: NodeId) -> &[(StrId, StrId)] {
        let (start, end) = self.data(node).attributes;
        self.attributes
            .get(start as usize..end as usize)
            .unwrap_or(&[])
    }

    /// The browser's id for this node, valid for the whole session.
    pub fn backend_node_id(&self, node: NodeId) -> i64 {
        self.data(node).backend_id
    }

    /// The node with this backend id.
    pub fn by_backend_id(&self, id: i64) -> Option<NodeId> {
        self.by_backend.get(&id).copied()
    }

    // Tree -----------------------------------------------------------------

    /// Parent in the flattened tree: the slot for slotted nodes, the host for the
    /// children of a shadow root. None for the document and for nodes that are
    /// not part of the flattened tree.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let data = self.data(node);
        if data.slot != NONE {
            return Some(NodeId(data.slot));
        }
        if data.flags & flag::NOT_FLAT != 0 {
            return None;
        }
        self.parent_or_host(node)
    }

    /// Children in the flattened tree: what the browser renders.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        if let Some(shadow) = self.shadows.get(&node) {
            return &shadow.children;
        }
        self.assigned_nodes(node)
            .unwrap_or_else(|| self.light_children(node))
    }

    /// `parentNode` if that is not a shadow root.
    pub fn light_parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent_or_host(node)?;
        (self.data(parent).scope == self.data(node).scope).then_some(parent)
    }

    /// `parentNode`, or the host when that is a shadow root.
    pub fn parent_or_host(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.data(node).parent;
        (parent != NONE).then_some(NodeId(parent))
    }

    /// `childNodes`, comments included.
    pub fn light_children(&self, node: NodeId) -> &[NodeId] {
        let (start, end) = self.data(node).children;
        self.light.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// `children`: the light children that are elements.
    pub fn element_children(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        self.light_children(node)
            .iter()
            .copied()
            .filter(|&child| self.is_element(child))
    }

    /// The node and its siblings: `childNodes` of the parent or shadow root.
    pub fn siblings(&self, node: NodeId) -> &[NodeId] {
        match self.parent_or_host(node) {
            None => &[],
            Some(parent) if self.scope(parent) == self.scope(node) => self.light_children(parent),
            Some(host) => self.shadow_children(host),
        }
    }

    /// `previousElementSibling` and `nextElementSibling`.
    pub fn element_siblings(&self, node: NodeId) -> (Option<NodeId>, Option<NodeId>) {
        let siblings = self.siblings(node);
        let at = self.data(node).position as usize;
        let element = |&&sibling: &&NodeId| self.is_element(sibling);
        let before = siblings.get(..at).unwrap_or(&[]).iter().rev().find(element);
        let after = siblings.get(at + 1..).unwrap_or(&[]).iter().find(element);
        (before.copied(), after.copied())
    }

    /// Kind of the shadow root that this element hosts.
    pub fn shadow_kind(&self, node: NodeId) -> Option<ShadowKind> {
        self.shadows.get(&node).map(|shadow| shadow.kind)
    }

    /// Children of the shadow root that this element hosts.
    pub fn shadow_children(&self, node: NodeId) -> &[NodeId] {
        self.shadows
            .get(&node)
            .map_or(&[], |shadow| &shadow.children)
    }

    /// The slot that shows this node, whatever the kind of its shadow tree.
    pub fn assigned_slot(&self, node: NodeId) -> Option<NodeId> {
        let slot = self.data(node).slot;
        (slot != NONE).then_some(NodeId(slot))
    }

    /// `slot.assignedNodes()`; none when the slot shows its fallback.
    pub fn assigned_nodes(&self, slot: NodeId) -> Option<&[NodeId]> {
        self.assigned.get(&slot).map(Vec::as_slice)
    }

    /// The generated box of this element, if it is rendered.
    pub fn pseudo(&self, node: NodeId, which: Pseudo) -> Option<NodeId> {
        self.pseudos.get(&(node, which)).copied()
    }

    /// One past the last descendant (shadow trees included): `node.0 + 1 .. end`
    /// are the descendants.
    pub fn subtree_end(&self, node: NodeId) -> NodeId {
        NodeId(self.data(node).end)
    }

    /// True when `node` is `ancestor` or below it, crossing shadow roots.
    pub fn is_inclusive_descendant(&self, node: NodeId, ancestor: NodeId) -> bool {
        ancestor <= node && node < self.subtree_end(ancestor)
    }

    /// The node's ancestors, innermost first, crossing shadow roots to hosts.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent_or_host(node), |&node| self.parent_or_host(node))
    }

    // Scopes ---------------------------------------------------------------

    /// The tree that this node belongs to.
    pub fn scope(&self, node: NodeId) -> ScopeId {
        ScopeId(self.data(node).scope)
    }

    /// Host of a shadow tree; none for the document.
    pub fn scope_host(&self, scope: ScopeId) -> Option<NodeId> {
        self.scope_hosts.get(scope.0 as usize).copied().flatten()
    }

    /// Host of the shadow tree that contains this node.
    pub fn host(&self, node: NodeId) -> Option<NodeId> {
        self.scope_host(self.scope(node))
    }

    /// `getElementById` in one scope: the first in tree order.
    pub fn by_id(&self, scope: ScopeId, id: &str) -> Option<NodeId> {
        self.links.first_by_id(&self.strings, scope, id)
    }

    /// All elements of one scope with this id, in tree order.
    pub fn all_by_id(&self, scope: ScopeId, id: &str) -> impl Iterator<Item = NodeId> {
        self.links.by_id(&self.strings, scope, id)
    }

    /// `element.labels`: the labels of a labelable element, in tree order.
    pub fn labels(&self, control: NodeId) -> impl Iterator<Item = NodeId> {
        self.links.labels(control)
    }

    /// `label.control`.
    pub fn label_control(&self, label: NodeId) -> Option<NodeId> {
        self.links.control(label)
    }

    /// `table.rows.length`.
    pub fn row_count(&self, table: NodeId) -> usize {
        self.links.row_count(table)
    }
}
