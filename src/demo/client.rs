//! A small MCP client: starts a server, asks it one thing at a time over
//! standard input and output, and sees to it that it ends.
//!
//! Messages are JSON-RPC 2.0, one per line, as the stdio transport of MCP has
//! it. Only what every version of the protocol has in common is used.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::tail::Tail;

/// The version of MCP that is offered. Servers may answer with another one;
/// nothing here depends on it.
const PROTOCOL: &str = "2025-06-18";
/// Bytes of one message. A picture of a large page has a few million.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Characters of a message that was not understood, to be shown.
const MOST_SHOWN: usize = 200;
/// Pages of a list of tools, so that a server that always has one more does
/// not keep the client forever.
const MOST_PAGES: usize = 100;
/// After a server has ended, how long its pipe may take to hand over the rest.
/// Something that the server started may hold the pipe open for ever.
const AFTERGLOW: Duration = Duration::from_millis(500);

/// How long to wait for a server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For one answer.
    pub answer: Duration,
    /// For its end, once its input is closed.
    pub exit: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            answer: Duration::from_secs(60),
            exit: Duration::from_secs(10),
        }
    }
}

/// Why a server could not be talked to. `what` is the method that was asked
/// for, or the name of the tool.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The program could not be started.
    #[error("the server could not be started: {program}: {source}")]
    Start {
        /// Its path.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// It ended, or closed its output, with a question open.
    #[error("the server ended in the middle of {what} ({how})")]
    Ended {
        /// The open question.
        what: String,
        /// How it ended.
        how: String,
    },
    /// No answer in time.
    #[error("the server did not answer {what} within {} s", .limit.as_secs_f32())]
    Silent {
        /// The open question.
        what: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// A line that is not a JSON object.
    #[error("the server answered {what} with something that is not JSON-RPC: {line}")]
    NotJson {
        /// The open question.
        what: String,
        /// The beginning of the line.
        line: String,
    },
    /// A line without end.
    #[error("the server answered {what} with more than {MOST_BYTES} bytes")]
    TooLong {
        /// The open question.
        what: String,
    },
    /// A JSON-RPC error.
    #[error("the server refused {what}: {message} ({code})")]
    Refused {
        /// The question.
        what: String,
        /// What the server says.
        message: String,
        /// JSON-RPC's code.
        code: i64,
    },
    /// An answer in which something is missing.
    #[error("the server's answer to {what} has no {missing}")]
    Incomplete {
        /// The question.
        what: String,
        /// The name of what is missing.
        missing: &'static str,
    },
    /// It ended in time, but not well.
    #[error("the server did not end well ({status})")]
    Untidy {
        /// How it ended.
        status: ExitStatus,
    },
    /// It had to be killed.
    #[error("the server was still running {} s after its input was closed, and was killed", .limit.as_secs_f32())]
    Immortal {
        /// How long it was waited for.
        limit: Duration,
    },
    /// The system could not say what became of it.
    #[error("nobody knows how the server ended: {0}")]
    Lost(io::Error),
}

/// Who the server says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// Its name; may be empty.
    pub name: String,
    /// Its version; may be empty.
    pub version: String,
}

/// What a tool replied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The text parts, with a line break between them.
    pub text: String,
    /// Sizes of the images, in bytes of the image itself.
    pub images: Vec<usize>,
    /// Whether the server calls it an error.
    pub is_error: bool,
}

impl Reply {
    fn from_result(result: &Value, what: &str) -> Result<Self, ClientError> {
        let content = result
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| ClientError::Incomplete {
                what: what.to_owned(),
                missing: "content",
            })?;
        let mut texts = Vec::new();
        let mut images = Vec::new();
        for part in content {
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                texts.push(text);
            } else if let Some(data) = part.get("data").and_then(Value::as_str) {
                images.push(base64_bytes(data));
            }
        }
        Ok(Reply {
            text: texts.join("\n"),
            images,
            is_error: result.get("isError").and_then(Value::as_bool) == Some(true),
        })
    }
}

/// How many bytes base64 text stands for: three for four characters, less
/// the padding (RFC 4648, section 4).
fn base64_bytes(data: &str) -> usize {
    let characters = data.trim_end_matches('=').len();
    characters / 4 * 3 + (characters % 4).saturating_sub(1)
}

