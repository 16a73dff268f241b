//! Ids per tree scope, and which label belongs to which control.

use std::collections::HashMap;

use super::document::Document;
use super::node::{NodeId, ScopeId};
use super::strings::{StrId, Strings};

/// Sorted tables; looking up is a binary search.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// By scope, then id text, then tree order.
    ids: Vec<(ScopeId, StrId, NodeId)>,
    /// (control, label), sorted.
    labels: Vec<(NodeId, NodeId)>,
    /// (label, control), sorted.
    controls: Vec<(NodeId, NodeId)>,
    /// `rows.length` of tables that have rows.
    row_counts: HashMap<NodeId, usize>,
}

impl Links {
    /// The first element with this id; does not look at the others.
    pub(crate) fn first_by_id(
        &self,
        strings: &Strings,
        scope: ScopeId,
        id: &str,
    ) -> Option<NodeId> {
        let &(s, i, node) = self.ids.get(self.start_of(strings, scope, id))?;
        (!id.is_empty() && (s, strings.get(i)) == (scope, id)).then_some(node)
    }

    fn start_of(&self, strings: &Strings, scope: ScopeId, id: &str) -> usize {
        self.ids
            .partition_point(|&(s, i, _)| (s, strings.get(i)) < (scope, id))
    }

    pub(crate) fn by_id(
        &self,
        strings: &Strings,
        scope: ScopeId,
        id: &str,
    ) -> impl Iterator<Item = NodeId> + use<> {
        let start = self.start_of(strings, scope, id);
        let count = if id.is_empty() {
            0
        } else {
            self.ids[start..].partition_point(|&(s, i, _)| (s, strings.get(i)) == (scope, id))
        };
        // Ids that occur more than once are rare; one small allocation keeps the
        // iterator free of borrows.
        self.ids[start..start + count]
            .iter()
            .map(|&(_, _, n)| n)
            .collect::<Vec<_>>()
            .into_iter()
    }

    pub(crate) fn labels(&self, control: NodeId) -> impl Iterator<Item = NodeId> {
        let start = self.labels.partition_point(|&(c, _)| c < control);
        self.labels[start..]
            .iter()
            .take_while(move |&&(c, _)| c == control)
            .map(|&(_, l)| l)
    }

    pub(crate) fn control(&self, label: NodeId) -> Option<NodeId> {
        let at = self
            .controls
            .binary_search_by_key(&label, |&(l, _)| l)
            .ok()?;
        Some(self.controls[at].1)
    }

    pub(crate) fn row_count(&self, table: NodeId) -> usize {
        self.row_counts.get(&table).copied().unwrap_or(0)
    }

    /// Reads the finished tree of `document`.
    pub(crate) fn collect(document: &Document) -> Links {
        let mut links = Links::default();
        let mut labelable: Vec<(ScopeId, NodeId)> = Vec::new();
        let mut labels = Vec::new();
        for node in document.elements() {
            let scope = document.scope(node);
            if let Some(id) = document.attr_id(node, "id")
                && id != StrId::NONE
            {
                links.ids.push((scope, id, node));
            }
            if is_labelable(document, node) {
                labelable.push((scope, node));
            }
            match document.tag(node) {
                "LABEL" if document.is_html(node) => labels.push(node),
                "TR" => {
                    if let Some(table) = table_of_row(document, node) {
                        *links.row_counts.entry(table).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        let strings = &document.strings;
        links
            .ids
            .sort_by(|a, b| (a.0, strings.get(a.1), a.2).cmp(&(b.0, strings.get(b.1), b.2)));
        labelable.sort_unstable();
        for label in labels {
            let scope = document.scope(label);
            let control = match document.attr(label, "for") {
                Some(id) => links
                    .first_by_id(strings, scope, id)
                    .filter(|&target| is_labelable(document, target)),
                None => {
                    let next = labelable.partition_point(|&entry| entry <= (scope, label));
                    labelable
                        .get(next)
                        .filter(|(s, n)| *s == scope && document.is_inclusive_descendant(*n, label))
                        .map(|&(_, n)| n)
                }
            };
            if let Some(control) = control {
                links.labels.push((control, label));
                links.controls.push((label, control));
            }
        }
        links.labels.sort_unstable();
        links.controls.sort_unstable();
        links
    }
}

/// Labelable elements of HTML; form-associated custom elements cannot be told
/// from data.
fn is_labelable(document: &Document, node: NodeId) -> bool {
    if !document.is_html(node) {
        return false;
    }
    match document.tag(node) {
        "BUTTON" | "METER" | "OUTPUT" | "PROGRESS" | "SELECT" | "TEXTAREA" => true,
        "INPUT" => document.input_type(node) != "hidden",
        _ => false,
    }
}

/// The table in whose `rows` this TR is.
fn table_of_row(document: &Document, row: NodeId) -> Option<NodeId> {
    let parent = document.light_parent(row)?;
    match document.tag(parent) {
        "TABLE" => Some(parent),
        "TBODY" | "THEAD" | "TFOOT" => document
            .light_parent(parent)
            .filter(|&table| document.tag(table) == "TABLE"),
        _ => None,
    }
}
