//! Ends calls that were cancelled or take too long.

use std::time::Duration;

use crate::backend::BoxFuture;
use crate::call::{ToolCall, ToolReply};
use crate::pipeline::{Layer, Next};

/// How long a call may take to put things in order (release keys, remove listeners) once it was
/// told to stop. After that it is dropped where it stands.
const GRACE: Duration = Duration::from_secs(1);

/// The layer. Layers below see a token that fires for the client's cancellation and for the
/// deadline alike.
#[derive(Debug)]
pub struct Deadline {
    limit: Option<Duration>,
}

impl Deadline {
    /// `limit` is the longest a call may take; `None` for no limit.
    pub fn new(limit: Option<Duration>) -> Self {
        Self { limit }
    }
}

impl Layer for Deadline {
    fn call<'a>(&'a self, mut call: ToolCall, next: Next<'a>) -> BoxFuture<'a, ToolReply> {
        Box::pin(async move {
            let name = call.name.clone();
            let cancelled = call.cancel.clone();
            // Nobody reads the replies to cancelled calls.
            let cancellation = || ToolReply::thrown("Error: The call was cancelled.");
            if cancelled.is_cancelled() {
                return cancellation();
            }
            let stop = cancelled.child_token();
            call.cancel = stop.clone();
            let mut running = next.run(call);
            let reply = tokio::select! {
                biased;
                () = cancelled.cancelled() => cancellation(),
                reply = &mut running => return reply,
                limit = passed(self.limit) => ToolReply::thrown(format!(
                    "TimeoutError: {name} was stopped after {} ms, the limit for every call. What it \
                     did until then may have taken effect: look at the page before trying again.",
                    limit.as_millis()
                )),
            };
            stop.cancel();
            // Its own reply, if it makes one, no longer says the truth.
            let _ = tokio::time::timeout(GRACE, running).await;
            reply
        })
    }
}

async fn passed(limit: Option<Duration>) -> Duration {
    match limit {
        Some(limit) => {
            tokio::time::sleep(limit).await;
            limit
        }
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Pipeline;
    use crate::pipeline::tests::{Echo, call};
    use std::sync::Arc;
    use tokio::time::Instant;

    fn limited(milliseconds: u64) -> Pipeline {
        let deadline = Deadline::new(Some(Duration::from_millis(milliseconds)));
        Pipeline::new(vec![Box::new(deadline)], Arc::new(Echo))
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_does_not_listen_is_dropped() {
        let started = Instant::now();
        let reply = limited(200).call(call("hang")).await;
        let text = reply.thrown.unwrap();
        assert!(
            text.starts_with("TimeoutError: hang was stopped after 200 ms"),
            "{text}"
        );
        assert_eq!(started.elapsed(), Duration::from_millis(200) + GRACE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_listens_ends_at_once() {
        let started = Instant::now();
        let reply = limited(200).call(call("obedient")).await;
        assert!(reply.thrown.is_some());
        assert_eq!(started.elapsed(), Duration::from_millis(200));
    }

    #[tokio::test(start_paused = true)]
    async fn cancellation_ends_a_call_without_a_limit() {
        let pipeline = Pipeline::new(vec![Box::new(Deadline::new(None))], Arc::new(Echo));
        let call = call("obedient");
        let cancel = call.cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            cancel.cancel();
        });
        let started = Instant::now();
        assert!(pipeline.call(call).await.thrown.is_some());
        assert_eq!(started.elapsed(), Duration::from_millis(50));
    }

    #[tokio::test]
    async fn quick_calls_pass() {
        assert_eq!(limited(200).call(call("x")).await.results, ["x"]);
    }
}
