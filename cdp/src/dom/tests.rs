//! Tests of the whole model on small pages.

use super::testing::PageWriter;
use super::*;

fn by_id(document: &Document, id: &str) -> NodeId {
    document.by_id(ScopeId(0), id).unwrap()
}

#[test]
fn reads_nodes_attributes_and_relations() {
    let mut page = PageWriter::html();
    page.open("DIV", &[("id", "a"), ("data-x", "")])
        .text("one ");
    page.leaf("B", &[], "two").close();
    page.open("svg", &[("viewBox", "0")])
        .leaf("a", &[("href", "#")], "x")
        .close();
    let document = page.document();
    let div = by_id(&document, "a");
    assert_eq!(document.tag(div), "DIV");
    assert_eq!(document.attr(div, "data-x"), Some(""));
    assert_eq!(document.attr(div, "nope"), None);
    assert_eq!(document.backend_node_id(div), 103);
    assert_eq!(document.by_backend_id(103), Some(div));
    assert_eq!(document.text_pieces(div).collect::<String>(), "one two");
    assert_eq!(document.children(div).len(), 2);
    assert_eq!(document.light_parent(div), document.body());
    let svg = document
        .elements()
        .find(|&n| document.node_name(n) == "svg")
        .unwrap();
    let link = document.element_children(svg).next().unwrap();
    assert_eq!(document.tag(link), "A");
    assert!(document.is_svg(svg) && !document.has_owner_svg(svg));
    assert!(document.has_owner_svg(link));
    assert_eq!(document.element_siblings(svg), (Some(div), None));
    assert!(document.is_inclusive_descendant(link, svg));
    assert!(!document.is_inclusive_descendant(link, div));
    assert_eq!(document.bounds(div).unwrap().y, 3.0);
    assert_eq!(&**document.frame_id(), "FRAME");
}

#[test]
fn labels_find_their_controls() {
    let mut page = PageWriter::html();
    page.leaf("LABEL", &[("for", "x"), ("id", "l1")], "One");
    page.open("INPUT", &[("id", "x")]).close();
    page.open("LABEL", &[("id", "l2")]).text("Two");
    page.open("INPUT", &[("type", "HIDDEN"), ("id", "h")])
        .close();
    page.open("SELECT", &[("id", "s")]).close();
    page.open("TEXTAREA", &[("id", "t")]).close().close();
    page.leaf("LABEL", &[("for", "l1"), ("id", "l3")], "names no control");
    page.leaf("LABEL", &[("for", "x"), ("id", "l4")], "Four");
    let document = page.document();
    let labels = |id| document.labels(by_id(&document, id)).collect::<Vec<_>>();
    assert_eq!(
        labels("x"),
        [by_id(&document, "l1"), by_id(&document, "l4")]
    );
    assert_eq!(labels("s"), [by_id(&document, "l2")]);
    assert!(labels("t").is_empty() && labels("h").is_empty());
    assert_eq!(
        document.label_control(by_id(&document, "l2")),
        Some(by_id(&document, "s"))
    );
    assert_eq!(document.label_control(by_id(&document, "l3")), None);
    assert_eq!(document.input_type(by_id(&document, "h")), "hidden");
}

#[test]
fn disabledness_comes_from_fieldsets_groups_and_aria() {
    let mut page = PageWriter::html();
    page.open("FIELDSET", &[("disabled", "")]);
    page.open("LEGEND", &[])
        .leaf("BUTTON", &[("id", "in-legend")], "")
        .close();
    page.open("LEGEND", &[])
        .leaf("BUTTON", &[("id", "second")], "")
        .close();
    page.leaf("BUTTON", &[("id", "inside")], "").close();
    page.open("SELECT", &[])
        .open("OPTGROUP", &[("disabled", "")]);
    page.leaf("OPTION", &[("id", "option")], "").close().close();
    page.open("DIV", &[("aria-disabled", "TRUE")])
        .leaf("P", &[("id", "aria")], "");
    page.leaf("P", &[("id", "free"), ("aria-disabled", "false")], "")
        .close();
    let document = page.document();
    let native = |id| document.is_natively_disabled(by_id(&document, id));
    assert!(!native("in-legend"));
    assert!(native("second") && native("inside") && native("option"));
    assert!(document.is_aria_disabled(by_id(&document, "aria")));
    assert!(!document.is_aria_disabled(by_id(&document, "free")));
    assert!(document.is_in_select(by_id(&document, "option")));
}

