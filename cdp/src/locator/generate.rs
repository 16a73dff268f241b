//! The best locator for an element.
//!
//! Candidates are made from everything that tells elements apart (test ids,
//! role and name, label, placeholder, text, id, tag), each with a penalty that
//! says how brittle it is. The cheapest one that finds only the element wins;
//! one that finds several can be narrowed by an ancestor's locator or by
//! position. The numbers are Playwright's, so that the same page gives the same
//! code.

use std::collections::HashMap;

use super::alternatives::{Alternative, alternatives};
use super::css::is_content_editable;
use super::fallback::{css_path, identifier_selector, name_selector, quoted};
use super::js_regex::{self, JsRegex};
use super::labels::labels_of;
use super::query::Engine;
use super::selector::{Part, RoleQuery, Selector, TextPattern};
use super::text::span;
use crate::aria::Role;
use crate::dom::{NodeId, normalize_white_space, utf16_len};

mod score {
    //! Penalties: lower is better.
    pub(super) const TEST_ID: i64 = 1;
    pub(super) const OTHER_TEST_ID: i64 = 2;
    pub(super) const IFRAME_ATTRIBUTE: i64 = 10;
    pub(super) const ROLE_WITH_NAME: i64 = 100;
    pub(super) const PLACEHOLDER: i64 = 120;
    pub(super) const LABEL: i64 = 140;
    pub(super) const ALT: i64 = 160;
    pub(super) const TEXT: i64 = 180;
    pub(super) const TITLE: i64 = 200;
    pub(super) const TEXT_REGEX: i64 = 250;
    pub(super) const ID: i64 = 500;
    pub(super) const ROLE: i64 = 510;
    pub(super) const INPUT: i64 = 520;
    pub(super) const TAG: i64 = 530;
    pub(super) const NTH: i64 = 10_000;
    /// Added for exact comparison.
    pub(super) const EXACT: i64 = 5;
    /// Long texts cost up to this much more ...
    pub(super) const LENGTH: i64 = 10;
    /// ... if their penalty lies in this range.
    pub(super) const LENGTH_RANGE: std::ops::Range<i64> = 51..300;
}

/// The largest position that makes a locator (`nth`).
const MAX_NTH: usize = 5;
/// Ancestors that are tried as a beginning of the locator. Each costs a search
/// of its own, so absurdly deep pages must not have them all tried.
const MAX_ANCESTORS: usize = 64;
/// Longest text that is compared as a whole.
const MAX_WHOLE_TEXT: usize = 80;

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

/// One part with its penalty.
#[derive(Clone)]
pub(super) struct Token {
    pub part: Part,
    pub score: i64,
}

impl Token {
    pub(super) fn new(part: Part, score: i64) -> Self {
        Self { part, score }
    }

    fn nth(index: usize) -> Self {
        // Positions are small, see `MAX_NTH`, or at least below 2^32.
        Self::new(Part::Nth(index as i64), score::NTH)
    }
}

/// Penalty of a chain: the earlier a part, the more often it counts.
fn total(tokens: &[Token]) -> i64 {
    tokens
        .iter()
        .rev()
        .zip(1..)
        .map(|(token, weight)| token.score * weight)
        .sum()
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

struct Candidate {
    tokens: Vec<Token>,
    is_text: bool,
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
            options,
        };
        let target = generator.retarget(node);
        let mut ancestors = Ancestors::default();
        let tokens = generator
            .best(target, false, None, &mut ancestors)
            .unwrap_or_else(|| css_path(self, target));
        selector_of(&tokens)
    }
}

/// Locators of ancestors, made at most once: with texts, and without.
#[derive(Default)]
struct Ancestors([HashMap<NodeId, Vec<Token>>; 2]);

struct Generator<'e, 'd> {
    engine: &'e Engine<'d>,
    options: &'e GenerateOptions,
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

