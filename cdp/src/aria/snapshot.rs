//! The whole snapshot of a page: frames built, distilled, cut to depth and put
//! into each other.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::build::{Draft, Piece, draft};
use super::distill::distill;
use super::page::{Captured, FrameCapture, PageCapture};
use super::refs::RefBook;
use super::roles::Role;
use super::tree::{AriaId, AriaNode, AriaTree, Child, ElementKey};
use crate::dom::NodeId;

/// What to snapshot, and how. The default is upstream's format exactly.
#[derive(Debug, Clone, Default)]
pub struct SnapshotOptions {
    /// Nodes at this depth print without nodes below (body has depth 0). 0: no
    /// limit. Below 0: no limit either, but all names are kept.
    pub depth: i64,
    /// Print `[box=x,y,w,h]` on every node.
    pub boxes: bool,
    /// Frame and element to start from, instead of the body of the main frame.
    pub target: Option<(Arc<str>, NodeId)>,
    /// Tell more than upstream does: accessibility facts, text typed into editable
    /// elements, why a frame is missing.
    pub extras: bool,
    /// Look into closed shadow trees.
    pub closed_shadow: bool,
    /// Print bullets in place of passwords.
    pub mask_passwords: bool,
}

impl SnapshotOptions {
    /// Everything that outgrows upstream's format.
    pub fn generous() -> Self {
        SnapshotOptions {
            extras: true,
            closed_shadow: true,
            mask_passwords: true,
            ..SnapshotOptions::default()
        }
    }
}

/// Builds the snapshot of a captured page. Refs come from (and are noted in)
/// `refs`; only frames that the snapshot shows have their ref tables replaced.
///
/// Cost is linear in the number of nodes, whatever their shape. A main frame that
/// was not read, or has no body, gives an empty tree.
pub fn snapshot(page: &PageCapture, refs: &mut RefBook, options: &SnapshotOptions) -> AriaTree {
    let active = page.active_elements();
    let (first, target) = match &options.target {
        Some((frame, node)) => (Arc::clone(frame), Some(*node)),
        None => (Arc::clone(&page.main_frame), None),
    };
    let mut assembly = Assembly {
        tree: AriaTree::default(),
        frames: VecDeque::new(),
    };
    assembly.frames.push_back(Pending {
        frame: first,
        owner: None,
        limit: options.depth,
    });
    let mut shown: HashSet<Arc<str>> = HashSet::new();
    while let Some(pending) = assembly.frames.pop_front() {
        if !shown.insert(Arc::clone(&pending.frame)) {
            continue;
        }
        let Some(frame) = page.ready(&pending.frame) else {
            if options.extras {
                assembly.tell_missing(page, &pending);
            }
            continue;
        };
        let target = target.filter(|_| pending.owner.is_none());
        let Some(root) = target.or_else(|| frame.document.body()) else {
            continue;
        };
        if root.index() >= frame.document.len() {
            continue;
        }
        let minting = refs.open(&pending.frame, &frame.document_id);
        let active = active.get(&pending.frame).copied();
        let mut draft = draft(frame, root, active, minting, options);
        distill(&mut draft, pending.limit);
        assembly.place(draft, frame, &pending);
    }
    assembly.tree
}

/// A frame to be put in.
struct Pending {
    frame: Arc<str>,
    /// The node that shows it; none for the outermost.
    owner: Option<AriaId>,
    limit: i64,
}

struct Assembly {
    tree: AriaTree,
    frames: VecDeque<Pending>,
}

/// A list of children on its way into the tree.
struct Emit<'d> {
    pieces: Vec<Piece<'d>>,
    parent: Option<AriaId>,
    /// Depth of the children.
    depth: i64,
    /// An ancestor in this frame prints `[cursor=pointer]`.
    in_pointer: bool,
}

impl Assembly {
    /// Moves a distilled frame into the tree, below its owner.
    fn place(&mut self, draft: Draft<'_>, frame: &FrameCapture, pending: &Pending) {
        let mut nodes = draft.nodes;
        let pieces = std::mem::take(&mut nodes[0].children);
        let mut stack = vec![Emit {
            pieces,
            parent: pending.owner,
            depth: 0,
            in_pointer: false,
        }];
        while let Some(emit) = stack.pop() {
            let mut children = Vec::with_capacity(emit.pieces.len());
            for piece in emit.pieces {
                let index = match piece {
                    Piece::Text(text) => {
                        children.push(Child::Text(Arc::from(text)));
                        continue;
                    }
                    Piece::Node(index) => index as usize,
                };
                let node = &mut nodes[index];
                let Some((element, role)) = node.element else {
                    continue;
                };
                let cursor = node.reference.is_some() && node.pointer && !emit.in_pointer;
                let key = ElementKey {
                    frame_id: Arc::clone(&pending.frame),
                    backend_node_id: frame.document.backend_node_id(element),
                };
                let props = std::mem::take(&mut node.props);
                let id = self.tree.push(AriaNode {
                    role: Cow::Borrowed(role.as_str()),
                    name: std::mem::take(&mut node.name),
                    states: node.states,
                    reference: node.reference,
                    cursor_pointer: cursor,
                    bounds: node.bounds,
                    props: props
                        .into_iter()
                        .map(|(name, value)| (Cow::Borrowed(name), Arc::from(value)))
                        .collect(),
                    children: Vec::new(),
                    element: Some(key),
                    extras: std::mem::take(&mut node.extras),
                });
                children.push(Child::Node(id));
                let mut pieces = std::mem::take(&mut node.children);
                let at_limit = pending.limit > 0 && emit.depth >= pending.limit;
                if at_limit && !matches!(pieces.as_slice(), [Piece::Text(_)]) {
                    pieces.clear();
                }
                if role == Role::Iframe
                    && node.reference.is_some()
                    && let Some(child) = frame.child_frame(element)
                {
                    let limit = match pending.limit {
                        0 => 0,
                        // At zero or below the frame is printed in full.
                        limit => limit - emit.depth - 1,
                    };
                    let (frame, owner) = (Arc::clone(child), Some(id));
                    self.frames.push_back(Pending {
                        frame,
                        owner,
                        limit,
                    });
                }
                stack.push(Emit {
                    pieces,
                    parent: Some(id),
                    depth: emit.depth + 1,
                    in_pointer: emit.in_pointer || cursor,
                });
            }
            match emit.parent {
                None => self.tree.roots = children,
                // What the frame shows takes the place of the element's own
                // children, which nobody sees.
                Some(owner) if pending.owner == Some(owner) => {
                    if !children.is_empty() {
                        self.tree.node_mut(owner).children = children;
                    }
                }
                Some(parent) => self.tree.node_mut(parent).children = children,
            }
        }
    }

    fn tell_missing(&mut self, page: &PageCapture, pending: &Pending) {
        let reason = match page.frames.get(&pending.frame) {
            Some(Captured::Missing(reason)) => reason.as_str(),
            _ => "no data",
        };
        let text = Child::Text(Arc::from(format!("(not read: {reason})")));
        match pending.owner {
            Some(owner) => self.tree.node_mut(owner).children = vec![text],
            None => self.tree.roots = vec![text],
        }
    }
}
