//! Texts of elements, and which elements match one.
//!
//! `getByText` and its kin compare the text of whole subtrees. Collecting it per
//! element would cost the square of the depth, so the document's text is laid
//! out once, in tree order, and an element's text is a slice of it. The same
//! text exists in three forms: raw, with white space normalised, and folded for
//! comparison without case.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::JsRegex;
use super::selector::{LegacyText, TextPattern};
use crate::dom::{Document, NodeId, ShadowKind, is_js_space, normalize_white_space};

/// Bytes that regular expressions may read in one query. Deeply nested pages
/// make the sum of all subtree texts quadratic.
const REGEX_BUDGET: usize = 200_000_000;

/// Folds case as text queries do: lower case without regard to context, and
/// one small sigma.
pub(super) fn fold(text: &str) -> String {
    text.chars().flat_map(fold_char).collect()
}

fn fold_char(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c })
}

/// Text of every subtree of one document.
pub(super) struct TextIndex {
    raw: String,
    normal: String,
    folded: String,
    /// `at[n]`: lengths of the three texts before node `n`; one more at the end.
    at: Vec<[u32; 3]>,
}

/// A range of nodes whose text counts as one: an element's subtree, or the
/// shadow tree of an element.
pub(super) type Span = (u32, u32);

/// Elements that text queries do not see.
pub(super) fn is_textless(document: &Document, node: NodeId) -> bool {
    matches!(document.tag(node), "SCRIPT" | "NOSCRIPT" | "STYLE") || is_head(document, node)
}

fn is_head(document: &Document, node: NodeId) -> bool {
    document.tag(node) == "HEAD"
        && document.light_parent(node) == document.document_element()
        && document.is_html(node)
}

/// INPUT elements whose value is their text.
fn button_value(document: &Document, node: NodeId) -> Option<&str> {
    if document.tag(node) != "INPUT"
        || !matches!(document.input_type(node), "submit" | "button" | "reset")
    {
        return None;
    }
    document
        .form_value(node)
        .or_else(|| document.attr(node, "value"))
}

impl TextIndex {
    pub(super) fn new(document: &Document) -> Self {
        let mut index = TextIndex {
            raw: String::new(),
            normal: String::new(),
            folded: String::new(),
            at: Vec::with_capacity(document.len() + 1),
        };
        let mut gap = false;
        let mut skip_until = NodeId(0);
        for node in document.nodes() {
            index.at.push(index.lengths());
            if node < skip_until {
                continue;
            }
            let closed = document
                .host(node)
                .is_some_and(|host| document.shadow_kind(host) != Some(ShadowKind::Open));
            if closed || (document.is_element(node) && is_textless(document, node)) {
                skip_until = document.subtree_end(node);
            } else if document.is_text(node) {
                index.push(document.value(node), &mut gap);
            } else if let Some(value) = button_value(document, node) {
                index.push(value, &mut gap);
            } else if !document.is_element(node) && document.node_type(node) != 9 {
                // Comments, pseudo elements, fragments.
                skip_until = document.subtree_end(node);
            }
        }
        index.at.push(index.lengths());
        index
    }

    fn lengths(&self) -> [u32; 3] {
        // A snapshot message is far smaller than 4 GiB.
        [&self.raw, &self.normal, &self.folded].map(|text| text.len() as u32)
    }

    fn push(&mut self, text: &str, gap: &mut bool) {
        self.raw.push_str(text);
        for c in text.chars() {
            if matches!(c, '\u{200B}' | '\u{AD}') {
                continue;
            }
            if is_js_space(c) {
                *gap = true;
                continue;
            }
            if std::mem::take(gap) && !self.normal.is_empty() {
                self.normal.push(' ');
                self.folded.push(' ');
            }
            self.normal.push(c);
            self.folded.extend(fold_char(c));
        }
    }

    fn slice(&self, span: Span, form: usize) -> &str {
        let text = [&self.raw, &self.normal, &self.folded][form];
        let (start, end) = self.range(span, form);
        text.get(start..end).unwrap_or("")
    }

    fn range(&self, (start, end): Span, form: usize) -> (usize, usize) {
        let at = |node: u32| {
            self.at
                .get(node as usize)
                .map_or(0, |lengths| lengths[form] as usize)
        };
        (at(start), at(end))
    }

    /// Text as it stands in the page.
    pub(super) fn raw(&self, span: Span) -> &str {
        self.slice(span, 0)
    }

    /// Text with white space normalised.
    pub(super) fn normalized(&self, span: Span) -> &str {
        // A gap before the element's first character belongs to its text.
        self.slice(span, 1).trim_start_matches(' ')
    }
}

/// The span of an element.
pub(super) fn span(document: &Document, node: NodeId) -> Span {
    (node.0, document.subtree_end(node).0)
}

/// How an element relates to a text query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextMatch {
    None,
    /// The element matches and none of its child elements does.
    Itself,
    AlsoChildren,
}

/// A text pattern prepared for one document.
pub(super) struct TextMatcher<'t> {
    index: &'t TextIndex,
    test: Test<'t>,
    read: Cell<usize>,
}

enum Test<'t> {
    /// The folded needle and its starts in the folded text, in order.
    Contains(String, Vec<u32>),
    Equals(String),
    NodeEquals(String),
    Regex(&'t JsRegex, RefCell<HashMap<(usize, usize), bool>>),
}

