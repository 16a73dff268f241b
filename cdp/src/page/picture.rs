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

/// How long a picture may take after its document was replaced. Large pages take longer, so a page
/// that stays is waited for.
const LOST: Duration = Duration::from_secs(1);
/// How many documents may be replaced while we ask for their size.
const DOCUMENTS: u32 = 3;

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

/// `Page.getLayoutMetrics`, as far as used. The first is in device pixels, the others in CSS pixels.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    layout_viewport: Client,
    css_layout_viewport: Client,
    css_visual_viewport: Visual,
    css_content_size: Content,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Client {
    client_width: f64,
    client_height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Visual {
    page_x: f64,
    page_y: f64,
    scale: f64,
}

#[derive(Deserialize)]
struct Content {
    width: f64,
    height: f64,
}

impl From<Metrics> for Extent {
    fn from(metrics: Metrics) -> Self {
        let (viewport, visual) = (metrics.css_layout_viewport, metrics.css_visual_viewport);
        let ratio = metrics.layout_viewport.client_width / viewport.client_width;
        Self {
            width: viewport.client_width,
            height: viewport.client_height,
            // A viewport without a width has no ratio.
            ratio: if ratio.is_normal() { ratio } else { 1.0 },
            zoom: visual.scale,
            scroll_x: visual.page_x,
            scroll_y: visual.page_y,
            full_width: metrics.css_content_size.width,
            full_height: metrics.css_content_size.height,
        }
    }
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
            let (_, document) = self.main_frame()?;
            let answer = tokio::select! {
                biased;
                answer = self.call(method, params, deadline) => answer,
                () = self.lost(&document, deadline) => continue,
            };
            match answer {
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

    /// Waits until a picture of `document` will not come any more: the browser says nothing when the
    /// document goes before it was painted.
    async fn lost(&self, document: &str, deadline: Deadline) {
        let replaced = self.until(deadline, |state| {
            (state.frames.main()?.loader.as_ref() != document).then_some(())
        });
        match replaced.await {
            Ok(()) => tokio::time::sleep(LOST).await,
            // The command itself tells of that.
            Err(_) => std::future::pending().await,
        }
    }

    /// How large the page is right now. Waits for its fonts, for a moment.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn extent(&self, deadline: Deadline) -> Result<Extent, CdpError> {
        for _ in 0..DOCUMENTS {
            let (frame, _) = self.main_frame()?;
            match self.agent(&frame, "extent", &[], deadline).await {
                Err(error) if is_replaced(&error) && !deadline.passed() => {
                    tokio::time::sleep(deadline.left().min(BETWEEN)).await;
                }
                extent => return extent.map_err(only_cdp),
            }
        }
        // No document lives long enough to have its fonts; any of them has a size.
        self.metrics(deadline).await
    }

    /// How large the page is, without a word from its document.
    async fn metrics(&self, deadline: Deadline) -> Result<Extent, CdpError> {
        loop {
            let method = "Page.getLayoutMetrics";
            match self.call::<_, Metrics>(method, &json!({}), deadline).await {
                Err(error) if between_documents(&error) && !deadline.passed() => {
                    tokio::time::sleep(deadline.left().min(BETWEEN)).await;
                }
                metrics => return metrics.map(Extent::from),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browsers_own_metrics_tell_the_same() {
        // A viewport of 1280×720 at two device pixels per CSS pixel, scrolled down by 100.
        let told = json!({
            "layoutViewport": { "pageX": 0, "pageY": 200, "clientWidth": 2560, "clientHeight": 1440 },
            "cssLayoutViewport": { "pageX": 0, "pageY": 100, "clientWidth": 1280, "clientHeight": 720 },
            "cssVisualViewport": {
                "offsetX": 0, "offsetY": 0, "pageX": 0, "pageY": 100,
                "clientWidth": 1280, "clientHeight": 720, "scale": 1, "zoom": 1,
            },
            "cssContentSize": { "x": 0, "y": 0, "width": 1280, "height": 5000 },
        });
        let metrics: Metrics = serde_json::from_value(told).unwrap();
        let expected = Extent {
            width: 1280.0,
            height: 720.0,
            ratio: 2.0,
            zoom: 1.0,
            scroll_x: 0.0,
            scroll_y: 100.0,
            full_width: 1280.0,
            full_height: 5000.0,
        };
        assert_eq!(Extent::from(metrics), expected);
    }
}
