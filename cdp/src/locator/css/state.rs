//! Pseudo-classes that follow from attributes and captured form state.

use super::State;
use crate::dom::{Document, NodeId};

/// Input types that text is typed into, or that otherwise can be read-only.
const EDITABLE_TYPES: [&str; 13] = [
    "text",
    "search",
    "url",
    "tel",
    "email",
    "password",
    "date",
    "month",
    "week",
    "time",
    "datetime-local",
    "number",
    "color",
];

/// Whether `state` holds for `node`. States of focus are the caller's.
pub(super) fn holds(document: &Document, state: State, node: NodeId) -> bool {
    let tag = if document.is_html(node) {
        document.tag(node)
    } else {
        ""
    };
    let has = |name: &str| document.has_attr(node, name);
    let can_be_disabled = matches!(
        tag,
        "BUTTON" | "INPUT" | "SELECT" | "TEXTAREA" | "OPTGROUP" | "OPTION" | "FIELDSET"
    );
    let disabled = can_be_disabled && (has("disabled") || document.is_natively_disabled(node));
    let field = matches!(tag, "BUTTON" | "INPUT" | "SELECT" | "TEXTAREA");
    match state {
        State::Checked => match tag {
            "INPUT" => {
                matches!(document.input_type(node), "checkbox" | "radio")
                    && document.is_checked(node)
            }
            "OPTION" => document.is_option_selected(node),
            _ => false,
        },
        State::Disabled => disabled,
        State::Enabled => can_be_disabled && !disabled,
        State::Required => field && tag != "BUTTON" && has("required"),
        State::Optional => field && !has("required"),
        State::ReadWrite => is_editable(document, node, tag, disabled),
        State::ReadOnly => !is_editable(document, node, tag, disabled),
        State::PlaceholderShown => {
            matches!(tag, "INPUT" | "TEXTAREA")
                && document
                    .attr(node, "placeholder")
                    .is_some_and(|text| !text.is_empty())
                && document.form_value(node).is_none_or(str::is_empty)
        }
        State::Link => matches!(document.tag(node), "A" | "AREA") && has("href"),
        State::Open => matches!(tag, "DETAILS" | "DIALOG") && has("open"),
        State::Focus | State::FocusWithin | State::Never => false,
    }
}

fn is_editable(document: &Document, node: NodeId, tag: &str, disabled: bool) -> bool {
    let writable = !disabled && !document.has_attr(node, "readonly");
    match tag {
        "TEXTAREA" => writable,
        "INPUT" if EDITABLE_TYPES.contains(&document.input_type(node)) => writable,
        _ => is_content_editable(document, node),
    }
}

/// `isContentEditable`.
pub(in crate::locator) fn is_content_editable(document: &Document, node: NodeId) -> bool {
    std::iter::once(node)
        .chain(document.ancestors(node))
        .find_map(|element| {
            let value = document
                .attr(element, "contenteditable")?
                .to_ascii_lowercase();
            match value.as_str() {
                "" | "true" | "plaintext-only" => Some(true),
                "false" => Some(false),
                _ => None,
            }
        })
        .unwrap_or(false)
}

/// `:lang()`: the nearest `lang` is `wanted` or one of its dialects.
pub(super) fn has_lang(document: &Document, node: NodeId, wanted: &str) -> bool {
    let nearest = std::iter::once(node)
        .chain(document.ancestors(node))
        .find_map(|element| document.attr(element, "lang"));
    nearest.is_some_and(|lang| {
        let head = lang.get(..wanted.len()).unwrap_or("");
        let tail = lang.get(wanted.len()..).unwrap_or("");
        !wanted.is_empty()
            && head.eq_ignore_ascii_case(wanted)
            && (tail.is_empty() || tail.starts_with('-'))
    })
}
