//! Cookies.

use playguard_cdp::context::{Cookie, NewCookie};
use serde_json::{Map, Value};
use url::Url;

use super::NativeBackend;
use super::response::{Response, Thrown};
use crate::call::ToolCall;
use crate::tools::js_code::quote;

const READ: &str = "await page.context().cookies();";

impl NativeBackend {
    pub(super) async fn cookie_list(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let (domain, path) = (call.text("domain"), call.text("path"));
        let wanted = |cookie: &Cookie| {
            domain.is_none_or(|domain| cookie.domain.contains(domain))
                && path.is_none_or(|path| cookie.path.starts_with(path))
        };
        let lines: Vec<String> = self
            .all_cookies()
            .await?
            .into_iter()
            .filter(wanted)
            .map(|c| {
                format!(
                    "{}={} (domain: {}, path: {})",
                    c.name, c.value, c.domain, c.path
                )
            })
            .collect();
        response.result(if lines.is_empty() {
            "No cookies found".to_owned()
        } else {
            lines.join("\n")
        });
        response.code(READ);
        Ok(())
    }

    pub(super) async fn cookie_get(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let name = call.string("name").unwrap_or_default();
        let cookies = self.all_cookies().await?;
        let found = cookies.into_iter().find(|cookie| cookie.name == name);
        response.result(match found {
            None => format!("Cookie '{name}' not found"),
            Some(c) => format!(
                "{}={} (domain: {}, path: {}, httpOnly: {}, secure: {}, sameSite: {})",
                c.name,
                c.value,
                c.domain,
                c.path,
                c.http_only,
                c.secure,
                c.same_site.as_deref().unwrap_or("Lax")
            ),
        });
        response.code(READ);
        Ok(())
    }

    pub(super) async fn cookie_set(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let text = |key: &str| call.text(key).map(str::to_owned);
        let domain = match text("domain") {
            Some(domain) => domain,
            None => self.current_host().await?,
        };
        if domain.is_empty() {
            return Err(Thrown::error(format!(
                "{}Cookie should have a url or a domain/path pair",
                self.manners.operation_prefix
            )));
        }
        let cookie = NewCookie {
            name: text("name").unwrap_or_default(),
            value: call.string("value").unwrap_or_default().to_owned(),
            domain,
            path: text("path").unwrap_or_else(|| "/".to_owned()),
            expires: call.number("expires").filter(|expires| *expires >= 0.0),
            http_only: call.flag("httpOnly"),
            secure: call.flag("secure"),
            same_site: text("sameSite"),
        };
        let mut printed = Map::new();
        for key in [
            "name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite",
        ] {
            let value = match key {
                "domain" => Some(Value::from(cookie.domain.as_str())),
                "path" => Some(Value::from(cookie.path.as_str())),
                _ => call.arguments.get(key).cloned(),
            };
            if let Some(value) = value {
                printed.insert(key.to_owned(), value);
            }
        }
        let set = self.cookie_jar().set(&[cookie]).await;
        set.map_err(|error| self.thrown(error))?;
        response.code(format!(
            "await page.context().addCookies([{}]);",
            Value::Object(printed)
        ));
        Ok(())
    }

    pub(super) async fn cookie_delete(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let name = call.string("name").unwrap_or_default();
        let removed = self.cookie_jar().remove(|cookie| cookie.name == name).await;
        removed.map_err(|error| self.thrown(error))?;
        response.code(format!(
            "await page.context().clearCookies({{ name: {} }});",
            quote(name)
        ));
        Ok(())
    }

    pub(super) async fn cookie_clear(&self, response: &mut Response) -> Result<(), Thrown> {
        let cleared = self.cookie_jar().clear().await;
        cleared.map_err(|error| self.thrown(error))?;
        response.code("await page.context().clearCookies();");
        Ok(())
    }

    pub(super) async fn all_cookies(&self) -> Result<Vec<Cookie>, Thrown> {
        let cookies = self.cookie_jar().all().await;
        cookies.map_err(|error| self.thrown(error))
    }

    pub(super) fn cookie_jar(&self) -> playguard_cdp::context::CookieJar<'_> {
        self.host.browser().cookies(self.context.as_ref())
    }

    async fn current_host(&self) -> Result<String, Thrown> {
        let tab = self.ensure_tab().await?;
        let url = tab.url();
        let host = Url::parse(&url).ok();
        let host = host.as_ref().and_then(Url::host_str);
        Ok(host.unwrap_or_default().to_owned())
    }
}
