//! The keyboard, with or without an element.

use serde::Deserialize;
use serde_json::json;

use super::retry::{Attempt, DETACHED, with_retries};
use super::{ActionError, CallLog, Manner};
use crate::page::{Argument, Element, Page, Target};

#[derive(Deserialize)]
struct Focused {
    error: Option<String>,
}

/// Presses a key or chord, such as `Enter` or `Control+A`, wherever the focus is.
///
/// # Errors
/// The key is unknown, or the page is gone.
pub async fn press(page: &Page, key: &str) -> Result<(), ActionError> {
    page.unless_modal(page.press(key))
        .await
        .transpose()
        .map(drop)
}

/// Focuses an element and presses a key on it.
///
/// # Errors
/// See [`ActionError`].
pub async fn press_on(
    page: &Page,
    target: &Target,
    key: &str,
    manner: Manner<'_>,
) -> Result<(), ActionError> {
    with_retries(
        page,
        target,
        "press",
        manner,
        |element, _, mut log| async move {
            let outcome = async {
                if let Some(reason) = focus(page, &element, false, manner, &mut log).await? {
                    return Ok(Attempt::NotNow(reason));
                }
                press(page, key).await?;
                Ok(Attempt::Done(()))
            };
            let outcome = outcome.await;
            (log, outcome)
        },
    )
    .await
}

/// Focuses an element and types text key by key, as a person would. Characters that the US layout
/// does not have are inserted as by an input method.
///
/// # Errors
/// See [`ActionError`].
pub async fn type_into(
    page: &Page,
    target: &Target,
    text: &str,
    manner: Manner<'_>,
) -> Result<(), ActionError> {
    with_retries(
        page,
        target,
        "type",
        manner,
        |element, _, mut log| async move {
            let outcome = async {
                if let Some(reason) = focus(page, &element, true, manner, &mut log).await? {
                    return Ok(Attempt::NotNow(reason));
                }
                page.unless_modal(page.type_text(text)).await.transpose()?;
                Ok(Attempt::Done(()))
            };
            let outcome = outcome.await;
            (log, outcome)
        },
    )
    .await
}

async fn focus(
    page: &Page,
    element: &Element,
    reset_caret: bool,
    manner: Manner<'_>,
    log: &mut CallLog,
) -> Result<Option<String>, ActionError> {
    let focused: Focused = element
        .agent(
            page,
            "focus",
            vec![Argument::Value(json!(reset_caret))],
            manner.deadline,
        )
        .await?;
    Ok(focused.error.map(|_| {
        let reason = DETACHED.to_owned();
        log.detail(&reason);
        reason
    }))
}
