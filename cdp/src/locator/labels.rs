//! Labels of controls, for `getByLabel`.

use super::text::{TextIndex, TextMatcher, span};
use crate::dom::{Document, NodeId, ScopeId, js_trim, normalize_white_space};

/// One label of an element.
pub(super) enum Label<'d> {
    /// The text of another element.
    Element(NodeId),
    /// `aria-label`.
    Text(&'d str),
}

impl Label<'_> {
    pub(super) fn matches(&self, matcher: &TextMatcher<'_>, document: &Document) -> bool {
        match *self {
            Label::Element(node) => matcher.matches(document, span(document, node), Some(node)),
            Label::Text(text) => matcher.matches_text(text),
        }
    }

    /// The label's text with white space normalised.
    pub(super) fn text(&self, index: &TextIndex, document: &Document) -> String {
        match *self {
            Label::Element(node) => index.normalized(span(document, node)).to_owned(),
            Label::Text(text) => normalize_white_space(text).into_owned(),
        }
    }
}

/// The labels of `node`, by the first of these that applies: `aria-labelledby`,
/// `aria-label`, `<label>` elements.
pub(super) fn labels_of(document: &Document, node: NodeId) -> Vec<Label<'_>> {
    if let Some(ids) = document.attr(node, "aria-labelledby") {
        let referenced = by_ids(document, document.scope(node), ids);
        if !referenced.is_empty() {
            return referenced.into_iter().map(Label::Element).collect();
        }
    }
    if let Some(text) = document.attr(node, "aria-label")
        && !js_trim(text).is_empty()
    {
        return vec![Label::Text(text)];
    }
    let labelable = match document.tag(node) {
        "BUTTON" | "METER" | "OUTPUT" | "PROGRESS" | "SELECT" | "TEXTAREA" => true,
        "INPUT" => document.input_type(node) != "hidden",
        _ => false,
    };
    if !labelable {
        return Vec::new();
    }
    document.labels(node).map(Label::Element).collect()
}

/// Elements of an id list, each once.
pub(super) fn by_ids(document: &Document, scope: ScopeId, ids: &str) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = Vec::new();
    for id in ids.split(' ').filter(|id| !id.is_empty()) {
        if let Some(node) = document.by_id(scope, id)
            && !found.contains(&node)
        {
            found.push(node);
        }
    }
    found
}
