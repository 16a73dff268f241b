//! Everything at once: raw protocol replies of one session in, tree out. For
//! benches, fuzzing and offline tools; live code captures frame by frame.

use std::sync::Arc;

use super::ax::AxOverlay;
use super::page::{Captured, FrameCapture, PageCapture};
use super::refs::RefBook;
use super::snapshot::{SnapshotOptions, snapshot};
use super::tree::AriaTree;
use crate::dom::{Document, DomError, DomSnapshot, DomTree};

/// Builds the snapshot of a session's root document and its child frames from the
/// JSON of `DOMSnapshot.captureSnapshot` and, where given, `DOM.getDocument` and
/// the root frame's `Accessibility.getFullAXTree`. Refs start at `e1`, frames are
/// numbered in the order of the reply.
///
/// Whatever the texts hold, this returns; it never panics.
///
/// # Errors
/// [`DomError`] when one of the texts is not JSON of the expected shape.
pub fn snapshot_from_json(
    dom: &str,
    tree: Option<&str>,
    ax: Option<&str>,
    options: &SnapshotOptions,
) -> Result<AriaTree, DomError> {
    let dom = DomSnapshot::from_json(dom)?;
    let tree = tree.map(DomTree::from_json).transpose()?;
    let overlay = ax.map(AxOverlay::from_json).transpose()?.map(Arc::new);
    let mut page = PageCapture::default();
    let mut refs = RefBook::default();
    for (index, document) in Document::build_all(&dom, tree.as_ref())
        .into_iter()
        .enumerate()
    {
        let frame_id = Arc::clone(document.frame_id());
        let mut frame = FrameCapture::new(document, "");
        if index == 0 {
            page.main_frame = Arc::clone(&frame_id);
            frame.overlay.clone_from(&overlay);
        }
        refs.frame_attached(&frame_id);
        page.frames
            .entry(frame_id)
            .or_insert(Captured::Ready(frame));
    }
    Ok(snapshot(&page, &mut refs, options))
}
