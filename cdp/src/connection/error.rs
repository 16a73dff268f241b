use std::time::Duration;

use super::Elapsed;

/// What can go wrong between us and the browser.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CdpError {
    /// The browser answered a command with an error object (JSON-RPC 2.0 §5.1).
    #[error("Protocol error ({method}): {message}{}", .data.as_deref().map(|d| format!(" {d}")).unwrap_or_default())]
    Protocol {
        /// The command, such as `Page.navigate`.
        method: String,
        /// JSON-RPC code, such as -32000.
        code: i64,
        /// The browser's own words.
        message: String,
        /// More of the browser's words.
        data: Option<String>,
    },
    /// No answer came in time. The command may still take effect.
    #[error("Timeout {}ms exceeded.", .budget.as_millis())]
    Timeout {
        /// The command, or the step, that was waited for.
        method: String,
        /// The time that was given.
        budget: Duration,
    },
    /// The tab, frame or worker that the command was sent to is gone.
    #[error("Target page, context or browser has been closed")]
    TargetClosed,
    /// The tab's process died.
    #[error(
        "Target crashed: the page's process died, and the page with it. Navigate again, or go on in \
         another tab."
    )]
    TargetCrashed,
    /// The connection to the browser has ended; the reason says why.
    #[error("Target page, context or browser has been closed ({0})")]
    ConnectionClosed(String),
    /// The browser's answer was not of the expected shape, or a step of ours got none.
    #[error("{}{reason}", answer_to(.method))]
    Answer {
        /// The command, such as `Page.navigate`; or the step, such as `snapshot`.
        method: String,
        /// What the decoder said; or what stopped the step, in a sentence that says it all.
        reason: String,
    },
    /// Connecting to an endpoint failed.
    #[error("{0}")]
    Connect(String),
}

impl CdpError {
    /// Whether the tab or browser is gone, as opposed to a command that failed.
    pub fn is_closed(&self) -> bool {
        matches!(
            self,
            Self::TargetClosed | Self::TargetCrashed | Self::ConnectionClosed(_)
        )
    }

    /// Whether this is a time-out.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. })
    }

    /// The browser's own words, if it answered with an error.
    pub fn protocol_message(&self) -> Option<&str> {
        match self {
            Self::Protocol { message, .. } => Some(message),
            _ => None,
        }
    }
}

/// Commands are named to whoever has to look into an answer of a strange shape. A step is nothing that
/// is answered.
fn answer_to(method: &str) -> String {
    if method.contains('.') {
        format!("Unexpected answer to {method}: ")
    } else {
        String::new()
    }
}

impl From<Elapsed> for CdpError {
    fn from(elapsed: Elapsed) -> Self {
        Self::Timeout {
            method: String::new(),
            budget: elapsed.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stopped_a_step_is_told_as_it_is() {
        let crashed = CdpError::TargetCrashed.to_string();
        assert!(crashed.starts_with("Target crashed: the page's process died"));
        let answer = |method: &str, reason: &str| CdpError::Answer {
            method: method.to_owned(),
            reason: reason.to_owned(),
        };
        assert_eq!(answer("snapshot", &crashed).to_string(), crashed);
        assert_eq!(
            answer("Page.navigate", "missing field `frameId`").to_string(),
            "Unexpected answer to Page.navigate: missing field `frameId`"
        );
    }
}
