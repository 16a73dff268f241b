//! What becomes of a request before it is sent: routes, origin lists and credentials.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::glob::UrlGlob;

/// What a route does with the requests it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Treatment {
    /// Answer with this status (200 if only a body is given) instead of asking the network.
    pub status: Option<u16>,
    /// Answer with this body.
    pub body: Option<String>,
    /// Of the answer.
    pub content_type: Option<String>,
    /// Headers to add to the request, as written.
    pub add_headers: Vec<(String, String)>,
    /// Headers to leave out of the request, in any case.
    pub remove_headers: Vec<String>,
    /// A mocked answer gets `add_headers` itself, since there is no request to add them to.
    pub answer_with_headers: bool,
}

/// A pattern and what to do with what it matches.
#[derive(Debug, Clone)]
pub struct Route {
    /// Of URLs.
    pub pattern: UrlGlob,
    /// What to do.
    pub treatment: Treatment,
}

/// A user name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The name.
    pub user: String,
    /// The password.
    pub password: String,
    /// The only origin that gets them; all when absent.
    pub origin: Option<String>,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// Everything that decides about the requests of a context.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Later ones win.
    pub routes: Vec<Route>,
    /// If there are any, nothing else may be asked.
    pub allowed: Vec<UrlGlob>,
    /// Never asked.
    pub blocked: Vec<UrlGlob>,
    /// Whether the lists of origins hold for where redirects lead, too. Upstream's do not.
    pub check_redirects: bool,
    /// For servers that ask.
    pub credentials: Option<Login>,
    /// For proxies that ask.
    pub proxy_credentials: Option<Login>,
}

/// `Fetch.requestPaused`, as far as used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Paused {
    request_id: String,
    request: Request,
    redirected_request_id: Option<String>,
    response_status_code: Option<u16>,
    response_error_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Request {
    url: String,
    #[serde(default)]
    headers: serde_json::Map<String, Value>,
}

/// `Fetch.authRequired`, as far as used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuthRequired {
    pub(crate) request_id: String,
    auth_challenge: Challenge,
}

#[derive(Debug, Deserialize)]
struct Challenge {
    /// `Server` or `Proxy`.
    source: Option<String>,
    #[serde(default)]
    origin: String,
}

/// A command of the `Fetch` domain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

impl AuthRequired {
    /// Who asks for what: one request may meet a proxy and a server that ask.
    pub(crate) fn question(&self) -> String {
        let source = self.auth_challenge.source.as_deref().unwrap_or_default();
        format!("{source} {}", self.request_id)
    }
}

