//! Snapshots of small pages, one rule at a time; the golden test covers the rest.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::dom::testing::PageWriter;
use crate::dom::{Document, DomSnapshot, DomTree};

fn frame(page: &mut PageWriter) -> FrameCapture {
    FrameCapture::new(page.document(), "doc")
}

fn page_of(main: FrameCapture) -> PageCapture {
    let mut page = PageCapture {
        main_frame: "M".into(),
        ..PageCapture::default()
    };
    page.frames.insert("M".into(), Captured::Ready(main));
    page
}

fn text_with(page: &PageCapture, options: &SnapshotOptions) -> String {
    render(&snapshot(page, &mut RefBook::new("M"), options))
}

fn text(page: &mut PageWriter) -> String {
    text_with(&page_of(frame(page)), &SnapshotOptions::default())
}

#[test]
fn text_blocks_and_inline_elements() {
    let mut page = PageWriter::html();
    page.open("P", &[])
        .text("one ")
        .leaf("B", &[], "two")
        .text(" three")
        .close();
    page.open("DIV", &[])
        .leaf("DIV", &[], "a")
        .text("b")
        .close();
    page.leaf("BUTTON", &[], "Save");
    assert_eq!(
        text(&mut page),
        "- generic [ref=e1]:\n  - paragraph [ref=e2]: one two three\n  - generic [ref=e3]:\n    \
         - generic [ref=e4]: a\n    - text: b\n  - button \"Save\" [ref=e5]"
    );
}

#[test]
fn a_name_goes_when_its_sources_are_printed_below() {
    let mut page = PageWriter::html();
    page.open("H3", &[])
        .leaf("A", &[("href", "/t")], "T")
        .close();
    page.open("SECTION", &[("aria-labelledby", "inside")]);
    page.leaf("H2", &[("id", "inside")], "Inside").close();
    page.open("SECTION", &[("aria-labelledby", "later")])
        .leaf("P", &[], "x")
        .close();
    page.leaf("H2", &[("id", "later")], "Later");
    assert_eq!(
        text(&mut page),
        "- generic [ref=e1]:\n  - heading [level=3] [ref=e2]:\n    - link \"T\" [ref=e3]:\n      \
         - /url: /t\n  - region [ref=e4]:\n    - heading \"Inside\" [level=2] [ref=e5]\n  \
         - region \"Later\" [ref=e6]:\n    - paragraph [ref=e7]: x\n  \
         - heading \"Later\" [level=2] [ref=e8]"
    );
}

#[test]
fn only_the_outermost_pointer_is_marked() {
    let mut page = PageWriter::html();
    let pointer = [("cursor", "pointer")];
    page.open_styled("DIV", &[], &pointer)
        .open_styled("DIV", &[], &pointer)
        .close()
        .close();
    page.open_styled("LI", &[], &pointer);
    page.open_styled("BUTTON", &[("aria-label", "Go")], &pointer)
        .close();
    page.text("more").close();
    assert_eq!(
        text(&mut page),
        "- generic [ref=e1]:\n  - generic [ref=e2] [cursor=pointer]\n  \
         - listitem [ref=e4] [cursor=pointer]:\n    - button \"Go\" [ref=e5]\n    - text: more"
    );
}

#[test]
fn hidden_links_lend_their_address() {
    let mut page = PageWriter::html();
    page.open("DIV", &[("role", "link")]).text("Go");
    page.open_boxless("A", &[("href", "/hidden")])
        .close()
        .close();
    let url = "- /url: /hidden";
    assert!(text(&mut page).contains(url));
}

#[test]
fn generated_text_counts_and_counters_do_not() {
    let mut page = PageWriter::html();
    page.open("BUTTON", &[("title", "t")])
        .pseudo("before", "\"→ \" attr(title)");
    page.text(" Next").close();
    page.open("P", &[])
        .pseudo("after", "counter(x)")
        .text("plain")
        .close();
    page.open("P", &[])
        .pseudo("after", "url(\"a)b\") / \"alt \\41 \"")
        .text("icon ")
        .close();
    let text = text(&mut page);
    assert!(text.contains("button \"→ t Next\""), "{text}");
    assert!(text.contains("paragraph [ref=e3]: plain\n"), "{text}");
    assert!(text.contains("paragraph [ref=e4]: icon alt A"), "{text}");
}

