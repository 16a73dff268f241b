//! Serves one page to the browser of this machine, and nothing else to nobody
//! else: loopback only, no files, no state.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Connections at a time. Browsers open a few ahead of need.
const MOST_CONNECTIONS: usize = 16;
/// Bytes of a request's head.
const MOST_HEAD: usize = 16 * 1024;
/// How long a connection may take, or stay idle.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server for one page; it ends when dropped.
#[derive(Debug)]
pub(super) struct PageServer {
    address: SocketAddr,
    _task: JoinSet<()>,
}

impl PageServer {
    /// Serves `html` at the root of a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When no port can be opened.
    pub(super) async fn start(html: &'static str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut task = JoinSet::new();
        task.spawn(serve(listener, html));
        Ok(PageServer {
            address,
            _task: task,
        })
    }

    /// Where the page is.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

async fn serve(listener: TcpListener, html: &'static str) {
    // Dropped together with this task, and ends its connections then.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(async move {
                            // A browser that hangs up loses only its own page.
                            let _ = tokio::time::timeout(PATIENCE, answer(stream, html)).await;
                        });
                    }
                    // Such as too many open files: may pass, must not spin.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Reads one request and answers it. The connection ends with the answer.
async fn answer(mut stream: TcpStream, html: &str) -> io::Result<()> {
    let mut head = Vec::new();
    let mut chunk = [0; 1024];
    while !head
        .windows(4)
        .rev()
        .take(chunk.len() + 3)
        .any(|end| end == b"\r\n\r\n")
    {
        let count = stream.read(&mut chunk).await?;
        // The indexes are in range: `read` says how much of it it has filled.
        head.extend_from_slice(&chunk[..count]);
        if count == 0 || head.len() > MOST_HEAD {
            return Ok(());
        }
    }
    let response = respond(&head, html);
    stream.write_all(&response).await?;
    stream.shutdown().await
}

/// The response, head and body, to a request of which the head was read.
fn respond(head: &[u8], html: &str) -> Vec<u8> {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ');
    let method = words.next().unwrap_or_default();
    let target = words.next().unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    let (status, kind, body) = match (method, path) {
        ("GET" | "HEAD", "/") => ("200 OK", "text/html", html),
        ("GET" | "HEAD", _) => ("404 Not Found", "text/plain", "Nothing here.\n"),
        _ => ("405 Method Not Allowed", "text/plain", "GET only.\n"),
    };
    // The page brings along all that it needs; anything else is an intruder.
    let mut response = format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: {kind}; charset=utf-8\r\n\
         Content-Length: {}\r\n\
         Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; \
         style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Cache-Control: no-store\r\n\
         Allow: GET, HEAD\r\n\
         Connection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    if method != "HEAD" {
        response.extend_from_slice(body.as_bytes());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(request: &str) -> String {
        String::from_utf8(respond(request.as_bytes(), "<p>é</p>")).expect("both parts are text")
    }

    #[test]
    fn the_page_and_only_the_page() {
        let page = text("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"));
        // Bytes, not characters: é has two.
        assert!(page.contains("\r\nContent-Length: 9\r\n"));
        assert!(page.ends_with("\r\n\r\n<p>é</p>"));
        assert!(text("GET /?a=b HTTP/1.1\r\n\r\n").contains("200 OK"));
        assert!(text("GET /../etc/passwd HTTP/1.1\r\n\r\n").contains("404 Not Found"));
        assert!(text("POST / HTTP/1.1\r\n\r\n").contains("405 Method"));
        assert!(text("\r\n\r\n").contains("405 Method"));
    }

    #[test]
    fn head_has_the_length_but_no_body() {
        let head = text("HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.contains("\r\nContent-Length: 9\r\n"));
        assert!(head.ends_with("\r\n\r\n"));
    }

    #[tokio::test]
    async fn idle_connections_do_not_keep_others_waiting() {
        let server = PageServer::start("<p>tea</p>").await.expect("a free port");
        assert!(server.address.ip().is_loopback());
        let _idle = TcpStream::connect(server.address).await.expect("idle");
        let mut stream = TcpStream::connect(server.address).await.expect("used");
        for part in ["GET / HT", "TP/1.1\r\n\r", "\n"] {
            stream.write_all(part.as_bytes()).await.expect("sent");
            tokio::task::yield_now().await;
        }
        let mut response = String::new();
        stream.read_to_string(&mut response).await.expect("read");
        assert!(response.ends_with("<p>tea</p>"));
        drop(server);
        tokio::task::yield_now().await;
        let mut refused = TcpStream::connect(_idle.peer_addr().expect("known")).await;
        for _ in 0..100 {
            if refused.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            refused = TcpStream::connect(_idle.peer_addr().expect("known")).await;
        }
        panic!("the server outlives its owner");
    }
}
