//! A running browser: its process, its last words, its end.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::args::Transport;
use super::error::{Exit, LaunchError, Report};
use super::profile::Profile;
use super::reaper::Reaper;

/// How much of the browser's output is kept.
const TAIL_BYTES: usize = 4096;
/// How long the output of an ended browser is waited for: what it wrote is in the pipe, but its
/// children may hold the pipe open.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long a browser may take to end after its connection has.
const ENDS_WITH_CONNECTION: Duration = Duration::from_secs(1);
/// How long the system may take to end a killed process.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// The two ends of the connection to a browser.
pub enum Link {
    /// Messages of JSON, each followed by a NUL byte.
    Pipe {
        /// What the browser says. Ends when it does.
        reader: Box<dyn AsyncRead + Send + Unpin>,
        /// What we say. The browser ends when this is dropped.
        writer: Box<dyn AsyncWrite + Send + Unpin>,
    },
    /// The address of the browser's own WebSocket, `ws://127.0.0.1:<port>/devtools/browser/<id>`.
    WebSocket(String),
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pipe { .. } => f.write_str("Pipe"),
            Self::WebSocket(url) => write!(f, "WebSocket({url})"),
        }
    }
}

/// What to start.
pub(super) struct Start {
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) transport: Transport,
    pub(super) profile: Profile,
    pub(super) reaper: Option<Arc<Reaper>>,
}

/// A browser that we started. Dropping it ends the browser at once; [`BrowserProcess::close`] is the
/// polite way.
pub struct BrowserProcess {
    pid: u32,
    program: PathBuf,
    tail: Arc<Mutex<Tail>>,
    exit: watch::Receiver<Option<Exit>>,
    listener: JoinHandle<()>,
    profile_dir: PathBuf,
    remains: Mutex<Option<Remains>>,
    /// Closing it ends everything in it.
    #[cfg(windows)]
    job: Mutex<Option<win32job::Job>>,
}

/// What there is to clean up after a browser.
struct Remains {
    profile: Profile,
    watched: Option<(Arc<Reaper>, u64)>,
}

impl fmt::Debug for BrowserProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserProcess")
            .field("pid", &self.pid)
            .field("program", &self.program)
            .field("profile", &self.profile_dir)
            .finish_non_exhaustive()
    }
}

/// Starts a browser. Does not wait for it to answer.
pub(super) fn start(start: Start) -> Result<(BrowserProcess, Option<Link>), LaunchError> {
    let Start {
        program,
        args,
        env,
        transport,
        profile,
        reaper,
    } = start;
    // Before the browser, so that there is no moment in which being killed leaves something behind.
    let watched = reaper.and_then(|reaper| {
        let id = reaper.watch(profile.dir(), profile.is_temporary())?;
        Some((reaper, id))
    });
    let profile_dir = profile.dir().to_path_buf();
    let remains = Remains { profile, watched };

    let mut command = std::process::Command::new(&program);
    command
        .args(args)
        .env_clear()
        .envs(env)
        .stdin(Stdio::null());
    match spawn(command, transport) {
        Ok(spawned) => {
            if let Some((reaper, id)) = &remains.watched {
                reaper.started(*id, spawned.pid);
            }
            let process = BrowserProcess {
                pid: spawned.pid,
                program,
                tail: spawned.tail,
                exit: spawned.exit,
                listener: spawned.listener,
                profile_dir,
                remains: Mutex::new(Some(remains)),
                #[cfg(windows)]
                job: Mutex::new(spawned.job),
            };
            Ok((process, spawned.link))
        }
        Err(source) => {
            remains.hand_over();
            Err(LaunchError::Spawn { program, source })
        }
    }
}

struct Spawned {
    pid: u32,
    tail: Arc<Mutex<Tail>>,
    exit: watch::Receiver<Option<Exit>>,
    listener: JoinHandle<()>,
    link: Option<Link>,
    #[cfg(windows)]
    job: Option<win32job::Job>,
}

#[cfg(unix)]
fn spawn(mut command: std::process::Command, transport: Transport) -> std::io::Result<Spawned> {
    use std::os::fd::OwnedFd;
    use tokio::net::unix::pipe;

    // Programs print why they fail on either of the two.
    let (output, printed) = std::io::pipe()?;
    command.stdout(printed.try_clone()?).stderr(printed);

    let link = match transport {
        Transport::Pipe => {
            let (read, writer) = std::io::pipe()?;
            let (reader, write) = std::io::pipe()?;
            widen(&reader);
            super::spawn::detach_with_pipe(&mut command, read.into(), write.into());
            Some(Link::Pipe {
                reader: Box::new(pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?),
                writer: Box::new(pipe::Sender::from_owned_fd(OwnedFd::from(writer))?),
            })
        }
        Transport::Port(_) => {
            super::spawn::detach(&mut command);
            None
        }
    };
    let output = pipe::Receiver::from_owned_fd(OwnedFd::from(output))?;
    let (pid, exit) = run(command)?;
    let (tail, listener) = listen(output);
    Ok(Spawned {
        pid,
        tail,
        exit,
        listener,
        link,
    })
}

