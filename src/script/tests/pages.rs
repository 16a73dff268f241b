//! `page`, its keyboard and mouse, and the context.

use super::*;

async fn page_asks(code: &str) -> Value {
    let mut asked = asked(&format!("async (page) => {{ await page.{code} }}")).await;
    assert_eq!(asked.len(), 1, "{code}");
    asked.remove(0)
}

#[tokio::test]
async fn page_actions() {
    let page = |action: Value| json!({ "page": { "page": 1, "action": action } });
    let function = |source: &str, argument: &str| json!({ "source": source, "isFunction": true, "arguments": [argument] });
    for (code, expected) in [
        (
            "goto('https://a.test', { waitUntil: 'domcontentloaded', timeout: 5 })",
            page(
                json!({ "goto": { "url": "https://a.test", "waitUntil": "domcontentloaded", "timeout": 5.0 } }),
            ),
        ),
        ("reload()", page(json!("reload"))),
        ("goBack()", page(json!("goBack"))),
        ("goForward()", page(json!("goForward"))),
        ("title()", page(json!("title"))),
        ("content()", page(json!("content"))),
        (
            "setContent('<p>')",
            page(json!({ "setContent": { "html": "<p>" } })),
        ),
        (
            "evaluate(() => 1)",
            page(json!({ "evaluate": { "function": function("() => 1", "undefined") } })),
        ),
        (
            "evaluate((x) => x, { a: [1, NaN, undefined, -0, 5n], d: new Date(3), r: /a\"/g, __proto__: null })",
            page(
                json!({ "evaluate": { "function": function("(x) => x", "{\"a\":[1,NaN,undefined,-0,5n],\"d\":new Date(3),\"r\":new RegExp(\"a\\\"\",\"g\")}") } }),
            ),
        ),
        (
            "evaluate((x) => x, new Map([[1, new Set([2])]]))",
            page(
                json!({ "evaluate": { "function": function("(x) => x", "new Map([[1,new Set([2])]])") } }),
            ),
        ),
        ("bringToFront()", page(json!("bringToFront"))),
        ("close()", page(json!("close"))),
        (
            "setViewportSize({ width: 5, height: 6 })",
            page(json!({ "setViewportSize": { "size": { "width": 5.0, "height": 6.0 } } })),
        ),
        (
            "waitForTimeout(1)",
            page(json!({ "waitForTimeout": { "duration": 1.0 } })),
        ),
        (
            "waitForLoadState('networkidle')",
            page(json!({ "waitForLoadState": { "state": "networkidle" } })),
        ),
        (
            "waitForURL('**/x')",
            page(json!({ "waitForLoadState": { "state": "load" } })),
        ),
        (
            "waitForFunction(() => 1, 2, { polling: 50 })",
            page(
                json!({ "waitForFunction": { "function": function("() => 1", "2"), "polling": 50.0 } }),
            ),
        ),
        (
            "screenshot({ fullPage: true })",
            page(json!({ "screenshot": { "options": { "fullPage": true } } })),
        ),
        (
            "addInitScript((a) => a, 5)",
            page(json!({ "addInitScript": { "source": "((a) => a)(5)" } })),
        ),
    ] {
        // Variants with nothing but absent fields stay as objects; the comparison is without them.
        let asked = page_asks(code).await;
        let plain = compact(expected.clone());
        let bare = json!({ "page": { "page": 1 } });
        assert!(asked == plain || asked == bare, "{code}: {asked}");
    }
}

#[tokio::test]
async fn elements_can_be_arguments_of_evaluate() {
    let asked = page_asks("evaluate(e => e.id, page.locator('#a'))").await;
    assert_eq!(asked["locator"]["selector"], "#a");
    let error = thrown("page => page.evaluate(e => e, [page.locator('a')])").await;
    assert!(error.text.contains("elements inside arguments"), "{error}");
}

#[tokio::test]
async fn keys_and_mouse() {
    let keyboard = |action: Value| json!({ "keyboard": { "page": 1, "action": action } });
    let mouse = |action: Value| json!({ "mouse": { "page": 1, "action": action } });
    for (code, expected) in [
        (
            "keyboard.press('Control+A', { delay: 4 })",
            keyboard(json!({ "press": { "key": "Control+A", "delay": 4.0 } })),
        ),
        (
            "keyboard.type('ab')",
            keyboard(json!({ "type": { "text": "ab" } })),
        ),
        (
            "keyboard.insertText('ü')",
            keyboard(json!({ "insertText": { "text": "ü" } })),
        ),
        (
            "keyboard.down('Shift')",
            keyboard(json!({ "down": { "key": "Shift" } })),
        ),
        (
            "keyboard.up('Shift')",
            keyboard(json!({ "up": { "key": "Shift" } })),
        ),
        (
            "mouse.move(1, 2.5, { steps: 3 })",
            mouse(json!({ "move": { "x": 1.0, "y": 2.5, "steps": 3 } })),
        ),
        (
            "mouse.click(1, 2, { button: 'middle' })",
            mouse(json!({ "click": { "x": 1.0, "y": 2.0, "button": "middle" } })),
        ),
        (
            "mouse.dblclick(1, 2)",
            mouse(json!({ "click": { "x": 1.0, "y": 2.0, "clickCount": 2 } })),
        ),
        (
            "mouse.wheel(0, 100)",
            mouse(json!({ "wheel": { "deltaX": 0.0, "deltaY": 100.0 } })),
        ),
    ] {
        assert_eq!(page_asks(code).await, expected, "{code}");
    }
}

