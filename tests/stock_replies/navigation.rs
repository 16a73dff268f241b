//! `browser_navigate`, `browser_navigate_back`, `browser_close` and the Page
//! section.

use std::net::TcpListener;

use serde_json::json;

use crate::common::{Answer, Launch, Stage};
use crate::steps;

#[test]
fn navigation() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        the_first_page_and_a_click_that_logs,
        an_error_status_is_shown_with_its_reason,
        a_status_lasts_until_the_next_navigation,
        a_redirect_shows_where_it_ends,
        back_goes_one_page_back,
        back_without_history_does_nothing,
        a_refused_connection_is_an_error_with_a_log,
        an_empty_answer_is_an_error,
        no_content_aborts,
        addresses_are_completed,
        an_address_that_is_none,
        files_are_blocked,
        scripts_as_addresses_abort,
        a_data_page_has_no_title,
        a_download_is_no_navigation,
        closing_says_that_no_tab_is_left,
    );
}

fn the_first_page_and_a_click_that_logs(stage: &Stage) {
    stage.pages.put(
        "/log",
        Answer::page(
            "T",
            "<button onclick=\"console.log('hi');console.error('bad')\">Log</button>",
        ),
    );
    let url = stage.pages.url("/log");
    stage.open(&url).says(
        "
        ### Ran Playwright code
        ```js
        await page.goto('http://HOST/log');
        ```
        ### Page
        - Page URL: http://HOST/log
        - Page Title: T
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
    );
    let click = stage.call("browser_click", json!({ "element": "Log", "target": "e2" }));
    // The first click finds the body in focus no longer; its snapshot says so.
    assert_eq!(click.snapshot(), "- button \"Log\" [active] [ref=e2]");
    let click = click.fine().says(
        "
        ### Ran Playwright code
        ```js
        await page.getByRole('button', { name: 'Log' }).click();
        ```
        ### Page
        - Page URL: http://HOST/log
        - Page Title: T
        - Console: 1 errors, 0 warnings
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ### Events
        - New console entries: .playwright-mcp/console-<ts>.log#L1-L2
        ",
    );
    let events = click.section("Events").expect("events");
    let file = events
        .strip_prefix("- New console entries: ")
        .and_then(|link| link.split('#').next())
        .expect("a link");
    let log = std::fs::read_to_string(stage.workspace().join(file)).expect("the console log");
    let lines: Vec<&str> = log.lines().collect();
    let [first, second] = lines[..] else {
        panic!("{log}")
    };
    // Milliseconds, right-aligned in eight columns.
    for (line, rest) in [(first, "[LOG] hi"), (second, "[ERROR] bad")] {
        assert_eq!(line[11..], format!("] {rest} @ {url}:0"), "{line}");
        assert!(
            line[..11].starts_with('[') && line[..11].ends_with("ms"),
            "{line}"
        );
        assert!(line[1..9].trim_start().parse::<u32>().is_ok(), "{line}");
    }
}

fn an_error_status_is_shown_with_its_reason(stage: &Stage) {
    let locked = Answer::page("L", "locked").status(402, "Payment Required");
    stage.open(&stage.pages.put("/locked", locked)).says(
        "
        ### Ran Playwright code
        ```js
        await page.goto('http://HOST/locked');
        ```
        ### Page
        - Page URL: http://HOST/locked
        - Page Title: L
        - HTTP status: 402 Payment Required
        - Console: 1 errors, 0 warnings
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ### Events
        - New console entries: .playwright-mcp/console-<ts>.log#L1
        ",
    );
}

fn a_status_lasts_until_the_next_navigation(stage: &Stage) {
    stage.show("fine");
    let gone = Answer::page("G", "gone").status(410, "Gone");
    stage
        .open(&stage.pages.put("/gone", gone))
        .has("- HTTP status: 410 Gone\n");
    stage.show("fine");
    let reply = stage.call("browser_snapshot", json!({})).fine();
    reply.lacks("HTTP status");
}

fn a_redirect_shows_where_it_ends(stage: &Stage) {
    stage.pages.put("/end", Answer::page("End", "here"));
    let start = stage.pages.put("/start", Answer::redirect("/end"));
    stage.open(&start).says(
        "
        ### Ran Playwright code
        ```js
        await page.goto('http://HOST/start');
        ```
        ### Page
        - Page URL: http://HOST/end
        - Page Title: End
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
    );
}

fn back_goes_one_page_back(stage: &Stage) {
    stage.open(&stage.pages.put("/one", Answer::page("One", "1")));
    stage.open(&stage.pages.put("/two", Answer::page("Two", "2")));
    let back = stage.call("browser_navigate_back", json!({})).fine();
    back.has("### Ran Playwright code\n```js\nawait page.goBack();\n```\n### Page\n- Page URL: http://HOST/one\n");
}

