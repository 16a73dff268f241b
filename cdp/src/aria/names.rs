//! Accessible names by upstream's rules, and who contributed to each.
//!
//! The algorithm follows Accessible Name and Description Computation 1.2 with
//! upstream's deviations. It is written as a loop over an explicit stack, since
//! pages may nest names as deep as they like.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::content::{pseudo_text, replaced_text};
use super::roles::{Role, RoleSet, role_of};
use super::walk::{Below, below};
use crate::dom::{Document, NodeId, Pseudo, js_trim, normalize_white_space};

/// A computed name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// White space normalised; empty for "no name".
    pub text: Arc<str>,
    /// Elements whose attribute, value or content went into the text.
    pub contributors: Vec<NodeId>,
}

/// Deviations from the default computation.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameOptions {
    /// Hidden elements have names and contribute to them.
    pub include_hidden: bool,
    /// Look into closed shadow trees.
    pub closed_shadow: bool,
    /// Show values of password fields as bullets.
    pub mask_passwords: bool,
}

/// What stands for the value of a password field when it must not be shown.
pub(crate) const MASK: &str = "••••";

/// Computes and remembers names of one document's elements.
pub struct Namer<'d> {
    document: &'d Document,
    options: NameOptions,
    names: RefCell<HashMap<NodeId, Rc<Name>>>,
    work: RefCell<Work>,
}

/// Scratch space of the computation.
struct Work {
    /// Stamp of the computation that last visited each node.
    visited: Vec<u32>,
    stamp: u32,
    /// Visits left. Names within names cost the sum of their sizes, which a
    /// hostile page can make quadratic; when this runs out, names from content
    /// end early.
    budget: usize,
}

impl<'d> Namer<'d> {
    /// For names as snapshots print them.
    pub fn new(document: &'d Document) -> Self {
        Self::with_options(document, NameOptions::default())
    }

    /// With some deviations.
    pub fn with_options(document: &'d Document, options: NameOptions) -> Self {
        let work = Work {
            visited: vec![0; document.len()],
            stamp: 0,
            budget: document.len().saturating_mul(64).saturating_add(1_000_000),
        };
        Namer {
            document,
            options,
            names: RefCell::new(HashMap::new()),
            work: RefCell::new(work),
        }
    }

    /// The name of an element.
    pub fn name(&self, node: NodeId) -> Rc<Name> {
        if let Some(name) = self.names.borrow().get(&node) {
            return Rc::clone(name);
        }
        let name = Rc::new(self.compute(node));
        self.names.borrow_mut().insert(node, Rc::clone(&name));
        name
    }

    fn compute(&self, node: NodeId) -> Name {
        const NAMELESS: RoleSet = RoleSet::of(&[
            Role::Caption,
            Role::Code,
            Role::Definition,
            Role::Deletion,
            Role::Emphasis,
            Role::Generic,
            Role::Insertion,
            Role::Mark,
            Role::Paragraph,
            Role::Presentation,
            Role::Strong,
            Role::Subscript,
            Role::Superscript,
            Role::Term,
            Role::Time,
        ]);
        if role_of(self.document, node).is_some_and(|role| NAMELESS.has(role)) {
            return Name {
                text: Arc::from(""),
                contributors: Vec::new(),
            };
        }
        let mut work = self.work.borrow_mut();
        if work.stamp == u32::MAX {
            work.visited.fill(0);
            work.stamp = 0;
        }
        work.stamp += 1;
        let mut computation = Computation {
            document: self.document,
            options: self.options,
            work: &mut work,
            contributors: Vec::new(),
            stack: Vec::new(),
        };
        let text = computation.run(node);
        let mut contributors = computation.contributors;
        contributors.retain(|&contributor| contributor != node);
        Name {
            text: Arc::from(normalize_white_space(&text)),
            contributors,
        }
    }
}

