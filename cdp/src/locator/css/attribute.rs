//! Attribute selectors.

use std::borrow::Cow;

use super::{AttributeOperator, AttributeSelector};
use crate::dom::{Document, NodeId};

/// Whether the element has such an attribute.
pub(super) fn holds(document: &Document, selector: &AttributeSelector, node: NodeId) -> bool {
    let value = match document.attr(node, &selector.name) {
        Some(value) => value,
        // Attribute names of HTML elements are lower case and match any case.
        None => match document.attr(node, &selector.name.to_ascii_lowercase()) {
            Some(value) if document.is_html(node) => value,
            _ => return false,
        },
    };
    let (own, wanted) = match selector.ignore_case {
        true => (
            Cow::from(value.to_ascii_lowercase()),
            selector.value.to_ascii_lowercase(),
        ),
        false => (Cow::from(value), selector.value.clone()),
    };
    let wanted = wanted.as_str();
    match selector.test {
        AttributeOperator::Exists => true,
        AttributeOperator::Equals => own == wanted,
        AttributeOperator::Includes => own.split_ascii_whitespace().any(|word| word == wanted),
        AttributeOperator::Dash => own
            .strip_prefix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
        AttributeOperator::Prefix => !wanted.is_empty() && own.starts_with(wanted),
        AttributeOperator::Suffix => !wanted.is_empty() && own.ends_with(wanted),
        AttributeOperator::Substring => !wanted.is_empty() && own.contains(wanted),
    }
}
