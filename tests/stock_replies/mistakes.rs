//! Calls that cannot work: unknown tools, wrong arguments, targets that are
//! nothing or too much.

use serde_json::json;

use crate::common::{Launch, Stage};
use crate::steps;

#[test]
fn mistakes() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        an_unknown_tool,
        arguments_of_the_wrong_type,
        unknown_arguments_are_ignored,
        numbers_out_of_range,
        patterns_that_are_none,
        refs_that_are_unknown,
        selectors_without_a_match,
        selectors_that_cannot_be_read,
        selectors_with_several_matches,
        elements_that_cannot_be_filled,
        calls_without_a_name,
        methods_that_do_not_exist,
    );
}

fn an_unknown_tool(stage: &Stage) {
    let reply = stage.call("browser_levitate", json!({})).failed();
    assert_eq!(reply.text, "### Error\nTool \"browser_levitate\" not found");
}

fn arguments_of_the_wrong_type(stage: &Stage) {
    stage.show("x");
    stage.call("browser_navigate", json!({})).failed().says(
        "
        ### Error
        Invalid arguments for tool \"browser_navigate\":
        ✖ Invalid input: expected string, received undefined
          → at url
        ",
    );
    stage
        .call(
            "browser_click",
            json!({ "target": 7, "button": "upper", "modifiers": ["Hyper"] }),
        )
        .failed()
        .says(
            "
        ### Error
        Invalid arguments for tool \"browser_click\":
        ✖ Invalid input: expected string, received number
          → at target
        ✖ Invalid option: expected one of \"left\"|\"right\"|\"middle\"
          → at button
        ✖ Invalid option: expected one of \"Alt\"|\"Control\"|\"ControlOrMeta\"|\"Meta\"|\"Shift\"
          → at modifiers[0]
        ",
        );
    stage
        .call(
            "browser_fill_form",
            json!({ "fields": [{ "name": "n", "type": "textbox", "value": null }] }),
        )
        .failed()
        .says(
            "
            ### Error
            Invalid arguments for tool \"browser_fill_form\":
            ✖ Invalid input: expected string, received undefined
              → at fields[0].target
            ✖ Invalid input: expected string, received null
              → at fields[0].value
            ",
        );
    stage
        .call("browser_drop", json!({ "target": "p", "data": [] }))
        .failed()
        .says(
            "
        ### Error
        Invalid arguments for tool \"browser_drop\":
        ✖ Invalid input: expected record, received array
          → at data
        ",
        );
}

fn unknown_arguments_are_ignored(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_wait_for",
            json!({ "time": 0.01, "colour": "blue" }),
        )
        .fine()
        .has("Waited for 0.01 seconds");
}

fn numbers_out_of_range(stage: &Stage) {
    stage.show("x");
    stage
        .call("browser_network_request", json!({ "index": 0 }))
        .failed()
        .says(
            "
        ### Error
        Invalid arguments for tool \"browser_network_request\":
        ✖ Too small: expected number to be >=1
          → at index
        ",
        );
    stage
        .call("browser_network_request", json!({ "index": 1.5 }))
        .failed()
        .says(
            "
            ### Error
            Invalid arguments for tool \"browser_network_request\":
            ✖ Invalid input: expected int, received number
              → at index
            ",
        );
}

fn patterns_that_are_none(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_network_requests",
            json!({ "static": true, "filter": "(" }),
        )
        .failed()
        .says(
            "
        ### Error
        Invalid arguments for tool \"browser_network_requests\":
        ✖ Invalid regular expression
          → at filter
        ",
        );
    stage
        .call("browser_find", json!({ "regex": "[" }))
        .failed()
        .has("✖ Invalid regular expression\n  → at regex");
}

fn refs_that_are_unknown(stage: &Stage) {
    stage.show("<button>Go</button>");
    for target in ["e999", "f7e1"] {
        let reply = stage
            .call("browser_click", json!({ "target": target }))
            .failed();
        assert_eq!(
            reply.plain,
            format!(
                "### Error\nError: Ref {target} not found in the current page snapshot. Try capturing new snapshot."
            )
        );
    }
    let old = stage.find("Go");
    stage.value("document.querySelector('button').remove()");
    stage
        .call("browser_click", json!({ "target": old }))
        .failed()
        .has("not found in the current page snapshot. Try capturing new snapshot.");
}

fn selectors_without_a_match(stage: &Stage) {
    stage.show("x");
    for target in [
        "#nothing",
        "getByRole('button', { name: 'None' })",
        "E3",
        "text=absent",
    ] {
        let reply = stage
            .call("browser_click", json!({ "target": target }))
            .failed();
        assert_eq!(
            reply.plain,
            format!("### Error\nError: \"{target}\" does not match any elements.")
        );
    }
}

fn selectors_that_cannot_be_read(stage: &Stage) {
    stage.show("x");
    let reply = stage
        .call("browser_click", json!({ "target": "" }))
        .failed();
    assert_eq!(
        reply.plain,
        "### Error\nError: browserBackend.callTool: Unexpected token \"\" while parsing css selector \"\". Did you mean to CSS.escape it?"
    );
    stage
        .call("browser_click", json!({ "target": "zzz=1" }))
        .failed()
        .has("Unknown engine \"zzz\" while parsing selector zzz=1");
}

fn selectors_with_several_matches(stage: &Stage) {
    stage.show("<ul><li id=one>A</li><li class=x>B</li></ul>");
    stage.call("browser_click", json!({ "target": "li" })).failed().says(
        "
        ### Error
        Error: browserBackend.callTool: Error: strict mode violation: locator('li') resolved to 2 elements:
            1) <li id=\"one\">A</li> aka getByText('A')
            2) <li class=\"x\">B</li> aka getByText('B')

        Call log:
          - waiting for locator('li')

        ",
    );
}

fn elements_that_cannot_be_filled(stage: &Stage) {
    stage.show(
        "<p>text</p><input id=n type=number><input id=d type=date><input id=c type=checkbox>",
    );
    for (target, text, complaint) in [
        (
            "p",
            "x",
            "Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing [aria-readonly]",
        ),
        ("#n", "x", "Cannot type text into input[type=number]"),
        ("#d", "x", "Malformed value"),
        ("#c", "x", "Input of type \"checkbox\" cannot be filled"),
    ] {
        let reply = stage
            .call("browser_type", json!({ "target": target, "text": text }))
            .failed();
        let start =
            format!("### Error\nError: browserBackend.callTool: Error: {complaint}\nCall log:\n");
        assert!(reply.plain.starts_with(&start), "{target}: {}", reply.plain);
    }
}

fn calls_without_a_name(stage: &Stage) {
    let error = stage
        .request("tools/call", json!({ "arguments": {} }))
        .expect_err("no name");
    assert_eq!(error["code"], -32603, "{error}");
}

fn methods_that_do_not_exist(stage: &Stage) {
    for method in ["resources/list", "prompts/list", "no/such"] {
        let error = stage.request(method, json!({})).expect_err(method);
        assert_eq!(error["code"], -32601, "{error}");
        assert_eq!(error["message"], "Method not found");
    }
    assert_eq!(stage.request("ping", json!({})).expect("ping"), json!({}));
}
