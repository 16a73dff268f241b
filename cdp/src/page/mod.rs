//! A page (tab or popup): its state, its frames' sessions, and commands to it.

mod blank;
mod body;
mod capture;
mod capture_ax;
mod early;
mod element;
mod emulation;
pub mod frames;
mod input;
mod locate;
mod marks;
mod navigate;
mod picture;
mod print;
mod read;
mod script;
mod search;
mod setup;
mod state;
mod web_storage;

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;

pub use body::Body;
pub use capture::{CaptureOptions, CaptureRules, Snapshot, SnapshotSource};
pub use early::EarlyLook;
pub use element::Element;
pub use emulation::{Emulation, Place};
pub use frames::{Frame, FrameId};
pub use locate::{Found, LocatorRules, Target};
pub use navigate::{NavigationError, Wait};
pub use picture::Extent;
pub use read::Question;
pub(crate) use script::Argument;
pub use script::{Evaluated, FieldState, ScriptError};
pub use search::Control;
pub use state::{Dialog, Download, FileChooser, Media, Modal, PageState};
pub use web_storage::WebStorage;

use crate::browser::ContextId;
use crate::connection::{CdpError, Connection, Deadline, Event, SessionId};
use crate::context::{ContextState, Rules};
use crate::observe::Style;
use frames::FrameTreeInfo;
use state::{SharedState, WORLD};

/// Our script for isolated worlds.
const AGENT: &str = include_str!("agent.js");

/// How long a step that has no limit of its own may take.
pub(crate) const STEP: Duration = Duration::from_secs(30);

/// How soon the browser begins a navigation that a document has asked for, if it does so at all.
const NAVIGATION_BEGINS: Duration = Duration::from_millis(500);

/// What every new page gets. The default changes nothing, as is right for somebody else's browser.
#[derive(Debug, Clone, Default)]
pub struct PageDefaults {
    /// Size of the viewport in CSS pixels; `None` leaves it to the window.
    pub viewport: Option<(u32, u32)>,
    /// Make every page believe that it has the focus, so that focus works in background tabs.
    pub emulate_focus: bool,
    /// Replaces `navigator.userAgent` and the header.
    pub user_agent: Option<String>,
    /// Device, language, place and the like.
    pub emulation: Emulation,
    /// Contexts begin without a network.
    pub offline: bool,
    /// What contexts begin with as to their requests.
    pub rules: Rules,
    /// Media features that pages see until told otherwise.
    pub media: Media,
    /// Accept any certificate.
    pub ignore_https_errors: bool,
    /// How console messages are written down.
    pub style: Style,
    /// How locators are understood.
    pub locators: LocatorRules,
}

/// A handle to a page; clones share it.
#[derive(Clone)]
pub struct Page(Arc<Inner>);

struct Inner {
    connection: Connection,
    defaults: PageDefaults,
    session: SessionId,
    target_id: String,
    context: ContextId,
    opener: Option<String>,
    shared: Arc<ContextState>,
    state: SharedState,
    version: watch::Sender<u64>,
}

impl Page {
    pub(crate) fn new(
        connection: Connection,
        defaults: PageDefaults,
        session: SessionId,
        target_id: &str,
        context: &str,
        opener: Option<String>,
        shared: Arc<ContextState>,
    ) -> Self {
        let mut state = PageState::new(defaults.style);
        state.media = defaults.media.clone();
        Self(Arc::new(Inner {
            connection,
            defaults,
            session,
            target_id: target_id.to_owned(),
            context: context.into(),
            opener,
            shared,
            state: Arc::new(Mutex::new(state)),
            version: watch::Sender::new(0),
        }))
    }

    /// The id of its target.
    pub fn target_id(&self) -> &str {
        &self.0.target_id
    }

    /// The target id of the page that opened it.
    pub fn opener(&self) -> Option<&str> {
        self.0.opener.as_deref()
    }

    /// The browser context it lives in.
    pub fn context(&self) -> &ContextId {
        &self.0.context
    }

    /// What it shares with the other pages of its context.
    pub fn shared(&self) -> &Arc<ContextState> {
        &self.0.shared
    }

    /// The session of its main frame.
    pub fn session(&self) -> &SessionId {
        &self.0.session
    }

