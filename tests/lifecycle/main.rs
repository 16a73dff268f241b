//! Starting and ending: however the server ends, its browser ends with it, and
//! whatever happens to the browser, the next call works.
#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;

mod ending;
mod mishaps;
mod profiles;

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use common::{Answer, Launch, Pages, Session, processes, reference, wait_for};
use serde_json::{Value, json};

/// How long an end may take on a machine that is busy with other tests.
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
