//! The browser's output: read as long as there is any, kept to the last few kilobytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;

/// How much is kept.
const TAIL_BYTES: usize = 4096;

/// Reads a browser's output.
pub(super) struct Output {
    tail: Arc<Mutex<Tail>>,
    listener: JoinHandle<()>,
}

impl Output {
    /// Reads in a task of its own: a full pipe would stop the browser.
    pub(super) fn listen(mut from: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let kept = Arc::clone(&tail);
        let listener = tokio::spawn(async move {
            let mut buffer = vec![0; TAIL_BYTES];
            while let Ok(length @ 1..) = from.read(&mut buffer).await {
                let text = &buffer[..length];
                let shown = String::from_utf8_lossy(text);
                tracing::debug!(target: "playguard_cdp::browser", "{}", shown.trim_end());
                lock(&kept).push(text);
            }
        });
        Self { tail, listener }
    }

    /// The end of what was read so far.
    pub(super) fn tail(&self) -> String {
        lock(&self.tail).text()
    }

    /// Waits until all is read, or until `limit` is over: others than the main process may hold the
    /// pipe open.
    pub(super) async fn drained(&self, limit: Duration) {
        let give_up = tokio::time::Instant::now() + limit;
        while !self.listener.is_finished() && tokio::time::Instant::now() < give_up {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

fn lock(tail: &Mutex<Tail>) -> std::sync::MutexGuard<'_, Tail> {
    // It is whole at any time.
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of a stream of text.
#[derive(Default)]
struct Tail(VecDeque<u8>);

impl Tail {
    fn push(&mut self, text: &[u8]) {
        self.0.extend(text);
        let excess = self.0.len().saturating_sub(TAIL_BYTES);
        self.0.drain(..excess);
    }

    /// As text, from the first whole line if the beginning is lost.
    fn text(&self) -> String {
        let (front, back) = self.0.as_slices();
        let bytes = [front, back].concat();
        let cut = if bytes.len() < TAIL_BYTES {
            0
        } else {
            bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1)
        };
        let whole = if cut < bytes.len() {
            &bytes[cut..]
        } else {
            &bytes
        };
        String::from_utf8_lossy(whole).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_keeps_whole_lines_of_the_end() {
        let mut tail = Tail::default();
        tail.push(b"first\n");
        assert_eq!(tail.text(), "first\n");
        for number in 0..1000 {
            tail.push(format!("line {number} ä\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.len() <= TAIL_BYTES && text.len() > TAIL_BYTES - 20);
        assert!(text.starts_with("line ") && text.ends_with("line 999 ä\n"));
        let mut tail = Tail::default();
        tail.push(&vec![b'x'; 3 * TAIL_BYTES]);
        assert_eq!(tail.text().len(), TAIL_BYTES);
    }
}
