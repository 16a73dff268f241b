//! The layers between the server and a backend, and the one place where their order is written.
//!
//! A call passes the layers from first to last on its way down, its reply from last to first on
//! the way up. A layer that is off is not in the list. Arguments have been validated before.

mod deadline;
mod policy;
mod secrets;

use std::sync::Arc;
use std::time::Duration;

use crate::backend::{Backend, BoxFuture};
use crate::call::{ToolCall, ToolReply};
use crate::config::Secrets;

pub use deadline::Deadline;
pub use policy::{Policy, Refusal};
pub use secrets::FillSecrets;

/// Something that a call passes on its way to the backend, and its reply on the way back.
pub trait Layer: Send + Sync {
    /// Handles the call: changes it, passes it on with [`Next::run`], changes the reply, or
    /// answers by itself.
    fn call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, ToolReply>;
}

/// What lies below a layer.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    layers: &'a [Box<dyn Layer>],
    backend: &'a dyn Backend,
}

impl<'a> Next<'a> {
    /// Passes the call on.
    pub fn run(self, call: ToolCall) -> BoxFuture<'a, ToolReply> {
        match self.layers.split_first() {
            Some((layer, layers)) => layer.call(call, Next { layers, ..self }),
            None => self.backend.call(call),
        }
    }
}

/// A backend behind its layers.
pub struct Pipeline {
    layers: Vec<Box<dyn Layer>>,
    backend: Arc<dyn Backend>,
}

impl Pipeline {
    /// Puts the layers of this server before a backend. `limit` bounds every call; `None` leaves
    /// that to the tools' own timeouts. `secrets` can be typed by their names. `unsafe_code` lets
    /// scripts run.
    pub fn compose(
        backend: Arc<dyn Backend>,
        limit: Option<Duration>,
        secrets: &Secrets,
        unsafe_code: bool,
    ) -> Self {
        let mut layers: Vec<Box<dyn Layer>> = vec![
            Box::new(Deadline::new(limit)),
            Box::new(Policy::standard(unsafe_code)),
        ];
        if secrets.iter().next().is_some() {
            // Nearest to the backend: nobody above sees a value.
            layers.push(Box::new(FillSecrets::new(secrets.clone())));
        }
        Self::new(layers, backend)
    }

    /// Puts any layers before a backend, first one outermost.
    pub fn new(layers: Vec<Box<dyn Layer>>, backend: Arc<dyn Backend>) -> Self {
        Self { layers, backend }
    }

    /// Sends a call through all layers.
    pub fn call(&self, call: ToolCall) -> BoxFuture<'_, ToolReply> {
        Next {
            layers: &self.layers,
            backend: self.backend.as_ref(),
        }
        .run(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ClientInfo;
    use serde_json::Map;
    use tokio_util::sync::CancellationToken;

    pub(super) fn call(name: &str) -> ToolCall {
        ToolCall {
            name: name.to_owned(),
            arguments: Map::new(),
            client: Arc::new(ClientInfo {
                name: "test".to_owned(),
                version: "1".to_owned(),
                workspace: "/ws".into(),
            }),
            cancel: CancellationToken::new(),
        }
    }

    /// Answers with the name it was called by; `hang` never answers, `obedient` does when
    /// cancelled.
    pub(super) struct Echo;

    impl Backend for Echo {
        fn call(&self, call: ToolCall) -> BoxFuture<'_, ToolReply> {
            Box::pin(async move {
                match call.name.as_str() {
                    "hang" => std::future::pending().await,
                    "obedient" => call.cancel.cancelled().await,
                    _ => {}
                }
                ToolReply::result(call.name)
            })
        }

        fn is_alive(&self) -> bool {
            true
        }

        fn close(&self) -> BoxFuture<'_, ()> {
            Box::pin(async {})
        }
    }

    struct Tag(&'static str);

    impl Layer for Tag {
        fn call<'a>(&'a self, mut call: ToolCall, next: Next<'a>) -> BoxFuture<'a, ToolReply> {
            Box::pin(async move {
                call.name.push_str(self.0);
                let mut reply = next.run(call).await;
                reply.notices.push(self.0.to_owned());
                reply
            })
        }
    }

    #[tokio::test]
    async fn calls_go_down_and_replies_come_up() {
        let pipeline = Pipeline::new(vec![Box::new(Tag("1")), Box::new(Tag("2"))], Arc::new(Echo));
        let reply = pipeline.call(call("x")).await;
        assert_eq!(reply.results, ["x12"]);
        assert_eq!(reply.notices, ["2", "1"]);
    }

    #[tokio::test]
    async fn the_composed_pipeline_refuses_code_and_passes_the_rest() {
        let pipeline = Pipeline::compose(Arc::new(Echo), None, &Secrets::default(), false);
        assert!(
            pipeline
                .call(call("browser_run_code_unsafe"))
                .await
                .is_error()
        );
        assert_eq!(
            pipeline.call(call("browser_click")).await.results,
            ["browser_click"]
        );
    }
}
