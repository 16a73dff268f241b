//! Events, routes, dialogs, downloads.

use super::*;

/// Runs code and sends events as soon as the script listens.
async fn with_events(
    code: &str,
    events: &[(Option<Event>, Value)],
) -> (Arc<Fake>, Result<Outcome, ScriptError>) {
    let (host, session) = start(Limits::default());
    let sending = async {
        for (event, value) in events {
            for _ in 0..400 {
                if host.send(*event, value.clone()) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    };
    let (result, ()) = tokio::join!(session.run_code(code, Form::Lenient), sending);
    (host, result)
}

async fn result(code: &str, events: &[(Option<Event>, Value)]) -> String {
    let (_, result) = with_events(code, events).await;
    result
        .unwrap_or_else(|error| panic!("{code}: {error}"))
        .json
        .unwrap()
}

#[tokio::test]
async fn responses_can_be_waited_for() {
    let other = {
        let mut other = response();
        other["url"] = json!("https://other.test/");
        other
    };
    let events = [
        (Some(Event::Response), other),
        (Some(Event::Response), response()),
    ];
    let code = "async (page) => { const r = await page.waitForResponse('**/x'); return [r.url(), r.status()] }";
    assert_eq!(result(code, &events).await, "[\"https://a.test/x\",200]");
    let code = "async (page) => (await page.waitForResponse(r => r.request().postDataJSON().n === 5 && r.url().endsWith('x'))).url()";
    assert_eq!(result(code, &events).await, "\"https://a.test/x\"");
    let code = "async (page) => (await page.waitForRequest(/a\\.test/)).method()";
    assert_eq!(
        result(code, &[(Some(Event::Request), request())]).await,
        "\"POST\""
    );
}

#[tokio::test]
async fn popups_and_other_events() {
    let page = json!({ "id": 2, "url": "about:blank", "viewport": null });
    let code = "async (page) => (await page.waitForEvent('popup')).url()";
    assert_eq!(
        result(code, &[(Some(Event::Popup), page.clone())]).await,
        "\"about:blank\""
    );
    let code = "async (page) => (await page.waitForPopup()) === page.context().pages()[1]";
    assert_eq!(result(code, &[(Some(Event::Popup), page)]).await, "true");
    let message = json!({ "type": "log", "text": "hi", "location": { "url": "u", "lineNumber": 1, "columnNumber": 2 } });
    let code = "page => new Promise(done => page.once('console', m => done([m.type(), m.text(), m.location().url])))";
    assert_eq!(
        result(code, &[(Some(Event::Console), message)]).await,
        "[\"log\",\"hi\",\"u\"]"
    );
    let error = json!({ "name": "TypeError", "message": "m", "stack": "s" });
    let code = "page => new Promise(done => page.on('pageerror', e => done(String(e))))";
    assert_eq!(
        result(code, &[(Some(Event::PageError), error)]).await,
        "\"TypeError: m\""
    );
}

#[tokio::test]
async fn waiting_ends_with_a_timeout() {
    let error =
        thrown("async (page) => {\n  await page.waitForEvent('popup', { timeout: 20 });\n}").await;
    assert_eq!(
        error.text,
        "TimeoutError: page.waitForEvent: Timeout 20ms exceeded while waiting for event \"popup\""
    );
    assert_eq!(error.line, Some(2));
    let error = thrown("async (page) => page.on('websocket', () => {})").await;
    assert!(
        error
            .text
            .starts_with("Error: page.on('websocket'): not available in PlayGuard: events are "),
        "{error}"
    );
}

#[tokio::test]
async fn dialogs_are_answered() {
    let dialog =
        json!({ "dialog": "d1", "type": "prompt", "message": "Name?", "defaultValue": "x" });
    let code = "page => new Promise(done => page.once('dialog', async d => { await d.accept('Ada'); done([d.type(), d.message(), d.defaultValue()]) }))";
    let (host, outcome) = with_events(code, &[(Some(Event::Dialog), dialog)]).await;
    assert_eq!(
        outcome.unwrap().json.unwrap(),
        "[\"prompt\",\"Name?\",\"x\"]"
    );
    let asked = host.asked();
    assert_eq!(asked[0]["subscribe"]["event"], "dialog");
    assert_eq!(asked[1], json!({ "unsubscribe": { "id": 1 } }));
    assert_eq!(
        asked[2],
        json!({ "dialog": { "dialog": "d1", "accept": true, "promptText": "Ada" } })
    );
}

#[tokio::test]
async fn downloads_and_file_choosers() {
    let download =
        json!({ "download": "w1", "url": "https://a.test/f", "suggestedFilename": "f.txt" });
    let code = "async (page) => { const d = await page.waitForEvent('download'); await d.saveAs('/tmp/x'); return d.suggestedFilename() }";
    let (host, outcome) = with_events(code, &[(Some(Event::Download), download)]).await;
    assert_eq!(outcome.unwrap().json.unwrap(), "\"f.txt\"");
    assert_eq!(
        host.asked().last().unwrap(),
        &json!({ "download": { "download": "w1", "action": { "saveAs": { "path": "/tmp/x" } } } })
    );
    let chooser = json!({ "chooser": "c1", "multiple": true });
    let code = "async (page) => { const c = await page.waitForEvent('filechooser'); await c.setFiles('a.txt'); return c.isMultiple() }";
    let (host, outcome) = with_events(code, &[(Some(Event::FileChooser), chooser)]).await;
    assert_eq!(outcome.unwrap().json.unwrap(), "true");
    assert_eq!(
        host.asked().last().unwrap(),
        &json!({ "fileChooser": { "chooser": "c1", "files": ["a.txt"] } })
    );
}

fn held() -> (Option<Event>, Value) {
    (None, json!({ "route": "h1", "request": request() }))
}

#[tokio::test]
async fn routes_are_answered() {
    for (code, expected) in [
        (
            "r.fulfill({ status: 201, json: { a: 1 } })",
            json!({ "fulfill": { "status": 201, "contentType": "application/json", "body": "eyJhIjoxfQ==" } }),
        ),
        (
            "r.fulfill({ body: 'ü', contentType: 'text/plain', headers: { a: 'b' } })",
            json!({ "fulfill": { "headers": { "a": "b" }, "contentType": "text/plain", "body": "w7w=" } }),
        ),
        ("r.abort()", json!({ "abort": { "errorCode": "failed" } })),
        (
            "r.continue({ method: 'PUT', postData: { a: 1 } })",
            json!({ "continue": { "method": "PUT", "postData": "eyJhIjoxfQ==" } }),
        ),
    ] {
        let code = format!(
            "async (page) => {{ await new Promise(done => page.route('**/x', async r => {{ await {code}; done() }})); return 1 }}"
        );
        let (host, outcome) = with_events(&code, &[held()]).await;
        outcome.unwrap();
        let asked = host.asked();
        assert_eq!(
            asked[0]["route"]["pattern"],
            json!({ "regex": { "source": "^.*\\/x$", "flags": "" } })
        );
        assert_eq!(
            asked[1],
            json!({ "routeAnswer": { "route": "h1", "action": expected } }),
            "{code}"
        );
    }
}

#[tokio::test]
async fn routes_by_function_and_with_counts() {
    let code = "async (page) => { await page.route(u => u.host === 'b.test', r => r.abort()); await page.waitForTimeout(60) }";
    let (host, outcome) = with_events(code, &[held()]).await;
    outcome.unwrap();
    let asked = host.asked();
    assert_eq!(asked[0]["route"]["pattern"], "any");
    assert_eq!(asked.len(), 3);
    let falls_back = |one: &Operation| {
        matches!(
            one,
            Operation::RouteAnswer {
                action: RouteAction::Fallback { .. },
                ..
            }
        )
    };
    assert!(host.asked.lock().unwrap().iter().any(falls_back));
    let code = "async (page) => { await page.route('**', r => r.abort(), { times: 1 }); await page.waitForTimeout(60) }";
    let (host, outcome) = with_events(code, &[held(), held()]).await;
    outcome.unwrap();
    let kinds: Vec<String> = host
        .asked()
        .iter()
        .map(|one| one.as_object().unwrap().keys().next().unwrap().clone())
        .collect();
    assert_eq!(
        kinds,
        ["route", "page", "unroute", "routeAnswer", "routeAnswer"]
    );
}

#[tokio::test]
async fn a_route_handler_that_throws_ends_the_run() {
    let code = "async (page) => { await page.route('**', () => { throw new Error('Oh') }); await page.waitForTimeout(5000) }";
    let (_, outcome) = with_events(code, &[held()]).await;
    let Err(ScriptError::Thrown(thrown)) = outcome else {
        panic!()
    };
    assert_eq!(thrown.upstream_text(), "Error: Error: Oh\n\nError: Oh");
}

#[tokio::test]
async fn globs() {
    for (glob, address, matches) in [
        ("**/api/*", "https://a.test/v1/api/x", true),
        ("**/api/*", "https://a.test/api/x/y", false),
        ("https://a.test/**/b", "https://a.test/b", true),
        ("https://a.test/*.{png,jpg}", "https://a.test/x.jpg", true),
        ("https://a.test/*.{png,jpg}", "https://a.test/x.gif", false),
        ("https://a.test/x?y", "https://a.test/x?y", true),
        ("https://a.test/x?y", "https://a.test/xy", false),
        ("https://a.test", "https://a.test/", true),
        ("**/\\*", "https://a.test/*", true),
        ("**/\\*", "https://a.test/x", false),
    ] {
        let asked = asked(&format!("page => page.route({}, () => {{}})", json!(glob))).await;
        let source = asked[0]["route"]["pattern"]["regex"]["source"]
            .as_str()
            .unwrap();
        let code = format!(
            "() => new RegExp({}).test({})",
            json!(source),
            json!(address)
        );
        assert_eq!(
            value(&code).await,
            matches.to_string(),
            "{glob} {address}: {source}"
        );
    }
}

#[tokio::test]
async fn handlers_live_as_long_as_the_session() {
    let (host, session) = start(Limits::default());
    let outcome = session
        .run_code(
            "async (page) => { await page.route('**', r => r.abort('aborted')) }",
            Form::Function,
        )
        .await
        .unwrap();
    assert!(outcome.alive);
    assert!(host.send(None, held().1));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(
        host.asked().last().unwrap()["routeAnswer"]["action"],
        json!({ "abort": { "errorCode": "aborted" } })
    );
    let outcome = session
        .run_code(
            "async (page) => { await page.unroute('**') }",
            Form::Function,
        )
        .await
        .unwrap();
    assert!(!outcome.alive);
    let events = session.events();
    drop(session);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!events.send(1, Value::Null));
}

#[tokio::test]
async fn callbacks_between_runs_are_bounded_too() {
    let (host, session) = start(short());
    session
        .run_code(
            "page => { page.on('load', () => { for (;;); }) }",
            Form::Function,
        )
        .await
        .unwrap();
    assert!(host.send(Some(Event::Load), Value::Null));
    tokio::time::sleep(Duration::from_millis(600)).await;
    let error = session
        .run_code("() => 1", Form::Function)
        .await
        .unwrap_err();
    assert_eq!(error, ScriptError::Ended);
}

#[tokio::test]
async fn listeners_can_be_taken_away() {
    let asked = asked("page => { const f = () => {}; page.on('load', f); page.on('load', () => {}); page.off('load', f); page.removeAllListeners('load') }").await;
    assert_eq!(asked.len(), 2);
    assert_eq!(
        asked[0],
        json!({ "subscribe": { "id": 1, "page": 1, "event": "load" } })
    );
    assert_eq!(asked[1], json!({ "unsubscribe": { "id": 1 } }));
}
