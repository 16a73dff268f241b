//! Mutations that keep a page what it is: JSON with parallel arrays.
//!
//! Flipping bytes of JSON mostly ends in the parser. Here most mutations change
//! values of the parsed text, and some do what only a browser would: append a
//! node with all its columns, give an element an attribute, mark it.

use serde_json::{Map, Value, json};

/// Values that mean something to the builders: names, roles, attributes, text.
const TAGS: &[&str] = &[
    "DIV",
    "SPAN",
    "A",
    "BUTTON",
    "INPUT",
    "LABEL",
    "SELECT",
    "OPTION",
    "OPTGROUP",
    "TEXTAREA",
    "TABLE",
    "TR",
    "TD",
    "TH",
    "TBODY",
    "CAPTION",
    "UL",
    "LI",
    "DL",
    "DD",
    "FIELDSET",
    "LEGEND",
    "FIGURE",
    "FIGCAPTION",
    "IMG",
    "svg",
    "title",
    "foreignObject",
    "math",
    "SLOT",
    "IFRAME",
    "FRAMESET",
    "BODY",
    "HTML",
    "DETAILS",
    "SUMMARY",
    "DIALOG",
    "H1",
    "P",
    "BR",
    "SCRIPT",
    "CANVAS",
    "VIDEO",
    "METER",
    "NAV",
    "SECTION",
    "HEADER",
    "X-Y",
];
const ATTRIBUTES: &[&str] = &[
    "id",
    "role",
    "aria-label",
    "aria-labelledby",
    "aria-describedby",
    "aria-owns",
    "aria-hidden",
    "aria-checked",
    "aria-level",
    "aria-selected",
    "aria-disabled",
    "aria-valuetext",
    "for",
    "name",
    "type",
    "href",
    "alt",
    "title",
    "placeholder",
    "value",
    "style",
    "hidden",
    "open",
    "disabled",
    "class",
    "data-testid",
    "tabindex",
    "contenteditable",
    "slot",
    "list",
    "multiple",
    "size",
];
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "b",
    "a b",
    "a b a b",
    "\u{ad}\u{200b}",
    "\u{feff}x\u{3000}",
    "x:\ny",
    "1",
    "1e3",
    "true",
    "mixed",
    "none",
    "button",
    "link",
    "row",
    "cell",
    "listbox",
    "option",
    "textbox",
    "combobox",
    "presentation",
    "heading",
    "img",
    "checkbox",
    "radio",
    "password",
    "hidden",
    "submit",
    "it's \"q\" >> \\",
    "- [x]",
    "{",
    "😀 é",
    "data:x,y",
    "open",
    "closed",
    "user-agent",
    "before",
    "after",
    "inline",
    "block",
    "contents",
    "visible",
    "pointer",
    "auto",
    "\"a\" attr(title) / \"b\"",
    "display:none",
    "x y z id1 id2",
];

/// A small generator (xorshift, Marsaglia 2003); good enough to choose with.
struct Dice(u64);

impl Dice {
    fn new(seed: u32) -> Self {
        Dice(u64::from(seed) << 1 | 1 << 40 | 1)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.roll(from.len())).copied().unwrap_or("")
    }
}

/// Mutates the first `size` bytes of `data` in place; returns the new size, at
/// most `max_size`. `bytes` is the fuzzer's own mutator, for input that is no
/// JSON and now and then for some that is.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    bytes: fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut dice = Dice::new(seed);
    if dice.roll(16) == 0 {
        return bytes(data, size, max_size);
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(&data[..size]) else {
        return bytes(data, size, max_size);
    };
    for _ in 0..=dice.roll(6) {
        match dice.roll(3) {
            0 => change_page(&mut value, &mut dice),
            _ => change_value(&mut value, &mut dice),
        }
    }
    let text = value.to_string();
    match data
        .get_mut(..text.len())
        .filter(|_| text.len() <= max_size)
    {
        Some(place) => {
            place.copy_from_slice(text.as_bytes());
            text.len()
        }
        None => bytes(data, size, max_size),
    }
}

