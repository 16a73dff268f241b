//! Snapshots from the browser's accessibility tree alone.

use std::collections::HashMap;

use futures_util::future::join_all;

use super::capture::{CHILD, Snapshot};
use super::{Frame, Page};
use crate::action::ActionError;
use crate::aria::{AxFrame, AxPage, AxSnapshotOptions, ax_snapshot};
use crate::connection::Deadline;

impl Page {
    pub(super) async fn snapshot_of_ax(
        &self,
        options: &AxSnapshotOptions,
        deadline: Deadline,
    ) -> Result<Snapshot, ActionError> {
        let (main, _) = self.main_frame()?;
        let listed: Vec<Frame> = self
            .state()
            .frames
            .in_order()
            .into_iter()
            .cloned()
            .collect();
        let reads = listed.iter().map(|frame| async {
            let limit = if frame.id == main {
                deadline
            } else {
                deadline.at_most(CHILD)
            };
            let tree = self.ax_tree(&frame.session, &frame.id, limit).await;
            let owner = match &frame.parent {
                None => None,
                Some(parent) => self
                    .frame_owner(&frame.id, limit)
                    .await
                    .ok()
                    .map(|owner| (parent.clone(), owner)),
            };
            (tree, owner)
        });
        let mut page = AxPage {
            main_frame: main.clone(),
            frames: HashMap::new(),
        };
        let mut owners = Vec::new();
        for (frame, (tree, owner)) in listed.iter().zip(join_all(reads).await) {
            match tree {
                Ok(tree) => {
                    let read = AxFrame {
                        tree,
                        document_id: frame.loader.clone(),
                        children: HashMap::new(),
                    };
                    page.frames.insert(frame.id.clone(), read);
                }
                Err(error) if frame.id == main => return Err(error.into()),
                Err(error) => tracing::debug!(%error, "a frame's accessibility tree is missing"),
            }
            owners.extend(owner.map(|(parent, owner)| (parent, owner, frame.id.clone())));
        }
        for (parent, owner, child) in owners {
            if let Some(parent) = page.frames.get_mut(&parent) {
                parent.children.insert(owner, child);
            }
        }
        let tree = self.change(|state| ax_snapshot(&page, &mut state.refs, options));
        let title = self.title().await?.unwrap_or_default();
        Ok(Snapshot { tree, title })
    }
}
