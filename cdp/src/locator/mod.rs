//! Locators: parsing, querying, printing and generating them.
//!
//! Everything here is pure. Queries run over a captured
//! [`Document`](crate::dom::Document), never by script in the page.

mod alternatives;
mod attributes;
mod candidates;
mod codegen;
mod css;
mod error;
mod expression;
mod fallback;
mod generate;
mod js_regex;
mod labels;
mod layout;
mod literal;
mod order;
mod parse;
mod preview;
mod query;
mod quote;
mod role;
mod selector;
mod text;
mod xpath;

pub use codegen::{Language, codegen};
pub use error::LocatorError;
pub use generate::GenerateOptions;
pub use js_regex::JsRegex;
pub use parse::{Target, parse_target};
pub use preview::{preview, strict_violation};
pub use query::{Engine, ResolveRef};
pub use quote::quote;
pub use selector::{Selector, TextPattern};

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod syntax_tests;
