//! Console and network: what a page logs and asks for can be read afterwards,
//! and a page that never rests holds nobody up.

mod common;

use std::time::Duration;

use common::{Answer, Gate, Launch, PATIENCE, Stage, wait_for};
use serde_json::{Value, json};

#[test]
fn console() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        values_are_previewed,
        levels_include_the_graver_ones,
        exceptions_and_rejections_are_errors,
        workers_and_foreign_frames_are_heard,
        a_flood_is_kept_within_bounds,
        unusual_characters,
        a_log_file_is_linked_once,
    );
}

#[test]
fn network() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        requests_are_numbered_in_order,
        redirects_are_listed_hop_by_hop,
        bodies_can_be_read,
        a_binary_body_becomes_a_file,
        requests_of_foreign_frames_are_listed,
        a_pending_request_has_no_result,
        a_request_that_fails,
        filters_are_patterns,
    );
}

#[test]
fn waiting() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        a_click_waits_for_what_it_asked_for,
        a_click_waits_for_the_page_it_opens,
        a_page_that_never_rests_is_usable,
        a_page_whose_load_never_ends,
        a_link_that_is_never_answered,
        a_text_that_comes_late,
        calls_run_side_by_side,
    );
}

#[test]
fn a_navigation_without_an_answer_ends_in_time() {
    let stage = Stage::new(Launch::new().args(["--timeout-navigation", "2000"]));
    let url = stage.pages.put("/never", Answer::silence());
    stage
        .call("browser_navigate", json!({ "url": url }))
        .failed()
        .within(Duration::from_secs(20))
        .has("Timeout 2000ms exceeded.");
    stage
        .pages
        .put("/fine", Answer::page("Fine", "<p>fine</p>"));
    stage.open(&stage.pages.url("/fine"));
}

fn messages(stage: &Stage, level: &str) -> String {
    let arguments = json!({ "level": level });
    stage
        .call("browser_console_messages", arguments)
        .fine()
        .plain
}

