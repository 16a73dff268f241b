//! A tab as the server sees it: the page, and what clients have been told about it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use playguard_cdp::browser::download_path;
use playguard_cdp::connection::Deadline;
use playguard_cdp::observe::console::Level;
use playguard_cdp::page::{Modal, Page};
use tokio_util::sync::CancellationToken;

use super::share::Saved;
use crate::call::{ConsoleCounts, ModalLine, PageFacts, TabLine};
use crate::reply::files::FileRules;
use crate::reply::names;
use crate::reply::redact::Redactor;

/// What was last said about a tab in a reply. A reply shows the Page section again once this changes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Header {
    title: String,
    url: String,
    current: bool,
    crashed: bool,
    status: Option<(u16, String)>,
    console: (usize, usize, usize),
}

/// One tab.
pub(super) struct Tab {
    pub(super) page: Page,
    told: Mutex<Told>,
    stop: CancellationToken,
}

struct Told {
    header: Header,
    /// The title when it was last read, for when the tab is too busy to answer.
    title: String,
    console_log: PathBuf,
    /// Downloads already reported as begun and as ended, by guid.
    begun: Vec<String>,
    ended: Vec<String>,
    /// Finished ones on their way to the output folder.
    moving: Vec<String>,
    events: Vec<DownloadEvent>,
}

#[derive(Debug, Clone)]
enum DownloadEvent {
    Began { name: String },
    Ended { name: String, path: PathBuf },
    Failed { name: String, reason: String },
}

/// Where a tab writes things of its own accord.
#[derive(Clone)]
pub(super) struct TabFiles {
    pub(super) rules: FileRules,
    /// Hides secrets in the console log and other texts.
    pub(super) redactor: std::sync::Arc<Redactor>,
    /// Where the browser puts downloads before we move them.
    pub(super) downloads: PathBuf,
    /// Where downloads went, for all tabs on the same page.
    pub(super) saved: Arc<Saved>,
    /// What goes into the console log.
    pub(super) console_level: Level,
    /// Never replace a file by a download, and tell of downloads that fail. Upstream does neither.
    pub(super) keep_all: bool,
}

