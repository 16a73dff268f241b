use std::time::Duration;

use super::CallLog;
use crate::connection::CdpError;
use crate::locator::LocatorError;
use crate::page::ScriptError;

/// Why an action was not done. Nothing is reported as done that was not.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// The element did not get into a state in which the action is possible.
    #[error("Timeout {}ms exceeded.{}", .budget.as_millis(), .log.block())]
    Timeout {
        /// The time that was given.
        budget: Duration,
        /// What was tried.
        log: CallLog,
    },
    /// The element can never take this action; or it gave a clear answer before the time was up.
    #[error("{message}{}", .log.block())]
    Refused {
        /// Why.
        message: String,
        /// What was tried.
        log: CallLog,
    },
    /// The target names no element.
    #[error("{0}")]
    NoElement(String),
    /// The target names several elements where one is needed; the text lists them.
    #[error("Error: {0}")]
    Ambiguous(String),
    /// The target is no valid locator.
    #[error(transparent)]
    Locator(#[from] LocatorError),
    /// The page went away or did not answer.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

impl ActionError {
    pub(crate) fn refused(message: impl Into<String>, log: &CallLog) -> Self {
        Self::Refused {
            message: message.into(),
            log: log.clone(),
        }
    }

    /// Whether trying again may help: a document was replaced just then.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Cdp(
                CdpError::Protocol { .. } | CdpError::Timeout { .. } | CdpError::TargetClosed
            )
        )
    }

    /// Whether it is a time-out, which upstream reports under another name.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. })
            || matches!(self, Self::Cdp(error) if error.is_timeout())
    }
}

impl From<ScriptError> for ActionError {
    fn from(error: ScriptError) -> Self {
        match error {
            ScriptError::Cdp(error) => Self::Cdp(error),
            // Only the agent runs here, and it throws only when the document is being torn down.
            ScriptError::Thrown(_) | ScriptError::ContextDestroyed => {
                Self::Cdp(CdpError::TargetClosed)
            }
        }
    }
}
