//! `browser_run_code_unsafe`: Playwright scripts through the real server and a real browser.

mod common;

use std::time::Duration;

use common::{Answer, Launch, PATIENCE, Reply, Stage, reference, wait_for};
use serde_json::{Value, json};

#[test]
fn scripts() {
    let stage = Stage::new(launch());
    steps!(&stage;
        results_and_what_is_none,
        exceptions_are_told,
        navigation_and_history,
        locators_act_and_read,
        locators_wait_and_time_out,
        getters_of_all_kinds,
        keys_and_the_mouse,
        evaluate_with_arguments_and_elements,
        waiting_for_functions_and_states,
        pictures_and_files,
        cookies_and_new_pages,
        routes_answer_change_and_abort,
        events_are_heard,
        dialogs_are_answered,
        code_from_a_file,
        scripts_have_no_files_and_no_modules,
    );
}

#[test]
fn scripts_of_our_own_kind() {
    if reference() {
        return eprintln!("skipped: not upstream's behaviour");
    }
    let stage = Stage::new(launch());
    steps!(&stage;
        statements_and_the_console,
        what_is_not_there_says_so,
        endless_scripts_are_ended,
        files_stay_closed_to_scripts,
    );
}

#[test]
fn without_leave_no_script_runs() {
    if reference() {
        return eprintln!("skipped: upstream lets everybody");
    }
    let stage = Stage::new(Launch::new());
    stage
        .call("browser_run_code_unsafe", json!({ "code": "() => 1" }))
        .failed()
        .has("refused by policy")
        .has("--allow-unsafe-code");
    let stock = Stage::new(Launch::new().stock());
    run(&stock, "async (page) => page.url()").has(
        "### Result\n\"about:blank\"\n### Ran Playwright code\n```js\nawait (async (page) => page.url())(page);\n```",
    );
}

fn launch() -> Launch {
    match reference() {
        true => Launch::new(),
        false => Launch::new().arg("--allow-unsafe-code"),
    }
}

#[track_caller]
fn run(stage: &Stage, code: &str) -> Reply {
    stage
        .call("browser_run_code_unsafe", json!({ "code": code }))
        .fine()
}

/// What a script gives, as data.
#[track_caller]
fn value(stage: &Stage, code: &str) -> Value {
    let reply = run(stage, code);
    let text = reply.section("Result").expect("a result");
    serde_json::from_str(&text).expect("JSON")
}

#[track_caller]
fn fails(stage: &Stage, code: &str) -> Reply {
    stage
        .call("browser_run_code_unsafe", json!({ "code": code }))
        .failed()
}

fn results_and_what_is_none(stage: &Stage) {
    stage.show("<p>Page</p>");
    run(stage, "async () => ({ message: 'Hello, world!' })")
        .has("### Result\n{\"message\":\"Hello, world!\"}\n")
        .has("await (async () => ({ message: 'Hello, world!' }))(page);");
    run(stage, "() => 'text'").has("### Result\n\"text\"\n");
    run(stage, "() => undefined").lacks("### Result");
    run(stage, "() => {}").lacks("### Result");
    assert_eq!(value(stage, "(page) => typeof page.goto"), "function");
}

fn exceptions_are_told(stage: &Stage) {
    stage.show("<p>Page</p>");
    fails(stage, "() => { throw new Error('my own') }").has("Error: my own");
    fails(stage, "async () => nothing.there").has("ReferenceError");
    fails(
        stage,
        "async (page) => page.click('#none', { timeout: 300 })",
    )
    .has("TimeoutError: page.click: Timeout 300ms exceeded.")
    .has("waiting for locator('#none')");
    run(stage, "() => 'still here'").has("still here");
}

fn navigation_and_history(stage: &Stage) {
    let one = stage.pages.put("/one", Answer::page("One", "first"));
    let two = stage.pages.put("/two", Answer::page("Two", "second"));
    let code = format!(
        "async (page) => {{
            const response = await page.goto('{one}');
            const seen = [response.status(), response.ok(), await page.title()];
            await page.goto('{two}');
            seen.push(page.url() === '{two}');
            await page.goBack();
            seen.push(await page.title());
            await page.goForward();
            seen.push(await page.title());
            await page.reload();
            await page.setContent('<h1>Set</h1>');
            seen.push(await page.locator('h1').textContent());
            seen.push((await page.content()).includes('<h1>Set</h1>'));
            return seen;
        }}"
    );
    assert_eq!(
        value(stage, &code),
        json!([200, true, "One", true, "One", "Two", "Set", true])
    );
}

