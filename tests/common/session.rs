//! A running server and the client that talks to it: JSON-RPC 2.0, one message
//! a line, over its standard input and output.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::launch::Home;
use super::reply::{Reply, ref_of};
use super::{PATIENCE, processes, wait_for};

/// A server under test. When it goes out of scope its standard input is closed,
/// and the test fails unless it and every process it started end then.
pub struct Session {
    /// Of the program that was started, which may be a shell around the server.
    pub pid: u32,
    /// What it answered to `initialize`.
    pub welcome: Value,
    child: Mutex<Child>,
    line: Arc<Line>,
    numbers: AtomicU64,
    /// Texts that differ from run to run, and what replies show instead.
    aliases: Mutex<Vec<(String, String)>>,
    home: Home,
    ended: bool,
}

/// Both directions of the connection, shared with the threads that read.
struct Line {
    input: Mutex<Option<ChildStdin>>,
    waiting: Mutex<HashMap<u64, Sender<Value>>>,
    notifications: Mutex<Vec<Value>>,
    /// What came on standard output and is no JSON-RPC message.
    noise: Mutex<Vec<String>>,
    errors: Mutex<String>,
}

/// A failed assertion in another thread leaves data that is good to read.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Line {
    /// Writes a message; false when the server no longer reads.
    fn send(&self, message: &Value) -> bool {
        lock(&self.input).as_mut().is_some_and(|pipe| {
            writeln!(pipe, "{message}")
                .and_then(|()| pipe.flush())
                .is_ok()
        })
    }

    fn listen(&self, output: ChildStdout, workspace: &Path) {
        for line in BufReader::new(output).split(b'\n') {
            let Ok(line) = line else { break };
            let message = serde_json::from_slice::<Value>(&line)
                .ok()
                .filter(|message| message["jsonrpc"] == "2.0");
            let Some(message) = message else {
                lock(&self.noise).push(String::from_utf8_lossy(&line).into_owned());
                continue;
            };
            let id = message["id"].as_u64();
            match (message["method"].as_str(), id) {
                (Some("roots/list"), Some(id)) => {
                    let uri = format!("file://{}", path_text(workspace));
                    let roots = json!([{ "uri": uri, "name": "workspace" }]);
                    self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": roots } }));
                }
                (Some(_), Some(id)) => {
                    let error = json!({ "code": -32601, "message": "Method not found" });
                    self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
                }
                (None, Some(id)) => {
                    if let Some(asker) = lock(&self.waiting).remove(&id) {
                        let _ = asker.send(message);
                    }
                }
                (_, None) => lock(&self.notifications).push(message),
            }
        }
        // Whoever still waits learns it from the dropped senders.
        lock(&self.waiting).clear();
    }

    fn listen_to_errors(&self, mut output: ChildStderr) {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            lock(&self.errors).push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    }
}