/// How the traversal came to an element.
#[derive(Clone, Copy)]
struct Context {
    target: Target,
    /// Inside the target of `aria-labelledby`; true when that was hidden.
    labelled_by: Option<bool>,
    /// Inside a LABEL; true when that was hidden.
    label: Option<bool>,
    /// Inside a LEGEND, CAPTION or FIGCAPTION; true when that was hidden.
    native: Option<bool>,
}

#[derive(Clone, Copy, PartialEq)]
enum Target {
    /// The element whose name is wanted.
    Itself,
    /// Something in the content of that element.
    Descendant,
    /// Something it refers to.
    Elsewhere,
}

impl Context {
    fn below(self) -> Context {
        let target = match self.target {
            Target::Itself => Target::Descendant,
            other => other,
        };
        Context { target, ..self }
    }

    fn in_hidden_reference(self) -> bool {
        [self.labelled_by, self.label, self.native].contains(&Some(true))
    }
}

/// Elements being named one after the other.
struct List {
    purpose: Purpose,
    parts: Vec<NodeId>,
    next: usize,
    out: String,
}

/// Why a list is being named.
enum Purpose {
    /// `aria-labelledby`: an empty result falls back to the other rules.
    LabelledBy { element: NodeId, context: Context },
    /// LABEL elements: the result is final.
    Labels,
    /// Chosen options of an embedded list: final, empty parts kept.
    Options(Context),
}

/// An element whose name waits for that of another.
enum Frame<'d> {
    List(List),
    Content(Content<'d>),
}

/// Accumulation of an element's content.
struct Content<'d> {
    element: NodeId,
    context: Context,
    below: Below<'d>,
    owned: Vec<NodeId>,
    next: usize,
    out: String,
    /// The child being named is surrounded by spaces.
    spaced: bool,
    /// Number of contributors before this element.
    contributors: usize,
}

/// What to do next.
enum Step {
    Enter(NodeId, Context),
    Done(String),
}

struct Computation<'a, 'd> {
    document: &'d Document,
    options: NameOptions,
    work: &'a mut Work,
    contributors: Vec<NodeId>,
    stack: Vec<Frame<'d>>,
}

