//! Going to pages and back.

use std::time::Duration;

use playguard_cdp::connection::Deadline;
use playguard_cdp::page::{NavigationError, Wait};
use url::Url;

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::tools::js_code::quote;

/// After the document is there: how long its resources are waited for.
const LOAD: Duration = Duration::from_secs(5);
/// After going back: how long the document may take to be parsed.
const PARSED: Duration = Duration::from_secs(1);
/// How long the console's word on a failed document is waited for.
const FAILURE_ENTRY: Duration = Duration::from_millis(300);
/// How long a navigation that became a download is waited for.
const DOWNLOAD: Duration = Duration::from_secs(3);
/// How long a page that is to be left may take to answer before its running script is ended.
const LEAVING: Duration = Duration::from_secs(3);
/// And then, for the download to end, if it is short.
const DOWNLOAD_END: Duration = Duration::from_millis(500);

impl NativeBackend {
    pub(super) async fn navigate(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let tab = self.ensure_tab().await?;
        response.show_page();
        let url = self
            .open(&tab, call.string("url").unwrap_or_default())
            .await?;
        response.code(format!("await page.goto({});", quote(&url)));
        Ok(())
    }

    /// Whether an address shows a file, and that is not allowed.
    pub(super) fn is_closed_file(&self, url: &str) -> bool {
        is_file_url(url) && !self.config.allow_unrestricted_file_access
    }

    /// Navigates a tab to an address as a person may write it. Returns the address as used.
    pub(super) async fn open(&self, tab: &Tab, address: &str) -> Result<String, Thrown> {
        let url = completed(address);
        if self.is_closed_file(&url) {
            return Err(Thrown::error(format!(
                "Access to \"file:\" protocol is blocked. Attempted URL: \"{url}\""
            )));
        }
        let dialog = tab.page.state().dialog().cloned();
        if let Some(dialog) = dialog.filter(|_| self.manners.extras) {
            return Err(Thrown::error(format!(
                "Nothing was opened, because the page shows a dialog (\"{}\": {:?}). Answer it with \
                 browser_handle_dialog first; if there is no end of them, open another tab with \
                 browser_tabs and close this one.",
                dialog.kind, dialog.message
            )));
        }
        if !tab.page.state().modals.is_empty() {
            // Nothing can be loaded behind an open dialog; the reply names it.
            return Ok(url);
        }
        tab.begin_chapter(&self.files);
        let destination = for_browser(&url);
        let deadline = self.navigation_deadline();
        self.release_busy(tab).await;
        let going = tab
            .page
            .goto(&destination, Wait::DomContentLoaded, deadline);
        match going.await {
            Ok(true) => {
                // A page that never finishes loading is still a page.
                let loaded = tab.page.wait_for(Wait::Load, Deadline::after(LOAD));
                let _ = tab.page.unless_modal(loaded).await;
            }
            Ok(false) => {}
            Err(NavigationError::Download) => self.await_download(tab, &destination).await?,
            Err(error) => {
                if matches!(&error, NavigationError::Cdp(error) if error.is_timeout()) {
                    // While it is under way the browser holds back what is asked of the page before it.
                    tab.page.stop_loading();
                }
                return Err(self.failed(error, &destination));
            }
        }
        Ok(url)
    }

    /// A page whose script does not end cannot be left, so the script is ended first. While another
    /// navigation is under way nothing reaches the page.
    async fn release_busy(&self, tab: &Tab) {
        let reachable = {
            let state = tab.page.state();
            state.frames.main().is_some_and(|main| !main.navigating)
        };
        if self.manners.extras && reachable && !tab.page.responds(LEAVING).await {
            tracing::debug!("the page does not answer: its script is ended");
            tab.page.end_script();
        }
    }

