//! Golden test: snapshots built from recorded protocol data against the text that
//! upstream printed for the same pages.
//!
//! The recordings live outside the repository: in `$PLAYGUARD_SHARED/corpus`, or
//! in `shared/corpus` beside the repository. Without them the test is skipped.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use playguard_cdp::aria::{
    AxOverlay, Captured, FrameCapture, PageCapture, RefBook, SnapshotOptions, render, snapshot,
};
use playguard_cdp::dom::{Document, DomSnapshot, DomTree, NodeId};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Pages with text in generated boxes that are not rendered. The protocol does not
/// tell it, and nobody sees it.
const UNREACHABLE: [&str; 2] = ["hidden-pseudo-icons", "pseudo-content"];

#[derive(Deserialize)]
struct Recording {
    sessions: Vec<Session>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    target_id: String,
    dom: Box<RawValue>,
    ax: HashMap<String, Box<RawValue>>,
    document: Box<RawValue>,
}

#[derive(Deserialize)]
struct Variant {
    name: String,
    args: VariantArgs,
}

#[derive(Deserialize)]
struct VariantArgs {
    #[serde(default)]
    depth: i64,
    #[serde(default)]
    boxes: bool,
    target: Option<String>,
}

fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("PLAYGUARD_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let corpus = shared.join("corpus");
    if corpus.join("cdp").is_dir() {
        return Some(corpus);
    }
    eprintln!("skipped: no recordings at {}", corpus.display());
    None
}

fn recordings(corpus: &std::path::Path) -> Vec<(String, Recording)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(corpus.join("cdp"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let recording = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            (name, recording)
        })
        .collect()
}

/// What the live code does with replies, done with recorded ones.
fn capture(recording: &Recording) -> PageCapture {
    let mut page = PageCapture {
        main_frame: Arc::from(recording.sessions[0].target_id.as_str()),
        ..PageCapture::default()
    };
    for session in &recording.sessions {
        let dom = DomSnapshot::from_json(session.dom.get()).unwrap();
        let mut documents = Document::build_all(&dom, None);
        if documents
            .iter()
            .any(|document| document.needs_document_tree())
        {
            let tree = DomTree::from_json(session.document.get()).unwrap();
            documents = Document::build_all(&dom, Some(&tree));
        }
        for document in documents {
            let id = Arc::clone(document.frame_id());
            let mut frame = FrameCapture::new(document, "only");
            if let Some(ax) = session.ax.get(&*id) {
                frame.overlay = Some(Arc::new(AxOverlay::from_json(ax.get()).unwrap()));
            }
            for other in recording.sessions.iter().skip(1) {
                let document: Value = serde_json::from_str(session.document.get()).unwrap();
                if let Some(owner) = owner_of(&document, &other.target_id)
                    && frame.document.by_backend_id(owner).is_some()
                {
                    frame
                        .remote_children
                        .insert(owner, Arc::from(other.target_id.as_str()));
                }
            }
            page.frames.insert(id, Captured::Ready(frame));
        }
    }
    page
}

/// Backend id of the IFRAME that shows a frame, as `DOM.getFrameOwner` gives it.
fn owner_of(node: &Value, frame_id: &str) -> Option<i64> {
    if node["frameId"] == frame_id && matches!(node["nodeName"].as_str(), Some("IFRAME" | "FRAME"))
    {
        return node["backendNodeId"].as_i64();
    }
    let below = ["children", "shadowRoots"]
        .into_iter()
        .filter_map(|key| node[key].as_array());
    let mut nodes = below.flatten().chain(node.get("contentDocument"));
    nodes.find_map(|child| owner_of(child, frame_id))
}

