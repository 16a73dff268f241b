//! Playwright scripts over this backend: `browser_run_code_unsafe`.
//!
//! The engine is [`crate::script`]; here stands what its scripts may ask for. Each file does one kind
//! of request. What is not done says so in the script.

mod context;
mod elements;
mod events;
mod fault;
mod keys;
mod network;
mod pages;
mod routes;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use playguard_cdp::page::Page;
use serde_json::{Value, json};

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::reply::files::read_file;
use crate::script::{
    EventSender, Form, Limits, Operation, PageFacts, PageId, ScriptError, ScriptFault, ScriptHost,
    Session, Size,
};

pub(super) use events::Subscriptions;
use fault::fault;

/// Source text longer than this is not read from a file, in bytes.
const MAX_SOURCE: u64 = 1 << 20;
/// How soon a script that is about to answer a dialog does so.
const ANSWERED: Duration = Duration::from_secs(1);
/// Sessions whose handlers, routes or timers live on. The oldest gives way.
const MAX_KEPT: usize = 8;

impl NativeBackend {
    pub(super) async fn run_code(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let code = self.code_of(call).await?;
        response.code(format!("await ({code})(page);"));
        let Some(backend) = self.myself.upgrade() else {
            return Err(Thrown::error("The server is closing."));
        };
        let host = Arc::new(Host::new(&backend));
        // Once, right after it was made.
        let _ = host.myself.set(Arc::downgrade(&host));
        let page = host.number(&tab.page);
        let session = Session::start(host.clone(), page, Limits::default())
            .map_err(|error| self.script_failed(error))?;
        host.attach(session.events());
        let form = match self.config.stock {
            true => Form::Function,
            false => Form::Lenient,
        };
        let run = async {
            tokio::select! {
                done = session.run_code(&code, form) => {
                    done.map(Some).map_err(|error| self.script_failed(error))
                }
                () = unanswered(&tab.page, &host) => Ok(None),
            }
        };
        // Behind a dialog that nobody answers; the reply shows it.
        let Some(outcome) = self.complete(tab, run).await? else {
            return Ok(());
        };
        if let Some(json) = outcome.json {
            response.result(json);
        }
        if self.manners.extras {
            for line in &outcome.log {
                response
                    .notices
                    .push(format!("console.{}: {}", line.level, line.text));
            }
        }
        if outcome.alive {
            let mut kept = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() >= MAX_KEPT {
                kept.remove(0);
            }
            kept.push(KeptScript {
                _session: session,
                _host: host,
            });
        }
        Ok(())
    }

    async fn code_of(&self, call: &ToolCall) -> Result<String, Thrown> {
        let Some(name) = call.text("filename") else {
            // Upstream evaluates what is not there, and says that it is no function.
            return Ok(call.string("code").unwrap_or("undefined").to_owned());
        };
        let path = self.files.rules.named(name).map_err(Thrown::error)?;
        let read = read_file(path.clone(), MAX_SOURCE).await;
        let (bytes, _) = read.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Thrown::error(format!(
                "ENOENT: no such file or directory, open '{}'",
                path.display()
            )),
            _ => Thrown::error(format!("{}: {error}", path.display())),
        })?;
        String::from_utf8(bytes)
            .map_err(|_| Thrown::error(format!("{}: no UTF-8 text", path.display())))
    }

    fn script_failed(&self, error: ScriptError) -> Thrown {
        match &error {
            ScriptError::Thrown(thrown) if self.config.stock => Thrown(thrown.upstream_text()),
            _ => Thrown(error.to_string()),
        }
    }
}

