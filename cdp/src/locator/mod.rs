//! Locators: parsing, querying, printing and generating them.
//!
//! Everything here is pure. Queries run over a captured
//! [`Document`](crate::dom::Document), never by script in the page.

mod attributes;
mod codegen;
mod css;
mod error;
mod expression;
mod js_regex;
mod labels;
mod layout;
mod literal;
mod order;
mod parse;
mod query;
mod quote;
mod role;
mod selector;
mod text;
mod xpath;

pub use codegen::{Language, codegen};
pub use error::LocatorError;
pub use js_regex::JsRegex;
pub use parse::{Target, parse_target};
pub use query::{Engine, ResolveRef};
pub use quote::quote;
pub use selector::{Selector, TextPattern};
