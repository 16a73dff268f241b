//! `browser_console_messages`, `browser_network_requests` and
//! `browser_network_request`.

use serde_json::json;

use crate::common::{Answer, Launch, Stage};
use crate::steps;

#[test]
fn logs() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        no_messages,
        messages_of_every_level,
        exceptions_come_last,
        messages_of_the_page_before,
        requests_without_static_ones,
        one_request_in_detail,
        parts_of_a_request,
        failed_and_missing_requests,
        results_in_files,
    );
}

fn no_messages(stage: &Stage) {
    stage.show("x");
    stage
        .call("browser_console_messages", json!({ "level": "info" }))
        .fine()
        .says(
            "
        ### Result
        Total messages: 0 (Errors: 0, Warnings: 0)

        ",
        );
}

fn messages_of_every_level(stage: &Stage) {
    stage.show(
        "<script>
            console.log('text', 1, { a: 1 }, [1, 2], null, undefined, true);
            console.debug('d'); console.info('i'); console.warn('w'); console.error('e');
            console.assert(false, 'as');
        </script>",
    );
    let text = |level: &str| {
        let reply = stage
            .call("browser_console_messages", json!({ "level": level }))
            .fine();
        reply.plain
    };
    assert_eq!(
        text("debug"),
        "### Result\nTotal messages: 6 (Errors: 1, Warnings: 1)\n\n\
         [LOG] text 1 {a: 1} [1, 2] null undefined true @ http://HOST/:1\n\
         [DEBUG] d @ http://HOST/:2\n\
         [INFO] i @ http://HOST/:2\n\
         [WARNING] w @ http://HOST/:2\n\
         [ERROR] e @ http://HOST/:2\n\
         [ASSERT] as @ http://HOST/:3"
    );
    assert_eq!(
        text("warning"),
        "### Result\nTotal messages: 6 (Errors: 1, Warnings: 1)\nReturning 3 messages for level \"warning\"\n\n\
         [WARNING] w @ http://HOST/:2\n\
         [ERROR] e @ http://HOST/:2\n\
         [ASSERT] as @ http://HOST/:3"
    );
    assert_eq!(
        text("error"),
        "### Result\nTotal messages: 6 (Errors: 1, Warnings: 1)\nReturning 2 messages for level \"error\"\n\n\
         [ERROR] e @ http://HOST/:2\n\
         [ASSERT] as @ http://HOST/:3"
    );
}

fn exceptions_come_last(stage: &Stage) {
    stage.show("<script>setTimeout(() => { document.title = 'done'; throw new Error('boom') })</script><script>console.error('first')</script>");
    stage.until("document.title === 'done'");
    stage
        .call("browser_console_messages", json!({ "level": "error" }))
        .fine()
        .matches(
            r"^### Result\nTotal messages: 2 \(Errors: 2, Warnings: 0\)\n\n\[ERROR\] first @ http://HOST/:0\nError: boom\n    at http://HOST/:1:\d+$",
        );
}

fn messages_of_the_page_before(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.pages.put(
        "/after",
        Answer::page("After", "<script>console.log('second')</script>"),
    );
    stage.show("<a href=/after>Go</a><script>console.log('first')</script>");
    stage.click("Go").fine();
    stage
        .call("browser_console_messages", json!({ "level": "info" }))
        .fine()
        .says(
            "
        ### Result
        Total messages: 1 (Errors: 0, Warnings: 0)

        [LOG] second @ http://HOST/after:0
        ",
        );
    stage
        .call(
            "browser_console_messages",
            json!({ "level": "info", "all": true }),
        )
        .fine()
        .says(
            "
        ### Result
        Total messages: 1 (Errors: 0, Warnings: 0)
        Returning 2 messages for level \"info\"

        [LOG] first @ http://HOST/:0
        [LOG] second @ http://HOST/after:0
        ",
        );
}

/// A page with a style sheet, a picture that is missing, and two calls of an
/// interface.
#[track_caller]
fn busy_page(stage: &Stage) {
    stage
        .pages
        .put("/style.css", Answer::new("text/css", "p { color: red }"));
    stage
        .pages
        .put("/api", Answer::json("{\"ok\":true}").header("X-Own", "yes"));
    stage
        .pages
        .put("/gone", Answer::text("gone").status(404, "Not Found"));
    stage.pages.put("/cut", Answer::hang_up());
    stage.pages.put(
        "/bytes",
        Answer::new("application/octet-stream", vec![0, 159, 146, 150]),
    );
    stage.show(
        "<link rel=stylesheet href=/style.css><script>
        (async () => {
            await fetch('/api', { method: 'POST', body: 'question', headers: { 'X-Mine': '1' } }).then(r => r.text());
            await fetch('/gone').then(r => r.text());
            await fetch('/cut').catch(() => {});
            await fetch('/bytes').then(r => r.arrayBuffer());
            document.title = 'done';
        })();
        </script>",
    );
    stage.until("document.title === 'done'");
}

