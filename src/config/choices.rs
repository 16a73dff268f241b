//! The settings whose values are a fixed list of words, and what each word
//! stands for. Reading, messages and completion scripts all go by these.

use super::options::Setting;
use super::{ConsoleLevel, FilePaths, ImageResponses, SnapshotMode, SnapshotSource};

/// A word, and what it stands for.
pub(super) type Choices<T> = &'static [(&'static str, T)];

/// The values of `--browser`, with the channel that each stands for.
pub(super) const BROWSERS: Choices<&str> = &[
    ("chrome", "chrome"),
    ("chrome-beta", "chrome-beta"),
    ("chrome-dev", "chrome-dev"),
    ("chrome-canary", "chrome-canary"),
    ("msedge", "msedge"),
    ("msedge-beta", "msedge-beta"),
    ("msedge-dev", "msedge-dev"),
    ("msedge-canary", "msedge-canary"),
    ("chromium", "chrome-for-testing"),
];

/// The values of `--file-paths`.
pub(super) const FILE_PATHS: Choices<FilePaths> = &[
    ("relative", FilePaths::Relative),
    ("absolute", FilePaths::Absolute),
];

/// The values of `--snapshot-mode`.
pub(super) const SNAPSHOT_MODES: Choices<SnapshotMode> =
    &[("full", SnapshotMode::Full), ("none", SnapshotMode::None)];

/// The values of `--snapshot-source`.
pub(super) const SNAPSHOT_SOURCES: Choices<SnapshotSource> =
    &[("dom", SnapshotSource::Dom), ("ax", SnapshotSource::Ax)];

/// The values of `--image-responses`.
pub(super) const IMAGE_RESPONSES: Choices<ImageResponses> = &[
    ("allow", ImageResponses::Allow),
    ("omit", ImageResponses::Omit),
    ("only", ImageResponses::Only),
];

/// The values of `--console-level`.
pub(super) const CONSOLE_LEVELS: Choices<ConsoleLevel> = &[
    ("error", ConsoleLevel::Error),
    ("warning", ConsoleLevel::Warning),
    ("info", ConsoleLevel::Info),
    ("debug", ConsoleLevel::Debug),
];

pub(super) fn words<T>(choices: &[(&'static str, T)]) -> Vec<&'static str> {
    choices.iter().map(|(word, _)| *word).collect()
}

impl Setting {
    /// The words that this setting takes; none when it is not a fixed list.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Setting::Browser => words(BROWSERS),
            Setting::FilePaths => words(FILE_PATHS),
            Setting::SnapshotMode => words(SNAPSHOT_MODES),
            Setting::SnapshotSource => words(SNAPSHOT_SOURCES),
            Setting::ImageResponses => words(IMAGE_RESPONSES),
            Setting::ConsoleLevel => words(CONSOLE_LEVELS),
            _ => Vec::new(),
        }
    }
}
