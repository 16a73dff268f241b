//! Requests that somebody holds back and decides about in their own time.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::connection::{Connection, SessionId};

/// Somebody who wants to decide about requests.
pub trait Interceptor: Send + Sync {
    /// Whether it takes this one. Asked on the reading task: it must not wait.
    fn wants(&self, request: &RequestView) -> bool;

    /// Takes it.
    fn hold(&self, request: HeldRequest);
}

/// A request before it is sent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestView {
    /// `Network.RequestId`, the same as in the network log.
    #[serde(default)]
    pub network_id: String,
    /// The frame that asks.
    #[serde(default)]
    pub frame_id: String,
    /// `Document`, `Script`, `XHR` …
    #[serde(default)]
    pub resource_type: String,
    /// The rest.
    pub request: RequestBody,
}

/// What is to be sent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestBody {
    /// Address.
    pub url: String,
    /// Method.
    pub method: String,
    /// Headers, as the page sends them.
    #[serde(default)]
    pub headers: Map<String, Value>,
    /// Body, if it is text and not too long.
    pub post_data: Option<String>,
}

/// A request that waits. Dropped, it goes on to the network unchanged.
pub struct HeldRequest {
    connection: Connection,
    session: SessionId,
    id: String,
    /// What it is.
    pub view: RequestView,
    answered: bool,
}

impl std::fmt::Debug for HeldRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeldRequest")
            .field("view", &self.view)
            .finish_non_exhaustive()
    }
}

/// Changes to a request that goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// Another address; the page does not notice.
    pub url: Option<String>,
    /// Another method.
    pub method: Option<String>,
    /// All headers, in place of its own.
    pub headers: Option<Vec<(String, String)>>,
    /// Another body, in base64.
    pub post_data: Option<String>,
}

impl HeldRequest {
    pub(crate) fn new(
        connection: &Connection,
        session: &SessionId,
        id: String,
        view: RequestView,
    ) -> Self {
        Self {
            connection: connection.clone(),
            session: session.clone(),
            id,
            view,
            answered: false,
        }
    }

    /// Answers in the server's place; the body in base64.
    pub fn fulfil(self, status: u16, headers: &[(String, String)], body: &str) {
        let params = json!({
            "requestId": self.id,
            "responseCode": status,
            "responseHeaders": named(headers),
            "body": body,
        });
        self.answer("Fetch.fulfillRequest", &params);
    }

    /// Lets it go on.
    pub fn go_on(self, changes: Changes) {
        let mut params = json!({ "requestId": self.id });
        if let Some(url) = changes.url {
            params["url"] = url.into();
        }
        if let Some(method) = changes.method {
            params["method"] = method.into();
        }
        if let Some(headers) = changes.headers {
            params["headers"] = named(&headers);
        }
        if let Some(body) = changes.post_data {
            params["postData"] = body.into();
        }
        self.answer("Fetch.continueRequest", &params);
    }

    /// Lets it fail with one of the protocol's `Network.ErrorReason`s.
    pub fn fail(self, reason: &str) {
        let params = json!({ "requestId": self.id, "errorReason": reason });
        self.answer("Fetch.failRequest", &params);
    }

    fn answer(mut self, method: &str, params: &Value) {
        self.answered = true;
        self.connection.post(Some(&self.session), method, params);
    }
}

impl Drop for HeldRequest {
    fn drop(&mut self) {
        if !self.answered {
            let params = json!({ "requestId": self.id });
            self.connection
                .post(Some(&self.session), "Fetch.continueRequest", &params);
        }
    }
}

fn named(headers: &[(String, String)]) -> Value {
    headers
        .iter()
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect()
}
