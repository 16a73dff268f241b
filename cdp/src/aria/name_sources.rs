//! Where names come from besides an element's own content: values of embedded
//! controls, labels, captions, attributes, references.

use std::collections::HashSet;

use super::names::MASK;
use super::naming::{Context, Naming, Purpose, Step};
use super::roles::{Role, RoleSet, role_of};
use crate::dom::{Document, NodeId, js_trim};

impl<'d> Naming<'_, 'd> {
    /// A control inside another element's name counts with its value (step 2C).
    pub(super) fn embedded_control(
        &mut self,
        element: NodeId,
        role: Option<Role>,
        context: Context,
    ) -> Option<Step> {
        let document = self.document;
        let labels_itself =
            || labelled_by(document, element).is_some_and(|list| list.contains(&element));
        let is_input = document.tag(element) == "INPUT";
        match role? {
            Role::Textbox | Role::Searchbox if !labels_itself() => {
                if is_input || document.tag(element) == "TEXTAREA" {
                    let value = self.value(element);
                    return Some(self.supply(element, value));
                }
                if !self.spend_subtree(element) {
                    return Some(self.supply(element, ""));
                }
                let text: String = document.text_pieces(element).collect();
                Some(self.supply(element, &text))
            }
            role @ (Role::Combobox | Role::Listbox) if !labels_itself() => {
                self.visit(element);
                let chosen = if self.spend_subtree(element) {
                    chosen_options(document, element, role)
                } else {
                    Vec::new()
                };
                if chosen.is_empty() && is_input {
                    let value = self.value(element);
                    return Some(self.supply(element, value));
                }
                Some(self.list(Purpose::Options(context.below()), chosen))
            }
            Role::Progressbar | Role::Scrollbar | Role::Slider | Role::Spinbutton | Role::Meter
                if !labels_itself() =>
            {
                let value = ["aria-valuetext", "aria-valuenow", "value"]
                    .into_iter()
                    .find_map(|name| document.attr(element, name));
                Some(self.supply(element, value.unwrap_or("")))
            }
            Role::Menu if !labels_itself() => Some(self.supply(element, "")),
            _ => None,
        }
    }

    fn value(&self, element: NodeId) -> &'d str {
        let value = self.document.form_value(element).unwrap_or("");
        let secret = self.options.mask_passwords
            && !value.is_empty()
            && self.document.tag(element) == "INPUT"
            && self.document.input_type(element) == "password";
        if secret { MASK } else { value }
    }

    /// Names that HTML and SVG give (step 2E). None: go on with the content.
    pub(super) fn native_name(&mut self, element: NodeId, context: Context) -> Option<Step> {
        let document = self.document;
        let attr = |name: &str| document.attr(element, name).unwrap_or("");
        let first_of = |texts: &[&'d str]| -> &'d str {
            texts
                .iter()
                .copied()
                .find(|text| !js_trim(text).is_empty())
                .unwrap_or("")
        };
        let by_author = || is_labelled(document, element);
        let tag = document.tag(element);
        let kind = if tag == "INPUT" {
            document.input_type(element)
        } else {
            ""
        };
        match (tag, kind) {
            ("INPUT", "button" | "submit" | "reset") => {
                let fallback = match kind {
                    "submit" => "Submit",
                    "reset" => "Reset",
                    _ => attr("title"),
                };
                let value = self.value(element);
                Some(self.supply(
                    element,
                    if js_trim(value).is_empty() {
                        fallback
                    } else {
                        value
                    },
                ))
            }
            ("INPUT", "file") => {
                Some(self.labels_or(element, context.labelled_by.is_none(), "Choose File"))
            }
            ("INPUT", "image") => {
                let text = first_of(&[attr("alt"), attr("title"), "Submit"]);
                Some(self.labels_or(element, context.labelled_by.is_none(), text))
            }
            ("BUTTON", _) => {
                let labelled = !by_author() && document.labels(element).next().is_some();
                labelled.then(|| self.labels_or(element, true, ""))
            }
            ("OUTPUT", _) if !by_author() => Some(self.labels_or(element, true, attr("title"))),
            ("INPUT" | "TEXTAREA" | "SELECT" | "METER" | "PROGRESS", _) if !by_author() => {
                let takes_placeholder = tag == "TEXTAREA"
                    || matches!(
                        kind,
                        "text" | "password" | "number" | "search" | "tel" | "email" | "url"
                    );
                let title = attr("title");
                let use_placeholder = takes_placeholder && title.is_empty();
                let text = if use_placeholder {
                    attr("placeholder")
                } else {
                    title
                };
                Some(self.labels_or(element, true, text))
            }
            ("FIELDSET", _) if !by_author() => {
                Some(self.child_or_title(element, "LEGEND", context))
            }
            ("FIGURE", _) if !by_author() => {
                Some(self.child_or_title(element, "FIGCAPTION", context))
            }
            ("IMG" | "AREA", _) => {
                let alt = attr("alt");
                let blank = js_trim(alt).is_empty();
                Some(self.supply(element, if blank { attr("title") } else { alt }))
            }
            ("TABLE", _) => {
                self.visit(element);
                if let Some(caption) = first_child(document, element, "CAPTION") {
                    return Some(self.native_child(caption, context));
                }
                let summary = attr("summary");
                (!summary.is_empty()).then(|| self.supply(element, summary))
            }
            _ if tag == "SVG" || document.has_owner_svg(element) => {
                self.visit(element);
                let title = first_child(document, element, "TITLE")
                    .filter(|&title| document.has_owner_svg(title));
                if let Some(title) = title {
                    let hidden = document.is_hidden_for_aria(title);
                    let context = Context {
                        labelled_by: Some(hidden),
                        ..context.below()
                    };
                    return Some(Step::Enter(title, context));
                }
                let link_title = attr("xlink:title");
                let is_link = tag == "A" && !js_trim(link_title).is_empty();
                is_link.then(|| self.supply(element, link_title))
            }
            _ => None,
        }
    }

    /// The text of the element's labels if it has any and they are `wanted`, else
    /// `fallback`.
    fn labels_or(&mut self, element: NodeId, wanted: bool, fallback: &str) -> Step {
        self.visit(element);
        let labels: Vec<NodeId> = self.document.labels(element).collect();
        if labels.is_empty() || !wanted {
            return self.supply(element, fallback);
        }
        self.list(Purpose::Labels, labels)
    }

    fn child_or_title(&mut self, element: NodeId, tag: &str, context: Context) -> Step {
        self.visit(element);
        match first_child(self.document, element, tag) {
            Some(child) => self.native_child(child, context),
            None => {
                let title = self.document.attr(element, "title").unwrap_or("");
                self.supply(element, title)
            }
        }
    }

    fn native_child(&self, child: NodeId, context: Context) -> Step {
        let hidden = self.document.is_hidden_for_aria(child);
        Step::Enter(
            child,
            Context {
                native: Some(hidden),
                ..context.below()
            },
        )
    }
}

