//! What an action that cannot be done says when its time is up.

use std::time::Duration;

use serde_json::json;

use crate::common::{Launch, Reply, Stage, dedent};
use crate::steps;

#[test]
fn timeouts() {
    let launch = Launch::new().stock().args(["--timeout-action", "1500"]);
    let stage = Stage::new(launch);
    steps!(&stage;
        a_covered_button_names_its_cover,
        a_disabled_button,
        an_invisible_button,
        a_moving_button,
        a_button_outside_of_the_viewport,
        a_read_only_field,
        an_option_that_does_not_exist,
        an_option_that_is_disabled,
        a_text_that_does_not_come,
        a_text_that_does_not_go,
    );
}

/// The lines after their bars.
fn unbarred(lines: &str) -> String {
    let lines = dedent(lines);
    let lines: Vec<&str> = lines
        .lines()
        .filter_map(|line| line.strip_prefix('|'))
        .collect();
    lines.join("\n")
}

/// Fails unless the reply is a timeout whose log starts with these lines, which
/// have a bar before their indentation. How many tries follow depends on the
/// machine.
#[track_caller]
fn log_starts(reply: Reply, lines: &str) {
    let start = format!(
        "### Error\nTimeoutError: browserBackend.callTool: Timeout 1500ms exceeded.\nCall log:\n{}\n",
        unbarred(lines)
    );
    let reply = reply.failed().within(Duration::from_secs(10));
    assert!(
        reply.plain.starts_with(&start) && reply.plain.ends_with('\n'),
        "{}",
        crate::common::reply::difference(&start, &reply.plain)
    );
}

fn a_covered_button_names_its_cover(stage: &Stage) {
    stage.show(
        "<button id=covered>Covered</button>
         <div id=cover style='position:fixed;inset:0;background:#eee'></div>",
    );
    log_starts(
        stage.call("browser_click", json!({ "target": "#covered" })),
        "
        |  - waiting for locator('#covered')
        |    - locator resolved to <button id=\"covered\">Covered</button>
        |  - attempting click action
        |    2 × waiting for element to be visible, enabled and stable
        |      - element is visible, enabled and stable
        |      - scrolling into view if needed
        |      - done scrolling
        |      - <div id=\"cover\"></div> intercepts pointer events
        |    - retrying click action
        |    - waiting 20ms
        ",
    );
}

fn a_disabled_button(stage: &Stage) {
    stage.show("<button id=b disabled>No</button>");
    log_starts(
        stage.call("browser_click", json!({ "target": "#b" })),
        "
        |  - waiting for locator('#b')
        |    - locator resolved to <button id=\"b\" disabled>No</button>
        |  - attempting click action
        |    2 × waiting for element to be visible, enabled and stable
        |      - element is not enabled
        |    - retrying click action
        |    - waiting 20ms
        ",
    );
}

fn an_invisible_button(stage: &Stage) {
    stage.show("<button id=b style='visibility:hidden'>No</button>");
    log_starts(
        stage.call("browser_click", json!({ "target": "#b" })),
        "
        |  - waiting for locator('#b')
        |    - locator resolved to <button id=\"b\">No</button>
        |  - attempting click action
        |    2 × waiting for element to be visible, enabled and stable
        |      - element is not visible
        |    - retrying click action
        |    - waiting 20ms
        ",
    );
}

fn a_moving_button(stage: &Stage) {
    stage.show(
        "<style>@keyframes k { to { margin-left: 500px } }
         #b { animation: k .5s linear infinite alternate }</style><button id=b>Run</button>",
    );
    stage
        .call("browser_click", json!({ "target": "#b" }))
        .failed()
        .has("TimeoutError: browserBackend.callTool: Timeout 1500ms exceeded.\n")
        .has("      - element is not stable\n");
}

fn a_button_outside_of_the_viewport(stage: &Stage) {
    stage.show("<button id=b style='position:fixed;left:-500px;top:0'>Out</button>");
    stage
        .call("browser_click", json!({ "target": "#b" }))
        .failed()
        .has("TimeoutError: browserBackend.callTool: Timeout 1500ms exceeded.\n")
        .has("      - element is outside of the viewport\n");
}

fn a_read_only_field(stage: &Stage) {
    stage.show("<input id=i readonly value=v>");
    log_starts(
        stage.call("browser_type", json!({ "target": "#i", "text": "x" })),
        "
        |  - waiting for locator('#i')
        |    - locator resolved to <input id=\"i\" readonly value=\"v\"/>
        |    - fill(\"x\")
        |  - attempting fill action
        |    2 × waiting for element to be visible, enabled and editable
        |      - element is not editable
        |    - retrying fill action
        |    - waiting 20ms
        ",
    );
}

fn an_option_that_does_not_exist(stage: &Stage) {
    stage.show("<select id=s><option value=a>Alpha<option value=b>Beta</select>");
    log_starts(
        stage.call(
            "browser_select_option",
            json!({ "target": "#s", "values": ["zzz"] }),
        ),
        "
        |  - waiting for locator('#s')
        |    - locator resolved to <select id=\"s\">…</select>
        |  - attempting select option action
        |    2 × waiting for element to be visible and enabled
        |      - did not find some options
        |    - retrying select option action
        |    - waiting 20ms
        ",
    );
    assert_eq!(stage.value("document.querySelector('select').value"), "a");
}

fn an_option_that_is_disabled(stage: &Stage) {
    stage.show("<select id=s><option value=a>Alpha<option value=b disabled>Beta</select>");
    stage
        .call(
            "browser_select_option",
            json!({ "target": "#s", "values": ["b"] }),
        )
        .failed()
        .has("Timeout 1500ms exceeded.")
        .has("option being selected is not enabled\n");
}

fn a_text_that_does_not_come(stage: &Stage) {
    stage.show("here");
    stage
        .call("browser_wait_for", json!({ "text": "never" }))
        .failed()
        .says(
            "
        ### Error
        TimeoutError: Timeout 1500ms exceeded.
        Call log:
          - waiting for getByText('never').first() to be visible

        ",
        );
}

fn a_text_that_does_not_go(stage: &Stage) {
    stage.show("<p>here</p>");
    stage
        .call("browser_wait_for", json!({ "textGone": "here" }))
        .failed()
        .has("### Error\nTimeoutError: Timeout 1500ms exceeded.\nCall log:\n")
        .has("  - waiting for getByText('here').first() to be hidden\n")
        .has("locator resolved to visible <p>here</p>\n");
}
