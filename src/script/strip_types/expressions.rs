//! Expressions: where an operand is expected and where an operator, for that decides what `<`, `!`,
//! `(` and `as` mean.

use super::tokens::Kind;
use super::walk::{Step, Stop, Walk};

/// Words in front of an operand.
const PREFIXES: [&str; 7] = ["typeof", "void", "delete", "await", "new", "yield", "async"];

impl Walk<'_> {
    /// An expression, up to what cannot belong to it; with `commas`, they belong to it.
    pub(super) fn expression(&mut self, commas: bool) -> Step {
        self.enter()?;
        while self.operand()? && self.operators(commas)? {}
        self.leave();
        Ok(())
    }

    /// `( … )` or `[ … ]` with expressions inside.
    pub(super) fn group(&mut self) -> Step {
        let close = self.matching(self.at)?;
        self.at += 1;
        while self.at < close {
            let before = self.at;
            self.expression(true)?;
            if self.at == before {
                // Holes, `of`, semicolons of a `for`.
                self.at += 1;
            }
        }
        self.at = close + 1;
        Ok(())
    }

    /// Reads an operand; false when there is none.
    fn operand(&mut self) -> Result<bool, Stop> {
        loop {
            match (self.kind(), self.text()) {
                (None, _) => return Ok(false),
                (Some(Kind::Literal), _) => {
                    self.at += 1;
                    return Ok(true);
                }
                (Some(Kind::TemplateHead), _) => {
                    self.template()?;
                    return Ok(true);
                }
                (Some(Kind::TemplateMiddle | Kind::TemplateTail), _) => return Ok(false),
                (Some(Kind::Word), word) => {
                    if let Some(done) = self.word(word)? {
                        return Ok(done);
                    }
                }
                (Some(Kind::Mark), "!" | "~" | "+" | "-" | "++" | "--" | "..." | ">" | "=") => {
                    self.at += 1;
                }
                // A type assertion or the type parameters of an arrow function.
                (_, "<") => self.cut_angles()?,
                (_, "(") => match self.arrow()? {
                    Some(true) => return Ok(true),
                    Some(false) => {}
                    None => {
                        self.group()?;
                        return Ok(true);
                    }
                },
                (_, "[") => {
                    self.group()?;
                    return Ok(true);
                }
                (_, "{") => {
                    self.object()?;
                    return Ok(true);
                }
                _ => return Ok(false),
            }
        }
    }

    /// A word where an operand is expected. `None`: the operand itself is still to come.
    fn word(&mut self, word: &str) -> Result<Option<bool>, Stop> {
        let next = self.text_at(self.at + 1);
        match word {
            "function" => {
                let start = self.at;
                self.function(start)?;
                return Ok(Some(true));
            }
            "class" => {
                self.class()?;
                return Ok(Some(true));
            }
            // These begin statements; we went too far.
            "const" | "let" | "var" | "return" | "if" | "for" | "while" | "switch" | "case"
            | "throw" | "try" | "export" | "do" | "else" | "break" | "continue"
                if next != "=>" && next != ":" =>
            {
                if matches!(word, "break" | "continue") {
                    self.at += 1;
                }
                return Ok(Some(false));
            }
            _ => {}
        }
        if next == "=>" {
            self.at += 2;
            return self.arrow_body().map(|done| done.then_some(true));
        }
        let prefix = PREFIXES.contains(&word)
            && match word {
                "async" => {
                    (self.is_word_at(self.at + 1) || matches!(next, "(" | "<"))
                        && !self.fresh_at(self.at + 1)
                        && (next != "(" || self.is_arrow(self.at + 1))
                }
                _ => !matches!(next, "." | "," | ")" | ";" | "=" | ""),
            };
        self.at += 1;
        Ok(if prefix { None } else { Some(true) })
    }

    /// After `=>`. True when the body was a block; otherwise an expression follows.
    fn arrow_body(&mut self) -> Result<bool, Stop> {
        if self.is("{") {
            self.block()?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether the parenthesis at `index` holds the parameters of an arrow function.
    fn is_arrow(&mut self, index: usize) -> bool {
        let Ok(close) = self.matching(index) else {
            return false;
        };
        match self.text_at(close + 1) {
            "=>" => true,
            ":" => {
                let at = self.at;
                self.at = close + 2;
                let arrow = self.attempt(|walk| {
                    walk.skip_type()?;
                    walk.expect("=>")
                });
                self.at = at;
                arrow
            }
            _ => false,
        }
    }

    /// `(a: T): U =>`, and whether its body was a block; `None` when it is only a group.
    fn arrow(&mut self) -> Result<Option<bool>, Stop> {
        let close = self.matching(self.at)?;
        if !self.is_arrow(self.at) {
            return Ok(None);
        }
        let read = self.attempt(|walk| {
            walk.parameters()?;
            walk.cut_annotation()?;
            walk.expect("=>")
        });
        if !read && self.text_at(close + 1) == ":" {
            // `a ? (b.c) : d => e`
            return Ok(None);
        }
        if !read {
            // Says what is wrong.
            self.parameters()?;
            return Err(Stop::Lost);
        }
        self.arrow_body().map(Some)
    }

    fn template(&mut self) -> Step {
        self.at += 1;
        loop {
            self.expression(true)?;
            match self.kind() {
                Some(Kind::TemplateMiddle) => self.at += 1,
                Some(Kind::TemplateTail) => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(Stop::Lost),
            }
        }
    }

    /// What may follow an operand; true when another operand is to come.
    fn operators(&mut self, commas: bool) -> Result<bool, Stop> {
        loop {
            let fresh = self.fresh();
            match (self.kind(), self.text()) {
                (None, _) => return Ok(false),
                (Some(Kind::TemplateHead), _) => self.template()?,
                (Some(Kind::Literal), text) if text.starts_with('`') => self.at += 1,
                (Some(Kind::Word), "as" | "satisfies") if !fresh => {
                    let start = self.at;
                    self.at += 1;
                    self.skip_type()?;
                    self.cut(start, self.at);
                }
                (Some(Kind::Word), "in" | "of" | "instanceof") => {
                    self.at += 1;
                    return Ok(true);
                }
                (Some(Kind::Mark), text) => match text {
                    "." | "?." => {
                        self.at += 1;
                        if self.is_word_at(self.at) {
                            self.at += 1;
                        }
                    }
                    "(" | "[" => self.group()?,
                    "!" => {
                        if fresh {
                            return Ok(false);
                        }
                        self.cut(self.at, self.at + 1);
                        self.at += 1;
                    }
                    "<" => {
                        let call = self.attempt(|walk| {
                            walk.cut_angles()?;
                            match walk.text() {
                                "(" => Ok(()),
                                text if text.starts_with('`') => Ok(()),
                                _ => Err(Stop::Lost),
                            }
                        });
                        if !call {
                            self.at += 1;
                            return Ok(true);
                        }
                    }
                    "?" => {
                        self.at += 1;
                        self.expression(false)?;
                        self.expect(":")?;
                        return Ok(true);
                    }
                    "++" | "--" => {
                        if fresh {
                            return Ok(false);
                        }
                        self.at += 1;
                    }
                    "," => {
                        if commas {
                            self.at += 1;
                        }
                        return Ok(commas);
                    }
                    ")" | "]" | "}" | "{" | ";" | ":" | "=>" => return Ok(false),
                    _ => {
                        self.at += 1;
                        return Ok(true);
                    }
                },
                _ => return Ok(false),
            }
        }
    }

    /// `{ … }` as an object or a pattern.
    pub(super) fn object(&mut self) -> Step {
        let close = self.matching(self.at)?;
        self.at += 1;
        self.enter()?;
        while self.at < close {
            self.property()?;
            if self.at < close {
                self.expect(",")?;
            }
        }
        self.leave();
        self.at = close + 1;
        Ok(())
    }

    fn property(&mut self) -> Step {
        if self.is("...") {
            return self.expression(false);
        }
        while matches!(self.text(), "async" | "get" | "set" | "*")
            && !matches!(self.text_at(self.at + 1), "," | ":" | "(" | "}" | "=" | "<")
        {
            self.at += 1;
        }
        self.key()?;
        self.cut_angles()?;
        match self.text() {
            "(" => {
                self.parameters()?;
                self.cut_annotation()?;
                self.block()
            }
            ":" | "=" => {
                self.at += 1;
                self.expression(false)?;
                // A default inside a pattern.
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
