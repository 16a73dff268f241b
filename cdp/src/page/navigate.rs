//! Going somewhere, and waiting until that has come to something.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::frames::FrameId;
use super::{Modal, Page, PageState, STEP};
use crate::connection::{CdpError, Deadline};

/// How long the event is waited for that tells why a navigation was aborted.
const CAUSE: Duration = Duration::from_millis(300);
/// How long a document that needs no request may take to be there.
const ARRIVAL: Duration = Duration::from_secs(2);

/// How far a navigation is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The new document is there.
    Commit,
    /// It has been parsed.
    DomContentLoaded,
    /// All its resources are there.
    Load,
}

/// Why a navigation did not arrive.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NavigationError {
    /// The network stack's word, such as `net::ERR_CONNECTION_REFUSED`.
    #[error("{text} at {url}")]
    Failed {
        /// `net::ERR_…`
        text: String,
        /// Where to.
        url: String,
    },
    /// The answer is a file to save, not a document.
    #[error("Download is starting")]
    Download,
    /// Something else took the page elsewhere.
    #[error("Navigation to \"{to}\" is interrupted by another navigation to \"{by}\"")]
    Interrupted {
        /// Where this one went.
        to: String,
        /// Where the other one went.
        by: String,
    },
    /// Too slow, or the page is gone.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    frame_id: String,
    loader_id: Option<String>,
    error_text: Option<String>,
    #[serde(default)]
    is_download: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: usize,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
}

impl Page {
    /// Navigates the main frame and waits as far as `wait` says. Ends early, with `Ok(false)`, when a
    /// dialog or file chooser opens meanwhile.
    ///
    /// # Errors
    /// See [`NavigationError`].
    pub async fn goto(
        &self,
        url: &str,
        wait: Wait,
        deadline: Deadline,
    ) -> Result<bool, NavigationError> {
        let (frame, before) = self.main_frame()?;
        let (downloads, start) = {
            let state = self.state();
            let start = Start {
                loader: before.clone(),
                epoch: state.network.epoch(),
                requests: state.network.last_index(),
            };
            (state.downloads.len(), start)
        };
        let params = json!({ "url": url, "frameId": frame.as_ref() });
        let sent = self
            .unless_modal(self.call::<_, Navigated>("Page.navigate", &params, deadline))
            .await;
        let Some(sent) = sent else { return Ok(false) };
        let answer = sent?;
        if answer.is_download {
            return Err(NavigationError::Download);
        }
        if let Some(text) = answer.error_text {
            if self.state().downloads.len() > downloads {
                return Err(NavigationError::Download);
            }
            if text == "net::ERR_ABORTED" {
                let ours = answer.loader_id.as_deref();
                if let Some(cause) = self
                    .cause_of_end(url, ours, downloads, &start, deadline)
                    .await
                {
                    return Err(cause);
                }
            } else {
                // The page that says so is a document too; the next navigation must not meet its arrival.
                let limit = deadline.at_most(Duration::from_secs(1));
                let shown = self.until(limit, |state| {
                    state
                        .frames
                        .main()
                        .is_some_and(|main| main.url.starts_with("chrome-error:"))
                        .then_some(())
                });
                let _ = shown.await;
            }
            return Err(NavigationError::Failed {
                text,
                url: url.to_owned(),
            });
        }
        let Some(loader) = answer.loader_id else {
            // Same document: there is nothing to wait for.
            return Ok(true);
        };
        let arrived = self.until(deadline, |state| {
            if state.dialog().is_some() {
                return Some(Ok(false));
            }
            let now = state.frames.get(&answer.frame_id)?;
            if now.loader.as_ref() == loader.as_str() {
                return reached(state, &answer.frame_id, wait).then_some(Ok(true));
            }
            // Not ours and not the one before: somebody else was faster.
            // (Its loader is told before its address.)
            let elsewhere = now.loader != before
                && !now.loader.is_empty()
                && !now.navigating
                && !now.url.starts_with("chrome-error:");
            elsewhere.then(|| {
                Err(NavigationError::Interrupted {
                    to: url.to_owned(),
                    by: now.url.to_string(),
                })
            })
        });
        match arrived.await {
            Ok(outcome) => outcome,
            Err(CdpError::Timeout { budget, .. }) => Err(CdpError::Timeout {
                method: "navigation".into(),
                budget,
            }
            .into()),
            Err(error) => Err(error.into()),
        }
    }

    /// An aborted navigation may have become a download, or have given way to another navigation. The
    /// event that tells may still be on its way. `None` when there is no such cause.
    async fn cause_of_end(
        &self,
        url: &str,
        ours: Option<&str>,
        downloads: usize,
        start: &Start,
        deadline: Deadline,
    ) -> Option<NavigationError> {
        let find = |state: &PageState| {
            if state.downloads.len() > downloads {
                return Some(NavigationError::Download);
            }
            let by = start.other_navigation(state, ours)?;
            Some(NavigationError::Interrupted {
                to: url.to_owned(),
                by,
            })
        };
        let told = self.until(deadline.at_most(CAUSE), find).await;
        if told.is_err()
            && self
                .state()
                .frames
                .main()
                .is_some_and(|main| main.navigating)
        {
            // Another one is under way, without a request that would name it.
            return self.until(deadline.at_most(ARRIVAL), find).await.ok();
        }
        told.ok()
    }

