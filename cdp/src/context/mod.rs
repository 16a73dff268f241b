//! What the pages of one browser context share: cookies, the rules for their requests, whether they
//! are offline, and which origins they have been to.

mod cookies;
mod glob;
mod interception;
mod interceptor;
mod setup;

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};

pub use cookies::{Cookie, CookieJar, NewCookie};
pub use glob::{GlobError, UrlGlob};
use interception::{Answer, AuthRequired, Paused};
pub use interception::{Login, Route, Rules, Treatment};
pub use interceptor::{Changes, HeldRequest, Interceptor, RequestBody, RequestView};

use crate::connection::{CdpError, Connection, Deadline, Event, SessionId};

/// How long a session may take to accept a change.
const COMMAND: Duration = Duration::from_secs(5);
/// So many requests are remembered that were given a password.
const MAX_ANSWERED: usize = 256;
/// Origins beyond these are not remembered.
const MAX_ORIGINS: usize = 1_000;

/// The shared state of one context.
#[derive(Default)]
pub struct ContextState(Mutex<Shared>);

#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) rules: Rules,
    pub(crate) offline: bool,
    /// Of documents that were in its frames: the ones that may have stored something.
    pub(crate) origins: BTreeSet<String>,
    /// Commands that every session of a page gets when it begins; later ones with the same key take
    /// the place of earlier ones.
    setup: Vec<Setup>,
    /// Newer ones are asked first, and before the rules.
    pub(crate) interceptors: Vec<Arc<dyn Interceptor>>,
    /// Questions that were answered with a password, oldest first.
    answered: VecDeque<String>,
}

impl std::fmt::Debug for ContextState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContextState").finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Setup {
    key: String,
    method: &'static str,
    params: Value,
}

impl Shared {
    /// Whether requests have to be looked at.
    fn looks_at_requests(&self) -> bool {
        !self.rules.is_empty() || !self.interceptors.is_empty()
    }

    fn authenticate(&mut self, asked: AuthRequired) -> Answer {
        let question = asked.question();
        let again = self.answered.contains(&question);
        let answer = self.rules.authenticate(&asked, again);
        if !again {
            self.answered.push_back(question);
            if self.answered.len() > MAX_ANSWERED {
                self.answered.pop_front();
            }
        }
        answer
    }
}

impl ContextState {
    /// What holds for a context from its beginning.
    pub(crate) fn begin(offline: bool, rules: &Rules) -> Self {
        Self(Mutex::new(Shared {
            rules: rules.clone(),
            offline,
            ..Shared::default()
        }))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Shared> {
        // Changes are single assignments.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of the rules for requests.
    pub fn rules(&self) -> Rules {
        self.lock().rules.clone()
    }

    /// The origins its pages have been to, in alphabetical order.
    pub fn origins(&self) -> Vec<String> {
        self.lock().origins.iter().cloned().collect()
    }

    /// Tells a session that has just begun what holds. Nothing that it does comes before this.
    pub(crate) fn apply(&self, connection: &Connection, session: &SessionId) {
        let shared = self.lock();
        if shared.offline {
            let params = conditions(true);
            connection.post(Some(session), "Network.emulateNetworkConditions", &params);
        }
        for setup in &shared.setup {
            connection.post(Some(session), setup.method, &setup.params);
        }
        if shared.looks_at_requests() {
            connection.post(Some(session), "Fetch.enable", &interest(&shared.rules));
        }
    }

    /// The same for one that runs, after a change. The futures end when it holds.
    pub(crate) fn reapply(
        &self,
        connection: &Connection,
        session: &SessionId,
    ) -> Vec<impl Future<Output = Result<Box<RawValue>, CdpError>> + use<>> {
        let (offline, fetch) = {
            let shared = self.lock();
            let fetch = shared.looks_at_requests().then(|| interest(&shared.rules));
            (shared.offline, fetch)
        };
        let begin = |method: &str, params: &Value| {
            let deadline = Deadline::after(COMMAND);
            connection.begin_call(Some(session), method, params, deadline)
        };
        let fetch = match &fetch {
            Some(params) => begin("Fetch.enable", params),
            None => begin("Fetch.disable", &json!({})),
        };
        let network = begin("Network.emulateNetworkConditions", &conditions(offline));
        [fetch, network].into_iter().flatten().collect()
    }

    /// Answers a request that waits, or a server that asks for a password.
    pub(crate) fn on_fetch_event(
        &self,
        connection: &Connection,
        session: &SessionId,
        event: &Event<'_>,
    ) {
        let answer = match event.method {
            "Fetch.requestPaused" if self.hold(connection, session, event) => None,
            "Fetch.requestPaused" => event
                .parse::<Paused>()
                .map(|paused| self.lock().rules.decide(&paused)),
            "Fetch.authRequired" => event
                .parse::<AuthRequired>()
                .map(|asked| self.lock().authenticate(asked)),
            _ => None,
        };
        if let Some(Answer { method, params }) = answer {
            connection.post(Some(session), method, &params);
        }
    }

    pub(crate) fn remember(&self, key: String, method: &'static str, params: Value) {
        let setup = &mut self.lock().setup;
        setup.retain(|other| other.key != key);
        setup.push(Setup {
            key,
            method,
            params,
        });
    }

    /// Hands a request to the newest interceptor that wants it; says whether there was one.
    fn hold(&self, connection: &Connection, session: &SessionId, event: &Event<'_>) -> bool {
        let interceptors = self.lock().interceptors.clone();
        if interceptors.is_empty() {
            return false;
        }
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Id {
            request_id: String,
            redirected_request_id: Option<String>,
        }
        let (Some(id), Some(view)) = (event.parse::<Id>(), event.parse::<RequestView>()) else {
            return false;
        };
        let refused = !self.lock().rules.lets_pass(&view.request.url);
        // What the origin lists refuse, nobody may let pass; redirects belong to their first hop.
        if refused || id.redirected_request_id.is_some() {
            return false;
        }
        for interceptor in interceptors.iter().rev() {
            if interceptor.wants(&view) {
                interceptor.hold(HeldRequest::new(connection, session, id.request_id, view));
                return true;
            }
        }
        false
    }

    pub(crate) fn visited(&self, url: &str) {
        let Ok(url) = url::Url::parse(url) else {
            return;
        };
        if !matches!(url.scheme(), "http" | "https") {
            return;
        }
        let origins = &mut self.lock().origins;
        if origins.len() < MAX_ORIGINS {
            origins.insert(url.origin().ascii_serialization());
        }
    }
}

fn conditions(offline: bool) -> Value {
    json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 })
}

fn interest(rules: &Rules) -> Value {
    json!({ "patterns": [{ "urlPattern": "*" }], "handleAuthRequests": rules.answers_questions() })
}
