//! Bytes in and out: NUL-separated messages over a pipe, or text frames over a WebSocket.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, http};

use super::CdpError;

/// The longest message we take in, in bytes. Chromium itself stops at about 100 MB; a page with very
/// many nodes comes close.
pub const MAX_MESSAGE: usize = 256 << 20;

/// What a transport hands over.
pub(super) enum Inbound {
    Message(Vec<u8>),
    /// The other side is gone; the text says how.
    End(String),
}

/// A running transport: write messages into `outgoing`, read what comes from `incoming`.
pub(super) struct Transport {
    pub(super) outgoing: mpsc::UnboundedSender<Vec<u8>>,
    pub(super) incoming: mpsc::Receiver<Inbound>,
}

const BACKLOG: usize = 64;

/// `--remote-debugging-pipe`: each message ends with a NUL byte, both ways.
pub(super) fn pipe(
    mut reader: impl AsyncRead + Send + Unpin + 'static,
    mut writer: impl AsyncWrite + Send + Unpin + 'static,
) -> Transport {
    let (outgoing, mut to_write) = mpsc::unbounded_channel::<Vec<u8>>();
    let (deliver, incoming) = mpsc::channel(BACKLOG);
    tokio::spawn(async move {
        while let Some(mut message) = to_write.recv().await {
            message.push(0);
            // Whatever is queued behind goes out in the same write: commands come in bursts.
            while let Ok(next) = to_write.try_recv() {
                message.extend_from_slice(&next);
                message.push(0);
            }
            if writer.write_all(&message).await.is_err() || writer.flush().await.is_err() {
                break;
            }
        }
    });
    tokio::spawn(async move {
        let reason = match read_pipe(&mut reader, &deliver).await {
            Ok(()) => "the browser closed its end of the pipe".to_owned(),
            Err(reason) => reason,
        };
        let _ = deliver.send(Inbound::End(reason)).await;
    });
    Transport { outgoing, incoming }
}

async fn read_pipe(
    reader: &mut (impl AsyncRead + Unpin),
    deliver: &mpsc::Sender<Inbound>,
) -> Result<(), String> {
    let mut pending: Vec<u8> = Vec::new();
    let mut chunk = vec![0u8; 128 << 10];
    loop {
        let read = reader
            .read(&mut chunk)
            .await
            .map_err(|error| error.to_string())?;
        if read == 0 {
            return Ok(());
        }
        let mut rest = &chunk[..read];
        while let Some(end) = memchr::memchr(0, rest) {
            let mut message = std::mem::take(&mut pending);
            message.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            if deliver.send(Inbound::Message(message)).await.is_err() {
                return Ok(());
            }
        }
        pending.extend_from_slice(rest);
        if pending.len() > MAX_MESSAGE {
            return Err(format!("a message exceeded {} MiB", MAX_MESSAGE >> 20));
        }
    }
}

/// A DevTools WebSocket, such as `ws://127.0.0.1:9222/devtools/browser/…`.
///
/// # Errors
/// The address is not a WebSocket URL, nobody answers within `limit`, or the handshake is refused.
pub(super) async fn websocket(
    url: &str,
    headers: &[(String, String)],
    limit: Duration,
) -> Result<Transport, CdpError> {
    let mut request = url
        .into_client_request()
        .map_err(|error| CdpError::Connect(format!("{error}: {url}")))?;
    for (name, value) in headers {
        let (Ok(name), Ok(value)) = (
            http::HeaderName::from_bytes(name.as_bytes()),
            http::HeaderValue::from_str(value),
        ) else {
            return Err(CdpError::Connect(format!(
                "\"{name}\" is no valid header for {url}"
            )));
        };
        request.headers_mut().insert(name, value);
    }
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let connecting = tokio_tungstenite::connect_async_with_config(request, Some(config), true);
    let (socket, _) = tokio::time::timeout(limit, connecting)
        .await
        .map_err(|_| {
            CdpError::Connect(format!(
                "no answer from {url} within {} ms",
                limit.as_millis()
            ))
        })?
        .map_err(|error| CdpError::Connect(format!("{error}: {url}")))?;
    let (mut sink, mut stream) = socket.split();
    let (outgoing, mut to_write) = mpsc::unbounded_channel::<Vec<u8>>();
    let (deliver, incoming) = mpsc::channel(BACKLOG);
    tokio::spawn(async move {
        while let Some(message) = to_write.recv().await {
            // Commands are serialised by serde_json, hence UTF-8; anything else is dropped.
            let Ok(text) = String::from_utf8(message) else {
                continue;
            };
            if sink.send(Message::Text(text.into())).await.is_err() {
                break;
            }
        }
        let _ = sink.close().await;
    });
    tokio::spawn(async move {
        let reason = loop {
            match stream.next().await {
                Some(Ok(Message::Text(text))) => {
                    if deliver
                        .send(Inbound::Message(text.as_bytes().to_vec()))
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
                Some(Ok(Message::Binary(bytes))) => {
                    if deliver
                        .send(Inbound::Message(bytes.to_vec()))
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
                Some(Ok(Message::Close(_))) | None => {
                    break "the browser closed the WebSocket".to_owned();
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => break format!("the WebSocket failed: {error}"),
            }
        };
        let _ = deliver.send(Inbound::End(reason)).await;
    });
    Ok(Transport { outgoing, incoming })
}
