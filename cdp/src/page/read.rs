//! Single questions to single elements, and functions over several.

use serde_json::{Value, json};

use super::{Argument, Element, Evaluated, Page, ScriptError};
use crate::connection::{CdpError, Deadline};

/// What can be asked of an element or done to it without input events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Its `textContent`.
    TextContent,
    /// Its `innerText`.
    InnerText,
    /// Its `innerHTML`.
    InnerHtml,
    /// An attribute, by name.
    Attribute,
    /// Its box in the viewport of its frame, or null.
    Box,
    /// Whether it is shown.
    Visible,
    /// Whether it can be used.
    Enabled,
    /// Whether it takes text.
    Editable,
    /// Give it the focus.
    Focus,
    /// Take the focus away.
    Blur,
    /// Select its text.
    SelectText,
    /// Scroll it into view.
    Scroll,
}

impl Question {
    fn name(self) -> &'static str {
        match self {
            Self::TextContent => "textContent",
            Self::InnerText => "innerText",
            Self::InnerHtml => "innerHTML",
            Self::Attribute => "attribute",
            Self::Box => "box",
            Self::Visible => "visible",
            Self::Enabled => "enabled",
            Self::Editable => "editable",
            Self::Focus => "focus",
            Self::Blur => "blur",
            Self::SelectText => "selectText",
            Self::Scroll => "scroll",
        }
    }
}

impl Page {
    /// Asks an element. The answer is plain data; its shape stands at [`Question`].
    ///
    /// # Errors
    /// The document is gone or does not answer.
    pub async fn ask(
        &self,
        element: &Element,
        question: Question,
        name: &str,
        deadline: Deadline,
    ) -> Result<Value, ScriptError> {
        let arguments = vec![
            Argument::Value(json!(question.name())),
            Argument::Value(json!(name)),
        ];
        let answer: Option<Value> = element.agent(self, "ask", arguments, deadline).await?;
        Ok(answer.unwrap_or(Value::Null))
    }

    /// Evaluates a function with a list of elements, all of one frame, as first argument. None of an
    /// empty list.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub async fn evaluate_all(
        &self,
        expression: &str,
        elements: &[Element],
        deadline: Deadline,
    ) -> Result<Evaluated, ScriptError> {
        let source = format!("({expression}\n)");
        let mut objects = Vec::with_capacity(elements.len());
        let mut world = None;
        for element in elements {
            let (object, context) = element.in_page_world(self, deadline).await?;
            world = context;
            objects.push(object);
        }
        let session = elements.first().map_or(self.session(), Element::session);
        let list = self.list_of(session, world, &objects, deadline).await?;
        let evaluated = self
            .evaluate_with(session, &source, world, &list, deadline)
            .await;
        evaluated.map_err(|error| match error.is_context_gone() {
            true => ScriptError::ContextDestroyed,
            false => error,
        })
    }

    /// Presses a key and leaves it down.
    ///
    /// # Errors
    /// The key is unknown (the text names it), or the page is gone.
    pub async fn key_down(&self, name: &str) -> Result<(), crate::action::ActionError> {
        let planned = self.state().keyboard.plan_down(name);
        self.send_planned(planned).await
    }

    /// Releases a key.
    ///
    /// # Errors
    /// As [`Self::key_down`].
    pub async fn key_up(&self, name: &str) -> Result<(), crate::action::ActionError> {
        let planned = self.state().keyboard.plan_up(name);
        self.send_planned(planned).await
    }

    /// Loads the document again and waits until the new one is there.
    ///
    /// # Errors
    /// It does not come in time, or the page is gone.
    pub async fn reload(&self, deadline: Deadline) -> Result<(), CdpError> {
        let (_, before) = self.main_frame()?;
        self.command("Page.reload", &json!({}), deadline).await?;
        self.until(deadline, |state| {
            let main = state.frames.main()?;
            (main.loader != before || state.dialog().is_some()).then_some(())
        })
        .await
    }

    /// Replaces the document's content.
    ///
    /// # Errors
    /// The page is gone or does not answer.
    pub async fn set_content(&self, html: &str, deadline: Deadline) -> Result<(), ScriptError> {
        let (frame, _) = self.main_frame()?;
        let arguments = [Argument::Value(json!(html))];
        let _: Option<Value> = self
            .agent(&frame, "setContent", &arguments, deadline)
            .await?;
        Ok(())
    }
}
