//! String tables: the snapshot's own, and the few strings added to it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::text::lossy_utf16_json;

/// Index of a string in [`Strings`]; [`StrId::NONE`] is the empty string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct StrId(u32);

impl StrId {
    pub(crate) const NONE: StrId = StrId(u32::MAX);
    /// The protocol's index for "no string".
    pub(crate) const NOWHERE: i64 = -1;

    /// From the protocol's signed index, where -1 stands for "no string".
    pub(crate) fn from_wire(index: i64) -> StrId {
        u32::try_from(index).map_or(StrId::NONE, StrId)
    }
}

/// The `strings` array of a DOM snapshot in one allocation: a page has tens of
/// thousands of them, most only a few bytes long.
#[derive(Default, Clone)]
pub struct StringTable {
    text: String,
    ends: Vec<usize>,
}

impl fmt::Debug for StringTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "StringTable({} strings, {} bytes)",
            self.ends.len(),
            self.text.len()
        )
    }
}

impl StringTable {
    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is no string at all.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all strings together.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// String number `index`.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index
            .checked_sub(1)
            .map_or(0, |previous| self.ends[previous]);
        self.text.get(start..end)
    }

    fn push(&mut self, s: &str) {
        self.text.push_str(s);
        self.ends.push(self.text.len());
    }
}

impl<'de> Deserialize<'de> for StringTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = StringTable;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an array of strings")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<StringTable, A::Error> {
                let mut table = StringTable::default();
                while seq.next_element_seed(Append(&mut table))?.is_some() {}
                Ok(table)
            }
        }
        deserializer.deserialize_seq(Table)
    }
}

/// Appends one JSON string to the table. Asks for bytes, because only then does
/// `serde_json` let lone surrogates of page text through.
struct Append<'a>(&'a mut StringTable);

impl<'de> serde::de::DeserializeSeed<'de> for Append<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for Append<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, s: &str) -> Result<(), E> {
        self.0.push(s);
        Ok(())
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<(), E> {
        self.0.push(&lossy_utf16_json(bytes));
        Ok(())
    }
}

/// The snapshot's table plus strings of our own (upper-case tag names, text of
/// nodes that only `DOM.getDocument` knows).
#[derive(Debug, Clone)]
pub(crate) struct Strings {
    base: Arc<StringTable>,
    extra: StringTable,
    known: HashMap<Box<str>, StrId>,
}

impl Strings {
    pub(crate) fn new(base: Arc<StringTable>) -> Self {
        Strings {
            base,
            extra: StringTable::default(),
            known: HashMap::new(),
        }
    }

    /// Bytes of all strings together.
    pub(crate) fn bytes(&self) -> usize {
        self.base.bytes() + self.extra.bytes()
    }

    pub(crate) fn get(&self, id: StrId) -> &str {
        let index = id.0 as usize;
        match index.checked_sub(self.base.len()) {
            None => self.base.get(index),
            Some(extra) => self.extra.get(extra),
        }
        .unwrap_or("")
    }

    /// Adds `s` unless it was added before. Does not look into the base table.
    pub(crate) fn intern(&mut self, s: &str) -> StrId {
        if s.is_empty() {
            return StrId::NONE;
        }
        if let Some(&id) = self.known.get(s) {
            return id;
        }
        let Ok(index) = u32::try_from(self.base.len() + self.extra.len()) else {
            return StrId::NONE;
        };
        self.extra.push(s);
        self.known.insert(s.into(), StrId(index));
        StrId(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_table_and_survives_bad_indices() {
        let table: StringTable = serde_json::from_str(r#"["a","","b\u00e9","\ud83d!"]"#).unwrap();
        assert_eq!(table.len(), 4);
        assert_eq!(table.get(0), Some("a"));
        assert_eq!(table.get(1), Some(""));
        assert_eq!(table.get(2), Some("bé"));
        assert_eq!(table.get(3), Some("\u{fffd}!"));
        assert_eq!(table.get(4), None);
        let mut strings = Strings::new(Arc::new(table));
        assert_eq!(strings.get(StrId::from_wire(-1)), "");
        assert_eq!(strings.get(StrId::from_wire(99)), "");
        let x = strings.intern("x");
        assert_eq!(strings.intern("x"), x);
        assert_eq!(strings.get(x), "x");
        assert_eq!(strings.get(StrId::from_wire(0)), "a");
    }
}
