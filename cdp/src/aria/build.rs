//! From one frame's document to a raw aria tree: which nodes appear, with what
//! role, name, states and ref. Nothing is tidied up here, because every node
//! consumes a ref number whether it is printed in the end or not.

use std::borrow::Cow;
use std::sync::Arc;

use super::ax::{Facts, MAX_FACT};
use super::content::pseudo_text;
use super::names::{MASK, NameOptions, Namer};
use super::page::FrameCapture;
use super::refs::Minting;
use super::roles::{Role, role_of};
use super::snapshot::SnapshotOptions;
use super::states::states_of;
use super::tree::{Box2d, Ref, States};
use super::walk::below;
use crate::dom::{Document, NodeId, Pseudo, ScopeId, is_js_space};

/// A raw tree: node 0 is the fragment that holds the rest.
pub(crate) struct Draft<'d> {
    pub(crate) nodes: Vec<DraftNode<'d>>,
    /// Which elements have a ref, by element.
    pub(crate) has_ref: Vec<bool>,
}

/// A node on its way into the snapshot.
#[derive(Default)]
pub(crate) struct DraftNode<'d> {
    /// None for the fragment.
    pub(crate) element: Option<(NodeId, Role)>,
    pub(crate) name: Arc<str>,
    /// Elements that the name came from.
    pub(crate) contributors: Vec<NodeId>,
    pub(crate) states: States,
    pub(crate) reference: Option<Ref>,
    /// The computed cursor is `pointer`.
    pub(crate) pointer: bool,
    pub(crate) bounds: Option<Box2d>,
    pub(crate) props: Vec<(&'static str, Cow<'d, str>)>,
    pub(crate) extras: Vec<(&'static str, String)>,
    pub(crate) children: Vec<Piece<'d>>,
}

impl DraftNode<'_> {
    pub(crate) fn is(&self, role: Role) -> bool {
        self.element.is_some_and(|(_, own)| own == role)
    }
}

/// Text as found, or a node by its index.
#[derive(Clone)]
pub(crate) enum Piece<'d> {
    Text(Cow<'d, str>),
    Node(u32),
}

const SPACE: Cow<'static, str> = Cow::Borrowed(" ");

enum Step {
    /// Visit `node`, adding what comes of it to aria node `into`.
    Enter {
        node: NodeId,
        into: u32,
        parent_visible: bool,
    },
    /// Everything below `node` is done; its own pieces went to `into`, which is
    /// its own aria node if `own` is set.
    Leave { node: NodeId, into: u32, own: bool },
}

/// Builds the raw tree of `root` and what is below it.
pub(crate) fn draft<'d>(
    frame: &'d FrameCapture,
    root: NodeId,
    active: Option<NodeId>,
    minting: Minting<'_>,
    options: &SnapshotOptions,
) -> Draft<'d> {
    let document: &Document = &frame.document;
    let name_options = NameOptions {
        include_hidden: false,
        closed_shadow: options.closed_shadow,
        mask_passwords: options.mask_passwords,
    };
    let mut builder = Builder {
        document,
        frame,
        options,
        active,
        minting,
        namer: Namer::with_options(document, name_options),
        visited: vec![false; document.len()],
        owned_left: document.text_bytes().saturating_mul(4) + (1 << 20),
        draft: Draft {
            nodes: vec![DraftNode::default()],
            has_ref: vec![false; document.len()],
        },
    };
    let mut stack = vec![Step::Enter {
        node: root,
        into: 0,
        parent_visible: true,
    }];
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter {
                node,
                into,
                parent_visible,
            } => {
                builder.enter(node, into, parent_visible, &mut stack);
            }
            Step::Leave { node, into, own } => builder.leave(node, into, own),
        }
    }
    builder
        .minting
        .forget_unless(|id| document.by_backend_id(id).is_some());
    builder.draft
}

struct Builder<'a, 'd> {
    document: &'d Document,
    frame: &'d FrameCapture,
    options: &'a SnapshotOptions,
    active: Option<NodeId>,
    minting: Minting<'a>,
    namer: Namer<'d>,
    visited: Vec<bool>,
    /// Bytes of `aria-owns` that may still be looked up: a hostile page can give
    /// the same long list to all of its elements.
    owned_left: usize,
    draft: Draft<'d>,
}

