//! What a context remembers, as one file: cookies, and the `localStorage` of the origins it has been
//! to. The format is Playwright's.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use playguard_cdp::connection::Deadline;
use playguard_cdp::context::NewCookie;
use playguard_cdp::page::{Page, WebStorage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::response::{Response, Thrown};
use super::{NEW_PAGE, NativeBackend};
use crate::backend::CreateError;
use crate::call::ToolCall;
use crate::reply::files::read_file;
use crate::tools::js_code::quote;

/// A larger file is no storage state.
const MAX_FILE: u64 = 64 << 20;

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct StorageState {
    #[serde(default)]
    cookies: Vec<StoredCookie>,
    #[serde(default)]
    origins: Vec<StoredOrigin>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredCookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    /// Seconds since 1970; −1 with the session.
    #[serde(default = "session")]
    expires: f64,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default = "lax")]
    same_site: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredOrigin {
    origin: String,
    #[serde(default)]
    local_storage: Vec<StoredItem>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredItem {
    name: String,
    value: String,
}

fn session() -> f64 {
    -1.0
}

fn lax() -> String {
    "Lax".to_owned()
}

impl NativeBackend {
    pub(super) async fn save_storage_state(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let path = match call.text("filename") {
            Some(name) => self.files.rules.named(name).map_err(Thrown::error)?,
            None => self
                .files
                .rules
                .automatic("storage-state", "json", SystemTime::now()),
        };
        let (state, notices) = self.storage_state().await?;
        response.notices.extend(notices);
        // Plain structures of texts and numbers always serialise.
        let text = serde_json::to_string_pretty(&state).unwrap_or_default();
        self.write_bytes(&path, text.into_bytes()).await?;
        response.result(self.files.rules.link("Storage state", &path));
        response.code(format!(
            "await page.context().storageState({{ path: {} }});",
            quote(&self.files.rules.link_path(&path))
        ));
        Ok(())
    }

    /// What the context remembers, and remarks about what could not be read.
    pub(super) async fn storage_state(&self) -> Result<(Value, Vec<String>), Thrown> {
        let mut notices = Vec::new();
        let cookies = self.all_cookies().await?.into_iter().map(|c| StoredCookie {
            name: c.name,
            value: c.value,
            domain: c.domain,
            path: c.path,
            expires: c.expires,
            http_only: c.http_only,
            secure: c.secure,
            same_site: c.same_site.unwrap_or_else(lax),
        });
        let mut state = StorageState {
            cookies: cookies.collect(),
            origins: Vec::new(),
        };
        let mut reach = Reach::new(self).await?;
        for origin in reach.origins() {
            let items = match reach.page(&origin).await {
                Ok(page) => page.storage_items(WebStorage::Local).await,
                Err(error) => {
                    notices.push(format!(
                        "The localStorage of {origin} could not be read: {}",
                        error.0
                    ));
                    continue;
                }
            };
            let items = items.map_err(|error| self.thrown(error))?;
            if !items.is_empty() {
                let local_storage = items
                    .into_iter()
                    .map(|(name, value)| StoredItem { name, value })
                    .collect();
                state.origins.push(StoredOrigin {
                    origin,
                    local_storage,
                });
            }
        }
        reach.close().await;
        // Plain structures of texts and numbers always serialise.
        Ok((serde_json::to_value(&state).unwrap_or_default(), notices))
    }

    pub(super) async fn restore_storage_state(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let name = call.string("filename").unwrap_or_default();
        let path = self.files.rules.named(name).map_err(Thrown::error)?;
        self.load_storage_state(&path).await?;
        response.result(format!("Storage state restored from {name}"));
        response.code(format!(
            "await page.context().setStorageState({});",
            quote(name)
        ));
        Ok(())
    }

    /// Gives a context of its own what the configuration says it remembers.
    ///
    /// # Errors
    /// The file is not there, or no storage state.
    pub(super) async fn begin_with_storage_state(&self) -> Result<(), CreateError> {
        let Some(path) = &self.config.page.storage_state else {
            return Ok(());
        };
        if self.context.is_none() || (self.config.shared_browser_context && !self.host.is_first()) {
            return Ok(());
        }
        let loaded = self.load_storage_state(path).await;
        loaded.map_err(|Thrown(text)| CreateError(text))
    }

    /// Makes the context remember what a file says, and nothing else.
    async fn load_storage_state(&self, path: &Path) -> Result<(), Thrown> {
        let failed = |reason: String| {
            Thrown::error(format!(
                "Error reading storage state from {}:\n{reason}",
                path.display()
            ))
        };
        let read = read_file(path.to_owned(), MAX_FILE).await;
        let (bytes, _) = read.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => failed(format!(
                "ENOENT: no such file or directory, open '{}'",
                path.display()
            )),
            _ => failed(error.to_string()),
        })?;
        let state: StorageState =
            serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
        let cookies: Vec<NewCookie> = state
            .cookies
            .into_iter()
            .map(|c| NewCookie {
                name: c.name,
                value: c.value,
                domain: c.domain,
                path: c.path,
                expires: (c.expires >= 0.0).then_some(c.expires),
                http_only: Some(c.http_only),
                secure: Some(c.secure),
                same_site: Some(c.same_site),
            })
            .collect();
        let jar = self.cookie_jar();
        jar.clear().await.map_err(|error| self.thrown(error))?;
        if !cookies.is_empty() {
            jar.set(&cookies)
                .await
                .map_err(|error| self.thrown(error))?;
        }
        let mut wanted: BTreeMap<String, Vec<StoredItem>> = BTreeMap::new();
        for StoredOrigin {
            origin,
            local_storage,
        } in state.origins
        {
            // Only what a page can be opened at has anything stored.
            let web = Url::parse(&origin).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            if !web {
                return Err(failed(format!("\"{origin}\" is no web origin")));
            }
            wanted.insert(origin, local_storage);
        }
        let mut reach = Reach::new(self).await?;
        for origin in reach.origins() {
            wanted.entry(origin).or_default();
        }
        for (origin, items) in wanted {
            let page = reach.page(&origin).await?;
            let work = async {
                page.storage_clear(WebStorage::Local).await?;
                for StoredItem { name, value } in &items {
                    page.storage_set(WebStorage::Local, name, value).await?;
                }
                Ok(())
            };
            work.await
                .map_err(|error: playguard_cdp::page::ScriptError| self.thrown(error))?;
        }
        reach.close().await;
        Ok(())
    }
}

