//! Places in scripts and the text of uncaught exceptions.

use serde::Deserialize;

use super::Style;
use super::preview::RemoteObject;

/// A place in a script or document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// Empty when the browser gave none.
    pub url: String,
    /// Counted from 0, as the protocol does.
    pub line: u64,
    /// Counted from 0.
    pub column: u64,
}

/// `Runtime.StackTrace`; asynchronous parents are not used.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StackTrace {
    call_frames: Vec<CallFrame>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CallFrame {
    function_name: String,
    url: String,
    #[serde(deserialize_with = "super::count")]
    line_number: u64,
    #[serde(deserialize_with = "super::count")]
    column_number: u64,
}

impl StackTrace {
    /// Where the innermost frame stands.
    pub(super) fn top(&self) -> Option<Location> {
        self.call_frames.first().map(|frame| Location {
            url: frame.url.clone(),
            line: frame.line_number,
            column: frame.column_number,
        })
    }

    fn push_frames(&self, text: &mut String) {
        for frame in &self.call_frames {
            let name = match frame.function_name.as_str() {
                "" => "<anonymous>",
                name => name,
            };
            text.push_str(&format!(
                "\n    at {name} ({}:{}:{})",
                frame.url, frame.line_number, frame.column_number
            ));
        }
    }
}

/// `Runtime.ExceptionDetails`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ExceptionDetails {
    text: String,
    url: Option<String>,
    #[serde(deserialize_with = "super::count")]
    line_number: u64,
    #[serde(deserialize_with = "super::count")]
    column_number: u64,
    stack_trace: Option<StackTrace>,
    exception: Option<RemoteObject>,
}

impl ExceptionDetails {
    /// The stack as the engine wrote it, or the thrown value when there is none.
    pub(super) fn text(&self, style: Style) -> String {
        let mut text = self.words(style);
        if has_stack(&text) {
            return text;
        }
        match style {
            Style::Stock => {
                if let Some(at) = text.find(": ") {
                    text.drain(..at + 2);
                }
            }
            Style::Full => {
                if let Some(url) = self.url.as_deref().filter(|url| !url.is_empty()) {
                    text.push_str(&format!(
                        "\n    at {url}:{}:{}",
                        self.line_number.saturating_add(1),
                        self.column_number.saturating_add(1)
                    ));
                }
            }
        }
        text
    }

    /// Where it was thrown.
    pub(super) fn location(&self) -> Location {
        let own = Location {
            url: self.url.clone().unwrap_or_default(),
            line: self.line_number,
            column: self.column_number,
        };
        if own.url.is_empty() {
            self.stack_trace
                .as_ref()
                .and_then(StackTrace::top)
                .unwrap_or(own)
        } else {
            own
        }
    }

    fn words(&self, style: Style) -> String {
        if let Some(exception) = &self.exception {
            return match (style, exception.description()) {
                (Style::Stock, Some(description)) => description.to_owned(),
                _ => exception.text(style),
            };
        }
        let mut text = self.text.clone();
        if let Some(stack) = &self.stack_trace {
            stack.push_frames(&mut text);
        }
        text
    }
}

fn has_stack(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("    at"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(json: &str) -> ExceptionDetails {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_error_is_its_stack() {
        let thrown = details(
            r#"{"text":"Uncaught","lineNumber":30,"columnNumber":23,"url":"http://h/","exception":{"type":"object","subtype":"error","description":"Error: boom\n    at http://h/:31:24"}}"#,
        );
        for style in [Style::Stock, Style::Full] {
            assert_eq!(thrown.text(style), "Error: boom\n    at http://h/:31:24");
        }
        assert_eq!(
            thrown.location(),
            Location {
                url: "http://h/".into(),
                line: 30,
                column: 23
            }
        );
    }

    #[test]
    fn a_syntax_error_has_no_stack_but_a_place() {
        let thrown = details(
            r#"{"text":"Uncaught","lineNumber":0,"columnNumber":8,"url":"http://h/s.js","exception":{"type":"object","subtype":"error","description":"SyntaxError: Unexpected token ';'"}}"#,
        );
        assert_eq!(thrown.text(Style::Stock), "Unexpected token ';'");
        assert_eq!(
            thrown.text(Style::Full),
            "SyntaxError: Unexpected token ';'\n    at http://h/s.js:1:9"
        );
    }

    #[test]
    fn anything_can_be_thrown() {
        let thrown = |exception: &str| {
            details(&format!(r#"{{"text":"Uncaught","exception":{exception}}}"#)).text(Style::Stock)
        };
        assert_eq!(thrown(r#"{"type":"string","value":"rejstr"}"#), "rejstr");
        assert_eq!(thrown(r#"{"type":"string","value":"foo: bar"}"#), "bar");
        assert_eq!(
            thrown(r#"{"type":"object","subtype":"null","value":null}"#),
            "null"
        );
        let object = r#"{"type":"object","description":"Object","preview":{"properties":[{"name":"a","value":"1"}]}}"#;
        assert_eq!(thrown(object), "Object");
        let json = format!(r#"{{"text":"Uncaught","exception":{object}}}"#);
        assert_eq!(details(&json).text(Style::Full), "{a: 1}");
    }

    #[test]
    fn without_a_value_the_frames_tell() {
        let thrown = details(
            r#"{"text":"Script error","stackTrace":{"callFrames":[{"functionName":"","url":"http://h/a.js","lineNumber":1,"columnNumber":2},{"functionName":"run","url":"http://h/a.js","lineNumber":3,"columnNumber":0}]}}"#,
        );
        assert_eq!(
            thrown.text(Style::Stock),
            "Script error\n    at <anonymous> (http://h/a.js:1:2)\n    at run (http://h/a.js:3:0)"
        );
        assert_eq!(thrown.location().line, 1);
        let unknown = details(
            r#"{"lineNumber":-1,"columnNumber":null,"stackTrace":{"callFrames":[{"lineNumber":-1}]}}"#,
        );
        assert_eq!(unknown.location(), Location::default());
    }
}
