//! The way out: one task owns the output, everyone else hands it lines.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Lines taken from the queue at once and written in one go.
const BATCH: usize = 64;

/// A way to the client.
pub(super) trait Outlet: Send + Sync {
    /// Queues a message with its line end. Does nothing once the way is broken or finished.
    fn send(&self, line: Vec<u8>);
}

/// Where lines go in. Lines of one sender keep their order; a line is never torn.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    queue: mpsc::UnboundedSender<Item>,
}

#[derive(Debug)]
enum Item {
    Line(Vec<u8>),
    /// Nothing that comes later is written.
    End,
}

impl Outlet for Outbox {
    fn send(&self, line: Vec<u8>) {
        let _ = self.queue.send(Item::Line(line));
    }
}

/// The task that writes.
pub(super) struct Writer {
    task: JoinHandle<()>,
    queue: mpsc::UnboundedSender<Item>,
}

impl Writer {
    /// Starts writing to `output`. `broken` fires when that fails.
    pub(super) fn start<W>(output: W, broken: CancellationToken) -> (Outbox, Writer)
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (queue, items) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            if let Err(error) = write_all(output, items).await {
                tracing::debug!(%error, "the client does not read any more");
                broken.cancel();
            }
        });
        (
            Outbox {
                queue: queue.clone(),
            },
            Writer { task, queue },
        )
    }

    /// Writes what is queued and ends the output, but waits no longer than `limit`.
    pub(super) async fn finish(mut self, limit: Duration) {
        let _ = self.queue.send(Item::End);
        if tokio::time::timeout(limit, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

async fn write_all<W: AsyncWrite + Unpin>(
    mut output: W,
    mut queue: mpsc::UnboundedReceiver<Item>,
) -> std::io::Result<()> {
    let mut items = Vec::new();
    let mut ended = false;
    while !ended && queue.recv_many(&mut items, BATCH).await > 0 {
        for item in items.drain(..) {
            match item {
                Item::Line(line) if !ended => output.write_all(&line).await?,
                Item::Line(_) => {}
                Item::End => ended = true,
            }
        }
        output.flush().await?;
    }
    output.shutdown().await
}
