//! Dialogs and file choosers: what a reply says while one is open.

use serde_json::json;

use crate::common::{Launch, Stage};
use crate::steps;

#[test]
fn modals() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        an_alert_ends_the_click_and_blocks_other_tools,
        a_second_dialog_of_the_same_script,
        confirm_and_prompt_and_leave_guard_are_described,
        tools_for_modals_need_one,
        a_chooser_then_too_many_files_then_one,
        a_chooser_is_cancelled_without_paths,
        missing_and_outside_files,
    );
}

fn an_alert_ends_the_click_and_blocks_other_tools(stage: &Stage) {
    stage.show("<button onclick=\"alert('A')\">Btn</button>");
    let button = stage.find("Btn");
    let click = stage
        .call("browser_click", json!({ "target": button }))
        .fine()
        .says(
            "
        ### Ran Playwright code
        ```js
        await page.getByRole('button', { name: 'Btn' }).click();
        ```
        ### Page
        - Page URL: http://HOST/
        ### Modal state
        - [\"alert\" dialog with message \"A\"]: can be handled by browser_handle_dialog
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
        );
    assert_eq!(click.snapshot(), "");
    stage
        .call("browser_click", json!({ "target": button }))
        .failed()
        .says(
            "
        ### Error
        Error: Tool \"browser_click\" does not handle the modal state.
        ### Modal state
        - [\"alert\" dialog with message \"A\"]: can be handled by browser_handle_dialog
        ",
        );
    stage
        .call("browser_handle_dialog", json!({ "accept": true }))
        .fine()
        .says(
            "
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ",
        );
}

fn a_second_dialog_of_the_same_script(stage: &Stage) {
    stage.show("<button onclick=\"alert('one'); alert('two')\">Btn</button>");
    stage.click("Btn").fine().has("message \"one\"");
    stage
        .call("browser_handle_dialog", json!({ "accept": true }))
        .fine()
        .says(
            "
        ### Modal state
        - [\"alert\" dialog with message \"two\"]: can be handled by browser_handle_dialog
        ",
        );
    stage
        .call("browser_handle_dialog", json!({ "accept": false }))
        .fine()
        .says(
            "
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ",
        );
}

fn confirm_and_prompt_and_leave_guard_are_described(stage: &Stage) {
    stage.show(
        "<button onclick=\"confirm('Sure?')\">Confirm</button>
         <button onclick=\"prompt('Name?', 'x')\">Prompt</button>
         <button onclick=\"window.onbeforeunload = event => event.preventDefault()\">Guard</button>",
    );
    stage.click("Confirm").has(
        "- [\"confirm\" dialog with message \"Sure?\"]: can be handled by browser_handle_dialog\n",
    );
    stage
        .call("browser_handle_dialog", json!({ "accept": false }))
        .fine();
    stage.click("Prompt").has(
        "- [\"prompt\" dialog with message \"Name?\"]: can be handled by browser_handle_dialog\n",
    );
    stage
        .call("browser_handle_dialog", json!({ "accept": false }))
        .fine();
    stage.click("Guard").fine();
    stage
        .call("browser_navigate", json!({ "url": "about:blank" }))
        .fine()
        .says(
            "
            ### Ran Playwright code
            ```js
            await page.goto('about:blank');
            ```
            ### Page
            - Page URL: http://HOST/
            ### Modal state
            - [\"beforeunload\" dialog with message \"\"]: can be handled by browser_handle_dialog
            ### Snapshot
            - [Snapshot](.playwright-mcp/page-<ts>.yml)
            ",
        );
    // Navigating meanwhile does nothing, and says nothing about that.
    stage
        .call("browser_navigate", json!({ "url": "about:blank" }))
        .fine()
        .says(
            "
            ### Ran Playwright code
            ```js
            await page.goto('about:blank');
            ```
            ### Page
            - Page URL: http://HOST/
            ### Modal state
            - [\"beforeunload\" dialog with message \"\"]: can be handled by browser_handle_dialog
            ### Snapshot
            - [Snapshot](.playwright-mcp/page-<ts>.yml)
            ",
        );
    stage
        .call("browser_handle_dialog", json!({ "accept": true }))
        .fine();
}

fn tools_for_modals_need_one(stage: &Stage) {
    stage.show("x");
    stage.call("browser_handle_dialog", json!({ "accept": true })).failed().says(
        "
        ### Error
        Error: The tool \"browser_handle_dialog\" can only be used when there is related modal state present.
        ",
    );
    stage.call("browser_file_upload", json!({ "paths": [] })).failed().says(
        "
        ### Error
        Error: The tool \"browser_file_upload\" can only be used when there is related modal state present.
        ",
    );
}

const FILES: &str = "<input type=file aria-label=Pick>
    <output id=o></output>
    <script>document.querySelector('input').onchange = event => {
        o.textContent = [...event.target.files].map(file => file.name + ' ' + file.size).join();
    }</script>";

fn a_chooser_then_too_many_files_then_one(stage: &Stage) {
    stage.show(FILES);
    let (one, two) = (stage.file("f1.txt", "one"), stage.file("f2.txt", "two"));
    stage.click("Pick").fine().says(
        "
        ### Ran Playwright code
        ```js
        await page.getByRole('button', { name: 'Pick' }).click();
        ```
        ### Page
        - Page URL: http://HOST/
        ### Modal state
        - [File chooser]: can be handled by browser_file_upload
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
    );
    stage
        .call("browser_file_upload", json!({ "paths": [one, two] }))
        .failed()
        .says(
            "
        ### Error
        fileChooser.setFiles: Error: Non-multiple file input can only accept single file
        ### Ran Playwright code
        ```js
        await fileChooser.setFiles([\"WS/f1.txt\",\"WS/f2.txt\"])
        ```
        ### Page
        - Page URL: http://HOST/
        ### Modal state
        - [File chooser]: can be handled by browser_file_upload
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
        );
    stage
        .call("browser_file_upload", json!({ "paths": [one] }))
        .fine()
        .says(
            "
        ### Ran Playwright code
        ```js
        await fileChooser.setFiles([\"WS/f1.txt\"])
        ```
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
        );
    assert_eq!(stage.value("o.textContent"), "f1.txt 3");
}

fn a_chooser_is_cancelled_without_paths(stage: &Stage) {
    stage.show(FILES);
    stage.click("Pick").fine();
    stage.call("browser_file_upload", json!({})).fine().says(
        "
        ### Ran Playwright code
        ```js
        await fileChooser.setFiles(undefined)
        ```
        ### Page
        - Page URL: http://HOST/
        - Page Title: T
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
    );
    assert_eq!(stage.value("o.textContent"), "");
}

fn missing_and_outside_files(stage: &Stage) {
    stage.show(FILES);
    stage.click("Pick").fine();
    let missing = stage.workspace().join("missing.txt");
    stage
        .call("browser_file_upload", json!({ "paths": [missing] }))
        .failed()
        .has("ENOENT: no such file or directory, stat 'WS/missing.txt'")
        .has("- [File chooser]: can be handled by browser_file_upload");
    let outside = stage.temporary().join("outside.txt");
    std::fs::write(&outside, "secret").expect("a file");
    let reply = stage
        .call("browser_file_upload", json!({ "paths": [outside] }))
        .failed();
    let outside = outside.display();
    assert_eq!(
        reply.plain,
        format!(
            "### Error\nError: File access denied: {outside} is outside allowed roots. Allowed roots: WS/.playwright-mcp, WS"
        )
    );
    // The chooser is still there.
    stage.call("browser_file_upload", json!({})).fine();
}
