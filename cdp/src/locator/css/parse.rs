//! Text → [`SelectorList`].

use super::token::{Spanned, Token, tokenize};
use super::{
    AttributeOperator, AttributeSelector, Combinator, Complex, Compound, PseudoClass, SelectorList,
    Simple,
};
use crate::locator::LocatorError;

/// Attributes whose values HTML compares without case
/// (HTML Living Standard, "Case-sensitivity of selectors").
const CASELESS_ATTRIBUTES: [&str; 46] = [
    "accept",
    "accept-charset",
    "align",
    "alink",
    "axis",
    "bgcolor",
    "charset",
    "checked",
    "clear",
    "codetype",
    "color",
    "compact",
    "declare",
    "defer",
    "dir",
    "direction",
    "disabled",
    "enctype",
    "face",
    "frame",
    "hreflang",
    "http-equiv",
    "lang",
    "language",
    "link",
    "media",
    "method",
    "multiple",
    "nohref",
    "noresize",
    "noshade",
    "nowrap",
    "readonly",
    "rel",
    "rev",
    "rules",
    "scope",
    "scrolling",
    "selected",
    "shape",
    "target",
    "text",
    "type",
    "valign",
    "valuetype",
    "vlink",
];

/// Parses a selector list.
///
/// # Errors
/// The two token errors for broken syntax; other variants of [`LocatorError`]
/// for well-formed selectors that mean nothing.
pub(in crate::locator) fn parse(source: &str) -> Result<SelectorList, LocatorError> {
    let tokens = tokenize(source);
    if let Some(bad) = tokens.iter().find(|t| t.token == Token::Unsupported) {
        return Err(LocatorError::UnsupportedToken {
            token: source[bad.span.clone()].to_owned(),
            selector: source.to_owned(),
        });
    }
    let mut parser = Parser {
        source,
        tokens,
        pos: 0,
        depth: 0,
    };
    let list = parser.list()?;
    if parser.peek().is_some() {
        return Err(parser.unexpected());
    }
    Ok(list)
}

pub(super) struct Parser<'a> {
    pub source: &'a str,
    pub tokens: Vec<Spanned>,
    pub pos: usize,
    /// Pseudo-class arguments around the current position.
    pub depth: usize,
}

