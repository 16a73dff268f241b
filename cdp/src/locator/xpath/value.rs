//! Values and their conversions (XPath 1.0 §3.2–3.5 and §4).

use crate::dom::NodeId;

/// A node of the XPath data model, in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Item {
    /// The document.
    Root,
    /// An element, text or comment, or its n-th attribute: the element itself
    /// sorts before its attributes, and these before its children.
    Node(NodeId, Option<u32>),
}

impl Item {
    pub(super) fn node(node: NodeId) -> Self {
        Item::Node(node, None)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// In document order, each node once.
    Nodes(Vec<Item>),
    Text(String),
    Number(f64),
    Bool(bool),
}

/// `number(string)`: optional sign, digits, at most one point; else NaN.
pub(super) fn text_to_number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.bytes().any(|b| b.is_ascii_digit());
    if plain {
        text.parse().unwrap_or(f64::NAN)
    } else {
        f64::NAN
    }
}

/// `string(number)`: never an exponent.
pub(super) fn number_to_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .into()
    } else if number == 0.0 {
        "0".into()
    } else {
        number.to_string()
    }
}

/// `round()`: halves go towards positive infinity.
pub(super) fn round(number: f64) -> f64 {
    if number.is_finite() {
        (number + 0.5).floor()
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        assert_eq!(text_to_number(" -1.5 "), -1.5);
        assert_eq!(text_to_number("1."), 1.0);
        for text in ["", "1e3", "+1", "1.2.3", "x", "-", "."] {
            assert!(text_to_number(text).is_nan(), "{text}");
        }
        assert_eq!(number_to_text(1e21), "1000000000000000000000");
        assert_eq!(number_to_text(-0.0), "0");
        assert_eq!(number_to_text(0.5), "0.5");
        assert_eq!(round(-2.5), -2.0);
        assert_eq!(round(2.5), 3.0);
    }
}
