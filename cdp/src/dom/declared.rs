//! What is known of an element's style without a box: its attributes, and the
//! browser's own style sheet.

use super::capture::DocumentSnapshot;
use super::node::flag;
use super::strings::{StrId, Strings};

/// An attribute of a node of the snapshot.
pub(super) fn attribute<'s>(
    source: &DocumentSnapshot,
    strings: &'s Strings,
    index: usize,
    name: &str,
) -> Option<&'s str> {
    source
        .nodes
        .attributes
        .get(index)
        .chunks_exact(2)
        .find(|pair| strings.get(StrId::from_wire(pair[0])) == name)
        .map(|pair| strings.get(StrId::from_wire(pair[1])))
}

/// What an element's `style` and `hidden` attributes say: all there is to know
/// about the style of an element without a box.
pub(super) struct Declared<'s> {
    style: &'s str,
    hidden: bool,
}

impl<'s> Declared<'s> {
    pub(super) fn read(source: &DocumentSnapshot, strings: &'s Strings, index: usize) -> Self {
        let hidden = attribute(source, strings, index, "hidden");
        let name = source.nodes.node_name.get(index).copied().unwrap_or(-1);
        // SVG and MathML have no such attribute.
        let name = strings.get(StrId::from_wire(name));
        let is_html = !name.bytes().any(|b| b.is_ascii_lowercase());
        Declared {
            style: attribute(source, strings, index, "style").unwrap_or(""),
            hidden: is_html
                && hidden.is_some_and(|value| !value.eq_ignore_ascii_case("until-found")),
        }
    }

    /// Value of a property in the `style` attribute; the last one counts.
    fn get(&self, property: &str) -> Option<&'s str> {
        let declarations = self.style.rsplit(';').filter_map(|one| one.split_once(':'));
        let mut values =
            declarations.filter(|(name, _)| name.trim().eq_ignore_ascii_case(property));
        let value = values.next()?.1.split('!').next().unwrap_or("");
        Some(value.trim())
    }

    /// The display flag of an element that would have `default` without these
    /// attributes.
    pub(super) fn display(&self, default: u32) -> u32 {
        let display = match self.get("display").map(str::to_ascii_lowercase).as_deref() {
            Some("none") => flag::DISPLAY_NONE,
            Some("contents") => flag::DISPLAY_CONTENTS,
            Some("inline") => flag::DISPLAY_INLINE,
            Some(_) => 0,
            None if self.hidden => flag::DISPLAY_NONE,
            None => default,
        };
        // Boxes out of the flow are blocks (CSS Display 3, section 2.7).
        let out_of_flow = matches!(self.get("position"), Some("absolute" | "fixed"))
            || self.get("float").is_some_and(|side| side != "none");
        if out_of_flow && display == flag::DISPLAY_INLINE {
            0
        } else {
            display
        }
    }

    /// Applies what is declared about pointing to inherited flags.
    pub(super) fn apply(&self, is_link: bool, flags: &mut u32) {
        let mut set =
            |flag: u32, on: bool| *flags = if on { *flags | flag } else { *flags & !flag };
        match self.get("cursor") {
            Some(cursor) => set(flag::CURSOR_POINTER, cursor == "pointer"),
            None if is_link => set(flag::CURSOR_POINTER, true),
            None => {}
        }
        if let Some(events) = self.get("pointer-events") {
            set(flag::POINTER_EVENTS_NONE, events == "none");
        }
    }
}

/// Display by the browser's own style sheet.
pub(super) fn default_display(
    source: &DocumentSnapshot,
    strings: &Strings,
    index: usize,
    name: &str,
) -> u32 {
    match name {
        "AREA" | "BASE" | "DATALIST" | "HEAD" | "LINK" | "META" | "NOFRAMES" | "NOSCRIPT"
        | "PARAM" | "RP" | "SCRIPT" | "SOURCE" | "STYLE" | "TEMPLATE" | "TITLE" | "TRACK" => {
            flag::DISPLAY_NONE
        }
        "DIALOG" if attribute(source, strings, index, "open").is_none() => flag::DISPLAY_NONE,
        "ADDRESS" | "ARTICLE" | "ASIDE" | "BLOCKQUOTE" | "BODY" | "BUTTON" | "CAPTION"
        | "CENTER" | "COL" | "COLGROUP" | "DD" | "DETAILS" | "DIALOG" | "DIR" | "DIV" | "DL"
        | "DT" | "FIELDSET" | "FIGCAPTION" | "FIGURE" | "FOOTER" | "FORM" | "FRAME"
        | "FRAMESET" | "H1" | "H2" | "H3" | "H4" | "H5" | "H6" | "HEADER" | "HGROUP" | "HR"
        | "HTML" | "INPUT" | "LEGEND" | "LI" | "LISTING" | "MAIN" | "MARQUEE" | "MENU"
        | "METER" | "NAV" | "OL" | "OPTGROUP" | "OPTION" | "P" | "PLAINTEXT" | "PRE"
        | "PROGRESS" | "RT" | "RUBY" | "SEARCH" | "SECTION" | "SELECT" | "SUMMARY" | "TABLE"
        | "TBODY" | "TD" | "TEXTAREA" | "TFOOT" | "TH" | "THEAD" | "TR" | "UL" | "XMP"
        // Of SVG and MathML.
        | "text" | "foreignObject" | "math" => 0,
        _ => flag::DISPLAY_INLINE,
    }
}
