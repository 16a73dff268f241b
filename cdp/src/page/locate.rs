//! From what an agent names to the element it means.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::frames::FrameId;
use super::{Argument, Element, Page, STEP, ScriptError};
use crate::action::ActionError;
use crate::aria::RefTarget;
use crate::connection::{CdpError, Deadline};
use crate::dom::{Document, NodeId};
use crate::locator::{self, Engine, GenerateOptions, Selector};

/// What a tool's `target` means.
#[derive(Debug, Clone)]
pub enum Target {
    /// A reference from a snapshot: one certain element.
    Ref {
        /// As given, such as `e5` or `f1e2`.
        text: String,
        /// Its frame.
        frame: FrameId,
        /// The element within the frame's process.
        backend_node_id: i64,
    },
    /// A selector or locator expression: looked up whenever it is used.
    Selector {
        /// As given.
        text: String,
        /// Parsed.
        selector: Selector,
    },
}

impl Target {
    /// The locator as messages print it.
    pub fn locator(&self) -> String {
        match self {
            Self::Ref { text, .. } => format!("locator('aria-ref={text}')"),
            Self::Selector { selector, .. } => selector.to_javascript(),
        }
    }

    pub(crate) fn is_ref(&self) -> bool {
        matches!(self, Self::Ref { .. })
    }

    /// What to say when there is no such element.
    pub(crate) fn absent(&self) -> String {
        match self {
            Self::Ref { text, .. } => unknown_ref(text),
            Self::Selector { text, .. } => format!("\"{text}\" does not match any elements."),
        }
    }
}

fn unknown_ref(text: &str) -> String {
    format!("Ref {text} not found in the current page snapshot. Try capturing new snapshot.")
}

/// An element as found in a captured document.
#[derive(Debug, Clone)]
pub struct Found {
    /// The frame of the document.
    pub frame: FrameId,
    /// The document, as it was then.
    pub document: Arc<Document>,
    /// The element in it.
    pub node: NodeId,
}

/// How locators are understood.
#[derive(Debug, Clone)]
pub struct LocatorRules {
    /// Attributes that `getByTestId` looks at, most wanted first.
    pub test_id_attributes: Vec<String>,
}

impl Default for LocatorRules {
    fn default() -> Self {
        Self {
            test_id_attributes: vec!["data-testid".to_owned()],
        }
    }
}

impl Page {
    /// Understands a target. A ref must be one of the last snapshot of its frame.
    ///
    /// # Errors
    /// The text is no valid locator, or an unknown ref.
    pub fn target(&self, text: &str) -> Result<Target, ActionError> {
        match locator::parse_target(text)? {
            locator::Target::Ref(text) => match self.state().refs.resolve(&text) {
                Some(RefTarget {
                    frame_id,
                    backend_node_id,
                }) => Ok(Target::Ref {
                    text,
                    frame: frame_id,
                    backend_node_id,
                }),
                None => Err(ActionError::NoElement(unknown_ref(&text))),
            },
            locator::Target::Selector(selector) => {
                let selector =
                    selector.with_test_id_attributes(&self.locator_rules().test_id_attributes);
                Ok(Target::Selector {
                    text: text.to_owned(),
                    selector,
                })
            }
        }
    }

