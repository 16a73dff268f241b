//! Viewport size and media features.

use serde_json::{Map, Value};

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::tools::js_code::inline_object;

/// Argument and CSS media feature.
const FEATURES: [(&str, &str); 4] = [
    ("colorScheme", "prefers-color-scheme"),
    ("reducedMotion", "prefers-reduced-motion"),
    ("forcedColors", "forced-colors"),
    ("contrast", "prefers-contrast"),
];

/// No screen is larger, and Chromium refuses more.
const MAX_SIDE: f64 = 10_000_000.0;

impl NativeBackend {
    pub(super) async fn resize(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let side = |key: &str| call.number(key).unwrap_or_default();
        let (width, height) = (side("width"), side("height"));
        let whole = |name: &str, side: f64| {
            if (1.0..=MAX_SIDE).contains(&side) {
                // Within the range of u32 by the check above.
                Ok(side as u32)
            } else {
                Err(Thrown::error(format!(
                    "{name} must be a number of pixels from 1 to {MAX_SIDE}, got {side}"
                )))
            }
        };
        let size = (whole("width", width)?, whole("height", height)?);
        response.code(format!(
            "await page.setViewportSize({{ width: {width}, height: {height} }});"
        ));
        tab.page
            .set_viewport(size.0, size.1)
            .await
            .map_err(|error| self.thrown(error))
    }

    pub(super) async fn emulate_media(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let mut given = Map::new();
        for key in FEATURES
            .iter()
            .map(|(argument, _)| *argument)
            .chain(["media"])
        {
            if let Some(value) = call.arguments.get(key) {
                given.insert(key.to_owned(), value.clone());
            }
        }
        if given.is_empty() {
            response.error("Error: Specify at least one media feature to emulate.");
            return Ok(());
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let media = {
            let mut state = tab.page.state();
            for (key, value) in &given {
                match FEATURES.iter().find(|(argument, _)| argument == key) {
                    Some((_, feature)) => drop(
                        state
                            .media
                            .features
                            .insert((*feature).to_owned(), text(value)),
                    ),
                    None => state.media.kind = text(value),
                }
            }
            state.media.clone()
        };
        tab.page
            .emulate_media(&media)
            .await
            .map_err(|error| self.thrown(error))?;
        response.code(format!(
            "await page.emulateMedia({});",
            inline_object(&given)
        ));
        Ok(())
    }
}
