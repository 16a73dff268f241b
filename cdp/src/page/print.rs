//! A page on paper.

use base64::Engine as _;
use serde::Deserialize;
use serde_json::json;

use super::Page;
use crate::connection::{CdpError, Deadline};

impl Page {
    /// The page as a PDF: US letter, no margins, no backgrounds, as upstream prints it.
    ///
    /// # Errors
    /// The browser cannot print (some cannot with a window), or as any command.
    pub async fn pdf(&self, deadline: Deadline) -> Result<Vec<u8>, CdpError> {
        #[derive(Deserialize)]
        struct Printed {
            data: String,
        }
        let params = json!({
            "paperWidth": 8.5,
            "paperHeight": 11,
            "marginTop": 0,
            "marginBottom": 0,
            "marginLeft": 0,
            "marginRight": 0,
            "scale": 1,
            "printBackground": false,
            "landscape": false,
            "displayHeaderFooter": false,
            "preferCSSPageSize": false,
            "transferMode": "ReturnAsBase64",
        });
        let printed: Printed = self.call("Page.printToPDF", &params, deadline).await?;
        base64::engine::general_purpose::STANDARD
            .decode(printed.data)
            .map_err(|error| CdpError::Answer {
                method: "Page.printToPDF".into(),
                reason: error.to_string(),
            })
    }
}