fn back_without_history_does_nothing(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.call("browser_navigate_back", json!({})).fine().says(
        "
        ### Ran Playwright code
        ```js
        await page.goBack();
        ```
        ### Page
        - Page URL: about:blank
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
    );
}

fn a_refused_connection_is_an_error_with_a_log(stage: &Stage) {
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    drop(listener);
    let url = format!("http://{address}/");
    let reply = stage
        .call("browser_navigate", json!({ "url": url }))
        .failed();
    assert_eq!(
        reply.text,
        format!(
            "### Error\nError: browserBackend.callTool: net::ERR_CONNECTION_REFUSED at {url}\nCall log:\n  - navigating to \"{url}\", waiting until \"domcontentloaded\"\n"
        )
    );
}

fn an_empty_answer_is_an_error(stage: &Stage) {
    let url = stage.pages.put("/nothing", Answer::hang_up());
    stage
        .call("browser_navigate", json!({ "url": url }))
        .failed()
        .says(
            "
        ### Error
        Error: browserBackend.callTool: net::ERR_EMPTY_RESPONSE at http://HOST/nothing
        Call log:
          - navigating to \"http://HOST/nothing\", waiting until \"domcontentloaded\"

        ",
        );
}

fn no_content_aborts(stage: &Stage) {
    let url = stage
        .pages
        .put("/204", Answer::text("").status(204, "No Content"));
    stage
        .call("browser_navigate", json!({ "url": url }))
        .failed()
        .says(
            "
        ### Error
        Error: browserBackend.callTool: net::ERR_ABORTED at http://HOST/204
        Call log:
          - navigating to \"http://HOST/204\", waiting until \"domcontentloaded\"

        ",
        );
}

fn addresses_are_completed(stage: &Stage) {
    // The error page of a failed navigation may arrive late.
    stage.call("browser_close", json!({})).fine();
    stage.pages.put("/x", Answer::page("X", "x"));
    let bare = stage.pages.other_origin().replace("http://", "");
    let reply = stage
        .call("browser_navigate", json!({ "url": format!("{bare}/x") }))
        .fine();
    reply
        .has(&format!("await page.goto('{bare}/x');"))
        .has("- Page URL: http://OTHER/x\n");
    // Nothing listens on port 9; what counts is the scheme that was put before.
    let reply = stage
        .call("browser_navigate", json!({ "url": "127.0.0.1:9" }))
        .failed();
    reply.has(" at https://127.0.0.1:9");
}

fn an_address_that_is_none(stage: &Stage) {
    stage.call("browser_navigate", json!({ "url": "" })).failed().says(
        "
        ### Error
        Error: browserBackend.callTool: Protocol error (Page.navigate): Cannot navigate to invalid URL
        Call log:
          - navigating to \"https://\", waiting until \"domcontentloaded\"

        ",
    );
}

fn files_are_blocked(stage: &Stage) {
    stage
        .call("browser_navigate", json!({ "url": "file:///etc/passwd" }))
        .failed()
        .says(
            "
        ### Error
        Error: Access to \"file:\" protocol is blocked. Attempted URL: \"file:///etc/passwd\"
        ",
        );
}

fn scripts_as_addresses_abort(stage: &Stage) {
    // The error page of a failed navigation may arrive late.
    stage.call("browser_close", json!({})).fine();
    stage.show("x");
    let reply = stage
        .call("browser_navigate", json!({ "url": "javascript:1" }))
        .failed();
    reply.has("net::ERR_ABORTED at javascript:1");
}

fn a_data_page_has_no_title(stage: &Stage) {
    stage.open("data:text/html,<h1>Hi</h1>").says(
        "
        ### Ran Playwright code
        ```js
        await page.goto('data:text/html,<h1>Hi</h1>');
        ```
        ### Page
        - Page URL: data:text/html,<h1>Hi</h1>
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ",
    );
}

fn a_download_is_no_navigation(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    let url = stage
        .pages
        .put("/dl", Answer::download("srv name.txt", "content"));
    stage.open(&url).says(
        "
        ### Ran Playwright code
        ```js
        await page.goto('http://HOST/dl');
        ```
        ### Page
        - Page URL: about:blank
        ### Snapshot
        - [Snapshot](.playwright-mcp/page-<ts>.yml)
        ### Events
        - Downloading file srv name.txt ...
        - Downloaded file srv name.txt to \".playwright-mcp/srv-name.txt\"
        ",
    );
    let file = stage.workspace().join(".playwright-mcp/srv-name.txt");
    assert_eq!(
        std::fs::read_to_string(file).expect("the download"),
        "content"
    );
}

fn closing_says_that_no_tab_is_left(stage: &Stage) {
    stage.call("browser_close", json!({})).fine().says(
        "
        ### Result
        No open tabs. Navigate to a URL to create one.
        ### Ran Playwright code
        ```js
        await page.close()
        ```
        ",
    );
}
