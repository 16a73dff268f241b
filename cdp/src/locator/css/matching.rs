//! Finding the elements that selectors match.
//!
//! A list is evaluated left to right over the whole queried subtree: the set of
//! elements that match the first compound, then those related to it that match
//! the second, and so on. Each step is one pass in document order, so the cost
//! is the number of elements times the number of compounds, whatever the shape
//! of page and selector.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::{
    Combinator, Complex, Compound, Nth, PseudoClass, SelectorList, Simple, State, attribute, state,
};
use crate::dom::{Document, NodeId, ScopeId};
use crate::locator::LocatorError;
use crate::locator::query::Engine;
use crate::locator::text::{TextMatch, TextMatcher, is_textless, span};

/// Elements that one query may look at.
const BUDGET: usize = 5_000_000;

/// Where selectors apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Scope {
    /// Elements below this one, or of the whole document.
    pub root: Option<NodeId>,
    /// What `:scope` means; the root element if none.
    pub origin: Option<NodeId>,
    /// Only elements of the same tree as `root`: no look into shadow trees.
    pub light: bool,
}

/// A set of elements with numbers from `start`.
pub(super) struct NodeSet {
    start: u32,
    bits: Vec<bool>,
}

impl NodeSet {
    fn empty(start: NodeId, end: NodeId) -> Self {
        let length = end.0.saturating_sub(start.0) as usize;
        Self {
            start: start.0,
            bits: vec![false; length],
        }
    }

    fn has(&self, node: NodeId) -> bool {
        let index = node.0.checked_sub(self.start);
        index.is_some_and(|index| self.bits.get(index as usize).copied().unwrap_or(false))
    }

    fn insert(&mut self, node: NodeId) {
        if let Some(bit) = node
            .0
            .checked_sub(self.start)
            .and_then(|index| self.bits.get_mut(index as usize))
        {
            *bit = true;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        let set = self.bits.iter().zip(self.start..).filter(|(bit, _)| **bit);
        set.map(|(_, number)| NodeId(number))
    }
}

/// Identity of a part of the selector, valid while the query borrows it.
pub(super) type Key<T> = (*const T, Scope);

/// Position among some siblings, and their number.
type Positions = HashMap<NodeId, (u32, u32)>;

/// One evaluation of a selector list.
pub(in crate::locator) struct CssQuery<'e, 'd, 's> {
    pub(super) engine: &'e Engine<'d>,
    pub(super) document: &'d Document,
    sets: RefCell<HashMap<Key<SelectorList>, Rc<NodeSet>>>,
    positions: RefCell<HashMap<Key<Nth>, Rc<Positions>>>,
    pub(super) compounds: RefCell<HashMap<Key<Compound>, Rc<Vec<NodeId>>>>,
    texts: RefCell<HashMap<*const PseudoClass, Rc<TextMatcher<'e>>>>,
    scores: RefCell<HashMap<NodeId, f64>>,
    spent: Cell<usize>,
    selector: std::marker::PhantomData<&'s SelectorList>,
}

