//! Running functions in pages: ours in an isolated world, the caller's in the page's own.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::frames::FrameId;
use super::state::WORLD;
use super::{AGENT, Element, Page};
use crate::connection::{CdpError, Deadline, SessionId};

/// Why a script gave no value.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ScriptError {
    /// The script threw; the text is the exception's description, with its stack.
    #[error("{0}")]
    Thrown(String),
    /// The document was replaced while the script ran.
    #[error("Execution context was destroyed, most likely because of a navigation.")]
    ContextDestroyed,
    /// The command itself failed.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

impl ScriptError {
    /// Whether the document that the script ran in is no longer there.
    pub fn is_context_gone(&self) -> bool {
        match self {
            Self::ContextDestroyed => true,
            Self::Cdp(error) => error.protocol_message().is_some_and(names_lost_context),
            Self::Thrown(_) => false,
        }
    }
}

fn names_lost_context(message: &str) -> bool {
    [
        "Cannot find context",
        "Execution context was destroyed",
        "uniqueContextId not found",
        "Inspected target navigated or closed",
        "Could not find object with given id",
    ]
    .iter()
    .any(|text| message.contains(text))
}

/// What `browser_evaluate` gets from a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Evaluated {
    /// A JSON text, indented by two spaces as `JSON.stringify(value, null, 2)` does.
    Json(String),
    /// The value was `undefined`, or nothing that JSON can hold.
    Undefined,
}

/// A field after it was filled.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FieldState {
    /// The main document's title.
    pub title: String,
    /// It is still in its document.
    pub connected: bool,
    /// What it holds; `None` for what is no text field.
    pub value: Option<String>,
    /// It holds a password.
    pub secret: bool,
}

/// `Runtime.RemoteObject`, as far as used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteObject {
    #[serde(rename = "type")]
    kind: String,
    value: Option<Value>,
    unserializable_value: Option<String>,
    description: Option<String>,
    object_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExceptionDetails {
    #[serde(default)]
    text: String,
    exception: Option<RemoteObject>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    result: RemoteObject,
    exception_details: Option<ExceptionDetails>,
}

impl Outcome {
    fn object(self) -> Result<RemoteObject, ScriptError> {
        match self.exception_details {
            None => Ok(self.result),
            Some(details) => Err(ScriptError::Thrown(thrown_text(details))),
        }
    }
}

fn thrown_text(details: ExceptionDetails) -> String {
    match details.exception {
        Some(RemoteObject {
            description: Some(description),
            ..
        }) => description,
        Some(RemoteObject {
            value: Some(Value::String(text)),
            ..
        }) => text,
        Some(RemoteObject {
            value: Some(value), ..
        }) => value.to_string(),
        Some(RemoteObject {
            unserializable_value: Some(text),
            ..
        }) => text,
        Some(RemoteObject { kind, .. }) if !kind.is_empty() => kind,
        _ => details.text,
    }
}

const CALL_AGENT: &str = "function(method, ...args) { return playguardAgent[method](...args); }";

/// Calls the value if it is a function, awaits it, and turns it into indented JSON the way upstream's
/// structured serialiser followed by `JSON.stringify(value, null, 2)` would.
const SERIALISE: &str = include_str!("serialise.js");