impl<'t> TextMatcher<'t> {
    pub(super) fn new(index: &'t TextIndex, pattern: &'t TextPattern) -> Self {
        Self::with(
            index,
            match pattern {
                TextPattern::Contains(text) => Self::contains_test(index, text),
                TextPattern::Equals(text) => Test::Equals(normalize_white_space(text).into_owned()),
                TextPattern::Regex(regex) => Test::Regex(regex, RefCell::default()),
            },
        )
    }

    pub(super) fn legacy(index: &'t TextIndex, pattern: &'t LegacyText) -> Self {
        match pattern {
            LegacyText::Contains(text) => Self::contains(index, text),
            LegacyText::NodeEquals(text) => Self::node_equals(index, text),
            LegacyText::Regex(regex) => Self::regex(index, regex),
        }
    }

    pub(super) fn contains(index: &'t TextIndex, text: &str) -> Self {
        Self::with(index, Self::contains_test(index, text))
    }

    pub(super) fn node_equals(index: &'t TextIndex, text: &str) -> Self {
        Self::with(
            index,
            Test::NodeEquals(normalize_white_space(text).into_owned()),
        )
    }

    pub(super) fn regex(index: &'t TextIndex, regex: &'t JsRegex) -> Self {
        Self::with(index, Test::Regex(regex, RefCell::default()))
    }

    fn with(index: &'t TextIndex, test: Test<'t>) -> Self {
        Self {
            index,
            test,
            read: Cell::new(0),
        }
    }

    fn contains_test(index: &TextIndex, text: &str) -> Test<'t> {
        let needle = fold(&normalize_white_space(text));
        let mut starts = Vec::new();
        let mut from = 0;
        while let Some(found) = index.folded[from..]
            .find(&needle)
            .filter(|_| !needle.is_empty())
        {
            // Lengths fit, see `lengths`.
            starts.push((from + found) as u32);
            let first = index.folded[from + found..].chars().next();
            from += found + first.map_or(1, char::len_utf8);
        }
        Test::Contains(needle, starts)
    }

    /// Whether the text of `span` matches. `own` is the element whose own text
    /// nodes count for the oldest kind of exact match.
    pub(super) fn matches(&self, document: &Document, span: Span, own: Option<NodeId>) -> bool {
        match &self.test {
            Test::Contains(needle, starts) => {
                let (start, end) = self.index.range(span, 2);
                let first = starts.partition_point(|&at| (at as usize) < start);
                let found = starts.get(first);
                needle.is_empty() || found.is_some_and(|&at| at as usize + needle.len() <= end)
            }
            Test::Equals(text) => self.index.normalized(span) == text,
            Test::NodeEquals(text) => own.is_some_and(|node| has_own_text(document, node, text)),
            Test::Regex(regex, seen) => {
                let range = self.index.range(span, 0);
                *seen.borrow_mut().entry(range).or_insert_with(|| {
                    let raw = self.index.raw(span);
                    self.read.set(self.read.get().saturating_add(raw.len()));
                    self.read.get() <= REGEX_BUDGET && regex.is_match(raw)
                })
            }
        }
    }

    /// Whether single text nodes are compared, so that an element may match
    /// beside its children.
    pub(super) fn counts_nodes(&self) -> bool {
        matches!(self.test, Test::NodeEquals(_))
    }

    /// Whether answers stopped being true because the page is too large.
    pub(super) fn gave_up(&self) -> bool {
        self.read.get() > REGEX_BUDGET
    }

    /// Whether `text`, which is not the text of an element, matches.
    pub(super) fn matches_text(&self, text: &str) -> bool {
        match &self.test {
            Test::Regex(regex, _) => regex.is_match(text),
            Test::Equals(wanted) | Test::NodeEquals(wanted) => {
                normalize_white_space(text) == wanted.as_str()
            }
            Test::Contains(needle, _) => fold(&normalize_white_space(text)).contains(needle),
        }
    }

    /// How `node` relates to the query.
    pub(super) fn element(&self, document: &Document, node: NodeId) -> TextMatch {
        if is_textless(document, node) || !self.matches(document, span(document, node), Some(node))
        {
            return TextMatch::None;
        }
        let child_matches = document
            .element_children(node)
            .any(|child| self.matches(document, span(document, child), Some(child)));
        let shadow_matches = document.shadow_kind(node) == Some(ShadowKind::Open)
            && document.shadow_children(node).first().is_some_and(|first| {
                self.matches(document, (first.0, document.subtree_end(node).0), None)
            });
        if child_matches || shadow_matches {
            TextMatch::AlsoChildren
        } else {
            TextMatch::Itself
        }
    }
}

/// Whether some run of the element's own text nodes is `text`. An empty text
/// asks for an element without own text.
fn has_own_text(document: &Document, node: NodeId, text: &str) -> bool {
    if let Some(value) = button_value(document, node) {
        return normalize_white_space(value) == text;
    }
    let mut run = String::new();
    let mut runs = 0;
    for &child in document.light_children(node) {
        if document.is_text(child) {
            run.push_str(document.value(child));
        } else if document.is_element(child) && !run.is_empty() {
            runs += 1;
            if normalize_white_space(&run) == text {
                return true;
            }
            run.clear();
        }
    }
    if !run.is_empty() {
        runs += 1;
    }
    (!run.is_empty() && normalize_white_space(&run) == text) || (text.is_empty() && runs == 0)
}
