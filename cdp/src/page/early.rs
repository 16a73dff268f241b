//! A look at a page that is still coming to rest: right if nothing changes afterwards.

use std::collections::HashMap;

use tokio::task::JoinHandle;

use super::capture::{CaptureRules, SnapshotSource};
use super::{FrameId, Page, STEP};
use crate::action::Rested;
use crate::aria::{Captured, PageCapture};
use crate::connection::Deadline;

/// A capture that was taken while the page was watched for changes. It is only ever of a small page
/// with one document and no shadow trees, since changes elsewhere would go unnoticed.
#[derive(Debug)]
pub struct EarlyLook {
    /// How often the document had changed just before.
    changes: i64,
    main_frame: FrameId,
    captured: Captured,
}

/// The same, while it is being taken.
pub(crate) struct Looking(JoinHandle<Option<EarlyLook>>);

impl EarlyLook {
    /// Begins to look, if the page is one for which that makes sense: the frame is its only one, and
    /// was small when last seen.
    pub(crate) fn begin(page: &Page, frame: &FrameId) -> Option<Looking> {
        {
            let state = page.state();
            let frames = state.frames.in_order();
            let [only] = frames.as_slice() else {
                return None;
            };
            if only.id != *frame || !only.small {
                return None;
            }
        }
        let (page, frame) = (page.clone(), frame.clone());
        Some(Looking(tokio::spawn(take(page, frame))))
    }

    /// The capture, if it is one that `rules` ask for and its document is still there.
    pub(super) fn into_capture(self, page: &Page, rules: &CaptureRules) -> Option<PageCapture> {
        let Captured::Ready(frame) = &self.captured else {
            return None;
        };
        let (main, loader) = page.main_frame().ok()?;
        let fits = rules.source == SnapshotSource::Dom
            && !rules.accessibility
            && main == self.main_frame
            && loader == frame.document_id;
        fits.then(|| PageCapture {
            main_frame: self.main_frame.clone(),
            frames: HashMap::from([(self.main_frame, self.captured)]),
        })
    }
}

impl Looking {
    /// The look, if the page that has `rested` is still what was seen.
    pub(crate) async fn confirmed_by(self, rested: &Rested) -> Option<EarlyLook> {
        // Without any change there was a long wait, in which what is not watched may have changed.
        if !rested.stirred {
            self.0.abort();
            return None;
        }
        let look = self.0.await.ok().flatten()?;
        (u64::try_from(look.changes) == Ok(rested.changes)).then_some(look)
    }
}

async fn take(page: Page, frame: FrameId) -> Option<EarlyLook> {
    let processes = page.processes();
    let [process] = processes.as_slice() else {
        return None;
    };
    let deadline = Deadline::after(STEP);
    let rules = CaptureRules::default();
    // Asked for in this order, and answered in it.
    let (changes, captured) = tokio::join!(
        page.agent::<i64>(&frame, "pulse", &[], deadline),
        page.capture_process(process, &rules, deadline),
    );
    let [(captured_frame, Captured::Ready(ready))] = captured.as_slice() else {
        return None;
    };
    let document = &ready.document;
    let plain = document
        .nodes()
        .all(|node| document.shadow_kind(node).is_none());
    if *captured_frame != frame || !plain {
        return None;
    }
    Some(EarlyLook {
        changes: changes.ok()?,
        main_frame: frame,
        captured: Captured::Ready(ready.clone()),
    })
}