    async fn await_download(&self, tab: &Tab, url: &str) -> Result<(), Thrown> {
        let began = tab.page.until(Deadline::after(DOWNLOAD), |state| {
            (!state.downloads.is_empty()).then_some(())
        });
        if began.await.is_err() {
            return Err(self.failed(
                NavigationError::Failed {
                    text: "net::ERR_ABORTED".into(),
                    url: url.into(),
                },
                url,
            ));
        }
        let ended = tab.page.until(Deadline::after(DOWNLOAD_END), |state| {
            state
                .downloads
                .iter()
                .all(|download| download.completed.is_some())
                .then_some(())
        });
        if ended.await.is_ok() {
            tab.downloads_settled(Deadline::after(DOWNLOAD_END)).await;
        }
        Ok(())
    }

    fn failed(&self, error: NavigationError, url: &str) -> Thrown {
        let Thrown(text) = self.thrown(error);
        Thrown(format!(
            "{text}\nCall log:\n  - navigating to \"{url}\", waiting until \"domcontentloaded\"\n"
        ))
    }

    /// A document with an error status is followed by a console message that says so.
    async fn await_failure_entry(&self, tab: &Tab) {
        let failed = tab
            .page
            .state()
            .network
            .main_status()
            .is_some_and(|status| status.code >= 400);
        if failed {
            let said = tab.page.until(Deadline::after(FAILURE_ENTRY), |state| {
                (state.console.counts().errors > 0).then_some(())
            });
            let _ = said.await;
        }
    }

    pub(super) async fn navigate_back(
        &self,
        tab: &Tab,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let back = tab.page.go_back(self.navigation_deadline());
        if let Some(Err(error)) = tab.page.unless_modal(back).await {
            return Err(self.thrown(error));
        }
        // A document that is only just there has nothing to show yet.
        let parsed = tab
            .page
            .wait_for(Wait::DomContentLoaded, Deadline::after(PARSED));
        let _ = tab.page.unless_modal(parsed).await;
        self.await_failure_entry(tab).await;
        response.code("await page.goBack();");
        Ok(())
    }
}

/// What a person may leave out of an address is put in.
fn completed(address: &str) -> String {
    if Url::parse(address).is_ok() {
        address.to_owned()
    } else if address.starts_with("localhost") {
        format!("http://{address}")
    } else {
        format!("https://{address}")
    }
}

/// `localhost:8080/x` reads as a URL with the scheme `localhost`; no browser opens that.
fn for_browser(url: &str) -> String {
    if url.starts_with("localhost") || url.starts_with("127.0.0.1") {
        format!("http://{url}")
    } else {
        url.to_owned()
    }
}

/// Whether an address shows a file, also by way of the schemes that show what another address holds.
fn is_file_url(url: &str) -> bool {
    let mut rest = url.to_owned();
    while let Ok(parsed) = Url::parse(&rest) {
        match parsed.scheme() {
            "file" => return true,
            "view-source" | "filesystem" | "blob" => rest = parsed.path().to_owned(),
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_in_every_disguise() {
        for url in [
            "file:///etc/passwd",
            " FILE:/etc/passwd",
            "view-source:file:///etc/passwd",
            "View-Source: view-source:file:/etc/passwd",
            "filesystem:file:///temporary/x",
            "blob:file:///1234",
            "fi\nle:///etc/passwd",
        ] {
            assert!(is_file_url(url), "{url}");
        }
        for url in [
            "view-source:https://example.com/file:///x",
            "https://file/",
            "blob:https://example.com/1",
            "about:blank",
            "view-source:",
        ] {
            assert!(!is_file_url(url), "{url}");
        }
    }

    #[test]
    fn addresses_are_completed_as_upstream_does() {
        for (given, url) in [
            ("https://example.com/a b", "https://example.com/a b"),
            ("example.com", "https://example.com"),
            ("localhost", "http://localhost"),
            ("localhost:8080/x", "localhost:8080/x"),
            ("127.0.0.1:9", "https://127.0.0.1:9"),
            ("", "https://"),
            ("about:blank", "about:blank"),
            ("data:text/html,x", "data:text/html,x"),
        ] {
            assert_eq!(completed(given), url, "{given}");
        }
        assert_eq!(for_browser("localhost:8080/x"), "http://localhost:8080/x");
        assert!(is_file_url("FILE:///etc/hostname"));
        assert!(!is_file_url("https://file/"));
    }
}
