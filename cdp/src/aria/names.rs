//! Accessible names by upstream's rules, and who contributed to each.
//!
//! This is the front desk: what a name is, who may have one, and the memory of
//! those computed before. The computation is in `naming.rs`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::naming::{Work, compute};
use super::roles::{Role, RoleSet, role_of};
use crate::dom::{Document, NodeId, normalize_white_space};

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

impl<'d> Namer<'d> {
    /// For names as snapshots print them.
    pub fn new(document: &'d Document) -> Self {
        Self::with_options(document, NameOptions::default())
    }

    /// With some deviations.
    pub fn with_options(document: &'d Document, options: NameOptions) -> Self {
        Namer {
            document,
            options,
            names: RefCell::new(HashMap::new()),
            work: RefCell::new(Work::new(document)),
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
                text: Arc::default(),
                contributors: Vec::new(),
            };
        }
        let mut work = self.work.borrow_mut();
        let (text, mut contributors) = compute(self.document, self.options, &mut work, node);
        contributors.retain(|&contributor| contributor != node);
        Name {
            text: shared(&normalize_white_space(&text)),
            contributors,
        }
    }
}

/// Most elements have no name: they share one empty text.
fn shared(text: &str) -> Arc<str> {
    if text.is_empty() { Arc::default() } else { Arc::from(text) }
}
