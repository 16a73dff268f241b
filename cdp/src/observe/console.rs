//! The console of one page: what its documents, frames and workers printed, and what they threw.

use std::collections::VecDeque;
use std::fmt;

use serde::Deserialize;

use super::console_feed::{ConsoleFeed, LineRange};
use super::preview::RemoteObject;
use super::stack::{ExceptionDetails, StackTrace};
use super::{Style, decode, text};

pub use super::stack::Location;

/// Messages kept, and uncaught exceptions kept; one more drops the [`DROPPED_AT_ONCE`] oldest.
const KEPT: usize = 200;
const DROPPED_AT_ONCE: usize = 20;
/// Bytes of text kept in each of the two buffers, however few messages that is.
const KEPT_BYTES: usize = 32 << 20;
/// Bytes of an address kept; `data:` documents put whole pages there.
const URL_BYTES: usize = 8 << 10;

/// How serious a message is. A level asked for includes all more serious ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Errors, failed assertions, uncaught exceptions.
    Error,
    /// Warnings.
    Warning,
    /// What a script prints normally; also every type this list does not know.
    Info,
    /// Debugging, grouping, profiling.
    Debug,
}

impl Level {
    /// The level of a console call (`Runtime.consoleAPICalled.type`) or log entry (`LogEntry.level`).
    pub fn of_type(kind: &str) -> Self {
        match kind {
            "error" | "assert" => Self::Error,
            "warning" => Self::Warning,
            "debug"
            | "clear"
            | "endGroup"
            | "startGroup"
            | "startGroupCollapsed"
            | "trace"
            | "profile"
            | "profileEnd" => Self::Debug,
            _ => Self::Info,
        }
    }

    /// `error`, `warning`, `info` or `debug`, as tool arguments and `--console-level` spell it.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Error, Self::Warning, Self::Info, Self::Debug]
            .into_iter()
            .find(|level| level.name() == name)
    }

    /// The spelling [`Level::parse`] reads.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

/// Where a message comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A console call or a log entry of the browser, with the protocol's name for it
    /// (`log`, `warning`, `startGroup`, `verbose`, …).
    Message(String),
    /// An exception or rejection that nobody caught.
    Exception,
}

/// One message or uncaught exception.
#[derive(Debug, Clone)]
pub struct ConsoleEntry {
    /// Where it comes from.
    pub kind: Kind,
    /// How serious it is.
    pub level: Level,
    /// The words, without type and place. Exceptions bring their stack.
    pub text: String,
    /// Where it was printed or thrown.
    pub location: Location,
    /// Milliseconds since the Unix epoch.
    pub timestamp_ms: f64,
    /// Which document it belongs to, counted per page.
    document: u64,
}

impl ConsoleEntry {
    fn bytes(&self) -> usize {
        self.text.len() + self.location.url.len()
    }

    fn is_type(&self, kind: &str) -> bool {
        matches!(&self.kind, Kind::Message(own) if own == kind)
    }
}

/// The line (or lines) shown for it: `[LOG] text @ url:line`, or the bare stack of an exception.
/// The line number counts from 0.
impl fmt::Display for ConsoleEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Message(kind) => write!(
                f,
                "[{}] {} @ {}:{}",
                kind.to_uppercase(),
                self.text,
                self.location.url,
                self.location.line
            ),
            Kind::Exception => f.write_str(&self.text),
        }
    }
}

/// Numbers about the current document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsoleCounts {
    /// Messages and exceptions of any level.
    pub total: usize,
    /// Exceptions and messages of type `error` (failed assertions do not count).
    pub errors: usize,
    /// Messages of type `warning`.
    pub warnings: usize,
}

/// Which entries are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those since the main frame last got a new document.
    CurrentDocument,
    /// All that are still kept.
    Everything,
}

/// The console of one page.
#[derive(Debug)]
pub struct ConsoleLog {
    style: Style,
    messages: Buffer,
    exceptions: Buffer,
    document: u64,
    document_id: Option<String>,
    feed: Option<ConsoleFeed>,
}

impl ConsoleLog {
    /// An empty console.
    pub fn new(style: Style) -> Self {
        Self {
            style,
            messages: Buffer::default(),
            exceptions: Buffer::default(),
            document: 0,
            document_id: None,
            feed: None,
        }
    }

    /// Takes in an event of the page's session, of a frame's or of a worker's.
    ///
    /// Understood are `Runtime.consoleAPICalled`, `Runtime.exceptionThrown` and `Log.entryAdded`.
    /// Returns whether an entry was added.
    pub fn on_event(&mut self, method: &str, params: &str) -> bool {
        let entry = match method {
            "Runtime.consoleAPICalled" => self.called(params),
            "Runtime.exceptionThrown" => self.thrown(params),
            "Log.entryAdded" => self.logged(params),
            _ => None,
        };
        let Some(mut entry) = entry else {
            return false;
        };
        text::cut(&mut entry.text, self.message_bytes());
        text::cut(&mut entry.location.url, URL_BYTES);
        if let Some(feed) = &mut self.feed {
            feed.push(&entry);
        }
        match entry.kind {
            Kind::Message(_) => self.messages.push(entry),
            Kind::Exception => self.exceptions.push(entry),
        }
        true
    }

