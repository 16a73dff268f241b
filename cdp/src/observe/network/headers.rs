//! HTTP headers in the order and spelling they are shown in.

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use crate::observe::text;

/// Bytes of one value, and of all names and values of one message, that are kept.
const VALUE_BYTES: usize = 16 << 10;
const TOTAL_BYTES: usize = 64 << 10;
/// Headers of one message that are kept; servers rarely accept more than a hundred.
const MOST: usize = 256;

/// Headers of one message: names lower-cased and unique, in the browser's order.
///
/// Values of repeated headers are joined by `, ` (RFC 9110 §5.3), those of `set-cookie` by a line
/// feed, since cookies may hold commas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The value of `name` (lower case).
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|&(own, _)| own == name)
            .map(|(_, value)| value)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Bytes of names and values.
    pub(super) fn bytes(&self) -> usize {
        self.iter()
            .map(|(name, value)| name.len() + value.len())
            .sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, name: &str, value: &str) {
        let name = name.to_lowercase();
        let separator = if name == "set-cookie" { "\n" } else { ", " };
        // The protocol joins repeated headers by line feeds.
        let mut value = value.split('\n').collect::<Vec<_>>().join(separator);
        text::cut(&mut value, VALUE_BYTES);
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => {
                own.push_str(separator);
                own.push_str(&value);
                text::cut(own, VALUE_BYTES);
            }
            None => self.0.push((name, value)),
        }
    }
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Headers;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of header names and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Headers, A::Error> {
                let mut headers = Headers::default();
                let mut bytes = 0;
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    bytes += name.len() + value.len().min(VALUE_BYTES);
                    // What is over the limit is still read, or the rest of the event would be lost.
                    if bytes <= TOTAL_BYTES && headers.0.len() < MOST {
                        headers.add(&name, &value);
                    }
                }
                Ok(headers)
            }
        }
        from.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(json: &str) -> Headers {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn names_are_lower_case_and_order_is_kept() {
        let headers =
            headers(r#"{"X-Custom":"V","sec-ch-ua-mobile":"?0","Content-Type":"text/html"}"#);
        assert_eq!(
            headers.iter().collect::<Vec<_>>(),
            [
                ("x-custom", "V"),
                ("sec-ch-ua-mobile", "?0"),
                ("content-type", "text/html")
            ]
        );
        assert_eq!(headers.get("content-type"), Some("text/html"));
        assert_eq!(headers.get("Content-Type"), None);
    }

    #[test]
    fn repeated_headers_are_joined() {
        let headers = headers(r#"{"Link":"<a>\n<b>","Set-Cookie":"a=1\nb=2","X":"1","x":"2"}"#);
        assert_eq!(headers.get("link"), Some("<a>, <b>"));
        assert_eq!(headers.get("set-cookie"), Some("a=1\nb=2"));
        assert_eq!(headers.get("x"), Some("1, 2"));
    }

    #[test]
    fn a_flood_of_headers_is_bounded() {
        let json: serde_json::Map<String, serde_json::Value> = (0..1000)
            .map(|index| (format!("h{index}"), "x".repeat(1000).into()))
            .collect();
        let flood = headers(&serde_json::to_string(&json).unwrap());
        // 1,002 to 1,004 bytes each: 65 of them fit into 65,536.
        assert_eq!(flood.iter().count(), 65);
        let many: Vec<String> = (0..300).map(|index| format!(r#""h{index}":"x""#)).collect();
        assert_eq!(
            headers(&format!("{{{}}}", many.join(","))).iter().count(),
            256
        );
        let long = headers(&format!(r#"{{"a":"{}"}}"#, "x".repeat(20_000)));
        assert!(long.get("a").unwrap().ends_with("… [3616 more bytes cut]"));
    }
}
