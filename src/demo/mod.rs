//! `playguard demo`: the server at work, as an agent sees it.
//!
//! Serves a page of its own on the loopback interface, starts this program as
//! an MCP server, and lets a small client order tea on the page. Each call is
//! printed with its time and its size; at the end stands what to paste into
//! the configuration of an MCP client.
//!
//! [`client`] speaks MCP, `script` knows what to do, `output` how to show it.

pub mod client;
mod folder;
mod output;
mod page;
mod script;
mod snippet;
mod tail;
mod terminal;
mod trouble;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tokio::process::Command;

use client::{Client, Limits};
use folder::Folder;
use output::Transcript;
use page::PageServer;
pub use terminal::Terminal;
use trouble::Trouble;

/// The page that the agent orders on.
const PAGE: &str = include_str!("../../fixtures/demo/index.html");
/// Variables that name a profile. The demo keeps none, unless a flag says so.
const PROFILE_VARIABLES: [&str; 2] = ["PLAYGUARD_USER_DATA_DIR", "PLAYWRIGHT_MCP_USER_DATA_DIR"];

/// Plays the demo and returns the exit code of the process: 0 if everything
/// was as it should be, 1 if not, 130 if interrupted.
///
/// `program` is what to start as the server, with `extra_args` first and then
/// what the demo needs beside them: no window, no profile, and a folder for
/// files, each unless `extra_args` says otherwise. `ensure_browser` finds or
/// installs a browser before anything else; it may write about it. Its error
/// is a sentence for the user.
///
/// Needs a Tokio runtime with time and input/output. Whatever happens, the
/// server has ended when this returns.
pub async fn run(
    program: &Path,
    extra_args: &[String],
    ensure_browser: impl AsyncFnOnce(&mut dyn Write) -> Result<(), String>,
    out: &mut dyn Write,
    terminal: Terminal,
) -> u8 {
    let mut shown = Transcript::new(out, terminal);
    let demo = Demo {
        program,
        extra_args,
        limits: Limits::default(),
    };
    demo.run(ensure_browser, &mut shown).await
}

struct Demo<'a> {
    program: &'a Path,
    extra_args: &'a [String],
    limits: Limits,
}

impl Demo<'_> {
    async fn run(
        &self,
        ensure_browser: impl AsyncFnOnce(&mut dyn Write) -> Result<(), String>,
        shown: &mut Transcript<'_>,
    ) -> u8 {
        let mut last_words = String::new();
        let Err(trouble) = self.play(ensure_browser, shown, &mut last_words).await else {
            return 0;
        };
        // If this cannot be written, there is nobody to tell.
        let _ = match &trouble {
            Trouble::Unheard => Ok(()),
            Trouble::Interrupted => shown.trouble("Interrupted.", "", ""),
            Trouble::Failed(text) => {
                let remedy = "\"playguard doctor\" looks for the reason.";
                shown.trouble(text, &last_words, remedy)
            }
            Trouble::Wrong(text) => {
                let remedy = "This is a fault of PlayGuard's or of the browser's. \
                              Please report it, with the lines above.";
                shown.trouble(text, &last_words, remedy)
            }
        };
        trouble.exit_code()
    }

    async fn play(
        &self,
        ensure_browser: impl AsyncFnOnce(&mut dyn Write) -> Result<(), String>,
        shown: &mut Transcript<'_>,
        last_words: &mut String,
    ) -> Result<(), Trouble> {
        shown.title()?;
        ensure_browser(shown.raw())
            .await
            .map_err(|reason| Trouble::failed(format!("There is no browser to drive. {reason}")))?;

        let folder = if given(self.extra_args, &["--output-dir"]) {
            None
        } else {
            let temporary = std::env::temp_dir();
            let folder = Folder::create(&temporary).map_err(|error| {
                let place = temporary.display();
                Trouble::failed(format!("No folder can be created in {place}: {error}."))
            })?;
            Some(folder)
        };
        let page = PageServer::start(PAGE).await.map_err(|error| {
            Trouble::failed(format!("The page cannot be served on 127.0.0.1: {error}."))
        })?;

        let url = page.url();

        let start = Instant::now();
        let command = self.command(folder.as_ref().map(Folder::path));
        let mut client = Client::spawn(command, self.limits)?;
        let played = tokio::select! {
            played = session(&mut client, shown, &url, start) => played,
            () = interruption() => Err(Trouble::Interrupted),
        };
        let closed = client.close().await;
        if played.is_err() || closed.is_err() {
            *last_words = client.last_words().await;
        }
        // What happened first is the reason for what came after.
        let picture = played?;
        closed?;

        let picture = picture.map(|link| keep(&link, folder)).transpose()?;
        let picture = picture.as_deref().map(Path::to_string_lossy);
        shown.picture(picture.as_deref())?;

        let program = std::path::absolute(self.program);
        let program = program.as_deref().unwrap_or(self.program);
        let mut args = self.extra_args.to_vec();
        args.extend(window(self.extra_args));
        shown.snippet(&program.to_string_lossy(), &args)?;
        Ok(())
    }

    /// The server, with its files in `folder`.
    fn command(&self, folder: Option<&Path>) -> Command {
        let mut command = Command::new(self.program);
        command.args(self.extra_args);
        command.args(window(self.extra_args));
        if let Some(folder) = folder {
            command.arg("--output-dir").arg(folder);
        }
        let profiles = ["--isolated", "--user-data-dir", "--cdp-endpoint"];
        if !given(self.extra_args, &profiles) {
            command.arg("--isolated");
            for variable in PROFILE_VARIABLES {
                command.env_remove(variable);
            }
        }
        command
    }
}

/// Everything between the start of the server and its end. Returns what the
/// server calls the picture.
async fn session(
    client: &mut Client,
    shown: &mut Transcript<'_>,
    url: &str,
    start: Instant,
) -> Result<Option<String>, Trouble> {
    let server = client.initialize("playguard-demo").await?;
    let tools = client.list_tools().await?;
    shown.started(&server, tools.len(), start.elapsed(), url)?;
    let known = |tool: &&str| !tools.iter().any(|name| name == tool);
    if let Some(missing) = script::TOOLS.into_iter().find(known) {
        let text = format!("The server has no tool {missing}, which the demo needs.");
        return Err(Trouble::failed(text));
    }
    script::play(client, shown, url).await
}

/// The flag that the demo adds about windows.
fn window(args: &[String]) -> Option<String> {
    let chosen = given(args, &["--headless", "--headed", "--cdp-endpoint"]);
    (!chosen).then(|| "--headless".to_owned())
}

/// Whether one of these flags is among the arguments.
fn given(args: &[String], flags: &[&str]) -> bool {
    args.iter().any(|arg| {
        let flag = arg.split_once('=').map_or(arg.as_str(), |(flag, _)| flag);
        flags.contains(&flag)
    })
}

/// Finds the picture behind a link, and keeps it if it is in a folder of ours.
fn keep(link: &str, folder: Option<Folder>) -> Result<PathBuf, Trouble> {
    // Links are relative to the server's working folder, which is this one.
    let path = Path::new(link);
    let kept = match folder {
        Some(folder) => folder.keep_only(path),
        None => path.canonicalize(),
    };
    kept.map_err(|error| Trouble::wrong(format!("The picture is not at {link}: {error}.")))
}

/// Ends when the user presses Ctrl-C. Where that cannot be seen, the system
/// ends this program by itself, and the server with it.
async fn interruption() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
