//! Collecting the facts that have nothing to do with the browser itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{BrowserFacts, Facts, Folder, LinuxFacts};
use crate::config::{Config, without_credentials};

/// Variables through which programs learn of a proxy.
const PROXY_VARIABLES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Variables that hold keys of services, which the launcher keeps from the
/// browser.
const KEY_VARIABLES: &[&str] = &["FIGMA_TOKEN", "FIGMA_API_KEY", "JEV_API_KEY"];

/// Collects the facts about this machine.
///
/// `env` answers for one variable name. `output` is the folder where files
/// would go. Folders are tried by writing an empty file and removing it; none
/// is made.
pub fn gather(
    config: &Config,
    env: &dyn Fn(&str) -> Option<String>,
    output: &Path,
    browser: BrowserFacts,
) -> Facts {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    Facts {
        output: folder(output),
        profile: browser.profile.as_ref().map(|profile| folder(&profile.dir)),
        configured_proxy: config
            .proxy
            .as_ref()
            .map(|proxy| without_credentials(&proxy.server)),
        proxies: PROXY_VARIABLES
            .iter()
            .filter_map(|name| Some((*name, without_credentials(&set(name)?))))
            .collect(),
        keys: KEY_VARIABLES
            .iter()
            .copied()
            .filter(|name| set(name).is_some())
            .collect(),
        linux: cfg!(target_os = "linux").then(|| linux(&set)),
        browser,
    }
}

/// Whether a file could be made in this folder, or in the nearest parent that
/// exists: the rest would be created when needed.
fn folder(path: &Path) -> Folder {
    let nearest = path.ancestors().find(|parent| parent.exists());
    let problem = match nearest {
        None => Some("no such folder".to_owned()),
        Some(parent) if !parent.is_dir() => Some(format!("{} is a file", parent.display())),
        Some(parent) => try_writing(parent).err().map(|error| error.to_string()),
    };
    Folder {
        path: path.to_owned(),
        problem,
    }
}

/// Rights are not read but tried: file systems that are mounted read-only and
/// confined processes do not show in them.
fn try_writing(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!(".playguard-doctor-{}", std::process::id()));
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&file)?;
    fs::remove_file(&file)
}

fn linux(set: &dyn Fn(&str) -> Option<String>) -> LinuxFacts {
    LinuxFacts {
        locale: ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set),
        fonts: font_folders(set).iter().any(|folder| has_font(folder)),
        shared_memory: space("/dev/shm".as_ref()).map(|space| space.size),
        temporary: space(&std::env::temp_dir()).map(|space| (std::env::temp_dir(), space.free)),
        namespaces_restricted: says("/proc/sys/kernel/unprivileged_userns_clone", "0")
            || says(
                "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
                "1",
            )
            || says("/proc/sys/user/max_user_namespaces", "0"),
    }
}

fn says(file: &str, text: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|content| content.trim() == text)
}

fn font_folders(set: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let mut folders = vec![
        PathBuf::from("/usr/share/fonts"),
        PathBuf::from("/usr/local/share/fonts"),
    ];
    if let Some(home) = set("HOME") {
        folders.push(Path::new(&home).join(".fonts"));
        folders.push(Path::new(&home).join(".local/share/fonts"));
    }
    folders
}

/// Entries to look at before giving up on a folder: a font is among the first,
/// if there is one.
const FONT_SEARCH_LIMIT: usize = 5_000;

fn has_font(folder: &Path) -> bool {
    let mut pending = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > FONT_SEARCH_LIMIT {
                return false;
            }
            let path = entry.path();
            let is_font = path
                .extension()
                .and_then(|extension| extension.to_str())
                .is_some_and(|extension| {
                    ["ttf", "otf", "ttc", "pfb", "woff", "woff2"]
                        .iter()
                        .any(|known| extension.eq_ignore_ascii_case(known))
                });
            if is_font {
                return true;
            }
            // The type of the entry, not of what a link points to, so that
            // links in a circle are not followed.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(path);
            }
        }
    }
    false
}

/// Room of a file system, in bytes.
struct Space {
    size: u64,
    /// What is left for us, who may not use what is kept for root.
    free: u64,
}

#[cfg(unix)]
fn space(folder: &Path) -> Option<Space> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(Space {
        size: stat.f_blocks.saturating_mul(stat.f_frsize),
        free: stat.f_bavail.saturating_mul(stat.f_frsize),
    })
}

#[cfg(not(unix))]
fn space(_folder: &Path) -> Option<Space> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test's own, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!(
                "playguard-doctor-test-{}-{name}",
                std::process::id()
            ));
            fs::create_dir_all(&path).expect("a folder in the temporary folder");
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_fine_and_stays_absent() {
        let scratch = Scratch::new("absent");
        let wanted = scratch.0.join("a/b");
        assert_eq!(folder(&wanted).problem, None);
        assert!(!scratch.0.join("a").exists());
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 0);
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let scratch = Scratch::new("file");
        let file = scratch.0.join("f");
        fs::write(&file, "").unwrap();
        let problem = folder(&file.join("out")).problem.unwrap();
        assert_eq!(problem, format!("{} is a file", file.display()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_files_is_found_out() {
        // Not even root can write there.
        assert!(folder(Path::new("/proc/sys")).problem.is_some());
    }

    #[test]
    fn fonts_are_found_in_subfolders() {
        let scratch = Scratch::new("fonts");
        assert!(!has_font(&scratch.0));
        fs::create_dir_all(scratch.0.join("truetype/x")).unwrap();
        fs::write(scratch.0.join("truetype/x/A.TTF"), "").unwrap();
        assert!(has_font(&scratch.0));
        assert!(!has_font(&scratch.0.join("nowhere")));
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_end() {
        let scratch = Scratch::new("circle");
        std::os::unix::fs::symlink(&scratch.0, scratch.0.join("again")).unwrap();
        assert!(!has_font(&scratch.0));
    }
}
