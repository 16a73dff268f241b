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
        let name = shared(&normalize_white_space(&text));
        work.recycle(text);
        Name {
            text: name,
            contributors,
        }
    }
}

/// Most elements have no name: they share one empty text.
fn shared(text: &str) -> Arc<str> {
    if text.is_empty() {
        Arc::default()
    } else {
        Arc::from(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::ScopeId;
    use crate::dom::testing::PageWriter;

    fn name_and_sources(page: &mut PageWriter) -> (String, Vec<i64>) {
        let document = page.document();
        let namer = Namer::new(&document);
        let node = document.by_id(ScopeId(0), "x").unwrap();
        let name = namer.name(node);
        assert_eq!(*namer.name(node), *name);
        let sources = name
            .contributors
            .iter()
            .map(|&n| document.backend_node_id(n))
            .collect();
        (name.text.to_string(), sources)
    }

    fn name(page: &mut PageWriter) -> String {
        name_and_sources(page).0
    }

    fn name_with(tag: &str, attributes: &[(&str, &str)], text: &str) -> String {
        let mut all = vec![("id", "x")];
        all.extend_from_slice(attributes);
        name(PageWriter::html().leaf(tag, &all, text))
    }

    #[test]
    fn references_join_in_order_and_count_once() {
        let mut page = PageWriter::html();
        page.leaf("SPAN", &[("id", "a")], "A"); // 103
        page.leaf("SPAN", &[("id", "b")], "B"); // 105
        page.leaf("DIV", &[("id", "x"), ("aria-labelledby", "b nope a b")], "");
        assert_eq!(name_and_sources(&mut page), ("B A".into(), vec![105, 103]));
        let own = [("aria-labelledby", "nope"), ("aria-label", "L")];
        assert_eq!(name_with("DIV", &own, ""), "L");
    }

    #[test]
    fn attributes_in_order_of_rank() {
        assert_eq!(
            name_with("BUTTON", &[("aria-label", " "), ("title", "T")], "C"),
            "C"
        );
        assert_eq!(name_with("BUTTON", &[("title", "T")], " "), "T");
        assert_eq!(name_with("DIV", &[("title", "T")], "C"), "T");
        assert_eq!(name_with("P", &[("aria-label", "L")], "C"), "");
        assert_eq!(
            name_with("DIV", &[("role", "generic"), ("aria-label", "L")], "C"),
            ""
        );
        assert_eq!(name_with("INPUT", &[("placeholder", "P")], ""), "P");
        assert_eq!(
            name_with("INPUT", &[("placeholder", "P"), ("title", "T")], ""),
            "T"
        );
        assert_eq!(
            name_with("INPUT", &[("type", "date"), ("placeholder", "P")], ""),
            ""
        );
        assert_eq!(name_with("INPUT", &[("type", "submit")], ""), "Submit");
        assert_eq!(
            name_with("INPUT", &[("type", "file"), ("multiple", "")], ""),
            "Choose File"
        );
        assert_eq!(name_with("IMG", &[("alt", " "), ("title", "T")], ""), "T");
        assert_eq!(name_with("SUMMARY", &[], "More"), "More");
    }

    #[test]
    fn labels_name_fields_even_when_hidden() {
        let mut page = PageWriter::html();
        page.open_boxless("LABEL", &[("for", "x")])
            .boxless_text("Hid")
            .open_boxless("B", &[]);
        page.boxless_text("den").close().close();
        page.open("LABEL", &[]).text(" Wrapped ");
        page.open("INPUT", &[("id", "x")])
            .close()
            .text(" tail")
            .close();
        assert_eq!(name(&mut page), "Hidden Wrapped tail");
    }

    #[test]
    fn controls_inside_names_give_their_value() {
        let mut page = PageWriter::html();
        page.open("BUTTON", &[("id", "x")]).text("Pay ");
        page.open("INPUT", &[])
            .mark("inputValue", "12")
            .close()
            .text(" for ");
        page.open("SELECT", &[])
            .leaf("OPTION", &[], "one")
            .open("OPTION", &[]);
        page.mark("optionSelected", "").text("two").close().close();
        page.leaf(
            "SPAN",
            &[("role", "slider"), ("aria-valuenow", "7")],
            "ignored",
        )
        .close();
        // The test page's OPTION is a block, hence the spaces around it.
        assert_eq!(name(&mut page), "Pay 12 for two7");
    }

    #[test]
    fn blocks_separate_words_and_inline_elements_do_not() {
        let mut page = PageWriter::html();
        page.open("BUTTON", &[("id", "x")])
            .leaf("DIV", &[], "a")
            .leaf("DIV", &[], "b");
        page.leaf("SPAN", &[], "c")
            .leaf("SPAN", &[], "d")
            .leaf("BR", &[], "")
            .text("e");
        page.leaf("DIV", &[("role", "dialog")], "not from dialogs")
            .close();
        assert_eq!(name(&mut page), "a b cd e");
    }

    #[test]
    fn many_names_from_one_long_text_come_to_an_end() {
        let mut page = PageWriter::html();
        page.leaf("P", &[("id", "t")], &"long text ".repeat(100_000));
        for _ in 0..200 {
            page.open("DIV", &[("role", "button"), ("aria-labelledby", "t")])
                .close();
        }
        let document = page.document();
        let namer = Namer::new(&document);
        let named = |node: &NodeId| !namer.name(*node).text.is_empty();
        // Sixteen times a page of one million bytes, and as many mebibytes.
        assert_eq!(document.elements().filter(named).count(), 32);
    }
}
