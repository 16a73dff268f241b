//! [`AriaTree`]: a snapshot as data. Everything that shortens, compares or prints
//! snapshots works on this.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Name of a node within one snapshot, as agents write it: `e5`, or `f2e5` for
/// the frame with sequence number 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ref {
    /// Sequence number of the frame; 0 prints no prefix.
    pub frame: u32,
    /// Number of the element within its document, from 1.
    pub element: u32,
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.frame {
            0 => write!(f, "e{}", self.element),
            frame => write!(f, "f{frame}e{}", self.element),
        }
    }
}

impl Ref {
    /// True for text that is meant as a ref, `^(f\d+)?e\d+$`, even if no snapshot
    /// could have printed it.
    pub fn looks_like(text: &str) -> bool {
        split(text).is_some()
    }

    /// The ref that prints as exactly `text`.
    pub fn parse(text: &str) -> Option<Ref> {
        let (frame, element) = split(text)?;
        let frame = frame.map_or(Some(0), |frame| frame.parse().ok())?;
        let parsed = Ref {
            frame,
            element: element.parse().ok()?,
        };
        (parsed.to_string() == text).then_some(parsed)
    }
}

fn split(text: &str) -> Option<(Option<&str>, &str)> {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if let Some(element) = text.strip_prefix('e') {
        return digits(element).then_some((None, element));
    }
    let (frame, element) = text.strip_prefix('f')?.split_once('e')?;
    (digits(frame) && digits(element)).then_some((Some(frame), element))
}

/// A state that may be neither on nor off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the ARIA values of these names")]
pub enum Toggle {
    True,
    Mixed,
}

/// Value of `[invalid]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the ARIA values of these names")]
pub enum Invalid {
    True,
    Grammar,
    Spelling,
}

/// The marks of a node, in the order in which they print.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[expect(missing_docs, reason = "each field is the ARIA state of its name")]
pub struct States {
    pub checked: Option<Toggle>,
    pub disabled: bool,
    pub expanded: bool,
    /// The element has the focus.
    pub active: bool,
    pub invalid: Option<Invalid>,
    pub level: Option<u32>,
    pub pressed: Option<Toggle>,
    pub selected: bool,
    /// The element itself has `aria-hidden=true`.
    pub aria_hidden: bool,
}

/// A border box in whole CSS pixels, in the viewport of its frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[expect(missing_docs, reason = "plain geometry")]
pub struct Box2d {
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
}

/// The element behind a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ElementKey {
    /// The frame it is in.
    pub frame_id: Arc<str>,
    /// Its id in the DevTools protocol.
    pub backend_node_id: i64,
}

/// Index of a node in [`AriaTree::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AriaId(pub u32);

/// What stands below a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Child {
    /// Another node.
    Node(AriaId),
    /// A piece of text, white space normalised.
    Text(Arc<str>),
}

/// One line of a snapshot and what it carries.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AriaNode {
    /// Role as printed.
    pub role: Cow<'static, str>,
    /// Accessible name; empty for none.
    pub name: Arc<str>,
    /// Checked, disabled and so on.
    pub states: States,
    /// The name by which tools address the element.
    pub reference: Option<Ref>,
    /// `[cursor=pointer]` prints here.
    pub cursor_pointer: bool,
    /// `[box=…]`, when boxes were asked for.
    pub bounds: Option<Box2d>,
    /// `/url`, `/placeholder`: names without the slash, in printing order.
    pub props: Vec<(Cow<'static, str>, Arc<str>)>,
    /// Text and nodes below, in order.
    pub children: Vec<Child>,
    /// The element; unknown for trees read from text.
    pub element: Option<ElementKey>,
    /// Facts beyond upstream's format, printed as `[name="value"]` (or `[name]`
    /// when the value is empty) after upstream's marks.
    pub extras: Vec<(&'static str, String)>,
}

/// A snapshot: a forest of nodes in one array. No operation on it recurses, so
/// depth is no concern, not even when it is dropped.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AriaTree {
    /// All nodes. Those that no list of children mentions do not print.
    pub nodes: Vec<AriaNode>,
    /// Top of the snapshot.
    pub roots: Vec<Child>,
}