#[test]
fn visibility_follows_boxes_styles_and_ancestors() {
    let mut page = PageWriter::html();
    page.leaf("P", &[("id", "plain")], "x");
    page.open("P", &[("id", "empty")])
        .size(10.0, 0.0)
        .text("x")
        .close();
    page.open_styled("P", &[("id", "invisible")], &[("visibility", "hidden")])
        .close();
    page.open_boxless("P", &[("id", "none")]).close();
    page.open("DIV", &[("aria-hidden", "true")])
        .leaf("P", &[("id", "hushed")], "x")
        .close();
    page.open_boxless("DIV", &[("id", "contents")])
        .leaf("P", &[("id", "in-contents")], "x");
    page.close();
    page.open("DETAILS", &[])
        .leaf("SUMMARY", &[("id", "summary")], "s");
    page.leaf("P", &[("id", "measured")], "left over").close();
    page.open_styled(
        "DIV",
        &[("id", "skipping")],
        &[("content-visibility", "hidden")],
    );
    page.leaf("P", &[("id", "skipped")], "x").close();
    let document = page.document();
    let hidden = |id| document.is_hidden_for_aria(by_id(&document, id));
    let boxed = |id| document.is_box_visible(by_id(&document, id));
    assert!(!hidden("plain") && boxed("plain"));
    assert!(!hidden("empty") && !boxed("empty"));
    assert!(hidden("invisible") && !boxed("invisible"));
    assert!(hidden("none") && document.is_display_none(by_id(&document, "none")));
    assert!(hidden("hushed") && boxed("hushed"));
    assert!(!hidden("contents") && boxed("contents"));
    assert!(document.is_display_contents(by_id(&document, "contents")));
    assert!(!hidden("summary") && boxed("summary"));
    assert!(hidden("measured") && !boxed("measured"));
    assert!(!hidden("skipping") && hidden("skipped"));
}

#[test]
fn skipped_layout_is_reported() {
    let mut page = PageWriter::html();
    page.open_styled("DIV", &[], &[("content-visibility", "auto")]);
    page.open_boxless("P", &[]).boxless_text("x").close();
    page.open_boxless("P", &[]).close().close();
    page.open_styled("DIV", &[], &[("content-visibility", "auto")]);
    page.leaf("P", &[], "laid out").close();
    assert_eq!(page.document().needs_forced_layout(), [104, 106]);
}

/// `<x-card>` with a slot for its light children, as the snapshot has it, and the
/// same page as `DOM.getDocument` has it.
fn shadow_page() -> (DomSnapshot, DomTree) {
    let mut page = PageWriter::html();
    page.open("X-CARD", &[("id", "host")]); // 103
    page.open("SECTION", &[("id", "inner")])
        .mark("shadowRootType", "open"); // 104
    page.open_boxless("SLOT", &[])
        .mark("shadowRootType", "open"); // 105
    page.leaf("P", &[("id", "one")], "first"); // 106, 107
    page.text(" "); // 108
    page.leaf("P", &[("id", "two")], "second"); // 109, 110
    page.close().close().close();
    (page.snapshot(), DomTree::from_json(SHADOW_TREE).unwrap())
}