impl<'e, 'd, 's> CssQuery<'e, 'd, 's>
where
    's: 'e,
{
    /// Elements below `root` (all, if none) that match `list`, in document
    /// order; with layout pseudo-classes the nearest come first.
    pub(in crate::locator) fn select(
        engine: &'e Engine<'d>,
        list: &'s SelectorList,
        root: Option<NodeId>,
    ) -> Result<Vec<NodeId>, LocatorError> {
        let query = CssQuery {
            engine,
            document: engine.document(),
            sets: RefCell::default(),
            positions: RefCell::default(),
            compounds: RefCell::default(),
            texts: RefCell::default(),
            scores: RefCell::default(),
            spent: Cell::new(0),
            selector: std::marker::PhantomData,
        };
        let found = query.elements(
            list,
            Scope {
                root,
                origin: root,
                light: false,
            },
        );
        if query.exhausted() || query.texts.borrow().values().any(|text| text.gave_up()) {
            return Err(LocatorError::Budget(
                "the selector looks at too many elements",
            ));
        }
        Ok(found)
    }

    pub(super) fn exhausted(&self) -> bool {
        self.spent.get() > BUDGET
    }

    pub(super) fn spend(&self) {
        self.spent.set(self.spent.get() + 1);
    }

    /// With `:scope` in it, a selector may also name siblings of the scope.
    fn widened(&self, list: &SelectorList, scope: Scope) -> Scope {
        let parent = scope
            .root
            .and_then(|root| self.document.parent_or_host(root));
        match parent {
            Some(parent) if list.mentions_scope() => Scope {
                root: Some(parent),
                ..scope
            },
            _ => scope,
        }
    }

    fn elements(&self, list: &'s SelectorList, scope: Scope) -> Vec<NodeId> {
        let scope = self.widened(list, scope);
        let set = self.set(list, scope);
        let mut found: Vec<NodeId> = set
            .iter()
            .filter(|node| Some(*node) != scope.root)
            .collect();
        let scores = self.scores.borrow();
        if !scores.is_empty() {
            let score = |node: &NodeId| scores.get(node).copied().unwrap_or(f64::INFINITY);
            found.sort_by(|a, b| score(a).total_cmp(&score(b)));
        }
        found
    }

    /// The members of `list` in `scope`, its root included.
    fn set(&self, list: &'s SelectorList, scope: Scope) -> Rc<NodeSet> {
        let key: Key<SelectorList> = (list, scope);
        if let Some(set) = self.sets.borrow().get(&key) {
            return Rc::clone(set);
        }
        let mut all = self.empty_set(scope);
        for complex in &list.0 {
            self.complex(complex, scope)
                .iter()
                .for_each(|node| all.insert(node));
        }
        let all = Rc::new(all);
        self.sets.borrow_mut().insert(key, Rc::clone(&all));
        all
    }

    fn empty_set(&self, scope: Scope) -> NodeSet {
        match scope.root {
            Some(root) => NodeSet::empty(root, self.document.subtree_end(root)),
            None => NodeSet::empty(NodeId(0), NodeId(self.document.len() as u32)),
        }
    }

    /// Elements of the scope, its root included, in document order.
    pub(super) fn universe(&self, scope: Scope) -> impl Iterator<Item = NodeId> + '_ {
        let document = self.document;
        let tree = scope.root.map_or(ScopeId(0), |root| document.scope(root));
        let below = self.engine.order().below(document, scope.root);
        scope
            .root
            .into_iter()
            .filter(|&root| document.is_element(root))
            .chain(below.iter().copied())
            .filter(move |&node| !scope.light || document.scope(node) == tree)
            .take_while(|_| {
                self.spend();
                !self.exhausted()
            })
    }

    pub(super) fn complex(&self, complex: &'s Complex, scope: Scope) -> NodeSet {
        let mut set = self.empty_set(scope);
        let Some((first, rest)) = complex.compounds.split_first() else {
            return set;
        };
        for node in self.universe(scope) {
            if self.compound(first, node, scope) {
                set.insert(node);
            }
        }
        for (combinator, compound) in complex.combinators.iter().zip(rest) {
            set = self.related(&set, *combinator, compound, scope);
        }
        set
    }

    /// Elements that stand in relation `combinator` to one of `left`.
    fn related(
        &self,
        left: &NodeSet,
        combinator: Combinator,
        compound: &'s Compound,
        scope: Scope,
    ) -> NodeSet {
        let document = self.document;
        let order = self.engine.order();
        let mut found = self.empty_set(scope);
        // Below a member of `left` as long as node < covered.
        let mut covered = NodeId(0);
        let mut later = self.empty_set(scope);
        for node in self.universe(scope) {
            let is_root = Some(node) == scope.root;
            let related = match combinator {
                Combinator::Descendant => {
                    let below = node < covered;
                    if left.has(node) {
                        covered = covered.max(document.subtree_end(node));
                    }
                    below
                }
                Combinator::Child => {
                    !is_root
                        && document
                            .parent_or_host(node)
                            .is_some_and(|parent| left.has(parent))
                }
                Combinator::NextSibling => {
                    !is_root && order.previous(node).is_some_and(|before| left.has(before))
                }
                Combinator::LaterSibling => {
                    let follows = !is_root
                        && order
                            .previous(node)
                            .is_some_and(|before| left.has(before) || later.has(before));
                    if follows {
                        later.insert(node);
                    }
                    follows
                }
            };
            if related && self.compound(compound, node, scope) {
                found.insert(node);
            }
        }
        found
    }

    pub(super) fn compound(&self, compound: &'s Compound, node: NodeId, scope: Scope) -> bool {
        compound
            .0
            .iter()
            .all(|simple| self.simple(simple, node, scope))
    }

    /// Whether `node` is in `list`, for lists inside pseudo-classes.
    fn is_member(&self, list: &'s SelectorList, node: NodeId, scope: Scope) -> bool {
        let plain = list.0.iter().all(|complex| complex.compounds.len() == 1);
        if plain {
            return list.0.iter().any(|complex| {
                complex
                    .compounds
                    .iter()
                    .all(|c| self.compound(c, node, scope))
            });
        }
        self.set(list, scope).has(node)
    }

    fn simple(&self, simple: &'s Simple, node: NodeId, scope: Scope) -> bool {
        let document = self.document;
        match simple {
            Simple::Universal => true,
            Simple::Type(name) => {
                let own = document.node_name(node);
                name.eq_ignore_ascii_case(own)
            }
            Simple::Id(id) => document.attr(node, "id") == Some(id),
            Simple::Class(class) => document
                .attr(node, "class")
                .is_some_and(|list| list.split_ascii_whitespace().any(|own| own == class)),
            Simple::Attribute(selector) => attribute::holds(document, selector, node),
            Simple::Pseudo(pseudo) => self.pseudo(pseudo, node, scope),
        }
    }

    fn pseudo(&self, pseudo: &'s PseudoClass, node: NodeId, scope: Scope) -> bool {
        let document = self.document;
        match pseudo {
            PseudoClass::Root => document.document_element() == Some(node),
            PseudoClass::Scope => match scope.origin {
                Some(origin) => node == origin,
                None => document.document_element() == Some(node),
            },
            PseudoClass::Empty => document.light_children(node).iter().all(|&child| {
                let text = document.is_text(child) && !document.value(child).is_empty();
                !text && !document.is_element(child)
            }),
            PseudoClass::Nth(nth) => self.nth(nth, node, scope),
            PseudoClass::Only { of_type } => self.engine.order().position(node, *of_type).1 == 1,
            PseudoClass::Not(list) => !self.is_member(list, node, scope),
            PseudoClass::Is(list) => self.is_member(list, node, scope),
            PseudoClass::Light(list) => {
                let light = Scope {
                    light: true,
                    ..scope
                };
                let tree = scope.root.map_or(ScopeId(0), |root| document.scope(root));
                document.scope(node) == tree && self.is_member(list, node, light)
            }
            PseudoClass::Has(list) => self.has(list, node, scope),
            PseudoClass::NthMatch(list, index) => {
                let set = self.set(list, scope);
                set.has(node)
                    && set.iter().filter(|n| Some(*n) != scope.root).nth(index - 1) == Some(node)
            }
            PseudoClass::Layout(layout, list, distance) => {
                let inner = self.set(list, scope);
                let others = inner.iter().filter(|n| Some(*n) != scope.root);
                let others = others.inspect(|_| self.spend());
                match layout.score(document, node, others, *distance) {
                    Some(score) => {
                        self.scores.borrow_mut().insert(node, score);
                        true
                    }
                    None => false,
                }
            }
            PseudoClass::Visible => document.is_box_visible(node),
            PseudoClass::Text(_) => {
                self.matcher(pseudo).element(document, node) == TextMatch::Itself
            }
            PseudoClass::TextIs(_) => {
                self.matcher(pseudo).element(document, node) != TextMatch::None
            }
            PseudoClass::TextMatches(_) => {
                self.matcher(pseudo).element(document, node) == TextMatch::Itself
            }
            PseudoClass::HasText(_) => {
                !is_textless(document, node)
                    && self
                        .matcher(pseudo)
                        .matches(document, span(document, node), Some(node))
            }
            PseudoClass::State(state) => self.state(*state, node),
            PseudoClass::Lang(wanted) => state::has_lang(document, node, wanted),
        }
    }

    fn matcher(&self, pseudo: &'s PseudoClass) -> Rc<TextMatcher<'e>> {
        let key: *const PseudoClass = pseudo;
        if let Some(matcher) = self.texts.borrow().get(&key) {
            return Rc::clone(matcher);
        }
        let index = self.engine.text();
        let matcher = Rc::new(match pseudo {
            PseudoClass::TextIs(text) => TextMatcher::node_equals(index, text),
            PseudoClass::TextMatches(regex) => TextMatcher::regex(index, regex),
            PseudoClass::Text(text) | PseudoClass::HasText(text) => {
                TextMatcher::contains(index, text)
            }
            // Only text pseudo-classes come here.
            _ => TextMatcher::contains(index, ""),
        });
        self.texts.borrow_mut().insert(key, Rc::clone(&matcher));
        matcher
    }

    fn nth(&self, nth: &'s Nth, node: NodeId, scope: Scope) -> bool {
        let (position, count) = match &nth.of {
            None => self.engine.order().position(node, nth.of_type),
            Some(list) => match self.positions_of(nth, list, scope).get(&node) {
                Some(&found) => found,
                None => return false,
            },
        };
        let index = i64::from(if nth.from_end {
            count - position + 1
        } else {
            position
        });
        let distance = index - nth.offset;
        match nth.step {
            0 => distance == 0,
            step => distance % step == 0 && distance / step >= 0,
        }
    }

    /// Positions among those siblings that are in `list`.
    fn positions_of(&self, nth: &'s Nth, list: &'s SelectorList, scope: Scope) -> Rc<Positions> {
        let key: Key<Nth> = (nth, scope);
        if let Some(found) = self.positions.borrow().get(&key) {
            return Rc::clone(found);
        }
        let document = self.document;
        let family = |node| (document.parent_or_host(node), document.scope(node));
        let mut counts: HashMap<_, u32> = HashMap::new();
        let mut positions = HashMap::new();
        for node in self.universe(scope) {
            if self.is_member(list, node, scope) {
                let count = counts.entry(family(node)).or_default();
                *count += 1;
                positions.insert(node, (*count, 0));
            }
        }
        for (node, (_, count)) in &mut positions {
            *count = counts.get(&family(*node)).copied().unwrap_or(0);
        }
        let positions = Rc::new(positions);
        self.positions
            .borrow_mut()
            .insert(key, Rc::clone(&positions));
        positions
    }

    fn state(&self, state: State, node: NodeId) -> bool {
        match state {
            State::Focus => self.engine.focused() == Some(node),
            State::FocusWithin => self
                .engine
                .focused()
                .is_some_and(|focused| self.document.is_inclusive_descendant(focused, node)),
            other => state::holds(self.document, other, node),
        }
    }
}
