//! Variables, functions, classes.

use super::walk::{Step, Stop, Walk};

/// Modifiers of class members that are TypeScript's.
const MODIFIERS: [&str; 7] = [
    "public",
    "private",
    "protected",
    "readonly",
    "override",
    "abstract",
    "declare",
];

impl Walk<'_> {
    /// `const a: T = 1, { b }: U = c`
    pub(super) fn variables(&mut self) -> Step {
        self.at += 1;
        loop {
            self.binding()?;
            if self.is("!") {
                self.cut(self.at, self.at + 1);
                self.at += 1;
            }
            self.cut_annotation()?;
            if self.is("=") {
                self.at += 1;
                self.expression(false)?;
            }
            if !self.is(",") {
                break;
            }
            self.at += 1;
        }
        if self.is("of") || self.is("in") {
            self.at += 1;
            self.expression(true)?;
        }
        Ok(())
    }

    /// A name or a pattern.
    pub(super) fn binding(&mut self) -> Step {
        match self.text() {
            "{" => self.object(),
            "[" => self.group(),
            _ if self.is_word_at(self.at) => {
                self.at += 1;
                Ok(())
            }
            _ => Err(Stop::Lost),
        }
    }

    /// `function` and what belongs to it. Without a body it is only a signature: gone from `start` on.
    pub(super) fn function(&mut self, start: usize) -> Step {
        self.at += 1;
        if self.is("*") {
            self.at += 1;
        }
        if self.is_word_at(self.at) {
            self.at += 1;
        }
        self.cut_angles()?;
        self.parameters()?;
        self.cut_annotation()?;
        if self.is("{") {
            return self.block();
        }
        self.cut_statement(start);
        Ok(())
    }

    /// `(a: T, b?: U = 1, ...c: V[])`
    pub(super) fn parameters(&mut self) -> Step {
        if !self.is("(") {
            return Err(Stop::Lost);
        }
        let close = self.matching(self.at)?;
        self.at += 1;
        while self.at < close {
            let start = self.at;
            if self.is("...") {
                self.at += 1;
            }
            if MODIFIERS.contains(&self.text())
                && (self.is_word_at(self.at + 1) || matches!(self.text_at(self.at + 1), "{" | "["))
            {
                return self
                    .refuse("parameter properties are not supported: assign in the constructor");
            }
            let is_this = self.is("this");
            self.binding()?;
            if self.is("?") {
                self.cut(self.at, self.at + 1);
                self.at += 1;
            }
            self.cut_annotation()?;
            if self.is("=") {
                self.at += 1;
                self.expression(false)?;
            }
            if self.at < close {
                self.expect(",")?;
            }
            if is_this {
                self.cut(start, self.at);
            }
        }
        self.at = close + 1;
        Ok(())
    }

    /// `class` and what belongs to it.
    pub(super) fn class(&mut self) -> Step {
        self.at += 1;
        if self.is_word_at(self.at) && !self.is("extends") && !self.is("implements") {
            self.at += 1;
        }
        self.cut_angles()?;
        if self.is("extends") {
            self.at += 1;
            while !self.is("{") && !self.is("implements") {
                match self.text() {
                    "" => return Err(Stop::Lost),
                    "<" => self.cut_angles()?,
                    "(" | "[" => self.group()?,
                    _ => self.at += 1,
                }
            }
        }
        if self.is("implements") {
            let start = self.at;
            loop {
                self.at += 1;
                self.skip_type()?;
                if !self.is(",") {
                    break;
                }
            }
            self.cut(start, self.at);
        }
        if !self.is("{") {
            return Err(Stop::Lost);
        }
        let close = self.matching(self.at)?;
        self.at += 1;
        self.enter()?;
        while self.at < close {
            self.member()?;
        }
        self.leave();
        self.at = close + 1;
        Ok(())
    }

    fn member(&mut self) -> Step {
        let start = self.at;
        if self.is(";") {
            self.at += 1;
            return Ok(());
        }
        let mut ghost = false;
        while self.is_modifier() {
            if MODIFIERS.contains(&self.text()) {
                ghost |= self.is("abstract") || self.is("declare");
                self.cut(self.at, self.at + 1);
            }
            self.at += 1;
        }
        if self.is("{") {
            // static { … }
            return self.block();
        }
        if self.is("[") && self.is_word_at(self.at + 1) && self.text_at(self.at + 2) == ":" {
            self.at = self.matching(self.at)? + 1;
            self.cut_annotation()?;
            self.cut_statement(start);
            return Ok(());
        }
        self.key()?;
        if self.is("?") || self.is("!") {
            self.cut(self.at, self.at + 1);
            self.at += 1;
        }
        self.cut_angles()?;
        if self.is("(") {
            self.parameters()?;
            self.cut_annotation()?;
            if self.is("{") {
                return self.block();
            }
            self.cut_statement(start);
            return Ok(());
        }
        self.cut_annotation()?;
        if self.is("=") {
            self.at += 1;
            self.expression(false)?;
        }
        if ghost {
            self.cut_statement(start);
        } else if self.at == start {
            return Err(Stop::Lost);
        }
        Ok(())
    }

    /// A word that modifies a member, and is not the member's own name.
    fn is_modifier(&self) -> bool {
        let text = self.text();
        let known = MODIFIERS.contains(&text)
            || matches!(text, "static" | "async" | "get" | "set" | "accessor" | "*");
        let named = matches!(
            self.text_at(self.at + 1),
            "(" | "=" | ";" | ":" | "?" | "!" | "<" | "," | "}"
        );
        known && !named && !(self.text_at(self.at + 1) == "{" && text != "static")
    }

    /// The name of a member or property.
    pub(super) fn key(&mut self) -> Step {
        match self.text() {
            "[" => self.group(),
            "" | "}" | ")" => Err(Stop::Lost),
            _ => {
                self.at += 1;
                Ok(())
            }
        }
    }
}
