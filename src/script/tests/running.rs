//! Forms of code, results, exceptions, logs, init pages.

use super::*;

#[tokio::test]
async fn a_function_gets_the_page() {
    assert_eq!(
        value("async (page) => await page.title()").await,
        "\"Title\""
    );
    assert_eq!(value("(page) => page.url()").await, "\"https://a.test/x\"");
    assert_eq!(value("async function f(page) { return 1 }").await, "1");
}

#[tokio::test]
async fn results_are_compact_json() {
    assert_eq!(
        value("async () => ({ message: 'Hello, world!', list: [1, null, undefined], gone: undefined })").await,
        "{\"message\":\"Hello, world!\",\"list\":[1,null,null]}"
    );
    assert_eq!(value("async () => 'é\\ud800'").await, "\"é\\ud800\"");
    assert_eq!(
        value("async () => new Date(0)").await,
        "\"1970-01-01T00:00:00.000Z\""
    );
    assert_eq!(value("async () => {}").await, "undefined");
    assert_eq!(value("async () => () => 1").await, "undefined");
}

#[tokio::test]
async fn lenient_code_may_be_an_expression_or_statements() {
    assert_eq!(value("await page.title()").await, "\"Title\"");
    assert_eq!(value("page.title()").await, "\"Title\"");
    assert_eq!(
        value("const t = await page.title();\nreturn t + '!';").await,
        "\"Title!\""
    );
    assert_eq!(value("async (page) => { return 5; };\n").await, "5");
    assert_eq!(value("async (page) => 6 // the end").await, "6");
    assert_eq!(value("").await, "undefined");
}

#[tokio::test]
async fn strict_code_must_be_a_function() {
    let (_, session) = start(Limits::default());
    for code in ["5", "page.title()"] {
        let error = session.run_code(code, Form::Function).await.unwrap_err();
        assert_eq!(error.to_string(), "TypeError: __fn__ is not a function");
    }
    let error = session.run_code("const x = 1", Form::Function).await;
    assert!(error.unwrap_err().to_string().starts_with("SyntaxError: "));
    let done = session.run_code("() => 1", Form::Function).await.unwrap();
    assert_eq!(done.json.as_deref(), Some("1"));
}

#[tokio::test]
async fn exceptions_have_text_and_line() {
    let error = thrown("async (page) => {\n  const x = 1;\n  throw new TypeError('no');\n}").await;
    assert_eq!(error.text, "TypeError: no");
    assert_eq!(error.line, Some(3));
    let error = thrown("async () => {\n\n  nothing();\n}").await;
    assert_eq!(
        (error.text.as_str(), error.line),
        ("ReferenceError: nothing is not defined", Some(3))
    );
    assert_eq!(thrown("async () => { throw 'text' }").await.text, "text");
    assert_eq!(
        thrown("async () => { throw { a: 1 } }").await.text,
        "[object Object]"
    );
    assert_eq!(thrown("async () => { throw null }").await.text, "null");
    assert_eq!(
        thrown("async () => { throw Symbol('s') }").await.text,
        "Symbol(s)"
    );
    let error =
        thrown("async () => { throw Object.assign(new Error('m'), { name: 'Own' }) }").await;
    assert_eq!(error.text, "Own: m");
}

#[tokio::test]
async fn faults_of_the_host_carry_the_method_and_the_line() {
    let error =
        thrown("async (page) => {\n  await page.title();\n  await page.click('#missing');\n}")
            .await;
    assert_eq!(
        error.text,
        "TimeoutError: page.click: Timeout 300ms exceeded.\nCall log:\n  - waiting for locator('#missing')\n"
    );
    assert_eq!(error.line, Some(3));
    let error = thrown("async (page) => page.locator('#missing').fill('x')").await;
    assert!(
        error
            .text
            .starts_with("TimeoutError: locator.fill: Timeout"),
        "{error}"
    );
    let error = thrown("async (page) => page.goto('https://fails.test')").await;
    assert_eq!(
        error.text,
        "Error: page.goto: net::ERR_FAILED at https://fails.test"
    );
    // They can be caught like any exception.
    let code = "async (page) => { try { await page.click('#missing') } catch (e) { return [e instanceof Error, e.name] } }";
    assert_eq!(value(code).await, "[true,\"TimeoutError\"]");
}

