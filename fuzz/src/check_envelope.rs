//! The decoder of browser messages: repair of lone surrogates, then the envelope.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::envelope::{Incoming, decode};
use crate::surrogates::repair;

/// Checks one message.
///
/// # Panics
/// When repairing or decoding breaks a promise.
pub fn check(message: &[u8]) {
    let repaired = repair(message);
    assert_eq!(
        repaired.len(),
        message.len(),
        "repairing changed the length"
    );
    assert_eq!(
        repair(&repaired),
        repaired,
        "repairing twice is not repairing once"
    );
    assert_eq!(lone_surrogate(&repaired), None, "a lone surrogate is left");
    if lone_surrogate(message).is_none() {
        assert_eq!(repaired, message, "there was nothing to repair");
    }
    let value = is_readable(message, &repaired);
    match decode(&repaired) {
        Ok(Incoming::Reply { id, outcome }) => {
            if let Some(value) = &value {
                assert_eq!(value["id"].as_u64(), Some(id));
                assert_eq!(outcome.is_err(), !value["error"].is_null());
            }
            if let Ok(result) = outcome {
                let result: Result<IgnoredAny, _> = serde_json::from_str(result.get());
                assert!(result.is_ok(), "the result is not JSON");
            }
        }
        Ok(Incoming::Event {
            method,
            session_id,
            params,
        }) => {
            if let Some(value) = &value {
                assert_eq!(value["method"], *method);
                assert_eq!(value["sessionId"].as_str(), session_id.as_deref());
            }
            let params: Result<IgnoredAny, _> = serde_json::from_str(params.get());
            assert!(params.is_ok(), "the parameters are not JSON");
        }
        Ok(Incoming::Other) => {}
        Err(_) => {
            if let Some(value) = &value {
                assert!(!is_answer(value), "an answer was lost: {value}");
            }
        }
    }
}

/// Whether a message is the answer to a command, as plainly as can be: whoever
/// waits for it must not wait in vain, whatever else it says.
fn is_answer(value: &Value) -> bool {
    let text = |name: &str| matches!(value[name], Value::Null | Value::String(_));
    value["id"].is_u64() && text("method") && text("sessionId")
}

/// The message as a value. None if it is no JSON, or beyond what serde_json reads
/// for reasons that have nothing to do with surrogates.
fn is_readable(message: &[u8], repaired: &[u8]) -> Option<Value> {
    // Skipping accepts any surrogate; reading does not.
    let skipped: Result<IgnoredAny, _> = serde_json::from_slice(message);
    let is_json = skipped.is_ok() && std::str::from_utf8(message).is_ok();
    match serde_json::from_slice::<Value>(repaired) {
        Ok(value) => {
            assert!(is_json, "repairing made JSON of what was none");
            let text = value.to_string();
            // A value keeps the last of several members of one name; the decoder
            // refuses them.
            (keys(repaired) == keys(text.as_bytes())).then_some(value)
        }
        Err(error) => {
            let text = error.to_string();
            let limit =
                text.starts_with("number out of range") || text.starts_with("recursion limit");
            assert!(!is_json || limit, "still not readable: {error}");
            None
        }
    }
}

/// Number of names and strings, as far as quotes tell.
fn keys(json: &[u8]) -> usize {
    let (mut count, mut at) = (0, 0);
    while let Some(&byte) = json.get(at) {
        count += usize::from(byte == b'"');
        at += if byte == b'\\' { 2 } else { 1 };
    }
    count
}

/// Where the first escaped surrogate without its other half stands. Written
/// unlike `repair`: it goes through the text unit by unit.
fn lone_surrogate(json: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut high = None;
    while at < json.len() {
        let unit = match json[at..] {
            [b'\\', b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(u8::is_ascii_hexdigit) => {
                let digits = [a, b, c, d].map(|d| (d as char).to_digit(16).unwrap_or(0));
                Some(digits.into_iter().fold(0, |n, d| n * 16 + d))
            }
            _ => None,
        };
        let length = match unit {
            Some(_) => 6,
            None if json[at] == b'\\' => 2,
            None => 1,
        };
        match (high.take(), unit) {
            (Some(_), Some(0xDC00..=0xDFFF)) => {}
            (Some(start), _) => return Some(start),
            (None, Some(0xDC00..=0xDFFF)) => return Some(at),
            (None, _) => {}
        }
        if let Some(0xD800..=0xDBFF) = unit {
            high = Some(at);
        }
        at += length;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_finds_lone_halves() {
        assert_eq!(lone_surrogate(br#""\ud83d\ude00""#), None);
        assert_eq!(lone_surrogate(br#""\ud83dx""#), Some(1));
        assert_eq!(lone_surrogate(br#""\ud83d\ud83d\ude00""#), Some(1));
        assert_eq!(lone_surrogate(br#""\ude00""#), Some(1));
        assert_eq!(lone_surrogate(br#""\\ude00""#), None);
    }

    #[test]
    fn seeds() {
        for seed in crate::page::seeds("envelope") {
            check(&seed);
        }
    }
}
