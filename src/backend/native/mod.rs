//! The native backend: upstream's tools over our own Chromium driver.
//!
//! One value of [`NativeBackend`] serves one client. It owns a browser context and its tabs; each
//! file here holds one group of tools. A tool collects what it has to say in a
//! [`Response`](response::Response); the reply is built afterwards, in one place.

mod cookies;
mod defaults;
mod dialogs;
mod emulate;
mod evaluate;
mod forms;
mod get_config;
mod host;
mod idle;
mod interact;
mod manners;
mod mouse;
mod navigate;
mod pdf;
mod requests;
mod response;
mod routes;
mod screenshot;
mod script;
mod settle;
mod share;
mod snapshot;
mod storage_state;
mod tab;
mod tabs;
mod text;
mod uploads;
mod verify;
mod wait;
mod web_storage;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use playguard_cdp::browser::ContextId;
use playguard_cdp::connection::Deadline;
use playguard_cdp::page::{CaptureRules, Modal, Page, SnapshotSource, WebStorage};

use self::manners::Manners;
use self::response::{Response, Thrown};
use self::share::Seat;
use self::tab::{Tab, TabFiles};
use crate::backend::{Backend, BoxFuture};
use crate::call::{ToolCall, ToolReply};
use crate::config::{self, Config};

pub use host::NativeFactory;

/// How long a tab may take to tell its title before the last known one is used.
const TITLE_LIMIT: Duration = Duration::from_secs(1);
/// Least time for a picture, in milliseconds.
const PICTURE_MS: u64 = 14_000;
/// A new tab must be usable within this time.
const NEW_PAGE: Duration = Duration::from_secs(30);

/// The browser tools for one client.
pub struct NativeBackend {
    config: Arc<Config>,
    manners: Manners,
    files: TabFiles,
    host: Seat,
    context: Option<ContextId>,
    tabs: Mutex<Tabs>,
    /// Remarks for the next reply.
    notices: Mutex<Vec<String>>,
    /// `browser_close` was called: the next call starts anew.
    closed: AtomicBool,
    /// What is to be said about the end, once it was not the client's doing.
    end: Mutex<Option<String>>,
    /// Itself, for what works on when a call has ended.
    myself: Weak<NativeBackend>,
    scripts: Mutex<Vec<script::KeptScript>>,
    first_tab: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Tabs {
    open: Vec<Arc<Tab>>,
    /// Target id of the tab that tools act on.
    current: Option<String>,
    announced: bool,
    hidden: storage_state::HiddenPages,
}

impl Backend for NativeBackend {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, ToolReply> {
        Box::pin(async move {
            let _busy = self.host.idle().busy();
            match self.dispatch(&call).await {
                Ok(reply) => reply,
                Err(Thrown(text)) => ToolReply::thrown(text),
            }
        })
    }

    fn is_alive(&self) -> bool {
        !self.closed.load(Ordering::Relaxed) && self.host.browser().is_connected()
    }

    fn end(&self) -> Option<String> {
        let told = self
            .end
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if told.is_some() || self.closed.load(Ordering::Relaxed) {
            return told;
        }
        let reason = self.host.browser().connection().close_reason()?;
        Some(format!(
            "The browser ended unexpectedly ({reason}). This is a new one{}",
            self.lost_pages()
        ))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.closed.store(true, Ordering::Relaxed);
            self.scripts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
            for tab in self.lock_tabs().open.drain(..) {
                tab.retire();
            }
            self.host.leave(self.context.as_ref()).await;
        })
    }
}

/// `browser_localstorage_get` and the like: which storage, and what is to be done.
fn storage_tool(name: &str) -> Option<(WebStorage, &str)> {
    let local = name.strip_prefix("browser_localstorage_");
    let session = name.strip_prefix("browser_sessionstorage_");
    let local = local.map(|operation| (WebStorage::Local, operation));
    local.or(session.map(|operation| (WebStorage::Session, operation)))
}

impl NativeBackend {
    /// The end of a sentence about a new browser: which pages are not in it.
    fn lost_pages(&self) -> String {
        let tabs = self.lock_tabs();
        let urls: Vec<String> = tabs
            .open
            .iter()
            .filter_map(|tab| Some(tab.page.state().frames.main()?.url.to_string()))
            .filter(|url| !url.is_empty() && url != "about:blank")
            .map(|url| match url.char_indices().nth(200) {
                Some((end, _)) => format!("{}…", &url[..end]),
                None => url,
            })
            .take(10)
            .collect();
        match urls.as_slice() {
            [] => ".".to_owned(),
            urls => format!("; these pages are not open any more: {}", urls.join(", ")),
        }
    }

