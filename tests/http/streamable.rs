//! Streamable HTTP: who is answered with what.

use serde_json::{Value, json};

use crate::common::http::{BOTH, EVENTS, JSON, Server, greeting};
use crate::common::{Launch, PATIENCE, wait_for};
use crate::stock;

const STALE: (&str, &str) = ("Mcp-Session-Id", "00000000-0000-4000-8000-000000000000");

fn error_of(answer: (u16, String)) -> (u16, i64, String) {
    let body: Value = serde_json::from_str(&answer.1).expect("JSON");
    assert_eq!(
        (&body["jsonrpc"], &body["id"]),
        (&json!("2.0"), &json!(null))
    );
    let message = body["error"]["message"].as_str().expect("a message");
    let code = body["error"]["code"].as_i64().expect("a code");
    (answer.0, code, message.to_owned())
}

#[test]
fn it_says_where_it_is_and_shakes_hands() {
    let server = stock().serve();
    let port = server.port;
    let told = wait_for("the last line", PATIENCE, || {
        Some(server.stderr()).filter(|told| told.ends_with("instead.\n"))
    });
    assert_eq!(
        told,
        format!(
            "Listening on http://localhost:{port}\nPut this in your client config:\n{{\n  \
             \"mcpServers\": {{\n    \"playwright\": {{\n      \"url\": \
             \"http://localhost:{port}/mcp\"\n    }}\n  }}\n}}\nFor legacy SSE transport support, \
             you can use the /sse endpoint instead.\n"
        )
    );
    // Any path but /sse.
    for path in ["/mcp", "/", "/anything?x=1", "/killkillkill"] {
        let hello = greeting("2025-06-18", json!({})).to_string();
        let mut answer = server.open("POST", path, &[BOTH, JSON], &hello);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        let id = answer.header("mcp-session-id").expect("an id").to_owned();
        assert!(id.len() == 36 && id.matches('-').count() == 4, "{id}");
        let event = answer.event(PATIENCE).expect("an event");
        assert_eq!((event.kind.as_str(), event.id.as_str()), ("message", ""));
        let message: Value = serde_json::from_str(&event.data).expect("JSON");
        assert_eq!(message["result"]["serverInfo"]["name"], "Playwright");
        assert!(answer.ends(PATIENCE));
    }
    for version in ["2025-11-25", "2025-03-26", "2024-11-05", "2024-10-07"] {
        server.client_of(version, json!({}));
    }
}

