//! The list of tools: names, annotations and schemas are upstream's, the prose is ours.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::descriptions::{self, Prose};
use crate::config::Capabilities;

/// Names, capabilities, annotations and schemas of `@playwright/mcp` 0.0.83, without prose.
const UPSTREAM: &str = include_str!("../../fixtures/tools.json");

/// One tool as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name, such as `browser_click`.
    pub name: String,
    /// What it does, for a model to read.
    pub description: &'static str,
    /// Title and hints.
    pub annotations: Annotations,
    /// JSON Schema 2020-12 of the arguments.
    pub input_schema: Arc<Map<String, Value>>,
}

/// Title and hints of a tool, with the protocol's meaning.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Title for people.
    pub title: String,
    /// It changes nothing.
    pub read_only_hint: bool,
    /// What it changes may be lost.
    pub destructive_hint: bool,
    /// It deals with things outside the server.
    pub open_world_hint: bool,
}

/// The tools of a server, in the order they are listed.
#[derive(Debug)]
pub struct Catalogue {
    tools: Vec<ToolSpec>,
    by_name: HashMap<String, usize>,
}

impl Catalogue {
    /// The tools that are always on.
    pub fn core() -> &'static Catalogue {
        static CORE: LazyLock<Catalogue> =
            LazyLock::new(|| Catalogue::of(&Capabilities::default()));
        &CORE
    }

    /// The core tools and those of the given groups, in upstream's order. Tools that are not
    /// written yet are left out.
    pub fn of(capabilities: &Capabilities) -> Catalogue {
        let raw: Vec<RawTool> = serde_json::from_str(UPSTREAM)
            // The text is part of the program; tests would have failed to load it.
            .expect("embedded tool list");
        Catalogue::new(
            raw.into_iter()
                .filter(|tool| capabilities.has_named(&tool.capability))
                .filter_map(|tool| {
                    let prose = descriptions::GROUPS
                        .iter()
                        .copied()
                        .flatten()
                        .find(|entry| entry.tool == tool.name)?;
                    Some(tool.described(prose))
                })
                .collect(),
        )
    }

    fn new(tools: Vec<ToolSpec>) -> Self {
        let by_name = tools
            .iter()
            .enumerate()
            .map(|(at, tool)| (tool.name.clone(), at))
            .collect();
        Self { tools, by_name }
    }

    /// All tools in listing order.
    pub fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.by_name.get(name).map(|at| &self.tools[*at])
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawTool {
    name: String,
    capability: String,
    annotations: Annotations,
    input_schema: Map<String, Value>,
}

impl RawTool {
    fn described(self, prose: &Prose) -> ToolSpec {
        let mut schema = self.input_schema;
        for (path, text) in prose.parameters {
            if let Some(property) = property(&mut schema, path) {
                property.insert("description".to_owned(), Value::from(*text));
            }
        }
        ToolSpec {
            name: self.name,
            description: prose.text,
            annotations: self.annotations,
            input_schema: Arc::new(schema),
        }
    }
}

