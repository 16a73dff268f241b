//! Bodies of requests and responses, fetched when somebody asks.

use base64::Engine as _;
use serde::Deserialize;
use serde_json::json;

use super::{Page, STEP};
use crate::connection::Deadline;
use crate::observe::network::{NetworkEntry, PostData};

/// A response body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// As the browser decoded it.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseBody {
    body: String,
    #[serde(default)]
    base64_encoded: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostBody {
    post_data: String,
}

impl Page {
    /// What a request carried; `None` if nothing, or if the browser no longer has it.
    pub async fn request_body(&self, entry: &NetworkEntry) -> Option<String> {
        match &entry.post_data {
            PostData::None => None,
            PostData::Inline(text) => Some(text.clone()),
            PostData::Remote => {
                let body: PostBody = self.of_request("Network.getRequestPostData", entry).await?;
                Some(body.post_data)
            }
        }
    }

    /// What came back; `None` if the browser no longer has it, or there was none.
    pub async fn response_body(&self, entry: &NetworkEntry) -> Option<Body> {
        let body: ResponseBody = self.of_request("Network.getResponseBody", entry).await?;
        if !body.base64_encoded {
            return Some(Body::Text(body.body));
        }
        base64::engine::general_purpose::STANDARD
            .decode(body.body)
            .ok()
            .map(Body::Bytes)
    }

    async fn of_request<T: serde::de::DeserializeOwned>(
        &self,
        method: &str,
        entry: &NetworkEntry,
    ) -> Option<T> {
        let session = entry.session.as_str().into();
        let params = json!({ "requestId": entry.request_id });
        self.connection()
            .call(Some(&session), method, &params, Deadline::after(STEP))
            .await
            .inspect_err(|error| tracing::debug!(%error, method, "no body"))
            .ok()
    }
}
