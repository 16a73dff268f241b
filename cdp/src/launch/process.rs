//! A running browser: its process, its last words, its end.

use std::ffi::OsString;
use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::args::Transport;
use super::error::{Exit, LaunchError, Report};
use super::output::Output;
use super::profile::Profile;
use super::reaper::Reaper;
use super::scratch::Scratch;

/// How long the output of an ended browser is waited for: what it wrote is in the pipe, but its
/// children may hold the pipe open.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long a browser may take to end after its connection has.
const ENDS_WITH_CONNECTION: Duration = Duration::from_secs(1);
/// What a handshake with a limit of its own may have had of it before we began to wait for it.
const HANDSHAKE_LEAD: Duration = Duration::from_millis(100);
/// How long the helpers of a browser that ended in order may take to follow it: one of them may still
/// be writing cookies.
#[cfg(unix)]
const HELPERS: Duration = Duration::from_secs(1);
/// How long the system may take to end a killed process.
const AFTER_KILL: Duration = Duration::from_secs(1);

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
    pub(super) scratch: Option<Scratch>,
    pub(super) reaper: Option<Arc<Reaper>>,
}

/// A browser that we started. Dropping it ends the browser at once; [`BrowserProcess::close`] is the
/// polite way.
pub struct BrowserProcess {
    pid: u32,
    program: PathBuf,
    output: Output,
    life: watch::Receiver<Life>,
    profile_dir: PathBuf,
    temporary: bool,
    remains: Mutex<Option<Remains>>,
    /// Closing it ends everything in it.
    #[cfg(windows)]
    job: Mutex<Option<win32job::Job>>,
}

/// How far a browser's life has come.
#[derive(Debug, Clone, Copy, Default)]
struct Life {
    /// How the main process ended, once it has.
    exit: Option<Exit>,
    /// The helpers have ended too.
    all_ended: bool,
}

/// What there is to clean up after a browser.
struct Remains {
    profile: Profile,
    scratch: Option<Scratch>,
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
        scratch,
        reaper,
    } = start;
    // Before the browser, so that there is no moment in which being killed leaves something behind.
    let watched = reaper.and_then(|reaper| {
        let scratch = scratch.as_ref().and_then(Scratch::of_its_own);
        let id = reaper.watch(profile.dir(), profile.is_temporary(), scratch)?;
        Some((reaper, id))
    });
    let profile_dir = profile.dir().to_path_buf();
    let temporary = profile.is_temporary();
    let remains = Remains {
        profile,
        scratch,
        watched,
    };

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
                output: spawned.output,
                life: spawned.life,
                profile_dir,
                temporary,
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
    output: Output,
    life: watch::Receiver<Life>,
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
    let (pid, life) = run(command)?;
    Ok(Spawned {
        pid,
        output: Output::listen(output),
        life,
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
    let output = match child.stderr.take() {
        Some(output) => Output::listen(output),
        None => Output::listen(tokio::io::empty()),
    };
    Ok(Spawned {
        pid,
        output,
        life: watch_life(child),
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
fn run(command: std::process::Command) -> std::io::Result<(u32, watch::Receiver<Life>)> {
    // Should the runtime end before us, its going away still ends the browser.
    let mut command = tokio::process::Command::from(command);
    let child = command.kill_on_drop(true).spawn()?;
    let pid = child.id().ok_or(std::io::ErrorKind::NotFound)?;
    Ok((pid, watch_life(child)))
}

/// Waits for the end, in a task of its own so that no browser stays defunct however we lose
/// interest in it.
fn watch_life(mut child: tokio::process::Child) -> watch::Receiver<Life> {
    let (told, life) = watch::channel(Life::default());
    let pid = child.id();
    tokio::spawn(async move {
        let exit = match child.wait().await {
            Ok(status) => Exit::from(status),
            // Somebody else has waited for it.
            Err(_) => Exit::UNKNOWN,
        };
        tracing::debug!(?pid, %exit, "browser ended");
        told.send_modify(|life| life.exit = Some(exit));
        if let Some(pid) = pid {
            end_helpers(pid, exit).await;
        }
        told.send_modify(|life| life.all_ended = true);
    });
    life
}

/// Helpers that outlive the main process have lost their purpose, but after an orderly end may have
/// something to finish.
///
/// While any of them lives, the number of their group stays theirs; and one that was freed when the
/// main process was waited for is not given away again before the system has gone through all others.
async fn end_helpers(pid: u32, exit: Exit) {
    #[cfg(unix)]
    {
        let give_up = tokio::time::Instant::now() + HELPERS;
        while exit.code == Some(0)
            && super::procinfo::group_exists(pid)
            && tokio::time::Instant::now() < give_up
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    #[cfg(not(unix))]
    let _ = exit;
    kill_tree(pid);
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
        self.life.borrow().exit
    }

    /// Waits for its end. Any number of callers may wait.
    pub async fn wait(&self) -> Exit {
        self.reached(|life| life.exit.is_some()).await
    }

    async fn reached(&self, stage: impl FnMut(&Life) -> bool) -> Exit {
        match self.life.clone().wait_for(stage).await {
            Ok(life) => life.exit.unwrap_or(Exit::UNKNOWN),
            // The runtime is going down, and the browser with it.
            Err(_) => Exit::UNKNOWN,
        }
    }

    /// The end of what it has printed: at most 4 kB.
    pub fn output_tail(&self) -> String {
        self.output.tail()
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
        let give_up = tokio::time::Instant::now() + limit;
        let answer = tokio::select! {
            // An answer counts even if the browser has ended since.
            biased;
            answer = tokio::time::timeout(limit, handshake) => answer,
            exit = self.wait() => return Err(self.ended(exit).await),
        };
        match answer {
            Ok(Ok(value)) => Ok(value),
            // Its own limit was as long as ours, and passed first.
            Ok(Err(_)) if tokio::time::Instant::now() + HANDSHAKE_LEAD >= give_up => {
                Err(LaunchError::TimedOut {
                    limit,
                    report: self.report(),
                })
            }
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
        self.output.drained(LAST_WORDS).await;
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
                    .unwrap_or(Exit::UNKNOWN)
            }
        };
        // Helpers of a browser whose data goes away have nothing worth finishing.
        if self.temporary {
            kill_tree(self.pid);
        }
        // They are given a limit where they are waited for.
        self.reached(|life| life.all_ended || life.exit.is_none())
            .await;
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
        if let Some(remains) = lock(&self.remains).take() {
            remains.hand_over();
        }
    }
}

impl Remains {
    /// Removes what there is, here and now. Blocks.
    fn remove(self) -> std::io::Result<()> {
        let result = remove_both(self.profile, self.scratch);
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
        std::thread::spawn(move || remove_both(self.profile, self.scratch));
    }
}

fn remove_both(profile: Profile, scratch: Option<Scratch>) -> std::io::Result<()> {
    let removed = profile.remove();
    scratch.map_or(Ok(()), Scratch::remove).and(removed)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // What is behind these locks is whole at any time.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
