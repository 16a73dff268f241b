//! Things that hold for all pages of a context, those that are there and those to come.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::ContextState;
use crate::browser::{Browser, ContextId};
use crate::connection::{CdpError, Deadline};

const COMMAND: Duration = Duration::from_secs(30);
/// Scripts for new documents add up; each gets a number.
static SCRIPTS: AtomicU64 = AtomicU64::new(0);

impl Browser {
    /// Runs a script in every new document of a context's pages, before their own.
    pub async fn add_init_script(&self, context: &Arc<ContextState>, source: &str) {
        let number = SCRIPTS.fetch_add(1, Ordering::Relaxed);
        let params = json!({ "source": source });
        let key = format!("script {number}");
        self.for_all_pages(
            context,
            key,
            "Page.addScriptToEvaluateOnNewDocument",
            params,
        )
        .await;
    }

    /// Headers that a context's pages send with every request; in place of those given before.
    pub async fn set_extra_headers(
        &self,
        context: &Arc<ContextState>,
        headers: &Map<String, Value>,
    ) {
        let params = json!({ "headers": headers });
        self.for_all_pages(
            context,
            "headers".into(),
            "Network.setExtraHTTPHeaders",
            params,
        )
        .await;
    }

    /// Where a context's pages believe to be: latitude, longitude, accuracy. `None` is the truth.
    pub async fn set_geolocation(
        &self,
        context: &Arc<ContextState>,
        position: Option<&Map<String, Value>>,
    ) {
        let params = match position {
            Some(position) => {
                let number = |key: &str, default: f64| {
                    position.get(key).and_then(Value::as_f64).unwrap_or(default)
                };
                json!({
                    "latitude": number("latitude", 0.0),
                    "longitude": number("longitude", 0.0),
                    "accuracy": number("accuracy", 0.0),
                })
            }
            None => json!({}),
        };
        let method = match position {
            Some(_) => "Emulation.setGeolocationOverride",
            None => "Emulation.clearGeolocationOverride",
        };
        self.for_all_pages(context, "geolocation".into(), method, params)
            .await;
    }

    /// Grants permissions, in the protocol's words, to one origin.
    ///
    /// # Errors
    /// A name that the browser does not know, or as any command.
    pub async fn grant_permissions_to(
        &self,
        context: Option<&ContextId>,
        permissions: &[String],
        origin: &str,
    ) -> Result<(), CdpError> {
        let params = json!({ "permissions": permissions, "origin": origin });
        self.of_context("Browser.grantPermissions", params, context)
            .await
    }

    /// Takes back all that were granted.
    ///
    /// # Errors
    /// As any command.
    pub async fn reset_permissions(&self, context: Option<&ContextId>) -> Result<(), CdpError> {
        self.of_context("Browser.resetPermissions", json!({}), context)
            .await
    }

    async fn of_context(
        &self,
        method: &str,
        mut params: Value,
        context: Option<&ContextId>,
    ) -> Result<(), CdpError> {
        if let Some(context) = context {
            params["browserContextId"] = context.as_ref().into();
        }
        self.connection()
            .call_raw(None, method, &params, Deadline::after(COMMAND))
            .await
            .map(drop)
    }
}