    /// The connection below.
    pub fn connection(&self) -> &Connection {
        &self.0.connection
    }

    /// What is known of it right now. Do not hold on to this across an `.await`.
    pub fn state(&self) -> MutexGuard<'_, PageState> {
        // A panic inside an event's handling leaves at worst that one event half taken in.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes whoever waits for a change.
    pub fn change<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.state());
        self.0.version.send_modify(|version| *version += 1);
        result
    }

    /// Counts changes of the state.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.version.subscribe()
    }

    /// Waits until `check` finds what it looks for in the state.
    ///
    /// # Errors
    /// The deadline passes, or the page closes or crashes first (unless `check` is content with that).
    pub async fn until<T>(
        &self,
        deadline: Deadline,
        mut check: impl FnMut(&PageState) -> Option<T>,
    ) -> Result<T, CdpError> {
        let mut changes = self.changes();
        let work = async {
            loop {
                changes.borrow_and_update();
                {
                    let state = self.state();
                    if let Some(found) = check(&state) {
                        return Ok(found);
                    }
                    if state.closed {
                        return Err(CdpError::TargetClosed);
                    }
                    if state.crashed {
                        return Err(CdpError::TargetCrashed);
                    }
                }
                if changes.changed().await.is_err() {
                    return Err(CdpError::TargetClosed);
                }
            }
        };
        deadline.run(work).await?
    }

    /// Runs `work` unless a dialog or file chooser opens first: then the page may not answer for as
    /// long as that is open, and `None` comes back at once.
    pub async fn unless_modal<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let before = self.state().modals.len();
        let mut changes = self.changes();
        tokio::pin!(work);
        loop {
            changes.borrow_and_update();
            {
                let state = self.state();
                if state.dialog().is_some() || state.modals.len() > before {
                    return None;
                }
            }
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Some(work.await);
                    }
                }
            }
        }
    }

    /// Sends a command to the main frame's session.
    ///
    /// # Errors
    /// See [`Connection::call`].
    pub async fn call<P: Serialize + Sync, R: DeserializeOwned>(
        &self,
        method: &str,
        params: &P,
        deadline: Deadline,
    ) -> Result<R, CdpError> {
        self.0
            .connection
            .call(Some(&self.0.session), method, params, deadline)
            .await
    }

    /// Sends a command whose answer holds nothing of interest.
    ///
    /// # Errors
    /// See [`Connection::call_raw`].
    pub async fn command<P: Serialize + Sync>(
        &self,
        method: &str,
        params: &P,
        deadline: Deadline,
    ) -> Result<(), CdpError> {
        self.0
            .connection
            .call_raw(Some(&self.0.session), method, params, deadline)
            .await
            .map(drop)
    }

    /// Waits until the page can be worked with.
    ///
    /// # Errors
    /// As [`Self::until`].
    pub async fn ready(&self, deadline: Deadline) -> Result<(), CdpError> {
        self.until(deadline, |state| state.ready.then_some(()))
            .await
    }

    /// Brings it to the front of its window.
    ///
    /// # Errors
    /// As any command.
    pub async fn bring_to_front(&self) -> Result<(), CdpError> {
        self.command("Page.bringToFront", &json!({}), Deadline::after(STEP))
            .await
    }

    /// Gives up the navigation that is under way, if any.
    pub fn stop_loading(&self) {
        let session = Some(&self.0.session);
        self.0
            .connection
            .post(session, "Page.stopLoading", &json!({}));
    }

    /// Ends the script that is running, however busy it is. What it had left to do is not done.
    pub fn end_script(&self) {
        let session = Some(&self.0.session);
        self.0
            .connection
            .post(session, "Runtime.terminateExecution", &json!({}));
    }

    /// Whether the main document's scripts run within `limit`. With a dialog open they do not, and
    /// need not.
    pub async fn responds(&self, limit: Duration) -> bool {
        let Ok((frame, _)) = self.main_frame() else {
            return false;
        };
        let deadline = Deadline::after(limit);
        let answer = self.agent::<serde_json::Value>(&frame, "facts", &[], deadline);
        !matches!(
            self.unless_dialog(answer).await,
            Some(Err(ScriptError::Cdp(CdpError::Timeout { .. })))
        )
    }

    /// Answers the open dialog. Returns whether there was one.
    ///
    /// # Errors
    /// As any command.
    pub async fn answer_dialog(
        &self,
        accept: bool,
        prompt_text: Option<&str>,
    ) -> Result<bool, CdpError> {
        let Some(dialog) = self.state().dialog().cloned() else {
            return Ok(false);
        };
        self.change(|state| {
            state
                .modals
                .retain(|modal| !matches!(modal, Modal::Dialog(_)))
        });
        let mut params = json!({ "accept": accept });
        if let Some(text) = prompt_text {
            params["promptText"] = text.into();
        }
        let session = Some(&dialog.session);
        let deadline = Deadline::after(STEP);
        match self
            .0
            .connection
            .call_raw(session, "Page.handleJavaScriptDialog", &params, deadline)
            .await
        {
            Ok(_) => Ok(true),
            // Closed by somebody else in the meantime.
            Err(error)
                if error
                    .protocol_message()
                    .is_some_and(|m| m.contains("No dialog")) =>
            {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives files to an intercepted chooser.
    ///
    /// # Errors
    /// As any command; the page may have removed the input.
    pub async fn choose_files(
        &self,
        chooser: &FileChooser,
        files: &[String],
    ) -> Result<(), CdpError> {
        let params = json!({ "files": files, "backendNodeId": chooser.backend_node_id });
        let deadline = Deadline::after(STEP);
        self.0
            .connection
            .call_raw(
                Some(&chooser.session),
                "DOM.setFileInputFiles",
                &params,
                deadline,
            )
            .await
            .map(drop)
    }

    /// Whether a chooser wants a folder rather than files (`webkitdirectory`).
    pub async fn chooser_takes_folder(&self, chooser: &FileChooser) -> bool {
        #[derive(Deserialize)]
        struct Described {
            node: Node,
        }
        #[derive(Deserialize)]
        struct Node {
            #[serde(default)]
            attributes: Vec<String>,
        }
        let params = json!({ "backendNodeId": chooser.backend_node_id });
        let described: Result<Described, _> = self
            .0
            .connection
            .call(
                Some(&chooser.session),
                "DOM.describeNode",
                &params,
                Deadline::after(STEP),
            )
            .await;
        // Names and values take turns.
        described.is_ok_and(|d| {
            d.node
                .attributes
                .iter()
                .step_by(2)
                .any(|name| name == "webkitdirectory")
        })
    }

    /// Fixes the size of the viewport, in CSS pixels.
    ///
    /// # Errors
    /// As any command.
    pub async fn set_viewport(&self, width: u32, height: u32) -> Result<(), CdpError> {
        self.command(
            "Emulation.setDeviceMetricsOverride",
            &self.0.defaults.emulation.metrics(width, height),
            Deadline::after(STEP),
        )
        .await
    }

    /// Emulates media features.
    ///
    /// # Errors
    /// As any command.
    pub async fn emulate_media(&self, media: &Media) -> Result<(), CdpError> {
        self.command(
            "Emulation.setEmulatedMedia",
            &media.params(),
            Deadline::after(STEP),
        )
        .await
    }

    pub(crate) fn locator_rules(&self) -> &LocatorRules {
        &self.0.defaults.locators
    }

    /// Sets the page up and lets it run. Nothing here is waited for, because a page may be asleep.
    pub(crate) fn begin(&self, waiting: bool) {
        let defaults = &self.0.defaults;
        let session = &self.0.session;
        if let Some((width, height)) = defaults.viewport {
            self.0.connection.post(
                Some(session),
                "Emulation.setDeviceMetricsOverride",
                &defaults.emulation.metrics(width, height),
            );
        }
        self.0.connection.post(
            Some(session),
            "Page.setInterceptFileChooserDialog",
            &json!({ "enabled": true }),
        );
        self.set_up(session, waiting);
    }

    /// A frame of another process was attached under this page.
    pub(crate) fn begin_frame(&self, session: &SessionId, frame: &str) {
        self.change(|state| {
            let change = state.frames.attached(frame, None, session);
            state.frames_changed(change);
        });
        self.set_up(session, true);
    }

    fn set_up(&self, session: &SessionId, waiting: bool) {
        let post = |method: &str, params: serde_json::Value| {
            self.0.connection.post(Some(session), method, &params)
        };
        post("Page.enable", json!({}));
        let connection = &self.0.connection;
        let begin = |method: &str, params: &serde_json::Value| {
            connection.begin_call(Some(session), method, params, Deadline::after(STEP))
        };
        let tree = begin("Page.getFrameTree", &json!({}));
        // Requests made before the answer may go unreported.
        let network = begin("Network.enable", &json!({ "maxPostDataSize": 65536 }));
        post("Page.setLifecycleEventsEnabled", json!({ "enabled": true }));
        post("Runtime.enable", json!({}));
        post(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": AGENT, "worldName": WORLD, "runImmediately": true }),
        );
        post("Log.enable", json!({}));
        post(
            "Target.setAutoAttach",
            json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true }),
        );
        if self.0.defaults.emulate_focus {
            post(
                "Emulation.setFocusEmulationEnabled",
                json!({ "enabled": true }),
            );
        }
        let defaults = &self.0.defaults;
        if defaults.media != Media::default() {
            post("Emulation.setEmulatedMedia", defaults.media.params());
        }
        for (method, params) in defaults.emulation.commands(defaults.user_agent.as_deref()) {
            post(method, params);
        }
        if self.0.defaults.ignore_https_errors {
            post(
                "Security.setIgnoreCertificateErrors",
                json!({ "ignore": true }),
            );
        }
        self.0.shared.apply(connection, session);
        if waiting {
            post("Runtime.runIfWaitingForDebugger", json!({}));
        }
        let (Ok(tree), Ok(network)) = (tree, network) else {
            return;
        };
        let page = self.clone();
        let session = session.clone();
        tokio::spawn(async move {
            if let Err(error) = network.await {
                tracing::debug!(%error, "no network events");
            }
            match tree.await {
                Ok(tree) => page.adopt_frames(&session, tree.get()),
                Err(error) => tracing::debug!(%error, session = session.as_ref(), "no frame tree"),
            }
        });
    }

    fn adopt_frames(&self, session: &SessionId, answer: &str) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Answer {
            frame_tree: FrameTreeInfo,
        }
        match serde_json::from_str::<Answer>(answer) {
            Ok(answer) => self.change(|state| {
                let changes = state.frames.adopt(&answer.frame_tree, session);
                state.frames_changed(changes);
                state.ready |= *session == self.0.session;
            }),
            Err(error) => tracing::warn!(%error, "frame tree not understood"),
        }
    }

    pub(crate) fn on_event(&self, session: &SessionId, event: &Event<'_>) {
        if event.method == "Fetch.requestPaused" && self.state().blank {
            return self.answer_blank(session, event);
        }
        if event.method.starts_with("Fetch.") {
            return self
                .0
                .shared
                .on_fetch_event(&self.0.connection, session, event);
        }
        self.change(|state| state.on_event(session, &self.0.session, event));
        if event.method == "Page.frameNavigated" {
            self.note_origins();
        }
        if event.method == "Page.frameRequestedNavigation" {
            self.doubt_navigations();
        }
    }

    fn note_origins(&self) {
        let urls: Vec<Arc<str>> = {
            let state = self.state();
            let frames = state.frames.in_order();
            frames.iter().map(|frame| frame.url.clone()).collect()
        };
        for url in urls {
            self.0.shared.visited(&url);
        }
    }

    /// Navigations that documents have asked for and the browser does not begin are forgotten soon: it
    /// has refused them (a `file:` link on a web page, say).
    fn doubt_navigations(&self) {
        let asked: Vec<(FrameId, u32)> = {
            let state = self.state();
            let frames = state.frames.in_order();
            let asking = frames.iter().filter(|frame| frame.asked > 0);
            asking
                .map(|frame| (frame.id.clone(), frame.asked))
                .collect()
        };
        let page = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(NAVIGATION_BEGINS).await;
            page.change(|state| {
                for (frame, asked) in asked {
                    if let Some(frame) = state.frames.get_mut(&frame)
                        && frame.asked == asked
                    {
                        frame.navigation_over();
                    }
                }
            });
        });
    }

    pub(crate) fn mark_closed(&self) {
        self.change(|state| {
            state.closed = true;
            state.modals.clear();
        });
    }
}
