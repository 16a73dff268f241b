//! What the page said and what it asked the network for.

use std::collections::HashSet;
use std::time::SystemTime;

use playguard_cdp::observe::console::Level;
use playguard_cdp::observe::network::NetworkEntry;
use playguard_cdp::page::Body;

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use super::text::body::BodyForm;
use super::text::console::console_messages;
use super::text::network::{
    Part, content_type, file_title, header_lines, request_details, request_list, request_not_found,
};
use crate::call::ToolCall;
use crate::tools::js_regex::JsRegex;

impl NativeBackend {
    pub(super) async fn console_messages(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let level = call
            .string("level")
            .and_then(Level::parse)
            .unwrap_or(Level::Info);
        let all = call.flag("all").unwrap_or(false);
        let text = console_messages(&tab.page.state().console, level, all);
        self.text_or_file(call, "Console", text, response).await
    }

    pub(super) async fn network_requests(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let filter = call
            .text("filter")
            .map(JsRegex::parse)
            .transpose()
            .map_err(Thrown::error)?;
        let show_static = call.flag("static").unwrap_or(false);
        let wanted = match filter {
            None => None,
            Some(filter) => {
                let urls: Vec<String> = tab
                    .page
                    .state()
                    .network
                    .entries()
                    .map(|entry| entry.url.clone())
                    .collect();
                // The expression comes from the agent and the addresses from the page: it may take long.
                let matching = tokio::task::spawn_blocking(move || {
                    urls.into_iter()
                        .filter(|url| filter.is_match(url))
                        .collect::<HashSet<String>>()
                });
                Some(matching.await.map_err(Thrown::error)?)
            }
        };
        let text = request_list(&tab.page.state().network, show_static, |url| {
            wanted.as_ref().is_none_or(|wanted| wanted.contains(url))
        });
        self.text_or_file(call, "Network", text, response).await
    }

    pub(super) async fn network_request(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let index = call.number("index").unwrap_or_default();
        // Validated as a whole number of at least 1; larger ones than there are requests are not found.
        let entry = tab.page.state().network.get(index as usize).cloned();
        let Some(entry) = entry else {
            response.error(request_not_found(index));
            return Ok(());
        };
        let part = call.string("part").and_then(Part::parse);
        let text = match part {
            None => request_details(&entry),
            Some(Part::RequestHeaders) => header_lines(&entry.request_headers),
            Some(Part::ResponseHeaders) => entry
                .response
                .as_ref()
                .map(|response| header_lines(&response.headers))
                .unwrap_or_default(),
            Some(Part::RequestBody) => tab.page.request_body(&entry).await.unwrap_or_default(),
            Some(Part::ResponseBody) => {
                return self.response_body(tab, call, &entry, response).await;
            }
        };
        if text.is_empty() && part.is_some() {
            return Ok(());
        }
        self.text_or_file(call, file_title(part), text, response)
            .await
    }

    async fn response_body(
        &self,
        tab: &Tab,
        call: &ToolCall,
        entry: &NetworkEntry,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        // A body that the browser no longer has is no error upstream either.
        let Some(body) = tab.page.response_body(entry).await else {
            return Ok(());
        };
        let title = file_title(Some(Part::ResponseBody));
        match BodyForm::of(content_type(entry)) {
            BodyForm::Text => {
                let text = match body {
                    Body::Text(text) => text,
                    Body::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                };
                self.text_or_file(call, title, text, response).await
            }
            BodyForm::File(extension) => {
                let bytes = match body {
                    Body::Text(text) => text.into_bytes(),
                    Body::Bytes(bytes) => bytes,
                };
                let (path, named) = match call.text("filename") {
                    Some(name) => (self.files.rules.named(name).map_err(Thrown::error)?, true),
                    None => (
                        self.files
                            .rules
                            .automatic("response", &extension, SystemTime::now()),
                        false,
                    ),
                };
                self.write_bytes(&path, bytes).await?;
                response.result(if named {
                    self.files.rules.link(title, &path)
                } else {
                    self.files.rules.plain_path(&path)
                });
                Ok(())
            }
        }
    }

    /// A result as text, or in the file that the call names.
    pub(super) async fn text_or_file(
        &self,
        call: &ToolCall,
        title: &str,
        text: String,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        match call.text("filename") {
            Some(name) => {
                let path = self.files.rules.named(name).map_err(Thrown::error)?;
                self.write_bytes(&path, text.into_bytes()).await?;
                response.result(self.files.rules.link(title, &path));
            }
            None => response.result(text),
        }
        Ok(())
    }
}
