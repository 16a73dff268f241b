//! `playguard config`: the entry that makes an MCP client start this program, to be pasted or to be
//! put into the client's file.
//!
//! Files of clients are edited, not rewritten: [`merge()`] finds the place in the text and changes
//! that place alone, so that comments, order, indentation and line ends stay as they are. What it
//! does not understand well enough to edit it refuses. [`merge()`], [`snippet`], [`place`] and
//! [`start`] are pure; [`run()`] reads and writes.

mod client;
mod error;
mod json;
pub mod place;
mod run;
pub mod start;
mod toml;
mod write;

pub use client::Client;
pub use error::MergeError;
pub use run::{Request, run};

/// How to start the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name under which the client knows the server.
    pub name: String,
    /// The program.
    pub command: String,
    /// What it is started with.
    pub args: Vec<String>,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// It has the entry already.
    Same,
    /// It had no such entry; this is the text that has.
    Added(String),
    /// It had another entry of this name; this is the text in which it starts what it should.
    Updated(String),
}

/// The mark that some Windows editors put before UTF-8 (Unicode 23.8). It is not part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A whole file that holds nothing but this entry, with `\n` as line end.
pub fn snippet(client: Client, entry: &Entry) -> String {
    match client.shape() {
        client::Shape::Json(shape) => json::document(&shape, entry, "\n"),
        client::Shape::Toml => toml::document(entry, "\n"),
    }
}

/// Puts an entry into the text of a client's file. Everything else in it stays, byte for byte.
///
/// An entry of the same name keeps what is not ours to decide, such as `env` and `disabled`.
///
/// # Errors
/// [`MergeError`] when the text is broken, has something else in this place, or would lose a
/// comment.
pub fn merge(client: Client, text: &str, entry: &Entry) -> Result<Merged, MergeError> {
    let (mark, body) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(body) => (&text[..BYTE_ORDER_MARK.len_utf8()], body),
        None => ("", text),
    };
    let merged = match client.shape() {
        client::Shape::Json(shape) => json::merge(&shape, body, entry)?,
        client::Shape::Toml => toml::merge(body, entry)?,
    };
    let marked = |text: String| format!("{mark}{text}");
    Ok(match merged {
        Merged::Same => Merged::Same,
        Merged::Added(text) => Merged::Added(marked(text)),
        Merged::Updated(text) => Merged::Updated(marked(text)),
    })
}

/// The line end of a text: that of its first line, else `\n`.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// One change: these bytes of a text become that.
type Edit = (std::ops::Range<usize>, String);

/// Carries out changes that do not overlap. Of two at the same place, the earlier one in the list
/// stands first.
fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut edited = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for (range, new) in edits {
        edited.push_str(&text[done..range.start]);
        edited.push_str(&new);
        done = range.end;
    }
    edited.push_str(&text[done..]);
    edited
}
