//! The two values that travel through the house: a [`ToolCall`] goes down through the layers to a
//! backend, a [`ToolReply`] comes back up.
//!
//! A reply is typed sections, not text. The text a client reads is made in one place, `reply`,
//! after the last layer has had its say. Trees stay trees until then.

use std::path::PathBuf;
use std::sync::Arc;

use playguard_cdp::aria::AriaTree;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// Who is calling, as far as the protocol tells. One value per client session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    /// `clientInfo.name` of the initialize request, or `Playwright MCP` when it gave none.
    pub name: String,
    /// `clientInfo.version`, empty when it gave none.
    pub version: String,
    /// Absolute path of the client's first `file:` root, else the working directory of this
    /// process. File names that a model chooses are resolved against it.
    pub workspace: PathBuf,
}

/// One tool call on its way down.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// Tool name, known to exist in the catalogue.
    pub name: String,
    /// Arguments that satisfy the tool's schema, defaults filled in, unknown keys dropped.
    pub arguments: Map<String, Value>,
    /// The caller.
    pub client: Arc<ClientInfo>,
    /// Fires when the client cancels the call, its deadline passes or the server ends. Whoever
    /// works for the call stops then; nobody reads the reply.
    pub cancel: CancellationToken,
}

impl ToolCall {
    /// A string argument, `None` when absent.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.arguments.get(key).and_then(Value::as_str)
    }

    /// A string argument that says something: `None` when absent or empty. Optional names behave
    /// so upstream, where an empty string counts as not given.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.string(key).filter(|text| !text.is_empty())
    }

    /// A boolean argument, `None` when absent.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.arguments.get(key).and_then(Value::as_bool)
    }

    /// A numeric argument, `None` when absent.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.arguments.get(key).and_then(Value::as_f64)
    }

    /// An array of strings, `None` when absent. Items of other types do not occur: validation came
    /// before.
    pub fn strings(&self, key: &str) -> Option<Vec<&str>> {
        let items = self.arguments.get(key)?.as_array()?;
        Some(items.iter().filter_map(Value::as_str).collect())
    }
}

/// What a call produced, section by section, in the order of the printed text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolReply {
    /// When set, the whole text is an Error section with this and nothing else: the string form of
    /// an exception, such as `Error: Tab 3 not found`. Everything below is ignored.
    pub thrown: Option<String>,
    /// Errors beside which the other sections still print.
    pub errors: Vec<String>,
    /// Text results; an entry may hold several lines.
    pub results: Vec<String>,
    /// Lines of code that repeat what was done, in the language of the server's `--codegen`.
    pub code: Vec<String>,
    /// All tabs, when the tab list is to be shown. It prints unless there is exactly one tab.
    pub tabs: Option<Vec<TabLine>>,
    /// Facts of the current tab, when the Page section is to be shown.
    pub page: Option<PageFacts>,
    /// What blocks the current tab.
    pub modals: Vec<ModalLine>,
    /// The snapshot, when one was asked for and a tab exists.
    pub snapshot: Option<SnapshotPart>,
    /// Lines of the Events section without their dash: console link first, then downloads.
    pub events: Vec<String>,
    /// Pictures that follow the text.
    pub images: Vec<ImagePart>,
    /// Remarks of PlayGuard itself, printed last. Never produced in stock mode.
    pub notices: Vec<String>,
}

impl ToolReply {
    /// A reply that is nothing but an exception. `text` is its string form, name included.
    pub fn thrown(text: impl Into<String>) -> Self {
        Self {
            thrown: Some(text.into()),
            ..Self::default()
        }
    }

    /// A reply with one collected error.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            errors: vec![text.into()],
            ..Self::default()
        }
    }

    /// A reply with one text result.
    pub fn result(text: impl Into<String>) -> Self {
        Self {
            results: vec![text.into()],
            ..Self::default()
        }
    }

    /// Whether the client sees `isError: true`.
    pub fn is_error(&self) -> bool {
        self.thrown.is_some() || !self.errors.is_empty()
    }
}

/// One line of the tab list. Its index is its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TabLine {
    /// Document title, empty while a dialog or a crash keeps it unknown.
    pub title: String,
    /// Address as the browser shows it.
    pub url: String,
    /// The tab that tools act on.
    pub current: bool,
    /// Its renderer died.
    pub crashed: bool,
}

/// Facts of the current tab.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// Address of the main frame.
    pub url: String,
    /// Document title, empty when there is none or it cannot be read now.
    pub title: String,
    /// The renderer died.
    pub crashed: bool,
    /// Status code and reason of the main document; printed only outside 200 to 299.
    pub http_status: Option<(u16, String)>,
    /// Tools that the page itself offers.
    pub page_tools: usize,
    /// Console errors and warnings since the last new document.
    pub console: ConsoleCounts,
}

/// Numbers of the console line of the Page section.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsoleCounts {
    /// Uncaught exceptions and messages of type `error`.
    pub errors: usize,
    /// Messages of type `warning`.
    pub warnings: usize,
}

/// Something modal that blocks the current tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModalLine {
    /// For example `"alert" dialog with message "Sure?"` or `File chooser`.
    pub description: String,
    /// Name of the tool that clears it.
    pub cleared_by: String,
}

/// A snapshot and how it reaches the client.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotPart {
    /// What was seen.
    pub content: SnapshotContent,
    /// Where it goes.
    pub delivery: Delivery,
}

/// What a snapshot holds.
#[derive(Debug, Clone, PartialEq)]
pub enum SnapshotContent {
    /// An accessibility tree, shared with caches and layers. What of it prints (boxes, marks beyond
    /// upstream's) was decided when it was built.
    Tree(Arc<AriaTree>),
    /// A dialog or a file chooser interrupted the capture: the text is empty, the section stays.
    Interrupted,
}

/// How a snapshot reaches the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Printed in the text.
    Inline,
    /// Written to a file, of which the text carries a link.
    File {
        /// Absolute path; missing parent folders are made.
        path: PathBuf,
        /// The path as the link prints it.
        link: String,
    },
}

/// A picture.
#[derive(Clone, PartialEq, Eq)]
pub struct ImagePart {
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub mime: String,
    /// The encoded file.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for ImagePart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Megabytes of bytes help nobody who reads a log.
        f.debug_struct("ImagePart")
            .field("mime", &self.mime)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}
