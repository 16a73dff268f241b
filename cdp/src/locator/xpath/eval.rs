//! Evaluation over the light tree of a document.

use std::cell::Cell;
use std::collections::HashSet;

use super::functions;
use super::value::{Item, Value};
use super::{Axis, Expr, NodeTest, Start, Step, XPath};
use crate::dom::{Document, Namespace, NodeId};
use crate::locator::LocatorError;

/// Nodes visited and characters read that one query may take. Absurd
/// expressions on huge pages end here instead of hanging the server.
const BUDGET: usize = 30_000_000;

/// Elements selected by `xpath` below `scope` (the document if none), in
/// document order.
///
/// # Errors
/// [`LocatorError::XPath`] when the expression gives no nodes or misuses a
/// function, [`LocatorError::Budget`] when it takes too long.
pub(in crate::locator) fn select(
    xpath: &XPath,
    document: &Document,
    scope: Option<NodeId>,
) -> Result<Vec<NodeId>, LocatorError> {
    let expression = match (&xpath.relative, scope) {
        (Some(relative), Some(_)) => relative,
        _ => &xpath.expression,
    };
    let evaluator = Evaluator {
        document,
        source: xpath.source(),
        spent: Cell::new(0),
        root_children: root_children(document),
    };
    let context = Context {
        item: scope.map_or(Item::Root, Item::node),
        position: 1,
        size: 1,
    };
    match evaluator.evaluate(expression, &context)? {
        Value::Nodes(items) => Ok(items
            .into_iter()
            .filter_map(|item| match item {
                Item::Node(node, None) if document.is_element(node) => Some(node),
                _ => None,
            })
            .collect()),
        _ => Err(evaluator.error("the expression gives no nodes")),
    }
}

