//! The forms in which code may come, and what is made of each.

/// What the code of a run may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// An expression whose value is a function of `page`, as upstream has it.
    Function,
    /// That, or any expression (its value is the result), or statements (with `return` and
    /// `await`); `page` is a global. A semicolon after a function is forgiven.
    #[default]
    Lenient,
}

/// Source whose value is a function without parameters that makes the code's value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrapped {
    pub(super) text: String,
    /// Characters in front of the code on its first line.
    pub(super) shift: u32,
}

impl Form {
    /// What to try, in this order; the first that can be read is meant.
    ///
    /// Each is a function that is not called yet, so that nothing runs while we try.
    pub(super) fn attempts(self, code: &str) -> Vec<Wrapped> {
        let wrap = |before: &str, code: &str, after: &str| Wrapped {
            // The line break ends a comment in the last line.
            text: format!("{before}{code}\n{after}"),
            shift: before.len() as u32,
        };
        match self {
            Form::Function => vec![wrap("(() => (", code, "))")],
            Form::Lenient => {
                let bare = code.trim_end().trim_end_matches(';');
                vec![
                    wrap("(() => (", bare, "))"),
                    wrap("(async () => (", bare, "))"),
                    wrap("(async () => {", code, "})"),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_on_its_lines() {
        for form in [Form::Function, Form::Lenient] {
            for wrapped in form.attempts("one\ntwo") {
                let mut lines = wrapped.text.lines();
                let first = lines.next().unwrap();
                assert_eq!(&first[wrapped.shift as usize..], "one");
                assert_eq!(lines.next(), Some("two"));
            }
        }
    }
}
