//! Small pages for unit tests, written down node by node.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Document, DomSnapshot};

/// Writes a `DOMSnapshot.captureSnapshot` reply. Elements get a box of 10 by 10
/// pixels unless told otherwise; backend ids are the indices plus 100.
#[derive(Default)]
pub(crate) struct PageWriter {
    strings: Vec<String>,
    known: HashMap<String, usize>,
    open: Vec<usize>,
    parents: Vec<i64>,
    types: Vec<u8>,
    names: Vec<usize>,
    values: Vec<i64>,
    attributes: Vec<Vec<usize>>,
    rare: HashMap<&'static str, (Vec<usize>, Vec<Value>)>,
    layout_nodes: Vec<usize>,
    layout_styles: Vec<Vec<usize>>,
    layout_bounds: Vec<[f64; 4]>,
    displays: Vec<&'static str>,
}

const INLINE: [&str; 14] = [
    "A", "B", "BR", "BUTTON", "EM", "I", "IMG", "INPUT", "LABEL", "SELECT", "SPAN", "STRONG",
    "TEXTAREA", "X-INLINE",
];

impl PageWriter {
    /// An HTML document with an open BODY.
    pub(crate) fn html() -> Self {
        let mut page = PageWriter::default();
        page.node(9, "#document", "", &[]);
        page.open.push(0);
        page.open("HTML", &[]).open("BODY", &[]);
        page
    }

    fn string(&mut self, text: &str) -> usize {
        if let Some(&id) = self.known.get(text) {
            return id;
        }
        self.strings.push(text.to_owned());
        self.known.insert(text.to_owned(), self.strings.len() - 1);
        self.strings.len() - 1
    }

    fn node(&mut self, kind: u8, name: &str, value: &str, attributes: &[(&str, &str)]) -> usize {
        let parent = self.open.last().map_or(-1, |&index| index as i64);
        self.parents.push(parent);
        self.types.push(kind);
        let name = self.string(name);
        self.names.push(name);
        let value = if value.is_empty() {
            -1
        } else {
            self.string(value) as i64
        };
        self.values.push(value);
        let mut pairs = Vec::new();
        for (name, value) in attributes {
            pairs.push(self.string(name));
            pairs.push(self.string(value));
        }
        self.attributes.push(pairs);
        self.displays.push("");
        self.parents.len() - 1
    }

    fn lay_out(&mut self, index: usize, display: &'static str, styles: &[(&str, &str)]) {
        self.displays[index] = display;
        let style = |name: &str, default: &str| {
            let found = styles.iter().find(|(key, _)| *key == name);
            found.map_or(default, |(_, value)| value).to_owned()
        };
        let row = [
            style("display", display),
            style("visibility", "visible"),
            style("cursor", "auto"),
            style("pointer-events", "auto"),
            style("content", "normal"),
            style("content-visibility", "visible"),
        ];
        let row = row.iter().map(|text| self.string(text)).collect();
        self.layout_nodes.push(index);
        self.layout_styles.push(row);
        self.layout_bounds.push([0.0, index as f64, 10.0, 10.0]);
    }

    /// Opens a rendered element.
    pub(crate) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) -> &mut Self {
        self.open_styled(name, attributes, &[])
    }

    /// Opens a rendered element with computed styles of its own.
    pub(crate) fn open_styled(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        styles: &[(&str, &str)],
    ) -> &mut Self {
        let index = self.node(1, name, "", attributes);
        let display = if INLINE.contains(&name) {
            "inline"
        } else {
            "block"
        };
        self.lay_out(index, display, styles);
        self.open.push(index);
        self
    }

    /// Opens an element without a box.
    pub(crate) fn open_boxless(&mut self, name: &str, attributes: &[(&str, &str)]) -> &mut Self {
        let index = self.node(1, name, "", attributes);
        self.open.push(index);
        self
    }

    pub(crate) fn close(&mut self) -> &mut Self {
        self.open.pop();
        self
    }

    /// An element with one text.
    pub(crate) fn leaf(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        text: &str,
    ) -> &mut Self {
        self.open(name, attributes);
        if !text.is_empty() {
            self.text(text);
        }
        self.close()
    }

    /// A rendered text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        let index = self.node(3, "#text", text, &[]);
        let display = self.open.last().map_or("", |&parent| self.displays[parent]);
        self.lay_out(
            index,
            if display.is_empty() {
                "contents"
            } else {
                display
            },
            &[],
        );
        self
    }

    /// A text without a box.
    pub(crate) fn boxless_text(&mut self, text: &str) -> &mut Self {
        self.node(3, "#text", text, &[]);
        self
    }

    /// A generated box of the open element.
    pub(crate) fn pseudo(&mut self, kind: &str, content: &str) -> &mut Self {
        let index = self.node(1, &format!("::{kind}"), "", &[]);
        self.lay_out(index, "inline", &[("content", content)]);
        self.rare("pseudoType", index, kind)
    }

    fn rare(&mut self, table: &'static str, index: usize, value: &str) -> &mut Self {
        let id = self.string(value);
        let entry = self.rare.entry(table).or_default();
        entry.0.push(index);
        entry.1.push(json!(id));
        self
    }

    /// Sets a value of the node opened last: `inputValue`, `shadowRootType`,
    /// `optionSelected` and so on.
    pub(crate) fn mark(&mut self, table: &'static str, value: &str) -> &mut Self {
        let index = self.open.last().copied().unwrap_or(0);
        self.rare(table, index, value)
    }

    /// Size of the box made last.
    pub(crate) fn size(&mut self, width: f64, height: f64) -> &mut Self {
        if let Some(bounds) = self.layout_bounds.last_mut() {
            bounds[2] = width;
            bounds[3] = height;
        }
        self
    }

    pub(crate) fn json(&mut self) -> String {
        let frame = self.string("FRAME");
        let url = self.string("http://test/");
        let mut nodes = json!({
            "parentIndex": self.parents, "nodeType": self.types, "nodeName": self.names,
            "nodeValue": self.values, "attributes": self.attributes,
            "backendNodeId": (0..self.parents.len()).map(|i| i + 100).collect::<Vec<_>>(),
        });
        for (table, (index, value)) in &self.rare {
            nodes[table] = json!({"index": index, "value": value});
        }
        json!({
            "documents": [{
                "documentURL": url, "title": -1, "frameId": frame, "nodes": nodes,
                "layout": {"nodeIndex": self.layout_nodes, "styles": self.layout_styles,
                           "bounds": self.layout_bounds},
            }],
            "strings": self.strings,
        })
        .to_string()
    }

    pub(crate) fn snapshot(&mut self) -> DomSnapshot {
        DomSnapshot::from_json(&self.json()).unwrap()
    }

    pub(crate) fn document(&mut self) -> Arc<Document> {
        Arc::new(Document::build(&self.snapshot(), 0, None))
    }
}
