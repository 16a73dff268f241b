//! Everything known about a page without asking it: kept current by its events.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::Element;
use super::frames::{FrameChange, FrameId, FrameInfo, FrameTree};
use crate::aria::RefBook;
use crate::connection::{Event, SessionId};
use crate::input::keyboard::Keyboard;
use crate::input::mouse::Mouse;
use crate::input::shortcut::Platform;
use crate::observe::Style;
use crate::observe::console::ConsoleLog;
use crate::observe::network::NetworkLog;

/// The name of the isolated world that holds our agent script.
pub(crate) const WORLD: &str = "playguard";

/// A JavaScript dialog that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text; empty for `beforeunload`.
    pub message: String,
    /// The session to answer in.
    pub session: SessionId,
}

/// A file input that waits for files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChooser {
    /// The input element.
    pub backend_node_id: i64,
    /// Whether it takes several files.
    pub multiple: bool,
    /// The session of its frame.
    pub session: SessionId,
    /// Its frame.
    pub frame: FrameId,
}

/// Something that keeps the page from answering to most tools until it is dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Modal {
    /// A JavaScript dialog is open.
    Dialog(Dialog),
    /// A file chooser was intercepted.
    FileChooser(FileChooser),
}

/// A file the page is saving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Names the file in the download folder while we have not moved it.
    pub guid: String,
    /// Where it comes from.
    pub url: String,
    /// The name the server or page proposes. Untrusted.
    pub suggested_name: String,
    /// `None` while it runs; then whether it was completed.
    pub completed: Option<bool>,
}

/// Emulated media.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Media {
    /// `screen`, `print`, or empty for the real one.
    pub kind: String,
    /// CSS media feature to value; an empty value is the real one.
    pub features: BTreeMap<String, String>,
}

impl Media {
    /// As `Emulation.setEmulatedMedia` takes it.
    pub(super) fn params(&self) -> serde_json::Value {
        let features: Vec<_> = self
            .features
            .iter()
            .map(|(name, value)| serde_json::json!({ "name": name, "value": value }))
            .collect();
        serde_json::json!({ "media": self.kind, "features": features })
    }
}

const MAX_DOWNLOADS: usize = 1_000;

/// The state itself.
pub struct PageState {
    /// Frames.
    pub frames: FrameTree,
    /// Element references handed out in snapshots.
    pub refs: RefBook,
    /// Open dialogs and choosers, oldest first.
    pub modals: Vec<Modal>,
    /// The page's process died.
    pub crashed: bool,
    /// The page is no longer there.
    pub closed: bool,
    /// Its first frame tree has arrived.
    pub ready: bool,
    /// Console messages and uncaught exceptions.
    pub console: ConsoleLog,
    /// Requests.
    pub network: NetworkLog,
    /// Downloads it started, oldest first.
    pub downloads: Vec<Download>,
    /// The data of an HTML drag that was intercepted and waits to be played on.
    pub drag: Option<serde_json::Value>,
    /// The element that was acted on last; it usually has the focus.
    pub touched: Option<Element>,
    /// It gets an empty document from everywhere.
    pub blank: bool,
    /// Emulated media.
    pub media: Media,
    /// Where the pointer is.
    pub mouse: Mouse,
    /// Which keys are down.
    pub keyboard: Keyboard,
}

impl PageState {
    pub(crate) fn new(style: Style) -> Self {
        let mut refs = RefBook::default();
        refs.never_again = style == Style::Full;
        Self {
            frames: FrameTree::default(),
            refs,
            modals: Vec::new(),
            crashed: false,
            closed: false,
            ready: false,
            console: ConsoleLog::new(style),
            network: NetworkLog::new(""),
            downloads: Vec::new(),
            drag: None,
            touched: None,
            blank: false,
            media: Media::default(),
            mouse: Mouse::default(),
            keyboard: Keyboard::new(Platform::host()),
        }
    }