impl Tab {
    pub(super) fn new(page: Page, files: TabFiles) -> std::sync::Arc<Self> {
        let console_log = start_console_log(&page, &files);
        let tab = std::sync::Arc::new(Self {
            page,
            told: Mutex::new(Told {
                header: Header {
                    title: "about:blank".into(),
                    url: "about:blank".into(),
                    current: false,
                    crashed: false,
                    status: None,
                    console: (0, 0, 0),
                },
                title: String::new(),
                console_log,
                begun: Vec::new(),
                ended: Vec::new(),
                moving: Vec::new(),
                events: Vec::new(),
            }),
            stop: CancellationToken::new(),
        });
        let weak = std::sync::Arc::downgrade(&tab);
        let mut changes = tab.page.changes();
        let stop = tab.stop.clone();
        tokio::spawn(async move {
            loop {
                let Some(tab) = weak.upgrade() else { return };
                tab.take_in(&files).await;
                drop(tab);
                tokio::select! {
                    () = stop.cancelled() => return,
                    changed = changes.changed() => if changed.is_err() { return },
                }
            }
        });
        tab
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves finished downloads to their place and appends new console lines to the log.
    async fn take_in(&self, files: &TabFiles) {
        self.write_console(files);
        let finished: Vec<(String, String, bool)> = {
            let state = self.page.state();
            let mut told = self.told();
            let told = &mut *told;
            for download in &state.downloads {
                if !told.begun.contains(&download.guid) {
                    told.begun.push(download.guid.clone());
                    told.events.push(DownloadEvent::Began {
                        name: download.suggested_name.clone(),
                    });
                }
            }
            let mut finished = Vec::new();
            for download in &state.downloads {
                if let Some(completed) = download.completed
                    && !told.ended.contains(&download.guid)
                {
                    told.ended.push(download.guid.clone());
                    told.moving.push(download.guid.clone());
                    finished.push((
                        download.guid.clone(),
                        download.suggested_name.clone(),
                        completed,
                    ));
                }
            }
            finished
        };
        for (guid, name, completed) in finished {
            let from = download_path(&files.downloads, &guid);
            let wanted = files.rules.download(&name);
            let event = if completed {
                let saving = || save(&from, &wanted, files.keep_all);
                match files.saved.once(&guid, saving).await {
                    Ok(path) => Some(DownloadEvent::Ended { name, path }),
                    Err(error) => {
                        tracing::warn!(%error, to = %wanted.display(), "a download could not be saved");
                        let reason = format!("could not be saved: {error}");
                        Some(DownloadEvent::Failed { name, reason })
                    }
                }
            } else {
                // What there is of a broken download is of no use.
                let _ = tokio::fs::remove_file(&from).await;
                let reason = "did not complete".to_owned();
                Some(DownloadEvent::Failed { name, reason })
            };
            {
                let mut told = self.told();
                told.moving.retain(|moving| *moving != guid);
                // Upstream says nothing of failures.
                let event = event.filter(|event| {
                    files.keep_all || !matches!(event, DownloadEvent::Failed { .. })
                });
                told.events.extend(event);
            }
            self.page.change(|_| ());
        }
    }

    fn write_console(&self, files: &TabFiles) {
        use std::io::Write as _;
        let text = self.page.state().console.take_feed_text();
        if text.is_empty() {
            return;
        }
        let text = files.redactor.redact(text);
        let told = self.told();
        let written = std::fs::create_dir_all(files.rules.output_dir())
            .and_then(|()| {
                std::fs::OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&told.console_log)
            })
            .and_then(|mut file| file.write_all(text.as_bytes()));
        if let Err(error) = written {
            tracing::warn!(%error, path = %told.console_log.display(), "console log not written");
        }
    }

    /// `browser_navigate` begins a new chapter: what was collected so far is dropped.
    pub(super) fn begin_chapter(&self, files: &TabFiles) {
        self.write_console(files);
        self.page.change(|state| {
            state.network.clear();
            state
                .downloads
                .retain(|download| download.completed.is_none());
        });
        let console_log = start_console_log(&self.page, files);
        let mut told = self.told();
        told.console_log = console_log;
        told.events.clear();
    }

    /// Reads the title; what was last known while the tab cannot answer.
    pub(super) async fn read_title(&self, limit: Duration) -> String {
        let unable = {
            let state = self.page.state();
            state.crashed || state.closed || !state.modals.is_empty()
        };
        if unable {
            return String::new();
        }
        match tokio::time::timeout(limit, self.page.title()).await {
            Ok(Ok(Some(title))) => {
                self.told().title.clone_from(&title);
                title
            }
            Ok(_) => String::new(),
            Err(_) => self.told().title.clone(),
        }
    }

    /// The title as just seen, for when the tab cannot tell.
    pub(super) fn remember_title(&self, title: &str) {
        title.clone_into(&mut self.told().title);
    }

    /// Waits until finished downloads lie where they belong.
    pub(super) async fn downloads_settled(&self, deadline: Deadline) {
        let settled = self.page.until(deadline, |state| {
            let told = self.told();
            let done = |guid: &String| told.ended.contains(guid) && !told.moving.contains(guid);
            state
                .downloads
                .iter()
                .filter(|d| d.completed.is_some())
                .all(|d| done(&d.guid))
                .then_some(())
        });
        // Too slow: it is reported with the next reply.
        let _ = settled.await;
    }

