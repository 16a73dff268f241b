//! Reads the part of YAML that our workflows are written in: blocks, plain and quoted scalars in one
//! line, lists in brackets, and literal texts. Anything else is an error, and so is a key that is
//! there twice.

use serde_json::{Map, Value};

struct Line<'t> {
    number: usize,
    indent: usize,
    text: &'t str,
}

/// The document as JSON. Scalars are strings, whatever they look like; what is empty is null.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut lines = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let content = line.trim_start_matches(' ');
        if content.starts_with('\t') || line.ends_with(' ') {
            return Err(format!("line {}: a tab, or space at the end", place + 1));
        }
        lines.push(Line {
            number: place + 1,
            indent: line.len() - content.len(),
            text: content,
        });
    }
    let mut reader = Reader { lines, at: 0 };
    let value = reader.block(0)?;
    match reader.peek() {
        None => Ok(value),
        Some(line) => Err(format!("line {}: not indented as before", line.number)),
    }
}

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

impl<'t> Reader<'t> {
    /// The next line that is neither empty nor a comment.
    fn peek(&mut self) -> Option<&Line<'t>> {
        while let Some(line) = self.lines.get(self.at)
            && (line.text.is_empty() || line.text.starts_with('#'))
        {
            self.at += 1;
        }
        self.lines.get(self.at)
    }

    fn block(&mut self, indent: usize) -> Result<Value, String> {
        match self.peek() {
            Some(line) if line.text.starts_with("- ") => self.list(indent),
            _ => self.map(indent),
        }
    }

    fn list(&mut self, indent: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        while let Some(line) = self.peek()
            && line.indent == indent
            && let Some(item) = line.text.strip_prefix("- ")
        {
            if key(item).is_some() {
                let at = self.at;
                self.lines[at].indent += 2;
                self.lines[at].text = item;
                items.push(self.map(indent + 2)?);
            } else {
                items.push(scalar(item).map_err(|error| format!("line {}: {error}", line.number))?);
                self.at += 1;
            }
        }
        Ok(items.into())
    }

    fn map(&mut self, indent: usize) -> Result<Value, String> {
        let mut map = Map::new();
        while let Some(line) = self.peek()
            && line.indent == indent
            && !line.text.starts_with("- ")
        {
            let number = line.number;
            let fault = |what: &str| format!("line {number}: {what}");
            let (key, value) = key(line.text).ok_or_else(|| fault("a key is expected"))?;
            self.at += 1;
            let value = match value {
                "|" => self.literal(indent),
                "" => match self.peek() {
                    Some(next) if next.indent > indent => {
                        let inner = next.indent;
                        self.block(inner)?
                    }
                    _ => Value::Null,
                },
                value => scalar(value).map_err(|error| fault(&error))?,
            };
            if map.insert(key.to_owned(), value).is_some() {
                return Err(fault("this key is there twice"));
            }
        }
        match self.peek() {
            Some(line) if line.indent > indent => {
                Err(format!("line {}: indented too far", line.number))
            }
            _ => Ok(map.into()),
        }
    }

    fn literal(&mut self, outer: usize) -> Value {
        let mut text = String::new();
        let mut indent = None;
        while let Some(line) = self.lines.get(self.at)
            && (line.text.is_empty() || line.indent > outer)
        {
            let indent = *indent.get_or_insert(line.indent);
            text.push_str(&" ".repeat(line.indent.saturating_sub(indent)));
            text.push_str(line.text);
            text.push('\n');
            self.at += 1;
        }
        Value::String(text.trim_end().to_owned() + "\n")
    }
}

/// A bare key, and what follows its colon, without a comment behind it.
fn key(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c))?;
    let value = text[end..].strip_prefix(':')?;
    if end == 0 || !(value.is_empty() || value.starts_with(' ')) {
        return None;
    }
    let value = value.trim_start();
    Some((
        &text[..end],
        if value.starts_with('#') { "" } else { value },
    ))
}

fn scalar(text: &str) -> Result<Value, String> {
    if let Some(list) = text.strip_prefix('[') {
        let list = list
            .strip_suffix(']')
            .ok_or("a list that does not end here")?;
        let items: Result<Vec<Value>, String> =
            list.split(',').map(|item| scalar(item.trim())).collect();
        return Ok(items?.into());
    }
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            let inner = rest.strip_suffix(quote).ok_or("text behind a quote")?;
            if inner.contains([quote, '\\']) {
                return Err("quotes or escapes in quotes".to_owned());
            }
            return Ok(inner.into());
        }
    }
    let plain = text.split(" #").next().unwrap_or_default().trim_end();
    // What begins so, or has this inside, means something else in YAML.
    if plain.is_empty()
        || plain.starts_with(|c| "&*!|>%@`{}[],?-:#".contains(c))
        || plain.contains(": ")
        || plain.ends_with(':')
    {
        return Err(format!("{plain:?} must be quoted"));
    }
    Ok(plain.into())
}

#[test]
fn yaml_as_we_write_it() {
    let text = "# c\na: 1 # d\nb:\n  - x\n  - y: \"2: 3\"\n    z: |\n      q\n        r\n\n      # s\n\
                \nc: [m, 'n']\nd:\ne: ${{ f.g }}\n";
    assert_eq!(
        parse(text),
        Ok(serde_json::json!({
            "a": "1",
            "b": ["x", { "y": "2: 3", "z": "q\n  r\n\n# s\n" }],
            "c": ["m", "n"],
            "d": null,
            "e": "${{ f.g }}",
        }))
    );
    for wrong in [
        "a: 1\na: 2",
        "a: b: c",
        "a: 1\n  b: 2",
        "a:\n  b: 1\n c: 2",
        "a: [1",
        "a: \"b",
        "a",
        "a:\n\tb: 1",
        "a: *b",
        "a: >",
        "  a: 1",
    ] {
        assert!(parse(wrong).is_err(), "{wrong:?}: {:?}", parse(wrong));
    }
}