fn values_are_previewed(stage: &Stage) {
    stage.show("x");
    stage.value(
        "(console.log('%s is %d', 'x', 4, { a: { b: 1 }, c: [1] }, [1, 'two', null], new Error('e').message, document.body, () => 1, new Map([[1, 2]])), 0)",
    );
    let text = messages(stage, "info");
    for part in [
        "[LOG] ",
        " x 4 {a: Object, c: Array(1)} [1, two, null] e ",
        " () => 1 Map(1)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn levels_include_the_graver_ones(stage: &Stage) {
    stage.show("<script>console.debug('dd'); console.log('ll'); console.warn('ww'); console.error('ee')</script>");
    for (level, shown) in [
        ("debug", &["dd", "ll", "ww", "ee"][..]),
        ("info", &["ll", "ww", "ee"]),
        ("warning", &["ww", "ee"]),
        ("error", &["ee"]),
    ] {
        let text = messages(stage, level);
        assert!(
            text.contains("Total messages: 4 (Errors: 1, Warnings: 1)"),
            "{text}"
        );
        for word in ["dd", "ll", "ww", "ee"] {
            let line = format!("] {word} @ http://HOST/:0");
            assert_eq!(
                text.contains(&line),
                shown.contains(&word),
                "{level} {word}: {text}"
            );
        }
    }
}

fn exceptions_and_rejections_are_errors(stage: &Stage) {
    stage.show(
        "<button onclick=\"setTimeout(() => { throw new TypeError('thrown') }); Promise.reject(new Error('rejected')); setTimeout(() => { throw 'a string' })\">Go</button>",
    );
    stage
        .click("Go")
        .fine()
        .has("- Console: 3 errors, 0 warnings");
    let text = messages(stage, "error");
    for part in ["TypeError: thrown", "Error: rejected", "a string"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn workers_and_foreign_frames_are_heard(stage: &Stage) {
    stage.pages.put(
        "/worker.js",
        Answer::new(
            "text/javascript",
            "console.log('from the worker'); postMessage(1)",
        ),
    );
    stage.pages.put(
        "/frame",
        Answer::page("F", "<script>console.log('from the frame')</script>"),
    );
    let frame = format!("{}/frame", stage.pages.other_origin());
    stage.show(&format!(
        "<iframe src='{frame}'></iframe><script>const worker = new Worker('/worker.js')</script>"
    ));
    for part in [
        "from the worker @ http://HOST/worker.js:0",
        "from the frame @ http://OTHER/frame:0",
    ] {
        wait_for(part, PATIENCE, || {
            messages(stage, "info").contains(part).then_some(())
        });
    }
}

fn a_flood_is_kept_within_bounds(stage: &Stage) {
    stage.show("x");
    stage.value(
        "(() => { for (let i = 0; i < 5000; i++) console.log('message ' + i); return 0 })()",
    );
    let text = wait_for("the last message", PATIENCE, || {
        Some(messages(stage, "info")).filter(|text| text.contains("message 4999 "))
    });
    let count = text
        .lines()
        .filter(|line| line.starts_with("[LOG]"))
        .count();
    assert!((100..=200).contains(&count), "{count}");
}

fn unusual_characters(stage: &Stage) {
    stage.show("x");
    stage.value(r#"(console.log("nul \0, high \uD83D, low \uDE00, family 👩‍👩‍👧, two\nlines"), 0)"#);
    let text = messages(stage, "info");
    assert!(text.contains("family 👩‍👩‍👧, two\nlines"), "{text}");
    assert!(text.contains("high \u{fffd}, low \u{fffd}"), "{text}");
}

fn a_log_file_is_linked_once(stage: &Stage) {
    stage.show("<button onclick=\"console.log('pressed')\">Go</button>");
    let file = |reply: &common::Reply| {
        let events = reply.section("Events").expect("events");
        let link = events
            .strip_prefix("- New console entries: ")
            .expect("a link")
            .to_owned();
        let (path, lines) = link.split_once('#').expect("lines");
        (stage.workspace().join(path), lines.to_owned())
    };
    let (first, lines) = file(&stage.click("Go").fine());
    assert_eq!(lines, "L1");
    let (second, lines) = file(&stage.click("Go").fine());
    assert_eq!((second, lines.as_str()), (first.clone(), "L2"));
    let quiet = stage.call("browser_snapshot", json!({})).fine();
    quiet.lacks("New console entries");
    let log = std::fs::read_to_string(first).expect("the log");
    assert_eq!(log.matches("[LOG] pressed @ ").count(), 2, "{log}");
}

/// The list of requests, static ones included.
fn requests(stage: &Stage) -> String {
    let arguments = json!({ "static": true });
    let reply = stage.call("browser_network_requests", arguments).fine();
    reply.plain.trim_start_matches("### Result\n").to_owned()
}

fn detail(stage: &Stage, index: usize, part: &str) -> String {
    let arguments = json!({ "index": index, "part": part });
    let reply = stage.call("browser_network_request", arguments).fine();
    reply.section("Result").unwrap_or_default()
}

fn requests_are_numbered_in_order(stage: &Stage) {
    stage.pages.put("/one", Answer::json("1"));
    stage.pages.put(
        "/two",
        Answer::text("no").status(500, "Internal Server Error"),
    );
    stage.show("x");
    stage.value("fetch('/one').then(() => fetch('/two', { method: 'PUT' })).then(() => 0)");
    assert_eq!(
        requests(stage),
        "1. [GET] http://HOST/ => [200] OK\n\
         2. [GET] http://HOST/one => [200] OK\n\
         3. [PUT] http://HOST/two => [500] Internal Server Error"
    );
    // A navigation starts the list anew.
    stage.show("y");
    assert_eq!(requests(stage), "1. [GET] http://HOST/ => [200] OK");
}

fn redirects_are_listed_hop_by_hop(stage: &Stage) {
    stage.pages.put("/b", Answer::redirect("/c"));
    stage.pages.put("/c", Answer::page("C", "there"));
    stage.open(&stage.pages.put("/a", Answer::redirect("/b")));
    assert_eq!(
        requests(stage),
        "1. [GET] http://HOST/a => [302] Found\n\
         2. [GET] http://HOST/b => [302] Found\n\
         3. [GET] http://HOST/c => [200] OK"
    );
}

fn bodies_can_be_read(stage: &Stage) {
    stage.pages.on("/echo", |request| {
        Answer::json(&format!(
            "{{\"got\":{}}}",
            Value::from(String::from_utf8_lossy(&request.body))
        ))
        .header("X-Method", &request.method)
    });
    stage.show("x");
    stage.value("fetch('/echo', { method: 'POST', body: 'ask ü', headers: { 'X-Own': 'me' } }).then(r => r.text())");
    assert_eq!(detail(stage, 2, "request-body"), "ask ü");
    assert_eq!(detail(stage, 2, "response-body"), "{\"got\":\"ask ü\"}");
    assert!(detail(stage, 2, "request-headers").contains("x-own: me"));
    assert!(
        detail(stage, 2, "response-headers")
            .to_lowercase()
            .contains("x-method: post")
    );
    let sent = stage.pages.requests("/echo");
    assert_eq!(
        sent.last().map(|request| request.headers["x-own"].as_str()),
        Some("me")
    );
}

fn a_binary_body_becomes_a_file(stage: &Stage) {
    let bytes: Vec<u8> = (0..=255).collect();
    stage
        .pages
        .put("/bytes", Answer::new("image/x-own", bytes.clone()));
    stage.show("x");
    stage.value("fetch('/bytes').then(r => r.arrayBuffer()).then(() => 0)");
    let path = detail(stage, 2, "response-body");
    let file = std::fs::read(stage.workspace().join(&path))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(file, bytes);
}

fn requests_of_foreign_frames_are_listed(stage: &Stage) {
    stage.pages.put(
        "/frame",
        Answer::page("F", "<script>fetch('/inside').then(r => r.text())</script>"),
    );
    stage.pages.put("/inside", Answer::json("7"));
    let source = format!("{}/frame", stage.pages.other_origin());
    stage.show(&format!("<iframe src='{source}'></iframe>"));
    let list = wait_for("the frame's request", PATIENCE, || {
        Some(requests(stage)).filter(|list| list.contains("[GET] http://OTHER/inside => [200] OK"))
    });
    let line = list
        .lines()
        .find(|line| line.contains("/inside"))
        .expect("a line");
    let index = line
        .split('.')
        .next()
        .and_then(|index| index.parse().ok())
        .expect("an index");
    assert_eq!(detail(stage, index, "response-body"), "7");
}

fn a_pending_request_has_no_result(stage: &Stage) {
    let gate = Gate::new();
    stage.pages.put("/wait", Answer::json("1").behind(&gate));
    stage.show("x");
    stage.value("(fetch('/wait').then(() => { document.title = 'done' }), 0)");
    assert!(
        requests(stage).ends_with("2. [GET] http://HOST/wait"),
        "{}",
        requests(stage)
    );
    assert_eq!(detail(stage, 2, "response-body"), "");
    gate.open();
    stage.until("document.title === 'done'");
    assert!(requests(stage).ends_with("2. [GET] http://HOST/wait => [200] OK"));
}

fn a_request_that_fails(stage: &Stage) {
    stage.pages.put("/cut", Answer::hang_up());
    stage.show("x");
    stage.value("fetch('/cut').catch(() => 0)");
    assert_eq!(
        requests(stage)
            .matches("[GET] http://HOST/cut => [FAILED] net::ERR_EMPTY_RESPONSE")
            .count(),
        1,
        "{}",
        requests(stage)
    );
}

fn filters_are_patterns(stage: &Stage) {
    for name in ["a1", "a2", "b1"] {
        stage.pages.put(&format!("/{name}"), Answer::json("0"));
    }
    stage.show("x");
    stage.value("Promise.all(['/a1', '/a2', '/b1'].map(path => fetch(path))).then(() => 0)");
    let arguments = json!({ "static": false, "filter": "/a\\d$" });
    let reply = stage.call("browser_network_requests", arguments).fine();
    reply
        .has("http://HOST/a1 ")
        .has("http://HOST/a2 ")
        .lacks("/b1");
}

fn a_click_waits_for_what_it_asked_for(stage: &Stage) {
    let gate = Gate::new();
    stage.pages.put("/rows", Answer::json("3").behind(&gate));
    stage.show("<button onclick=\"fetch('/rows').then(r => r.text()).then(text => o.textContent = 'rows ' + text)\">Load</button><output id=o></output>");
    let target = stage.find("Load");
    let click = stage.begin("browser_click", json!({ "target": target }));
    wait_for("the request", PATIENCE, || {
        (!stage.pages.requests("/rows").is_empty()).then_some(())
    });
    // Longer than the settle time, shorter than the limit for requests.
    std::thread::sleep(Duration::from_millis(1200));
    gate.open();
    let reply = click.reply().fine();
    assert!(reply.snapshot().contains("rows 3"), "{}", reply.snapshot());
}

fn a_click_waits_for_the_page_it_opens(stage: &Stage) {
    let gate = Gate::new();
    stage.pages.put(
        "/next",
        Answer::page("Next", "<p>arrived</p>").behind(&gate),
    );
    stage.show("<button onclick=\"setTimeout(() => location = '/next', 50)\">Go</button>");
    let target = stage.find("Go");
    let click = stage.begin("browser_click", json!({ "target": target }));
    wait_for("the request", PATIENCE, || {
        (!stage.pages.requests("/next").is_empty()).then_some(())
    });
    std::thread::sleep(Duration::from_millis(800));
    gate.open();
    let reply = click.reply().fine();
    assert!(reply.snapshot().contains("arrived"), "{}", reply.text);
    reply.has("- Page URL: http://HOST/next");
}

fn a_page_that_never_rests_is_usable(stage: &Stage) {
    stage.pages.put(
        "/stream",
        Answer::new("text/event-stream", "data: 1\n\n").unfinished(),
    );
    stage.pages.put("/never.png", Answer::silence());
    stage.pages.put("/tick", Answer::json("1"));
    stage.show(
        "<img src=/never.png><button onclick=\"o.textContent = 'pressed'\">Go</button><output id=o></output><script>
            new EventSource('/stream'); setInterval(() => fetch('/tick'), 200);
        </script>",
    );
    let limit = Duration::from_secs(20);
    let target = stage.find("\"Go\"");
    let click = stage
        .call("browser_click", json!({ "target": target }))
        .fine()
        .within(limit);
    assert!(click.snapshot().contains("pressed"));
}

fn a_page_whose_load_never_ends(stage: &Stage) {
    stage.pages.put("/never.css", Answer::silence());
    let url = stage.pages.put(
        "/endless",
        Answer::page("Endless", "<p>shown</p><img src=/never.css>"),
    );
    stage.open(&url).within(Duration::from_secs(25));
    assert!(stage.snapshot().contains("shown") || stage.snapshot().contains("img"));
    stage.show("<p>next</p>");
}

fn a_link_that_is_never_answered(stage: &Stage) {
    stage.pages.put("/never", Answer::silence());
    stage.show("<a href=/never>Go</a>");
    // Whether this is an error is open; that it ends is not.
    stage.click("Go").within(Duration::from_secs(25));
    stage.show("<p>next</p>");
    assert!(stage.snapshot().contains("next"));
}

fn a_text_that_comes_late(stage: &Stage) {
    stage.show("<p>not yet</p><script>setTimeout(() => document.querySelector('p').textContent = 'here it is', 1500)</script>");
    stage
        .call(
            "browser_wait_for",
            json!({ "text": "here it is", "textGone": "not yet" }),
        )
        .fine();
    assert!(stage.snapshot().contains("here it is"));
}

fn calls_run_side_by_side(stage: &Stage) {
    stage.show("x");
    let long = stage.begin("browser_wait_for", json!({ "time": 3 }));
    let short = stage
        .call("browser_evaluate", json!({ "function": "() => 7" }))
        .fine();
    short.has("7");
    assert!(
        long.try_answer(Duration::from_millis(1)).is_none(),
        "the evaluation waited for the wait"
    );
    long.reply().fine();
}