fn form() -> PageWriter {
    let mut page = PageWriter::html();
    page.open("INPUT", &[("type", "password"), ("aria-label", "Key")]); // 103
    page.mark("inputValue", "s3cret").close();
    page.leaf(
        "DIV",
        &[("role", "textbox"), ("contenteditable", "")],
        "typed",
    ); // 104
    page
}

#[test]
fn passwords_and_typed_text() {
    let page = page_of(frame(&mut form()));
    assert_eq!(
        text_with(&page, &SnapshotOptions::default()),
        "- generic [ref=e1]:\n  - textbox \"Key\" [ref=e2]: s3cret\n  - textbox [ref=e3]"
    );
    assert_eq!(
        text_with(&page, &SnapshotOptions::generous()),
        "- generic [ref=e1]:\n  - textbox \"Key\" [ref=e2]: ••••\n  - textbox [ref=e3]: typed"
    );
}

#[test]
fn facts_of_the_accessibility_tree_print_only_when_asked() {
    let mut frame = frame(&mut form());
    let overlay = r#"{"nodes":[{"nodeId":"1","role":{"value":"textbox"},"backendDOMNodeId":103,
        "description":{"value":"Long: enough"},"properties":[
        {"name":"required","value":{"value":true}},{"name":"focused","value":{"value":true}},
        {"name":"readonly","value":{"value":false}},{"name":"live","value":{"value":"off"}}]},
        {"nodeId":"2","role":{"value":"textbox"},"backendDOMNodeId":104,"description":{"value":""}}]}"#;
    frame.overlay = Some(Arc::new(AxOverlay::from_json(overlay).unwrap()));
    let page = page_of(frame);
    let stock = text_with(&page, &SnapshotOptions::default());
    assert!(
        stock.contains("textbox \"Key\" [active] [ref=e2]: s3cret"),
        "{stock}"
    );
    let all = text_with(&page, &SnapshotOptions::generous());
    let line =
        "'textbox \"Key\" [active] [ref=e2] [required] [description=\"Long: enough\"]': ••••";
    assert!(all.contains(line), "{all}");
}

/// A page with an IFRAME at depth 2 whose document is "C".
fn framed() -> PageCapture {
    let mut outer = PageWriter::html();
    outer
        .open("MAIN", &[])
        .open("IFRAME", &[("title", "never a name")])
        .close(); // 104
    outer.leaf("P", &[], "after").close();
    let mut main = frame(&mut outer);
    main.remote_children.insert(104, "C".into());
    let mut inner = PageWriter::html();
    inner.open("UL", &[]).leaf("LI", &[], "item").close();
    let mut child = frame(&mut inner);
    child.active = Some(104);
    let mut page = page_of(main);
    page.frames.insert("C".into(), Captured::Ready(child));
    page
}

#[test]
fn frames_are_put_into_each_other() {
    let mut page = framed();
    assert_eq!(
        text_with(&page, &SnapshotOptions::default()),
        "- main [ref=e2]:\n  - iframe [active] [ref=e3]:\n    - list [ref=f1e2]:\n      \
         - listitem [active] [ref=f1e3]: item\n  - paragraph [ref=e4]: after"
    );
    page.frames
        .insert("C".into(), Captured::Missing("timed out".into()));
    let stock = text_with(&page, &SnapshotOptions::default());
    assert!(stock.contains("- iframe [ref=e3]\n"), "{stock}");
    let all = text_with(&page, &SnapshotOptions::generous());
    assert!(
        all.contains("- iframe [ref=e3]: \"(not read: timed out)\""),
        "{all}"
    );
}

#[test]
fn depth_limits_nodes_but_not_frames_at_the_limit() {
    let page = framed();
    let at = |depth| {
        text_with(
            &page,
            &SnapshotOptions {
                depth,
                ..SnapshotOptions::default()
            },
        )
    };
    // The body is unwrapped, so that main has depth 0 and the frame depth 1.
    assert!(at(1).contains("listitem"), "{}", at(1));
    assert!(at(2).contains("listitem"), "{}", at(2));
    // Three levels leave one for the frame: 3 - 1 - 1.
    assert!(at(3).contains("list [ref=f1e2]:"), "{}", at(3));
    let mut page = PageWriter::html();
    page.open("UL", &[])
        .leaf("LI", &[], "x")
        .close()
        .leaf("P", &[], "text stays");
    let page = page_of(frame(&mut page));
    let text = text_with(
        &page,
        &SnapshotOptions {
            depth: 1,
            ..SnapshotOptions::default()
        },
    );
    assert_eq!(
        text,
        "- generic [ref=e1]:\n  - list [ref=e2]\n  - paragraph [ref=e4]: text stays"
    );
}

