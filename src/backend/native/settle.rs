//! After an action: wait until what it set off has happened.

use std::future::Future;
use std::time::Duration;

use playguard_cdp::action::{Clicked, Glance, Manner, Rest, RestRule};
use playguard_cdp::connection::Deadline;
use playguard_cdp::observe::network::State;
use playguard_cdp::observe::network_idle::RequestWindow;
use playguard_cdp::page::{EarlyLook, Page, Wait};

use super::NativeBackend;
use super::manners::Settle;
use super::response::Thrown;
use super::tab::Tab;

/// How long a document that an action led to may take to load.
const LOAD: Duration = Duration::from_secs(10);
/// How long a page that an action opened may take to load.
const POPUP: Duration = Duration::from_secs(1);
/// How long requests that an action sent may take.
const REQUESTS: Duration = Duration::from_secs(5);

impl NativeBackend {
    /// How to carry out an action on an element of `tab`.
    pub(super) fn manner<'a>(&self, glance: Option<&'a Glance>) -> Manner<'a> {
        Manner {
            deadline: self.action_deadline(),
            early_refusal: self.manners.early_refusal,
            rest: match self.manners.settle {
                Settle::Fixed(_) => None,
                Settle::Adaptive(rule) => Some(rule),
            },
            glance,
        }
    }

    /// The same without a wait of its own afterwards.
    pub(super) fn manner_without_rest<'a>(&self, glance: Option<&'a Glance>) -> Manner<'a> {
        Manner {
            rest: None,
            ..self.manner(glance)
        }
    }

    /// Runs an action that watches the page itself (clicks and the like) and waits for what follows.
    pub(super) async fn complete_watched(
        &self,
        tab: &Tab,
        action: impl Future<Output = Result<Clicked, Thrown>>,
    ) -> Result<Option<EarlyLook>, Thrown> {
        let before = self.page_ids();
        let mut requests = RequestWindow::open(&tab.page.state().network);
        let Clicked { rested, early } = action.await?;
        match self.manners.settle {
            Settle::Fixed(pause) => {
                fixed(&tab.page, &mut requests, pause).await;
                Ok(None)
            }
            Settle::Adaptive(rule) => {
                let stayed = follow_up(&tab.page, &mut requests, rule, rested.is_some()).await;
                let opened = self.await_new_pages(&before).await;
                Ok(early.filter(|_| stayed && !opened))
            }
        }
    }

    fn page_ids(&self) -> Vec<String> {
        let pages = self.host.browser().pages(self.context.as_ref());
        pages
            .iter()
            .map(|page| page.target_id().to_owned())
            .collect()
    }

    /// Pages that an action has opened are listed in its reply, and so they should have a title.
    /// Returns whether there are any.
    async fn await_new_pages(&self, before: &[String]) -> bool {
        let mut any = false;
        for page in self.host.browser().pages(self.context.as_ref()) {
            if !before.iter().any(|known| known == page.target_id()) {
                let loaded = page.until(Deadline::after(POPUP), |state| {
                    let there = state.frames.main().is_some_and(|main| {
                        main.lifecycle.load
                            && !main.navigating
                            && main.url.as_ref() != "about:blank"
                    });
                    (there || !state.modals.is_empty()).then_some(())
                });
                // Slow, or really blank: it is listed as it is.
                let _ = loaded.await;
                any = true;
            }
        }
        any
    }

    /// Runs a script and waits for what follows. What a script changes it has changed when it returns,
    /// so there is nothing to wait for unless it has sent requests. Returns the page's title as well,
    /// where it is known: `title_of` finds it in what the script has answered.
    pub(super) async fn complete_script<T>(
        &self,
        tab: &Tab,
        script: impl Future<Output = Result<T, Thrown>>,
        title_of: impl Fn(&T) -> Option<String>,
    ) -> Result<(T, Option<String>), Thrown> {
        let Settle::Adaptive(rule) = self.manners.settle else {
            return Ok((self.complete(tab, script).await?, None));
        };
        let mut requests = RequestWindow::open(&tab.page.state().network);
        let done = script.await?;
        // Either answer comes behind the events of everything that the script began.
        let title = match title_of(&done) {
            Some(title) => Some(title),
            None => tab.page.title().await.ok().flatten(),
        };
        let quiet = {
            let state = tab.page.state();
            requests.is_empty(&state.network)
                && state.frames.main().is_some_and(|main| !main.navigating)
        };
        if quiet {
            return Ok((done, title));
        }
        follow_up(&tab.page, &mut requests, rule, true).await;
        Ok((done, None))
    }

    /// Runs any other action and waits for what follows.
    pub(super) async fn complete<T>(
        &self,
        tab: &Tab,
        action: impl Future<Output = Result<T, Thrown>>,
    ) -> Result<T, Thrown> {
        let mut requests = RequestWindow::open(&tab.page.state().network);
        match self.manners.settle {
            Settle::Fixed(pause) => {
                let done = action.await?;
                fixed(&tab.page, &mut requests, pause).await;
                Ok(done)
            }
            Settle::Adaptive(rule) => {
                // A page that cannot be watched, because a dialog is open, needs no wait either.
                let watched = tab
                    .page
                    .unless_dialog(tab.page.watch())
                    .await
                    .is_some_and(|watch| watch.is_ok());
                let done = action.await?;
                let rested = watched && matches!(tab.page.at_rest(rule).await, Rest::Rested { .. });
                follow_up(&tab.page, &mut requests, rule, rested).await;
                Ok(done)
            }
        }
    }
}

