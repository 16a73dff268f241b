//! Things that hold for one page.

use serde_json::{Map, Value, json};

use super::{Element, Page};
use crate::connection::{CdpError, Deadline};

impl Page {
    /// Runs a script in every new document of this page, before its own.
    ///
    /// # Errors
    /// As any command.
    pub async fn add_init_script(&self, source: &str, deadline: Deadline) -> Result<(), CdpError> {
        let params = json!({ "source": source });
        self.command("Page.addScriptToEvaluateOnNewDocument", &params, deadline)
            .await
    }

    /// Headers that this page sends with every request, in place of those given before.
    ///
    /// # Errors
    /// As any command.
    pub async fn set_extra_headers(
        &self,
        headers: &Map<String, Value>,
        deadline: Deadline,
    ) -> Result<(), CdpError> {
        let params = json!({ "headers": headers });
        self.command("Network.setExtraHTTPHeaders", &params, deadline)
            .await
    }

    /// Gives files to a file input.
    ///
    /// # Errors
    /// It is none, or as any command.
    pub async fn set_files(
        &self,
        element: &Element,
        files: &[String],
        deadline: Deadline,
    ) -> Result<(), CdpError> {
        let params = json!({ "files": files, "backendNodeId": element.backend_node_id() });
        self.connection()
            .call_raw(
                Some(element.session()),
                "DOM.setFileInputFiles",
                &params,
                deadline,
            )
            .await
            .map(drop)
    }
}
