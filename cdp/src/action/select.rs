//! Choosing options of a `<select>`.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::json;

use super::retry::{Attempt, DETACHED, with_retries};
use super::{ActionError, Manner};
use crate::page::{Argument, Page, Target};

#[derive(Deserialize)]
struct Selected {
    error: Option<String>,
    fatal: Option<String>,
    #[serde(default)]
    missing: Vec<String>,
    /// The options are still selected when the page has heard of it.
    #[serde(default)]
    kept: bool,
    #[serde(default)]
    options: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    value: String,
    label: String,
}

/// Selects the options whose value or label is among `wanted` (`by_label_only`: label alone), and
/// none other. An option that is not there is an error, and nothing is changed then. Returns whether
/// the page has left the selection as it was made.
///
/// # Errors
/// See [`ActionError`].
pub async fn select_options(
    page: &Page,
    target: &Target,
    wanted: &[String],
    by_label_only: bool,
    manner: Manner<'_>,
) -> Result<bool, ActionError> {
    with_retries(
        page,
        target,
        "select option",
        manner,
        |element, _, mut log| async move {
            let outcome = async {
                log.detail("waiting for element to be visible and enabled");
                let arguments = vec![
                    Argument::Value(json!(wanted)),
                    Argument::Value(json!(by_label_only)),
                ];
                let selected: Selected = element
                    .agent(page, "select", arguments, manner.deadline)
                    .await?;
                if let Some(fatal) = selected.fatal {
                    return Err(ActionError::refused(format!("Error: {fatal}"), &log));
                }
                let reason = match selected.error.as_deref() {
                    None => return Ok(Attempt::Done(selected.kept)),
                    Some("options-missing") if manner.early_refusal => {
                        log.detail("did not find some options");
                        choices(&selected.missing, &selected.options)
                    }
                    Some("options-missing") => "did not find some options".to_owned(),
                    Some("option-disabled") => "option being selected is not enabled".to_owned(),
                    Some("detached") => DETACHED.to_owned(),
                    Some(state) => format!("element is not {state}"),
                };
                if !reason.contains('\n') {
                    log.detail(&reason);
                }
                Ok(Attempt::NotNow(reason))
            };
            let outcome = outcome.await;
            (log, outcome)
        },
    )
    .await
}

/// Says what is missing and what there is instead.
fn choices(missing: &[String], options: &[Choice]) -> String {
    let missing = missing
        .iter()
        .map(|value| format!("\"{value}\""))
        .collect::<Vec<_>>()
        .join(", ");
    let mut text = format!("Error: no option {missing}. The options are:\n");
    for Choice { value, label } in options {
        // Writing to a String cannot fail.
        let _ = if value == label {
            writeln!(text, "  - \"{label}\"")
        } else {
            writeln!(text, "  - \"{label}\" (value \"{value}\")")
        };
    }
    text.truncate(text.trim_end().len());
    text
}
