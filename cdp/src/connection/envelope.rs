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
#[derive(Debug, Clone)]
pub struct ErrorObject {
    /// Code, -32000 when absent.
    pub code: i64,
    /// The browser's words.
    pub message: String,
    /// More of them; anything but text is dropped.
    pub data: Option<String>,
}

impl ErrorObject {
    /// Reads whatever came as an error. Its shape is no reason to lose an answer
    /// that somebody waits for.
    fn read(raw: &RawValue) -> Self {
        #[derive(Deserialize, Default)]
        struct Wire<'a> {
            #[serde(borrow)]
            code: Option<&'a RawValue>,
            #[serde(borrow)]
            message: Option<&'a RawValue>,
            #[serde(borrow)]
            data: Option<&'a RawValue>,
        }
        fn member<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
            raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        }
        let object = Some(raw).filter(|raw| raw.get().starts_with('{'));
        let wire: Option<Wire<'_>> = member(object);
        let said = wire.as_ref().map_or(Some(raw), |wire| wire.message);
        let wire = wire.unwrap_or_default();
        ErrorObject {
            code: member(wire.code).unwrap_or(-32000),
            message: member(said).unwrap_or_else(|| said.map_or("", RawValue::get).to_owned()),
            data: member(wire.data),
        }
    }
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
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Decodes the envelope of one message (already free of lone surrogates).
///
/// # Errors
/// The message is not a JSON object of the protocol's outer shape.
pub fn decode(message: &[u8]) -> Result<Incoming<'_>, serde_json::Error> {
    if !message.trim_ascii_start().starts_with(b"{") {
        // Derived decoders would take the members from an array as well, in order.
        return Err(serde::de::Error::custom("a message is an object"));
    }
    let envelope: Envelope<'_> = serde_json::from_slice(message)?;
    Ok(match envelope {
        Envelope {
            id: Some(id),
            error: Some(error),
            ..
        } => Incoming::Reply {
            id,
            outcome: Err(ErrorObject::read(error)),
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
    fn no_error_is_too_odd_to_be_an_answer() {
        for (error, code, message, data) in [
            (
                r#"{"code":-32601.5,"message":"no such"}"#,
                -32000,
                "no such",
                None,
            ),
            (
                r#"{"code":null,"message":{"text":1},"data":"d"}"#,
                -32000,
                r#"{"text":1}"#,
                Some("d"),
            ),
            (
                r#"{"code":7,"message":"m","data":{"x":1},"more":1}"#,
                7,
                "m",
                None,
            ),
            (r#""in words""#, -32000, "in words", None),
            (r#"[1,"2","3"]"#, -32000, r#"[1,"2","3"]"#, None),
            ("{}", -32000, "", None),
        ] {
            let text = format!(r#"{{"id":8,"error":{error},"sessionId":"S"}}"#);
            match decode(text.as_bytes()).unwrap() {
                Incoming::Reply {
                    id: 8,
                    outcome: Err(got),
                } => assert_eq!(
                    (got.code, got.message.as_str(), got.data.as_deref()),
                    (code, message, data),
                    "{error}"
                ),
                other => panic!("{error}: {other:?}"),
            }
        }
        assert!(matches!(
            decode(br#"{"id":8,"error":null,"result":{}}"#).unwrap(),
            Incoming::Reply { outcome: Ok(_), .. }
        ));
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
            b" [7,null,null,null,{},null]",
        ] {
            assert!(decode(junk).is_err(), "{junk:?}");
        }
    }
}
