//! Starting and ending: however the server ends, its browser ends with it, and
//! whatever happens to the browser, the next call works.
#![cfg(target_os = "linux")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use common::{Answer, Launch, Pages, Session, processes, reference, wait_for};
use serde_json::{Value, json};

/// How long a browser may outlive its server.
const SOON: Duration = Duration::from_secs(5);
/// The same, on machines that are busy with other tests.
const PATIENT: Duration = Duration::from_secs(10);

/// A server with a page open, and the pages.
fn open() -> (Session, Pages) {
    let pages = Pages::start();
    let session = Launch::new().start();
    session.open(&pages.put("/", Answer::page("T", "<button>Go</button>")));
    assert!(session.snapshot().contains("Go"));
    (session, pages)
}

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

#[test]
fn a_browser_killed_between_calls_is_replaced() {
    let (session, pages) = open();
    let first = session.browser();
    processes::signal(first.pid, "KILL");
    wait_for("the end of the browser", PATIENT, || {
        let browsers = processes::browsers(session.tag());
        browsers
            .iter()
            .all(|process| process.pid != first.pid || process.state == 'Z')
            .then_some(())
    });
    // A call in the same instant may still meet the dead browser.
    let reply = wait_for("a page in a new browser", common::PATIENCE, || {
        let reply = session.call("browser_navigate", json!({ "url": pages.url("/") }));
        (!reply.is_error && reply.snapshot().contains("Go")).then_some(reply)
    });
    if !reference() {
        let lost = format!(
            "This is a new one; these pages are not open any more: {}",
            pages.url("/")
        );
        reply.has(&lost);
        session
            .call("browser_snapshot", json!({}))
            .fine()
            .lacks("### Notice");
    }
    assert_ne!(session.browser().pid, first.pid);
    session.end();
}

#[test]
fn a_browser_killed_during_a_call_fails_the_call() {
    let (session, pages) = open();
    let call = session.begin("browser_wait_for", json!({ "text": "never to be seen" }));
    let navigation = session.begin(
        "browser_evaluate",
        json!({ "function": "() => new Promise(() => {})" }),
    );
    std::thread::sleep(Duration::from_millis(300));
    processes::signal(session.browser().pid, "KILL");
    for call in [call, navigation] {
        let reply = call.reply().failed().within(Duration::from_secs(20));
        reply.matches("(?i)closed|crash|disconnect|gone|ended|killed");
    }
    session.open(&pages.url("/"));
    session.end();
}

#[test]
fn a_closed_browser_leaves_nothing_and_starts_again() {
    let (session, pages) = open();
    for _ in 0..3 {
        session.call("browser_close", json!({})).fine();
        wait_for("the end of the browser", PATIENT, || {
            processes::browsers(session.tag()).is_empty().then_some(())
        });
        session.open(&pages.url("/"));
    }
    session.end();
}

#[test]
fn a_browser_that_cannot_be_started_says_why() {
    let launch = Launch::new().any_browser();
    let script = launch.workspace().join("no-browser");
    std::fs::write(
        &script,
        "#!/bin/sh\necho 'cannot open the moon' >&2\nexit 7\n",
    )
    .expect("a script");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let session = launch.arg("--executable-path").arg(&script).start();
    for _ in 0..3 {
        let reply = session
            .call("browser_navigate", json!({ "url": "about:blank" }))
            .failed()
            .within(Duration::from_secs(30));
        reply.has("cannot open the moon").has("7");
    }
    let defunct = processes::children(session.pid);
    assert!(
        defunct.iter().all(|process| process.state != 'Z'),
        "{defunct:?}"
    );
    session.end();
}

#[test]
fn a_missing_browser_is_named() {
    let session = Launch::new()
        .any_browser()
        .args(["--executable-path", "/no/such/browser"])
        .start();
    // Tools are listed before any browser is needed.
    let tools = session.request("tools/list", json!({})).expect("a list");
    assert_eq!(tools["tools"].as_array().map(Vec::len), Some(25));
    session
        .call("browser_navigate", json!({ "url": "about:blank" }))
        .failed()
        .has("/no/such/browser");
    session.end();
}

#[test]
fn twenty_restarts_leave_nothing() {
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("T", "x"));
    let count = if reference() { 3 } else { 20 };
    for _ in 0..count {
        let session = Launch::new().start();
        session.open(&url);
        session.end();
    }
}

