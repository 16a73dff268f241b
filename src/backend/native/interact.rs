//! Pointer tools: click, hover, drag, drop; and choosing options.

use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use base64::Engine as _;
use playguard_cdp::action::{self, DropData, DropFile, Glance};
use playguard_cdp::input::keyboard::Modifiers;
use playguard_cdp::input::mouse::{Button, Click};
use playguard_cdp::input::shortcut::Platform;
use playguard_cdp::page::Target;
use serde_json::{Map, Value, json};

use super::NativeBackend;
use super::manners::Settle;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::reply::files::read_file;
use crate::tools::js_code::{object, object_or_nothing, quote};

/// The largest file that is handed to a page inside a script, in bytes.
const MAX_DROP: u64 = 64 << 20;

/// A target and the code that names it.
pub(super) struct Aimed {
    pub(super) target: Target,
    pub(super) code: String,
}

impl NativeBackend {
    /// Understands a target argument and makes sure that it names something.
    pub(super) async fn target(&self, tab: &Tab, text: &str) -> Result<Target, Thrown> {
        let target = tab.page.target(text).map_err(|error| self.thrown(error))?;
        // A selector is only checked for existence here; whether it is unique, its action finds out.
        let checked = tab.page.check_target(&target, self.action_deadline()).await;
        checked.map_err(|error| self.thrown(error))?;
        Ok(target)
    }

    /// The code that names a target.
    async fn code_for(&self, tab: &Tab, target: &Target) -> Result<String, Thrown> {
        tab.page
            .locator_code(target, self.action_deadline())
            .await
            .map_err(|error| self.thrown(error))
    }

    /// A target with the code that names it.
    pub(super) async fn aim(&self, tab: &Tab, text: &str) -> Result<Aimed, Thrown> {
        let target = self.target(tab, text).await?;
        let code = self.code_for(tab, &target).await?;
        Ok(Aimed { target, code })
    }

    /// The same for an argument that the schema requires.
    pub(super) async fn aim_at(
        &self,
        tab: &Tab,
        call: &ToolCall,
        key: &str,
    ) -> Result<Aimed, Thrown> {
        self.aim(tab, call.string(key).unwrap_or_default()).await
    }

    /// A glance for an action on `target`, where the code that names it may be found out meanwhile:
    /// upstream finds it first, which counts if the focus alone makes the page change.
    pub(super) fn glance(&self, tab: &Tab, target: &Target) -> Option<Glance> {
        let lenient = matches!(self.manners.settle, Settle::Adaptive(_));
        (lenient && tab.page.is_in_main_frame(target)).then(Glance::default)
    }

    /// Runs an action, and meanwhile finds the code that names its target as the page is before it.
    pub(super) async fn coded<T>(
        &self,
        tab: &Tab,
        target: &Target,
        glance: Option<&Glance>,
        action: impl Future<Output = Result<T, Thrown>>,
    ) -> Result<(String, T), Thrown> {
        if let Some(glance) = glance {
            let done = action.await?;
            let code = glance.code(&tab.page, target, self.action_deadline());
            return Ok((code.await, done));
        }
        if !tab.page.is_in_main_frame(target) {
            // Several documents are looked at, and the action may replace them.
            let code = self.code_for(tab, target).await?;
            return Ok((code, action.await?));
        }
        // The look is asked for first, and a page answers in order.
        let (code, done) = futures_util::future::join(self.code_for(tab, target), action).await;
        let done = done?;
        Ok((code?, done))
    }

    pub(super) async fn click(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let target = self
            .target(tab, call.string("target").unwrap_or_default())
            .await?;
        let double = call.flag("doubleClick").unwrap_or(false);
        let button = call.string("button");
        let modifiers = call.strings("modifiers").unwrap_or_default();
        let mut options = Map::new();
        if let Some(button) = button.filter(|button| *button != "left") {
            options.insert("button".into(), button.into());
        }
        let printed = printed_modifiers(&modifiers);
        if !printed.is_empty() {
            options.insert("modifiers".into(), printed.into());
        }
        let method = if double { "dblclick" } else { "click" };
        let arguments = object_or_nothing(&options);
        let how = Click {
            button: button.and_then(Button::parse).unwrap_or_default(),
            count: if double { 2 } else { 1 },
            ..Click::default()
        };
        let held = modifiers
            .iter()
            .filter_map(|name| Modifiers::parse(name, Platform::host()))
            .fold(Modifiers::NONE, Modifiers::with);
        let glance = self.glance(tab, &target);
        let manner = self.manner(glance.as_ref());
        let work = async {
            action::click(&tab.page, &target, how, held, manner)
                .await
                .map_err(|error| self.thrown(error))
        };
        let work = self.complete_watched(tab, work);
        let (code, early) = self.coded(tab, &target, glance.as_ref(), work).await?;
        response.early = early;
        response.code(format!("await page.{code}.{method}({arguments});"));
        Ok(())
    }