/// A server that was started, and the line to it.
///
/// Call [`close`](Client::close) in the end. A client that is dropped without
/// it kills the server.
#[derive(Debug)]
pub struct Client {
    child: Child,
    /// `None` once closed.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: Tail,
    last_id: u64,
    limits: Limits,
}

impl Client {
    /// Starts a server. Needs a Tokio runtime with time and input/output.
    ///
    /// # Errors
    /// [`ClientError::Start`] when the program cannot be run.
    pub fn spawn(mut command: Command, limits: Limits) -> Result<Self, ClientError> {
        let program = command
            .as_std()
            .get_program()
            .to_string_lossy()
            .into_owned();
        let failed = |source| ClientError::Start {
            program: program.clone(),
            source,
        };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        Ok(Client {
            child,
            stdin: Some(stdin),
            stdout: BufReader::new(stdout),
            stderr: Tail::follow(stderr),
            last_id: 0,
            limits,
        })
    }

    /// The handshake; to be done before anything else. Introduces itself as
    /// `name`.
    ///
    /// # Errors
    /// When the server does not answer, or not properly.
    pub async fn initialize(&mut self, name: &str) -> Result<ServerInfo, ClientError> {
        let params = json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": { "name": name, "version": env!("CARGO_PKG_VERSION") },
        });
        let result = self.request("initialize", "initialize", params).await?;
        let told = |key| {
            let value = result.get("serverInfo").and_then(|info| info.get(key));
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let info = ServerInfo {
            name: told("name"),
            version: told("version"),
        };
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let what = "notifications/initialized";
        match timeout(self.limits.answer, self.send(&ready)).await {
            Ok(Ok(())) => Ok(info),
            Ok(Err(_)) => Err(self.ended(what).await),
            Err(_) => Err(self.silent(what)),
        }
    }

    /// The names of all tools.
    ///
    /// # Errors
    /// When the server does not answer, or not properly.
    pub async fn list_tools(&mut self) -> Result<Vec<String>, ClientError> {
        let what = "tools/list";
        let mut names = Vec::new();
        let mut params = json!({});
        for _ in 0..MOST_PAGES {
            let result = self.request(what, what, params).await?;
            let tools = result.get("tools").and_then(Value::as_array);
            let tools = tools.ok_or_else(|| ClientError::Incomplete {
                what: what.to_owned(),
                missing: "tools",
            })?;
            let told = tools.iter().filter_map(|tool| tool.get("name")?.as_str());
            names.extend(told.map(str::to_owned));
            match result.get("nextCursor").and_then(Value::as_str) {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        Ok(names)
    }

    /// Calls a tool. That the tool failed is not an error of this method, but
    /// [`Reply::is_error`].
    ///
    /// # Errors
    /// When the server does not answer, or not properly.
    pub async fn call_tool(&mut self, name: &str, arguments: Value) -> Result<Reply, ClientError> {
        let params = json!({ "name": name, "arguments": arguments });
        let result = self.request("tools/call", name, params).await?;
        Reply::from_result(&result, name)
    }

    /// Closes the server's input, which asks it to end, and waits until it
    /// has. One that does not is killed. To call this again does no harm.
    ///
    /// # Errors
    /// When the server had to be killed or ended with a code other than 0.
    pub async fn close(&mut self) -> Result<(), ClientError> {
        self.stdin = None;
        let mut sink = tokio::io::sink();
        // A server with something left to say must not block on a full pipe.
        let drain = async {
            let _ = tokio::io::copy_buf(&mut self.stdout, &mut sink).await;
            std::future::pending::<()>().await;
        };
        let exit = async {
            tokio::select! {
                status = self.child.wait() => Some(status),
                () = drain => None,
            }
        };
        match timeout(self.limits.exit, exit).await {
            Ok(Some(Ok(status))) if status.success() => Ok(()),
            Ok(Some(Ok(status))) => Err(ClientError::Untidy { status }),
            Ok(Some(Err(error))) => Err(ClientError::Lost(error)),
            Ok(None) | Err(_) => {
                self.child.kill().await.map_err(ClientError::Lost)?;
                Err(ClientError::Immortal {
                    limit: self.limits.exit,
                })
            }
        }
    }

    /// The end of what the server has written to standard error: a few lines,
    /// or nothing. Complete only after the server has ended.
    pub async fn last_words(&mut self) -> String {
        self.stderr.text(AFTERGLOW).await
    }

    async fn request(
        &mut self,
        method: &str,
        what: &str,
        params: Value,
    ) -> Result<Value, ClientError> {
        match timeout(self.limits.answer, self.exchange(method, what, params)).await {
            Ok(result) => result,
            Err(_) => Err(self.silent(what)),
        }
    }

    /// Sends a request and reads until its answer is there.
    async fn exchange(
        &mut self,
        method: &str,
        what: &str,
        params: Value,
    ) -> Result<Value, ClientError> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        if self.send(&request).await.is_err() {
            return Err(self.ended(what).await);
        }
        loop {
            let mut message = self.receive(what).await?;
            if message.contains_key("method") {
                if self.react(&message).await.is_err() {
                    return Err(self.ended(what).await);
                }
                continue;
            }
            // A server that could not even read the id answers with null.
            let to = message.get("id").unwrap_or(&Value::Null);
            if to.as_u64() != Some(id) && !to.is_null() {
                continue;
            }
            if let Some(error) = message.get("error") {
                let text = error.get("message").and_then(Value::as_str);
                return Err(ClientError::Refused {
                    what: what.to_owned(),
                    message: text.unwrap_or("no reason given").to_owned(),
                    code: error.get("code").and_then(Value::as_i64).unwrap_or(0),
                });
            }
            return message
                .remove("result")
                .ok_or_else(|| ClientError::Incomplete {
                    what: what.to_owned(),
                    missing: "result",
                });
        }
    }

    /// Answers what the server asks. Notifications need no answer.
    async fn react(&mut self, message: &serde_json::Map<String, Value>) -> io::Result<()> {
        let Some(id) = message.get("id") else {
            return Ok(());
        };
        let answer = if message.get("method").and_then(Value::as_str) == Some("ping") {
            json!({ "jsonrpc": "2.0", "id": id, "result": {} })
        } else {
            let error = json!({ "code": -32601, "message": "Method not found" });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        };
        self.send(&answer).await
    }

    async fn send(&mut self, message: &Value) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        // JSON as printed here has no line breaks of its own.
        stdin.write_all(format!("{message}\n").as_bytes()).await?;
        stdin.flush().await
    }

    /// The next message.
    async fn receive(&mut self, what: &str) -> Result<serde_json::Map<String, Value>, ClientError> {
        loop {
            let mut line = Vec::new();
            let mut limited = (&mut self.stdout).take(MOST_BYTES);
            let child = &mut self.child;
            let gone = async {
                let _ = child.wait().await;
                tokio::time::sleep(AFTERGLOW).await;
            };
            tokio::select! {
                biased;
                // An error of the pipe is as good as its end.
                _ = limited.read_until(b'\n', &mut line) => {}
                () = gone => {}
            }
            if line.last() != Some(&b'\n') {
                return Err(if line.len() as u64 >= MOST_BYTES {
                    ClientError::TooLong {
                        what: what.to_owned(),
                    }
                } else {
                    self.ended(what).await
                });
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            return serde_json::from_slice(&line).map_err(|_| ClientError::NotJson {
                what: what.to_owned(),
                line: beginning(&line),
            });
        }
    }

    /// For a server that closed its end of the line.
    async fn ended(&mut self, what: &str) -> ClientError {
        let how = match timeout(AFTERGLOW, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it runs, but closed its output".to_owned(),
        };
        ClientError::Ended {
            what: what.to_owned(),
            how,
        }
    }

    fn silent(&self, what: &str) -> ClientError {
        ClientError::Silent {
            what: what.to_owned(),
            limit: self.limits.answer,
        }
    }
}

fn beginning(line: &[u8]) -> String {
    // Four bytes are the longest character.
    let line = String::from_utf8_lossy(&line[..line.len().min(4 * MOST_SHOWN)]);
    line.trim().chars().take(MOST_SHOWN).collect()
}

#[cfg(all(test, unix))]
#[path = "client_tests.rs"]
mod tests;