/// The schema of a parameter: `fields` or, inside the objects of an array, `fields.value`.
fn property<'a>(
    schema: &'a mut Map<String, Value>,
    path: &str,
) -> Option<&'a mut Map<String, Value>> {
    let (name, inner) = path
        .split_once('.')
        .map_or((path, None), |(name, rest)| (name, Some(rest)));
    let found = schema
        .get_mut("properties")?
        .get_mut(name)?
        .as_object_mut()?;
    match inner {
        None => Some(found),
        Some(rest) => property(found.get_mut("items")?.as_object_mut()?, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Capability;
    use serde_json::json;

    const ORDER: [&str; 25] = [
        "browser_close",
        "browser_resize",
        "browser_console_messages",
        "browser_handle_dialog",
        "browser_emulate_media",
        "browser_evaluate",
        "browser_file_upload",
        "browser_drop",
        "browser_find",
        "browser_fill_form",
        "browser_press_key",
        "browser_type",
        "browser_navigate",
        "browser_navigate_back",
        "browser_network_requests",
        "browser_network_request",
        "browser_run_code_unsafe",
        "browser_take_screenshot",
        "browser_snapshot",
        "browser_click",
        "browser_drag",
        "browser_hover",
        "browser_select_option",
        "browser_tabs",
        "browser_wait_for",
    ];

    fn upstream(name: &str) -> Value {
        let all: Vec<Value> = serde_json::from_str(UPSTREAM).unwrap();
        all.into_iter().find(|tool| tool["name"] == name).unwrap()
    }

    /// All tools that are written.
    fn everything() -> Catalogue {
        let names = Capability::NAMED.map(|(name, _)| name.to_owned());
        Catalogue::of(&Capabilities::new(names.to_vec()))
    }

    /// Removes descriptions of properties, not properties of that name.
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                if fields.get("description").is_some_and(Value::is_string) {
                    fields.shift_remove("description");
                }
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }

    #[test]
    fn names_come_in_upstream_order() {
        let names: Vec<&str> = Catalogue::core()
            .tools()
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(names, ORDER);
    }

    #[test]
    fn without_prose_the_schemas_equal_upstream_to_the_letter() {
        for tool in everything().tools() {
            let mut schema = Value::Object(tool.input_schema.as_ref().clone());
            strip(&mut schema);
            // Texts, not values: the order of keys counts.
            assert_eq!(
                schema.to_string(),
                upstream(&tool.name)["inputSchema"].to_string()
            );
            let annotations = json!({
                "title": tool.annotations.title,
                "readOnlyHint": tool.annotations.read_only_hint,
                "destructiveHint": tool.annotations.destructive_hint,
                "openWorldHint": tool.annotations.open_world_hint,
            });
            assert_eq!(annotations, upstream(&tool.name)["annotations"]);
        }
    }

    fn properties(schema: &Value, prefix: &str, out: &mut Vec<(String, Value)>) {
        let Some(fields) = schema["properties"].as_object() else {
            return;
        };
        for (name, property) in fields {
            let path = format!("{prefix}{name}");
            properties(&property["items"], &format!("{path}."), out);
            out.push((path, property.clone()));
        }
    }

    #[test]
    fn every_tool_and_every_parameter_is_described_and_no_description_is_stale() {
        let described = descriptions::GROUPS.iter().copied().flatten();
        let all = everything();
        assert_eq!(described.clone().count(), all.tools().len());
        for tool in all.tools() {
            assert!(!tool.description.is_empty(), "{}", tool.name);
            let mut found = Vec::new();
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            properties(&schema, "", &mut found);
            for (path, property) in &found {
                assert!(property["description"].is_string(), "{} {path}", tool.name);
            }
            let prose = described
                .clone()
                .find(|entry| entry.tool == tool.name)
                .unwrap();
            assert_eq!(prose.parameters.len(), found.len(), "{}", tool.name);
        }
    }

    #[test]
    fn groups_come_when_asked_for_and_in_upstreams_order() {
        let place = |name: &str| {
            let all: Vec<RawTool> = serde_json::from_str(UPSTREAM).unwrap();
            all.iter().position(|tool| tool.name == name).unwrap()
        };
        let places: Vec<usize> = everything()
            .tools()
            .iter()
            .map(|tool| place(&tool.name))
            .collect();
        assert!(places.is_sorted());
        let unknown = Catalogue::of(&Capabilities::new(vec!["moon".to_owned()]));
        assert_eq!(unknown.tools().len(), ORDER.len());
    }

    #[test]
    fn lookup_by_name() {
        assert_eq!(
            Catalogue::core()
                .get("browser_click")
                .unwrap()
                .annotations
                .title,
            "Click"
        );
        assert!(Catalogue::core().get("browser_cookie_list").is_none());
    }
}
