//! The frames of one page, across processes, as a pure state machine fed by `Page.*` events.
//!
//! A frame keeps its id when it moves between processes; only the session that speaks for it
//! changes. See <https://chromedevtools.github.io/devtools-protocol/tot/Page/>.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::connection::SessionId;

/// A frame's id, the same in `Page`, `DOM`, `DOMSnapshot` and (for frames of other processes) `Target`.
pub type FrameId = Arc<str>;

/// How far a document has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifecycle {
    /// `DOMContentLoaded` has fired.
    pub dom_content_loaded: bool,
    /// `load` has fired.
    pub load: bool,
}

/// One frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its id.
    pub id: FrameId,
    /// The frame it sits in; `None` for the main frame.
    pub parent: Option<FrameId>,
    /// The session that speaks for it.
    pub session: SessionId,
    /// Identifies the committed document; changes with every new document.
    pub loader: Arc<str>,
    /// URL of the committed document, with fragment.
    pub url: Arc<str>,
    /// State of the committed document.
    pub lifecycle: Lifecycle,
    /// The execution context of our isolated world in this document, once known.
    pub world: Option<i64>,
    /// The execution context of the page's own scripts in this document, once known.
    pub page_world: Option<i64>,
    /// The element that holds it, in the process of its parent, once known.
    pub owner: Option<i64>,
    /// Its document was small when it was last captured.
    pub small: bool,
    /// A navigation has begun in it and not yet committed or ended.
    pub navigating: bool,
    /// How often its document has asked for a navigation of which nothing has been heard since;
    /// 0 when there is none. Such a one counts as begun, but not for long: the browser may refuse it
    /// without a word.
    pub asked: u32,
}

impl Frame {
    /// A navigation has begun.
    pub(crate) fn navigation_began(&mut self) {
        self.navigating = true;
        self.asked = 0;
    }

    /// The document has asked for a navigation.
    pub(crate) fn navigation_asked(&mut self) {
        if !self.navigating || self.asked > 0 {
            self.navigating = true;
            self.asked += 1;
        }
    }

    /// The navigation has committed, become a download, or failed.
    pub(crate) fn navigation_over(&mut self) {
        self.navigating = false;
        self.asked = 0;
    }
}

/// `Page.Frame`, as far as used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameInfo {
    /// Frame id.
    pub id: String,
    /// Parent's id.
    pub parent_id: Option<String>,
    /// Document's loader.
    #[serde(default)]
    pub loader_id: String,
    /// URL without fragment.
    #[serde(default)]
    pub url: String,
    /// `#…`, if any.
    #[serde(default)]
    pub url_fragment: String,
}

/// `Page.FrameTree`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTreeInfo {
    /// The frame itself.
    pub frame: FrameInfo,
    /// Frames inside it.
    #[serde(default)]
    pub child_frames: Vec<FrameTreeInfo>,
}

/// What an event meant for those who number and watch frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameChange {
    /// A frame that was not there before.
    Attached(FrameId),
    /// A new document in a frame; the URL it had before comes along.
    Committed {
        /// Which frame.
        frame: FrameId,
        /// Whether it is the main frame.
        main: bool,
        /// URL of the document before, empty if there was none.
        from: Arc<str>,
    },
    /// Frames that are gone, the outermost first.
    Detached(Vec<FrameId>),
}

/// All frames of a page.
#[derive(Debug, Default)]
pub struct FrameTree {
    frames: HashMap<FrameId, Frame>,
    children: HashMap<FrameId, Vec<FrameId>>,
    main: Option<FrameId>,
}

const MAX_FRAMES: usize = 5_000;

impl FrameTree {
    /// The main frame, once known.
    pub fn main(&self) -> Option<&Frame> {
        self.frames.get(self.main.as_ref()?)
    }

    /// A frame by id.
    pub fn get(&self, id: &str) -> Option<&Frame> {
        self.frames.get(id)
    }

    /// A frame by id, to change it.
    pub fn get_mut(&mut self, id: &str) -> Option<&mut Frame> {
        self.frames.get_mut(id)
    }

    /// Child frames in the order in which they attached.
    pub fn children(&self, id: &str) -> &[FrameId] {
        self.children.get(id).map_or(&[], Vec::as_slice)
    }

