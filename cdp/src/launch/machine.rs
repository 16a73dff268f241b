//! What the deciding parts of the launcher may know about the machine they run on.
//!
//! Finding a browser, choosing headless or the sandbox, and naming profile folders are decisions
//! over a few facts. They ask a [`Machine`] for these facts, so that the rules of Linux, macOS and
//! Windows are all tested on whatever machine builds the project. For the same reason paths are
//! plain strings here, joined with the separator of the machine in question rather than ours.

use std::path::Path;

/// The operating systems whose rules differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux and everything else that follows the XDG folders.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Os {
    /// The system this program was built for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// Joins path parts with this system's separator. Parts may themselves hold `/`, which becomes
    /// the separator too.
    pub fn join(self, base: &str, parts: &[&str]) -> String {
        let separator = if self == Self::Windows { '\\' } else { '/' };
        let mut path = base.trim_end_matches(separator).to_owned();
        for part in parts.iter().flat_map(|part| part.split('/')) {
            path.push(separator);
            path.push_str(part);
        }
        path
    }
}

/// Something at a path that is no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// A folder.
    Folder,
    /// A file that may not be executed, or something else such as a device.
    File,
}

/// Facts about a machine.
pub trait Machine {
    /// Its operating system.
    fn os(&self) -> Os;
    /// An environment variable, `None` when unset, empty or not Unicode.
    fn var(&self, name: &str) -> Option<String>;
    /// Whether a file that may be executed is there.
    fn is_executable(&self, path: &str) -> bool;
    /// What is at a path where no file is that may be executed; `None` when nothing is there or
    /// nobody can tell.
    fn other(&self, path: &str) -> Option<Other>;
    /// Names of a folder's entries in any order, empty when it cannot be read.
    fn entries(&self, folder: &str) -> Vec<String>;
    /// Whether this process has the rights of root. `false` on Windows.
    fn is_root(&self) -> bool;
}

/// The machine we run on.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThisMachine;

impl Machine for ThisMachine {
    fn os(&self) -> Os {
        Os::current()
    }

    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn is_executable(&self, path: &str) -> bool {
        is_executable(Path::new(path))
    }

    fn other(&self, path: &str) -> Option<Other> {
        let meta = std::fs::metadata(path).ok()?;
        Some(if meta.is_dir() {
            Other::Folder
        } else {
            Other::File
        })
    }

    fn entries(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }

    fn is_root(&self) -> bool {
        #[cfg(unix)]
        return rustix::process::geteuid().is_root();
        #[cfg(not(unix))]
        return false;
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path)
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// The user's home folder.
pub fn home(machine: &dyn Machine) -> Option<String> {
    match machine.os() {
        Os::Windows => machine.var("USERPROFILE"),
        Os::Linux | Os::MacOs => machine.var("HOME"),
    }
}

/// The user's cache folder: `$XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`.
/// `None` when the environment does not even name a home.
pub fn cache_dir(machine: &dyn Machine) -> Option<String> {
    let os = machine.os();
    let in_home = |parts| home(machine).map(|home| os.join(&home, parts));
    match os {
        Os::Linux => machine
            .var("XDG_CACHE_HOME")
            .or_else(|| in_home(&[".cache"])),
        Os::MacOs => in_home(&["Library", "Caches"]),
        Os::Windows => machine
            .var("LOCALAPPDATA")
            .or_else(|| in_home(&["AppData", "Local"])),
    }
}

/// Where `install-browser` puts browsers: `<cache>/playguard/browsers`.
pub fn browsers_dir(machine: &dyn Machine) -> Option<String> {
    cache_dir(machine).map(|cache| machine.os().join(&cache, &["playguard", "browsers"]))
}

#[cfg(test)]
pub(crate) mod fake {
    //! A machine made of lists.
    use super::{Machine, Os, Other};
    use std::collections::{BTreeMap, BTreeSet};

    pub struct FakeMachine {
        pub os: Os,
        pub vars: BTreeMap<String, String>,
        pub files: BTreeSet<String>,
        /// Files that may not be executed.
        pub documents: BTreeSet<String>,
        pub root: bool,
    }

    impl FakeMachine {
        pub fn new(os: Os, vars: &[(&str, &str)], files: &[&str]) -> Self {
            Self {
                os,
                vars: vars
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
                files: files.iter().map(|file| (*file).to_owned()).collect(),
                documents: BTreeSet::new(),
                root: false,
            }
        }
    }

    impl Machine for FakeMachine {
        fn os(&self) -> Os {
            self.os
        }
        fn var(&self, name: &str) -> Option<String> {
            self.vars
                .get(name)
                .filter(|value| !value.is_empty())
                .cloned()
        }
        fn is_executable(&self, path: &str) -> bool {
            self.files.contains(path)
        }
        fn other(&self, path: &str) -> Option<Other> {
            if self.documents.contains(path) {
                return Some(Other::File);
            }
            (!self.entries(path).is_empty()).then_some(Other::Folder)
        }
        fn entries(&self, folder: &str) -> Vec<String> {
            let prefix = self.os.join(folder, &[""]);
            let names: BTreeSet<String> = self
                .files
                .iter()
                .filter_map(|file| file.strip_prefix(&prefix))
                .filter_map(|rest| rest.split(['/', '\\']).next().map(str::to_owned))
                .collect();
            names.into_iter().collect()
        }
        fn is_root(&self) -> bool {
            self.root
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fake::FakeMachine;
    use super::*;

    #[test]
    fn joins_with_the_systems_separator() {
        assert_eq!(Os::Linux.join("/a/", &["b", "c/d"]), "/a/b/c/d");
        assert_eq!(Os::Windows.join(r"C:\a", &["b/c.exe"]), r"C:\a\b\c.exe");
        assert_eq!(Os::Linux.join("/", &["tmp"]), "/tmp");
    }

    #[test]
    fn cache_folders_by_system() {
        let linux = FakeMachine::new(Os::Linux, &[("HOME", "/home/a")], &[]);
        assert_eq!(cache_dir(&linux).unwrap(), "/home/a/.cache");
        let xdg = FakeMachine::new(
            Os::Linux,
            &[("HOME", "/home/a"), ("XDG_CACHE_HOME", "/c")],
            &[],
        );
        assert_eq!(browsers_dir(&xdg).unwrap(), "/c/playguard/browsers");
        let mac = FakeMachine::new(Os::MacOs, &[("HOME", "/Users/a")], &[]);
        assert_eq!(cache_dir(&mac).unwrap(), "/Users/a/Library/Caches");
        let windows = FakeMachine::new(
            Os::Windows,
            &[("LOCALAPPDATA", r"C:\Users\a\AppData\Local")],
            &[],
        );
        assert_eq!(
            browsers_dir(&windows).unwrap(),
            r"C:\Users\a\AppData\Local\playguard\browsers"
        );
        assert_eq!(cache_dir(&FakeMachine::new(Os::Linux, &[], &[])), None);
    }
}