    /// All elements a selector matches right now, in document order of the last frame it leads to.
    ///
    /// # Errors
    /// The selector cannot be evaluated, or the page does not answer.
    pub async fn find_all(
        &self,
        selector: &Selector,
        deadline: Deadline,
    ) -> Result<Vec<Found>, ActionError> {
        let (mut frame, _) = self.main_frame()?;
        let steps = selector.split_frames()?;
        let mut found = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let document = self.document(&frame, deadline).await?;
            let nodes = Engine::new(&document).query_all(step, None)?;
            if index + 1 == steps.len() {
                found = nodes
                    .into_iter()
                    .map(|node| Found {
                        frame: frame.clone(),
                        document: document.clone(),
                        node,
                    })
                    .collect();
                break;
            }
            let owner = match nodes.as_slice() {
                [] => return Ok(Vec::new()),
                [owner] => *owner,
                several => return Err(self.ambiguous(step, &document, several)),
            };
            let owner = Found {
                frame: frame.clone(),
                document: document.clone(),
                node: owner,
            };
            match self.content_frame(&owner, deadline).await? {
                Some(inner) => frame = inner,
                None => return Ok(Vec::new()),
            }
        }
        Ok(found)
    }

    /// The one element a target names, ready to be acted on; `None` if there is none.
    ///
    /// # Errors
    /// Several match, or the page does not answer.
    pub(crate) async fn find_one(
        &self,
        target: &Target,
        deadline: Deadline,
    ) -> Result<Option<Element>, ActionError> {
        match target {
            Target::Ref {
                frame,
                backend_node_id,
                ..
            } => {
                if self.state().frames.get(frame).is_none() {
                    return Ok(None);
                }
                Ok(Element::resolve(self, frame, *backend_node_id, deadline).await?)
            }
            Target::Selector { selector, .. } => {
                let Some(found) = self.only(selector, deadline).await? else {
                    return Ok(None);
                };
                let backend = found.document.backend_node_id(found.node);
                Ok(Element::resolve(self, &found.frame, backend, deadline).await?)
            }
        }
    }

    /// The element of a target, for reading and scripts.
    ///
    /// # Errors
    /// There is none, several match, or the page does not answer.
    pub async fn element(
        &self,
        target: &Target,
        deadline: Deadline,
    ) -> Result<Element, ActionError> {
        self.find_one(target, deadline)
            .await?
            .ok_or_else(|| ActionError::NoElement(target.absent()))
    }

    /// As [`Self::element`], in a captured document.
    ///
    /// # Errors
    /// As [`Self::element`].
    pub async fn found(&self, target: &Target, deadline: Deadline) -> Result<Found, ActionError> {
        let found = match target {
            Target::Ref {
                frame,
                backend_node_id,
                ..
            } => {
                let document = self.document(frame, deadline).await?;
                let node = document.by_backend_id(*backend_node_id);
                node.map(|node| Found {
                    frame: frame.clone(),
                    document,
                    node,
                })
            }
            Target::Selector { selector, .. } => self.only(selector, deadline).await?,
        };
        found.ok_or_else(|| ActionError::NoElement(target.absent()))
    }

    /// Whether anything matches, before an action begins to wait for more than that.
    ///
    /// # Errors
    /// Nothing matches, or the page does not answer.
    pub async fn check_target(
        &self,
        target: &Target,
        deadline: Deadline,
    ) -> Result<(), ActionError> {
        if let Target::Selector { selector, .. } = target
            && self.find_all(selector, deadline).await?.is_empty()
        {
            return Err(ActionError::NoElement(target.absent()));
        }
        Ok(())
    }

    async fn only(
        &self,
        selector: &Selector,
        deadline: Deadline,
    ) -> Result<Option<Found>, ActionError> {
        let mut all = self.find_all(selector, deadline).await?;
        match all.len() {
            0 => Ok(None),
            1 => Ok(all.pop()),
            _ => {
                let nodes: Vec<NodeId> = all.iter().map(|found| found.node).collect();
                Err(self.ambiguous(selector, &all[0].document, &nodes))
            }
        }
    }

    fn ambiguous(&self, selector: &Selector, document: &Document, nodes: &[NodeId]) -> ActionError {
        let engine = Engine::new(document);
        ActionError::Ambiguous(locator::strict_violation(
            &engine,
            selector,
            nodes,
            &self.generate_options(),
        ))
    }

    /// Locator text for an element, as code would name it: made for this element, through all frames
    /// around it; or the selector itself if that is what was given.
    ///
    /// # Errors
    /// The element is not there, or the page does not answer.
    pub async fn locator_code(
        &self,
        target: &Target,
        deadline: Deadline,
    ) -> Result<String, ActionError> {
        match target {
            Target::Selector { selector, .. } => Ok(selector.to_javascript()),
            Target::Ref { .. } => {
                let found = self.found(target, deadline).await?;
                self.generated(&found, deadline).await
            }
        }
    }

    /// Whether a target is looked for in the main frame alone.
    pub fn is_in_main_frame(&self, target: &Target) -> bool {
        match target {
            Target::Ref { frame, .. } => self.parent_frame(frame).is_none(),
            // Its code is its own text.
            Target::Selector { .. } => true,
        }
    }

    /// The locator that code would use for an element.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn generated(
        &self,
        found: &Found,
        deadline: Deadline,
    ) -> Result<String, ActionError> {
        let own = Engine::new(&found.document).generate(found.node, &self.generate_options());
        let whole = match self.frame_locator(&found.frame, deadline).await? {
            Some(frame) => frame.in_frame(own),
            None => own,
        };
        Ok(whole.to_javascript())
    }

    /// The locator of the element that holds a frame, through all frames around it; `None` for the
    /// main frame.
    async fn frame_locator(
        &self,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Result<Option<Selector>, ActionError> {
        let options = self.generate_options();
        let mut whole: Option<Selector> = None;
        let mut inner = frame.clone();
        while let Some(parent) = self.parent_frame(&inner) {
            let document = self.document(&parent, deadline).await?;
            let owner = self.frame_owner(&inner, deadline).await?;
            let Some(node) = document.by_backend_id(owner) else {
                return Err(CdpError::TargetClosed.into());
            };
            let own = Engine::new(&document).generate(node, &options);
            whole = Some(match whole {
                Some(below) => own.in_frame(below),
                None => own,
            });
            inner = parent;
        }
        Ok(whole)
    }

    pub(crate) fn parent_frame(&self, frame: &str) -> Option<FrameId> {
        self.state().frames.get(frame)?.parent.clone()
    }

    fn generate_options(&self) -> GenerateOptions {
        GenerateOptions {
            test_id_attributes: self.locator_rules().test_id_attributes.clone(),
        }
    }

    /// The backend node id of the element that holds a frame, in the parent frame's process.
    ///
    /// # Errors
    /// The frame is gone, or is the main frame.
    pub(crate) async fn frame_owner(
        &self,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Result<i64, CdpError> {
        let (session, known) = {
            let state = self.state();
            let inner = state.frames.get(frame).ok_or(CdpError::TargetClosed)?;
            let parent = inner
                .parent
                .as_ref()
                .and_then(|parent| state.frames.get(parent));
            (
                parent.ok_or(CdpError::TargetClosed)?.session.clone(),
                inner.owner,
            )
        };
        if let Some(owner) = known {
            return Ok(owner);
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Owner {
            backend_node_id: i64,
        }
        let owner: Owner = self
            .connection()
            .call(
                Some(&session),
                "DOM.getFrameOwner",
                &json!({ "frameId": frame.as_ref() }),
                deadline,
            )
            .await?;
        self.change(|state| {
            if let Some(frame) = state.frames.get_mut(frame) {
                frame.owner = Some(owner.backend_node_id);
            }
        });
        Ok(owner.backend_node_id)
    }

    /// The element that holds a frame.
    pub(crate) async fn frame_element(
        &self,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Result<Option<Element>, CdpError> {
        let Some(parent) = self.parent_frame(frame) else {
            return Ok(None);
        };
        let owner = self.frame_owner(frame, deadline).await?;
        Element::resolve(self, &parent, owner, deadline).await
    }

    async fn content_frame(
        &self,
        owner: &Found,
        deadline: Deadline,
    ) -> Result<Option<FrameId>, ActionError> {
        if let Some(frame) = owner.document.content_frame(owner.node) {
            return Ok(Some(frame.clone()));
        }
        let wanted = owner.document.backend_node_id(owner.node);
        let children: Vec<FrameId> = self.state().frames.children(&owner.frame).to_vec();
        for child in children {
            if self.frame_owner(&child, deadline).await.ok() == Some(wanted) {
                return Ok(Some(child));
            }
        }
        Ok(None)
    }

    /// What an element looks like in messages; `None` if it is gone.
    pub(crate) async fn preview(&self, frame: &FrameId, backend_node_id: i64) -> Option<String> {
        let document = self.document(frame, Deadline::ms(2_000)).await.ok()?;
        let node = document.by_backend_id(backend_node_id)?;
        Some(locator::preview(&document, node))
    }

    /// The same for a target.
    pub(crate) async fn preview_of(&self, target: &Target) -> Option<String> {
        let found = self.found(target, Deadline::ms(2_000)).await.ok()?;
        Some(locator::preview(&found.document, found.node))
    }

    /// Whether the first element that a selector matches in the main frame is visible; `false` if
    /// there is none.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn first_is_visible(
        &self,
        selector: &Selector,
        deadline: Deadline,
    ) -> Result<bool, ActionError> {
        let (frame, _) = self.main_frame()?;
        let document = self.document(&frame, deadline).await?;
        // Searching a large page takes a while; the reading task must not wait for it.
        let selector = selector.clone();
        let search = move || {
            let found = Engine::new(&document).query_all(&selector, None)?;
            Ok(found
                .first()
                .is_some_and(|node| document.is_box_visible(*node)))
        };
        tokio::task::spawn_blocking(search)
            .await
            .map_err(|error| CdpError::Answer {
                method: "search".into(),
                reason: error.to_string(),
            })?
    }

    /// What the first element that a selector matches looks like in messages.
    pub async fn preview_first(&self, selector: &Selector) -> Option<String> {
        let found = self.find_all(selector, Deadline::ms(2_000)).await.ok()?;
        let first = found.first()?;
        Some(locator::preview(&first.document, first.node))
    }

    /// Waits until the main frame's document changes, at most `limit`.
    ///
    /// # Errors
    /// The document goes away meanwhile.
    pub async fn changed(&self, limit: Duration) -> Result<(), ScriptError> {
        let (frame, _) = self.main_frame()?;
        let limit = Argument::Value(
            json!({ "limit": u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) }),
        );
        let _: Option<f64> = self
            .agent(&frame, "changed", &[limit], Deadline::after(STEP))
            .await?;
        Ok(())
    }
}
