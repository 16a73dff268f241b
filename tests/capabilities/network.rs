//! Mocked answers, changed headers, being offline.

use serde_json::{Value, json};

use crate::common::{Answer, Launch, Stage, reference};
use crate::steps;

#[test]
fn network() {
    let stage = Stage::new(Launch::new().arg("--caps=network"));
    steps!(&stage;
        answers_are_mocked,
        later_routes_win_and_go_one_by_one,
        headers_are_added_and_removed,
        popups_and_later_tabs_have_the_routes_too,
        mistakes_in_routes,
        offline_and_back,
    );
}

/// What a fetch of the page gives: status, content type and body.
#[track_caller]
fn fetched(stage: &Stage, path: &str) -> Value {
    stage.value(&format!(
        "fetch('{path}').then(async (r) => [r.status, r.headers.get('content-type'), await r.text()], () => 'failed')"
    ))
}

fn answers_are_mocked(stage: &Stage) {
    stage.pages.put("/api/real", Answer::text("real"));
    stage.show("<p>Page</p>");
    stage
        .call("browser_route_list", json!({}))
        .fine()
        .has("No active routes");
    let arguments = json!({
        "pattern": "**/api/*", "status": 201, "body": "{\"mocked\":\"ü\"}", "contentType": "application/json"
    });
    stage
        .call("browser_route", arguments)
        .fine()
        .has("Route added for pattern: **/api/*")
        .has("await page.context().route('**/api/*', async route => { /* route handler */ });");
    assert_eq!(
        fetched(stage, "/api/real"),
        json!([201, "application/json", "{\"mocked\":\"ü\"}"])
    );
    stage
        .call("browser_route_list", json!({}))
        .fine()
        .has("1. **/api/* (status=201, body={\"mocked\":\"ü\"}, contentType=application/json)");
    let pattern = json!({ "pattern": "**/api/*" });
    stage
        .call("browser_unroute", pattern)
        .fine()
        .has("Removed 1 route(s) for pattern: **/api/*")
        .lacks("### Ran Playwright code");
    assert_eq!(
        fetched(stage, "/api/real"),
        json!([200, "text/plain; charset=utf-8", "real"])
    );
}

fn later_routes_win_and_go_one_by_one(stage: &Stage) {
    stage.show("<p>Page</p>");
    for (pattern, body) in [("**/x", "first"), ("**/{x,y}", "second")] {
        let arguments = json!({ "pattern": pattern, "body": body });
        stage.call("browser_route", arguments).fine();
    }
    assert_eq!(fetched(stage, "/x")[2], "second");
    let pattern = json!({ "pattern": "**/{x,y}" });
    stage.call("browser_unroute", pattern).fine();
    assert_eq!(fetched(stage, "/x")[2], "first");
    stage
        .call("browser_unroute", json!({}))
        .fine()
        .has("Removed all 1 route(s)");
}

fn headers_are_added_and_removed(stage: &Stage) {
    stage.pages.put("/headers", Answer::text("ok"));
    stage.show("<p>Page</p>");
    let arguments = json!({
        "pattern": "**/headers", "headers": ["X-Extra: one: two"], "removeHeaders": "X-Own, X-Absent"
    });
    stage.call("browser_route", arguments).fine();
    stage
        .call("browser_route_list", json!({}))
        .fine()
        .has("addHeaders={\"X-Extra\":\"one: two\"}, removeHeaders=X-Own,X-Absent");
    stage.value(
        "fetch('/headers', { headers: { 'X-Own': '1', 'X-Kept': '2' } }).then((r) => r.text())",
    );
    let requests = stage.pages.requests("/headers");
    let headers = &requests.last().expect("a request").headers;
    assert_eq!(headers.get("x-extra").map(String::as_str), Some("one: two"));
    assert_eq!(headers.get("x-kept").map(String::as_str), Some("2"));
    assert_eq!(headers.get("x-own"), None);
    stage.call("browser_unroute", json!({})).fine();
}

fn popups_and_later_tabs_have_the_routes_too(stage: &Stage) {
    let url = stage.pages.url("/mocked");
    let arguments = json!({ "pattern": "**/mocked", "body": "<title>Mock</title>Mocked", "contentType": "text/html" });
    stage.call("browser_route", arguments).fine();
    stage
        .call("browser_tabs", json!({ "action": "new", "url": url }))
        .fine()
        .has("Mock");
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine();
    stage.show("<a href=/mocked target=_blank>Open</a>");
    stage.click("Open").fine();
    crate::common::wait_for("the mocked popup", crate::common::PATIENCE, || {
        let tabs = stage.call("browser_tabs", json!({ "action": "list" }));
        tabs.plain.contains("[Mock]").then_some(())
    });
    stage
        .call("browser_tabs", json!({ "action": "close", "index": 1 }))
        .fine();
    assert!(stage.pages.requests("/mocked").is_empty());
    stage.call("browser_unroute", json!({})).fine();
}

fn mistakes_in_routes(stage: &Stage) {
    for header in ["nothing", ": value"] {
        let arguments = json!({ "pattern": "**", "headers": [header] });
        stage
            .call("browser_route", arguments)
            .failed()
            .has(&format!(
                "Invalid header \"{header}\": expected \"Name: Value\""
            ));
    }
    if !reference() {
        let arguments = json!({ "pattern": "**", "status": 7 });
        stage
            .call("browser_route", arguments)
            .failed()
            .has("Invalid status 7: expected 100 to 599");
        let arguments = json!({ "pattern": "**/{a", "status": 200 });
        stage
            .call("browser_route", arguments)
            .failed()
            .has("Invalid URL pattern \"**/{a\": a brace is not closed");
    }
    stage
        .call("browser_route_list", json!({}))
        .fine()
        .has("No active routes");
}

fn offline_and_back(stage: &Stage) {
    stage.pages.put("/there", Answer::text("there"));
    stage.show("<p>Page</p>");
    stage
        .call("browser_network_state_set", json!({ "state": "offline" }))
        .fine()
        .has("Network is now offline")
        .has("await page.context().setOffline(true);");
    assert_eq!(fetched(stage, "/there"), json!("failed"));
    assert_eq!(stage.value("navigator.onLine"), json!(false));
    stage
        .call("browser_network_state_set", json!({ "state": "online" }))
        .fine()
        .has("Network is now online");
    assert_eq!(fetched(stage, "/there")[2], "there");
}
