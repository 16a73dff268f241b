//! Waiting for time or text.

use std::time::Duration;

use playguard_cdp::connection::{CdpError, Deadline};
use playguard_cdp::locator::{Selector, TextPattern};
use playguard_cdp::page::{Page, ScriptError};

use super::NativeBackend;
use super::response::{Response, Thrown};
use crate::call::ToolCall;

/// The longest wait for time, in seconds.
const MAX_SECONDS: f64 = 30.0;

impl NativeBackend {
    pub(super) async fn wait_for(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let time = call.number("time").filter(|seconds| *seconds != 0.0);
        let (text, gone) = (call.text("text"), call.text("textGone"));
        if time.is_none() && text.is_none() && gone.is_none() {
            return Err(Thrown::error(
                "Either time, text or textGone must be provided",
            ));
        }
        let tab = self.current_tab();
        if let Some(seconds) = time {
            response.code(format!(
                "await new Promise(f => setTimeout(f, {seconds} * 1000));"
            ));
            let pause = seconds.clamp(0.0, MAX_SECONDS);
            let pause = Duration::from_secs_f64(pause);
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                reason = self.host.browser().connection().closed() => {
                    return Err(Thrown::error(format!("The browser ended while waiting: {reason}")));
                }
            }
        }
        let Some(tab) = tab else {
            return Err(Thrown::error("No open pages available."));
        };
        response.show_page();
        for (wanted, state, visible) in [(gone, "hidden", false), (text, "visible", true)] {
            let Some(wanted) = wanted else { continue };
            response.code(format!(
                "await page.getByText({}).first().waitFor({{ state: '{state}' }});",
                serde_json::Value::from(wanted)
            ));
            let waiting = self.wait_for_text(&tab.page, wanted, visible);
            match tab.page.unless_modal(waiting).await {
                Some(outcome) => outcome?,
                None => return Ok(()),
            }
        }
        response.result(match (text.or(gone), time) {
            (Some(text), _) => format!("Waited for {text}"),
            (None, Some(seconds)) if seconds > MAX_SECONDS => {
                format!("Waited for {MAX_SECONDS} seconds (requested {seconds}, maximum is {MAX_SECONDS})")
            }
            (None, time) => format!("Waited for {} seconds", time.unwrap_or_default()),
        });
        Ok(())
    }

    /// Looks at the page again whenever something in it has changed, until the first element with
    /// this text is visible (or none is).
    async fn wait_for_text(&self, page: &Page, text: &str, visible: bool) -> Result<(), Thrown> {
        let deadline = self.action_deadline();
        let selector = Selector::text(TextPattern::Contains(text.to_owned())).first();
        loop {
            let began = std::time::Instant::now();
            match page.first_is_visible(&selector, deadline).await {
                Ok(found) if found == visible => return Ok(()),
                Ok(_) => {}
                Err(error) if !error.is_transient() => return Err(self.thrown(error)),
                Err(_) => {}
            }
            if deadline.passed() {
                let seen = page.preview_first(&selector).await;
                return Err(timed_out(
                    deadline,
                    &selector.to_javascript(),
                    visible,
                    seen.as_deref(),
                ));
            }
            // On a large page that never rests, looking costs more than waiting.
            let spent = began.elapsed();
            let pause = Duration::from_millis(250).min(deadline.left());
            match page.changed(pause).await {
                Ok(()) | Err(ScriptError::ContextDestroyed | ScriptError::Thrown(_)) => {}
                Err(ScriptError::Cdp(CdpError::Protocol { .. })) => {}
                Err(error) => return Err(self.thrown(error)),
            }
            if spent > Duration::from_millis(20) {
                tokio::time::sleep(spent.min(deadline.left())).await;
            }
        }
    }
}

fn timed_out(deadline: Deadline, locator: &str, visible: bool, seen: Option<&str>) -> Thrown {
    let (wanted, is) = if visible {
        ("to be visible", "hidden")
    } else {
        ("to be hidden", "visible")
    };
    let seen = seen
        .map(|seen| format!("    - locator resolved to {is} {seen}\n"))
        .unwrap_or_default();
    Thrown(format!(
        "TimeoutError: Timeout {}ms exceeded.\nCall log:\n  - waiting for {locator} {wanted}\n{seen}",
        deadline.budget().as_millis()
    ))
}