#[test]
fn a_target_is_the_top_and_replaces_the_refs() {
    let mut page = PageWriter::html();
    page.leaf("H1", &[("id", "t")], "Title").leaf("P", &[], "x");
    let page = page_of(frame(&mut page));
    let mut refs = RefBook::new("M");
    snapshot(&page, &mut refs, &SnapshotOptions::default());
    assert!(refs.resolve("e3").is_some());
    let target = page
        .ready("M")
        .unwrap()
        .document
        .by_backend_id(103)
        .unwrap();
    let options = SnapshotOptions {
        target: Some(("M".into(), target)),
        boxes: true,
        ..SnapshotOptions::default()
    };
    let tree = snapshot(&page, &mut refs, &options);
    assert_eq!(
        render(&tree),
        "- heading \"Title\" [level=1] [ref=e2] [box=0,3,10,10]"
    );
    assert_eq!(refs.resolve("e3"), None);
    assert_eq!(
        tree.find(Ref {
            frame: 0,
            element: 2
        }),
        Some(AriaId(0))
    );
}

#[test]
fn closed_shadow_trees_open_on_request() {
    let mut page = PageWriter::html();
    page.open("X-BOX", &[]); // 103
    page.leaf("P", &[], "secret").close(); // 104
    let mut snapshot = serde_json::from_str::<serde_json::Value>(&page.json()).unwrap();
    let strings = snapshot["strings"].as_array_mut().unwrap();
    strings.push("closed".into());
    let closed = strings.len() - 1;
    snapshot["documents"][0]["nodes"]["shadowRootType"] =
        serde_json::json!({"index": [4, 5], "value": [closed, closed]});
    let dom = DomSnapshot::from_json(&snapshot.to_string()).unwrap();
    let tree = DomTree::from_json(
        r##"{"backendNodeId":100,"nodeType":9,"children":[{"backendNodeId":101,"nodeType":1,
        "nodeName":"HTML","children":[{"backendNodeId":102,"nodeType":1,"nodeName":"BODY","children":[
        {"backendNodeId":103,"nodeType":1,"nodeName":"X-BOX","shadowRoots":[{"backendNodeId":800,
        "nodeType":11,"shadowRootType":"closed","children":[{"backendNodeId":104,"nodeType":1,
        "nodeName":"P","children":[{"backendNodeId":105,"nodeType":3,"nodeValue":"secret"}]}]}],
        "children":[{"backendNodeId":801,"nodeType":3,"nodeName":"#text","nodeValue":"light"}]}]}]}]}"##,
    )
    .unwrap();
    let document = Arc::new(Document::build(&dom, 0, Some(&tree)));
    let page = page_of(FrameCapture::new(document, "doc"));
    let stock = text_with(&page, &SnapshotOptions::default());
    assert!(
        stock.contains("light") && !stock.contains("secret"),
        "{stock}"
    );
    let all = text_with(&page, &SnapshotOptions::generous());
    assert!(all.contains("paragraph [ref=e3]: secret"), "{all}");
}

#[test]
fn depth_and_width_cost_linear_time() {
    let started = Instant::now();
    for (tag, lines) in [("DIV", 1), ("BLOCKQUOTE", 50_000), ("X-INLINE", 1)] {
        let mut page = PageWriter::html();
        for _ in 0..50_000 {
            page.open(tag, &[]);
        }
        page.text("deep");
        let text = text(&mut page);
        assert_eq!(text.lines().count(), lines, "{tag}");
        assert!(text.ends_with(": deep"));
    }
    // Names within names: hostile pages do not get to make this quadratic.
    let mut page = PageWriter::html();
    for _ in 0..20_000 {
        page.open("DIV", &[("role", "button")]).text("x ");
    }
    assert_eq!(text(&mut page).lines().count(), 39_999);
    // One name that spans everything.
    let mut page = PageWriter::html();
    page.open("BUTTON", &[]);
    for _ in 0..50_000 {
        page.open("DIV", &[]);
    }
    page.text("deep");
    assert!(text(&mut page).contains("button \"deep\""));
    let mut page = PageWriter::html();
    page.open("TABLE", &[]).open("TBODY", &[]);
    for row in 0..2_000 {
        page.open("TR", &[]);
        page.leaf("TH", &[], "head");
        for _ in 0..6 {
            page.leaf("TD", &[], "cell");
        }
        page.close();
        assert!(row < 2_000);
    }
    assert_eq!(text(&mut page).lines().count(), 2 + 2_000 * 8);
    // A debug build on a busy machine; quadratic behaviour takes minutes.
    assert!(
        started.elapsed() < Duration::from_secs(180),
        "{:?}",
        started.elapsed()
    );
}

