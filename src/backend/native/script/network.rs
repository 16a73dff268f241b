//! Requests and responses as scripts see them.

use base64::Engine as _;
use playguard_cdp::observe::network::{Headers, NetworkEntry, PostData, State};
use playguard_cdp::page::{Body, Page};
use serde_json::{Map, Value, json};

use super::fault::deadline;
use super::{Host, closed};
use crate::script::{RequestAction, RequestFacts, ResponseAction, ResponseFacts, ScriptFault};

impl Host {
    /// The response to which a page's document belongs, or null.
    pub(super) fn document_response(&self, page: &Page) -> Value {
        let state = page.state();
        let Some(main) = state.frames.main() else {
            return Value::Null;
        };
        let entry = state.network.entries().rev().find(|entry| {
            entry.navigation && entry.request_id == main.loader.as_ref() && entry.response.is_some()
        });
        match entry {
            // Plain data always serialises.
            Some(entry) => json!(self.response_facts(page, entry)),
            None => Value::Null,
        }
    }

    pub(super) fn request_facts(&self, page: &Page, entry: &NetworkEntry) -> RequestFacts {
        RequestFacts {
            request: self.handle(page, entry),
            page: Some(self.number(page)),
            url: entry.url.clone(),
            method: entry.method.clone(),
            resource_type: entry.resource_type.name().to_lowercase(),
            headers: lower(&entry.request_headers),
            post_data: match &entry.post_data {
                PostData::Inline(text) => Some(text.clone()),
                PostData::None | PostData::Remote => None,
            },
            is_navigation: entry.navigation,
            failure: entry.failure.clone(),
        }
    }

    pub(super) fn response_facts(&self, page: &Page, entry: &NetworkEntry) -> ResponseFacts {
        let (status, status_text, headers) = match &entry.response {
            Some(response) => (
                u16::try_from(response.status).unwrap_or_default(),
                response.status_text.clone(),
                lower(&response.headers),
            ),
            None => (0, String::new(), Map::new()),
        };
        ResponseFacts {
            response: self.handle(page, entry),
            url: entry.url.clone(),
            status,
            status_text,
            headers,
            request: self.request_facts(page, entry),
        }
    }

    /// `page:session-wide request id:index`, so that a log that was cleared leads nowhere.
    fn handle(&self, page: &Page, entry: &NetworkEntry) -> String {
        format!("{}:{}:{}", self.number(page), entry.index, entry.request_id)
    }

    fn entry(&self, handle: &str) -> Result<(Page, NetworkEntry), ScriptFault> {
        let mut parts = handle.splitn(3, ':');
        let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok());
        let (page, index) = (number().ok_or_else(closed)?, number().ok_or_else(closed)?);
        let id = parts.next().unwrap_or_default();
        let page = self.page(page)?;
        let entry = {
            let state = page.state();
            let entry = usize::try_from(index)
                .ok()
                .and_then(|at| state.network.get(at));
            entry.filter(|entry| entry.request_id == id).cloned()
        };
        entry
            .map(|entry| (page, entry))
            .ok_or_else(|| ScriptFault::error("the request is no longer known"))
    }

    pub(super) async fn request_action(
        &self,
        request: &str,
        action: RequestAction,
    ) -> Result<Value, ScriptFault> {
        match action {
            RequestAction::Response => {
                let (page, entry) = self.settled(request).await?;
                Ok(match entry.response {
                    Some(_) => json!(self.response_facts(&page, &entry)),
                    None => Value::Null,
                })
            }
            RequestAction::AllHeaders => {
                let (_, entry) = self.entry(request)?;
                let wire = entry.wire_request_headers.as_ref();
                Ok(Value::Object(lower(wire.unwrap_or(&entry.request_headers))))
            }
        }
    }

    pub(super) async fn response_action(
        &self,
        response: &str,
        action: ResponseAction,
    ) -> Result<Value, ScriptFault> {
        match action {
            ResponseAction::AllHeaders => {
                let (_, entry) = self.entry(response)?;
                let headers = entry.response.map(|response| {
                    lower(response.wire_headers.as_ref().unwrap_or(&response.headers))
                });
                Ok(Value::Object(headers.unwrap_or_default()))
            }
            ResponseAction::Finished => {
                let (_, entry) = self.ended(response).await?;
                Ok(json!(entry.failure))
            }
            ResponseAction::Body => {
                let (page, entry) = self.ended(response).await?;
                let body = page.response_body(&entry).await;
                let bytes = match body {
                    Some(Body::Text(text)) => text.into_bytes(),
                    Some(Body::Bytes(bytes)) => bytes,
                    None => return Err(ScriptFault::error("the browser has no body of it")),
                };
                let engine = base64::engine::general_purpose::STANDARD;
                Ok(json!({ "base64": engine.encode(bytes) }))
            }
        }
    }

    /// The entry, once its response or its failure is here.
    async fn settled(&self, handle: &str) -> Result<(Page, NetworkEntry), ScriptFault> {
        self.once(handle, |entry| {
            entry.response.is_some() || entry.state != State::Pending
        })
        .await
    }

    /// The entry, once it has ended.
    async fn ended(&self, handle: &str) -> Result<(Page, NetworkEntry), ScriptFault> {
        self.once(handle, |entry| entry.state != State::Pending)
            .await
    }

    async fn once(
        &self,
        handle: &str,
        ready: impl Fn(&NetworkEntry) -> bool,
    ) -> Result<(Page, NetworkEntry), ScriptFault> {
        let (page, entry) = self.entry(handle)?;
        let there = page.until(deadline(None), |state| {
            let now = state.network.get(entry.index)?;
            (now.request_id != entry.request_id || ready(now)).then_some(())
        });
        there.await.map_err(super::fault::fault)?;
        self.entry(handle)
    }
}

fn lower(headers: &Headers) -> Map<String, Value> {
    headers
        .iter()
        .map(|(name, value)| (name.to_lowercase(), Value::from(value)))
        .collect()
}
