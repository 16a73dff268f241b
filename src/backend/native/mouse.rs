//! The mouse at coordinates: the tools of capability `vision`.

use std::time::Duration;

use playguard_cdp::action::mouse;
use playguard_cdp::input::mouse::{Button, Click};
use serde_json::{Map, Value};

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;
use crate::tools::js_code::{number, object_or_nothing};

/// The longest a button is held or a click waits for the next.
const MAX_DELAY: Duration = Duration::from_secs(30);

impl NativeBackend {
    pub(super) async fn mouse_move(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let (x, y) = (coordinate(call, "x"), coordinate(call, "y"));
        response.code(format!("// Move mouse to ({}, {})", number(x), number(y)));
        response.code(format!(
            "await page.mouse.move({}, {});",
            number(x),
            number(y)
        ));
        let moved = mouse::move_to(&tab.page, x, y).await;
        moved.map_err(|error| self.thrown(error))
    }

    pub(super) async fn mouse_click(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let (x, y) = (coordinate(call, "x"), coordinate(call, "y"));
        let mut options = Map::new();
        for key in ["button", "clickCount", "delay"] {
            if let Some(value) = call.arguments.get(key).filter(|value| !value.is_null()) {
                options.insert(key.to_owned(), value.clone());
            }
        }
        let arguments = match options.is_empty() {
            true => String::new(),
            false => format!(", {}", object_or_nothing(&options)),
        };
        response.code(format!(
            "// Click mouse at coordinates ({}, {})",
            number(x),
            number(y)
        ));
        response.code(format!(
            "await page.mouse.click({}, {}{arguments});",
            number(x),
            number(y)
        ));
        let delay = call.number("delay").unwrap_or_default().max(0.0);
        let click = Click {
            button: button(call),
            // Saturates; the mouse limits it further.
            count: call.number("clickCount").unwrap_or(1.0) as u32,
            delay: Duration::try_from_secs_f64(delay / 1000.0)
                .unwrap_or(MAX_DELAY)
                .min(MAX_DELAY),
        };
        let work = async {
            let clicked = mouse::click_at(&tab.page, x, y, click).await;
            clicked.map_err(|error| self.thrown(error))
        };
        self.complete(tab, work).await
    }

    pub(super) async fn mouse_drag(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let from = (coordinate(call, "startX"), coordinate(call, "startY"));
        let to = (coordinate(call, "endX"), coordinate(call, "endY"));
        let shown = |point: (f64, f64)| format!("{}, {}", number(point.0), number(point.1));
        response.code(format!(
            "// Drag mouse from ({}) to ({})",
            shown(from),
            shown(to)
        ));
        response.code(format!("await page.mouse.move({});", shown(from)));
        response.code("await page.mouse.down();");
        response.code(format!("await page.mouse.move({});", shown(to)));
        response.code("await page.mouse.up();");
        let work = async {
            let dragged = mouse::drag(&tab.page, from, to).await;
            dragged.map_err(|error| self.thrown(error))
        };
        self.complete(tab, work).await
    }

    pub(super) async fn mouse_press(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.code("// Press mouse down");
        response.code(format!("await page.mouse.down({});", button_argument(call)));
        let pressed = mouse::press(&tab.page, button(call)).await;
        pressed.map_err(|error| self.thrown(error))
    }

    pub(super) async fn mouse_release(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.code("// Press mouse up");
        response.code(format!("await page.mouse.up({});", button_argument(call)));
        let released = mouse::release(&tab.page, button(call)).await;
        released.map_err(|error| self.thrown(error))
    }

    pub(super) async fn mouse_wheel(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        let (dx, dy) = (coordinate(call, "deltaX"), coordinate(call, "deltaY"));
        response.code("// Scroll mouse wheel");
        response.code(format!(
            "await page.mouse.wheel({}, {});",
            number(dx),
            number(dy)
        ));
        let turned = mouse::wheel(&tab.page, dx, dy).await;
        turned.map_err(|error| self.thrown(error))
    }
}

fn coordinate(call: &ToolCall, key: &str) -> f64 {
    call.number(key).unwrap_or_default()
}

fn button(call: &ToolCall) -> Button {
    call.string("button")
        .and_then(Button::parse)
        .unwrap_or_default()
}

fn button_argument(call: &ToolCall) -> String {
    let mut options = Map::new();
    if let Some(button) = call.string("button") {
        options.insert("button".to_owned(), Value::from(button));
    }
    object_or_nothing(&options)
}
