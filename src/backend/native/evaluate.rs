//! Running JavaScript in the page.

use std::path::Path;
use std::time::Duration;

use playguard_cdp::page::{Evaluated, ScriptError};

use super::NativeBackend;
use super::interact::Aimed;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::reply::files::write_file;
use crate::tools::js_code::quote;

/// How long a state in which no script is answered is borne.
const PATIENCE: Duration = Duration::from_secs(10);

impl NativeBackend {
    pub(super) async fn evaluate(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let expression = call.string("function").unwrap_or_default();
        if self.manners.extras
            && let Some(name) = call.text("filename")
        {
            // Upstream finds out when the script has run.
            self.files.rules.named(name).map_err(Thrown::error)?;
        }
        let aimed = match call.text("target") {
            Some(target) => Some(self.aim(tab, target).await?),
            None => None,
        };
        let element = match &aimed {
            Some(Aimed { target, .. }) => Some(
                tab.page
                    .element(target, self.action_deadline())
                    .await
                    .map_err(|error| self.thrown(error))?,
            ),
            None => None,
        };
        let run = async {
            let evaluation = tab.page.evaluate(expression, element.as_ref());
            // A script that opens a dialog is answered for once the dialog is.
            let answered = tab.page.unless_modal(evaluation);
            if !self.manners.extras {
                return Ok(answered.await);
            }
            tokio::select! {
                biased;
                answer = answered => Ok(answer),
                reason = self.no_answer_comes(tab) => Err(Thrown::error(reason)),
            }
        };
        let title_of = |outcome: &Option<Result<(Evaluated, Option<String>), ScriptError>>| {
            let (_, title) = outcome.as_ref()?.as_ref().ok()?;
            title.clone()
        };
        let (outcome, title) = self.complete_script(tab, run, title_of).await?;
        response.title = title;
        if let Some(element) = element {
            element.release(&tab.page);
        }
        let locator = aimed
            .map(|aimed| format!(".{}", aimed.code))
            .unwrap_or_default();
        let shown = if looks_like_function(expression) {
            expression.to_owned()
        } else {
            format!("() => ({expression})")
        };
        let code = format!("await page{locator}.evaluate({});", quote(&shown));
        match outcome {
            None => {}
            Some(Ok((value, _))) => {
                response.code(code);
                let text = match value {
                    Evaluated::Json(text) => text,
                    Evaluated::Undefined => "undefined".to_owned(),
                };
                match call
                    .text("filename")
                    .map(|name| self.files.rules.named(name))
                {
                    None => response.result(text),
                    // The script has run by now, and the reply shows it.
                    Some(Err(denied)) => response.error(denied.to_string()),
                    Some(Ok(path)) => {
                        self.write_bytes(&path, text.into_bytes()).await?;
                        response.result(self.files.rules.link("Evaluation result", &path));
                    }
                }
            }
            Some(Err(ScriptError::Thrown(text))) => {
                // Values that JSON cannot hold are found out only after the script has run.
                if let Some(reason) = unserialisable(&text) {
                    response.code(code);
                    response.error(reason);
                } else {
                    response.error(text);
                }
            }
            Some(Err(ScriptError::ContextDestroyed)) => {
                response.error(ScriptError::ContextDestroyed.to_string())
            }
            Some(Err(ScriptError::Cdp(error))) => return Err(self.thrown(error)),
        }
        Ok(())
    }

    /// Scripts may take as long as they like. But there are states in which no answer can be expected;
    /// this ends when one of them has lasted, and says which.
    async fn no_answer_comes(&self, tab: &Tab) -> String {
        let navigating = || {
            let state = tab.page.state();
            state.frames.main().is_some_and(|main| main.navigating)
        };
        loop {
            let pending = navigating();
            tokio::time::sleep(PATIENCE).await;
            if pending && navigating() {
                return format!(
                    "No answer after {} s, while the page is about to be replaced by one that has not arrived: \
                     the browser holds scripts back until then, and this one may still run. Wait with \
                     browser_wait_for, or open something else with browser_navigate.",
                    PATIENCE.as_secs()
                );
            }
            if !self.host.browser().responds(PATIENCE).await {
                return "The browser does not answer any more. browser_close ends it; the next call then \
                        starts a new one."
                    .to_owned();
            }
        }
    }

    /// Writes a file that an agent named or we did, without secrets; missing folders are made.
    pub(super) async fn write_bytes(&self, path: &Path, bytes: Vec<u8>) -> Result<(), Thrown> {
        let bytes = self.files.redactor.redact_bytes(bytes);
        let written = write_file(path.to_owned(), bytes).await;
        written.map_err(|error| Thrown::error(format!("{}: {error}", path.display())))
    }
}

fn unserialisable(text: &str) -> Option<&str> {
    let message = text.strip_prefix("TypeError: ")?;
    [
        "Do not know how to serialize a BigInt",
        "Converting circular structure to JSON",
    ]
    .into_iter()
    .find(|known| message.starts_with(known))
}

/// Whether the text is a function rather than an expression, as far as its beginning tells.
fn looks_like_function(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix("async").map_or(text, str::trim_start);
    if text.starts_with("function") {
        return true;
    }
    match text.strip_prefix('(') {
        Some(parameters) => {
            let mut depth = 1_usize;
            let mut quote: Option<char> = None;
            let mut characters = parameters.char_indices();
            while let Some((at, c)) = characters.next() {
                match (quote, c) {
                    (Some(_), '\\') => drop(characters.next()),
                    (Some(mark), c) if c == mark => quote = None,
                    (Some(_), _) => {}
                    (None, '\'' | '"' | '`') => quote = Some(c),
                    (None, '(') => depth += 1,
                    (None, ')') => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    return parameters[at + 1..].trim_start().starts_with("=>");
                }
            }
            false
        }
        None => {
            let rest =
                text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
            rest.len() < text.len() && rest.trim_start().starts_with("=>")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_expressions() {
        for function in [
            "() => 1",
            "async () => {}",
            "(a, b = ')') => a",
            "x => x",
            "async x => x",
            "function () {}",
            "async function f() {}",
            "  ({a}) => a",
            "$el=>$el",
        ] {
            assert!(looks_like_function(function), "{function}");
        }
        for expression in [
            "document.title",
            "(1 + 2)",
            "(() => 1)()",
            "x",
            "[1].map(x => x)",
            "'() => 1'",
            "",
        ] {
            assert!(!looks_like_function(expression), "{expression}");
        }
    }
}
