//! Values written as JavaScript source, for the code lines of replies.

use serde_json::{Map, Value};

/// A string literal in single quotes.
///
/// Escapes are those of JSON (ECMA-262 `QuoteJSONString`), except that double quotes stay and
/// single quotes are escaped.
pub fn quote(text: &str) -> String {
    quote_with(text, '\'')
}

/// A string literal in quotes of the given kind: `'`, `"` or a backquote.
pub fn quote_with(text: &str, mark: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(mark);
    for c in text.chars() {
        match c {
            _ if c == mark => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(mark);
    out
}

/// An object literal over several lines, keys sorted, `{}` when empty.
///
/// As upstream prints options: an absent key is an undefined one, the key `timeout` is left out,
/// keys are never quoted, and nested objects begin again at two spaces.
pub fn object(fields: &Map<String, Value>) -> String {
    match tokens(fields) {
        tokens if tokens.is_empty() => "{}".to_owned(),
        tokens => format!("{{\n  {}\n}}", tokens.join(",\n  ")),
    }
}

/// The same, but nothing at all when empty: for optional last arguments.
pub fn object_or_nothing(fields: &Map<String, Value>) -> String {
    if tokens(fields).is_empty() {
        String::new()
    } else {
        object(fields)
    }
}

/// An object literal on one line: `{ a: 1, b: null }`, `{}` when empty.
pub fn inline_object(fields: &Map<String, Value>) -> String {
    match tokens(fields) {
        tokens if tokens.is_empty() => "{}".to_owned(),
        tokens => format!("{{ {} }}", tokens.join(", ")),
    }
}

/// Any JSON value as source: strings in single quotes, arrays on one line, objects over several.
///
/// Recursion goes as deep as the value, which decoded JSON limits to 128 levels.
pub fn value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), number),
        Value::String(text) => quote(text),
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(self::value).collect::<Vec<_>>().join(", ")
            )
        }
        Value::Object(fields) => object(fields),
    }
}

fn tokens(fields: &Map<String, Value>) -> Vec<String> {
    let mut keys: Vec<&String> = fields.keys().filter(|key| *key != "timeout").collect();
    // JavaScript sorts by UTF-16 units.
    keys.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
    keys.into_iter()
        .map(|key| format!("{key}: {}", value(&fields[key])))
        .collect()
}

/// A number as JavaScript prints it (ECMA-262 `Number::toString`): `20.5`, `1e+21`, `1e-7`, `0` for
/// negative zero.
pub fn number(n: f64) -> String {
    if n.is_nan() {
        return "NaN".to_owned();
    }
    if n.is_infinite() {
        return if n > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if n == 0.0 {
        return "0".to_owned();
    }
    // Rust prints the shortest digits that read back the same, which is what the standard asks for;
    // only the layout differs.
    let scientific = format!("{:e}", n.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let count = digits.len() as i32;
    // The decimal point stands after this many digits.
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let sign = if n < 0.0 { "-" } else { "" };
    let zeros = |many: i32| "0".repeat(many.unsigned_abs() as usize);
    if count <= point && point <= 21 {
        format!("{sign}{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{sign}{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("{sign}0.{}{digits}", zeros(point))
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{dot}{rest}e{:+}", point - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn strings() {
        assert_eq!(quote("it's \"q\"\n"), r#"'it\'s "q"\n'"#);
        assert_eq!(quote("a\\b"), r"'a\\b'");
        assert_eq!(quote("\\\""), r#"'\\"'"#);
        assert_eq!(
            quote("\u{0}\u{8}\u{c}\r\t\u{1f}\u{7f}"),
            "'\\u0000\\b\\f\\r\\t\\u001f\u{7f}'"
        );
        assert_eq!(quote("größe \u{1f600}"), "'größe \u{1f600}'");
        assert_eq!(quote_with("it's \"q\"", '"'), r#""it's \"q\"""#);
        assert_eq!(quote_with("a`b", '`'), r"`a\`b`");
    }

    #[test]
    fn objects_over_several_lines() {
        let options = fields(json!({
            "type": "png", "path": ".playwright-mcp/page.png", "scale": "css", "timeout": 5000,
        }));
        assert_eq!(
            object(&options),
            "{\n  path: '.playwright-mcp/page.png',\n  scale: 'css',\n  type: 'png'\n}"
        );
    }

    #[test]
    fn nested_objects_do_not_indent_further() {
        let options = fields(json!({"files": ["a", "b"], "data": {"text/plain": "x"}}));
        assert_eq!(
            object(&options),
            "{\n  data: {\n  text/plain: 'x'\n},\n  files: ['a', 'b']\n}"
        );
    }

    #[test]
    fn empty_objects() {
        assert_eq!(object(&Map::new()), "{}");
        assert_eq!(object_or_nothing(&fields(json!({"timeout": 1}))), "");
        assert_eq!(
            object_or_nothing(&fields(json!({"button": "right"}))),
            "{\n  button: 'right'\n}"
        );
        assert_eq!(inline_object(&Map::new()), "{}");
    }

    #[test]
    fn objects_on_one_line() {
        let media = fields(json!({"media": null, "colorScheme": "dark"}));
        assert_eq!(
            inline_object(&media),
            "{ colorScheme: 'dark', media: null }"
        );
    }

    #[test]
    fn numbers_print_as_in_javascript() {
        for (n, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5.0, "5"),
            (20.5, "20.5"),
            (-1.25, "-1.25"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.234e-9, "1.234e-9"),
            (123456.789, "123456.789"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(number(n), text);
        }
        assert_eq!(value(&json!([1, 2.5, true])), "[1, 2.5, true]");
    }
}
