//! The small types of the model: nodes, scopes, boxes.

use super::strings::StrId;

/// A node of one [`Document`].
///
/// Numbers follow the order in which upstream sorts elements: preorder, the
/// light children of a shadow host before its shadow tree. For documents without
/// shadow trees that is plain document order. A node's light-tree ancestors (or
/// shadow hosts) always have smaller numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tree scope: the document (number 0) or one shadow tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScopeId(pub u32);

/// Markup language of an element, as far as names and ancestors tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Namespace {
    /// HTML, custom elements included.
    Html,
    /// SVG.
    Svg,
    /// MathML.
    MathMl,
}

/// Kind of a shadow root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShadowKind {
    /// Reachable through `element.shadowRoot`.
    Open,
    /// Not reachable by scripts that do not hold it.
    Closed,
    /// The browser's own, such as inside `<details>`; never part of a [`Document`].
    UserAgent,
}

impl ShadowKind {
    pub(crate) fn from_wire(kind: &str) -> Self {
        match kind {
            "open" => ShadowKind::Open,
            "closed" => ShadowKind::Closed,
            _ => ShadowKind::UserAgent,
        }
    }
}

/// A generated box that can carry text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pseudo {
    /// `::before`
    Before,
    /// `::after`
    After,
}

/// The computed styles that a snapshot carries, in the order of
/// [`DomSnapshot::COMPUTED_STYLES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each variant is the CSS property of its name")]
pub enum StyleProperty {
    Display,
    Visibility,
    Cursor,
    PointerEvents,
    Content,
    ContentVisibility,
}

/// A border box in CSS pixels, relative to the viewport of its own frame.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[expect(missing_docs, reason = "plain geometry")]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// True when the box has no area.
    pub fn is_empty(&self) -> bool {
        !(self.width > 0.0 && self.height > 0.0)
    }
}

/// Bits of [`NodeData::flags`].
pub(crate) mod flag {
    pub(crate) const CHECKED: u32 = 1;
    pub(crate) const OPTION_SELECTED: u32 = 1 << 1;
    /// Has a box that the browser would show (skipped subtrees do not count).
    pub(crate) const LAID_OUT: u32 = 1 << 2;
    /// Itself without a box, but with boxes below it.
    pub(crate) const LAID_OUT_BELOW: u32 = 1 << 3;
    /// In a part of the page that has no boxes for another reason than
    /// `display: none`: closed details, closed select, fallback content.
    pub(crate) const SKIPPED: u32 = 1 << 4;
    pub(crate) const DISPLAY_INLINE: u32 = 1 << 5;
    pub(crate) const DISPLAY_CONTENTS: u32 = 1 << 6;
    pub(crate) const DISPLAY_NONE: u32 = 1 << 7;
    pub(crate) const VISIBILITY_VISIBLE: u32 = 1 << 8;
    pub(crate) const CURSOR_POINTER: u32 = 1 << 9;
    pub(crate) const POINTER_EVENTS_NONE: u32 = 1 << 10;
    /// Not part of the flattened tree (unslotted, or unused fallback of a slot).
    pub(crate) const NOT_FLAT: u32 = 1 << 11;
    pub(crate) const PSEUDO: u32 = 1 << 12;
    pub(crate) const ARIA_HIDDEN: u32 = 1 << 13;
    pub(crate) const BOX_VISIBLE: u32 = 1 << 14;
    pub(crate) const BOX_INLINE: u32 = 1 << 15;
    pub(crate) const IN_SELECT: u32 = 1 << 16;
    pub(crate) const NATIVE_DISABLED: u32 = 1 << 17;
    pub(crate) const ARIA_DISABLED: u32 = 1 << 18;
    pub(crate) const IN_SECTIONING: u32 = 1 << 19;
    pub(crate) const IN_SVG: u32 = 1 << 20;
    /// `display: none`, `aria-hidden` or unslotted, or below such an element.
    pub(crate) const HIDDEN_CHAIN: u32 = 1 << 21;
    /// Skipped, but would get a box if somebody asked for its measures.
    pub(crate) const MEASURABLE: u32 = 1 << 22;
}

/// "No node" in the 32-bit link fields.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
pub(crate) struct NodeData {
    pub(crate) backend_id: i64,
    pub(crate) node_type: u8,
    pub(crate) namespace: Namespace,
    pub(crate) name: StrId,
    pub(crate) tag: StrId,
    pub(crate) value: StrId,
    /// Range in [`Document::attributes`].
    pub(crate) attributes: (u32, u32),
    /// Light parent, or the host for children of a shadow root.
    pub(crate) parent: u32,
    /// One past the last descendant, shadow trees included.
    pub(crate) end: u32,
    /// Range in [`Document::light`].
    pub(crate) children: (u32, u32),
    pub(crate) scope: u32,
    /// Index among the siblings.
    pub(crate) position: u32,
    /// The slot that shows this node.
    pub(crate) slot: u32,
    /// First layout row.
    pub(crate) layout: u32,
    pub(crate) closest_table: u32,
    pub(crate) flags: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct ShadowData {
    pub(crate) kind: ShadowKind,
    pub(crate) children: Vec<NodeId>,
}
