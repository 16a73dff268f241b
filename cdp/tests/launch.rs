//! The launcher with a real browser: that it starts and answers, that failures say why, and above
//! all that nothing stays behind.
#![cfg(target_os = "linux")]

#[path = "launch/support.rs"]
mod support;

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use playguard_cdp::launch::find::{Wanted, find};
use playguard_cdp::launch::machine::ThisMachine;
use playguard_cdp::launch::{
    LaunchError, LaunchOptions, Link, ProfileError, Transport, launch, parent_gone, reaper_main,
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use support::*;

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
    connection.call("Browser.close", json!({})).await.unwrap();
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
    let notice = second.profile_notices.last().unwrap();
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
            .profile_notices
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
        .process_group(0)
        .args(["--headless", "--no-sandbox", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", scratch.0.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lock = scratch.0.join("SingletonLock");
    assert!(until(START_LIMIT, || lock.symlink_metadata().is_ok()));
    let result = launch(&persistent(&scratch.0, false)).await;
    let group = Pid::from_raw(other.id() as i32).unwrap();
    kill_process_group(group, Signal::KILL).unwrap();
    other.wait().unwrap();
    assert!(result.unwrap_err().is_profile_busy());
}

#[tokio::test]
async fn a_login_made_just_before_the_end_is_there_again() {
    if !browser() {
        return;
    }
    let scratch = Scratch::new();
    let options = persistent(&scratch.0, false);
    for round in 0..3 {
        let name = format!("login{round}");
        let (launched, mut connection) = start(&options).await.unwrap();
        let expires = 4_000_000_000_u64;
        let cookie = json!({
            "name": name, "value": "yes", "domain": "site.test", "path": "/", "expires": expires
        });
        let cookies = json!({"cookies": [cookie]});
        connection
            .call("Storage.setCookies", cookies)
            .await
            .unwrap();
        connection.call("Browser.close", json!({})).await.unwrap();
        assert_eq!(
            launched.process.close(Duration::from_secs(10)).await.code,
            Some(0)
        );

        let (launched, mut connection) = start(&options).await.unwrap();
        let cookies = connection
            .call("Storage.getCookies", json!({}))
            .await
            .unwrap();
        assert!(
            cookies.to_string().contains(&name),
            "round {round}: {cookies}"
        );
        connection.call("Browser.close", json!({})).await.unwrap();
        launched.process.close(Duration::from_secs(10)).await;
    }
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
