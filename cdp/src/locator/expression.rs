//! JavaScript locator expressions: `getByRole('row').filter({ hasText: /x/ })`.
//!
//! Only locator methods and literals are understood; nothing is evaluated.

use super::attributes::{AttributeTest, AttributeValue, Operator};
use super::literal;
use super::parse::{MAX_DEPTH, role_state, selector};
use super::selector::{Part, RoleQuery, Selector, TextPattern};
use super::{JsRegex, LocatorError};

/// Test id attribute of `getByTestId`.
const DEFAULT_TEST_ID: &str = "data-testid";

const METHODS: [&str; 17] = [
    "locator",
    "filter",
    "and",
    "or",
    "frameLocator",
    "contentFrame",
    "first",
    "last",
    "nth",
    "visible",
    "getByRole",
    "getByText",
    "getByLabel",
    "getByTestId",
    "getByAltText",
    "getByPlaceholder",
    "getByTitle",
];

/// Why a text is no usable locator expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Failure {
    /// It is not one; says what was expected where.
    Form(String),
    /// It is one, but asks for something impossible.
    Meaning(LocatorError),
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure::Form(text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Self {
        Failure::Form(text.to_owned())
    }
}

impl From<LocatorError> for Failure {
    fn from(error: LocatorError) -> Self {
        match error.is_syntax() {
            true => Failure::Form(error.to_string()),
            false => Failure::Meaning(error),
        }
    }
}

/// Parses a chain of locator calls, without `page.` in front.
pub(super) fn parse(text: &str) -> Result<Selector, Failure> {
    let mut parser = Parser {
        chars: text.chars().collect(),
        pos: 0,
        depth: 0,
    };
    let selector = parser.chain()?;
    parser.skip_space();
    if parser.pos < parser.chars.len() {
        return Err(parser.expected("the end of the locator").into());
    }
    Ok(selector)
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Text(String),
    Regex(JsRegex),
    Number(f64),
    Bool(bool),
    Object(Vec<(String, Value)>),
    Locator(Selector),
}

type Parsed<T> = Result<T, Failure>;

struct Parser {
    chars: Vec<char>,
    pos: usize,
    depth: usize,
}