#[test]
fn a_profile_is_kept_from_run_to_run() {
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("T", "x"));
    let folder = std::env::temp_dir().join(format!("pgt-profile-{}", std::process::id()));
    let start = || {
        let launch = Launch::new()
            .persistent()
            .arg("--user-data-dir")
            .arg(&folder);
        launch.start()
    };
    let session = start();
    session.open(&url);
    session.value("(localStorage.setItem('kept', 'yes'), 0)");
    if reference() {
        // Upstream's browser does not always write all when the server ends.
        session.call("browser_close", json!({})).fine();
    }
    session.end();
    let session = start();
    session.open(&url);
    assert_eq!(session.value("localStorage.getItem('kept')"), "yes");
    session.end();
    std::fs::remove_dir_all(&folder).expect("a profile");
}

#[test]
fn a_profile_in_use_does_not_stop_the_second_server() {
    if reference() {
        return eprintln!("skipped: upstream refuses the second server");
    }
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("T", "<p>works"));
    let folder = std::env::temp_dir().join(format!("pgt-busy-{}", std::process::id()));
    let start = || {
        let launch = Launch::new()
            .persistent()
            .arg("--user-data-dir")
            .arg(&folder);
        launch.start()
    };
    let (first, second) = (start(), start());
    first.open(&url);
    let reply = second
        .call("browser_navigate", json!({ "url": url }))
        .fine();
    assert!(reply.snapshot().contains("works"));
    let said = format!("{}{}", second.stderr(), reply.text);
    assert!(said.contains("in use"), "no word about it: {said}");
    // The first is none the worse for it.
    assert!(first.snapshot().contains("works"));
    second.end();
    first.end();
    std::fs::remove_dir_all(&folder).expect("a profile");
}

#[test]
fn a_profile_in_use_is_refused_with_stock() {
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("T", "x"));
    let folder = std::env::temp_dir().join(format!("pgt-stock-{}", std::process::id()));
    let start = || {
        let launch = Launch::new().stock().persistent();
        launch.arg("--user-data-dir").arg(&folder).start()
    };
    let (first, second) = (start(), start());
    first.open(&url);
    let reply = second
        .call("browser_navigate", json!({ "url": url }))
        .failed();
    assert_eq!(
        reply.text,
        format!(
            "### Error\nError: Browser is already in use for {}, use --isolated to run multiple instances of the same browser",
            folder.display()
        )
    );
    second.end();
    first.end();
    std::fs::remove_dir_all(&folder).expect("a profile");
}

#[test]
fn a_profile_of_a_killed_browser_is_used_again() {
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("T", "x"));
    let folder = std::env::temp_dir().join(format!("pgt-stale-{}", std::process::id()));
    let start = || {
        let launch = Launch::new()
            .persistent()
            .arg("--user-data-dir")
            .arg(&folder);
        launch.start()
    };
    let session = start();
    session.open(&url);
    for process in processes::tagged(session.tag()) {
        processes::signal(process.pid, "KILL");
    }
    session.exit(PATIENT);
    session.leaves_nothing(PATIENT);
    session.abandon();
    let session = start();
    session.open(&url);
    session.value("(localStorage.setItem('again', 'yes'), 0)");
    session.end();
    std::fs::remove_dir_all(&folder).expect("a profile");
}

#[test]
fn two_isolated_servers_share_nothing() {
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("T", "x"));
    let (first, second) = (Launch::new().start(), Launch::new().start());
    first.open(&url);
    second.open(&url);
    first.value("(document.cookie = 'a=1', 0)");
    assert_eq!(second.value("document.cookie"), "");
    second.end();
    assert_eq!(first.value("document.cookie"), "a=1");
    first.end();
}

#[test]
fn an_idle_browser_is_closed_and_starts_again() {
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("T", "<p>back"));
    let session = Launch::new().args(["--idle-timeout", "3000"]).start();
    session.open(&url);
    session.browser();
    wait_for("the browser to be closed", common::PATIENCE, || {
        processes::browsers(session.tag()).is_empty().then_some(())
    });
    session.open(&url);
    session.end();
}

// The protocol, as far as it belongs to the life of a session.