    /// Notes what a reply is about to say of the tab. Returns its line in the list of tabs, its facts,
    /// and whether any of it is news.
    pub(super) fn tell(&self, title: String, current: bool) -> (TabLine, PageFacts, bool) {
        let header = {
            let state = self.page.state();
            let counts = state.console.counts();
            Header {
                title,
                url: state
                    .frames
                    .main()
                    .map_or_else(String::new, |main| main.url.to_string()),
                current,
                crashed: state.crashed,
                status: state.network.main_status().and_then(|status| {
                    Some((u16::try_from(status.code).ok()?, status.text.clone()))
                }),
                console: (counts.total, counts.errors, counts.warnings),
            }
        };
        let line = TabLine {
            title: header.title.clone(),
            url: header.url.clone(),
            current,
            crashed: header.crashed,
        };
        let facts = PageFacts {
            url: header.url.clone(),
            title: header.title.clone(),
            crashed: header.crashed,
            http_status: header.status.clone(),
            page_tools: 0,
            console: ConsoleCounts {
                errors: header.console.1,
                warnings: header.console.2,
            },
        };
        let mut told = self.told();
        let news = told.header != header;
        told.header = header;
        (line, facts, news)
    }

    /// The URL of its document.
    pub(super) fn url(&self) -> String {
        let state = self.page.state();
        let main = state.frames.main();
        main.map_or_else(String::new, |main| main.url.to_string())
    }

    /// What blocks the tab.
    pub(super) fn modal_lines(&self) -> Vec<ModalLine> {
        self.page.state().modals.iter().map(modal_line).collect()
    }

    /// Events since the last reply: new console lines first, then downloads.
    pub(super) fn take_events(&self, files: &TabFiles) -> Vec<String> {
        self.write_console(files);
        let new_lines = self.page.state().console.take_new_lines();
        let mut told = self.told();
        let mut lines = Vec::new();
        if let Some(range) = new_lines {
            lines.push(format!(
                "New console entries: {}{range}",
                files.rules.plain_path(&told.console_log)
            ));
        }
        for event in told.events.drain(..) {
            lines.push(match event {
                DownloadEvent::Began { name } => format!("Downloading file {name} ..."),
                DownloadEvent::Failed { name, reason } => {
                    format!("Download of file {name} {reason}")
                }
                DownloadEvent::Ended { name, path } => {
                    format!(
                        "Downloaded file {name} to \"{}\"",
                        files.rules.plain_path(&path)
                    )
                }
            });
        }
        lines
    }

    /// Ends the background work.
    pub(super) fn retire(&self) {
        self.stop.cancel();
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Begins a console log, whose times count from now. Returns its path; the file comes with its first line.
fn start_console_log(page: &Page, files: &TabFiles) -> PathBuf {
    let now = SystemTime::now();
    let since = now
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64()
        * 1000.0;
    page.state().console.start_feed(since, files.console_level);
    files.rules.automatic("console", "log", now)
}

fn modal_line(modal: &Modal) -> ModalLine {
    match modal {
        Modal::Dialog(dialog) => ModalLine {
            description: format!(
                "\"{}\" dialog with message \"{}\"",
                dialog.kind, dialog.message
            ),
            cleared_by: "browser_handle_dialog".into(),
        },
        Modal::FileChooser(_) => ModalLine {
            description: "File chooser".into(),
            cleared_by: "browser_file_upload".into(),
        },
    }
}

/// Moves a finished download to its place, or to the first free one beside it if nothing that is
/// there may be replaced. Returns where it is.
async fn save(from: &Path, wanted: &Path, keep_all: bool) -> std::io::Result<PathBuf> {
    if let Some(folder) = wanted.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    let mut to = wanted.to_owned();
    if keep_all {
        for number in 2.. {
            // Whoever makes the file owns the name, also among tabs that save at the same time.
            let made = tokio::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&to)
                .await;
            match made {
                Ok(_) => break,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    to = names::numbered(wanted, number);
                }
                Err(error) => return Err(error),
            }
        }
    }
    move_file(from, &to).await?;
    Ok(to)
}

async fn move_file(from: &Path, to: &Path) -> std::io::Result<()> {
    // The two folders may be on different file systems.
    if tokio::fs::rename(from, to).await.is_err() {
        tokio::fs::copy(from, to).await?;
        tokio::fs::remove_file(from).await?;
    }
    Ok(())
}