    /// The open JavaScript dialog, if any: while it is open the page runs no script.
    pub fn dialog(&self) -> Option<&Dialog> {
        self.modals.iter().find_map(|modal| match modal {
            Modal::Dialog(dialog) => Some(dialog),
            Modal::FileChooser(_) => None,
        })
    }

    /// Takes one event of one of the page's sessions in.
    pub(crate) fn on_event(
        &mut self,
        session: &SessionId,
        page_session: &SessionId,
        event: &Event<'_>,
    ) {
        match event.method {
            "Page.frameAttached" => {
                if let Some(e) = event.parse::<FrameAttached>() {
                    let change =
                        self.frames
                            .attached(&e.frame_id, Some(&e.parent_frame_id), session);
                    self.frames_changed(change);
                }
            }
            "Page.frameDetached" => {
                if let Some(e) = event.parse::<FrameDetached>()
                    && e.reason.as_deref() != Some("swap")
                {
                    let change = self.frames.detached(&e.frame_id);
                    self.frames_changed(change);
                }
            }
            "Page.frameNavigated" => {
                if let Some(e) = event.parse::<FrameNavigated>() {
                    let changes = self.frames.navigated(&e.frame, session);
                    self.frames_changed(changes);
                }
            }
            "Page.navigatedWithinDocument" => {
                if let Some(e) = event.parse::<NavigatedWithin>() {
                    self.frames.navigated_within(&e.frame_id, &e.url);
                }
            }
            "Page.lifecycleEvent" => {
                if let Some(e) = event.parse::<LifecycleEvent>() {
                    self.frames.lifecycle(&e.frame_id, &e.loader_id, &e.name);
                }
            }
            "Page.frameStartedNavigating" => {
                if let Some(e) = event.parse::<OfFrame>()
                    && e.navigation_type
                        .as_deref()
                        .is_none_or(|kind| !kind.ends_with("ameDocument"))
                    && let Some(frame) = self.frames.get_mut(&e.frame_id)
                {
                    frame.navigation_began();
                }
            }
            "Page.frameRequestedNavigation" => {
                if let Some(e) = event.parse::<OfFrame>()
                    && let Some(frame) = self.frames.get_mut(&e.frame_id)
                {
                    frame.navigation_asked();
                }
            }
            "Page.frameStoppedLoading" => {
                if let Some(e) = event.parse::<OfFrame>()
                    && let Some(frame) = self.frames.get_mut(&e.frame_id)
                {
                    frame.navigation_over();
                }
            }
            "Page.javascriptDialogOpening" => {
                if let Some(e) = event.parse::<DialogOpening>() {
                    let message = if e.kind == "beforeunload" {
                        String::new()
                    } else {
                        e.message
                    };
                    self.modals
                        .retain(|modal| !matches!(modal, Modal::Dialog(_)));
                    self.modals.push(Modal::Dialog(Dialog {
                        kind: e.kind,
                        message,
                        session: session.clone(),
                    }));
                }
            }
            "Page.javascriptDialogClosed" => self
                .modals
                .retain(|modal| !matches!(modal, Modal::Dialog(_))),
            "Page.fileChooserOpened" => {
                if let Some(e) = event.parse::<ChooserOpened>()
                    && let Some(backend_node_id) = e.backend_node_id
                {
                    self.modals.push(Modal::FileChooser(FileChooser {
                        backend_node_id,
                        multiple: e.mode == "selectMultiple",
                        session: session.clone(),
                        frame: e.frame_id.as_str().into(),
                    }));
                }
            }
            "Input.dragIntercepted" => {
                if let Some(e) = event.parse::<DragIntercepted>() {
                    self.drag = Some(e.data);
                }
            }
            "Runtime.executionContextCreated" => {
                if let Some(e) = event.parse::<ContextCreated>()
                    && let Some(frame) = self.frames.get_mut(&e.context.aux_data.frame_id)
                    && frame.session == *session
                {
                    if e.context.aux_data.is_default {
                        frame.page_world = Some(e.context.id);
                    } else if e.context.name == WORLD {
                        frame.world = Some(e.context.id);
                    }
                }
            }
            "Runtime.executionContextDestroyed" => {
                if let Some(e) = event.parse::<ContextDestroyed>() {
                    self.frames.world_destroyed(session, e.execution_context_id);
                }
            }
            "Runtime.executionContextsCleared" => self.frames.worlds_cleared(session),
            "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" => {
                self.console.on_event(event.method, event.params.get());
            }
            "Inspector.targetCrashed" if session == page_session => {
                self.crashed = true;
                self.modals.clear();
            }
            method if method.starts_with("Network.") => {
                if method == "Network.loadingFailed"
                    && let Some(e) = event.parse::<LoadingFailed>()
                    && e.kind == "Document"
                {
                    self.frames.navigation_ended(session);
                }
                self.network.on_event(session, method, event.params.get());
            }
            _ => {}
        }
    }