/// Answers of a browser can be megabytes: fewer turns with a pipe that holds one. Only a wish, as
/// the system limits what one user's pipes may hold.
#[cfg(unix)]
fn widen(pipe: &std::io::PipeReader) {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

#[cfg(windows)]
fn spawn(mut command: std::process::Command, _: Transport) -> std::io::Result<Spawned> {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    super::spawn::detach(&mut command);
    let mut command = tokio::process::Command::from(command);
    let mut child = command.kill_on_drop(true).spawn()?;
    // Ends the browser's whole tree when the last handle to the job closes, that is, with us.
    let job = job_for(&child)
        .map_err(|error| tracing::warn!(%error, "no job object"))
        .ok();
    let pid = child.id().unwrap_or_default();
    let (tail, listener) = match child.stderr.take() {
        Some(output) => listen(output),
        None => listen(tokio::io::empty()),
    };
    Ok(Spawned {
        pid,
        tail,
        exit: watch_exit(child),
        listener,
        link: None,
        job,
    })
}

#[cfg(windows)]
fn job_for(child: &tokio::process::Child) -> Result<win32job::Job, win32job::JobError> {
    let mut limits = win32job::ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = win32job::Job::create_with_limit_info(&limits)?;
    if let Some(handle) = child.raw_handle() {
        job.assign_process(handle as isize)?;
    }
    Ok(job)
}

#[cfg(unix)]
fn run(command: std::process::Command) -> std::io::Result<(u32, watch::Receiver<Option<Exit>>)> {
    // Should the runtime end before us, its going away still ends the browser.
    let mut command = tokio::process::Command::from(command);
    let child = command.kill_on_drop(true).spawn()?;
    let pid = child.id().ok_or(std::io::ErrorKind::NotFound)?;
    Ok((pid, watch_exit(child)))
}

/// Waits for the end, in a task of its own so that no browser stays defunct however we lose
/// interest in it.
fn watch_exit(mut child: tokio::process::Child) -> watch::Receiver<Option<Exit>> {
    let (ended, exit) = watch::channel(None);
    let pid = child.id();
    tokio::spawn(async move {
        let exit = match child.wait().await {
            Ok(status) => Exit::from(status),
            // Somebody else has waited for it.
            Err(_) => Exit {
                code: None,
                signal: None,
            },
        };
        // Children that outlive the main process have lost their purpose. While any of them lives the
        // group's number stays theirs; and one that was freed by the wait that has just returned is
        // not given away again before the system has gone through all others.
        if let Some(pid) = pid {
            kill_tree(pid);
        }
        tracing::debug!(?pid, %exit, "browser ended");
        // Nobody may be interested any more.
        let _ = ended.send(Some(exit));
    });
    exit
}

/// Reads the browser's output as long as there is any: a full pipe would stop the browser.
fn listen(
    mut output: impl AsyncRead + Send + Unpin + 'static,
) -> (Arc<Mutex<Tail>>, JoinHandle<()>) {
    let tail = Arc::new(Mutex::new(Tail::default()));
    let kept = Arc::clone(&tail);
    let listener = tokio::spawn(async move {
        let mut buffer = vec![0; TAIL_BYTES];
        while let Ok(length @ 1..) = output.read(&mut buffer).await {
            let text = &buffer[..length];
            tracing::debug!(target: "playguard_cdp::browser", "{}", String::from_utf8_lossy(text).trim_end());
            lock(&kept).push(text);
        }
    });
    (tail, listener)
}

fn kill_tree(pid: u32) {
    #[cfg(unix)]
    super::procinfo::kill_group(pid);
    // On Windows closing the job does it.
    #[cfg(windows)]
    let _ = pid;
}

impl BrowserProcess {
    /// The id of the main process, which also names its process group and session (Unix).
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// The program that runs.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its profile folder.
    pub fn profile_dir(&self) -> &Path {
        &self.profile_dir
    }

    /// How it ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        *self.exit.borrow()
    }

    /// Waits for its end. Any number of callers may wait.
    pub async fn wait(&self) -> Exit {
        let mut exit = self.exit.clone();
        match exit.wait_for(Option::is_some).await {
            Ok(exit) => exit.unwrap_or(Exit {
                code: None,
                signal: None,
            }),
            // The runtime is going down, and the browser with it.
            Err(_) => Exit {
                code: None,
                signal: None,
            },
        }
    }

    /// The end of what it has printed: at most 4 kB.
    pub fn output_tail(&self) -> String {
        lock(&self.tail).text()
    }

    /// Runs the first exchange with the browser, and turns whatever goes wrong into an error that
    /// says why: the browser's exit code and last words when it ended, its output when it stays
    /// silent until `limit` is over. The caller still owns the process afterwards; dropping it ends
    /// the browser.
    ///
    /// # Errors
    /// [`LaunchError::Exited`], [`LaunchError::ProfileInUse`], [`LaunchError::TimedOut`] or
    /// [`LaunchError::Handshake`].
    pub async fn started<T, E: fmt::Display>(
        &self,
        limit: Duration,
        handshake: impl Future<Output = Result<T, E>>,
    ) -> Result<T, LaunchError> {
        let answer = tokio::select! {
            // An answer counts even if the browser has ended since.
            biased;
            answer = tokio::time::timeout(limit, handshake) => answer,
            exit = self.wait() => return Err(self.ended(exit).await),
        };
        match answer {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => {
                // A connection that broke usually means that the browser is about to be gone.
                match tokio::time::timeout(ENDS_WITH_CONNECTION, self.wait()).await {
                    Ok(exit) => Err(self.ended(exit).await),
                    Err(_) => Err(LaunchError::Handshake {
                        reason: error.to_string(),
                        report: self.report(),
                    }),
                }
            }
            Err(_) => Err(LaunchError::TimedOut {
                limit,
                report: self.report(),
            }),
        }
    }

    async fn ended(&self, exit: Exit) -> LaunchError {
        let give_up = tokio::time::Instant::now() + LAST_WORDS;
        while !self.listener.is_finished() && tokio::time::Instant::now() < give_up {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        LaunchError::exited(exit, &self.profile_dir, self.report())
    }

    fn report(&self) -> Report {
        Report {
            program: self.program.clone(),
            output: self.output_tail(),
        }
    }

    /// Ends the browser. The caller has asked it to end (`Browser.close`, or by dropping the
    /// writer); it gets `grace` to do so, then it is killed. Afterwards a temporary profile is
    /// gone. Safe to call again.
    pub async fn close(&self, grace: Duration) -> Exit {
        let exit = match tokio::time::timeout(grace, self.wait()).await {
            Ok(exit) => exit,
            Err(_) => {
                tracing::warn!(pid = self.pid, "the browser does not end by itself: killed");
                self.kill();
                tokio::time::timeout(AFTER_KILL, self.wait())
                    .await
                    .unwrap_or(Exit {
                        code: None,
                        signal: None,
                    })
            }
        };
        let remains = lock(&self.remains).take();
        if let Some(remains) = remains {
            // Removing a folder of some megabytes blocks.
            let removed = tokio::task::spawn_blocking(move || remains.remove()).await;
            if let Ok(Err(error)) = removed {
                tracing::warn!(profile = %self.profile_dir.display(), %error, "could not remove the profile");
            }
        }
        exit
    }

    /// Ends the browser and all its processes at once.
    pub fn kill(&self) {
        if self.exit().is_none() {
            kill_tree(self.pid);
            #[cfg(windows)]
            drop(lock(&self.job).take());
        }
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        self.kill();
        self.listener.abort();
        if let Some(remains) = lock(&self.remains).take() {
            remains.hand_over();
        }
    }
}

impl Remains {
    /// Removes what there is, here and now. Blocks.
    fn remove(self) -> std::io::Result<()> {
        let result = self.profile.remove();
        if let Some((reaper, id)) = self.watched {
            match &result {
                Ok(()) => reaper.forget(id),
                // It will try for longer.
                Err(_) => {
                    reaper.end(id);
                }
            }
        }
        result
    }

    /// Leaves the removal to the watchdog or, without one, to a thread.
    fn hand_over(self) {
        if let Some((reaper, id)) = &self.watched
            && reaper.end(*id)
        {
            return;
        }
        if self.profile.is_temporary() {
            std::thread::spawn(move || self.profile.remove());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // What is behind these locks is whole at any time.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of a stream of text.
#[derive(Default)]
struct Tail(VecDeque<u8>);

impl Tail {
    fn push(&mut self, text: &[u8]) {
        self.0.extend(text);
        let excess = self.0.len().saturating_sub(TAIL_BYTES);
        self.0.drain(..excess);
    }

    /// As text, from the first whole line if the beginning is lost.
    fn text(&self) -> String {
        let (front, back) = self.0.as_slices();
        let bytes = [front, back].concat();
        let cut = if bytes.len() < TAIL_BYTES {
            0
        } else {
            bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1)
        };
        let whole = if cut < bytes.len() {
            &bytes[cut..]
        } else {
            &bytes
        };
        String::from_utf8_lossy(whole).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_keeps_whole_lines_of_the_end() {
        let mut tail = Tail::default();
        tail.push(b"first\n");
        assert_eq!(tail.text(), "first\n");
        for number in 0..1000 {
            tail.push(format!("line {number} ä\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.len() <= TAIL_BYTES && text.len() > TAIL_BYTES - 20);
        assert!(text.starts_with("line ") && text.ends_with("line 999 ä\n"));
        let mut tail = Tail::default();
        tail.push(&vec![b'x'; 3 * TAIL_BYTES]);
        assert_eq!(tail.text().len(), TAIL_BYTES);
    }
}
