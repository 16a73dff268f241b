//! CSS selectors with Playwright's extensions.
//!
//! The engine is our own and small, because Playwright's dialect is not
//! standard matching: combinators climb from open shadow trees to their hosts,
//! ancestors outside the queried scope do not count, `:scope` widens the search
//! to siblings, arguments of pseudo-classes mix texts and selectors, and a
//! selector that ends early is an error.

mod attribute;
mod has;
mod matching;
mod parse;
mod pseudo;
mod state;
mod token;

pub(super) use matching::CssQuery;
pub(super) use parse::parse;
pub(super) use state::is_content_editable;

use super::JsRegex;
use super::layout::Layout;

/// Alternatives separated by commas.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SelectorList(pub Vec<Complex>);

/// Compounds joined by combinators, as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Complex {
    /// At least one.
    pub compounds: Vec<Compound>,
    /// `combinators[i]` stands between compounds `i` and `i + 1`.
    pub combinators: Vec<Combinator>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combinator {
    Descendant,
    Child,
    NextSibling,
    LaterSibling,
}

/// Conditions on one element; empty means any element.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Compound(pub Vec<Simple>);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Simple {
    Universal,
    /// Name as written; case does not matter in HTML documents.
    Type(String),
    Id(String),
    Class(String),
    Attribute(AttributeSelector),
    Pseudo(PseudoClass),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct AttributeSelector {
    pub name: String,
    pub test: AttributeOperator,
    pub value: String,
    /// The `i` flag, or an attribute whose values HTML compares without case.
    pub ignore_case: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeOperator {
    Exists,
    Equals,
    Includes,
    Dash,
    Prefix,
    Suffix,
    Substring,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PseudoClass {
    Root,
    Scope,
    Empty,
    Nth(Nth),
    Only { of_type: bool },
    Not(SelectorList),
    Is(SelectorList),
    Has(SelectorList),
    Light(SelectorList),
    NthMatch(SelectorList, usize),
    Layout(Layout, SelectorList, Option<f64>),
    Visible,
    Text(String),
    TextIs(String),
    TextMatches(JsRegex),
    HasText(String),
    State(State),
    Lang(String),
}

/// `:nth-child()` and its kin: positions `step·n + offset` for n ≥ 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Nth {
    pub step: i64,
    pub offset: i64,
    pub from_end: bool,
    pub of_type: bool,
    pub of: Option<SelectorList>,
}

/// Pseudo-classes that follow from attributes and captured form state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Checked,
    Disabled,
    Enabled,
    Required,
    Optional,
    ReadOnly,
    ReadWrite,
    PlaceholderShown,
    Link,
    Open,
    Focus,
    FocusWithin,
    /// Valid, but true for no element a page query can return (`:host`, `:visited`).
    Never,
}

impl SelectorList {
    /// Whether some compound, outside of nested `:has()`, names `:scope`.
    pub(super) fn mentions_scope(&self) -> bool {
        self.0.iter().any(Complex::mentions_scope)
    }

    /// Whether what is found below an element can be missing from what is found
    /// below its ancestors.
    pub(super) fn looks_outside(&self) -> bool {
        self.0
            .iter()
            .flat_map(Complex::pseudos)
            .any(|pseudo| match pseudo {
                PseudoClass::Scope
                | PseudoClass::NthMatch(..)
                | PseudoClass::Layout(..)
                | PseudoClass::Light(_) => true,
                PseudoClass::Is(list) => list.looks_outside(),
                PseudoClass::Not(list) => list.depends_on_scope() || list.looks_outside(),
                _ => false,
            })
    }

    /// Whether there is one alternative, without an order of its own.
    pub(super) fn is_single(&self) -> bool {
        let layout = |pseudo: &PseudoClass| matches!(pseudo, PseudoClass::Layout(..));
        self.0.len() == 1 && !self.0.iter().flat_map(Complex::pseudos).any(layout)
    }

    /// Whether each alternative is a condition on the element alone.
    pub(super) fn is_plain(&self) -> bool {
        !self.depends_on_scope() && !self.looks_outside()
    }

    /// Whether the answer for an element depends on where the search began
    /// beyond the element being below it.
    fn depends_on_scope(&self) -> bool {
        self.0
            .iter()
            .any(|complex| complex.compounds.len() > 1 || complex.depends_on_scope())
    }
}

impl Complex {
    fn pseudos(&self) -> impl Iterator<Item = &PseudoClass> {
        let simples = self.compounds.iter().flat_map(|compound| &compound.0);
        simples.filter_map(|simple| match simple {
            Simple::Pseudo(pseudo) => Some(pseudo),
            _ => None,
        })
    }

    /// Written with a leading combinator, or as such a selector is understood.
    fn is_relative(&self) -> bool {
        let begins = self
            .compounds
            .first()
            .is_some_and(|first| first.0 == [Simple::Pseudo(PseudoClass::Scope)]);
        begins
            && self
                .pseudos()
                .filter(|pseudo| **pseudo == PseudoClass::Scope)
                .count()
                == 1
    }

    fn mentions_scope(&self) -> bool {
        self.pseudos().any(|pseudo| match pseudo {
            PseudoClass::Scope => true,
            PseudoClass::Not(list) | PseudoClass::Is(list) | PseudoClass::Light(list) => {
                list.mentions_scope()
            }
            _ => false,
        })
    }

    fn depends_on_scope(&self) -> bool {
        self.pseudos().any(|pseudo| match pseudo {
            PseudoClass::Scope | PseudoClass::NthMatch(..) | PseudoClass::Layout(..) => true,
            PseudoClass::Not(list) | PseudoClass::Is(list) | PseudoClass::Light(list) => {
                list.depends_on_scope()
            }
            _ => false,
        })
    }
}