const SHADOW_TREE: &str = r##"{"root":{"backendNodeId":100,"nodeType":9,"nodeName":"#document","children":[
      {"backendNodeId":101,"nodeType":1,"nodeName":"HTML","children":[
       {"backendNodeId":102,"nodeType":1,"nodeName":"BODY","children":[
        {"backendNodeId":103,"nodeType":1,"nodeName":"X-CARD","attributes":["id","host"],
         "shadowRoots":[{"backendNodeId":900,"nodeType":11,"nodeName":"#document-fragment",
          "shadowRootType":"open","children":[
           {"backendNodeId":104,"nodeType":1,"nodeName":"SECTION","children":[
            {"backendNodeId":105,"nodeType":1,"nodeName":"SLOT","distributedNodes":[{"nodeType":1,"backendNodeId":106}],
             "children":[{"backendNodeId":901,"nodeType":3,"nodeName":"#text","nodeValue":"fallback"}]}]}]}],
         "children":[
          {"backendNodeId":106,"nodeType":1,"nodeName":"P","children":[
            {"backendNodeId":107,"nodeType":3,"nodeName":"#text","nodeValue":"first"}]},
          {"backendNodeId":109,"nodeType":1,"nodeName":"P","children":[
            {"backendNodeId":110,"nodeType":3,"nodeName":"#text","nodeValue":"second"}]},
          {"backendNodeId":902,"nodeType":1,"nodeName":"EM","attributes":["slot","x"],"children":[
            {"backendNodeId":903,"nodeType":3,"nodeName":"#text","nodeValue":"unslotted"}]}]}]}]}]}}"##;

#[test]
fn shadow_trees_are_joined_from_both_replies() {
    let (snapshot, tree) = shadow_page();
    assert!(Document::build(&snapshot, 0, None).needs_document_tree());
    let document = Document::build(&snapshot, 0, Some(&tree));
    assert!(!document.needs_document_tree());
    let node = |backend| document.by_backend_id(backend).unwrap();
    let ids = |nodes: &[NodeId]| -> Vec<i64> {
        nodes.iter().map(|&n| document.backend_node_id(n)).collect()
    };
    let host = node(103);
    assert_eq!(document.shadow_kind(host), Some(ShadowKind::Open));
    // The white space between the paragraphs is only in the snapshot.
    assert_eq!(ids(document.light_children(host)), [106, 108, 109, 902]);
    assert_eq!(ids(document.shadow_children(host)), [104]);
    assert_eq!(ids(document.children(host)), [104]);
    assert_eq!(ids(document.children(node(105))), [106, 108, 109]);
    assert_eq!(ids(document.light_children(node(105))), [901]);
    assert_eq!(document.assigned_slot(node(109)), Some(node(105)));
    assert_eq!(document.parent(node(109)), Some(node(105)));
    assert_eq!(document.light_parent(node(109)), Some(host));
    assert_eq!(document.parent(node(902)), None);
    assert_eq!(document.host(node(104)), Some(host));
    assert_eq!(document.light_parent(node(104)), None);
    assert_eq!(document.parent_or_host(node(104)), Some(host));
    // Ids belong to their tree.
    let inner = document.scope(node(104));
    assert_ne!(inner, ScopeId(0));
    assert_eq!(document.by_id(inner, "inner"), Some(node(104)));
    assert_eq!(document.by_id(ScopeId(0), "inner"), None);
    assert_eq!(document.by_id(ScopeId(0), "two"), Some(node(109)));
    // Light children come before the shadow tree.
    assert!(node(902) < node(104));
    assert!(document.is_hidden_for_aria(node(902)));
    assert_eq!(document.value(node(903)), "unslotted");
}

#[test]
fn shadow_trees_are_guessed_without_the_second_reply() {
    let (snapshot, _) = shadow_page();
    let document = Document::build(&snapshot, 0, None);
    let node = |backend| document.by_backend_id(backend).unwrap();
    assert_eq!(document.light_parent(node(109)), Some(node(103)));
    assert_eq!(document.parent(node(109)), Some(node(105)));
    assert_ne!(document.scope(node(104)), document.scope(node(109)));
}

