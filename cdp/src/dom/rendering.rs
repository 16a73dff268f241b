//! What the layout part of a snapshot says about each node, and what it leaves to
//! be concluded: `display: contents`, skipped subtrees, visibility.

use super::capture::DocumentSnapshot;
use super::declared::{Declared, attribute, default_display};
use super::document::Document;
use super::node::{NONE, NodeId, StyleProperty, flag};
use super::skipped;
use super::strings::{StrId, Strings};
use super::text::js_trim;

/// Rendering facts of one snapshot node, before numbering.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) layout: u32,
    pub(crate) flags: u32,
    pub(crate) content_visibility: ContentVisibility,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ContentVisibility {
    Visible,
    Auto,
    Hidden,
}

impl Row {
    /// A node that the snapshot's flattened tree does not have. Its computed
    /// styles are empty strings, which upstream reads as `inline`.
    pub(crate) const NOT_FLAT: Row = Row {
        layout: NONE,
        flags: flag::NOT_FLAT | flag::DISPLAY_INLINE,
        content_visibility: ContentVisibility::Visible,
    };
    const NO_BOX: Row = Row {
        layout: NONE,
        flags: 0,
        content_visibility: ContentVisibility::Visible,
    };
}

/// One row per snapshot node. `parents` are flattened parents, each smaller than
/// its child or [`NONE`].
pub(crate) fn rows(source: &DocumentSnapshot, parents: &[u32], strings: &Strings) -> Vec<Row> {
    let mut rows = vec![Row::NO_BOX; parents.len()];
    let mut contents_text = vec![NONE; parents.len()];
    read_layout(source, parents, strings, &mut rows, &mut contents_text);
    mark_form_state(source, &mut rows);
    skipped::mark(source, parents, strings, &mut rows);
    for index in (0..rows.len()).rev() {
        let shown = rows[index].flags & (flag::LAID_OUT | flag::LAID_OUT_BELOW) != 0;
        if let Some(parent) = rows.get_mut(parents[index] as usize)
            && shown
        {
            parent.flags |= flag::LAID_OUT_BELOW;
        }
    }
    conclude_display(source, parents, strings, &mut rows, &contents_text);
    rows
}

fn wire(values: &[i64], index: usize) -> StrId {
    StrId::from_wire(values.get(index).copied().unwrap_or(-1))
}

fn read_layout(
    source: &DocumentSnapshot,
    parents: &[u32],
    strings: &Strings,
    rows: &mut [Row],
    contents_text: &mut [u32],
) {
    for (layout, &index) in source.layout.node_index.iter().enumerate() {
        let Some((index, row)) = usize::try_from(index)
            .ok()
            .and_then(|i| Some((i, rows.get_mut(i)?)))
        else {
            continue;
        };
        // Later rows of a node are anonymous parts of it, such as a marker's text.
        if row.layout != NONE {
            continue;
        }
        row.layout = layout as u32;
        row.flags |= flag::LAID_OUT;
        let styles = source.layout.styles.get(layout);
        row.flags |= style_flags(styles, strings);
        row.content_visibility = content_visibility(styles, strings);
        // Text carries its parent's style: the only place where the style of a
        // `display: contents` element shows.
        let is_text = source.nodes.node_type.get(index) == Some(&3);
        if is_text
            && row.flags & flag::DISPLAY_CONTENTS != 0
            && let Some(slot) = contents_text.get_mut(parents[index] as usize)
            && *slot == NONE
        {
            *slot = index as u32;
        }
    }
}

/// The property as far as it has an effect: size containment does not apply to
/// inline boxes, tables and their parts, nor ruby (CSS Containment 2, section 3.1).
fn content_visibility(styles: &[i64], strings: &Strings) -> ContentVisibility {
    let get = |property: StyleProperty| strings.get(wire(styles, property as usize));
    let value = match get(StyleProperty::ContentVisibility) {
        "auto" => ContentVisibility::Auto,
        "hidden" => ContentVisibility::Hidden,
        _ => return ContentVisibility::Visible,
    };
    let display = get(StyleProperty::Display);
    let exempt = matches!(display, "inline" | "contents" | "none" | "inline-table")
        || display.starts_with("table")
        || display.starts_with("ruby");
    if exempt {
        ContentVisibility::Visible
    } else {
        value
    }
}

fn style_flags(styles: &[i64], strings: &Strings) -> u32 {
    let get = |property: StyleProperty| strings.get(wire(styles, property as usize));
    let mut flags = match get(StyleProperty::Display) {
        "inline" => flag::DISPLAY_INLINE,
        "contents" => flag::DISPLAY_CONTENTS,
        "none" => flag::DISPLAY_NONE,
        _ => 0,
    };
    if get(StyleProperty::Visibility) == "visible" {
        flags |= flag::VISIBILITY_VISIBLE;
    }
    // The computed value may list images before the keyword.
    if get(StyleProperty::Cursor) == "pointer" {
        flags |= flag::CURSOR_POINTER;
    }
    if get(StyleProperty::PointerEvents) == "none" {
        flags |= flag::POINTER_EVENTS_NONE;
    }
    flags
}

fn mark_form_state(source: &DocumentSnapshot, rows: &mut [Row]) {
    for (nodes, flag) in [
        (&source.nodes.input_checked, flag::CHECKED),
        (&source.nodes.option_selected, flag::OPTION_SELECTED),
    ] {
        for index in nodes.nodes() {
            if let Some(row) = rows.get_mut(index) {
                row.flags |= flag;
            }
        }
    }
}