/// Changes a random value somewhere in the tree.
fn change_value(root: &mut Value, dice: &mut Dice) {
    let other = {
        let count = count(root);
        at(root, dice.roll(count)).clone()
    };
    let count = count(root);
    let target = at(root, dice.roll(count));
    match target {
        _ if dice.roll(24) == 0 => {
            // Copies of large values would fill the input in no time.
            if other.to_string().len() < 2000 {
                *target = other;
            }
        }
        Value::Null => *target = json!(0),
        Value::Bool(on) => *on = !*on,
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or_default();
            *target = match dice.roll(9) {
                0 => json!(-1),
                1 => json!(0),
                2 => json!(old.wrapping_add(1)),
                3 => json!(old.wrapping_sub(1)),
                4 => json!(i64::MAX),
                5 => json!(u32::MAX),
                6 => json!(-1e308),
                7 if other.is_number() => other,
                _ => json!(dice.roll(64)),
            };
        }
        Value::String(text) => match dice.roll(8) {
            0 => *text = text.repeat(2),
            1 => *text = text.chars().skip(1).collect(),
            2 => text.push_str(dice.pick(TEXTS)),
            3 => *text = dice.pick(TAGS).to_owned(),
            4 => *text = dice.pick(ATTRIBUTES).to_owned(),
            5 => *text = other.as_str().unwrap_or("").to_owned(),
            _ => *text = dice.pick(TEXTS).to_owned(),
        },
        Value::Array(items) => change_array(items, other, dice),
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            let Some(name) = names.get(dice.roll(names.len())) else {
                return;
            };
            match dice.roll(3) {
                0 => {
                    members.shift_remove(name);
                }
                1 => {
                    let from = names.get(dice.roll(names.len())).unwrap_or(name);
                    let value = members.get(from).cloned().unwrap_or_default();
                    members.insert(name.clone(), value);
                }
                _ => {
                    members.insert(name.clone(), other);
                }
            }
        }
    }
}

fn change_array(items: &mut Vec<Value>, other: Value, dice: &mut Dice) {
    let (a, b) = (dice.roll(items.len()), dice.roll(items.len()));
    match dice.roll(7) {
        _ if items.is_empty() => items.push(other),
        0 => {
            items.remove(a);
        }
        1 => items.insert(a, items[b].clone()),
        2 => items.swap(a, b),
        3 => items.truncate(a),
        4 => items.reverse(),
        5 => items[a] = items[b].clone(),
        _ => {
            let copies = vec![items[a].clone(); dice.roll(8)];
            items.splice(a..a, copies);
        }
    }
}

/// Number of values in a tree.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Value number `index` in printing order, or the root if there is none.
fn at(root: &mut Value, index: usize) -> &mut Value {
    let mut target = root;
    let mut left = index;
    while left > 0 {
        left -= 1;
        let children: Vec<&mut Value> = match target {
            Value::Array(items) => items.iter_mut().collect(),
            Value::Object(members) => members.values_mut().collect(),
            // Counted wrong; cannot happen.
            leaf => return leaf,
        };
        let mut found = None;
        for child in children {
            let size = count(child);
            if left < size {
                found = Some(child);
                break;
            }
            left -= size;
        }
        match found {
            Some(child) => target = child,
            None => unreachable!("index beyond the tree"),
        }
    }
    target
}

/// Changes the first or another document as a browser could have.
fn change_page(root: &mut Value, dice: &mut Dice) {
    let Some(dom) = root.get_mut("dom").filter(|dom| dom.is_object()) else {
        return;
    };
    let mut strings = std::mem::take(&mut dom["strings"]);
    if let Value::Array(table) = &mut strings
        && let Some(Value::Array(documents)) = dom.get_mut("documents")
        && !documents.is_empty()
    {
        let chosen = dice.roll(documents.len());
        let document = &mut documents[chosen];
        match dice.roll(4) {
            0 => mark(document, table, dice),
            1 => set_attribute(document, table, dice),
            _ => append_node(document, table, dice),
        }
    }
    dom["strings"] = strings;
}

/// Index of a text in the table.
fn intern(table: &mut Vec<Value>, text: &str) -> usize {
    let known = table.iter().position(|known| known == text);
    known.unwrap_or_else(|| {
        table.push(json!(text));
        table.len() - 1
    })
}

/// A column of a table, made an array if it is none.
fn column<'v>(table: &'v mut Value, name: &str) -> Option<&'v mut Vec<Value>> {
    let column = table
        .as_object_mut()?
        .entry(name)
        .or_insert_with(|| json!([]));
    column.as_array_mut()
}

fn append_node(document: &mut Value, table: &mut Vec<Value>, dice: &mut Dice) {
    let Some(nodes) = document.get_mut("nodes").filter(|nodes| nodes.is_object()) else {
        return;
    };
    let Some(count) = column(nodes, "nodeName").map(|names| names.len()) else {
        return;
    };
    let is_text = dice.roll(3) == 0;
    let (name, value) = match is_text {
        true => ("#text", intern(table, dice.pick(TEXTS)) as i64),
        false => (dice.pick(TAGS), -1),
    };
    let name = intern(table, name);
    // Mostly near the end, so that chains grow.
    let parent = if dice.roll(2) == 0 {
        count.saturating_sub(1)
    } else {
        dice.roll(count)
    };
    let mut attributes = Vec::new();
    for _ in 0..dice.roll(4) * usize::from(!is_text) {
        attributes.push(json!(intern(table, dice.pick(ATTRIBUTES))));
        attributes.push(json!(intern(table, dice.pick(TEXTS))));
    }
    let columns = [
        ("parentIndex", json!(parent)),
        ("nodeType", json!(if is_text { 3 } else { 1 })),
        ("nodeName", json!(name)),
        ("nodeValue", json!(value)),
        ("backendNodeId", json!(1000 + count)),
        ("attributes", Value::Array(attributes)),
    ];
    for (name, value) in columns {
        if let Some(column) = column(nodes, name) {
            column.resize(count, Value::Null);
            column.push(value);
        }
    }
    if dice.roll(4) > 0 {
        lay_out(document, count, table, dice);
    }
}

