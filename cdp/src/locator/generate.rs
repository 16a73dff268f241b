//! The best locator for an element.
//!
//! Candidates are made from everything that tells elements apart (test ids,
//! role and name, label, placeholder, text, id, tag), each with a penalty that
//! says how brittle it is. The cheapest one that finds only the element wins;
//! one that finds several can be narrowed by an ancestor's locator or by
//! position. The numbers are Playwright's, so that the same page gives the same
//! code.

use std::collections::HashMap;

use super::candidates::{Candidate, Candidates, Token, total};
use super::css::is_content_editable;
use super::fallback::css_path;
use super::query::Engine;
use super::selector::{Part, Selector};
use crate::dom::NodeId;

/// The largest position that makes a locator (`nth`).
const MAX_NTH: usize = 5;
/// Ancestors that are tried as a beginning of the locator. Each costs a search
/// of its own, so absurdly deep pages must not have them all tried.
const MAX_ANCESTORS: usize = 64;
/// What may differ from run to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateOptions {
    /// Attributes that hold test ids, best first.
    pub test_id_attributes: Vec<String>,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            test_id_attributes: vec!["data-testid".to_owned()],
        }
    }
}

/// The chain as one selector; neighbouring CSS becomes one part.
fn selector_of(tokens: &[Token]) -> Selector {
    let mut parts: Vec<Part> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let (Some(Part::Css { source: outer, .. }), Part::Css { source, .. }) =
            (parts.last(), &token.part)
            && let Ok(joined) = Part::css(&format!("{outer} {source}"))
        {
            parts.pop();
            parts.push(joined);
        } else {
            parts.push(token.part.clone());
        }
    }
    Selector::new(parts)
}

impl Engine<'_> {
    /// The locator that upstream would print for `node`.
    ///
    /// Elements inside a button, link or the like stand for that control.
    /// `iframe` elements get a locator to be continued with
    /// [`Selector::in_frame`].
    pub fn generate(&self, node: NodeId, options: &GenerateOptions) -> Selector {
        let generator = Generator {
            engine: self,
            candidates: Candidates {
                engine: self,
                test_id_attributes: &options.test_id_attributes,
            },
        };
        let target = generator.retarget(node);
        let mut ancestors = Ancestors::default();
        let tokens = generator
            .best(target, true, false, &mut ancestors)
            .unwrap_or_else(|| css_path(self, target));
        selector_of(&tokens)
    }
}

/// Locators of ancestors, made at most once: with texts, and without.
#[derive(Default)]
struct Ancestors([HashMap<NodeId, Vec<Token>>; 2]);

struct Generator<'e, 'd> {
    engine: &'e Engine<'d>,
    candidates: Candidates<'e, 'd>,
}

impl Generator<'_, '_> {
    /// The control around `node`, if there is a visible one.
    fn retarget(&self, node: NodeId) -> NodeId {
        let document = self.engine.document();
        let is_field = matches!(document.tag(node), "INPUT" | "TEXTAREA" | "SELECT");
        if is_field || is_content_editable(document, node) {
            return node;
        }
        let is_control = |element: NodeId| {
            matches!(document.tag(element), "BUTTON" | "SELECT" | "INPUT" | "A")
                || matches!(
                    document.attr(element, "role"),
                    Some("button" | "checkbox" | "radio" | "link")
                )
        };
        std::iter::once(node)
            .chain(document.ancestors(node))
            .find(|&element| is_control(element))
            .filter(|&control| document.is_box_visible(control))
            .unwrap_or(node)
    }

    /// The cheapest chain that finds `node` and only it. Only the target may
    /// lean on ancestors: two levels say enough.
    fn best(
        &self,
        node: NodeId,
        is_target: bool,
        without_text: bool,
        ancestors: &mut Ancestors,
    ) -> Option<Vec<Token>> {
        let document = self.engine.document();
        if document.document_element() == Some(node) {
            return Some(vec![Token::new(Part::css("html").ok()?, 1)]);
        }
        let mut best: Option<Vec<Token>> = None;
        let offer = |best: &mut Option<Vec<Token>>, tokens: Vec<Token>| {
            if best
                .as_ref()
                .is_none_or(|best| total(&tokens) < total(best))
            {
                *best = Some(tokens);
            }
        };
        for candidate in self.candidates.of(node, without_text, is_target) {
            let selector = selector_of(&candidate.tokens);
            // A candidate that cannot be run cannot be used either.
            let Ok(found) = self.engine.query_all(&selector, None) else {
                continue;
            };
            let Some(index) = found.iter().position(|&other| other == node) else {
                continue;
            };
            if found.len() == 1 {
                offer(&mut best, candidate.tokens);
                break;
            }
            if index > MAX_NTH {
                continue;
            }
            let mut positioned = candidate.tokens.clone();
            positioned.push(Token::nth(index));
            offer(&mut best, positioned);
            if !is_target {
                continue;
            }
            for ancestor in document.ancestors(node).take(MAX_ANCESTORS) {
                if !document.is_element(ancestor) {
                    continue;
                }
                let Some(inside) = self.inside(&found, node, index, ancestor, &candidate) else {
                    continue;
                };
                let mut ideal = vec![Token::new(Part::Describe(String::new()), 1)];
                ideal.extend_from_slice(&inside);
                if best
                    .as_ref()
                    .is_some_and(|best| total(&ideal) >= total(best))
                {
                    continue;
                }
                let without_text = without_text || candidate.is_text;
                let mut tokens = self.ancestor(ancestor, without_text, ancestors);
                tokens.extend(inside);
                offer(&mut best, tokens);
            }
        }
        best
    }

    /// The candidate as it must be below `ancestor`: with a position if it
    /// still finds several there. None if that gains nothing.
    fn inside(
        &self,
        found: &[NodeId],
        node: NodeId,
        index: usize,
        ancestor: NodeId,
        candidate: &Candidate,
    ) -> Option<Vec<Token>> {
        let document = self.engine.document();
        let below: Vec<NodeId> = found
            .iter()
            .copied()
            .filter(|&other| other != ancestor && document.is_inclusive_descendant(other, ancestor))
            .take(MAX_NTH + 1)
            .collect();
        let new_index = below.iter().position(|&other| other == node)?;
        if below.len() > MAX_NTH || (new_index == index && below.len() > 1) {
            return None;
        }
        let mut tokens = candidate.tokens.clone();
        if below.len() > 1 {
            tokens.push(Token::nth(new_index));
        }
        Some(tokens)
    }

    fn ancestor(&self, node: NodeId, without_text: bool, memo: &mut Ancestors) -> Vec<Token> {
        let kind = usize::from(without_text);
        if let Some(tokens) = memo.0[kind].get(&node) {
            return tokens.clone();
        }
        let tokens = self
            .best(node, false, without_text, &mut Ancestors::default())
            .unwrap_or_else(|| css_path(self.engine, node));
        memo.0[kind].insert(node, tokens.clone());
        tokens
    }
}
