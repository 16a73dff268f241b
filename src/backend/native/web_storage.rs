//! `localStorage` and `sessionStorage` of the current page.

use playguard_cdp::page::WebStorage;

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::tools::js_code::quote;

impl NativeBackend {
    /// Runs `browser_localstorage_<operation>` or its session twin.
    pub(super) async fn web_storage(
        &self,
        tab: &Tab,
        area: WebStorage,
        operation: &str,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let (page, name) = (&tab.page, area.name());
        let key = call.string("key").unwrap_or_default();
        let value = call.string("value").unwrap_or_default();
        let code = match operation {
            "list" => {
                let items = page.storage_items(area).await;
                let items = items.map_err(|error| self.thrown(error))?;
                let lines: Vec<String> = items.iter().map(|(k, v)| format!("{k}={v}")).collect();
                response.result(if lines.is_empty() {
                    format!("No {name} items found")
                } else {
                    lines.join("\n")
                });
                "items()".to_owned()
            }
            "get" => {
                let item = page.storage_get(area, key).await;
                response.result(match item.map_err(|error| self.thrown(error))? {
                    Some(value) => format!("{key}={value}"),
                    None => format!("{name} key '{key}' not found"),
                });
                format!("getItem({})", quote(key))
            }
            "set" => {
                let set = page.storage_set(area, key, value).await;
                set.map_err(|error| self.thrown(error))?;
                format!("setItem({}, {})", quote(key), quote(value))
            }
            "delete" => {
                let removed = page.storage_remove(area, key).await;
                removed.map_err(|error| self.thrown(error))?;
                format!("removeItem({})", quote(key))
            }
            _ => {
                let cleared = page.storage_clear(area).await;
                cleared.map_err(|error| self.thrown(error))?;
                "clear()".to_owned()
            }
        };
        response.code(format!("await page.{name}.{code};"));
        Ok(())
    }
}
