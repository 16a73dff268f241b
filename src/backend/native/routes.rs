//! The network as the page sees it: mocked answers, changed requests, being offline.

use playguard_cdp::context::{Route, Treatment, UrlGlob};
use serde_json::{Map, Value};

use super::NativeBackend;
use super::response::{Response, Thrown};
use crate::call::ToolCall;
use crate::tools::js_code::quote;

/// Of a body in the list of routes, in characters.
const SHOWN_BODY: usize = 50;

impl NativeBackend {
    pub(super) async fn set_network_state(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let offline = call.string("state") == Some("offline");
        let shared = self.shared().await?;
        self.host.browser().set_offline(&shared, offline).await;
        let state = if offline { "offline" } else { "online" };
        response.result(format!("Network is now {state}"));
        response.code(format!("await page.context().setOffline({offline});"));
        Ok(())
    }

    pub(super) async fn route(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let pattern = call.string("pattern").unwrap_or_default();
        let mut treatment = Treatment {
            body: call.string("body").map(str::to_owned),
            content_type: call.text("contentType").map(str::to_owned),
            ..Treatment::default()
        };
        if let Some(status) = call.number("status") {
            let whole = (100.0..600.0).contains(&status) && status.fract() == 0.0;
            if !whole {
                response.error(format!("Invalid status {status}: expected 100 to 599"));
                return Ok(());
            }
            // In range by the check above.
            treatment.status = Some(status as u16);
        }
        for header in call.strings("headers").unwrap_or_default() {
            match header.split_once(':').filter(|(name, _)| !name.is_empty()) {
                Some((name, value)) => treatment
                    .add_headers
                    .push((name.trim().to_owned(), value.trim().to_owned())),
                None => {
                    response.error(format!(
                        "Invalid header \"{header}\": expected \"Name: Value\""
                    ));
                    return Ok(());
                }
            }
        }
        treatment.remove_headers = call
            .text("removeHeaders")
            .map(|names| names.split(',').map(|name| name.trim().to_owned()))
            .into_iter()
            .flatten()
            .filter(|name| !name.is_empty())
            .collect();
        // Upstream leaves the headers of a mocked answer out.
        treatment.answer_with_headers = self.manners.extras;
        let route = Route {
            pattern: UrlGlob::parse(pattern).map_err(Thrown::error)?,
            treatment,
        };
        let shared = self.shared().await?;
        self.host
            .browser()
            .change_rules(&shared, |rules| rules.routes.push(route))
            .await;
        response.result(format!("Route added for pattern: {pattern}"));
        response.code(format!(
            "await page.context().route({}, async route => {{ /* route handler */ }});",
            quote(pattern)
        ));
        Ok(())
    }

    pub(super) async fn route_list(&self, response: &mut Response) -> Result<(), Thrown> {
        let rules = self.shared().await?.rules();
        let lines: Vec<String> = (1..)
            .zip(&rules.routes)
            .map(|(number, route)| format!("{number}. {}", described(route)))
            .collect();
        response.result(if lines.is_empty() {
            "No active routes".to_owned()
        } else {
            lines.join("\n")
        });
        Ok(())
    }

    pub(super) async fn unroute(
        &self,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let pattern = call.text("pattern");
        let shared = self.shared().await?;
        let removed = self
            .host
            .browser()
            .change_rules(&shared, |rules| {
                let before = rules.routes.len();
                rules.routes.retain(|route| {
                    pattern.is_some_and(|pattern| route.pattern.as_str() != pattern)
                });
                before - rules.routes.len()
            })
            .await;
        response.result(match pattern {
            Some(pattern) => format!("Removed {removed} route(s) for pattern: {pattern}"),
            None => format!("Removed all {removed} route(s)"),
        });
        Ok(())
    }
}

fn described(route: &Route) -> String {
    let treatment = &route.treatment;
    let mut details = Vec::new();
    if let Some(status) = treatment.status {
        details.push(format!("status={status}"));
    }
    if let Some(body) = &treatment.body {
        let cut = body.char_indices().nth(SHOWN_BODY);
        details.push(match cut {
            Some((end, _)) => format!("body={}...", &body[..end]),
            None => format!("body={body}"),
        });
    }
    if let Some(kind) = &treatment.content_type {
        details.push(format!("contentType={kind}"));
    }
    if !treatment.add_headers.is_empty() {
        let headers: Map<String, Value> = treatment
            .add_headers
            .iter()
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
            .collect();
        details.push(format!("addHeaders={}", Value::Object(headers)));
    }
    if !treatment.remove_headers.is_empty() {
        details.push(format!(
            "removeHeaders={}",
            treatment.remove_headers.join(",")
        ));
    }
    match details.is_empty() {
        true => route.pattern.as_str().to_owned(),
        false => format!("{} ({})", route.pattern.as_str(), details.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_described_with_what_they_do() {
        let route = |treatment| Route {
            pattern: UrlGlob::parse("**/x").expect("a pattern"),
            treatment,
        };
        assert_eq!(described(&route(Treatment::default())), "**/x");
        let treatment = Treatment {
            status: Some(404),
            body: Some("é".repeat(51)),
            content_type: Some("text/plain".into()),
            add_headers: vec![("A".into(), "1".into())],
            remove_headers: vec!["b".into(), "c".into()],
            answer_with_headers: false,
        };
        assert_eq!(
            described(&route(treatment)),
            format!(
                "**/x (status=404, body={}..., contentType=text/plain, addHeaders={{\"A\":\"1\"}}, removeHeaders=b,c)",
                "é".repeat(50)
            )
        );
    }
}
