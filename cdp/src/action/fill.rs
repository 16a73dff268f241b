//! Replacing what a field holds.

use serde::Deserialize;
use serde_json::json;

use super::retry::{Attempt, DETACHED, with_noted_retries};
use super::{ActionError, Manner};
use crate::page::{Argument, Page, Target};

#[derive(Deserialize)]
struct Filled {
    error: Option<String>,
    fatal: Option<String>,
    #[serde(default)]
    done: bool,
}

/// Puts `text` into a field in place of what is there. Fields with a picker (dates, colours, ranges)
/// get their value set; all others get the text as one insertion, as from an input method, so that
/// the page's own key handling cannot double or drop characters.
///
/// # Errors
/// See [`ActionError`]; the field was then not changed.
pub async fn fill(
    page: &Page,
    target: &Target,
    text: &str,
    manner: Manner<'_>,
) -> Result<(), ActionError> {
    let note = format!("fill(\"{text}\")");
    with_noted_retries(page, target, "fill", Some(&note), manner, |element, _, mut log| async move {
        let outcome = async {
            log.detail("waiting for element to be visible, enabled and editable");
            if let Some(glance) = manner.glance {
                glance.begin(page, element.frame(), manner.deadline);
            }
            let filled: Filled =
                element.agent(page, "fill", vec![Argument::Value(json!(text))], manner.deadline).await?;
            if let Some(fatal) = filled.fatal {
                return Err(ActionError::refused(format!("Error: {fatal}"), &log));
            }
            let reason = match filled.error.as_deref() {
                None => None,
                Some("never-editable") => {
                    return Err(ActionError::refused(
                        "Error: Element is not an <input>, <textarea>, <select> or [contenteditable] and does not \
                         have a role allowing [aria-readonly]",
                        &log,
                    ));
                }
                Some("detached") => Some(DETACHED.to_owned()),
                Some(state) => Some(format!("element is not {state}")),
            };
            if let Some(reason) = reason {
                log.detail(&reason);
                return Ok(Attempt::NotNow(reason));
            }
            if !filled.done {
                // A handler may open a dialog; the text is in by then.
                page.unless_modal(async {
                    if text.is_empty() {
                        page.press("Delete").await
                    } else {
                        page.insert_text(text).await.map_err(ActionError::from)
                    }
                })
                .await
                .transpose()?;
            }
            Ok(Attempt::Done(()))
        };
        let outcome = outcome.await;
        (log, outcome)
    })
    .await
}
