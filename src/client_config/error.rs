//! Why an entry cannot be put into a file.

/// Why an entry cannot be put into a text. The texts begin where a path and a colon end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// The text is not what its format allows.
    #[error("line {line}, column {column}: {what}")]
    Broken {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// What is there, or is missing.
        what: &'static str,
    },
    /// Something other than a table of settings is in the way.
    #[error("{place} is not {wanted}")]
    Shape {
        /// What is in the way, in words or as a path of keys.
        place: String,
        /// What it would have to be.
        wanted: &'static str,
    },
    /// The entry of this name is a server that is not started but called.
    #[error("{name} is a server at an address ({key}); choose another name with --name")]
    Remote {
        /// Name of the entry.
        name: String,
        /// The key that says so.
        key: String,
    },
    /// What would have to be replaced has a comment in it.
    #[error("{place} has a comment in it, which would be lost")]
    Comment {
        /// Path of keys.
        place: String,
    },
}

impl MergeError {
    /// The text is broken `at` this byte, or at the character that this byte is part of.
    pub(super) fn broken(text: &str, at: usize, what: &'static str) -> Self {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        MergeError::Broken {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what,
        }
    }
}