/// Children of the document node, which itself may or may not be a node.
fn root_children(document: &Document) -> Vec<NodeId> {
    match document.nodes().next() {
        Some(first) if document.node_type(first) == 9 => document.light_children(first).to_vec(),
        _ => document
            .nodes()
            .filter(|&node| document.parent_or_host(node).is_none())
            .collect(),
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub item: Item,
    pub position: usize,
    pub size: usize,
}

pub(super) struct Evaluator<'d, 's> {
    document: &'d Document,
    source: &'s str,
    spent: Cell<usize>,
    root_children: Vec<NodeId>,
}

pub(super) type Evaluated<T> = Result<T, LocatorError>;

impl Evaluator<'_, '_> {
    pub(super) fn error(&self, reason: &str) -> LocatorError {
        LocatorError::XPath {
            expression: self.source.to_owned(),
            reason: reason.to_owned(),
        }
    }

    fn spend(&self, amount: usize) {
        self.spent.set(self.spent.get().saturating_add(amount));
    }

    fn check_budget(&self) -> Evaluated<()> {
        if self.spent.get() > BUDGET {
            return Err(LocatorError::Budget(
                "the XPath expression visits too many nodes",
            ));
        }
        Ok(())
    }

    pub(super) fn evaluate(&self, expression: &Expr, context: &Context) -> Evaluated<Value> {
        self.spend(1);
        self.check_budget()?;
        Ok(match expression {
            Expr::Literal(text) => Value::Text(text.clone()),
            Expr::Number(number) => Value::Number(*number),
            Expr::Negate(inner) => Value::Number(-self.to_number(&self.evaluate(inner, context)?)),
            Expr::Or(terms) => Value::Bool(self.any(terms, context, true)?),
            Expr::And(terms) => Value::Bool(!self.any(terms, context, false)?),
            Expr::Chain(first, rest) => {
                let mut left = self.evaluate(first, context)?;
                for (operator, right) in rest {
                    let right = self.evaluate(right, context)?;
                    left = self.operate(*operator, &left, &right)?;
                }
                left
            }
            Expr::Union(paths) => {
                let mut all = Vec::new();
                for path in paths {
                    match self.evaluate(path, context)? {
                        Value::Nodes(nodes) => all.extend(nodes),
                        _ => return Err(self.error("a union joins nodes only")),
                    }
                }
                Value::Nodes(in_order(all))
            }
            Expr::Path { start, steps } => Value::Nodes(self.path(start, steps, context)?),
            Expr::Call(function, arguments) => {
                functions::call(self, *function, arguments, context)?
            }
        })
    }

    /// Whether one of `terms` has truth value `wanted`.
    fn any(&self, terms: &[Expr], context: &Context, wanted: bool) -> Evaluated<bool> {
        for term in terms {
            if self.to_bool(&self.evaluate(term, context)?) == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn path(&self, start: &Start, steps: &[Step], context: &Context) -> Evaluated<Vec<Item>> {
        let mut items = match start {
            Start::Context => vec![context.item],
            Start::Root => vec![Item::Root],
            Start::Filtered(inner, predicates) => match self.evaluate(inner, context)? {
                Value::Nodes(mut nodes) => {
                    for predicate in predicates {
                        nodes = self.filter(nodes, predicate)?;
                    }
                    nodes
                }
                _ => return Err(self.error("predicates and steps need nodes before them")),
            },
        };
        for step in steps {
            items = self.step(step, &items)?;
        }
        Ok(items)
    }

    fn step(&self, step: &Step, contexts: &[Item]) -> Evaluated<Vec<Item>> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut covered = None;
        for &context in contexts {
            self.check_budget()?;
            // Without predicates, positions do not matter: what an earlier
            // context has contributed need not be visited again.
            if step.predicates.is_empty() {
                match step.axis {
                    Axis::Descendant | Axis::DescendantOrSelf => {
                        if covered.is_some_and(|end| context < end) {
                            continue;
                        }
                        covered = Some(self.end(context));
                    }
                    Axis::FollowingSibling | Axis::Parent if !seen.insert(self.parent(context)) => {
                        continue;
                    }
                    Axis::Ancestor | Axis::AncestorOrSelf => {
                        self.climb(context, step, &mut seen, &mut found);
                        continue;
                    }
                    _ => {}
                }
            }
            let mut nodes = Vec::new();
            self.axis(step.axis, context, &mut |item| {
                if self.passes(&step.test, step.axis, item) {
                    nodes.push(item);
                }
            });
            for predicate in &step.predicates {
                nodes = self.filter(nodes, predicate)?;
            }
            found.extend(nodes);
        }
        Ok(in_order(found))
    }

    /// Ancestors up to where an earlier climb has been.
    fn climb(
        &self,
        from: Item,
        step: &Step,
        seen: &mut HashSet<Option<Item>>,
        found: &mut Vec<Item>,
    ) {
        let mut current = match step.axis {
            Axis::AncestorOrSelf => Some(from),
            _ => self.parent(from),
        };
        while let Some(item) = current.filter(|item| seen.insert(Some(*item))) {
            self.spend(1);
            if self.passes(&step.test, step.axis, item) {
                found.push(item);
            }
            current = self.parent(item);
        }
    }

    /// Keeps the nodes (in axis order) for which `predicate` holds.
    fn filter(&self, nodes: Vec<Item>, predicate: &Expr) -> Evaluated<Vec<Item>> {
        let size = nodes.len();
        let mut kept = Vec::new();
        for (index, item) in nodes.into_iter().enumerate() {
            let position = index + 1;
            let context = Context {
                item,
                position,
                size,
            };
            let holds = match self.evaluate(predicate, &context)? {
                Value::Number(number) => number == position as f64,
                other => self.to_bool(&other),
            };
            if holds {
                kept.push(item);
            }
        }
        Ok(kept)
    }

    // Axes -------------------------------------------------------------------

    fn light(&self, item: Item) -> &[NodeId] {
        match item {
            Item::Root => &self.root_children,
            Item::Node(node, None) => self.document.light_children(node),
            Item::Node(_, Some(_)) => &[],
        }
    }

    fn parent(&self, item: Item) -> Option<Item> {
        match item {
            Item::Root => None,
            Item::Node(node, Some(_)) => Some(Item::node(node)),
            Item::Node(node, None) => match self.document.light_parent(node) {
                Some(parent) if self.document.node_type(parent) == 9 => Some(Item::Root),
                Some(parent) => Some(Item::node(parent)),
                // The top of a shadow tree has no parent, that of the page has.
                None => self.document.host(node).is_none().then_some(Item::Root),
            },
        }
    }

    /// One past the last descendant.
    fn end(&self, item: Item) -> Item {
        match item {
            Item::Root => Item::Node(NodeId(u32::MAX), None),
            Item::Node(node, None) => Item::node(self.document.subtree_end(node)),
            Item::Node(..) => item,
        }
    }

    /// Calls `visit` for the axis of `item`, in axis order.
    fn axis(&self, axis: Axis, item: Item, visit: &mut dyn FnMut(Item)) {
        let mut visit = |item| {
            self.spend(1);
            visit(item);
        };
        match axis {
            Axis::SelfNode => visit(item),
            Axis::Child => self.light(item).iter().for_each(|&n| visit(Item::node(n))),
            Axis::Parent => {
                if let Some(parent) = self.parent(item) {
                    visit(parent);
                }
            }
            Axis::Attribute => {
                if let Item::Node(node, None) = item {
                    let count = self.document.attrs(node).count();
                    (0..count).for_each(|index| visit(Item::Node(node, Some(index as u32))));
                }
            }
            Axis::Ancestor | Axis::AncestorOrSelf => {
                let mut current = match axis {
                    Axis::AncestorOrSelf => Some(item),
                    _ => self.parent(item),
                };
                while let Some(item) = current {
                    visit(item);
                    current = self.parent(item);
                }
            }
            Axis::Descendant => self.descendants(item, &mut visit),
            Axis::DescendantOrSelf => {
                visit(item);
                self.descendants(item, &mut visit);
            }
            Axis::FollowingSibling | Axis::PrecedingSibling => {
                let (before, after) = self.siblings(item);
                if axis == Axis::FollowingSibling {
                    after.iter().for_each(|&n| visit(Item::node(n)));
                } else {
                    before.iter().rev().for_each(|&n| visit(Item::node(n)));
                }
            }
            Axis::Following => {
                let mut current = Some(item);
                while let Some(item) = current {
                    for &node in self.siblings(item).1 {
                        visit(Item::node(node));
                        self.descendants(Item::node(node), &mut visit);
                    }
                    current = self.parent(item);
                }
            }
            Axis::Preceding => {
                let mut current = Some(item);
                while let Some(item) = current {
                    for &node in self.siblings(item).0.iter().rev() {
                        let mut subtree = vec![Item::node(node)];
                        self.descendants(Item::node(node), &mut |item| subtree.push(item));
                        subtree.into_iter().rev().for_each(&mut visit);
                    }
                    current = self.parent(item);
                }
            }
        }
    }

    fn siblings(&self, item: Item) -> (&[NodeId], &[NodeId]) {
        let Item::Node(node, None) = item else {
            return (&[], &[]);
        };
        let siblings = self
            .parent(item)
            .map_or(&[][..], |parent| self.light(parent));
        let at = siblings.partition_point(|&sibling| sibling < node);
        match siblings.get(at) {
            Some(&found) if found == node => (&siblings[..at], &siblings[at + 1..]),
            _ => (&[], &[]),
        }
    }

    fn descendants(&self, item: Item, visit: &mut dyn FnMut(Item)) {
        let mut stack: Vec<NodeId> = self.light(item).iter().rev().copied().collect();
        while let Some(node) = stack.pop() {
            visit(Item::node(node));
            stack.extend(self.document.light_children(node).iter().rev());
        }
    }

    fn passes(&self, test: &NodeTest, axis: Axis, item: Item) -> bool {
        let document = self.document;
        let principal = match item {
            Item::Root => false,
            Item::Node(_, Some(_)) => true,
            Item::Node(node, None) => axis != Axis::Attribute && document.is_element(node),
        };
        match (test, item) {
            (NodeTest::AnyNode, Item::Node(node, None)) => {
                matches!(document.node_type(node), 3 | 8) || document.is_element(node)
            }
            (NodeTest::AnyNode, _) => true,
            (NodeTest::AnyName, _) => principal,
            (NodeTest::Name(name), Item::Node(node, None)) => {
                // Unprefixed names mean HTML elements in HTML documents.
                principal && document.is_html(node) && name.eq_ignore_ascii_case(document.tag(node))
            }
            (NodeTest::Name(name), Item::Node(node, Some(_))) => {
                let own = self.name(item);
                match document.is_html(node) {
                    true => name.eq_ignore_ascii_case(&own),
                    false => *name == own,
                }
            }
            (NodeTest::Text, Item::Node(node, None)) => document.is_text(node),
            (NodeTest::Comment, Item::Node(node, None)) => document.node_type(node) == 8,
            _ => false,
        }
    }

    // Values -----------------------------------------------------------------

    pub(super) fn text_of(&self, item: Item) -> String {
        let document = self.document;
        let text = match item {
            Item::Node(node, Some(index)) => {
                let attribute = document.attrs(node).nth(index as usize);
                attribute.map_or_else(String::new, |(_, value)| value.to_owned())
            }
            Item::Node(node, None) if !document.is_element(node) => document.value(node).to_owned(),
            _ => {
                let mut text = String::new();
                self.descendants(item, &mut |item| {
                    self.spend(1);
                    if let Item::Node(node, None) = item
                        && document.is_text(node)
                    {
                        text.push_str(document.value(node));
                    }
                });
                text
            }
        };
        self.spend(text.len() / 16);
        text
    }

    pub(super) fn name(&self, item: Item) -> String {
        match item {
            Item::Root => String::new(),
            Item::Node(node, Some(index)) => {
                let attribute = self.document.attrs(node).nth(index as usize);
                attribute.map_or_else(String::new, |(name, _)| name.to_owned())
            }
            Item::Node(node, None) if !self.document.is_element(node) => String::new(),
            Item::Node(node, None) if self.document.is_html(node) => {
                self.document.node_name(node).to_ascii_lowercase()
            }
            Item::Node(node, None) => self.document.node_name(node).to_owned(),
        }
    }

    pub(super) fn namespace(&self, item: Item) -> &'static str {
        match item {
            Item::Node(node, None) if self.document.is_element(node) => {
                match self.document.namespace(node) {
                    Namespace::Html => "http://www.w3.org/1999/xhtml",
                    Namespace::Svg => "http://www.w3.org/2000/svg",
                    Namespace::MathMl => "http://www.w3.org/1998/Math/MathML",
                }
            }
            _ => "",
        }
    }

    pub(super) fn by_ids(&self, ids: &str) -> Vec<Item> {
        let scope = crate::dom::ScopeId(0);
        let nodes = ids
            .split_ascii_whitespace()
            .filter_map(|id| self.document.by_id(scope, id))
            .map(Item::node);
        in_order(nodes.collect())
    }

    pub(super) fn has_lang(&self, item: Item, wanted: &str) -> bool {
        let mut current = Some(item);
        while let Some(item) = current {
            if let Item::Node(node, None) = item
                && let Some(lang) = self.document.attr(node, "lang")
            {
                let head = lang.get(..wanted.len()).unwrap_or("");
                let tail = lang.get(wanted.len()..).unwrap_or("");
                return head.eq_ignore_ascii_case(wanted)
                    && (tail.is_empty() || tail.starts_with('-'));
            }
            current = self.parent(item);
        }
        false
    }
}

fn in_order(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_unstable();
    items.dedup();
    items
}
