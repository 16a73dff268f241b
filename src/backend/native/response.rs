//! What a tool hands back before it becomes a reply: its own results, and what is to be said about
//! the page. The page is looked at once, when the reply is built.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use playguard_cdp::action::ActionError;
use playguard_cdp::connection::CdpError;
use playguard_cdp::page::{CaptureOptions, EarlyLook, NavigationError, ScriptError};

use super::NativeBackend;
use super::tab::Tab;
use crate::call::{Delivery, ImagePart, SnapshotContent, SnapshotPart, ToolReply};
use crate::config::SnapshotMode;

/// An exception of a tool: its text replaces everything else in the reply.
#[derive(Debug)]
pub(super) struct Thrown(pub(super) String);

impl Thrown {
    /// `Error: <message>`.
    pub(super) fn error(message: impl std::fmt::Display) -> Self {
        Self(format!("Error: {message}"))
    }
}

/// Which snapshot the reply carries.
#[derive(Debug, Default)]
pub(super) enum Wanted {
    #[default]
    None,
    /// Of the whole page, to a file, unless the configuration says no.
    Implicit,
    /// What `browser_snapshot` asks for.
    Explicit {
        options: CaptureOptions,
        file: Option<PathBuf>,
    },
}

/// Collects what a tool has to say.
#[derive(Debug, Default)]
pub(super) struct Response {
    pub(super) errors: Vec<String>,
    pub(super) results: Vec<String>,
    pub(super) code: Vec<String>,
    pub(super) images: Vec<ImagePart>,
    pub(super) notices: Vec<String>,
    pub(super) snapshot: Wanted,
    /// The current tab's title, if the tool has just read it.
    pub(super) title: Option<String>,
    /// The current tab, if the tool has just looked at it.
    pub(super) early: Option<EarlyLook>,
}

impl Response {
    pub(super) fn result(&mut self, text: impl Into<String>) {
        self.results.push(text.into());
    }

    pub(super) fn error(&mut self, text: impl Into<String>) {
        self.errors.push(text.into());
    }

    pub(super) fn code(&mut self, line: impl Into<String>) {
        self.code.push(line.into());
    }

    /// The reply carries a snapshot of the page after the action.
    pub(super) fn show_page(&mut self) {
        self.snapshot = Wanted::Implicit;
    }
}

impl NativeBackend {
    /// Looks at the page and makes the reply.
    pub(super) async fn build(&self, response: Response) -> Result<ToolReply, Thrown> {
        let current = self.current_tab();
        let wanted = match response.snapshot {
            Wanted::Implicit if self.config.snapshot.mode == SnapshotMode::None => Wanted::None,
            other => other,
        };
        let snapshot_wanted = !matches!(wanted, Wanted::None);
        let mut reply = ToolReply {
            errors: response.errors,
            results: response.results,
            code: response.code,
            images: response.images,
            notices: response.notices,
            ..ToolReply::default()
        };
        let mut title = response.title;
        if let Some(tab) = &current {
            match wanted {
                Wanted::None => {}
                Wanted::Implicit => {
                    let path = self.files.rules.automatic("page", "yml", SystemTime::now());
                    let options = CaptureOptions {
                        boxes: self.config.snapshot.boxes,
                        ..CaptureOptions::default()
                    };
                    let (content, seen) = self.look(tab, &options, false, response.early).await?;
                    title = seen;
                    let link = self.files.rules.link_path(&path);
                    reply.snapshot = Some(SnapshotPart {
                        content,
                        delivery: Delivery::File { path, link },
                    });
                }
                Wanted::Explicit { options, file } => {
                    let (content, seen) = self.look(tab, &options, true, None).await?;
                    title = seen;
                    let delivery = match file {
                        Some(path) => Delivery::File {
                            link: self.files.rules.link_path(&path),
                            path,
                        },
                        None => Delivery::Inline,
                    };
                    reply.snapshot = Some(SnapshotPart { content, delivery });
                }
            }
        }
        let tabs = self.tabs();
        let titles = self.titles(&tabs, current.as_ref(), title).await;
        let mut news = false;
        let mut lines = Vec::with_capacity(tabs.len());
        for (tab, title) in tabs.iter().zip(titles) {
            let is_current = current
                .as_ref()
                .is_some_and(|current| Arc::ptr_eq(current, tab));
            let (line, facts, changed) = tab.tell(title, is_current);
            news |= changed;
            if is_current {
                reply.page = Some(facts);
            }
            lines.push(line);
        }
        if snapshot_wanted || news {
            reply.tabs = Some(lines);
        } else {
            reply.page = None;
        }
        if let Some(tab) = &current {
            reply.modals = tab.modal_lines();
            if reply.modals.is_empty() {
                reply.events = tab.take_events(&self.files);
            }
        }
        reply.notices.extend(self.take_notices());
        Ok(reply)
    }

