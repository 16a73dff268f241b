//! Compares this module with answers recorded from upstream
//! (`fixtures/record.mjs`), on pages made for it.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::*;
use crate::dom::{Document, DomSnapshot, DomTree};

#[derive(Deserialize)]
struct Fixture {
    dom: serde_json::Value,
    tree: Option<serde_json::Value>,
    answers: BTreeMap<String, Vec<i64>>,
    generated: BTreeMap<i64, String>,
    strict: BTreeMap<String, String>,
}

impl Fixture {
    fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap()
    }

    fn document(&self) -> Document {
        let snapshot = DomSnapshot::from_json(&self.dom.to_string()).unwrap();
        let tree = self
            .tree
            .as_ref()
            .map(|tree| DomTree::from_json(&tree.to_string()).unwrap());
        Document::build(&snapshot, 0, tree.as_ref())
    }
}

fn selector(text: &str) -> Selector {
    match parse_target(text) {
        Ok(Target::Selector(selector)) => selector,
        other => panic!("{text}: {other:?}"),
    }
}

/// Document of the page with a bit of everything.
pub(super) fn mixed() -> Document {
    Fixture::read(include_str!("fixtures/mixed.json")).document()
}

fn compare(text: &str) {
    let fixture = Fixture::read(text);
    let document = fixture.document();
    let engine = Engine::new(&document);
    let options = GenerateOptions::default();
    let mut wrong = Vec::new();
    for (query, expected) in &fixture.answers {
        let found = engine.query_all(&selector(query), None).unwrap();
        let found: Vec<i64> = found
            .into_iter()
            .map(|n| document.backend_node_id(n))
            .collect();
        if found != *expected {
            wrong.push(format!(
                "{query}\n  expected {expected:?}\n  found    {found:?}"
            ));
        }
    }
    for (id, expected) in &fixture.generated {
        let node = document.by_backend_id(*id).unwrap();
        let generated = engine.generate(node, &options);
        let code = generated.to_javascript();
        if code != *expected {
            wrong.push(format!(
                "{}\n  expected {expected}\n  made     {code}",
                preview(&document, node)
            ));
        }
        // Code, selector syntax and value say the same.
        assert_eq!(
            Selector::from_javascript(&code).unwrap().to_javascript(),
            code
        );
        let again = selector(&generated.to_string());
        assert_eq!(again.to_javascript(), code, "{generated}");
    }
    for (query, expected) in &fixture.strict {
        let selector = selector(query);
        let found = engine.query_all(&selector, None).unwrap();
        let message = strict_violation(&engine, &selector, &found, &options);
        if message != *expected {
            wrong.push(format!(
                "{query}\n  expected {expected}\n  made     {message}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mixed_page() {
    compare(include_str!("fixtures/mixed.json"));
}

#[test]
fn narrowing_by_ancestors() {
    compare(include_str!("fixtures/ancestors.json"));
}

#[test]
fn shadow_trees() {
    compare(include_str!("fixtures/shadow.json"));
}

#[test]
fn states_and_visibility() {
    compare(include_str!("fixtures/states.json"));
}

/// The scenario of the shared corpus, on its own recording.
#[test]
fn strictness_in_the_corpus() {
    let shared = std::env::var("PLAYGUARD_SHARED")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared").to_owned());
    let path = format!("{shared}/corpus/cdp/headings-levels.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no corpus at {path}");
        return;
    };
    let recording: serde_json::Value = serde_json::from_str(&text).unwrap();
    let dom = recording["sessions"][0]["dom"].to_string();
    let document = Document::build(&DomSnapshot::from_json(&dom).unwrap(), 0, None);
    let engine = Engine::new(&document);
    let headings = selector("h1");
    let found = engine.query_all(&headings, None).unwrap();
    assert_eq!(
        strict_violation(&engine, &headings, &found, &GenerateOptions::default()),
        "strict mode violation: locator('h1') resolved to 3 elements:\n    \
         1) <h1>Level one</h1> aka getByRole('heading', { name: 'Level one' })\n    \
         2) <h1>h1 in section</h1> aka getByRole('heading', { name: 'h1 in section' })\n    \
         3) <h1>h1 deeper</h1> aka getByRole('heading', { name: 'h1 deeper' })\n"
    );
    assert_eq!(engine.query_all(&selector("h9"), None), Ok(Vec::new()));
}
