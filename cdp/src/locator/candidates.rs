//! What could tell an element apart, each with its penalty.

use super::alternatives::{Alternative, alternatives};
use super::fallback::{identifier_selector, name_selector, quoted};
use super::js_regex::{self, JsRegex};
use super::labels::{Label, labels_of};
use super::query::Engine;
use super::selector::{Part, RoleQuery, TextPattern};
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

/// Longest text that is compared as a whole.
const MAX_WHOLE_TEXT: usize = 80;

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

    pub(super) fn nth(index: usize) -> Self {
        // Positions are small, see `MAX_NTH`, or at least below 2^32.
        Self::new(Part::Nth(index as i64), score::NTH)
    }
}

/// Penalty of a chain: the earlier a part, the more often it counts.
pub(super) fn total(tokens: &[Token]) -> i64 {
    tokens
        .iter()
        .rev()
        .zip(1..)
        .map(|(token, weight)| token.score * weight)
        .sum()
}

/// A chain that may find the element.
pub(super) struct Candidate {
    pub tokens: Vec<Token>,
    /// Tells the element apart by text of the page.
    pub is_text: bool,
}

/// Makes candidates for elements of one document.
pub(super) struct Candidates<'e, 'd> {
    pub engine: &'e Engine<'d>,
    pub test_id_attributes: &'e [String],
}

impl Candidates<'_, '_> {
    /// All candidates for `node`, cheapest first. Without texts of the page, if
    /// they are told apart by those already; texts of the whole element only for
    /// the target itself.
    pub(super) fn of(&self, node: NodeId, without_text: bool, is_target: bool) -> Vec<Candidate> {
        let mut all = Vec::new();
        if !without_text {
            for tokens in self.by_text(node, is_target) {
                all.push(Candidate {
                    tokens,
                    is_text: true,
                });
            }
        }
        let mut markup = self.by_markup(node, without_text);
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
    fn by_markup(&self, node: NodeId, without_text: bool) -> Vec<Token> {
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
                && !self.test_id_attributes.iter().any(|own| own == name)
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
                attributes: self.test_id_attributes.to_vec(),
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
            if without_text && matches!(label, Label::Element(_)) {
                continue;
            }
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

    /// Whether the accessible name is an attribute of the element, not text of
    /// the page.
    fn is_named_by_attribute(&self, node: NodeId) -> bool {
        let document = self.engine.document();
        let name = &self.engine.roles().name(node).text;
        !name.is_empty()
            && ["aria-label", "title", "summary", "alt", "placeholder"]
                .into_iter()
                .filter_map(|attribute| document.attr(node, attribute))
                .any(|value| normalize_white_space(value) == **name)
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
