//! However the server ends, all of it ends, soon, and leaves nothing.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use serde_json::json;

use super::common::{self, Answer, Launch, Pages, Session, processes, reference, wait_for};
use super::{PATIENT, open};

/// How long a browser may outlive its server.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn closing_standard_input_ends_all() {
    let (session, _pages) = open();
    session.end();
}

#[test]
fn closing_standard_input_before_any_call_ends_at_once() {
    let session = Launch::new().start();
    let start = Instant::now();
    session.end();
    assert!(start.elapsed() < PATIENT);
}

#[test]
fn closing_standard_input_in_the_middle_of_a_call_ends_all() {
    let (session, pages) = open();
    let url = pages.put("/never", Answer::silence());
    let call = session.begin("browser_navigate", json!({ "url": url }));
    wait_for("the request", common::PATIENCE, || {
        (!pages.requests("/never").is_empty()).then_some(())
    });
    session.close_stdin();
    session.exit(PATIENT);
    session.leaves_nothing(SOON);
    drop(call);
    session.abandon();
}

#[test]
fn signals_end_all() {
    for name in ["TERM", "INT", "HUP"] {
        if name == "HUP" && reference() {
            continue;
        }
        let (session, _pages) = open();
        session.signal(name);
        session.exit(PATIENT);
        session.leaves_nothing(SOON);
        session.abandon();
    }
}

#[test]
fn killing_the_server_ends_the_browser() {
    if reference() {
        return eprintln!("skipped: upstream leaves its browser");
    }
    let (session, _pages) = open();
    session.signal("KILL");
    assert_eq!(session.exit(PATIENT).signal(), Some(9));
    session.leaves_nothing(SOON);
    session.abandon();
}

#[test]
fn killing_the_shell_around_the_server_ends_all() {
    let pages = Pages::start();
    let session = Launch::new().start_under_a_shell();
    session.open(&pages.put("/", Answer::page("T", "x")));
    assert!(
        !processes::children(session.pid).is_empty(),
        "no shell around the server"
    );
    session.signal("KILL");
    session.exit(PATIENT);
    // Standard input stays open, as with wrappers that hold it: what counts is
    // that the parent is gone.
    if reference() {
        session.close_stdin();
    }
    session.leaves_nothing(PATIENT);
    session.abandon();
}

/// How long an end may take, whatever hangs: five seconds on an idle machine, and tests share theirs.
const WHATEVER_HANGS: Duration = Duration::from_secs(6);

/// Closes standard input or sends a signal, and checks that all ends soon and nothing stays.
#[track_caller]
fn end_by(signal: Option<&str>, session: Session) {
    let start = Instant::now();
    match signal {
        Some(name) => session.signal(name),
        None => session.close_stdin(),
    }
    session.exit(WHATEVER_HANGS);
    session.leaves_nothing(WHATEVER_HANGS.saturating_sub(start.elapsed()));
    leaves_no_file(&session);
    session.abandon();
}

/// Waits until the folder for temporary files is empty.
#[track_caller]
fn leaves_no_file(session: &Session) {
    let start = Instant::now();
    loop {
        let left: Vec<_> = std::fs::read_dir(session.temporary())
            .expect("the test's own folder")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        if left.is_empty() {
            return;
        }
        assert!(start.elapsed() < PATIENT, "left: {left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_frozen_browser_does_not_hold_up_the_end() {
    if reference() {
        return eprintln!("skipped: upstream takes longer");
    }
    for signal in [None, Some("TERM")] {
        let (session, _pages) = open();
        for process in processes::tagged(session.tag()) {
            if process.command.contains("--user-data-dir") || process.command.contains("--type=") {
                processes::signal(process.pid, "STOP");
            }
        }
        end_by(signal, session);
    }
}

#[test]
fn calls_under_way_do_not_hold_up_the_end() {
    if reference() {
        return eprintln!("skipped: upstream takes longer");
    }
    let forever = json!({ "function": "() => { for (;;); }" });
    let unanswered = json!({ "function": "() => new Promise(() => {})" });
    for signal in [None, Some("TERM")] {
        for (tool, arguments) in [
            ("browser_evaluate", &forever),
            ("browser_evaluate", &unanswered),
            ("browser_wait_for", &json!({ "time": 25 })),
        ] {
            let (session, _pages) = open();
            let call = session.begin(tool, arguments.clone());
            std::thread::sleep(Duration::from_millis(500));
            drop(call);
            end_by(signal, session);
        }
    }
}

#[test]
fn calls_that_end_in_time_are_answered_after_the_input_closed() {
    if reference() {
        return eprintln!("skipped: upstream drops them");
    }
    let (session, _pages) = open();
    let function = "() => new Promise(done => setTimeout(() => done('in time'), 300))";
    let quick = session.begin("browser_evaluate", json!({ "function": function }));
    let slow = session.begin("browser_wait_for", json!({ "time": 25 }));
    session.close_stdin();
    assert_eq!(
        quick.reply().fine().section("Result").as_deref(),
        Some("\"in time\"")
    );
    assert_eq!(slow.try_answer(WHATEVER_HANGS), None);
    session.exit(WHATEVER_HANGS);
    session.leaves_nothing(SOON);
    session.abandon();
}

#[test]
fn a_killed_browser_leaves_no_temporary_files() {
    if reference() {
        return eprintln!("skipped: upstream's browser does");
    }
    for lasting in [false, true] {
        let launch = Launch::new();
        let folder = launch.workspace().join("profile");
        let start = |launch: Launch| match lasting {
            true => launch
                .persistent()
                .arg("--user-data-dir")
                .arg(&folder)
                .start(),
            false => launch.start(),
        };
        let session = start(launch);
        let (pages, url) = {
            let pages = Pages::start();
            let url = pages.put("/", Answer::page("T", "x"));
            (pages, url)
        };
        session.open(&url);
        // One folder of ours, and nothing of the browser's beside it.
        let names = || -> Vec<String> {
            std::fs::read_dir(session.temporary())
                .expect("the test's own folder")
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect()
        };
        let ours = if lasting {
            "playguard-tmp-"
        } else {
            "playguard-profile-"
        };
        let before = names();
        assert!(
            before.len() == 1 && before[0].starts_with(ours),
            "{before:?}"
        );
        processes::signal(session.browser().pid, "KILL");
        wait_for("a page in a new browser", common::PATIENCE, || {
            let reply = session.call("browser_navigate", json!({ "url": url }));
            (!reply.is_error).then_some(())
        });
        let after = names();
        assert!(after.len() == 1 && after != before, "{before:?} {after:?}");
        end_by(None, session);
        drop(pages);
    }
}

#[test]
fn killing_a_server_with_a_lasting_profile_leaves_only_that() {
    if reference() {
        return eprintln!("skipped: upstream leaves its browser");
    }
    let pages = Pages::start();
    let launch = Launch::new();
    let folder = launch.workspace().join("profile");
    let launch = launch.persistent().arg("--user-data-dir").arg(&folder);
    let session = launch.start();
    session.open(&pages.put("/", Answer::page("T", "x")));
    session.signal("KILL");
    session.exit(PATIENT);
    session.leaves_nothing(PATIENT);
    leaves_no_file(&session);
    assert!(folder.join("Default").is_dir());
    session.abandon();
}