#[test]
fn what_is_wrong_is_told_by_status_and_code() {
    for launch in [stock(), Launch::new()] {
        let server = launch.serve();
        let post = |headers: &[_], body: &str| server.ask("POST", "/mcp", headers, body);
        let hello = greeting("2025-06-18", json!({})).to_string();
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let both = "Not Acceptable: Client must accept both application/json and text/event-stream";
        for accept in ["application/json", "text/event-stream", "*/*", ""] {
            assert_eq!(
                error_of(post(&[("Accept", accept), JSON], &hello)),
                (406, -32000, both.to_owned())
            );
        }
        assert_eq!(
            error_of(post(&[BOTH, ("Content-Type", "text/plain")], &hello)).0,
            415
        );
        for garbage in ["{", "", "hello"] {
            let told = error_of(post(&[BOTH, JSON], garbage));
            assert_eq!((told.0, told.1), (400, -32700), "{garbage}");
        }
        let told = error_of(post(&[BOTH, JSON], r#"{"foo":1}"#));
        assert_eq!((told.0, told.1), (400, -32700));
        assert_eq!(
            error_of(post(&[BOTH, JSON], ping)),
            (
                400,
                -32000,
                "Bad Request: Server not initialized".to_owned()
            )
        );
        let two = format!("[{hello},{ping}]");
        assert_eq!(error_of(post(&[BOTH, JSON], &two)).1, -32600);
        // Without a session only POST makes sense.
        for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
            assert_eq!(
                server.ask(method, "/mcp", &[BOTH], ""),
                (400, "Invalid request".to_owned())
            );
        }
        // With one that is not known, nothing does.
        for method in ["GET", "DELETE", "POST"] {
            assert_eq!(
                server.ask(method, "/mcp", &[BOTH, JSON, STALE], ping),
                (404, "Session not found".to_owned())
            );
        }
        with_a_session(&server);
    }
}

fn with_a_session(server: &Server) {
    let client = server.client();
    let id = ("Mcp-Session-Id", client.id.as_str());
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/anything"}"#;
    assert_eq!(
        server.ask("POST", "/mcp", &[BOTH, JSON, id], notification),
        (202, String::new())
    );
    let hello = greeting("2025-06-18", json!({})).to_string();
    assert_eq!(
        error_of(server.ask("POST", "/mcp", &[BOTH, JSON, id], &hello)),
        (
            400,
            -32600,
            "Invalid Request: Server already initialized".to_owned()
        )
    );
    assert_eq!(
        error_of(server.ask("PUT", "/mcp", &[BOTH, id], "")),
        (405, -32000, "Method not allowed.".to_owned())
    );
    let json_only = [("Accept", "application/json"), id];
    assert_eq!(error_of(server.ask("GET", "/mcp", &json_only, "")).0, 406);
    let version = ("MCP-Protocol-Version", "1999-01-01");
    let told = error_of(server.ask("POST", "/mcp", &[BOTH, JSON, id, version], ping));
    assert_eq!((told.0, told.1), (400, -32000));
    assert!(
        told.2
            .contains("1999-01-01 (supported versions: 2025-11-25, 2025-06-18")
    );
    // A batch is answered over one stream.
    let batch = format!("[{ping},{notification},{}]", ping.replace('1', "2"));
    let mut answer = server.open("POST", "/mcp", &[BOTH, JSON, id], &batch);
    let ids = [answer.message(PATIENCE), answer.message(PATIENCE)];
    assert_eq!(ids.map(|message| message.unwrap()["id"].clone()), [1, 2]);
    assert!(answer.ends(PATIENCE));
    // The session of one transport is none of the other.
    let path = format!("/sse?sessionId={}", client.id);
    assert_eq!(server.ask("POST", &path, &[JSON], ping).0, 404);
    let listening = client.listen(None);
    assert_eq!(listening.status, 200);
    assert_eq!(listening.header("content-type"), Some("text/event-stream"));
    assert_eq!(client.end(), 200);
    assert_eq!(client.status(), 404);
    let mut listening = listening;
    assert!(listening.ends(PATIENCE));
}

#[test]
fn tools_are_listed_without_a_browser() {
    let server = Launch::new().serve();
    let client = server.client();
    let mut answer = client.post(&json!({"jsonrpc": "2.0", "id": 5, "method": "tools/list"}));
    let list = answer.message(PATIENCE).expect("a list");
    assert!(list["result"]["tools"].as_array().unwrap().len() > 20);
    let mut answer = client.post(&json!({"jsonrpc": "2.0", "id": 6, "method": "nonsense"}));
    let refusal = answer.message(PATIENCE).expect("a refusal");
    assert_eq!(refusal["error"]["code"], -32601);
    assert_eq!(server.browsers(), 0);
}

#[test]
fn who_names_a_session_of_the_past_may_greet_anew() {
    let hello = greeting("2025-06-18", json!({})).to_string();
    let server = Launch::new().serve();
    let mut answer = server.open("POST", "/mcp", &[BOTH, JSON, STALE], &hello);
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .header("mcp-session-id")
            .is_some_and(|id| id != STALE.1)
    );
    assert!(answer.message(PATIENCE).is_some());
    let server = stock().serve();
    assert_eq!(
        server.ask("POST", "/mcp", &[BOTH, JSON, STALE], &hello),
        (404, "Session not found".to_owned())
    );
}

#[test]
fn only_under_test_it_can_be_killed_by_a_request() {
    let server = stock().var("PWTEST_UNDER_TEST", "1").serve();
    let client = server.client();
    client.call("browser_navigate", json!({"url": "about:blank"}));
    assert_eq!(
        server.ask("GET", "/killkillkill", &[EVENTS], ""),
        (200, "Killing process".to_owned())
    );
    let status = server.exit(std::time::Duration::from_secs(10));
    assert!(status.success(), "{status}");
    assert_eq!(server.processes().len(), 0);
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let server = Launch::new().serve();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_playguard"))
        .args(["--port", &server.port.to_string()])
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        told.starts_with(&format!("Cannot listen on localhost:{}: ", server.port)),
        "{told}"
    );
}
