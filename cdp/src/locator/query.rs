//! Running a [`Selector`] over a [`Document`].

use std::cell::OnceCell;
use std::collections::HashSet;

use super::LocatorError;
use super::css::CssQuery;
use super::labels::labels_of;
use super::order::Order;
use super::role::RoleIndex;
use super::selector::{Part, Selector, TextPattern};
use super::text::{TextIndex, TextMatch, TextMatcher, fold, span};
use super::xpath;
use crate::dom::{Document, NodeId, ScopeId};

/// Elements that a filter by inner locator may look at.
const MAX_VISITS: usize = 20_000_000;

/// Finds the element that an `aria-ref=` part names.
pub type ResolveRef<'d> = dyn Fn(&str) -> Option<NodeId> + 'd;

/// Queries over one document.
///
/// Indexes (texts, roles, names, positions) are built when first needed and kept,
/// so one engine should serve all queries on a captured document: existence
/// check, strictness report and code generation together.
pub struct Engine<'d> {
    document: &'d Document,
    order: Order,
    focused: Option<NodeId>,
    resolve_ref: Option<Box<ResolveRef<'d>>>,
    text: OnceCell<TextIndex>,
    roles: RoleIndex<'d>,
}

impl<'d> Engine<'d> {
    /// An engine for `document`, in which nothing has the focus.
    pub fn new(document: &'d Document) -> Self {
        Self {
            document,
            order: Order::new(document),
            focused: None,
            resolve_ref: None,
            text: OnceCell::new(),
            roles: RoleIndex::new(document),
        }
    }

    /// Tells which element `:focus` is about.
    #[must_use]
    pub fn with_focus(mut self, focused: Option<NodeId>) -> Self {
        self.focused = focused;
        self
    }

    /// Tells what `aria-ref=` means. Without it, such parts find nothing.
    #[must_use]
    pub fn with_refs(mut self, resolve: impl Fn(&str) -> Option<NodeId> + 'd) -> Self {
        self.resolve_ref = Some(Box::new(resolve));
        self
    }