    /// All frames, parents before children, in attach order.
    pub fn in_order(&self) -> Vec<&Frame> {
        let mut order = Vec::with_capacity(self.frames.len());
        let mut stack: Vec<&FrameId> = self.main.iter().collect();
        while let Some(id) = stack.pop() {
            if let Some(frame) = self.frames.get(id) {
                order.push(frame);
                stack.extend(self.children(id).iter().rev());
            }
        }
        order
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether no frame is known yet.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Takes over a `Page.getFrameTree` answer from a session. Frames that are known keep what later
    /// events have already told about them.
    pub fn adopt(&mut self, tree: &FrameTreeInfo, session: &SessionId) -> Vec<FrameChange> {
        let mut changes = Vec::new();
        let mut stack = vec![tree];
        while let Some(node) = stack.pop() {
            let known = self
                .frames
                .get(node.frame.id.as_str())
                .is_some_and(|f| !f.loader.is_empty());
            if !known {
                changes.extend(self.attached(
                    &node.frame.id,
                    node.frame.parent_id.as_deref(),
                    session,
                ));
                if let Some(frame) = self.frames.get_mut(node.frame.id.as_str()) {
                    frame.loader = node.frame.loader_id.as_str().into();
                    frame.url = format!("{}{}", node.frame.url, node.frame.url_fragment).into();
                }
            }
            stack.extend(node.child_frames.iter().rev());
        }
        changes
    }

    /// `Page.frameAttached`, or the session of a frame that has moved to another process.
    pub fn attached(
        &mut self,
        id: &str,
        parent: Option<&str>,
        session: &SessionId,
    ) -> Option<FrameChange> {
        if let Some(frame) = self.frames.get_mut(id) {
            if frame.session != *session {
                // Its element stays where it is, in the parent's process.
                frame.session = session.clone();
                frame.world = None;
                frame.page_world = None;
            }
            return None;
        }
        if self.frames.len() >= MAX_FRAMES {
            return None;
        }
        let id: FrameId = id.into();
        let parent = parent
            .and_then(|parent| self.frames.get_key_value(parent))
            .map(|(id, _)| id.clone());
        match &parent {
            Some(parent) => self
                .children
                .entry(parent.clone())
                .or_default()
                .push(id.clone()),
            None if self.main.is_none() => self.main = Some(id.clone()),
            // A frame whose parent was never announced cannot be placed.
            None => return None,
        }
        self.frames.insert(
            id.clone(),
            Frame {
                id: id.clone(),
                parent,
                session: session.clone(),
                loader: "".into(),
                url: "".into(),
                lifecycle: Lifecycle::default(),
                world: None,
                page_world: None,
                owner: None,
                small: false,
                navigating: false,
                asked: 0,
            },
        );
        Some(FrameChange::Attached(id))
    }

    /// `Page.frameNavigated`: a new document was committed.
    pub fn navigated(&mut self, info: &FrameInfo, session: &SessionId) -> Vec<FrameChange> {
        let mut changes: Vec<FrameChange> = Vec::new();
        changes.extend(self.attached(&info.id, info.parent_id.as_deref(), session));
        let main = self.main.as_deref() == Some(info.id.as_str());
        // A new document takes the frames inside the old one with it.
        changes.extend(self.remove_children(&info.id));
        if let Some(frame) = self.frames.get_mut(info.id.as_str()) {
            let from = std::mem::replace(
                &mut frame.url,
                format!("{}{}", info.url, info.url_fragment).into(),
            );
            frame.loader = info.loader_id.as_str().into();
            frame.lifecycle = Lifecycle::default();
            frame.navigation_over();
            frame.small = false;
            changes.push(FrameChange::Committed {
                frame: frame.id.clone(),
                main,
                from,
            });
        }
        changes
    }

    /// `Page.navigatedWithinDocument`.
    pub fn navigated_within(&mut self, id: &str, url: &str) {
        if let Some(frame) = self.frames.get_mut(id) {
            frame.url = url.into();
        }
    }

    /// `Page.frameDetached` with reason `remove`.
    pub fn detached(&mut self, id: &str) -> Option<FrameChange> {
        let parent = self.frames.get(id)?.parent.clone()?;
        if let Some(siblings) = self.children.get_mut(&parent) {
            siblings.retain(|sibling| sibling.as_ref() != id);
        }
        let gone = self.remove_subtree(id);
        (!gone.is_empty()).then_some(FrameChange::Detached(gone))
    }

    /// `Page.lifecycleEvent`; events of a document that is no longer there are ignored.
    pub fn lifecycle(&mut self, id: &str, loader: &str, name: &str) {
        let Some(frame) = self.frames.get_mut(id) else {
            return;
        };
        match name {
            "init" => {
                frame.loader = loader.into();
                frame.lifecycle = Lifecycle::default();
            }
            _ if frame.loader.as_ref() != loader => {}
            "DOMContentLoaded" => frame.lifecycle.dom_content_loaded = true,
            "load" => {
                frame.lifecycle = Lifecycle {
                    dom_content_loaded: true,
                    load: true,
                }
            }
            _ => {}
        }
    }

    /// A navigation in some frame of a session came to nothing (an answer without content, say).
    pub fn navigation_ended(&mut self, session: &str) {
        for frame in self
            .frames
            .values_mut()
            .filter(|frame| frame.session.as_ref() == session)
        {
            frame.navigation_over();
        }
    }

    /// Forgets the isolated worlds of every frame of a session (`Runtime.executionContextsCleared`).
    pub fn worlds_cleared(&mut self, session: &str) {
        for frame in self
            .frames
            .values_mut()
            .filter(|frame| frame.session.as_ref() == session)
        {
            frame.world = None;
            frame.page_world = None;
        }
    }

    /// `Runtime.executionContextDestroyed`.
    pub fn world_destroyed(&mut self, session: &str, context: i64) {
        for frame in self.frames.values_mut() {
            if frame.session.as_ref() != session {
                continue;
            }
            for world in [&mut frame.world, &mut frame.page_world] {
                world.take_if(|known| *known == context);
            }
        }
    }

    fn remove_children(&mut self, id: &str) -> Option<FrameChange> {
        let children = self.children.remove(id)?;
        let gone: Vec<FrameId> = children
            .iter()
            .flat_map(|child| self.remove_subtree(child))
            .collect();
        (!gone.is_empty()).then_some(FrameChange::Detached(gone))
    }

    fn remove_subtree(&mut self, id: &str) -> Vec<FrameId> {
        let mut gone = Vec::new();
        let mut stack: Vec<FrameId> = vec![id.into()];
        while let Some(id) = stack.pop() {
            if let Some(children) = self.children.remove(&id) {
                stack.extend(children);
            }
            if self.frames.remove(&id).is_some() {
                gone.push(id);
            }
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str, parent: Option<&str>, loader: &str, url: &str) -> FrameInfo {
        FrameInfo {
            id: id.into(),
            parent_id: parent.map(Into::into),
            loader_id: loader.into(),
            url: url.into(),
            url_fragment: String::new(),
        }
    }

    fn tree() -> (FrameTree, SessionId) {
        let session: SessionId = "S".into();
        let mut frames = FrameTree::default();
        frames.navigated(&info("M", None, "L1", "http://a/"), &session);
        frames.attached("A", Some("M"), &session);
        frames.attached("B", Some("M"), &session);
        frames.attached("A1", Some("A"), &session);
        (frames, session)
    }

    fn ids(frames: &FrameTree) -> Vec<&str> {
        frames
            .in_order()
            .iter()
            .map(|frame| frame.id.as_ref())
            .collect()
    }

    #[test]
    fn order_is_document_order_of_attachment() {
        let (frames, _) = tree();
        assert_eq!(ids(&frames), ["M", "A", "A1", "B"]);
        assert_eq!(frames.main().map(|f| f.url.as_ref()), Some("http://a/"));
    }

    #[test]
    fn a_new_document_drops_the_frames_of_the_old_one() {
        let (mut frames, session) = tree();
        let changes = frames.navigated(&info("M", None, "L2", "http://b/"), &session);
        assert!(matches!(&changes[0], FrameChange::Detached(gone) if gone.len() == 3));
        assert_eq!(
            changes[1],
            FrameChange::Committed {
                frame: "M".into(),
                main: true,
                from: "http://a/".into()
            }
        );
        assert_eq!(ids(&frames), ["M"]);
    }

    #[test]
    fn a_frame_that_changes_process_stays_the_same_frame() {
        let (mut frames, _) = tree();
        let other: SessionId = "T".into();
        assert_eq!(frames.attached("B", Some("M"), &other), None);
        assert_eq!(frames.get("B").map(|f| f.session.as_ref()), Some("T"));
        assert_eq!(ids(&frames), ["M", "A", "A1", "B"]);
    }

    #[test]
    fn lifecycle_of_another_document_is_ignored() {
        let (mut frames, _) = tree();
        frames.lifecycle("M", "L0", "load");
        assert_eq!(frames.main().unwrap().lifecycle, Lifecycle::default());
        frames.lifecycle("M", "L1", "DOMContentLoaded");
        assert!(frames.main().unwrap().lifecycle.dom_content_loaded);
        assert!(!frames.main().unwrap().lifecycle.load);
        frames.lifecycle("M", "L1", "load");
        assert!(frames.main().unwrap().lifecycle.load);
    }

    #[test]
    fn detaching_takes_the_subtree_along() {
        let (mut frames, _) = tree();
        assert_eq!(
            frames.detached("A"),
            Some(FrameChange::Detached(vec!["A".into(), "A1".into()]))
        );
        assert_eq!(ids(&frames), ["M", "B"]);
        assert_eq!(frames.detached("nobody"), None);
    }

    #[test]
    fn frames_without_a_known_place_are_refused() {
        let (mut frames, session) = tree();
        assert_eq!(frames.attached("X", Some("unknown"), &session), None);
        assert_eq!(frames.len(), 4);
    }
}