/// Frames attach in the order in which the parser meets their elements, those of
/// a child document after those of its parent.
fn number_frames(page: &PageCapture) -> RefBook {
    let mut book = RefBook::new(&page.main_frame);
    let mut queue = VecDeque::from([Arc::clone(&page.main_frame)]);
    while let Some(id) = queue.pop_front() {
        let Some(Captured::Ready(frame)) = page.frames.get(&id) else {
            continue;
        };
        let mut stack: Vec<NodeId> = frame.document.nodes().take(1).collect();
        while let Some(node) = stack.pop() {
            stack.extend(frame.document.children(node).iter().rev());
            if let Some(child) = frame.child_frame(node) {
                book.frame_attached(child);
                queue.push_back(Arc::clone(child));
            }
        }
    }
    book
}

/// Just enough of CSS for the targets in the list of variants.
fn find_target(document: &Document, selector: &str) -> NodeId {
    let selector = selector.split(" >> ").next().unwrap();
    let (tag, rest) = selector.split_at(selector.find(['#', '[']).unwrap_or(selector.len()));
    let condition = match rest.split_at_checked(1) {
        Some(("#", id)) => Some(("id", id)),
        Some(("[", test)) => test.trim_end_matches(']').split_once('='),
        _ => None,
    };
    document
        .elements()
        .find(|&node| {
            (tag.is_empty() || document.tag(node).eq_ignore_ascii_case(tag))
                && condition.is_none_or(|(name, value)| {
                    document.attr(node, name) == Some(value.trim_matches('\''))
                })
        })
        .unwrap_or_else(|| panic!("no element for {selector}"))
}

/// First line that differs, for a message.
fn difference(got: &str, wanted: &str) -> String {
    let (mut got, mut wanted) = (got.lines(), wanted.lines());
    for number in 1.. {
        match (got.next(), wanted.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => return format!("line {number}:\n  got    {a:?}\n  wanted {b:?}"),
        }
    }
    "nothing".to_owned()
}

#[test]
fn snapshots_equal_upstreams() {
    let Some(corpus) = corpus() else { return };
    let variants: BTreeMap<String, Vec<Variant>> =
        serde_json::from_str(&fs::read_to_string(corpus.join("variants.json")).unwrap()).unwrap();
    let (mut exact, mut total) = (0, 0);
    let mut wrong = Vec::new();
    let mut check = |name: &str, text: &str| {
        let path = corpus.join("expected").join(format!("{name}.yml"));
        let wanted = fs::read_to_string(&path).unwrap();
        let wanted = wanted.strip_suffix('\n').unwrap_or(&wanted);
        total += 1;
        if text == wanted {
            exact += 1;
        } else {
            eprintln!("{name}: {}", difference(text, wanted));
            wrong.push(name.to_owned());
        }
    };
    for (name, recording) in recordings(&corpus) {
        let page = capture(&recording);
        let mut book = number_frames(&page);
        let plain = snapshot(&page, &mut book, &SnapshotOptions::default());
        check(&name, &render(&plain));
        for variant in variants.get(&name).into_iter().flatten() {
            let mut options = SnapshotOptions {
                depth: variant.args.depth,
                boxes: variant.args.boxes,
                ..SnapshotOptions::default()
            };
            if let Some(target) = &variant.args.target {
                let Some(Captured::Ready(main)) = page.frames.get(&page.main_frame) else {
                    panic!("{name} has no main frame")
                };
                let document = &main.document;
                let node = match book.resolve(target) {
                    Some(found) => document.by_backend_id(found.backend_node_id).unwrap(),
                    None => find_target(document, target),
                };
                options.target = Some((Arc::clone(&page.main_frame), node));
            }
            let tree = snapshot(&page, &mut book, &options);
            check(&format!("{name}.{}", variant.name), &render(&tree));
        }
    }
    eprintln!("{exact} of {total} snapshots are byte for byte upstream's");
    wrong.retain(|name| !UNREACHABLE.contains(&name.as_str()));
    assert!(wrong.is_empty(), "differ from upstream: {wrong:?}");
    assert!(total > 100, "recordings are missing");
}
