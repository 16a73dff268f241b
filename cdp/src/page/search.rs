//! Looking through all frames of a page, and reading what was found.

use serde::Deserialize;

use super::frames::FrameId;
use super::{Element, Found, Page, ScriptError, Target};
use crate::action::ActionError;
use crate::connection::Deadline;
use crate::locator::{Engine, Selector};

/// What a form control holds, as far as one can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// The text of a field, or the value of a selection.
    Value(String),
    /// A box or radio button.
    Checked(bool),
    /// Neither; says why.
    None(String),
}

impl Page {
    /// What a selector finds in the first frame, main frame first, in which it finds anything.
    ///
    /// # Errors
    /// The selector cannot be evaluated, or the main frame does not answer.
    pub async fn find_anywhere(
        &self,
        selector: &Selector,
        deadline: Deadline,
    ) -> Result<Vec<Found>, ActionError> {
        let frames: Vec<FrameId> = {
            let state = self.state();
            let frames = state.frames.in_order();
            frames.iter().map(|frame| frame.id.clone()).collect()
        };
        for (at, frame) in frames.into_iter().enumerate() {
            let document = match self.document(&frame, deadline).await {
                Ok(document) => document,
                Err(error) if at == 0 => return Err(error.into()),
                // It went away, or does not answer: nothing is found there.
                Err(_) => continue,
            };
            let found: Vec<Found> = Engine::new(&document)
                .query_all(selector, None)?
                .into_iter()
                .map(|node| Found {
                    frame: frame.clone(),
                    document: document.clone(),
                    node,
                })
                .collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// What a selector finds below an element that was found.
    ///
    /// # Errors
    /// The selector cannot be evaluated.
    pub fn find_below(
        &self,
        outer: &Found,
        selector: &Selector,
    ) -> Result<Vec<Found>, ActionError> {
        let nodes = Engine::new(&outer.document).query_all(selector, Some(outer.node))?;
        Ok(nodes
            .into_iter()
            .map(|node| Found {
                node,
                ..outer.clone()
            })
            .collect())
    }

    /// What the control that a target names holds; a label stands for its control.
    ///
    /// # Errors
    /// The target names no element or several, or the page does not answer.
    pub async fn control(
        &self,
        target: &Target,
        checkable: bool,
        deadline: Deadline,
    ) -> Result<Control, ActionError> {
        #[derive(Deserialize)]
        struct Answer {
            value: Option<String>,
            checked: Option<bool>,
            error: Option<String>,
            fatal: Option<String>,
        }
        let element: Element = self.element(target, deadline).await?;
        let method = if checkable {
            "checkedState"
        } else {
            "inputValue"
        };
        let answer: Result<Answer, ScriptError> =
            element.agent(self, method, Vec::new(), deadline).await;
        element.release(self);
        let answer = answer?;
        Ok(match (answer.value, answer.checked) {
            (Some(value), _) => Control::Value(value),
            (None, Some(checked)) => Control::Checked(checked),
            (None, None) => {
                let reason = answer.fatal.or(answer.error).unwrap_or_default();
                Control::None(reason)
            }
        })
    }
}

impl Found {
    /// The element's text as `textContent` has it.
    pub fn text_content(&self) -> String {
        self.document.text_pieces(self.node).collect()
    }
}