#[tokio::test]
async fn the_context() {
    let context = |action: Value| json!({ "context": { "action": action } });
    for (code, expected) in [
        ("newPage()", context(json!("newPage"))),
        (
            "cookies('https://a.test')",
            context(json!({ "cookies": { "urls": ["https://a.test"] } })),
        ),
        (
            "addCookies([{ name: 'a', value: 'b', url: 'https://a.test' }])",
            context(
                json!({ "addCookies": { "cookies": [{ "name": "a", "value": "b", "url": "https://a.test" }] } }),
            ),
        ),
        (
            "clearCookies({ name: 'a', domain: /b/i })",
            context(
                json!({ "clearCookies": { "name": { "text": "a" }, "domain": { "regex": { "source": "b", "flags": "i" } } } }),
            ),
        ),
        (
            "grantPermissions(['camera'], { origin: 'https://a.test' })",
            context(
                json!({ "grantPermissions": { "permissions": ["camera"], "origin": "https://a.test" } }),
            ),
        ),
        ("clearPermissions()", context(json!("clearPermissions"))),
        (
            "setGeolocation({ latitude: 1, longitude: 2 })",
            context(
                json!({ "setGeolocation": { "geolocation": { "latitude": 1, "longitude": 2 } } }),
            ),
        ),
        (
            "setOffline(true)",
            context(json!({ "setOffline": { "offline": true } })),
        ),
        ("storageState()", context(json!("storageState"))),
        (
            "addInitScript('x = 1')",
            context(json!({ "addInitScript": { "source": "x = 1" } })),
        ),
    ] {
        assert_eq!(
            page_asks(&format!("context().{code}")).await,
            expected,
            "{code}"
        );
    }
}

#[tokio::test]
async fn facts_about_pages_are_read_at_once() {
    assert_eq!(value("(page) => page.url()").await, "\"https://a.test/x\"");
    assert_eq!(
        value("(page) => page.viewportSize()").await,
        "{\"width\":800,\"height\":600}"
    );
    assert_eq!(value("(page) => page.isClosed()").await, "false");
    assert_eq!(
        value("(page) => page.context().pages().map(p => p.url())").await,
        "[\"https://a.test/x\",\"about:blank\"]"
    );
    assert_eq!(
        value("(page) => page.context().pages()[0] === page").await,
        "true"
    );
    let asked = asked("async (page) => { const other = await page.context().newPage(); await other.title(); await other.click('a') }").await;
    assert_eq!(
        asked[1],
        json!({ "page": { "page": 2, "action": "title" } })
    );
    assert_eq!(asked[2]["locator"]["page"], 2);
}

#[tokio::test]
async fn answers_have_playwrights_shapes() {
    assert_eq!(value("async (page) => { const r = await page.goto('https://a.test/x'); return [r.status(), r.ok(), r.url(), r.request().method(), await r.json()] }").await,
        "[200,true,\"https://a.test/x\",\"POST\",{\"k\":1}]");
    assert_eq!(value("async (page) => page.goBack()").await, "null");
    assert_eq!(value("async (page) => page.evaluate(() => 42)").await, "42");
    assert_eq!(
        value("async (page) => (await page.screenshot()).toString('hex')").await,
        "\"89504e47\""
    );
    assert_eq!(
        value("async (page) => page.locator('a').textContent()").await,
        "\"text\""
    );
    assert_eq!(
        value("async (page) => page.context().cookies()").await,
        "[{\"name\":\"a\",\"value\":\"1\"}]"
    );
}

#[tokio::test]
async fn default_timeouts_are_filled_in() {
    let asked = asked("async (page) => { page.setDefaultTimeout(9); page.setDefaultNavigationTimeout(8); await page.click('a'); await page.locator('a').click({ timeout: 1 }); await page.goto('x:'); await page.locator('a').count() }").await;
    let timeouts: Vec<&Value> = asked
        .iter()
        .map(|one| match &one["page"] {
            Value::Null => &one["locator"]["options"]["timeout"],
            page => &page["action"]["goto"]["timeout"],
        })
        .collect();
    assert_eq!(
        timeouts,
        [&json!(9.0), &json!(1.0), &json!(8.0), &Value::Null]
    );
}

#[tokio::test]
async fn calls_start_in_order_and_run_together() {
    let started = std::time::Instant::now();
    let asked = asked("async (page) => { await Promise.all([page.waitForTimeout(200), page.waitForTimeout(200), page.title()]) }").await;
    assert!(started.elapsed() < Duration::from_millis(390));
    assert_eq!(asked[2]["page"]["action"], "title");
}
