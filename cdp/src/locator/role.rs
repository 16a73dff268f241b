//! Queries by role, name and state.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::attributes::{AttributeTest, AttributeValue, Operator};
use super::labels::by_ids;
use super::query::Engine;
use super::selector::{RoleQuery, RoleState, Tristate};
use super::text::{fold, span};
use crate::aria::{Name, NameOptions, Namer, Role, role_of};
use crate::dom::{Document, NodeId, js_number, normalize_white_space};

/// Roles and names of one document, computed when first asked for.
pub(super) struct RoleIndex<'d> {
    document: &'d Document,
    /// Role of every node; none for nodes that have none.
    roles: OnceCell<Vec<Option<Role>>>,
    namer: OnceCell<Namer<'d>>,
    /// Names in which hidden content counts.
    hidden_namer: OnceCell<Namer<'d>>,
    folded: RefCell<HashMap<NodeId, Rc<str>>>,
}

impl<'d> RoleIndex<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self {
            document,
            roles: OnceCell::new(),
            namer: OnceCell::new(),
            hidden_namer: OnceCell::new(),
            folded: RefCell::default(),
        }
    }

    pub(super) fn role(&self, node: NodeId) -> Option<Role> {
        let roles = self.roles.get_or_init(|| {
            let role = |node| match self.document.is_element(node) {
                true => role_of(self.document, node),
                false => None,
            };
            self.document.nodes().map(role).collect()
        });
        roles.get(node.0 as usize).copied().flatten()
    }

    /// The accessible name, white space normalised; empty for none.
    pub(super) fn name(&self, node: NodeId) -> Rc<Name> {
        self.namer
            .get_or_init(|| Namer::new(self.document))
            .name(node)
    }

    fn hidden_name(&self, node: NodeId) -> Rc<Name> {
        let options = NameOptions {
            include_hidden: true,
            ..NameOptions::default()
        };
        let namer = || Namer::with_options(self.document, options);
        self.hidden_namer.get_or_init(namer).name(node)
    }

    fn folded_name(&self, node: NodeId) -> Rc<str> {
        let mut folded = self.folded.borrow_mut();
        let entry = folded
            .entry(node)
            .or_insert_with(|| fold(&self.name(node).text).into());
        Rc::clone(entry)
    }

    /// Those of `candidates` for which `query` holds. With `internal`, names
    /// without regard to case need only be contained.
    pub(super) fn select(
        &self,
        engine: &Engine<'_>,
        query: &RoleQuery,
        internal: bool,
        candidates: impl Iterator<Item = NodeId>,
    ) -> Vec<NodeId> {
        let Some(role) = Role::from_token(&query.role) else {
            return Vec::new();
        };
        let include_hidden = query.states.contains(&RoleState::IncludeHidden(true));
        let name = query
            .name
            .as_ref()
            .map(|test| NameTest::new(test, internal));
        let description = query
            .description
            .as_ref()
            .map(|test| NameTest::new(test, internal));
        candidates
            .filter(|&node| self.role(node) == Some(role))
            .filter(|&node| {
                query
                    .states
                    .iter()
                    .all(|state| self.has_state(node, *state))
            })
            .filter(|&node| include_hidden || !self.document.is_hidden_for_aria(node))
            .filter(|&node| match &name {
                None => true,
                Some(test) if include_hidden => test.matches(&self.hidden_name(node).text),
                Some(test) => self.name_matches(node, test),
            })
            .filter(|&node| match &description {
                None => true,
                Some(test) => test.matches(&self.description(engine, node)),
            })
            .collect()
    }

    fn name_matches(&self, node: NodeId, test: &NameTest<'_>) -> bool {
        match test.folded_needle() {
            Some(needle) => self.folded_name(node).contains(needle),
            None => test.matches(&self.name(node).text),
        }
    }

    fn has_state(&self, node: NodeId, state: RoleState) -> bool {
        let document = self.document;
        let says_true = |name: &str| {
            document
                .attr(node, name)
                .is_some_and(|value| value.eq_ignore_ascii_case("true"))
        };
        match state {
            RoleState::Checked(wanted) => checked(document, node) == wanted,
            RoleState::Pressed(wanted) => tristate(document.attr(node, "aria-pressed")) == wanted,
            RoleState::Selected(wanted) => {
                let selected = match document.tag(node) {
                    "OPTION" => document.is_option_selected(node),
                    _ => says_true("aria-selected"),
                };
                selected == wanted
            }
            RoleState::Expanded(wanted) => document
                .attr(node, "aria-expanded")
                .is_some_and(|own| (own == "true") == wanted),
            RoleState::Disabled(wanted) => {
                let disabled =
                    document.is_natively_disabled(node) || document.is_aria_disabled(node);
                disabled == wanted
            }
            RoleState::Level(wanted) => level(document, node) == wanted,
            RoleState::IncludeHidden(_) => true,
        }
    }

    /// The accessible description: text of `aria-describedby`, `aria-description`
    /// or a `title` that is not the name already.
    pub(super) fn description(&self, engine: &Engine<'_>, node: NodeId) -> String {
        let document = self.document;
        // The attribute decides even when nothing has one of its ids.
        if let Some(ids) = document.attr(node, "aria-describedby") {
            let texts: Vec<&str> = by_ids(document, document.scope(node), ids)
                .into_iter()
                .map(|node| engine.text().normalized(span(document, node)))
                .collect();
            return texts.join(" ");
        }
        let attribute = ["aria-description", "title"]
            .into_iter()
            .find_map(|name| document.attr(node, name));
        normalize_white_space(attribute.unwrap_or("")).into_owned()
    }
}

