//! Replaces secrets in texts by their names.

use crate::config::Secrets;

/// Replaces each value of some secrets by `<secret>NAME</secret>`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redactor {
    secrets: Secrets,
    /// What is looked for and which secret it stands for, longest first; none in stock.
    forms: Vec<(Form, usize)>,
    stock: bool,
}

/// A text that shows a secret.
#[derive(Clone, PartialEq, Eq)]
struct Form(String);

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(hidden)")
    }
}

impl Redactor {
    /// With `stock`, as upstream: plain values only, one after the other, and exceptions pass.
    /// Otherwise values are also found as code, JSON and addresses write them, and everywhere.
    pub fn new(secrets: &Secrets, stock: bool) -> Self {
        let mut forms = Vec::new();
        if !stock {
            for (index, (_, value)) in secrets.iter().enumerate() {
                for form in spellings(value) {
                    forms.push((Form(form), index));
                }
            }
            // What contains another must be looked for before it.
            forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.0.len()));
        }
        Self {
            secrets: secrets.clone(),
            forms,
            stock,
        }
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.secrets.iter().next().is_none()
    }

    /// Whether exceptions are let pass as they are.
    pub fn spares_exceptions(&self) -> bool {
        self.stock
    }

    /// The text without secrets.
    pub fn redact(&self, text: String) -> String {
        if self.is_empty() {
            return text;
        }
        if self.stock {
            return self.secrets.iter().fold(text, |text, (name, value)| {
                if text.contains(value) {
                    text.replace(value, &tag(name))
                } else {
                    text
                }
            });
        }
        self.in_one_pass(text)
    }

    /// Names put in are not searched again: a secret may be part of a name.
    fn in_one_pass(&self, text: String) -> String {
        if !self.forms.iter().any(|(form, _)| text.contains(&form.0)) {
            return text;
        }
        let names: Vec<&str> = self.secrets.iter().map(|(name, _)| name).collect();
        let mut pieces = vec![Piece::Open(text)];
        for (form, index) in &self.forms {
            let mut next = Vec::with_capacity(pieces.len());
            for piece in pieces {
                let Piece::Open(text) = piece else {
                    next.push(piece);
                    continue;
                };
                for (at, part) in text.split(&form.0).enumerate() {
                    if at > 0 {
                        next.push(Piece::Name(*index));
                    }
                    if !part.is_empty() {
                        next.push(Piece::Open(part.to_owned()));
                    }
                }
            }
            pieces = next;
        }
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Open(text) => out.push_str(&text),
                Piece::Name(index) => {
                    out.push_str(&tag(names.get(index).copied().unwrap_or_default()));
                }
            }
        }
        out
    }

    /// The bytes of a file, redacted when they are text.
    pub fn redact_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        if self.is_empty() {
            return bytes;
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.redact(text).into_bytes(),
            Err(other) => other.into_bytes(),
        }
    }
}

enum Piece {
    /// Text yet to be searched.
    Open(String),
    /// The name of this secret.
    Name(usize),
}

fn tag(name: &str) -> String {
    format!("<secret>{name}</secret>")
}

/// A value as it may be written: plain, inside the quotes of code and of JSON, in an address
/// (RFC 3986 §2.1), and there as forms write it.
fn spellings(value: &str) -> Vec<String> {
    let mut all = vec![value.to_owned()];
    let mut add = |text: String| {
        if !all.contains(&text) {
            all.push(text);
        }
    };
    let json = serde_json::Value::from(value).to_string();
    add(json[1..json.len() - 1].to_owned());
    let code = crate::tools::js_code::quote(value);
    add(code[1..code.len() - 1].to_owned());
    let address = percent_encoded(value);
    add(address.replace("%20", "+"));
    add(address);
    all
}

fn percent_encoded(value: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(entries: &[(&str, &str)], stock: bool) -> Redactor {
        let owned = entries
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Redactor::new(&Secrets::new(owned), stock)
    }

    #[test]
    fn values_become_names() {
        for stock in [true, false] {
            let redactor = redactor(&[("KEY", "hunter2"), ("NONE", "")], stock);
            assert_eq!(
                redactor.redact("a hunter2 b hunter2".to_owned()),
                "a <secret>KEY</secret> b <secret>KEY</secret>"
            );
            assert_eq!(redactor.redact("plain".to_owned()), "plain");
        }
    }

    #[test]
    fn stock_replaces_one_after_the_other() {
        let entries = [("A", "x"), ("B", "secret")];
        assert_eq!(
            redactor(&entries, true).redact("x".to_owned()),
            "<<secret>B</secret>>A</<secret>B</secret>>"
        );
        assert_eq!(
            redactor(&entries, false).redact("x".to_owned()),
            "<secret>A</secret>"
        );
    }

    #[test]
    fn other_spellings_are_found_outside_stock() {
        let value = "it's \"a b\"\n&c";
        let ours = redactor(&[("K", value)], false);
        for text in [
            r#"{"v":"it's \"a b\"\n&c"}"#,
            r#"fill('it\'s "a b"\n&c')"#,
            "?q=it%27s%20%22a%20b%22%0A%26c",
            "?q=it%27s+%22a+b%22%0A%26c",
        ] {
            let hidden = ours.redact(text.to_owned());
            assert!(hidden.contains("<secret>K</secret>"), "{hidden}");
        }
        let stock = redactor(&[("K", value)], true);
        assert_eq!(stock.redact("%27s%20".to_owned()), "%27s%20");
    }

    #[test]
    fn the_longer_value_wins() {
        let redactor = redactor(&[("SHORT", "pass"), ("LONG", "password")], false);
        assert_eq!(
            redactor.redact("password pass".to_owned()),
            "<secret>LONG</secret> <secret>SHORT</secret>"
        );
    }

    #[test]
    fn only_text_files_change() {
        let redactor = redactor(&[("K", "PNG")], false);
        let picture = b"\x89PNG\r\n".to_vec();
        assert_eq!(redactor.redact_bytes(picture.clone()), picture);
        assert_eq!(
            redactor.redact_bytes(b"PNG".to_vec()),
            b"<secret>K</secret>"
        );
    }
}
