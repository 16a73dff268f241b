//! What scripts do with a page.

use base64::Engine as _;
use playguard_cdp::capture::image_size::ImageFormat;
use playguard_cdp::capture::screenshot::{Limits, Scale};
use playguard_cdp::connection::Deadline;
use playguard_cdp::page::{
    CaptureOptions, CaptureRules, Evaluated, NavigationError, Page, ScriptError, Wait,
};
use serde_json::{Map, Value, json};

use super::fault::{deadline, fault, pause};
use super::{Host, not_here};
use crate::backend::native::response::Thrown;
use crate::backend::native::screenshot::Wanted;
use crate::call::SnapshotContent;
use crate::reply::snapshot_text;
use crate::script::{Function, LoadState, PageAction, ScriptFault};

impl Host {
    pub(super) async fn page_action(
        &self,
        page: Page,
        action: PageAction,
    ) -> Result<Value, ScriptFault> {
        match action {
            PageAction::Goto {
                url,
                wait_until,
                timeout,
                ..
            } => self.goto(&page, &url, wait_until, deadline(timeout)).await,
            PageAction::Reload {
                wait_until,
                timeout,
            } => {
                let deadline = deadline(timeout);
                page.reload(deadline).await.map_err(fault)?;
                self.arrived(&page, wait_until, deadline).await
            }
            PageAction::GoBack {
                wait_until,
                timeout,
            } => {
                let deadline = deadline(timeout);
                match page.go_back(deadline).await.map_err(fault)? {
                    true => self.arrived(&page, wait_until, deadline).await,
                    false => Ok(Value::Null),
                }
            }
            PageAction::GoForward {
                wait_until,
                timeout,
            } => {
                let deadline = deadline(timeout);
                match page.go_forward(deadline).await.map_err(fault)? {
                    true => self.arrived(&page, wait_until, deadline).await,
                    false => Ok(Value::Null),
                }
            }
            PageAction::Title => {
                let title = page.title().await.map_err(fault)?;
                Ok(json!(title.unwrap_or_default()))
            }
            PageAction::Content => self.expression(&page, CONTENT).await.map(value_of),
            PageAction::SetContent {
                html,
                wait_until,
                timeout,
            } => {
                let deadline = deadline(timeout);
                let set = page.unless_modal(page.set_content(&html, deadline)).await;
                set.transpose().map_err(fault)?;
                wait(&page, wait_until, deadline).await?;
                Ok(Value::Null)
            }
            PageAction::Evaluate { function } => self.expression(&page, &call_of(&function)).await,
            PageAction::BringToFront => page.bring_to_front().await.map_err(fault).map(done),
            PageAction::Close => {
                let backend = self.backend()?;
                let closed = backend.host.browser().close_page(&page).await;
                closed.map_err(fault).map(done)
            }
            PageAction::SetViewportSize { size } => {
                let side = |side: f64| side.clamp(1.0, 10_000_000.0) as u32;
                let set = page.set_viewport(side(size.width), side(size.height)).await;
                set.map_err(fault).map(done)
            }
            PageAction::EmulateMedia { .. } => Err(not_here(
                "page.emulateMedia",
                "use the tool browser_emulate_media",
            )),
            PageAction::WaitForTimeout { duration } => {
                tokio::time::sleep(pause(duration)).await;
                Ok(Value::Null)
            }
            PageAction::WaitForLoadState { state, timeout } => {
                wait(&page, Some(state), deadline(timeout)).await?;
                Ok(Value::Null)
            }
            PageAction::WaitForFunction {
                function,
                polling,
                timeout,
            } => {
                self.wait_for_function(&page, &function, polling, timeout)
                    .await
            }
            PageAction::Screenshot { options } => {
                let bytes = self.picture(&page, None, &options).await?;
                Ok(json!({ "base64": bytes }))
            }
            PageAction::Pdf { options } => {
                let bytes = page.pdf(deadline(None)).await.map_err(fault)?;
                self.save(&options, &bytes).await?;
                Ok(json!({ "base64": encoded(&bytes) }))
            }
            PageAction::AriaSnapshot { .. } => {
                let options = CaptureOptions::default();
                let seen = page.snapshot(&options, &CaptureRules::default()).await;
                let tree = seen.map_err(fault)?.tree;
                Ok(json!(snapshot_text(&SnapshotContent::Tree(tree.into()))))
            }
            PageAction::AddInitScript { source } => {
                let added = page.add_init_script(&source, deadline(None)).await;
                added.map_err(fault).map(done)
            }
            PageAction::AddTag {
                style,
                url,
                content,
            } => {
                let arguments = json!([style, url, content]);
                let source = format!("() => ({ADD_TAG})(...{arguments})");
                self.expression(&page, &source).await.map(|_| Value::Null)
            }
            PageAction::SetExtraHttpHeaders { headers } => {
                let set = page.set_extra_headers(&headers, deadline(None)).await;
                set.map_err(fault).map(done)
            }
            PageAction::Fetch { request } => {
                // Plain data always serialises.
                let request = serde_json::to_value(&request).unwrap_or_default();
                let source = format!("() => ({FETCH})({request})");
                self.expression(&page, &source).await.map(value_of)
            }
        }
    }