#[test]
fn strange_messages_do_no_harm() {
    let (session, pages) = open();
    session.notify("notifications/of/the/future", json!({ "x": [1, 2, 3] }));
    session.notify("notifications/cancelled", json!({ "requestId": 4711 }));
    session.notify("notifications/cancelled", json!({}));
    session.notify("notifications/roots/list_changed", json!({}));
    session.write(b"\n");
    session.write(b"this is no JSON\n");
    session.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"a string\",\"method\":\"ping\"}\n");
    session.write(b"{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}\n");
    assert_eq!(session.request("ping", json!({})).expect("ping"), json!({}));
    session.open(&pages.url("/"));
    // The answer to the string id came too.
    wait_for("the answer to the other ping", common::PATIENCE, || {
        session
            .notifications()
            .iter()
            .any(|message| message["id"] == "a string")
            .then_some(())
    });
    session.end();
}

#[test]
fn a_cancelled_call_does_not_hold_up_others() {
    let (session, pages) = open();
    let call = session.begin("browser_wait_for", json!({ "time": 20 }));
    call.cancel();
    session.open(&pages.url("/"));
    assert!(session.snapshot().contains("Go"));
    // Nobody asked for an answer any more: none, or an error, but no success.
    if let Some(answer) = call.try_answer(Duration::from_millis(500)) {
        assert!(answer.get("error").is_some(), "{answer}");
    }
    session.end();
}

#[test]
fn many_calls_at_once_all_get_their_answer() {
    let (session, _pages) = open();
    let calls: Vec<_> = (0..20)
        .map(|number| {
            let function =
                format!("() => new Promise(done => setTimeout(() => done({number}), 200))");
            session.begin("browser_evaluate", json!({ "function": function }))
        })
        .collect();
    for (number, call) in calls.into_iter().enumerate() {
        let reply = call.reply().fine();
        assert_eq!(reply.section("Result"), Some(number.to_string()));
    }
    session.end();
}

#[test]
fn the_first_calls_may_come_together() {
    let pages = Pages::start();
    let session = Launch::new().start();
    let url = pages.put("/", Answer::page("T", "x"));
    let calls: Vec<_> = (0..5)
        .map(|_| session.begin("browser_tabs", json!({ "action": "list" })))
        .collect();
    for call in calls {
        call.reply().fine().has("- 0: ");
    }
    session.open(&url);
    assert_eq!(processes::browsers(session.tag()).len(), 1);
    session.end();
}

#[test]
fn the_server_introduces_itself() {
    let session = Launch::new().start();
    let welcome = &session.welcome;
    assert_eq!(welcome["protocolVersion"], "2025-06-18", "{welcome}");
    assert_eq!(
        welcome["capabilities"]["tools"]["listChanged"], true,
        "{welcome}"
    );
    assert!(welcome["serverInfo"]["name"].is_string(), "{welcome}");
    session.end();
}

#[test]
fn tools_equal_upstreams() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tools.json");
    let text = std::fs::read_to_string(fixture).expect("the schemas");
    let known: Value = serde_json::from_str(&text).expect("JSON");
    let known = known
        .as_array()
        .or_else(|| known["tools"].as_array())
        .expect("a list");
    let session = Launch::new().stock().start();
    let list = session.request("tools/list", json!({})).expect("a list");
    let listed = list["tools"].as_array().expect("a list");
    assert_eq!(listed.len(), 25);
    for tool in listed {
        let name = &tool["name"];
        let upstream = known
            .iter()
            .find(|known| known["name"] == *name)
            .expect("a known tool");
        assert_eq!(tool["annotations"], upstream["annotations"], "{name}");
        assert_eq!(
            without_prose(&tool["inputSchema"]),
            without_prose(&upstream["inputSchema"]),
            "{name}"
        );
        assert!(
            tool["description"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{name}"
        );
    }
    session.end();
}

/// A schema without its descriptions, which are each project's own.
fn without_prose(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, value)| *key != "description" || !value.is_string())
            .map(|(key, value)| (key.clone(), without_prose(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_prose).collect(),
        other => other.clone(),
    }
}

#[test]
fn any_browser_is_found_without_being_named() {
    if reference() {
        return eprintln!("skipped: upstream wants Chrome");
    }
    let session = Launch::new().any_browser().start();
    session
        .call("browser_navigate", json!({ "url": "about:blank" }))
        .fine();
    session.end();
}
