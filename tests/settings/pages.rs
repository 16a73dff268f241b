//! Settings of pages and of the browser.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{Answer, Launch, Pages, Stage};

/// A configuration file that lives as long as its folder.
fn file(text: &Value) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("config.json");
    std::fs::write(&path, text.to_string()).expect("a file");
    (folder, path.display().to_string())
}

fn with_context(options: Value) -> Stage {
    let (folder, path) = file(&json!({ "browser": { "contextOptions": options } }));
    let stage = Stage::new(Launch::new().args(["--config", &path]));
    // The file is read before the server answers.
    drop(folder);
    stage
}

#[track_caller]
fn says(stage: &Stage, function: &str, expected: Value) {
    let reply = stage
        .call("browser_evaluate", json!({ "function": function }))
        .fine();
    let result = reply.text.strip_prefix("### Result\n").unwrap_or_default();
    let result = result.split("\n### ").next().unwrap_or_default();
    let result: Value = serde_json::from_str(result).unwrap_or(Value::Null);
    assert_eq!(result, expected, "{}", reply.text);
}

#[test]
fn a_device() {
    let stage = Stage::new(Launch::new().args(["--device", "Pixel 7"]));
    stage.show("<p>Hi</p>");
    says(
        &stage,
        "() => [Math.abs(innerWidth - 980) < 2, screen.width, screen.height, devicePixelRatio, \
         navigator.maxTouchPoints > 0, /Pixel 7/.test(navigator.userAgent), 'ontouchstart' in window]",
        json!([true, 412, 915, 2.625, true, true, true]),
    );
    stage.show("<meta name=viewport content='width=device-width'><p>Hi</p>");
    says(
        &stage,
        "() => [innerWidth, innerHeight, matchMedia('(hover: none)').matches]",
        json!([412, 839, true]),
    );
}

#[test]
fn language_time_and_media() {
    let stage = with_context(json!({
        "locale": "de-DE", "timezoneId": "Asia/Tokyo", "colorScheme": "dark",
        "reducedMotion": "reduce", "forcedColors": "active", "contrast": "more"
    }));
    stage.show("<p>Hi</p>");
    says(
        &stage,
        "() => [navigator.language, (1.5).toLocaleString(), new Date(0).getHours(), \
         Intl.DateTimeFormat().resolvedOptions().timeZone]",
        json!(["de-DE", "1,5", 9, "Asia/Tokyo"]),
    );
    let queries = "() => ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', \
                   '(forced-colors: active)', '(prefers-contrast: more)'].map(q => matchMedia(q).matches)";
    says(&stage, queries, json!([true, true, true, true]));
    // The tool changes what it names and nothing else.
    stage
        .call("browser_emulate_media", json!({ "colorScheme": "light" }))
        .fine();
    says(&stage, queries, json!([false, true, true, true]));
}

#[test]
fn place_permissions_and_headers() {
    let stage = with_context(json!({
        "geolocation": { "latitude": 10.5, "longitude": -20 },
        "permissions": ["geolocation"],
        "extraHTTPHeaders": { "X-Test": "yes" },
        "httpCredentials": { "username": "me", "password": "secret" },
    }));
    stage.pages.on("/asks", |request| {
        let given = request.headers.get("authorization").cloned();
        match given.as_deref() {
            // me:secret
            Some("Basic bWU6c2VjcmV0") => Answer::page("in", request.headers["x-test"].as_str()),
            _ => Answer::page("out", "no")
                .status(401, "Unauthorized")
                .header("WWW-Authenticate", "Basic realm=r"),
        }
    });
    let url = stage.pages.url("/asks");
    stage.call("browser_navigate", json!({ "url": url })).fine();
    says(
        &stage,
        "() => [document.title, document.body.textContent]",
        json!(["in", "yes"]),
    );
    says(
        &stage,
        "() => new Promise(r => navigator.geolocation.getCurrentPosition(\
         p => r([p.coords.latitude, p.coords.longitude]), e => r(e.message)))",
        json!([10.5, -20]),
    );
}

#[test]
fn scripts_first_and_no_service_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("first.js");
    std::fs::write(
        &script,
        "window.first = (window.first || 0) + 1; console.log('from here');",
    )
    .expect("a file");
    let stage = Stage::new(
        Launch::new()
            .args(["--block-service-workers", "--init-script"])
            .arg(&script),
    );
    stage.show("<script>window.seen = window.first</script>");
    says(&stage, "() => [window.first, window.seen]", json!([1, 1]));
    stage
        .call("browser_console_messages", json!({}))
        .has("from here")
        .has("first.js");
    says(
        &stage,
        "() => navigator.serviceWorker.register('/none.js').then(r => typeof r)",
        json!("undefined"),
    );
}

#[test]
fn no_scripts_and_no_network() {
    let stage = with_context(json!({ "javaScriptEnabled": false }));
    stage.show("<noscript>No scripts</noscript><script>document.title = 'ran'</script>");
    stage
        .call("browser_snapshot", json!({}))
        .has("No scripts")
        .lacks("ran");
    let stage = with_context(json!({ "offline": true }));
    let url = stage.pages.url("/");
    stage
        .call("browser_navigate", json!({ "url": url }))
        .failed()
        .has("ERR_INTERNET_DISCONNECTED");
}

#[test]
fn a_content_security_policy_is_bypassed() {
    let policy = "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">\
                  <script>document.title = 'ran'</script>";
    for (bypass, title) in [(true, "ran"), (false, "")] {
        let stage = with_context(json!({ "bypassCSP": bypass }));
        stage.pages.put("/csp", Answer::html(policy));
        let url = stage.pages.url("/csp");
        stage.call("browser_navigate", json!({ "url": url })).fine();
        says(&stage, "() => document.title", json!(title));
    }
}

#[test]
fn the_browser_gets_arguments_and_environment() {
    let (_folder, path) = file(&json!({ "browser": { "launchOptions": {
        "args": ["--lang=fr", "--blink-settings=minimumFontSize=40"],
        "ignoreDefaultArgs": ["--hide-scrollbars"],
    } } }));
    let stage = Stage::new(Launch::new().args(["--config", &path]));
    stage.show("<p style='font-size: 5px'>Hi</p>");
    says(
        &stage,
        "() => document.querySelector('p').getBoundingClientRect().height > 30",
        json!(true),
    );
}

#[test]
fn a_proxy_gets_its_password_and_servers_do_not() {
    // The pages' server is the proxy: what it is asked for is a whole address.
    let pages = Pages::start();
    let (_folder, path) = file(&json!({ "browser": { "launchOptions": { "proxy": {
        "server": pages.origin(), "username": "me", "password": "secret",
    } } } }));
    let session = Launch::new().args(["--config", &path]).start();
    pages.on("http://far.example/", |request| {
        let asked = |name: &str| request.headers.get(name).map(String::as_str);
        match asked("proxy-authorization") {
            // me:secret
            Some("Basic bWU6c2VjcmV0") => match asked("authorization") {
                None => Answer::page("through", "<p>Hi</p>")
                    .status(401, "Unauthorized")
                    .header("WWW-Authenticate", "Basic realm=server"),
                Some(_) => Answer::page("leaked", ""),
            },
            _ => Answer::page("refused", "")
                .status(407, "Proxy Authentication Required")
                .header("Proxy-Authenticate", "Basic realm=proxy"),
        }
    });
    session
        .call("browser_navigate", json!({ "url": "http://far.example/" }))
        .has("- Page Title: through")
        .has("- HTTP status: 401");
}
