//! Tabs, and popups, which are tabs that a page opened.

use std::time::Duration;

use serde_json::json;

use crate::common::{Answer, Launch, PATIENCE, Stage, wait_for};
use crate::steps;

#[test]
fn tabs() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        tabs_are_opened_chosen_and_closed,
        each_tab_keeps_its_refs,
        a_popup_is_listed_and_can_be_chosen,
        closing_a_tab_chooses_its_neighbour,
        a_hidden_tab_believes_that_it_is_seen,
        a_crashed_tab_is_replaced,
        going_back_and_forth,
    );
}

#[test]
fn popups_of_scripts() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        a_popup_of_a_script_is_listed_and_can_be_chosen,
        a_popup_knows_its_opener,
        a_popup_that_closes_itself,
        a_click_that_closes_the_only_tab,
    );
}

fn list(stage: &Stage) -> String {
    stage
        .call("browser_tabs", json!({ "action": "list" }))
        .fine()
        .plain
}

fn tabs_are_opened_chosen_and_closed(stage: &Stage) {
    for name in ["A", "B", "C"] {
        let url = stage.pages.put(
            &format!("/{name}"),
            Answer::page(name, &format!("<p>page {name}")),
        );
        stage
            .call("browser_tabs", json!({ "action": "new", "url": url }))
            .fine();
    }
    assert!(
        list(stage).ends_with("(current) [C](http://HOST/C)"),
        "{}",
        list(stage)
    );
    let index = list(stage)
        .lines()
        .position(|line| line.contains("/A"))
        .expect("A")
        - 1;
    stage
        .call(
            "browser_tabs",
            json!({ "action": "select", "index": index }),
        )
        .fine();
    assert!(stage.snapshot().contains("page A"));
    stage
        .call(
            "browser_tabs",
            json!({ "action": "close", "index": index + 1 }),
        )
        .fine();
    assert!(
        !list(stage).contains("/B") && list(stage).contains("(current) [A]"),
        "{}",
        list(stage)
    );
}

fn each_tab_keeps_its_refs(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    let page = |name: &str| {
        let body = format!("<button onclick=\"document.title = 'hit {name}'\">{name}</button>");
        stage
            .pages
            .put(&format!("/{name}"), Answer::page(name, &body))
    };
    stage.open(&page("one"));
    let first = stage.find("button \"one\"");
    stage
        .call(
            "browser_tabs",
            json!({ "action": "new", "url": page("two") }),
        )
        .fine();
    let second = stage.find("button \"two\"");
    stage
        .call("browser_click", json!({ "target": second }))
        .fine();
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 0 }))
        .fine();
    stage
        .call("browser_click", json!({ "target": first }))
        .fine();
    let list = list(stage);
    assert!(
        list.contains("[hit one]") && list.contains("[hit two]"),
        "{list}"
    );
}

/// Opens a popup, looks into it and closes it.
#[track_caller]
fn popup(stage: &Stage, opener: &str) {
    stage.call("browser_close", json!({})).fine();
    stage
        .pages
        .put("/popup", Answer::page("Popup", "<p>inside</p>"));
    stage.show(opener);
    stage
        .click("Open")
        .fine()
        .has("- 0: (current) [T](http://HOST/)\n- 1: [Popup](http://HOST/popup)");
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    assert!(stage.snapshot().contains("inside"));
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine();
    assert!(stage.snapshot().contains("Open"));
}

fn a_popup_is_listed_and_can_be_chosen(stage: &Stage) {
    popup(stage, "<a href=/popup target=_blank>Open</a>");
}

fn a_popup_of_a_script_is_listed_and_can_be_chosen(stage: &Stage) {
    popup(
        stage,
        "<button onclick=\"window.open('/popup')\">Open</button>",
    );
    popup(
        stage,
        "<button onclick=\"window.open('/popup', '', 'width=300,height=200')\">Open</button>",
    );
    popup(stage, "<a href=/popup target=other rel=opener>Open</a>");
}

fn a_popup_knows_its_opener(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    let button = "<button onclick=\"opener.document.title = 'told'\">Tell</button>";
    stage.pages.put("/popup", Answer::page("Popup", button));
    stage.show("<button onclick=\"window.open('/popup')\">Open</button>");
    stage.click("Open").fine();
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    stage.click("Tell").fine();
    assert!(list(stage).contains("- 0: [told]"), "{}", list(stage));
}

fn a_popup_that_closes_itself(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.pages.put(
        "/popup",
        Answer::page("Popup", "<button onclick='window.close()'>Enough</button>"),
    );
    stage.show("<button onclick=\"window.open('/popup')\">Open</button>");
    stage.click("Open").fine();
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    stage.click("Enough");
    wait_for("one tab", PATIENCE, || {
        (!list(stage).contains("- 1:")).then_some(())
    });
    assert!(stage.snapshot().contains("Open"));
}

fn a_click_that_closes_the_only_tab(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.pages.put(
        "/popup",
        Answer::page("Popup", "<button onclick='window.close()'>Enough</button>"),
    );
    stage.show("<button onclick=\"window.open('/popup')\">Open</button>");
    stage.click("Open").fine();
    stage
        .call("browser_tabs", json!({ "action": "close", "index": 0 }))
        .fine();
    // Whatever this says, the next call works.
    stage.click("Enough").within(Duration::from_secs(20));
    stage.show("<p>on we go</p>");
    assert!(stage.snapshot().contains("on we go"));
}

fn closing_a_tab_chooses_its_neighbour(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("first");
    for name in ["B", "C"] {
        let url = stage
            .pages
            .put(&format!("/{name}"), Answer::page(name, name));
        stage
            .call("browser_tabs", json!({ "action": "new", "url": url }))
            .fine();
    }
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine()
        .has("- 1: (current) [C]");
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine()
        .has("- 0: (current) [T]");
}

fn a_hidden_tab_believes_that_it_is_seen(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show(
        "<script>setInterval(() => { document.title = document.hasFocus() + ' ' + document.visibilityState }, 100)</script>",
    );
    stage
        .call("browser_tabs", json!({ "action": "new" }))
        .fine();
    wait_for("a tab that is told it has the focus", PATIENCE, || {
        list(stage).contains("- 0: [true visible]").then_some(())
    });
}

fn a_crashed_tab_is_replaced(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("<p>doomed</p>");
    let _ = stage.call("browser_navigate", json!({ "url": "chrome://crash" }));
    // The next call may still see the crash; soon one works again.
    wait_for("a page after the crash", PATIENCE, || {
        let url = stage
            .pages
            .put("/again", Answer::page("Again", "<p>alive</p>"));
        let reply = stage.call("browser_navigate", json!({ "url": url }));
        (!reply.is_error && reply.snapshot().contains("alive")).then_some(())
    });
}

fn going_back_and_forth(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    for name in ["A", "B"] {
        stage.open(&stage.pages.put(
            &format!("/{name}"),
            Answer::page(name, &format!("<p>page {name}")),
        ));
    }
    let back = stage.call("browser_navigate_back", json!({})).fine();
    back.has("- Page URL: http://HOST/A");
    wait_for("page A", PATIENCE, || {
        stage.snapshot().contains("page A").then_some(())
    });
    stage.value("(history.forward(), 0)");
    wait_for("page B", PATIENCE, || {
        stage.snapshot().contains("page B").then_some(())
    });
}
