//! Follows a stream and remembers its end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinSet;

/// Bytes that are remembered.
const MOST_BYTES: usize = 8 * 1024;
/// Lines that are worth showing.
const MOST_LINES: usize = 12;

/// The end of a stream that is being read.
#[derive(Debug)]
pub(super) struct Tail {
    end: Arc<Mutex<VecDeque<u8>>>,
    /// One task, ended when dropped: the stream may outlive its process, in
    /// the hands of a grandchild.
    reader: JoinSet<()>,
}

impl Tail {
    /// Reads the stream from now on, so that its writer never has to wait.
    pub(super) fn follow(mut stream: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let end = Arc::new(Mutex::new(VecDeque::new()));
        let shared = Arc::clone(&end);
        let mut reader = JoinSet::new();
        reader.spawn(async move {
            let mut chunk = [0; 1024];
            while let Ok(count @ 1..) = stream.read(&mut chunk).await {
                // Nothing below can panic, and half a line is still a line.
                let mut end = shared.lock().unwrap_or_else(PoisonError::into_inner);
                // In range: `read` says how much of it it has filled.
                end.extend(&chunk[..count]);
                let excess = end.len().saturating_sub(MOST_BYTES);
                end.drain(..excess);
            }
        });
        Tail { end, reader }
    }

    /// The last lines. Waits for the end of the stream, but no longer than
    /// `patience`.
    pub(super) async fn text(&mut self, patience: Duration) -> String {
        // Whether it came in time makes no difference to what is there.
        let _ = tokio::time::timeout(patience, self.reader.join_next()).await;
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = end.iter().copied().collect();
        last_lines(&String::from_utf8_lossy(&bytes))
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    let first = lines.len().saturating_sub(MOST_LINES);
    lines[first..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_is_remembered() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let mut tail = Tail::follow(std::io::Cursor::new(text));
        let end = tail.text(Duration::from_secs(5)).await;
        let lines: Vec<&str> = end.lines().collect();
        assert_eq!(lines.len(), MOST_LINES);
        assert_eq!(lines.last(), Some(&"line 9999"));
        assert!(tail.end.lock().expect("unpoisoned").len() <= MOST_BYTES);
    }

    #[tokio::test]
    async fn a_stream_that_stays_open_is_not_waited_for() {
        let (mut near, far) = tokio::io::duplex(64);
        let mut tail = Tail::follow(far);
        tokio::io::AsyncWriteExt::write_all(&mut near, b"still here\n\n")
            .await
            .expect("written");
        assert_eq!(tail.text(Duration::from_millis(200)).await, "still here");
    }

    #[test]
    fn empty_lines_say_nothing() {
        assert_eq!(last_lines(""), "");
        assert_eq!(last_lines("\n\na  \r\n\n"), "a");
    }
}