fn lay_out(document: &mut Value, node: usize, table: &mut Vec<Value>, dice: &mut Dice) {
    let Some(layout) = document
        .get_mut("layout")
        .filter(|layout| layout.is_object())
    else {
        return;
    };
    let Some(count) = column(layout, "nodeIndex").map(|rows| rows.len()) else {
        return;
    };
    let mut style = |usual: &str| {
        let value = if dice.roll(4) == 0 {
            dice.pick(TEXTS)
        } else {
            usual
        };
        json!(intern(table, value))
    };
    let styles = ["block", "visible", "auto", "auto", "normal", "visible"].map(&mut style);
    let rows = [
        ("nodeIndex", json!(node)),
        ("styles", json!(styles)),
        ("bounds", json!([8, dice.roll(500), dice.roll(3) * 50, 20])),
    ];
    for (name, value) in rows {
        if let Some(column) = column(layout, name) {
            column.resize(count, json!([]));
            column.push(value);
        }
    }
}

fn set_attribute(document: &mut Value, table: &mut Vec<Value>, dice: &mut Dice) {
    let Some(nodes) = document.get_mut("nodes") else {
        return;
    };
    let Some(rows) = column(nodes, "attributes") else {
        return;
    };
    let chosen = dice.roll(rows.len());
    if let Some(Value::Array(row)) = rows.get_mut(chosen) {
        row.push(json!(intern(table, dice.pick(ATTRIBUTES))));
        row.push(json!(intern(table, dice.pick(TEXTS))));
    }
}

/// Marks a node: pseudo element, shadow tree, value, checked …
fn mark(document: &mut Value, table: &mut Vec<Value>, dice: &mut Dice) {
    let Some(nodes) = document.get_mut("nodes").filter(|nodes| nodes.is_object()) else {
        return;
    };
    let Some(count) = column(nodes, "nodeName").map(|names| names.len()) else {
        return;
    };
    let node = dice.roll(count);
    let (name, value) = match dice.roll(7) {
        0 => (
            "shadowRootType",
            Some(dice.pick(&["open", "closed", "user-agent"])),
        ),
        1 => (
            "pseudoType",
            Some(dice.pick(&["before", "after", "marker"])),
        ),
        2 => ("inputValue", Some(dice.pick(TEXTS))),
        3 => ("textValue", Some(dice.pick(TEXTS))),
        4 => ("inputChecked", None),
        5 => ("optionSelected", None),
        _ => ("contentDocumentIndex", None),
    };
    let empty = || Value::Object(Map::new());
    let Some(nodes) = nodes.as_object_mut() else {
        return;
    };
    let rare = nodes.entry(name).or_insert_with(empty);
    if !rare.is_object() {
        *rare = empty();
    }
    if let Some(index) = column(rare, "index") {
        index.push(json!(node));
    }
    let value = match value {
        Some(text) => intern(table, text),
        None => dice.roll(4),
    };
    if let Some(values) = column(rare, "value") {
        values.push(json!(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_in_printing_order() {
        let mut value = json!({"a": [1, {"b": 2}], "c": 3});
        assert_eq!(count(&value), 6);
        assert_eq!(at(&mut value, 2), &json!(1));
        assert_eq!(at(&mut value, 4), &json!(2));
        assert_eq!(at(&mut value, 5), &json!(3));
        assert!(at(&mut value, 0).is_object());
    }

    #[test]
    fn pages_stay_pages() {
        let seed =
            br#"{"dom":{"documents":[{"nodes":{"nodeName":[0]},"layout":{}}],"strings":["HTML"]}}"#;
        let mut changed = 0;
        for round in 0..2000 {
            let mut data = vec![0; 4096];
            data[..seed.len()].copy_from_slice(seed);
            let size = mutate(&mut data, seed.len(), 4096, round, |_, size, _| size);
            changed += usize::from(data[..size] != *seed);
            assert!(serde_json::from_slice::<Value>(&data[..size]).is_ok());
        }
        assert!(changed > 1000, "{changed}");
    }
}
