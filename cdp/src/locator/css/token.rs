//! CSS tokens, after CSS Syntax Level 3 §4, as far as selectors need them.
//!
//! Unlike a style sheet parser, which closes open blocks silently at the end
//! of input, a selector that ends early must be an error, so tokens are kept
//! flat and carry their source range.

use std::ops::Range;

/// One token; escapes are resolved.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Ident(String),
    /// A name directly followed by `(`.
    Function(String),
    /// `#name`; true if the name is a valid identifier.
    Hash(String, bool),
    Str(String),
    Number(f64),
    /// A number with a unit; units mean nothing in selectors.
    Dimension,
    Whitespace,
    Colon,
    Comma,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Delim(char),
    /// Never part of a selector: `@x`, `;`, braces, percentages, bad strings, CDO, CDC.
    Unsupported,
}

/// A token with its byte range in the source.
#[derive(Debug, Clone)]
pub(super) struct Spanned {
    pub token: Token,
    pub span: Range<usize>,
}

/// Splits `source` into tokens. Comments vanish.
pub(super) fn tokenize(source: &str) -> Vec<Spanned> {
    let mut scanner = Scanner { source, pos: 0 };
    let mut tokens = Vec::new();
    loop {
        while scanner.rest().starts_with("/*") {
            let skipped = scanner.rest()[2..].find("*/").map(|end| end + 4);
            scanner.pos += skipped.unwrap_or(scanner.rest().len());
        }
        let start = scanner.pos;
        let Some(token) = scanner.token() else {
            return tokens;
        };
        tokens.push(Spanned {
            token,
            span: start..scanner.pos,
        });
    }
}

