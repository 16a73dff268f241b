//! JSON-RPC 2.0 envelopes, one per line. What methods mean is not known here.

use rmcp::ErrorData;
use rmcp::model::RequestId;
use serde::Serialize;
use serde_json::{Map, Value};

/// One message of a peer.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// Wants an answer.
    Request {
        id: RequestId,
        method: String,
        params: Option<Value>,
    },
    /// Wants none.
    Notification {
        method: String,
        params: Option<Value>,
    },
    /// Answers a request of ours. `None` when its id cannot be one of ours.
    Response {
        id: Option<RequestId>,
        outcome: Result<Value, Value>,
    },
    /// No message of the protocol.
    Malformed {
        id: Option<RequestId>,
        /// It names a method, as only requests do: somebody waits for an answer.
        asks: bool,
        error: ErrorData,
    },
}

/// The messages of a line; several when it holds a batch, as protocol 2025-03-26 allows.
pub(super) fn parse(line: &str) -> Vec<Incoming> {
    match serde_json::from_str(line) {
        Ok(Value::Array(batch)) if !batch.is_empty() => batch.into_iter().map(message).collect(),
        Ok(value) => vec![message(value)],
        Err(error) => vec![unreadable(format!("Parse error: {error}"))],
    }
}

/// What stands for input that is not JSON at all.
pub(super) fn unreadable(reason: String) -> Incoming {
    Incoming::Malformed {
        id: None,
        asks: false,
        error: ErrorData::parse_error(reason, None),
    }
}

fn message(value: Value) -> Incoming {
    let Value::Object(mut fields) = value else {
        return invalid(None, false, "a message is an object");
    };
    let raw_id = fields.remove("id");
    let id = raw_id
        .clone()
        .and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    match fields.remove("method") {
        Some(Value::String(method)) => {
            let params = fields.remove("params");
            match (raw_id, id) {
                (None, _) => Incoming::Notification { method, params },
                (Some(_), Some(id)) => Incoming::Request { id, method, params },
                (Some(_), None) => invalid(None, true, "an id is a string or an integer"),
            }
        }
        Some(_) => invalid(id, true, "a method is a string"),
        None => match outcome(&mut fields) {
            Some(outcome) => Incoming::Response { id, outcome },
            None => invalid(id, false, "a message has a method, a result or an error"),
        },
    }
}

fn outcome(fields: &mut Map<String, Value>) -> Option<Result<Value, Value>> {
    // An error beside a result means that something went wrong.
    match fields.remove("error") {
        Some(error) => Some(Err(error)),
        None => fields.remove("result").map(Ok),
    }
}

fn invalid(id: Option<RequestId>, asks: bool, reason: &str) -> Incoming {
    let error = ErrorData::invalid_request(format!("Invalid Request: {reason}"), None);
    Incoming::Malformed { id, asks, error }
}

/// A message of ours.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Outgoing<'a, T: Serialize> {
    /// A good answer.
    Result {
        jsonrpc: Version,
        id: &'a RequestId,
        result: T,
    },
    /// A bad answer; `null` as id when that of the request is unknown.
    Error {
        jsonrpc: Version,
        id: Option<&'a RequestId>,
        error: &'a ErrorData,
    },
    /// A request to the client.
    Request {
        jsonrpc: Version,
        id: &'a RequestId,
        method: &'a str,
    },
    /// A notification to the client.
    Notification { jsonrpc: Version, method: &'a str },
}

/// A message without a result.
type Plain<'a> = Outgoing<'a, ()>;

/// The constant `"2.0"`.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) enum Version {
    #[serde(rename = "2.0")]
    V2,
}

/// An answer as a line, with its line end.
pub(super) fn answer<T: Serialize>(id: &RequestId, outcome: Result<T, ErrorData>) -> Vec<u8> {
    match outcome {
        Ok(result) => line(&Outgoing::Result {
            jsonrpc: Version::V2,
            id,
            result,
        }),
        Err(error) => refusal(Some(id), &error),
    }
}

/// An error as a line.
pub(super) fn refusal(id: Option<&RequestId>, error: &ErrorData) -> Vec<u8> {
    line(&Plain::Error {
        jsonrpc: Version::V2,
        id,
        error,
    })
}

/// A request without params as a line.
pub(super) fn request(id: &RequestId, method: &str) -> Vec<u8> {
    line(&Plain::Request {
        jsonrpc: Version::V2,
        id,
        method,
    })
}

