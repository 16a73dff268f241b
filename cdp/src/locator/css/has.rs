//! `:has()`.

use std::rc::Rc;

use super::matching::{CssQuery, Key, Scope};
use super::{Combinator, Complex, Compound, SelectorList};
use crate::dom::{NodeId, ShadowKind};

impl<'e, 's> CssQuery<'e, '_, 's>
where
    's: 'e,
{
    /// `:has()`: whether some element found from `node`, with `node` as scope,
    /// is in `list`.
    pub(super) fn has(&self, list: &'s SelectorList, node: NodeId, outer: Scope) -> bool {
        list.0.iter().any(|complex| {
            let origin = Some(node);
            let inner = Scope {
                root: origin,
                origin,
                light: outer.light,
            };
            if complex.is_relative() {
                return self.has_relative(complex, node, inner);
            }
            if complex.depends_on_scope() {
                let wide = match complex.mentions_scope() {
                    true => Scope {
                        root: self.document.parent_or_host(node),
                        ..inner
                    },
                    false => inner,
                };
                return self
                    .complex(complex, wide)
                    .iter()
                    .any(|n| Some(n) != wide.root);
            }
            // Most elements have nothing of the kind below them; one look at
            // the whole scope tells which may.
            let Some(last) = complex.compounds.last() else {
                return false;
            };
            let candidates = self.members(last, outer);
            let first = candidates.partition_point(|&found| found <= node);
            let end = self.document.subtree_end(node);
            let some = candidates.get(first).is_some_and(|&found| found < end);
            some && (complex.compounds.len() == 1
                || self
                    .complex(complex, inner)
                    .iter()
                    .any(|found| found != node))
        })
    }

    /// Elements of the scope that match one compound, in order.
    fn members(&self, compound: &'s Compound, scope: Scope) -> Rc<Vec<NodeId>> {
        let key: Key<Compound> = (compound, scope);
        if let Some(found) = self.compounds.borrow().get(&key) {
            return Rc::clone(found);
        }
        let found: Vec<NodeId> = self
            .universe(scope)
            .filter(|&node| self.compound(compound, node, scope))
            .collect();
        let found = Rc::new(found);
        self.compounds.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    /// `:has(> a)` and the like: steps outwards from `node`.
    fn has_relative(&self, complex: &'s Complex, node: NodeId, scope: Scope) -> bool {
        let document = self.document;
        let order = self.engine.order();
        let scope = Scope {
            root: document.parent_or_host(node),
            ..scope
        };
        let mut frontier = vec![node];
        let steps = complex
            .combinators
            .iter()
            .zip(complex.compounds.iter().skip(1));
        for (combinator, compound) in steps {
            let mut next = Vec::new();
            let mut covered = NodeId(0);
            for &from in &frontier {
                let mut visit = |candidate: NodeId| {
                    self.spend();
                    if !self.exhausted() && self.compound(compound, candidate, scope) {
                        next.push(candidate);
                    }
                };
                match combinator {
                    Combinator::Child => {
                        document.element_children(from).for_each(&mut visit);
                        if !scope.light && document.shadow_kind(from) == Some(ShadowKind::Open) {
                            let shadow = document.shadow_children(from).iter().copied();
                            shadow.filter(|&n| document.is_element(n)).for_each(visit);
                        }
                    }
                    Combinator::Descendant => {
                        if from < covered {
                            continue;
                        }
                        covered = document.subtree_end(from);
                        let below = order.below(document, Some(from)).iter().copied();
                        let tree = document.scope(from);
                        below
                            .filter(|&n| !scope.light || document.scope(n) == tree)
                            .for_each(visit);
                    }
                    Combinator::NextSibling => order.next(from).into_iter().for_each(visit),
                    Combinator::LaterSibling => {
                        std::iter::successors(order.next(from), |&n| order.next(n)).for_each(visit);
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            frontier = next;
        }
        !frontier.is_empty()
    }
}
