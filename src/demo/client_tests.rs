use super::*;

const LIMITS: Limits = Limits {
    answer: Duration::from_secs(20),
    exit: Duration::from_secs(20),
};

/// A server that is a shell script.
fn server(script: &str, limits: Limits) -> Client {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    Client::spawn(command, limits).expect("there is a shell")
}

/// One that answers the first request with these lines, and then goes on
/// until its input ends.
fn answering(lines: &str) -> Client {
    let script = format!("read -r request; printf '%s\\n' '{lines}'; cat >/dev/null");
    server(&script, LIMITS)
}

async fn call(client: &mut Client) -> Result<Reply, ClientError> {
    client.call_tool("browser_click", json!({})).await
}

#[tokio::test]
async fn talks_like_an_mcp_client() {
    // Says what it is sent on standard error.
    let mut client = server(
        r#"
        read -r line; printf '%s\n' "$line" >&2
        echo '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"tea","version":"2"}}}'
        read -r line; printf '%s\n' "$line" >&2
        read -r line; printf '%s\n' "$line" >&2
        echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}],"nextCursor":"x"}}'
        read -r line; printf '%s\n' "$line" >&2
        echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b"}]}}'
        read -r line; printf '%s\n' "$line" >&2
        echo '{"jsonrpc":"2.0","id":4,"result":{"isError":true,"content":[
              {"type":"text","text":"x"},{"type":"image","data":"QUJDRA=="},
              {"type":"text","text":"y"}]}}' | tr -d '\n'
        echo
        read -r line || echo closed >&2
        "#,
        LIMITS,
    );
    let info = client.initialize("tester").await.expect("handshake");
    assert_eq!((info.name.as_str(), info.version.as_str()), ("tea", "2"));
    assert_eq!(client.list_tools().await.expect("tools"), ["a", "b"]);
    let reply = client.call_tool("a", json!({ "é": "\n" })).await;
    let expected = Reply {
        text: "x\ny".to_owned(),
        images: vec![4],
        is_error: true,
    };
    assert_eq!(reply.expect("a reply"), expected);
    client.close().await.expect("ends well");

    let said = client.last_words().await;
    let said: Vec<&str> = said.lines().collect();
    assert!(said[0].contains(r#""id":1,"method":"initialize","params":{"protocolVersion":"#));
    assert!(said[0].contains(r#""clientInfo":{"name":"tester","#));
    assert_eq!(
        said[1..],
        [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a","arguments":{"é":"\n"}}}"#,
            "closed",
        ]
    );
    client.close().await.expect("still ended well");
}

#[tokio::test]
async fn what_is_no_answer_is_passed_over() {
    let script = r#"
        read -r request
        echo
        echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
        echo '{"jsonrpc":"2.0","id":99,"result":{}}'
        echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'
        read -r pong; printf '%s\n' "$pong" >&2
        echo '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
        read -r refusal; printf '%s\n' "$refusal" >&2
        echo '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'
        cat >/dev/null
    "#;
    let mut client = server(script, LIMITS);
    assert_eq!(call(&mut client).await.expect("a reply"), Reply::default());
    client.close().await.expect("ends well");
    assert_eq!(
        client.last_words().await,
        "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}\n\
         {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}"
    );
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let error = Client::spawn(Command::new("/nowhere/playguard"), LIMITS).expect_err("no such");
    let text = error.to_string();
    assert!(text.starts_with("the server could not be started: /nowhere/playguard: "));
}

#[tokio::test]
async fn a_server_that_ends_early_is_told_apart() {
    let mut client = server("echo 'no display' >&2; exit 3", LIMITS);
    let error = client.initialize("tester").await.expect_err("it ended");
    assert_eq!(
        error.to_string(),
        "the server ended in the middle of initialize (exit status: 3)"
    );
    assert_eq!(client.last_words().await, "no display");
    let error = client.close().await.expect_err("not well");
    assert!(matches!(error, ClientError::Untidy { .. }));
}

#[tokio::test]
async fn an_end_is_seen_even_if_a_grandchild_holds_the_pipe() {
    // The sleeper inherits standard output and standard error.
    let mut client = server("read -r request; sleep 30 & echo $!; exit 4", LIMITS);
    let error = call(&mut client).await.expect_err("it is not JSON-RPC");
    let ClientError::NotJson { line: sleeper, .. } = error else {
        panic!("{error}");
    };
    let start = std::time::Instant::now();
    let error = call(&mut client).await.expect_err("it ended");
    assert!(error.to_string().ends_with("(exit status: 4)"), "{error}");
    assert!(client.close().await.is_err());
    client.last_words().await;
    assert!(start.elapsed() < Duration::from_secs(10));
    let end = Command::new("kill").arg(sleeper).status().await;
    assert!(end.expect("there is kill").success());
}

#[tokio::test]
async fn answers_that_make_no_sense() {
    for (lines, expected) in [
        (
            "Debugger listening",
            "the server answered browser_click with something that is not JSON-RPC: \
             Debugger listening",
        ),
        (
            "[1]",
            "the server answered browser_click with something that is not JSON-RPC: [1]",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad"}}"#,
            "the server refused browser_click: bad (-32602)",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
            "the server refused browser_click: what? (-32700)",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            "the server's answer to browser_click has no result",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            "the server's answer to browser_click has no content",
        ),
    ] {
        let mut client = answering(lines);
        let error = call(&mut client).await.expect_err("makes no sense");
        assert_eq!(error.to_string(), expected);
        client.close().await.expect("ends well");
    }
}

#[tokio::test]
async fn a_deep_message_is_an_error_and_not_a_crash() {
    let script = "read -r request; head -c 100000 /dev/zero | tr '\\0' '['; echo; cat >/dev/null";
    let mut client = server(script, LIMITS);
    let error = call(&mut client).await.expect_err("not an object");
    let ClientError::NotJson { line, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(line, "[".repeat(MOST_SHOWN));
    client.close().await.expect("ends well");
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_and_killed() {
    let limits = Limits {
        answer: Duration::from_secs(1),
        exit: Duration::from_millis(300),
    };
    let mut client = server("echo $$ >&2; trap '' TERM; exec sleep 30", limits);
    let error = call(&mut client).await.expect_err("no answer");
    assert_eq!(
        error.to_string(),
        "the server did not answer browser_click within 1 s"
    );
    let error = client.close().await.expect_err("it does not end");
    assert_eq!(
        error.to_string(),
        "the server was still running 0.3 s after its input was closed, and was killed"
    );
    let pid = client.last_words().await;
    assert!(!is_running(&pid).await);
}

#[tokio::test]
async fn a_server_that_never_reads_does_not_block_the_client() {
    let limits = Limits {
        answer: Duration::from_millis(300),
        exit: Duration::from_millis(300),
    };
    let mut client = server("exec sleep 30", limits);
    let large = "x".repeat(1024 * 1024);
    let error = client.call_tool("a", json!({ "text": large })).await;
    assert!(matches!(error, Err(ClientError::Silent { .. })));
    assert!(client.close().await.is_err());
}

#[tokio::test]
async fn a_server_with_much_left_to_say_can_end() {
    // More than a pipe holds, to nobody.
    let script = "cat >/dev/null; head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2";
    let mut client = server(script, LIMITS);
    client.close().await.expect("ends well");
}

#[tokio::test]
async fn a_client_that_is_dropped_takes_its_server_along() {
    let mut client = server("echo $$ >&2; exec sleep 30", LIMITS);
    let mut pid = String::new();
    while pid.is_empty() {
        pid = client.stderr.text(Duration::from_millis(50)).await;
    }
    assert!(is_running(&pid).await);
    drop(client);
    for _ in 0..200 {
        if !is_running(&pid).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("process {pid} is still there");
}

async fn is_running(pid: &str) -> bool {
    assert!(pid.parse::<u32>().is_ok(), "{pid}");
    // Signal 0 only asks.
    let mut kill = Command::new("kill");
    kill.args(["-0", pid]).stderr(Stdio::null());
    kill.status().await.expect("there is kill").success()
}

#[test]
fn base64_sizes() {
    // The examples of RFC 4648, section 10.
    for (text, bytes) in [
        ("", 0),
        ("Zg==", 1),
        ("Zm8=", 2),
        ("Zm9v", 3),
        ("Zm9vYg==", 4),
        ("Zm9vYmE=", 5),
        ("Zm9vYmFy", 6),
    ] {
        assert_eq!(base64_bytes(text), bytes, "{text}");
    }
}
