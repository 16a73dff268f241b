//! A single element to act on, held through an object of our isolated world.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::Page;
use super::frames::FrameId;
use super::script::{Argument, ScriptError};
use crate::connection::{CdpError, Deadline, SessionId};

#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteObject {
    object_id: Option<String>,
}

/// An element (or text node) of a frame's current document.
#[derive(Debug, Clone)]
pub struct Element {
    frame: FrameId,
    session: SessionId,
    backend_node_id: i64,
    object_id: String,
}

impl Element {
    /// Finds the node in its document. `None` if it is not there any more.
    ///
    /// # Errors
    /// The frame is gone or does not answer.
    pub async fn resolve(
        page: &Page,
        frame: &FrameId,
        backend_node_id: i64,
        deadline: Deadline,
    ) -> Result<Option<Self>, CdpError> {
        // The document may be replaced between learning of its world and using it: once more is enough,
        // since a node of the old document cannot be found in the new one.
        for _ in 0..2 {
            let (session, context) = page.world(frame, deadline).await?;
            let params = json!({
                "backendNodeId": backend_node_id,
                "executionContextId": context,
                "objectGroup": "elements",
            });
            match page
                .connection()
                .call(Some(&session), "DOM.resolveNode", &params, deadline)
                .await
            {
                Ok(Resolved {
                    object:
                        RemoteObject {
                            object_id: Some(object_id),
                        },
                }) => {
                    return Ok(Some(Self {
                        frame: frame.clone(),
                        session,
                        backend_node_id,
                        object_id,
                    }));
                }
                Ok(_) => return Ok(None),
                Err(error @ CdpError::Protocol { .. }) => {
                    tracing::debug!(%error, backend_node_id, "node not found");
                    if error
                        .protocol_message()
                        .is_some_and(|m| m.contains("No node"))
                    {
                        return Ok(None);
                    }
                    page.change(|state| {
                        if let Some(frame) = state.frames.get_mut(frame) {
                            frame.world.take_if(|known| *known == context);
                        }
                    });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The frame it is in.
    pub fn frame(&self) -> &FrameId {
        &self.frame
    }

    /// The session that speaks for its frame.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Its backend node id, unique within its process.
    pub fn backend_node_id(&self) -> i64 {
        self.backend_node_id
    }

    /// The element as an argument of an agent call in its own frame.
    pub(crate) fn argument(&self) -> Argument<'_> {
        Argument::Object(&self.object_id)
    }

    /// Calls one of the agent's methods with this element as first argument.
    pub(crate) async fn agent<R: DeserializeOwned>(
        &self,
        page: &Page,
        method: &'static str,
        arguments: Vec<Argument<'_>>,
        deadline: Deadline,
    ) -> Result<R, ScriptError> {
        let mut all = vec![Argument::Object(&self.object_id)];
        all.extend(arguments);
        page.agent(&self.frame, method, &all, deadline).await
    }

    /// The same element as an object of the page's own world, and that world's context if it is not
    /// the session's default one.
    pub(crate) async fn in_page_world(
        &self,
        page: &Page,
        deadline: Deadline,
    ) -> Result<(String, Option<i64>), ScriptError> {
        let context = {
            let state = page.state();
            let frame = state
                .frames
                .get(&self.frame)
                .ok_or(CdpError::TargetClosed)?;
            frame.page_world
        };
        let mut params =
            json!({ "backendNodeId": self.backend_node_id, "objectGroup": "evaluate" });
        if let Some(context) = context {
            params["executionContextId"] = context.into();
        }
        let resolved: Resolved = page
            .connection()
            .call(Some(&self.session), "DOM.resolveNode", &params, deadline)
            .await?;
        let object_id = resolved.object.object_id.ok_or(CdpError::TargetClosed)?;
        Ok((object_id, context))
    }

    /// Lets the browser forget the object. Objects of a document go with it anyway.
    pub fn release(&self, page: &Page) {
        page.connection().post(
            Some(&self.session),
            "Runtime.releaseObject",
            &json!({ "objectId": self.object_id }),
        );
    }
}
