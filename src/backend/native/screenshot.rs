//! Pictures of the page.

use std::time::SystemTime;

use playguard_cdp::action;
use playguard_cdp::capture::image_size::{ImageFormat, check};
use playguard_cdp::capture::screenshot::{Area, Limits, Scale, plan};
use playguard_cdp::connection::Deadline;
use playguard_cdp::page::{Element, Page};
use serde_json::{Map, Value, json};

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::{ImagePart, ToolCall};
use crate::tools::js_code::object;

impl NativeBackend {
    pub(super) async fn take_screenshot(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let full_page = call.flag("fullPage");
        let target = call.text("target");
        if full_page == Some(true) && target.is_some() {
            return Err(Thrown::error(
                "fullPage cannot be used with element screenshots.",
            ));
        }
        let name = call.text("filename");
        let kind = call.string("type").or_else(|| {
            name.and_then(ImageFormat::from_file_name)
                .map(ImageFormat::name)
        });
        let format = kind
            .and_then(ImageFormat::parse)
            .unwrap_or(ImageFormat::Png);
        let path = match name {
            Some(name) => self.files.rules.named(name).map_err(Thrown::error)?,
            None => {
                let prefix = if target.is_some() { "element" } else { "page" };
                self.files
                    .rules
                    .automatic(prefix, format.name(), SystemTime::now())
            }
        };
        let scale = match call.string("scale") {
            Some("device") => Scale::Device,
            _ => Scale::Css,
        };
        let deadline = self.picture_deadline();
        let page = &tab.page;
        let (element, code) = match target {
            Some(text) => {
                let aimed = self.aim(tab, text).await?;
                let element = action::wait_visible(page, &aimed.target, deadline)
                    .await
                    .map_err(|error| self.thrown(error))?;
                (Some(element), format!(".{}", aimed.code))
            }
            None => (None, String::new()),
        };
        let label = match (target, full_page) {
            (Some(_), _) => call.text("element").unwrap_or("element"),
            (None, Some(true)) => "full page",
            (None, _) => "viewport",
        };
        let link = self.files.rules.link_path(&path);
        let mut options = Map::new();
        if let Some(full_page) = full_page {
            options.insert("fullPage".into(), full_page.into());
        }
        options.insert("path".into(), link.clone().into());
        if format == ImageFormat::Jpeg {
            options.insert("quality".into(), json!(90));
        }
        options.insert(
            "scale".into(),
            Value::from(if scale == Scale::Device {
                "device"
            } else {
                "css"
            }),
        );
        options.insert("type".into(), format.name().into());
        response.code(format!("// Screenshot {label} and save it as {link}"));
        response.code(format!(
            "await page{code}.screenshot({});",
            object(&options)
        ));

        let wanted = Wanted {
            element: element.as_ref(),
            full: full_page == Some(true),
            format,
            scale,
        };
        let inline = name.is_none();
        if self.manners.extras && self.tabs().len() > 1 {
            // What lies behind other tabs is not painted, and its picture would not come.
            page.bring_to_front()
                .await
                .map_err(|error| self.thrown(error))?;
        }
        let (bytes, note) = self
            .shoot(page, wanted, Limits::file(format), deadline)
            .await?;
        self.write_bytes(&path, bytes.clone()).await?;
        response.result(
            self.files
                .rules
                .link(&format!("Screenshot of {label}"), &path),
        );
        if inline {
            // What goes into the reply must be a size that models take; the file keeps all of it.
            let limits = Limits::INLINE.and(Limits::file(format));
            let size = check(&bytes, format).map_err(Thrown::error)?;
            let fits = size.width <= limits.side && size.height <= limits.side;
            let (bytes, note) = if fits {
                (bytes, note)
            } else {
                self.shoot(page, wanted, limits, deadline).await?
            };
            response.images.push(ImagePart {
                mime: format.mime_type().to_owned(),
                bytes,
            });
            response
                .notices
                .extend(note.filter(|_| self.manners.extras));
        } else {
            response
                .notices
                .extend(note.filter(|_| self.manners.extras));
        }
        Ok(())
    }

    /// Takes the picture within limits; says so if it had to be made smaller.
    pub(super) async fn shoot(
        &self,
        page: &Page,
        wanted: Wanted<'_>,
        limits: Limits,
        deadline: Deadline,
    ) -> Result<(Vec<u8>, Option<String>), Thrown> {
        let bounds = match wanted.element {
            Some(element) => Some(
                page.element_box(element, deadline)
                    .await
                    .map_err(|error| self.thrown(error))?,
            ),
            None => None,
        };
        let extent = page
            .extent(deadline)
            .await
            .map_err(|error| self.thrown(error))?;
        let viewport = (extent.width, extent.height);
        let area = match bounds {
            Some(bounds) => Area::element(bounds, extent.visual(), viewport).map_err(|error| {
                Thrown::error(format!("{}{error}", self.manners.operation_prefix))
            })?,
            None if wanted.full => {
                Area::full_page((extent.full_width, extent.full_height), viewport)
            }
            None => Area::viewport(extent.visual(), extent.width, extent.height),
        };
        let plan =
            plan(area, wanted.format, wanted.scale, extent.ratio, limits).map_err(Thrown::error)?;
        let bytes = page
            .without_caret(page.picture(&plan.params, deadline))
            .await
            .map_err(|error| self.thrown(error))?;
        check(&bytes, wanted.format).map_err(Thrown::error)?;
        Ok((bytes, plan.note()))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) element: Option<&'a Element>,
    pub(super) full: bool,
    pub(super) format: ImageFormat,
    pub(super) scale: Scale,
}
