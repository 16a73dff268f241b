//! Tokens → expression tree (XPath 1.0 §2 and §3).

use super::functions::Function;
use super::lexer::{Token, tokenize};
use super::{Axis, Expr, NodeTest, Operator, Start, Step};

/// Predicates, parentheses and arguments inside each other.
const MAX_DEPTH: usize = 32;

pub(super) fn parse(source: &str) -> Result<Expr, String> {
    let mut parser = Parser {
        tokens: tokenize(source)?,
        pos: 0,
        depth: 0,
    };
    let expression = parser.or()?;
    match parser.peek() {
        None => Ok(expression),
        Some(_) => Err(parser.unexpected()),
    }
}

struct Parser {
    tokens: Vec<Token>,
    pos: usize,
    depth: usize,
}

type Parsed<T> = Result<T, String>;

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.pos)
    }

    fn eat(&mut self, symbol: &'static str) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.pos += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.eat(symbol) {
            Ok(())
        } else {
            Err(format!("expected \"{symbol}\", {}", self.unexpected()))
        }
    }

    fn unexpected(&self) -> String {
        match self.peek() {
            None => "unexpected end".into(),
            Some(Token::Symbol(symbol)) => format!("unexpected \"{symbol}\""),
            Some(Token::Name(name) | Token::Function(name)) => format!("unexpected \"{name}\""),
            Some(Token::Axis(name)) => format!("unexpected \"{name}::\""),
            Some(Token::Literal(text)) => format!("unexpected string \"{text}\""),
            Some(Token::Number(number)) => format!("unexpected number {number}"),
        }
    }

    /// One level deeper, for whatever recurses.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err("the expression is nested too deeply".into());
        }
        self.depth += 1;
        let value = inner(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn or(&mut self) -> Parsed<Expr> {
        let mut terms = vec![self.and()?];
        while self.eat("or") {
            terms.push(self.and()?);
        }
        Ok(single(terms, Expr::Or))
    }

    fn and(&mut self) -> Parsed<Expr> {
        let mut terms = vec![self.chain(0)?];
        while self.eat("and") {
            terms.push(self.chain(0)?);
        }
        Ok(single(terms, Expr::And))
    }

    /// Equality, relation, sum and product, from loose to tight.
    fn chain(&mut self, level: usize) -> Parsed<Expr> {
        const LEVELS: [&[(&str, Operator)]; 4] = [
            &[("=", Operator::Equal), ("!=", Operator::NotEqual)],
            &[
                ("<=", Operator::LessOrEqual),
                (">=", Operator::GreaterOrEqual),
                ("<", Operator::Less),
                (">", Operator::Greater),
            ],
            &[("+", Operator::Add), ("-", Operator::Subtract)],
            &[
                ("multiply", Operator::Multiply),
                ("div", Operator::Divide),
                ("mod", Operator::Modulo),
            ],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let first = self.chain(level + 1)?;
        let mut rest = Vec::new();
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.eat(symbol)) {
            rest.push((*operator, self.chain(level + 1)?));
        }
        Ok(match rest.is_empty() {
            true => first,
            false => Expr::Chain(Box::new(first), rest),
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let mut negative = false;
        let mut signed = false;
        while self.eat("-") {
            signed = true;
            negative = !negative;
        }
        let value = self.union()?;
        Ok(match (signed, negative) {
            (false, _) => value,
            (true, true) => Expr::Negate(Box::new(value)),
            // An even number of signs still makes a number of it.
            (true, false) => Expr::Call(Function::Number, vec![value]),
        })
    }

    fn union(&mut self) -> Parsed<Expr> {
        let mut paths = vec![self.path()?];
        while self.eat("|") {
            paths.push(self.path()?);
        }
        Ok(single(paths, Expr::Union))
    }

    fn path(&mut self) -> Parsed<Expr> {
        let node_types = ["text", "comment", "node", "processing-instruction"];
        let primary = match self.peek() {
            Some(Token::Function(name)) => !node_types.contains(&name.as_str()),
            Some(Token::Literal(_) | Token::Number(_) | Token::Symbol("(")) => true,
            _ => false,
        };
        let mut steps = Vec::new();
        let start = if primary {
            let value = self.primary()?;
            let predicates = self.predicates()?;
            let continues = matches!(self.peek(), Some(Token::Symbol("/" | "//")));
            if predicates.is_empty() && !continues {
                return Ok(value);
            }
            if !continues {
                let start = Start::Filtered(Box::new(value), predicates);
                return Ok(Expr::Path { start, steps });
            }
            self.separator(&mut steps);
            Start::Filtered(Box::new(value), predicates)
        } else if matches!(self.peek(), Some(Token::Symbol("/" | "//"))) {
            let alone = !self.separator(&mut steps);
            if alone && !self.at_step() {
                let start = Start::Root;
                return Ok(Expr::Path { start, steps });
            }
            Start::Root
        } else {
            Start::Context
        };
        loop {
            let step = self.step()?;
            steps.push(step);
            if !matches!(self.peek(), Some(Token::Symbol("/" | "//"))) {
                return Ok(Expr::Path { start, steps });
            }
            self.separator(&mut steps);
        }
    }

    /// Consumes `/` or `//`; true for the latter, which is a step of its own.
    fn separator(&mut self, steps: &mut Vec<Step>) -> bool {
        if self.eat("//") {
            steps.push(Step {
                axis: Axis::DescendantOrSelf,
                test: NodeTest::AnyNode,
                predicates: Vec::new(),
            });
            return true;
        }
        self.eat("/");
        false
    }

    fn at_step(&self) -> bool {
        matches!(
            self.peek(),
            Some(
                Token::Name(_)
                    | Token::Function(_)
                    | Token::Axis(_)
                    | Token::Symbol("." | ".." | "@" | "*")
            )
        )
    }

    fn step(&mut self) -> Parsed<Step> {
        for (symbol, axis) in [("..", Axis::Parent), (".", Axis::SelfNode)] {
            if self.eat(symbol) {
                return Ok(Step {
                    axis,
                    test: NodeTest::AnyNode,
                    predicates: Vec::new(),
                });
            }
        }
        let axis = if self.eat("@") {
            Axis::Attribute
        } else if let Some(Token::Axis(name)) = self.peek() {
            let axis = axis(name)?;
            self.pos += 1;
            axis
        } else {
            Axis::Child
        };
        let test = self.node_test()?;
        let predicates = self.predicates()?;
        Ok(Step {
            axis,
            test,
            predicates,
        })
    }

    fn node_test(&mut self) -> Parsed<NodeTest> {
        if self.eat("*") {
            return Ok(NodeTest::AnyName);
        }
        let test = match self.peek() {
            Some(Token::Name(name)) => NodeTest::Name(name.clone()),
            Some(Token::Function(name)) => match name.as_str() {
                "node" => NodeTest::AnyNode,
                "text" => NodeTest::Text,
                "comment" => NodeTest::Comment,
                "processing-instruction" => NodeTest::Nothing,
                _ => return Err(self.unexpected()),
            },
            _ => return Err(self.unexpected()),
        };
        let is_type = !matches!(test, NodeTest::Name(_));
        self.pos += 1;
        if is_type {
            self.expect("(")?;
            if test == NodeTest::Nothing && matches!(self.peek(), Some(Token::Literal(_))) {
                self.pos += 1;
            }
            self.expect(")")?;
        }
        Ok(test)
    }

    fn predicates(&mut self) -> Parsed<Vec<Expr>> {
        let mut predicates = Vec::new();
        while self.eat("[") {
            predicates.push(self.nested(Self::or)?);
            self.expect("]")?;
        }
        Ok(predicates)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek().cloned();
        self.pos += 1;
        match token {
            Some(Token::Literal(text)) => Ok(Expr::Literal(text)),
            Some(Token::Number(number)) => Ok(Expr::Number(number)),
            Some(Token::Symbol("(")) => {
                let inner = self.nested(Self::or)?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(Token::Function(name)) => {
                let function = Function::by_name(&name)
                    .ok_or_else(|| format!("unsupported function {name}()"))?;
                self.expect("(")?;
                let mut arguments = Vec::new();
                if !self.eat(")") {
                    loop {
                        arguments.push(self.nested(Self::or)?);
                        if !self.eat(",") {
                            break;
                        }
                    }
                    self.expect(")")?;
                }
                if !function.takes(arguments.len()) {
                    return Err(format!("wrong number of arguments for {name}()"));
                }
                Ok(Expr::Call(function, arguments))
            }
            _ => {
                self.pos -= 1;
                Err(self.unexpected())
            }
        }
    }
}

fn single(mut list: Vec<Expr>, many: impl FnOnce(Vec<Expr>) -> Expr) -> Expr {
    match list.pop() {
        Some(only) if list.is_empty() => only,
        Some(last) => {
            list.push(last);
            many(list)
        }
        None => many(list),
    }
}

fn axis(name: &str) -> Parsed<Axis> {
    Ok(match name {
        "ancestor" => Axis::Ancestor,
        "ancestor-or-self" => Axis::AncestorOrSelf,
        "attribute" => Axis::Attribute,
        "child" => Axis::Child,
        "descendant" => Axis::Descendant,
        "descendant-or-self" => Axis::DescendantOrSelf,
        "following" => Axis::Following,
        "following-sibling" => Axis::FollowingSibling,
        "parent" => Axis::Parent,
        "preceding" => Axis::Preceding,
        "preceding-sibling" => Axis::PrecedingSibling,
        "self" => Axis::SelfNode,
        _ => return Err(format!("unsupported axis {name}::")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_and_names() {
        // `*` and `div` are operators or names by position (§3.7).
        for source in [
            "div * div div div",
            "//*[@*]",
            "* * *",
            "a[position() mod 2 = 1 and not(@b)] | c",
            "(//a)[1]/b",
            "/",
            "//div[contains(., 'x') or @id='y']/..",
            "--1",
            "ancestor::div[1]",
            "count(//a) > 3",
            "id('x')/b",
        ] {
            assert!(parse(source).is_ok(), "{source}: {:?}", parse(source));
        }
        let Ok(Expr::Chain(_, rest)) = parse("1 - 2 - 3") else {
            panic!();
        };
        assert_eq!(rest.len(), 2);
    }

    #[test]
    fn errors_name_what_is_unsupported() {
        let reason = |source: &str| parse(source).unwrap_err();
        assert_eq!(reason("matches(., 'x')"), "unsupported function matches()");
        assert_eq!(reason("namespace::a"), "unsupported axis namespace::");
        assert_eq!(
            reason("svg:rect"),
            "namespace prefix \"svg\" is not supported"
        );
        assert_eq!(reason("$x"), "variables are not supported");
        assert_eq!(reason("//a["), "unexpected end");
        assert_eq!(reason("//a[1"), "expected \"]\", unexpected end");
        assert_eq!(reason("//"), "unexpected end");
        assert_eq!(reason("a b"), "unexpected \"b\"");
        assert_eq!(reason("'x"), "unterminated string");
        assert_eq!(
            reason("contains('a')"),
            "wrong number of arguments for contains()"
        );
    }

    #[test]
    fn depth_is_bounded() {
        assert!(parse(&format!("{}1{}", "(".repeat(30), ")".repeat(30))).is_ok());
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&format!("a{}", "[a".repeat(100_000))).is_err());
        // Long but flat is fine.
        assert!(parse(&vec!["a"; 20_000].join(" or ")).is_ok());
        assert!(parse(&"-".repeat(20_000)).is_err());
        assert!(parse(&format!("{}1", "-".repeat(20_000))).is_ok());
    }
}
