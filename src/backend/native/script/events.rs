//! Events that scripts listen to: what changes in the state of pages, told one by one.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use playguard_cdp::observe::console::{Kind, Level, Scope};
use playguard_cdp::observe::network::State;
use playguard_cdp::page::{Modal, Page};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{Host, closed};
use crate::backend::native::NativeBackend;
use crate::script::{Event, EventSender, PageId, ScriptFault, SubscriptionId};

/// The subscriptions of a session; each is a task that looks at one page, or at all.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<HashMap<SubscriptionId, (Event, JoinHandle<()>)>>);

impl Subscriptions {
    fn begin(&self, id: SubscriptionId, event: Event, task: JoinHandle<()>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(id, (event, task));
    }

    /// Whether the script answers dialogs itself.
    pub(super) fn answers_dialogs(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().any(|(event, _)| *event == Event::Dialog)
    }

    pub(super) fn end(&self, id: SubscriptionId) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, task)) = all.remove(&id) {
            task.abort();
        }
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        let all = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, task) in all.values() {
            task.abort();
        }
    }
}

/// What has been told of a page, or was there before.
struct Seen {
    request: usize,
    epoch: u64,
    answered: HashSet<usize>,
    ended: HashSet<usize>,
    console: usize,
    modals: usize,
    downloads: HashSet<String>,
    /// Loader and address of the main frame's document.
    document: (String, String),
    loaded: Option<String>,
    parsed: Option<String>,
}

impl Seen {
    /// Everything up to now.
    fn of(page: &Page) -> Self {
        let state = page.state();
        let main = state.frames.main();
        let loader = main.map_or_else(String::new, |main| main.loader.to_string());
        let mut answered = HashSet::new();
        let mut ended = HashSet::new();
        for entry in state.network.entries() {
            if entry.response.is_some() {
                answered.insert(entry.index);
            }
            if entry.state != State::Pending {
                ended.insert(entry.index);
            }
        }
        Self {
            request: state.network.last_index(),
            epoch: state.network.epoch(),
            answered,
            ended,
            console: state
                .console
                .entries(Level::Debug, Scope::Everything)
                .count(),
            modals: state.modals.len(),
            downloads: state.downloads.iter().map(|d| d.guid.clone()).collect(),
            document: (
                loader.clone(),
                main.map_or_else(String::new, |main| main.url.to_string()),
            ),
            loaded: main
                .filter(|main| main.lifecycle.load)
                .map(|_| loader.clone()),
            parsed: main
                .filter(|main| main.lifecycle.dom_content_loaded)
                .map(|_| loader),
        }
    }
}

impl Host {
    pub(super) fn subscribe(
        &self,
        id: SubscriptionId,
        page: Option<PageId>,
        event: Event,
    ) -> Result<Value, ScriptFault> {
        let backend = self.backend()?;
        let sender = self.sender()?;
        let names = Names::of(self);
        let task = match page {
            Some(number) => {
                let page = self.page(number)?;
                match event {
                    Event::Popup => {
                        let opener = page.target_id().to_owned();
                        tokio::spawn(new_pages(backend, names, sender, id, Some(opener)))
                    }
                    _ => {
                        let seen = Seen::of(&page);
                        tokio::spawn(watch(page, seen, names, sender, id, event))
                    }
                }
            }
            None => match event {
                Event::Page => tokio::spawn(new_pages(backend, names, sender, id, None)),
                _ => tokio::spawn(watch_all(backend, names, sender, id, event)),
            },
        };
        self.subscriptions.begin(id, event, task);
        Ok(Value::Null)
    }
}

/// Gives pages their numbers for as long as the host is there.
#[derive(Clone)]
struct Names(std::sync::Weak<Host>);

impl Names {
    fn of(host: &Host) -> Self {
        Self(host.myself.get().cloned().unwrap_or_default())
    }

    fn host(&self) -> Result<std::sync::Arc<Host>, ScriptFault> {
        self.0.upgrade().ok_or_else(closed)
    }
}

/// Tells of pages that appear: of all, or of those that one page opens.
async fn new_pages(
    backend: std::sync::Arc<NativeBackend>,
    names: Names,
    sender: EventSender,
    id: SubscriptionId,
    opener: Option<String>,
) {
    let mut changes = backend.host.browser().changes();
    let mut known: HashSet<String> = targets(&backend);
    while changes.changed().await.is_ok() {
        for tab in backend.tabs() {
            let page = &tab.page;
            if !known.insert(page.target_id().to_owned()) {
                continue;
            }
            let ours = opener
                .as_deref()
                .is_none_or(|opener| page.opener() == Some(opener));
            let Ok(host) = names.host() else { return };
            if ours && !sender.send(id, json!(host.facts(&backend, page))) {
                return;
            }
        }
    }
}

fn targets(backend: &NativeBackend) -> HashSet<String> {
    let tabs = backend.tabs();
    tabs.iter()
        .map(|tab| tab.page.target_id().to_owned())
        .collect()
}

