//! What scripts do with the browser context.

use playguard_cdp::connection::Deadline;
use playguard_cdp::context::{Cookie, NewCookie};
use serde_json::{Map, Value, json};
use url::Url;

use super::Host;
use super::fault::fault;
use super::pages::done;
use super::routes::Matcher;
use crate::backend::native::NEW_PAGE;
use crate::backend::native::response::Thrown;
use crate::script::{ContextAction, ScriptFault};

impl Host {
    pub(super) async fn context_action(&self, action: ContextAction) -> Result<Value, ScriptFault> {
        let backend = self.backend()?;
        let browser = backend.host.browser();
        let context = backend.context.as_ref();
        match action {
            ContextAction::NewPage => {
                let page = browser.new_page(context, Deadline::after(NEW_PAGE)).await;
                let page = page.map_err(fault)?;
                Ok(json!(self.facts(&backend, &page)))
            }
            ContextAction::Cookies { urls } => {
                let cookies = backend.cookie_jar().all().await.map_err(fault)?;
                let urls: Vec<Url> = urls.iter().filter_map(|url| Url::parse(url).ok()).collect();
                let fits = |cookie: &Cookie| {
                    urls.is_empty() || urls.iter().any(|url| applies(cookie, url))
                };
                let cookies = cookies.into_iter().filter(fits).map(shown);
                Ok(Value::Array(cookies.collect()))
            }
            ContextAction::AddCookies { cookies } => {
                let cookies: Result<Vec<NewCookie>, _> = cookies.iter().map(read).collect();
                let set = backend.cookie_jar().set(&cookies?).await;
                set.map_err(fault).map(done)
            }
            ContextAction::ClearCookies { name, domain, path } => {
                let jar = backend.cookie_jar();
                if name.is_none() && domain.is_none() && path.is_none() {
                    return jar.clear().await.map_err(fault).map(done);
                }
                let matcher = |pattern| Matcher::new(pattern);
                let name = name.map(matcher).transpose()?;
                let domain = domain.map(matcher).transpose()?;
                let path = path.map(matcher).transpose()?;
                let fits = |matcher: &Option<Matcher>, text: &str| {
                    matcher.as_ref().is_none_or(|matcher| matcher.fits(text))
                };
                let removed = jar
                    .remove(|cookie| {
                        fits(&name, &cookie.name)
                            && fits(&domain, &cookie.domain)
                            && fits(&path, &cookie.path)
                    })
                    .await;
                removed.map_err(fault).map(done)
            }
            ContextAction::GrantPermissions {
                permissions,
                origin,
            } => {
                let names: Result<Vec<String>, ScriptFault> = permissions
                    .iter()
                    .map(|name| {
                        let known = crate::config::protocol_permission(name);
                        known.map(str::to_owned).ok_or_else(|| {
                            ScriptFault::error(format!("Unknown permission: {name}"))
                        })
                    })
                    .collect();
                let names = names?;
                let granted = match origin {
                    Some(origin) => browser.grant_permissions_to(context, &names, &origin).await,
                    None => browser.grant_permissions(context, &names).await,
                };
                granted.map_err(fault).map(done)
            }
            ContextAction::ClearPermissions => {
                let reset = browser.reset_permissions(context).await;
                reset.map_err(fault).map(done)
            }
            ContextAction::SetGeolocation { geolocation } => {
                let shared = backend.shared().await.map_err(plain)?;
                browser.set_geolocation(&shared, geolocation.as_ref()).await;
                Ok(Value::Null)
            }
            ContextAction::SetOffline { offline } => {
                let shared = backend.shared().await.map_err(plain)?;
                browser.set_offline(&shared, offline).await;
                Ok(Value::Null)
            }
            ContextAction::SetExtraHttpHeaders { headers } => {
                let shared = backend.shared().await.map_err(plain)?;
                browser.set_extra_headers(&shared, &headers).await;
                Ok(Value::Null)
            }
            ContextAction::StorageState => {
                let (state, _) = backend.storage_state().await.map_err(plain)?;
                Ok(state)
            }
            ContextAction::AddInitScript { source } => {
                let shared = backend.shared().await.map_err(plain)?;
                browser.add_init_script(&shared, &source).await;
                Ok(Value::Null)
            }
        }
    }
}

pub(super) fn plain(Thrown(text): Thrown) -> ScriptFault {
    ScriptFault::error(text.strip_prefix("Error: ").unwrap_or(&text))
}

fn applies(cookie: &Cookie, url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let domain = cookie.domain.trim_start_matches('.');
    let here =
        host == domain || (cookie.domain.starts_with('.') && host.ends_with(&format!(".{domain}")));
    let local = matches!(host, "localhost" | "127.0.0.1");
    here && url.path().starts_with(&cookie.path)
        && (!cookie.secure || url.scheme() == "https" || local)
}

fn shown(cookie: Cookie) -> Value {
    json!({
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.domain,
        "path": cookie.path,
        "expires": cookie.expires,
        "httpOnly": cookie.http_only,
        "secure": cookie.secure,
        "sameSite": cookie.same_site.as_deref().unwrap_or("Lax"),
    })
}

fn read(cookie: &Map<String, Value>) -> Result<NewCookie, ScriptFault> {
    let text = |key: &str| cookie.get(key).and_then(Value::as_str).map(str::to_owned);
    let url = text("url").and_then(|url| Url::parse(&url).ok());
    let of_url = |part: fn(&Url) -> Option<String>| url.as_ref().and_then(part);
    let domain = text("domain").or_else(|| of_url(|url| url.host_str().map(str::to_owned)));
    let (Some(name), Some(domain)) = (text("name"), domain) else {
        return Err(ScriptFault::error(
            "Cookie should have a url or a domain/path pair",
        ));
    };
    Ok(NewCookie {
        name,
        value: text("value").unwrap_or_default(),
        domain,
        path: text("path").unwrap_or_else(|| "/".to_owned()),
        expires: cookie
            .get("expires")
            .and_then(Value::as_f64)
            .filter(|expires| *expires >= 0.0),
        http_only: cookie.get("httpOnly").and_then(Value::as_bool),
        secure: cookie.get("secure").and_then(Value::as_bool),
        same_site: text("sameSite"),
    })
}
