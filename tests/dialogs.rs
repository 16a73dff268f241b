//! Dialogs: they hold up the page, never the server, and their answers reach
//! the page.

mod common;

use std::time::Duration;

use common::{Answer, Launch, Stage};
use serde_json::json;

/// More than enough to see a dialog, less than any time-out.
const SOON: Duration = Duration::from_secs(15);

#[test]
fn dialogs() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        an_alert_during_load_ends_the_navigation,
        answers_reach_the_page,
        a_prompt_gets_what_was_typed_and_nothing_else,
        messages_are_told_as_they_are,
        many_dialogs_in_a_row,
        a_dialog_that_comes_later_blocks_the_next_call,
        a_dialog_ends_a_running_evaluation,
        tools_that_need_no_page_work_meanwhile,
        a_dialog_of_a_foreign_frame,
        a_dialog_in_another_tab_does_not_block_this_one,
        a_leave_guard_is_asked_and_obeyed,
        closing_the_browser_with_a_dialog_open,
    );
}

fn answer(stage: &Stage, accept: bool) {
    stage
        .call("browser_handle_dialog", json!({ "accept": accept }))
        .fine();
}

fn an_alert_during_load_ends_the_navigation(stage: &Stage) {
    let page = Answer::page("T", "<script>alert('early')</script><p>after</p>");
    let url = stage.pages.put("/early", page);
    stage
        .call("browser_navigate", json!({ "url": url }))
        .fine()
        .within(SOON)
        .has(
            "- [\"alert\" dialog with message \"early\"]: can be handled by browser_handle_dialog",
        );
    let refused = stage.call("browser_snapshot", json!({})).failed();
    refused.within(SOON).has("browser_snapshot").has("early");
    answer(stage, true);
    assert!(stage.snapshot().contains("after"));
}

fn answers_reach_the_page(stage: &Stage) {
    stage.show(
        "<button onclick=\"o.textContent = confirm('Sure?')\">Confirm</button>
         <button onclick=\"o.textContent = prompt('Name?', 'Ann')\">Prompt</button><output id=o></output>",
    );
    for (button, arguments, value) in [
        ("Confirm", json!({ "accept": true }), "true"),
        ("Confirm", json!({ "accept": false }), "false"),
        (
            "Prompt",
            json!({ "accept": true, "promptText": "Zoë \"Z\"" }),
            "Zoë \"Z\"",
        ),
        ("Prompt", json!({ "accept": true, "promptText": "" }), ""),
        // A prompt that is dismissed gives null, shown as no text.
        ("Prompt", json!({ "accept": false }), ""),
    ] {
        stage.value("o.textContent = 'waiting'");
        stage.click(button).fine();
        stage
            .call("browser_handle_dialog", arguments.clone())
            .fine();
        assert_eq!(stage.value("o.textContent"), value, "{button} {arguments}");
    }
}

fn a_prompt_gets_what_was_typed_and_nothing_else(stage: &Stage) {
    stage.show("<button onclick=\"o.textContent = '[' + prompt('Name?', 'Ann') + ']'\">Prompt</button><output id=o></output>");
    stage.click("Prompt").fine();
    answer(stage, true);
    assert_eq!(stage.value("o.textContent"), "[]");
    stage.click("Prompt").fine();
    stage
        .call(
            "browser_handle_dialog",
            json!({ "accept": false, "promptText": "Zed" }),
        )
        .fine();
    assert_eq!(stage.value("o.textContent"), "[null]");
}

fn messages_are_told_as_they_are(stage: &Stage) {
    stage.show("<button onclick=\"alert('a &quot;quoted&quot; 👩‍👧 \\n second line')\">Go</button>");
    stage.click("Go").fine().has("a \"quoted\" 👩‍👧");
    answer(stage, true);
}

fn many_dialogs_in_a_row(stage: &Stage) {
    stage.show("<button onclick=\"for (let i = 0; i < 8; i++) alert('number ' + i); document.title = 'done'\">Go</button>");
    stage.click("Go").fine().has("number 0");
    for number in 1..8 {
        let reply = stage
            .call("browser_handle_dialog", json!({ "accept": true }))
            .fine();
        reply.has(&format!("number {number}"));
    }
    answer(stage, true);
    assert_eq!(stage.value("document.title"), "done");
}

