//! Parts of a page that have no boxes for another reason than `display: none`.

use super::capture::DocumentSnapshot;
use super::declared::attribute;
use super::node::{NONE, flag};
use super::rendering::{ContentVisibility, Row};
use super::strings::{StrId, Strings};

/// What an element hands down to those below it.
#[derive(Clone, Copy)]
struct Zone {
    /// Layout objects here are leftovers of a measurement and do not count.
    locked: bool,
    /// Upstream's own measurements would make the browser lay this out.
    measurable: bool,
    /// Styled but not rendered.
    skipped: bool,
    /// Not in the flattened tree, hence without any style.
    not_flat: bool,
    /// The SELECT around.
    select: u32,
}

impl Zone {
    const NORMAL: Zone = Zone {
        locked: false,
        measurable: false,
        skipped: false,
        not_flat: false,
        select: NONE,
    };

    fn locked(self, measurable: bool) -> Zone {
        let measurable = measurable && (self.measurable || !self.locked);
        Zone {
            locked: true,
            skipped: true,
            measurable,
            ..self
        }
    }
}

/// Marks what is below closed details, `content-visibility: hidden`, closed
/// selects and replaced elements.
pub(super) fn mark(
    source: &DocumentSnapshot,
    parents: &[u32],
    strings: &Strings,
    rows: &mut [Row],
) {
    let nodes = &source.nodes;
    let name = |index: usize| {
        let id = nodes.node_name.get(index).copied().unwrap_or(-1);
        strings.get(StrId::from_wire(id))
    };
    let mut zones = vec![Zone::NORMAL; rows.len()];
    let mut has_summary = vec![false; rows.len()];
    // Selects that show their options as a list.
    let mut lists = vec![false; rows.len()];
    for index in 0..rows.len() {
        let own = if nodes.node_type.get(index) == Some(&1) {
            name(index)
        } else {
            ""
        };
        let parent = parents[index] as usize;
        if parents[index] != NONE {
            let mut zone = zones[parent];
            if rows[parent].content_visibility == ContentVisibility::Hidden {
                zone = zone.locked(false);
            }
            match name(parent) {
                "DETAILS" if attribute(source, strings, parent, "open").is_none() => {
                    let summary = own == "SUMMARY" && !has_summary[parent];
                    has_summary[parent] |= summary;
                    if !summary {
                        zone = zone.locked(true);
                    }
                }
                "CANVAS" | "OBJECT" | "IFRAME" => {
                    zone = Zone {
                        skipped: true,
                        measurable: false,
                        ..zone
                    };
                }
                // The browser's own shadow tree has no slot for their children.
                "VIDEO" | "AUDIO" | "METER" | "PROGRESS" | "TEXTAREA" => zone.not_flat = true,
                "SELECT" => zone.select = parents[index],
                _ => {}
            }
            zones[index] = zone;
        }
        let zone = zones[index];
        let flags = &mut rows[index].flags;
        if zone.locked {
            *flags &= !flag::LAID_OUT;
        }
        if zone.not_flat {
            *flags |= Row::NOT_FLAT.flags;
        }
        if matches!(own, "OPTION" | "OPTGROUP")
            && *flags & flag::LAID_OUT != 0
            && let Some(list) = lists.get_mut(zone.select as usize)
        {
            *list = true;
        }
    }
    for (row, zone) in rows.iter_mut().zip(&zones) {
        let closed = lists.get(zone.select as usize) == Some(&false);
        if zone.skipped || closed {
            row.flags |= flag::SKIPPED;
        }
        if zone.measurable && !closed {
            row.flags |= flag::MEASURABLE;
        }
    }
}
