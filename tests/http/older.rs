//! The older transport.

use std::time::Duration;

use serde_json::json;

use crate::common::http::{Answer, EVENTS, JSON, Server, greeting, reply_text, tool_call};
use crate::common::{Launch, PATIENCE, wait_for};
use crate::stock;

/// Opens a session; where to POST to, and the stream.
fn open(server: &Server) -> (String, Answer) {
    let mut stream = server.open("GET", "/sse", &[EVENTS], "");
    assert_eq!(stream.status, 200);
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let event = stream.event(PATIENCE).expect("an endpoint");
    assert_eq!(event.kind, "endpoint");
    let id = event.data.strip_prefix("/sse?sessionId=").expect("an id");
    assert_eq!(id.len(), 36);
    (event.data, stream)
}

#[test]
fn answers_come_over_the_stream() {
    for launch in [stock(), Launch::new()] {
        let server = launch.serve();
        let (path, mut stream) = open(&server);
        let accepted = (202, "Accepted".to_owned());
        let post =
            |message: &serde_json::Value| server.ask("POST", &path, &[JSON], &message.to_string());
        assert_eq!(post(&greeting("2024-11-05", json!({}))), accepted);
        let welcome = stream.message(PATIENCE).expect("a welcome");
        assert_eq!(welcome["result"]["protocolVersion"], "2024-11-05");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(post(&ready), accepted);
        let call = tool_call(
            7,
            "browser_navigate",
            json!({"url": "data:text/html,<title>T</title>"}),
        );
        assert_eq!(post(&call), accepted);
        loop {
            let message = stream.message(PATIENCE).expect("an answer");
            if message["id"] == 7 {
                assert!(reply_text(&message).contains("Page Title: T"), "{message}");
                break;
            }
            assert_eq!(message["method"], "notifications/tools/list_changed");
        }
        // The end of the stream is the end of the session, and of the browser with it.
        assert_eq!(server.browsers(), 1);
        stream.cut();
        wait_for("the session to end", PATIENCE, || {
            (post(&ready).0 == 404).then_some(())
        });
        wait_for("the browser to end", PATIENCE, || {
            (server.browsers() == 0).then_some(())
        });
    }
}

#[test]
fn what_is_wrong_is_told_in_plain_text() {
    let server = stock().serve();
    let (path, _stream) = open(&server);
    let told = |method, path: &str, headers: &[_], body| server.ask(method, path, headers, body);
    let line = |status, text: &str| (status, text.to_owned());
    assert_eq!(
        told("POST", "/sse", &[JSON], "{}"),
        line(400, "Missing sessionId")
    );
    assert_eq!(
        told("POST", "/sse?sessionId=x", &[JSON], "{}"),
        line(404, "Session not found")
    );
    for method in ["PUT", "DELETE"] {
        assert_eq!(
            told(method, &path, &[], ""),
            line(405, "Method not allowed")
        );
    }
    assert_eq!(
        told("POST", &path, &[("Content-Type", "text/plain")], "{}"),
        line(400, "Error: Unsupported content-type: text/plain")
    );
    assert_eq!(
        told("POST", &path, &[JSON], "{"),
        line(400, "Invalid message: {")
    );
}

#[test]
fn two_streams_are_two_sessions() {
    let server = Launch::new().serve();
    let ((first, mut one), (second, mut two)) = (open(&server), open(&server));
    assert_ne!(first, second);
    for (path, stream, id) in [(&first, &mut one, 1), (&second, &mut two, 2)] {
        let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
        assert_eq!(server.ask("POST", path, &[JSON], &ping).0, 202);
        assert_eq!(stream.message(PATIENCE).expect("an answer")["id"], id);
    }
    assert!(one.message(Duration::from_millis(100)).is_none());
}