impl<'d> Builder<'_, 'd> {
    fn enter(&mut self, node: NodeId, into: u32, parent_visible: bool, stack: &mut Vec<Step>) {
        let document = self.document;
        if std::mem::replace(&mut self.visited[node.index()], true) {
            return;
        }
        if document.is_text(node) {
            let text = document.value(node);
            if parent_visible && !text.is_empty() && self.takes_text(into) {
                self.piece(into, Piece::Text(Cow::Borrowed(text)));
            }
            return;
        }
        if !document.is_element(node) {
            return;
        }
        let visible = !document.is_hidden_for_aria(node) || document.is_box_visible(node);
        let own = if visible { self.node_for(node) } else { None };
        let is_own = own.is_some();
        let into = match own {
            Some(own) => {
                let index = self.draft.nodes.len() as u32;
                self.draft.nodes.push(own);
                self.piece(into, Piece::Node(index));
                index
            }
            None => into,
        };
        // Spaces around blocks keep words apart when their text is joined.
        if self.is_spaced(node) {
            self.piece(into, Piece::Text(SPACE));
        }
        self.pseudo(node, Pseudo::Before, into);
        stack.push(Step::Leave {
            node,
            into,
            own: is_own,
        });
        let step = |node| Step::Enter {
            node,
            into,
            parent_visible: visible,
        };
        if let Some(ids) = document.attr(node, "aria-owns")
            && let Some(left) = self.owned_left.checked_sub(ids.len())
        {
            self.owned_left = left;
            let owned = ids.split(is_js_space).filter(|id| !id.is_empty()).rev();
            stack.extend(
                owned
                    .filter_map(|id| document.by_id(ScopeId(0), id))
                    .map(step),
            );
        }
        let children = below(document, node, self.options.closed_shadow);
        stack.extend(children.iter(document).rev().map(step));
    }

    fn leave(&mut self, node: NodeId, into: u32, own: bool) {
        self.pseudo(node, Pseudo::After, into);
        if self.is_spaced(node) {
            self.piece(into, Piece::Text(SPACE));
        }
        self.add_props(node, into);
        if own {
            // A name can be told from its parts only where those come before its
            // end: references to elements further down do not count.
            let has_ref = &self.draft.has_ref;
            let out = &mut self.draft.nodes[into as usize];
            out.contributors.retain(|source| has_ref[source.index()]);
        }
    }

    /// Properties print with the aria node at hand, which is that of an element
    /// around `node` when it has none itself: a hidden link inside an element with
    /// role=link lends it its address, as upstream has it.
    fn add_props(&mut self, node: NodeId, into: u32) {
        let out = &mut self.draft.nodes[into as usize];
        let (name, value) = if out.is(Role::Link) {
            let Some(url) = self.document.attr(node, "href") else {
                return;
            };
            ("url", short_url(url))
        } else if out.is(Role::Textbox) {
            let placeholder = self.document.attr(node, "placeholder");
            let Some(text) = placeholder.filter(|text| **text != *out.name) else {
                return;
            };
            ("placeholder", Cow::Borrowed(text))
        } else {
            return;
        };
        // The outermost element comes last and has the last word.
        out.props = vec![(name, value)];
    }

    fn is_spaced(&self, node: NodeId) -> bool {
        !self.document.is_display_inline(node) || self.document.node_name(node) == "BR"
    }

    fn pseudo(&mut self, node: NodeId, which: Pseudo, into: u32) {
        if let Some(text) = pseudo_text(self.document, node, which)
            && !text.is_empty()
        {
            self.piece(into, Piece::Text(Cow::Owned(text)));
        }
    }

    fn piece(&mut self, into: u32, piece: Piece<'d>) {
        self.draft.nodes[into as usize].children.push(piece);
    }

    /// A textbox shows its value, not the text it was written with. What somebody
    /// typed into an editable element is text, though: worth telling where
    /// upstream's format need not be kept.
    fn takes_text(&self, into: u32) -> bool {
        match self.draft.nodes[into as usize].element {
            Some((element, Role::Textbox)) => {
                self.options.extras && !matches!(self.document.tag(element), "INPUT" | "TEXTAREA")
            }
            _ => true,
        }
    }

    /// The aria node of a visible element, if it gets one.
    fn node_for(&mut self, node: NodeId) -> Option<DraftNode<'d>> {
        let document = self.document;
        let is_frame = matches!(document.node_name(node), "IFRAME" | "FRAME");
        let role = if is_frame {
            Role::Iframe
        } else {
            role_of(document, node).unwrap_or(Role::Generic)
        };
        if role.is_presentational() {
            return None;
        }
        if role == Role::Generic
            && document.is_box_inline(node)
            && matches!(document.light_children(node), &[only] if document.is_text(only))
        {
            return None;
        }
        let backend = document.backend_node_id(node);
        let mut out = DraftNode {
            element: Some((node, role)),
            pointer: document.has_pointer_cursor(node),
            bounds: self.options.boxes.then(|| whole_box(document, node)),
            ..DraftNode::default()
        };
        if is_frame {
            out.states.aria_hidden = states_of(document, node, role, false).aria_hidden;
        } else {
            let name = self.namer.name(node);
            out.name = Arc::clone(&name.text);
            out.contributors.clone_from(&name.contributors);
            let indeterminate =
                document.tag(node) == "INPUT" && self.frame.is_indeterminate(backend);
            out.states = states_of(document, node, role, indeterminate);
            self.add_value(node, &mut out);
            self.add_facts(node, role, &mut out);
        }
        out.states.active = self.active == Some(node);
        if document.is_box_visible(node) && (is_frame || document.receives_pointer_events(node)) {
            out.reference = Some(self.minting.mint(
                backend,
                Cow::Borrowed(role.as_str()),
                &out.name,
            ));
            self.draft.has_ref[node.index()] = true;
        }
        Some(out)
    }

    fn add_value(&self, node: NodeId, out: &mut DraftNode<'d>) {
        let document = self.document;
        let kind = match document.tag(node) {
            "INPUT" => document.input_type(node),
            "TEXTAREA" => "",
            _ => return,
        };
        if matches!(kind, "checkbox" | "radio" | "file") {
            return;
        }
        let mut value = document.form_value(node).unwrap_or("");
        if kind == "password" && self.options.mask_passwords && !value.is_empty() {
            value = MASK;
        }
        if !value.is_empty() {
            out.children.push(Piece::Text(Cow::Borrowed(value)));
        }
    }

    fn add_facts(&self, node: NodeId, role: Role, out: &mut DraftNode<'d>) {
        let backend = self.document.backend_node_id(node);
        let overlay = self.frame.overlay.as_ref().filter(|_| self.options.extras);
        let Some(facts) = overlay.and_then(|overlay| overlay.facts(backend)) else {
            return;
        };
        let placeholder = self.document.attr(node, "placeholder");
        let said = |text: &str| *text == *out.name || placeholder == Some(text);
        let error = self.error_message(facts);
        facts.tell(Some(role), &error, said, &mut out.extras);
    }

    fn error_message(&self, facts: &Facts) -> String {
        let nodes = facts.error_messages.iter();
        let mut text = String::new();
        for node in nodes.filter_map(|&id| self.document.by_backend_id(id)) {
            let pieces = self.document.text_pieces(node);
            for piece in pieces {
                // More is cut off in any case; white space may shrink.
                text.extend(piece.chars().take(MAX_FACT * 16));
                if text.len() > MAX_FACT * 16 {
                    break;
                }
            }
            text.push(' ');
        }
        text
    }
}

/// Data URLs end after the first comma.
pub(crate) fn short_url(url: &str) -> Cow<'_, str> {
    match url.split_once(',') {
        Some((head, _)) if url.starts_with("data:") => Cow::Owned(format!("{head},…")),
        _ => Cow::Borrowed(url),
    }
}

/// The border box with each value rounded half up, as `Math.round` does.
fn whole_box(document: &Document, node: NodeId) -> Box2d {
    let rect = document.bounds(node).unwrap_or_default();
    // Saturates for sizes no screen has.
    let round = |value: f64| (value + 0.5).floor() as i64;
    Box2d {
        x: round(rect.x),
        y: round(rect.y),
        width: round(rect.width),
        height: round(rect.height),
    }
}
