//! A locator as data: a chain of parts, each narrowing or mapping the elements
//! found so far.
//!
//! One value serves all three texts: Playwright's selector syntax (`Display`
//! and [`parse_target`](super::parse_target)), JavaScript locator expressions
//! ([`codegen`](super::codegen)), and queries.

use std::fmt;

use super::attributes::{AttributeTest, AttributeValue, Operator};
use super::css;
use super::quote::json;
use super::xpath::XPath;
use super::{JsRegex, LocatorError};

/// A parsed locator. See the module documentation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selector {
    pub(super) parts: Vec<Part>,
}

/// How an element's text, label or attribute is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPattern {
    /// Contains the text, without regard to case.
    Contains(String),
    /// Is the text.
    Equals(String),
    /// Matches the expression.
    Regex(JsRegex),
}

/// The `text=` engine of Playwright's first years.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LegacyText {
    Contains(String),
    /// One run of text nodes of the element is the text.
    NodeEquals(String),
    Regex(JsRegex),
}

/// True, false or `mixed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tristate {
    False,
    True,
    Mixed,
}

/// A condition of a role query besides names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RoleState {
    Checked(Tristate),
    Pressed(Tristate),
    Selected(bool),
    Expanded(bool),
    Disabled(bool),
    Level(f64),
    IncludeHidden(bool),
}

/// Conditions on role, name, description and states.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RoleQuery {
    pub role: String,
    pub name: Option<AttributeTest>,
    pub description: Option<AttributeTest>,
    /// In source order, for printing.
    pub states: Vec<RoleState>,
}

/// One step of a [`Selector`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Css {
        source: String,
        list: css::SelectorList,
    },
    XPath(XPath),
    /// `text=`
    LegacyText {
        source: String,
        pattern: LegacyText,
    },
    /// `id=`, `data-testid=`, `data-test-id=`, `data-test=`, each also with `:light`.
    LegacyAttribute {
        engine: String,
        value: String,
    },
    /// `role=`
    LegacyRole {
        source: String,
        query: RoleQuery,
    },
    Role(RoleQuery),
    Text(TextPattern),
    Label(TextPattern),
    /// Any of `attributes` (in order of preference).
    TestId {
        attributes: Vec<String>,
        value: TextPattern,
    },
    Attribute {
        name: String,
        value: TextPattern,
    },
    HasText(TextPattern),
    HasNotText(TextPattern),
    Has(Selector),
    HasNot(Selector),
    And(Selector),
    Or(Selector),
    /// The inner selector, queried below each element.
    Chain(Selector),
    /// What follows is looked for in the frame's document.
    EnterFrame,
    /// −1 is the last.
    Nth(i64),
    Visible(bool),
    /// A ref of the last snapshot.
    AriaRef(String),
    /// A remark for people; changes nothing.
    Describe(String),
}

impl Selector {
    pub(super) fn new(parts: Vec<Part>) -> Self {
        Self { parts }
    }

    /// `locator(css)` for a selector of this crate's own making or a caller's.
    ///
    /// # Errors
    /// As for any CSS text, see [`LocatorError`].
    pub fn css(source: &str) -> Result<Self, LocatorError> {
        Ok(Self::new(vec![Part::css(source)?]))
    }

    /// `getByText(pattern)`.
    pub fn text(pattern: TextPattern) -> Self {
        Self::new(vec![Part::Text(pattern)])
    }

    /// The selector with `.first()` appended.
    #[must_use]
    pub fn first(mut self) -> Self {
        self.parts.push(Part::Nth(0));
        self
    }

    /// `self.contentFrame()` followed by `inner`: an element of a child frame,
    /// given the locator of its `<iframe>`.
    #[must_use]
    pub fn in_frame(mut self, inner: Selector) -> Self {
        self.parts.push(Part::EnterFrame);
        self.parts.extend(inner.parts);
        self
    }

