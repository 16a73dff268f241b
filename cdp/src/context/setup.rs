//! What a browser does for a whole context: for the pages that are there and those to come.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{ContextState, CookieJar, Interceptor, Rules};
use crate::browser::{Browser, ContextId};
use crate::connection::{CdpError, Deadline};

const COMMAND: Duration = Duration::from_secs(30);
/// Scripts for new documents add up; each gets a number.
static SCRIPTS: AtomicU64 = AtomicU64::new(0);

impl Browser {
    /// The cookies of a context; `None` is the browser's own profile.
    pub fn cookies<'a>(&'a self, context: Option<&'a ContextId>) -> CookieJar<'a> {
        CookieJar::new(self.connection(), context, Deadline::after(COMMAND))
    }

    /// Changes what happens to the requests of a context's pages. Holds when it returns, for the pages
    /// that are there and for all to come.
    pub async fn change_rules<T>(
        &self,
        context: &Arc<ContextState>,
        change: impl FnOnce(&mut Rules) -> T,
    ) -> T {
        let result = change(&mut context.lock().rules);
        self.reapply(context).await;
        result
    }

    /// Sends a command to all pages of a context, and to each one to come.
    async fn for_all_pages(
        &self,
        context: &Arc<ContextState>,
        key: String,
        method: &'static str,
        params: serde_json::Value,
    ) {
        context.remember(key, method, params.clone());
        let sessions = self.sessions_of(context, true);
        let sent = sessions.iter().map(|session| {
            let deadline = Deadline::after(COMMAND);
            self.connection()
                .call_raw(Some(session), method, &params, deadline)
        });
        // A session that ends meanwhile needs nothing any more.
        futures_util::future::join_all(sent).await;
    }

    /// Lets somebody decide about the requests of a context's pages, from when this returns.
    pub async fn add_interceptor(
        &self,
        context: &Arc<ContextState>,
        interceptor: Arc<dyn Interceptor>,
    ) {
        context.lock().interceptors.push(interceptor);
        self.reapply(context).await;
    }

    /// Ends that. Requests that are held stay held.
    pub async fn remove_interceptor(
        &self,
        context: &Arc<ContextState>,
        interceptor: &Arc<dyn Interceptor>,
    ) {
        context
            .lock()
            .interceptors
            .retain(|other| !Arc::ptr_eq(other, interceptor));
        self.reapply(context).await;
    }

    /// Takes a context's pages off the network, or back.
    pub async fn set_offline(&self, context: &Arc<ContextState>, offline: bool) {
        context.lock().offline = offline;
        self.reapply(context).await;
    }

    async fn reapply(&self, context: &Arc<ContextState>) {
        let sessions = self.sessions_of(context, false);
        let answers = sessions
            .iter()
            .flat_map(|session| context.reapply(self.connection(), session));
        // A session that ends meanwhile, or knows no such thing, has nothing to hold back.
        futures_util::future::join_all(answers).await;
    }

    /// Grants permissions to all origins of a context (`None`: of the profile), in the words of
    /// `Browser.PermissionType`.
    ///
    /// # Errors
    /// As any command; the browser may not know one of them.
    pub async fn grant_permissions(
        &self,
        context: Option<&ContextId>,
        permissions: &[String],
    ) -> Result<(), CdpError> {
        let mut params = json!({ "permissions": permissions });
        if let Some(context) = context {
            params["browserContextId"] = context.as_ref().into();
        }
        let deadline = Deadline::after(COMMAND);
        let answer =
            self.connection()
                .call_raw(None, "Browser.grantPermissions", &params, deadline);
        answer.await.map(drop)
    }

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
