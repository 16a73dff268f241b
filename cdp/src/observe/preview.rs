//! The text of one console argument, made from what the browser says of it without asking back.

use serde::Deserialize;
use serde_json::Value;

use super::Style;

/// `Runtime.RemoteObject`, as far as its text depends on it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RemoteObject {
    #[serde(rename = "type")]
    kind: String,
    subtype: Option<String>,
    /// Present with `null` for null, absent for everything that is passed by reference.
    #[serde(deserialize_with = "present")]
    value: Option<Value>,
    unserializable_value: Option<String>,
    description: Option<String>,
    preview: Option<ObjectPreview>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ObjectPreview {
    overflow: bool,
    properties: Vec<PropertyPreview>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PropertyPreview {
    name: String,
    /// Absent for accessors, whose value nobody has asked for.
    value: Option<String>,
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

impl RemoteObject {
    /// The argument as one text: strings raw, plain objects as `{a: 1}`, arrays as `[1, 2]`,
    /// anything else in the browser's words.
    pub(super) fn text(&self, style: Style) -> String {
        if self.kind == "undefined" {
            return "undefined".into();
        }
        if let Some(value) = &self.value {
            return match value {
                Value::String(text) => text.clone(),
                // JavaScript's rendering of a number ("1e+21") comes as its description.
                Value::Number(number) => self
                    .description
                    .clone()
                    .unwrap_or_else(|| number.to_string()),
                other => other.to_string(),
            };
        }
        if let Some(text) = &self.unserializable_value {
            return text.clone();
        }
        if let Some(preview) = &self.preview {
            if self.description.as_deref() == Some("Object") {
                return object(preview, style);
            }
            if self.subtype.as_deref() == Some("array") {
                return array(preview, style);
            }
        }
        match (style, self.subtype.as_deref()) {
            (Style::Stock, Some("node")) => "JSHandle@node".into(),
            _ => self
                .description
                .clone()
                .unwrap_or_else(|| format!("JSHandle@{}", self.class())),
        }
    }

    /// The description, which for errors is the stack.
    pub(super) fn description(&self) -> Option<&str> {
        self.description
            .as_deref()
            .filter(|description| !description.is_empty())
    }

    fn class(&self) -> &str {
        self.subtype.as_deref().unwrap_or(&self.kind)
    }
}

fn object(preview: &ObjectPreview, style: Style) -> String {
    let unknown = match style {
        Style::Stock => "undefined",
        Style::Full => "(...)",
    };
    let mut parts: Vec<String> = preview
        .properties
        .iter()
        .map(|property| {
            let value = property.value.as_deref().unwrap_or(unknown);
            format!("{}: {value}", property.name)
        })
        .collect();
    mark_overflow(&mut parts, preview, style);
    format!("{{{}}}", parts.join(", "))
}

fn array(preview: &ObjectPreview, style: Style) -> String {
    let mut items: Vec<(u64, &str)> = preview
        .properties
        .iter()
        .filter_map(|property| {
            let index = property.name.parse().ok()?;
            Some((index, property.value.as_deref().unwrap_or("undefined")))
        })
        .collect();
    items.sort_by_key(|&(index, _)| index);
    let mut parts = Vec::with_capacity(items.len());
    let mut next = 0;
    for (index, value) in items {
        match index.saturating_sub(next) {
            0 => {}
            1 => parts.push("empty".to_owned()),
            holes => parts.push(format!("empty x {holes}")),
        }
        parts.push(value.to_owned());
        next = index.saturating_add(1);
    }
    mark_overflow(&mut parts, preview, style);
    format!("[{}]", parts.join(", "))
}

fn mark_overflow(parts: &mut Vec<String>, preview: &ObjectPreview, style: Style) {
    if preview.overflow && style == Style::Full {
        parts.push("…".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        serde_json::from_str::<RemoteObject>(json)
            .unwrap()
            .text(Style::Stock)
    }

    fn full(json: &str) -> String {
        serde_json::from_str::<RemoteObject>(json)
            .unwrap()
            .text(Style::Full)
    }

    #[test]
    fn primitives() {
        assert_eq!(text(r#"{"type":"string","value":"a \"b\""}"#), "a \"b\"");
        assert_eq!(
            text(r#"{"type":"number","value":1e+21,"description":"1e+21"}"#),
            "1e+21"
        );
        assert_eq!(text(r#"{"type":"number","value":1.5}"#), "1.5");
        assert_eq!(text(r#"{"type":"boolean","value":true}"#), "true");
        assert_eq!(
            text(r#"{"type":"object","subtype":"null","value":null}"#),
            "null"
        );
        assert_eq!(text(r#"{"type":"undefined"}"#), "undefined");
        assert_eq!(
            text(r#"{"type":"number","unserializableValue":"NaN","description":"NaN"}"#),
            "NaN"
        );
        assert_eq!(
            text(r#"{"type":"bigint","unserializableValue":"10n","description":"10n"}"#),
            "10n"
        );
        assert_eq!(
            text(r#"{"type":"symbol","description":"Symbol(s)"}"#),
            "Symbol(s)"
        );
    }

    #[test]
    fn objects_and_arrays_show_their_preview() {
        let json = r#"{"type":"object","description":"Object","preview":{"overflow":false,"properties":[
            {"name":"a","type":"number","value":"1"},{"name":"c","type":"object","value":"Object"},
            {"name":"g","type":"accessor"}]}}"#;
        assert_eq!(text(json), "{a: 1, c: Object, g: undefined}");
        assert_eq!(full(json), "{a: 1, c: Object, g: (...)}");
        let sparse = r#"{"type":"object","subtype":"array","description":"Array(9)","preview":{"overflow":true,"properties":[
            {"name":"1","value":"one"},{"name":"2","value":"two"},{"name":"5","value":"4"},{"name":"extra","value":"x"}]}}"#;
        assert_eq!(text(sparse), "[empty, one, two, empty x 2, 4]");
        assert_eq!(full(sparse), "[empty, one, two, empty x 2, 4, …]");
        assert_eq!(
            text(
                r#"{"type":"object","subtype":"array","description":"Array(0)","preview":{"properties":[]}}"#
            ),
            "[]"
        );
    }

    #[test]
    fn the_rest_speaks_for_itself() {
        let map = r#"{"type":"object","subtype":"map","description":"Map(1)","preview":{"properties":[{"name":"size","value":"1"}]}}"#;
        assert_eq!(text(map), "Map(1)");
        assert_eq!(
            text(
                r#"{"type":"object","className":"Foo","description":"Foo","preview":{"properties":[]}}"#
            ),
            "Foo"
        );
        assert_eq!(
            text(r#"{"type":"function","description":"()=>1"}"#),
            "()=>1"
        );
        let node = r#"{"type":"object","subtype":"node","description":"p#d.a.b"}"#;
        assert_eq!(text(node), "JSHandle@node");
        assert_eq!(full(node), "p#d.a.b");
        assert_eq!(
            text(r#"{"type":"object","subtype":"proxy"}"#),
            "JSHandle@proxy"
        );
    }

    #[test]
    fn hostile_indexes_do_not_overflow() {
        let json = r#"{"type":"object","subtype":"array","preview":{"properties":[
            {"name":"18446744073709551615","value":"z"},{"name":"-1","value":"y"},{"name":"99999999999999999999","value":"x"}]}}"#;
        assert_eq!(text(json), "[empty x 18446744073709551615, z]");
    }
}
