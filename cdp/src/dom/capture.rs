//! Shapes of the `DOMSnapshot.captureSnapshot` reply, read straight from JSON.
//!
//! Only the fields in use are kept. Every field may be missing, unknown ones are
//! skipped, and no index is trusted: whoever reads one must ask for it politely.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::DomError;
use super::strings::{StrId, StringTable};

/// A whole reply of `DOMSnapshot.captureSnapshot`: the session's root document
/// and the documents of its same-process child frames.
///
/// The call must ask for `computedStyles` in the order of
/// [`DomSnapshot::COMPUTED_STYLES`]; more may follow.
#[derive(Debug, Default, Clone, Deserialize)]
pub struct DomSnapshot {
    /// One entry per document; the first is the session's root document.
    #[serde(default)]
    pub documents: Vec<DocumentSnapshot>,
    /// Strings that all documents index into.
    #[serde(default)]
    pub strings: Arc<StringTable>,
}

impl DomSnapshot {
    /// The `computedStyles` argument that the rest of this crate relies on.
    pub const COMPUTED_STYLES: [&'static str; 6] = [
        "display",
        "visibility",
        "cursor",
        "pointer-events",
        "content",
        "content-visibility",
    ];

    /// Reads the `result` of a `DOMSnapshot.captureSnapshot` reply.
    ///
    /// # Errors
    /// [`DomError::Malformed`] when the text is not such a reply.
    pub fn from_json(json: &str) -> Result<Self, DomError> {
        let snapshot = serde_json::from_str(json).map_err(|error| DomError::Malformed {
            what: "DOMSnapshot.captureSnapshot",
            reason: error.to_string(),
        });
        snapshot.map(|mut snapshot| {
            super::sharing::limit(&mut snapshot);
            snapshot
        })
    }

    /// Frame id of document number `index`, if there is such a document.
    pub fn frame_id(&self, index: usize) -> Option<&str> {
        let frame = self.documents.get(index)?.frame_id;
        self.strings.get(usize::try_from(frame).ok()?)
    }
}

/// One document of a snapshot. Fields are private: [`super::Document`] is the
/// model to read.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentSnapshot {
    #[serde(rename = "documentURL")]
    pub(crate) document_url: i64,
    pub(crate) title: i64,
    pub(crate) frame_id: i64,
    pub(crate) nodes: NodeTable,
    pub(crate) layout: LayoutTable,
    pub(crate) scroll_offset_x: f64,
    pub(crate) scroll_offset_y: f64,
}

impl Default for DocumentSnapshot {
    fn default() -> Self {
        DocumentSnapshot {
            document_url: -1,
            title: -1,
            frame_id: -1,
            nodes: NodeTable::default(),
            layout: LayoutTable::default(),
            scroll_offset_x: 0.0,
            scroll_offset_y: 0.0,
        }
    }
}

/// `NodeTreeSnapshot`: parallel arrays over the flattened tree in document order.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NodeTable {
    pub(crate) parent_index: Vec<i64>,
    pub(crate) node_type: Vec<i64>,
    pub(crate) shadow_root_type: RareStrings,
    pub(crate) node_name: Vec<i64>,
    pub(crate) node_value: Vec<i64>,
    pub(crate) backend_node_id: Vec<i64>,
    pub(crate) attributes: Rows<i64>,
    pub(crate) text_value: RareStrings,
    pub(crate) input_value: RareStrings,
    pub(crate) input_checked: RareFlags,
    pub(crate) option_selected: RareFlags,
    pub(crate) content_document_index: RareStrings,
    pub(crate) pseudo_type: RareStrings,
}

/// `LayoutTreeSnapshot`: one row per layout object that belongs to a node.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LayoutTable {
    pub(crate) node_index: Vec<i64>,
    pub(crate) styles: Rows<i64>,
    pub(crate) bounds: Rows<f64>,
}

/// `RareStringData` and `RareIntegerData`: values of the few nodes that have one.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct RareStrings {
    pub(crate) index: Vec<i64>,
    pub(crate) value: Vec<i64>,
}

impl RareStrings {
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.index
            .iter()
            .zip(&self.value)
            .filter_map(|(&index, &value)| Some((usize::try_from(index).ok()?, value)))
    }

    pub(crate) fn strings(&self) -> impl Iterator<Item = (usize, StrId)> + '_ {
        self.pairs()
            .map(|(index, value)| (index, StrId::from_wire(value)))
    }
}

/// `RareBooleanData`: the nodes for which the flag is set.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct RareFlags {
    pub(crate) index: Vec<i64>,
}

impl RareFlags {
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.index
            .iter()
            .filter_map(|&index| usize::try_from(index).ok())
    }
}

/// An array of short arrays, kept in two allocations instead of one per row.
#[derive(Debug, Clone)]
pub(crate) struct Rows<T> {
    values: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows {
            values: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T> Rows<T> {
    /// The values of all rows.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Row number `index`, empty when there is none.
    pub(crate) fn get(&self, index: usize) -> &[T] {
        let Some(&end) = self.ends.get(index) else {
            return &[];
        };
        let start = index
            .checked_sub(1)
            .map_or(0, |previous| self.ends[previous]);
        self.values.get(start..end).unwrap_or(&[])
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Rows<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outer<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Outer<T> {
            type Value = Rows<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an array of arrays")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rows<T>, A::Error> {
                let mut rows = Rows::default();
                while seq.next_element_seed(Row(&mut rows.values))?.is_some() {
                    rows.ends.push(rows.values.len());
                }
                Ok(rows)
            }
        }
        deserializer.deserialize_seq(Outer(PhantomData))
    }
}

struct Row<'a, T>(&'a mut Vec<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Row<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Row<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(value) = seq.next_element()? {
            self.0.push(value);
        }
        Ok(())
    }

    /// `null` stands for an empty row.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    /// An object where an array belongs is an empty row, too.
    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_reply_and_skips_what_it_does_not_know() {
        let json = r##"{"documents":[{"documentURL":0,"frameId":1,"scrollOffsetY":12.5,"later":{},
            "nodes":{"parentIndex":[-1,0],"attributes":[[],[2,-1,3,4]],"inputChecked":{"index":[1]}},
            "layout":{"nodeIndex":[1],"bounds":[[1,2,3.5,4]]},"textBoxes":{"bounds":[[1,2,3,4]]}}],
            "strings":["u","F","a"]}"##;
        let snapshot = DomSnapshot::from_json(json).unwrap();
        let document = &snapshot.documents[0];
        assert_eq!(snapshot.frame_id(0), Some("F"));
        assert_eq!(snapshot.frame_id(1), None);
        assert_eq!(document.title, -1);
        assert_eq!(document.scroll_offset_y, 12.5);
        assert_eq!(document.nodes.attributes.get(0), &[] as &[i64]);
        assert_eq!(document.nodes.attributes.get(1), &[2, -1, 3, 4]);
        assert_eq!(document.nodes.attributes.get(7), &[] as &[i64]);
        assert_eq!(
            document.nodes.input_checked.nodes().collect::<Vec<_>>(),
            [1]
        );
        assert_eq!(document.layout.bounds.get(0), [1.0, 2.0, 3.5, 4.0]);
    }

    #[test]
    fn empty_and_broken_replies() {
        assert!(DomSnapshot::from_json("{}").unwrap().documents.is_empty());
        assert!(DomSnapshot::from_json("[").is_err());
        assert!(DomSnapshot::from_json(r#"{"documents":7}"#).is_err());
    }
}
