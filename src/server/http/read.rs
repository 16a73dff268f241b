//! Reading what a client POSTs.

use http_body_util::{BodyExt as _, Limited};
use hyper::body::Body;

use super::super::line::repaired;
use super::super::protocol;
use super::super::wire::Incoming;

/// Longest message accepted, in bytes; the same as on standard input.
const MAX_BODY: usize = 64 << 20;

/// Why there is no text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    TooLong,
    /// The connection ended in the middle.
    Broken,
}

/// The text of a body, made acceptable to a strict decoder.
pub(super) async fn text<B>(body: B) -> Result<String, Unread>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(Unread::TooLong);
    }
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(collected) => Ok(repaired(&collected.to_bytes()).into_owned()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(Unread::TooLong),
        Err(error) => {
            tracing::debug!(%error, "a request was not read");
            Err(Unread::Broken)
        }
    }
}

/// Whether any of it is no message.
pub(super) fn is_malformed(messages: &[Incoming]) -> bool {
    messages
        .iter()
        .any(|message| matches!(message, Incoming::Malformed { .. }))
}

/// Whether any of it wants an answer.
pub(super) fn asks(messages: &[Incoming]) -> bool {
    messages
        .iter()
        .any(|message| matches!(message, Incoming::Request { .. }))
}

/// The version that an initialize request among them will be answered with.
pub(super) fn version_of(messages: &[Incoming]) -> Option<String> {
    messages.iter().find_map(|message| match message {
        Incoming::Request { method, params, .. } if method == "initialize" => {
            let asked = params.as_ref().and_then(|p| p["protocolVersion"].as_str());
            Some(protocol::version(asked).as_str().to_owned())
        }
        _ => None,
    })
}
