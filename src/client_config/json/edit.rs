//! New members in an object, in the hand of whoever wrote the rest.

use serde_json::{Map, Value};

use super::super::{Edit, line_end};
use super::scan::Object;

/// How a text is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    line_end: &'static str,
    /// One step of indentation.
    step: String,
    layout: Layout,
}

/// What is between the parts of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Line ends.
    Lines,
    /// Spaces.
    Spaces,
    /// Nothing.
    Dense,
}

impl Style {
    /// The usual one: a member a line, two spaces a step.
    pub(super) fn usual(line_end: &'static str) -> Self {
        Style {
            line_end,
            step: "  ".to_owned(),
            layout: Layout::Lines,
        }
    }

    /// That of a text whose outermost object is `root`.
    pub(super) fn of(text: &str, root: &Object) -> Self {
        let usual = Self::usual(line_end(text));
        let inside = &text[root.open..=root.close];
        let layout = match root.members.first() {
            None => Layout::Lines,
            Some(_) if inside.contains('\n') => Layout::Lines,
            Some(first) => {
                // Told by what follows the first colon.
                let spaced = text[..first.value.start].ends_with(' ');
                if spaced {
                    Layout::Spaces
                } else {
                    Layout::Dense
                }
            }
        };
        let step = root
            .members
            .first()
            .and_then(|member| own_line(text, member.start))
            .filter(|step| !step.is_empty())
            .map_or(usual.step, str::to_owned);
        Style {
            line_end: usual.line_end,
            step,
            layout,
        }
    }

    /// A value whose first line is indented by `indent`. Only objects are broken into lines.
    pub(super) fn render(&self, value: &Value, indent: &str) -> String {
        let Value::Object(members) = value else {
            return self.render_in_line(value);
        };
        if self.layout != Layout::Lines || members.is_empty() {
            return self.render_in_line(value);
        }
        let inner = format!("{indent}{}", self.step);
        let lines: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("{inner}{}", self.member(key, value, &inner)))
            .collect();
        let end = self.line_end;
        let lines = lines.join(&format!(",{end}"));
        format!("{{{end}{lines}{end}{indent}}}")
    }

    /// A value in one line.
    pub(super) fn render_in_line(&self, value: &Value) -> String {
        if self.layout == Layout::Dense {
            return value.to_string();
        }
        match value {
            Value::Object(members) if !members.is_empty() => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| {
                        format!(
                            "{}: {}",
                            Value::from(key.as_str()),
                            self.render_in_line(value)
                        )
                    })
                    .collect();
                format!("{{ {} }}", members.join(", "))
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|v| self.render_in_line(v)).collect();
                format!("[{}]", items.join(", "))
            }
            other => other.to_string(),
        }
    }

    fn member(&self, key: &str, value: &Value, indent: &str) -> String {
        let space = if self.layout == Layout::Dense {
            ""
        } else {
            " "
        };
        let key = Value::from(key);
        format!("{key}:{space}{}", self.render(value, indent))
    }

    /// How members are put into `object`: one that stands in a single line stays so.
    fn inside(&self, text: &str, object: &Object) -> Self {
        let one_line = !text[object.open..object.close].contains('\n');
        let layout = match self.layout {
            Layout::Lines if one_line && !object.members.is_empty() => Layout::Spaces,
            layout => layout,
        };
        Style {
            layout,
            ..self.clone()
        }
    }
}

/// The changes that put members behind those that an object has.
pub(super) fn insert(
    text: &str,
    object: &Object,
    members: &Map<String, Value>,
    style: &Style,
) -> Vec<Edit> {
    let style = style.inside(text, object);
    let outer = indent(text, object.open);
    // As its last member is, if that begins a line.
    let inner = object
        .members
        .last()
        .and_then(|last| own_line(text, last.start))
        .map_or_else(|| format!("{outer}{}", style.step), str::to_owned);
    let rendered: Vec<String> = members
        .iter()
        .map(|(key, value)| style.member(key, value, &inner))
        .collect();

    // Whoever writes a comma behind the last member gets one behind ours.
    let comma = if object.trailing_comma.is_some() {
        ","
    } else {
        ""
    };
    // Comments behind the last member stay with it.
    let kept = text[..object.close].trim_end_matches(SPACE).len();
    if style.layout == Layout::Lines {
        let end = style.line_end;
        let mut edits = Vec::new();
        if let (Some(last), None) = (object.members.last(), object.trailing_comma) {
            edits.push((last.value.end..last.value.end, ",".to_owned()));
        }
        let lines = rendered.join(&format!(",{end}{inner}"));
        let new = format!("{end}{inner}{lines}{comma}");
        if text[kept..object.close].contains('\n') && !object.members.is_empty() {
            edits.push((kept..kept, new));
        } else {
            edits.push((kept..object.close, format!("{new}{end}{outer}")));
        }
        return edits;
    }
    let space = if style.layout == Layout::Dense {
        ""
    } else {
        " "
    };
    let joined = rendered.join(&format!(",{space}"));
    match (object.members.last(), object.trailing_comma) {
        (None, _) => vec![(kept..object.close, format!("{space}{joined}{space}"))],
        (Some(last), None) => {
            let end = last.value.end;
            vec![(end..end, format!(",{space}{joined}"))]
        }
        (Some(_), Some(end)) => vec![(end..end, format!("{space}{joined},"))],
    }
}

/// Space, as JSON has it.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The space at the beginning of the line that this place is in.
fn indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The space before this place, if nothing else is before it in its line.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let line_start = text[..at].rfind('\n')? + 1;
    let before = &text[line_start..at];
    before
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\t'))
        .then_some(before)
}