    /// Passes changes of the frame tree on to whoever depends on them.
    pub(crate) fn frames_changed(&mut self, changes: impl IntoIterator<Item = FrameChange>) {
        for change in changes {
            match change {
                FrameChange::Attached(frame) => {
                    let main = self.frames.main().is_some_and(|main| main.id == frame);
                    if main {
                        self.network.set_main_frame(&frame);
                    }
                    self.refs.frame_attached(&frame);
                }
                FrameChange::Committed { frame, main, from } => {
                    if main {
                        self.refs.main_frame_committed(&frame, &from);
                        if let Some(main) = self.frames.main() {
                            self.console.navigated(&main.loader);
                        }
                        self.modals
                            .retain(|modal| !matches!(modal, Modal::Dialog(_)));
                    }
                }
                FrameChange::Detached(frames) => {
                    for frame in frames {
                        self.refs.frame_detached(&frame);
                    }
                }
            }
        }
    }

    /// `Browser.downloadWillBegin`.
    pub(crate) fn download_began(
        &mut self,
        frame: &str,
        guid: String,
        url: String,
        suggested_name: String,
    ) {
        if self.downloads.len() >= MAX_DOWNLOADS {
            self.downloads.remove(0);
        }
        // What was a navigation has become this; no document will come of it.
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.navigation_over();
        }
        self.downloads.push(Download {
            guid,
            url,
            suggested_name,
            completed: None,
        });
    }

    /// `Browser.downloadProgress` with a final state; says whether the download was this page's.
    pub(crate) fn download_ended(&mut self, guid: &str, completed: bool) -> bool {
        match self
            .downloads
            .iter_mut()
            .find(|download| download.guid == guid)
        {
            Some(download) => {
                download.completed = Some(completed);
                true
            }
            None => false,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameAttached {
    frame_id: String,
    parent_frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameDetached {
    frame_id: String,
    reason: Option<String>,
}

#[derive(Deserialize)]
struct FrameNavigated {
    frame: FrameInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigatedWithin {
    frame_id: String,
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LifecycleEvent {
    frame_id: String,
    loader_id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfFrame {
    frame_id: String,
    navigation_type: Option<String>,
}

#[derive(Deserialize)]
struct LoadingFailed {
    #[serde(rename = "type", default)]
    kind: String,
}

#[derive(Deserialize)]
struct DialogOpening {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChooserOpened {
    frame_id: String,
    #[serde(default)]
    mode: String,
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct DragIntercepted {
    data: serde_json::Value,
}

#[derive(Deserialize)]
struct ContextCreated {
    context: ContextInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextInfo {
    id: i64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    aux_data: ContextAux,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ContextAux {
    frame_id: String,
    is_default: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextDestroyed {
    execution_context_id: i64,
}

/// Shared so that background work can hold on to it.
pub(crate) type SharedState = Arc<std::sync::Mutex<PageState>>;
