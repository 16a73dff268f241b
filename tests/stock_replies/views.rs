//! The tools that look at the page or change how it looks: snapshots, find,
//! screenshots, sizes and media; and the locators that code names elements by.

use serde_json::json;

use crate::common::{Launch, Stage};
use crate::steps;

#[test]
fn views() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        finding_text,
        resizing,
        emulating_media,
        screenshots_of_viewport_page_and_element,
        locators_generated_for_refs,
        snapshots_inline_and_by_target,
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