    /// The document that is queried.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    pub(super) fn order(&self) -> &Order {
        &self.order
    }

    pub(super) fn focused(&self) -> Option<NodeId> {
        self.focused
    }

    pub(super) fn text(&self) -> &TextIndex {
        self.text.get_or_init(|| TextIndex::new(self.document))
    }

    pub(super) fn roles(&self) -> &RoleIndex<'d> {
        &self.roles
    }

    /// Elements that `selector` finds below `scope` (in the whole document, if
    /// none), each once, in the order upstream gives: document order, except
    /// where a part orders otherwise (nearest first for layout relations).
    ///
    /// Shadow trees count as part of the page unless they are closed.
    ///
    /// # Errors
    /// Frame hops must have been resolved before, see
    /// [`Selector::split_frames`]; XPath errors and exhausted budgets.
    pub fn query_all(
        &self,
        selector: &Selector,
        scope: Option<NodeId>,
    ) -> Result<Vec<NodeId>, LocatorError> {
        // None stands for the document, the root of most queries.
        let mut found: Found = match scope {
            Some(scope) => Found::Elements(vec![scope]),
            None => Found::Document,
        };
        for part in &selector.parts {
            found = Found::Elements(self.part(part, &found, scope)?);
        }
        Ok(match found {
            Found::Elements(elements) => elements,
            Found::Document => Vec::new(),
        })
    }

    fn part(
        &self,
        part: &Part,
        found: &Found,
        scope: Option<NodeId>,
    ) -> Result<Vec<NodeId>, LocatorError> {
        let elements = match found {
            Found::Document => &[][..],
            Found::Elements(elements) => elements,
        };
        match part {
            Part::Nth(index) => {
                let index = match index {
                    -1 => elements.len().checked_sub(1),
                    other => usize::try_from(*other).ok(),
                };
                Ok(index
                    .and_then(|index| elements.get(index))
                    .copied()
                    .into_iter()
                    .collect())
            }
            Part::And(inner) => {
                let also: HashSet<NodeId> = self.query_all(inner, scope)?.into_iter().collect();
                Ok(elements
                    .iter()
                    .copied()
                    .filter(|node| also.contains(node))
                    .collect())
            }
            Part::Or(inner) => {
                let mut all = self.query_all(inner, scope)?;
                all.extend(elements);
                all.sort_unstable();
                all.dedup();
                Ok(all)
            }
            Part::Describe(_) => Ok(elements.to_vec()),
            Part::EnterFrame => Err(LocatorError::Syntax(
                "The selector leads into a frame, which has a document of its own".into(),
            )),
            Part::Visible(_)
            | Part::HasText(_)
            | Part::HasNotText(_)
            | Part::Has(_)
            | Part::HasNot(_) => self.keep(part, elements),
            _ => self.search(part, found),
        }
    }

    /// Parts that keep some of the elements.
    fn keep(&self, part: &Part, elements: &[NodeId]) -> Result<Vec<NodeId>, LocatorError> {
        match part {
            Part::Visible(wanted) => Ok(filtered(elements, |node| {
                self.document.is_box_visible(node) == *wanted
            })),
            Part::HasText(pattern) => self.with_text(elements, pattern, true),
            Part::HasNotText(pattern) => self.with_text(elements, pattern, false),
            Part::Has(inner) => self.with_inner(elements, inner, true),
            Part::HasNot(inner) => self.with_inner(elements, inner, false),
            _ => Ok(elements.to_vec()),
        }
    }

    fn with_text(
        &self,
        elements: &[NodeId],
        pattern: &TextPattern,
        wanted: bool,
    ) -> Result<Vec<NodeId>, LocatorError> {
        let matcher = TextMatcher::new(self.text(), pattern);
        let document = self.document;
        let found = filtered(elements, |node| {
            matcher.matches(document, span(document, node), Some(node)) == wanted
        });
        checked(&matcher, found)
    }

    fn with_inner(
        &self,
        elements: &[NodeId],
        inner: &Selector,
        wanted: bool,
    ) -> Result<Vec<NodeId>, LocatorError> {
        // What is found nowhere is found below none of the elements. Only
        // selectors of plain steps downwards may be asked that way.
        if inner.parts.iter().all(Part::searches_downwards) {
            let mut everywhere = self.query_all(inner, None)?;
            everywhere.sort_unstable();
            if everywhere.is_empty() {
                return Ok(if wanted {
                    Vec::new()
                } else {
                    elements.to_vec()
                });
            }
            if inner.parts.len() == 1 && inner.parts.iter().all(Part::ignores_scope) {
                return Ok(filtered(elements, |node| {
                    let next = everywhere.partition_point(|&found| found <= node);
                    let end = self.document.subtree_end(node);
                    everywhere.get(next).is_some_and(|&found| found < end) == wanted
                }));
            }
        }
        let mut budget = MAX_VISITS;
        let mut kept = Vec::new();
        for &node in elements {
            let size = self.document.subtree_end(node).0 - node.0;
            budget = budget
                .checked_sub(size as usize * inner.parts.len())
                .ok_or(LocatorError::Budget("too many elements to look into"))?;
            if self.query_all(inner, Some(node))?.is_empty() != wanted {
                kept.push(node);
            }
        }
        Ok(kept)
    }

    /// Parts that look below each element (or in the document).
    fn search(&self, part: &Part, found: &Found) -> Result<Vec<NodeId>, LocatorError> {
        let roots: Vec<Option<NodeId>> = match found {
            Found::Document => vec![None],
            Found::Elements(elements) => elements.iter().copied().map(Some).collect(),
        };
        let once = part.finds_less_below();
        let in_order = roots.is_sorted();
        let mut covered = NodeId(0);
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for root in roots {
            if let Some(root) = root
                && once
                && in_order
            {
                // An outer root has found everything already.
                if root < covered {
                    continue;
                }
                covered = self.document.subtree_end(root);
            }
            let mut budget_left = 2_000_000usize.saturating_sub(seen.len());
            let mut found = self.search_below(part, root)?;
            if part.finds_as_met() {
                self.order.sort_as_found(&mut found);
            }
            for node in found {
                budget_left = budget_left
                    .checked_sub(1)
                    .ok_or(LocatorError::Budget("too many elements found"))?;
                if seen.insert(node) {
                    all.push(node);
                }
            }
        }
        Ok(all)
    }

    fn search_below(&self, part: &Part, root: Option<NodeId>) -> Result<Vec<NodeId>, LocatorError> {
        let document = self.document;
        let below = || self.order.below(document, root).iter().copied();
        match part {
            Part::Css { list, .. } => CssQuery::select(self, list, root),
            Part::XPath(xpath) => xpath::select(xpath, document, root),
            Part::LegacyAttribute { engine, value } => {
                let (name, light) = match engine.strip_suffix(":light") {
                    Some(name) => (name, true),
                    None => (engine.as_str(), false),
                };
                let tree = root.map_or(ScopeId(0), |root| document.scope(root));
                Ok(below()
                    .filter(|&node| !light || document.scope(node) == tree)
                    .filter(|&node| document.attr(node, name) == Some(value))
                    .collect())
            }
            Part::LegacyText { pattern, .. } => {
                let matcher = TextMatcher::legacy(self.text(), pattern);
                let strict = matcher.counts_nodes();
                let found = root
                    .into_iter()
                    .chain(below())
                    .filter(|&node| match matcher.element(document, node) {
                        TextMatch::Itself => true,
                        TextMatch::AlsoChildren => strict,
                        TextMatch::None => false,
                    })
                    .collect();
                checked(&matcher, found)
            }
            Part::Text(pattern) => {
                let matcher = TextMatcher::new(self.text(), pattern);
                let found = root
                    .into_iter()
                    .chain(below())
                    .filter(|&node| matcher.element(document, node) == TextMatch::Itself)
                    .collect();
                checked(&matcher, found)
            }
            Part::Label(pattern) => {
                let matcher = TextMatcher::new(self.text(), pattern);
                let found = below()
                    .filter(|&node| {
                        let labels = labels_of(document, node);
                        labels.iter().any(|label| label.matches(&matcher, document))
                    })
                    .collect();
                checked(&matcher, found)
            }
            Part::Role(query) => Ok(self.roles.select(self, query, true, below())),
            Part::LegacyRole { query, .. } => Ok(self.roles.select(self, query, false, below())),
            Part::TestId { attributes, value } => {
                let test = AttributeMatcher::new(value);
                Ok(below()
                    .filter(|&node| {
                        let own = attributes
                            .iter()
                            .filter_map(|name| document.attr(node, name));
                        own.into_iter().any(|own| test.matches(own))
                    })
                    .collect())
            }
            Part::Attribute { name, value } => {
                let test = AttributeMatcher::new(value);
                Ok(below()
                    .filter(|&node| {
                        document
                            .attr(node, name)
                            .is_some_and(|own| test.matches(own))
                    })
                    .collect())
            }
            Part::Chain(inner) => self.query_all(inner, root),
            Part::AriaRef(text) => {
                let node = self.resolve_ref.as_ref().and_then(|resolve| resolve(text));
                Ok(node.into_iter().collect())
            }
            // Handled before the search.
            _ => Ok(Vec::new()),
        }
    }
}

