//! From the engine's values to ours: exceptions, results, texts.

use std::borrow::Cow;

use rquickjs::{Coerced, Ctx, Object, Value};

use super::error::{ScriptError, Thrown};
use super::limits::{Limit, Limits};

/// Bytes of an exception's text that are kept.
const MAX_MESSAGE: usize = 20_000;

/// Where the script's own code stands in stack traces.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) file: String,
    /// Characters of ours in front of its first line.
    pub(super) shift: u32,
}

/// Names that exist in Node and not here.
const ABSENT: [(&str, &str); 18] = [
    ("require", MODULES),
    ("module", MODULES),
    ("exports", MODULES),
    ("__dirname", FILES),
    ("__filename", FILES),
    ("fs", FILES),
    ("path", FILES),
    ("process", PROCESS),
    (
        "global",
        "not available in PlayGuard: global; the global object is globalThis",
    ),
    ("Request", WEB),
    ("FormData", WEB),
    ("Blob", WEB),
    ("XMLHttpRequest", WEB),
    ("WebSocket", WEB),
    ("window", DOM),
    ("document", DOM),
    (
        "expect",
        "not available in PlayGuard: expect; throw an Error, or use the browser_verify tools",
    ),
    (
        "browser",
        "not available in PlayGuard: browser; use page.context()",
    ),
];
const MODULES: &str =
    "not available in PlayGuard: modules; a script has page and the web platform's globals only";
const FILES: &str =
    "not available in PlayGuard: files; let the script return its data, or use the file tools";
const PROCESS: &str =
    "not available in PlayGuard: process; scripts see no environment, arguments or commands";
const WEB: &str = "not available in PlayGuard: this part of the web platform; the page has it, in page.evaluate(() => …)";
const DOM: &str =
    "not available here: the document; it is in the page, reach it by page.evaluate(() => …)";

/// The engine throws null where it has no memory for an exception.
const NULL: &str = "null was thrown; the engine does that too when the memory limit is reached and nothing is left for an error";

/// What an exception says.
pub(super) fn exception<'js>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    place: &Place,
    limits: &Limits,
) -> ScriptError {
    let Some(object) = value.as_object() else {
        let hint = value.is_null().then_some(NULL);
        let text = coerced(ctx, value).unwrap_or_else(|| "Error".to_owned());
        return ScriptError::Thrown(Thrown {
            text: cut(text),
            hint,
            ..Thrown::default()
        });
    };
    if !object.is_error() {
        let text = coerced(ctx, value).unwrap_or_else(|| "[object Object]".to_owned());
        return ScriptError::Thrown(Thrown {
            text: cut(text),
            ..Thrown::default()
        });
    }
    let name = property(ctx, object, "name").unwrap_or_else(|| "Error".to_owned());
    let message = property(ctx, object, "message").unwrap_or_default();
    let stack = property(ctx, object, "stack").unwrap_or_default();
    let (line, column) = position(&stack, place).unzip();
    match (name.as_str(), message.as_str()) {
        ("InternalError", "out of memory") => {
            let limit = Limit::Memory(limits.memory);
            return ScriptError::Limit { limit, line };
        }
        ("RangeError" | "InternalError", "Maximum call stack size exceeded" | "stack overflow") => {
            let limit = Limit::Stack(limits.stack);
            return ScriptError::Limit { limit, line };
        }
        _ => {}
    }
    let hint = absent(&name, &message);
    let text = match (name.is_empty(), message.is_empty()) {
        (true, _) => message,
        (_, true) => name,
        _ => format!("{name}: {message}"),
    };
    ScriptError::Thrown(Thrown {
        text: cut(text),
        line,
        column,
        hint,
        in_callback: false,
    })
}

fn absent(name: &str, message: &str) -> Option<&'static str> {
    if name != "ReferenceError" {
        return None;
    }
    let used = message.strip_suffix(" is not defined")?;
    ABSENT
        .iter()
        .find(|(absent, _)| *absent == used)
        .map(|(_, hint)| *hint)
}

