//! Checking and unchecking.

use serde::Deserialize;

use super::pointer::click;
use super::{ActionError, CallLog, Manner};
use crate::input::keyboard::Modifiers;
use crate::input::mouse::Click;
use crate::page::{Page, Target};

#[derive(Deserialize)]
struct State {
    error: Option<String>,
    fatal: Option<String>,
    #[serde(default)]
    checked: bool,
    #[serde(default)]
    radio: bool,
}

/// Brings a checkbox, radio button or switch into the wanted state by clicking it, and makes sure
/// that it got there.
///
/// # Errors
/// See [`ActionError`]. A radio button cannot be unchecked.
pub async fn set_checked(
    page: &Page,
    target: &Target,
    checked: bool,
    manner: Manner<'_>,
) -> Result<(), ActionError> {
    let log = CallLog::default();
    let before = state(page, target, manner).await?;
    if before.checked == checked {
        return Ok(());
    }
    if !checked && before.radio {
        return Err(ActionError::refused(
            "Error: Cannot uncheck radio button. Radio buttons can only be unchecked by selecting another radio \
             button in the same group.",
            &log,
        ));
    }
    click(page, target, Click::default(), Modifiers::NONE, manner).await?;
    if state(page, target, manner).await?.checked != checked {
        return Err(ActionError::refused(
            "Error: Clicking the checkbox did not change its state",
            &log,
        ));
    }
    Ok(())
}

async fn state(page: &Page, target: &Target, manner: Manner<'_>) -> Result<State, ActionError> {
    let log = CallLog::default();
    let Some(element) = page.find_one(target, manner.deadline).await? else {
        return Err(ActionError::NoElement(target.absent()));
    };
    let state: State = element
        .agent(page, "checkedState", vec![], manner.deadline)
        .await?;
    match state {
        State {
            fatal: Some(fatal), ..
        } => Err(ActionError::refused(format!("Error: {fatal}"), &log)),
        State { error: Some(_), .. } => Err(ActionError::NoElement(target.absent())),
        state => Ok(state),
    }
}