    /// The cheapest chain that finds `node` and only it. For an ancestor of the
    /// target, `within` is the target's memo of ancestors and nesting ends.
    fn best(
        &self,
        node: NodeId,
        without_text: bool,
        parent_of: Option<()>,
        ancestors: &mut Ancestors,
    ) -> Option<Vec<Token>> {
        let document = self.engine.document();
        if document.document_element() == Some(node) {
            return Some(vec![Token::new(Part::css("html").ok()?, 1)]);
        }
        let is_target = parent_of.is_none();
        let mut best: Option<Vec<Token>> = None;
        let offer = |best: &mut Option<Vec<Token>>, tokens: Vec<Token>| {
            if best
                .as_ref()
                .is_none_or(|best| total(&tokens) < total(best))
            {
                *best = Some(tokens);
            }
        };
        for candidate in self.candidates(node, without_text, is_target) {
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
            .best(node, without_text, Some(()), &mut Ancestors::default())
            .unwrap_or_else(|| css_path(self.engine, node));
        memo.0[kind].insert(node, tokens.clone());
        tokens
    }

    /// All candidates for `node`, cheapest first.
    fn candidates(&self, node: NodeId, without_text: bool, is_target: bool) -> Vec<Candidate> {
        let mut all = Vec::new();
        if !without_text {
            for tokens in self.by_text(node, is_target) {
                all.push(Candidate {
                    tokens,
                    is_text: true,
                });
            }
        }
        let mut markup = self.by_markup(node);
        if without_text && self.is_named_by_attribute(node) {
            // Such a name is no text of the page, though it usually counts with texts.
            markup.extend(self.by_role(node));
        }
        for token in markup {
            all.push(Candidate {
                tokens: vec![token],
                is_text: false,
            });
        }
        for token in all.iter_mut().flat_map(|candidate| &mut candidate.tokens) {
            if score::LENGTH_RANGE.contains(&token.score) {
                let length = utf16_len(&token.part.body()) / 10;
                token.score += score::LENGTH.min(length as i64);
            }
        }
        all.sort_by_key(|candidate| total(&candidate.tokens));
        all
    }

    /// Test ids, placeholder, labels, role, id, tag and type.
    fn by_markup(&self, node: NodeId) -> Vec<Token> {
        let document = self.engine.document();
        let attr = |name: &str| document.attr(node, name).filter(|value| !value.is_empty());
        let tag = name_selector(document, node);
        let mut tokens = Vec::new();
        let css = |tokens: &mut Vec<Token>, source: String, score: i64| {
            tokens.extend(Part::css(&source).ok().map(|part| Token::new(part, score)));
        };
        let by_attribute =
            |prefix: &str, name: &str, value: &str| format!("{prefix}[{name}={}]", quoted(value));
        for name in ["data-testid", "data-test-id", "data-test"] {
            if let Some(value) = attr(name)
                && !self
                    .options
                    .test_id_attributes
                    .iter()
                    .any(|own| own == name)
            {
                css(
                    &mut tokens,
                    by_attribute("", name, value),
                    score::OTHER_TEST_ID,
                );
            }
        }
        if let Some(id) = attr("id")
            && !looks_generated(id)
        {
            css(&mut tokens, identifier_selector(id), score::ID);
        }
        css(&mut tokens, tag.clone(), score::TAG);
        let test_ids = self
            .options
            .test_id_attributes
            .iter()
            .filter_map(|name| Some((name, attr(name)?)));
        if document.tag(node) == "IFRAME" {
            for name in ["name", "title"] {
                if let Some(value) = attr(name) {
                    css(
                        &mut tokens,
                        by_attribute(&tag, name, value),
                        score::IFRAME_ATTRIBUTE,
                    );
                }
            }
            for (name, value) in test_ids {
                css(&mut tokens, by_attribute("", name, value), score::TEST_ID);
            }
            return tokens;
        }
        for (_, value) in test_ids.take(1) {
            let part = Part::TestId {
                attributes: self.options.test_id_attributes.clone(),
                value: TextPattern::Equals(value.to_owned()),
            };
            tokens.push(Token::new(part, score::TEST_ID));
        }
        let name = document.tag(node);
        if matches!(name, "INPUT" | "TEXTAREA")
            && let Some(text) = attr("placeholder")
        {
            attribute_tokens("placeholder", text, score::PLACEHOLDER, &mut tokens);
        }
        for label in labels_of(document, node) {
            let text = label.text(self.engine.text(), document);
            let exact = Part::Label(TextPattern::Equals(text.clone()));
            tokens.push(Token::new(exact, score::LABEL + score::EXACT));
            for Alternative { text, bonus } in alternatives(&text) {
                let part = Part::Label(TextPattern::Contains(text));
                tokens.push(Token::new(part, score::LABEL - bonus));
            }
        }
        if let Some(role) = self.role(node) {
            let part = Part::Role(RoleQuery::new(role.as_str(), None));
            tokens.push(Token::new(part, score::ROLE));
        }
        let has_name_property = matches!(
            name,
            "BUTTON"
                | "FORM"
                | "FIELDSET"
                | "FRAME"
                | "INPUT"
                | "KEYGEN"
                | "OBJECT"
                | "OUTPUT"
                | "SELECT"
                | "TEXTAREA"
                | "MAP"
                | "META"
                | "PARAM"
        );
        if let Some(value) = attr("name").filter(|_| has_name_property) {
            css(&mut tokens, by_attribute(&tag, "name", value), score::INPUT);
        }
        let kind = document.attr(node, "type");
        if matches!(name, "INPUT" | "TEXTAREA" | "SELECT") && kind != Some("hidden") {
            if let Some(kind) = attr("type").filter(|_| name != "SELECT") {
                css(&mut tokens, by_attribute(&tag, "type", kind), score::INPUT);
            }
            css(&mut tokens, tag, score::INPUT + 1);
        }
        tokens
    }

    /// The role, if it is one to look for.
    fn role(&self, node: NodeId) -> Option<Role> {
        let role = self.engine.roles().role(node)?;
        (!role.is_presentational() && role != Role::Iframe).then_some(role)
    }

    /// Title, alternative text, own text, and role with name.
    fn by_text(&self, node: NodeId, is_target: bool) -> Vec<Vec<Token>> {
        let document = self.engine.document();
        let name = document.tag(node);
        if name == "SELECT" || name == "IFRAME" {
            return Vec::new();
        }
        let attr = |name: &str| document.attr(node, name).filter(|value| !value.is_empty());
        let mut singles = Vec::new();
        if let Some(text) = attr("title") {
            attribute_tokens("title", text, score::TITLE, &mut singles);
        }
        if let Some(text) = attr("alt")
            && matches!(name, "APPLET" | "AREA" | "IMG" | "INPUT")
        {
            attribute_tokens("alt", text, score::ALT, &mut singles);
        }
        let mut chains: Vec<Vec<Token>> = singles.into_iter().map(|token| vec![token]).collect();
        let text = self.engine.text().normalized(span(document, node));
        let shorter = if text.is_empty() {
            Vec::new()
        } else {
            alternatives(text)
        };
        if !text.is_empty() && is_target {
            if utf16_len(text) <= MAX_WHOLE_TEXT {
                let part = Part::Text(TextPattern::Equals(text.to_owned()));
                chains.push(vec![Token::new(part, score::TEXT + score::EXACT)]);
            }
            for Alternative { text, bonus } in &shorter {
                let part = Part::Text(TextPattern::Contains(text.clone()));
                chains.push(vec![Token::new(part, score::TEXT - bonus)]);
            }
        }
        if !text.is_empty()
            && let Ok(tag) = Part::css(&name_selector(document, node))
        {
            filtered(
                &Token::new(tag, score::TAG),
                text,
                &shorter,
                is_target,
                &mut chains,
            );
        }
        let Some(role) = self.role(node) else {
            return chains;
        };
        let named = self.by_role(node);
        if named.is_empty() {
            let part = Part::Role(RoleQuery::new(role.as_str(), None));
            let base = Token::new(part, score::ROLE);
            filtered(&base, text, &shorter, is_target, &mut chains);
        }
        chains.extend(named.into_iter().map(|token| vec![token]));
        chains
    }

    /// Role with name, and with description where there is one.
    fn by_role(&self, node: NodeId) -> Vec<Token> {
        let Some(role) = self.role(node) else {
            return Vec::new();
        };
        let name = &self.engine.roles().name(node).text;
        if name.is_empty() || name.chars().all(is_private_use) {
            return Vec::new();
        }
        let exact = (
            TextPattern::Equals(name.to_string()),
            score::ROLE_WITH_NAME + score::EXACT,
        );
        let shorter = alternatives(name)
            .into_iter()
            .map(|Alternative { text, bonus }| {
                (TextPattern::Contains(text), score::ROLE_WITH_NAME - bonus)
            });
        let description = self.engine.roles().description(self.engine, node);
        let mut tokens = Vec::new();
        for (pattern, penalty) in std::iter::once(exact).chain(shorter) {
            let exact = matches!(pattern, TextPattern::Equals(_));
            let query = RoleQuery::new(role.as_str(), Some(pattern));
            if !description.is_empty() {
                let described = query.clone().described(match exact {
                    true => TextPattern::Equals(description.clone()),
                    false => TextPattern::Contains(description.clone()),
                });
                tokens.push(Token::new(Part::Role(described), penalty + 1));
            }
            tokens.push(Token::new(Part::Role(query), penalty));
        }
        tokens
    }

    /// Whether the accessible name is the element's own `aria-label`.
    fn is_named_by_attribute(&self, node: NodeId) -> bool {
        let label = self
            .engine
            .document()
            .attr(node, "aria-label")
            .unwrap_or("");
        let label = normalize_white_space(label);
        !label.is_empty() && *self.engine.roles().name(node).text == *label
    }
}

/// `base` filtered by each of the texts.
fn filtered(
    base: &Token,
    text: &str,
    shorter: &[Alternative],
    is_target: bool,
    chains: &mut Vec<Vec<Token>>,
) {
    for Alternative { text, bonus } in shorter {
        let part = Part::HasText(TextPattern::Contains(text.clone()));
        chains.push(vec![base.clone(), Token::new(part, score::TEXT - bonus)]);
    }
    if is_target && utf16_len(text) <= MAX_WHOLE_TEXT {
        let source = format!("^{}$", js_regex::escape(text));
        if let Ok(regex) = JsRegex::new(&source, "") {
            let part = Part::HasText(TextPattern::Regex(regex));
            chains.push(vec![base.clone(), Token::new(part, score::TEXT_REGEX)]);
        }
    }
}

/// `getBy…` an attribute: exactly, and by each shorter text.
fn attribute_tokens(name: &str, text: &str, base: i64, tokens: &mut Vec<Token>) {
    let part = |value: TextPattern| Part::Attribute {
        name: name.to_owned(),
        value,
    };
    let exact = part(TextPattern::Equals(text.to_owned()));
    tokens.push(Token::new(exact, base + score::EXACT));
    for Alternative { text, bonus } in alternatives(text) {
        tokens.push(Token::new(part(TextPattern::Contains(text)), base - bonus));
    }
}

/// Icon fonts put glyphs at private code points; they mean nothing to people.
fn is_private_use(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}')
}

/// Ids that change with every build or visit alternate between letters, digits
/// and signs more often than words do.
fn looks_generated(id: &str) -> bool {
    let kind = |c: char| match c {
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        '0'..='9' => '0',
        _ => '?',
    };
    let mut changes = 0;
    let mut last = None;
    for c in id.chars().filter(|c| !matches!(c, '-' | '_')) {
        let kind = kind(c);
        // A capital may start a word.
        let change = last.is_some_and(|last| last != kind && !(last == 'A' && kind == 'a'));
        changes += usize::from(change);
        last = Some(kind);
    }
    changes * 4 >= utf16_len(id)
}
