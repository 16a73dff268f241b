use serde::{Deserialize, Serialize};

use crate::connection::Deadline;
use crate::page::frames::FrameId;
use crate::page::{Page, STEP, ScriptError};

/// When a page counts as having come to rest after an action. All in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RestRule {
    /// Without a change for so long, after there were some.
    pub quiet: u64,
    /// Without any change at all for so long.
    pub idle: u64,
    /// At most so long.
    pub limit: u64,
}

/// How the wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// The document stayed; whether anything in it changed.
    Rested {
        /// Whether something changed.
        stirred: bool,
    },
    /// The document was replaced, or a dialog opened.
    Left,
}

/// What the agent answers to `rest`.
#[derive(Debug, Deserialize)]
pub struct Rested {
    /// `hit` or `missed` if a guard was armed and saw the event.
    pub verdict: Option<String>,
    /// Whether the document changed.
    pub stirred: bool,
    /// How often it did.
    #[serde(default)]
    pub changes: u64,
}

/// How much longer than its limit a wait may take to answer, in milliseconds.
const ANSWER_MS: u64 = 2_000;

impl Page {
    /// Waits by `rule` in a frame's document. `None` if the document went away or a dialog opened.
    pub(crate) async fn rest(&self, frame: &FrameId, rule: RestRule) -> Option<Rested> {
        // While a navigation is under way the browser holds commands back until it has arrived.
        let limit = Deadline::ms(rule.limit + ANSWER_MS);
        let arguments = [crate::page::Argument::from(&rule)];
        let answer: Option<Result<Rested, ScriptError>> = self
            .unless_modal(self.agent(frame, "rest", &arguments, limit))
            .await;
        answer.and_then(Result::ok)
    }

    /// Starts to notice changes in the main frame's document, for [`Self::at_rest`].
    ///
    /// # Errors
    /// The page is gone.
    pub async fn watch(&self) -> Result<(), ScriptError> {
        let (frame, _) = self.main_frame()?;
        let _: Option<serde_json::Value> = self
            .agent(&frame, "watch", &[], Deadline::after(STEP))
            .await?;
        Ok(())
    }

    /// Waits until the main frame's document has come to rest.
    pub async fn at_rest(&self, rule: RestRule) -> Rest {
        let Ok((frame, _)) = self.main_frame() else {
            return Rest::Left;
        };
        match self.rest(&frame, rule).await {
            Some(rested) => Rest::Rested {
                stirred: rested.stirred,
            },
            None => Rest::Left,
        }
    }
}
