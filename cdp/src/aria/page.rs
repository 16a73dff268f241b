//! Input of a snapshot: what was captured of each frame.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::ax::AxOverlay;
use crate::dom::{Document, NodeId, ScopeId};

/// What is known of all frames of a page at one moment.
#[derive(Debug, Default, Clone)]
pub struct PageCapture {
    /// Id of the main frame.
    pub main_frame: Arc<str>,
    /// By frame id.
    pub frames: HashMap<Arc<str>, Captured>,
}

/// One frame, or why there is nothing.
#[derive(Debug, Clone)]
pub enum Captured {
    /// The frame was read.
    Ready(FrameCapture),
    /// It failed, or took too long; the text says why.
    Missing(String),
}

/// What was read of one frame.
#[derive(Debug, Clone)]
pub struct FrameCapture {
    /// The document.
    pub document: Arc<Document>,
    /// Identity of the document (its loader id): refs start over when it changes.
    pub document_id: Arc<str>,
    /// Frames in other processes, by the backend id of the IFRAME that shows them.
    /// Frames of the same process are found without this.
    pub remote_children: HashMap<i64, Arc<str>>,
    /// Backend id of `document.activeElement` when the document has the focus.
    /// `None` when it has not, or when the overlay is to tell.
    pub active: Option<i64>,
    /// Backend ids of INPUT elements that are indeterminate.
    pub indeterminate: HashSet<i64>,
    /// What the accessibility tree adds.
    pub overlay: Option<Arc<AxOverlay>>,
}

impl FrameCapture {
    /// A frame of which nothing but the document is known.
    pub fn new(document: Arc<Document>, document_id: &str) -> Self {
        FrameCapture {
            document,
            document_id: Arc::from(document_id),
            remote_children: HashMap::new(),
            active: None,
            indeterminate: HashSet::new(),
            overlay: None,
        }
    }

    /// The frame that an IFRAME of this document shows.
    pub fn child_frame(&self, iframe: NodeId) -> Option<&Arc<str>> {
        let backend = self.document.backend_node_id(iframe);
        self.remote_children
            .get(&backend)
            .or_else(|| self.document.content_frame(iframe))
    }

    pub(crate) fn is_indeterminate(&self, backend: i64) -> bool {
        self.indeterminate.contains(&backend)
            || self
                .overlay
                .as_ref()
                .is_some_and(|overlay| overlay.is_mixed(backend))
    }

    /// The active element as far as this frame's own data tell: the host when the
    /// focus is in a shadow tree, BODY when nothing in particular has it.
    fn own_active(&self) -> Option<NodeId> {
        let document = &self.document;
        let node = match self.active {
            Some(backend) => document.by_backend_id(backend)?,
            None => {
                let focus = self.overlay.as_ref()?.focus()?;
                let focused = document.by_backend_id(focus)?;
                if document.is_element(focused) {
                    focused
                } else {
                    document.body()?
                }
            }
        };
        let mut node = node;
        while let Some(host) = document.host(node) {
            node = host;
        }
        debug_assert_eq!(document.scope(node), ScopeId(0));
        Some(node)
    }
}

impl PageCapture {
    /// A frame that was read.
    pub fn ready(&self, frame_id: &str) -> Option<&FrameCapture> {
        match self.frames.get(frame_id) {
            Some(Captured::Ready(frame)) => Some(frame),
            _ => None,
        }
    }

    /// The active element of each frame that has one. A frame with the focus makes
    /// its IFRAME the active element of the frame around it.
    pub(crate) fn active_elements(&self) -> HashMap<Arc<str>, NodeId> {
        let mut active: HashMap<Arc<str>, NodeId> = HashMap::new();
        let mut owner: HashMap<Arc<str>, (Arc<str>, NodeId)> = HashMap::new();
        for (id, captured) in &self.frames {
            let Captured::Ready(frame) = captured else {
                continue;
            };
            if let Some(node) = frame.own_active() {
                active.insert(Arc::clone(id), node);
            }
            for node in frame.document.elements() {
                if matches!(frame.document.node_name(node), "IFRAME" | "FRAME")
                    && let Some(child) = frame.child_frame(node)
                {
                    owner.insert(Arc::clone(child), (Arc::clone(id), node));
                }
            }
        }
        let focused: Vec<Arc<str>> = active.keys().cloned().collect();
        for mut frame in focused {
            while let Some((parent, iframe)) = owner.get(&frame) {
                if active.contains_key(parent) {
                    break;
                }
                active.insert(Arc::clone(parent), *iframe);
                frame = Arc::clone(parent);
            }
        }
        active
    }
}
