//! `role[name="x"i][level=2]`: the attribute syntax of role, test id and
//! attribute engines.

use std::fmt;

use super::selector::TextPattern;
use super::{JsRegex, LocatorError};

/// One bracket.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AttributeTest {
    pub name: String,
    pub operator: Operator,
    pub value: AttributeValue,
    pub case_sensitive: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// No operator: `[checked]`.
    Truthy,
    Equals,
    Substring,
    Prefix,
    Suffix,
    Dash,
    Includes,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum AttributeValue {
    None,
    Text(String),
    Bool(bool),
    Number(f64),
    Regex(JsRegex),
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Truthy => "<truthy>",
            Operator::Equals => "=",
            Operator::Substring => "*=",
            Operator::Prefix => "^=",
            Operator::Suffix => "$=",
            Operator::Dash => "|=",
            Operator::Includes => "~=",
        })
    }
}

impl fmt::Display for AttributeValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttributeValue::None => f.write_str("null"),
            AttributeValue::Text(text) => f.write_str(text),
            AttributeValue::Bool(value) => write!(f, "{value}"),
            AttributeValue::Number(value) => write!(f, "{value}"),
            AttributeValue::Regex(regex) => write!(f, "{regex}"),
        }
    }
}

impl AttributeTest {
    pub(super) fn from_pattern(name: &str, pattern: TextPattern) -> Self {
        let case_sensitive = !matches!(pattern, TextPattern::Contains(_));
        Self {
            name: name.to_owned(),
            operator: Operator::Equals,
            value: match pattern {
                TextPattern::Contains(text) | TextPattern::Equals(text) => {
                    AttributeValue::Text(text)
                }
                TextPattern::Regex(regex) => AttributeValue::Regex(regex),
            },
            case_sensitive,
        }
    }

    /// The test as a pattern; None if it has no text value.
    pub(super) fn pattern(&self) -> Option<TextPattern> {
        match &self.value {
            AttributeValue::Text(text) if self.case_sensitive => {
                Some(TextPattern::Equals(text.clone()))
            }
            AttributeValue::Text(text) => Some(TextPattern::Contains(text.clone())),
            AttributeValue::Regex(regex) => Some(TextPattern::Regex(regex.clone())),
            _ => None,
        }
    }
}

/// Parses `name[attr…]…`; the name may be missing.
///
/// `unquoted_texts` allows `[level=2]` to stay the text `2`; otherwise bare
/// values are booleans and numbers.
pub(super) fn parse(
    source: &str,
    unquoted_texts: bool,
) -> Result<(String, Vec<AttributeTest>), LocatorError> {
    let mut reader = Reader {
        source,
        chars: source.chars().collect(),
        pos: 0,
    };
    let name = reader.identifier();
    reader.skip_space();
    let mut tests = Vec::new();
    while reader.peek() == Some('[') {
        tests.push(reader.test(unquoted_texts)?);
        reader.skip_space();
    }
    if reader.peek().is_some() {
        return Err(reader.error(""));
    }
    if name.is_empty() && tests.is_empty() {
        return Err(LocatorError::Syntax(format!(
            "Error while parsing selector `{source}` - selector cannot be empty"
        )));
    }
    Ok((name, tests))
}

