//! What the tools are: their catalogue, the check of their arguments, and the JavaScript notation
//! that results and code lines are written in. What the tools do is the work of a backend.

pub mod catalogue;
mod descriptions;
pub mod js_code;
pub mod js_regex;
pub mod validate;