/// What the parts so far have led to.
enum Found {
    Document,
    Elements(Vec<NodeId>),
}

fn filtered(elements: &[NodeId], keep: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    elements
        .iter()
        .copied()
        .filter(|&node| keep(node))
        .collect()
}

fn checked(matcher: &TextMatcher<'_>, found: Vec<NodeId>) -> Result<Vec<NodeId>, LocatorError> {
    if matcher.gave_up() {
        return Err(LocatorError::Budget(
            "the page has too much text for this expression",
        ));
    }
    Ok(found)
}

/// Attribute values are compared as they are, without white space rules.
struct AttributeMatcher<'s> {
    pattern: &'s TextPattern,
    folded: String,
}

impl<'s> AttributeMatcher<'s> {
    fn new(pattern: &'s TextPattern) -> Self {
        let folded = match pattern {
            TextPattern::Contains(text) => fold(text),
            _ => String::new(),
        };
        Self { pattern, folded }
    }

    fn matches(&self, value: &str) -> bool {
        match self.pattern {
            TextPattern::Contains(_) => fold(value).contains(&self.folded),
            TextPattern::Equals(text) => value == text,
            TextPattern::Regex(regex) => regex.is_match(value),
        }
    }
}

impl Part {
    /// A search whose result below an element is part of the result below any
    /// of its ancestors.
    fn finds_less_below(&self) -> bool {
        match self {
            Part::Css { list, .. } => !list.looks_outside(),
            Part::LegacyAttribute { engine, .. } => !engine.ends_with(":light"),
            Part::LegacyText { .. }
            | Part::Text(_)
            | Part::Label(_)
            | Part::Role(_)
            | Part::LegacyRole { .. }
            | Part::TestId { .. }
            | Part::Attribute { .. }
            | Part::AriaRef(_) => true,
            _ => false,
        }
    }

    /// A search that visits shadow trees after the tree of their hosts, rather
    /// than in document order.
    fn finds_as_met(&self) -> bool {
        match self {
            Part::Css { list, .. } => list.is_single(),
            Part::XPath(_) | Part::Chain(_) => false,
            _ => true,
        }
    }

    /// As [`Part::finds_less_below`], or a filter of such a search.
    fn searches_downwards(&self) -> bool {
        let filters = matches!(
            self,
            Part::HasText(_) | Part::HasNotText(_) | Part::Visible(_) | Part::Describe(_)
        );
        filters || (self.finds_less_below() && !matches!(self, Part::AriaRef(_)))
    }

    /// The search below an element is the search in the document, cut to what
    /// is below the element. (Texts may also be the element's own.)
    fn ignores_scope(&self) -> bool {
        match self {
            Part::Css { list, .. } => list.is_plain(),
            Part::Label(_)
            | Part::Role(_)
            | Part::LegacyRole { .. }
            | Part::TestId { .. }
            | Part::Attribute { .. } => true,
            _ => false,
        }
    }
}
