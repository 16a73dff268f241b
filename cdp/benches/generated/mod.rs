//! Pages made in code, as the browser would have captured them.

// Each bench uses its own part of this.
#![allow(dead_code)]

use std::collections::HashMap;
use std::sync::Arc;

use playguard_cdp::aria::{Captured, FrameCapture, PageCapture};
use playguard_cdp::dom::{Document, DomSnapshot};
use serde_json::{Value, json};

/// Computed styles in the order of [`DomSnapshot::COMPUTED_STYLES`], after `display`.
const STYLES: [&str; 5] = ["visible", "auto", "auto", "normal", "visible"];

/// A `DOMSnapshot.captureSnapshot` reply under construction.
#[derive(Default)]
pub struct Capture {
    strings: Vec<String>,
    known: HashMap<String, usize>,
    parents: Vec<i64>,
    types: Vec<u8>,
    names: Vec<usize>,
    values: Vec<i64>,
    attributes: Vec<Vec<usize>>,
    displays: Vec<usize>,
}

impl Capture {
    /// An empty page; gives its body.
    pub fn new() -> (Self, usize) {
        let mut capture = Capture::default();
        capture.push(None, 9, "#document", None, &[], "block");
        let html = capture.element(0, "HTML", &[]);
        let body = capture.element(html, "BODY", &[]);
        (capture, body)
    }

    /// Appends an element; gives its index.
    pub fn element(&mut self, parent: usize, tag: &str, attributes: &[(&str, &str)]) -> usize {
        let inline = matches!(tag, "A" | "B" | "BUTTON" | "CODE" | "EM" | "INPUT" | "SPAN");
        let display = if inline { "inline" } else { "block" };
        self.push(Some(parent), 1, tag, None, attributes, display)
    }

    /// Appends a text node.
    pub fn text(&mut self, parent: usize, text: &str) {
        self.push(Some(parent), 3, "#text", Some(text), &[], "inline");
    }

    fn push(
        &mut self,
        parent: Option<usize>,
        node_type: u8,
        name: &str,
        value: Option<&str>,
        attributes: &[(&str, &str)],
        display: &str,
    ) -> usize {
        self.parents.push(parent.map_or(-1, |parent| parent as i64));
        self.types.push(node_type);
        let name = self.intern(name);
        self.names.push(name);
        let value = value.map_or(-1, |text| self.intern(text) as i64);
        self.values.push(value);
        let row = attributes
            .iter()
            .flat_map(|(name, value)| [self.intern(name), self.intern(value)])
            .collect();
        self.attributes.push(row);
        let display = self.intern(display);
        self.displays.push(display);
        self.parents.len() - 1
    }

    fn intern(&mut self, text: &str) -> usize {
        if let Some(&index) = self.known.get(text) {
            return index;
        }
        self.strings.push(text.to_owned());
        self.known.insert(text.to_owned(), self.strings.len() - 1);
        self.strings.len() - 1
    }

    /// The reply as JSON text.
    pub fn json(mut self) -> String {
        let count = self.parents.len();
        let rest = STYLES.map(|style| self.intern(style));
        let styles = |display: &usize| -> Value {
            json!([display, rest[0], rest[1], rest[2], rest[3], rest[4]])
        };
        let bounds = |index: usize| json!([8.0, index as f64 * 4.0, 640.0, 18.5]);
        let frame = self.intern("F");
        json!({
            "documents": [{
                "documentURL": -1,
                "title": -1,
                "frameId": frame,
                "nodes": {
                    "parentIndex": self.parents,
                    "nodeType": self.types,
                    "nodeName": self.names,
                    "nodeValue": self.values,
                    "backendNodeId": (1..=count).collect::<Vec<_>>(),
                    "attributes": self.attributes,
                },
                "layout": {
                    "nodeIndex": (0..count).collect::<Vec<_>>(),
                    "styles": self.displays.iter().map(styles).collect::<Vec<_>>(),
                    "bounds": (0..count).map(bounds).collect::<Vec<_>>(),
                },
            }],
            "strings": self.strings,
        })
        .to_string()
    }
}

/// A table of people: a number, a name, a link, a state and a button per row.
pub fn table(rows: usize) -> String {
    let (mut page, body) = Capture::new();
    let table = page.element(body, "TABLE", &[]);
    let head = page.element(table, "THEAD", &[]);
    let names = page.element(head, "TR", &[]);
    for name in ["No.", "Name", "Mail", "State", "Action"] {
        let cell = page.element(names, "TH", &[]);
        page.text(cell, name);
    }
    let rest = page.element(table, "TBODY", &[]);
    for row in 0..rows {
        let line = page.element(rest, "TR", &[]);
        let cell = page.element(line, "TD", &[]);
        page.text(cell, &row.to_string());
        let cell = page.element(line, "TD", &[]);
        page.text(cell, &format!("Person {row} of the list"));
        let cell = page.element(line, "TD", &[]);
        let mail = format!("person{row}@example.org");
        let link = page.element(cell, "A", &[("href", &format!("mailto:{mail}"))]);
        page.text(link, &mail);
        let cell = page.element(line, "TD", &[]);
        page.text(cell, if row % 3 == 0 { "absent" } else { "present" });
        let cell = page.element(line, "TD", &[]);
        let button = page.element(cell, "BUTTON", &[("class", "edit")]);
        page.text(button, "Edit");
    }
    page.json()
}

/// Elements inside each other, with a text at the bottom.
pub fn nested(depth: usize, tag: &str, attributes: &[(&str, &str)], text: &str) -> String {
    let (mut page, body) = Capture::new();
    let mut node = body;
    for _ in 0..depth {
        node = page.element(node, tag, attributes);
    }
    page.text(node, text);
    page.json()
}

/// A long text with headings, links and marked words.
pub fn article(paragraphs: usize) -> String {
    let (mut page, body) = Capture::new();
    let main = page.element(body, "MAIN", &[]);
    let article = page.element(main, "ARTICLE", &[]);
    for number in 0..paragraphs {
        if number % 8 == 0 {
            let id = format!("part-{number}");
            let heading = page.element(article, "H2", &[("id", &id)]);
            page.text(heading, &format!("Part {number}"));
        }
        let paragraph = page.element(article, "P", &[]);
        for sentence in 0..6 {
            page.text(paragraph, &format!(
                "Sentence {sentence} of paragraph {number} tells how the work went on, and names "
            ));
            let place = format!("/wiki/Topic_{}", number * 6 + sentence);
            let link = page.element(paragraph, "A", &[("href", &place)]);
            page.text(link, &format!("topic {}", number * 6 + sentence));
            page.text(paragraph, " beside ");
            let word = page.element(paragraph, "EM", &[]);
            page.text(word, "other things");
            page.text(paragraph, ". ");
        }
    }
    page.json()
}

/// The only document of a page.
pub fn document(json: &str) -> Arc<Document> {
    let snapshot = DomSnapshot::from_json(json).expect("generated captures are well-formed");
    Arc::new(Document::build(&snapshot, 0, None))
}

/// The input of a snapshot.
pub fn capture(document: &Arc<Document>) -> PageCapture {
    let id = Arc::clone(document.frame_id());
    let frame = FrameCapture::new(Arc::clone(document), "only");
    PageCapture {
        main_frame: Arc::clone(&id),
        frames: HashMap::from([(id, Captured::Ready(frame))]),
    }
}
