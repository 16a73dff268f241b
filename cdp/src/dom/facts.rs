//! What is true of single nodes: boxes, styles, visibility, form state.

use std::sync::Arc;

use super::document::Document;
use super::node::{NONE, NodeId, Rect, StyleProperty, flag};
use super::strings::StrId;

impl Document {
    /// Border box of an element (or box of a text) in the viewport of its frame;
    /// what `getBoundingClientRect` gives. None without a box.
    pub fn bounds(&self, node: NodeId) -> Option<Rect> {
        let row = self.data(node).layout;
        if row == NONE {
            return None;
        }
        let &[x, y, width, height] = self.layout.bounds.get(row as usize) else {
            return None;
        };
        Some(Rect {
            x: x - self.scroll.0,
            y: y - self.scroll.1,
            width,
            height,
        })
    }

    /// A computed style. None without a box; for `display: contents` and
    /// unrendered elements the snapshot has no styles.
    pub fn style(&self, node: NodeId, property: StyleProperty) -> Option<&str> {
        let row = self.data(node).layout;
        if row == NONE {
            return None;
        }
        let index = *self
            .layout
            .styles
            .get(row as usize)
            .get(property as usize)?;
        Some(self.strings.get(StrId::from_wire(index)))
    }

    /// True when the browser shows a box for this node.
    pub fn is_laid_out(&self, node: NodeId) -> bool {
        self.has(node, flag::LAID_OUT)
    }

    /// True when computed `display` is `inline`.
    pub fn is_display_inline(&self, node: NodeId) -> bool {
        self.has(node, flag::DISPLAY_INLINE)
    }

    /// True when computed `display` is `contents` (every slot counts as such).
    pub fn is_display_contents(&self, node: NodeId) -> bool {
        self.has(node, flag::DISPLAY_CONTENTS)
    }

    /// True when computed `display` is `none` (for the element itself).
    pub fn is_display_none(&self, node: NodeId) -> bool {
        self.has(node, flag::DISPLAY_NONE)
    }

    /// True when the computed cursor is `pointer`.
    pub fn has_pointer_cursor(&self, node: NodeId) -> bool {
        self.has(node, flag::CURSOR_POINTER)
    }

    /// False when computed `pointer-events` is `none`.
    pub fn receives_pointer_events(&self, node: NodeId) -> bool {
        !self.has(node, flag::POINTER_EVENTS_NONE)
    }

    /// True when upstream takes the element for hidden from accessibility.
    pub fn is_hidden_for_aria(&self, node: NodeId) -> bool {
        self.has(node, flag::ARIA_HIDDEN)
    }

    /// True when the element has a visible box: `visibility: visible` and an area.
    /// This is upstream's `:visible`.
    pub fn is_box_visible(&self, node: NodeId) -> bool {
        self.has(node, flag::BOX_VISIBLE)
    }

    /// True when the visible box flows inline.
    pub fn is_box_inline(&self, node: NodeId) -> bool {
        self.has(node, flag::BOX_INLINE)
    }

    /// Current value of an INPUT or TEXTAREA.
    pub fn form_value(&self, node: NodeId) -> Option<&str> {
        self.values.get(&node).map(|&id| self.strings.get(id))
    }

    /// `checked` of an INPUT.
    pub fn is_checked(&self, node: NodeId) -> bool {
        self.has(node, flag::CHECKED)
    }

    /// `selected` of an OPTION.
    pub fn is_option_selected(&self, node: NodeId) -> bool {
        self.has(node, flag::OPTION_SELECTED)
    }

    /// The `type` property of an INPUT: known keywords in lower case, else `text`.
    pub fn input_type(&self, node: NodeId) -> &'static str {
        const TYPES: [&str; 22] = [
            "text",
            "button",
            "checkbox",
            "color",
            "date",
            "datetime-local",
            "email",
            "file",
            "hidden",
            "image",
            "month",
            "number",
            "password",
            "radio",
            "range",
            "reset",
            "search",
            "submit",
            "tel",
            "time",
            "url",
            "week",
        ];
        let attribute = self.attr(node, "type").unwrap_or("");
        TYPES
            .into_iter()
            .find(|known| attribute.eq_ignore_ascii_case(known))
            .unwrap_or("text")
    }

    /// True for a form control that is disabled by its own attribute, its
    /// optgroup or its fieldset.
    pub fn is_natively_disabled(&self, node: NodeId) -> bool {
        self.has(node, flag::NATIVE_DISABLED)
    }

    /// The closest `aria-disabled` that is true or false, from the element itself
    /// outwards across shadow roots, is true.
    pub fn is_aria_disabled(&self, node: NodeId) -> bool {
        self.has(node, flag::ARIA_DISABLED)
    }

    /// True when an ancestor in the same tree is a SELECT.
    pub fn is_in_select(&self, node: NodeId) -> bool {
        self.has(node, flag::IN_SELECT)
    }

    /// The innermost TABLE around the element (itself included), across shadow
    /// roots.
    pub fn closest_table(&self, node: NodeId) -> Option<NodeId> {
        let table = self.data(node).closest_table;
        (table != NONE).then_some(NodeId(table))
    }

    /// True when a HEADER or FOOTER here belongs to a section, not to the page.
    pub fn is_in_sectioning(&self, node: NodeId) -> bool {
        self.has(node, flag::IN_SECTIONING)
    }

    /// Frame that an IFRAME or FRAME of the same process shows.
    pub fn content_frame(&self, node: NodeId) -> Option<&Arc<str>> {
        self.content_frames.get(&node)
    }

    /// `textContent`, in pieces.
    pub fn text_pieces(&self, node: NodeId) -> impl Iterator<Item = &str> {
        let scope = self.scope(node);
        (node.0..self.data(node).end)
            .map(NodeId)
            .filter(move |&n| self.is_text(n) && self.scope(n) == scope)
            .map(|n| self.value(n))
    }
}