impl AriaTree {
    /// Adds a node that is not yet below any other.
    pub fn push(&mut self, node: AriaNode) -> AriaId {
        // An array of nodes cannot reach 2^32 entries in memory.
        let id = AriaId(self.nodes.len() as u32);
        self.nodes.push(node);
        id
    }

    /// One node.
    ///
    /// # Panics
    /// When `id` comes from another tree and is out of range here.
    pub fn node(&self, id: AriaId) -> &AriaNode {
        &self.nodes[id.0 as usize]
    }

    /// One node, to change.
    ///
    /// # Panics
    /// When `id` comes from another tree and is out of range here.
    pub fn node_mut(&mut self, id: AriaId) -> &mut AriaNode {
        &mut self.nodes[id.0 as usize]
    }

    /// Children of a node, or the top of the tree for `None`.
    pub fn children(&self, parent: Option<AriaId>) -> &[Child] {
        parent.map_or(&self.roots, |id| &self.node(id).children)
    }

    /// Nodes in printing order with their depth (0 at the top).
    pub fn walk(&self) -> Walk<'_> {
        let mut walk = Walk {
            tree: self,
            stack: Vec::new(),
        };
        walk.open(&self.roots, 0);
        walk
    }

    /// The node that carries this ref.
    pub fn find(&self, reference: Ref) -> Option<AriaId> {
        self.walk()
            .map(|(id, _)| id)
            .find(|&id| self.node(id).reference == Some(reference))
    }

    /// True when nothing would print.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }
}

/// Iterator of [`AriaTree::walk`].
pub struct Walk<'t> {
    tree: &'t AriaTree,
    stack: Vec<(AriaId, usize)>,
}

impl Walk<'_> {
    fn open(&mut self, children: &[Child], depth: usize) {
        self.stack
            .extend(children.iter().rev().filter_map(|child| match child {
                Child::Node(id) => Some((*id, depth)),
                Child::Text(_) => None,
            }));
    }
}

impl<'t> Iterator for Walk<'t> {
    type Item = (AriaId, usize);

    fn next(&mut self) -> Option<(AriaId, usize)> {
        let (id, depth) = self.stack.pop()?;
        let tree: &'t AriaTree = self.tree;
        self.open(&tree.node(id).children, depth + 1);
        Some((id, depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_print_and_parse() {
        for text in ["e1", "f1e20", "f12e3"] {
            assert_eq!(Ref::parse(text).unwrap().to_string(), text);
        }
        for text in ["E3", "f0", "e3 ", "e", "fe1", "f1", "e-1", "e1e2", ""] {
            assert!(!Ref::looks_like(text), "{text}");
        }
        // Meant as refs, but nothing prints like that.
        for text in ["e01", "f0e1", "e99999999999999999999"] {
            assert!(Ref::looks_like(text), "{text}");
            assert_eq!(Ref::parse(text), None, "{text}");
        }
    }

    #[test]
    fn walk_goes_in_printing_order() {
        let mut tree = AriaTree::default();
        let named = |name: &str| AriaNode {
            name: name.into(),
            ..AriaNode::default()
        };
        let [a, b, c] = ["a", "b", "c"].map(|name| tree.push(named(name)));
        tree.roots = vec![Child::Node(a), Child::Text("t".into()), Child::Node(c)];
        tree.node_mut(a).children = vec![Child::Node(b)];
        let names: Vec<_> = tree
            .walk()
            .map(|(id, depth)| (&*tree.node(id).name, depth))
            .collect();
        assert_eq!(names, [("a", 0), ("b", 1), ("c", 0)]);
    }
}
