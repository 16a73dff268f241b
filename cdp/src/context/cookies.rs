//! Cookies of a context.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::browser::ContextId;
use crate::connection::{CdpError, Connection, Deadline};

/// A cookie as the protocol's `Storage` domain has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Host, with a leading dot if subdomains get it too.
    pub domain: String,
    /// Path it is sent below.
    pub path: String,
    /// When it ends, in seconds since 1970; −1 with the session.
    pub expires: f64,
    /// Scripts do not see it.
    pub http_only: bool,
    /// Sent over secure connections alone.
    pub secure: bool,
    /// `Strict`, `Lax` or `None`, if it says.
    pub same_site: Option<String>,
    /// Of a partitioned cookie, passed back as it came.
    #[serde(default)]
    partition_key: Option<Value>,
}

/// A cookie to be set.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewCookie {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Host, with a leading dot if subdomains are to get it too.
    pub domain: String,
    /// Path it is sent below.
    pub path: String,
    /// When it ends, in seconds since 1970; none ends with the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// Scripts do not see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_only: Option<bool>,
    /// Sent over secure connections alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secure: Option<bool>,
    /// `Strict`, `Lax` or `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
}

/// The cookies of one context.
pub struct CookieJar<'a> {
    connection: &'a Connection,
    /// `None` for the browser's own profile.
    context: Option<&'a ContextId>,
    deadline: Deadline,
}

impl<'a> CookieJar<'a> {
    pub(crate) fn new(
        connection: &'a Connection,
        context: Option<&'a ContextId>,
        deadline: Deadline,
    ) -> Self {
        Self {
            connection,
            context,
            deadline,
        }
    }

    /// All cookies.
    ///
    /// # Errors
    /// As any command.
    pub async fn all(&self) -> Result<Vec<Cookie>, CdpError> {
        #[derive(Deserialize)]
        struct Answer {
            cookies: Vec<Cookie>,
        }
        let answer: Answer = self
            .connection
            .call(
                None,
                "Storage.getCookies",
                &self.params(json!({})),
                self.deadline,
            )
            .await?;
        Ok(answer.cookies)
    }

    /// Sets cookies.
    ///
    /// # Errors
    /// The browser refuses one (a secure name without `secure`, say), or as any command.
    pub async fn set(&self, cookies: &[NewCookie]) -> Result<(), CdpError> {
        self.send("Storage.setCookies", json!({ "cookies": cookies }))
            .await
    }

    /// Removes the cookies that `which` picks, and none else.
    ///
    /// # Errors
    /// As any command.
    pub async fn remove(&self, which: impl Fn(&Cookie) -> bool) -> Result<(), CdpError> {
        let ended: Vec<Value> = self
            .all()
            .await?
            .into_iter()
            .filter(|cookie| which(cookie))
            .map(over)
            .collect();
        if ended.is_empty() {
            return Ok(());
        }
        self.send("Storage.setCookies", json!({ "cookies": ended }))
            .await
    }

    /// Removes all.
    ///
    /// # Errors
    /// As any command.
    pub async fn clear(&self) -> Result<(), CdpError> {
        self.send("Storage.clearCookies", json!({})).await
    }

    async fn send(&self, method: &str, params: Value) -> Result<(), CdpError> {
        self.connection
            .call_raw(None, method, &self.params(params), self.deadline)
            .await
            .map(drop)
    }

    fn params(&self, mut params: Value) -> Value {
        if let Some(context) = self.context {
            params["browserContextId"] = context.as_ref().into();
        }
        params
    }
}

/// The cookie as one that has ended: setting it removes it.
fn over(cookie: Cookie) -> Value {
    let mut params = json!({
        "name": cookie.name,
        "value": "",
        "domain": cookie.domain,
        "path": cookie.path,
        "secure": cookie.secure,
        "httpOnly": cookie.http_only,
        "expires": 1,
    });
    if let Some(same_site) = cookie.same_site {
        params["sameSite"] = same_site.into();
    }
    if let Some(key) = cookie.partition_key {
        params["partitionKey"] = key;
    }
    params
}
