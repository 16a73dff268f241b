//! What is known of one request.

use super::headers::Headers;

/// The kind of a request as Playwright names it: lower case, with everything unknown as `other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceType {
    /// A main or child frame's document.
    Document,
    /// A style sheet.
    Stylesheet,
    /// A picture.
    Image,
    /// Sound or video.
    Media,
    /// A font.
    Font,
    /// A script.
    Script,
    /// Subtitles.
    TextTrack,
    /// `XMLHttpRequest`.
    Xhr,
    /// `fetch()`.
    Fetch,
    /// A stream of server-sent events.
    EventSource,
    /// A web socket's handshake.
    WebSocket,
    /// A web app manifest.
    Manifest,
    /// `sendBeacon` and hyperlink auditing.
    Ping,
    /// A content security policy report.
    CspReport,
    /// Anything else.
    Other,
}

impl ResourceType {
    /// From `Network.ResourceType`.
    pub fn from_protocol(name: &str) -> Self {
        match name {
            "Document" => Self::Document,
            "Stylesheet" => Self::Stylesheet,
            "Image" => Self::Image,
            "Media" => Self::Media,
            "Font" => Self::Font,
            "Script" => Self::Script,
            "TextTrack" => Self::TextTrack,
            "XHR" => Self::Xhr,
            "Fetch" => Self::Fetch,
            "EventSource" => Self::EventSource,
            "WebSocket" => Self::WebSocket,
            "Manifest" => Self::Manifest,
            "Ping" => Self::Ping,
            "CSPViolationReport" => Self::CspReport,
            _ => Self::Other,
        }
    }

    /// The name shown to people and agents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Stylesheet => "stylesheet",
            Self::Image => "image",
            Self::Media => "media",
            Self::Font => "font",
            Self::Script => "script",
            Self::TextTrack => "texttrack",
            Self::Xhr => "xhr",
            Self::Fetch => "fetch",
            Self::EventSource => "eventsource",
            Self::WebSocket => "websocket",
            Self::Manifest => "manifest",
            Self::Ping => "ping",
            Self::CspReport => "cspreport",
            Self::Other => "other",
        }
    }
}

/// What a request carried to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostData {
    /// Nothing.
    None,
    /// This text.
    Inline(String),
    /// Something too long or too binary to be told along; `Network.getRequestPostData` may have it.
    Remote,
}

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Sent; the response's headers may be here, its body is not.
    Pending,
    /// Answered by a redirect; the next hop is the entry with this index.
    Redirected {
        /// 1-based index of the next hop.
        to: usize,
    },
    /// The body has arrived.
    Finished,
    /// Broken off, before or after the response's headers.
    Failed,
}

/// The head of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Status code, for example 200.
    pub status: i64,
    /// Reason phrase; empty over HTTP/2 and later.
    pub status_text: String,
    /// The type the browser settled on, which is not always the one that was sent.
    pub mime_type: String,
    /// Headers as pages may see them.
    pub headers: Headers,
    /// The headers of the wire, `set-cookie` included, where the browser told them.
    pub wire_headers: Option<Headers>,
}

/// One request, or one hop of a redirected request.
#[derive(Debug, Clone)]
pub struct NetworkEntry {
    /// Place in order of start, counted from 1; stable until the log is cleared.
    pub index: usize,
    /// The session to ask for bodies.
    pub session: String,
    /// `Network.RequestId`, unique within the session and shared by the hops of a redirect.
    pub request_id: String,
    /// The frame it belongs to; workers' requests have none.
    pub frame_id: Option<String>,
    /// Method in the sender's spelling.
    pub method: String,
    /// Address without fragment.
    pub url: String,
    /// Its kind.
    pub resource_type: ResourceType,
    /// Whether it loads a document into a main or child frame.
    pub navigation: bool,
    /// Headers as the renderer meant to send them.
    pub request_headers: Headers,
    /// The headers of the wire, `cookie` included, where the browser told them.
    pub wire_request_headers: Option<Headers>,
    /// What it carried.
    pub post_data: PostData,
    /// The head of the response, once it is here.
    pub response: Option<Response>,
    /// Why it failed, for example `net::ERR_ABORTED`. May come after a response.
    pub failure: Option<String>,
    /// How far it has come.
    pub state: State,
    /// Milliseconds from start to end, once it has ended with a response.
    pub duration_ms: Option<f64>,
    /// Whether the response came from a cache.
    pub from_cache: bool,
    /// Seconds on the browser's monotonic clock.
    pub(super) started: f64,
}

impl NetworkEntry {
    /// Whether it has a body to show (`fetch` with a body, a posted form).
    pub fn has_post_data(&self) -> bool {
        self.post_data != PostData::None
    }

    /// Whether it is the kind of request scripts make for data.
    pub fn is_fetch(&self) -> bool {
        matches!(self.resource_type, ResourceType::Fetch | ResourceType::Xhr)
    }

    /// Bytes of text it holds.
    pub(super) fn bytes(&self) -> usize {
        let post = match &self.post_data {
            PostData::Inline(text) => text.len(),
            PostData::None | PostData::Remote => 0,
        };
        let response = self.response.as_ref().map_or(0, |response| {
            response.status_text.len()
                + response.headers.bytes()
                + response.wire_headers.as_ref().map_or(0, Headers::bytes)
        });
        let wire = self.wire_request_headers.as_ref().map_or(0, Headers::bytes);
        self.url.len() + self.request_headers.bytes() + wire + post + response
    }

    /// Whether it was answered below 400 and not broken off.
    pub fn succeeded(&self) -> bool {
        self.failure.is_none()
            && self
                .response
                .as_ref()
                .is_some_and(|response| response.status < 400)
    }
}
