//! A page at an address without what is at that address: for reaching what an origin has stored.

use base64::Engine as _;
use serde::Deserialize;
use serde_json::json;

use super::{NavigationError, Page, Wait};
use crate::connection::{Deadline, Event, SessionId};

impl Page {
    /// From now on the page gets an empty document from every address, and nothing is asked of any
    /// server. There is no way back: such a page is used and closed.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn show_blank(&self, url: &str, deadline: Deadline) -> Result<(), NavigationError> {
        self.change(|state| state.blank = true);
        let params = json!({ "patterns": [{ "urlPattern": "*" }] });
        self.command("Fetch.enable", &params, deadline).await?;
        self.goto(url, Wait::DomContentLoaded, deadline)
            .await
            .map(drop)
    }

    /// Answers a request of a blank page.
    pub(super) fn answer_blank(&self, session: &SessionId, event: &Event<'_>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Paused {
            request_id: String,
        }
        let Some(Paused { request_id }) = event.parse() else {
            return;
        };
        let body = base64::engine::general_purpose::STANDARD.encode("<!doctype html>");
        let params = json!({
            "requestId": request_id,
            "responseCode": 200,
            "responseHeaders": [{ "name": "content-type", "value": "text/html" }],
            "body": body,
        });
        self.connection()
            .post(Some(session), "Fetch.fulfillRequest", &params);
    }
}