impl Session {
    #[track_caller]
    pub(super) fn new(mut child: Child, home: Home, capabilities: &Value) -> Self {
        let line = Arc::new(Line {
            input: Mutex::new(child.stdin.take()),
            waiting: Mutex::default(),
            notifications: Mutex::default(),
            noise: Mutex::default(),
            errors: Mutex::default(),
        });
        if let Some(output) = child.stdout.take() {
            let (line, workspace) = (Arc::clone(&line), home.workspace.clone());
            std::thread::spawn(move || line.listen(output, &workspace));
        }
        if let Some(output) = child.stderr.take() {
            let line = Arc::clone(&line);
            std::thread::spawn(move || line.listen_to_errors(output));
        }
        let mut session = Self {
            pid: child.id(),
            welcome: Value::Null,
            child: Mutex::new(child),
            line,
            numbers: AtomicU64::new(1),
            aliases: Mutex::new(vec![(path_text(&home.workspace), "WS".to_owned())]),
            home,
            ended: false,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": { "name": "playguard-tests", "version": "1" },
        });
        session.welcome = session
            .request("initialize", hello)
            .unwrap_or_else(|error| panic!("initialize: {error}\n{}", session.stderr()));
        session.notify("notifications/initialized", json!({}));
        session
    }

    // The protocol.

    /// Asks and waits for the result, or the error object.
    #[track_caller]
    pub fn request(&self, method: &str, params: Value) -> Result<Value, Value> {
        self.ask(method, params).result(PATIENCE)
    }

    /// Asks without waiting.
    #[track_caller]
    pub fn ask(&self, method: &str, params: Value) -> Call<'_> {
        let id = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        lock(&self.line.waiting).insert(id, sender);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        assert!(
            self.line.send(&message),
            "the server does not read {method}\n{}",
            self.stderr()
        );
        Call {
            session: self,
            what: format!("{method} {params}"),
            id,
            answer,
            start: Instant::now(),
        }
    }

    /// Tells something that has no answer.
    pub fn notify(&self, method: &str, params: Value) {
        self.line
            .send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Writes raw bytes, for what no client should send.
    #[track_caller]
    pub fn write(&self, bytes: &[u8]) {
        let mut input = lock(&self.line.input);
        let pipe = input.as_mut().expect("standard input is open");
        pipe.write_all(bytes).expect("the server reads");
        pipe.flush().expect("the server reads");
    }

    /// The messages that came unasked or without an id that can be ours.
    pub fn notifications(&self) -> Vec<Value> {
        lock(&self.line.notifications).clone()
    }

    pub fn stderr(&self) -> String {
        lock(&self.line.errors).clone()
    }

    // Tools.

    /// Calls a tool.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.begin(tool, arguments).reply()
    }

    /// Starts a call of a tool.
    #[track_caller]
    pub fn begin(&self, tool: &str, arguments: Value) -> Call<'_> {
        self.ask(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Opens a page, which must succeed.
    #[track_caller]
    pub fn open(&self, url: &str) -> Reply {
        self.call("browser_navigate", json!({ "url": url })).fine()
    }

    /// What the page looks like now.
    #[track_caller]
    pub fn snapshot(&self) -> String {
        self.call("browser_snapshot", json!({})).fine().snapshot()
    }

    /// The ref of the first line of a fresh snapshot that matches.
    #[track_caller]
    pub fn find(&self, pattern: &str) -> String {
        ref_of(&self.snapshot(), pattern)
    }

    /// Clicks what [`Session::find`] finds.
    #[track_caller]
    pub fn click(&self, pattern: &str) -> Reply {
        let target = self.find(pattern);
        self.call("browser_click", json!({ "target": target }))
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn value(&self, expression: &str) -> Value {
        let function = format!("() => ({expression})");
        let reply = self
            .call("browser_evaluate", json!({ "function": function }))
            .fine();
        let text = reply.section("Result").unwrap_or_default();
        match text.as_str() {
            "undefined" => Value::Null,
            json => {
                serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {}", reply.text))
            }
        }
    }

    /// Waits until an expression in the page is true.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        wait_for(expression, Duration::from_secs(20), || {
            (self.value(expression) == true).then_some(())
        });
    }

    /// Replies show `name` in place of `text` in [`Reply::plain`].
    pub fn alias(&self, text: impl Into<String>, name: &str) {
        lock(&self.aliases).push((text.into(), name.to_owned()));
    }

    pub(super) fn plain(&self, text: &str) -> String {
        // The longest first: one workspace path may be part of another text.
        let mut aliases = lock(&self.aliases).clone();
        aliases.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        let plain = aliases
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        super::reply::without_times(&plain)
    }

    // The process.

    pub fn workspace(&self) -> &Path {
        &self.home.workspace
    }

    /// Puts a file into the workspace and gives its absolute path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.workspace().join(name);
        std::fs::write(&path, content).expect("a file in the workspace");
        path_text(&path)
    }

    /// The folder for temporary files of the server and its browser.
    pub fn temporary(&self) -> &Path {
        &self.home.temporary
    }

    /// Marks everything that this server starts.
    pub fn tag(&self) -> &str {
        &self.home.tag
    }

    /// The browser's main process.
    #[track_caller]
    pub fn browser(&self) -> processes::Process {
        wait_for("a browser", PATIENCE, || {
            processes::browsers(self.tag()).into_iter().next()
        })
    }

    pub fn signal(&self, name: &str) {
        processes::signal(self.pid, name);
    }

    pub fn close_stdin(&self) {
        lock(&self.line.input).take();
    }

    /// How the started program ended; fails when it still runs after `limit`.
    #[track_caller]
    pub fn exit(&self, limit: Duration) -> ExitStatus {
        wait_for("the server to end", limit, || {
            lock(&self.child).try_wait().expect("a child of ours")
        })
    }

    pub fn runs(&self) -> bool {
        matches!(lock(&self.child).try_wait(), Ok(None))
    }

    /// Fails when processes or profile folders are left after `limit`.
    #[track_caller]
    pub fn leaves_nothing(&self, limit: Duration) {
        let start = Instant::now();
        loop {
            let processes = processes::tagged(self.tag());
            let folders: Vec<_> = std::fs::read_dir(self.temporary())
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .filter(|name| name.starts_with("playguard-profile-"))
                .collect();
            if processes.is_empty() && folders.is_empty() {
                return;
            }
            assert!(
                start.elapsed() < limit,
                "left after {limit:?}: {processes:#?} {folders:?}"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Closes standard input and checks that all of it ends.
    #[track_caller]
    pub fn end(mut self) {
        self.ended = true;
        self.close_stdin();
        let status = self.exit(Duration::from_secs(10));
        assert!(status.success(), "{status}\n{}", self.stderr());
        self.leaves_nothing(Duration::from_secs(5));
        let noise = lock(&self.line.noise).clone();
        assert!(
            noise.is_empty(),
            "no JSON-RPC on standard output: {noise:?}"
        );
    }

    /// For tests that end the server in a way of their own: drops it without
    /// the checks of [`Session::end`].
    pub fn abandon(mut self) {
        self.ended = true;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close_stdin();
        let failed = std::thread::panicking();
        let mut complaint = None;
        if !self.ended && !failed {
            let end = std::panic::AssertUnwindSafe(|| {
                let _ = self.exit(Duration::from_secs(10));
                self.leaves_nothing(Duration::from_secs(5));
                let noise = lock(&self.line.noise).clone();
                assert!(
                    noise.is_empty(),
                    "no JSON-RPC on standard output: {noise:?}"
                );
            });
            complaint = std::panic::catch_unwind(end).err();
        }
        // Whatever happened, nothing of ours stays.
        for process in processes::tagged(&self.home.tag) {
            processes::signal(process.pid, "KILL");
        }
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
        drop(child);
        if let Some(complaint) = complaint {
            std::panic::resume_unwind(complaint);
        }
    }
}

/// A request that runs.
pub struct Call<'a> {
    session: &'a Session,
    what: String,
    id: u64,
    answer: Receiver<Value>,
    start: Instant,
}

impl Call<'_> {
    /// Tells the server that nobody waits for the answer any more.
    pub fn cancel(&self) {
        let params = json!({ "requestId": self.id, "reason": "the test wants it" });
        self.session.notify("notifications/cancelled", params);
    }

    /// The result or error object; fails when there is none after `limit`.
    #[track_caller]
    pub fn result(self, limit: Duration) -> Result<Value, Value> {
        let mut answer = match self.try_answer(limit) {
            Some(answer) => answer,
            None => panic!(
                "no answer after {:?} to {}\n{}",
                self.start.elapsed(),
                self.what,
                self.session.stderr()
            ),
        };
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        }
    }

    /// The whole answer, or nothing when none came within `limit` or the server
    /// is gone.
    pub fn try_answer(&self, limit: Duration) -> Option<Value> {
        self.answer.recv_timeout(limit).ok()
    }

    /// The reply of a tool.
    #[track_caller]
    pub fn reply(self) -> Reply {
        let (session, start, what) = (self.session, self.start, self.what.clone());
        let result = self
            .result(PATIENCE)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        Reply::new(session, &what, &result, start.elapsed())
    }
}

/// A path as text; test folders have no other names.
pub fn path_text(path: &Path) -> String {
    path.to_str().expect("a path of ours").to_owned()
}
