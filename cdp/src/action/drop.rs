//! Dropping files or data on an element, as if dragged in from outside the browser.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::pointer::{Guard, Need, ready};
use super::retry::{Attempt, DETACHED, with_retries};
use super::{ActionError, Manner};
use crate::page::{Argument, Page, Target};

/// A file to drop.
#[derive(Debug, Clone, Serialize)]
pub struct DropFile {
    /// Name as the page sees it.
    pub name: String,
    /// Media type.
    pub mime: String,
    /// Last modification, in milliseconds since 1970.
    pub modified: u64,
    /// Contents, base64.
    pub base64: String,
}

/// What to drop.
#[derive(Debug, Clone, Default)]
pub struct DropData {
    /// Files.
    pub files: Vec<DropFile>,
    /// Media type to text.
    pub data: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Dropped {
    error: Option<String>,
    fatal: Option<String>,
}

/// Drops `what` on an element.
///
/// # Errors
/// See [`ActionError`]; in particular when the page does not accept the drop.
pub async fn drop(
    page: &Page,
    target: &Target,
    what: &DropData,
    manner: Manner<'_>,
) -> Result<(), ActionError> {
    let need = Need {
        name: "drop",
        states: &["visible", "stable"],
        guard: Guard::None,
        watch: false,
        releases: 0,
    };
    let data: Map<String, Value> = what
        .data
        .iter()
        .map(|(kind, text)| (kind.clone(), Value::String(text.clone())))
        .collect();
    let data = &data;
    with_retries(
        page,
        target,
        need.name,
        manner,
        |element, number, mut log| async move {
            let outcome = async {
                let point = match ready(page, &element, need, number, manner, &mut log).await? {
                    Attempt::Done(point) => point,
                    Attempt::NotNow(reason) => return Ok(Attempt::NotNow(reason)),
                };
                let payload =
                    json!({ "files": what.files, "data": data, "x": point.x, "y": point.y });
                let dropped: Option<Result<Dropped, _>> = page
                    .unless_modal(element.agent(
                        page,
                        "drop",
                        vec![Argument::Value(payload)],
                        manner.deadline,
                    ))
                    .await;
                match dropped.transpose()? {
                    Some(Dropped {
                        fatal: Some(fatal), ..
                    }) => Err(ActionError::refused(
                        format!("Error: {fatal}"),
                        &Default::default(),
                    )),
                    Some(Dropped { error: Some(_), .. }) => {
                        Ok(Attempt::NotNow(DETACHED.to_owned()))
                    }
                    _ => Ok(Attempt::Done(())),
                }
            };
            let outcome = outcome.await;
            (log, outcome)
        },
    )
    .await
}
