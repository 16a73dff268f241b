//! The outer shape of a message, and nothing more: what is inside is decoded by whoever asked for it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// One decoded message from the browser.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// The answer to command `id`.
    Reply {
        /// The number we gave the command.
        id: u64,
        /// The `result` object, or the error.
        outcome: Result<&'a RawValue, ErrorObject>,
    },
    /// Something that happened.
    Event {
        /// `Domain.eventName`.
        method: Cow<'a, str>,
        /// The flat session it happened in; `None` for the browser itself.
        session_id: Option<Cow<'a, str>>,
        /// The event's parameters, undecoded.
        params: &'a RawValue,
    },
    /// Neither an answer nor an event; a browser of the future may send such.
    Other,
}

/// A JSON-RPC error object.
#[derive(Debug, Clone, Deserialize)]
pub struct ErrorObject {
    /// Code, -32000 when absent.
    #[serde(default = "server_error")]
    pub code: i64,
    /// The browser's words.
    #[serde(default)]
    pub message: String,
    /// More of them; anything but text is dropped.
    #[serde(default, deserialize_with = "text_or_none")]
    pub data: Option<String>,
}

fn server_error() -> i64 {
    -32000
}

fn text_or_none<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Ok(match serde_json::Value::deserialize(value)? {
        serde_json::Value::String(text) => Some(text),
        _ => None,
    })
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ErrorObject>,
}

/// Decodes the envelope of one message (already free of lone surrogates).
///
/// # Errors
/// The message is not a JSON object of the protocol's outer shape.
pub fn decode(message: &[u8]) -> Result<Incoming<'_>, serde_json::Error> {
    let envelope: Envelope<'_> = serde_json::from_slice(message)?;
    Ok(match envelope {
        Envelope {
            id: Some(id),
            error: Some(error),
            ..
        } => Incoming::Reply {
            id,
            outcome: Err(error),
        },
        Envelope {
            id: Some(id),
            result,
            ..
        } => Incoming::Reply {
            id,
            outcome: Ok(result.unwrap_or(RawValue::NULL)),
        },
        Envelope {
            method: Some(method),
            session_id,
            params,
            ..
        } => Incoming::Event {
            method,
            session_id,
            params: params.unwrap_or(RawValue::NULL),
        },
        _ => Incoming::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_errors_and_events() {
        match decode(br#"{"id":7,"result":{"a":1},"sessionId":"S"}"#).unwrap() {
            Incoming::Reply {
                id: 7,
                outcome: Ok(result),
            } => assert_eq!(result.get(), r#"{"a":1}"#),
            other => panic!("{other:?}"),
        }
        match decode(br#"{"id":8,"error":{"code":-32601,"message":"no such","data":{"x":1}}}"#)
            .unwrap()
        {
            Incoming::Reply {
                id: 8,
                outcome: Err(error),
            } => {
                assert_eq!(
                    (error.code, error.message.as_str(), error.data),
                    (-32601, "no such", None)
                );
            }
            other => panic!("{other:?}"),
        }
        match decode(br#"{"method":"Made.up","params":{"new":null},"sessionId":"S1","extra":[1]}"#)
            .unwrap()
        {
            Incoming::Event {
                method,
                session_id,
                params,
            } => {
                assert_eq!(
                    (method.as_ref(), session_id.as_deref(), params.get()),
                    ("Made.up", Some("S1"), r#"{"new":null}"#)
                );
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn strange_messages_are_no_panic() {
        assert!(matches!(decode(b"{}").unwrap(), Incoming::Other));
        assert!(matches!(
            decode(br#"{"id":1}"#).unwrap(),
            Incoming::Reply {
                id: 1,
                outcome: Ok(_)
            }
        ));
        for junk in [
            &b"[]"[..],
            b"null",
            b"",
            b"{\"id\":-1}",
            b"\xff\xfe",
            b"{\"id\":\"x\"}",
        ] {
            assert!(decode(junk).is_err(), "{junk:?}");
        }
    }
}
