//! The order in which upstream visits what is below an element: slotted nodes in
//! a slot, else light children that are not slotted, then the shadow tree.

use crate::dom::{Document, NodeId, ShadowKind};

/// What [`below`] gives for one element, to be indexed step by step: callers keep
/// their own stacks and come back for the next child.
#[derive(Clone, Copy)]
pub(crate) struct Below<'d> {
    first: &'d [NodeId],
    skip_slotted: bool,
    shadow: &'d [NodeId],
    assigned: bool,
}

/// Children of `node` in visiting order. Shadow trees that are closed stay out
/// unless `closed_shadow` is set, as they are out of reach for scripts.
pub(crate) fn below(document: &Document, node: NodeId, closed_shadow: bool) -> Below<'_> {
    if document.node_name(node) == "SLOT"
        && let Some(assigned) = document.assigned_nodes(node)
    {
        return Below {
            first: assigned,
            skip_slotted: false,
            shadow: &[],
            assigned: true,
        };
    }
    let reachable = match document.shadow_kind(node) {
        Some(ShadowKind::Open) => true,
        Some(ShadowKind::Closed) => closed_shadow,
        _ => false,
    };
    Below {
        first: document.light_children(node),
        skip_slotted: reachable,
        shadow: if reachable {
            document.shadow_children(node)
        } else {
            &[]
        },
        assigned: false,
    }
}

impl<'d> Below<'d> {
    /// Number of positions; some may be empty.
    pub(crate) fn len(&self) -> usize {
        self.first.len() + self.shadow.len()
    }

    /// True for the nodes assigned to a slot.
    pub(crate) fn is_assigned(&self) -> bool {
        self.assigned
    }

    /// The child at one position, unless it is shown by a slot elsewhere.
    pub(crate) fn get(&self, document: &Document, index: usize) -> Option<NodeId> {
        match self.first.get(index) {
            Some(&child) => {
                let elsewhere = self.skip_slotted && document.assigned_slot(child).is_some();
                (!elsewhere).then_some(child)
            }
            None => self.shadow.get(index - self.first.len()).copied(),
        }
    }

    /// All children, in order.
    pub(crate) fn iter(
        self,
        document: &'d Document,
    ) -> impl DoubleEndedIterator<Item = NodeId> + 'd {
        (0..self.len()).filter_map(move |index| self.get(document, index))
    }
}
