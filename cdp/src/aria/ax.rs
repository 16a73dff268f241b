//! `Accessibility.getFullAXTree`: its shape, and what a snapshot takes from it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer as _, Visitor};
use serde_json::value::RawValue;

use super::roles::Role;
use crate::dom::{DomError, js_trim, lossy_utf16_json, normalize_white_space};

/// One reply of `Accessibility.getFullAXTree`, reduced to what is used.
#[derive(Debug, Default)]
pub struct AxTree {
    pub(crate) nodes: Vec<AxNode>,
}

/// One node of Chrome's accessibility tree.
#[derive(Debug, Default)]
pub(crate) struct AxNode {
    pub(crate) id: String,
    pub(crate) children: Vec<String>,
    pub(crate) ignored: bool,
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) value: String,
    pub(crate) backend_id: Option<i64>,
    pub(crate) properties: Vec<(String, AxValue)>,
}

/// Value of a property.
#[derive(Debug, Default)]
pub(crate) struct AxValue {
    /// Strings as they are, other scalars as JSON writes them.
    pub(crate) text: String,
    /// Backend ids of the nodes that the value refers to.
    pub(crate) related: Vec<i64>,
}

impl AxValue {
    pub(crate) fn is_true(&self) -> bool {
        matches!(self.text.as_str(), "true" | "1")
    }
}

impl AxNode {
    pub(crate) fn property(&self, name: &str) -> Option<&AxValue> {
        self.properties
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

#[derive(Deserialize)]
struct WireReply<'a> {
    #[serde(borrow, default)]
    nodes: Vec<WireNode<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireNode<'a> {
    #[serde(borrow, default)]
    node_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    child_ids: Vec<&'a RawValue>,
    #[serde(default)]
    ignored: bool,
    #[serde(borrow, default)]
    role: Option<WireValue<'a>>,
    #[serde(borrow, default)]
    name: Option<WireValue<'a>>,
    #[serde(borrow, default)]
    description: Option<WireValue<'a>>,
    #[serde(borrow, default)]
    value: Option<WireValue<'a>>,
    #[serde(borrow, default)]
    properties: Vec<WireProperty<'a>>,
    #[serde(rename = "backendDOMNodeId", default)]
    backend_id: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireValue<'a> {
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
    #[serde(default)]
    related_nodes: Vec<WireRelated>,
}

#[derive(Deserialize)]
struct WireRelated {
    #[serde(rename = "backendDOMNodeId", default)]
    backend_id: Option<i64>,
}

#[derive(Deserialize)]
struct WireProperty<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    value: Option<WireValue<'a>>,
}

impl AxTree {
    /// Reads the `result` of the reply, or the bare list of nodes.
    ///
    /// # Errors
    /// [`DomError::Malformed`] when the text is neither.
    pub fn from_json(json: &str) -> Result<Self, DomError> {
        let nodes = if json.trim_start().starts_with('[') {
            serde_json::from_str::<Vec<WireNode<'_>>>(json)
        } else {
            serde_json::from_str::<WireReply<'_>>(json).map(|reply| reply.nodes)
        };
        let nodes = nodes.map_err(|error| DomError::Malformed {
            what: "Accessibility.getFullAXTree",
            reason: error.to_string(),
        })?;
        Ok(AxTree {
            nodes: nodes.into_iter().map(AxNode::from).collect(),
        })
    }

    /// Number of nodes, ignored ones included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True when there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

impl From<WireNode<'_>> for AxNode {
    fn from(wire: WireNode<'_>) -> Self {
        let text =
            |value: Option<WireValue<'_>>| value.map(|v| scalar(v.value)).unwrap_or_default();
        AxNode {
            id: scalar(wire.node_id),
            children: wire
                .child_ids
                .into_iter()
                .map(|id| scalar(Some(id)))
                .collect(),
            ignored: wire.ignored,
            role: text(wire.role),
            name: text(wire.name),
            description: text(wire.description),
            value: text(wire.value),
            backend_id: wire.backend_id,
            properties: wire
                .properties
                .into_iter()
                .map(|property| (scalar(property.name), AxValue::from(property.value)))
                .collect(),
        }
    }
}

