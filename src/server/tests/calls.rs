//! Tool calls: what reaches the backend and what comes back.

use super::*;

#[tokio::test]
async fn a_call_goes_through_with_defaults_and_the_client() {
    let mut client = Client::greeted().await;
    let (text, is_error) = client
        .text("browser_network_requests", json!({"x": 1}))
        .await;
    assert_eq!(
        (text.as_str(), is_error),
        ("### Result\nbrowser_network_requests", false)
    );
    let calls = client.log.calls.lock().unwrap();
    assert_eq!(
        calls[0].arguments,
        *json!({"static": false}).as_object().unwrap()
    );
    assert_eq!(
        *calls[0].client,
        ClientInfo {
            name: "tester".to_owned(),
            version: "9".to_owned(),
            workspace: "/work-dir".into()
        }
    );
}

#[tokio::test]
async fn unknown_tools_and_bad_arguments_are_results_and_need_no_browser() {
    let mut client = Client::greeted().await;
    for name in ["nope", "browser_cookie_list"] {
        assert_eq!(
            client.text(name, json!({})).await,
            (format!("### Error\nTool \"{name}\" not found"), true)
        );
    }
    assert_eq!(
        client.text("browser_navigate", json!({"url": 1})).await,
        (
            "### Error\nInvalid arguments for tool \"browser_navigate\":\n\
             ✖ Invalid input: expected string, received number\n  → at url"
                .to_owned(),
            true
        )
    );
    assert_eq!(Log::count(&client.log.created), 0);
}

#[tokio::test]
async fn malformed_parameters_are_protocol_errors() {
    let mut client = Client::greeted().await;
    let error = client
        .ask(
            1,
            "tools/call",
            json!({"name": "browser_close", "arguments": null}),
        )
        .await;
    assert_eq!(error["code"], -32603);
    let problems: Value = serde_json::from_str(error["message"].as_str().unwrap()).unwrap();
    assert_eq!(problems[0]["path"], json!(["params", "arguments"]));
    assert_eq!(client.ask(2, "tools/call", json!({})).await["code"], -32603);
    // Missing arguments are none.
    let result = client
        .ask(3, "tools/call", json!({"name": "browser_navigate_back"}))
        .await;
    assert!(result.get("isError").is_none(), "{result}");
}

#[tokio::test]
async fn code_is_refused_with_a_hint() {
    let mut client = Client::greeted().await;
    let (text, is_error) = client
        .text(
            "browser_run_code_unsafe",
            json!({"code": "async page => 1"}),
        )
        .await;
    assert!(is_error);
    assert!(
        text.starts_with(
            "### Error\nError: Tool \"browser_run_code_unsafe\" is refused by policy."
        )
    );
    assert!(text.contains("browser_evaluate"));
    // No browser is started for that.
    assert_eq!(Log::count(&client.log.created), 0);
}

#[tokio::test]
async fn pictures_become_content() {
    let mut client = Client::greeted().await;
    let params = json!({"name": "browser_take_screenshot"});
    assert_eq!(
        client.ask(1, "tools/call", params).await,
        json!({"content": [
            {"type": "text", "text": "### Result\nshot"},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
        ]})
    );
}

