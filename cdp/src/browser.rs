//! A running browser: its contexts, pages, and the routing of events to them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::browser::{
    BrowserContextId, CloseParams, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    CloseTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
    SetAutoAttachParams,
};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::connection::{CdpError, Connection, Deadline, Event, EventHandler, SessionId};
use crate::context::ContextState;
use crate::page::{Page, PageDefaults};

/// The id of a browser context (a profile of its own in memory), as in `Target.createBrowserContext`.
pub type ContextId = Arc<str>;

const COMMAND: Duration = Duration::from_secs(30);

/// A handle to a browser; clones share it.
#[derive(Clone)]
pub struct Browser(Arc<Inner>);

struct Inner {
    connection: OnceLock<Connection>,
    defaults: PageDefaults,
    registry: Mutex<Registry>,
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Registry {
    sessions: HashMap<SessionId, Attached>,
    pages: Vec<Page>,
    /// By context id; the profile's own has one, too.
    contexts: HashMap<ContextId, Arc<ContextState>>,
}

#[derive(Clone)]
struct Attached {
    /// The page it belongs to; workers of no page and other targets have none.
    page: Option<Page>,
    context: Arc<ContextState>,
}

struct Router(Weak<Inner>);

impl EventHandler for Router {
    fn on_event(&self, event: &Event<'_>) {
        if let Some(inner) = self.0.upgrade() {
            Browser(inner).on_event(event);
        }
    }

    fn on_close(&self, _reason: &str) {
        if let Some(inner) = self.0.upgrade() {
            let pages = std::mem::take(&mut Browser(inner.clone()).registry().pages);
            for page in pages {
                page.mark_closed();
            }
            inner.changed.send_modify(|version| *version += 1);
        }
    }
}

impl Browser {
    fn prepare(defaults: PageDefaults) -> Self {
        Self(Arc::new(Inner {
            connection: OnceLock::new(),
            defaults,
            registry: Mutex::default(),
            changed: watch::Sender::new(0),
        }))
    }

    /// Takes over a browser that was started with `--remote-debugging-pipe`.
    ///
    /// # Errors
    /// The browser does not answer, or ends.
    pub async fn over_pipe(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        defaults: PageDefaults,
        deadline: Deadline,
    ) -> Result<Self, CdpError> {
        let browser = Self::prepare(defaults);
        let router = Arc::new(Router(Arc::downgrade(&browser.0)));
        browser
            .begin(Connection::over_pipe(reader, writer, router), deadline)
            .await
    }

    /// Attaches to a running browser by its DevTools WebSocket.
    ///
    /// # Errors
    /// Nobody answers there, or not as a browser would.
    pub async fn over_websocket(
        url: &str,
        headers: &[(String, String)],
        defaults: PageDefaults,
        deadline: Deadline,
    ) -> Result<Self, CdpError> {
        let browser = Self::prepare(defaults);
        let router = Arc::new(Router(Arc::downgrade(&browser.0)));
        let connection = Connection::over_websocket(url, headers, deadline.left(), router).await?;
        browser.begin(connection, deadline).await
    }

