//! JavaScript pattern syntax → Rust pattern syntax.

/// Groups inside groups.
const MAX_DEPTH: usize = 60;

const LINE_TERMINATORS: &str = r"\n\r\x{2028}\x{2029}";
const SPACE: &str = r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
const WORD: &str = "0-9A-Za-z_";

/// What stands before the current position, to judge a quantifier.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    Atom,
}

/// Settings of the group being read; modifiers such as `(?s:…)` change them.
#[derive(Clone, Copy)]
struct Mode {
    dot_all: bool,
    multi_line: bool,
}

pub(super) struct Translator {
    chars: Vec<char>,
    pub(super) pos: usize,
    /// The pattern for Rust's engine.
    pub(super) out: String,
    pub(super) unicode: bool,
    backtracking: bool,
    /// The pattern looks around or refers back.
    pub(super) needs_backtracking: bool,
    groups: u32,
    names: Vec<String>,
    mode: Mode,
    open: Vec<Mode>,
}

impl Translator {
    /// Translates `source`; `backtracking` says for which of the two engines.
    pub(super) fn run(source: &str, flags: &str, backtracking: bool) -> Result<Self, String> {
        let mut translator = Self {
            chars: source.chars().collect(),
            pos: 0,
            out: String::with_capacity(source.len() + 8),
            unicode: flags.contains(['u', 'v']),
            backtracking,
            needs_backtracking: false,
            groups: 0,
            names: Vec::new(),
            mode: Mode {
                dot_all: flags.contains('s'),
                multi_line: flags.contains('m'),
            },
            open: Vec::new(),
        };
        if flags.contains('i') {
            translator.out.push_str("(?i)");
        }
        translator.scan_groups();
        if flags.contains('y') {
            // A fresh sticky expression starts at index 0.
            translator.out.push_str(r"\A(?:");
        }
        translator.pattern()?;
        if flags.contains('y') {
            translator.out.push(')');
        }
        Ok(translator)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.pos).copied()
    }

    pub(super) fn peek_at(&self, offset: usize) -> Option<char> {
        self.chars.get(self.pos + offset).copied()
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.pos += usize::from(found);
        found
    }

    /// Counts capture groups ahead of time: `\2` is a back reference only if
    /// there are two groups.
    fn scan_groups(&mut self) {
        let (mut i, mut in_class) = (0, false);
        while i < self.chars.len() {
            match self.chars[i] {
                '\\' => i += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    let mut after = self.chars[i + 1..].iter();
                    if after.next() != Some(&'?') {
                        self.groups += 1;
                    } else if after.next() == Some(&'<') {
                        let name: String = after.clone().take_while(|c| **c != '>').collect();
                        if !name.starts_with(['=', '!']) {
                            self.groups += 1;
                            self.names.push(name);
                        }
                    }
                }
                _ => {}
            }
            i += 1;
        }
    }

    fn pattern(&mut self) -> Result<(), String> {
        let mut before = Before::Nothing;
        while let Some(c) = self.peek() {
            self.pos += 1;
            before = match c {
                '|' => {
                    self.out.push('|');
                    Before::Nothing
                }
                '(' => {
                    self.group()?;
                    Before::Nothing
                }
                ')' => {
                    self.mode = self.open.pop().ok_or("Unmatched ')'")?;
                    self.out.push(')');
                    Before::Atom
                }
                '[' => {
                    self.class()?;
                    Before::Atom
                }
                '.' => {
                    if self.mode.dot_all {
                        self.out.push_str("(?s:.)");
                    } else {
                        self.out.push_str(&format!("[^{LINE_TERMINATORS}]"));
                    }
                    Before::Atom
                }
                '^' => {
                    self.out.push_str(if self.mode.multi_line {
                        "(?m:^)"
                    } else {
                        r"\A"
                    });
                    Before::Nothing
                }
                '$' => {
                    self.out.push_str(if self.mode.multi_line {
                        "(?m:$)"
                    } else {
                        r"\z"
                    });
                    Before::Nothing
                }
                '*' | '+' | '?' => {
                    self.quantifier(before, &c.to_string())?;
                    Before::Nothing
                }
                '{' => match self.braces() {
                    Some(text) => {
                        self.quantifier(before, &text)?;
                        Before::Nothing
                    }
                    None if self.unicode => return Err("Nothing to repeat".into()),
                    None => {
                        self.out.push_str(r"\{");
                        Before::Atom
                    }
                },
                '}' | ']' if self.unicode => return Err("Lone quantifier brackets".into()),
                '\\' => self.escape()?,
                other => {
                    self.literal(other);
                    Before::Atom
                }
            };
        }
        if self.open.is_empty() {
            Ok(())
        } else {
            Err("Unterminated group".into())
        }
    }

    fn quantifier(&mut self, before: Before, text: &str) -> Result<(), String> {
        if before == Before::Nothing {
            return Err("Nothing to repeat".into());
        }
        self.out.push_str(text);
        if self.eat('?') {
            self.out.push('?');
        }
        Ok(())
    }

    /// Reads `{n}`, `{n,}` or `{n,m}` after its brace, or nothing.
    fn braces(&mut self) -> Option<String> {
        let rest = &self.chars[self.pos..];
        let end = rest.iter().position(|c| *c == '}')?;
        let body: String = rest[..end].iter().collect();
        let (min, max) = body.split_once(',').unwrap_or((&body, ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if min.is_empty() || !digits(min) || !digits(max) {
            return None;
        }
        self.pos += end + 1;
        Some(format!("{{{body}}}"))
    }

    fn group(&mut self) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err("Regular expression too large".into());
        }
        self.open.push(self.mode);
        if !self.eat('?') {
            self.out.push('(');
            return Ok(());
        }
        for look in ["=", "!", "<=", "<!"] {
            let found = look
                .chars()
                .enumerate()
                .all(|(i, c)| self.peek_at(i) == Some(c));
            if found {
                self.pos += look.len();
                self.needs_backtracking = true;
                self.out.push_str("(?");
                self.out.push_str(look);
                return Ok(());
            }
        }
        if self.eat('<') {
            let mut name = String::new();
            while let Some(c) = self.peek().filter(|c| *c != '>') {
                name.push(c);
                self.pos += 1;
            }
            let valid = name.chars().enumerate().all(|(i, c)| {
                c == '_' || c == '$' || c.is_alphabetic() || (i > 0 && c.is_numeric())
            });
            if !self.eat('>') || name.is_empty() || !valid {
                return Err("Invalid capture group name".into());
            }
            if self.names.iter().filter(|n| **n == name).count() > 1 {
                return Err("Duplicate capture group name".into());
            }
            // Names are only needed to resolve \k, which becomes a number.
            self.out.push('(');
            return Ok(());
        }
        let mut on = true;
        let mut case = String::new();
        while let Some(c) = self.peek() {
            self.pos += 1;
            match c {
                ':' => {
                    self.out.push_str(&format!("(?{case}:"));
                    return Ok(());
                }
                '-' if on => on = false,
                'i' => case = if on { "i".into() } else { "-i".into() },
                's' => self.mode.dot_all = on,
                'm' => self.mode.multi_line = on,
                _ => break,
            }
        }
        Err("Invalid group".into())
    }

    /// One escape outside a class, after its backslash.
    fn escape(&mut self) -> Result<Before, String> {
        let c = self.peek().ok_or("\\ at end of pattern")?;
        match c {
            'b' | 'B' => {
                self.pos += 1;
                self.boundary(c == 'B');
                return Ok(Before::Nothing);
            }
            'k' if self.unicode || !self.names.is_empty() => {
                let name: String = self.chars[self.pos + 1..]
                    .iter()
                    .skip(1)
                    .take_while(|c| **c != '>')
                    .collect();
                let number = self.number_of(&name).ok_or("Invalid named reference")?;
                if self.peek_at(1) != Some('<') {
                    return Err("Invalid named reference".into());
                }
                self.pos += name.chars().count() + 3;
                self.reference(number);
                return Ok(Before::Atom);
            }
            '1'..='9' => {
                let digits: String = self.chars[self.pos..]
                    .iter()
                    .take_while(|c| c.is_ascii_digit())
                    .collect();
                let number = digits.parse::<u32>().unwrap_or(u32::MAX);
                if number <= self.groups {
                    self.pos += digits.len();
                    self.reference(number);
                    return Ok(Before::Atom);
                }
                if self.unicode {
                    return Err("Invalid escape".into());
                }
            }
            _ => {}
        }
        match self.class_escape()? {
            Escaped::Char(c) => self.literal(c),
            Escaped::Set(set) => self.out.push_str(&set),
        }
        Ok(Before::Atom)
    }

    fn number_of(&self, wanted: &str) -> Option<u32> {
        let (mut number, mut i, mut in_class) = (0, 0, false);
        while i < self.chars.len() {
            match self.chars[i] {
                '\\' => i += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    let rest: String = self.chars[i + 1..].iter().take(64).collect();
                    let lookbehind = rest.starts_with("?<=") || rest.starts_with("?<!");
                    if !rest.starts_with('?') || (rest.starts_with("?<") && !lookbehind) {
                        number += 1;
                    }
                    if rest.starts_with(&format!("?<{wanted}>")) {
                        return Some(number);
                    }
                }
                _ => {}
            }
            i += 1;
        }
        None
    }

    fn reference(&mut self, number: u32) {
        self.needs_backtracking = true;
        // A group that took no part matches the empty string in JavaScript.
        self.out.push_str(&format!("(?:\\{number}|(?!\\{number}))"));
    }

    fn boundary(&mut self, negated: bool) {
        if !self.backtracking {
            self.out
                .push_str(if negated { r"(?-u:\B)" } else { r"(?-u:\b)" });
            return;
        }
        let (first, second) = if negated { ("=", "!") } else { ("!", "=") };
        self.out.push_str(&format!(
            "(?:(?<=[{WORD}])(?{first}[{WORD}])|(?<![{WORD}])(?{second}[{WORD}]))"
        ));
    }

    /// Escapes that mean the same inside and outside a class.
    pub(super) fn class_escape(&mut self) -> Result<Escaped, String> {
        let c = self.peek().ok_or("\\ at end of pattern")?;
        self.pos += 1;
        let set = |negated: bool, body: &str| {
            Escaped::Set(format!("[{}{body}]", if negated { "^" } else { "" }))
        };
        Ok(match c {
            'd' | 'D' => set(c == 'D', "0-9"),
            'w' | 'W' => set(c == 'W', WORD),
            's' | 'S' => set(c == 'S', SPACE),
            'p' | 'P' if self.unicode => {
                let body: String = self.chars[self.pos..]
                    .iter()
                    .skip(1)
                    .take_while(|c| **c != '}')
                    .collect();
                let plain = body
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '=');
                if !self.eat('{') || body.is_empty() || !plain {
                    return Err("Invalid property name".into());
                }
                self.pos += body.chars().count() + 1;
                Escaped::Set(format!("\\{c}{{{body}}}"))
            }
            't' => Escaped::Char('\t'),
            'n' => Escaped::Char('\n'),
            'v' => Escaped::Char('\u{B}'),
            'f' => Escaped::Char('\u{C}'),
            'r' => Escaped::Char('\r'),
            'c' if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) => {
                let letter = self.peek().unwrap_or('@');
                self.pos += 1;
                Escaped::Char(char::from(letter as u8 % 32))
            }
            'x' => match self.hex(2) {
                Some(code) => Escaped::Char(char::from_u32(code).unwrap_or('x')),
                None if self.unicode => return Err("Invalid escape".into()),
                None => Escaped::Char('x'),
            },
            'u' => Escaped::Char(self.unicode_escape()?),
            '0'..='7' => Escaped::Char(self.octal(c)?),
            c if self.unicode && (c.is_alphanumeric() || c == '_') => {
                return Err("Invalid escape".into());
            }
            c => Escaped::Char(c),
        })
    }

    fn octal(&mut self, first: char) -> Result<char, String> {
        let mut value = first as u32 - '0' as u32;
        if self.unicode {
            let lone_zero = value == 0 && !self.peek().is_some_and(|c| c.is_ascii_digit());
            return if lone_zero {
                Ok('\0')
            } else {
                Err("Invalid decimal escape".into())
            };
        }
        for _ in 0..2 {
            match self.peek() {
                Some(c @ '0'..='7') if value * 8 < 256 => {
                    value = value * 8 + (c as u32 - '0' as u32);
                    self.pos += 1;
                }
                _ => break,
            }
        }
        Ok(char::from_u32(value).unwrap_or('\0'))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text: String = self.chars[self.pos..].iter().take(digits).collect();
        if text.chars().count() != digits || !text.chars().all(|c| c.is_ascii_hexdigit()) {
            return None;
        }
        self.pos += digits;
        u32::from_str_radix(&text, 16).ok()
    }

    fn unicode_escape(&mut self) -> Result<char, String> {
        if self.unicode && self.eat('{') {
            let body: String = self.chars[self.pos..]
                .iter()
                .take_while(|c| **c != '}')
                .collect();
            self.pos += body.chars().count() + 1;
            return u32::from_str_radix(&body, 16)
                .ok()
                .and_then(char::from_u32)
                .ok_or_else(|| "Invalid Unicode escape".into());
        }
        match self.hex(4) {
            Some(high @ 0xD800..=0xDBFF) => {
                let low = (self.eat('\\') && self.eat('u'))
                    .then(|| self.hex(4))
                    .flatten()
                    .filter(|low| (0xDC00..=0xDFFF).contains(low))
                    .ok_or("Lone surrogates are not supported")?;
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                char::from_u32(code).ok_or_else(|| "Invalid Unicode escape".into())
            }
            Some(code) => {
                char::from_u32(code).ok_or_else(|| "Lone surrogates are not supported".into())
            }
            None if self.unicode => Err("Invalid Unicode escape".into()),
            None => Ok('u'),
        }
    }

    pub(super) fn literal(&mut self, c: char) {
        if c.is_alphanumeric() || c == '_' {
            self.out.push(c);
        } else {
            // One spelling that no dialect reads as an operator.
            self.out.push_str(&format!(r"\x{{{:X}}}", c as u32));
        }
    }
}

/// What an escape stands for.
pub(super) enum Escaped {
    Char(char),
    Set(String),
}