    async fn dispatch(&self, call: &ToolCall) -> Result<ToolReply, Thrown> {
        let mut response = Response::default();
        match call.name.as_str() {
            "browser_close" => return self.close_browser(response).await,
            "browser_navigate" => self.navigate(call, &mut response).await?,
            "browser_get_config" => self.get_config(&mut response),
            "browser_tabs" => self.manage_tabs(call, &mut response).await?,
            "browser_wait_for" => self.wait_for(call, &mut response).await?,
            "browser_cookie_list" => self.cookie_list(call, &mut response).await?,
            "browser_cookie_get" => self.cookie_get(call, &mut response).await?,
            "browser_cookie_set" => self.cookie_set(call, &mut response).await?,
            "browser_cookie_delete" => self.cookie_delete(call, &mut response).await?,
            "browser_cookie_clear" => self.cookie_clear(&mut response).await?,
            "browser_storage_state" => self.save_storage_state(call, &mut response).await?,
            "browser_set_storage_state" => self.restore_storage_state(call, &mut response).await?,
            "browser_network_state_set" => self.set_network_state(call, &mut response).await?,
            "browser_route" => self.route(call, &mut response).await?,
            "browser_route_list" => self.route_list(&mut response).await?,
            "browser_unroute" => self.unroute(call, &mut response).await?,
            _ => {
                let tab = self.ensure_tab().await?;
                match self.modal_gate(&tab, &call.name) {
                    Some(refusal) => response.error(refusal),
                    None => self.tab_tool(&tab, call, &mut response).await?,
                }
            }
        }
        self.build(response).await
    }

    async fn tab_tool(
        &self,
        tab: &Arc<Tab>,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        match call.name.as_str() {
            "browser_resize" => self.resize(tab, call, response).await,
            "browser_console_messages" => self.console_messages(tab, call, response).await,
            "browser_handle_dialog" => self.handle_dialog(tab, call, response).await,
            "browser_emulate_media" => self.emulate_media(tab, call, response).await,
            "browser_evaluate" => self.evaluate(tab, call, response).await,
            "browser_file_upload" => self.file_upload(tab, call, response).await,
            "browser_drop" => self.drop_on(tab, call, response).await,
            "browser_find" => self.find(tab, call, response).await,
            "browser_fill_form" => self.fill_form(tab, call, response).await,
            "browser_press_key" => self.press_key(tab, call, response).await,
            "browser_type" => self.type_text(tab, call, response).await,
            "browser_navigate_back" => self.navigate_back(tab, response).await,
            "browser_network_requests" => self.network_requests(tab, call, response).await,
            "browser_network_request" => self.network_request(tab, call, response).await,
            "browser_take_screenshot" => self.take_screenshot(tab, call, response).await,
            "browser_snapshot" => self.snapshot(tab, call, response),
            "browser_click" => self.click(tab, call, response).await,
            "browser_drag" => self.drag(tab, call, response).await,
            "browser_hover" => self.hover(tab, call, response).await,
            "browser_select_option" => self.select_option(tab, call, response).await,
            "browser_mouse_move_xy" => self.mouse_move(tab, call, response).await,
            "browser_mouse_click_xy" => self.mouse_click(tab, call, response).await,
            "browser_mouse_drag_xy" => self.mouse_drag(tab, call, response).await,
            "browser_mouse_down" => self.mouse_press(tab, call, response).await,
            "browser_mouse_up" => self.mouse_release(tab, call, response).await,
            "browser_mouse_wheel" => self.mouse_wheel(tab, call, response).await,
            "browser_run_code_unsafe" => self.run_code(tab, call, response).await,
            "browser_pdf_save" => self.save_pdf(tab, call, response).await,
            "browser_generate_locator" => self.generate_locator(tab, call, response).await,
            "browser_verify_element_visible" => {
                self.verify_element_visible(tab, call, response).await
            }
            "browser_verify_text_visible" => self.verify_text_visible(tab, call, response).await,
            "browser_verify_list_visible" => self.verify_list_visible(tab, call, response).await,
            "browser_verify_value" => self.verify_value(tab, call, response).await,
            other if let Some((area, operation)) = storage_tool(other) => {
                self.web_storage(tab, area, operation, call, response).await
            }
            unknown => Err(Thrown(format!("Tool \"{unknown}\" not found"))),
        }
    }

    /// Whether something modal keeps a tool from running, and what to say then.
    fn modal_gate(&self, tab: &Tab, tool: &str) -> Option<String> {
        let state = tab.page.state();
        let clears = |modal: &Modal| match modal {
            Modal::Dialog(_) => tool == "browser_handle_dialog",
            Modal::FileChooser(_) => tool == "browser_file_upload",
        };
        let clearing = matches!(tool, "browser_handle_dialog" | "browser_file_upload");
        match (clearing, state.modals.iter().any(clears)) {
            (true, true) => None,
            (true, false) => Some(format!(
                "Error: The tool \"{tool}\" can only be used when there is related modal state present."
            )),
            (false, _) if state.modals.is_empty() => None,
            (false, _) => Some(format!(
                "Error: Tool \"{tool}\" does not handle the modal state."
            )),
        }
    }

