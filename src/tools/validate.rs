//! Argument validation against the catalogue's schemas.
//!
//! The schemas use a small part of JSON Schema 2020-12: `type`, `enum`, `properties`, `required`,
//! `items`, `minimum`, `maximum`, `default`, records (`additionalProperties` with a schema) and
//! `anyOf` with null. Messages, their order and the treatment of unknown keys are upstream's.

use serde_json::{Map, Value};

use super::js_code;
use super::js_regex::JsRegex;

/// Largest integer that a JavaScript number holds without doubt: 2^53 - 1.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// String parameters that must compile as regular expressions, by tool and name, with how they
/// compile.
type Compile = fn(&str) -> Result<JsRegex, super::js_regex::InvalidRegex>;
const PATTERNS: [(&str, &str, Compile); 2] = [
    ("browser_find", "regex", JsRegex::parse),
    ("browser_network_requests", "filter", JsRegex::from_source),
];

/// Arguments that do not satisfy a schema. Displays as the text of the error result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidArguments {
    tool: String,
    issues: Vec<Issue>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Issue {
    message: String,
    path: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// Checks the arguments of a call.
///
/// Returns them in schema order, with defaults filled in and unknown keys dropped, also inside
/// nested objects. Recursion follows the schema, not the arguments.
///
/// # Errors
/// [`InvalidArguments`] with every problem found, problems nearer to the surface first.
pub fn validate(
    tool: &str,
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, InvalidArguments> {
    let mut check = Check {
        tool,
        path: Vec::new(),
        issues: Vec::new(),
    };
    let accepted = check.object(schema, arguments);
    if check.issues.is_empty() {
        return Ok(accepted);
    }
    // Stable, so that equally deep problems keep the order of the schema.
    check.issues.sort_by_key(|issue| issue.path.len());
    Err(InvalidArguments {
        tool: tool.to_owned(),
        issues: check.issues,
    })
}

impl std::error::Error for InvalidArguments {}

impl std::fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Invalid arguments for tool \"{}\":", self.tool)?;
        for issue in &self.issues {
            write!(f, "\n✖ {}", issue.message)?;
            if !issue.path.is_empty() {
                write!(f, "\n  → at {}", dotted(&issue.path))?;
            }
        }
        Ok(())
    }
}

/// `fields[0].target`; keys that are no plain words stand in brackets: `data["text/plain"]`.
fn dotted(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Index(index) => out.push_str(&format!("[{index}]")),
            Step::Key(key)
                if key
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$') =>
            {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
            Step::Key(key) => out.push_str(&format!("[{}]", Value::from(key.as_str()))),
        }
    }
    out
}

/// One validation under way.
struct Check<'a> {
    tool: &'a str,
    path: Vec<Step>,
    issues: Vec<Issue>,
}

