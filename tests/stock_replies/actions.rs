//! The tools that act on elements: the code and the sections of their replies.

use serde_json::json;

use crate::common::{Answer, Launch, Stage};
use crate::steps;

#[test]
fn actions() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        clicks_with_options,
        typing_shows_no_page_until_something_changes,
        typing_slowly_and_submitting,
        filling_a_form,
        selecting_options,
        pressing_keys,
        hovering_and_dragging,
        dropping_data_and_files,
        waiting_for_time_and_text,
        a_link_that_leads_away,
    );
}

const TAIL: &str = "### Page\n- Page URL: http://HOST/\n- Page Title: T\n### Snapshot\n- [Snapshot](.playwright-mcp/page-<ts>.yml)";

/// Fails unless the reply is this code, and page and snapshot.
#[track_caller]
fn runs(reply: &crate::common::Reply, code: &str) {
    assert_eq!(
        reply.plain,
        format!("### Ran Playwright code\n```js\n{code}\n```\n{TAIL}")
    );
}

fn clicks_with_options(stage: &Stage) {
    stage.show("<button>Go</button>");
    let target = stage.find("Go");
    for (arguments, code) in [
        (json!({ "doubleClick": true }), "dblclick()"),
        (
            json!({ "button": "right" }),
            "click({\n  button: 'right'\n})",
        ),
        (json!({ "button": "left" }), "click()"),
        (
            json!({ "doubleClick": true, "button": "middle" }),
            "dblclick({\n  button: 'middle'\n})",
        ),
        (
            json!({ "modifiers": ["Shift", "Control", "Alt"] }),
            "click({\n  modifiers: ['Alt', 'ControlOrMeta', 'Shift']\n})",
        ),
    ] {
        let mut arguments = arguments;
        arguments["target"] = json!(target);
        let reply = stage.call("browser_click", arguments).fine();
        runs(
            &reply,
            &format!("await page.getByRole('button', {{ name: 'Go' }}).{code};"),
        );
    }
}

fn typing_shows_no_page_until_something_changes(stage: &Stage) {
    stage.show("<input aria-label=Name>");
    let target = stage.find("Name");
    stage
        .call(
            "browser_type",
            json!({ "target": target, "text": "it's \"x\"\n\\" }),
        )
        .fine()
        .says(
            r#"
            ### Ran Playwright code
            ```js
            await page.getByRole('textbox', { name: 'Name' }).fill('it\'s "x"\n\\');
            ```
            "#,
        );
}

fn typing_slowly_and_submitting(stage: &Stage) {
    stage.show("<form onsubmit='return false'><input aria-label=Name></form>");
    let target = stage.find("Name");
    let arguments = json!({ "target": target, "text": "ab", "slowly": true, "submit": true });
    let reply = stage.call("browser_type", arguments).fine();
    runs(
        &reply,
        "await page.getByRole('textbox', { name: 'Name' }).pressSequentially('ab');\nawait page.getByRole('textbox', { name: 'Name' }).press('Enter');",
    );
}

fn filling_a_form(stage: &Stage) {
    stage.show(
        "<input aria-label=Name><input type=checkbox aria-label=Agree><input type=radio name=r aria-label=One>
         <select aria-label=Pick><option>Alpha<option value=b>Beta</select><input type=range aria-label=Volume>",
    );
    let snapshot = stage.snapshot();
    let target = |pattern: &str| crate::common::ref_of(&snapshot, pattern);
    let fields = json!([
        { "target": target("textbox"), "name": "Name", "type": "textbox", "value": "Ann" },
        { "target": target("checkbox"), "name": "Agree", "type": "checkbox", "value": "true" },
        { "target": target("radio"), "name": "One", "type": "radio", "value": "true" },
        { "target": target("combobox"), "name": "Pick", "type": "combobox", "value": "Beta" },
        { "target": target("slider"), "name": "Volume", "type": "slider", "value": "7" },
    ]);
    stage
        .call("browser_fill_form", json!({ "fields": fields }))
        .fine()
        .says(
            "
        ### Ran Playwright code
        ```js
        await page.getByRole('textbox', { name: 'Name' }).fill('Ann');
        await page.getByRole('checkbox', { name: 'Agree' }).check();
        await page.getByRole('radio', { name: 'One' }).check();
        await page.getByLabel('Pick').selectOption('Beta');
        await page.getByRole('slider', { name: 'Volume' }).fill('7');
        ```
        ",
        );
    assert_eq!(
        stage
            .call("browser_fill_form", json!({ "fields": [] }))
            .fine()
            .plain,
        ""
    );
}

fn selecting_options(stage: &Stage) {
    stage.show(
        "<select aria-label=Pick><option value=a>Alpha<option value=b>Beta</select>
         <select aria-label=Many multiple><option value=x>X<option value=y>Y</select>",
    );
    let (one, many) = (stage.find("combobox"), stage.find("listbox"));
    let reply = stage
        .call(
            "browser_select_option",
            json!({ "target": one, "values": ["b"] }),
        )
        .fine();
    runs(&reply, "await page.getByLabel('Pick').selectOption('b');");
    let reply = stage
        .call(
            "browser_select_option",
            json!({ "target": many, "values": ["x", "Y"] }),
        )
        .fine();
    runs(
        &reply,
        "await page.getByLabel('Many').selectOption(['x', 'Y']);",
    );
}

