//! The computation of one name.
//!
//! It follows Accessible Name and Description Computation 1.2 with upstream's
//! deviations, as a loop over an explicit stack: pages may nest as deep as they
//! like. All text goes into one buffer in place, so that depth costs nothing.

use super::content::{pseudo_text, replaced_text};
use super::name_sources::{labelled_by, names_from_content, referenced};
use super::names::NameOptions;
use super::roles::{Role, role_of};
use super::walk::{Below, below};
use crate::dom::{Document, NodeId, Pseudo, js_trim};

/// Scratch space that one document's computations share.
pub(super) struct Work {
    /// Stamp of the computation that last visited each node.
    visited: Vec<u32>,
    stamp: u32,
    /// Visits left. Names within names cost the sum of their sizes, which a
    /// hostile page can make quadratic; when this runs out, names from content
    /// end early.
    budget: usize,
    /// Bytes of text left, for the same reason: a name may be as long as the page,
    /// and as many elements may have it.
    text_budget: usize,
    /// Buffer of the last computation, for the next one.
    text: String,
}

impl Work {
    pub(super) fn new(document: &Document) -> Self {
        Work {
            visited: vec![0; document.len()],
            stamp: 0,
            budget: document.len().saturating_mul(64).saturating_add(1_000_000),
            text_budget: document.text_bytes().saturating_mul(16) + (16 << 20),
            text: String::new(),
        }
    }

    /// Takes a buffer back.
    pub(super) fn recycle(&mut self, mut text: String) {
        text.clear();
        self.text = text;
    }

    fn start(&mut self) {
        if self.stamp == u32::MAX {
            self.visited.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }
}

/// The raw text of an element's name, and the elements that supplied it.
pub(super) fn compute(
    document: &Document,
    options: NameOptions,
    work: &mut Work,
    node: NodeId,
) -> (String, Vec<NodeId>) {
    work.start();
    let text = std::mem::take(&mut work.text);
    let mut naming = Naming {
        document,
        options,
        work,
        text,
        contributors: Vec::new(),
        stack: Vec::new(),
    };
    naming.run(node);
    (naming.text, naming.contributors)
}

/// How the traversal came to an element.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) target: Target,
    /// Inside the target of `aria-labelledby`; true when that was hidden.
    pub(super) labelled_by: Option<bool>,
    /// Inside a LABEL; true when that was hidden.
    pub(super) label: Option<bool>,
    /// Inside a LEGEND, CAPTION or FIGCAPTION; true when that was hidden.
    pub(super) native: Option<bool>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Target {
    /// The element whose name is wanted.
    Itself,
    /// Something in the content of that element.
    Descendant,
    /// Something it refers to.
    Elsewhere,
}

impl Context {
    const START: Context = Context {
        target: Target::Itself,
        labelled_by: None,
        label: None,
        native: None,
    };