/// Watches every page, and those to come.
async fn watch_all(
    backend: std::sync::Arc<NativeBackend>,
    names: Names,
    sender: EventSender,
    id: SubscriptionId,
    event: Event,
) {
    let mut changes = backend.host.browser().changes();
    let mut known = HashSet::new();
    // Ends with this task, all of them.
    let mut watches = tokio::task::JoinSet::new();
    loop {
        for tab in backend.tabs() {
            if known.insert(tab.page.target_id().to_owned()) {
                let page = tab.page.clone();
                let seen = Seen::of(&page);
                watches.spawn(watch(page, seen, names.clone(), sender.clone(), id, event));
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Tells what happens in one page until it is gone or nobody listens.
async fn watch(
    page: Page,
    mut seen: Seen,
    names: Names,
    sender: EventSender,
    id: SubscriptionId,
    event: Event,
) {
    let mut changes = page.changes();
    loop {
        changes.borrow_and_update();
        let Ok(host) = names.host() else { return };
        let (values, over) = news(&host, &page, &mut seen, event);
        drop(host);
        for value in values {
            if !sender.send(id, value) {
                return;
            }
        }
        if over || changes.changed().await.is_err() {
            return;
        }
    }
}

/// What is new since `seen`, and whether nothing more can come.
fn news(host: &Host, page: &Page, seen: &mut Seen, event: Event) -> (Vec<Value>, bool) {
    let state = page.state();
    let mut values = Vec::new();
    if state.network.epoch() != seen.epoch {
        // The log began anew; so do its numbers.
        seen.epoch = state.network.epoch();
        seen.request = 0;
        seen.answered.clear();
        seen.ended.clear();
    }
    let entries: Vec<_> = match event {
        Event::Request | Event::Response | Event::RequestFinished | Event::RequestFailed => {
            state.network.entries().cloned().collect()
        }
        _ => Vec::new(),
    };
    match event {
        Event::Console | Event::PageError => {
            let all = state.console.entries(Level::Debug, Scope::Everything);
            let fresh: Vec<_> = all.skip(seen.console).cloned().collect();
            seen.console += fresh.len();
            for entry in fresh {
                match (&entry.kind, event) {
                    (Kind::Message(kind), Event::Console) => values.push(json!({
                        "type": kind,
                        "text": entry.text,
                        "location": {
                            "url": entry.location.url,
                            "lineNumber": entry.location.line,
                            "columnNumber": entry.location.column,
                        },
                        "page": host.number(page),
                    })),
                    (Kind::Exception, Event::PageError) => {
                        let first = entry.text.lines().next().unwrap_or_default();
                        let (name, message) = first.split_once(": ").unwrap_or(("Error", first));
                        values.push(json!({
                            "name": name, "message": message, "stack": entry.text,
                        }));
                    }
                    _ => {}
                }
            }
        }
        Event::Dialog | Event::FileChooser => {
            if state.modals.len() > seen.modals {
                for modal in &state.modals[seen.modals..] {
                    // A page has one of each at a time, so that its number names it.
                    let handle = host.number(page).to_string();
                    match (modal, event) {
                        (Modal::Dialog(dialog), Event::Dialog) => values.push(json!({
                            "dialog": handle,
                            "type": dialog.kind,
                            "message": dialog.message,
                            "defaultValue": "",
                        })),
                        (Modal::FileChooser(chooser), Event::FileChooser) => values.push(json!({
                            "chooser": handle, "multiple": chooser.multiple,
                        })),
                        _ => {}
                    }
                }
            }
            seen.modals = state.modals.len();
        }
        Event::Download => {
            for download in &state.downloads {
                if seen.downloads.insert(download.guid.clone()) {
                    values.push(json!({
                        "download": download.guid,
                        "url": download.url,
                        "suggestedFilename": download.suggested_name,
                    }));
                }
            }
        }
        Event::Load | Event::DomContentLoaded | Event::FrameNavigated => {
            if let Some(main) = state.frames.main() {
                let loader = main.loader.to_string();
                let there = (main.lifecycle.load, main.lifecycle.dom_content_loaded);
                let told = Some(loader.clone());
                match event {
                    Event::Load if there.0 && seen.loaded != told => {
                        seen.loaded = told;
                        values.push(Value::Null);
                    }
                    Event::DomContentLoaded if there.1 && seen.parsed != told => {
                        seen.parsed = told;
                        values.push(Value::Null);
                    }
                    // The loader of a new document is told before its address.
                    Event::FrameNavigated
                        if !main.navigating && seen.document != (loader, main.url.to_string()) =>
                    {
                        seen.document = (main.loader.to_string(), main.url.to_string());
                        values.push(json!({ "url": main.url.as_ref(), "main": true }));
                    }
                    _ => {}
                }
            }
        }
        Event::Close if state.closed => values.push(Value::Null),
        Event::Crash if state.crashed => values.push(Value::Null),
        _ => {}
    }
    let over = state.closed || state.crashed;
    drop(state);
    for entry in entries {
        let answered = entry.response.is_some();
        let ended = entry.state != State::Pending;
        match event {
            Event::Request if entry.index > seen.request => {
                seen.request = entry.index;
                values.push(json!(host.request_facts(page, &entry)));
            }
            Event::Response if answered && seen.answered.insert(entry.index) => {
                values.push(json!(host.response_facts(page, &entry)));
            }
            Event::RequestFinished
                if ended && entry.failure.is_none() && seen.ended.insert(entry.index) =>
            {
                values.push(json!(host.request_facts(page, &entry)));
            }
            Event::RequestFailed if entry.failure.is_some() && seen.ended.insert(entry.index) => {
                values.push(json!(host.request_facts(page, &entry)));
            }
            _ => {}
        }
    }
    (values, over)
}
