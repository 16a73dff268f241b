//! Target text → [`Target`]: refs, selector syntax, JavaScript expressions.

use super::attributes::{self, AttributeTest, AttributeValue, Operator};
use super::expression::{self, Failure};
use super::selector::{LegacyText, Part, RoleQuery, RoleState, Selector, TextPattern, Tristate};
use super::xpath::XPath;
use super::{JsRegex, LocatorError};

/// What a `target` argument names.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A ref of the last snapshot, such as `e5` or `f1e5`.
    Ref(String),
    /// Selector syntax or a locator expression.
    Selector(Selector),
}

/// Selectors inside selectors.
pub(super) const MAX_DEPTH: usize = 32;
/// Bytes of target text; longer ones are refused.
const MAX_TEXT: usize = 100_000;

/// Reads a target: `^(f\d+)?e\d+$` is a ref, anything else a selector in
/// Playwright's syntax or, if it is not that, a JavaScript locator expression
/// such as `getByRole('button', { name: 'Save' }).first()`.
///
/// # Errors
/// [`LocatorError::Unreadable`] when the text is neither, with Playwright's
/// sentence for it; other variants when it is well-formed but meaningless
/// (unknown engine, bad regular expression, impossible role attribute).
pub fn parse_target(text: &str) -> Result<Target, LocatorError> {
    if is_ref(text) {
        return Ok(Target::Ref(text.to_owned()));
    }
    if text.len() > MAX_TEXT {
        return Err(LocatorError::TooComplex("the text is too long"));
    }
    let as_selector = match selector(text, 0) {
        Ok(selector) => return Ok(Target::Selector(selector)),
        Err(error) if error.is_syntax() => error,
        Err(error) => return Err(error),
    };
    match expression::parse(text) {
        Ok(selector) => Ok(Target::Selector(selector)),
        Err(Failure::Meaning(error)) => Err(error),
        Err(Failure::Form(as_expression)) => Err(LocatorError::Unreadable {
            as_selector: Box::new(as_selector),
            as_expression,
        }),
    }
}

fn is_ref(text: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let own = match text.strip_prefix('f') {
        Some(rest) => match rest.split_once('e') {
            Some((frame, own)) if digits(frame) => own,
            _ => return false,
        },
        None => match text.strip_prefix('e') {
            Some(own) => own,
            None => return false,
        },
    };
    digits(own)
}

