//! What a tool said, and ways to look at it.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine as _;
use regex::Regex;
use serde_json::Value;

use super::session::Session;

/// An image in a reply.
pub struct Image {
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// The reply to a tool call.
pub struct Reply {
    /// As it came.
    pub text: String,
    /// With what differs from run to run replaced: times by `<ts>`, the
    /// workspace by `WS`, and whatever [`Session::alias`] was told.
    pub plain: String,
    pub is_error: bool,
    pub images: Vec<Image>,
    pub took: Duration,
    what: String,
    workspace: PathBuf,
}

impl Reply {
    #[track_caller]
    pub(super) fn new(session: &Session, what: &str, result: &Value, took: Duration) -> Self {
        let parts = result["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = parts
            .iter()
            .filter(|part| part["type"] == "text")
            .filter_map(|part| part["text"].as_str())
            .collect();
        let images = parts
            .iter()
            .filter(|part| part["type"] == "image")
            .map(|part| Image {
                mime: part["mimeType"].as_str().unwrap_or_default().to_owned(),
                bytes: base64::engine::general_purpose::STANDARD
                    .decode(part["data"].as_str().unwrap_or_default())
                    .expect("image data is base64"),
            })
            .collect();
        let text = texts.join("\n");
        Self {
            plain: session.plain(&text),
            text,
            is_error: result["isError"] == true,
            images,
            took,
            what: what.to_owned(),
            workspace: session.workspace().to_owned(),
        }
    }

    /// Fails unless the call succeeded.
    #[track_caller]
    pub fn fine(self) -> Self {
        assert!(!self.is_error, "{} failed:\n{}", self.what, self.text);
        self
    }

    /// Fails unless the call failed.
    #[track_caller]
    pub fn failed(self) -> Self {
        assert!(self.is_error, "{} succeeded:\n{}", self.what, self.text);
        self
    }

    /// Fails unless the text holds this.
    #[track_caller]
    pub fn has(self, part: &str) -> Self {
        let found = self.plain.contains(part) || self.text.contains(part);
        assert!(
            found,
            "{} does not say {part:?}:\n{}",
            self.what, self.plain
        );
        self
    }

    /// Fails if the text holds this.
    #[track_caller]
    pub fn lacks(self, part: &str) -> Self {
        let found = self.plain.contains(part) || self.text.contains(part);
        assert!(!found, "{} says {part:?}:\n{}", self.what, self.plain);
        self
    }

    /// Fails unless the text matches.
    #[track_caller]
    pub fn matches(self, pattern: &str) -> Self {
        let found = Regex::new(pattern)
            .expect("a pattern")
            .is_match(&self.plain);
        assert!(
            found,
            "{} does not match {pattern}:\n{}",
            self.what, self.plain
        );
        self
    }

    /// Fails if the call took longer.
    #[track_caller]
    pub fn within(self, limit: Duration) -> Self {
        assert!(
            self.took <= limit,
            "{} took {:?}, more than {limit:?}",
            self.what,
            self.took
        );
        self
    }

    /// Fails unless the plain text is exactly this, indentation of the source
    /// aside.
    #[track_caller]
    pub fn says(self, expected: &str) -> Self {
        let expected = dedent(expected);
        assert!(
            self.plain == expected,
            "{} says other words.\n{}",
            self.what,
            difference(&expected, &self.plain)
        );
        self
    }

    /// The lines of a section, without its fence.
    pub fn section(&self, title: &str) -> Option<String> {
        let start = format!("### {title}\n");
        let at = if self.text.starts_with(&start) {
            start.len()
        } else {
            let found = self.text.find(&format!("\n{start}"))?;
            found + 1 + start.len()
        };
        let rest = &self.text[at..];
        let section = match rest.strip_prefix("```") {
            Some(fenced) => {
                let body = fenced.split_once('\n').map_or("", |(_, body)| body);
                body.split_once("\n```").map_or(body, |(body, _)| body)
            }
            None => rest.split_once("\n### ").map_or(rest, |(body, _)| body),
        };
        Some(section.to_owned())
    }

    /// The snapshot in this reply, or in the file it links to.
    #[track_caller]
    pub fn snapshot(&self) -> String {
        let section = self
            .section("Snapshot")
            .unwrap_or_else(|| panic!("{} has no snapshot:\n{}", self.what, self.text));
        if section.starts_with("- [Snapshot](") {
            self.linked("Snapshot")
        } else {
            section
        }
    }

    /// The content of the file behind `- [title](path)`.
    #[track_caller]
    pub fn linked(&self, title: &str) -> String {
        let path = self.link(title);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The file behind `- [title](path)`.
    #[track_caller]
    pub fn link(&self, title: &str) -> PathBuf {
        let start = format!("- [{title}](");
        let link = self
            .text
            .lines()
            .find_map(|line| line.strip_prefix(&start)?.strip_suffix(')'))
            .unwrap_or_else(|| panic!("{} has no link {title}:\n{}", self.what, self.text));
        self.workspace.join(link)
    }
}

/// The ref on the first line of a snapshot that matches.
#[track_caller]
pub fn ref_of(snapshot: &str, pattern: &str) -> String {
    let wanted = Regex::new(pattern).expect("a pattern");
    snapshot
        .lines()
        .filter(|line| wanted.is_match(line))
        .find_map(|line| Some(line.split_once("[ref=")?.1.split_once(']')?.0.to_owned()))
        .unwrap_or_else(|| panic!("no ref on a line like {pattern} in:\n{snapshot}"))
}

/// Replaces the times in names of files, and the times of console logs.
pub fn without_times(text: &str) -> String {
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z").expect("a pattern"));
    TIME.replace_all(text, "<ts>").into_owned()
}

/// A text written inside the source: without the line break after the opening
/// quote, the indentation common to its lines, and the last line if that is
/// blank.
pub fn dedent(text: &str) -> String {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let text = match text.rsplit_once('\n') {
        Some((body, last)) if last.trim().is_empty() => body,
        _ => text,
    };
    let indent = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| line.get(indent..).unwrap_or(""))
        .collect();
    lines.join("\n")
}

/// Lines of one kind that [`difference`] shows.
const SHOWN: usize = 60;

/// The lines between the common start and the common end of two texts, marked,
/// with some lines around them.
pub fn difference(expected: &str, real: &str) -> String {
    let (wanted, got): (Vec<_>, Vec<_>) =
        (expected.split('\n').collect(), real.split('\n').collect());
    let head = wanted.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let tail = wanted[head..]
        .iter()
        .rev()
        .zip(got[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let mut lines: Vec<String> = Vec::new();
    let mut add = |mark: char, part: &[&str]| {
        lines.extend(part.iter().take(SHOWN).map(|line| format!("{mark} {line}")));
        if part.len() > SHOWN {
            lines.push(format!("  ({} more lines)", part.len() - SHOWN));
        }
    };
    add(' ', &wanted[head.saturating_sub(5)..head]);
    add('-', &wanted[head..wanted.len() - tail]);
    add('+', &got[head..got.len() - tail]);
    add(' ', &got[got.len() - tail..][..tail.min(3)]);
    format!("(- expected, + real)\n{}", lines.join("\n"))
}