#[tokio::test]
async fn syntax_errors_name_the_line() {
    let error = thrown("async (page) => {\n  const a = ;\n}").await;
    assert!(error.text.starts_with("SyntaxError: "), "{error}");
    assert_eq!(error.line, Some(2));
    // Statements are read as such when they get further.
    let error = thrown("const a = 1;\nconst b = 2;\nconst c = = 3;").await;
    assert_eq!(error.line, Some(3), "{error}");
}

#[tokio::test]
async fn what_is_not_there_says_so() {
    let error = thrown("async (page) => {\n  require('fs');\n}").await;
    assert_eq!(error.text, "ReferenceError: require is not defined");
    assert_eq!(error.line, Some(2));
    let shown = error.to_string();
    assert!(
        shown.starts_with("ReferenceError: require is not defined\nnot available in PlayGuard: "),
        "{shown}"
    );
    assert_eq!(
        error.upstream_text(),
        "ReferenceError: require is not defined"
    );
    assert!(
        thrown("() => process.env")
            .await
            .hint
            .unwrap()
            .contains("process")
    );
    assert!(
        thrown("() => document.title")
            .await
            .hint
            .unwrap()
            .contains("page.evaluate")
    );
    assert_eq!(
        value("() => [typeof require, typeof process, typeof fs]").await,
        "[\"undefined\",\"undefined\",\"undefined\"]"
    );
    let error = thrown("async (page) => page.frames()").await;
    assert_eq!(
        error.text,
        "Error: page.frames: not available in PlayGuard: use page.frameLocator(…)"
    );
    let error = thrown("async () => { await import('fs') }").await;
    assert!(error.text.contains("fs"), "{error}");
}

#[tokio::test]
async fn rejections_that_nobody_handles_end_the_run() {
    let code = "async (page) => { setTimeout(() => { throw new Error('late') }, 5); await page.waitForTimeout(5000); }";
    let error = thrown(code).await;
    assert!(error.in_callback);
    assert_eq!(error.text, "Error: late");
    assert_eq!(error.upstream_text(), "Error: Error: late\n\nError: late");
    let code = "async (page) => { page.click('#missing'); await page.waitForTimeout(5000); }";
    assert!(thrown(code).await.in_callback);
    // Handled within the same turn: nothing happened.
    assert_eq!(
        value("async () => { const p = Promise.reject(1); p.catch(() => {}); return 2 }").await,
        "2"
    );
}

#[tokio::test]
async fn console_goes_to_the_log() {
    let (_, session) = start(Limits::default());
    let code = "() => { console.log('a', 1, { b: 2 }, [3n === 3n]); console.error(new Error('e')); console.warn(undefined, null, 5n) }";
    let outcome = session.run_code(code, Form::Function).await.unwrap();
    let lines: Vec<(&str, &str)> = outcome
        .log
        .iter()
        .map(|line| (line.level.as_str(), line.text.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            ("log", "a 1 {\"b\":2} [true]"),
            ("error", "Error: e"),
            ("warn", "undefined null 5n")
        ]
    );
    let outcome = session.run_code("() => 1", Form::Function).await.unwrap();
    assert!(outcome.log.is_empty());
}

#[tokio::test]
async fn the_log_is_bounded() {
    let (_, session) = start(Limits {
        log: 1000,
        ..Limits::default()
    });
    let code = "() => { for (let i = 0; i < 10000; i++) console.log('line ' + i) }";
    let log = session.run_code(code, Form::Function).await.unwrap().log;
    assert!(log.len() < 60);
    assert_eq!(
        log.last().unwrap().text,
        "[more than 1000 bytes; the rest is left out]"
    );
}

