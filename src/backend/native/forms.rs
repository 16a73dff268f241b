//! Typing, filling, pressing keys.

use playguard_cdp::action;
use serde_json::Value;

use super::NativeBackend;
use super::interact::Aimed;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::tools::js_code::quote;

impl NativeBackend {
    pub(super) async fn type_text(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let target = self
            .target(tab, call.string("target").unwrap_or_default())
            .await?;
        let text = call.string("text").unwrap_or_default();
        let submit = call.flag("submit").unwrap_or(false);
        let slowly = call.flag("slowly").unwrap_or(false);
        let page = &tab.page;
        let glance = self.glance(tab, &target);
        let manner = self.manner_without_rest(glance.as_ref());
        let work = async {
            let typed = match slowly {
                true => action::type_into(page, &target, text, manner).await,
                false => action::fill(page, &target, text, manner).await,
            };
            typed.map_err(|error| self.thrown(error))?;
            if submit {
                action::press_on(page, &target, "Enter", manner)
                    .await
                    .map_err(|error| self.thrown(error))?;
            }
            Ok(())
        };
        let shown = slowly || submit;
        let (code, ()) = match shown {
            true => {
                self.coded(tab, &target, glance.as_ref(), self.complete(tab, work))
                    .await?
            }
            false => self.coded(tab, &target, glance.as_ref(), work).await?,
        };
        if shown {
            response.show_page();
        }
        let method = if slowly { "pressSequentially" } else { "fill" };
        response.code(format!("await page.{code}.{method}({});", quote(text)));
        if submit {
            response.code(format!("await page.{code}.press('Enter');"));
        }
        Ok(())
    }

    pub(super) async fn fill_form(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let fields = call
            .arguments
            .get("fields")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let page = &tab.page;
        for field in &fields {
            let text = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
            let Aimed { target, code } = self.aim(tab, text("target")).await?;
            let value = text("value");
            let manner = self.manner_without_rest(None);
            let (line, done) = match text("type") {
                "checkbox" | "radio" => {
                    let checked = value == "true";
                    let method = if checked { "check" } else { "uncheck" };
                    (
                        format!("{method}()"),
                        action::set_checked(page, &target, checked, manner).await,
                    )
                }
                "combobox" => (
                    format!("selectOption({})", quote(value)),
                    action::select_options(
                        page,
                        &target,
                        &[value.to_owned()],
                        true,
                        self.manner(None),
                    )
                    .await,
                ),
                _ => (
                    format!("fill({})", quote(value)),
                    action::fill(page, &target, value, manner).await,
                ),
            };
            done.map_err(|error| self.thrown(error))?;
            response.code(format!("await page.{code}.{line};"));
        }
        Ok(())
    }

    pub(super) async fn press_key(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let key = call.string("key").unwrap_or_default();
        response.code(format!("// Press {key}"));
        response.code(format!("await page.keyboard.press({});", quote(key)));
        let press = async {
            action::press(&tab.page, key)
                .await
                .map_err(|error| self.thrown(error))
        };
        if key == "Enter" {
            response.show_page();
            self.complete(tab, press).await
        } else {
            press.await
        }
    }
}