    async fn begin(self, connection: Connection, deadline: Deadline) -> Result<Self, CdpError> {
        // Set once, right here.
        let _ = self.0.connection.set(connection.clone());
        let auto_attach = SetAutoAttachParams::builder()
            .auto_attach(true)
            .wait_for_debugger_on_start(true)
            .flatten(true)
            .build()
            .map_err(|reason| CdpError::Answer {
                method: "Target.setAutoAttach".into(),
                reason,
            })?;
        connection.execute(None, &auto_attach, deadline).await?;
        Ok(self)
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        // Registry changes are single inserts and removals: nothing is half done after a panic.
        self.0
            .registry
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the browser itself answers within `limit`, whatever its pages do.
    pub async fn responds(&self, limit: Duration) -> bool {
        let params = serde_json::json!({});
        let answer =
            self.connection()
                .call_raw(None, "Browser.getVersion", &params, Deadline::after(limit));
        !matches!(answer.await, Err(CdpError::Timeout { .. }))
    }

    /// The connection below.
    pub fn connection(&self) -> &Connection {
        // Proven: `begin` sets it before any handle leaves `over_pipe` or `over_websocket`, and events
        // come only through a connection that is set right after it was made.
        self.0
            .connection
            .get()
            .expect("a browser handle has a connection")
    }

    /// The pages of a context (`None`: of every context), in the order in which they appeared.
    pub fn pages(&self, context: Option<&ContextId>) -> Vec<Page> {
        self.registry()
            .pages
            .iter()
            .filter(|page| context.is_none_or(|c| page.context() == c))
            .cloned()
            .collect()
    }

    /// Changes whenever a page comes or goes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Name and version, such as `Chrome/143.0.7499.40`.
    ///
    /// # Errors
    /// As any command.
    pub async fn product(&self) -> Result<String, CdpError> {
        #[derive(Deserialize)]
        struct Version {
            product: String,
        }
        let version: Version = self
            .connection()
            .call(
                None,
                "Browser.getVersion",
                &json!({}),
                Deadline::after(COMMAND),
            )
            .await?;
        Ok(version.product)
    }

    /// Waits until the browser is gone and says how.
    pub async fn gone(&self) -> String {
        self.connection().closed().await
    }

    /// Whether the browser still answers, as far as is known.
    pub fn is_connected(&self) -> bool {
        self.connection().close_reason().is_none()
    }

    /// Makes a browser context: cookies, storage and cache of its own, in memory.
    ///
    /// # Errors
    /// As any command.
    pub async fn new_context(&self, proxy: Option<(&str, &str)>) -> Result<ContextId, CdpError> {
        let mut params = CreateBrowserContextParams::builder().dispose_on_detach(true);
        if let Some((server, bypass)) = proxy {
            params = params.proxy_server(server);
            if !bypass.is_empty() {
                params = params.proxy_bypass_list(bypass);
            }
        }
        let raw = self
            .connection()
            .execute(None, &params.build(), Deadline::after(COMMAND))
            .await?;
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Answer {
            browser_context_id: String,
        }
        let answer: Answer = decode("Target.createBrowserContext", raw.get())?;
        Ok(answer.browser_context_id.into())
    }

    /// Ends a context with all its pages.
    ///
    /// # Errors
    /// As any command.
    pub async fn dispose_context(&self, context: &ContextId) -> Result<(), CdpError> {
        let params = DisposeBrowserContextParams::new(BrowserContextId::new(context.to_string()));
        self.connection()
            .execute(None, &params, Deadline::after(COMMAND))
            .await
            .map(drop)
    }

    /// The state that pages of a context share.
    fn context_state(&self, id: Option<&str>) -> Arc<ContextState> {
        let id: ContextId = id.unwrap_or_default().into();
        let defaults = &self.0.defaults;
        let begin = || Arc::new(ContextState::begin(defaults.offline, &defaults.rules));
        let mut registry = self.registry();
        registry.contexts.entry(id).or_insert_with(begin).clone()
    }

    /// What the pages of a context share.
    pub fn shared_state(&self, context: &ContextId) -> Arc<ContextState> {
        self.context_state(Some(context))
    }

    /// The sessions of a context: of its pages alone, or of its workers as well.
    pub(crate) fn sessions_of(&self, context: &Arc<ContextState>, pages: bool) -> Vec<SessionId> {
        self.registry()
            .sessions
            .iter()
            .filter(|(_, attached)| attached.page.is_some() || !pages)
            .filter(|(_, attached)| Arc::ptr_eq(&attached.context, context))
            .map(|(session, _)| session.clone())
            .collect()
    }

    /// Has downloads of a context saved below `folder` under their guid, and reported to their page.
    ///
    /// # Errors
    /// As any command.
    pub async fn save_downloads(
        &self,
        context: Option<&ContextId>,
        folder: &Path,
    ) -> Result<(), CdpError> {
        let mut params = SetDownloadBehaviorParams::builder()
            .behavior(SetDownloadBehaviorBehavior::AllowAndName)
            .download_path(folder.to_string_lossy())
            .events_enabled(true);
        if let Some(context) = context {
            params = params.browser_context_id(BrowserContextId::new(context.to_string()));
        }
        let params = params.build().map_err(|reason| CdpError::Answer {
            method: "Browser.setDownloadBehavior".into(),
            reason,
        })?;
        self.connection()
            .execute(None, &params, Deadline::after(COMMAND))
            .await
            .map(drop)
    }

    /// Opens a page on `about:blank`.
    ///
    /// # Errors
    /// As any command; also when the page does not become usable in time.
    pub async fn new_page(
        &self,
        context: Option<&ContextId>,
        deadline: Deadline,
    ) -> Result<Page, CdpError> {
        let mut params = CreateTargetParams::builder().url("about:blank");
        if let Some(context) = context {
            params = params.browser_context_id(BrowserContextId::new(context.to_string()));
        }
        let params = params.build().map_err(|reason| CdpError::Answer {
            method: "Target.createTarget".into(),
            reason,
        })?;
        let raw = self.connection().execute(None, &params, deadline).await?;
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Answer {
            target_id: String,
        }
        let answer: Answer = decode("Target.createTarget", raw.get())?;
        let page = self.page_by_target(&answer.target_id, deadline).await?;
        page.ready(deadline).await?;
        Ok(page)
    }

    async fn page_by_target(&self, target: &str, deadline: Deadline) -> Result<Page, CdpError> {
        let mut changed = self.changes();
        let found = async {
            loop {
                if let Some(page) = self
                    .registry()
                    .pages
                    .iter()
                    .find(|page| page.target_id() == target)
                {
                    return Ok(page.clone());
                }
                if !self.is_connected() || changed.changed().await.is_err() {
                    return Err(CdpError::TargetClosed);
                }
            }
        };
        deadline.run(found).await?
    }

    /// Closes a page without asking it.
    ///
    /// # Errors
    /// As any command.
    pub async fn close_page(&self, page: &Page) -> Result<(), CdpError> {
        let params = CloseTargetParams::new(page.target_id().to_owned());
        let closed = self
            .connection()
            .execute(None, &params, Deadline::after(COMMAND))
            .await;
        match closed {
            Ok(_) => page
                .until(Deadline::after(COMMAND), |state| state.closed.then_some(()))
                .await
                .or(Ok(())),
            Err(error) if error.is_closed() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Asks the browser to end.
    ///
    /// # Errors
    /// It does not answer in time.
    pub async fn close(&self, deadline: Deadline) -> Result<(), CdpError> {
        match self
            .connection()
            .execute(None, &CloseParams::default(), deadline)
            .await
        {
            Ok(_) | Err(CdpError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Lets go of a browser that is not ours to end.
    pub fn disconnect(&self) {
        self.connection().close("disconnected");
    }

    fn on_event(&self, event: &Event<'_>) {
        match event.method {
            "Target.attachedToTarget" => {
                if let Some(attached) = event.parse() {
                    self.on_attached(event.session_id, attached);
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(Detached { session_id }) = event.parse() {
                    self.on_detached(&session_id);
                }
            }
            "Browser.downloadWillBegin" => {
                if let Some(e) = event.parse::<DownloadWillBegin>()
                    && let Some(page) = self.page_of_download(&e.frame_id)
                {
                    page.change(|state| {
                        state.download_began(&e.frame_id, e.guid, e.url, e.suggested_filename)
                    });
                }
            }
            "Browser.downloadProgress" => {
                if let Some(e) = event.parse::<DownloadProgress>()
                    && e.state != "inProgress"
                {
                    let pages = self.registry().pages.clone();
                    for page in pages {
                        if page
                            .state()
                            .downloads
                            .iter()
                            .any(|download| download.guid == e.guid)
                        {
                            page.change(|state| {
                                state.download_ended(&e.guid, e.state == "completed")
                            });
                        }
                    }
                }
            }
            _ => {
                let Some(session) = event.session_id else {
                    return;
                };
                let found = self
                    .registry()
                    .sessions
                    .get_key_value(session)
                    .map(|(id, a)| (id.clone(), a.clone()));
                let Some((session, Attached { page, context })) = found else {
                    return;
                };
                let Some(page) = page else {
                    return context.on_fetch_event(self.connection(), &session, event);
                };
                {
                    page.on_event(&session, event);
                    if event.method == "Inspector.targetCrashed" {
                        self.connection()
                            .session_ended(&session, &CdpError::TargetCrashed);
                    }
                }
            }
        }
    }

    /// The page that a download belongs to. A tab that was opened for nothing else closes at once: its
    /// download is its opener's.
    fn page_of_download(&self, frame: &str) -> Option<Page> {
        let registry = self.registry();
        let of = |target: &str| {
            registry
                .pages
                .iter()
                .find(|page| page.target_id() == target)
        };
        let page = registry
            .pages
            .iter()
            .find(|page| page.state().frames.get(frame).is_some())
            .or_else(|| of(frame))?;
        let blank = {
            let state = page.state();
            state
                .frames
                .main()
                .is_none_or(|main| main.url.is_empty() || main.url.as_ref() == "about:blank")
        };
        let opener = page.opener().and_then(of).filter(|_| blank);
        Some(opener.unwrap_or(page).clone())
    }

    fn on_attached(&self, parent: Option<&str>, attached: AttachedToTarget) {
        let Some(connection) = self.0.connection.get() else {
            return;
        };
        let session: SessionId = attached.session_id.as_str().into();
        let info = attached.target_info;
        let parent_page = parent.and_then(|parent| {
            self.registry()
                .sessions
                .get(parent)
                .and_then(|attached| attached.page.clone())
        });
        match info.kind.as_str() {
            "page" if parent_page.is_none() => {
                let context = self.context_state(info.browser_context_id.as_deref());
                let page = Page::new(
                    connection.clone(),
                    self.0.defaults.clone(),
                    session.clone(),
                    &info.target_id,
                    info.browser_context_id.as_deref().unwrap_or_default(),
                    info.opener_id.clone(),
                    context.clone(),
                );
                {
                    let mut registry = self.registry();
                    registry.sessions.insert(
                        session,
                        Attached {
                            page: Some(page.clone()),
                            context,
                        },
                    );
                    registry.pages.push(page.clone());
                }
                page.begin(attached.waiting_for_debugger);
                self.0.changed.send_modify(|version| *version += 1);
            }
            "iframe" if parent_page.is_some() => {
                let context = self.context_state(info.browser_context_id.as_deref());
                self.registry().sessions.insert(
                    session.clone(),
                    Attached {
                        page: parent_page.clone(),
                        context,
                    },
                );
                if let Some(page) = parent_page {
                    page.begin_frame(&session, &info.target_id);
                }
            }
            "worker" | "shared_worker" | "service_worker" => {
                // Their console counts as the page's, where they have one.
                let context = self.context_state(info.browser_context_id.as_deref());
                self.registry().sessions.insert(
                    session.clone(),
                    Attached {
                        page: parent_page,
                        context: context.clone(),
                    },
                );
                context.apply(connection, &session);
                connection.post(Some(&session), "Runtime.enable", &json!({}));
                connection.post(
                    Some(&session),
                    "Runtime.runIfWaitingForDebugger",
                    &json!({}),
                );
            }
            _ => {
                // Nothing may wait for a debugger that never comes, whatever it is.
                connection.post(
                    Some(&session),
                    "Runtime.runIfWaitingForDebugger",
                    &json!({}),
                );
                connection.post(
                    None,
                    "Target.detachFromTarget",
                    &json!({ "sessionId": session.as_ref() }),
                );
            }
        }
    }

    fn on_detached(&self, session: &str) {
        let removed = self.registry().sessions.remove(session);
        self.connection()
            .session_ended(session, &CdpError::TargetClosed);
        let Some(Attached {
            page: Some(page), ..
        }) = removed
        else {
            return;
        };
        if page.session().as_ref() == session {
            self.registry()
                .pages
                .retain(|other| other.target_id() != page.target_id());
            page.mark_closed();
            self.0.changed.send_modify(|version| *version += 1);
        }
    }
}

fn decode<'a, T: Deserialize<'a>>(method: &str, text: &'a str) -> Result<T, CdpError> {
    serde_json::from_str(text).map_err(|error| CdpError::Answer {
        method: method.into(),
        reason: error.to_string(),
    })
}

/// Where a download of a page lies until it is moved: `folder/guid`.
pub fn download_path(folder: &Path, guid: &str) -> PathBuf {
    // Chromium's guids are hexadecimal; anything else must not lead out of the folder.
    folder.join(
        guid.chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect::<String>(),
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachedToTarget {
    session_id: String,
    target_info: TargetInfo,
    #[serde(default)]
    waiting_for_debugger: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    browser_context_id: Option<String>,
    opener_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DownloadWillBegin {
    frame_id: String,
    guid: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    suggested_filename: String,
}

#[derive(Deserialize)]
struct DownloadProgress {
    guid: String,
    state: String,
}
