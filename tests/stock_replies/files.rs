//! Where files may be written to and read from, and how links are written.

use serde_json::json;

use crate::common::{Answer, Launch, Stage};
use crate::steps;

#[test]
fn files() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        names_that_lead_outside_are_refused,
        links_that_lead_outside_are_refused,
        the_output_folder_is_inside,
        links_have_a_folder,
    );
}

#[test]
fn files_in_an_output_folder_with_absolute_paths() {
    let launch = Launch::new()
        .stock()
        .args(["--output-dir", "../out", "--file-paths", "absolute"]);
    let stage = Stage::new(launch);
    let out = stage.workspace().with_file_name("out");
    stage.alias(out.to_str().expect("text"), "OUT");
    steps!(&stage;
        links_are_absolute,
        downloads_go_to_the_output_folder,
    );
}

#[test]
fn files_of_the_clients_workspace() {
    // The client's first root is the workspace, whatever the working folder is.
    let launch = Launch::new().stock().started_elsewhere();
    let stage = Stage::new(launch.capabilities(json!({ "roots": {} })));
    steps!(&stage; the_output_folder_is_inside);
}

fn names_that_lead_outside_are_refused(stage: &Stage) {
    stage.show("x");
    for (tool, arguments) in [
        ("browser_snapshot", json!({ "filename": "../x.txt" })),
        ("browser_take_screenshot", json!({ "filename": "../x.txt" })),
        (
            "browser_console_messages",
            json!({ "level": "info", "filename": "../x.txt" }),
        ),
        (
            "browser_network_requests",
            json!({ "static": true, "filename": "../x.txt" }),
        ),
        (
            "browser_find",
            json!({ "text": "x", "filename": "../x.txt" }),
        ),
    ] {
        let reply = stage.call(tool, arguments).failed();
        let outside = stage.workspace().with_file_name("x.txt");
        assert_eq!(
            reply.plain,
            format!(
                "### Error\nError: File access denied: {} is outside allowed roots. Allowed roots: WS/.playwright-mcp, WS",
                outside.display()
            ),
            "{tool}"
        );
        assert!(!outside.exists(), "{tool}");
    }
    // The value was asked for before it could not be written.
    let arguments = json!({ "function": "() => 1", "filename": "../x.txt" });
    let outside = stage.workspace().with_file_name("x.txt");
    let reply = stage.call("browser_evaluate", arguments).failed();
    assert_eq!(
        reply.plain,
        format!(
            "### Error\nFile access denied: {} is outside allowed roots. Allowed roots: WS/.playwright-mcp, WS\n### Ran Playwright code\n```js\nawait page.evaluate('() => 1');\n```",
            outside.display()
        )
    );
    assert!(!outside.exists());
}

#[cfg(unix)]
fn links_that_lead_outside_are_refused(stage: &Stage) {
    stage.show("x");
    let link = stage.workspace().join("link");
    if !link.exists() {
        std::os::unix::fs::symlink(stage.temporary(), &link).expect("a link");
    }
    stage
        .call("browser_snapshot", json!({ "filename": "link/x.yml" }))
        .failed()
        .has("File access denied: WS/link/x.yml is outside allowed roots.");
    assert!(!stage.temporary().join("x.yml").exists());
}

#[cfg(not(unix))]
fn links_that_lead_outside_are_refused(_: &Stage) {}

fn the_output_folder_is_inside(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_snapshot",
            json!({ "filename": ".playwright-mcp/deep/er/x.yml" }),
        )
        .fine()
        .has("- [Snapshot](.playwright-mcp/deep/er/x.yml)");
    assert!(
        stage
            .workspace()
            .join(".playwright-mcp/deep/er/x.yml")
            .exists()
    );
}

fn links_have_a_folder(stage: &Stage) {
    stage.show("x");
    for (name, link) in [
        ("x.yml", "./x.yml"),
        ("a/b.yml", "a/b.yml"),
        (".x.yml", ".x.yml"),
    ] {
        stage
            .call("browser_snapshot", json!({ "filename": name }))
            .fine()
            .has(&format!("- [Snapshot]({link})"));
    }
}

fn links_are_absolute(stage: &Stage) {
    stage
        .pages
        .put("/", Answer::page("T", "<script>console.log(1)</script>"));
    stage.open(&stage.pages.url("/")).says(
        "
        ### Ran Playwright code
        ```js
        await page.goto('http://HOST/');
        ```
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ### Snapshot
        - [Snapshot](OUT/page-<ts>.yml)
        ### Events
        - New console entries: OUT/console-<ts>.log#L1
        ",
    );
    stage
        .call("browser_snapshot", json!({ "filename": "x.yml" }))
        .fine()
        .has("- [Snapshot](WS/x.yml)");
}

fn downloads_go_to_the_output_folder(stage: &Stage) {
    stage.pages.put("/dl", Answer::download("a.txt", "content"));
    stage.show("<a href=/dl>Get</a>");
    stage.click("Get").fine();
    let content = crate::common::wait_for("the download", crate::common::PATIENCE, || {
        let path = stage.workspace().with_file_name("out").join("a.txt");
        std::fs::read_to_string(path)
            .ok()
            .filter(|text| text == "content")
    });
    assert_eq!(content, "content");
}