/// Display of elements without a box.
fn conclude_display(
    source: &DocumentSnapshot,
    parents: &[u32],
    strings: &Strings,
    rows: &mut [Row],
    contents_text: &[u32],
) {
    const DISPLAYS: u32 = flag::DISPLAY_INLINE | flag::DISPLAY_CONTENTS | flag::DISPLAY_NONE;
    // Below an element with `display: none` nothing has a box, whatever its style.
    let mut below_none = vec![false; rows.len()];
    for index in 0..rows.len() {
        let parent = rows.get(parents[index] as usize).copied();
        if let Some(parent) = parent {
            below_none[index] =
                below_none[parents[index] as usize] || parent.flags & flag::DISPLAY_NONE != 0;
        }
        if below_none[index] {
            rows[index].flags &= !flag::MEASURABLE;
        }
        let known = rows[index].layout != NONE || rows[index].flags & flag::NOT_FLAT != 0;
        if known || source.nodes.node_type.get(index) != Some(&1) {
            continue;
        }
        let name = strings.get(wire(&source.nodes.node_name, index));
        let below = rows[index].flags & flag::LAID_OUT_BELOW != 0;
        let style = Declared::read(source, strings, index);
        let own = if below {
            flag::DISPLAY_CONTENTS
        } else if name == "SLOT" {
            style.display(flag::DISPLAY_CONTENTS)
        } else if rows[index].flags & flag::SKIPPED != 0 || below_none[index] {
            style.display(default_display(source, strings, index, name))
        } else {
            flag::DISPLAY_NONE
        };
        rows[index].flags = rows[index].flags & !DISPLAYS | own;
        if own == flag::DISPLAY_CONTENTS {
            const INHERITED: u32 =
                flag::VISIBILITY_VISIBLE | flag::CURSOR_POINTER | flag::POINTER_EVENTS_NONE;
            let text = rows.get(contents_text[index] as usize).copied();
            rows[index].flags |= text.or(parent).map_or(0, |model| model.flags & INHERITED);
            if text.is_none() {
                // The browser's own style sheet gives links this cursor.
                let is_link = matches!(name, "A" | "AREA")
                    && attribute(source, strings, index, "href").is_some();
                style.apply(is_link, &mut rows[index].flags);
            }
        }
    }
}

/// Child elements of `content-visibility: auto` containers of which none has a
/// box: the browser has not laid them out.
pub(crate) fn skipped_layout(source: &DocumentSnapshot, parents: &[u32], rows: &[Row]) -> Vec<i64> {
    let is_auto = |index: usize| {
        rows.get(index).is_some_and(|row| {
            row.content_visibility == ContentVisibility::Auto
                && row.flags & flag::LAID_OUT != 0
                && row.flags & flag::LAID_OUT_BELOW == 0
        })
    };
    (0..rows.len())
        .filter(|&index| source.nodes.node_type.get(index) == Some(&1))
        .filter(|&index| is_auto(parents[index] as usize))
        .filter_map(|index| source.nodes.backend_node_id.get(index).copied())
        .collect()
}

/// Visibility of every element, bottom up, when tree and inherited flags are
/// complete.
pub(crate) fn finish(document: &mut Document) {
    for index in (0..document.nodes.len()).rev() {
        let node = NodeId(index as u32);
        if !document.is_element(node) {
            continue;
        }
        let flags = visibility_flags(document, node);
        document.nodes[index].flags |= flags;
    }
}

fn visibility_flags(document: &Document, node: NodeId) -> u32 {
    let tag = document.tag(node);
    let name = document.node_name(node);
    let is_slot = name == "SLOT";
    let contents = document.is_display_contents(node);
    let styled_visible = document.is_laid_out(node) && document.has(node, flag::VISIBILITY_VISIBLE);
    let mut flags = 0;
    let hidden = if matches!(tag, "STYLE" | "SCRIPT" | "NOSCRIPT" | "TEMPLATE") {
        true
    } else if contents && !is_slot {
        !document.light_children(node).iter().any(|&child| {
            text_has_box(document, child)
                || document.is_element(child) && !document.is_hidden_for_aria(child)
        })
    } else {
        let exempt = is_slot || name == "OPTION" && document.is_in_select(node);
        !exempt && !styled_visible || document.has(node, flag::HIDDEN_CHAIN)
    };
    if hidden {
        flags |= flag::ARIA_HIDDEN;
    }
    if contents {
        let first_visible = document.light_children(node).iter().find_map(|&child| {
            if document.is_box_visible(child) {
                Some(false)
            } else {
                text_has_box(document, child).then_some(true)
            }
        });
        flags |= match first_visible {
            Some(true) => flag::BOX_VISIBLE | flag::BOX_INLINE,
            Some(false) => flag::BOX_VISIBLE,
            None => 0,
        };
    } else if styled_visible {
        if document.bounds(node).is_some_and(|rect| !rect.is_empty()) {
            flags |= flag::BOX_VISIBLE;
        }
        if document.is_display_inline(node) {
            flags |= flag::BOX_INLINE;
        }
    }
    flags
}

/// Upstream measures text, which makes the browser lay out what it had skipped;
/// what earlier measurements left behind counts as well.
fn text_has_box(document: &Document, node: NodeId) -> bool {
    if !document.is_text(node) {
        return false;
    }
    document.bounds(node).is_some_and(|rect| !rect.is_empty())
        || document.has(node, flag::MEASURABLE) && !js_trim(document.value(node)).is_empty()
}