fn locators_act_and_read(stage: &Stage) {
    stage.show(
        "<label>Name <input id=name></label><label><input type=checkbox>Agree</label>
         <select><option value=1>One<option value=2>Two</select>
         <button onclick='out.textContent = `${nameField()}|${document.querySelector(`select`).value}`'>Go</button>
         <p id=out title=result></p><script>const nameField = () => document.getElementById('name').value</script>",
    );
    let seen = value(
        stage,
        "async (page) => {
            await page.getByLabel('Name').fill('Ada');
            await page.getByLabel('Agree').check();
            const chosen = await page.locator('select').selectOption('Two');
            await page.getByRole('button', { name: 'Go' }).click();
            const out = page.locator('#out');
            return {
                chosen,
                text: await out.textContent(),
                inner: await out.innerText(),
                title: await out.getAttribute('title'),
                none: await out.getAttribute('none'),
                value: await page.inputValue('#name'),
                checked: await page.getByRole('checkbox').isChecked(),
                visible: [await out.isVisible(), await page.locator('#none').isVisible()],
                enabled: await page.locator('button').isEnabled(),
                count: await page.locator('option').count(),
                all: await page.locator('option').allTextContents(),
                box: (await page.locator('button').boundingBox()).width > 10,
            };
        }",
    );
    assert_eq!(
        seen,
        json!({
            "chosen": ["2"], "text": "Ada|2", "inner": "Ada|2", "title": "result", "none": null, "value": "Ada",
            "checked": true, "visible": [true, false], "enabled": true, "count": 2, "all": ["One", "Two"], "box": true
        })
    );
}

fn locators_wait_and_time_out(stage: &Stage) {
    stage.show(
        "<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend',
            '<button onclick=\"this.textContent = `Pressed`\">Late</button>'), 600)</script>",
    );
    let seen = value(
        stage,
        "async (page) => {
            await page.getByRole('button', { name: 'Late' }).click();
            await page.getByText('Pressed').waitFor();
            return page.locator('button').innerText();
        }",
    );
    assert_eq!(seen, json!("Pressed"));
    fails(
        stage,
        "async (page) => page.locator('#gone').waitFor({ timeout: 200 })",
    )
    .has("Timeout 200ms exceeded.")
    .has("waiting for locator('#gone') to be visible");
}

fn getters_of_all_kinds(stage: &Stage) {
    stage.show(
        "<ul><li class=a>Apple <b>red</b></li><li class=b>Pear</li><li class=a>Plum</li></ul>
         <img alt='A tree'><input placeholder='Search'><p data-testid=id title=Tip>Para</p>
         <iframe srcdoc='<button>Inside</button>'></iframe>",
    );
    let seen = value(
        stage,
        "async (page) => {
            const items = page.locator('li');
            const text = (locator) => locator.textContent();
            return [
                await text(items.first()), await text(items.last()), await text(items.nth(1)),
                await text(items.filter({ hasText: 'Plum' })), await text(items.filter({ has: page.locator('b') })),
                await page.getByAltText('A tree').count(), await page.getByPlaceholder('Search').count(),
                await text(page.getByTestId('id')), await text(page.getByTitle('Tip')),
                await page.locator('.a').and(page.locator('li')).count(),
                await page.locator('.b').or(page.locator('b')).count(),
                await text(page.frameLocator('iframe').getByRole('button')),
                (await page.$$('li')).length, await page.$eval('li', (li) => li.className),
                await page.$$eval('li', (all, extra) => all.length + extra, 10),
            ];
        }",
    );
    assert_eq!(
        seen,
        json!([
            "Apple red",
            "Plum",
            "Pear",
            "Plum",
            "Apple red",
            1,
            1,
            "Para",
            "Para",
            2,
            2,
            "Inside",
            3,
            "a",
            13
        ])
    );
}

fn keys_and_the_mouse(stage: &Stage) {
    stage.show(
        "<input id=field autofocus><script>
            var events = [];
            for (const type of ['keydown', 'mousedown']) addEventListener(type, (event) =>
                events.push(event.key ?? `${event.clientX},${event.clientY}`));
         </script>",
    );
    let seen = value(
        stage,
        "async (page) => {
            await page.focus('#field');
            await page.keyboard.type('ab');
            await page.keyboard.press('Shift+C');
            await page.keyboard.insertText('é');
            await page.keyboard.down('Control');
            await page.keyboard.up('Control');
            await page.mouse.move(5, 200);
            await page.mouse.down();
            await page.mouse.up();
            return [await page.inputValue('#field'), await page.evaluate(() => events)];
        }",
    );
    assert_eq!(
        seen,
        json!(["abCé", ["a", "b", "Shift", "C", "Control", "5,200"]])
    );
}