#[tokio::test]
async fn init_pages_are_modules() {
    let (host, session) = start(Limits::default());
    let source = "const size: { width: number } = { width: 1 };\nexport default async ({ page }) => {\n  await page.context().grantPermissions(['geolocation']);\n  await page.setContent('<p>' + size.width);\n};";
    session.run_init_page("init.ts", source).await.unwrap();
    assert_eq!(
        host.asked(),
        [
            json!({ "context": { "action": { "grantPermissions": { "permissions": ["geolocation"] } } } }),
            json!({ "page": { "page": 1, "action": { "setContent": { "html": "<p>1" } } } }),
        ]
    );
}

#[tokio::test]
async fn init_pages_may_be_common_modules() {
    let (host, session) = start(Limits::default());
    session
        .run_init_page(
            "init.js",
            "module.exports = async ({ page }) => { await page.title() }",
        )
        .await
        .unwrap();
    session
        .run_init_page(
            "init.js",
            "exports.default = async ({ page }) => { await page.title() }",
        )
        .await
        .unwrap();
    assert_eq!(host.asked().len(), 2);
}

#[tokio::test]
async fn init_pages_that_fail_say_where() {
    let (_, session) = start(Limits::default());
    let fails = async |source: &str| session.run_init_page("init.ts", source).await.unwrap_err();
    let ScriptError::Thrown(error) =
        fails("export default async () => {\n  throw new Error('Hello');\n}").await
    else {
        panic!()
    };
    assert_eq!((error.text.as_str(), error.line), ("Error: Hello", Some(2)));
    let error = fails("export const x = 1;").await;
    assert!(
        error
            .to_string()
            .contains("an init page must export a function"),
        "{error}"
    );
    let error = fails("import fs from 'fs';\nexport default () => fs;").await;
    assert!(error.to_string().contains("fs"), "{error}");
    let error = fails("export default (").await;
    assert!(error.to_string().starts_with("SyntaxError"), "{error}");
}

#[tokio::test]
async fn init_pages_may_patch_methods_that_tools_use() {
    let (host, session) = start(Limits::default());
    assert!(!session.is_patched("screenshot").await.unwrap());
    let source = "export default ({ page }) => {\n  const old = page.screenshot;\n  page.screenshot = async (options) => { await page.title(); return old.call(page, { ...options, type: 'png' }); };\n};";
    session.run_init_page("init.js", source).await.unwrap();
    assert!(session.is_patched("screenshot").await.unwrap());
    assert!(!session.is_patched("title").await.unwrap());
    let outcome = session
        .call_method("screenshot", vec![json!({ "scale": "css" })])
        .await
        .unwrap();
    assert_eq!(
        outcome.json.as_deref(),
        Some("{\"type\":\"Buffer\",\"data\":[137,80,78,71]}")
    );
    assert_eq!(
        host.asked(),
        [
            json!({ "page": { "page": 1, "action": "title" } }),
            json!({ "page": { "page": 1, "action": { "screenshot": { "options": { "scale": "css", "type": "png" } } } } }),
        ]
    );
}

#[tokio::test]
async fn runs_of_a_session_share_its_globals_and_follow_one_another() {
    let (_, session) = start(Limits::default());
    let first = session.run_code(
        "async (page) => { await page.waitForTimeout(20); globalThis.x = 1 }",
        Form::Function,
    );
    let second = session.run_code("() => globalThis.x", Form::Function);
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.unwrap().json, None);
    assert_eq!(second.unwrap().json.as_deref(), Some("1"));
}

#[tokio::test]
async fn the_log_of_a_failed_run_can_be_had() {
    let (_, session) = start(short());
    let code = "() => { console.log('here'); for (;;); }";
    session.run_code(code, Form::Function).await.unwrap_err();
    let log = session.take_log();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].text, "here");
    assert!(session.take_log().is_empty());
}