impl Rules {
    /// Whether requests need not be looked at.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
            && self.allowed.is_empty()
            && self.blocked.is_empty()
            && !self.answers_questions()
    }

    /// Whether there is a password for anybody.
    pub(crate) fn answers_questions(&self) -> bool {
        self.credentials.is_some() || self.proxy_credentials.is_some()
    }

    /// Whether the lists of origins let a URL pass.
    pub fn lets_pass(&self, url: &str) -> bool {
        // What never leaves the browser is nobody's origin.
        let local = ["data:", "blob:", "about:"];
        if local.iter().any(|scheme| url.starts_with(scheme)) {
            return true;
        }
        // A WebSocket belongs to the origin of the page protocol it stands beside.
        let url = match url.split_once("://") {
            Some(("ws", rest)) => format!("http://{rest}"),
            Some(("wss", rest)) => format!("https://{rest}"),
            _ => url.to_owned(),
        };
        let named = |list: &[UrlGlob]| list.iter().any(|glob| glob.matches(&url));
        !named(&self.blocked) && (self.allowed.is_empty() || named(&self.allowed))
    }

    /// What to answer to a server or proxy that asks for a password. `again`: it did not take ours.
    pub(crate) fn authenticate(&self, asked: &AuthRequired, again: bool) -> Answer {
        let challenge = &asked.auth_challenge;
        // A proxy's password is for no server, and the other way round.
        let login = if challenge.source.as_deref() == Some("Proxy") {
            self.proxy_credentials.as_ref()
        } else {
            self.credentials.as_ref().filter(|login| {
                let only = login.origin.as_deref();
                only.is_none_or(|only| same_origin(only, &challenge.origin))
            })
        };
        let response = match login {
            Some(login) if !again => json!({
                "response": "ProvideCredentials",
                "username": login.user,
                "password": login.password,
            }),
            // The page gets the refusal; nobody is there to fill in a prompt.
            _ => json!({ "response": "CancelAuth" }),
        };
        Answer {
            method: "Fetch.continueWithAuth",
            params: json!({ "requestId": asked.request_id, "authChallengeResponse": response }),
        }
    }

    /// What to answer to a paused request.
    pub(crate) fn decide(&self, paused: &Paused) -> Answer {
        let id = &paused.request_id;
        let carry_on = |params: Value| Answer {
            method: "Fetch.continueRequest",
            params,
        };
        if paused.response_status_code.is_some() || paused.response_error_reason.is_some() {
            return carry_on(json!({ "requestId": id }));
        }
        let redirected = paused.redirected_request_id.is_some();
        if (self.check_redirects || !redirected) && !self.lets_pass(&paused.request.url) {
            return Answer {
                method: "Fetch.failRequest",
                params: json!({ "requestId": id, "errorReason": "BlockedByClient" }),
            };
        }
        let route = (self.routes.iter().rev())
            .find(|route| route.pattern.matches(&paused.request.url))
            .filter(|_| !redirected);
        let Some(Route { treatment, .. }) = route else {
            return carry_on(json!({ "requestId": id }));
        };
        if treatment.status.is_some() || treatment.body.is_some() {
            return fulfil(id, treatment);
        }
        if treatment.add_headers.is_empty() && treatment.remove_headers.is_empty() {
            return carry_on(json!({ "requestId": id }));
        }
        let headers = changed(&paused.request.headers, treatment);
        carry_on(json!({ "requestId": id, "headers": headers }))
    }
}

fn same_origin(one: &str, other: &str) -> bool {
    let origin = |text: &str| url::Url::parse(text).map(|url| url.origin());
    matches!((origin(one), origin(other)), (Ok(one), Ok(other)) if one == other)
}

fn fulfil(id: &str, treatment: &Treatment) -> Answer {
    use base64::Engine as _;
    let body = treatment.body.as_deref().unwrap_or_default();
    let mut headers = vec![json!({ "name": "content-length", "value": body.len().to_string() })];
    if treatment.answer_with_headers {
        let added = treatment.add_headers.iter();
        headers.extend(added.map(|(name, value)| json!({ "name": name, "value": value })));
    }
    if let Some(kind) = &treatment.content_type {
        headers.push(json!({ "name": "content-type", "value": kind }));
    }
    Answer {
        method: "Fetch.fulfillRequest",
        params: json!({
            "requestId": id,
            "responseCode": treatment.status.unwrap_or(200),
            "responseHeaders": headers,
            "body": base64::engine::general_purpose::STANDARD.encode(body),
        }),
    }
}

