//! How much text nodes may share.
//!
//! A snapshot names each string once, however many nodes have it. A page that
//! gives one long text to all of its elements is small on the wire and in the
//! browser, but whatever reads or prints it per element would take time and
//! memory for the product of both.

use super::capture::DomSnapshot;
use super::strings::StrId;

/// Bytes up to which a string may be shared freely.
const SHORT: usize = 1 << 10;
/// Bytes that longer strings may come to over all nodes, beyond their first use.
const ALLOWANCE: usize = 128 << 20;

/// Takes long strings from the nodes that come after the allowance is used up;
/// they have empty ones instead.
pub(super) fn limit(snapshot: &mut DomSnapshot) {
    // What each string costs per node; looked up for all of them.
    let table = &snapshot.strings;
    let costs: Vec<usize> = (0..table.len())
        .map(|index| table.get(index).map_or(0, str::len))
        .map(|length| if length > SHORT { length } else { 0 })
        .collect();
    if costs.iter().all(|&cost| cost == 0) {
        return;
    }
    let mut left = ALLOWANCE.saturating_add(table.bytes());
    let mut take = |ids: &mut [i64]| {
        for id in ids {
            let index = usize::try_from(*id).ok();
            let cost = index.and_then(|index| costs.get(index)).copied();
            match left.checked_sub(cost.unwrap_or(0)) {
                Some(rest) => left = rest,
                None => *id = StrId::NOWHERE,
            }
        }
    };
    for document in &mut snapshot.documents {
        let nodes = &mut document.nodes;
        take(&mut nodes.node_name);
        take(&mut nodes.node_value);
        take(nodes.attributes.values_mut());
        take(&mut nodes.text_value.value);
        take(&mut nodes.input_value.value);
        take(document.layout.styles.values_mut());
    }
}

#[cfg(test)]
mod tests {
    use crate::dom::testing::PageWriter;

    #[test]
    fn a_long_text_is_not_shared_by_all() {
        let long = "x".repeat(1 << 20);
        let mut page = PageWriter::html();
        for _ in 0..200 {
            page.leaf("DIV", &[("title", &long), ("class", "short")], "text");
        }
        let document = page.document();
        let titles = || document.elements().map(|node| document.attr(node, "title"));
        // The allowance, and each string once.
        assert_eq!(titles().filter(|title| *title == Some(&long)).count(), 129);
        assert_eq!(titles().filter(|title| *title == Some("")).count(), 71);
        let short = |node| document.attr(node, "class") == Some("short");
        assert_eq!(document.elements().filter(|&node| short(node)).count(), 200);
    }
}