/// Gets at the storage of origins: by a tab that is there, or else by a page that nobody sees, which
/// gets an empty document instead of asking the origin's server.
struct Reach<'b> {
    backend: &'b NativeBackend,
    origins: Vec<String>,
    hidden: Option<Page>,
}

impl<'b> Reach<'b> {
    async fn new(backend: &'b NativeBackend) -> Result<Self, Thrown> {
        let shared = backend.shared().await?;
        Ok(Self {
            backend,
            origins: shared.origins(),
            hidden: None,
        })
    }

    fn origins(&self) -> Vec<String> {
        self.origins.clone()
    }

    async fn page(&mut self, origin: &str) -> Result<Page, Thrown> {
        let shown = self.backend.tabs().into_iter().find(|tab| {
            let url = Url::parse(&tab.url()).ok();
            let at_origin = url.is_some_and(|url| url.origin().ascii_serialization() == origin);
            let state = tab.page.state();
            at_origin && !state.crashed && state.modals.is_empty()
        });
        if let Some(tab) = shown {
            return Ok(tab.page.clone());
        }
        let page = match &self.hidden {
            Some(page) => page.clone(),
            None => {
                let page = self.backend.hidden_page().await?;
                self.hidden = Some(page.clone());
                page
            }
        };
        let there = page.show_blank(origin, Deadline::after(NEW_PAGE)).await;
        there.map_err(|error| self.backend.thrown(error))?;
        Ok(page)
    }

    async fn close(mut self) {
        if let Some(page) = self.hidden.take() {
            let _ = self.backend.host.browser().close_page(&page).await;
        }
    }
}

impl Drop for Reach<'_> {
    fn drop(&mut self) {
        // Left early, by an error or a cancelled call.
        if let Some(page) = self.hidden.take() {
            let browser = self.backend.host.browser().clone();
            tokio::spawn(async move { browser.close_page(&page).await });
        }
    }
}

/// Pages of our own making that are no tabs.
#[derive(Debug, Default)]
pub(super) struct HiddenPages {
    /// So many are being opened.
    opening: usize,
    targets: Vec<String>,
}

impl HiddenPages {
    /// Whether a page that nobody knows yet may be one.
    pub(super) fn may_be(&self, page: &Page) -> bool {
        self.targets.iter().any(|target| target == page.target_id())
            || (self.opening > 0 && page.opener().is_none())
    }
}

impl NativeBackend {
    /// Opens a page that is no tab.
    async fn hidden_page(&self) -> Result<Page, Thrown> {
        let opening = Opening::new(self);
        let page = self
            .host
            .browser()
            .new_page(self.context.as_ref(), Deadline::after(NEW_PAGE))
            .await
            .map_err(|error| self.thrown(error))?;
        opening.done(&page);
        Ok(page)
    }

    /// What the pages of this client's context share.
    pub(super) async fn shared(&self) -> Result<Arc<playguard_cdp::context::ContextState>, Thrown> {
        if let Some(context) = &self.context {
            return Ok(self.host.browser().shared_state(context));
        }
        if let Some(tab) = self.tabs().first() {
            return Ok(tab.page.shared().clone());
        }
        Ok(self.ensure_tab().await?.page.shared().clone())
    }
}

/// Counts a page that is being opened, until it is known or has failed.
struct Opening<'b>(&'b NativeBackend);

impl<'b> Opening<'b> {
    fn new(backend: &'b NativeBackend) -> Self {
        backend.lock_tabs().hidden.opening += 1;
        Self(backend)
    }

    fn done(self, page: &Page) {
        let target = page.target_id().to_owned();
        self.0.lock_tabs().hidden.targets.push(target);
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.lock_tabs().hidden.opening -= 1;
    }
}
