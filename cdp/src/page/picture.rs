//! Pictures of a page.

use std::time::Duration;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::json;

use super::{Element, Page};
use crate::capture::screenshot::{CaptureParams, Rect, VisualViewport};
use crate::connection::{CdpError, Deadline};

/// How long to wait before asking a page again that is between two documents.
const BETWEEN: Duration = Duration::from_millis(20);

/// Sizes of a page, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Extent {
    /// Width of the viewport.
    pub width: f64,
    /// Height of the viewport.
    pub height: f64,
    /// Device pixels per CSS pixel.
    pub ratio: f64,
    /// Pinch zoom, 1 when there is none.
    pub zoom: f64,
    /// Left edge of the viewport within the document.
    #[serde(rename = "scrollX")]
    pub scroll_x: f64,
    /// Top edge of the viewport within the document.
    #[serde(rename = "scrollY")]
    pub scroll_y: f64,
    /// Width of the whole document.
    #[serde(rename = "fullWidth")]
    pub full_width: f64,
    /// Height of the whole document.
    #[serde(rename = "fullHeight")]
    pub full_height: f64,
}

#[derive(Deserialize)]
struct BoxInFrame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Extent {
    /// What is visible of the document.
    pub fn visual(&self) -> VisualViewport {
        VisualViewport {
            page_x: self.scroll_x,
            page_y: self.scroll_y,
            scale: self.zoom,
        }
    }
}

impl Page {
    /// Takes a picture, as planned by [`crate::capture::screenshot`].
    ///
    /// # Errors
    /// As any command; also when the answer holds no picture.
    pub async fn picture(
        &self,
        params: &CaptureParams,
        deadline: Deadline,
    ) -> Result<Vec<u8>, CdpError> {
        #[derive(Deserialize)]
        struct Answer {
            data: String,
        }
        let method = "Page.captureScreenshot";
        let answer: Answer = loop {
            match self.call(method, params, deadline).await {
                Err(error) if between_documents(&error) && !deadline.passed() => {
                    tokio::time::sleep(deadline.left().min(BETWEEN)).await;
                }
                answer => break answer?,
            }
        };
        base64::engine::general_purpose::STANDARD
            .decode(answer.data)
            .map_err(|error| CdpError::Answer {
                method: method.into(),
                reason: error.to_string(),
            })
    }

    /// How large the page is right now. Waits for its fonts, for a moment.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn extent(&self, deadline: Deadline) -> Result<Extent, CdpError> {
        // Any document will do, so one that is replaced meanwhile is no reason to give up.
        loop {
            let (frame, _) = self.main_frame()?;
            match self.agent(&frame, "extent", &[], deadline).await {
                Err(error) if is_replaced(&error) && !deadline.passed() => {
                    tokio::time::sleep(deadline.left().min(BETWEEN)).await;
                }
                extent => return extent.map_err(only_cdp),
            }
        }
    }

    /// Where an element is in the viewport of the main frame; `None` without a box. It is scrolled
    /// into view first.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn element_box(
        &self,
        element: &Element,
        deadline: Deadline,
    ) -> Result<Option<Rect>, CdpError> {
        let node = json!({ "backendNodeId": element.backend_node_id() });
        let session = Some(element.session());
        // Without a box there is nothing to scroll to; the box below tells.
        let _ = self
            .connection()
            .call_raw(session, "DOM.scrollIntoViewIfNeeded", &node, deadline)
            .await;
        let mut found: BoxInFrame = element
            .agent(self, "box", vec![], deadline)
            .await
            .map_err(only_cdp)?;
        if found.width == 0.0 && found.height == 0.0 {
            return Ok(None);
        }
        let mut frame = element.frame().clone();
        while let Some(owner) = self.frame_element(&frame, deadline).await? {
            let place: BoxInFrame = owner
                .agent(self, "contentBox", vec![], deadline)
                .await
                .map_err(only_cdp)?;
            found.x += place.x;
            found.y += place.y;
            frame = owner.frame().clone();
        }
        Ok(Some(Rect {
            x: found.x,
            y: found.y,
            width: found.width,
            height: found.height,
        }))
    }

    /// Hides the blinking caret while `work` runs.
    ///
    /// # Errors
    /// Those of `work`.
    pub async fn without_caret<T, E>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        self.set_caret(false).await;
        let done = work.await;
        self.set_caret(true).await;
        done
    }

    async fn set_caret(&self, shown: bool) {
        if let Ok((frame, _)) = self.main_frame() {
            let shown = super::Argument::Value(json!(shown));
            // Best effort: a caret in a picture is no reason to have none.
            let _ = self
                .agent::<serde_json::Value>(&frame, "caret", &[shown], Deadline::ms(2_000))
                .await;
        }
    }
}

fn is_replaced(error: &super::ScriptError) -> bool {
    error.is_context_gone()
        || matches!(error, super::ScriptError::Cdp(error) if between_documents(error))
}

/// Whether the browser could not answer because one document is just making room for another.
fn between_documents(error: &CdpError) -> bool {
    error
        .protocol_message()
        .is_some_and(|message| message.contains("Not attached to an active page"))
}

fn only_cdp(error: super::ScriptError) -> CdpError {
    match error {
        super::ScriptError::Cdp(error) => error,
        super::ScriptError::ContextDestroyed | super::ScriptError::Thrown(_) => {
            CdpError::TargetClosed
        }
    }
}