struct Reader<'a> {
    source: &'a str,
    chars: Vec<char>,
    pos: usize,
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-' || !c.is_ascii()
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.pos).copied()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += 1;
        Some(c)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(crate::dom::is_js_space) {
            self.pos += 1;
        }
    }

    fn error(&self, stage: &str) -> LocatorError {
        let source = self.source;
        LocatorError::Syntax(match self.peek() {
            None => format!("Unexpected end of selector while parsing selector `{source}`"),
            Some(c) => {
                let during = if stage.is_empty() {
                    String::new()
                } else {
                    format!(" during {stage}")
                };
                format!(
                    "Error while parsing selector `{source}` - unexpected symbol \"{c}\" at position {}{during}",
                    self.pos
                )
            }
        })
    }

    fn identifier(&mut self) -> String {
        self.skip_space();
        let start = self.pos;
        while self.peek().is_some_and(is_name) {
            self.pos += 1;
        }
        self.chars[start..self.pos].iter().collect()
    }

    fn quoted(&mut self) -> Result<String, LocatorError> {
        let quote = self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                None => return Err(self.error("parsing quoted string")),
                c if c == quote => return Ok(text),
                Some('\\') => match self.bump() {
                    Some(c) => text.push(c),
                    None => return Err(self.error("parsing quoted string")),
                },
                Some(c) => text.push(c),
            }
        }
    }

    fn is_quote(&self) -> bool {
        matches!(self.peek(), Some('"' | '\''))
    }

    fn path(&mut self) -> Result<String, LocatorError> {
        let mut path = String::new();
        loop {
            self.skip_space();
            let step = if self.is_quote() {
                self.quoted()?
            } else {
                self.identifier()
            };
            if step.is_empty() {
                return Err(self.error("parsing property path"));
            }
            path.push_str(&step);
            self.skip_space();
            // Commas join the attributes of a test id query.
            match self.peek() {
                Some(c @ ('.' | ',')) => path.push(c),
                _ => return Ok(path),
            }
            self.pos += 1;
        }
    }

    fn operator(&mut self) -> Result<Operator, LocatorError> {
        self.skip_space();
        let operator = match self.peek() {
            Some('=') => Operator::Equals,
            Some('*') => Operator::Substring,
            Some('^') => Operator::Prefix,
            Some('$') => Operator::Suffix,
            Some('|') => Operator::Dash,
            Some('~') => Operator::Includes,
            _ => return Err(self.error("parsing operator")),
        };
        self.pos += 1;
        if operator != Operator::Equals {
            if self.peek() != Some('=') {
                return Err(self.error("parsing operator"));
            }
            self.pos += 1;
        }
        Ok(operator)
    }

    fn test(&mut self, unquoted_texts: bool) -> Result<AttributeTest, LocatorError> {
        self.pos += 1;
        let name = self.path()?;
        let mut test = AttributeTest {
            name,
            operator: Operator::Truthy,
            value: AttributeValue::None,
            case_sensitive: false,
        };
        if self.peek() == Some(']') {
            self.pos += 1;
            return Ok(test);
        }
        test.operator = self.operator()?;
        test.case_sensitive = true;
        self.skip_space();
        if self.peek() == Some('/') {
            if test.operator != Operator::Equals {
                return Err(LocatorError::Syntax(format!(
                    "Error while parsing selector `{}` - cannot use {} in attribute with regular expression",
                    self.source, test.operator
                )));
            }
            test.value = AttributeValue::Regex(self.regex()?);
        } else if self.is_quote() {
            test.value = AttributeValue::Text(self.quoted()?);
            self.skip_space();
            match self.peek() {
                Some('i' | 'I') => {
                    test.case_sensitive = false;
                    self.pos += 1;
                }
                Some('s' | 'S') => self.pos += 1,
                _ => {}
            }
        } else {
            test.value = self.bare_value(unquoted_texts)?;
        }
        self.skip_space();
        if self.peek() != Some(']') {
            return Err(self.error("parsing attribute value"));
        }
        self.pos += 1;
        if test.operator != Operator::Equals && !matches!(test.value, AttributeValue::Text(_)) {
            return Err(LocatorError::Syntax(format!(
                "Error while parsing selector `{}` - cannot use {} in attribute with non-string matching value - {}",
                self.source, test.operator, test.value
            )));
        }
        Ok(test)
    }

    fn bare_value(&mut self, unquoted_texts: bool) -> Result<AttributeValue, LocatorError> {
        let start = self.pos;
        while self
            .peek()
            .is_some_and(|c| is_name(c) || c == '+' || c == '.')
        {
            self.pos += 1;
        }
        let text: String = self.chars[start..self.pos].iter().collect();
        Ok(match text.as_str() {
            "true" => AttributeValue::Bool(true),
            "false" => AttributeValue::Bool(false),
            _ if unquoted_texts => AttributeValue::Text(text),
            _ => match crate::dom::js_number(&text) {
                Some(number) => AttributeValue::Number(number),
                None => return Err(self.error("parsing attribute value")),
            },
        })
    }

    fn regex(&mut self) -> Result<JsRegex, LocatorError> {
        match super::literal::regex(&self.chars, self.pos) {
            Some((source, flags, end)) => {
                self.pos = end;
                JsRegex::new(&source, &flags)
            }
            None => {
                self.pos = self.chars.len();
                Err(self.error("parsing regular expression"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(source: &str) -> AttributeTest {
        parse(source, true).unwrap().1.remove(0)
    }

    #[test]
    fn values() {
        let test = one(r#"button[name="a\"b"i]"#);
        assert_eq!(test.value, AttributeValue::Text("a\"b".into()));
        assert!(!test.case_sensitive);
        assert!(one(r#"[x="a"s]"#).case_sensitive);
        assert_eq!(one("[checked]").operator, Operator::Truthy);
        assert_eq!(one("[level=2]").value, AttributeValue::Text("2".into()));
        assert_eq!(
            parse("a[level=2]", false).unwrap().1[0].value,
            AttributeValue::Number(2.0)
        );
        assert_eq!(one("[a = true ]").value, AttributeValue::Bool(true));
        let AttributeValue::Regex(regex) = one("[name=/a[/]b\\/]/i]").value else {
            panic!();
        };
        assert_eq!(regex.to_string(), "/a[/]b\\/]/i");
        assert_eq!(one("['a b'.c=x]").name, "a b.c");
        assert_eq!(one("[data-a,data-b='x']").name, "data-a,data-b");
    }

    #[test]
    fn errors_name_the_place() {
        let message = |source: &str| parse(source, true).unwrap_err().to_string();
        assert_eq!(
            message("button[name"),
            "Unexpected end of selector while parsing selector `button[name`"
        );
        assert_eq!(
            message("button[name?]"),
            "Error while parsing selector `button[name?]` - unexpected symbol \"?\" at position 11 during parsing operator"
        );
        assert_eq!(
            message("button!"),
            "Error while parsing selector `button!` - unexpected symbol \"!\" at position 6"
        );
        assert_eq!(
            message(""),
            "Error while parsing selector `` - selector cannot be empty"
        );
        assert!(message("[a*=/x/]").contains("cannot use *= in attribute with regular expression"));
    }
}