struct Scanner<'a> {
    source: &'a str,
    /// Byte offset, always on a character boundary.
    pos: usize,
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn is_name(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit() || c == '-'
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{C}')
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.source[self.pos..]
    }

    fn peek(&self, offset: usize) -> Option<char> {
        self.rest().chars().nth(offset)
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn valid_escape(&self, offset: usize) -> bool {
        self.peek(offset) == Some('\\')
            && !matches!(self.peek(offset + 1), None | Some('\n' | '\r' | '\u{C}'))
    }

    fn starts_identifier(&self, offset: usize) -> bool {
        match self.peek(offset) {
            Some('-') => {
                self.peek(offset + 1)
                    .is_some_and(|c| is_name_start(c) || c == '-')
                    || self.valid_escape(offset + 1)
            }
            Some('\\') => self.valid_escape(offset),
            Some(c) => is_name_start(c),
            None => false,
        }
    }

    fn starts_number(&self) -> bool {
        let digit = |offset: usize| self.peek(offset).is_some_and(|c| c.is_ascii_digit());
        let signed = usize::from(matches!(self.peek(0), Some('+' | '-')));
        digit(signed) || (self.peek(signed) == Some('.') && digit(signed + 1))
    }

    fn token(&mut self) -> Option<Token> {
        let c = self.peek(0)?;
        if self.starts_number() {
            return Some(self.number());
        }
        if self.starts_identifier(0) {
            let name = self.name();
            if self.peek(0) == Some('(') {
                self.pos += 1;
                return Some(Token::Function(name));
            }
            return Some(Token::Ident(name));
        }
        if self.rest().starts_with("<!--") {
            self.pos += 4;
            return Some(Token::Unsupported);
        }
        self.bump();
        Some(match c {
            c if is_space(c) => {
                while self.peek(0).is_some_and(is_space) {
                    self.bump();
                }
                Token::Whitespace
            }
            '"' | '\'' => self.string(c),
            '#' if self.peek(0).is_some_and(is_name) || self.valid_escape(0) => {
                let is_id = self.starts_identifier(0);
                Token::Hash(self.name(), is_id)
            }
            '@' if self.starts_identifier(0) => {
                self.name();
                Token::Unsupported
            }
            ':' => Token::Colon,
            ',' => Token::Comma,
            '(' => Token::OpenParen,
            ')' => Token::CloseParen,
            '[' => Token::OpenBracket,
            ']' => Token::CloseBracket,
            '{' | '}' | ';' => Token::Unsupported,
            other => Token::Delim(other),
        })
    }

    fn number(&mut self) -> Token {
        let start = self.pos;
        if matches!(self.peek(0), Some('+' | '-')) {
            self.pos += 1;
        }
        self.digits();
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()) {
            self.pos += 1;
            self.digits();
        }
        let signed = usize::from(matches!(self.peek(1), Some('+' | '-')));
        let exponent = matches!(self.peek(0), Some('e' | 'E'))
            && self.peek(1 + signed).is_some_and(|c| c.is_ascii_digit());
        if exponent {
            self.pos += 1 + signed;
            self.digits();
        }
        let value = self.source[start..self.pos].parse().unwrap_or(0.0);
        if self.starts_identifier(0) {
            self.name();
            return Token::Dimension;
        }
        if self.peek(0) == Some('%') {
            self.pos += 1;
            return Token::Unsupported;
        }
        Token::Number(value)
    }

    fn digits(&mut self) {
        while self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
            self.pos += 1;
        }
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        loop {
            if self.valid_escape(0) {
                self.pos += 1;
                name.push(self.escape());
            } else {
                match self.peek(0) {
                    Some(c) if is_name(c) => {
                        self.bump();
                        name.push(c);
                    }
                    _ => return name,
                }
            }
        }
    }

    /// The character of an escape, after its backslash.
    fn escape(&mut self) -> char {
        let digits = self
            .rest()
            .bytes()
            .take(6)
            .take_while(u8::is_ascii_hexdigit)
            .count();
        if digits == 0 {
            return self.bump().unwrap_or('\u{FFFD}');
        }
        let code = u32::from_str_radix(&self.rest()[..digits], 16).unwrap_or(0);
        self.pos += digits;
        if self.rest().starts_with("\r\n") {
            self.pos += 2;
        } else if self.peek(0).is_some_and(is_space) {
            self.bump();
        }
        char::from_u32(code)
            .filter(|c| *c != '\0')
            .unwrap_or('\u{FFFD}')
    }

    fn string(&mut self, quote: char) -> Token {
        let mut text = String::new();
        loop {
            match self.bump() {
                None => return Token::Unsupported,
                Some(c) if c == quote => return Token::Str(text),
                Some('\n' | '\r' | '\u{C}') => return Token::Unsupported,
                Some('\\') => match self.peek(0) {
                    None => return Token::Unsupported,
                    Some('\n' | '\r' | '\u{C}') => {
                        self.bump();
                    }
                    Some(_) => text.push(self.escape()),
                },
                Some(c) => text.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> Vec<Token> {
        tokenize(source).into_iter().map(|t| t.token).collect()
    }

    #[test]
    fn names_escapes_and_strings() {
        assert_eq!(tokens(r"\31 23"), [Token::Ident("123".into())]);
        assert_eq!(tokens(r"a\:b"), [Token::Ident("a:b".into())]);
        assert_eq!(tokens("--x"), [Token::Ident("--x".into())]);
        assert_eq!(tokens("é"), [Token::Ident("é".into())]);
        assert_eq!(tokens(r#""a\"b\A c""#), [Token::Str("a\"b\nc".into())]);
        assert_eq!(tokens(r"'a\'b'"), [Token::Str("a'b".into())]);
        assert_eq!(tokens(r"\0"), [Token::Ident("\u{FFFD}".into())]);
        assert_eq!(tokens("#1a"), [Token::Hash("1a".into(), false)]);
        assert_eq!(tokens("#a1"), [Token::Hash("a1".into(), true)]);
        assert_eq!(
            tokens("f(a"),
            [Token::Function("f".into()), Token::Ident("a".into())]
        );
    }

    #[test]
    fn numbers() {
        assert_eq!(tokens("12"), [Token::Number(12.0)]);
        assert_eq!(tokens("-.5"), [Token::Number(-0.5)]);
        assert_eq!(tokens("1e3"), [Token::Number(1000.0)]);
        assert_eq!(tokens("2n"), [Token::Dimension]);
        assert_eq!(tokens(".a"), [Token::Delim('.'), Token::Ident("a".into())]);
    }

    #[test]
    fn broken_input() {
        assert_eq!(tokens("\"abc"), [Token::Unsupported]);
        assert_eq!(
            tokens("\"a\nb"),
            [Token::Unsupported, Token::Ident("b".into())]
        );
        assert_eq!(tokens("a/* x"), [Token::Ident("a".into())]);
        assert_eq!(tokens("\\"), [Token::Delim('\\')]);
        assert_eq!(tokens("50%"), [Token::Unsupported]);
    }
}
