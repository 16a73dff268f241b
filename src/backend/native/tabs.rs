//! The tab tool and the end of the browser.

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::{ToolCall, ToolReply};
use crate::reply::{NO_OPEN_TABS, tab_lines};
use crate::tools::js_code::quote;

impl NativeBackend {
    pub(super) async fn manage_tabs(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let index = call.number("index");
        match call.string("action").unwrap_or_default() {
            "list" => drop(self.ensure_tab().await?),
            "new" => {
                let tab = self.open_tab().await?;
                if let Some(address) = call.text("url") {
                    response.show_page();
                    let url = self.open(&tab, address).await?;
                    response.code(format!("await page.goto({});", quote(&url)));
                }
            }
            "close" => self.close_tab(index).await?,
            _ => {
                let index = index.ok_or_else(|| Thrown::error("Tab index is required"))?;
                let tab = self.tab_at(Some(index))?;
                if tab.page.state().crashed {
                    return Err(Thrown::error("Target crashed "));
                }
                tab.page
                    .bring_to_front()
                    .await
                    .map_err(|error| self.thrown(error))?;
                self.make_current(&tab.page);
            }
        }
        let lines = self.told_lines().await;
        response.result(if lines.is_empty() {
            NO_OPEN_TABS.to_owned()
        } else {
            tab_lines(&lines).join("\n")
        });
        Ok(())
    }

    async fn close_tab(&self, index: Option<f64>) -> Result<(), Thrown> {
        let tab = match (index, self.current_tab()) {
            (None, Some(current)) => current,
            _ => self.tab_at(index)?,
        };
        self.host
            .browser()
            .close_page(&tab.page)
            .await
            .map_err(|error| self.thrown(error))
    }

    fn tab_at(&self, index: Option<f64>) -> Result<std::sync::Arc<Tab>, Thrown> {
        let tabs = self.tabs();
        let found = index
            .and_then(|index| {
                usize::try_from(index as i64)
                    .ok()
                    .filter(|whole| *whole as f64 == index)
            })
            .and_then(|index| tabs.get(index).cloned());
        found.ok_or_else(|| {
            let index = index.map_or_else(|| "undefined".to_owned(), |index| index.to_string());
            Thrown::error(format!("Tab {index} not found"))
        })
    }

    /// The list of tabs as the Result shows it. Whoever is told here is not told again below.
    async fn told_lines(&self) -> Vec<crate::call::TabLine> {
        let current = self.current_tab();
        let tabs = self.tabs();
        let titles = self.titles(&tabs, current.as_ref(), None).await;
        tabs.iter()
            .zip(titles)
            .map(|(tab, title)| {
                let is_current = current
                    .as_ref()
                    .is_some_and(|current| std::sync::Arc::ptr_eq(current, tab));
                tab.tell(title, is_current).0
            })
            .collect()
    }

    pub(super) async fn close_browser(&self, mut response: Response) -> Result<ToolReply, Thrown> {
        response.result(NO_OPEN_TABS);
        response.code("await page.close()");
        self.closed
            .store(true, std::sync::atomic::Ordering::Relaxed);
        Ok(ToolReply {
            results: response.results,
            code: response.code,
            ..ToolReply::default()
        })
    }
}
