//! The watchdog's handle: a tiny process of ours that outlives us and cleans up after us.
//!
//! Whatever can run code at our end (closed input, signals, panics) ends browsers itself. SIGKILL
//! and crashes leave no such moment, so a second process is told which browsers and temporary
//! profiles there are, over a pipe that only we hold. When the pipe closes without a word, the
//! watchdog does what we can no longer do (see [`super::reaper_main`]).
//!
//! The usual alternative on Linux, `PR_SET_PDEATHSIG` on the browser, is not used: the signal fires
//! when the *thread* that started the browser ends, and with an asynchronous runtime that is a
//! worker that may end long before the process. It would also not remove profiles, and not reach
//! the browser's own children.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// The hidden argument that makes our program the watchdog.
pub const ARGUMENT: &str = "__reap";

/// One line to the watchdog, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Message {
    /// A browser, anew or with more known about it.
    Watch(Entry),
    /// It ended and its profile is cleaned up.
    Forget { id: u64 },
    /// Clean up after it now.
    End { id: u64 },
}

/// What there is to clean up.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: u64,
    /// The main process, which leads a group and a session of its own.
    pub(super) pid: Option<u32>,
    pub(super) profile: String,
    /// Whether the profile goes away with the browser.
    pub(super) temporary: bool,
    /// A folder for temporary files beside a profile that stays.
    #[serde(default)]
    pub(super) scratch: Option<String>,
}

/// Starts and feeds the watchdog. One for each server is enough for all its browsers.
#[derive(Debug)]
pub struct Reaper {
    program: PathBuf,
    args: Vec<String>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: Option<(Child, ChildStdin)>,
    entries: BTreeMap<u64, Entry>,
    next: u64,
}

impl Reaper {
    /// A watchdog that is our own program with [`ARGUMENT`]; its `main` has to begin with
    /// [`super::reaper_main::main_if_requested`]. It starts with the first browser.
    pub fn new() -> Self {
        Self::with_program(own_program(), vec![ARGUMENT.to_owned()])
    }

    /// A watchdog that is another program, which has to end up in [`super::reaper_main::run`].
    pub fn with_program(program: PathBuf, args: Vec<String>) -> Self {
        Self {
            program,
            args,
            state: Mutex::default(),
        }
    }

    /// Announces a profile and what is to be removed with it, and later its browser. Never fails: without a watchdog, browsers end at
    /// every orderly end of ours, only not when we are killed.
    pub(super) fn watch(
        &self,
        profile: &Path,
        temporary: bool,
        scratch: Option<&Path>,
    ) -> Option<u64> {
        // A name that is not Unicode does not fit into a line of JSON.
        let profile = profile.to_str()?.to_owned();
        let mut state = self.lock();
        let id = state.next;
        state.next += 1;
        let entry = Entry {
            id,
            pid: None,
            profile,
            temporary,
            // Unlike the profile it is no loss for the rest when its name does not fit.
            scratch: scratch.and_then(Path::to_str).map(str::to_owned),
        };
        self.send(&mut state, &Message::Watch(entry.clone()));
        state.entries.insert(id, entry);
        Some(id)
    }

    pub(super) fn started(&self, id: u64, pid: u32) {
        let mut state = self.lock();
        if let Some(entry) = state.entries.get_mut(&id) {
            entry.pid = Some(pid);
            let entry = entry.clone();
            self.send(&mut state, &Message::Watch(entry));
        }
    }

    pub(super) fn forget(&self, id: u64) {
        let mut state = self.lock();
        if state.entries.remove(&id).is_some() {
            self.send(&mut state, &Message::Forget { id });
        }
    }

    /// Hands the cleaning up over. `false` when there is no watchdog to do it.
    pub(super) fn end(&self, id: u64) -> bool {
        let mut state = self.lock();
        if !state.entries.contains_key(&id) {
            return false;
        }
        // Still known meanwhile, in case that the watchdog has to be started anew for this.
        let sent = self.send(&mut state, &Message::End { id });
        state.entries.remove(&id);
        sent
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a line, starting the watchdog if it is not there (yet, or any more). A watchdog started
    /// anew is told of everything there is.
    fn send(&self, state: &mut State, message: &Message) -> bool {
        if let Some((_, pipe)) = &mut state.running
            && write_line(pipe, message).is_ok()
        {
            return true;
        }
        if let Some((mut child, pipe)) = state.running.take() {
            tracing::warn!("the watchdog process is gone; starting another");
            drop(pipe);
            // Its pipe broke, so it has ended or is about to; it must not stay defunct.
            std::thread::spawn(move || child.wait());
        }
        match self.start() {
            Ok((child, mut pipe)) => {
                let known = state.entries.values().cloned().map(Message::Watch);
                let sent = known
                    .chain(std::iter::once(message.clone()))
                    .try_for_each(|message| write_line(&mut pipe, &message));
                if let Err(error) = &sent {
                    tracing::warn!(%error, "the watchdog process does not listen");
                }
                state.running = Some((child, pipe));
                sent.is_ok()
            }
            Err(error) => {
                tracing::warn!(
                    %error,
                    program = %self.program.display(),
                    "no watchdog process: a browser may stay behind if this process is killed"
                );
                false
            }
        }
    }

    fn start(&self) -> io::Result<(Child, ChildStdin)> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            // It lives on when we are gone: it needs none of our secrets and holds no folder.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        command.current_dir("/");
        super::spawn::detach(&mut command);
        let mut child = command.spawn()?;
        let pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((child, pipe))
    }
}

impl Default for Reaper {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        let mut state = self.lock();
        let idle = state.entries.is_empty();
        if let Some((mut child, pipe)) = state.running.take() {
            drop(pipe);
            // With nothing to do it ends at once, and is not left defunct. Otherwise it must not
            // hold us up.
            if idle {
                let _ = child.wait();
            }
        }
    }
}

/// A line is far below the size up to which writes to a pipe are atomic, and the watchdog always
/// reads, so this does not block.
fn write_line(pipe: &mut ChildStdin, message: &Message) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    pipe.write_all(&line)?;
    pipe.flush()
}

/// Our own program, even when its file has been replaced since.
fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_default()
}
