//! Chains of locator calls as selector text.

use playguard_cdp::locator::{Target, parse_target};

use super::*;

/// The browser's side reads the selector, and prints the chain of calls that it came from.
fn assert_understood(code: &str, selector: &str) {
    let Ok(Target::Selector(read)) = parse_target(selector) else {
        panic!("{code}: {selector}");
    };
    assert_eq!(read.to_string(), selector, "{code}");
    if selector.contains("internal:describe") {
        // Printed as the description alone.
        return;
    }
    let printed = read.to_javascript();
    let Ok(Target::Selector(again)) = parse_target(&printed) else {
        panic!("{code}: {printed}");
    };
    assert_eq!(again.to_string(), selector, "{code}: {printed}");
}

#[tokio::test]
async fn chains() {
    for (code, expected) in [
        ("page.locator('div')", "div"),
        ("page.locator('div').locator('span')", "div >> span"),
        (
            "page.getByRole('heading', { name: 'Title' })",
            "internal:role=heading[name=\"Title\"i]",
        ),
        (
            "page.getByRole('heading', { name: 'a \"b\" \\\\', exact: true, level: 2 })",
            "internal:role=heading[name=\"a \\\"b\\\" \\\\\"s][level=2]",
        ),
        (
            "page.getByRole('button', { name: /x\\/\"y>>z/i, includeHidden: true, pressed: 'mixed' })",
            "internal:role=button[name=/x\\/\\\"y\\>\\>z/i][pressed=mixed][include-hidden=true]",
        ),
        ("page.getByText('it\\'s\\n')", "internal:text=\"it's\\n\"i"),
        (
            "page.getByText('x', { exact: true })",
            "internal:text=\"x\"s",
        ),
        ("page.getByText(/a b/i)", "internal:text=/a b/i"),
        ("page.getByLabel('x')", "internal:label=\"x\"i"),
        (
            "page.getByTestId('a\"b')",
            "internal:testid=[data-testid=\"a\\\"b\"s]",
        ),
        ("page.getByTestId(/x/)", "internal:testid=[data-testid=/x/]"),
        (
            "page.getByPlaceholder('x')",
            "internal:attr=[placeholder=\"x\"i]",
        ),
        (
            "page.getByAltText('x', { exact: true })",
            "internal:attr=[alt=\"x\"s]",
        ),
        ("page.getByTitle(/x/g)", "internal:attr=[title=/x/g]"),
        ("page.locator('a').first()", "a >> nth=0"),
        ("page.locator('a').last()", "a >> nth=-1"),
        ("page.locator('a').nth(3)", "a >> nth=3"),
        ("page.locator('a').visible()", "a >> visible=true"),
        (
            "page.locator('a').filter({ visible: false })",
            "a >> visible=false",
        ),
        (
            "page.locator('div', { hasText: 'x', has: page.locator('b'), hasNot: page.locator('i'), hasNotText: /z/ })",
            "div >> internal:has-text=\"x\"i >> internal:has-not-text=/z/ >> internal:has=\"b\" >> internal:has-not=\"i\"",
        ),
        (
            "page.locator('li').filter({ hasText: 'x' }).nth(1).getByRole('button')",
            "li >> internal:has-text=\"x\"i >> nth=1 >> internal:role=button",
        ),
        (
            "page.locator('li').filter({ has: page.locator('span').nth(1) })",
            "li >> internal:has=\"span >> nth=1\"",
        ),
        (
            "page.getByText('x').and(page.getByText('y', { exact: true }))",
            "internal:text=\"x\"i >> internal:and=\"internal:text=\\\"y\\\"s\"",
        ),
        (
            "page.locator('div').or(page.getByRole('button'))",
            "div >> internal:or=\"internal:role=button\"",
        ),
        (
            "page.locator('a').locator(page.getByText('x'))",
            "a >> internal:chain=\"internal:text=\\\"x\\\"i\"",
        ),
        (
            "page.locator('a').describe('It')",
            "a >> internal:describe=\"It\"",
        ),
        (
            "page.frameLocator('iframe').nth(2).getByLabel('x')",
            "iframe >> nth=2 >> internal:control=enter-frame >> internal:label=\"x\"i",
        ),
        (
            "page.locator('#f').contentFrame().locator('b', { hasText: 'q' })",
            "#f >> internal:control=enter-frame >> b >> internal:has-text=\"q\"i",
        ),
        (
            "page.frameLocator('#a').frameLocator('#b').locator('c')",
            "#a >> internal:control=enter-frame >> #b >> internal:control=enter-frame >> c",
        ),
        ("page.frameLocator('#a').owner()", "#a"),
        ("page.locator('a\\ud800')", "a\u{fffd}"),
    ] {
        assert_eq!(selector(code).await, expected, "{code}");
        assert_understood(code, expected);
    }
}