    /// Splits at frame hops: all selectors but the last locate `<iframe>`
    /// elements, each in the document that the one before leads to.
    ///
    /// # Errors
    /// [`LocatorError::Syntax`] when a hop has nothing before or after it, or
    /// hides inside a nested selector.
    pub fn split_frames(&self) -> Result<Vec<Selector>, LocatorError> {
        let mut hops = vec![Selector::default()];
        for part in &self.parts {
            if let Some(nested) = part.nested()
                && nested.parts.contains(&Part::EnterFrame)
            {
                return Err(LocatorError::Syntax(format!(
                    "Frames are not allowed inside \"{}\" selectors",
                    part.engine()
                )));
            }
            let last = hops.len() - 1;
            if *part != Part::EnterFrame {
                hops[last].parts.push(part.clone());
                continue;
            }
            if hops[last].parts.is_empty() {
                return Err(LocatorError::Syntax(
                    "Selector cannot start with entering frame, select the iframe first".into(),
                ));
            }
            hops.push(Selector::default());
        }
        if hops.len() > 1 && hops[hops.len() - 1].parts.is_empty() {
            return Err(LocatorError::Syntax(format!(
                "Selector cannot end with entering frame, while parsing selector {self}"
            )));
        }
        Ok(hops)
    }

    /// The same, with `getByTestId` looking at these attributes, the most wanted first.
    #[must_use]
    pub fn with_test_id_attributes(mut self, wanted: &[String]) -> Self {
        for part in &mut self.parts {
            match part {
                Part::TestId { attributes, .. } => *attributes = wanted.to_vec(),
                Part::Has(inner)
                | Part::HasNot(inner)
                | Part::And(inner)
                | Part::Or(inner)
                | Part::Chain(inner) => {
                    *inner = std::mem::take(inner).with_test_id_attributes(wanted);
                }
                _ => {}
            }
        }
        self
    }

    /// The text of `describe()`, if the locator carries one.
    pub fn description(&self) -> Option<&str> {
        match self.parts.last() {
            Some(Part::Describe(text)) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Selector {
    /// Writes Playwright's selector syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str(" >> ")?;
            }
            write!(f, "{part}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Css { source, .. } => f.write_str(source),
            Part::XPath(xpath) if xpath.needs_prefix() => write!(f, "xpath={}", xpath.source()),
            Part::XPath(xpath) => f.write_str(xpath.source()),
            _ => write!(f, "{}={}", self.engine(), self.body()),
        }
    }
}

impl Part {
    pub(super) fn css(source: &str) -> Result<Self, LocatorError> {
        Ok(Part::Css {
            source: source.to_owned(),
            list: css::parse(source)?,
        })
    }

    pub(super) fn nested(&self) -> Option<&Selector> {
        match self {
            Part::Has(inner)
            | Part::HasNot(inner)
            | Part::And(inner)
            | Part::Or(inner)
            | Part::Chain(inner) => Some(inner),
            _ => None,
        }
    }

    /// Name of the engine in selector syntax.
    pub(super) fn engine(&self) -> &str {
        match self {
            Part::Css { .. } => "css",
            Part::XPath(_) => "xpath",
            Part::LegacyText { .. } => "text",
            Part::LegacyAttribute { engine, .. } => engine,
            Part::LegacyRole { .. } => "role",
            Part::Role(_) => "internal:role",
            Part::Text(_) => "internal:text",
            Part::Label(_) => "internal:label",
            Part::TestId { .. } => "internal:testid",
            Part::Attribute { .. } => "internal:attr",
            Part::HasText(_) => "internal:has-text",
            Part::HasNotText(_) => "internal:has-not-text",
            Part::Has(_) => "internal:has",
            Part::HasNot(_) => "internal:has-not",
            Part::And(_) => "internal:and",
            Part::Or(_) => "internal:or",
            Part::Chain(_) => "internal:chain",
            Part::EnterFrame => "internal:control",
            Part::Nth(_) => "nth",
            Part::Visible(_) => "visible",
            Part::AriaRef(_) => "aria-ref",
            Part::Describe(_) => "internal:describe",
        }
    }

