//! Methods other than tool calls, and input that is no message.

use super::*;

#[tokio::test]
async fn initialize_lists_ping() {
    let mut client = Client::start();
    let greeting = client.greet(json!({})).await;
    assert_eq!(greeting["protocolVersion"], "2025-06-18");
    assert_eq!(greeting["serverInfo"]["name"], "Playwright");
    assert_eq!(
        greeting["capabilities"],
        json!({"tools": {"listChanged": true}})
    );
    assert!(greeting.get("instructions").is_none());
    let list = client.ask(1, "tools/list", json!({})).await;
    assert_eq!(list["tools"].as_array().unwrap().len(), 25);
    assert_eq!(list["tools"][0]["name"], "browser_close");
    assert_eq!(client.ask("p", "ping", json!({})).await, json!({}));
    // None of this needs a browser.
    assert_eq!(Log::count(&client.log.created), 0);
}

#[tokio::test]
async fn parameters_may_be_missing_or_null() {
    let mut client = Client::start();
    client
        .send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"}))
        .await;
    assert_eq!(
        client.receive().await["result"]["protocolVersion"],
        "2025-11-25"
    );
    for params in ["", r#","params":null"#] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"{params}}}\n");
        client.raw(line.as_bytes()).await;
        assert!(client.receive().await["result"]["tools"].is_array());
    }
}

#[tokio::test]
async fn unknown_methods() {
    let mut client = Client::greeted().await;
    for method in [
        "resources/list",
        "prompts/list",
        "logging/setLevel",
        "server/discover",
        "x",
    ] {
        assert_eq!(
            client.ask(1, method, json!({})).await,
            json!({"code": -32601, "message": "Method not found"})
        );
    }
}

#[tokio::test]
async fn notifications_are_never_answered() {
    let mut client = Client::greeted().await;
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/made_up", "params": [1]}))
        .await;
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}))
        .await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})).await;
    client
        .send(
            json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed", "params": null}),
        )
        .await;
    // An answer to nothing.
    client
        .send(json!({"jsonrpc": "2.0", "id": 77, "result": {}}))
        .await;
    client.quiet().await;
}

#[tokio::test]
async fn unreadable_input_is_answered_once_until_a_sound_message_comes() {
    let mut client = Client::greeted().await;
    client.raw(b"not json\n{\"half\":\n\n   \n[1,2\n").await;
    let complaint = client.receive().await;
    assert_eq!(complaint["id"], Value::Null);
    assert!(complaint.as_object().unwrap().contains_key("id"));
    assert_eq!(complaint["error"]["code"], -32700);
    // Sent back to us, it does not start a storm.
    client.send(complaint).await;
    client.quiet().await;
    client.raw(b"{\"foo\":1}\n").await;
    assert_eq!(client.receive().await["error"]["code"], -32600);
    client.quiet().await;
}

#[tokio::test]
async fn each_request_with_an_unusable_id_is_answered() {
    let mut client = Client::greeted().await;
    let ids = ["null", "{}", "[1]", "true", "1.5", "18446744073709551616"];
    for round in 0..2 {
        for id in ids {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
            client.raw(line.as_bytes()).await;
            let answer = client.receive().await;
            assert_eq!(answer.get("id"), Some(&Value::Null), "{id}");
            assert_eq!(answer["error"]["code"], -32600, "{id}");
            // Sent back to us, it asks for nothing.
            client.send(answer).await;
        }
        if round == 0 {
            // Also while other complaints are held back.
            client.raw(b"nonsense\nnonsense\n").await;
            assert_eq!(client.receive().await["error"]["code"], -32700);
        }
    }
    client.quiet().await;
}

#[tokio::test]
async fn a_request_with_a_bad_method_is_answered_under_its_id() {
    let mut client = Client::greeted().await;
    client
        .raw(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":{}}\n")
        .await;
    let answer = client.receive().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(5), &json!(-32600))
    );
}

#[tokio::test]
async fn lone_surrogates_and_broken_utf8_do_not_end_the_session() {
    let mut client = Client::greeted().await;
    client
        .raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"browser_hover\",\"arguments\":{\"target\":\"a\\ud83d\xff\"}}}\n")
        .await;
    let answer = client.receive().await;
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "### Result\nbrowser_hover"
    );
    assert_eq!(
        client.log.calls.lock().unwrap()[0].string("target"),
        Some("a\u{fffd}\u{fffd}")
    );
}

#[tokio::test]
async fn batches_get_one_answer_each() {
    let mut client = Client::greeted().await;
    client.raw(b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\"}]\n").await;
    assert_eq!(client.receive().await["id"], 1);
    assert_eq!(client.receive().await["error"]["code"], -32601);
}