impl Check<'_> {
    fn report(&mut self, message: String) {
        self.issues.push(Issue {
            message,
            path: self.path.clone(),
        });
    }

    fn expected(&mut self, expected: &str, received: &str) {
        self.report(format!(
            "Invalid input: expected {expected}, received {received}"
        ));
    }

    /// Checks a value that is there. What it returns is only of use when nothing was reported.
    fn value(&mut self, schema: &Value, value: Value) -> Value {
        if let Some(branches) = schema["anyOf"].as_array() {
            return self.nullable(branches, value);
        }
        if let Some(options) = schema["enum"].as_array() {
            if !options.contains(&value) {
                self.report(expected_option(options));
            }
            return value;
        }
        match (schema["type"].as_str(), value) {
            (Some("object"), Value::Object(fields)) => Value::Object(match record_items(schema) {
                Some(items) => self.record(items, fields),
                // Properties of a nested object.
                None => self.object(schema.as_object().unwrap_or(&Map::new()), fields),
            }),
            (Some("array"), Value::Array(items)) => {
                Value::Array(self.items(&schema["items"], items))
            }
            (Some("number" | "integer"), Value::Number(number)) => {
                if let Some(n) = number.as_f64() {
                    self.number(schema, n);
                }
                Value::Number(number)
            }
            (Some("string"), value @ Value::String(_))
            | (Some("boolean"), value @ Value::Bool(_))
            | (Some("null"), value @ Value::Null)
            | (None, value) => value,
            (Some(_), value) => {
                self.expected(type_name(schema), type_of(&value));
                value
            }
        }
    }

    /// Checks a value that is missing and has no default.
    fn missing(&mut self, schema: &Value) {
        let schema = schema["anyOf"]
            .as_array()
            .and_then(|branches| branches.iter().find(|branch| branch["type"] != "null"))
            .unwrap_or(schema);
        match schema["enum"].as_array() {
            Some(options) => self.report(expected_option(options)),
            None => self.expected(type_name(schema), "undefined"),
        }
    }

    fn nullable(&mut self, branches: &[Value], value: Value) -> Value {
        if value.is_null() && branches.iter().any(|branch| branch["type"] == "null") {
            return value;
        }
        match branches.iter().find(|branch| branch["type"] != "null") {
            Some(branch) => self.value(branch, value),
            None => value,
        }
    }

    fn object(
        &mut self,
        schema: &Map<String, Value>,
        mut fields: Map<String, Value>,
    ) -> Map<String, Value> {
        let mut accepted = Map::new();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return accepted;
        };
        let required = schema.get("required").and_then(Value::as_array);
        for (name, property) in properties {
            self.path.push(Step::Key(name.clone()));
            if let Some(value) = fields.remove(name) {
                let value = self.value(property, value);
                self.pattern(name, &value);
                accepted.insert(name.clone(), value);
            } else if let Some(default) = property.get("default") {
                accepted.insert(name.clone(), default.clone());
            } else if required.is_some_and(|names| names.iter().any(|each| each == name)) {
                self.missing(property);
            }
            self.path.pop();
        }
        accepted
    }

    /// Checks a parameter that must be a regular expression, if it is one of those.
    fn pattern(&mut self, name: &str, value: &Value) {
        if self.path.len() == 1
            && let Value::String(text) = value
            && let Some((_, _, compile)) = PATTERNS
                .iter()
                .find(|(tool, parameter, _)| (*tool, *parameter) == (self.tool, name))
            && let Err(error) = compile(text)
        {
            self.report(error.to_string());
        }
    }

    fn record(&mut self, items: &Value, fields: Map<String, Value>) -> Map<String, Value> {
        fields
            .into_iter()
            .map(|(key, value)| {
                self.path.push(Step::Key(key.clone()));
                let value = self.value(items, value);
                self.path.pop();
                (key, value)
            })
            .collect()
    }

    fn items(&mut self, schema: &Value, items: Vec<Value>) -> Vec<Value> {
        items
            .into_iter()
            .enumerate()
            .map(|(index, item)| {
                self.path.push(Step::Index(index));
                let item = self.value(schema, item);
                self.path.pop();
                item
            })
            .collect()
    }

    fn number(&mut self, schema: &Value, n: f64) {
        let (mut minimum, mut maximum) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if schema["type"] == "integer" {
            if n.fract() != 0.0 {
                return self.expected("int", "number");
            }
            // The safe range is what being an integer means; a schema prints it as a bound.
            minimum = minimum.filter(|bound| *bound != -MAX_SAFE_INTEGER);
            maximum = maximum.filter(|bound| *bound != MAX_SAFE_INTEGER);
            if n > MAX_SAFE_INTEGER {
                self.too_big("int", MAX_SAFE_INTEGER);
            } else if n < -MAX_SAFE_INTEGER {
                self.too_small("int", -MAX_SAFE_INTEGER);
            }
        }
        if let Some(bound) = minimum.filter(|bound| n < *bound) {
            self.too_small("number", bound);
        }
        if let Some(bound) = maximum.filter(|bound| n > *bound) {
            self.too_big("number", bound);
        }
    }

    fn too_small(&mut self, kind: &str, bound: f64) {
        self.report(format!(
            "Too small: expected {kind} to be >={}",
            js_code::number(bound)
        ));
    }

    fn too_big(&mut self, kind: &str, bound: f64) {
        self.report(format!(
            "Too big: expected {kind} to be <={}",
            js_code::number(bound)
        ));
    }
}

