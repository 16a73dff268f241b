//! A server for clients over HTTP, and a small client of the two transports: HTTP/1.1 on plain
//! sockets, so that tests see every byte and can break connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::launch::Home;
use super::{PATIENCE, processes, wait_for};

/// What a streamable client accepts.
pub const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");
pub const JSON: (&str, &str) = ("Content-Type", "application/json");
pub const EVENTS: (&str, &str) = ("Accept", "text/event-stream");

/// A server that listens. When it goes out of scope it is told to end, and the test fails unless it
/// and every process it started do.
pub struct Server {
    pub pid: u32,
    pub port: u16,
    child: Mutex<Child>,
    errors: Arc<Mutex<String>>,
    home: Home,
}

impl Server {
    #[track_caller]
    pub(super) fn new(mut child: Child, home: Home) -> Self {
        drop(child.stdin.take());
        let errors = Arc::new(Mutex::new(String::new()));
        if let Some(mut output) = child.stderr.take() {
            let errors = errors.clone();
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(count @ 1..) = output.read(&mut buffer) {
                    let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                    errors
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push_str(&text);
                }
            });
        }
        let mut server = Self {
            pid: child.id(),
            port: 0,
            child: Mutex::new(child),
            errors,
            home,
        };
        server.port = wait_for("the port", PATIENCE, || {
            assert!(server.runs(), "it ended: {}", server.stderr());
            let text = server.stderr();
            let url = text.split("Listening on http://").nth(1)?;
            let (url, _) = url.split_once('\n')?;
            url.rsplit(':').next()?.parse().ok()
        });
        server
    }

    pub fn stderr(&self) -> String {
        self.errors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub fn runs(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(child.try_wait(), Ok(None))
    }

    pub fn signal(&self, name: &str) {
        processes::signal(self.pid, name);
    }

    #[track_caller]
    pub fn exit(&self, limit: Duration) -> ExitStatus {
        wait_for("the server to end", limit, || {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            child.try_wait().expect("a child of ours")
        })
    }

    /// The browsers that run for it.
    pub fn browsers(&self) -> usize {
        processes::browsers(&self.home.tag)
            .iter()
            .filter(|process| process.state != 'Z')
            .count()
    }

    /// Everything that runs for it, itself included.
    pub fn processes(&self) -> Vec<processes::Process> {
        let mut all = processes::tagged(&self.home.tag);
        all.retain(|process| process.state != 'Z');
        all
    }

    /// Resident memory of the server alone, in KiB.
    #[track_caller]
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid));
        let status = status.expect("a process of ours");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.expect("VmRSS").parse().expect("a number")
    }

    /// Sends a request and reads the head of the answer.
    #[track_caller]
    pub fn open(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let _ = stream.set_nodelay(true);
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: localhost:{}\r\n", self.port);
        }
        for (name, value) in headers {
            // An empty one stands for none.
            if !value.is_empty() {
                head += &format!("{name}: {value}\r\n");
            }
        }
        head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(head.as_bytes()).expect("it reads");
        Answer::read(stream)
    }

    /// The whole answer to a request.
    #[track_caller]
    pub fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String) {
        let mut answer = self.open(method, path, headers, body);
        (answer.status, answer.rest())
    }

    /// A client of streamable HTTP that has greeted.
    #[track_caller]
    pub fn client(&self) -> Client<'_> {
        self.client_of("2025-06-18", json!({}))
    }

    #[track_caller]
    pub fn client_of(&self, version: &str, capabilities: Value) -> Client<'_> {
        let hello = greeting(version, capabilities);
        let mut answer = self.open("POST", "/mcp", &[BOTH, JSON], &hello.to_string());
        assert!(answer.status == 200, "{}", answer.rest());
        let id = answer
            .header("mcp-session-id")
            .expect("a session")
            .to_owned();
        let welcome = answer.message(PATIENCE).expect("a welcome");
        assert_eq!(welcome["result"]["protocolVersion"], version, "{welcome}");
        let client = Client {
            server: self,
            id,
            numbers: AtomicU64::new(1),
        };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(&ready).status, 202);
        client
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal("TERM");
        let failed = std::thread::panicking();
        let start = Instant::now();
        while self.runs() && start.elapsed() < Duration::from_secs(15) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let ended = !self.runs();
        {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = child.kill();
            let _ = child.wait();
        }
        if !failed {
            assert!(ended, "it does not end: {}", self.stderr());
            wait_for("every process to end", Duration::from_secs(5), || {
                self.processes().is_empty().then_some(())
            });
        }
    }
}

/// An initialize request with id 0.
pub fn greeting(version: &str, capabilities: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "http-tests", "version": "1"},
    }})
}

/// A tools/call request.
pub fn tool_call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}})
}

/// A session of streamable HTTP.
pub struct Client<'a> {
    pub server: &'a Server,
    pub id: String,
    numbers: AtomicU64,
}

