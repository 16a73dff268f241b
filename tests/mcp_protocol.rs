//! The protocol as clients meet it: the real program, spoken to line by line. No browser is needed;
//! the one that is configured does not exist, so a call that wants it fails at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server under test.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_playguard"))
            .args([
                "--headless",
                "--isolated",
                "--executable-path",
                "/does/not/exist",
            ])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self {
            child,
            input,
            output: BufReader::new(output),
        }
    }

    fn greeted(args: &[&str]) -> Self {
        let mut server = Self::start(args);
        server.greet("2025-06-18");
        server
    }

    fn greet(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "tester", "version": "1"},
        });
        let greeting = self.ask("initialize", params);
        self.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        greeting
    }

    fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.input
            .as_mut()
            .unwrap()
            .write_all(bytes.as_ref())
            .unwrap();
    }

    /// The next line, which must be a JSON-RPC message.
    fn read(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(
            self.output.read_line(&mut line).unwrap(),
            0,
            "the output ended"
        );
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// Result or error of a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        self.write(format!("{request}\n"));
        let answer = self.read();
        assert_eq!(answer["id"], method);
        answer.get("result").unwrap_or(&answer["error"]).clone()
    }

    /// Text of a tool's result, which must be an error.
    fn failure(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Ends the input and waits for the program, with what it still says.
    fn end(mut self) -> (ExitStatus, Vec<Value>) {
        drop(self.input.take());
        let mut rest = Vec::new();
        for line in self.output.by_ref().lines() {
            rest.push(serde_json::from_str(&line.unwrap()).unwrap());
        }
        (self.child.wait().unwrap(), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn versions_and_names() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = Server::start(&["--stock"]);
        assert_eq!(
            server.greet(version),
            json!({
                "protocolVersion": version,
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "Playwright", "version": "1.64.0-alpha-1790635538000"},
            })
        );
    }
    let mut server = Server::start(&[]);
    let greeting = server.greet("2099-01-01");
    assert_eq!(greeting["protocolVersion"], "2025-11-25");
    assert_eq!(greeting["serverInfo"]["name"], "playguard");
    assert!(greeting["instructions"].is_string());
}

fn without_descriptions(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("description");
            fields.values_mut().for_each(without_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(without_descriptions),
        _ => {}
    }
}

#[test]
fn the_tool_list_is_upstreams_in_our_words() {
    let upstream: Vec<Value> =
        serde_json::from_str(include_str!("../fixtures/tools.json")).unwrap();
    let core = upstream.iter().filter(|tool| tool["capability"] == "core");
    let mut server = Server::greeted(&["--stock"]);
    let list = server.ask("tools/list", json!({}));
    assert!(list.to_string().len() < 20_000);
    let tools = list["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 25);
    for (tool, expected) in tools.iter().zip(core) {
        assert!(
            tool["description"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        let mut tool = tool.clone();
        without_descriptions(&mut tool);
        for key in ["name", "annotations", "inputSchema"] {
            assert_eq!(tool[key].to_string(), expected[key].to_string());
        }
    }
}

#[test]
fn odd_input_does_not_end_the_session() {
    let mut server = Server::greeted(&[]);
    server.write("this is no JSON\nneither is {this}\n");
    let complaint = server.read();
    assert_eq!(complaint["error"]["code"], -32700);
    assert_eq!(complaint.get("id"), Some(&Value::Null));
    server.write(format!("{complaint}\n"));
    server.write("\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/made_up\"}\n");
    server.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}\n");
    assert_eq!(server.ask("ping", json!({})), json!({}));
    server.write(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":\"\\ud83d\",\"method\":\"ping\"}\r\n");
    assert_eq!(server.read()["id"], "\u{fffd}");
    for method in [
        "resources/list",
        "prompts/list",
        "server/discover",
        "nonsense",
    ] {
        let error = server.ask(method, json!({}));
        assert_eq!(
            error,
            json!({"code": -32601, "message": "Method not found"})
        );
    }
}

#[test]
fn each_request_is_answered_whatever_its_id() {
    let mut server = Server::greeted(&[]);
    server.write("nonsense\n");
    assert_eq!(server.read()["error"]["code"], -32700);
    for id in ["null", "{}", "true", "[]", "0.5", "123456789012345678901"] {
        for method in ["\"ping\"", "7"] {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{method}}}\n");
            server.write(line);
            let answer = server.read();
            assert_eq!(answer.get("id"), Some(&Value::Null), "{id}");
            assert_eq!(answer["error"]["code"], -32600, "{id}");
            // Two servers that talk to each other come to rest.
            server.write(format!("{answer}\n"));
        }
    }
    assert_eq!(server.ask("ping", json!({})), json!({}));
}

#[test]
fn mistakes_in_calls_are_told_and_start_no_browser() {
    let mut server = Server::greeted(&["--stock"]);
    assert_eq!(
        server.failure("browser_fly", json!({})),
        "### Error\nTool \"browser_fly\" not found"
    );
    assert_eq!(
        server.failure(
            "browser_network_request",
            json!({"index": 0, "part": "all"})
        ),
        "### Error\nInvalid arguments for tool \"browser_network_request\":\n\
         ✖ Too small: expected number to be >=1\n  → at index\n\
         ✖ Invalid option: expected one of \"request-headers\"|\"request-body\"|\"response-headers\"|\"response-body\"\n  → at part"
    );
    assert_eq!(
        server.failure("browser_find", json!({"regex": "("})),
        "### Error\nInvalid arguments for tool \"browser_find\":\n\
         ✖ Invalid regular expression\n  → at regex"
    );
    let error = server.ask(
        "tools/call",
        json!({"name": "browser_close", "arguments": null}),
    );
    assert_eq!(error["code"], -32603);
}

#[test]
fn scripts_are_refused_without_a_browser() {
    let mut server = Server::greeted(&[]);
    let refusal = server.failure("browser_run_code_unsafe", json!({"code": "() => 1"}));
    assert!(
        refusal.contains("refused by policy") && refusal.contains("--allow-unsafe-code"),
        "{refusal}"
    );
}

#[test]
fn a_browser_that_cannot_start_is_a_result_each_time() {
    let mut server = Server::greeted(&[]);
    for _ in 0..2 {
        let text = server.failure("browser_snapshot", json!({}));
        assert!(text.starts_with("### Error\nError: "), "{text}");
        assert!(text.contains("/does/not/exist"), "{text}");
    }
}

#[test]
fn it_ends_with_its_input_and_answers_what_was_asked() {
    let mut server = Server::greeted(&[]);
    // Without a line end.
    server.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    let asked = Instant::now();
    let (status, rest) = server.end();
    assert_eq!(rest, [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]);
    assert_eq!(status.code(), Some(0));
    assert!(
        asked.elapsed() < Duration::from_secs(4),
        "{:?}",
        asked.elapsed()
    );
}

#[test]
fn it_is_there_at_once() {
    let started = Instant::now();
    let mut server = Server::start(&[]);
    server.greet("2025-06-18");
    // A few milliseconds on an idle machine; the limit is for busy ones.
    let took = started.elapsed();
    eprintln!("first answer after {took:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}