#[test]
fn fifty_thousand_levels_are_no_problem() {
    let mut page = PageWriter::html();
    for _ in 0..50_000 {
        page.open("DIV", &[]);
    }
    page.text("deep");
    let document = page.document();
    assert_eq!(document.len(), 50_004);
    let last = NodeId(50_003);
    assert_eq!(document.ancestors(last).count(), 50_003);
    assert!(
        document
            .elements()
            .all(|node| !document.is_hidden_for_aria(node))
    );
}

#[test]
fn nonsense_builds_some_document() {
    let pages = [
        "{}",
        r#"{"documents":[{}]}"#,
        r#"{"documents":[{"nodes":{"nodeName":[0,1,2,3],"parentIndex":[3,2,1,0],"nodeType":[1,1,1,1],
            "backendNodeId":[1,1],"attributes":[[9,9,9],null,{}],"shadowRootType":{"index":[0,7,-1],"value":[99]},
            "pseudoType":{"index":[1,1],"value":[0]},"contentDocumentIndex":{"index":[2],"value":[5]},
            "inputValue":{"index":[-5,3],"value":[1,2]},"optionSelected":{"index":[1000000]}},
            "layout":{"nodeIndex":[-1,0,0,9,3],"styles":[[0,-4],[99]],"bounds":[[],[1,2],[1,2,3,4,5]]}}],
            "strings":["SLOT","open"]}"#,
        r#"{"documents":[{"nodes":{"nodeName":[0,0,0],"parentIndex":[-1,0,1],"nodeType":[9,1,300],
            "shadowRootType":{"index":[1,2],"value":[0,0]}}}],"strings":["SLOT"]}"#,
    ];
    let tree = DomTree::from_json(
        r#"{"backendNodeId":1,"shadowRoots":[{"backendNodeId":1,"children":[{"backendNodeId":1}]}]}"#,
    )
    .unwrap();
    for page in pages {
        let snapshot = DomSnapshot::from_json(page).unwrap();
        for tree in [None, Some(&tree)] {
            let document = Document::build(&snapshot, 0, tree);
            for node in document.nodes() {
                document.children(node);
                document.parent(node);
                document.bounds(node);
                document.style(node, StyleProperty::Display);
                assert!(document.attrs(node).count() <= 1);
            }
        }
    }
}

#[test]
fn a_generated_box_is_not_in_the_shadow_tree() {
    // No browser marks one as both.
    let mut page = PageWriter::html();
    page.open("DIV", &[("id", "host")]);
    page.open("P", &[("id", "both")])
        .mark("pseudoType", "before")
        .mark("shadowRootType", "open")
        .close();
    page.open("P", &[("id", "inside")])
        .mark("shadowRootType", "open");
    let document = page.document();
    let host = by_id(&document, "host");
    let [inside] = *document.shadow_children(host) else {
        panic!("{:?}", document.shadow_children(host));
    };
    assert_eq!(document.attr(inside, "id"), Some("inside"));
    assert_eq!(document.host(inside), Some(host));
}

#[test]
fn a_node_is_assigned_to_one_slot() {
    // In no browser do two slots have the same node.
    let mark = r#""backendNodeId":902,"#;
    let greedy = format!(r#"{mark}"distributedNodes":[{{"nodeType":1,"backendNodeId":106}}],"#);
    let tree = DomTree::from_json(&SHADOW_TREE.replace(mark, &greedy)).unwrap();
    let document = Document::build(&shadow_page().0, 0, Some(&tree));
    let node = |backend| document.by_backend_id(backend).unwrap();
    let assigned = |slot| document.assigned_nodes(node(slot)).unwrap_or_default();
    assert_eq!(assigned(902), [node(106)]);
    assert_eq!(document.assigned_slot(node(106)), Some(node(902)));
    assert_eq!(assigned(105), [node(108), node(109)]);
}
