//! Clients that are gone, and clients that only seem to be.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::http::{Answer, Client, reply_text, tool_call};
use crate::common::{Launch, PATIENCE, wait_for};
use crate::stock;

const PING: &str = "PLAYWRIGHT_MCP_PING_TIMEOUT_MS";

fn blank(client: &Client<'_>) {
    client.call("browser_navigate", json!({"url": "about:blank"}));
}

/// The next ping, if one comes.
fn ping(listening: &mut Answer, limit: Duration) -> Option<Value> {
    let start = Instant::now();
    while start.elapsed() < limit {
        let message = listening.message(limit.saturating_sub(start.elapsed()))?;
        if message["method"] == "ping" {
            return Some(message);
        }
    }
    None
}

fn pong(client: &Client<'_>, ping: &Value) {
    let pong = json!({"jsonrpc": "2.0", "id": ping["id"], "result": {}});
    assert_eq!(client.post(&pong).status, 202);
}

#[test]
fn pings_come_once_there_is_a_browser_and_a_listener() {
    let server = stock().var(PING, "1000").serve();
    let client = server.client();
    let mut listening = client.listen(None);
    assert_eq!(ping(&mut listening, Duration::from_millis(1500)), None);
    blank(&client);
    let first = ping(&mut listening, PATIENCE).expect("a ping");
    pong(&client, &first);
    let answered = Instant::now();
    let second = ping(&mut listening, PATIENCE).expect("a ping");
    let pause = answered.elapsed();
    assert!(
        pause > Duration::from_millis(2500) && pause < Duration::from_millis(4500),
        "{pause:?}"
    );
    pong(&client, &second);
    assert_eq!(client.status(), 200);
}

#[test]
fn in_stock_silence_ends_the_session_and_the_call() {
    let server = stock().var(PING, "700").serve();
    let client = server.client();
    blank(&client);
    let mut call = client.post(&tool_call(5, "browser_wait_for", json!({"time": 30})));
    let mut listening = client.listen(None);
    assert!(ping(&mut listening, PATIENCE).is_some());
    assert!(call.message(Duration::from_secs(5)).is_none());
    assert!(call.ends(Duration::from_secs(1)) && listening.ends(Duration::from_secs(1)));
    assert_eq!(client.status(), 404);
    wait_for("the browser to end", PATIENCE, || {
        (server.browsers() == 0).then_some(())
    });
}

#[test]
fn a_call_outlives_silence_and_its_client_may_come_back() {
    let server = Launch::new().var(PING, "300").serve();
    let client = server.client();
    blank(&client);
    let mut call = client.post(&tool_call(5, "browser_wait_for", json!({"time": 4})));
    let mut listening = client.listen(None);
    assert!(ping(&mut listening, PATIENCE).is_some());
    // The stream is given up, the call is not.
    assert!(listening.ends(Duration::from_secs(2)));
    let answer = call.message(PATIENCE).expect("the answer");
    assert!(reply_text(&answer).contains("Waited for 4"));
    assert_eq!(client.status(), 200);
    let mut listening = client.listen(None);
    let again = ping(&mut listening, PATIENCE).expect("a ping");
    pong(&client, &again);
    assert_eq!(client.status(), 200);
}

#[test]
fn a_client_that_stays_silent_is_given_up_in_the_end() {
    let server = Launch::new().var(PING, "300").serve();
    let client = server.client();
    blank(&client);
    let mut listening = client.listen(None);
    assert!(ping(&mut listening, PATIENCE).is_some());
    wait_for("the browser to end", PATIENCE, || {
        (server.browsers() == 0).then_some(())
    });
    assert_eq!(client.status(), 404);
}

#[test]
fn who_does_not_listen_is_not_asked() {
    for launch in [stock(), Launch::new()] {
        let server = launch.var(PING, "300").serve();
        let client = server.client();
        blank(&client);
        std::thread::sleep(Duration::from_secs(4));
        assert_eq!(client.status(), 200);
    }
}

#[test]
fn a_lost_stream_is_no_silence() {
    let server = Launch::new().var(PING, "1000").serve();
    let client = server.client();
    blank(&client);
    let mut listening = client.listen(None);
    assert!(ping(&mut listening, PATIENCE).is_some());
    listening.cut();
    std::thread::sleep(Duration::from_secs(7));
    assert_eq!(client.status(), 200);
}

#[test]
fn there_are_no_pings_without_a_limit_for_them() {
    let server = stock().var(PING, "0").serve();
    let client = server.client();
    let mut listening = client.listen(None);
    blank(&client);
    assert_eq!(ping(&mut listening, Duration::from_secs(4)), None);
    assert_eq!(client.status(), 200);
}

#[test]
fn clients_that_are_away_are_swept_out() {
    let server = Launch::new().args(["--session-timeout", "1500"]).serve();
    let away = server.client();
    blank(&away);
    let listening_client = server.client();
    let _listening = listening_client.listen(None);
    let busy = server.client();
    let mut call = busy.post(&tool_call(5, "browser_wait_for", json!({"time": 5})));
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(away.status(), 404);
    assert_eq!(listening_client.status(), 200);
    assert!(call.message(PATIENCE).is_some());
    assert_eq!(busy.status(), 200);
}
