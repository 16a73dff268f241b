//! Finding out whether a client that listens is still there.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::client::Client;

/// From an answer to the next question.
const PAUSE: Duration = Duration::from_secs(3);

/// How long, in limits for an answer, a client that did not answer may take to say anything at all.
const PATIENCE: u32 = 5;

/// Asks for signs of life once the client has a browser, whenever it listens. Returns when it has
/// given none within `limit`, or when the session ends.
///
/// With `patient`, silence costs the client its stream first, which may be what is broken: it opens
/// another if it is there. Only one that then says nothing for five times as long is given up, and
/// never while a call of its runs. Without, the first missing answer is the end, as upstream has it.
pub(super) async fn watch(client: Arc<Client>, limit: Duration, patient: bool) {
    let ended = client.ended.clone();
    let watching = async {
        client.has_backend().await;
        loop {
            client.hub.listened().await;
            let listener = client.hub.listener();
            let asked = Instant::now();
            if tokio::time::timeout(limit, client.ping()).await.is_ok() {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            if !patient {
                return;
            }
            if client.hub.listener() != listener || *client.heard().borrow() > asked {
                // The question was lost with its stream, or the client talks and does not answer.
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            tracing::info!(client = client.id, "no sign of life: its stream is closed");
            client.hub.hang_up_listener();
            if !comes_back(&client, limit).await {
                return;
            }
        }
    };
    tokio::select! {
        () = watching => {}
        () = ended.cancelled() => {}
    }
}

/// Waits for a sign of life, as long as calls run and [`PATIENCE`] lasts.
async fn comes_back(client: &Client, limit: Duration) -> bool {
    let mut heard = client.heard();
    heard.mark_unchanged();
    let mut left = PATIENCE;
    while left > 0 {
        if let Ok(change) = tokio::time::timeout(limit, heard.changed()).await {
            return change.is_ok();
        }
        if !client.is_busy() {
            left -= 1;
        }
    }
    false
}
