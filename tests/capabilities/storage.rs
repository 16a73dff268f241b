//! Cookies, web storage, and both in a file.

use serde_json::{Value, json};

use crate::common::{Answer, Launch, Stage, reference};
use crate::steps;

#[test]
fn storage() {
    let stage = Stage::new(Launch::new().arg("--caps=storage"));
    steps!(&stage;
        cookies_come_and_go,
        a_cookie_needs_a_domain,
        cookies_of_servers_are_seen,
        items_of_both_storages,
        pages_without_storage,
        a_state_is_saved_and_restored,
        files_that_are_no_states,
    );
}

fn cookies_come_and_go(stage: &Stage) {
    stage.show("<p>Page</p>");
    stage
        .call("browser_cookie_list", json!({}))
        .fine()
        .says("### Result\nNo cookies found\n### Ran Playwright code\n```js\nawait page.context().cookies();\n```");
    let arguments = json!({ "name": "a", "value": "1" });
    stage.call("browser_cookie_set", arguments).fine().has(
        "await page.context().addCookies([{\"name\":\"a\",\"value\":\"1\",\"domain\":\"127.0.0.1\",\"path\":\"/\"}]);",
    );
    let arguments = json!({
        "name": "b", "value": "2", "path": "/sub", "expires": 4_000_000_000_u32, "httpOnly": true, "sameSite": "Strict"
    });
    stage.call("browser_cookie_set", arguments).fine().has(
        "\"path\":\"/sub\",\"expires\":4000000000,\"httpOnly\":true,\"sameSite\":\"Strict\"}]);",
    );
    stage
        .call("browser_cookie_list", json!({ "domain": "127" }))
        .fine()
        .has("a=1 (domain: 127.0.0.1, path: /)")
        .has("b=2 (domain: 127.0.0.1, path: /sub)");
    stage
        .call("browser_cookie_list", json!({ "path": "/sub" }))
        .fine()
        .has("b=2")
        .lacks("a=1");
    stage
        .call("browser_cookie_get", json!({ "name": "b" }))
        .fine()
        .has(
            "b=2 (domain: 127.0.0.1, path: /sub, httpOnly: true, secure: false, sameSite: Strict)",
        );
    stage
        .call("browser_cookie_get", json!({ "name": "a" }))
        .fine()
        .has("sameSite: Lax)");
    assert_eq!(stage.value("document.cookie"), json!("a=1"));
    stage
        .call("browser_cookie_delete", json!({ "name": "a" }))
        .fine()
        .has("await page.context().clearCookies({ name: 'a' });");
    stage
        .call("browser_cookie_get", json!({ "name": "a" }))
        .fine()
        .has("Cookie 'a' not found");
    stage
        .call("browser_cookie_get", json!({ "name": "b" }))
        .fine()
        .has("b=2");
    stage
        .call("browser_cookie_clear", json!({}))
        .fine()
        .has("await page.context().clearCookies();");
    stage
        .call("browser_cookie_list", json!({}))
        .fine()
        .has("No cookies found");
}

fn a_cookie_needs_a_domain(stage: &Stage) {
    stage.open("about:blank");
    stage
        .call("browser_cookie_set", json!({ "name": "a", "value": "1" }))
        .failed()
        .has("Cookie should have a url or a domain/path pair");
    let arguments = json!({ "name": "a", "value": "1", "domain": "example.com" });
    stage.call("browser_cookie_set", arguments).fine();
    stage
        .call("browser_cookie_list", json!({}))
        .fine()
        .has("a=1 (domain: example.com, path: /)");
    stage.call("browser_cookie_clear", json!({})).fine();
}

fn cookies_of_servers_are_seen(stage: &Stage) {
    let answer = Answer::page("T", "x").header("Set-Cookie", "sid=abc; HttpOnly");
    let url = stage.pages.put("/login", answer);
    stage.open(&url);
    stage
        .call("browser_cookie_get", json!({ "name": "sid" }))
        .fine()
        .has("sid=abc")
        .has("httpOnly: true");
    stage.call("browser_cookie_clear", json!({})).fine();
}