/// A notification without params as a line.
pub(super) fn notification(method: &str) -> Vec<u8> {
    line(&Plain::Notification {
        jsonrpc: Version::V2,
        method,
    })
}

fn line<T: Serialize>(message: &Outgoing<'_, T>) -> Vec<u8> {
    // Maps with keys that are no strings are what makes serde_json fail; messages have none. Should
    // it happen all the same, the line is a valid message too.
    let mut line = serde_json::to_vec(message).unwrap_or_else(|error| {
        tracing::error!(%error, "a message could not be serialised");
        br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}"#
            .to_vec()
    });
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ErrorCode;
    use serde_json::json;

    fn one(line: &str) -> Incoming {
        let mut all = parse(line);
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    fn code(incoming: &Incoming) -> Option<(Option<RequestId>, i32)> {
        match incoming {
            Incoming::Malformed {
                id,
                error:
                    ErrorData {
                        code: ErrorCode(code),
                        ..
                    },
                ..
            } => Some((id.clone(), *code)),
            _ => None,
        }
    }

    #[test]
    fn the_four_kinds() {
        assert_eq!(
            one(r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":null}"#),
            Incoming::Request {
                id: RequestId::String("a".into()),
                method: "ping".to_owned(),
                params: Some(Value::Null)
            }
        );
        assert_eq!(
            one(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            Incoming::Notification {
                method: "notifications/initialized".to_owned(),
                params: None
            }
        );
        assert_eq!(
            one(r#"{"id":3,"result":{"roots":[]}}"#),
            Incoming::Response {
                id: Some(RequestId::Number(3)),
                outcome: Ok(json!({"roots": []}))
            }
        );
        assert_eq!(
            one(r#"{"id":3,"result":{},"error":{"code":1}}"#),
            Incoming::Response {
                id: Some(RequestId::Number(3)),
                outcome: Err(json!({"code": 1}))
            }
        );
    }

    #[test]
    fn what_is_no_message() {
        assert_eq!(code(&one("hello")), Some((None, -32700)));
        assert_eq!(code(&one("{")), Some((None, -32700)));
        assert_eq!(code(&one("5")), Some((None, -32600)));
        assert_eq!(code(&one("[]")), Some((None, -32600)));
        assert_eq!(code(&one(r#"{"foo":"bar"}"#)), Some((None, -32600)));
        assert_eq!(
            code(&one(r#"{"id":1.5,"method":"ping"}"#)),
            Some((None, -32600))
        );
        assert_eq!(
            code(&one(r#"{"id":null,"method":"ping"}"#)),
            Some((None, -32600))
        );
        assert_eq!(
            code(&one(r#"{"id":7,"method":4}"#)),
            Some((Some(RequestId::Number(7)), -32600))
        );
        for (line, asks) in [
            (r#"{"id":[1],"method":"ping"}"#, true),
            (r#"{"id":18446744073709551616,"method":"ping"}"#, true),
            (r#"{"method":5}"#, true),
            (r#"{"id":1.5,"foo":1}"#, false),
            ("nonsense", false),
        ] {
            let Incoming::Malformed { id, asks: told, .. } = one(line) else {
                panic!("{line} is a message");
            };
            assert_eq!((id, told), (None, asks), "{line}");
        }
        // The answer to a parse error, sent back to us, asks for no further answer.
        let echoed = one(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#);
        assert!(matches!(echoed, Incoming::Response { id: None, .. }));
    }

    #[test]
    fn deep_nesting_is_a_parse_error() {
        assert_eq!(code(&one(&"[".repeat(100_000))), Some((None, -32700)));
    }

    #[test]
    fn batches_are_taken_apart() {
        let messages = parse(r#"[{"id":1,"method":"ping"},{"method":"x"},[]]"#);
        assert_eq!(messages.len(), 3);
        assert_eq!(code(&messages[2]), Some((None, -32600)));
    }

    #[test]
    fn lines_out() {
        let id = RequestId::Number(1);
        let text = |line: Vec<u8>| String::from_utf8(line).unwrap();
        assert_eq!(
            text(answer(&id, Ok(json!({})))),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
        );
        assert_eq!(
            text(refusal(None, &ErrorData::parse_error("x", None))),
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n"
        );
        assert_eq!(
            text(request(&id, "roots/list")),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n"
        );
        assert_eq!(
            text(notification("n")),
            "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n"
        );
    }
}
