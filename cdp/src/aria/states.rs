//! The marks of a node, from attributes and properties.

use super::roles::{Role, RoleSet};
use super::tree::{Invalid, States, Toggle};
use crate::dom::{Document, NodeId, js_number, js_trim};

/// States of an element with the given role. `indeterminate` is the property that
/// no snapshot carries; focus is the caller's.
pub(crate) fn states_of(
    document: &Document,
    node: NodeId,
    role: Role,
    indeterminate: bool,
) -> States {
    let attr = |name: &str| document.attr(node, name);
    let says_true = |name: &str| attr(name).is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let mut states = States {
        aria_hidden: says_true("aria-hidden"),
        ..States::default()
    };
    if CHECKED.has(role) {
        states.checked = checked(document, node, indeterminate);
    }
    if DISABLED.has(role) {
        states.disabled = document.is_natively_disabled(node) || document.is_aria_disabled(node);
    }
    if EXPANDED.has(role) {
        states.expanded = match document.tag(node) {
            "DETAILS" => document.has_attr(node, "open"),
            _ => attr("aria-expanded") == Some("true"),
        };
    }
    if INVALID.has(role) {
        states.invalid = invalid(attr("aria-invalid"));
    }
    if LEVEL.has(role) {
        states.level = level(document, node);
    }
    if role == Role::Button {
        states.pressed = toggle(attr("aria-pressed"));
    }
    if SELECTED.has(role) {
        states.selected = if document.tag(node) == "OPTION" {
            document.is_option_selected(node)
        } else {
            says_true("aria-selected")
        };
    }
    states
}

fn toggle(value: Option<&str>) -> Option<Toggle> {
    match value {
        Some("true") => Some(Toggle::True),
        Some("mixed") => Some(Toggle::Mixed),
        _ => None,
    }
}

fn checked(document: &Document, node: NodeId, indeterminate: bool) -> Option<Toggle> {
    if document.tag(node) == "INPUT" {
        if indeterminate {
            return Some(Toggle::Mixed);
        }
        if matches!(document.input_type(node), "checkbox" | "radio") {
            return document.is_checked(node).then_some(Toggle::True);
        }
    }
    toggle(document.attr(node, "aria-checked"))
}

fn invalid(value: Option<&str>) -> Option<Invalid> {
    let value = value.filter(|value| !js_trim(value).is_empty())?;
    match value {
        "grammar" => Some(Invalid::Grammar),
        "spelling" => Some(Invalid::Spelling),
        _ if value.eq_ignore_ascii_case("false") => None,
        _ => Some(Invalid::True),
    }
}

fn level(document: &Document, node: NodeId) -> Option<u32> {
    match document.tag(node) {
        "H1" => Some(1),
        "H2" => Some(2),
        "H3" => Some(3),
        "H4" => Some(4),
        "H5" => Some(5),
        "H6" => Some(6),
        _ => {
            let level = js_number(document.attr(node, "aria-level")?)?;
            let whole = level.is_finite() && level.fract() == 0.0 && level >= 1.0;
            // Saturates, which no page will notice.
            whole.then_some(level as u32)
        }
    }
}

const CHECKED: RoleSet = RoleSet::of(&[
    Role::Checkbox,
    Role::Menuitemcheckbox,
    Role::Option,
    Role::Radio,
    Role::Switch,
    Role::Menuitemradio,
    Role::Treeitem,
]);

const DISABLED: RoleSet = RoleSet::of(&[
    Role::Application,
    Role::Button,
    Role::Gridcell,
    Role::Group,
    Role::Link,
    Role::Menuitem,
    Role::Scrollbar,
    Role::Separator,
    Role::Tab,
    Role::Checkbox,
    Role::Columnheader,
    Role::Combobox,
    Role::Grid,
    Role::Listbox,
    Role::Menu,
    Role::Menubar,
    Role::Menuitemcheckbox,
    Role::Menuitemradio,
    Role::Option,
    Role::Radio,
    Role::Radiogroup,
    Role::Row,
    Role::Rowheader,
    Role::Searchbox,
    Role::Slider,
    Role::Spinbutton,
    Role::Switch,
    Role::Tablist,
    Role::Textbox,
    Role::Toolbar,
    Role::Tree,
    Role::Treegrid,
    Role::Treeitem,
]);

const EXPANDED: RoleSet = RoleSet::of(&[
    Role::Application,
    Role::Button,
    Role::Checkbox,
    Role::Combobox,
    Role::Gridcell,
    Role::Link,
    Role::Listbox,
    Role::Menuitem,
    Role::Row,
    Role::Rowheader,
    Role::Tab,
    Role::Treeitem,
    Role::Columnheader,
    Role::Menuitemcheckbox,
    Role::Menuitemradio,
    Role::Switch,
]);

const INVALID: RoleSet = RoleSet::of(&[
    Role::Application,
    Role::Checkbox,
    Role::Columnheader,
    Role::Combobox,
    Role::Gridcell,
    Role::Listbox,
    Role::Radiogroup,
    Role::Rowheader,
    Role::Searchbox,
    Role::Slider,
    Role::Spinbutton,
    Role::Switch,
    Role::Textbox,
    Role::Tree,
]);

const LEVEL: RoleSet = RoleSet::of(&[Role::Heading, Role::Listitem, Role::Row, Role::Treeitem]);

const SELECTED: RoleSet = RoleSet::of(&[
    Role::Gridcell,
    Role::Option,
    Role::Row,
    Role::Tab,
    Role::Rowheader,
    Role::Columnheader,
    Role::Treeitem,
]);
