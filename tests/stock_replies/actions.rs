//! The tools that act on elements: code, sections and generated locators.

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
        finding_text,
        resizing,
        emulating_media,
        screenshots_of_viewport_page_and_element,
        locators_generated_for_refs,
        a_link_that_leads_away,
        snapshots_inline_and_by_target,
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

fn finding_text(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show(
        "<ul><li>Apple<li>Banana<li>Cherry<li>Date<li>Elder<li>Fig<li>Grape<li>Hazel<li>Ivy<li>Apple pie</ul>",
    );
    stage
        .call("browser_find", json!({ "text": "apple" }))
        .fine()
        .says(
            "
        ### Result
        Found 2 matches for \"apple\":

        - list [ref=e2]:
          - listitem [ref=e3]: Apple
          - listitem [ref=e4]: Banana
          - listitem [ref=e5]: Cherry
          - listitem [ref=e6]: Date

        ----

        - list [ref=e2]:
          - listitem [ref=e9]: Grape
          - listitem [ref=e10]: Hazel
          - listitem [ref=e11]: Ivy
          - listitem [ref=e12]: Apple pie
        ",
        );
    stage
        .call("browser_find", json!({ "regex": "/^ .*fig/i" }))
        .fine()
        .has("Found 1 match for /^ .*fig/i:\n\n");
    let none = stage.call("browser_find", json!({ "text": "kiwi" })).fine();
    assert_eq!(none.plain, "### Result\nNo matches found for \"kiwi\".");
    for (arguments, text) in [
        (
            json!({}),
            "Provide either \"text\" or \"regex\" to search for.",
        ),
        (
            json!({ "text": "a", "regex": "b" }),
            "Provide only one of \"text\" or \"regex\", not both.",
        ),
    ] {
        let reply = stage.call("browser_find", arguments).failed();
        assert_eq!(reply.plain, format!("### Error\n{text}"));
    }
}

fn resizing(stage: &Stage) {
    stage.show("x");
    stage
        .call("browser_resize", json!({ "width": 800, "height": 600.0 }))
        .fine()
        .says(
            "
        ### Ran Playwright code
        ```js
        await page.setViewportSize({ width: 800, height: 600 });
        ```
        ",
        );
    assert_eq!(stage.value("[innerWidth, innerHeight]"), json!([800, 600]));
    stage
        .call("browser_resize", json!({ "width": 1280, "height": 720 }))
        .fine();
}

fn emulating_media(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_emulate_media",
            json!({ "media": "print", "colorScheme": "dark" }),
        )
        .fine()
        .says(
            "
            ### Ran Playwright code
            ```js
            await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
            ```
            ",
        );
    assert_eq!(
        stage.value(
            "[matchMedia('print').matches, matchMedia('(prefers-color-scheme: dark)').matches]"
        ),
        json!([true, true])
    );
    stage
        .call(
            "browser_emulate_media",
            json!({ "media": null, "colorScheme": null }),
        )
        .fine()
        .has("await page.emulateMedia({ colorScheme: null, media: null });");
    assert_eq!(stage.value("matchMedia('print').matches"), false);
    let reply = stage.call("browser_emulate_media", json!({})).failed();
    assert_eq!(
        reply.plain,
        "### Error\nError: Specify at least one media feature to emulate."
    );
}