    async fn goto(
        &self,
        page: &Page,
        url: &str,
        until: Option<LoadState>,
        deadline: Deadline,
    ) -> Result<Value, ScriptFault> {
        let backend = self.backend()?;
        if backend.is_closed_file(url) {
            return Err(ScriptFault::error(format!(
                "Access to \"file:\" protocol is blocked. Attempted URL: \"{url}\""
            )));
        }
        let there = page.goto(url, Wait::Commit, deadline).await;
        there.map_err(|error| match error {
            NavigationError::Cdp(error) => fault(error),
            error => ScriptFault::error(format!(
                "{error}\nCall log:\n  - navigating to \"{url}\", waiting until \"load\""
            )),
        })?;
        self.arrived(page, until, deadline).await
    }

    /// Waits for a document that is there, and tells of its response.
    async fn arrived(
        &self,
        page: &Page,
        until: Option<LoadState>,
        deadline: Deadline,
    ) -> Result<Value, ScriptFault> {
        wait(page, until, deadline).await?;
        Ok(self.document_response(page))
    }

    /// Evaluates an expression; the answer is that of `PageAction::Evaluate`.
    pub(super) async fn expression(&self, page: &Page, source: &str) -> Result<Value, ScriptFault> {
        // With a dialog open the answer comes when that is answered, by the script or by the client.
        let evaluated = page.evaluate(source, None).await;
        evaluated.map_err(thrown).and_then(|(value, _)| data(value))
    }

    async fn wait_for_function(
        &self,
        page: &Page,
        function: &Function,
        polling: Option<f64>,
        timeout: Option<f64>,
    ) -> Result<Value, ScriptFault> {
        let deadline = deadline(timeout);
        let source = format!(
            "() => ({WAIT})(() => {}, {})",
            called(function),
            json!(polling)
        );
        loop {
            let work = page.evaluate(&source, None);
            match deadline.run(work).await {
                Err(_) => {
                    let text = format!("Timeout {}ms exceeded.", deadline.budget().as_millis());
                    return Err(ScriptFault::timeout(text));
                }
                // The next document is asked, too.
                Ok(Err(ScriptError::ContextDestroyed)) => {}
                Ok(done) => return done.map_err(thrown).and_then(|(value, _)| data(value)),
            }
        }
    }

    /// A picture as base64, saved as well if the script says where.
    pub(super) async fn picture(
        &self,
        page: &Page,
        element: Option<&playguard_cdp::page::Element>,
        options: &Map<String, Value>,
    ) -> Result<String, ScriptFault> {
        let text = |key: &str| options.get(key).and_then(Value::as_str);
        let flag = |key: &str| options.get(key).and_then(Value::as_bool);
        let format = text("type")
            .or_else(|| {
                text("path")
                    .and_then(ImageFormat::from_file_name)
                    .map(ImageFormat::name)
            })
            .and_then(ImageFormat::parse)
            .unwrap_or(ImageFormat::Png);
        if options.contains_key("clip") || options.contains_key("mask") {
            return Err(not_here(
                "screenshot options clip and mask",
                "take the whole and cut it",
            ));
        }
        let wanted = Wanted {
            element,
            full: flag("fullPage") == Some(true),
            format,
            scale: match text("scale") {
                Some("css") => Scale::Css,
                _ => Scale::Device,
            },
        };
        let timeout = options.get("timeout").and_then(Value::as_f64);
        let backend = self.backend()?;
        let shot = backend
            .shoot(page, wanted, Limits::file(format), deadline(timeout))
            .await;
        let (bytes, _) = shot.map_err(|Thrown(text)| {
            ScriptFault::error(text.strip_prefix("Error: ").unwrap_or(&text))
        })?;
        self.save(options, &bytes).await?;
        Ok(encoded(&bytes))
    }

    async fn save(&self, options: &Map<String, Value>, bytes: &[u8]) -> Result<(), ScriptFault> {
        let Some(name) = options.get("path").and_then(Value::as_str) else {
            return Ok(());
        };
        let backend = self.backend()?;
        let path = backend.files.rules.named(name);
        let path = path.map_err(|error| ScriptFault::error(error.to_string()))?;
        let saved = backend.write_bytes(&path, bytes.to_vec()).await;
        saved.map_err(|Thrown(text)| ScriptFault::error(text))
    }
}