impl From<Option<WireValue<'_>>> for AxValue {
    fn from(wire: Option<WireValue<'_>>) -> Self {
        let Some(wire) = wire else {
            return AxValue::default();
        };
        let related = wire
            .related_nodes
            .iter()
            .filter_map(|node| node.backend_id)
            .collect();
        AxValue {
            text: scalar(wire.value),
            related,
        }
    }
}

/// A JSON scalar as text; strings may hold lone surrogates.
fn scalar(raw: Option<&RawValue>) -> String {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E>(self, s: &str) -> Result<String, E> {
            Ok(s.to_owned())
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            Ok(lossy_utf16_json(bytes).into_owned())
        }
    }
    let json = raw.map_or("", RawValue::get);
    if json.starts_with('"') {
        return serde_json::Deserializer::from_str(json)
            .deserialize_bytes(Text)
            .unwrap_or_default();
    }
    if json == "null" {
        String::new()
    } else {
        json.to_owned()
    }
}

/// What the accessibility tree of one frame adds to its snapshot: focus and mixed
/// states, and facts that only Chrome knows.
#[derive(Debug, Default)]
pub struct AxOverlay {
    focus: Option<i64>,
    mixed: HashSet<i64>,
    facts: HashMap<i64, Facts>,
}

/// Facts about one element that are not what one would assume anyway.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) required: bool,
    pub(crate) readonly: bool,
    pub(crate) busy: bool,
    pub(crate) modal: bool,
    pub(crate) has_popup: Option<String>,
    pub(crate) live: Option<String>,
    pub(crate) autocomplete: Option<String>,
    pub(crate) keyshortcuts: Option<String>,
    pub(crate) description: Option<String>,
    /// Elements that hold the error message.
    pub(crate) error_messages: Vec<i64>,
}

impl AxOverlay {
    /// Reads the `result` of `Accessibility.getFullAXTree` for one frame.
    ///
    /// # Errors
    /// [`DomError::Malformed`] when the text is not such a reply.
    pub fn from_json(json: &str) -> Result<Self, DomError> {
        Ok(Self::from_tree(&AxTree::from_json(json)?))
    }

    /// Takes what is of use from a tree.
    pub fn from_tree(tree: &AxTree) -> Self {
        let mut overlay = AxOverlay::default();
        for node in &tree.nodes {
            let Some(backend) = node.backend_id else {
                continue;
            };
            if node.property("focused").is_some_and(AxValue::is_true) {
                // The root counts only while nothing below it has the focus.
                let is_root = node.role == "RootWebArea";
                if overlay.focus.is_none() || !is_root {
                    overlay.focus = Some(backend);
                }
            }
            if node
                .property("checked")
                .is_some_and(|value| value.text == "mixed")
            {
                overlay.mixed.insert(backend);
            }
            let facts = facts(node);
            if facts != Facts::default() {
                overlay.facts.insert(backend, facts);
            }
        }
        overlay
    }

    /// Backend id of the focused node, the document itself included.
    pub(crate) fn focus(&self) -> Option<i64> {
        self.focus
    }

    pub(crate) fn is_mixed(&self, backend: i64) -> bool {
        self.mixed.contains(&backend)
    }

    pub(crate) fn facts(&self, backend: i64) -> Option<&Facts> {
        self.facts.get(&backend)
    }
}

pub(crate) fn facts(node: &AxNode) -> Facts {
    let is_true = |name: &str| node.property(name).is_some_and(AxValue::is_true);
    let token = |name: &str| {
        let value = node.property(name)?;
        let default = matches!(value.text.as_str(), "" | "false" | "none" | "off");
        (!default).then(|| value.text.clone())
    };
    Facts {
        required: is_true("required"),
        readonly: is_true("readonly"),
        busy: is_true("busy"),
        modal: is_true("modal"),
        has_popup: token("hasPopup"),
        live: token("live"),
        autocomplete: token("autocomplete"),
        keyshortcuts: token("keyshortcuts"),
        description: Some(node.description.clone()).filter(|text| !text.is_empty()),
        error_messages: node
            .property("errormessage")
            .map(|value| value.related.clone())
            .unwrap_or_default(),
    }
}

