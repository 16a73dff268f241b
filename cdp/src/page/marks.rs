//! What a frame's document does not say of itself: where the focus is, and which checkboxes are
//! neither on nor off.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::json;

use super::frames::FrameId;
use super::{Argument, Element, Page, ScriptError};
use crate::connection::{CdpError, Deadline};

/// What an agent says of a frame beside its document.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub(super) active: Active,
    pub(super) mixed: HashSet<i64>,
}

#[derive(Debug, Default)]
pub(super) enum Active {
    #[default]
    Nothing,
    Body,
    Element(i64),
}

impl Page {
    pub(super) async fn marks(&self, frame: &FrameId, deadline: Deadline) -> Marks {
        // A frame that cannot say has no focus; its document fails on its own account.
        self.try_marks(frame, deadline)
            .await
            .inspect_err(|error| tracing::debug!(%error, frame = frame.as_ref(), "no focus known"))
            .unwrap_or_default()
    }

    async fn try_marks(&self, frame: &FrameId, deadline: Deadline) -> Result<Marks, ScriptError> {
        #[derive(Deserialize)]
        struct Answer {
            focus: String,
            mixed: usize,
        }
        // The element that was acted on last is the likely one: then one trip tells it all.
        let touched = self
            .state()
            .touched
            .clone()
            .filter(|element| element.frame() == frame);
        let arguments: Vec<Argument<'_>> = touched.iter().map(Element::argument).collect();
        let answer = match self
            .agent::<Answer>(frame, "marks", &arguments, deadline)
            .await
        {
            // Its document may be gone, and it with it.
            Err(ScriptError::Cdp(CdpError::Protocol { .. })) if touched.is_some() => {
                self.change(|state| state.touched = None);
                self.agent::<Answer>(frame, "marks", &[], deadline).await
            }
            answer => answer,
        };
        let Answer { focus, mixed } = answer?;
        let active = match (focus.as_str(), touched) {
            ("body", _) => Active::Body,
            ("candidate", Some(element)) => Active::Element(element.backend_node_id()),
            ("element", _) => match self.agent_node(frame, "active", &[], deadline).await? {
                Some(node) => Active::Element(node),
                None => Active::Nothing,
            },
            _ => Active::Nothing,
        };
        let mut nodes = HashSet::new();
        for index in 0..mixed.min(200) {
            let argument = [Argument::Value(json!(index))];
            nodes.extend(
                self.agent_node(frame, "mixedAt", &argument, deadline)
                    .await?,
            );
        }
        Ok(Marks {
            active,
            mixed: nodes,
        })
    }
}