const CONTENT: &str = "() => {
    const type = document.doctype;
    return (type ? new XMLSerializer().serializeToString(type) : '') + document.documentElement.outerHTML;
}";

/// Resolves with the first true result, asked for at every frame or every so many milliseconds.
const WAIT: &str = "(check, polling) => new Promise((done, failed) => {
    const again = async () => {
        try {
            const result = await check();
            if (result) done(result);
            else if (polling === null) requestAnimationFrame(again);
            else setTimeout(again, polling);
        } catch (error) { failed(error); }
    };
    again();
})";

const ADD_TAG: &str = "(style, url, content) => new Promise((done, failed) => {
    const tag = document.createElement(style ? (url ? 'link' : 'style') : 'script');
    if (content !== null) tag.textContent = content;
    if (url !== null) {
        if (style) { tag.rel = 'stylesheet'; tag.href = url; } else tag.src = url;
        tag.onload = () => done();
        tag.onerror = () => failed(new Error('Could not load ' + url));
    }
    document.head.appendChild(tag);
    if (url === null) done();
})";

const FETCH: &str = "async (request) => {
    const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const answer = await fetch(request.url, {
        method: request.method ?? undefined,
        headers: request.headers,
        body: request.body === null ? undefined : bytes(request.body),
        credentials: request.credentials ?? undefined,
        redirect: request.redirect ?? undefined,
    });
    let body = '';
    for (const byte of new Uint8Array(await answer.arrayBuffer())) body += String.fromCharCode(byte);
    return {
        url: answer.url, status: answer.status, statusText: answer.statusText,
        headers: Object.fromEntries(answer.headers), body: btoa(body),
    };
}";

/// A call of the script's function, as an expression.
pub(super) fn called(function: &Function) -> String {
    match function.is_function {
        true => format!("({}\n)({})", function.source, function.arguments.join(", ")),
        false => format!("({}\n)", function.source),
    }
}

/// The same as a function, for whoever awaits it.
fn call_of(function: &Function) -> String {
    format!("() => {}", called(function))
}

/// A call of the script's function with something as first argument.
pub(super) fn called_with(function: &Function, first: &str) -> String {
    let mut arguments = vec![first.to_owned()];
    arguments.extend(function.arguments.iter().cloned());
    format!("({}\n)({})", function.source, arguments.join(", "))
}

/// `{"value": …}`, or `{}` for `undefined`.
pub(super) fn data(evaluated: Evaluated) -> Result<Value, ScriptFault> {
    match evaluated {
        Evaluated::Undefined => Ok(json!({})),
        Evaluated::Json(text) => {
            let value: Value = serde_json::from_str(&text)
                .map_err(|error| ScriptFault::error(error.to_string()))?;
            Ok(json!({ "value": value }))
        }
    }
}

fn value_of(mut answer: Value) -> Value {
    answer.get_mut("value").map_or(Value::Null, Value::take)
}

pub(super) fn thrown(error: ScriptError) -> ScriptFault {
    match error {
        ScriptError::Cdp(error) => fault(error),
        other => ScriptFault::error(other.to_string()),
    }
}

pub(super) fn done<T>(_: T) -> Value {
    Value::Null
}

fn encoded(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Waits until a page's document has come as far as a script says (`load` if it does not).
pub(super) async fn wait(
    page: &Page,
    until: Option<LoadState>,
    deadline: Deadline,
) -> Result<(), ScriptFault> {
    /// Playwright's measure of quiet.
    const QUIET: std::time::Duration = std::time::Duration::from_millis(500);
    let wait = match until {
        Some(LoadState::Commit) => return Ok(()),
        Some(LoadState::DomContentLoaded) => Wait::DomContentLoaded,
        None | Some(LoadState::Load | LoadState::NetworkIdle) => Wait::Load,
    };
    page.wait_for(wait, deadline).await.map_err(fault)?;
    if until == Some(LoadState::NetworkIdle) {
        let idle = async {
            loop {
                let before = page.state().network.last_index();
                tokio::time::sleep(QUIET).await;
                let state = page.state();
                let pending = state.network.entries().rev().take(100);
                let mut pending = pending
                    .filter(|entry| entry.state == playguard_cdp::observe::network::State::Pending);
                if state.network.last_index() == before && pending.next().is_none() {
                    return;
                }
            }
        };
        if deadline.run(idle).await.is_err() {
            let text = format!("Timeout {}ms exceeded.", deadline.budget().as_millis());
            return Err(ScriptFault::timeout(text));
        }
    }
    Ok(())
}