    /// Adds an error of our own, such as that the page crashed.
    pub fn note_error(&mut self, text: &str, now_ms: f64) {
        let entry = ConsoleEntry {
            kind: Kind::Message("error".into()),
            level: Level::Error,
            text: text.to_owned(),
            location: Location::default(),
            timestamp_ms: now_ms,
            document: self.document,
        };
        if let Some(feed) = &mut self.feed {
            feed.push(&entry);
        }
        self.messages.push(entry);
    }

    /// The main frame committed a document (`Frame.loaderId`); the same one again changes nothing.
    pub fn navigated(&mut self, document_id: &str) {
        if self.document_id.as_deref() != Some(document_id) {
            self.document_id = Some(document_id.to_owned());
            self.document += 1;
        }
    }

    /// Numbers about the current document, of what is still kept.
    pub fn counts(&self) -> ConsoleCounts {
        let mut counts = ConsoleCounts::default();
        for entry in self.scoped(Scope::CurrentDocument) {
            counts.total += 1;
            counts.errors += usize::from(entry.kind == Kind::Exception || entry.is_type("error"));
            counts.warnings += usize::from(entry.is_type("warning"));
        }
        counts
    }

    /// The entries of `level` and above: messages first, then exceptions, each from old to new.
    pub fn entries(&self, level: Level, scope: Scope) -> impl Iterator<Item = &ConsoleEntry> {
        self.scoped(scope).filter(move |entry| entry.level <= level)
    }

    /// Starts a new log file's text at `start_ms` (Unix epoch), for entries of `threshold` and above.
    ///
    /// What was not taken from the old one is lost.
    pub fn start_feed(&mut self, start_ms: f64, threshold: Level) {
        self.feed = Some(ConsoleFeed::new(start_ms, threshold));
    }

    /// Text to append to the log file; empty when there is nothing new or no file.
    pub fn take_feed_text(&mut self) -> String {
        self.feed
            .as_mut()
            .map(ConsoleFeed::take_text)
            .unwrap_or_default()
    }

    /// The lines of the log file added since this was last asked.
    pub fn take_new_lines(&mut self) -> Option<LineRange> {
        self.feed.as_mut().and_then(ConsoleFeed::take_new_lines)
    }

    fn scoped(&self, scope: Scope) -> impl Iterator<Item = &ConsoleEntry> {
        let first = match scope {
            Scope::CurrentDocument => self.document,
            Scope::Everything => 0,
        };
        self.messages
            .entries
            .iter()
            .chain(&self.exceptions.entries)
            .filter(move |entry| entry.document >= first)
    }

    fn message_bytes(&self) -> usize {
        match self.style {
            Style::Stock => 1 << 20,
            Style::Full => 64 << 10,
        }
    }

    fn called(&self, params: &str) -> Option<ConsoleEntry> {
        let call: ConsoleApiCalled = decode(params)?;
        // On attach the browser repeats the last messages; those of documents that are gone carry
        // no context, and belong to nothing we show.
        if call.execution_context_id == Some(0) {
            return None;
        }
        let words: Vec<String> = call.args.iter().map(|arg| arg.text(self.style)).collect();
        Some(ConsoleEntry {
            level: Level::of_type(&call.kind),
            kind: Kind::Message(call.kind),
            text: words.join(" "),
            location: call
                .stack_trace
                .as_ref()
                .and_then(StackTrace::top)
                .unwrap_or_default(),
            timestamp_ms: call.timestamp,
            document: self.document,
        })
    }

    fn thrown(&self, params: &str) -> Option<ConsoleEntry> {
        let thrown: ExceptionThrown = decode(params)?;
        Some(ConsoleEntry {
            kind: Kind::Exception,
            level: Level::Error,
            text: thrown.exception_details.text(self.style),
            location: thrown.exception_details.location(),
            timestamp_ms: thrown.timestamp,
            document: self.document,
        })
    }

    fn logged(&self, params: &str) -> Option<ConsoleEntry> {
        let EntryAdded { entry } = decode(params)?;
        // A worker's session reports the same itself.
        if entry.source == "worker" {
            return None;
        }
        Some(ConsoleEntry {
            level: Level::of_type(&entry.level),
            kind: Kind::Message(entry.level),
            text: entry.text,
            location: Location {
                url: entry.url.unwrap_or_default(),
                line: entry.line_number,
                column: 0,
            },
            timestamp_ms: entry.timestamp,
            document: self.document,
        })
    }
}

#[derive(Debug, Default)]
struct Buffer {
    entries: VecDeque<ConsoleEntry>,
    bytes: usize,
}

impl Buffer {
    fn push(&mut self, entry: ConsoleEntry) {
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        if self.entries.len() > KEPT {
            for _ in 0..DROPPED_AT_ONCE {
                self.drop_oldest();
            }
        }
        while self.bytes > KEPT_BYTES && self.entries.len() > 1 {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(entry) = self.entries.pop_front() {
            self.bytes -= entry.bytes();
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConsoleApiCalled {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    args: Vec<RemoteObject>,
    execution_context_id: Option<i64>,
    #[serde(default)]
    timestamp: f64,
    stack_trace: Option<StackTrace>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExceptionThrown {
    #[serde(default)]
    timestamp: f64,
    exception_details: ExceptionDetails,
}

#[derive(Deserialize)]
struct EntryAdded {
    entry: LogEntry,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogEntry {
    #[serde(default)]
    source: String,
    level: String,
    text: String,
    #[serde(default)]
    timestamp: f64,
    url: Option<String>,
    #[serde(default, deserialize_with = "super::count")]
    line_number: u64,
}

#[cfg(test)]
#[path = "console_tests.rs"]
mod tests;
