//! The INI notation of configuration files, as the `ini` package of Node reads
//! it: sections, dotted keys, `key[] = value` for lists, comments after `;`
//! or `#`.

use serde_json::{Map, Value};

/// Reads a whole file. There is no wrong INI: what is no section is a key, and
/// a key without `=` is true.
pub(super) fn parse(text: &str) -> Map<String, Value> {
    let mut root = Map::new();
    let mut section: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = segments(&unquoted(name).1);
            continue;
        }
        let (key, value) = match line.split_once('=') {
            Some((key, value)) => (key, scalar(value)),
            None => (line, Value::Bool(true)),
        };
        let (_, key) = unquoted(key);
        let (key, repeated) = match key.strip_suffix("[]") {
            Some(key) if !key.is_empty() => (key.to_owned(), true),
            _ => (key, false),
        };
        let mut path = section.clone();
        path.extend(segments(&key));
        put(&mut root, &path, value, repeated);
    }
    root
}

fn segments(dotted: &str) -> Vec<String> {
    dotted
        .split('.')
        .map(|part| part.trim().to_owned())
        .collect()
}

/// Sets a value below nested objects; what is in the way of one is replaced.
fn put(root: &mut Map<String, Value>, path: &[String], value: Value, repeated: bool) {
    let Some((last, parents)) = path.split_last() else {
        return;
    };
    let mut object = root;
    for parent in parents {
        let slot = object.entry(parent.as_str()).or_insert(Value::Null);
        if !slot.is_object() {
            *slot = Value::Object(Map::new());
        }
        let Value::Object(inner) = slot else {
            return;
        };
        object = inner;
    }
    if !repeated {
        object.insert(last.clone(), value);
        return;
    }
    match object.entry(last.as_str()).or_insert(Value::Null) {
        Value::Array(items) => items.push(value),
        slot @ Value::Null => *slot = Value::Array(vec![value]),
        slot => *slot = Value::Array(vec![slot.take(), value]),
    }
}

fn scalar(text: &str) -> Value {
    let (quoted, text) = unquoted(text);
    match text.as_str() {
        "true" if !quoted => Value::Bool(true),
        "false" if !quoted => Value::Bool(false),
        "null" if !quoted => Value::Null,
        _ => Value::String(text),
    }
}

/// The text without its quotes, and whether it had any; or up to a comment,
/// with `\;`, `\#` and `\\` standing for the second character.
fn unquoted(text: &str) -> (bool, String) {
    let text = text.trim();
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            let read = serde_json::from_str::<String>(text);
            return (true, read.unwrap_or_else(|_| inner.to_owned()));
        }
    }
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next_if(|next| matches!(next, ';' | '#' | '\\')) {
                Some(next) => out.push(next),
                None => out.push('\\'),
            },
            ';' | '#' => break,
            other => out.push(other),
        }
    }
    (false, out.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dotted_keys_and_sections_are_the_same() {
        let dotted = "browser.isolated = true\nbrowser.contextOptions.viewport = 640x480";
        let sections = "[browser]\nisolated = true\n[browser.contextOptions]\nviewport = 640x480\n";
        let expected = json!({
            "browser": {"isolated": true, "contextOptions": {"viewport": "640x480"}}
        });
        assert_eq!(Value::Object(parse(dotted)), expected);
        assert_eq!(Value::Object(parse(sections)), expected);
    }

    #[test]
    fn lists_quotes_comments_and_bare_keys() {
        let text = "; remark\n# remark\ncapabilities[] = pdf\ncapabilities[]=vision ; more\n\
                    outputDir = \"a;b\"\nsaveSession\ncodegen = a\\;b\nextension = 'true'\n";
        assert_eq!(
            Value::Object(parse(text)),
            json!({
                "capabilities": ["pdf", "vision"],
                "outputDir": "a;b",
                "saveSession": true,
                "codegen": "a;b",
                "extension": "true",
            })
        );
    }

    #[test]
    fn nothing_is_too_odd() {
        for text in [
            "",
            "=",
            "[]",
            "[",
            "a.b=1\na=2\na.c=3",
            "..=1",
            "\"=\"",
            "a[]",
            "[]=1",
        ] {
            parse(text);
        }
        assert_eq!(
            Value::Object(parse("a.b=1\na=2\na.c=3")),
            json!({"a": {"c": "3"}})
        );
    }
}