    /// Goes one step back in history and waits for the document to be there. `Ok(false)` if there is
    /// no such step.
    ///
    /// # Errors
    /// As any command.
    pub async fn go_back(&self, deadline: Deadline) -> Result<bool, CdpError> {
        self.go_in_history(|now| now.checked_sub(1), deadline).await
    }

    /// The same, one step forward.
    ///
    /// # Errors
    /// As any command.
    pub async fn go_forward(&self, deadline: Deadline) -> Result<bool, CdpError> {
        self.go_in_history(|now| now.checked_add(1), deadline).await
    }

    async fn go_in_history(
        &self,
        step: impl Fn(usize) -> Option<usize>,
        deadline: Deadline,
    ) -> Result<bool, CdpError> {
        let history: History = self
            .call("Page.getNavigationHistory", &json!({}), deadline)
            .await?;
        let Some(entry) = step(history.current_index).and_then(|index| history.entries.get(index))
        else {
            return Ok(false);
        };
        let (frame, loader) = self.main_frame()?;
        let url = self
            .state()
            .frames
            .get(&frame)
            .map(|frame| frame.url.clone());
        self.command(
            "Page.navigateToHistoryEntry",
            &json!({ "entryId": entry.id }),
            deadline,
        )
        .await?;
        self.until(deadline, |state| {
            let now = state.frames.get(&frame)?;
            (now.loader != loader || Some(&now.url) != url.as_ref() || state.dialog().is_some())
                .then_some(())
        })
        .await?;
        Ok(true)
    }

    /// Waits until the main frame's current document has come as far as `wait`, or a dialog opens.
    ///
    /// # Errors
    /// The deadline passes, or the page goes away.
    pub async fn wait_for(&self, wait: Wait, deadline: Deadline) -> Result<(), CdpError> {
        self.until(deadline, |state| {
            let main = state.frames.main()?;
            (reached(state, &main.id, wait) || state.dialog().is_some()).then_some(())
        })
        .await
    }

    /// The main frame and the loader of its document.
    ///
    /// # Errors
    /// The page is gone, or never came to be.
    pub fn main_frame(&self) -> Result<(FrameId, std::sync::Arc<str>), CdpError> {
        let state = self.state();
        let main = state.frames.main().ok_or(CdpError::TargetClosed)?;
        Ok((main.id.clone(), main.loader.clone()))
    }

    /// Reads the title of the current document; `None` when a dialog keeps the page from answering.
    ///
    /// # Errors
    /// The page is gone.
    pub async fn title(&self) -> Result<Option<String>, CdpError> {
        #[derive(Deserialize)]
        struct Facts {
            title: String,
        }
        // A navigation may come in between; the new document is the one that counts then.
        for _ in 0..3 {
            let (frame, _) = self.main_frame()?;
            let deadline = Deadline::after(STEP);
            let answer = self
                .unless_dialog(self.agent::<Facts>(&frame, "facts", &[], deadline))
                .await;
            match answer {
                None => return Ok(None),
                Some(Ok(facts)) => return Ok(Some(facts.title)),
                Some(Err(error)) if error.is_context_gone() => {}
                Some(Err(super::ScriptError::Cdp(error))) => return Err(error),
                Some(Err(_)) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// As [`Self::unless_modal`], but file choosers do not matter: scripts go on while one is open.
    pub async fn unless_dialog<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut changes = self.changes();
        tokio::pin!(work);
        loop {
            changes.borrow_and_update();
            if self
                .state()
                .modals
                .iter()
                .any(|modal| matches!(modal, Modal::Dialog(_)))
            {
                return None;
            }
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Some(work.await);
                    }
                }
            }
        }
    }
}

/// What there was when a navigation began.
struct Start {
    loader: std::sync::Arc<str>,
    epoch: u64,
    requests: usize,
}

impl Start {
    /// Where a navigation goes that began later than this one, whose loader is `ours`.
    fn other_navigation(&self, state: &PageState, ours: Option<&str>) -> Option<String> {
        let main = state.frames.main()?;
        let log = &state.network;
        // A log that was cleared since holds nothing older.
        let is_later = |index| log.epoch() != self.epoch || index > self.requests;
        let under_way = log
            .entries()
            .rev()
            .find(|entry| {
                // The request for a document has the id of the loader of that document.
                entry.navigation && entry.frame_id.as_deref() == Some(&main.id)
            })
            .filter(|entry| is_later(entry.index) && Some(entry.request_id.as_str()) != ours);
        if let Some(entry) = under_way {
            return Some(entry.url.clone());
        }
        // Documents that need no request are there at once. Their loader is told before their address.
        let arrived = main.loader != self.loader
            && !main.navigating
            && Some(main.loader.as_ref()) != ours
            && !main.loader.is_empty()
            && !main.url.starts_with("chrome-error:");
        arrived.then(|| main.url.to_string())
    }
}

fn reached(state: &PageState, frame: &str, wait: Wait) -> bool {
    state.frames.get(frame).is_some_and(|frame| match wait {
        Wait::Commit => true,
        Wait::DomContentLoaded => frame.lifecycle.dom_content_loaded,
        Wait::Load => frame.lifecycle.load,
    })
}
