//! Looking at the page: snapshots and searches in them.

use playguard_cdp::page::CaptureOptions;

use super::NativeBackend;
use super::response::{Response, Thrown, Wanted};
use super::tab::Tab;
use crate::call::{SnapshotContent, ToolCall};
use crate::find::{Query, find};
use crate::reply::snapshot_text;

impl NativeBackend {
    pub(super) fn snapshot(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let target = match call.text("target") {
            Some(text) => Some(tab.page.target(text).map_err(|error| self.thrown(error))?),
            None => None,
        };
        let depth = match call.number("depth") {
            Some(depth) if depth.fract() != 0.0 => {
                let prefix = self.manners.operation_prefix;
                return Err(Thrown::error(format!(
                    "{prefix}depth: expected integer, got float {depth}"
                )));
            }
            // Saturates; no tree is as deep as that.
            depth => depth.map(|depth| depth as i64),
        };
        let file = call
            .text("filename")
            .map(|name| self.files.rules.named(name))
            .transpose()
            .map_err(Thrown::error)?;
        let boxes = call.flag("boxes").unwrap_or(self.config.snapshot.boxes);
        response.snapshot = Wanted::Explicit {
            options: CaptureOptions {
                target,
                depth,
                boxes,
            },
            file,
        };
        Ok(())
    }

    pub(super) async fn find(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let query = match Query::new(call.string("text"), call.string("regex")) {
            Ok(query) => query,
            Err(error) => {
                response.error(error.to_string());
                return Ok(());
            }
        };
        let options = CaptureOptions {
            boxes: self.config.snapshot.boxes,
            ..CaptureOptions::default()
        };
        let (content, _) = self.look(tab, &options, true, None).await?;
        let text = match content {
            SnapshotContent::Interrupted => String::new(),
            tree => snapshot_text(&tree),
        };
        let searching = tokio::task::spawn_blocking(move || find(&text, &query));
        let found = searching.await.map_err(Thrown::error)?;
        self.text_or_file(call, "Find results", found, response)
            .await
    }
}
