//! Where a type ends.

use super::tokens::Kind;
use super::walk::{Step, Stop, Walk};

/// Words that stand in front of a type.
const PREFIXES: [&str; 7] = [
    "keyof", "unique", "readonly", "infer", "asserts", "abstract", "new",
];

impl Walk<'_> {
    /// Skips a type: a union, an intersection, a conditional, a function.
    pub(super) fn skip_type(&mut self) -> Step {
        self.enter()?;
        loop {
            while self.is("|") || self.is("&") {
                self.at += 1;
            }
            self.skip_single()?;
            if !self.is("|") && !self.is("&") {
                break;
            }
        }
        if self.is("extends") && !self.fresh() {
            self.at += 1;
            self.skip_type()?;
            self.expect("?")?;
            self.skip_type()?;
            self.expect(":")?;
            self.skip_type()?;
        }
        self.leave();
        Ok(())
    }

    fn skip_single(&mut self) -> Step {
        while PREFIXES.contains(&self.text()) && self.type_follows() {
            self.at += 1;
        }
        match self.kind() {
            Some(Kind::Literal) => self.at += 1,
            Some(Kind::TemplateHead) => {
                self.at += 1;
                loop {
                    self.skip_type()?;
                    match self.kind() {
                        Some(Kind::TemplateMiddle) => self.at += 1,
                        Some(Kind::TemplateTail) => break self.at += 1,
                        _ => return Err(Stop::Lost),
                    }
                }
            }
            Some(Kind::Word) => self.skip_name()?,
            Some(Kind::Mark) => match self.text() {
                "-" => self.at += 2,
                "<" => {
                    self.skip_angles()?;
                    self.skip_arrow_type()?;
                }
                "(" => {
                    let close = self.matching(self.at)?;
                    if self.text_at(close + 1) == "=>" {
                        self.skip_arrow_type()?;
                    } else {
                        self.at = close + 1;
                    }
                }
                "{" | "[" => self.at = self.matching(self.at)? + 1,
                _ => return Err(Stop::Lost),
            },
            _ => return Err(Stop::Lost),
        }
        while self.is("[") && !self.fresh() {
            self.at = self.matching(self.at)? + 1;
        }
        if self.is("is") && !self.fresh() {
            self.at += 1;
            self.skip_type()?;
        }
        Ok(())
    }

    /// `keyof` in front of a type, and not a type of that name.
    fn type_follows(&self) -> bool {
        let next = self.text_at(self.at + 1);
        match self.kind_at(self.at + 1) {
            Some(Kind::Word) => !matches!(next, "is" | "extends") || self.is("asserts"),
            Some(Kind::Mark) => matches!(next, "(" | "{" | "<") || (next == "[" && !self.is("new")),
            Some(_) => true,
            None => false,
        }
    }

    fn skip_name(&mut self) -> Step {
        if self.is("typeof") || self.is("import") {
            self.at += 1;
        }
        if self.is("(") {
            // import('…')
            self.at = self.matching(self.at)?;
        }
        self.at += 1;
        while self.is(".") {
            self.at += 2;
        }
        if self.is("<") && !self.fresh() {
            self.skip_angles()?;
        }
        Ok(())
    }

    /// `(…) => T`
    fn skip_arrow_type(&mut self) -> Step {
        if !self.is("(") {
            return Err(Stop::Lost);
        }
        self.at = self.matching(self.at)? + 1;
        self.expect("=>")?;
        self.skip_type()
    }

    /// Skips `<…>`, which holds types only.
    pub(super) fn skip_angles(&mut self) -> Step {
        self.expect("<")?;
        let mut open = 1;
        while open > 0 {
            self.spend()?;
            match self.text() {
                "<" => open += 1,
                ">" => open -= 1,
                "(" | "[" | "{" => self.at = self.matching(self.at)?,
                ")" | "]" | "}" | ";" | "" | "&&" | "||" | "++" | "--" => return Err(Stop::Lost),
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Cuts `: T`, if it is there.
    pub(super) fn cut_annotation(&mut self) -> Step {
        if self.is(":") {
            let start = self.at;
            self.at += 1;
            self.skip_type()?;
            self.cut(start, self.at);
        }
        Ok(())
    }

    /// Cuts `<…>`, if it is there.
    pub(super) fn cut_angles(&mut self) -> Step {
        if self.is("<") {
            let start = self.at;
            self.skip_angles()?;
            self.cut(start, self.at);
        }
        Ok(())
    }
}
