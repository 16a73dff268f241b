//! Requests about elements, keys and the mouse.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::operation::{Function, InputFile};

/// What can be done with the elements of a selector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LocatorAction {
    Click,
    Dblclick,
    Hover,
    Tap,
    Fill {
        text: String,
    },
    Clear,
    /// One key event pair per character.
    PressSequentially {
        text: String,
    },
    Press {
        key: String,
    },
    Check,
    Uncheck,
    /// Answer: the list of selected values.
    SelectOption {
        values: Vec<OptionChoice>,
    },
    SelectText,
    SetInputFiles {
        files: Vec<InputFile>,
    },
    Focus,
    Blur,
    /// `target` is a selector in the same page.
    DragTo {
        target: String,
    },
    ScrollIntoViewIfNeeded,
    /// `init` is a JavaScript expression without side effects.
    DispatchEvent {
        kind: String,
        init: Option<String>,
    },
    /// Answer: `{"x", "y", "width", "height"}`, or `null` when not shown.
    BoundingBox,
    /// Answer: text or `null`.
    TextContent,
    /// Answer: text.
    InnerText,
    /// Answer: text.
    InnerHTML,
    /// Answer: text.
    InputValue,
    /// Answer: text or `null`.
    GetAttribute {
        name: String,
    },
    /// Answer: a boolean, at once; false when nothing matches.
    IsVisible,
    /// Answer: a boolean, at once; true when nothing matches.
    IsHidden,
    /// Answer: a boolean.
    IsEnabled,
    /// Answer: a boolean.
    IsDisabled,
    /// Answer: a boolean.
    IsChecked,
    /// Answer: a boolean.
    IsEditable,
    /// Answer: how many elements match now. Never waits.
    Count,
    /// Answer: a list of texts (`null` as ""), of all that match now.
    AllTextContents,
    /// Answer: a list of texts, of all that match now.
    AllInnerTexts,
    /// Waits for a state.
    WaitFor {
        state: ElementState,
    },
    /// Answer: `{"base64": …}`. Options are those of Playwright's `locator.screenshot`.
    Screenshot {
        screenshot: Map<String, Value>,
    },
    /// The function's first argument is the element. Answer: `{"value": …}`, `{}` for `undefined`.
    Evaluate {
        function: Function,
    },
    /// The function's first argument is the list of all elements that match now. Answer: as above.
    EvaluateAll {
        function: Function,
    },
    /// Answer: the snapshot's text.
    AriaSnapshot,
    Highlight,
}

/// A state to wait for: `attached`, `detached`, `visible` or `hidden`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementState {
    Attached,
    Detached,
    Visible,
    Hidden,
}

/// Which `<option>`: all given fields must fit. A plain text fits the value or the label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OptionChoice {
    pub value_or_label: Option<String>,
    pub value: Option<String>,
    pub label: Option<String>,
    pub index: Option<u64>,
}

/// Options that actions on elements share; each action uses those that Playwright gives it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActionOptions {
    /// Milliseconds; 0 is none.
    pub timeout: Option<f64>,
    pub force: bool,
    pub trial: bool,
    /// Whether more than one match is an error; absent: yes for locators, no for `page.click(…)`.
    pub strict: Option<bool>,
    /// Relative to the element's padding box.
    pub position: Option<Point>,
    pub source_position: Option<Point>,
    pub target_position: Option<Point>,
    pub button: Option<MouseButton>,
    pub click_count: Option<u32>,
    /// Milliseconds between press and release, or between keys.
    pub delay: Option<f64>,
    pub steps: Option<u32>,
    /// `Alt`, `Control`, `ControlOrMeta`, `Meta`, `Shift`
    pub modifiers: Option<Vec<String>>,
}

/// CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    Left,
    Middle,
    Right,
}

/// `page.keyboard`. Delays in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum KeyboardAction {
    Press { key: String, delay: Option<f64> },
    Type { text: String, delay: Option<f64> },
    InsertText { text: String },
    Down { key: String },
    Up { key: String },
}

/// `page.mouse`. Coordinates in CSS pixels of the viewport.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MouseAction {
    Move {
        x: f64,
        y: f64,
        steps: Option<u32>,
    },
    /// `click_count` 2 is a double click.
    Click {
        x: f64,
        y: f64,
        button: Option<MouseButton>,
        click_count: Option<u32>,
        delay: Option<f64>,
    },
    Down {
        button: Option<MouseButton>,
        click_count: Option<u32>,
    },
    Up {
        button: Option<MouseButton>,
        click_count: Option<u32>,
    },
    Wheel {
        delta_x: f64,
        delta_y: f64,
    },
}