pub(super) type Parsed<T> = Result<T, LocatorError>;

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.pos).map(|t| &t.token)
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.pos)?.token.clone();
        self.pos += 1;
        Some(token)
    }

    pub(super) fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.pos += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, token: &Token) -> Parsed<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn skip_space(&mut self) {
        while self.eat(&Token::Whitespace) {}
    }

    pub(super) fn unexpected(&self) -> LocatorError {
        let token = self
            .tokens
            .get(self.pos)
            .map_or("", |t| &self.source[t.span.clone()]);
        LocatorError::UnexpectedToken {
            token: token.to_owned(),
            selector: self.source.to_owned(),
        }
    }

    pub(super) fn list(&mut self) -> Parsed<SelectorList> {
        let mut list = Vec::new();
        loop {
            self.skip_space();
            list.push(self.complex()?);
            self.skip_space();
            if !self.eat(&Token::Comma) {
                return Ok(SelectorList(list));
            }
        }
    }

    fn combinator(&mut self) -> Option<Combinator> {
        let found = match self.peek() {
            Some(Token::Delim('>')) => Combinator::Child,
            Some(Token::Delim('+')) => Combinator::NextSibling,
            Some(Token::Delim('~')) => Combinator::LaterSibling,
            _ => return None,
        };
        self.pos += 1;
        Some(found)
    }

    fn ends_complex(&self) -> bool {
        matches!(self.peek(), None | Some(Token::Comma | Token::CloseParen))
    }

    pub(super) fn complex(&mut self) -> Parsed<Complex> {
        let mut complex = Complex {
            compounds: Vec::new(),
            combinators: Vec::new(),
        };
        if let Some(combinator) = self.combinator() {
            // A relative selector hangs on the scope.
            let scope = Simple::Pseudo(PseudoClass::Scope);
            complex.compounds.push(Compound(vec![scope]));
            complex.combinators.push(combinator);
            self.skip_space();
        }
        complex.compounds.push(self.compound()?);
        loop {
            let spaced = self.peek() == Some(&Token::Whitespace);
            self.skip_space();
            let combinator = match self.combinator() {
                Some(combinator) => combinator,
                None if self.ends_complex() => return Ok(complex),
                None if spaced => Combinator::Descendant,
                None => return Err(self.unexpected()),
            };
            self.skip_space();
            complex.combinators.push(combinator);
            complex.compounds.push(self.compound()?);
        }
    }

    fn compound(&mut self) -> Parsed<Compound> {
        let mut simples = Vec::new();
        match self.peek() {
            Some(Token::Ident(name)) => {
                simples.push(Simple::Type(name.clone()));
                self.pos += 1;
            }
            Some(Token::Delim('*')) => {
                simples.push(Simple::Universal);
                self.pos += 1;
            }
            _ => {}
        }
        loop {
            let start = self.pos;
            match self.next() {
                Some(Token::Hash(name, true)) => simples.push(Simple::Id(name)),
                Some(Token::Hash(name, false)) => {
                    let hint = format!("\"{name}\" is no identifier, write [id=\"{name}\"].");
                    return Err(self.invalid(hint));
                }
                Some(Token::Delim('.')) => match self.next() {
                    Some(Token::Ident(name)) => simples.push(Simple::Class(name)),
                    _ => {
                        self.pos = start + 1;
                        return Err(self.unexpected());
                    }
                },
                Some(Token::OpenBracket) => simples.push(self.attribute()?),
                Some(Token::Colon) => simples.push(Simple::Pseudo(self.pseudo()?)),
                _ => {
                    self.pos = start;
                    break;
                }
            }
        }
        if simples.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Compound(simples))
    }

    fn attribute(&mut self) -> Parsed<Simple> {
        self.skip_space();
        let name = match self.peek() {
            Some(Token::Ident(name)) => name.clone(),
            _ => return Err(self.unexpected()),
        };
        self.pos += 1;
        self.skip_space();
        let mut selector = AttributeSelector {
            ignore_case: CASELESS_ATTRIBUTES.contains(&name.to_ascii_lowercase().as_str()),
            name,
            test: AttributeOperator::Exists,
            value: String::new(),
        };
        if self.eat(&Token::CloseBracket) {
            return Ok(Simple::Attribute(selector));
        }
        selector.test = match self.peek() {
            Some(Token::Delim('=')) => AttributeOperator::Equals,
            Some(Token::Delim('~')) => AttributeOperator::Includes,
            Some(Token::Delim('|')) => AttributeOperator::Dash,
            Some(Token::Delim('^')) => AttributeOperator::Prefix,
            Some(Token::Delim('$')) => AttributeOperator::Suffix,
            Some(Token::Delim('*')) => AttributeOperator::Substring,
            _ => return Err(self.unexpected()),
        };
        self.pos += 1;
        if selector.test != AttributeOperator::Equals {
            self.expect(&Token::Delim('='))?;
        }
        self.skip_space();
        selector.value = match self.peek() {
            Some(Token::Ident(text) | Token::Str(text)) => text.clone(),
            _ => return Err(self.unexpected()),
        };
        self.pos += 1;
        self.skip_space();
        if let Some(Token::Ident(flag)) = self.peek() {
            selector.ignore_case = match flag.as_str() {
                "i" | "I" => true,
                "s" | "S" => false,
                _ => return Err(self.unexpected()),
            };
            self.pos += 1;
            self.skip_space();
        }
        self.expect(&Token::CloseBracket)?;
        Ok(Simple::Attribute(selector))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(source: &str) -> String {
        parse(source).unwrap_err().to_string()
    }

    #[test]
    fn shapes() {
        let list = parse("a > b.c ~ #d, e f").unwrap();
        assert_eq!(list.0.len(), 2);
        assert_eq!(
            list.0[0].combinators,
            [Combinator::Child, Combinator::LaterSibling]
        );
        assert_eq!(list.0[1].combinators, [Combinator::Descendant]);
        let relative = parse("div:has(> a)").unwrap();
        let Simple::Pseudo(PseudoClass::Has(inner)) = &relative.0[0].compounds[0].0[1] else {
            panic!("{relative:?}");
        };
        assert!(inner.mentions_scope());
        assert_eq!(inner.0[0].combinators, [Combinator::Child]);
        assert!(parse("li:nth-child(2n + 1 of .x, .y)").is_ok());
        assert!(parse("[data-a=\"x\" i][b][c|='d']").is_ok());
        assert!(parse(":near(.a, .b, 50)").is_ok());
        assert!(parse("a/* c */>/**/b").is_ok());
    }

    #[test]
    fn syntax_errors_use_upstreams_words() {
        let said = |token: &str, selector: &str| {
            format!(
                "Unexpected token \"{token}\" while parsing css selector \"{selector}\". Did you mean to CSS.escape it?"
            )
        };
        assert_eq!(message(""), said("", ""));
        assert_eq!(message("foo("), said("foo(", "foo("));
        assert_eq!(message("a >"), said("", "a >"));
        assert_eq!(message("a,"), said("", "a,"));
        assert_eq!(
            message("#1a"),
            "Failed to execute 'querySelectorAll' on 'Document': '#1a' is not a valid selector. \"1a\" is no identifier, write [id=\"1a\"]."
        );
        assert_eq!(message(".1a"), said(".1a", ".1a"));
        assert_eq!(message("[a"), said("", "[a"));
        assert_eq!(message("a:has(b"), said("", "a:has(b"));
        assert_eq!(message("a::before"), said(":", "a::before"));
        assert_eq!(
            message("a;b"),
            "Unsupported token \";\" while parsing css selector \"a;b\". Did you mean to CSS.escape it?"
        );
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |n: usize| format!("{}a{}", ":is(".repeat(n), ")".repeat(n));
        assert!(parse(&nested(32)).is_ok());
        assert_eq!(
            parse(&nested(33)).unwrap_err(),
            LocatorError::TooComplex("selectors nested too deeply")
        );
        assert!(parse(&nested(100_000)).is_err());
    }
}