/// Upstream's wait: a fixed pause, then whatever was requested meanwhile.
async fn fixed(page: &Page, requests: &mut RequestWindow, pause: Duration) {
    sleep_in_document(page, pause).await;
    if page.state().modals.is_empty() && await_requests(page, requests).await == Followed::Requests
    {
        sleep_in_document(page, pause).await;
    }
}

/// Our wait: the page has rested or has gone elsewhere; what it asked the network for comes next.
/// Returns whether there was nothing more to wait for.
async fn follow_up(
    page: &Page,
    requests: &mut RequestWindow,
    rule: RestRule,
    rested: bool,
) -> bool {
    if !page.state().modals.is_empty() {
        return false;
    }
    if !rested {
        // The document went away under the action: give the next one the time to appear.
        let limit = Deadline::ms(rule.limit);
        let _ = page
            .until(limit, |state| {
                let main = state.frames.main()?;
                (!main.navigating || !state.modals.is_empty()).then_some(())
            })
            .await;
    }
    match await_requests(page, requests).await {
        Followed::Nothing => rested,
        Followed::Requests => {
            page.at_rest(rule).await;
            false
        }
        Followed::Navigation => false,
    }
}

/// What an action has made the page ask the network for.
#[derive(PartialEq)]
enum Followed {
    Nothing,
    Requests,
    Navigation,
}

/// Waits for what was requested up to now.
async fn await_requests(page: &Page, requests: &mut RequestWindow) -> Followed {
    let (navigated, any) = {
        let state = page.state();
        let navigating = state.frames.main().is_some_and(|main| main.navigating);
        requests.close(&state.network);
        (
            requests.has_navigation(&state.network) || navigating,
            !requests.is_empty(&state.network),
        )
    };
    if navigated {
        // A request for a document has the number of the document that comes of it.
        let committed = page.until(Deadline::after(REQUESTS), |state| {
            let arrived = requests
                .requests(&state.network)
                .filter(|entry| entry.navigation)
                .all(|entry| {
                    entry.state != State::Pending
                        || state
                            .frames
                            .in_order()
                            .iter()
                            .any(|frame| frame.loader.as_ref() == entry.request_id)
                });
            let navigating = state.frames.main().is_some_and(|main| main.navigating);
            ((arrived && !navigating) || !state.modals.is_empty()).then_some(())
        });
        let _ = committed.await;
        let _ = page
            .unless_modal(page.wait_for(Wait::Load, Deadline::after(LOAD)))
            .await;
        return Followed::Navigation;
    }
    if any {
        let done = page.until(Deadline::after(REQUESTS), |state| {
            (requests.is_idle(&state.network) || !state.modals.is_empty()).then_some(())
        });
        let _ = done.await;
        return Followed::Requests;
    }
    Followed::Nothing
}

/// Sleeps, but no longer than the document that is there now, and not on when a dialog opens.
async fn sleep_in_document(page: &Page, pause: Duration) {
    let loader = page.main_frame().map(|(_, loader)| loader).ok();
    let modals = page.state().modals.len();
    let gone = page.until(Deadline::after(pause), |state| {
        let changed = state.frames.main().map(|main| &main.loader) != loader.as_ref();
        (changed || state.modals.len() > modals).then_some(())
    });
    let _ = gone.await;
}
