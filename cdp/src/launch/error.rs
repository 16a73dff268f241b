//! Why a browser did not start.

use std::fmt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use super::args::ArgError;
use super::find::NotFound;
use super::profile::{ProfileError, busy_message};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The exit code, when it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// It ended, and nobody can tell how.
    pub(super) const UNKNOWN: Self = Self {
        code: None,
        signal: None,
    };
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Self {
            code: status.code(),
            signal,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (None, Some(signal)) => match signal_name(signal) {
                Some(name) => write!(f, "signal {signal} ({name})"),
                None => write!(f, "signal {signal}"),
            },
            (None, None) => f.write_str("for an unknown reason"),
        }
    }
}

/// Signals that have the same number on Linux and macOS.
const fn signal_name(signal: i32) -> Option<&'static str> {
    match signal {
        2 => Some("SIGINT"),
        4 => Some("SIGILL"),
        5 => Some("SIGTRAP"),
        6 => Some("SIGABRT"),
        9 => Some("SIGKILL"),
        11 => Some("SIGSEGV"),
        15 => Some("SIGTERM"),
        _ => None,
    }
}

/// A browser that did not start, or did not come to answer.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No browser is there.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The switches cannot be used.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The profile cannot be used; [`ProfileError::Busy`] is the one to answer with a fresh profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The browser itself found its profile in use.
    #[error("{}", busy_message(.dir))]
    ProfileInUse {
        /// The profile folder.
        dir: PathBuf,
    },
    /// The program could not be started.
    #[error("Failed to start the browser {}: {source}", .program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It ended before it answered.
    #[error("The browser ended before it could be used: {exit}.{}", .report)]
    Exited {
        /// How it ended.
        exit: Exit,
        /// What else is known.
        report: Report,
    },
    /// It runs, but does not answer.
    #[error("The browser did not answer within {} s of its start.{}", .limit.as_secs_f32(), .report)]
    TimedOut {
        /// How long was waited.
        limit: Duration,
        /// What else is known.
        report: Report,
    },
    /// It answered with something else than was asked for.
    #[error("The browser started, but talking to it failed: {}.{}", .reason.trim_end_matches('.'), .report)]
    Handshake {
        /// What was wrong.
        reason: String,
        /// What else is known.
        report: Report,
    },
}

impl LaunchError {
    /// What an error says when the browser could not have its sandbox.
    pub const NO_SANDBOX_HERE: &str = "The browser's sandbox cannot be used here (as root, in most containers, and where user \
         namespaces are restricted). Start with --no-sandbox.";

    /// What an error says when there was nothing to open a window on.
    pub const NO_DISPLAY_HERE: &str =
        "There is no display to open a window on. Start with --headless.";

    /// Whether a fresh profile may help where this one did not.
    pub const fn is_profile_busy(&self) -> bool {
        matches!(
            self,
            Self::ProfileInUse { .. } | Self::Profile(ProfileError::Busy { .. })
        )
    }

    /// The error of a browser that has ended.
    pub(super) fn exited(exit: Exit, profile: &std::path::Path, report: Report) -> Self {
        /// Chromium's code for a profile that is in use.
        const PROFILE_IN_USE: i32 = 21;
        let says_in_use = report.output.contains("ProcessSingleton")
            || report.output.contains("profile appears to be in use");
        // It gave its work to the browser that has the profile, and ended well.
        let handed_over = report.output.contains("existing browser session");
        if exit.code == Some(PROFILE_IN_USE) || (says_in_use && exit.code != Some(0)) || handed_over
        {
            return Self::ProfileInUse {
                dir: profile.to_path_buf(),
            };
        }
        Self::Exited { exit, report }
    }
}

/// What is known about a failed start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The program.
    pub program: PathBuf,
    /// The end of what it printed.
    pub output: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\nProgram: {}", self.program.display())?;
        let output = self.output.trim();
        if output.is_empty() {
            f.write_str("\nIt printed nothing.")?;
        } else {
            write!(f, "\nIts last output:\n{output}")?;
        }
        match hint(output) {
            Some(hint) => write!(f, "\n{hint}"),
            None => Ok(()),
        }
    }
}

/// What to do about a start that failed with this output.
fn hint(output: &str) -> Option<&'static str> {
    let has = |text: &str| output.contains(text);
    if has("without --no-sandbox")
        || has("No usable sandbox")
        || has("Failed to move to new namespace")
        || has("SUID sandbox helper")
    {
        Some(LaunchError::NO_SANDBOX_HERE)
    } else if has("error while loading shared libraries") {
        Some(
            "A library that the browser needs is missing. Installing your system's own chromium \
             package brings everything it needs.",
        )
    } else if has("Missing X server")
        || has("cannot open display")
        || has("Failed to connect to Wayland")
    {
        Some(LaunchError::NO_DISPLAY_HERE)
    } else if has("snap install chromium") || has("requires the chromium snap") {
        Some(
            "This is only a stand-in for a snap. Run `playguard install-browser`, or name another browser with --executable-path.",
        )
    } else if has("No space left on device") {
        Some("The disk with the profile is full.")
    } else if has("Exec format error") || has("cannot execute binary file") {
        Some("This browser was built for another kind of machine.")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn report(output: &str) -> Report {
        Report {
            program: "/opt/x/chrome".into(),
            output: output.to_owned(),
        }
    }

    const SEVEN: Exit = Exit {
        code: Some(7),
        signal: None,
    };

    #[test]
    fn output_and_code_are_in_the_error() {
        let text = LaunchError::exited(SEVEN, Path::new("/p"), report("boom\n")).to_string();
        for part in ["exit code 7", "/opt/x/chrome", "boom"] {
            assert!(text.contains(part), "{text}");
        }
        let killed = Exit {
            code: None,
            signal: Some(9),
        };
        assert_eq!(killed.to_string(), "signal 9 (SIGKILL)");
    }

    #[test]
    fn sentences_end_once() {
        for reason in ["Timeout 30000ms exceeded.", "Timeout 30000ms exceeded"] {
            let error = LaunchError::Handshake {
                reason: reason.to_owned(),
                report: report(""),
            };
            assert!(
                error
                    .to_string()
                    .contains("failed: Timeout 30000ms exceeded.\n")
            );
        }
    }

    #[test]
    fn hints_name_the_way_out() {
        let root = "ERROR: Running as root without --no-sandbox is not supported.";
        assert!(report(root).to_string().contains("Start with --no-sandbox"));
        let library = "chrome: error while loading shared libraries: libnss3.so";
        assert!(report(library).to_string().contains("chromium package"));
        assert_eq!(hint("anything else"), None);
    }

    #[test]
    fn a_busy_profile_is_told_from_other_failures() {
        let in_use = Exit {
            code: Some(21),
            signal: None,
        };
        let error = LaunchError::exited(in_use, Path::new("/p"), report(""));
        assert!(error.is_profile_busy());
        assert_eq!(
            error.to_string(),
            "Browser is already in use for /p, use --isolated to run multiple instances of the same browser"
        );
        let singleton = report("Failed to create a ProcessSingleton for your profile directory.");
        assert!(LaunchError::exited(SEVEN, Path::new("/p"), singleton).is_profile_busy());
        assert!(!LaunchError::exited(SEVEN, Path::new("/p"), report("x")).is_profile_busy());
    }
}
