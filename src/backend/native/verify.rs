//! Checks that become assertions in generated code: the tools of capability `testing`.

use playguard_cdp::locator::{self, Selector};
use playguard_cdp::page::{Control, Found};

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::tools::js_code::quote;

impl NativeBackend {
    pub(super) async fn generate_locator(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let aimed = self.aim_at(tab, call, "target").await?;
        response.result(aimed.code);
        Ok(())
    }

    pub(super) async fn verify_element_visible(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let role = call.string("role").unwrap_or_default();
        let name = call.string("accessibleName").unwrap_or_default();
        let known = !role.is_empty() && role.chars().all(|c| c.is_ascii_alphanumeric());
        let found = match known {
            true => {
                let text = format!("internal:role={role}[name={}i]", json(name));
                self.first_anywhere(tab, &text).await?
            }
            false => None,
        };
        match found {
            None => response.error(format!(
                "Element with role \"{role}\" and accessible name \"{name}\" not found"
            )),
            Some(found) => self.visible(tab, &found, response).await?,
        }
        Ok(())
    }

    pub(super) async fn verify_text_visible(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let text = call.string("text").unwrap_or_default();
        let selector = format!("internal:text={}i >> visible=true", json(text));
        match self.first_anywhere(tab, &selector).await? {
            None => response.error("Text not found"),
            Some(found) => self.visible(tab, &found, response).await?,
        }
        Ok(())
    }

    pub(super) async fn verify_list_visible(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let target = self
            .target(tab, call.string("target").unwrap_or_default())
            .await?;
        let list = tab.page.found(&target, self.action_deadline()).await;
        let list = list.map_err(|error| self.thrown(error))?;
        let mut lines = String::new();
        for item in call.strings("items").unwrap_or_default() {
            let selector = self.selector(&format!("internal:text={}i", json(item)))?;
            let found = tab.page.find_below(&list, &selector);
            let found = found.map_err(|error| self.thrown(error))?;
            let Some(first) = found.first() else {
                response.error(format!("Item \"{item}\" not found"));
                return Ok(());
            };
            lines.push_str("    - listitem: ");
            lines.push_str(&in_template(&json(&first.text_content())));
            lines.push('\n');
        }
        response.code(format!(
            "await expect(page.locator('body')).toMatchAriaSnapshot(`\n  - list:\n{lines}  `);"
        ));
        response.result("Done");
        Ok(())
    }

    pub(super) async fn verify_value(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let aimed = self.aim_at(tab, call, "target").await?;
        let wanted = call.string("value").unwrap_or_default();
        let checkable = matches!(call.string("type"), Some("checkbox" | "radio"));
        let control = tab
            .page
            .control(&aimed.target, checkable, self.action_deadline())
            .await
            .map_err(|error| self.thrown(error))?;
        let (holds, actual, assertion) = match control {
            Control::Value(actual) => {
                let assertion = match wanted {
                    "" => "toBeEmpty()".to_owned(),
                    wanted => format!("toHaveValue({})", quote(wanted)),
                };
                (actual == wanted, actual, assertion)
            }
            Control::Checked(checked) => {
                let assertion = match checked {
                    true => "toBeChecked()",
                    false => "not.toBeChecked()",
                };
                let holds = checked == (wanted == "true");
                (holds, checked.to_string(), assertion.to_owned())
            }
            Control::None(reason) => {
                let prefix = self.manners.operation_prefix;
                return Err(Thrown::error(format!("{prefix}Error: {reason}")));
            }
        };
        if !holds {
            response.error(format!("Expected value \"{wanted}\", but got \"{actual}\""));
            return Ok(());
        }
        response.code(format!("await expect(page.{}).{assertion};", aimed.code));
        response.result("Done");
        Ok(())
    }

    async fn visible(
        &self,
        tab: &Tab,
        found: &Found,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let code = tab.page.generated(found, self.action_deadline()).await;
        let code = code.map_err(|error| self.thrown(error))?;
        response.code(format!("await expect(page.{code}).toBeVisible();"));
        response.result("Done");
        Ok(())
    }

    async fn first_anywhere(&self, tab: &Tab, selector: &str) -> Result<Option<Found>, Thrown> {
        let selector = self.selector(selector)?;
        let found = tab
            .page
            .find_anywhere(&selector, self.action_deadline())
            .await
            .map_err(|error| self.thrown(error))?;
        Ok(found.into_iter().next())
    }

    fn selector(&self, text: &str) -> Result<Selector, Thrown> {
        match locator::parse_target(text) {
            Ok(locator::Target::Selector(selector)) => Ok(selector),
            Ok(locator::Target::Ref(text)) => Err(Thrown::error(format!("no selector: {text}"))),
            Err(error) => Err(Thrown::error(error)),
        }
    }
}

/// As a JSON string, which is how selectors quote.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What a template literal shows as this text.
fn in_template(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('`', "\\`")
        .replace("${", "\\${")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_literals_show_what_was_meant() {
        assert_eq!(in_template("a`b ${c} \\d"), "a\\`b \\${c} \\\\d");
    }
}
