//! The older transport: one stream of events, and POSTs whose answers come over it.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use hyper::body::Incoming;

use super::super::wire;
use super::body::{self, Answer};
use super::client::{Client, Transport};
use super::events::StreamRules;
use super::read::{self, Unread};
use super::{Site, read::version_of};
use crate::server::outbox::Outlet;

/// Handles any request below `/sse`.
pub(super) async fn handle(site: &Arc<Site>, request: Request<Incoming>) -> Answer {
    match *request.method() {
        Method::GET => open(site),
        Method::POST => post(site, request).await,
        _ => body::text(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
    }
}

/// Opens a stream, which is a session.
fn open(site: &Arc<Site>) -> Answer {
    // Nothing to go on from: the next stream is another session.
    let rules = StreamRules {
        resumable: false,
        any_stream: false,
    };
    let Some(client) = site.admit(Transport::Sse, rules) else {
        return body::text(StatusCode::SERVICE_UNAVAILABLE, "Too many sessions");
    };
    let Ok(reader) = client.hub.listen(None) else {
        // Proven: nobody else has this hub yet.
        return body::empty(StatusCode::CONFLICT);
    };
    let endpoint = format!("event: endpoint\ndata: /sse?sessionId={}\n\n", client.id);
    let ending = Ending {
        site: Arc::downgrade(site),
        client: Arc::downgrade(&client),
    };
    body::events(
        reader.with_preface(Bytes::from(endpoint)),
        Some(Box::new(ending)),
    )
}

async fn post(site: &Arc<Site>, request: Request<Incoming>) -> Answer {
    let query = request.uri().query().unwrap_or_default();
    let id = url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "sessionId")
        .map(|(_, id)| id.into_owned())
        .filter(|id| !id.is_empty());
    let Some(id) = id else {
        return body::text(StatusCode::BAD_REQUEST, "Missing sessionId");
    };
    let Some(client) = site.find(&id, Transport::Sse) else {
        return body::text(StatusCode::NOT_FOUND, "Session not found");
    };
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return body::text(
            StatusCode::BAD_REQUEST,
            format!("Error: Unsupported content-type: {essence}"),
        );
    }
    let text = match read::text(request.into_body()).await {
        Ok(text) => text,
        Err(Unread::TooLong) => {
            return body::text(
                StatusCode::PAYLOAD_TOO_LARGE,
                "Error: request entity too large",
            );
        }
        Err(Unread::Broken) => return body::empty(StatusCode::BAD_REQUEST),
    };
    let messages = wire::parse(&text);
    if read::is_malformed(&messages) {
        return body::text(StatusCode::BAD_REQUEST, format!("Invalid message: {text}"));
    }
    if let Some(version) = version_of(&messages) {
        client.agreed(&version);
    }
    let reply: Arc<dyn Outlet> = Arc::new(OverTheStream(client.clone()));
    client.messages(messages, &reply);
    body::text(StatusCode::ACCEPTED, "Accepted")
}

/// The way back.
struct OverTheStream(Arc<Client>);

impl Outlet for OverTheStream {
    fn send(&self, line: Vec<u8>) {
        self.0.hub.send(line);
    }
}

/// Ends the session with its stream.
struct Ending {
    site: Weak<Site>,
    client: Weak<Client>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let (Some(site), Some(client)) = (self.site.upgrade(), self.client.upgrade()) {
            site.dismiss(&client);
        }
    }
}
