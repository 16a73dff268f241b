//! The input of the targets that read pages, and the seeds.
//!
//! A page is one JSON object: `dom` and `document` hold replies of
//! `DOMSnapshot.captureSnapshot` and `DOM.getDocument`, `ax` holds replies of
//! `Accessibility.getFullAXTree` by frame id, `options` what to print. Anything
//! that is not such an object is given to each of the three readers as it is.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::aria::{
    AxFrame, AxOverlay, AxPage, AxTree, Captured, FrameCapture, PageCapture, SnapshotOptions,
};
use crate::dom::{Document, DomSnapshot, DomTree};

#[derive(Deserialize, Default)]
struct Wire<'a> {
    #[serde(borrow, default)]
    dom: Option<&'a RawValue>,
    #[serde(borrow, default)]
    document: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ax: HashMap<String, &'a RawValue>,
    #[serde(borrow, default)]
    options: Option<&'a RawValue>,
}

/// A page as far as it could be read.
#[derive(Default)]
pub struct Page {
    /// Without the reply of `DOM.getDocument`.
    pub plain: Vec<Arc<Document>>,
    /// With it, if there was one.
    pub joined: Vec<Arc<Document>>,
    /// Accessibility trees by frame id.
    pub ax: HashMap<String, AxTree>,
    /// How to print.
    pub options: SnapshotOptions,
}

/// Reads what the fuzzer made.
pub fn read(data: &[u8]) -> Page {
    let text = String::from_utf8_lossy(data);
    let Ok(wire) = serde_json::from_str::<Wire<'_>>(&text) else {
        let _ = DomTree::from_json(&text);
        let _ = AxTree::from_json(&text);
        let documents = DomSnapshot::from_json(&text);
        let plain = documents.map(|dom| Document::build_all(&dom, None));
        return Page {
            plain: plain.unwrap_or_default(),
            ..Page::default()
        };
    };
    let mut page = Page {
        options: wire.options.map(options).unwrap_or_default(),
        ..Page::default()
    };
    let tree = wire
        .document
        .and_then(|json| DomTree::from_json(json.get()).ok());
    if let Some(Ok(dom)) = wire.dom.map(|json| DomSnapshot::from_json(json.get())) {
        page.plain = Document::build_all(&dom, None);
        if tree.is_some() {
            page.joined = Document::build_all(&dom, tree.as_ref());
        }
    }
    for (frame, json) in wire.ax {
        if let Ok(tree) = AxTree::from_json(json.get()) {
            page.ax.insert(frame, tree);
        }
    }
    page
}

fn options(json: &RawValue) -> SnapshotOptions {
    let value: Value = serde_json::from_str(json.get()).unwrap_or_default();
    let on = |name: &str| value[name].as_bool().unwrap_or_default();
    SnapshotOptions {
        depth: value["depth"].as_i64().unwrap_or_default(),
        boxes: on("boxes"),
        extras: on("extras"),
        closed_shadow: on("closedShadow"),
        mask_passwords: on("maskPasswords"),
        target: None,
    }
}

impl Page {
    /// The input of a snapshot of these documents.
    pub fn capture(&self, documents: &[Arc<Document>]) -> PageCapture {
        let mut capture = PageCapture::default();
        if let Some(main) = documents.first() {
            capture.main_frame = Arc::clone(main.frame_id());
        }
        for document in documents {
            let mut frame = FrameCapture::new(Arc::clone(document), "only");
            if let Some(tree) = self.ax.get(&**document.frame_id()) {
                frame.overlay = Some(Arc::new(AxOverlay::from_tree(tree)));
            }
            let id = Arc::clone(document.frame_id());
            capture.frames.insert(id, Captured::Ready(frame));
        }
        capture
    }

    /// The input of a snapshot of the accessibility trees alone. The frames of
    /// the page hang on what shows them in its documents.
    pub fn into_ax(self) -> AxPage {
        let mut page = AxPage::default();
        let mut ids: Vec<&String> = self.ax.keys().collect();
        ids.sort();
        let main = self.plain.first().map(|document| document.frame_id());
        page.main_frame = match (main, ids.first()) {
            (Some(main), _) => Arc::clone(main),
            (None, Some(first)) => Arc::from(first.as_str()),
            (None, None) => Arc::default(),
        };
        let mut children: HashMap<Arc<str>, HashMap<i64, Arc<str>>> = HashMap::new();
        for document in &self.plain {
            let shown = document.elements().filter_map(|node| {
                let frame = document.content_frame(node)?;
                Some((document.backend_node_id(node), Arc::clone(frame)))
            });
            children.insert(Arc::clone(document.frame_id()), shown.collect());
        }
        for (id, tree) in self.ax {
            let frame = AxFrame {
                tree,
                document_id: Arc::from("only"),
                children: children.remove(id.as_str()).unwrap_or_default(),
            };
            page.frames.insert(Arc::from(id), frame);
        }
        page
    }
}

/// All seeds of a target, and inputs that broke it once.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(target);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map(|entries| {
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .collect()
        })
        .unwrap_or_default();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .collect()
}