impl Client<'_> {
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    #[track_caller]
    pub fn post(&self, message: &Value) -> Answer {
        let headers = [BOTH, JSON, ("Mcp-Session-Id", &self.id)];
        self.server
            .open("POST", "/mcp", &headers, &message.to_string())
    }

    /// Starts a call of a tool.
    #[track_caller]
    pub fn begin(&self, tool: &str, arguments: Value) -> Answer {
        self.post(&tool_call(self.number(), tool, arguments))
    }

    /// Calls a tool; the text of its reply.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> String {
        let id = self.number();
        let mut answer = self.post(&tool_call(id, tool, arguments));
        assert!(answer.status == 200, "{}", answer.rest());
        reply_text(&answer.answer_to(id))
    }

    /// Opens the event stream.
    #[track_caller]
    pub fn listen(&self, last: Option<&str>) -> Answer {
        let headers = [
            EVENTS,
            ("Mcp-Session-Id", &self.id),
            ("Last-Event-ID", last.unwrap_or_default()),
        ];
        self.server.open("GET", "/mcp", &headers, "")
    }

    /// The status of a ping: 200 while the session lives.
    #[track_caller]
    pub fn status(&self) -> u16 {
        let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
        let mut answer = self.post(&ping);
        answer.rest();
        answer.status
    }

    #[track_caller]
    pub fn end(&self) -> u16 {
        let headers = [BOTH, ("Mcp-Session-Id", &self.id)];
        self.server.ask("DELETE", "/mcp", &headers, "").0
    }
}

/// The text of a tool's reply.
#[track_caller]
pub fn reply_text(message: &Value) -> String {
    let text = message["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {message}"))
        .to_owned()
}

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    pub kind: String,
    pub id: String,
    pub data: String,
    /// It is a comment, and nothing else.
    pub comment: bool,
}

/// An answer whose body is read as it comes.
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    reader: BufReader<TcpStream>,
    /// Bytes of the body that have come and are not used.
    text: String,
    chunked: bool,
    left: usize,
    ended: bool,
}

impl Answer {
    #[track_caller]
    fn read(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).expect("an answer");
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {line:?}"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a head");
            match line.trim_end().split_once(':') {
                Some((name, value)) => {
                    headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
                }
                None => break,
            }
        }
        let mut answer = Self {
            status,
            headers,
            reader,
            text: String::new(),
            chunked: false,
            left: 0,
            ended: false,
        };
        answer.chunked = answer.header("transfer-encoding") == Some("chunked");
        let length = answer.header("content-length");
        answer.left = length.and_then(|n| n.parse().ok()).unwrap_or(0);
        answer
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Reads some more; false when there is no more, or none within `limit`.
    fn more(&mut self, limit: Duration) -> bool {
        if self.ended {
            return false;
        }
        let limit = limit.max(Duration::from_millis(1));
        let _ = self.reader.get_ref().set_read_timeout(Some(limit));
        let count = if self.chunked {
            let mut line = String::new();
            match self.reader.read_line(&mut line) {
                Ok(0) => 0,
                Ok(_) => usize::from_str_radix(line.trim(), 16).unwrap_or(0),
                // Nothing has been taken: sizes come with their line end.
                Err(error) => {
                    self.ended = !is_timeout(&error);
                    return false;
                }
            }
        } else {
            std::mem::take(&mut self.left)
        };
        if count == 0 {
            self.ended = true;
            return false;
        }
        let _ = self.reader.get_ref().set_read_timeout(Some(PATIENCE));
        let mut piece = vec![0; count];
        if self.reader.read_exact(&mut piece).is_err() {
            self.ended = true;
            return false;
        }
        if self.chunked {
            let _ = self.reader.read_exact(&mut [0; 2]);
        }
        self.text.push_str(&String::from_utf8_lossy(&piece));
        true
    }

    /// The rest of the body.
    pub fn rest(&mut self) -> String {
        while self.more(PATIENCE) {}
        std::mem::take(&mut self.text)
    }

    /// Whether the body has ended, waiting for that.
    pub fn ends(&mut self, limit: Duration) -> bool {
        let start = Instant::now();
        while !self.ended && start.elapsed() < limit {
            self.more(limit.saturating_sub(start.elapsed()));
        }
        self.ended
    }

    /// The next event or comment.
    pub fn event(&mut self, limit: Duration) -> Option<Event> {
        let start = Instant::now();
        loop {
            if let Some((text, rest)) = self.text.split_once("\n\n") {
                let event = parse(text);
                self.text = rest.to_owned();
                return Some(event);
            }
            let left = limit.checked_sub(start.elapsed())?;
            if !self.more(left) && self.ended {
                return None;
            }
        }
    }

    /// The next message; events without data and comments are passed over.
    pub fn message(&mut self, limit: Duration) -> Option<Value> {
        self.message_and_id(limit).map(|(message, _)| message)
    }

    /// The next message with the id of its event.
    pub fn message_and_id(&mut self, limit: Duration) -> Option<(Value, String)> {
        let start = Instant::now();
        loop {
            let event = self.event(limit.checked_sub(start.elapsed())?)?;
            if event.kind == "message" && !event.data.is_empty() {
                let message = serde_json::from_str(&event.data);
                return Some((message.expect("JSON in an event"), event.id));
            }
        }
    }

    /// The answer to a request; what else comes is passed over.
    #[track_caller]
    pub fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.message(PATIENCE).expect("an answer");
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
        }
    }

    /// The next request or notification of this name; what else comes is passed over.
    #[track_caller]
    pub fn asked(&mut self, method: &str) -> Value {
        loop {
            let message = self.message(PATIENCE).expect("a message");
            if message["method"] == method {
                return message;
            }
        }
    }

    /// Breaks the connection.
    pub fn cut(self) {
        let _ = self.reader.get_ref().shutdown(Shutdown::Both);
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock)
}

fn parse(text: &str) -> Event {
    let mut event = Event::default();
    for line in text.lines() {
        match line.split_once(':') {
            Some(("", _)) => event.comment = true,
            Some(("event", value)) => event.kind = value.trim_start().to_owned(),
            Some(("id", value)) => event.id = value.trim_start().to_owned(),
            Some(("data", value)) => event
                .data
                .push_str(value.strip_prefix(' ').unwrap_or(value)),
            _ => {}
        }
    }
    event
}
