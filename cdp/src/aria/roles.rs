//! Which role an element has, by upstream's rules (not Chrome's).

use std::fmt;

use crate::dom::{Document, NodeId, js_number, js_trim};

macro_rules! roles {
    ($($variant:ident $text:literal)+) => {
        /// The roles that upstream knows. `Iframe` is its own addition.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[expect(missing_docs, reason = "each variant is the ARIA role of its name")]
        pub enum Role { $($variant),+ }

        impl Role {
            const ALL: &[Role] = &[$(Role::$variant),+];

            /// The role as ARIA spells it.
            pub fn as_str(self) -> &'static str {
                match self { $(Role::$variant => $text),+ }
            }
        }
    };
}

roles! {
    Alert "alert" Alertdialog "alertdialog" Application "application" Article "article"
    Banner "banner" Blockquote "blockquote" Button "button" Caption "caption" Cell "cell"
    Checkbox "checkbox" Code "code" Columnheader "columnheader" Combobox "combobox"
    Complementary "complementary" Contentinfo "contentinfo" Definition "definition"
    Deletion "deletion" Dialog "dialog" Directory "directory" Document "document"
    Emphasis "emphasis" Feed "feed" Figure "figure" Form "form" Generic "generic" Grid "grid"
    Gridcell "gridcell" Group "group" Heading "heading" Img "img" Insertion "insertion"
    Link "link" List "list" Listbox "listbox" Listitem "listitem" Log "log" Main "main"
    Mark "mark" Marquee "marquee" Math "math" Menu "menu" Menubar "menubar"
    Menuitem "menuitem" Menuitemcheckbox "menuitemcheckbox" Menuitemradio "menuitemradio"
    Meter "meter" Navigation "navigation" None "none" Note "note" Option "option"
    Paragraph "paragraph" Presentation "presentation" Progressbar "progressbar" Radio "radio"
    Radiogroup "radiogroup" Region "region" Row "row" Rowgroup "rowgroup"
    Rowheader "rowheader" Scrollbar "scrollbar" Search "search" Searchbox "searchbox"
    Separator "separator" Slider "slider" Spinbutton "spinbutton" Status "status"
    Strong "strong" Subscript "subscript" Superscript "superscript" Switch "switch" Tab "tab"
    Table "table" Tablist "tablist" Tabpanel "tabpanel" Term "term" Textbox "textbox"
    Time "time" Timer "timer" Toolbar "toolbar" Tooltip "tooltip" Tree "tree"
    Treegrid "treegrid" Treeitem "treeitem" Iframe "iframe"
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Role {
    /// The role that an author may write as `token` (case counts).
    pub fn from_token(token: &str) -> Option<Role> {
        Role::ALL
            .iter()
            .copied()
            .find(|&role| role.as_str() == token && role != Role::Iframe)
    }

    /// `none` and its synonym.
    pub fn is_presentational(self) -> bool {
        matches!(self, Role::None | Role::Presentation)
    }
}

/// A set of roles, for the many tables of the form "roles that support …".
#[derive(Clone, Copy)]
pub(crate) struct RoleSet(u128);

impl RoleSet {
    pub(crate) const fn of(roles: &[Role]) -> RoleSet {
        let mut bits = 0;
        let mut index = 0;
        while index < roles.len() {
            bits |= 1u128 << roles[index] as u32;
            index += 1;
        }
        RoleSet(bits)
    }

    pub(crate) const fn has(self, role: Role) -> bool {
        self.0 >> role as u32 & 1 == 1
    }
}

/// The role of an element: what the author wrote if it is valid, else what the
/// markup implies. `None` where neither gives one (it prints as `generic`).
pub fn role_of(document: &Document, node: NodeId) -> Option<Role> {
    match explicit_role(document, node) {
        None => implicit_role(document, node),
        Some(role) if role.is_presentational() => {
            let implicit = implicit_role(document, node);
            if resists_presentation(document, node, implicit) {
                implicit
            } else {
                Some(role)
            }
        }
        explicit => explicit,
    }
}

/// First valid token of the `role` attribute. Only spaces separate tokens.
pub fn explicit_role(document: &Document, node: NodeId) -> Option<Role> {
    let attribute = document.attr(node, "role")?;
    attribute
        .split(' ')
        .find_map(|token| Role::from_token(js_trim(token)))
}

/// ARIA 1.2, presentational roles conflict resolution: elements that carry global
/// ARIA attributes or can be focused keep their meaning.
fn resists_presentation(document: &Document, node: NodeId, role: Option<Role>) -> bool {
    has_global_attribute(document, node, role) || is_focusable(document, node)
}

fn has_global_attribute(document: &Document, node: NodeId, role: Option<Role>) -> bool {
    const UNNAMEABLE: RoleSet = RoleSet::of(&[
        Role::Caption,
        Role::Code,
        Role::Deletion,
        Role::Emphasis,
        Role::Generic,
        Role::Insertion,
        Role::Paragraph,
        Role::Presentation,
        Role::Strong,
        Role::Subscript,
        Role::Superscript,
    ]);
    document
        .attrs(node)
        .any(|(name, _)| match name.strip_prefix("aria-") {
            Some(
                "atomic" | "busy" | "controls" | "current" | "describedby" | "details"
                | "dropeffect" | "flowto" | "grabbed" | "hidden" | "keyshortcuts" | "live" | "owns"
                | "relevant",
            ) => true,
            Some("label" | "labelledby") => !role.is_some_and(|role| UNNAMEABLE.has(role)),
            Some("roledescription") => role != Some(Role::Generic),
            _ => false,
        })
}

fn is_focusable(document: &Document, node: NodeId) -> bool {
    if document.is_natively_disabled(node) {
        return false;
    }
    let natively = match document.tag(node) {
        "BUTTON" | "DETAILS" | "SELECT" | "TEXTAREA" => true,
        "A" | "AREA" => document.has_attr(node, "href"),
        "INPUT" => !document.has_attr(node, "hidden"),
        _ => false,
    };
    natively || has_tabindex(document, node)
}

fn has_tabindex(document: &Document, node: NodeId) -> bool {
    document
        .attr(node, "tabindex")
        .is_some_and(|value| js_number(value).is_some())
}

fn implicit_role(document: &Document, node: NodeId) -> Option<Role> {
    let role = role_of_markup(document, node)?;
    Some(inherited_presentation(document, node).unwrap_or(role))
}

/// Lists and tables hand their presentational role down to the elements that
/// make no sense without them.
fn inherited_presentation(document: &Document, node: NodeId) -> Option<Role> {
    let mut node = node;
    // The chain TD, TR, TBODY, TABLE is the longest there is.
    loop {
        let parent = document.parent_or_host(node)?;
        let belongs = match document.tag(node) {
            "DD" | "DT" => matches!(document.tag(parent), "DL" | "DIV"),
            "DIV" => document.tag(parent) == "DL",
            "LI" => matches!(document.tag(parent), "OL" | "UL"),
            "TBODY" | "TFOOT" | "THEAD" => document.tag(parent) == "TABLE",
            "TD" | "TH" => document.tag(parent) == "TR",
            "TR" => matches!(document.tag(parent), "THEAD" | "TBODY" | "TFOOT" | "TABLE"),
            _ => false,
        };
        if !belongs {
            return None;
        }
        let explicit = explicit_role(document, parent);
        if let Some(role) = explicit
            && role.is_presentational()
            && !resists_presentation(document, parent, explicit)
        {
            return Some(role);
        }
        node = parent;
    }
}

fn role_of_markup(document: &Document, node: NodeId) -> Option<Role> {
    let named_by_author =
        || document.has_attr(node, "aria-label") || document.has_attr(node, "aria-labelledby");
    Some(match document.tag(node) {
        "A" | "AREA" if document.has_attr(node, "href") => Role::Link,
        "ARTICLE" => Role::Article,
        "ASIDE" => Role::Complementary,
        "BLOCKQUOTE" => Role::Blockquote,
        "BUTTON" => Role::Button,
        "CAPTION" => Role::Caption,
        "CODE" => Role::Code,
        "DATALIST" => Role::Listbox,
        "DD" => Role::Definition,
        "DEL" => Role::Deletion,
        "DETAILS" | "FIELDSET" | "OPTGROUP" => Role::Group,
        "DFN" | "DT" => Role::Term,
        "DIALOG" => Role::Dialog,
        "EM" => Role::Emphasis,
        "FIGURE" => Role::Figure,
        "FOOTER" if !document.is_in_sectioning(node) => Role::Contentinfo,
        "FORM" if named_by_author() => Role::Form,
        "H1" | "H2" | "H3" | "H4" | "H5" | "H6" => Role::Heading,
        "HEADER" if !document.is_in_sectioning(node) => Role::Banner,
        "HR" => Role::Separator,
        "HTML" => Role::Document,
        "IMG" => return Some(image_role(document, node)),
        "INPUT" => return input_role(document, node),
        "INS" => Role::Insertion,
        "LI" => Role::Listitem,
        "MAIN" => Role::Main,
        "MARK" => Role::Mark,
        "MATH" => Role::Math,
        "MENU" | "OL" | "UL" => Role::List,
        "METER" => Role::Meter,
        "NAV" => Role::Navigation,
        "OPTION" => Role::Option,
        "OUTPUT" => Role::Status,
        "P" => Role::Paragraph,
        "PROGRESS" => Role::Progressbar,
        "SEARCH" => Role::Search,
        "SECTION" if named_by_author() => Role::Region,
        "SELECT" if is_listbox_select(document, node) => Role::Listbox,
        "SELECT" => Role::Combobox,
        "STRONG" => Role::Strong,
        "SUB" => Role::Subscript,
        "SUP" => Role::Superscript,
        "SVG" => Role::Img,
        "TABLE" => Role::Table,
        "TBODY" | "TFOOT" | "THEAD" => Role::Rowgroup,
        "TD" => cell_role(document, node),
        "TEXTAREA" => Role::Textbox,
        "TH" => return header_cell_role(document, node),
        "TIME" => Role::Time,
        "TR" => Role::Row,
        _ => return None,
    })
}

fn image_role(document: &Document, node: NodeId) -> Role {
    let decorative = document.attr(node, "alt") == Some("")
        && document.attr(node, "title").unwrap_or("").is_empty()
        && !has_global_attribute(document, node, None)
        && !has_tabindex(document, node);
    if decorative {
        Role::Presentation
    } else {
        Role::Img
    }
}

fn is_listbox_select(document: &Document, node: NodeId) -> bool {
    // The `size` property parses the leading digits of the attribute.
    let size = js_trim(document.attr(node, "size").unwrap_or(""));
    let digits = size
        .trim_start_matches('+')
        .bytes()
        .take_while(u8::is_ascii_digit);
    let size = digits.fold(0u32, |n, d| {
        n.saturating_mul(10).saturating_add(u32::from(d - b'0'))
    });
    document.is_html(node) && (document.has_attr(node, "multiple") || size > 1)
}

fn input_role(document: &Document, node: NodeId) -> Option<Role> {
    Some(match document.input_type(node) {
        kind @ ("text" | "email" | "tel" | "url" | "search") => {
            let list = document
                .attr(node, "list")
                .and_then(|id| document.by_id(document.scope(node), id))
                .is_some_and(|list| document.tag(list) == "DATALIST");
            match kind {
                _ if list => Role::Combobox,
                "search" => Role::Searchbox,
                _ => Role::Textbox,
            }
        }
        "button" | "submit" | "reset" | "image" | "file" => Role::Button,
        "checkbox" => Role::Checkbox,
        "radio" => Role::Radio,
        "number" => Role::Spinbutton,
        "range" => Role::Slider,
        "hidden" => return None,
        _ => Role::Textbox,
    })
}

fn cell_role(document: &Document, node: NodeId) -> Role {
    let role = document
        .closest_table(node)
        .and_then(|table| explicit_role(document, table));
    match role {
        Some(Role::Grid | Role::Treegrid) => Role::Gridcell,
        _ => Role::Cell,
    }
}

fn header_cell_role(document: &Document, node: NodeId) -> Option<Role> {
    match document.attr(node, "scope") {
        Some("col" | "colgroup") => return Some(Role::Columnheader),
        Some("row" | "rowgroup") => return Some(Role::Rowheader),
        _ => {}
    }
    let (previous, next) = document.element_siblings(node);
    if previous.is_none() && next.is_none() {
        let row = document
            .light_parent(node)
            .filter(|&row| document.tag(row) == "TR");
        let lonely = row
            .and_then(|row| document.closest_table(row))
            .is_some_and(|table| document.row_count(table) <= 1);
        return if lonely {
            None
        } else {
            Some(Role::Columnheader)
        };
    }
    let is_header = |cell: Option<NodeId>| cell.is_some_and(|cell| document.tag(cell) == "TH");
    if is_header(previous) && is_header(next) {
        return Some(Role::Columnheader);
    }
    let has_data = |cell: Option<NodeId>| {
        cell.is_some_and(|cell| {
            document.tag(cell) == "TD"
                && (document.element_children(cell).next().is_some()
                    || document
                        .text_pieces(cell)
                        .any(|text| !js_trim(text).is_empty()))
        })
    };
    Some(if has_data(previous) || has_data(next) {
        Role::Rowheader
    } else {
        Role::Columnheader
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::ScopeId;
    use crate::dom::testing::PageWriter;

    fn role(page: &mut PageWriter) -> Option<Role> {
        let document = page.document();
        role_of(&document, document.by_id(ScopeId(0), "x").unwrap())
    }

    fn role_with(tag: &str, attributes: &[(&str, &str)]) -> Option<Role> {
        let mut all = vec![("id", "x")];
        all.extend_from_slice(attributes);
        role(PageWriter::html().open(tag, &all))
    }

    #[test]
    fn authors_roles_are_taken_literally() {
        assert_eq!(
            role_with("DIV", &[("role", "bogus  button")]),
            Some(Role::Button)
        );
        assert_eq!(role_with("DIV", &[("role", "BUTTON")]), None);
        assert_eq!(role_with("DIV", &[("role", "button\tlink")]), None);
        assert_eq!(role_with("DIV", &[("role", "iframe")]), None);
        assert_eq!(
            role_with("UL", &[("role", "directory")]),
            Some(Role::Directory)
        );
    }

    #[test]
    fn presentation_yields_to_focus_and_global_attributes() {
        assert_eq!(role_with("UL", &[("role", "none")]), Some(Role::None));
        assert_eq!(
            role_with("UL", &[("role", "none"), ("tabindex", "0")]),
            Some(Role::List)
        );
        assert_eq!(
            role_with("UL", &[("role", "none"), ("tabindex", "x")]),
            Some(Role::None)
        );
        assert_eq!(
            role_with("UL", &[("role", "none"), ("aria-label", "")]),
            Some(Role::List)
        );
        // A paragraph cannot be named, so the label is no reason to keep it.
        let labelled = [("role", "presentation"), ("aria-label", "l")];
        assert_eq!(role_with("P", &labelled), Some(Role::Presentation));
        let button = [("role", "none"), ("disabled", "")];
        assert_eq!(role_with("BUTTON", &button), Some(Role::None));
        assert_eq!(role_with("BUTTON", &[("role", "none")]), Some(Role::Button));
    }

    #[test]
    fn presentation_is_inherited_by_list_items_and_cells() {
        let item = |list: &str, role_name: &str| {
            role(PageWriter::html().open(list, &[("role", role_name)]).leaf(
                "LI",
                &[("id", "x")],
                "",
            ))
        };
        assert_eq!(item("UL", "none"), Some(Role::None));
        assert_eq!(item("UL", "list"), Some(Role::Listitem));
        assert_eq!(item("MENU", "none"), Some(Role::Listitem));
        let mut page = PageWriter::html();
        page.open("TABLE", &[("role", "presentation")])
            .open("TBODY", &[])
            .open("TR", &[]);
        assert_eq!(
            role(page.leaf("TD", &[("id", "x")], "")),
            Some(Role::Presentation)
        );
    }

    #[test]
    fn inputs_and_selects() {
        let input = |kind| role_with("INPUT", &[("type", kind)]);
        assert_eq!(input("SEARCH"), Some(Role::Searchbox));
        assert_eq!(input("file"), Some(Role::Button));
        assert_eq!(input("password"), Some(Role::Textbox));
        assert_eq!(input("bogus"), Some(Role::Textbox));
        assert_eq!(input("hidden"), None);
        assert_eq!(role_with("SELECT", &[]), Some(Role::Combobox));
        assert_eq!(role_with("SELECT", &[("size", "1")]), Some(Role::Combobox));
        assert_eq!(
            role_with("SELECT", &[("size", " 4 rows")]),
            Some(Role::Listbox)
        );
        assert_eq!(
            role_with("SELECT", &[("multiple", "")]),
            Some(Role::Listbox)
        );
        let mut page = PageWriter::html();
        page.open("INPUT", &[("id", "x"), ("list", "l")]).close();
        assert_eq!(
            role(page.leaf("DATALIST", &[("id", "l")], "")),
            Some(Role::Combobox)
        );
        assert_eq!(role_with("IMG", &[("alt", "")]), Some(Role::Presentation));
        assert_eq!(
            role_with("IMG", &[("alt", ""), ("title", "t")]),
            Some(Role::Img)
        );
    }

    /// A row of cells, the TH with id x among them; `before` and `after` are what
    /// stands next to it.
    fn header(rows: usize, before: Option<&str>, after: Option<&str>) -> Option<Role> {
        let mut page = PageWriter::html();
        page.open("TABLE", &[]).open("TBODY", &[]);
        for _ in 1..rows {
            page.leaf("TR", &[], "");
        }
        page.open("TR", &[]);
        if let Some(tag) = before {
            page.leaf(tag, &[], "text");
        }
        page.leaf("TH", &[("id", "x")], "");
        if let Some(tag) = after {
            page.leaf(tag, &[], if tag == "TD" { "" } else { "text" });
        }
        role(&mut page)
    }

    #[test]
    fn header_cells_look_at_their_neighbours() {
        assert_eq!(header(1, None, None), None);
        assert_eq!(header(2, None, None), Some(Role::Columnheader));
        assert_eq!(header(2, Some("TH"), Some("TH")), Some(Role::Columnheader));
        assert_eq!(header(2, Some("TD"), None), Some(Role::Rowheader));
        // An empty data cell is no reason for a row header.
        assert_eq!(header(2, None, Some("TD")), Some(Role::Columnheader));
        assert_eq!(role_with("TH", &[("scope", "row")]), Some(Role::Rowheader));
    }

    #[test]
    fn page_headers_and_section_headers() {
        assert_eq!(role_with("HEADER", &[]), Some(Role::Banner));
        let inside = |tag: &str, attributes: &[(&str, &str)]| {
            role(
                PageWriter::html()
                    .open(tag, attributes)
                    .leaf("FOOTER", &[("id", "x")], ""),
            )
        };
        assert_eq!(inside("SECTION", &[]), None);
        assert_eq!(
            inside("SECTION", &[("role", "presentation")]),
            Some(Role::Contentinfo)
        );
        assert_eq!(inside("DIV", &[("role", "region")]), None);
        assert_eq!(role_with("SECTION", &[]), None);
        assert_eq!(
            role_with("SECTION", &[("aria-label", "")]),
            Some(Role::Region)
        );
    }
}
