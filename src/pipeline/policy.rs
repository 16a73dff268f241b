//! Refuses tools that this server does not let anyone use.

use crate::backend::BoxFuture;
use crate::call::{ToolCall, ToolReply};
use crate::pipeline::{Layer, Next};

/// One tool that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the tool.
    pub tool: &'static str,
    /// Why, and what to do instead; whole sentences for a model to read.
    pub reason: &'static str,
}

/// The layer.
#[derive(Debug)]
pub struct Policy {
    refused: Vec<Refusal>,
}

impl Policy {
    /// What holds for a server whose owner has allowed scripts, or has not.
    pub fn standard(unsafe_code: bool) -> Self {
        let scripts = Refusal {
            tool: "browser_run_code_unsafe",
            reason: "Its scripts have the browser's full power. Use browser_evaluate to run JavaScript \
                     inside the page, and the other browser tools to act on it; whoever runs this \
                     server can allow scripts with --allow-unsafe-code.",
        };
        Self::new(match unsafe_code {
            true => Vec::new(),
            false => vec![scripts],
        })
    }

    /// Refuses these tools and no others.
    pub fn new(refused: Vec<Refusal>) -> Self {
        Self { refused }
    }
}

impl Layer for Policy {
    fn call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, ToolReply> {
        match self
            .refused
            .iter()
            .find(|refusal| refusal.tool == call.name)
        {
            Some(Refusal { tool, reason }) => {
                let reply = ToolReply::error(format!(
                    "Error: Tool \"{tool}\" is refused by policy. {reason}"
                ));
                Box::pin(std::future::ready(reply))
            }
            None => next.run(call),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Pipeline;
    use crate::pipeline::tests::{Echo, call};
    use std::sync::Arc;

    #[tokio::test]
    async fn a_refused_tool_says_why_and_what_to_use_instead() {
        let policy = Policy::new(vec![Refusal {
            tool: "x",
            reason: "Use y.",
        }]);
        let pipeline = Pipeline::new(vec![Box::new(policy)], Arc::new(Echo));
        let reply = pipeline.call(call("x")).await;
        assert_eq!(
            reply.errors,
            ["Error: Tool \"x\" is refused by policy. Use y."]
        );
        assert_eq!(pipeline.call(call("z")).await.results, ["z"]);
    }
}
