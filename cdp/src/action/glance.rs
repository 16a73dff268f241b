//! What the page looks like just before an action, without making the action wait for it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;

use super::ActionError;
use crate::connection::{CdpError, Deadline};
use crate::dom::Document;
use crate::page::{Found, FrameId, Page, Target};

type Capture = JoinHandle<Result<Arc<Document>, CdpError>>;

/// A capture of the document that an action is about to change. The action asks for it right behind
/// its last check of the element: the page takes it while the input events are still on their way,
/// so that it costs no time of its own.
#[derive(Debug, Default)]
pub struct Glance(Mutex<Option<Capture>>);

impl Glance {
    /// Asks for the capture, once, as soon as the caller's task next waits for something.
    pub(super) fn begin(&self, page: &Page, frame: &FrameId, deadline: Deadline) {
        let mut capture = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if capture.is_none() {
            let (page, frame) = (page.clone(), frame.clone());
            *capture = Some(tokio::spawn(async move {
                page.document(&frame, deadline).await
            }));
        }
    }

    /// The code that names the target, as of then. The action has been done, so that there is
    /// always an answer: if the element is not in the capture, the code names its ref.
    pub async fn code(&self, page: &Page, target: &Target, deadline: Deadline) -> String {
        let capture = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let code = match (capture, target) {
            (
                Some(capture),
                Target::Ref {
                    frame,
                    backend_node_id,
                    ..
                },
            ) => match capture.await {
                Ok(Ok(document)) => {
                    code_in(page, document, frame, *backend_node_id, deadline).await
                }
                _ => None,
            },
            _ => page.locator_code(target, deadline).await.ok(),
        };
        code.unwrap_or_else(|| target.locator())
    }
}

async fn code_in(
    page: &Page,
    document: Arc<Document>,
    frame: &FrameId,
    backend_node_id: i64,
    deadline: Deadline,
) -> Option<String> {
    let node = document.by_backend_id(backend_node_id)?;
    let found = Found {
        frame: frame.clone(),
        document,
        node,
    };
    let code: Result<String, ActionError> = page.generated(&found, deadline).await;
    code.ok()
}
