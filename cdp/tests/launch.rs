//! The launcher with a real browser: that it starts and answers, that failures say why, and above
//! all that nothing stays behind.
#![cfg(target_os = "linux")]

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
    LaunchError, LaunchOptions, Launched, Link, ProfileChoice, ProfileError, Reaper, Transport,
    launch, parent_gone, reaper_main,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// What the issue promises.
const GONE_WITHIN: Duration = Duration::from_secs(5);
const START_LIMIT: Duration = Duration::from_secs(60);

// ---------------------------------------------------------------------------------------------
// Helpers

/// Whether there is a browser to test with.
fn browser() -> bool {
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
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("playguard-launch-test-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    fn script(&self, text: &str) -> PathBuf {
        let path = self.0.join("browser");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn headless() -> LaunchOptions {
    LaunchOptions {
        headless: Some(true),
        ..LaunchOptions::default()
    }
}

fn fake(program: PathBuf) -> LaunchOptions {
    LaunchOptions {
        executable: Some(program),
        ..headless()
    }
}

fn persistent(dir: &Path, fall_back: bool) -> LaunchOptions {
    LaunchOptions {
        profile: ProfileChoice::Persistent {
            dir: dir.to_path_buf(),
            patience: Duration::ZERO,
            fall_back,
        },
        ..headless()
    }
}

struct Connection {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Connection {
    fn new(link: Link) -> Self {
        match link {
            Link::Pipe { reader, writer } => Self { reader, writer },
            Link::WebSocket(url) => panic!("expected a pipe, got {url}"),
        }
    }

    async fn call(&mut self, method: &str) -> std::io::Result<Value> {
        let mut message = json!({"id": 1, "method": method}).to_string().into_bytes();
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
async fn start(options: &LaunchOptions) -> Result<(Launched, Connection), LaunchError> {
    let mut launched = launch(options).await?;
    let link = std::mem::replace(&mut launched.link, Link::WebSocket(String::new()));
    let mut connection = Connection::new(link);
    let version = connection.call("Browser.getVersion");
    let version = launched.process.started(START_LIMIT, version).await?;
    assert!(version["product"].as_str().unwrap().contains("Chrom"));
    Ok((launched, connection))
}

/// Running processes whose command line names `text`; this one left out.
fn processes_naming(text: &str) -> Vec<String> {
    processes(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        (pid != std::process::id() && line.contains(text)).then(|| format!("{pid} {line}"))
    })
}

fn processes<T>(look: impl Fn(u32) -> Option<T>) -> Vec<T> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(look)
        .collect()
}

/// Field `number` (from 3 on) of /proc/pid/stat.
fn stat_field(pid: u32, number: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = stat.rsplit_once(')')?.1;
    rest.split_ascii_whitespace()
        .nth(number - 3)
        .map(str::to_owned)
}

fn until(limit: Duration, done: impl Fn() -> bool) -> bool {
    let give_up = Instant::now() + limit;
    while !done() {
        if Instant::now() > give_up {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}

fn assert_gone(profile: &str) {
    let session_free = until(GONE_WITHIN, || {
        processes_naming(profile).is_empty() && !Path::new(profile).exists()
    });
    assert!(
        session_free,
        "left after {GONE_WITHIN:?}: {:?}, folder there: {}",
        processes_naming(profile),
        Path::new(profile).exists()
    );
}

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

/// This program as something else: one of the ignored tests below, which are no tests.
fn this_program_as(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(role_args(role));
    command
}

fn role_args(role: &str) -> Vec<String> {
    ["--exact", role, "--ignored", "--nocapture"]
        .map(str::to_owned)
        .to_vec()
}

fn test_reaper() -> Arc<Reaper> {
    let program = std::env::current_exe().unwrap();
    Arc::new(Reaper::with_program(program, role_args("role_reaper")))
}

/// A process that owns browsers, to be killed.
struct Owner {
    child: Child,
    /// Process id and profile of each browser.
    browsers: Vec<(u32, String)>,
}

impl Owner {
    fn start(mut command: Command, browsers: usize) -> Self {
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

    fn reaper(&self) -> u32 {
        let found = processes(|pid| {
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
            let child = stat_field(pid, 4)? == self.child.id().to_string();
            (child && line.contains("role_reaper")).then_some(pid)
        });
        assert_eq!(found.len(), 1, "watchdogs: {found:?}");
        found[0]
    }

    fn end_by(&mut self, with: Signal) {
        signal(self.child.id(), with);
        self.child.wait().unwrap();
    }
}

#[test]
#[ignore = "a role that other tests start"]
fn role_reaper() {
    reaper_main::run();
}

#[tokio::test]
#[ignore = "a role that other tests start"]
async fn role_owner() {
    let count: usize = match std::env::var("PLAYGUARD_TEST_BROWSERS") {
        Ok(count) => count.parse().unwrap(),
        Err(_) => return,
    };
    let options = LaunchOptions {
        reaper: Some(test_reaper()),
        ..headless()
    };
    let mut kept = Vec::new();
    for number in 0..count {
        if number > 0 && std::env::var_os("PLAYGUARD_TEST_PAUSE").is_some() {
            tokio::time::sleep(Duration::from_millis(1500)).await;
        }
        let (launched, connection) = start(&options).await.unwrap();
        let (pid, profile) = (launched.process.pid(), launched.process.profile_dir());
        println!("READY {pid} {}", profile.display());
        kept.push((launched, connection));
    }
    tokio::time::sleep(Duration::from_secs(120)).await;
}

#[tokio::test]
#[ignore = "a role that other tests start"]
async fn role_child() {
    let Some(file) = std::env::var_os("PLAYGUARD_TEST_FILE") else {
        return;
    };
    let mut gone = std::pin::pin!(parent_gone());
    let early = tokio::time::timeout(Duration::from_millis(300), gone.as_mut()).await;
    std::fs::write(&file, if early.is_ok() { "early" } else { "watching" }).unwrap();
    gone.await;
    std::fs::write(&file, "gone").unwrap();
}

// ---------------------------------------------------------------------------------------------
// Starting and ending

#[tokio::test]
async fn starts_answers_and_closes_without_a_trace() {
    if !browser() {
        return;
    }
    let options = LaunchOptions {
        reaper: Some(test_reaper()),
        ..headless()
    };
    let (launched, mut connection) = start(&options).await.unwrap();
    let profile = launched.process.profile_dir().to_str().unwrap().to_owned();
    assert!(launched.temporary && launched.headless);
    assert!(Path::new(&profile).join("playguard.lock").exists());
    if rustix::process::geteuid().is_root() {
        assert!(
            launched
                .notices
                .iter()
                .any(|notice| notice.contains("root"))
        );
    }
    connection.call("Browser.close").await.unwrap();
    let exit = launched.process.close(Duration::from_secs(10)).await;
    assert_eq!(exit.code, Some(0));
    assert!(!Path::new(&profile).exists());
    assert_eq!(processes_naming(&profile), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_ends_everything() {
    if !browser() {
        return;
    }
    for reaper in [None, Some(test_reaper())] {
        let options = LaunchOptions {
            reaper,
            ..headless()
        };
        let (launched, _connection) = start(&options).await.unwrap();
        let profile = launched.process.profile_dir().to_str().unwrap().to_owned();
        drop(launched);
        tokio::task::spawn_blocking(move || assert_gone(&profile))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn over_a_port_where_pipes_cannot_be_had() {
    if !browser() {
        return;
    }
    let options = LaunchOptions {
        transport: Transport::Port(0),
        ..headless()
    };
    let launched = launch(&options).await.unwrap();
    let Link::WebSocket(url) = &launched.link else {
        panic!("{:?}", launched.link)
    };
    let address = url
        .strip_prefix("ws://")
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    tokio::net::TcpStream::connect(address).await.unwrap();
    launched.process.kill();
    assert_eq!(launched.process.close(Duration::ZERO).await.signal, Some(9));
}

#[tokio::test]
async fn a_browser_that_prints_and_exits_is_quoted() {
    let scratch = Scratch::new();
    for stream in ["1", "2"] {
        let program = scratch.script(&format!("echo 'cannot find my head' >&{stream}; exit 7"));
        let error = start(&fake(program)).await.err().unwrap();
        assert!(matches!(error, LaunchError::Exited { .. }));
        let text = error.to_string();
        assert!(
            text.contains("cannot find my head") && text.contains("exit code 7"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_browser_that_stays_silent_is_ended() {
    let scratch = Scratch::new();
    let program = scratch.script("echo waking up; exec sleep 600");
    let launched = launch(&fake(program)).await.unwrap();
    let profile = launched.process.profile_dir().to_str().unwrap().to_owned();
    let never = std::future::pending::<Result<(), String>>();
    let error = launched
        .process
        .started(Duration::from_millis(300), never)
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("0.3 s") && text.contains("waking up"),
        "{text}"
    );
    let pid = launched.process.pid();
    drop(launched);
    let gone = tokio::task::spawn_blocking(move || {
        assert_gone(&profile);
        until(GONE_WITHIN, || stat_field(pid, 3).is_none())
    });
    assert!(gone.await.unwrap(), "still there, or defunct");
}

#[tokio::test]
async fn failed_starts_leave_nothing_defunct() {
    let scratch = Scratch::new();
    let program = scratch.script("exit 1");
    for _ in 0..10 {
        assert!(start(&fake(program.clone())).await.is_err());
    }
    let missing = launch(&fake(scratch.0.join("absent"))).await.unwrap_err();
    assert!(matches!(missing, LaunchError::NotFound(_)), "{missing}");
    let broken = scratch.script("");
    std::fs::write(&broken, "#!/absent/interpreter\n").unwrap();
    assert!(matches!(
        launch(&fake(broken)).await,
        Err(LaunchError::Spawn { .. })
    ));
    let none = tokio::task::spawn_blocking(|| until(GONE_WITHIN, || defunct_children().is_empty()));
    assert!(none.await.unwrap(), "{:?}", defunct_children());
}

fn defunct_children() -> Vec<u32> {
    let own = std::process::id().to_string();
    processes(|pid| {
        let defunct = stat_field(pid, 3)? == "Z" && stat_field(pid, 4)? == own;
        defunct.then_some(pid)
    })
}

// ---------------------------------------------------------------------------------------------
// Profiles

#[tokio::test]
async fn a_busy_profile_does_not_stop_work() {
    if !browser() {
        return;
    }
    let scratch = Scratch::new();
    let dir = scratch.0.join("profile");
    let (first, _one) = start(&persistent(&dir, true)).await.unwrap();
    assert!(!first.temporary);

    let (second, _two) = start(&persistent(&dir, true)).await.unwrap();
    assert!(second.temporary);
    let notice = second.notices.last().unwrap();
    assert!(
        notice.contains("in use") && notice.contains(dir.to_str().unwrap()),
        "{notice}"
    );
    let strict = launch(&persistent(&dir, false)).await.unwrap_err();
    assert!(matches!(
        &strict,
        LaunchError::Profile(ProfileError::Busy { .. })
    ));
    assert!(strict.is_profile_busy());

    // Killed, it leaves Chromium's lock behind; the next start takes it over and says so.
    first.process.kill();
    first.process.close(Duration::ZERO).await;
    assert!(dir.join("SingletonLock").symlink_metadata().is_ok());
    let (third, _three) = start(&persistent(&dir, false)).await.unwrap();
    assert!(!third.temporary);
    assert!(
        third
            .notices
            .iter()
            .any(|notice| notice.contains("lock was removed"))
    );
}

#[tokio::test]
async fn a_browser_that_somebody_else_started_keeps_its_profile() {
    if !browser() {
        return;
    }
    let scratch = Scratch::new();
    let found = find(&Wanted::default(), &ThisMachine).unwrap();
    let mut other = Command::new(found.path)
        .args(["--headless", "--no-sandbox", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", scratch.0.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lock = scratch.0.join("SingletonLock");
    assert!(until(START_LIMIT, || lock.symlink_metadata().is_ok()));
    let result = launch(&persistent(&scratch.0, false)).await;
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(result.unwrap_err().is_profile_busy());
}

// ---------------------------------------------------------------------------------------------
// Our own end

#[test]
fn killed_owner_leaves_nothing() {
    if !browser() {
        return;
    }
    for with in [Signal::KILL, Signal::TERM, Signal::INT] {
        let mut owner = Owner::start(this_program_as("role_owner"), 1);
        let (_, profile) = owner.browsers[0].clone();
        owner.end_by(with);
        assert_gone(&profile);
    }
}

#[test]
fn a_stuck_browser_goes_with_its_killed_owner() {
    if !browser() {
        return;
    }
    let mut owner = Owner::start(this_program_as("role_owner"), 1);
    let (pid, profile) = owner.browsers[0].clone();
    // It can no longer notice that its pipe has closed.
    signal(pid, Signal::STOP);
    // And the watchdog does not go with whoever signals everything in sight.
    let reaper = owner.reaper();
    for with in [Signal::INT, Signal::TERM, Signal::HUP] {
        signal(reaper, with);
    }
    owner.end_by(Signal::KILL);
    assert_gone(&profile);
    assert!(until(GONE_WITHIN, || stat_field(reaper, 3)
        .is_none_or(|state| state == "Z")));
}

#[test]
fn a_killed_watchdog_is_replaced() {
    if !browser() {
        return;
    }
    let mut command = this_program_as("role_owner");
    command.env("PLAYGUARD_TEST_PAUSE", "1");
    command.env("PLAYGUARD_TEST_BROWSERS", "2");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut next = || {
        let line = lines.find(|line| line.contains("READY ")).unwrap();
        line.rsplit_once(' ').unwrap().1.to_owned()
    };
    let first = next();
    let owner = Owner {
        child,
        browsers: Vec::new(),
    };
    signal(owner.reaper(), Signal::KILL);
    let second = next();
    let mut owner = owner;
    owner.end_by(Signal::KILL);
    assert_gone(&first);
    assert_gone(&second);
}

#[test]
fn nothing_of_ours_leaks_into_the_browser() {
    if !browser() {
        return;
    }
    let scratch = Scratch::new();
    let marker = scratch.0.join("inherited");
    std::fs::write(&marker, "").unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec 9<\"$MARKER\"; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(role_args("role_owner"))
        .env("MARKER", &marker)
        .env("LC_ALL", "C")
        .env("SOME_API_TOKEN", "secret-value");
    let mut owner = Owner::start(shell, 1);
    let (browser, profile) = owner.browsers[0].clone();
    let reaper = owner.reaper();
    let descriptors = |pid: u32| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        entries
            .flatten()
            .filter_map(|entry| std::fs::read_link(entry.path()).ok())
            .collect()
    };
    let environment = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    let input = std::fs::read_link(format!("/proc/{}/fd/0", owner.child.id())).unwrap();
    assert!(
        descriptors(owner.child.id()).contains(&marker),
        "the test itself works"
    );
    let family = processes(|pid| (stat_field(pid, 6)? == browser.to_string()).then_some(pid));
    assert!(family.len() > 2, "{family:?}");
    for pid in family.into_iter().chain([reaper]) {
        let open = descriptors(pid);
        assert!(
            !open.contains(&marker) && !open.contains(&input),
            "{pid}: {open:?}"
        );
        assert!(!environment(pid).contains("secret-value"));
    }
    let vars = environment(browser);
    assert!(
        vars.split('\0').any(|var| var == "LC_ALL=C.UTF-8"),
        "{vars}"
    );
    assert_eq!(
        stat_field(browser, 5),
        Some(browser.to_string()),
        "leads its group"
    );
    owner.end_by(Signal::KILL);
    assert_gone(&profile);
}

#[test]
fn a_killed_parent_is_noticed_though_input_stays_open() {
    let scratch = Scratch::new();
    let file = scratch.0.join("state");
    let state = || std::fs::read_to_string(&file).unwrap_or_default();
    let mut shell = Command::new("sh")
        .args(["-c", "\"$@\" & wait", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(role_args("role_child"))
        .env("PLAYGUARD_TEST_FILE", &file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let input = shell.stdin.take();
    assert!(
        until(START_LIMIT, || state() == "watching"),
        "{:?}",
        state()
    );
    signal(shell.id(), Signal::KILL);
    shell.wait().unwrap();
    assert!(
        until(Duration::from_secs(3), || state() == "gone"),
        "{:?}",
        state()
    );
    drop(input);
}
