//! Answering JavaScript dialogs.

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;

impl NativeBackend {
    pub(super) async fn handle_dialog(
        &self,
        tab: &Tab,
        call: &ToolCall,
        _response: &mut Response,
    ) -> Result<(), Thrown> {
        let accept = call.flag("accept").unwrap_or(false);
        let text = call.string("promptText");
        let answer = async {
            tab.page
                .answer_dialog(accept, text)
                .await
                .map(drop)
                .map_err(|error| self.thrown(error))
        };
        self.complete(tab, answer).await
    }
}