fn expected_option(options: &[Value]) -> String {
    let list = options
        .iter()
        .map(Value::to_string)
        .collect::<Vec<_>>()
        .join("|");
    match options.len() {
        1 => format!("Invalid input: expected {list}"),
        _ => format!("Invalid option: expected one of {list}"),
    }
}

/// The schema of a record's values, when the object is a record and not a fixed set of properties.
fn record_items(schema: &Value) -> Option<&Value> {
    schema
        .get("additionalProperties")
        .filter(|items| items.is_object())
}

fn type_name(schema: &Value) -> &str {
    match schema["type"].as_str() {
        Some("object") if record_items(schema).is_some() => "record",
        Some("integer") => "number",
        Some(name) => name,
        None => "value",
    }
}

/// The JSON type of a value, in the words of the messages.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::catalogue::Catalogue;
    use serde_json::json;

    fn checked(tool: &str, arguments: Value) -> Result<Value, String> {
        let spec = Catalogue::core().get(tool).unwrap();
        validate(
            tool,
            &spec.input_schema,
            arguments.as_object().unwrap().clone(),
        )
        .map(Value::Object)
        .map_err(|error| error.to_string())
    }

    fn refused(tool: &str, arguments: Value) -> String {
        checked(tool, arguments).unwrap_err()
    }

    #[test]
    fn a_missing_string() {
        assert_eq!(
            refused("browser_navigate", json!({})),
            "Invalid arguments for tool \"browser_navigate\":\n\
             ✖ Invalid input: expected string, received undefined\n  → at url"
        );
    }

    #[test]
    fn wrong_types_name_what_came() {
        for (value, name) in [
            (json!(5), "number"),
            (json!(null), "null"),
            (json!([]), "array"),
            (json!({}), "object"),
            (json!(true), "boolean"),
        ] {
            let text = refused("browser_navigate", json!({"url": value}));
            assert!(
                text.ends_with(&format!(
                    "✖ Invalid input: expected string, received {name}\n  → at url"
                )),
                "{text}"
            );
        }
        let text = refused("browser_resize", json!({"width": "1", "height": 2}));
        assert!(text.ends_with("✖ Invalid input: expected number, received string\n  → at width"));
        let text = refused("browser_handle_dialog", json!({}));
        assert!(
            text.ends_with("✖ Invalid input: expected boolean, received undefined\n  → at accept")
        );
        let text = refused("browser_drop", json!({"target": "e1", "data": []}));
        assert!(text.ends_with("✖ Invalid input: expected record, received array\n  → at data"));
        let text = refused("browser_drop", json!({"target": "e1", "paths": "x"}));
        assert!(text.ends_with("✖ Invalid input: expected array, received string\n  → at paths"));
        let text = refused("browser_fill_form", json!({"fields": ["x"]}));
        assert!(
            text.ends_with("✖ Invalid input: expected object, received string\n  → at fields[0]")
        );
    }

    #[test]
    fn problems_are_sorted_by_depth_then_schema_order() {
        let arguments = json!({
            "button": "left-ish",
            "modifiers": ["Alt", "Hyper"],
            "doubleClick": "yes",
        });
        assert_eq!(
            refused("browser_click", arguments),
            "Invalid arguments for tool \"browser_click\":\n\
             ✖ Invalid input: expected string, received undefined\n  → at target\n\
             ✖ Invalid input: expected boolean, received string\n  → at doubleClick\n\
             ✖ Invalid option: expected one of \"left\"|\"right\"|\"middle\"\n  → at button\n\
             ✖ Invalid option: expected one of \"Alt\"|\"Control\"|\"ControlOrMeta\"|\"Meta\"|\"Shift\"\n  → at modifiers[1]"
        );
    }

    #[test]
    fn nested_paths() {
        let text = refused(
            "browser_fill_form",
            json!({"fields": [{"target": "e1", "name": "n", "value": 3}]}),
        );
        assert_eq!(
            text,
            "Invalid arguments for tool \"browser_fill_form\":\n\
             ✖ Invalid option: expected one of \"textbox\"|\"checkbox\"|\"radio\"|\"combobox\"|\"slider\"\n  → at fields[0].type\n\
             ✖ Invalid input: expected string, received number\n  → at fields[0].value"
        );
        let text = refused(
            "browser_drop",
            json!({"target": "e1", "data": {"text/plain": 1, "a": 2}}),
        );
        assert!(
            text.contains("→ at data[\"text/plain\"]") && text.contains("→ at data.a"),
            "{text}"
        );
    }

    #[test]
    fn integers() {
        let text = |index: Value| refused("browser_network_request", json!({"index": index}));
        assert!(text(json!(0)).ends_with("✖ Too small: expected number to be >=1\n  → at index"));
        assert!(
            text(json!(1.5))
                .ends_with("✖ Invalid input: expected int, received number\n  → at index")
        );
        assert!(
            text(json!("1"))
                .ends_with("✖ Invalid input: expected number, received string\n  → at index")
        );
        assert!(
            text(json!(9_007_199_254_740_992_u64))
                .ends_with("✖ Too big: expected int to be <=9007199254740991\n  → at index")
        );
        assert!(checked("browser_network_request", json!({"index": 1.0})).is_ok());
        assert!(
            checked(
                "browser_network_request",
                json!({"index": 9_007_199_254_740_991_u64})
            )
            .is_ok()
        );
    }

    #[test]
    fn null_is_a_value_only_where_the_schema_says_so() {
        let media = json!({"colorScheme": null, "media": "print"});
        assert_eq!(checked("browser_emulate_media", media.clone()), Ok(media));
        let text = refused("browser_emulate_media", json!({"contrast": "less"}));
        assert!(text.ends_with(
            "✖ Invalid option: expected one of \"more\"|\"no-preference\"\n  → at contrast"
        ));
        let text = refused("browser_take_screenshot", json!({"filename": null}));
        assert!(text.ends_with("expected string, received null\n  → at filename"));
    }

    #[test]
    fn defaults_are_filled_in_and_unknown_keys_dropped() {
        assert_eq!(
            checked("browser_network_requests", json!({})),
            Ok(json!({"static": false}))
        );
        assert_eq!(
            checked(
                "browser_take_screenshot",
                json!({"fullPage": true, "quality": 3})
            ),
            Ok(json!({"fullPage": true, "scale": "css"}))
        );
        let form = json!({"fields": [{"extra": 1, "value": "v", "type": "textbox", "name": "n", "target": "e1"}]});
        let accepted = checked("browser_fill_form", form).unwrap();
        assert_eq!(
            accepted.to_string(),
            r#"{"fields":[{"target":"e1","name":"n","type":"textbox","value":"v"}]}"#
        );
        assert_eq!(checked("browser_close", json!({"x": 1})), Ok(json!({})));
        // A default does not excuse a wrong value.
        assert!(checked("browser_console_messages", json!({"level": "loud"})).is_err());
    }

    #[test]
    fn regular_expressions() {
        for (tool, arguments, parameter) in [
            ("browser_find", json!({"regex": "("}), "regex"),
            ("browser_find", json!({"regex": "/a/ii"}), "regex"),
            ("browser_network_requests", json!({"filter": "["}), "filter"),
        ] {
            assert_eq!(
                refused(tool, arguments),
                format!(
                    "Invalid arguments for tool \"{tool}\":\n✖ Invalid regular expression\n  → at {parameter}"
                )
            );
        }
        let text = refused(
            "browser_network_requests",
            json!({"filename": 1, "filter": "("}),
        );
        assert!(text.find("at filter") < text.find("at filename"), "{text}");
        assert!(checked("browser_find", json!({"regex": "/a(b)/i"})).is_ok());
        assert!(checked("browser_network_requests", json!({"filter": "/api/.*user"})).is_ok());
    }
}
