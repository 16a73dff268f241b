//! The reader that goes through a module and marks what to cut: its state, and statements.

use std::ops::Range;

use super::tokens::{Kind, Token};

/// Constructs inside one another. Each level costs a few frames of the thread's stack.
const MAX_DEPTH: usize = 300;
/// Steps per token. Some texts are read twice; hostile ones would be read without end.
const STEPS: usize = 50;

/// Why the walk ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Something that no blanks can replace.
    Refused { token: usize, reason: &'static str },
    /// It is not what we took it for.
    Lost,
}

pub(super) type Step = Result<(), Stop>;

/// An `import` with names.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) tokens: Range<usize>,
    /// Each ends with the local name.
    pub(super) names: Vec<Range<usize>>,
}

/// What to cut, as ranges of tokens.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) cuts: Vec<Range<usize>>,
    /// First tokens of those cuts that are whole statements.
    pub(super) statements: Vec<usize>,
    pub(super) imports: Vec<Import>,
    pub(super) is_module: bool,
}

pub(super) struct Walk<'s> {
    tokens: &'s [Token],
    source: &'s str,
    /// For each bracket the one that belongs to it.
    pairs: Vec<usize>,
    pub(super) at: usize,
    pub(super) out: Walked,
    depth: usize,
    steps_left: usize,
}

impl<'s> Walk<'s> {
    pub(super) fn run(tokens: &'s [Token], source: &'s str) -> Result<Walked, Stop> {
        let mut walk = Walk {
            pairs: pairs(tokens, source).ok_or(Stop::Lost)?,
            tokens,
            source,
            at: 0,
            out: Walked::default(),
            depth: 0,
            steps_left: tokens.len() * STEPS + STEPS,
        };
        walk.statements(tokens.len())?;
        Ok(walk.out)
    }

