//! `browser_tabs` and pages that open pages.

use serde_json::json;

use crate::common::{Answer, Launch, Stage};
use crate::steps;

#[test]
fn tabs() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        a_fresh_session_lists_a_blank_tab,
        a_popup_does_not_become_current,
        a_new_tab_with_an_address,
        list_select_new_and_close_print_only_the_list,
        tabs_that_do_not_exist,
        closing_the_last_tab_leaves_none,
    );
}

fn a_fresh_session_lists_a_blank_tab(stage: &Stage) {
    stage
        .call("browser_tabs", json!({ "action": "list" }))
        .fine()
        .says(
            "
        ### Result
        - 0: (current) [](about:blank)
        ",
        );
}

fn a_popup_does_not_become_current(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.pages.put("/p2", Answer::page("P2", "<p>two"));
    stage.show("<a href=/p2 target=_blank>Popup</a>");
    stage
        .call("browser_click", json!({ "target": "text=Popup" }))
        .fine()
        .says(
            "
        ### Ran Playwright code
        ```js
        await page.locator('text=Popup').click();
        ```
        ### Open tabs
        - 0: (current) [T](http://HOST/)
        - 1: [P2](http://HOST/p2)
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
        );
}

fn a_new_tab_with_an_address(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("first");
    let url = stage.pages.put("/p2", Answer::page("P2", "<p>two"));
    stage
        .call("browser_tabs", json!({ "action": "new", "url": url }))
        .fine()
        .says(
            "
        ### Result
        - 0: [T](http://HOST/)
        - 1: (current) [P2](http://HOST/p2)
        ### Ran Playwright code
        ```js
        await page.goto('http://HOST/p2');
        ```
        ### Open tabs
        - 0: [T](http://HOST/)
        - 1: (current) [P2](http://HOST/p2)
        ### Page
        - Page URL: http://HOST/p2
        - Page Title: P2
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
        );
}

fn list_select_new_and_close_print_only_the_list(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("first");
    stage
        .call("browser_tabs", json!({ "action": "new" }))
        .fine()
        .says(
            "
        ### Result
        - 0: [T](http://HOST/)
        - 1: (current) [](about:blank)
        ",
        );
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 0 }))
        .fine()
        .says(
            "
        ### Result
        - 0: (current) [T](http://HOST/)
        - 1: [](about:blank)
        ",
        );
    stage
        .call("browser_tabs", json!({ "action": "list" }))
        .fine()
        .says(
            "
        ### Result
        - 0: (current) [T](http://HOST/)
        - 1: [](about:blank)
        ",
        );
    stage
        .call("browser_tabs", json!({ "action": "close", "index": 1 }))
        .fine()
        .says(
            "
        ### Result
        - 0: (current) [T](http://HOST/)
        ",
        );
}

fn tabs_that_do_not_exist(stage: &Stage) {
    stage.show("x");
    for (arguments, text) in [
        (json!({ "action": "select" }), "Tab index is required"),
        (json!({ "action": "select", "index": 7 }), "Tab 7 not found"),
        (json!({ "action": "close", "index": 7 }), "Tab 7 not found"),
    ] {
        let reply = stage.call("browser_tabs", arguments).failed();
        assert_eq!(reply.text, format!("### Error\nError: {text}"));
    }
}

fn closing_the_last_tab_leaves_none(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("x");
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine()
        .says(
            "
        ### Result
        No open tabs. Navigate to a URL to create one.
        ",
        );
    let reply = stage
        .call("browser_tabs", json!({ "action": "close" }))
        .failed();
    assert_eq!(reply.text, "### Error\nError: Tab undefined not found");
    let reply = stage
        .call("browser_wait_for", json!({ "time": 0.01 }))
        .failed();
    assert_eq!(reply.text, "### Error\nError: No open pages available.");
}