fn requests_without_static_ones(stage: &Stage) {
    busy_page(stage);
    stage
        .call("browser_network_requests", json!({ "static": false }))
        .fine()
        .says(
            "
        ### Result
        3. [POST] http://HOST/api => [200] OK
        4. [GET] http://HOST/gone => [404] Not Found
        5. [GET] http://HOST/cut => [FAILED] net::ERR_EMPTY_RESPONSE
        6. [GET] http://HOST/bytes => [200] OK

        Note: 2 static requests not shown, run with \"static\" option to see them.
        ",
        );
    stage
        .call(
            "browser_network_requests",
            json!({ "static": true, "filter": "style|/$" }),
        )
        .fine()
        .says(
            "
        ### Result
        1. [GET] http://HOST/ => [200] OK
        2. [GET] http://HOST/style.css => [200] OK
        ",
        );
}

fn one_request_in_detail(stage: &Stage) {
    busy_page(stage);
    let reply = stage
        .call("browser_network_request", json!({ "index": 3 }))
        .fine();
    reply
        .matches(
            r"(?m)^#3 \[POST\] http://HOST/api\n\n  General\n    status:    \[200\] OK\n    duration:  \d+ms\n    type:      fetch\n    mimeType:  application/json\n\n  Request headers\n",
        )
        .has("\n    x-mine: 1\n")
        .has("\n\n  Response headers\n")
        .has("\n    content-type: application/json\n")
        .has("\n    x-own: yes\n")
        .matches(
            "\n\nCall browser_network_request with part=\"request-body\" to read the request body.\nCall browser_network_request with part=\"response-body\" to read the response body.$",
        );
}

fn parts_of_a_request(stage: &Stage) {
    busy_page(stage);
    let part = |index: u32, part: &str| {
        let arguments = json!({ "index": index, "part": part });
        stage.call("browser_network_request", arguments).fine()
    };
    assert_eq!(part(3, "request-body").plain, "### Result\nquestion");
    assert_eq!(part(3, "response-body").plain, "### Result\n{\"ok\":true}");
    part(3, "request-headers").has("x-mine: 1");
    part(3, "response-headers")
        .matches("(?m)^content-type: application/json$")
        .matches("(?m)^x-own: yes$");
    assert_eq!(part(4, "request-body").plain, "");
    let bytes = part(6, "response-body");
    let file = bytes.section("Result").expect("a path");
    assert_eq!(
        bytes.plain,
        "### Result\n.playwright-mcp/response-<ts>.octetstream"
    );
    let content = std::fs::read(stage.workspace().join(file)).expect("the body");
    assert_eq!(content, [0, 159, 146, 150]);
}

fn failed_and_missing_requests(stage: &Stage) {
    busy_page(stage);
    stage
        .call("browser_network_request", json!({ "index": 5 }))
        .fine()
        .has("    status:    [FAILED] net::ERR_EMPTY_RESPONSE\n");
    let reply = stage
        .call("browser_network_request", json!({ "index": 99 }))
        .failed();
    assert_eq!(
        reply.plain,
        "### Error\nRequest #99 not found. Use browser_network_requests to see available indexes."
    );
}

fn results_in_files(stage: &Stage) {
    busy_page(stage);
    for (tool, arguments, title, part) in [
        (
            "browser_console_messages",
            json!({ "level": "info", "filename": "logs/console.txt" }),
            "Console",
            "Failed to load resource",
        ),
        (
            "browser_network_requests",
            json!({ "static": true, "filename": "logs/network.txt" }),
            "Network",
            "/style.css => [200] OK",
        ),
        (
            "browser_network_request",
            json!({ "index": 3, "part": "response-body", "filename": "logs/body.txt" }),
            "Response body",
            "{\"ok\":true}",
        ),
        (
            "browser_evaluate",
            json!({ "function": "() => 42", "filename": "logs/value.json" }),
            "Evaluation result",
            "42",
        ),
        (
            "browser_find",
            json!({ "regex": ".*", "filename": "logs/find.txt" }),
            "Find results",
            "",
        ),
    ] {
        let reply = stage.call(tool, arguments).fine();
        let text = reply.linked(title);
        assert!(text.contains(part), "{tool}: {text}");
    }
}
