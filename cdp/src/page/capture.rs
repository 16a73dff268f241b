//! Looking at a page: fetches what the pure snapshot builder needs, from all processes at once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::early::EarlyLook;
use super::frames::FrameId;
use super::marks::{Active, Marks};
use super::{Page, STEP, Target};
use crate::action::ActionError;
use crate::aria::{
    AriaTree, AxOverlay, AxSnapshotOptions, AxTree, Captured, FrameCapture, PageCapture,
    SnapshotOptions, snapshot,
};
use crate::connection::{CdpError, Deadline, SessionId};
use crate::dom::{Document, DomSnapshot, DomTree};

/// How long the main frame's process may take.
const MAIN: Duration = STEP;
/// The same while it is about to become another document.
const NAVIGATING: Duration = Duration::from_secs(8);
/// How long a frame of another process may take before it is left out.
pub(super) const CHILD: Duration = Duration::from_secs(3);
/// How often skipped content is laid out and captured again.
const FORCED_LAYOUTS: usize = 3;
/// Containers whose layout is forced in one go.
const MAX_FORCED: usize = 2_000;
/// Documents with more nodes than this, or more text than below, get no accessibility tree beside
/// their own: it would cost several times the snapshot.
const AX_NODES: usize = 5_000;
/// In bytes. Chromium lists every line of a text apart.
const AX_TEXT: usize = 32 << 10;

/// What to look at.
#[derive(Debug, Clone, Default)]
pub struct CaptureOptions {
    /// Only this element and what is in it.
    pub target: Option<Target>,
    /// Levels below the root that are printed; `None` and 0 are all, negative ones too.
    pub depth: Option<i64>,
    /// Print the box of every element.
    pub boxes: bool,
}

/// What the tree is made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SnapshotSource {
    /// The DOM, as upstream does.
    #[default]
    Dom,
    /// The browser's accessibility tree alone.
    Ax,
}

/// How to look.
#[derive(Debug, Clone, Copy, Default)]
pub struct CaptureRules {
    /// What the tree is made from.
    pub source: SnapshotSource,
    /// Add what upstream leaves out: closed shadow roots, text typed into editable elements, frames
    /// that could not be read; and mask passwords.
    pub extras: bool,
    /// Ask the accessibility tree for what only the browser knows, and print that too.
    pub accessibility: bool,
}

/// A captured page.
#[derive(Debug)]
pub struct Snapshot {
    /// What is to be printed.
    pub tree: AriaTree,
    /// The main document's title when it was captured.
    pub title: String,
}

/// The documents of one process.
pub(super) struct Process {
    session: SessionId,
    pub(super) frames: Vec<FrameId>,
    limit: Duration,
}

impl Page {
    /// Captures the page's tree and gives its elements their refs.
    ///
    /// # Errors
    /// The target names no element or several, or the main frame does not answer.
    pub async fn snapshot(
        &self,
        options: &CaptureOptions,
        rules: &CaptureRules,
    ) -> Result<Snapshot, ActionError> {
        self.snapshot_seen(options, rules, None).await
    }

    /// The same from a look that was taken already, where that will do.
    ///
    /// # Errors
    /// As [`Self::snapshot`].
    pub async fn snapshot_seen(
        &self,
        options: &CaptureOptions,
        rules: &CaptureRules,
        early: Option<EarlyLook>,
    ) -> Result<Snapshot, ActionError> {
        // While a navigation is under way the browser may hold the answers back.
        let navigating = self
            .state()
            .frames
            .main()
            .is_some_and(|main| main.navigating);
        let deadline = Deadline::after(if navigating { NAVIGATING } else { MAIN });
        let target = match &options.target {
            None => None,
            Some(target) => {
                let found = self.found(target, deadline).await?;
                Some((
                    found.frame.clone(),
                    found.document.backend_node_id(found.node),
                ))
            }
        };
        let depth = options.depth.unwrap_or(0);
        if rules.source == SnapshotSource::Ax {
            let options = AxSnapshotOptions {
                depth,
                target,
                extras: rules.extras,
            };
            return self.snapshot_of_ax(&options, deadline).await;
        }
        let early = early.and_then(|early| early.into_capture(self, rules));
        let capture = match early {
            Some(capture) => capture,
            None => self.capture(rules, deadline).await?,
        };
        let title = capture
            .ready(&capture.main_frame)
            .map(|frame| frame.document.title().to_owned())
            .unwrap_or_default();
        let target = match target {
            None => None,
            // Between finding it and looking again it may have gone.
            Some((frame, node)) => {
                let found = capture
                    .ready(&frame)
                    .and_then(|frame| frame.document.by_backend_id(node));
                match (found, &options.target) {
                    (Some(node), _) => Some((frame, node)),
                    (None, Some(target)) => return Err(ActionError::NoElement(target.absent())),
                    (None, None) => None,
                }
            }
        };
        let base = if rules.extras {
            SnapshotOptions::generous()
        } else {
            SnapshotOptions::default()
        };
        let build = SnapshotOptions {
            depth,
            boxes: options.boxes,
            target,
            ..base
        };
        let tree = self.change(|state| snapshot(&capture, &mut state.refs, &build));
        Ok(Snapshot { tree, title })
    }