    pub(super) fn below(self) -> Context {
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
pub(super) struct List {
    purpose: Purpose,
    parts: Vec<NodeId>,
    next: usize,
    /// Where the text of the list starts.
    start: usize,
    /// Where the last part starts, its separator included.
    part: usize,
    /// Length of that separator.
    separator: usize,
}

/// Why a list is being named.
pub(super) enum Purpose {
    /// `aria-labelledby`: an empty result falls back to the other rules.
    LabelledBy { element: NodeId, context: Context },
    /// LABEL elements: the result is final, empty parts leave no gap.
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
    /// The child being named is surrounded by spaces.
    spaced: bool,
    /// Length of text and list of contributors before this element.
    start: usize,
    contributors: usize,
}

/// What to do next.
pub(super) enum Step {
    /// Name this element.
    Enter(NodeId, Context),
    /// The text of the element at hand is in the buffer.
    Done,
}

pub(super) struct Naming<'a, 'd> {
    pub(super) document: &'d Document,
    pub(super) options: NameOptions,
    work: &'a mut Work,
    text: String,
    contributors: Vec<NodeId>,
    stack: Vec<Frame<'d>>,
}

impl<'d> Naming<'_, 'd> {
    fn run(&mut self, node: NodeId) {
        let mut step = Step::Enter(node, Context::START);
        loop {
            step = match step {
                Step::Enter(element, context) => self.enter(element, context),
                Step::Done => match self.stack.pop() {
                    None => return,
                    Some(Frame::List(list)) => self.part_done(list),
                    Some(Frame::Content(content)) => self.child_done(content),
                },
            };
        }
    }

    pub(super) fn visit(&mut self, node: NodeId) {
        self.work.visited[node.index()] = self.work.stamp;
    }

    /// Takes `visits` from the budget; false when it does not suffice.
    fn spend(&mut self, visits: usize) -> bool {
        let enough = self.work.budget >= visits;
        self.work.budget = self.work.budget.saturating_sub(visits);
        enough
    }

    /// Pays for looking at everything below `element` once.
    pub(super) fn spend_subtree(&mut self, element: NodeId) -> bool {
        self.spend((self.document.subtree_end(element).0 - element.0) as usize)
    }

    /// Pays for looking up a list of ids, which many elements may share.
    fn spend_ids(&mut self, ids: &str) -> bool {
        self.spend(1 + ids.len() / 8)
    }

    /// Adds text that is not only a separator, if it can be paid for.
    fn say(&mut self, text: &str) -> bool {
        let rest = self.work.text_budget.checked_sub(text.len());
        if let Some(rest) = rest {
            self.work.text_budget = rest;
            self.text.push_str(text);
        }
        rest.is_some()
    }

    /// Ends the element with this text, of which it is the source.
    pub(super) fn supply(&mut self, node: NodeId, text: &str) -> Step {
        self.visit(node);
        if !text.is_empty() && self.say(text) {
            self.contributors.push(node);
        }
        Step::Done
    }

    /// Up to `aria-labelledby` (steps 2A and 2B of the computation).
    fn enter(&mut self, element: NodeId, context: Context) -> Step {
        if self.work.visited[element.index()] == self.work.stamp {
            return Step::Done;
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
            && let Some(ids) = self.document.attr(element, "aria-labelledby")
            && self.spend_ids(ids)
            && let Some(parts) = labelled_by(self.document, element)
        {
            return self.list(Purpose::LabelledBy { element, context }, parts);
        }
        self.own_name(element, context)
    }

    /// Names several elements, joined with spaces.
    pub(super) fn list(&mut self, purpose: Purpose, parts: Vec<NodeId>) -> Step {
        let start = self.text.len();
        self.next_part(List {
            purpose,
            parts,
            next: 0,
            start,
            part: start,
            separator: 0,
        })
    }

    fn part_done(&mut self, list: List) -> Step {
        let empty = self.text.len() == list.part + list.separator;
        if empty && matches!(list.purpose, Purpose::Labels) {
            self.text.truncate(list.part);
        }
        self.next_part(list)
    }

    fn next_part(&mut self, mut list: List) -> Step {
        let is_empty = self.text.len() == list.start;
        let Some(&element) = list.parts.get(list.next) else {
            return match list.purpose {
                Purpose::LabelledBy { element, context } if is_empty => {
                    self.own_name(element, context)
                }
                _ => Step::Done,
            };
        };
        list.part = self.text.len();
        let is_first = match list.purpose {
            Purpose::Labels => is_empty,
            _ => list.next == 0,
        };
        list.separator = usize::from(!is_first);
        self.text.extend((!is_first).then_some(' '));
        list.next += 1;
        let hidden = Some(self.document.is_hidden_for_aria(element));
        let elsewhere = Context {
            target: Target::Elsewhere,
            ..Context::START
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
        if from_content {
            self.visit(element);
            return self.content(element, context);
        }
        self.title(element, presentational)
    }

    /// Step 2I.
    fn title(&mut self, element: NodeId, presentational: bool) -> Step {
        let title = self.document.attr(element, "title").unwrap_or("");
        let usable = !js_trim(title).is_empty()
            && (!presentational || matches!(self.document.tag(element), "IFRAME" | "FRAME"));
        self.supply(element, if usable { title } else { "" })
    }

    /// Starts to accumulate the content of an element (steps 2F to 2H).
    fn content(&mut self, element: NodeId, context: Context) -> Step {
        let document = self.document;
        let mut content = Content {
            element,
            context,
            below: below(document, element, self.options.closed_shadow),
            owned: Vec::new(),
            next: 0,
            spaced: false,
            start: self.text.len(),
            contributors: self.contributors.len(),
        };
        self.pseudo(element, Pseudo::Before);
        if let Some(text) = replaced_text(document, element) {
            self.say(&text);
            content.next = content.below.len();
        } else if let Some(ids) = document.attr(element, "aria-owns")
            && !content.below.is_assigned()
            && self.spend_ids(ids)
        {
            content.owned = referenced(document, element, ids);
        }
        self.next_child(content)
    }

    fn pseudo(&mut self, element: NodeId, which: Pseudo) {
        if let Some(text) = pseudo_text(self.document, element, which) {
            self.say(&text);
        }
    }

    fn child_done(&mut self, content: Content<'d>) -> Step {
        self.text.extend(content.spaced.then_some(' '));
        self.next_child(content)
    }

    /// Goes on with the next child, or ends the accumulation.
    fn next_child(&mut self, mut content: Content<'d>) -> Step {
        let document = self.document;
        loop {
            let at = content.next;
            let limit = content.below.len();
            if at >= limit + content.owned.len() || !self.spend(1) {
                return self.end_content(&content);
            }
            content.next += 1;
            let child = match at.checked_sub(limit) {
                None => content.below.get(document, at),
                Some(owned) => content.owned.get(owned).copied(),
            };
            let Some(child) = child else { continue };
            if document.is_text(child) {
                self.say(document.value(child));
            } else if document.is_element(child) {
                content.spaced =
                    !document.is_display_inline(child) || document.node_name(child) == "BR";
                self.text.extend(content.spaced.then_some(' '));
                let context = content.context.below();
                self.stack.push(Frame::Content(content));
                return Step::Enter(child, context);
            }
        }
    }

    fn end_content(&mut self, content: &Content<'d>) -> Step {
        let element = content.element;
        self.pseudo(element, Pseudo::After);
        // The element in question falls back to its title when there is only white
        // space; inside it white space counts, because it separates words.
        let own = self.text.get(content.start..).unwrap_or("");
        let empty = match content.context.target {
            Target::Itself => js_trim(own).is_empty(),
            _ => own.is_empty(),
        };
        if !empty {
            self.contributors.push(element);
            return Step::Done;
        }
        self.text.truncate(content.start);
        self.contributors.truncate(content.contributors);
        let presentational = role_of(self.document, element).is_some_and(Role::is_presentational);
        self.title(element, presentational)
    }
}
