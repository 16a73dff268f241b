//! Locators as program text.

use super::attributes::AttributeValue;
use super::expression::Failure;
use super::quote::quote;
use super::selector::{Part, RoleQuery, Selector, TextPattern};
use super::{JsRegex, LocatorError};

/// A programming language for generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// JavaScript, as in Playwright Test.
    #[default]
    JavaScript,
}

/// Writes the locator as an expression on a page or frame, for example
/// `getByRole('button', { name: 'Save' }).first()`.
pub fn codegen(selector: &Selector, language: Language) -> String {
    match language {
        Language::JavaScript => javascript(&selector.parts),
    }
}

impl Selector {
    /// The locator as JavaScript; short for [`codegen`].
    pub fn to_javascript(&self) -> String {
        codegen(self, Language::JavaScript)
    }

    /// Reads a JavaScript locator expression.
    ///
    /// # Errors
    /// [`LocatorError::Syntax`] with a sentence on what was expected.
    pub fn from_javascript(text: &str) -> Result<Self, LocatorError> {
        super::expression::parse(text).map_err(|failure| match failure {
            Failure::Form(text) => LocatorError::Syntax(text),
            Failure::Meaning(error) => error,
        })
    }
}

fn javascript(parts: &[Part]) -> String {
    if let Some(Part::Describe(text)) = parts.last() {
        return text.clone();
    }
    let calls: Vec<String> = parts.iter().map(javascript_call).collect();
    calls.join(".")
}

fn javascript_call(part: &Part) -> String {
    let inner = |selector: &Selector| javascript(&selector.parts);
    match part {
        Part::Nth(0) => "first()".to_owned(),
        Part::Nth(-1) => "last()".to_owned(),
        Part::Nth(index) => format!("nth({index})"),
        Part::Visible(true) => "visible()".to_owned(),
        Part::Visible(false) => "filter({ visible: false })".to_owned(),
        Part::Text(pattern) => by_text("getByText", pattern),
        Part::Label(pattern) => by_text("getByLabel", pattern),
        Part::TestId { value, .. } => format!("getByTestId({})", value_of(value)),
        Part::Attribute { name, value } => match name.as_str() {
            "alt" => by_text("getByAltText", value),
            "placeholder" => by_text("getByPlaceholder", value),
            "title" => by_text("getByTitle", value),
            _ => raw(part),
        },
        // There is no exact hasText filter.
        Part::HasText(TextPattern::Equals(_)) | Part::HasNotText(TextPattern::Equals(_)) => {
            raw(part)
        }
        Part::HasText(pattern) => format!("filter({{ hasText: {} }})", value_of(pattern)),
        Part::HasNotText(pattern) => format!("filter({{ hasNotText: {} }})", value_of(pattern)),
        Part::Has(selector) => format!("filter({{ has: {} }})", inner(selector)),
        Part::HasNot(selector) => format!("filter({{ hasNot: {} }})", inner(selector)),
        Part::And(selector) => format!("and({})", inner(selector)),
        Part::Or(selector) => format!("or({})", inner(selector)),
        Part::Chain(selector) => format!("locator({})", inner(selector)),
        Part::EnterFrame => "contentFrame()".to_owned(),
        Part::Role(query) => by_role(query),
        Part::Describe(_) => raw(part),
        Part::Css { .. }
        | Part::XPath(_)
        | Part::LegacyText { .. }
        | Part::LegacyAttribute { .. }
        | Part::LegacyRole { .. }
        | Part::AriaRef(_) => raw(part),
    }
}

fn raw(part: &Part) -> String {
    format!("locator({})", quote(&part.to_string()))
}

fn by_text(method: &str, pattern: &TextPattern) -> String {
    let exact = match pattern {
        TextPattern::Equals(_) => ", { exact: true }",
        _ => "",
    };
    format!("{method}({}{exact})", value_of(pattern))
}

fn value_of(pattern: &TextPattern) -> String {
    match pattern {
        TextPattern::Contains(text) | TextPattern::Equals(text) => quote(text),
        TextPattern::Regex(regex) => regex_literal(regex),
    }
}

/// Quotes inside an expression are escaped in selector syntax only.
fn regex_literal(regex: &JsRegex) -> String {
    let mut source = String::with_capacity(regex.source().len());
    let mut chars = regex.source().chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('"' | '\'' | '`')) => {}
            ('\\', Some(_)) => {
                source.push(c);
                source.extend(chars.next());
            }
            _ => source.push(c),
        }
    }
    format!("/{source}/{}", regex.flags())
}

fn by_role(query: &RoleQuery) -> String {
    let mut options = Vec::new();
    let mut exact = false;
    for test in query.name.iter().chain(&query.description) {
        let value = match &test.value {
            AttributeValue::Text(text) => {
                exact |= test.case_sensitive;
                quote(text)
            }
            AttributeValue::Regex(regex) => regex_literal(regex),
            other => other.to_string(),
        };
        options.push(format!("{}: {value}", test.name));
    }
    if exact {
        options.push("exact: true".to_owned());
    }
    for state in &query.states {
        let (name, value) = state.parts();
        options.push(match (name, value.as_str()) {
            ("include-hidden", value) => format!("includeHidden: {value}"),
            (name, "mixed") => format!("{name}: 'mixed'"),
            (name, value) => format!("{name}: {value}"),
        });
    }
    if options.is_empty() {
        format!("getByRole({})", quote(&query.role))
    } else {
        format!(
            "getByRole({}, {{ {} }})",
            quote(&query.role),
            options.join(", ")
        )
    }
}
