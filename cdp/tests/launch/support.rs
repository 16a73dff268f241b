//! What the launcher's tests need: a browser, a folder, a look at the system's processes, and a process
//! to kill.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use playguard_cdp::launch::find::{Wanted, find};
use playguard_cdp::launch::machine::ThisMachine;
use playguard_cdp::launch::{
    LaunchError, LaunchOptions, Launched, Link, ProfileChoice, Reaper, launch,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// However we end, nothing may be left after this.
pub const GONE_WITHIN: Duration = Duration::from_secs(5);
pub const START_LIMIT: Duration = Duration::from_secs(60);

/// Whether there is a browser to test with.
pub fn browser() -> bool {
    let wanted = Wanted {
        headless: true,
        ..Wanted::default()
    };
    let there = find(&wanted, &ThisMachine).is_ok();
    if !there {
        eprintln!("skipped: no browser on this machine");
    }
    there
}

/// A folder of the test's own.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("playguard-launch-test-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    pub fn script(&self, text: &str) -> PathBuf {
        let path = self.0.join("browser");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Browsers that were killed a moment ago may still be writing.
        until(GONE_WITHIN, || {
            std::fs::remove_dir_all(&self.0).is_ok() || !self.0.exists()
        });
    }
}

pub fn headless() -> LaunchOptions {
    LaunchOptions {
        headless: Some(true),
        ..LaunchOptions::default()
    }
}

pub fn fake(program: PathBuf) -> LaunchOptions {
    LaunchOptions {
        executable: Some(program),
        ..headless()
    }
}

pub fn persistent(dir: &Path, fall_back: bool) -> LaunchOptions {
    LaunchOptions {
        profile: ProfileChoice::Persistent {
            dir: dir.to_path_buf(),
            patience: Duration::ZERO,
            fall_back,
        },
        ..headless()
    }
}

pub struct Connection {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Connection {
    pub fn new(link: Link) -> Self {
        match link {
            Link::Pipe { reader, writer } => Self { reader, writer },
            Link::WebSocket(url) => panic!("expected a pipe, got {url}"),
        }
    }

    pub async fn call(&mut self, method: &str, params: Value) -> std::io::Result<Value> {
        let mut message = json!({"id": 1, "method": method, "params": params})
            .to_string()
            .into_bytes();
        message.push(0);
        self.writer.write_all(&message).await?;
        loop {
            let mut answer = Vec::new();
            loop {
                match self.reader.read_u8().await? {
                    0 => break,
                    byte => answer.push(byte),
                }
            }
            let answer: Value = serde_json::from_slice(&answer)?;
            if answer["id"] == 1 {
                return Ok(answer["result"].clone());
            }
        }
    }
}

/// Starts and waits for the first answer.
pub async fn start(options: &LaunchOptions) -> Result<(Launched, Connection), LaunchError> {
    let mut launched = launch(options).await?;
    let link = std::mem::replace(&mut launched.link, Link::WebSocket(String::new()));
    let mut connection = Connection::new(link);
    let version = connection.call("Browser.getVersion", json!({}));
    let version = launched.process.started(START_LIMIT, version).await?;
    assert!(version["product"].as_str().unwrap().contains("Chrom"));
    Ok((launched, connection))
}

/// Running processes whose command line names `text`; this one left out.
pub fn processes_naming(text: &str) -> Vec<String> {
    processes(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        (pid != std::process::id() && line.contains(text)).then(|| format!("{pid} {line}"))
    })
}

pub fn processes<T>(look: impl Fn(u32) -> Option<T>) -> Vec<T> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(look)
        .collect()
}

/// Field `number` (from 3 on) of /proc/pid/stat.
pub fn stat_field(pid: u32, number: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = stat.rsplit_once(')')?.1;
    rest.split_ascii_whitespace()
        .nth(number - 3)
        .map(str::to_owned)
}

pub fn until(limit: Duration, done: impl Fn() -> bool) -> bool {
    let give_up = Instant::now() + limit;
    while !done() {
        if Instant::now() > give_up {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}

pub fn assert_gone(profile: &str) {
    let all_gone = until(GONE_WITHIN, || {
        processes_naming(profile).is_empty() && !Path::new(profile).exists()
    });
    assert!(
        all_gone,
        "left after {GONE_WITHIN:?}: {:?}, folder there: {}",
        processes_naming(profile),
        Path::new(profile).exists()
    );
}

pub fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

/// This program as something else: one of the ignored tests below, which are no tests.
pub fn this_program_as(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(role_args(role));
    command
}

pub fn role_args(role: &str) -> Vec<String> {
    ["--exact", role, "--ignored", "--nocapture"]
        .map(str::to_owned)
        .to_vec()
}

pub fn test_reaper() -> Arc<Reaper> {
    let program = std::env::current_exe().unwrap();
    Arc::new(Reaper::with_program(program, role_args("role_reaper")))
}

/// A process that owns browsers, to be killed.
pub struct Owner {
    pub child: Child,
    /// Process id and profile of each browser.
    pub browsers: Vec<(u32, String)>,
}

impl Owner {
    pub fn start(mut command: Command, browsers: usize) -> Self {
        let mut child = command
            .env("PLAYGUARD_TEST_BROWSERS", browsers.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let browsers = lines
            .map_while(Result::ok)
            .filter_map(|line| {
                let (_, rest) = line.split_once("READY ")?;
                let (pid, profile) = rest.split_once(' ')?;
                Some((pid.parse().unwrap(), profile.to_owned()))
            })
            .take(browsers)
            .collect();
        Self { child, browsers }
    }

    pub fn reaper(&self) -> u32 {
        let found = processes(|pid| {
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
            let child = stat_field(pid, 4)? == self.child.id().to_string();
            (child && line.contains("role_reaper")).then_some(pid)
        });
        assert_eq!(found.len(), 1, "watchdogs: {found:?}");
        found[0]
    }

    pub fn end_by(&mut self, with: Signal) {
        signal(self.child.id(), with);
        self.child.wait().unwrap();
    }
}