fn changed(headers: &serde_json::Map<String, Value>, treatment: &Treatment) -> Vec<Value> {
    let added: HashSet<String> = (treatment.add_headers.iter())
        .map(|(name, _)| name.to_lowercase())
        .collect();
    let removed = |name: &str| {
        let mut removed = treatment.remove_headers.iter();
        removed.any(|removed| removed.eq_ignore_ascii_case(name))
    };
    let gone = |name: &str| removed(name) || added.contains(&name.to_lowercase());
    let kept = headers
        .iter()
        .filter(|(name, _)| !gone(name))
        .map(|(name, value)| json!({ "name": name, "value": value }));
    let added = (treatment.add_headers.iter())
        .filter(|(name, _)| !removed(name))
        .map(|(name, value)| json!({ "name": name, "value": value }));
    kept.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paused(url: &str, redirected: bool) -> Paused {
        Paused {
            request_id: "R".into(),
            request: Request {
                url: url.into(),
                headers: serde_json::from_value(json!({ "Accept": "*/*", "X-Old": "1" }))
                    .expect("headers"),
            },
            redirected_request_id: redirected.then(|| "Q".into()),
            response_status_code: None,
            response_error_reason: None,
        }
    }

    fn route(pattern: &str, treatment: Treatment) -> Route {
        Route {
            pattern: UrlGlob::parse(pattern).expect("a pattern"),
            treatment,
        }
    }

    #[test]
    fn later_routes_win_and_others_are_left_alone() {
        let answer = |body: &str| Treatment {
            body: Some(body.into()),
            ..Treatment::default()
        };
        let rules = Rules {
            routes: vec![route("**/a", answer("one")), route("**/a", answer("two"))],
            ..Rules::default()
        };
        let Answer { method, params } = rules.decide(&paused("http://h/a", false));
        assert_eq!(method, "Fetch.fulfillRequest");
        assert_eq!(params["responseCode"], 200);
        assert_eq!(params["body"], "dHdv");
        let other = rules.decide(&paused("http://h/b", false));
        assert_eq!(other.method, "Fetch.continueRequest");
        assert_eq!(other.params, json!({ "requestId": "R" }));
    }

    #[test]
    fn headers_are_added_as_written_and_removed_by_any_spelling() {
        let treatment = Treatment {
            add_headers: vec![("X-New".into(), "2".into()), ("accept".into(), "no".into())],
            remove_headers: vec!["X-OLD".into()],
            ..Treatment::default()
        };
        let rules = Rules {
            routes: vec![route("**", treatment)],
            ..Rules::default()
        };
        let answer = rules.decide(&paused("http://h/", false));
        assert_eq!(
            answer.params["headers"],
            json!([{ "name": "X-New", "value": "2" }, { "name": "accept", "value": "no" }])
        );
    }

    #[test]
    fn passwords_go_to_whom_they_are_for() {
        let login = |user: &str, origin: Option<&str>| Login {
            user: user.into(),
            password: "p".into(),
            origin: origin.map(str::to_owned),
        };
        let rules = Rules {
            credentials: Some(login("server", Some("http://h:80/x"))),
            proxy_credentials: Some(login("proxy", None)),
            ..Rules::default()
        };
        let answer = |source: &str, origin: &str, again| {
            let asked: AuthRequired = serde_json::from_value(json!({
                "requestId": "R",
                "authChallenge": { "source": source, "origin": origin },
            }))
            .expect("a question");
            rules.authenticate(&asked, again).params["authChallengeResponse"].clone()
        };
        assert_eq!(answer("Server", "http://h", false)["username"], "server");
        assert_eq!(answer("Proxy", "http://p:1", false)["username"], "proxy");
        assert_eq!(
            answer("Server", "http://other", false)["response"],
            "CancelAuth"
        );
        assert_eq!(answer("Server", "http://h", true)["response"], "CancelAuth");
    }

    #[test]
    fn origins_outside_the_lists_are_refused_also_by_redirects() {
        let origin = |entry: &str| UrlGlob::of_origin(entry).expect("an entry");
        let mut rules = Rules {
            allowed: vec![origin("good.example"), origin("odd.example")],
            blocked: vec![origin("odd.example")],
            ..Rules::default()
        };
        let method =
            |rules: &Rules, url: &str, redirected| rules.decide(&paused(url, redirected)).method;
        assert_eq!(
            method(&rules, "https://good.example/", false),
            "Fetch.continueRequest"
        );
        assert_eq!(
            method(&rules, "https://odd.example/", false),
            "Fetch.failRequest"
        );
        assert_eq!(
            method(&rules, "https://evil.example/", false),
            "Fetch.failRequest"
        );
        assert_eq!(
            method(&rules, "https://evil.example/", true),
            "Fetch.continueRequest"
        );
        rules.check_redirects = true;
        assert_eq!(
            method(&rules, "https://evil.example/", true),
            "Fetch.failRequest"
        );
        assert!(rules.lets_pass("wss://good.example/socket"));
        assert!(!rules.lets_pass("ws://evil.example/socket"));
        assert!(rules.lets_pass("data:text/html,x"));
    }
}