#[tokio::test]
async fn wrong_arguments_are_told() {
    for (code, expected) in [
        (
            "page.locator(5)",
            "TypeError: locator: a selector text is needed",
        ),
        (
            "page.getByText(5)",
            "TypeError: getByText: a text or a regular expression is needed, not number",
        ),
        (
            "page.locator('a').and('b')",
            "TypeError: and: a locator is needed",
        ),
        (
            "page.locator('a').filter({ has: 'b' })",
            "TypeError: has: a locator is needed",
        ),
        (
            "page.locator('a').fill(5)",
            "TypeError: wrong argument: invalid type: integer `5`, expected a string",
        ),
        (
            "page.locator('a').click('b')",
            "TypeError: locator.click: options must be an object",
        ),
        (
            "page.locator('a').waitFor({ state: 'odd' })",
            "TypeError: wrong argument: unknown variant `odd`, expected one of `attached`, `detached`, `visible`, `hidden`",
        ),
    ] {
        let error = thrown(&format!("async (page) => {{ await {code} }}")).await;
        assert_eq!(error.text, expected, "{code}");
    }
}

#[tokio::test]
async fn actions_and_their_options() {
    let locator = |action: Value, options: Value| {
        compact(
            json!({ "locator": { "page": 1, "selector": "#a", "action": action, "options": options } }),
        )
    };
    for (code, expected) in [
        ("click()", locator(json!("click"), json!({}))),
        (
            "click({ button: 'right', modifiers: ['Shift'], clickCount: 2, delay: 5, position: { x: 1, y: 2 }, force: true, timeout: 100 })",
            locator(
                json!("click"),
                json!({ "button": "right", "modifiers": ["Shift"], "clickCount": 2, "delay": 5.0, "position": { "x": 1.0, "y": 2.0 }, "force": true, "timeout": 100.0 }),
            ),
        ),
        ("dblclick()", locator(json!("dblclick"), json!({}))),
        (
            "hover({ trial: true })",
            locator(json!("hover"), json!({ "trial": true })),
        ),
        (
            "fill('x')",
            locator(json!({ "fill": { "text": "x" } }), json!({})),
        ),
        ("clear()", locator(json!("clear"), json!({}))),
        (
            "type('x', { delay: 3 })",
            locator(
                json!({ "pressSequentially": { "text": "x" } }),
                json!({ "delay": 3.0 }),
            ),
        ),
        (
            "pressSequentially('x')",
            locator(json!({ "pressSequentially": { "text": "x" } }), json!({})),
        ),
        (
            "press('Enter')",
            locator(json!({ "press": { "key": "Enter" } }), json!({})),
        ),
        ("check()", locator(json!("check"), json!({}))),
        ("setChecked(false)", locator(json!("uncheck"), json!({}))),
        (
            "selectOption('a')",
            locator(
                json!({ "selectOption": { "values": [{ "valueOrLabel": "a" }] } }),
                json!({}),
            ),
        ),
        (
            "selectOption([{ label: 'L' }, { index: 2 }])",
            locator(
                json!({ "selectOption": { "values": [{ "label": "L" }, { "index": 2 }] } }),
                json!({}),
            ),
        ),
        (
            "setInputFiles(['/a', { name: 'n', mimeType: 'text/plain', buffer: Buffer.from('hi') }])",
            locator(
                json!({ "setInputFiles": { "files": ["/a", { "name": "n", "mimeType": "text/plain", "base64": "aGk=" }] } }),
                json!({}),
            ),
        ),
        (
            "dragTo(page.locator('#b'))",
            locator(json!({ "dragTo": { "target": "#b" } }), json!({})),
        ),
        (
            "dispatchEvent('click', { bubbles: true })",
            locator(
                json!({ "dispatchEvent": { "kind": "click", "init": "{\"bubbles\":true}" } }),
                json!({}),
            ),
        ),
        (
            "getAttribute('href')",
            locator(json!({ "getAttribute": { "name": "href" } }), json!({})),
        ),
        ("innerHTML()", locator(json!("innerHTML"), json!({}))),
        (
            "scrollIntoViewIfNeeded()",
            locator(json!("scrollIntoViewIfNeeded"), json!({})),
        ),
        ("boundingBox()", locator(json!("boundingBox"), json!({}))),
        ("isVisible()", locator(json!("isVisible"), json!({}))),
        ("ariaSnapshot()", locator(json!("ariaSnapshot"), json!({}))),
        (
            "allTextContents()",
            locator(json!("allTextContents"), json!({})),
        ),
        (
            "waitFor({ state: 'hidden', timeout: 7 })",
            locator(
                json!({ "waitFor": { "state": "hidden" } }),
                json!({ "timeout": 7.0 }),
            ),
        ),
        (
            "screenshot({ type: 'png', mask: [page.locator('i')] })",
            locator(
                json!({ "screenshot": { "screenshot": { "type": "png", "mask": ["i"] } } }),
                json!({}),
            ),
        ),
        (
            "evaluate((e, n) => n, 5)",
            locator(
                json!({ "evaluate": { "function": { "source": "(e, n) => n", "isFunction": true, "arguments": ["5"] } } }),
                json!({}),
            ),
        ),
        (
            "evaluateAll('x')",
            locator(
                json!({ "evaluateAll": { "function": { "source": "x", "arguments": ["undefined"] } } }),
                json!({}),
            ),
        ),
    ] {
        let asked = asked(&format!(
            "async (page) => {{ await page.locator('#a').{code} }}"
        ))
        .await;
        assert_eq!(asked, [expected], "{code}");
    }
}