fn tristate(value: Option<&str>) -> Tristate {
    match value {
        Some("true") => Tristate::True,
        Some("mixed") => Tristate::Mixed,
        _ => Tristate::False,
    }
}

fn checked(document: &Document, node: NodeId) -> Tristate {
    let native =
        document.tag(node) == "INPUT" && matches!(document.input_type(node), "checkbox" | "radio");
    match native {
        true if document.is_checked(node) => Tristate::True,
        true => Tristate::False,
        false => tristate(document.attr(node, "aria-checked")),
    }
}

/// Heading level; 0 for none.
fn level(document: &Document, node: NodeId) -> f64 {
    let heading = match document.tag(node).as_bytes() {
        [b'H', digit @ b'1'..=b'6'] => Some(f64::from(digit - b'0')),
        _ => None,
    };
    heading.unwrap_or_else(|| {
        let level = document.attr(node, "aria-level").and_then(js_number);
        level
            .filter(|level| level.fract() == 0.0 && *level >= 1.0)
            .unwrap_or(0.0)
    })
}

/// A condition on a name, prepared for many names.
struct NameTest<'s> {
    operator: Operator,
    value: &'s AttributeValue,
    case_sensitive: bool,
    /// The text compared with, normalised, and folded unless case counts.
    wanted: String,
}

impl<'s> NameTest<'s> {
    fn new(test: &'s AttributeTest, internal: bool) -> Self {
        let text = match &test.value {
            AttributeValue::Text(text) => normalize_white_space(text),
            _ => "".into(),
        };
        let loose = internal && !test.case_sensitive && test.operator == Operator::Equals;
        Self {
            operator: if loose {
                Operator::Substring
            } else {
                test.operator
            },
            value: &test.value,
            case_sensitive: test.case_sensitive,
            wanted: if test.case_sensitive {
                text.into_owned()
            } else {
                fold(&text)
            },
        }
    }

    /// The needle, if this is the plain search for a part of the name.
    fn folded_needle(&self) -> Option<&str> {
        (self.operator == Operator::Substring && !self.case_sensitive).then_some(&self.wanted)
    }

    fn matches(&self, name: &str) -> bool {
        if let AttributeValue::Regex(regex) = self.value {
            return regex.is_match(name);
        }
        let folded = if self.case_sensitive {
            name.to_owned()
        } else {
            fold(name)
        };
        let (own, wanted) = (folded.as_str(), self.wanted.as_str());
        match self.operator {
            Operator::Truthy => !own.is_empty(),
            Operator::Equals => own == wanted,
            Operator::Substring => own.contains(wanted),
            Operator::Prefix => own.starts_with(wanted),
            Operator::Suffix => own.ends_with(wanted),
            Operator::Dash => own
                .strip_prefix(wanted)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
            Operator::Includes => own.split(' ').any(|word| word == wanted),
        }
    }
}
