//! The page as a PDF.

use std::time::SystemTime;

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::tools::js_code::quote;

impl NativeBackend {
    pub(super) async fn save_pdf(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let path = match call.text("filename") {
            Some(name) => self.files.rules.named(name).map_err(Thrown::error)?,
            None => self.files.rules.automatic("page", "pdf", SystemTime::now()),
        };
        let printed = tab.page.pdf(self.picture_deadline()).await;
        let bytes = printed.map_err(|error| self.thrown(error))?;
        self.write_bytes(&path, bytes).await?;
        response.result(self.files.rules.link("Page as pdf", &path));
        response.code(format!(
            "await page.pdf({{\n  path: {}\n}});",
            quote(&self.files.rules.link_path(&path))
        ));
        Ok(())
    }
}