impl Parser {
    fn skip_space(&mut self) {
        while self
            .chars
            .get(self.pos)
            .is_some_and(|c| crate::dom::is_js_space(*c))
        {
            self.pos += 1;
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.chars.get(self.pos).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.pos += usize::from(found);
        found
    }

    fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) {
            Ok(())
        } else {
            Err(self.expected(&format!("\"{c}\"")).into())
        }
    }

    fn expected(&mut self, what: &str) -> String {
        match self.peek() {
            Some(c) => format!("expected {what} at position {}, found \"{c}\".", self.pos),
            None => format!("expected {what} at the end."),
        }
    }

    fn identifier(&mut self) -> Option<String> {
        self.skip_space();
        let start = self.pos;
        let valid = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '$';
        while self.chars.get(self.pos).is_some_and(valid) {
            self.pos += 1;
        }
        let name: String = self.chars[start..self.pos].iter().collect();
        (!name.is_empty()).then_some(name)
    }

    fn chain(&mut self) -> Parsed<Selector> {
        if self.depth >= MAX_DEPTH {
            return Err("locators are nested too deeply.".into());
        }
        self.depth += 1;
        let mut chain = Selector::default();
        loop {
            let Some(method) = self.identifier() else {
                return Err(self.expected("a locator method").into());
            };
            if !METHODS.contains(&method.as_str()) {
                return Err(match method.as_str() {
                    "page" | "await" => format!("leave out \"{method}\" in front of the locator."),
                    _ => format!("\"{method}\" is no locator method."),
                }
                .into());
            }
            let arguments = self.arguments()?;
            call(&mut chain.parts, &method, arguments)?;
            if !self.eat('.') {
                break;
            }
        }
        self.depth -= 1;
        Ok(chain)
    }

    fn arguments(&mut self) -> Parsed<Vec<Value>> {
        self.expect('(')?;
        let mut arguments = Vec::new();
        while !self.eat(')') {
            arguments.push(self.value()?);
            if !self.eat(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(arguments)
    }

    fn value(&mut self) -> Parsed<Value> {
        match self.peek() {
            Some('\'' | '"' | '`') => Ok(Value::Text(self.string()?)),
            Some('/') => match literal::regex(&self.chars, self.pos) {
                Some((source, flags, end)) => {
                    self.pos = end;
                    Ok(Value::Regex(JsRegex::new(&source, &flags)?))
                }
                None => Err("unterminated regular expression.".into()),
            },
            Some('{') => self.object(),
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            _ => {
                let start = self.pos;
                match self.identifier().as_deref() {
                    Some("true") => Ok(Value::Bool(true)),
                    Some("false") => Ok(Value::Bool(false)),
                    _ => {
                        self.pos = start;
                        self.chain().map(Value::Locator)
                    }
                }
            }
        }
    }

    fn string(&mut self) -> Parsed<String> {
        match literal::string(&self.chars, self.pos) {
            Some((text, end)) => {
                self.pos = end;
                Ok(text)
            }
            None => Err(self.expected("a closed string").into()),
        }
    }

    fn number(&mut self) -> Parsed<Value> {
        let start = self.pos;
        let valid = |c: &char| c.is_ascii_digit() || matches!(c, '-' | '.');
        while self.chars.get(self.pos).is_some_and(valid) {
            self.pos += 1;
        }
        let text: String = self.chars[start..self.pos].iter().collect();
        text.parse()
            .map(Value::Number)
            .map_err(|_| format!("\"{text}\" is no number.").into())
    }

    fn object(&mut self) -> Parsed<Value> {
        if self.depth >= MAX_DEPTH {
            return Err("options are nested too deeply.".into());
        }
        self.depth += 1;
        self.expect('{')?;
        let mut entries = Vec::new();
        while !self.eat('}') {
            let key = match self.peek() {
                Some('\'' | '"') => self.string()?,
                _ => match self.identifier() {
                    Some(key) => key,
                    None => return Err(self.expected("an option name").into()),
                },
            };
            self.expect(':')?;
            entries.push((key, self.value()?));
            if !self.eat(',') {
                self.expect('}')?;
                break;
            }
        }
        self.depth -= 1;
        Ok(Value::Object(entries))
    }
}

fn call(parts: &mut Vec<Part>, method: &str, arguments: Vec<Value>) -> Parsed<()> {
    let count = arguments.len();
    let mut arguments = arguments.into_iter();
    let first = arguments.next();
    let second = arguments.next();
    let options = |value: Option<Value>| match value {
        None => Ok(Vec::new()),
        Some(Value::Object(entries)) => Ok(entries),
        Some(_) => Err(Failure::Form(format!(
            "{method}() takes an options object."
        ))),
    };
    let wrong = || Failure::Form(format!("{method}() got arguments it does not take."));
    let limit = match method {
        "locator" | "getByRole" | "getByText" | "getByLabel" | "getByAltText"
        | "getByPlaceholder" | "getByTitle" => 2,
        "first" | "last" | "contentFrame" | "visible" => 0,
        _ => 1,
    };
    if count > limit {
        return Err(wrong());
    }
    match method {
        "locator" => {
            match first {
                Some(Value::Text(text)) => parts.extend(parse_inner(&text)?.parts),
                Some(Value::Locator(inner)) if parts.is_empty() => parts.extend(inner.parts),
                Some(Value::Locator(inner)) => parts.push(Part::Chain(inner)),
                _ => return Err(wrong()),
            }
            filter(parts, options(second)?)?;
        }
        "frameLocator" => match first {
            Some(Value::Text(text)) => {
                parts.extend(parse_inner(&text)?.parts);
                parts.push(Part::EnterFrame);
            }
            _ => return Err(wrong()),
        },
        // first(), last() and nth() of a frame locator choose among frames.
        "first" => frame_aware(parts, Part::Nth(0)),
        "last" => frame_aware(parts, Part::Nth(-1)),
        "nth" => match first {
            Some(Value::Number(index)) if index.fract() == 0.0 && index.abs() < 1e15 => {
                frame_aware(parts, Part::Nth(index as i64));
            }
            _ => return Err(wrong()),
        },
        "contentFrame" => parts.push(Part::EnterFrame),
        "visible" => parts.push(Part::Visible(true)),
        "filter" => filter(parts, options(first)?)?,
        "and" | "or" => match first {
            Some(Value::Locator(inner)) if method == "and" => parts.push(Part::And(inner)),
            Some(Value::Locator(inner)) => parts.push(Part::Or(inner)),
            _ => return Err(wrong()),
        },
        "getByRole" => match first {
            Some(Value::Text(role)) => parts.push(Part::Role(role_query(role, options(second)?)?)),
            _ => return Err(wrong()),
        },
        "getByTestId" => parts.push(Part::TestId {
            attributes: vec![DEFAULT_TEST_ID.to_owned()],
            value: pattern(first.ok_or_else(wrong)?, true).ok_or_else(wrong)?,
        }),
        "getByText" | "getByLabel" | "getByAltText" | "getByPlaceholder" | "getByTitle" => {
            let mut exact = false;
            for (key, value) in options(second)? {
                match (key.as_str(), value) {
                    ("exact", Value::Bool(value)) => exact = value,
                    (key, _) => return Err(unknown_option(method, key)),
                }
            }
            let value = pattern(first.ok_or_else(wrong)?, exact).ok_or_else(wrong)?;
            let attribute = |name: &str| Part::Attribute {
                name: name.to_owned(),
                value: value.clone(),
            };
            parts.push(match method {
                "getByText" => Part::Text(value),
                "getByLabel" => Part::Label(value),
                "getByAltText" => attribute("alt"),
                "getByPlaceholder" => attribute("placeholder"),
                _ => attribute("title"),
            });
        }
        _ => return Err(format!("\"{method}\" is no locator method.").into()),
    }
    if parts.len() == 1 && parts[0].nested().is_some() {
        return Err(format!("{method}() cannot come first.").into());
    }
    Ok(())
}

fn parse_inner(text: &str) -> Parsed<Selector> {
    Ok(selector(text, 1)?)
}

fn frame_aware(parts: &mut Vec<Part>, part: Part) {
    if parts.last() == Some(&Part::EnterFrame) {
        parts.insert(parts.len() - 1, part);
    } else {
        parts.push(part);
    }
}

fn unknown_option(method: &str, key: &str) -> Failure {
    Failure::Form(format!(
        "{method}() has no option \"{key}\", or not with this value."
    ))
}

fn pattern(value: Value, exact: bool) -> Option<TextPattern> {
    match value {
        Value::Text(text) if exact => Some(TextPattern::Equals(text)),
        Value::Text(text) => Some(TextPattern::Contains(text)),
        Value::Regex(regex) => Some(TextPattern::Regex(regex)),
        _ => None,
    }
}

fn filter(parts: &mut Vec<Part>, options: Vec<(String, Value)>) -> Parsed<()> {
    for (key, value) in options {
        parts.push(match (key.as_str(), value) {
            ("hasText", value @ (Value::Text(_) | Value::Regex(_))) => {
                match pattern(value, false) {
                    Some(pattern) => Part::HasText(pattern),
                    None => return Err(unknown_option("filter", &key)),
                }
            }
            ("hasNotText", value @ (Value::Text(_) | Value::Regex(_))) => {
                match pattern(value, false) {
                    Some(pattern) => Part::HasNotText(pattern),
                    None => return Err(unknown_option("filter", &key)),
                }
            }
            ("has", Value::Locator(inner)) => Part::Has(inner),
            ("hasNot", Value::Locator(inner)) => Part::HasNot(inner),
            ("visible", Value::Bool(visible)) => Part::Visible(visible),
            _ => return Err(unknown_option("filter", &key)),
        });
    }
    Ok(())
}

fn role_query(role: String, options: Vec<(String, Value)>) -> Parsed<RoleQuery> {
    let exact = options
        .iter()
        .any(|(key, value)| key == "exact" && *value == Value::Bool(true));
    let mut query = RoleQuery::new(&role, None);
    for (key, value) in options {
        let name = match key.as_str() {
            "exact" if matches!(value, Value::Bool(_)) => continue,
            "name" | "description" => {
                let pattern =
                    pattern(value, exact).ok_or_else(|| unknown_option("getByRole", &key))?;
                let test = AttributeTest::from_pattern(&key, pattern);
                if key == "name" {
                    query.name = Some(test);
                } else {
                    query.description = Some(test);
                }
                continue;
            }
            "includeHidden" => "include-hidden",
            "checked" | "disabled" | "expanded" | "level" | "pressed" | "selected" => key.as_str(),
            _ => return Err(unknown_option("getByRole", &key)),
        };
        let value = match value {
            Value::Text(text) => AttributeValue::Text(text),
            Value::Number(number) => AttributeValue::Number(number),
            Value::Bool(value) => AttributeValue::Bool(value),
            _ => return Err(unknown_option("getByRole", &key)),
        };
        let test = AttributeTest {
            name: name.to_owned(),
            operator: Operator::Equals,
            value,
            case_sensitive: true,
        };
        query.states.push(role_state(&role, &test)?);
    }
    Ok(query)
}
