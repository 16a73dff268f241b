//! What can go wrong while reading or running a locator.

use thiserror::Error;

/// A target text that cannot be understood or run.
///
/// The texts of the syntax errors are those of Playwright, because agents and
/// test suites match on them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LocatorError {
    /// A CSS selector broke off at `token` (empty at the end of the text).
    #[error(
        "Unexpected token \"{token}\" while parsing css selector \"{selector}\". Did you mean to CSS.escape it?"
    )]
    UnexpectedToken {
        /// Source text of the offending token.
        token: String,
        /// The whole CSS selector.
        selector: String,
    },
    /// A token that may stand in CSS, but never in a selector (`@x`, `;`, `{`).
    #[error(
        "Unsupported token \"{token}\" while parsing css selector \"{selector}\". Did you mean to CSS.escape it?"
    )]
    UnsupportedToken {
        /// Source text of the offending token.
        token: String,
        /// The whole CSS selector.
        selector: String,
    },
    /// `name=` in front of a selector part is no engine.
    #[error("Unknown engine \"{engine}\" while parsing selector {selector}")]
    UnknownEngine {
        /// The unknown name.
        engine: String,
        /// The whole selector text.
        selector: String,
    },
    /// The body of an engine that takes quoted text or a nested selector is malformed.
    #[error("Malformed selector: {0}")]
    Malformed(String),
    /// The text is neither a selector nor a locator expression.
    #[error(
        "Unexpected token \"\" while parsing css selector \"\". Did you mean to CSS.escape it?"
    )]
    Unreadable {
        /// What is wrong with it as a selector.
        as_selector: Box<LocatorError>,
        /// What is wrong with it as a JavaScript expression.
        as_expression: String,
    },
    /// Any other syntax error, with a sentence that says what and where.
    #[error("{0}")]
    Syntax(String),
    /// Well-formed CSS that browsers reject, such as an unknown pseudo-class.
    #[error(
        "Failed to execute 'querySelectorAll' on 'Document': '{selector}' is not a valid selector. {reason}"
    )]
    InvalidCss {
        /// The whole CSS selector.
        selector: String,
        /// A sentence on what is wrong with it.
        reason: String,
    },
    /// A pseudo-class whose truth only the live page knows (`:hover`, `:active` ...).
    #[error(
        "Pseudo-class \"{pseudo}\" depends on live browser state and cannot be used in a locator, while parsing css selector \"{selector}\""
    )]
    LivePseudoClass {
        /// The pseudo-class with its colon.
        pseudo: String,
        /// The whole CSS selector.
        selector: String,
    },
    /// An XPath expression that is malformed or uses something this evaluator does not have.
    #[error(
        "Failed to execute 'evaluate' on 'Document': The string '{expression}' is not a valid XPath expression: {reason}."
    )]
    XPath {
        /// The whole expression.
        expression: String,
        /// What is wrong.
        reason: String,
    },
    /// A regular expression that JavaScript would reject, or that cannot be translated.
    #[error("Invalid regular expression: {literal}: {reason}")]
    Regex {
        /// The expression as a JavaScript literal.
        literal: String,
        /// What is wrong.
        reason: String,
    },
    /// Nesting or length beyond what a sane locator needs.
    #[error("Selector is too complex: {0}")]
    TooComplex(&'static str),
    /// A query met more work than its budget allows.
    #[error("Query gave up: {0}")]
    Budget(&'static str),
}

impl LocatorError {
    /// True for errors of form, after which a text may still be valid in
    /// another syntax.
    pub(super) fn is_syntax(&self) -> bool {
        matches!(
            self,
            LocatorError::UnexpectedToken { .. }
                | LocatorError::UnsupportedToken { .. }
                | LocatorError::Malformed(_)
        )
    }

    /// The precise reason behind [`LocatorError::Unreadable`], whose own text
    /// is Playwright's and says little. The same as the text for other errors.
    pub fn detail(&self) -> String {
        match self {
            LocatorError::Unreadable {
                as_selector,
                as_expression,
            } => {
                format!("{as_selector} As a locator expression: {as_expression}")
            }
            other => other.to_string(),
        }
    }
}