fn pressing_keys(stage: &Stage) {
    stage.show("<input autofocus>");
    stage
        .call("browser_press_key", json!({ "key": "Control+a" }))
        .fine()
        .says(
            "
        ### Ran Playwright code
        ```js
        // Press Control+a
        await page.keyboard.press('Control+a');
        ```
        ",
        );
    let reply = stage
        .call("browser_press_key", json!({ "key": "Enter" }))
        .fine();
    runs(
        &reply,
        "// Press Enter\nawait page.keyboard.press('Enter');",
    );
    let reply = stage
        .call("browser_press_key", json!({ "key": "Nope" }))
        .failed();
    assert_eq!(
        reply.plain,
        "### Error\nError: browserBackend.callTool: Unknown key: \"Nope\""
    );
}

fn hovering_and_dragging(stage: &Stage) {
    stage.show("<p id=a style='width:99px'>Alpha</p><p id=b style='width:99px'>Beta</p>");
    let reply = stage
        .call("browser_hover", json!({ "target": "#a" }))
        .fine();
    runs(&reply, "await page.locator('#a').hover();");
    let arguments =
        json!({ "startElement": "a", "startTarget": "#a", "endElement": "b", "endTarget": "#b" });
    let reply = stage.call("browser_drag", arguments).fine();
    runs(
        &reply,
        "await page.locator('#a').dragTo(page.locator('#b'));",
    );
}

fn dropping_data_and_files(stage: &Stage) {
    stage
        .show("<div id=zone ondragover='event.preventDefault()'>Zone</div><div id=wall>Wall</div>");
    let reply = stage
        .call(
            "browser_drop",
            json!({ "target": "#zone", "data": { "text/plain": "hi" } }),
        )
        .fine();
    runs(
        &reply,
        "await page.locator('#zone').drop({\n  data: {\n  text/plain: 'hi'\n}\n});",
    );
    let path = stage.file("drop.txt", "x");
    let reply = stage
        .call(
            "browser_drop",
            json!({ "target": "#zone", "paths": [path] }),
        )
        .fine();
    runs(
        &reply,
        "await page.locator('#zone').drop({\n  files: 'WS/drop.txt'\n});",
    );
    let reply = stage
        .call("browser_drop", json!({ "target": "#zone" }))
        .failed();
    assert_eq!(
        reply.plain,
        "### Error\nError: At least one of \"paths\" or \"data\" must be provided."
    );
    stage
        .call("browser_drop", json!({ "target": "#wall", "data": { "text/plain": "hi" } }))
        .failed()
        .has("Drop target did not accept the drop — its dragover handler did not call preventDefault()");
}

fn waiting_for_time_and_text(stage: &Stage) {
    stage.show("<p>here</p><script>setTimeout(() => document.querySelector('p').textContent = 'there', 300)</script>");
    let reply = stage
        .call("browser_wait_for", json!({ "text": "there" }))
        .fine();
    assert_eq!(
        reply.plain,
        format!(
            "### Result\nWaited for there\n### Ran Playwright code\n```js\nawait page.getByText(\"there\").first().waitFor({{ state: 'visible' }});\n```\n{TAIL}"
        )
    );
    let reply = stage
        .call("browser_wait_for", json!({ "textGone": "here and" }))
        .fine();
    assert_eq!(
        reply.plain,
        format!(
            "### Result\nWaited for here and\n### Ran Playwright code\n```js\nawait page.getByText(\"here and\").first().waitFor({{ state: 'hidden' }});\n```\n{TAIL}"
        )
    );
    let reply = stage
        .call("browser_wait_for", json!({ "time": 0.1 }))
        .fine();
    assert_eq!(
        reply.plain,
        format!(
            "### Result\nWaited for 0.1 seconds\n### Ran Playwright code\n```js\nawait new Promise(f => setTimeout(f, 0.1 * 1000));\n```\n{TAIL}"
        )
    );
    let reply = stage.call("browser_wait_for", json!({})).failed();
    assert_eq!(
        reply.plain,
        "### Error\nError: Either time, text or textGone must be provided"
    );
}

fn a_link_that_leads_away(stage: &Stage) {
    stage
        .pages
        .put("/next", Answer::page("Next", "<h1>There</h1>"));
    stage.show("<a href=/next>Away</a>");
    let reply = stage.click("Away").fine();
    assert_eq!(
        reply.plain,
        "### Ran Playwright code\n```js\nawait page.getByRole('link', { name: 'Away' }).click();\n```\n### Page\n- Page URL: http://HOST/next\n- Page Title: Next\n### Snapshot\n- [Snapshot](.playwright-mcp/page-<ts>.yml)"
    );
    // Refs of a later document carry a prefix, so that old ones cannot hit it.
    let (snapshot, pattern) = (
        reply.snapshot(),
        r#"heading "There" \[level=1\] \[ref=f\d+e\d+\]"#,
    );
    assert!(
        regex::Regex::new(pattern)
            .expect("a pattern")
            .is_match(&snapshot),
        "{snapshot}"
    );
}
