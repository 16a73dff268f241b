//! Facts that elements inherit from the elements around them, top down in one
//! pass: hiddenness, disabledness, the table and section they are in.

use super::document::Document;
use super::node::{NONE, Namespace, NodeId, ShadowKind, flag};

/// What a node hands down to its children, beyond its flags.
#[derive(Clone, Copy)]
struct Handed {
    /// Innermost disabled FIELDSET in this tree scope, itself included.
    fieldset: u32,
    /// Innermost first LEGEND of that fieldset, if inside it.
    in_legend: bool,
    in_disabled_optgroup: bool,
}

const NOTHING: Handed = Handed {
    fieldset: NONE,
    in_legend: false,
    in_disabled_optgroup: false,
};

pub(crate) fn inherit(document: &mut Document) {
    let in_html = document.elements().next().is_none_or(|root| {
        document
            .node_name(root)
            .bytes()
            .all(|b| !b.is_ascii_lowercase())
    });
    let mut handed = vec![NOTHING; document.nodes.len()];
    for index in 0..document.nodes.len() {
        let node = NodeId(index as u32);
        let parent = document.parent_or_host(node);
        document.nodes[index].namespace = namespace(document, node, parent, in_html);
        let mut flags = parent.map_or(0, |parent| handed_down(document, node, parent));
        let mut table = parent.map_or(NONE, |parent| document.data(parent).closest_table);
        if document.is_element(node) {
            let same_scope = document.light_parent(node);
            let from = same_scope.map_or(NOTHING, |parent| handed[parent.index()]);
            handed[index] = hand(document, node, same_scope, from);
            flags |= own_flags(document, node, parent, handed[index]);
            if let Some(disabled) = aria_disabled(document, node) {
                flags &= !flag::ARIA_DISABLED;
                flags |= if disabled { flag::ARIA_DISABLED } else { 0 };
            }
            if document.tag(node) == "TABLE" {
                table = node.0;
            }
        }
        document.nodes[index].flags |= flags;
        document.nodes[index].closest_table = table;
    }
}

fn namespace(
    document: &Document,
    node: NodeId,
    parent: Option<NodeId>,
    in_html: bool,
) -> Namespace {
    let name = document.node_name(node);
    // In HTML documents only HTML elements have names in capitals.
    if in_html && !name.bytes().any(|b| b.is_ascii_lowercase()) {
        return Namespace::Html;
    }
    // Elements inside foreign ones belong to them, except at the points where HTML
    // lets other languages in again.
    let within = parent.map(|parent| (document.namespace(parent), document.node_name(parent)));
    match within {
        Some((Namespace::Svg, "foreignObject" | "desc" | "title"))
        | Some((Namespace::MathMl, "annotation-xml" | "mi" | "mo" | "mn" | "ms" | "mtext"))
        | Some((Namespace::Html, _))
        | None => match name {
            "svg" => Namespace::Svg,
            "math" => Namespace::MathMl,
            // Only HTML documents write HTML in capitals.
            _ if !in_html => Namespace::Html,
            _ => within.map_or(Namespace::Html, |(namespace, _)| namespace),
        },
        Some((namespace, _)) => namespace,
    }
}

/// Flags that come from the parent (or host) unchanged.
fn handed_down(document: &Document, node: NodeId, parent: NodeId) -> u32 {
    const ACROSS_SHADOW: u32 =
        flag::HIDDEN_CHAIN | flag::ARIA_DISABLED | flag::IN_SECTIONING | flag::IN_SVG;
    let above = document.data(parent).flags;
    let mut flags = above & ACROSS_SHADOW;
    if document.scope(node) == document.scope(parent) {
        flags |= above & flag::IN_SELECT;
        if document.tag(parent) == "SELECT" {
            flags |= flag::IN_SELECT;
        }
    }
    if document.node_name(parent) == "svg" && document.is_svg(parent) {
        flags |= flag::IN_SVG;
    }
    flags
}

fn hand(document: &Document, node: NodeId, parent: Option<NodeId>, from: Handed) -> Handed {
    let mut handed = from;
    match document.tag(node) {
        "FIELDSET" if document.has_attr(node, "disabled") => {
            handed.fieldset = node.0;
            handed.in_legend = false;
        }
        "LEGEND" if parent.is_some_and(|parent| parent.0 == from.fieldset) => {
            let first = parent.and_then(|fieldset| {
                document
                    .element_children(fieldset)
                    .find(|&child| document.tag(child) == "LEGEND")
            });
            handed.in_legend = first == Some(node);
        }
        "OPTGROUP" if document.has_attr(node, "disabled") => handed.in_disabled_optgroup = true,
        _ => {}
    }
    handed
}

fn own_flags(document: &Document, node: NodeId, parent: Option<NodeId>, handed: Handed) -> u32 {
    let mut flags = 0;
    let unslotted = parent.is_some_and(|parent| {
        document.shadow_kind(parent) == Some(ShadowKind::Open)
            && document.scope(parent) == document.scope(node)
            && document.assigned_slot(node).is_none()
    });
    let aria_hidden = document
        .attr(node, "aria-hidden")
        .is_some_and(|v| v.eq_ignore_ascii_case("true"));
    if unslotted || aria_hidden || document.is_display_none(node) {
        flags |= flag::HIDDEN_CHAIN;
    }
    let control = matches!(
        document.tag(node),
        "BUTTON" | "INPUT" | "SELECT" | "TEXTAREA" | "OPTION" | "OPTGROUP"
    );
    let by_optgroup = document.tag(node) == "OPTION" && handed.in_disabled_optgroup;
    let by_fieldset = handed.fieldset != NONE && !handed.in_legend;
    if control && (document.has_attr(node, "disabled") || by_optgroup || by_fieldset) {
        flags |= flag::NATIVE_DISABLED;
    }
    let role = document.attr(node, "role");
    let sectioning = match role {
        None => matches!(
            document.tag(node),
            "ARTICLE" | "ASIDE" | "MAIN" | "NAV" | "SECTION"
        ),
        Some(role) => {
            matches!(
                role,
                "article" | "complementary" | "main" | "navigation" | "region"
            )
        }
    };
    if sectioning {
        flags |= flag::IN_SECTIONING;
    }
    flags
}

fn aria_disabled(document: &Document, node: NodeId) -> Option<bool> {
    let value = document.attr(node, "aria-disabled")?;
    if value.eq_ignore_ascii_case("true") {
        Some(true)
    } else if value.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}
