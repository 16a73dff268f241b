//! How a run fails.

use std::fmt;

use super::limits::Limit;

/// Why a script has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The script threw, or could not be read.
    #[error("{0}")]
    Thrown(Thrown),
    /// A limit was reached. After [`Limit::Time`] and [`Limit::Memory`] the session is over.
    #[error("Error: PlayGuard: {limit}{}", at(*line))]
    Limit { limit: Limit, line: Option<u32> },
    /// The script waits for something that cannot happen any more.
    #[error(
        "Error: PlayGuard: the script waits for a promise that nothing can settle: no call, timer or event handler is left"
    )]
    Stalled,
    /// The session is over, because of an earlier limit or because it was closed.
    #[error("Error: PlayGuard: the script's session has ended")]
    Ended,
    /// The engine itself failed.
    #[error("Error: PlayGuard: the script engine failed: {0}")]
    Engine(String),
}

fn at(line: Option<u32>) -> String {
    line.map(|line| format!(" (line {line})"))
        .unwrap_or_default()
}

/// An exception of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thrown {
    /// As JavaScript prints it: `TypeError: x is not a function`.
    pub text: String,
    /// Line of the script's own code, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// What to do instead, when the script used something that is not there.
    pub hint: Option<&'static str>,
    /// Nobody waited for it: a callback threw, or a promise was left alone.
    pub in_callback: bool,
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if let Some(hint) = self.hint {
            write!(f, "\n{hint}")?;
        }
        if let Some(line) = self.line {
            write!(f, "\n    at line {line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

impl Thrown {
    /// The text as upstream prints it, with nothing of ours.
    pub fn upstream_text(&self) -> String {
        if self.in_callback {
            format!("Error: {0}\n\n{0}", self.text)
        } else {
            self.text.clone()
        }
    }
}