/// Roles whose name may come from what they contain; some only while the name of
/// an element around them is computed.
pub(super) fn names_from_content(role: Option<Role>, inside_target: bool) -> bool {
    const ALWAYS: RoleSet = RoleSet::of(&[
        Role::Button,
        Role::Cell,
        Role::Checkbox,
        Role::Columnheader,
        Role::Gridcell,
        Role::Heading,
        Role::Link,
        Role::Menuitem,
        Role::Menuitemcheckbox,
        Role::Menuitemradio,
        Role::Option,
        Role::Radio,
        Role::Row,
        Role::Rowheader,
        Role::Switch,
        Role::Tab,
        Role::Tooltip,
        Role::Treeitem,
    ]);
    const INSIDE: RoleSet = RoleSet::of(&[
        Role::Caption,
        Role::Code,
        Role::Contentinfo,
        Role::Definition,
        Role::Deletion,
        Role::Emphasis,
        Role::Insertion,
        Role::List,
        Role::Listitem,
        Role::Mark,
        Role::None,
        Role::Paragraph,
        Role::Presentation,
        Role::Region,
        Role::Row,
        Role::Rowgroup,
        Role::Strong,
        Role::Subscript,
        Role::Superscript,
        Role::Table,
        Role::Term,
        Role::Time,
    ]);
    match role {
        None => inside_target,
        Some(role) => ALWAYS.has(role) || inside_target && INSIDE.has(role),
    }
}

/// Elements of an id list, in the scope of `element`: first with each id, each
/// element once. Only spaces separate ids.
pub(super) fn referenced(document: &Document, element: NodeId, ids: &str) -> Vec<NodeId> {
    let scope = document.scope(element);
    let mut seen = HashSet::new();
    ids.split(' ')
        .filter(|id| !id.is_empty())
        .filter_map(|id| document.by_id(scope, id))
        .filter(|&node| seen.insert(node))
        .collect()
}

/// The elements that `aria-labelledby` names, if there is at least one.
pub(super) fn labelled_by(document: &Document, element: NodeId) -> Option<Vec<NodeId>> {
    let ids = document.attr(element, "aria-labelledby")?;
    Some(referenced(document, element, ids)).filter(|list| !list.is_empty())
}

/// Whether `aria-labelledby` names an element.
fn is_labelled(document: &Document, element: NodeId) -> bool {
    let scope = document.scope(element);
    let ids = document.attr(element, "aria-labelledby").unwrap_or("");
    ids.split(' ')
        .any(|id| !id.is_empty() && document.by_id(scope, id).is_some())
}

fn first_child(document: &Document, element: NodeId, tag: &str) -> Option<NodeId> {
    document
        .element_children(element)
        .find(|&child| document.tag(child) == tag)
}

/// Options that stand for the value of a listbox or combobox.
fn chosen_options(document: &Document, element: NodeId, role: Role) -> Vec<NodeId> {
    let below = |root: NodeId| {
        let scope = document.scope(root);
        (root.0 + 1..document.subtree_end(root).0)
            .map(NodeId)
            .filter(move |&node| document.is_element(node) && document.scope(node) == scope)
    };
    if document.tag(element) == "SELECT" {
        let options = || below(element).filter(|&node| document.tag(node) == "OPTION");
        let selected: Vec<NodeId> = options()
            .filter(|&option| document.is_option_selected(option))
            .collect();
        if selected.is_empty() {
            return options().next().into_iter().collect();
        }
        return selected;
    }
    // Descendants, then what the element owns.
    let with_owned = |root: NodeId| {
        let owned = document
            .attr(root, "aria-owns")
            .map(|ids| referenced(document, root, ids));
        let owned = owned.unwrap_or_default().into_iter();
        below(root).chain(owned.flat_map(move |owned| std::iter::once(owned).chain(below(owned))))
    };
    let listbox = match role {
        Role::Combobox => {
            with_owned(element).find(|&node| role_of(document, node) == Some(Role::Listbox))
        }
        _ => Some(element),
    };
    let Some(listbox) = listbox else {
        return Vec::new();
    };
    with_owned(listbox)
        .filter(|&node| document.attr(node, "aria-selected") == Some("true"))
        .filter(|&node| role_of(document, node) == Some(Role::Option))
        .collect()
}