#[tokio::test]
async fn page_shortcuts_take_the_first_match() {
    for code in [
        "click('#a')",
        "fill('#a', 'x')",
        "textContent('#a')",
        "isVisible('#a')",
        "press('#a', 'Enter')",
        "selectOption('#a', 'x')",
    ] {
        let asked = asked(&format!("async (page) => {{ await page.{code} }}")).await;
        assert_eq!(asked[0]["locator"]["selector"], "#a", "{code}");
    }
    let (host, session) = start(Limits::default());
    session
        .run_code("page => page.click('#a')", Form::Function)
        .await
        .unwrap();
    let asked = host.asked.lock().unwrap();
    let Operation::Locator { options, .. } = &asked[0] else {
        panic!()
    };
    assert_eq!(options.strict, Some(false));
}

#[tokio::test]
async fn handles_are_locators_of_what_was_found() {
    assert_eq!(value("async (page) => await page.$('#none')").await, "null");
    assert_eq!(
        value("async (page) => (await page.$$('a')).length").await,
        "3"
    );
    assert_eq!(
        value("async (page) => (await page.locator('a').all()).length").await,
        "3"
    );
    assert_eq!(
        value("async (page) => await page.$eval('a', e => e.id)").await,
        "\"evaluated\""
    );
    assert_eq!(
        value("async (page) => await page.$$eval('a', l => l.length)").await,
        "\"evaluated\""
    );
    let asked = asked("async (page) => { const a = await page.$('a'); await a.click(); await (await a.$('b')).click() }").await;
    let selectors: Vec<&str> = asked
        .iter()
        .map(|one| one["locator"]["selector"].as_str().unwrap())
        .collect();
    assert_eq!(
        selectors,
        [
            "a",
            "a >> nth=0",
            "a >> nth=0 >> b",
            "a >> nth=0 >> b >> nth=0"
        ]
    );
}
