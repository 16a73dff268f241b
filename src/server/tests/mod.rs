//! The server over an in-memory connection, with a backend that does as its tools say.

mod calls;
mod ending;
mod messages;

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{KeepOptions, ServerOptions, serve};
use crate::backend::{Backend, BackendFactory, BoxFuture, CreateError, Hooks};
use crate::call::{
    ClientInfo, Delivery, ImagePart, SnapshotContent, SnapshotPart, ToolCall, ToolReply,
};
use crate::config::{Capabilities, Secrets};
use crate::reply::{NO_OPEN_TABS, RenderOptions};
use crate::tools::catalogue::Catalogue;

/// What happened on the far side.
#[derive(Default)]
struct Log {
    created: AtomicUsize,
    closed: AtomicUsize,
    stopped: AtomicUsize,
    /// Backends let go of.
    dropped: AtomicUsize,
    /// How long a creation takes.
    start_ms: AtomicUsize,
    /// How long closing takes.
    close_ms: AtomicUsize,
    /// Creations to fail before one succeeds.
    failures: AtomicUsize,
    clients: Mutex<Vec<Arc<ClientInfo>>>,
    calls: Mutex<Vec<ToolCall>>,
}

impl Log {
    fn count(counter: &AtomicUsize) -> usize {
        counter.load(Ordering::SeqCst)
    }
}

struct FakeFactory(Arc<Log>);

impl BackendFactory for FakeFactory {
    fn create(
        &self,
        client: Arc<ClientInfo>,
        hooks: Hooks,
    ) -> BoxFuture<'_, Result<Arc<dyn Backend>, CreateError>> {
        Box::pin(async move {
            // Long enough for other calls to come meanwhile.
            let start = Log::count(&self.0.start_ms).max(20);
            tokio::time::sleep(Duration::from_millis(start as u64)).await;
            self.0.clients.lock().unwrap().push(client);
            let attempt = self.0.created.fetch_add(1, Ordering::SeqCst);
            if attempt < Log::count(&self.0.failures) {
                return Err(CreateError(format!("Error: no browser, attempt {attempt}")));
            }
            let backend = Fake {
                log: self.0.clone(),
                hooks,
                alive: AtomicBool::new(true),
            };
            Ok(Arc::new(backend) as Arc<dyn Backend>)
        })
    }
}

/// Does something characteristic for a few tools and answers with the tool's name for all others.
struct Fake {
    log: Arc<Log>,
    hooks: Hooks,
    alive: AtomicBool,
}

impl Backend for Fake {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, ToolReply> {
        Box::pin(async move {
            self.log.calls.lock().unwrap().push(call.clone());
            match call.name.as_str() {
                "browser_close" => {
                    self.alive.store(false, Ordering::SeqCst);
                    ToolReply::result(NO_OPEN_TABS)
                }
                "browser_navigate" => {
                    (self.hooks.tools_changed)();
                    ToolReply::result(call.text("url").unwrap_or_default())
                }
                "browser_wait_for" => {
                    let seconds = call.number("time").unwrap_or_default();
                    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                    ToolReply::result("waited")
                }
                "browser_press_key" => {
                    call.cancel.cancelled().await;
                    self.log.stopped.fetch_add(1, Ordering::SeqCst);
                    ToolReply::result("too late")
                }
                "browser_evaluate" => panic!("as asked"),
                "browser_take_screenshot" => ToolReply {
                    images: vec![ImagePart {
                        mime: "image/png".to_owned(),
                        bytes: vec![0],
                    }],
                    ..ToolReply::result("shot")
                },
                "browser_snapshot" => ToolReply {
                    snapshot: call.text("filename").map(|path| SnapshotPart {
                        content: SnapshotContent::Interrupted,
                        delivery: Delivery::File {
                            path: path.into(),
                            link: path.to_owned(),
                        },
                    }),
                    ..ToolReply::default()
                },
                name => ToolReply::result(name),
            }
        })
    }

    fn is_alive(&self) -> bool {
        self.alive.load(Ordering::SeqCst)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let takes = Log::count(&self.log.close_ms) as u64;
            tokio::time::sleep(Duration::from_millis(takes)).await;
            self.log.closed.fetch_add(1, Ordering::SeqCst);
        })
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.log.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

fn options() -> ServerOptions {
    ServerOptions {
        stock: true,
        tools: Arc::new(Catalogue::of(&Capabilities::default())),
        render: RenderOptions::default(),
        secrets: Secrets::default(),
        unsafe_code: false,
        keep: KeepOptions::default(),
        call_limit: None,
        working_dir: "/work-dir".into(),
        shutdown: CancellationToken::new(),
    }
}

/// The client side of a connection.
struct Client {
    to: Option<WriteHalf<DuplexStream>>,
    from: BufReader<ReadHalf<DuplexStream>>,
    server: JoinHandle<std::io::Result<()>>,
    log: Arc<Log>,
}

impl Client {
    fn start() -> Self {
        Self::with(options(), Log::default())
    }

    fn with(options: ServerOptions, log: Log) -> Self {
        let log = Arc::new(log);
        let (near, far) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(far);
        let factory = Arc::new(FakeFactory(log.clone()));
        let server = tokio::spawn(serve(input, output, factory, options));
        let (from, to) = tokio::io::split(near);
        Self {
            to: Some(to),
            from: BufReader::new(from),
            server,
            log,
        }
    }

    /// Started and greeted, without roots.
    async fn greeted() -> Self {
        let mut client = Self::start();
        client.greet(json!({})).await;
        client
    }

    async fn greet(&mut self, capabilities: Value) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": "tester", "version": "9"},
        });
        let answer = self.ask("hello", "initialize", params).await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        answer
    }

    async fn raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    async fn send(&mut self, message: Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id = id.into();
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
    }

    async fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        self.request(
            id,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        )
        .await;
    }

    /// The next message, which must be JSON on one line.
    async fn receive(&mut self) -> Value {
        self.receive_or_end()
            .await
            .expect("the server ended the connection")
    }

    async fn receive_or_end(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.from.read_line(&mut line);
        let read = tokio::time::timeout(Duration::from_secs(60), read).await;
        match read.expect("the server said nothing").unwrap() {
            0 => None,
            _ => Some(serde_json::from_str(&line).unwrap()),
        }
    }

    /// Asks and returns the result or the error; other messages must not come meanwhile.
    async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let id = id.into();
        self.request(id.clone(), method, params).await;
        let mut answer = self.receive().await;
        assert_eq!(answer["jsonrpc"], "2.0");
        assert_eq!(answer["id"], id, "{answer}");
        match answer.get_mut("result") {
            Some(result) => result.take(),
            None => answer["error"].take(),
        }
    }

    /// Calls a tool and returns the text of its result and whether it is an error.
    async fn text(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask("text", "tools/call", params).await;
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"] == true)
    }

    /// Nothing is on its way: the answer to a ping is the next message.
    async fn quiet(&mut self) {
        assert_eq!(self.ask("quiet?", "ping", json!({})).await, json!({}));
    }

    /// Ends the input, waits for the server to return and gives back what it still said.
    async fn end(&mut self) -> Vec<Value> {
        self.to.take().unwrap().shutdown().await.unwrap();
        self.rest().await
    }

    /// What the server says until it returns.
    async fn rest(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Some(message) = self.receive_or_end().await {
            rest.push(message);
        }
        (&mut self.server).await.unwrap().unwrap();
        rest
    }
}