    /// What follows the engine's `=` in selector syntax.
    pub(super) fn body(&self) -> String {
        match self {
            Part::Css { source, .. }
            | Part::LegacyText { source, .. }
            | Part::LegacyRole { source, .. } => source.clone(),
            Part::XPath(xpath) => xpath.source().to_owned(),
            Part::LegacyAttribute { value, .. } => value.clone(),
            Part::Role(query) => query.to_string(),
            Part::Text(p) | Part::Label(p) | Part::HasText(p) | Part::HasNotText(p) => p.body(),
            Part::TestId { attributes, value } => {
                format!("[{}={}]", attributes.join(","), value.attribute_body())
            }
            Part::Attribute { name, value } => format!("[{name}={}]", value.attribute_body()),
            Part::Has(inner)
            | Part::HasNot(inner)
            | Part::And(inner)
            | Part::Or(inner)
            | Part::Chain(inner) => json(&inner.to_string()),
            Part::EnterFrame => "enter-frame".to_owned(),
            Part::Nth(index) => index.to_string(),
            Part::Visible(visible) => visible.to_string(),
            Part::AriaRef(text) => text.clone(),
            Part::Describe(text) => json(text),
        }
    }
}

impl TextPattern {
    /// Text engines quote as JSON and mark the mode with a suffix.
    pub(super) fn body(&self) -> String {
        match self {
            TextPattern::Contains(text) => format!("{}i", json(text)),
            TextPattern::Equals(text) => format!("{}s", json(text)),
            TextPattern::Regex(regex) => regex_literal(regex),
        }
    }

    /// Attribute engines escape only backslashes and quotes.
    fn attribute_body(&self) -> String {
        match self {
            TextPattern::Contains(text) => attribute_literal(text, false),
            TextPattern::Equals(text) => attribute_literal(text, true),
            TextPattern::Regex(regex) => regex_literal(regex),
        }
    }
}

/// A regular expression that survives in selector syntax, where quotes and `>>`
/// mean something.
fn regex_literal(regex: &JsRegex) -> String {
    let mut source = String::with_capacity(regex.source().len());
    let mut chars = regex.source().chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            source.push(c);
            source.extend(chars.next());
            continue;
        }
        if matches!(c, '"' | '\'' | '`') {
            source.push('\\');
        }
        source.push(c);
    }
    format!("/{}/{}", source.replace(">>", r"\>\>"), regex.flags())
}

fn attribute_literal(text: &str, exact: bool) -> String {
    let escaped = text.replace('\\', r"\\").replace('"', "\\\"");
    format!("\"{escaped}\"{}", if exact { 's' } else { 'i' })
}

impl RoleState {
    /// Name in selector syntax and value as both syntaxes print it.
    pub(super) fn parts(self) -> (&'static str, String) {
        match self {
            RoleState::Checked(value) => ("checked", value.to_string()),
            RoleState::Pressed(value) => ("pressed", value.to_string()),
            RoleState::Selected(value) => ("selected", value.to_string()),
            RoleState::Expanded(value) => ("expanded", value.to_string()),
            RoleState::Disabled(value) => ("disabled", value.to_string()),
            RoleState::Level(value) => ("level", value.to_string()),
            RoleState::IncludeHidden(value) => ("include-hidden", value.to_string()),
        }
    }
}

impl fmt::Display for Tristate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tristate::False => "false",
            Tristate::True => "true",
            Tristate::Mixed => "mixed",
        })
    }
}

impl RoleQuery {
    /// A query for `role`, optionally with a name.
    pub(super) fn new(role: &str, name: Option<TextPattern>) -> Self {
        Self {
            role: role.to_owned(),
            name: name.map(|pattern| AttributeTest::from_pattern("name", pattern)),
            description: None,
            states: Vec::new(),
        }
    }

    /// The query with a description.
    pub(super) fn described(mut self, pattern: TextPattern) -> Self {
        self.description = Some(AttributeTest::from_pattern("description", pattern));
        self
    }
}

impl fmt::Display for RoleQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.role)?;
        for test in self.name.iter().chain(&self.description) {
            let value = match &test.value {
                AttributeValue::Text(text) => attribute_literal(text, test.case_sensitive),
                AttributeValue::Regex(regex) => regex_literal(regex),
                other => other.to_string(),
            };
            if test.operator == Operator::Truthy {
                write!(f, "[{}]", test.name)?;
            } else {
                write!(f, "[{}{}{value}]", test.name, test.operator)?;
            }
        }
        for state in &self.states {
            let (name, value) = state.parts();
            write!(f, "[{name}={value}]")?;
        }
        Ok(())
    }
}
