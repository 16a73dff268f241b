//! Requests that scripts hold: `page.route` and `context.route`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use playguard_cdp::context::{Changes, HeldRequest, Interceptor, RequestView};
use serde_json::{Map, Value, json};

use super::context::plain;
use super::{Host, closed, not_here};
use crate::script::{
    EventSender, PageId, RequestFacts, RouteAction, ScriptFault, SubscriptionId, UrlPattern,
};
use crate::tools::js_regex::JsRegex;

/// Requests that wait for a script at the same time; others go on.
const MAX_HELD: usize = 1_000;

/// Which texts a pattern means.
#[derive(Debug, Clone)]
pub(super) enum Matcher {
    Any,
    Text(String),
    Regex(JsRegex),
}

impl Matcher {
    pub(super) fn new(pattern: UrlPattern) -> Result<Self, ScriptFault> {
        Ok(match pattern {
            UrlPattern::Any => Self::Any,
            UrlPattern::Text(text) => Self::Text(text),
            UrlPattern::Regex { source, flags } => Self::Regex(
                JsRegex::parse(&format!("/{source}/{flags}"))
                    .map_err(|error| ScriptFault::error(error.to_string()))?,
            ),
        })
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Text(wanted) => wanted == text,
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

/// The routes of a session, and what they hold.
#[derive(Default)]
pub(super) struct Routes {
    active: Mutex<HashMap<SubscriptionId, Arc<Holder>>>,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    next: u64,
    /// With the route that holds each.
    requests: HashMap<u64, (SubscriptionId, HeldRequest)>,
}

/// One route.
struct Holder {
    id: SubscriptionId,
    matcher: Matcher,
    /// Frame ids begin with those of their page's target for main frames only, so pages are told
    /// apart by asking them.
    page: Option<(PageId, playguard_cdp::page::Page)>,
    sender: EventSender,
    held: Arc<Mutex<Held>>,
}

impl Interceptor for Holder {
    fn wants(&self, request: &RequestView) -> bool {
        let here = self.page.as_ref().is_none_or(|(_, page)| {
            let state = page.state();
            state.frames.get(&request.frame_id).is_some()
        });
        let room = lock(&self.held).requests.len() < MAX_HELD;
        here && room && self.matcher.fits(&request.request.url)
    }

    fn hold(&self, request: HeldRequest) {
        let facts = facts(&request.view, self.page.as_ref().map(|(number, _)| *number));
        let route = {
            let mut held = lock(&self.held);
            held.next += 1;
            let route = held.next;
            held.requests.insert(route, (self.id, request));
            route
        };
        let told = self.sender.send(
            self.id,
            json!({ "route": route.to_string(), "request": facts }),
        );
        if !told {
            // The script has ended; dropped, the request goes on.
            lock(&self.held).requests.remove(&route);
        }
    }
}

fn facts(view: &RequestView, page: Option<PageId>) -> RequestFacts {
    let headers: Map<String, Value> = view
        .request
        .headers
        .iter()
        .map(|(name, value)| (name.to_lowercase(), value.clone()))
        .collect();
    RequestFacts {
        request: view.network_id.clone(),
        page,
        url: view.request.url.clone(),
        method: view.request.method.clone(),
        resource_type: view.resource_type.to_lowercase(),
        headers,
        post_data: view.request.post_data.clone(),
        is_navigation: view.resource_type == "Document",
        failure: None,
    }
}

impl Host {
    pub(super) async fn route(
        &self,
        id: SubscriptionId,
        page: Option<PageId>,
        pattern: UrlPattern,
    ) -> Result<Value, ScriptFault> {
        let backend = self.backend()?;
        let page = match page {
            Some(number) => Some((number, self.page(number)?)),
            None => None,
        };
        let holder = Arc::new(Holder {
            id,
            matcher: Matcher::new(pattern)?,
            page,
            sender: self.sender()?,
            held: self.routes.held.clone(),
        });
        let shared = backend.shared().await.map_err(plain)?;
        lock(&self.routes.active).insert(id, holder.clone());
        backend
            .host
            .browser()
            .add_interceptor(&shared, holder)
            .await;
        Ok(Value::Null)
    }

    pub(super) async fn unroute(&self, id: SubscriptionId) -> Result<Value, ScriptFault> {
        let backend = self.backend()?;
        let Some(holder) = lock(&self.routes.active).remove(&id) else {
            return Ok(Value::Null);
        };
        let shared = backend.shared().await.map_err(plain)?;
        let holder: Arc<dyn Interceptor> = holder;
        backend
            .host
            .browser()
            .remove_interceptor(&shared, &holder)
            .await;
        Ok(Value::Null)
    }

    pub(super) async fn answer_route(
        &self,
        route: &str,
        action: RouteAction,
    ) -> Result<Value, ScriptFault> {
        let taken = {
            let number = route.parse::<u64>().map_err(|_| closed())?;
            lock(&self.routes.held).requests.remove(&number)
        };
        let (holder, request) =
            taken.ok_or_else(|| ScriptFault::error("Route is already handled!"))?;
        match action {
            RouteAction::Abort { error_code } => request.fail(reason(&error_code)?),
            RouteAction::Continue {
                url,
                method,
                headers,
                post_data,
            } => {
                let headers = headers.as_ref().map(listed);
                self.go_on(request, url, method, headers, post_data).await?;
            }
            RouteAction::Fallback {
                url,
                method,
                headers,
                post_data,
            } => {
                let unchanged = url.is_none() && headers.is_none() && post_data.is_none();
                let next = self.next_route(holder, &request);
                match next {
                    Some(next) if unchanged && method.is_none() => next.hold(request),
                    Some(_) => {
                        return Err(not_here(
                            "route.fallback with changes",
                            "change the request in the route that sends it",
                        ));
                    }
                    None => {
                        let headers = headers.as_ref().map(listed);
                        self.go_on(request, url, method, headers, post_data).await?;
                    }
                }
            }
            RouteAction::Fulfill {
                status,
                headers,
                content_type,
                body,
                path,
                response,
            } => {
                if response.is_some() {
                    return Err(not_here(
                        "route.fulfill({ response })",
                        "give status and body",
                    ));
                }
                let (body, guessed) = self.answer_body(body, path).await?;
                let mut headers = listed(&headers);
                if let Some(kind) = content_type.or(guessed) {
                    headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
                    headers.push(("content-type".to_owned(), kind));
                }
                request.fulfil(status.unwrap_or(200), &headers, &body);
            }
            RouteAction::Fetch { .. } => {
                return Err(not_here(
                    "route.fetch",
                    "use route.continue or page.request",
                ));
            }
        }
        Ok(Value::Null)
    }

    /// The next older route that wants a request.
    fn next_route(&self, holder: SubscriptionId, request: &HeldRequest) -> Option<Arc<Holder>> {
        let active: Vec<Arc<Holder>> = lock(&self.routes.active).values().cloned().collect();
        active
            .into_iter()
            .filter(|other| other.id < holder && other.wants(&request.view))
            .max_by_key(|other| other.id)
    }

    async fn go_on(
        &self,
        request: HeldRequest,
        url: Option<String>,
        method: Option<String>,
        headers: Option<Vec<(String, String)>>,
        post_data: Option<String>,
    ) -> Result<(), ScriptFault> {
        if let Some(url) = &url {
            let shared = self.backend()?.shared().await.map_err(plain)?;
            if !shared.rules().lets_pass(url) {
                request.fail("BlockedByClient");
                return Ok(());
            }
        }
        request.go_on(Changes {
            url,
            method,
            headers,
            post_data,
        });
        Ok(())
    }

    /// The body of an answer in base64, and its type if a file tells it.
    async fn answer_body(
        &self,
        body: Option<String>,
        path: Option<String>,
    ) -> Result<(String, Option<String>), ScriptFault> {
        /// A larger file is no mock.
        const MAX_FILE: u64 = 64 << 20;
        let Some(name) = path else {
            return Ok((body.unwrap_or_default(), None));
        };
        let path = self.backend()?.files.rules.named(&name);
        let path = path.map_err(|error| ScriptFault::error(error.to_string()))?;
        let kind = mime_guess::from_path(&path).first_or_octet_stream();
        let read = crate::reply::files::read_file(path.clone(), MAX_FILE).await;
        let (bytes, _) =
            read.map_err(|error| ScriptFault::error(format!("{}: {error}", path.display())))?;
        let engine = base64::engine::general_purpose::STANDARD;
        Ok((engine.encode(bytes), Some(kind.essence_str().to_owned())))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let holders: Vec<Arc<Holder>> = lock(&self.routes.active).drain().map(|(_, h)| h).collect();
        // What is held goes on.
        lock(&self.routes.held).requests.clear();
        let Some(backend) = self.backend.upgrade().filter(|_| !holders.is_empty()) else {
            return;
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let Ok(shared) = backend.shared().await else {
                    return;
                };
                for holder in holders {
                    let holder: Arc<dyn Interceptor> = holder;
                    let browser = backend.host.browser();
                    browser.remove_interceptor(&shared, &holder).await;
                }
            });
        }
    }
}

fn listed(headers: &Map<String, Value>) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    headers
        .iter()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}

/// `Network.ErrorReason` for Playwright's code.
fn reason(code: &str) -> Result<&'static str, ScriptFault> {
    const REASONS: [(&str, &str); 14] = [
        ("aborted", "Aborted"),
        ("accessdenied", "AccessDenied"),
        ("addressunreachable", "AddressUnreachable"),
        ("blockedbyclient", "BlockedByClient"),
        ("blockedbyresponse", "BlockedByResponse"),
        ("connectionaborted", "ConnectionAborted"),
        ("connectionclosed", "ConnectionClosed"),
        ("connectionfailed", "ConnectionFailed"),
        ("connectionrefused", "ConnectionRefused"),
        ("connectionreset", "ConnectionReset"),
        ("failed", "Failed"),
        ("internetdisconnected", "InternetDisconnected"),
        ("namenotresolved", "NameNotResolved"),
        ("timedout", "TimedOut"),
    ];
    let found = REASONS.iter().find(|(known, _)| *known == code);
    found
        .map(|(_, reason)| *reason)
        .ok_or_else(|| ScriptFault::error(format!("Unknown error code: {code}")))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Single inserts and removals.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