    fn lock_tabs(&self) -> MutexGuard<'_, Tabs> {
        // Tabs are added and removed in single steps.
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All tabs in order, brought up to date with the browser's pages.
    fn tabs(&self) -> Vec<Arc<Tab>> {
        if !self.host.browser().is_connected() {
            // What was open is still to be told.
            return Vec::new();
        }
        let pages = self.host.browser().pages(self.context.as_ref());
        let mut tabs = self.lock_tabs();
        let tabs = &mut *tabs;
        let position = tabs.position();
        for tab in tabs.open.extract_if(.., |tab| tab.page.state().closed) {
            tab.retire();
        }
        for page in pages {
            let known = |tab: &Arc<Tab>| tab.page.target_id() == page.target_id();
            if !tabs.open.iter().any(known) && !tabs.hidden.may_be(&page) {
                tabs.open.push(Tab::new(page, self.files.clone()));
            }
        }
        if tabs.position().is_none() {
            // What stands at the place of the closed tab now, else the last one.
            let place = position.unwrap_or(0).min(tabs.open.len().saturating_sub(1));
            tabs.current = tabs
                .open
                .get(place)
                .map(|tab| tab.page.target_id().to_owned());
        }
        tabs.open.clone()
    }

    fn current_tab(&self) -> Option<Arc<Tab>> {
        let open = self.tabs();
        let current = self.lock_tabs().current.clone()?;
        let tab = open
            .into_iter()
            .find(|tab| tab.page.target_id() == current)?;
        self.announce();
        Some(tab)
    }

    /// Tells the client once that the list of tools may differ now.
    fn announce(&self) {
        let first = !std::mem::replace(&mut self.lock_tabs().announced, true);
        if first {
            (self.first_tab)();
        }
    }

    fn make_current(&self, page: &Page) {
        self.lock_tabs().current = Some(page.target_id().to_owned());
    }

    /// The current tab; a crashed one is replaced, a missing one is opened.
    async fn ensure_tab(&self) -> Result<Arc<Tab>, Thrown> {
        if let Some(tab) = self.current_tab() {
            if !tab.page.state().crashed {
                tab.page
                    .ready(Deadline::after(NEW_PAGE))
                    .await
                    .map_err(|error| self.thrown(error))?;
                return Ok(tab);
            }
            let _ = self.host.browser().close_page(&tab.page).await;
            let fresh = self.open_tab().await?;
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs_f64()
                * 1000.0;
            let text = "Page crashed and was reset to about:blank.";
            fresh
                .page
                .change(|state| state.console.note_error(text, now));
            return Ok(fresh);
        }
        self.open_tab().await
    }

    /// Opens a blank tab and makes it the current one.
    async fn open_tab(&self) -> Result<Arc<Tab>, Thrown> {
        let deadline = Deadline::after(NEW_PAGE);
        let page = self
            .host
            .browser()
            .new_page(self.context.as_ref(), deadline)
            .await
            .map_err(|error| self.thrown(error))?;
        self.make_current(&page);
        self.current_tab()
            .ok_or_else(|| Thrown::error("Target page, context or browser has been closed"))
    }

    fn action_deadline(&self) -> Deadline {
        limit(self.config.timeouts.action_ms)
    }

    /// Pictures of long pages take their time; outside stock they get it.
    fn picture_deadline(&self) -> Deadline {
        match self.config.timeouts.action_ms {
            ms if self.manners.early_refusal && ms > 0 => limit(ms.max(PICTURE_MS)),
            ms => limit(ms),
        }
    }

    fn navigation_deadline(&self) -> Deadline {
        limit(self.config.timeouts.navigation_ms)
    }

    /// How to look at a page; `closely` when the agent asked to, not after each action.
    fn capture_rules(&self, closely: bool) -> CaptureRules {
        let source = match self.config.snapshot.source {
            config::SnapshotSource::Dom => SnapshotSource::Dom,
            config::SnapshotSource::Ax => SnapshotSource::Ax,
        };
        CaptureRules {
            source,
            extras: self.manners.extras,
            accessibility: self.manners.extras && closely,
        }
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tabs {
    fn position(&self) -> Option<usize> {
        let current = self.current.as_ref()?;
        self.open
            .iter()
            .position(|tab| tab.page.target_id() == current)
    }
}

/// A deadline in milliseconds from now; 0 is a day, as good as none.
fn limit(ms: u64) -> Deadline {
    Deadline::ms(if ms == 0 { 24 * 3_600_000 } else { ms })
}
