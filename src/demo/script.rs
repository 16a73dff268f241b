//! What the agent does, step by step, and how it is found out whether that
//! worked.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, ClientError, Reply};
use super::output::Transcript;
use super::trouble::Trouble;

/// What the agent types.
const NAME: &str = "Ada";
/// What the page says after the order: two tins at 8.50 each. The page's own
/// script works it out; the agent sends only the name.
const ANSWER: &str = "Thank you, Ada. 2 tins of Darjeeling will be $17.00.";
/// The part of it that does not depend on the sum.
const GREETING: &str = "Thank you, Ada.";
/// Lines of the tree that are shown.
const TREE_LINES: usize = 7;
/// Lines of a failed reply that are shown.
const ERROR_LINES: usize = 8;

/// Tools without which the script cannot be played.
pub(super) const TOOLS: [&str; 7] = [
    "browser_navigate",
    "browser_snapshot",
    "browser_type",
    "browser_click",
    "browser_wait_for",
    "browser_console_messages",
    "browser_take_screenshot",
];

/// Whoever can call tools.
pub(super) trait Agent {
    /// Calls one; the time is that of the call alone.
    async fn call(
        &mut self,
        tool: &str,
        arguments: Value,
    ) -> Result<(Reply, Duration), ClientError>;
}

impl Agent for Client {
    async fn call(
        &mut self,
        tool: &str,
        arguments: Value,
    ) -> Result<(Reply, Duration), ClientError> {
        let start = Instant::now();
        let reply = self.call_tool(tool, arguments).await?;
        Ok((reply, start.elapsed()))
    }
}

/// Plays the script on the page at `url`. Returns where the server says the
/// picture is, relative to the working folder or absolute.
///
/// # Errors
/// When a call fails, or the page is not as it should be.
pub(super) async fn play(
    agent: &mut impl Agent,
    shown: &mut Transcript<'_>,
    url: &str,
) -> Result<Option<String>, Trouble> {
    let mut steps = Steps { agent, shown };

    let deed = "Start a browser, open a page";
    let page = steps.take(deed, "browser_navigate", json!({ "url": url }));
    let page = page.await?;
    let title = page.text.lines().find(|line| line.contains("Page Title:"));
    steps.shown.excerpt(title.into_iter())?;

    let snapshot = steps.take("Read the page", "browser_snapshot", json!({}));
    let snapshot = snapshot.await?;
    let lines = tree(&snapshot.text);
    steps
        .shown
        .excerpt(lines.iter().copied().take(TREE_LINES))?;
    if let more @ 1.. = lines.len().saturating_sub(TREE_LINES) {
        steps.shown.remark(&format!("(and {more} more lines)"))?;
    }
    let field = target(&lines, "textbox", "Your name")?;
    let button = target(&lines, "button", "Place order")?;

    let deed = format!("Type \"{NAME}\" into {field}");
    let arguments = json!({ "element": "Your name", "target": field, "text": NAME });
    let typed = steps.take(&deed, "browser_type", arguments).await?;
    steps.shown.excerpt(code(&typed.text))?;

    let deed = format!("Press the button {button}");
    let arguments = json!({ "element": "Place order", "target": button });
    let clicked = steps.take(&deed, "browser_click", arguments).await?;
    steps.shown.excerpt(code(&clicked.text))?;

    let arguments = json!({ "text": GREETING });
    let waited = steps.attempt("Wait for the answer", "browser_wait_for", arguments);
    let waited = waited.await?;
    if waited.is_error {
        let text = format!("After the order the page should say \"{ANSWER}\", and does not.");
        return Err(Trouble::wrong(text + "\n" + &first_lines(&waited.text)));
    }

    let snapshot = steps.take("Read the answer", "browser_snapshot", json!({}));
    let snapshot = snapshot.await?;
    let status = snapshot.text.lines().find(|line| line.contains(GREETING));
    steps
        .shown
        .excerpt(status.map(str::trim_start).into_iter())?;
    if !snapshot.text.contains(ANSWER) {
        let instead = match status {
            Some(line) => format!("It says: {}", line.trim_start()),
            None => "The snapshot has nothing of it.".to_owned(),
        };
        let text = format!("After the order the page should say \"{ANSWER}\". {instead}");
        return Err(Trouble::wrong(text));
    }

    let arguments = json!({ "level": "error" });
    let console = steps.take("Look for errors", "browser_console_messages", arguments);
    let console = console.await?;
    let count = console.text.lines().find(|line| line.contains("messages:"));
    steps.shown.excerpt(count.into_iter())?;

    let picture = steps.take("Take a picture", "browser_take_screenshot", json!({}));
    let picture = picture.await?;
    if let Some(bytes) = picture.images.first() {
        let kilobytes = bytes.div_ceil(1000);
        steps.shown.remark(&format!(
            "and an image of {kilobytes} kB, which models count by its pixels"
        ))?;
    }

    steps.shown.total()?;
    steps.shown.proof(&format!("The page says: \"{ANSWER}\""))?;
    Ok(link(&picture.text).map(str::to_owned))
}

struct Steps<'s, 'o, A> {
    agent: &'s mut A,
    shown: &'s mut Transcript<'o>,
}

impl<A: Agent> Steps<'_, '_, A> {
    /// One call that must succeed.
    async fn take(&mut self, deed: &str, tool: &str, arguments: Value) -> Result<Reply, Trouble> {
        let reply = self.attempt(deed, tool, arguments).await?;
        if reply.is_error {
            let text = format!("{tool} failed:\n{}", first_lines(&reply.text));
            return Err(Trouble::failed(text));
        }
        Ok(reply)
    }

    /// One call, whatever comes of it.
    async fn attempt(
        &mut self,
        deed: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Reply, Trouble> {
        self.shown.call(deed, tool)?;
        let (reply, elapsed) = self.agent.call(tool, arguments).await?;
        self.shown.reply(&reply, elapsed)?;
        Ok(reply)
    }
}

/// The lines of the snapshot in a reply.
fn tree(text: &str) -> Vec<&str> {
    text.lines()
        .skip_while(|line| *line != "```yaml")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect()
}

/// The ref of the first element with this role and name.
fn target<'t>(tree: &[&'t str], role: &str, name: &str) -> Result<&'t str, Trouble> {
    let head = format!("- {role} \"{name}\"");
    tree.iter()
        .find_map(|line| {
            let rest = line.trim_start().strip_prefix(&head)?;
            let (_, rest) = rest.split_once("[ref=")?;
            rest.split_once(']').map(|(target, _)| target)
        })
        .ok_or_else(|| Trouble::wrong(format!("The snapshot shows no {role} \"{name}\".")))
}

/// The line of code that does the same as the call.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| line.starts_with("await "))
        .take(1)
}

/// What the first link of a reply leads to.
fn link(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix("- [")?;
        let (_, rest) = rest.split_once("](")?;
        rest.strip_suffix(')')
    })
}

fn first_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty() && *line != "### Error")
        .take(ERROR_LINES)
        .collect();
    lines.join("\n")
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
