//! Typing, filling, pressing keys.

use playguard_cdp::action;
use playguard_cdp::page::FieldState;
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
        if !submit && self.manners.extras {
            self.check_field(tab, text, slowly, response).await;
        }
        let method = if slowly { "pressSequentially" } else { "fill" };
        response.code(format!("await page.{code}.{method}({});", quote(text)));
        if submit {
            response.code(format!("await page.{code}.press('Enter');"));
        }
        Ok(())
    }

    /// Tells when a field does not hold what was typed into it.
    async fn check_field(&self, tab: &Tab, text: &str, partly: bool, response: &mut Response) {
        let look = tab.page.unless_modal(tab.page.touched_field()).await;
        // A page that has moved on is described by the reply itself.
        let Some(Ok(Some(field))) = look else { return };
        response.title = Some(field.title.clone());
        response.notices.extend(difference(&field, text, partly));
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
                    .await
                    .map(drop),
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

/// What to say about a field that was filled with `text` (`partly`: among other text) and holds
/// something else.
fn difference(field: &FieldState, text: &str, partly: bool) -> Option<String> {
    /// Of a value that is shown, in characters.
    const SHOWN: usize = 200;
    if !field.connected {
        return Some("The page has removed the field, or replaced it, since it was filled.".into());
    }
    let holds = one_line(field.value.as_deref()?);
    let wanted = one_line(text);
    if holds == wanted || (partly && holds.contains(&wanted)) {
        return None;
    }
    if field.secret {
        return Some("The field does not hold what was typed into it.".into());
    }
    let shown: String = holds.chars().take(SHOWN).collect();
    Some(format!(
        "The field now holds {}, not what was typed: the page or the field's own limits changed it.",
        quote(&shown)
    ))
}

/// Text as all fields hold it: lines end alike or not at all, and there is no space around.
fn one_line(text: &str) -> String {
    let parts: Vec<&str> = text.split(['\r', '\n']).collect();
    parts.concat().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(value: &str) -> FieldState {
        FieldState {
            title: String::new(),
            connected: true,
            value: Some(value.to_owned()),
            secret: false,
        }
    }

    #[test]
    fn what_a_field_may_do_to_a_text_is_no_difference() {
        for (holds, typed, partly) in [
            ("abc", "abc", false),
            ("ab", "a\nb", false),
            ("a\nb", "a\r\nb", false),
            ("x@y.z", " x@y.z ", false),
            ("before abc", "abc", true),
        ] {
            assert_eq!(difference(&field(holds), typed, partly), None, "{holds:?}");
        }
        let no_text = FieldState {
            value: None,
            ..field("")
        };
        assert_eq!(difference(&no_text, "abc", false), None);
    }

    #[test]
    fn other_text_is_told_but_no_password() {
        let told = difference(&field("abc"), "abcdef", false).expect("a difference");
        assert!(told.starts_with("The field now holds 'abc', not"), "{told}");
        let secret = FieldState {
            secret: true,
            ..field("hunter2")
        };
        let told = difference(&secret, "hunter3", false).expect("a difference");
        assert!(!told.contains("hunter"), "{told}");
        let gone = FieldState {
            connected: false,
            ..field("abc")
        };
        assert!(difference(&gone, "abc", false).is_some());
    }
}