/// Ends when a page shows a dialog that the script does not answer.
async fn unanswered(page: &Page, host: &Host) {
    let mut changes = page.changes();
    loop {
        changes.borrow_and_update();
        let shown = page.state().dialog().is_some();
        if shown && !host.subscriptions.answers_dialogs() {
            // It may be a script's own handler, gone once it was called, that answers.
            tokio::time::sleep(ANSWERED).await;
            if page.state().dialog().is_some() {
                return;
            }
        } else if changes.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// A script whose handlers are still wanted.
pub(super) struct KeptScript {
    _session: Session,
    _host: Arc<Host>,
}

/// Does what the scripts of one session ask for.
pub(super) struct Host {
    backend: Weak<NativeBackend>,
    events: OnceLock<EventSender>,
    /// Target ids; a page's number is its place here, counted from 1.
    pages: Mutex<Vec<String>>,
    subscriptions: Subscriptions,
    routes: routes::Routes,
    myself: OnceLock<Weak<Host>>,
}

impl Host {
    fn new(backend: &Arc<NativeBackend>) -> Self {
        Self {
            backend: Arc::downgrade(backend),
            events: OnceLock::new(),
            pages: Mutex::default(),
            subscriptions: Subscriptions::default(),
            routes: routes::Routes::default(),
            myself: OnceLock::new(),
        }
    }

    fn attach(&self, events: EventSender) {
        // Once, right after the session was made.
        let _ = self.events.set(events);
    }

    fn sender(&self) -> Result<EventSender, ScriptFault> {
        let events = self.events.get().cloned();
        events.ok_or_else(|| ScriptFault::error("the session has not begun"))
    }

    fn backend(&self) -> Result<Arc<NativeBackend>, ScriptFault> {
        self.backend.upgrade().ok_or_else(closed)
    }

    /// The number of a page, now and later.
    fn number(&self, page: &Page) -> PageId {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pages.iter().position(|target| target == page.target_id());
        let place = known.unwrap_or_else(|| {
            pages.push(page.target_id().to_owned());
            pages.len() - 1
        });
        place as PageId + 1
    }

    /// The page of a number.
    fn page(&self, number: PageId) -> Result<Page, ScriptFault> {
        let target = {
            let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
            let place = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
            place.and_then(|place| pages.get(place).cloned())
        };
        let target = target.ok_or_else(closed)?;
        let tabs = self.backend()?.tabs();
        let tab = tabs.iter().find(|tab| tab.page.target_id() == target);
        tab.map(|tab| tab.page.clone()).ok_or_else(closed)
    }

    fn facts(&self, backend: &NativeBackend, page: &Page) -> PageFacts {
        let url = {
            let state = page.state();
            let main = state.frames.main();
            main.map_or_else(String::new, |main| main.url.to_string())
        };
        let viewport = backend.config.viewport.map(|(width, height)| Size {
            width: f64::from(width),
            height: f64::from(height),
        });
        PageFacts {
            id: self.number(page),
            url,
            viewport,
        }
    }

    async fn perform(&self, operation: Operation) -> Result<Value, ScriptFault> {
        match operation {
            Operation::Pages => {
                let backend = self.backend()?;
                let tabs = backend.tabs();
                let facts = tabs.iter().map(|tab| self.facts(&backend, &tab.page));
                Ok(json!(facts.collect::<Vec<_>>()))
            }
            Operation::Page { page, action } => self.page_action(self.page(page)?, action).await,
            Operation::Locator {
                page,
                selector,
                action,
                options,
            } => {
                let page = self.page(page)?;
                self.element_action(&page, &selector, action, options).await
            }
            Operation::Keyboard { page, action } => keys::keyboard(&self.page(page)?, action).await,
            Operation::Mouse { page, action } => keys::mouse(&self.page(page)?, action).await,
            Operation::Context { action } => self.context_action(action).await,
            Operation::Subscribe { id, page, event } => self.subscribe(id, page, event),
            Operation::Unsubscribe { id } => {
                self.subscriptions.end(id);
                Ok(Value::Null)
            }
            Operation::Route { id, page, pattern } => self.route(id, page, pattern).await,
            Operation::Unroute { id } => self.unroute(id).await,
            Operation::RouteAnswer { route, action } => self.answer_route(&route, action).await,
            Operation::Request { request, action } => self.request_action(&request, action).await,
            Operation::Response { response, action } => {
                self.response_action(&response, action).await
            }
            Operation::Dialog {
                dialog,
                accept,
                prompt_text,
            } => {
                let page = self.page(dialog.parse().map_err(|_| closed())?)?;
                let answered = page.answer_dialog(accept, prompt_text.as_deref()).await;
                answered.map(|done| json!(done)).map_err(fault)
            }
            Operation::FileChooser { chooser, files } => {
                let page = self.page(chooser.parse().map_err(|_| closed())?)?;
                self.give_files(&page, files).await
            }
            Operation::Download { .. } => Err(not_here(
                "download.path, saveAs, cancel and delete",
                "downloads are saved to the output folder by themselves",
            )),
        }
    }
}

impl ScriptHost for Host {
    fn call(&self, operation: Operation) -> BoxFuture<'_, Result<Value, ScriptFault>> {
        Box::pin(self.perform(operation))
    }
}

fn closed() -> ScriptFault {
    ScriptFault::error("Target page, context or browser has been closed")
}

/// Something of Playwright that scripts here do not have.
fn not_here(what: &str, instead: &str) -> ScriptFault {
    ScriptFault::error(format!("not available in PlayGuard: {what}; {instead}"))
}