    pub(super) async fn hover(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let target = self
            .target(tab, call.string("target").unwrap_or_default())
            .await?;
        let glance = self.glance(tab, &target);
        let manner = self.manner(glance.as_ref());
        let hover = async {
            action::hover(&tab.page, &target, manner)
                .await
                .map_err(|error| self.thrown(error))
        };
        let (code, _) = self.coded(tab, &target, glance.as_ref(), hover).await?;
        response.code(format!("await page.{code}.hover();"));
        Ok(())
    }

    pub(super) async fn drag(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let from = self.aim_at(tab, call, "startTarget").await?;
        let to = self.aim_at(tab, call, "endTarget").await?;
        let work = async {
            action::drag(
                &tab.page,
                &from.target,
                &to.target,
                self.manner_without_rest(None),
            )
            .await
            .map_err(|error| self.thrown(error))
        };
        self.complete(tab, work).await?;
        response.code(format!(
            "await page.{}.dragTo(page.{});",
            from.code, to.code
        ));
        Ok(())
    }

    pub(super) async fn drop_on(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let paths = call.strings("paths");
        let data = call.arguments.get("data").and_then(Value::as_object);
        if paths.is_none() && data.is_none() {
            return Err(Thrown::error(
                "At least one of \"paths\" or \"data\" must be provided.",
            ));
        }
        let mut absolute = Vec::new();
        let mut files = Vec::new();
        for path in paths.unwrap_or_default() {
            let path = self.files.rules.named(path).map_err(Thrown::error)?;
            files.push(read_for_drop(&path).await?);
            absolute.push(path.to_string_lossy().into_owned());
        }
        let Aimed { target, code } = self.aim_at(tab, call, "target").await?;
        let what = DropData {
            files,
            data: data
                .into_iter()
                .flatten()
                .filter_map(|(kind, text)| Some((kind.clone(), text.as_str()?.to_owned())))
                .collect(),
        };
        let mut printed = Map::new();
        match absolute.as_slice() {
            [] => {}
            [only] => drop(printed.insert("files".into(), json!(only))),
            several => drop(printed.insert("files".into(), json!(several))),
        }
        if let Some(data) = data {
            printed.insert("data".into(), Value::Object(data.clone()));
        }
        let work = async {
            action::drop(&tab.page, &target, &what, self.manner_without_rest(None))
                .await
                .map_err(|error| self.thrown(error))
        };
        self.complete(tab, work).await?;
        response.code(format!("await page.{code}.drop({});", object(&printed)));
        Ok(())
    }

    pub(super) async fn select_option(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let target = self
            .target(tab, call.string("target").unwrap_or_default())
            .await?;
        let values: Vec<String> = call
            .strings("values")
            .unwrap_or_default()
            .iter()
            .map(|v| (*v).to_owned())
            .collect();
        let select = async {
            action::select_options(&tab.page, &target, &values, false, self.manner(None))
                .await
                .map_err(|error| self.thrown(error))
        };
        let (code, kept) = self.coded(tab, &target, None, select).await?;
        if !kept && self.manners.extras {
            response.notices.push(
                "The page has changed the selection again: look at what is selected now.".into(),
            );
        }
        response.code(format!(
            "await page.{code}.selectOption({});",
            quoted_list(&values)
        ));
        Ok(())
    }
}

/// `'a'`, or `['a', 'b']`.
pub(super) fn quoted_list(values: &[String]) -> String {
    match values {
        [only] => quote(only),
        several => format!(
            "[{}]",
            several
                .iter()
                .map(|value| quote(value))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// The modifiers as code names them: the platform's main one has one name for all of its spellings.
fn printed_modifiers(modifiers: &[&str]) -> Vec<Value> {
    let main = modifiers
        .iter()
        .any(|name| matches!(*name, "Control" | "ControlOrMeta" | "Meta"));
    [
        ("Alt", modifiers.contains(&"Alt")),
        ("ControlOrMeta", main),
        ("Shift", modifiers.contains(&"Shift")),
    ]
    .into_iter()
    .filter(|(_, held)| *held)
    .map(|(name, _)| json!(name))
    .collect()
}

async fn read_for_drop(path: &Path) -> Result<DropFile, Thrown> {
    let read = read_file(path.to_owned(), MAX_DROP).await;
    let (bytes, modified) = read.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Thrown::error(format!(
            "ENOENT: no such file or directory, stat '{}'",
            path.display()
        )),
        ErrorKind::FileTooLarge => Thrown::error(format!(
            "{}: {error} for a drop. Use browser_file_upload for larger files.",
            path.display()
        )),
        _ => Thrown::error(format!("{}: {error}", path.display())),
    })?;
    let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(DropFile {
        name: path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        mime: mime_guess::from_path(path)
            .first_or_octet_stream()
            .essence_str()
            .to_owned(),
        modified: u64::try_from(modified.as_millis()).unwrap_or(u64::MAX),
        base64: base64::engine::general_purpose::STANDARD.encode(bytes),
    })
}
