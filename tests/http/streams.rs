//! Sessions outlive their connections.

use std::time::Duration;

use serde_json::json;

use crate::common::http::{reply_text, tool_call};
use crate::common::{Launch, PATIENCE};
use crate::stock;

const SOON: Duration = Duration::from_secs(5);

fn wait(seconds: f64) -> serde_json::Value {
    json!({"time": seconds})
}

#[test]
fn an_answer_whose_stream_broke_goes_to_who_listens() {
    let server = Launch::new().serve();
    let client = server.client();
    let blank = json!({"url": "about:blank"});
    client.call("browser_navigate", blank);
    let mut listening = client.listen(None);
    // Its stream breaks while the call runs.
    client
        .post(&tool_call(71, "browser_wait_for", wait(1.0)))
        .cut();
    let answer = listening.answer_to(71);
    assert!(reply_text(&answer).contains("Waited for 1"), "{answer}");
    // Also when nobody listens yet.
    listening.cut();
    client
        .post(&tool_call(72, "browser_wait_for", wait(0.5)))
        .cut();
    std::thread::sleep(Duration::from_millis(1500));
    let mut listening = client.listen(None);
    listening.answer_to(72);
    assert_eq!(client.status(), 200);
}

#[test]
fn an_answering_stream_is_resumed() {
    let server = Launch::new().serve();
    let client = server.client_of("2025-11-25", json!({}));
    client.call("browser_navigate", json!({"url": "about:blank"}));
    let mut answer = client.post(&tool_call(81, "browser_wait_for", wait(1.0)));
    // The first event says where to go on.
    let first = answer.event(SOON).expect("an event");
    assert_eq!(first.data, "");
    assert!(!first.id.is_empty());
    answer.cut();
    let mut resumed = client.listen(Some(&first.id));
    let (message, id) = resumed.message_and_id(PATIENCE).expect("the answer");
    assert_eq!(message["id"], 81);
    // It was the stream of that call, which is over.
    assert!(resumed.ends(SOON));
    // Once more: the last connection may have lost it.
    let mut again = client.listen(Some(&first.id));
    assert_eq!(again.message(SOON).expect("the answer")["id"], 81);
    let mut nothing_new = client.listen(Some(&id));
    assert!(nothing_new.message(SOON).is_none() && nothing_new.ends(SOON));
}

#[test]
fn older_versions_get_no_event_without_data() {
    let server = Launch::new().serve();
    let client = server.client_of("2025-06-18", json!({}));
    let mut answer = client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let event = answer.event(SOON).expect("an event");
    assert!(!event.data.is_empty() && !event.id.is_empty(), "{event:?}");
}

#[test]
fn a_listener_goes_on_where_it_was() {
    let server = Launch::new().serve();
    let client = server.client();
    let mut first = client.listen(None);
    client.call("browser_navigate", json!({"url": "about:blank"}));
    first.asked("notifications/tools/list_changed");
    // A second one takes over, and can ask for what the first one had.
    let mut second = client.listen(Some("0-0"));
    assert!(first.ends(SOON));
    second.asked("notifications/tools/list_changed");
    second.cut();
    assert_eq!(client.status(), 200);
}

#[test]
fn roots_are_asked_for_over_any_stream() {
    // A client that never listens is asked over the stream of its call.
    let server = Launch::new().started_elsewhere().serve();
    let client = server.client_of("2025-06-18", json!({"roots": {}}));
    let mut answer = client.post(&tool_call(5, "browser_snapshot", json!({})));
    let question = answer.message(PATIENCE).expect("a question");
    assert_eq!(question["method"], "roots/list");
    let roots = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
    assert_eq!(client.post(&roots).status, 202);
    answer.answer_to(5);
    assert!(answer.ends(SOON));
}

#[test]
fn stock_waits_five_seconds_for_a_listener_to_ask() {
    let server = stock().serve();
    let client = server.client_of("2025-06-18", json!({"roots": {}}));
    let mut answer = client.post(&tool_call(5, "browser_snapshot", json!({})));
    assert!(answer.message(Duration::from_secs(1)).is_none());
    let mut listening = client.listen(None);
    let question = listening.message(SOON).expect("a question");
    assert_eq!(question["method"], "roots/list");
    let roots = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
    assert_eq!(client.post(&roots).status, 202);
    assert_eq!(answer.message(PATIENCE).expect("the answer")["id"], 5);
    // And there is one listener at most, whose events have no ids.
    let mut other = client.listen(None);
    assert_eq!(other.status, 409);
    assert!(
        other
            .rest()
            .contains("Only one SSE stream is allowed per session")
    );
}

#[test]
fn a_cancelled_call_ends_its_stream() {
    let server = Launch::new().serve();
    let client = server.client();
    client.call("browser_navigate", json!({"url": "about:blank"}));
    let mut answer = client.post(&tool_call(9, "browser_wait_for", wait(30.0)));
    std::thread::sleep(Duration::from_millis(300));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 9}});
    assert_eq!(client.post(&cancel).status, 202);
    assert!(answer.message(SOON).is_none());
    assert!(answer.ends(SOON));
    assert_eq!(client.status(), 200);
}

#[test]
fn quiet_streams_are_kept_alive() {
    let server = Launch::new().serve();
    let client = server.client();
    let mut listening = client.listen(None);
    let (path, mut older) = {
        let mut stream = server.open("GET", "/sse", &[], "");
        (stream.event(SOON).expect("an endpoint").data, stream)
    };
    assert!(path.starts_with("/sse?"));
    for stream in [&mut listening, &mut older] {
        let event = stream.event(Duration::from_secs(20)).expect("a comment");
        assert!(event.comment && event.data.is_empty(), "{event:?}");
    }
}
