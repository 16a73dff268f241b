//! Pages and selectors that want to hang or crash the engine.

use super::*;
use crate::dom::{Document, DomSnapshot, NodeId};

/// `depth` nested elements, each with a text of its own in front.
fn deep(depth: usize) -> Document {
    let strings = ["#document", "HTML", "BODY", "DIV", "#text", "hello "];
    let mut nodes: Vec<(i64, i64, i64, i64)> = vec![(-1, 9, 0, -1), (0, 1, 1, -1), (1, 1, 2, -1)];
    let mut parent = 2;
    for _ in 0..depth {
        nodes.push((parent, 1, 3, -1));
        parent = nodes.len() as i64 - 1;
        nodes.push((parent, 3, 4, 5));
    }
    build(&strings, &nodes)
}

/// Nodes as (parent, type, name, value).
fn build(strings: &[&str], nodes: &[(i64, i64, i64, i64)]) -> Document {
    let column =
        |pick: fn(&(i64, i64, i64, i64)) -> i64| -> Vec<i64> { nodes.iter().map(pick).collect() };
    let ids: Vec<usize> = (1..=nodes.len()).collect();
    let attributes: Vec<[i64; 0]> = nodes.iter().map(|_| []).collect();
    let snapshot = serde_json::json!({
        "strings": strings,
        "documents": [{
            "documentURL": -1, "title": -1, "frameId": -1, "scrollOffsetX": 0, "scrollOffsetY": 0,
            "nodes": {
                "parentIndex": column(|n| n.0), "nodeType": column(|n| n.1),
                "nodeName": column(|n| n.2), "nodeValue": column(|n| n.3),
                "backendNodeId": ids, "attributes": attributes,
            },
            "layout": { "nodeIndex": [], "styles": [], "bounds": [] },
        }],
    });
    Document::build(
        &DomSnapshot::from_json(&snapshot.to_string()).unwrap(),
        0,
        None,
    )
}

fn run(engine: &Engine<'_>, text: &str) -> Result<usize, LocatorError> {
    match parse_target(text)? {
        Target::Selector(selector) => Ok(engine.query_all(&selector, None)?.len()),
        Target::Ref(_) => Ok(0),
    }
}

#[test]
fn ten_thousand_levels() {
    let document = deep(10_000);
    let engine = Engine::new(&document);
    assert_eq!(run(&engine, "div"), Ok(10_000));
    assert_eq!(run(&engine, "div > div"), Ok(9_999));
    assert_eq!(run(&engine, "div div div"), Ok(9_998));
    assert_eq!(run(&engine, "div >> div"), Ok(9_999));
    assert_eq!(run(&engine, "div:has(div)"), Ok(9_999));
    assert_eq!(run(&engine, "div:has(> span)"), Ok(0));
    assert_eq!(run(&engine, "div >> internal:has=\"span\""), Ok(0));
    assert_eq!(run(&engine, "internal:text=\"hello hello\"i"), Ok(1));
    assert_eq!(run(&engine, "//div//div"), Ok(9_999));
    assert_eq!(run(&engine, "//div/ancestor::div"), Ok(9_999));
    let last = document.elements().last().unwrap();
    let generated = engine.generate(last, &GenerateOptions::default());
    assert_eq!(engine.query_all(&generated, None), Ok(vec![last]));
    let middle = document.elements().nth(5_000).unwrap();
    let generated = engine.generate(middle, &GenerateOptions::default());
    assert_eq!(engine.query_all(&generated, None), Ok(vec![middle]));
}

#[test]
fn quadratic_questions_end_with_an_error() {
    let document = deep(2_500);
    let engine = Engine::new(&document);
    // Every box against every box.
    assert!(matches!(
        run(&engine, "div:near(div)"),
        Err(LocatorError::Budget(_))
    ));
}

#[test]
fn empty_and_strange_documents() {
    let nothing = build(&[], &[]);
    let engine = Engine::new(&nothing);
    for text in [
        "div",
        "//div",
        "text=x",
        "internal:role=button",
        ":root",
        "nth=0",
        "div:has(a)",
    ] {
        assert_eq!(run(&engine, text), Ok(0), "{text}");
    }
    // Parents that come later, point nowhere or to themselves.
    let strings = ["DIV", "#text", "x"];
    let broken = build(
        &strings,
        &[(7, 1, 0, -1), (1, 1, 0, -1), (0, 3, 1, 2), (-5, 1, 9, -1)],
    );
    let engine = Engine::new(&broken);
    for text in [
        "div",
        "//div",
        "text=x",
        "div div",
        "*:nth-child(1)",
        "div + div",
    ] {
        assert!(run(&engine, text).is_ok(), "{text}");
    }
    for node in broken.nodes().filter(|&node| broken.is_element(node)) {
        engine.generate(node, &GenerateOptions::default());
        preview(&broken, node);
    }
}

#[test]
fn any_text_is_survived() {
    let document = deep(3);
    let engine = Engine::new(&document);
    let pieces = [
        "div",
        ">>",
        ">",
        "\"",
        "'",
        "`",
        "(",
        ")",
        "[",
        "]",
        "=",
        ":",
        ",",
        "/",
        "//",
        "\\",
        "*",
        "has",
        "text",
        "nth",
        "-1",
        "{",
        "}",
        "é",
        "\u{1F600}",
        "internal:has=",
        "getByText",
        "internal:text=",
        "role=",
        "..",
        "@",
        "#",
        ".",
        " ",
        "\n",
        "of",
        "2n+1",
        "i",
        "/x/",
        "~",
    ];
    // A fixed linear congruential sequence: the same texts in every run.
    let mut state = 12_345u32;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..state % 9 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if let Ok(Target::Selector(selector)) = parse_target(&text) {
            let _ = engine.query_all(&selector, None);
            let _ = engine.query_all(&selector, Some(NodeId(2)));
            let _ = selector.to_javascript();
        }
    }
    for long in [
        "(",
        "[",
        ":has(",
        "a ",
        "a,",
        "a>>",
        "..",
        "internal:has=\"",
        "getByText(",
        "{a:",
    ] {
        let text = long.repeat(9_000);
        let _ = run(&engine, &text);
        let _ = run(&engine, &format!("xpath={text}"));
        let _ = run(&engine, &format!("locator({text}"));
    }
}