    /// The current document of a frame, as data.
    ///
    /// # Errors
    /// The frame is gone or does not answer.
    pub async fn document(
        &self,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Result<Arc<Document>, CdpError> {
        let session = self.session_of(frame)?;
        let documents = self.documents(&session, deadline).await?;
        documents
            .into_iter()
            .find(|document| document.frame_id() == frame)
            .ok_or(CdpError::TargetClosed)
    }

    fn session_of(&self, frame: &FrameId) -> Result<SessionId, CdpError> {
        self.state()
            .frames
            .get(frame)
            .map(|frame| frame.session.clone())
            .ok_or(CdpError::TargetClosed)
    }

    pub(super) fn processes(&self) -> Vec<Process> {
        let state = self.state();
        let mut processes: Vec<Process> = Vec::new();
        for frame in state.frames.in_order() {
            match processes
                .iter_mut()
                .find(|process| process.session == frame.session)
            {
                Some(process) => process.frames.push(frame.id.clone()),
                None => {
                    let limit = if processes.is_empty() { MAIN } else { CHILD };
                    processes.push(Process {
                        session: frame.session.clone(),
                        frames: vec![frame.id.clone()],
                        limit,
                    });
                }
            }
        }
        processes
    }

    async fn capture(
        &self,
        rules: &CaptureRules,
        deadline: Deadline,
    ) -> Result<PageCapture, CdpError> {
        let (main, _) = self.main_frame()?;
        let processes = self.processes();
        let each = processes
            .iter()
            .map(|process| self.capture_process(process, rules, deadline));
        let mut frames: HashMap<FrameId, Captured> = HashMap::new();
        for captured in join_all(each).await {
            frames.extend(captured);
        }
        if let Some(Captured::Missing(reason)) = frames.get(&main) {
            return Err(match reason {
                reason if deadline.passed() => {
                    tracing::debug!(reason, "main frame not captured");
                    CdpError::Timeout {
                        method: "snapshot".into(),
                        budget: deadline.budget(),
                    }
                }
                reason => CdpError::Answer {
                    method: "snapshot".into(),
                    reason: reason.clone(),
                },
            });
        }
        self.join_processes(&processes, &mut frames, deadline).await;
        Ok(PageCapture {
            main_frame: main,
            frames,
        })
    }

    /// Captures all frames of one process; a failure makes all of them missing.
    pub(super) async fn capture_process(
        &self,
        process: &Process,
        rules: &CaptureRules,
        deadline: Deadline,
    ) -> Vec<(FrameId, Captured)> {
        let deadline = deadline.at_most(process.limit);
        let marks = join_all(
            process
                .frames
                .iter()
                .map(|frame| self.marks(frame, deadline)),
        );
        // What was small when last seen is asked for both trees at once.
        let early = join_all(process.frames.iter().map(|frame| async {
            let small = rules.accessibility
                && self
                    .state()
                    .frames
                    .get(frame)
                    .is_some_and(|frame| frame.small);
            if small {
                self.overlay(&process.session, frame, deadline).await
            } else {
                None
            }
        }));
        let (documents, marks, early) =
            tokio::join!(self.documents(&process.session, deadline), marks, early);
        let documents = match documents {
            Ok(documents) => documents,
            Err(error) => {
                let reason = error.to_string();
                return process
                    .frames
                    .iter()
                    .map(|frame| (frame.clone(), Captured::Missing(reason.clone())))
                    .collect();
            }
        };
        let mut marks: HashMap<&FrameId, Marks> = process.frames.iter().zip(marks).collect();
        let mut early: HashMap<&FrameId, Option<Arc<AxOverlay>>> =
            process.frames.iter().zip(early).collect();
        let mut captured = Vec::with_capacity(documents.len());
        let overlays = documents.iter().map(|document| {
            let known = early.remove(document.frame_id()).flatten();
            let small = is_small(document);
            self.note_size(document.frame_id(), small);
            async move {
                match known {
                    Some(overlay) if small => Some(overlay),
                    None if small && rules.accessibility => {
                        self.overlay(&process.session, document.frame_id(), deadline)
                            .await
                    }
                    _ => None,
                }
            }
        });
        let overlays = join_all(overlays).await;
        for (document, overlay) in documents.iter().zip(overlays) {
            let frame = document.frame_id().clone();
            let Marks { active, mixed } = marks.remove(&frame).unwrap_or_default();
            let document_id = self
                .state()
                .frames
                .get(&frame)
                .map_or_else(|| "".into(), |frame| frame.loader.clone());
            let active = match active {
                Active::Nothing => None,
                Active::Body => document.body().map(|body| document.backend_node_id(body)),
                Active::Element(node) => Some(node),
            };
            captured.push((
                frame,
                Captured::Ready(FrameCapture {
                    document: document.clone(),
                    document_id,
                    remote_children: HashMap::new(),
                    active,
                    indeterminate: mixed,
                    overlay,
                }),
            ));
        }
        captured
    }

    /// The documents of a session's process, complete: with the content that the browser had skipped,
    /// and with the trees of shadow roots.
    async fn documents(
        &self,
        session: &SessionId,
        deadline: Deadline,
    ) -> Result<Vec<Arc<Document>>, CdpError> {
        let mut forced = 0;
        loop {
            let params = json!({ "computedStyles": DomSnapshot::COMPUTED_STYLES });
            let raw = self
                .connection()
                .call_raw(
                    Some(session),
                    "DOMSnapshot.captureSnapshot",
                    &params,
                    deadline,
                )
                .await?;
            let (documents, snapshot) = decode(raw).await?;
            let skipped: Vec<i64> = documents
                .iter()
                .flat_map(|document| document.needs_forced_layout().iter().copied())
                .take(MAX_FORCED)
                .collect();
            if !skipped.is_empty() && forced < FORCED_LAYOUTS {
                forced += 1;
                let boxes = skipped.iter().map(|node| {
                    let params = json!({ "backendNodeId": node });
                    async move {
                        // Asking for the box is what lays it out; the answer does not matter.
                        let _ = self
                            .connection()
                            .call_raw(Some(session), "DOM.getBoxModel", &params, deadline)
                            .await;
                    }
                });
                join_all(boxes).await;
                continue;
            }
            if !documents
                .iter()
                .any(|document| document.needs_document_tree())
            {
                return Ok(documents);
            }
            let params = json!({ "depth": -1, "pierce": true });
            let raw = self
                .connection()
                .call_raw(Some(session), "DOM.getDocument", &params, deadline)
                .await;
            // The renderer would go on reporting every change of its DOM.
            self.connection()
                .post(Some(session), "DOM.disable", &json!({}));
            let tree = DomTree::from_json(raw?.get()).map_err(|error| CdpError::Answer {
                method: "DOM.getDocument".into(),
                reason: error.to_string(),
            })?;
            return Ok(Document::build_all(&snapshot, Some(&tree)));
        }
    }

    fn note_size(&self, frame: &FrameId, small: bool) {
        if let Some(frame) = self.state().frames.get_mut(frame) {
            frame.small = small;
        }
    }

    async fn overlay(
        &self,
        session: &SessionId,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Option<Arc<AxOverlay>> {
        self.ax_tree(session, frame, deadline.at_most(CHILD))
            .await
            .inspect_err(|error| tracing::debug!(%error, "no accessibility tree"))
            .ok()
            .map(|tree| Arc::new(AxOverlay::from_tree(&tree)))
    }

    /// Tells each process's documents which of their elements show frames of other processes.
    async fn join_processes(
        &self,
        processes: &[Process],
        frames: &mut HashMap<FrameId, Captured>,
        deadline: Deadline,
    ) {
        let roots: Vec<FrameId> = processes
            .iter()
            .skip(1)
            .filter_map(|process| process.frames.first().cloned())
            .collect();
        let owners = join_all(
            roots
                .iter()
                .map(|root| self.frame_owner(root, deadline.at_most(CHILD))),
        )
        .await;
        for (root, owner) in roots.into_iter().zip(owners) {
            let parent = self.parent_frame(&root);
            if let (Ok(owner), Some(parent)) = (owner, parent)
                && let Some(Captured::Ready(parent)) = frames.get_mut(&parent)
            {
                parent.remote_children.insert(owner, root);
            }
        }
    }

    pub(super) async fn ax_tree(
        &self,
        session: &SessionId,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Result<AxTree, CdpError> {
        let method = "Accessibility.getFullAXTree";
        let params = json!({ "frameId": frame.as_ref() });
        let raw = self
            .connection()
            .call_raw(Some(session), method, &params, deadline)
            .await?;
        AxTree::from_json(raw.get()).map_err(|error| CdpError::Answer {
            method: method.into(),
            reason: error.to_string(),
        })
    }
}

/// Whether asking for a document's accessibility tree costs no more than it is worth.
fn is_small(document: &Document) -> bool {
    let mut text = 0;
    document.len() <= AX_NODES
        && document.nodes().all(|node| {
            if document.is_text(node) {
                text += document.value(node).len();
            }
            text <= AX_TEXT
        })
}

/// Decodes off the reading task: the answer may be megabytes.
async fn decode(
    raw: Box<serde_json::value::RawValue>,
) -> Result<(Vec<Arc<Document>>, Arc<DomSnapshot>), CdpError> {
    /// Above this many bytes another thread does it.
    const LARGE: usize = 256 << 10;
    let large = raw.get().len() >= LARGE;
    let work = move || {
        let snapshot = DomSnapshot::from_json(raw.get()).map_err(|error| CdpError::Answer {
            method: "DOMSnapshot.captureSnapshot".into(),
            reason: error.to_string(),
        })?;
        let documents = Document::build_all(&snapshot, None);
        Ok((documents, Arc::new(snapshot)))
    };
    if !large {
        return work();
    }
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| CdpError::Answer {
            method: "DOMSnapshot.captureSnapshot".into(),
            reason: error.to_string(),
        })?
}
