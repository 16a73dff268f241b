//! Profiles that stay, are in use, or were left locked.

use super::PATIENT;
use super::common::{Answer, Launch, Pages, processes, reference};
use serde_json::json;

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