fn screenshots_of_viewport_page_and_element(stage: &Stage) {
    stage.show("<button>Go</button>");
    stage
        .call("browser_take_screenshot", json!({}))
        .fine()
        .says(
            "
        ### Result
        - [Screenshot of viewport](.playwright-mcp/page-<ts>.png)
        ### Ran Playwright code
        ```js
        // Screenshot viewport and save it as .playwright-mcp/page-<ts>.png
        await page.screenshot({
          path: '.playwright-mcp/page-<ts>.png',
          scale: 'css',
          type: 'png'
        });
        ```
        ",
        );
    stage
        .call(
            "browser_take_screenshot",
            json!({ "type": "jpeg", "fullPage": true, "filename": "shots/a.jpeg" }),
        )
        .fine()
        .says(
            "
            ### Result
            - [Screenshot of full page](shots/a.jpeg)
            ### Ran Playwright code
            ```js
            // Screenshot full page and save it as shots/a.jpeg
            await page.screenshot({
              fullPage: true,
              path: 'shots/a.jpeg',
              quality: 90,
              scale: 'css',
              type: 'jpeg'
            });
            ```
            ",
        );
    let target = stage.find("Go");
    stage
        .call(
            "browser_take_screenshot",
            json!({ "element": "Go button", "target": target, "filename": "go.png" }),
        )
        .fine()
        .says(
            "
            ### Result
            - [Screenshot of Go button](./go.png)
            ### Ran Playwright code
            ```js
            // Screenshot Go button and save it as ./go.png
            await page.getByRole('button', { name: 'Go' }).screenshot({
              path: './go.png',
              scale: 'css',
              type: 'png'
            });
            ```
            ",
        );
    let reply = stage
        .call(
            "browser_take_screenshot",
            json!({ "target": target, "fullPage": true }),
        )
        .failed();
    assert_eq!(
        reply.plain,
        "### Error\nError: fullPage cannot be used with element screenshots."
    );
}

fn locators_generated_for_refs(stage: &Stage) {
    stage.show(
        "<ul><li>Same</li><li>Same</li></ul><button>Save</button><button>Save all</button>
         <button aria-label='5 items'>5</button><button><svg width=10 height=10></svg></button>
         <div data-testid=tid>Tested</div><input placeholder=Hint><img alt=Logo width=9 height=9 src=data:,>
         <table><tr><td>r1c1</td></tr></table><div>Some <b>Bold</b></div>
         <iframe title=Frame srcdoc='<button>In</button>'></iframe>",
    );
    stage.until("frames[0].document.querySelector('button') !== null");
    let snapshot = stage.snapshot();
    for (pattern, locator) in [
        ("listitem", "getByText('Same').first()"),
        (
            "\"Save\"",
            "getByRole('button', { name: 'Save', exact: true })",
        ),
        ("\"Save all\"", "getByRole('button', { name: 'Save all' })"),
        ("5 items", "getByRole('button', { name: 'items' })"),
        (
            "button \\[",
            "getByRole('button').filter({ hasText: /^$/ })",
        ),
        ("Tested", "getByTestId('tid')"),
        ("Hint", "getByRole('textbox', { name: 'Hint' })"),
        ("r1c1", "getByRole('cell', { name: 'r1c1' })"),
        ("img", "getByRole('img', { name: 'Logo' })"),
        ("Bold", "getByText('Some Bold')"),
        (
            "\"In\"",
            "locator('iframe[title=\"Frame\"]').contentFrame().getByRole('button', { name: 'In' })",
        ),
    ] {
        let target = crate::common::ref_of(&snapshot, pattern);
        let reply = stage
            .call("browser_hover", json!({ "target": target }))
            .fine();
        let code = reply.section("Ran Playwright code").unwrap_or_default();
        assert_eq!(code, format!("await page.{locator}.hover();"), "{pattern}");
    }
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

fn snapshots_inline_and_by_target(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("<main><h1>Head</h1><p>text</p></main>");
    stage.call("browser_snapshot", json!({})).fine().says(
        "
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ### Snapshot
        ```yaml
        - main [ref=e2]:
          - heading \"Head\" [level=1] [ref=e3]
          - paragraph [ref=e4]: text
        ```
        ",
    );
    stage
        .call("browser_snapshot", json!({ "target": "h1" }))
        .fine()
        .has("### Snapshot\n```yaml\n- heading \"Head\" [level=1] [ref=e3]\n```");
    stage
        .call("browser_snapshot", json!({ "filename": "out/snap.yml" }))
        .fine()
        .says(
            "
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ### Snapshot
        - [Snapshot](out/snap.yml)
        ",
        );
    let file = std::fs::read_to_string(stage.workspace().join("out/snap.yml")).expect("the file");
    assert!(
        !file.ends_with('\n') && file.contains("paragraph [ref=e4]: text"),
        "{file}"
    );
}
