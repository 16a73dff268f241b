//! Character classes.

use super::translate::{Escaped, Translator};

impl Translator {
    /// The rest of a class after its `[`.
    pub(super) fn class(&mut self) -> Result<(), String> {
        let negated = self.eat('^');
        if self.eat(']') {
            // `[]` matches nothing, `[^]` anything.
            self.out.push_str(if negated {
                "(?s:.)"
            } else {
                r"[^\x{0}-\x{10FFFF}]"
            });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            let Some(c) = self.peek() else {
                return Err("Unterminated character class".into());
            };
            if c == ']' {
                self.pos += 1;
                self.out.push(']');
                return Ok(());
            }
            let low = self.class_item()?;
            let range = self.peek() == Some('-') && self.peek_at(1).is_some_and(|c| c != ']');
            if !range {
                self.class_out(&low);
                continue;
            }
            self.pos += 1;
            let high = self.class_item()?;
            match (&low, &high) {
                (Escaped::Char(a), Escaped::Char(b)) if a > b => {
                    return Err("Range out of order in character class".into());
                }
                (Escaped::Char(_), Escaped::Char(_)) => {
                    self.class_out(&low);
                    self.out.push('-');
                    self.class_out(&high);
                }
                _ if self.unicode => return Err("Invalid character class".into()),
                _ => {
                    self.class_out(&low);
                    self.out.push_str(r"\-");
                    self.class_out(&high);
                }
            }
        }
    }

    fn class_item(&mut self) -> Result<Escaped, String> {
        match self.peek() {
            None => Err("Unterminated character class".into()),
            Some('\\') => {
                self.pos += 1;
                if self.eat('b') {
                    return Ok(Escaped::Char('\u{8}'));
                }
                if self.eat('-') {
                    return Ok(Escaped::Char('-'));
                }
                self.class_escape()
            }
            Some(c) => {
                self.pos += 1;
                Ok(Escaped::Char(c))
            }
        }
    }

    fn class_out(&mut self, item: &Escaped) {
        match item {
            Escaped::Char(c) => self.literal(*c),
            Escaped::Set(set) => self.out.push_str(set),
        }
    }
}
