//! XPath 1.0 over a [`Document`](crate::dom::Document).
//!
//! An evaluator of our own, because existing crates want the document as their
//! own tree. It has all of XPath 1.0 but variables and namespace prefixes, and
//! follows browsers in HTML: element names without case, SVG and MathML elements
//! only through `*` and `local-name()`, and no way into shadow trees.

mod convert;
mod eval;
mod functions;
mod lexer;
mod parse;
mod value;

use super::LocatorError;
use functions::Function;

pub(super) use eval::select;

/// A parsed expression with its text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct XPath {
    source: String,
    expression: Expr,
    /// Below an element, a leading slash starts at that element.
    relative: Option<Expr>,
}

impl XPath {
    pub(super) fn parse(source: &str) -> Result<Self, LocatorError> {
        let parse = |text: &str| {
            parse::parse(text).map_err(|reason| LocatorError::XPath {
                expression: source.to_owned(),
                reason,
            })
        };
        Ok(Self {
            source: source.to_owned(),
            expression: parse(source)?,
            relative: match source.starts_with('/') {
                true => Some(parse(&format!(".{source}"))?),
                false => None,
            },
        })
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Selector syntax recognises only these beginnings by themselves.
    pub(super) fn needs_prefix(&self) -> bool {
        !self.source.starts_with("//") && !self.source.starts_with("..")
    }
}

/// Expressions. Chains of one precedence level are lists, so that neither
/// evaluating nor dropping them recurses with their length.
#[derive(Debug, Clone, PartialEq)]
enum Expr {
    Or(Vec<Expr>),
    And(Vec<Expr>),
    /// Left-associative operators of one level.
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    Negate(Box<Expr>),
    Union(Vec<Expr>),
    Path {
        start: Start,
        steps: Vec<Step>,
    },
    Literal(String),
    Number(f64),
    Call(Function, Vec<Expr>),
}

#[derive(Debug, Clone, PartialEq)]
enum Start {
    Context,
    Root,
    /// `(expr)[predicate]…`
    Filtered(Box<Expr>, Vec<Expr>),
}

#[derive(Debug, Clone, PartialEq)]
struct Step {
    axis: Axis,
    test: NodeTest,
    predicates: Vec<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    SelfNode,
}

#[derive(Debug, Clone, PartialEq)]
enum NodeTest {
    Name(String),
    AnyName,
    AnyNode,
    Text,
    Comment,
    /// Processing instructions, of which HTML has none.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}