/// A property as text; `None` when it is not there, or throws when read.
fn property<'js>(ctx: &Ctx<'js>, object: &Object<'js>, name: &str) -> Option<String> {
    match object.get::<_, Value>(name) {
        Ok(value) if value.is_undefined() => None,
        Ok(value) => coerced(ctx, value),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

/// `String(value)`.
fn coerced<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Option<String> {
    if let Some(symbol) = value.as_symbol() {
        let description = symbol.description().ok()?.get::<String>();
        return Some(format!("Symbol({})", description.unwrap_or_default()));
    }
    if let Some(string) = value.as_string() {
        return text(ctx, string);
    }
    match value.get::<Coerced<rquickjs::String>>() {
        Ok(string) => text(ctx, &string.0),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

/// A string of the engine; halves of surrogate pairs become U+FFFD.
pub(super) fn text<'js>(ctx: &Ctx<'js>, string: &rquickjs::String<'js>) -> Option<String> {
    if let Ok(text) = string.to_string() {
        return Some(text);
    }
    // Not UTF-8: as JSON it is ASCII where it matters.
    let Ok(Some(json)) = ctx.json_stringify(string.clone()) else {
        ctx.catch();
        return None;
    };
    serde_json::from_str(&well_formed(&json.to_string().ok()?)).ok()
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_MESSAGE {
        // The last whole character below the limit; 0 always is a boundary.
        let end = (0..=MAX_MESSAGE)
            .rev()
            .find(|&at| text.is_char_boundary(at));
        let end = end.unwrap_or_default();
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The innermost frame of the script's own code: line and column, from 1.
fn position(stack: &str, place: &Place) -> Option<(u32, u32)> {
    let file = format!("{}:", place.file);
    stack.lines().find_map(|frame| {
        let start = frame.find(&file)? + file.len();
        let mut numbers = frame[start..].split([':', ')']).map(str::parse::<u32>);
        let line = numbers.next()?.ok()?;
        let column = numbers.next().and_then(Result::ok).unwrap_or(1);
        let column = match line {
            1 => column.saturating_sub(place.shift).max(1),
            _ => column,
        };
        Some((line, column))
    })
}

/// JSON text as `JSON.stringify` writes it, with lone surrogates, which JSON has and Rust has not,
/// replaced. (Pairs are never escaped by `JSON.stringify`.)
pub(super) fn well_formed(json: &str) -> Cow<'_, str> {
    if !json.contains("\\ud") {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at..];
        let bytes = escape.as_bytes();
        let lone = bytes.len() >= 6
            && bytes.starts_with(b"\\ud")
            && matches!(bytes[3], b'8' | b'9' | b'a'..=b'f')
            && bytes[4..6].iter().all(u8::is_ascii_hexdigit);
        // What follows a backslash in JSON is ASCII.
        let length = if lone { 6 } else { 2.min(escape.len()) };
        if lone {
            out.push_str("\\ufffd");
        } else {
            out.push_str(escape.get(..length).unwrap_or(escape));
        }
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// `JSON.stringify(value)`; `None` for `undefined` and functions.
pub(super) fn result<'js>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    place: &Place,
    limits: &Limits,
) -> Result<Option<String>, ScriptError> {
    match ctx.json_stringify(value) {
        Ok(None) => Ok(None),
        Ok(Some(json)) => {
            let json = json
                .to_string()
                .map_err(|error| ScriptError::Engine(error.to_string()))?;
            if json.len() > limits.result {
                let limit = Limit::Result(limits.result);
                return Err(ScriptError::Limit { limit, line: None });
            }
            Ok(Some(json))
        }
        Err(_) => {
            let mut error = exception(ctx, ctx.catch(), place, limits);
            // The sentences that agents know.
            if let ScriptError::Thrown(thrown) = &mut error {
                let known = match thrown.text.as_str() {
                    "TypeError: circular reference" => "Converting circular structure to JSON",
                    "TypeError: BigInt are forbidden in JSON.stringify" => {
                        "Do not know how to serialize a BigInt"
                    }
                    _ => return Err(error),
                };
                thrown.text = format!("TypeError: {known}");
            }
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_replaced() {
        assert_eq!(well_formed(r#""a\n""#), r#""a\n""#);
        assert_eq!(well_formed(r#""\ud800x\udfff""#), r#""\ufffdx\ufffd""#);
        assert_eq!(well_formed(r#""\\ud800 \ud7ff""#), r#""\\ud800 \ud7ff""#);
        assert_eq!(well_formed(r#""\\\ud83d""#), r#""\\\ufffd""#);
        assert_eq!(well_formed("\\ud8"), "\\ud8");
    }

    #[test]
    fn the_first_frame_in_the_code_is_the_place() {
        let place = Place {
            file: "script".into(),
            shift: 8,
        };
        let stack = "    at click (playguard:page:10:3)\n    at <anonymous> (script:3:7)\n    at script:1:20";
        assert_eq!(position(stack, &place), Some((3, 7)));
        assert_eq!(position("    at script:1:20", &place), Some((1, 12)));
        assert_eq!(position("    at script:1:2", &place), Some((1, 1)));
        assert_eq!(position("    at native", &place), None);
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let text = cut("é".repeat(MAX_MESSAGE));
        assert_eq!(text.len(), MAX_MESSAGE + "…".len());
    }
}