/// Parses selector syntax, `depth` levels inside other selectors.
pub(super) fn selector(text: &str, depth: usize) -> Result<Selector, LocatorError> {
    if depth > MAX_DEPTH {
        return Err(LocatorError::TooComplex("selectors nested too deeply"));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut capture = None;
    for piece in split(text) {
        let (name, body) = engine_of(piece);
        let (name, captures) = match name.strip_prefix('*') {
            Some(name) => (name, true),
            None => (name, false),
        };
        if captures && capture.replace(parts.len()).is_some() {
            return Err(LocatorError::Syntax(
                "Only one of the selectors can capture using * modifier".into(),
            ));
        }
        let part = part(name, body, text, depth)?;
        if parts.is_empty() && part.nested().is_some() {
            return Err(LocatorError::Malformed(format!(
                "\"{}\" selector cannot be first",
                part.engine()
            )));
        }
        let part = without_shared_frames(part, &parts);
        parts.push(part);
    }
    if let Some(index) = capture {
        parts = capture_at(parts, index)?;
    }
    Ok(Selector::new(parts))
}

/// `*a >> b`: elements `a` that have `b`.
fn capture_at(mut parts: Vec<Part>, index: usize) -> Result<Vec<Part>, LocatorError> {
    let rest = parts.split_off(index + 1);
    if rest.is_empty() {
        return Ok(parts);
    }
    if parts
        .iter()
        .chain(&rest)
        .any(|part| matches!(part, Part::Nth(_)))
    {
        return Err(LocatorError::Syntax(
            "Can't query n-th element in a request with the capture.".into(),
        ));
    }
    if rest.contains(&Part::EnterFrame) {
        return Err(LocatorError::Syntax(
            "Can not capture the selector before diving into the frame. Only use * after the last frame has been selected.".into(),
        ));
    }
    parts.push(Part::Has(Selector::new(rest)));
    Ok(parts)
}

/// A nested selector may repeat the frame path of its surroundings.
fn without_shared_frames(part: Part, before: &[Part]) -> Part {
    let strip = |mut inner: Selector| {
        if let Some(last) = inner.parts.iter().rposition(|p| *p == Part::EnterFrame)
            && before.get(..=last) == Some(&inner.parts[..=last])
        {
            inner.parts.drain(..=last);
        }
        inner
    };
    match part {
        Part::Has(inner) => Part::Has(strip(inner)),
        Part::HasNot(inner) => Part::HasNot(strip(inner)),
        Part::And(inner) => Part::And(strip(inner)),
        Part::Or(inner) => Part::Or(strip(inner)),
        Part::Chain(inner) => Part::Chain(strip(inner)),
        other => other,
    }
}

/// Cuts at `>>` outside quotes.
fn split(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut quote = None;
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            c if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if quote.is_none() && !in_bare_text(&text[start..at]) => {
                quote = Some(c);
            }
            '>' if quote.is_none() && chars.peek().is_some_and(|(_, c)| *c == '>') => {
                chars.next();
                pieces.push(&text[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

/// `text=it's`: a quote after other text is an apostrophe.
fn in_bare_text(prefix: &str) -> bool {
    prefix
        .trim_start()
        .strip_prefix("text")
        .and_then(|rest| rest.trim_start().strip_prefix('='))
        .is_some_and(|body| !body.is_empty())
}

fn engine_of(piece: &str) -> (&str, &str) {
    let piece = crate::dom::js_trim(piece);
    if let Some((name, body)) = piece.split_once('=') {
        let name = name.trim();
        let valid = |c: char| c.is_ascii_alphanumeric() || "_-+:*".contains(c);
        if !name.is_empty() && name.chars().all(valid) {
            return (name, body);
        }
    }
    let quoted = |quote| piece.len() > 1 && piece.starts_with(quote) && piece.ends_with(quote);
    if quoted('"') || quoted('\'') {
        ("text", piece)
    } else if piece.trim_start_matches('(').starts_with("//") || piece.starts_with("..") {
        ("xpath", piece)
    } else {
        ("css", piece)
    }
}

/// The text as Playwright repeats it: without spaces around engine names.
fn canonical(text: &str) -> String {
    let pieces = split(text).into_iter().map(|piece| match engine_of(piece) {
        ("css" | "xpath", body) => body.to_owned(),
        (name, body) => format!("{name}={body}"),
    });
    pieces.collect::<Vec<_>>().join(" >> ")
}

fn part(name: &str, body: &str, whole: &str, depth: usize) -> Result<Part, LocatorError> {
    let malformed = || LocatorError::Malformed(format!("{name}={body}"));
    let nested = || nested(name, body, depth);
    Ok(match name {
        "css" => Part::css(body.trim())?,
        "css:light" => Part::css(&format!(":light({})", body.trim()))?,
        "xpath" | "xpath:light" => Part::XPath(XPath::parse(body.trim())?),
        "text" | "text:light" => Part::LegacyText {
            source: body.to_owned(),
            pattern: legacy_text(body.trim())?,
        },
        "id" | "data-testid" | "data-test-id" | "data-test" | "id:light" | "data-testid:light"
        | "data-test-id:light" | "data-test:light" => Part::LegacyAttribute {
            engine: name.to_owned(),
            value: body.to_owned(),
        },
        "role" => Part::LegacyRole {
            source: body.to_owned(),
            query: role(body, false)?,
        },
        "nth" => Part::Nth(nth(body.trim()).ok_or_else(malformed)?),
        "visible" => Part::Visible(match body.trim() {
            "true" => true,
            "false" => false,
            _ => return Err(malformed()),
        }),
        "aria-ref" => Part::AriaRef(body.to_owned()),
        "internal:role" => Part::Role(role(body, true)?),
        "internal:text" => Part::Text(text_body(body)?),
        "internal:label" => Part::Label(text_body(body)?),
        "internal:has-text" => Part::HasText(text_body(body)?),
        "internal:has-not-text" => Part::HasNotText(text_body(body)?),
        "internal:testid" => {
            let (names, value) = named_attribute(body)?;
            Part::TestId {
                attributes: names
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .collect(),
                value,
            }
        }
        "internal:attr" => {
            let (name, value) = named_attribute(body)?;
            Part::Attribute { name, value }
        }
        "internal:has" => Part::Has(nested()?),
        "internal:has-not" => Part::HasNot(nested()?),
        "internal:and" => Part::And(nested()?),
        "internal:or" => Part::Or(nested()?),
        "internal:chain" => Part::Chain(nested()?),
        "internal:control" if body == "enter-frame" => Part::EnterFrame,
        "internal:describe" => Part::Describe(serde_json::from_str(body).map_err(|_| malformed())?),
        _ => {
            return Err(LocatorError::UnknownEngine {
                engine: name.to_owned(),
                selector: canonical(whole),
            });
        }
    })
}

/// A selector as a JSON string.
fn nested(name: &str, body: &str, depth: usize) -> Result<Selector, LocatorError> {
    let malformed = |_| LocatorError::Malformed(format!("{name}={body}"));
    let inner: String = serde_json::from_str(body).map_err(malformed)?;
    selector(&inner, depth + 1)
}

fn nth(body: &str) -> Option<i64> {
    let number = crate::dom::js_number(body)?;
    // Positions are exact far beyond the size of any document.
    (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
}

/// A `/source/flags` body. Only the outermost slashes count, as upstream.
fn slashed(body: &str) -> Option<(&str, &str)> {
    let rest = body.strip_prefix('/')?;
    rest.rsplit_once('/')
}

fn text_body(body: &str) -> Result<TextPattern, LocatorError> {
    if let Some((source, flags)) = slashed(body) {
        return Ok(TextPattern::Regex(JsRegex::new(source, flags)?));
    }
    let unquote = |literal: &str| {
        serde_json::from_str::<String>(literal)
            .map_err(|_| LocatorError::Malformed(body.to_owned()))
    };
    if !body.starts_with('"') {
        return Ok(TextPattern::Contains(body.to_owned()));
    }
    match body.strip_suffix('i') {
        Some(literal) => Ok(TextPattern::Contains(unquote(literal)?)),
        None => Ok(TextPattern::Equals(unquote(
            body.strip_suffix('s').unwrap_or(body),
        )?)),
    }
}

fn legacy_text(body: &str) -> Result<LegacyText, LocatorError> {
    if let Some((source, flags)) = slashed(body) {
        return Ok(LegacyText::Regex(JsRegex::new(source, flags)?));
    }
    let quoted = ['"', '\''].into_iter().find_map(|quote| {
        let inner = body.strip_prefix(quote)?.strip_suffix(quote)?;
        let mut text = String::with_capacity(inner.len());
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            text.extend(if c == '\\' { chars.next() } else { Some(c) });
        }
        Some(LegacyText::NodeEquals(text))
    });
    Ok(quoted.unwrap_or_else(|| LegacyText::Contains(body.to_owned())))
}

fn named_attribute(body: &str) -> Result<(String, TextPattern), LocatorError> {
    let malformed = || LocatorError::Syntax(format!("Malformed attribute selector: {body}"));
    let (name, mut tests) = attributes::parse(body, true)?;
    let test = tests.pop().filter(|_| name.is_empty() && tests.is_empty());
    let test = test.ok_or_else(malformed)?;
    let pattern = test.pattern().ok_or_else(malformed)?;
    Ok((test.name, pattern))
}

const CHECKED_ROLES: [&str; 7] = [
    "checkbox",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "switch",
    "treeitem",
];
const EXPANDED_ROLES: [&str; 15] = [
    "application",
    "button",
    "checkbox",
    "columnheader",
    "combobox",
    "gridcell",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "row",
    "rowheader",
    "switch",
    "tab",
];
const LEVEL_ROLES: [&str; 4] = ["heading", "listitem", "row", "treeitem"];
const PRESSED_ROLES: [&str; 1] = ["button"];
const SELECTED_ROLES: [&str; 7] = [
    "columnheader",
    "gridcell",
    "option",
    "row",
    "rowheader",
    "tab",
    "treeitem",
];

/// The body of a role engine.
fn role(body: &str, internal: bool) -> Result<RoleQuery, LocatorError> {
    let (role, tests) = attributes::parse(body, internal)?;
    if role.is_empty() {
        return Err(LocatorError::Syntax("Role must not be empty".into()));
    }
    let mut query = RoleQuery::new(&role, None);
    for test in tests {
        match test.name.as_str() {
            "name" => query.name = Some(named(test)?),
            "description" => query.description = Some(named(test)?),
            _ => query.states.push(role_state(&role, &test)?),
        }
    }
    Ok(query)
}

fn named(test: AttributeTest) -> Result<AttributeTest, LocatorError> {
    if test.operator == Operator::Truthy {
        return Err(LocatorError::Syntax(format!(
            "\"{}\" attribute must have a value",
            test.name
        )));
    }
    if test.pattern().is_none() {
        return Err(LocatorError::Syntax(format!(
            "\"{}\" attribute must be a string or a regular expression",
            test.name
        )));
    }
    Ok(test)
}

/// Turns one bracket of a role body into a state, checking that the role has
/// such a state.
pub(super) fn role_state(role: &str, test: &AttributeTest) -> Result<RoleState, LocatorError> {
    let name = test.name.as_str();
    let only_for = |roles: &[&str]| {
        if roles.contains(&role) {
            return Ok(());
        }
        let roles: Vec<String> = roles.iter().map(|role| format!("\"{role}\"")).collect();
        Err(LocatorError::Syntax(format!(
            "\"{name}\" attribute is only supported for roles: {}",
            roles.join(", ")
        )))
    };
    let one_of = |values: &str| LocatorError::Syntax(format!("\"{name}\" must be one of {values}"));
    if !matches!(test.operator, Operator::Truthy | Operator::Equals) {
        return Err(LocatorError::Syntax(format!(
            "\"{name}\" does not support \"{}\" matcher",
            test.operator
        )));
    }
    let truth = || match &test.value {
        AttributeValue::None => Ok(true),
        AttributeValue::Bool(value) => Ok(*value),
        _ => Err(one_of("true, false")),
    };
    let tristate = || match &test.value {
        AttributeValue::None | AttributeValue::Bool(true) => Ok(Tristate::True),
        AttributeValue::Bool(false) => Ok(Tristate::False),
        AttributeValue::Text(text) if text == "mixed" => Ok(Tristate::Mixed),
        _ => Err(one_of("true, false, \"mixed\"")),
    };
    Ok(match name {
        "checked" => {
            only_for(&CHECKED_ROLES)?;
            RoleState::Checked(tristate()?)
        }
        "pressed" => {
            only_for(&PRESSED_ROLES)?;
            RoleState::Pressed(tristate()?)
        }
        "selected" => {
            only_for(&SELECTED_ROLES)?;
            RoleState::Selected(truth()?)
        }
        "expanded" => {
            only_for(&EXPANDED_ROLES)?;
            RoleState::Expanded(truth()?)
        }
        "level" => {
            only_for(&LEVEL_ROLES)?;
            let number = match &test.value {
                AttributeValue::Number(number) => Some(*number),
                AttributeValue::Text(text) => crate::dom::js_number(text),
                _ => None,
            };
            RoleState::Level(number.ok_or_else(|| {
                LocatorError::Syntax("\"level\" attribute must be compared to a number".into())
            })?)
        }
        "disabled" => RoleState::Disabled(truth()?),
        "include-hidden" => RoleState::IncludeHidden(truth()?),
        _ => {
            return Err(LocatorError::Syntax(format!(
                "Unknown attribute \"{name}\", must be one of \"checked\", \"description\", \"disabled\", \"expanded\", \"include-hidden\", \"level\", \"name\", \"pressed\", \"selected\"."
            )));
        }
    })
}