impl<'d> Computation<'_, 'd> {
    fn run(&mut self, node: NodeId) -> String {
        let context = Context {
            target: Target::Itself,
            labelled_by: None,
            label: None,
            native: None,
        };
        let mut step = Step::Enter(node, context);
        loop {
            step = match step {
                Step::Enter(element, context) => self.enter(element, context),
                Step::Done(text) => match self.stack.pop() {
                    None => return text,
                    Some(Frame::List(list)) => self.resume_list(list, Some(text)),
                    Some(Frame::Content(content)) => self.resume_content(content, Some(text)),
                },
            };
        }
    }

    fn visit(&mut self, node: NodeId) {
        self.work.visited[node.index()] = self.work.stamp;
    }

    /// Takes `visits` from the budget; false when it does not suffice.
    fn spend(&mut self, visits: usize) -> bool {
        let enough = self.work.budget >= visits;
        self.work.budget = self.work.budget.saturating_sub(visits);
        enough
    }

    /// Pays for looking at everything below `element` once.
    fn spend_subtree(&mut self, element: NodeId) -> bool {
        self.spend((self.document.subtree_end(element).0 - element.0) as usize)
    }

    fn visited(&self, node: NodeId) -> bool {
        self.work.visited[node.index()] == self.work.stamp
    }

    /// Records that `node` supplied `text`, which is the result.
    fn supply(&mut self, node: NodeId, text: &str) -> Step {
        self.visit(node);
        if !text.is_empty() {
            self.contributors.push(node);
        }
        Step::Done(text.to_owned())
    }

    /// Up to `aria-labelledby` (steps 2A and 2B of the computation).
    fn enter(&mut self, element: NodeId, context: Context) -> Step {
        if self.visited(element) {
            return Step::Done(String::new());
        }
        if !self.options.include_hidden {
            let never = matches!(
                self.document.tag(element),
                "STYLE" | "SCRIPT" | "NOSCRIPT" | "TEMPLATE"
            );
            let hidden =
                !context.in_hidden_reference() && self.document.is_hidden_for_aria(element);
            if never || hidden {
                return self.supply(element, "");
            }
        }
        if context.labelled_by.is_none()
            && let Some(parts) = labelled_by(self.document, element)
        {
            let purpose = Purpose::LabelledBy { element, context };
            return self.resume_list(
                List {
                    purpose,
                    parts,
                    next: 0,
                    out: String::new(),
                },
                None,
            );
        }
        self.own_name(element, context)
    }

    /// Names the next part of a list, or ends it.
    fn resume_list(&mut self, mut list: List, part: Option<String>) -> Step {
        if let Some(part) = part {
            // Labels that are empty leave no gap; other empty parts do.
            let skip = matches!(list.purpose, Purpose::Labels) && part.is_empty();
            if !skip {
                let first = match list.purpose {
                    Purpose::Labels => list.out.is_empty(),
                    _ => list.next == 1,
                };
                if !first {
                    list.out.push(' ');
                }
                list.out.push_str(&part);
            }
        }
        let Some(&element) = list.parts.get(list.next) else {
            return match list.purpose {
                Purpose::LabelledBy { element, context } if list.out.is_empty() => {
                    self.own_name(element, context)
                }
                _ => Step::Done(list.out),
            };
        };
        list.next += 1;
        let hidden = Some(self.document.is_hidden_for_aria(element));
        let elsewhere = Context {
            target: Target::Elsewhere,
            labelled_by: None,
            label: None,
            native: None,
        };
        let context = match list.purpose {
            Purpose::LabelledBy { .. } => Context {
                labelled_by: hidden,
                ..elsewhere
            },
            Purpose::Labels => Context {
                label: hidden,
                ..elsewhere
            },
            Purpose::Options(context) => context,
        };
        self.stack.push(Frame::List(list));
        Step::Enter(element, context)
    }

    /// Everything after `aria-labelledby`.
    fn own_name(&mut self, element: NodeId, context: Context) -> Step {
        let document = self.document;
        let role = role_of(document, element);
        let embedded = context.label.is_some()
            || context.labelled_by.is_some()
            || context.target == Target::Descendant;
        if embedded && let Some(step) = self.embedded_control(element, role, context) {
            return step;
        }
        let label = document.attr(element, "aria-label").unwrap_or("");
        if !js_trim(label).is_empty() {
            return self.supply(element, label);
        }
        let presentational = role.is_some_and(Role::is_presentational);
        if !presentational && let Some(step) = self.native_name(element, context) {
            return step;
        }
        let from_content = names_from_content(role, context.target == Target::Descendant)
            || document.tag(element) == "SUMMARY" && !presentational
            || context.labelled_by.is_some()
            || context.label.is_some()
            || context.native.is_some();
        if from_content && self.work.budget > 0 {
            self.visit(element);
            return self.content(element, context);
        }
        self.title(element, presentational)
    }

    /// Step 2I.
    fn title(&mut self, element: NodeId, presentational: bool) -> Step {
        let title = self.document.attr(element, "title").unwrap_or("");
        let usable = !js_trim(title).is_empty()
            && (!presentational || self.document.tag(element) == "IFRAME");
        self.supply(element, if usable { title } else { "" })
    }

    /// A control inside another element's name counts with its value (step 2C).
    fn embedded_control(
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
                let purpose = Purpose::Options(context.below());
                let list = List {
                    purpose,
                    parts: chosen,
                    next: 0,
                    out: String::new(),
                };
                Some(self.resume_list(list, None))
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
    fn native_name(&mut self, element: NodeId, context: Context) -> Option<Step> {
        let document = self.document;
        let attr = |name: &str| document.attr(element, name).unwrap_or("");
        let first_of = |texts: &[&'d str]| -> &'d str {
            texts
                .iter()
                .copied()
                .find(|text| !js_trim(text).is_empty())
                .unwrap_or("")
        };
        let by_author = || labelled_by(document, element).is_some();
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
        let list = List {
            purpose: Purpose::Labels,
            parts: labels,
            next: 0,
            out: String::new(),
        };
        self.resume_list(list, None)
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

    /// Starts to accumulate the content of an element (steps 2F to 2H).
    fn content(&mut self, element: NodeId, context: Context) -> Step {
        let document = self.document;
        let before = pseudo_text(document, element, Pseudo::Before).unwrap_or_default();
        let replaced = replaced_text(document, element);
        let contributors = self.contributors.len();
        let mut content = Content {
            element,
            context,
            below: below(document, element, self.options.closed_shadow),
            owned: Vec::new(),
            next: 0,
            out: before,
            spaced: false,
            contributors,
        };
        if let Some(text) = replaced {
            content.out.push_str(&text);
            content.next = content.below.len();
        } else if let Some(ids) = document.attr(element, "aria-owns")
            && !content.below.is_assigned()
        {
            content.owned = referenced(document, element, ids);
        }
        self.resume_content(content, None)
    }

    /// Goes on with the next child, or ends the accumulation.
    fn resume_content(&mut self, mut content: Content<'d>, child: Option<String>) -> Step {
        let document = self.document;
        if let Some(text) = child {
            content.add(&text);
        }
        loop {
            let at = content.next;
            let limit = content.below.len();
            if at >= limit + content.owned.len() || !self.spend(1) {
                return self.finish_content(content);
            }
            content.next += 1;
            let child = match at.checked_sub(limit) {
                None => content.below.get(document, at),
                Some(owned) => content.owned.get(owned).copied(),
            };
            let Some(child) = child else { continue };
            if document.is_text(child) {
                content.out.push_str(document.value(child));
            } else if document.is_element(child) {
                content.spaced =
                    !document.is_display_inline(child) || document.node_name(child) == "BR";
                let context = content.context.below();
                self.stack.push(Frame::Content(content));
                return Step::Enter(child, context);
            }
        }
    }

    fn finish_content(&mut self, mut content: Content<'d>) -> Step {
        let element = content.element;
        if let Some(after) = pseudo_text(self.document, element, Pseudo::After) {
            content.out.push_str(&after);
        }
        // The element in question falls back to its title when there is only white
        // space; inside it white space counts, because it separates words.
        let empty = match content.context.target {
            Target::Itself => js_trim(&content.out).is_empty(),
            _ => content.out.is_empty(),
        };
        if !empty {
            self.contributors.push(element);
            return Step::Done(content.out);
        }
        self.contributors.truncate(content.contributors);
        let presentational = role_of(self.document, element).is_some_and(Role::is_presentational);
        self.title(element, presentational)
    }
}

impl Content<'_> {
    fn add(&mut self, text: &str) {
        if self.spaced {
            self.out.push(' ');
        }
        self.out.push_str(text);
        if self.spaced {
            self.out.push(' ');
        }
    }
}

/// Roles whose name may come from what they contain; some only while the name of
/// an element around them is computed.
fn names_from_content(role: Option<Role>, inside_target: bool) -> bool {
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
pub(crate) fn referenced(document: &Document, element: NodeId, ids: &str) -> Vec<NodeId> {
    let scope = document.scope(element);
    let mut seen = HashSet::new();
    ids.split(' ')
        .filter(|id| !id.is_empty())
        .filter_map(|id| document.by_id(scope, id))
        .filter(|&node| seen.insert(node))
        .collect()
}

/// The elements that `aria-labelledby` names, if there is at least one.
fn labelled_by(document: &Document, element: NodeId) -> Option<Vec<NodeId>> {
    let ids = document.attr(element, "aria-labelledby")?;
    Some(referenced(document, element, ids)).filter(|list| !list.is_empty())
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