impl Facts {
    /// Adds what is not said yet to a node's extra marks. `error` is the text of
    /// the elements in [`Facts::error_messages`]; `said` tells whether a text is
    /// printed on the node anyway.
    pub(crate) fn tell(
        &self,
        role: Option<Role>,
        error: &str,
        said: impl Fn(&str) -> bool,
        extras: &mut Vec<(&'static str, String)>,
    ) {
        let flags = [
            ("required", self.required),
            ("readonly", self.readonly),
            ("busy", self.busy),
            ("modal", self.modal),
        ];
        let on = flags.into_iter().filter(|(_, on)| *on);
        extras.extend(on.map(|(name, _)| (name, String::new())));
        let tokens = [
            ("haspopup", self.telling_popup(role)),
            ("live", self.telling_live(role)),
            ("autocomplete", self.autocomplete.as_deref()),
            ("keyshortcuts", self.keyshortcuts.as_deref()),
        ];
        let told = tokens
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?.to_owned())));
        extras.extend(told);
        let description = self.description.as_deref().unwrap_or("");
        for (name, text) in [("description", description), ("errormessage", error)] {
            let text = normalize_white_space(text);
            let repeated = extras.iter().any(|(_, value)| *value == text);
            if !text.is_empty() && !repeated && !said(&text) {
                extras.push((name, shortened(&text)));
            }
        }
    }

    /// `aria-haspopup` unless the role implies it.
    fn telling_popup(&self, role: Option<Role>) -> Option<&str> {
        let value = self.has_popup.as_deref()?;
        let implied = role == Some(Role::Combobox) && matches!(value, "listbox" | "menu");
        (!implied).then_some(value)
    }

    /// `aria-live` unless the role implies it.
    fn telling_live(&self, role: Option<Role>) -> Option<&str> {
        let value = self.live.as_deref()?;
        let implied = match role {
            Some(Role::Alert | Role::Alertdialog) => "assertive",
            Some(Role::Status | Role::Log) => "polite",
            _ => "off",
        };
        (value != implied).then_some(value)
    }
}

/// Longest description or error message that is told, in characters.
pub(crate) const MAX_FACT: usize = 300;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_FACT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", js_trim(text.get(..end).unwrap_or(""))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str = r##"{"nodes":[
        {"nodeId":"1","ignored":false,"role":{"type":"internalRole","value":"RootWebArea"},
         "backendDOMNodeId":2,"properties":[{"name":"focused","value":{"type":"booleanOrUndefined","value":true}}],
         "childIds":["3"]},
        {"nodeId":"3","role":{"value":"checkbox"},"name":{"value":"N\ud83d","sources":[{}]},
         "description":{"value":"why"},"backendDOMNodeId":7,"properties":[
           {"name":"checked","value":{"value":"mixed"}},{"name":"required","value":{"value":true}},
           {"name":"busy","value":{"value":1}},{"name":"hasPopup","value":{"value":"false"}},
           {"name":"errormessage","value":{"value":"e","relatedNodes":[{"backendDOMNodeId":9,"idref":"e"}]}}]}]}"##;

    #[test]
    fn reads_what_snapshots_need() {
        let tree = AxTree::from_json(REPLY).unwrap();
        assert_eq!(tree.nodes[1].name, "N\u{fffd}");
        assert_eq!(tree.nodes[0].children, ["3"]);
        let overlay = AxOverlay::from_tree(&tree);
        assert_eq!(overlay.focus(), Some(2));
        assert!(overlay.is_mixed(7));
        let facts = overlay.facts(7).unwrap();
        assert!(facts.required && facts.busy && !facts.modal);
        assert_eq!(facts.has_popup, None);
        assert_eq!(facts.description.as_deref(), Some("why"));
        assert_eq!(facts.error_messages, [9]);
        assert!(overlay.facts(2).is_none());
    }

    #[test]
    fn implied_values_say_nothing() {
        let facts = Facts {
            live: Some("polite".into()),
            has_popup: Some("menu".into()),
            ..Facts::default()
        };
        assert_eq!(facts.telling_live(Some(Role::Status)), None);
        assert_eq!(facts.telling_live(Some(Role::Group)), Some("polite"));
        assert_eq!(facts.telling_popup(Some(Role::Combobox)), None);
        assert_eq!(facts.telling_popup(Some(Role::Button)), Some("menu"));
    }

    #[test]
    fn odd_replies() {
        assert!(AxTree::from_json("[]").unwrap().is_empty());
        assert!(AxTree::from_json("{}").unwrap().is_empty());
        assert!(AxTree::from_json("nope").is_err());
    }
}