    /// Captures the tab's tree (`closely`: with what only the browser knows; from an `early` look if
    /// that will do), and the title that the captured document has. A dialog that opens meanwhile leaves
    /// it empty.
    pub(super) async fn look(
        &self,
        tab: &Tab,
        options: &CaptureOptions,
        closely: bool,
        early: Option<EarlyLook>,
    ) -> Result<(SnapshotContent, Option<String>), Thrown> {
        let rules = self.capture_rules(closely);
        let capture = tab.page.snapshot_seen(options, &rules, early);
        match tab.page.unless_modal(capture).await {
            None => Ok((SnapshotContent::Interrupted, None)),
            Some(Ok(snapshot)) => Ok((
                SnapshotContent::Tree(Arc::new(snapshot.tree)),
                Some(snapshot.title),
            )),
            Some(Err(error)) => Err(self.thrown(error)),
        }
    }

    pub(super) async fn titles(
        &self,
        tabs: &[Arc<Tab>],
        current: Option<&Arc<Tab>>,
        known: Option<String>,
    ) -> Vec<String> {
        let reads = tabs.iter().map(|tab| {
            let known = known
                .clone()
                .filter(|_| current.is_some_and(|current| Arc::ptr_eq(current, tab)))
                // As upstream, a tab behind something modal has no title.
                .filter(|_| tab.page.state().modals.is_empty());
            async move {
                match known {
                    Some(title) => {
                        tab.remember_title(&title);
                        title
                    }
                    None => tab.read_title(super::TITLE_LIMIT).await,
                }
            }
        });
        futures_util::future::join_all(reads).await
    }

    /// The text of a failed browser operation.
    pub(super) fn thrown(&self, error: impl Into<OperationError>) -> Thrown {
        let prefix = self.manners.operation_prefix;
        match error.into() {
            OperationError::Timeout(text) => Thrown(format!("TimeoutError: {prefix}{text}")),
            OperationError::NoElement(text) => Thrown(format!("Error: {text}")),
            // Upstream wraps errors in errors; without its prefix once is enough.
            OperationError::Other(text) if prefix.is_empty() => Thrown(format!(
                "Error: {}",
                text.strip_prefix("Error: ").unwrap_or(&text)
            )),
            OperationError::Other(text) => Thrown(format!("Error: {prefix}{text}")),
        }
    }
}

/// An error of the browser layer, sorted by how upstream would report it.
pub(super) enum OperationError {
    Timeout(String),
    /// A target that names nothing: upstream's own check, hence without its prefix.
    NoElement(String),
    Other(String),
}

impl From<ActionError> for OperationError {
    fn from(error: ActionError) -> Self {
        let text = error.to_string();
        match error {
            _ if error.is_timeout() => Self::Timeout(text),
            ActionError::NoElement(_) => Self::NoElement(text),
            _ => Self::Other(text),
        }
    }
}

impl From<CdpError> for OperationError {
    fn from(error: CdpError) -> Self {
        if error.is_timeout() {
            Self::Timeout(error.to_string())
        } else {
            Self::Other(error.to_string())
        }
    }
}

impl From<ScriptError> for OperationError {
    fn from(error: ScriptError) -> Self {
        match error {
            ScriptError::Cdp(error) => error.into(),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<NavigationError> for OperationError {
    fn from(error: NavigationError) -> Self {
        match error {
            NavigationError::Cdp(error) => error.into(),
            other => Self::Other(other.to_string()),
        }
    }
}