fn evaluate_with_arguments_and_elements(stage: &Stage) {
    stage.show("<p id=p>Text</p>");
    let seen = value(
        stage,
        "async (page) => [
            await page.evaluate(({ a, b }) => a + b, { a: 1, b: 2 }),
            await page.evaluate('1 + 2'),
            await page.evaluate(async (text) => { await null; return text.toUpperCase() }, 'x'),
            await page.locator('p').evaluate((p, more) => p.id + more, '!'),
            await page.locator('p').evaluateAll((all) => all.map((p) => p.textContent)),
        ]",
    );
    assert_eq!(seen, json!([3, 3, "X", "p!", ["Text"]]));
    fails(
        stage,
        "async (page) => page.evaluate(() => { throw new TypeError('in page') })",
    )
    .has("TypeError: in page");
}

fn waiting_for_functions_and_states(stage: &Stage) {
    let next = stage.pages.put("/next", Answer::page("Next", "arrived"));
    stage.show(&format!(
        "<a href=/next>Go</a><script>setTimeout(() => window.ready = 7, 300)</script><p>{next}</p>"
    ));
    let seen = value(
        stage,
        "async (page) => {
            const handle = await page.waitForFunction(() => window.ready);
            const arrived = page.waitForURL('**/next');
            await page.click('a');
            await arrived;
            await page.waitForLoadState();
            return [await handle.jsonValue(), await page.title()];
        }",
    );
    assert_eq!(seen, json!([7, "Next"]));
}

fn pictures_and_files(stage: &Stage) {
    stage.show("<h1>Picture</h1><input type=file><script>
        document.querySelector('input').onchange = (event) => document.title = event.target.files[0].name
    </script>");
    stage.file("given.txt", "given");
    let seen = value(
        stage,
        "async (page) => {
            const png = await page.screenshot({ path: 'shot.png' });
            const part = await page.locator('h1').screenshot();
            await page.locator('input').setInputFiles('given.txt');
            return [png.length > 100, part.length > 100, await page.title()];
        }",
    );
    assert_eq!(seen, json!([true, true, "given.txt"]));
    let bytes = std::fs::read(stage.workspace().join("shot.png")).expect("a file");
    assert!(bytes.starts_with(b"\x89PNG"));
}

fn cookies_and_new_pages(stage: &Stage) {
    let url = stage.pages.put("/page", Answer::page("Page", "x"));
    stage.open(&url);
    let code = format!(
        "async (page) => {{
            const context = page.context();
            await context.addCookies([{{ name: 'a', value: '1', url: '{url}' }}]);
            const seen = [(await context.cookies()).map((c) => c.name + c.value)];
            const other = await context.newPage();
            await other.goto('{url}');
            seen.push(await other.evaluate(() => document.cookie), context.pages().length);
            await other.close();
            await context.clearCookies();
            seen.push((await context.cookies()).length, context.pages().length);
            return seen;
        }}"
    );
    assert_eq!(value(stage, &code), json!([["a1"], "a=1", 2, 0, 1]));
}

fn routes_answer_change_and_abort(stage: &Stage) {
    stage.pages.put("/real", Answer::text("real"));
    stage.show("<p>Page</p>");
    let seen = value(
        stage,
        "async (page) => {
            await page.route('**/mock', (route) => route.fulfill({ status: 201, body: 'mocked', contentType: 'text/plain' }));
            await page.route('**/gone', (route) => route.abort());
            await page.route('**/real', (route) => route.continue({ headers: { ...route.request().headers(), 'x-extra': 'yes' } }));
            const get = (path) => page.evaluate((path) => fetch(path).then((r) => r.text(), () => 'failed'), path);
            const seen = [await get('/mock'), await get('/gone'), await get('/real')];
            await page.unroute('**/mock');
            seen.push((await get('/mock')) !== 'mocked');
            return seen;
        }",
    );
    assert_eq!(seen, json!(["mocked", "failed", "real", true]));
    let requests = stage.pages.requests("/real");
    let headers = &requests.last().expect("a request").headers;
    assert_eq!(headers.get("x-extra").map(String::as_str), Some("yes"));
}

fn events_are_heard(stage: &Stage) {
    stage.pages.put("/data", Answer::json("{\"n\":5}"));
    let popup = stage.pages.put("/popup", Answer::page("Popup", "x"));
    stage.show(&format!(
        "<button onclick='fetch(`/data`).then((r) => r.text()); console.log(`said`)'>Ask</button><a target=_blank href='{popup}'>Open</a>"
    ));
    let seen = value(
        stage,
        "async (page) => {
            const said = [];
            page.on('console', (message) => said.push(message.type() + ' ' + message.text()));
            const [response] = await Promise.all([
                page.waitForResponse('**/data'),
                page.click('button'),
            ]);
            const seen = [response.status(), await response.json(), response.request().method()];
            const [other] = await Promise.all([page.waitForEvent('popup'), page.click('a')]);
            await other.waitForLoadState();
            seen.push(await other.title());
            await other.close();
            while (!said.length) await page.waitForTimeout(20);
            seen.push(said);
            return seen;
        }",
    );
    assert_eq!(seen, json!([200, { "n": 5 }, "GET", "Popup", ["log said"]]));
}

