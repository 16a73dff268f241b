//! How sessions end.

use super::*;

#[tokio::test(start_paused = true)]
async fn calls_under_way_are_answered_after_the_input_ended() {
    let mut client = Client::greeted().await;
    client
        .call(1, "browser_wait_for", json!({"time": 0.5}))
        .await;
    let rest = client.end().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(
        rest[0]["result"]["content"][0]["text"],
        "### Result\nwaited"
    );
    assert_eq!(Log::count(&client.log.closed), 1);
}

#[tokio::test(start_paused = true)]
async fn but_not_for_ever() {
    let mut client = Client::greeted().await;
    client
        .call(1, "browser_wait_for", json!({"time": 30}))
        .await;
    client
        .call(2, "browser_press_key", json!({"key": "a"}))
        .await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = tokio::time::Instant::now();
    assert_eq!(client.end().await, [] as [Value; 0]);
    let took = started.elapsed();
    assert!(
        took >= Duration::from_millis(700) && took <= Duration::from_secs(1),
        "{took:?}"
    );
    assert_eq!(Log::count(&client.log.stopped), 1);
    assert_eq!(Log::count(&client.log.closed), 1);
}

#[tokio::test(start_paused = true)]
async fn an_idle_session_ends_at_once() {
    let mut client = Client::greeted().await;
    let started = tokio::time::Instant::now();
    assert_eq!(client.end().await, [] as [Value; 0]);
    assert!(started.elapsed() < Duration::from_millis(50));
    assert_eq!(Log::count(&client.log.created), 0);
}

#[tokio::test]
async fn a_last_line_without_an_end_counts() {
    let mut client = Client::greeted().await;
    client
        .raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")
        .await;
    assert_eq!(
        client.end().await,
        [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_roots_goes_on_without_them() {
    let mut client = Client::start();
    client.greet(json!({"roots": {}})).await;
    client
        .call(1, "browser_hover", json!({"target": "e1"}))
        .await;
    assert_eq!(client.receive().await["method"], "roots/list");
    let started = tokio::time::Instant::now();
    let rest = client.end().await;
    assert_eq!(
        rest[0]["result"]["content"][0]["text"],
        "### Result\nbrowser_hover"
    );
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn shutdown_stops_calls_at_once() {
    let options = options();
    let shutdown = options.shutdown.clone();
    let mut client = Client::with(options, Log::default());
    client.greet(json!({})).await;
    client
        .call(1, "browser_press_key", json!({"key": "a"}))
        .await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = tokio::time::Instant::now();
    shutdown.cancel();
    assert_eq!(client.rest().await, [] as [Value; 0]);
    assert!(started.elapsed() < Duration::from_millis(100));
    assert_eq!(Log::count(&client.log.stopped), 1);
    assert_eq!(Log::count(&client.log.closed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_start_under_way_is_given_up() {
    let log = Log {
        start_ms: 60_000.into(),
        ..Log::default()
    };
    let mut client = Client::with(options(), log);
    client.greet(json!({})).await;
    client
        .call(1, "browser_hover", json!({"target": "e1"}))
        .await;
    let started = tokio::time::Instant::now();
    client.end().await;
    assert!(
        started.elapsed() <= Duration::from_secs(1),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_does_not_close_is_let_go_of() {
    for hurry in [false, true] {
        let log = Log {
            close_ms: 60_000.into(),
            ..Log::default()
        };
        let options = options();
        let shutdown = options.shutdown.clone();
        let mut client = Client::with(options, log);
        client.greet(json!({})).await;
        client.text("browser_hover", json!({"target": "e1"})).await;
        let call = json!({"time": 30});
        client.call(1, "browser_wait_for", call).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let started = tokio::time::Instant::now();
        if hurry {
            shutdown.cancel();
            client.rest().await;
        } else {
            client.end().await;
        }
        let took = started.elapsed();
        assert!(took < Duration::from_secs(5), "{took:?}");
        assert_eq!(Log::count(&client.log.dropped), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_nothing_up() {
    let (near, far) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(far);
    let log = Arc::new(Log::default());
    let server = tokio::spawn(serve(
        input,
        output,
        Arc::new(FakeFactory(log.clone())),
        options(),
    ));
    let (_unread, mut to) = tokio::io::split(near);
    for id in 0..9 {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    to.shutdown().await.unwrap();
    let started = tokio::time::Instant::now();
    server.await.unwrap().unwrap();
    assert!(started.elapsed() <= Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_vanishes_ends_the_session() {
    let mut client = Client::greeted().await;
    client.text("browser_hover", json!({"target": "e1"})).await;
    let (log, server) = (
        client.log.clone(),
        std::mem::replace(&mut client.server, tokio::spawn(async { Ok(()) })),
    );
    drop(client);
    server.await.unwrap().unwrap();
    assert_eq!(Log::count(&log.closed), 1);
}