fn a_dialog_that_comes_later_blocks_the_next_call(stage: &Stage) {
    stage.show("<button onclick=\"setTimeout(() => alert('late'), 1500)\">Go</button>");
    stage.click("Go").fine();
    // It opens while this waits, or had opened before on a slow machine.
    let waited = stage.call("browser_wait_for", json!({ "time": 3 }));
    waited.within(SOON).has("late");
    stage
        .call("browser_snapshot", json!({}))
        .failed()
        .has("late");
    answer(stage, true);
    stage.snapshot();
}

fn a_dialog_ends_a_running_evaluation(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => { alert('inside'); return 4 }" }),
        )
        .within(SOON)
        .has("- [\"alert\" dialog with message \"inside\"]");
    answer(stage, true);
    assert_eq!(stage.value("1 + 1"), 2);
}

fn tools_that_need_no_page_work_meanwhile(stage: &Stage) {
    stage.show("<button onclick=\"alert('open')\">Go</button>");
    stage.click("Go").fine();
    stage
        .call("browser_tabs", json!({ "action": "list" }))
        .fine()
        .within(SOON)
        .has("0: (current)");
    stage
        .call("browser_wait_for", json!({ "time": 0.1 }))
        .fine()
        .within(SOON);
    let refused = stage.call("browser_take_screenshot", json!({})).failed();
    refused.within(SOON).has("does not handle the modal state");
    answer(stage, true);
}

fn a_dialog_of_a_foreign_frame(stage: &Stage) {
    let page = Answer::page(
        "F",
        "<button onclick=\"alert('from the frame')\">Inside</button>",
    );
    stage.pages.put("/frame", page);
    let source = format!("{}/frame", stage.pages.other_origin());
    stage.show(&format!("<iframe src='{source}'></iframe>"));
    let button = common::wait_for("the frame", common::PATIENCE, || {
        let snapshot = stage.snapshot();
        snapshot
            .contains("Inside")
            .then(|| common::ref_of(&snapshot, "Inside"))
    });
    stage
        .call("browser_click", json!({ "target": button }))
        .fine()
        .within(SOON)
        .has("from the frame");
    answer(stage, true);
    assert!(stage.snapshot().contains("Inside"));
}

fn a_dialog_in_another_tab_does_not_block_this_one(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("<button onclick=\"setTimeout(() => alert('behind'), 1500)\">Go</button>");
    stage.click("Go").fine();
    let url = stage
        .pages
        .put("/second", Answer::page("Second", "<p>free</p>"));
    stage
        .call("browser_tabs", json!({ "action": "new", "url": url }))
        .fine();
    stage.call("browser_wait_for", json!({ "time": 2 })).fine();
    assert!(stage.snapshot().contains("free"));
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 0 }))
        .within(SOON);
    stage
        .call("browser_snapshot", json!({}))
        .failed()
        .has("behind");
    answer(stage, true);
    assert!(stage.snapshot().contains("Go"));
}

fn a_leave_guard_is_asked_and_obeyed(stage: &Stage) {
    stage.show(
        "<button onclick=\"onbeforeunload = event => event.preventDefault()\">Guard</button>",
    );
    stage.click("Guard").fine();
    let leave = || stage.call("browser_navigate", json!({ "url": "about:blank" }));
    leave().within(SOON).has("beforeunload");
    answer(stage, false);
    stage
        .call("browser_tabs", json!({ "action": "list" }))
        .fine()
        .has("http://HOST/");
    leave().within(SOON).has("beforeunload");
    answer(stage, true);
    common::wait_for("the blank page", common::PATIENCE, || {
        let list = stage
            .call("browser_tabs", json!({ "action": "list" }))
            .fine();
        list.text.contains("about:blank").then_some(())
    });
}

fn closing_the_browser_with_a_dialog_open(stage: &Stage) {
    stage.show("<button onclick=\"alert('stay')\">Go</button>");
    stage.click("Go").fine();
    stage.call("browser_close", json!({})).fine().within(SOON);
    stage.show("<p>new life</p>");
    assert!(stage.snapshot().contains("new life"));
}