fn dialogs_are_answered(stage: &Stage) {
    stage.show("<button onclick='document.title = confirm(`Sure?`)'>Ask</button>");
    let seen = value(
        stage,
        "async (page) => {
            const asked = [];
            page.once('dialog', async (dialog) => {
                asked.push(dialog.type(), dialog.message());
                await dialog.accept();
            });
            await page.click('button');
            await page.waitForFunction(() => document.title === 'true');
            return asked;
        }",
    );
    assert_eq!(seen, json!(["confirm", "Sure?"]));
    // One that the script does not answer is left to the client.
    stage.show("<button onclick='alert(`Stop`)'>Stop</button>");
    run(
        stage,
        "async (page) => { await page.click('button'); return page.evaluate(() => 1) }",
    )
    .has("[\"alert\" dialog with message \"Stop\"]")
    .within(Duration::from_secs(20));
    stage
        .call("browser_handle_dialog", json!({ "accept": true }))
        .fine();
}

fn code_from_a_file(stage: &Stage) {
    stage.show("<p>Page</p>");
    stage.file(
        "script.js",
        "async (page) => (await page.locator('p').textContent()) + '!'",
    );
    stage
        .call(
            "browser_run_code_unsafe",
            json!({ "filename": "script.js" }),
        )
        .fine()
        .has("\"Page!\"");
    stage
        .call("browser_run_code_unsafe", json!({ "filename": "none.js" }))
        .failed()
        .has("ENOENT: no such file or directory, open '");
    stage
        .call("browser_run_code_unsafe", json!({ "filename": "../x.js" }))
        .failed()
        .has("File access denied");
}

fn scripts_have_no_files_and_no_modules(stage: &Stage) {
    stage.show("<p>Page</p>");
    fails(
        stage,
        "() => require('fs').readFileSync('/etc/passwd', 'utf8')",
    )
    .has("require");
    fails(stage, "() => process.env.HOME").has("process");
    fails(stage, "async () => (await import('fs')).readFileSync").lacks("root:");
}

fn statements_and_the_console(stage: &Stage) {
    stage.show("<p>Page</p>");
    run(stage, "const text = await page.locator('p').textContent(); console.log('read', text); return text;")
        .has("### Result\n\"Page\"\n")
        .has("console.log: read Page");
    fails(
        stage,
        "() => {\n  const x = 1;\n  throw new Error('third line');\n}",
    )
    .has("Error: third line\n    at line 3");
}

fn what_is_not_there_says_so(stage: &Stage) {
    stage.show("<button>Tap</button>");
    fails(stage, "async (page) => page.locator('button').tap()")
        .has("not available in PlayGuard: tap");
    fails(
        stage,
        "async (page) => page.locator('button').click({ force: true })",
    )
    .has("not available in PlayGuard: the option force");
}

fn endless_scripts_are_ended(stage: &Stage) {
    stage.show("<p>Page</p>");
    fails(
        stage,
        "() => { const all = []; for (;;) all.push(new Array(100000).fill(1)) }",
    )
    .has("memory limit")
    .within(Duration::from_secs(30));
    fails(stage, "() => { const f = () => f() + 1; return f() }").within(Duration::from_secs(10));
    run(stage, "() => 1").has("### Result\n1\n");
    let call = stage.begin(
        "browser_run_code_unsafe",
        json!({ "code": "() => { for (;;); }" }),
    );
    // The server goes on meanwhile, and the call can be cancelled.
    assert!(stage.snapshot().contains("Page"));
    call.cancel();
    wait_for("the next script", PATIENCE, || {
        let reply = stage.call("browser_run_code_unsafe", json!({ "code": "() => 2" }));
        (!reply.is_error).then_some(())
    });
}

fn files_stay_closed_to_scripts(stage: &Stage) {
    stage.show("<p>Page</p>");
    fails(stage, "async (page) => page.goto('file:///etc/passwd')")
        .has("Access to \"file:\" protocol is blocked");
    fails(
        stage,
        "async (page) => page.screenshot({ path: '../../outside.png' })",
    )
    .has("File access denied");
    fails(
        stage,
        "async (page) => {
            await page.route('**/x', (route) => route.fulfill({ path: '/etc/passwd' }));
            return page.evaluate(() => fetch('/x').then((r) => r.text()));
        }",
    )
    .has("File access denied")
    .lacks("root:");
}
