//! `browser_network_requests` and `browser_network_request`.

use playguard_cdp::observe::network::{Headers, NetworkEntry, NetworkLog, Response};

use super::body::essence;

/// The list of requests, a note about hidden ones at its end; empty when there is nothing to say.
///
/// Without `show_static`, successful requests that are no fetches are hidden and only counted.
/// `keep` filters by the whole address and comes after that, so it does not change the count.
pub fn request_list(log: &NetworkLog, show_static: bool, keep: impl Fn(&str) -> bool) -> String {
    let mut hidden = 0;
    let mut lines = Vec::new();
    for entry in log.entries() {
        if !show_static && !entry.is_fetch() && entry.succeeded() {
            hidden += 1;
        } else if keep(&entry.url) {
            lines.push(format!("{}. {}", entry.index, request_line(entry)));
        }
    }
    if log.dropped() > 0 {
        let first = log.dropped() + 1;
        lines.push(format!(
            "\nNote: requests before {first} are no longer kept."
        ));
    }
    if hidden > 0 {
        let (plural, them) = if hidden == 1 {
            ("", "it")
        } else {
            ("s", "them")
        };
        lines.push(format!(
            "\nNote: {hidden} static request{plural} not shown, run with \"static\" option to see {them}."
        ));
    }
    lines.join("\n")
}

fn request_line(entry: &NetworkEntry) -> String {
    let request = format!("[{}] {}", entry.method, shown_url(&entry.url));
    match status(entry) {
        Some(status) => format!("{request} => {status}"),
        None => request,
    }
}

/// `[200] OK` or `[FAILED] net::ERR_ABORTED`, nothing while there is no answer. A response that
/// broke off keeps its status.
fn status(entry: &NetworkEntry) -> Option<String> {
    match (&entry.response, &entry.failure) {
        (Some(response), _) => Some(format!("[{}] {}", response.status, response.status_text)),
        (None, Some(failure)) => Some(format!("[FAILED] {failure}")),
        (None, None) => None,
    }
}

/// `data:` addresses are cut after the comma.
fn shown_url(url: &str) -> String {
    match url.split_once(',') {
        Some((head, _)) if head.starts_with("data:") => format!("{head},…"),
        _ => url.to_owned(),
    }
}

/// The parts of a request that can be asked for one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Headers as the renderer meant to send them.
    RequestHeaders,
    /// What was sent.
    RequestBody,
    /// Headers of the response.
    ResponseHeaders,
    /// What was received.
    ResponseBody,
}

impl Part {
    /// From the tool's `part` argument.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "request-headers" => Some(Self::RequestHeaders),
            "request-body" => Some(Self::RequestBody),
            "response-headers" => Some(Self::ResponseHeaders),
            "response-body" => Some(Self::ResponseBody),
            _ => None,
        }
    }
}

/// Title of the link to a file that got `part`, or the overview when it is `None`.
pub fn file_title(part: Option<Part>) -> &'static str {
    match part {
        None => "Request",
        Some(Part::RequestHeaders) => "Request headers",
        Some(Part::RequestBody) => "Request body",
        Some(Part::ResponseHeaders) => "Response headers",
        Some(Part::ResponseBody) => "Response body",
    }
}

/// The error for an index that is not in the list.
pub fn request_not_found(index: impl std::fmt::Display) -> String {
    format!("Request #{index} not found. Use browser_network_requests to see available indexes.")
}

/// Everything about a request but its bodies, with hints how to get those.
pub fn request_details(entry: &NetworkEntry) -> String {
    let mut lines = vec![
        format!(
            "#{} [{}] {}",
            entry.index,
            entry.method,
            shown_url(&entry.url)
        ),
        String::new(),
        "  General".into(),
    ];
    if let Some(status) = status(entry) {
        lines.push(format!("    status:    {status}"));
    }
    if let Some(duration) = entry.duration_ms {
        lines.push(format!("    duration:  {}ms", duration.max(0.0).round()));
    }
    lines.push(format!("    type:      {}", entry.resource_type.name()));
    if let Some(content_type) = content_type(entry).filter(|value| !value.is_empty()) {
        lines.push(format!("    mimeType:  {}", essence(content_type)));
    }
    push_headers(&mut lines, "Request headers", &entry.request_headers);
    if let Some(response) = &entry.response {
        push_headers(&mut lines, "Response headers", &response.headers);
    }
    let hints: Vec<&str> = [
        entry.has_post_data().then_some("request-body"),
        entry
            .response
            .as_ref()
            .filter(|response| may_have_body(response))
            .map(|_| "response-body"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !hints.is_empty() {
        lines.push(String::new());
    }
    for part in hints {
        let words = part.replace('-', " ");
        lines.push(format!(
            "Call browser_network_request with part=\"{part}\" to read the {words}."
        ));
    }
    lines.join("\n")
}

/// The `content-type` header of the response.
pub fn content_type(entry: &NetworkEntry) -> Option<&str> {
    entry.response.as_ref()?.headers.get("content-type")
}

/// Headers as `name: value` lines; empty when there are none.
pub fn header_lines(headers: &Headers) -> String {
    let lines: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    lines.join("\n")
}

fn push_headers(lines: &mut Vec<String>, title: &str, headers: &Headers) {
    if headers.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(format!("  {title}"));
    lines.extend(
        headers
            .iter()
            .map(|(name, value)| format!("    {name}: {value}")),
    );
}

/// Informational responses, 204 and 304 never have a body (RFC 9110 §6.4.1).
fn may_have_body(response: &Response) -> bool {
    !matches!(response.status, 100..=199 | 204 | 304)
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