/// A pseudo-random sequence (xorshift), so that failures can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn list(&mut self, length: usize, sides: usize) -> Vec<i64> {
        (0..length).map(|_| self.roll(sides) as i64 - 2).collect()
    }
}

#[test]
fn random_nonsense_never_panics() {
    const WORDS: [&str; 40] = [
        "",
        "DIV",
        "SLOT",
        "BUTTON",
        "INPUT",
        "SELECT",
        "OPTION",
        "LABEL",
        "TABLE",
        "TR",
        "TH",
        "TD",
        "DETAILS",
        "SUMMARY",
        "IFRAME",
        "svg",
        "title",
        "FIELDSET",
        "LEGEND",
        "open",
        "closed",
        "before",
        "role",
        "button",
        "aria-labelledby",
        "id",
        "for",
        "aria-owns",
        "block",
        "inline",
        "contents",
        "visible",
        "pointer",
        "BODY",
        "#text",
        "a b c",
        "combobox",
        "\"x\" / attr(id)",
        "aria-hidden",
        "true",
    ];
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..400 {
        let n = 1 + dice.roll(40);
        let words = WORDS.len() + 3;
        let rows = |dice: &mut Dice, width: usize| -> Vec<Vec<i64>> {
            (0..n)
                .map(|_| {
                    let w = dice.roll(width);
                    dice.list(w, words)
                })
                .collect()
        };
        let rare = |dice: &mut Dice| {
            let count = dice.roll(6);
            serde_json::json!({"index": dice.list(count, n + 3), "value": dice.list(count, words)})
        };
        let types: Vec<i64> = (0..n)
            .map(|_| [1, 1, 1, 3, 9, 8, 11][dice.roll(7)])
            .collect();
        let parents: Vec<i64> = (0..n)
            .map(|i| {
                if dice.roll(5) > 0 {
                    i as i64 - 1
                } else {
                    dice.roll(n) as i64 - 1
                }
            })
            .collect();
        let dom = serde_json::json!({
            "documents": [{
                "frameId": 1,
                "nodes": {
                    "parentIndex": parents, "nodeType": types, "nodeName": dice.list(n, words),
                    "nodeValue": dice.list(n, words), "backendNodeId": dice.list(n, n + 2),
                    "attributes": rows(&mut dice, 9), "shadowRootType": rare(&mut dice),
                    "inputValue": rare(&mut dice), "optionSelected": rare(&mut dice),
                    "contentDocumentIndex": rare(&mut dice), "pseudoType": rare(&mut dice),
                },
                "layout": {"nodeIndex": dice.list(n, n + 3), "styles": rows(&mut dice, 8),
                           "bounds": rows(&mut dice, 6)},
            }],
            "strings": WORDS.as_slice(),
        })
        .to_string();
        let mut tree = String::new();
        let mut open = 0;
        for _ in 0..n {
            let key = ["children", "shadowRoots", "contentDocument"][dice.roll(3)];
            tree.push_str(&format!(
                r#"{{"backendNodeId":{},"nodeType":1,"nodeName":"{}","shadowRootType":"open","distributedNodes":[{{"backendNodeId":{}}}],"{key}":["#,
                dice.roll(n + 2), WORDS[1 + dice.roll(18)], dice.roll(n)
            ));
            open += 1;
        }
        tree.push_str(&"]}".repeat(open));
        for options in [SnapshotOptions::default(), SnapshotOptions::generous()] {
            for tree in [None, Some(tree.as_str())] {
                let tree = snapshot_from_json(&dom, tree, None, &options).unwrap();
                render(&tree);
            }
        }
    }
}