impl Page {
    /// The execution context of our isolated world in a frame's current document.
    pub(crate) async fn world(
        &self,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Result<(SessionId, i64), CdpError> {
        let (session, known) = {
            let state = self.state();
            if state.crashed {
                // Nobody is there to answer.
                return Err(CdpError::TargetCrashed);
            }
            let frame = state.frames.get(frame).ok_or(CdpError::TargetClosed)?;
            (frame.session.clone(), frame.world)
        };
        if let Some(context) = known {
            return Ok((session, context));
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Created {
            execution_context_id: i64,
        }
        let params =
            json!({ "frameId": frame.as_ref(), "worldName": WORLD, "grantUniveralAccess": false });
        let created: Created = self
            .connection()
            .call(
                Some(&session),
                "Page.createIsolatedWorld",
                &params,
                deadline,
            )
            .await?;
        let context = created.execution_context_id;
        let _: Box<RawValue> = self
            .connection()
            .call(
                Some(&session),
                "Runtime.evaluate",
                &json!({ "expression": AGENT, "contextId": context, "returnByValue": true }),
                deadline,
            )
            .await?;
        self.change(|state| {
            if let Some(frame) = state.frames.get_mut(frame) {
                frame.world = Some(context);
            }
        });
        Ok((session, context))
    }

    /// Calls a method of the agent in a frame; promises are awaited.
    ///
    /// # Errors
    /// The document goes away, the deadline passes, or the agent throws.
    pub(crate) async fn agent<R: DeserializeOwned>(
        &self,
        frame: &FrameId,
        method: &'static str,
        arguments: &[Argument<'_>],
        deadline: Deadline,
    ) -> Result<R, ScriptError> {
        let (session, context) = self.world(frame, deadline).await?;
        let outcome: Outcome = self
            .connection()
            .call(
                Some(&session),
                "Runtime.callFunctionOn",
                &json!({
                    "functionDeclaration": CALL_AGENT,
                    "executionContextId": context,
                    "arguments": call_arguments(method, arguments),
                    "awaitPromise": true,
                    "returnByValue": true,
                }),
                deadline,
            )
            .await?;
        let value = outcome.object()?.value.unwrap_or(Value::Null);
        serde_json::from_value(value).map_err(|error| {
            ScriptError::Cdp(CdpError::Answer {
                method: format!("agent.{method}"),
                reason: error.to_string(),
            })
        })
    }

    /// What the element that was acted on last holds now, if it is in the main frame.
    ///
    /// # Errors
    /// As [`Self::agent`].
    pub async fn touched_field(&self) -> Result<Option<FieldState>, ScriptError> {
        let (main, _) = self.main_frame()?;
        let touched = self.state().touched.clone();
        let Some(element) = touched.filter(|element| *element.frame() == main) else {
            return Ok(None);
        };
        let deadline = Deadline::after(super::STEP);
        let field = element.agent(self, "field", Vec::new(), deadline).await?;
        Ok(Some(field))
    }

    /// Calls a method of the agent that hands out an element, and says which one it is.
    ///
    /// # Errors
    /// As [`Self::agent`].
    pub(crate) async fn agent_node(
        &self,
        frame: &FrameId,
        method: &'static str,
        arguments: &[Argument<'_>],
        deadline: Deadline,
    ) -> Result<Option<i64>, ScriptError> {
        let (session, context) = self.world(frame, deadline).await?;
        let outcome: Outcome = self
            .connection()
            .call(
                Some(&session),
                "Runtime.callFunctionOn",
                &json!({
                    "functionDeclaration": CALL_AGENT,
                    "executionContextId": context,
                    "arguments": call_arguments(method, arguments),
                    "objectGroup": "elements",
                }),
                deadline,
            )
            .await?;
        let Some(object_id) = outcome.object()?.object_id else {
            return Ok(None);
        };
        Ok(Some(
            self.backend_node_id(&session, &object_id, deadline).await?,
        ))
    }

    /// The element that stood in the way of the last refused action in a frame.
    pub(crate) async fn obstacle(
        &self,
        frame: &FrameId,
        deadline: Deadline,
    ) -> Result<Option<i64>, ScriptError> {
        self.agent_node(frame, "standsInTheWay", &[], deadline)
            .await
    }

    pub(crate) async fn backend_node_id(
        &self,
        session: &SessionId,
        object_id: &str,
        deadline: Deadline,
    ) -> Result<i64, CdpError> {
        #[derive(Deserialize)]
        struct Described {
            node: Node,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Node {
            backend_node_id: i64,
        }
        let described: Described = self
            .connection()
            .call(
                Some(session),
                "DOM.describeNode",
                &json!({ "objectId": object_id }),
                deadline,
            )
            .await?;
        Ok(described.node.backend_node_id)
    }

    /// Evaluates an expression of the caller's in a page's own world: a function is called (with
    /// `element`, if given), and the result is awaited and serialised. Without an element, the main
    /// document's title may come along, as it is then.
    ///
    /// # Errors
    /// The script throws, or the document goes away meanwhile.
    pub async fn evaluate(
        &self,
        expression: &str,
        element: Option<&Element>,
    ) -> Result<(Evaluated, Option<String>), ScriptError> {
        // No limit of our own: a script may wait for a person. Whoever calls may stop waiting.
        let deadline = Deadline::after(std::time::Duration::from_secs(24 * 3600));
        let source = format!("({expression}\n)");
        let result = match element {
            None => self.evaluate_in_page(&source, deadline).await,
            Some(element) => self.evaluate_on(&source, element, deadline).await,
        };
        result.map_err(|error| {
            if error.is_context_gone() {
                ScriptError::ContextDestroyed
            } else {
                error
            }
        })
    }

    async fn evaluate_in_page(
        &self,
        source: &str,
        deadline: Deadline,
    ) -> Result<(Evaluated, Option<String>), ScriptError> {
        let session = self.session().clone();
        let object = self
            .evaluate_expression(&session, source, None, deadline)
            .await?;
        // A plain value needs no second trip.
        if let (None, Some(value)) = (&object.object_id, &object.value) {
            return Ok((Evaluated::Json(indented(value)), None));
        }
        self.serialise(&session, object, None, deadline).await
    }

    async fn evaluate_on(
        &self,
        source: &str,
        element: &Element,
        deadline: Deadline,
    ) -> Result<(Evaluated, Option<String>), ScriptError> {
        // The element decides the document, and with it the world the function must come from.
        let (object_id, context) = element.in_page_world(self, deadline).await?;
        let object = self
            .evaluate_expression(element.session(), source, context, deadline)
            .await?;
        self.serialise(element.session(), object, Some(&object_id), deadline)
            .await
    }

    /// An array of objects, in their own world.
    pub(super) async fn list_of(
        &self,
        session: &SessionId,
        world: Option<i64>,
        objects: &[String],
        deadline: Deadline,
    ) -> Result<String, ScriptError> {
        let arguments: Vec<Value> = objects.iter().map(|id| json!({ "objectId": id })).collect();
        let mut params = json!({
            "functionDeclaration": "function(...all) { return all; }",
            "arguments": arguments,
            "objectGroup": "evaluate",
        });
        match (objects.first(), world) {
            (Some(first), _) => params["objectId"] = first.as_str().into(),
            (None, Some(world)) => params["executionContextId"] = world.into(),
            (None, None) => {
                let source = "[]";
                let object = self
                    .evaluate_expression(session, source, None, deadline)
                    .await?;
                return Ok(object.object_id.ok_or(CdpError::TargetClosed)?);
            }
        }
        let outcome: Outcome = self
            .connection()
            .call(Some(session), "Runtime.callFunctionOn", &params, deadline)
            .await?;
        Ok(outcome.object()?.object_id.ok_or(CdpError::TargetClosed)?)
    }

    /// Evaluates a function with an object of its own world.
    pub(super) async fn evaluate_with(
        &self,
        session: &SessionId,
        source: &str,
        world: Option<i64>,
        object: &str,
        deadline: Deadline,
    ) -> Result<Evaluated, ScriptError> {
        let function = self
            .evaluate_expression(session, source, world, deadline)
            .await?;
        let (evaluated, _) = self
            .serialise(session, function, Some(object), deadline)
            .await?;
        Ok(evaluated)
    }

    async fn evaluate_expression(
        &self,
        session: &SessionId,
        source: &str,
        context: Option<i64>,
        deadline: Deadline,
    ) -> Result<RemoteObject, ScriptError> {
        let mut params =
            json!({ "expression": source, "userGesture": true, "objectGroup": "evaluate" });
        if let Some(context) = context {
            params["contextId"] = context.into();
        }
        let outcome: Outcome = self
            .connection()
            .call(Some(session), "Runtime.evaluate", &params, deadline)
            .await?;
        outcome.object()
    }

    async fn serialise(
        &self,
        session: &SessionId,
        object: RemoteObject,
        element: Option<&str>,
        deadline: Deadline,
    ) -> Result<(Evaluated, Option<String>), ScriptError> {
        let value = match (
            &object.object_id,
            &object.unserializable_value,
            object.value,
        ) {
            (Some(object_id), _, _) => json!({ "objectId": object_id }),
            (None, Some(text), _) => json!({ "unserializableValue": text }),
            (None, None, Some(value)) => json!({ "value": value }),
            (None, None, None) => return Ok((Evaluated::Undefined, None)),
        };
        let wants_title = json!({ "value": element.is_none() });
        let element = element.map_or_else(|| json!({}), |id| json!({ "objectId": id }));
        let Some(on) = object.object_id else {
            // NaN, -0, Infinity or a BigInt: no object to call on, and nothing to await.
            return match object.unserializable_value.as_deref() {
                Some("-0") => Ok((Evaluated::Json("0".into()), None)),
                Some(text) if text.ends_with('n') => Err(ScriptError::Thrown(
                    "TypeError: Do not know how to serialize a BigInt".into(),
                )),
                _ => Ok((Evaluated::Json("null".into()), None)),
            };
        };
        let outcome: Outcome = self
            .connection()
            .call(
                Some(session),
                "Runtime.callFunctionOn",
                &json!({
                    "functionDeclaration": SERIALISE,
                    "objectId": on,
                    "arguments": [value, element, wants_title],
                    "awaitPromise": true,
                    "returnByValue": true,
                    "userGesture": true,
                }),
                deadline,
            )
            .await?;
        self.connection().post(
            Some(session),
            "Runtime.releaseObjectGroup",
            &json!({ "objectGroup": "evaluate" }),
        );
        let answer = match outcome.object()?.value {
            Some(Value::Array(answer)) => answer,
            _ => Vec::new(),
        };
        let text_at = |at: usize| answer.get(at).and_then(Value::as_str).map(str::to_owned);
        let evaluated = match (text_at(0), answer.get(2)) {
            (Some(text), _) => Evaluated::Json(text),
            (None, Some(raw)) => Evaluated::Json(indented(raw)),
            (None, None) => Evaluated::Undefined,
        };
        Ok((evaluated, text_at(1)))
    }
}

fn indented(value: &Value) -> String {
    // Writing a value we just read cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// One argument of an agent call.
pub(crate) enum Argument<'a> {
    /// An element of the agent's own world.
    Object(&'a str),
    /// Plain data.
    Value(Value),
}

fn call_arguments(method: &str, arguments: &[Argument<'_>]) -> Vec<Value> {
    let mut all = vec![json!({ "value": method })];
    all.extend(arguments.iter().map(|argument| match argument {
        Argument::Object(id) => json!({ "objectId": id }),
        Argument::Value(value) => json!({ "value": value }),
    }));
    all
}

impl<T: Serialize> From<&T> for Argument<'_> {
    fn from(value: &T) -> Self {
        // Our own plain argument structs always serialise.
        Self::Value(serde_json::to_value(value).unwrap_or(Value::Null))
    }
}