    pub(super) fn text_at(&self, index: usize) -> &'s str {
        self.tokens
            .get(index)
            .map_or("", |token| token.text(self.source))
    }

    pub(super) fn text(&self) -> &'s str {
        self.text_at(self.at)
    }

    pub(super) fn kind_at(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.kind_at(self.at)
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text() == text
    }

    pub(super) fn is_word_at(&self, index: usize) -> bool {
        self.kind_at(index) == Some(Kind::Word)
    }

    pub(super) fn fresh_at(&self, index: usize) -> bool {
        self.tokens.get(index).is_none_or(|token| token.fresh)
    }

    /// Whether the current token begins a line.
    pub(super) fn fresh(&self) -> bool {
        self.fresh_at(self.at)
    }

    pub(super) fn expect(&mut self, text: &str) -> Step {
        if !self.is(text) {
            return Err(Stop::Lost);
        }
        self.at += 1;
        Ok(())
    }

    pub(super) fn cut(&mut self, start: usize, end: usize) {
        self.out.cuts.push(start..end.min(self.tokens.len()));
    }

    pub(super) fn cut_statement(&mut self, start: usize) {
        if self.is(";") {
            self.at += 1;
        }
        self.cut(start, self.at);
        self.out.statements.push(start);
    }

    pub(super) fn refuse<T>(&self, reason: &'static str) -> Result<T, Stop> {
        Err(Stop::Refused {
            token: self.at,
            reason,
        })
    }

    pub(super) fn spend(&mut self) -> Step {
        self.steps_left = self.steps_left.checked_sub(1).ok_or(Stop::Lost)?;
        Ok(())
    }

    pub(super) fn enter(&mut self) -> Step {
        self.spend()?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Stop::Lost);
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The bracket that closes the one at `index`.
    pub(super) fn matching(&self, index: usize) -> Result<usize, Stop> {
        match self.pairs.get(index) {
            Some(&close) if close > index => Ok(close),
            _ => Err(Stop::Lost),
        }
    }

    /// Tries something that may turn out to be wrong; then nothing has happened.
    pub(super) fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Step) -> bool {
        let (at, depth, cuts) = (self.at, self.depth, self.out.cuts.len());
        if step(self).is_ok() {
            return true;
        }
        self.at = at;
        self.depth = depth;
        self.out.cuts.truncate(cuts);
        false
    }

    /// Statements up to a token.
    fn statements(&mut self, end: usize) -> Step {
        self.enter()?;
        while self.at < end {
            let before = self.at;
            self.statement()?;
            if self.at == before {
                // Not ours to judge.
                self.at += 1;
            }
        }
        self.leave();
        Ok(())
    }

    /// `{ … }`
    pub(super) fn block(&mut self) -> Step {
        if !self.is("{") {
            return Err(Stop::Lost);
        }
        let close = self.matching(self.at)?;
        self.at += 1;
        self.statements(close)?;
        self.at = close + 1;
        Ok(())
    }

    fn statement(&mut self) -> Step {
        let start = self.at;
        match self.text() {
            "import" if !matches!(self.text_at(self.at + 1), "(" | ".") => self.import(),
            "export" => self.export(),
            "function" => self.function(start),
            "async" if self.text_at(self.at + 1) == "function" => {
                self.at += 1;
                self.function(start)
            }
            "class" => self.class(),
            "abstract" if self.text_at(self.at + 1) == "class" => {
                self.cut(self.at, self.at + 1);
                self.at += 1;
                self.class()
            }
            "interface" | "type" | "declare" | "enum" | "namespace" | "module"
                if self.is_word_at(self.at + 1) && !self.fresh_at(self.at + 1) =>
            {
                self.type_statement(start)
            }
            "const" if self.text_at(self.at + 1) == "enum" => {
                self.refuse("enums are not supported: use an object instead")
            }
            "const" | "let" | "var" => self.variables(),
            "for" => self.for_head(),
            "catch" => self.catch(),
            "{" => self.block(),
            "if" | "while" | "switch" | "with" if self.text_at(self.at + 1) == "(" => {
                self.at += 1;
                self.group()
            }
            "return" | "throw" | "case" => {
                self.at += 1;
                self.expression(true)
            }
            "else" | "do" | "try" | "finally" | "default" | ";" | ":" => {
                self.at += 1;
                Ok(())
            }
            _ => self.expression(true),
        }
    }

    fn type_statement(&mut self, start: usize) -> Step {
        match self.text() {
            "interface" => {
                while !self.is("{") {
                    if self.text().is_empty() {
                        return Err(Stop::Lost);
                    }
                    match self.is("<") {
                        true => self.skip_angles()?,
                        false => self.at += 1,
                    }
                }
                self.at = self.matching(self.at)? + 1;
            }
            "type" => {
                self.at += 2;
                if self.is("<") {
                    self.skip_angles()?;
                }
                self.expect("=")?;
                self.skip_type()?;
            }
            "declare" => {
                self.at += 1;
                if matches!(self.text(), "module" | "namespace" | "global" | "enum") {
                    while !self.is("{") && !self.text().is_empty() {
                        self.at += 1;
                    }
                    self.at = self.matching(self.at)? + 1;
                } else {
                    let inner = self.out.statements.len();
                    self.statement()?;
                    self.out.statements.truncate(inner);
                }
            }
            "enum" => return self.refuse("enums are not supported: use an object instead"),
            _ if self.text_at(self.at + 2) == "{" => {
                return self.refuse("namespaces are not supported");
            }
            _ => return self.expression(true),
        }
        self.cut_statement(start);
        Ok(())
    }

    fn import(&mut self) -> Step {
        let start = self.at;
        self.out.is_module = true;
        let next = self.text_at(self.at + 1);
        let after = self.text_at(self.at + 2);
        let types_only = next == "type"
            && (matches!(after, "{" | "*") || (self.is_word_at(self.at + 2) && after != "from"));
        let mut names = Vec::new();
        self.at += 1;
        while self.kind() != Some(Kind::Literal) {
            match (self.kind(), self.text()) {
                (None, _) | (_, ";") => return Err(Stop::Lost),
                (_, "=") => return self.refuse("import = is not supported"),
                (Some(Kind::Word), "from") => self.at += 1,
                (Some(Kind::Word), _) => {
                    let from = self.at;
                    while self.is_word_at(self.at) && !self.is("from") {
                        self.at += 1;
                    }
                    names.push(from..self.at);
                }
                (_, "*") => {
                    names.push(self.at..self.at + 3);
                    self.at += 3;
                }
                _ => self.at += 1,
            }
        }
        self.at += 1;
        if self.is("with") && !self.fresh() {
            self.at += 1;
            self.at = self.matching(self.at)? + 1;
        }
        if types_only {
            self.cut_statement(start);
            return Ok(());
        }
        if self.is(";") {
            self.at += 1;
        }
        // `type` in front of a single name.
        for name in &names {
            if name.len() > 1
                && self.text_at(name.start) == "type"
                && self.text_at(name.start + 1) != "as"
            {
                self.out.cuts.push(name.clone());
                if self.text_at(name.end) == "," {
                    self.out.cuts.push(name.end..name.end + 1);
                }
            }
        }
        self.out.imports.push(Import {
            tokens: start..self.at,
            names,
        });
        Ok(())
    }

    fn export(&mut self) -> Step {
        let start = self.at;
        self.out.is_module = true;
        self.at += 1;
        match self.text() {
            "type" if matches!(self.text_at(self.at + 1), "{" | "*") => {
                while !self.text().is_empty()
                    && !self.is(";")
                    && (self.at < start + 3 || !self.fresh())
                {
                    match self.is("{") {
                        true => self.at = self.matching(self.at)? + 1,
                        false => self.at += 1,
                    }
                }
                self.cut_statement(start);
                Ok(())
            }
            "interface" | "type" | "declare" if self.is_word_at(self.at + 1) => {
                self.type_statement(start)
            }
            "{" => {
                let close = self.matching(self.at)?;
                while self.at < close {
                    let next = self.text_at(self.at + 1);
                    if self.is("type") && !matches!(next, "," | "}" | "as") {
                        let from = self.at;
                        while !self.is(",") && self.at < close {
                            self.at += 1;
                        }
                        self.cut(from, (self.at + 1).min(close));
                    }
                    self.at += 1;
                }
                self.at = close + 1;
                Ok(())
            }
            "=" => self.refuse("export = is not supported: use export default"),
            "default" => {
                self.at += 1;
                match self.text() {
                    "interface" if self.is_word_at(self.at + 1) => self.type_statement(start),
                    "abstract" => {
                        self.cut(self.at, self.at + 1);
                        self.at += 1;
                        self.class()
                    }
                    "class" => self.class(),
                    "function" => self.function(start),
                    "async" if self.text_at(self.at + 1) == "function" => {
                        self.at += 1;
                        self.function(start)
                    }
                    _ => self.expression(true),
                }
            }
            "function" => self.function(start),
            "async" if self.text_at(self.at + 1) == "function" => {
                self.at += 1;
                self.function(start)
            }
            _ => Ok(()),
        }
    }

    fn for_head(&mut self) -> Step {
        self.at += 1;
        if self.is("await") {
            self.at += 1;
        }
        if !self.is("(") {
            return Ok(());
        }
        let close = self.matching(self.at)?;
        self.at += 1;
        self.statements(close)?;
        self.at = close + 1;
        Ok(())
    }

    fn catch(&mut self) -> Step {
        self.at += 1;
        if !self.is("(") {
            return Ok(());
        }
        let close = self.matching(self.at)?;
        self.at += 1;
        self.binding()?;
        self.cut_annotation()?;
        self.at = close + 1;
        Ok(())
    }
}

/// Pairs of brackets; `None` when they do not fit together.
fn pairs(tokens: &[Token], source: &str) -> Option<Vec<usize>> {
    let mut pairs = vec![0; tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let text = token.text(source);
        match token.kind {
            Kind::Mark => match text {
                "(" => open.push((index, ")")),
                "[" => open.push((index, "]")),
                "{" => open.push((index, "}")),
                ")" | "]" | "}" => {
                    let (start, wanted) = open.pop()?;
                    if wanted != text {
                        return None;
                    }
                    pairs[start] = index;
                }
                _ => {}
            },
            Kind::TemplateHead => open.push((index, "`")),
            Kind::TemplateTail => {
                let (start, wanted) = open.pop()?;
                if wanted != "`" {
                    return None;
                }
                pairs[start] = index;
            }
            _ => {}
        }
    }
    open.is_empty().then_some(pairs)
}
