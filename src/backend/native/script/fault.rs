//! Errors of the browser layer as scripts see them.

use std::time::Duration;

use playguard_cdp::connection::Deadline;

use crate::backend::native::response::OperationError;
use crate::script::ScriptFault;

/// The limit of actions in Playwright when a script gives none, in milliseconds.
const DEFAULT_TIMEOUT: f64 = 30_000.0;
/// No limit: as long as the script may run at all.
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// Any error of an operation.
pub(super) fn fault(error: impl Into<OperationError>) -> ScriptFault {
    match error.into() {
        OperationError::Timeout(text) => ScriptFault::timeout(text),
        OperationError::NoElement(text) | OperationError::Other(text) => {
            ScriptFault::error(text.strip_prefix("Error: ").unwrap_or(&text))
        }
    }
}

/// A script's `timeout`: milliseconds, 0 for none.
pub(super) fn deadline(timeout: Option<f64>) -> Deadline {
    let ms = timeout.unwrap_or(DEFAULT_TIMEOUT);
    let limit = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(NEVER);
    Deadline::after(match ms > 0.0 {
        true => limit.min(NEVER),
        false => NEVER,
    })
}

/// A pause that a script asks for; not longer than any script may run.
pub(super) fn pause(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms.max(0.0) / 1000.0).unwrap_or(NEVER)
}