#[tokio::test]
async fn snapshots_are_written_before_the_answer_goes_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new/page.yml");
    let name = path.to_str().unwrap();
    let mut client = Client::greeted().await;
    let (text, _) = client
        .text("browser_snapshot", json!({"filename": name}))
        .await;
    assert_eq!(text, format!("### Snapshot\n- [Snapshot]({name})"));
    assert!(path.exists());
    // A folder cannot be written to as a file.
    let folder = dir.path().to_str().unwrap();
    let (text, is_error) = client
        .text("browser_snapshot", json!({"filename": folder}))
        .await;
    assert!(
        is_error && text.starts_with("### Error\nError: cannot write the snapshot"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn calls_overlap_and_quick_methods_do_not_wait() {
    let mut client = Client::greeted().await;
    let started = tokio::time::Instant::now();
    client.call(1, "browser_wait_for", json!({"time": 3})).await;
    client.call(2, "browser_wait_for", json!({"time": 1})).await;
    client.quiet().await;
    assert_eq!(client.receive().await["id"], 2);
    assert_eq!(client.receive().await["id"], 1);
    assert!(started.elapsed() < Duration::from_millis(3100));
    assert_eq!(Log::count(&client.log.created), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_stops_and_is_not_answered() {
    let mut client = Client::greeted().await;
    client
        .call(1, "browser_press_key", json!({"key": "a"}))
        .await;
    client
        .call("other", "browser_wait_for", json!({"time": 1}))
        .await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let cancelled = json!({"requestId": 1, "reason": "changed my mind"});
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
        .await;
    assert_eq!(client.receive().await["id"], "other");
    client.quiet().await;
    assert_eq!(Log::count(&client.log.stopped), 1);
    // Cancelled before the backend was there, a call does nothing at all.
    let mut client = Client::greeted().await;
    client
        .call(1, "browser_hover", json!({"target": "e1"}))
        .await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.quiet().await;
    assert!(client.log.calls.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_call_limit_is_told_to_the_client() {
    let limited = ServerOptions {
        call_limit: Some(Duration::from_millis(300)),
        ..options()
    };
    let mut client = Client::with(limited, Log::default());
    let (text, is_error) = client.text("browser_wait_for", json!({"time": 20})).await;
    assert!(is_error);
    assert!(
        text.starts_with("### Error\nTimeoutError: browser_wait_for was stopped after 300 ms"),
        "{text}"
    );
}

#[tokio::test]
async fn a_panic_costs_one_call() {
    let mut client = Client::greeted().await;
    let (text, is_error) = client
        .text("browser_evaluate", json!({"function": "x"}))
        .await;
    assert!(
        is_error && text.starts_with("### Error\nError: Internal error"),
        "{text}"
    );
    assert!(
        !client
            .text("browser_hover", json!({"target": "e1"}))
            .await
            .1
    );
}

#[tokio::test]
async fn a_failed_start_is_a_result_and_is_tried_again() {
    let log = Log {
        failures: 1.into(),
        ..Log::default()
    };
    let mut client = Client::with(options(), log);
    assert_eq!(
        client.text("browser_hover", json!({"target": "e1"})).await,
        ("### Error\nError: no browser, attempt 0".to_owned(), true)
    );
    assert!(
        !client
            .text("browser_hover", json!({"target": "e1"}))
            .await
            .1
    );
    assert_eq!(Log::count(&client.log.created), 2);
}

#[tokio::test]
async fn calls_that_wait_for_the_same_start_share_its_failure() {
    let log = Log {
        failures: 1.into(),
        ..Log::default()
    };
    let mut client = Client::with(options(), log);
    client
        .call(1, "browser_hover", json!({"target": "e1"}))
        .await;
    client
        .call(2, "browser_hover", json!({"target": "e1"}))
        .await;
    for _ in 0..2 {
        assert_eq!(client.receive().await["result"]["isError"], true);
    }
    assert_eq!(Log::count(&client.log.created), 1);
}

#[tokio::test(start_paused = true)]
async fn a_start_outlives_the_call_that_wanted_it() {
    let log = Log {
        start_ms: 3000.into(),
        ..Log::default()
    };
    let mut client = Client::with(options(), log);
    client
        .call(1, "browser_hover", json!({"target": "e1"}))
        .await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let cancelled = json!({"requestId": 1});
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
        .await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(
        !client
            .text("browser_hover", json!({"target": "e1"}))
            .await
            .1
    );
    assert_eq!(Log::count(&client.log.created), 1);
    assert_eq!(client.log.calls.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn closing_ends_the_backend_and_the_next_call_has_a_new_one() {
    let mut client = Client::greeted().await;
    let (text, _) = client.text("browser_close", json!({})).await;
    assert_eq!(
        text,
        "### Result\nNo open tabs. Navigate to a URL to create one."
    );
    assert_eq!(Log::count(&client.log.closed), 1);
    client.text("browser_hover", json!({"target": "e1"})).await;
    assert_eq!(Log::count(&client.log.created), 2);
}

#[tokio::test]
async fn the_first_tab_changes_the_tool_list_once() {
    let mut client = Client::greeted().await;
    client
        .call(1, "browser_navigate", json!({"url": "http://a/"}))
        .await;
    let first = client.receive().await;
    assert_eq!(
        first,
        json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    );
    assert_eq!(client.receive().await["id"], 1);
    // Neither the same again nor a new backend is news.
    client
        .text("browser_navigate", json!({"url": "http://b/"}))
        .await;
    client.text("browser_close", json!({})).await;
    client
        .text("browser_navigate", json!({"url": "http://c/"}))
        .await;
    client.quiet().await;
}

#[tokio::test]
async fn roots_are_asked_once_and_give_the_workspace() {
    let mut client = Client::start();
    client.greet(json!({"roots": {"listChanged": true}})).await;
    client.ask(1, "tools/list", json!({})).await;
    client
        .call(2, "browser_hover", json!({"target": "e1"}))
        .await;
    client
        .call(3, "browser_hover", json!({"target": "e1"}))
        .await;
    let question = client.receive().await;
    assert_eq!(question["method"], "roots/list");
    // The server answers other requests while it waits.
    client.quiet().await;
    let roots = json!({"roots": [{"uri": "file:///home/me/project"}]});
    client
        .send(json!({"jsonrpc": "2.0", "id": question["id"], "result": roots}))
        .await;
    for _ in 0..2 {
        assert!(client.receive().await["result"]["content"].is_array());
    }
    let clients = client.log.clients.lock().unwrap();
    assert_eq!(clients.len(), 1);
    assert_eq!(
        clients[0].workspace,
        std::path::Path::new("/home/me/project")
    );
}

#[tokio::test(start_paused = true)]
async fn clients_that_fail_to_tell_their_roots_have_none() {
    for answer in [Some(json!({"code": -32601, "message": "no"})), None] {
        let mut client = Client::start();
        client.greet(json!({"roots": {}})).await;
        let started = tokio::time::Instant::now();
        client
            .call(1, "browser_hover", json!({"target": "e1"}))
            .await;
        let question = client.receive().await;
        if let Some(error) = &answer {
            client
                .send(json!({"jsonrpc": "2.0", "id": question["id"], "error": error}))
                .await;
        }
        assert_eq!(client.receive().await["id"], 1);
        let waited = started.elapsed() >= Duration::from_secs(5);
        assert_eq!(waited, answer.is_none());
        let clients = client.log.clients.lock().unwrap();
        assert_eq!(clients[0].workspace, std::path::Path::new("/work-dir"));
    }
}
