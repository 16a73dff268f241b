//! Tokens of JavaScript and TypeScript, as coarse as removing types allows.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Identifier, keyword or private name.
    Word,
    /// Number, string, regular expression or a template without substitutions.
    Literal,
    /// From a backquote to the first `${`.
    TemplateHead,
    /// From a `}` to the next `${`.
    TemplateMiddle,
    /// From a `}` to the closing backquote.
    TemplateTail,
    Mark,
}

/// A piece of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// A line break stands in front of it.
    pub(super) fresh: bool,
}

impl Token {
    pub(super) fn text<'s>(&self, source: &'s str) -> &'s str {
        &source[self.start..self.end]
    }
}

/// Marks of more than one character, longest first. Those that begin with `>` are left in pieces,
/// because types end with `>`.
const MARKS: [&str; 21] = [
    "...", "===", "!==", "**=", "<<=", "&&=", "||=", "??=", "=>", "==", "!=", "<=", "&&", "||",
    "??", "?.", "++", "--", "**", "+=", "-=",
];

/// Words after which an operand comes, so that a slash begins a regular expression.
const BEFORE_OPERAND: [&str; 16] = [
    "return",
    "typeof",
    "instanceof",
    "in",
    "of",
    "new",
    "delete",
    "void",
    "throw",
    "case",
    "do",
    "else",
    "await",
    "yield",
    "default",
    "extends",
];

/// Splits source; `None` when a string, template, comment or expression has no end.
pub(super) fn read(source: &str) -> Option<Vec<Token>> {
    let mut reader = Reader {
        source,
        bytes: source.as_bytes(),
        at: 0,
        tokens: Vec::new(),
        open: Vec::new(),
    };
    reader.run()?;
    Some(reader.tokens)
}

struct Reader<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    tokens: Vec<Token>,
    /// Open braces; true for those of `${`.
    open: Vec<bool>,
}

impl Reader<'_> {
    fn byte(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    fn run(&mut self) -> Option<()> {
        if self.source.starts_with("#!") {
            self.skip_line();
        }
        loop {
            let fresh = self.skip_space()?;
            if self.at >= self.bytes.len() {
                return Some(());
            }
            let start = self.at;
            let kind = self.token()?;
            self.tokens.push(Token {
                kind,
                start,
                end: self.at,
                fresh,
            });
        }
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            self.at += 1;
        }
    }

    /// Skips white space and comments; true if there was a line break.
    fn skip_space(&mut self) -> Option<bool> {
        let mut fresh = self.at == 0;
        loop {
            let rest = &self.source[self.at..];
            let c = match rest.chars().next() {
                Some(c) => c,
                None => return Some(fresh),
            };
            if rest.starts_with("//") {
                self.skip_line();
            } else if rest.starts_with("/*") {
                let end = rest.find("*/")? + 2;
                fresh |= rest[..end].contains('\n');
                self.at += end;
            } else if c.is_whitespace() || c == '\u{feff}' {
                fresh |= matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
                self.at += c.len_utf8();
            } else {
                return Some(fresh);
            }
        }
    }

    fn token(&mut self) -> Option<Kind> {
        let rest = &self.source[self.at..];
        let c = rest.chars().next()?;
        match c {
            '"' | '\'' => self.string(c as u8),
            '`' => {
                self.at += 1;
                self.template(Kind::Literal, Kind::TemplateHead)
            }
            '}' if self.open.last() == Some(&true) => {
                self.open.pop();
                self.at += 1;
                self.template(Kind::TemplateTail, Kind::TemplateMiddle)
            }
            '0'..='9' => Some(self.number()),
            '.' if self.byte(1).is_ascii_digit() => Some(self.number()),
            '/' if self.operand_comes() => self.regex(),
            _ if is_word(c) || c == '#' || c == '@' => {
                let length = rest[c.len_utf8()..].find(|c| !is_word(c));
                self.at += length.map_or(rest.len(), |length| length + c.len_utf8());
                Some(Kind::Word)
            }
            _ => {
                let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
                let ternary = mark == Some(&"?.") && self.byte(2).is_ascii_digit();
                self.at += match mark {
                    Some(mark) if !ternary => mark.len(),
                    _ => c.len_utf8(),
                };
                match c {
                    '{' => self.open.push(false),
                    '}' => {
                        self.open.pop();
                    }
                    _ => {}
                }
                Some(Kind::Mark)
            }
        }
    }

    fn string(&mut self, quote: u8) -> Option<Kind> {
        self.at += 1;
        loop {
            match self.bytes.get(self.at)? {
                b'\\' => self.at += 2,
                b'\n' => return None,
                byte => {
                    self.at += 1;
                    if *byte == quote {
                        return self.boundary(Kind::Literal);
                    }
                }
            }
        }
    }

    /// An escape may have skipped the first byte of a longer character.
    fn boundary(&mut self, kind: Kind) -> Option<Kind> {
        while !self.source.is_char_boundary(self.at) {
            self.at += 1;
        }
        (self.at <= self.bytes.len()).then_some(kind)
    }

    fn template(&mut self, whole: Kind, part: Kind) -> Option<Kind> {
        loop {
            match self.bytes.get(self.at)? {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    return self.boundary(whole);
                }
                b'$' if self.byte(1) == b'{' => {
                    self.at += 2;
                    self.open.push(true);
                    return Some(part);
                }
                _ => self.at += 1,
            }
        }
    }

    fn number(&mut self) -> Kind {
        let mut before = 0;
        loop {
            let byte = self.byte(0);
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E');
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || sign) {
                return Kind::Literal;
            }
            before = byte;
            self.at += 1;
        }
    }

    fn operand_comes(&self) -> bool {
        let Some(last) = self.tokens.last() else {
            return true;
        };
        let text = last.text(self.source);
        match last.kind {
            Kind::Word => BEFORE_OPERAND.contains(&text),
            Kind::Literal | Kind::TemplateTail => false,
            Kind::TemplateHead | Kind::TemplateMiddle => true,
            Kind::Mark => !matches!(text, ")" | "]" | "++" | "--"),
        }
    }

    fn regex(&mut self) -> Option<Kind> {
        self.at += 1;
        let mut class = false;
        loop {
            match self.bytes.get(self.at)? {
                b'\\' => self.at += 1,
                b'\n' => return None,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        while self.byte(0).is_ascii_alphabetic() {
            self.at += 1;
        }
        self.boundary(Kind::Literal)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}')
}
