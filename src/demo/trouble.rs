//! Why a demo ended early.

use std::io;

use super::client::ClientError;

/// What went wrong.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Nobody reads the transcript any more. There is nobody to tell, either.
    Unheard,
    /// The user has had enough.
    Interrupted,
    /// Something failed that the user's machine can be the reason of.
    Failed(String),
    /// Everything worked, and the result is wrong.
    Wrong(String),
}

impl Trouble {
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Trouble::Failed(message.into())
    }

    pub(super) fn wrong(message: impl Into<String>) -> Self {
        Trouble::Wrong(message.into())
    }

    /// Exit code of the process. That for an interruption is the one of
    /// shells: 128 and the number of SIGINT.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Trouble::Interrupted => 130,
            _ => 1,
        }
    }
}

impl From<io::Error> for Trouble {
    /// Of writing the transcript; no other error of this type is turned into
    /// trouble without words.
    fn from(_: io::Error) -> Self {
        Trouble::Unheard
    }
}

impl From<ClientError> for Trouble {
    fn from(error: ClientError) -> Self {
        let mut text = error.to_string();
        if text.starts_with("the ") {
            text.replace_range(..1, "T");
        }
        Trouble::Failed(text + ".")
    }
}
