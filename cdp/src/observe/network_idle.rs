//! Which requests an action caused, and which of them are still worth waiting for.

use super::network::{NetworkEntry, NetworkLog, ResourceType, State};

/// The requests a page starts from a moment on, until it is closed.
///
/// It only remembers indexes; the log knows the rest. Requests of a log that was cleared meanwhile
/// no longer count: their page is gone.
#[derive(Debug, Clone)]
pub struct RequestWindow {
    epoch: u64,
    after: usize,
    until: Option<usize>,
}

impl RequestWindow {
    /// Starts collecting now.
    pub fn open(log: &NetworkLog) -> Self {
        Self {
            epoch: log.epoch(),
            after: log.last_index(),
            until: None,
        }
    }

    /// Stops collecting now; what was collected is still followed through its redirects.
    pub fn close(&mut self, log: &NetworkLog) {
        if self.until.is_none() && self.epoch == log.epoch() {
            self.until = Some(log.last_index());
        }
    }

    /// Whether any request was started.
    pub fn is_empty(&self, log: &NetworkLog) -> bool {
        self.requests(log).next().is_none()
    }

    /// Whether one of the requests loads a document into a main or child frame.
    pub fn has_navigation(&self, log: &NetworkLog) -> bool {
        self.requests(log).any(|entry| entry.navigation)
    }

    /// The requests that are not done yet.
    ///
    /// Documents, style sheets, scripts and fetches are done when their body is here, all others
    /// with the response's headers: pictures do not change what an agent reads, and streams of
    /// events never end. A redirect is done when its last hop is.
    pub fn pending<'a>(&'a self, log: &'a NetworkLog) -> impl Iterator<Item = &'a NetworkEntry> {
        self.requests(log)
            .filter_map(|entry| last_hop(log, entry))
            .filter(|entry| !is_done(entry))
    }

    /// Whether nothing is left to wait for.
    pub fn is_idle(&self, log: &NetworkLog) -> bool {
        self.pending(log).next().is_none()
    }

    /// The collected requests that are still kept, in order of start.
    pub fn requests<'a>(
        &self,
        log: &'a NetworkLog,
    ) -> impl Iterator<Item = &'a NetworkEntry> + use<'a> {
        let last = match self.epoch == log.epoch() {
            true => self.until.unwrap_or_else(|| log.last_index()),
            false => 0,
        };
        let first = self.after.max(log.dropped()) + 1;
        (first..=last).filter_map(|index| log.get(index))
    }
}

fn is_done(entry: &NetworkEntry) -> bool {
    let needs_body = matches!(
        entry.resource_type,
        ResourceType::Document
            | ResourceType::Stylesheet
            | ResourceType::Script
            | ResourceType::Xhr
            | ResourceType::Fetch
    );
    entry.state != State::Pending || (!needs_body && entry.response.is_some())
}

/// Follows redirects. Hops only lead to later entries, so this ends.
fn last_hop<'a>(log: &'a NetworkLog, mut entry: &'a NetworkEntry) -> Option<&'a NetworkEntry> {
    while let State::Redirected { to } = entry.state {
        entry = log.get(to)?;
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Page(NetworkLog);

    impl Page {
        fn new() -> Self {
            Self(NetworkLog::new("main"))
        }

        fn send(&mut self, id: &str, kind: &str) {
            let params = format!(
                r#"{{"requestId":"{id}","loaderId":"L","type":"{kind}","timestamp":1,"request":{{"url":"http://h/{id}","method":"GET","headers":{{}}}}}}"#
            );
            self.0.on_event("s", "Network.requestWillBeSent", &params);
        }

        fn redirect(&mut self, id: &str) {
            let params = format!(
                r#"{{"requestId":"{id}","type":"Fetch","timestamp":1,"request":{{"url":"http://h/{id}/next","method":"GET","headers":{{}}}},"redirectResponse":{{"status":302,"headers":{{}}}}}}"#
            );
            self.0.on_event("s", "Network.requestWillBeSent", &params);
        }

        fn answer(&mut self, id: &str) {
            let params =
                format!(r#"{{"requestId":"{id}","response":{{"status":200,"headers":{{}}}}}}"#);
            self.0.on_event("s", "Network.responseReceived", &params);
        }

        fn finish(&mut self, id: &str) {
            let params = format!(r#"{{"requestId":"{id}","timestamp":2}}"#);
            self.0.on_event("s", "Network.loadingFinished", &params);
        }

        fn pending(&self, window: &RequestWindow) -> Vec<String> {
            window
                .pending(&self.0)
                .map(|entry| entry.request_id.clone())
                .collect()
        }
    }

    #[test]
    fn what_was_there_before_does_not_count() {
        let mut page = Page::new();
        page.send("old", "Fetch");
        let mut window = RequestWindow::open(&page.0);
        assert!(window.is_empty(&page.0) && window.is_idle(&page.0));
        page.send("new", "Fetch");
        window.close(&page.0);
        page.send("late", "Fetch");
        assert_eq!(page.pending(&window), ["new"]);
        page.answer("new");
        assert_eq!(page.pending(&window), ["new"]);
        page.finish("new");
        assert!(window.is_idle(&page.0));
        assert!(!window.is_empty(&page.0));
    }

    #[test]
    fn only_what_agents_read_is_awaited_to_the_end() {
        let mut page = Page::new();
        let window = RequestWindow::open(&page.0);
        let kinds = [
            "Document",
            "Stylesheet",
            "Script",
            "XHR",
            "Fetch",
            "Image",
            "Font",
            "Ping",
            "EventSource",
            "Media",
            "Other",
        ];
        for kind in kinds {
            page.send(kind, kind);
        }
        assert_eq!(page.pending(&window), kinds);
        for kind in kinds {
            page.answer(kind);
        }
        assert_eq!(page.pending(&window), kinds[..5]);
        for kind in kinds {
            page.finish(kind);
        }
        assert!(window.is_idle(&page.0));
    }

    #[test]
    fn navigations_are_told_apart() {
        let mut page = Page::new();
        let window = RequestWindow::open(&page.0);
        page.send("a", "Document");
        page.send("b", "Fetch");
        assert!(!window.has_navigation(&page.0));
        // A navigation's request id is the id of the document it loads.
        page.send("L", "Document");
        assert!(window.has_navigation(&page.0));
    }

    #[test]
    fn redirects_are_followed_after_the_window_is_closed() {
        let mut page = Page::new();
        let mut window = RequestWindow::open(&page.0);
        page.send("r", "Fetch");
        window.close(&page.0);
        page.redirect("r");
        assert_eq!(page.pending(&window), ["r"]);
        page.answer("r");
        page.finish("r");
        assert!(window.is_idle(&page.0));
    }

    #[test]
    fn failures_and_closed_sessions_end_the_wait() {
        let mut page = Page::new();
        let window = RequestWindow::open(&page.0);
        page.send("f", "Fetch");
        page.send("g", "Fetch");
        page.0.on_event(
            "s",
            "Network.loadingFailed",
            r#"{"requestId":"f","timestamp":2,"errorText":"net::ERR_ABORTED"}"#,
        );
        assert_eq!(page.pending(&window), ["g"]);
        page.0.session_closed("s");
        assert!(window.is_idle(&page.0));
    }

    #[test]
    fn a_cleared_log_leaves_nothing_to_wait_for() {
        let mut page = Page::new();
        let mut window = RequestWindow::open(&page.0);
        page.send("a", "Fetch");
        page.0.clear();
        page.send("b", "Fetch");
        window.close(&page.0);
        assert!(window.is_idle(&page.0) && window.is_empty(&page.0));
    }
}
