//! Scripts against a host that records what it is asked.

mod events;
mod hostile;
mod locators;
mod pages;
mod running;
mod web;

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::*;

/// A host with one page, which answers by rote.
#[derive(Default)]
pub(super) struct Fake {
    asked: Mutex<Vec<Operation>>,
    events: OnceLock<EventSender>,
}

impl ScriptHost for Fake {
    fn call(&self, operation: Operation) -> BoxFuture<'_, Result<Value, ScriptFault>> {
        self.asked.lock().unwrap().push(operation.clone());
        async move { self.answer(&operation).await }.boxed()
    }
}

impl Fake {
    async fn answer(&self, operation: &Operation) -> Result<Value, ScriptFault> {
        Ok(match operation {
            Operation::Pages => json!([
                { "id": 1, "url": "https://a.test/x", "viewport": { "width": 800, "height": 600 } },
                { "id": 2, "url": "about:blank", "viewport": null },
            ]),
            Operation::Page { action, .. } => page_answer(action).await?,
            Operation::Locator {
                selector, action, ..
            } => locator_answer(selector, action).await?,
            Operation::Context { action } => match action {
                ContextAction::NewPage => {
                    json!({ "id": 2, "url": "about:blank", "viewport": null })
                }
                ContextAction::Cookies { .. } => json!([{ "name": "a", "value": "1" }]),
                _ => Value::Null,
            },
            Operation::Response {
                action: ResponseAction::Body,
                ..
            } => json!({ "base64": "eyJrIjoxfQ==" }),
            _ => Value::Null,
        })
    }

    /// Sends an event to the newest subscription of a kind, or to the newest route.
    fn send(&self, event: Option<Event>, value: Value) -> bool {
        let asked = self.asked.lock().unwrap();
        let id = asked.iter().rev().find_map(|one| match (one, event) {
            (Operation::Subscribe { id, event, .. }, Some(wanted)) if *event == wanted => Some(*id),
            (Operation::Route { id, .. }, None) => Some(*id),
            _ => None,
        });
        id.is_some_and(|id| self.events.get().unwrap().send(id, value))
    }

    /// What was asked, without questions about open pages.
    fn asked(&self) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        let asked = asked.iter().filter(|one| **one != Operation::Pages);
        asked.map(|one| compact(json!(one))).collect()
    }
}

/// Without what is null or false.
fn compact(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, compact(value)))
            .filter(|(_, value)| !value.is_null() && *value != json!(false) && *value != json!({}))
            .collect(),
        Value::Array(list) => list.into_iter().map(compact).collect(),
        other => other,
    }
}

pub(super) fn response() -> Value {
    json!({
        "response": "r1", "url": "https://a.test/x", "status": 200, "statusText": "OK",
        "headers": { "content-type": "application/json" }, "request": request(),
    })
}

pub(super) fn request() -> Value {
    json!({
        "request": "q1", "page": 1, "url": "https://a.test/x", "method": "POST",
        "resourceType": "xhr", "headers": { "content-type": "application/json" },
        "postData": "{\"n\":5}", "isNavigation": false, "failure": null,
    })
}

async fn page_answer(action: &PageAction) -> Result<Value, ScriptFault> {
    Ok(match action {
        PageAction::Title => json!("Title"),
        PageAction::Content => json!("<html></html>"),
        PageAction::Goto { url, .. } if url.contains("fails") => {
            return Err(ScriptFault::error(format!("net::ERR_FAILED at {url}")));
        }
        PageAction::Goto { .. } => response(),
        PageAction::Evaluate { function } if function.arguments == ["undefined"] => {
            json!({ "value": 42 })
        }
        PageAction::Evaluate { function } => json!({ "value": function.arguments[0] }),
        PageAction::WaitForFunction { .. } => json!({ "value": true }),
        PageAction::Screenshot { .. } => json!({ "base64": "iVBORw==" }),
        PageAction::WaitForTimeout { duration } => {
            tokio::time::sleep(Duration::from_secs_f64(duration / 1000.0)).await;
            Value::Null
        }
        PageAction::Fetch { request } => json!({
            "url": request.url, "status": 201, "statusText": "Created",
            "headers": { "X-Method": request.method }, "body": "eyJrIjoxfQ==",
        }),
        _ => Value::Null,
    })
}

async fn locator_answer(selector: &str, action: &LocatorAction) -> Result<Value, ScriptFault> {
    if selector.contains("#never") {
        std::future::pending::<()>().await;
    }
    if selector.contains("#missing") {
        let log = "Timeout 300ms exceeded.\nCall log:\n  - waiting for locator('#missing')\n";
        return Err(ScriptFault::timeout(log));
    }
    Ok(match action {
        LocatorAction::Count if selector.contains("#none") => json!(0),
        LocatorAction::Count => json!(3),
        LocatorAction::TextContent | LocatorAction::InnerText => json!("text"),
        LocatorAction::AllTextContents => json!(["a", "b"]),
        LocatorAction::IsVisible => json!(true),
        LocatorAction::Evaluate { .. } | LocatorAction::EvaluateAll { .. } => {
            json!({ "value": "evaluated" })
        }
        LocatorAction::Screenshot { .. } => json!({ "base64": "iVBORw==" }),
        LocatorAction::GetAttribute { .. } => Value::Null,
        _ => Value::Null,
    })
}

pub(super) fn start(limits: Limits) -> (Arc<Fake>, Session) {
    let host = Arc::new(Fake::default());
    let session = Session::start(host.clone(), 1, limits).unwrap();
    host.events.set(session.events()).unwrap();
    (host, session)
}

/// Short limits, so that what must be stopped is stopped soon.
pub(super) fn short() -> Limits {
    Limits {
        time: Duration::from_millis(500),
        callback_time: Duration::from_millis(300),
        ..Limits::default()
    }
}

/// Runs code that is expected to succeed; its result, or `undefined`.
pub(super) async fn value(code: &str) -> String {
    let (_, session) = start(Limits::default());
    let outcome = session.run_code(code, Form::Lenient).await;
    let outcome = outcome.unwrap_or_else(|error| panic!("{code}: {error}"));
    outcome.json.unwrap_or_else(|| "undefined".to_owned())
}

/// Runs code that is expected to fail.
pub(super) async fn failure(code: &str, limits: Limits) -> ScriptError {
    let (_, session) = start(limits);
    match session.run_code(code, Form::Lenient).await {
        Err(error) => error,
        Ok(outcome) => panic!("{code}: {outcome:?}"),
    }
}

pub(super) async fn thrown(code: &str) -> Thrown {
    match failure(code, Limits::default()).await {
        ScriptError::Thrown(thrown) => thrown,
        other => panic!("{code}: {other:?}"),
    }
}

/// What the host was asked by code that is expected to succeed.
pub(super) async fn asked(code: &str) -> Vec<Value> {
    let (host, session) = start(Limits::default());
    let outcome = session.run_code(code, Form::Lenient).await;
    outcome.unwrap_or_else(|error| panic!("{code}: {error}"));
    host.asked()
}

/// The selector of the only question.
pub(super) async fn selector(code: &str) -> String {
    let asked = asked(&format!("async (page) => {{ await {code}.count(); }}")).await;
    assert_eq!(asked.len(), 1, "{code}");
    asked[0]["locator"]["selector"].as_str().unwrap().to_owned()
}
