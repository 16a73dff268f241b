//! What goes wrong is told so that one knows what to do next.

use std::time::Duration;

use serde_json::json;

use super::common::{Answer, Launch, PATIENCE, Pages, processes, reference, wait_for};
use super::open;

#[test]
fn what_is_no_program_is_named() {
    if reference() {
        return eprintln!("skipped: upstream says that it doesn't exist");
    }
    let launch = Launch::new();
    let file = launch.workspace().join("notes.txt");
    std::fs::write(&file, "no program").expect("a file");
    let folder = launch.workspace().to_path_buf();
    for (path, what) in [(folder, "is a folder"), (file, "is not executable")] {
        let session = Launch::new()
            .any_browser()
            .arg("--executable-path")
            .arg(&path)
            .start();
        session
            .call("browser_navigate", json!({ "url": "about:blank" }))
            .failed()
            .has(&format!("{} {what}. ", path.display()))
            .has("--executable-path");
        session.end();
    }
}

#[test]
fn a_page_that_crashes_under_a_snapshot_is_told_in_plain_words() {
    if reference() {
        return eprintln!("skipped: words of our own");
    }
    let (session, pages) = open();
    let renderers: Vec<_> = processes::tagged(session.tag())
        .into_iter()
        .filter(|process| process.command.contains("--type=renderer"))
        .collect();
    for process in &renderers {
        processes::signal(process.pid, "STOP");
    }
    let call = session.begin("browser_snapshot", json!({}));
    std::thread::sleep(Duration::from_millis(500));
    for process in &renderers {
        processes::signal(process.pid, "KILL");
    }
    call.reply()
        .failed()
        .has("Target crashed: the page's process died")
        .has("Navigate again")
        .lacks("Unexpected answer");
    session.open(&pages.url("/"));
    assert!(session.snapshot().contains("Go"));
    session.end();
}

#[test]
fn a_navigation_that_gives_way_names_the_other_one() {
    let (session, pages) = open();
    let slow = pages.put("/never", Answer::silence());
    let quick = pages.put("/quick", Answer::page("Quick", "here"));
    let data = "data:text/html,<title>Data</title>";
    for other in [quick.as_str(), data] {
        let before = pages.requests("/never").len();
        let call = session.begin("browser_navigate", json!({ "url": slow }));
        wait_for("the request", PATIENCE, || {
            (pages.requests("/never").len() > before).then_some(())
        });
        session.open(other);
        call.reply().failed().has(&format!(
            "Navigation to \"{slow}\" is interrupted by another navigation to \"{other}\""
        ));
    }
    // Nothing but the server's own answer ends this one.
    let nothing = pages.put("/nothing", Answer::text("").status(204, "No Content"));
    session
        .call("browser_navigate", json!({ "url": nothing }))
        .failed()
        .has("net::ERR_ABORTED");
    session.end();
}

#[test]
fn a_page_that_reloads_all_the_time_has_a_picture() {
    if reference() {
        return eprintln!("skipped: upstream does not always wait");
    }
    let pages = Pages::start();
    let page = "<script>setTimeout(() => location.reload(), 100)</script><p>Again</p>";
    let session = Launch::new().start();
    session.open(&pages.put("/", Answer::page("R", page)));
    for _ in 0..5 {
        session.call("browser_take_screenshot", json!({})).fine();
    }
    session.end();
}