fn items_of_both_storages(stage: &Stage) {
    stage.show("<p>Page</p>");
    for (tool, name) in [
        ("localstorage", "localStorage"),
        ("sessionstorage", "sessionStorage"),
    ] {
        let call = |operation: &str, arguments: Value| {
            stage
                .call(&format!("browser_{tool}_{operation}"), arguments)
                .fine()
        };
        call("list", json!({}))
            .has(&format!("No {name} items found"))
            .has(&format!("await page.{name}.items();"));
        call("set", json!({ "key": "k'1", "value": "v=1" }))
            .has(&format!("await page.{name}.setItem('k\\'1', 'v=1');"))
            .lacks("### Result");
        call("set", json!({ "key": "length", "value": "2" }));
        assert_eq!(
            stage.value(&format!("{name}.getItem(\"k'1\")")),
            json!("v=1")
        );
        call("list", json!({})).has("k'1=v=1").has("length=2");
        call("get", json!({ "key": "length" }))
            .has("length=2")
            .has(&format!("await page.{name}.getItem('length');"));
        call("get", json!({ "key": "none" })).has(&format!("{name} key 'none' not found"));
        call("delete", json!({ "key": "length" }))
            .has(&format!("await page.{name}.removeItem('length');"));
        call("list", json!({})).lacks("length=2");
        call("clear", json!({})).has(&format!("await page.{name}.clear();"));
        call("list", json!({})).has(&format!("No {name} items found"));
    }
}

fn pages_without_storage(stage: &Stage) {
    stage.open("data:text/html,<title>Opaque</title>");
    stage
        .call("browser_localstorage_list", json!({}))
        .failed()
        .has("SecurityError");
}

fn a_state_is_saved_and_restored(stage: &Stage) {
    stage.pages.put("/page", Answer::page("T", "x"));
    let (here, there) = (
        stage.pages.url("/page"),
        format!("{}/page", stage.pages.other_origin()),
    );
    // Two origins, of which only the second is still open when the state is saved.
    for (url, value) in [(&here, "here"), (&there, "there")] {
        stage.open(url);
        stage.value(&format!("localStorage.setItem('where', '{value}')"));
    }
    let arguments = json!({ "name": "sid", "value": "42", "sameSite": "Strict" });
    stage.call("browser_cookie_set", arguments).fine();
    stage
        .call("browser_storage_state", json!({ "filename": "state.json" }))
        .fine()
        .has("- [Storage state](./state.json)")
        .has("await page.context().storageState({ path: './state.json' });");
    let text = std::fs::read_to_string(stage.workspace().join("state.json")).expect("a file");
    let state: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(state["cookies"][0]["name"], "sid");
    assert_eq!(state["cookies"][0]["expires"].as_f64(), Some(-1.0));
    assert_eq!(state["cookies"][0]["sameSite"], "Strict");
    let mut origins: Vec<&Value> = state["origins"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    origins.sort_by_key(|origin| origin["localStorage"][0]["value"].to_string());
    assert_eq!(origins.len(), 2, "{text}");
    assert_eq!(
        origins[0]["localStorage"],
        json!([{ "name": "where", "value": "here" }])
    );
    let requests = stage.pages.requests("/page").len();

    stage.call("browser_cookie_clear", json!({})).fine();
    stage.value("[localStorage.setItem('where', 'changed'), localStorage.setItem('more', '1')]");
    stage
        .call(
            "browser_set_storage_state",
            json!({ "filename": "state.json" }),
        )
        .fine()
        .has("Storage state restored from state.json")
        .has("await page.context().setStorageState('state.json');");
    assert_eq!(
        stage.value("[localStorage.where, localStorage.more ?? null]"),
        json!(["there", null])
    );
    // Reaching an origin that is not open has asked nothing of its server, and shown no tab.
    assert_eq!(stage.pages.requests("/page").len(), requests);
    let tabs = stage
        .call("browser_tabs", json!({ "action": "list" }))
        .fine();
    assert_eq!(tabs.plain.matches("\n- ").count(), 1, "{}", tabs.plain);
    stage
        .call("browser_cookie_get", json!({ "name": "sid" }))
        .fine()
        .has("sid=42")
        .has("sameSite: Strict");
    stage.open(&here);
    assert_eq!(stage.value("localStorage.where"), json!("here"));
}

fn files_that_are_no_states(stage: &Stage) {
    stage.show("<p>Page</p>");
    let restore = |name: &str| {
        stage
            .call("browser_set_storage_state", json!({ "filename": name }))
            .failed()
    };
    restore("missing.json").matches(r"Error reading storage state from .*missing\.json:\nENOENT");
    restore("../outside.json").has("File access denied");
    if reference() {
        return;
    }
    for (name, text) in [
        ("broken.json", "{"),
        ("wrong.json", "{\"cookies\":7}"),
        (
            "file.json",
            "{\"origins\":[{\"origin\":\"file:///etc\",\"localStorage\":[]}]}",
        ),
    ] {
        std::fs::write(stage.workspace().join(name), text).expect("a file");
        restore(name).has("Error reading storage state from");
    }
}
