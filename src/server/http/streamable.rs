//! Streamable HTTP, as the protocol has it since 2025-03-26: every path but `/sse`.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use hyper::body::Incoming;

use super::super::protocol::VERSIONS;
use super::super::wire;
use super::body::{self, Answer};
use super::client::{Client, Transport};
use super::read::{self, Unread};
use super::{Site, read::version_of};
use crate::server::wire::Incoming as Message;

const SESSION_ID: &str = "mcp-session-id";
const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// An event that holds nothing but its id is understood since this version.
const PRIMED_SINCE: &str = "2025-11-25";

// Codes of JSON-RPC errors. The first is the protocol's own, for whatever goes wrong below it.
const TRANSPORT: i32 = -32_000;
const INVALID_REQUEST: i32 = -32_600;
const PARSE: i32 = -32_700;

/// Handles a request.
pub(super) async fn handle(site: &Arc<Site>, request: Request<Incoming>) -> Answer {
    let id = text(request.headers(), SESSION_ID).filter(|id| !id.is_empty());
    let client = id.and_then(|id| site.find(id, Transport::Streamable));
    let stranger = id.is_some() && client.is_none();
    match (request.method(), client) {
        (&Method::POST, client) if !stranger || site.manners.readmits => {
            post(site, request, client, stranger).await
        }
        (_, None) if stranger => not_found(),
        (_, None) => body::text(StatusCode::BAD_REQUEST, "Invalid request"),
        (&Method::GET, Some(client)) => listen(&client, request.headers()),
        (&Method::DELETE, Some(client)) => {
            if let Some(refusal) = wrong_version(request.headers()) {
                return refusal;
            }
            site.dismiss(&client);
            body::empty(StatusCode::OK)
        }
        (_, Some(_)) => {
            let mut answer = body::error(
                StatusCode::METHOD_NOT_ALLOWED,
                TRANSPORT,
                "Method not allowed.",
            );
            let allowed = HeaderValue::from_static("GET, POST, DELETE");
            answer.headers_mut().insert(header::ALLOW, allowed);
            answer
        }
    }
}

/// `stranger`: it names a session that does not exist (any more). Greeting anew is then all that it
/// can do.
async fn post(
    site: &Arc<Site>,
    request: Request<Incoming>,
    client: Option<Arc<Client>>,
    stranger: bool,
) -> Answer {
    let (head, content) = request.into_parts();
    let accepts = text(&head.headers, header::ACCEPT.as_str()).unwrap_or_default();
    if !accepts.contains("application/json") || !accepts.contains("text/event-stream") {
        return body::error(
            StatusCode::NOT_ACCEPTABLE,
            TRANSPORT,
            "Not Acceptable: Client must accept both application/json and text/event-stream",
        );
    }
    let kind = text(&head.headers, header::CONTENT_TYPE.as_str()).unwrap_or_default();
    if !kind.contains("application/json") {
        return body::error(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            TRANSPORT,
            "Unsupported Media Type: Content-Type must be application/json",
        );
    }
    let messages = match read::text(content).await {
        Ok(text) => wire::parse(&text),
        Err(Unread::TooLong) => {
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return body::error(status, TRANSPORT, "Payload Too Large");
        }
        Err(Unread::Broken) => return body::empty(StatusCode::BAD_REQUEST),
    };
    if let [Message::Malformed { error, .. }] = messages.as_slice()
        && error.code.0 == PARSE
    {
        return body::error(StatusCode::BAD_REQUEST, PARSE, "Parse error");
    }
    if read::is_malformed(&messages) {
        let message = "Parse error: Invalid JSON-RPC message";
        return body::error(StatusCode::BAD_REQUEST, PARSE, message);
    }
    let version = version_of(&messages);
    let client = match (client, &version) {
        (Some(client), None) => {
            if let Some(refusal) = wrong_version(&head.headers) {
                return refusal;
            }
            client
        }
        (Some(_), Some(_)) => {
            let message = "Invalid Request: Server already initialized";
            return body::error(StatusCode::BAD_REQUEST, INVALID_REQUEST, message);
        }
        (None, None) if stranger => return not_found(),
        (None, None) => {
            let message = "Bad Request: Server not initialized";
            return body::error(StatusCode::BAD_REQUEST, TRANSPORT, message);
        }
        (None, Some(_)) if messages.len() > 1 => {
            let message = "Invalid Request: Only one initialization request is allowed";
            return body::error(StatusCode::BAD_REQUEST, INVALID_REQUEST, message);
        }
        (None, Some(version)) => {
            let rules = site.manners.streams;
            let Some(client) = site.admit(Transport::Streamable, rules) else {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                return body::error(status, TRANSPORT, "Too many sessions");
            };
            client.agreed(version);
            client
        }
    };
    answer(&client, messages)
}

fn answer(client: &Arc<Client>, messages: Vec<Message>) -> Answer {
    if !read::asks(&messages) {
        let (nowhere, _) = client.hub.answering();
        client.messages(messages, &nowhere);
        return named(client, body::empty(StatusCode::ACCEPTED));
    }
    let (reply, reader) = client.hub.answering();
    client.messages(messages, &reply);
    named(client, body::events(primed(client, reader), None))
}

fn listen(client: &Arc<Client>, headers: &HeaderMap) -> Answer {
    let accepts = text(headers, header::ACCEPT.as_str()).unwrap_or_default();
    if !accepts.contains("text/event-stream") {
        return body::error(
            StatusCode::NOT_ACCEPTABLE,
            TRANSPORT,
            "Not Acceptable: Client must accept text/event-stream",
        );
    }
    if let Some(refusal) = wrong_version(headers) {
        return refusal;
    }
    client.hear();
    match client.hub.listen(text(headers, "last-event-id")) {
        Ok(reader) => named(client, body::events(primed(client, reader), None)),
        Err(_) => body::error(
            StatusCode::CONFLICT,
            TRANSPORT,
            "Conflict: Only one SSE stream is allowed per session",
        ),
    }
}

fn primed(client: &Client, reader: super::events::Reader) -> super::events::Reader {
    // Versions are dates, which sort as texts.
    if client
        .version()
        .is_some_and(|version| version >= PRIMED_SINCE)
    {
        reader.primed()
    } else {
        reader
    }
}

fn named(client: &Client, mut answer: Answer) -> Answer {
    if let Ok(id) = HeaderValue::from_str(&client.id) {
        answer.headers_mut().insert(SESSION_ID, id);
    }
    answer
}

fn not_found() -> Answer {
    body::text(StatusCode::NOT_FOUND, "Session not found")
}

/// A version in the header that is not spoken here.
fn wrong_version(headers: &HeaderMap) -> Option<Answer> {
    let version = text(headers, PROTOCOL_VERSION).filter(|given| !VERSIONS.contains(given))?;
    let known: Vec<&str> = VERSIONS.iter().rev().copied().collect();
    Some(body::error(
        StatusCode::BAD_REQUEST,
        TRANSPORT,
        &format!(
            "Bad Request: Unsupported protocol version: {version} (supported versions: {})",
            known.join(", ")
        ),
    ))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
