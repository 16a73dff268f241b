//! Finding a browser: where each channel lives on each system, and in which order to look.
//!
//! Nothing here starts anything or touches the disk itself; see [`Machine`].

use std::path::{Path, PathBuf};

use super::machine::{self, Machine, Os, Other};
use super::places::{chrome_for_testing, linux_place, mac_app, path_names, windows_place};

/// A named browser, as `--browser` takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Google Chrome, stable.
    Chrome,
    /// Google Chrome, beta.
    ChromeBeta,
    /// Google Chrome, dev ("unstable" on Linux).
    ChromeDev,
    /// Google Chrome, canary.
    ChromeCanary,
    /// Microsoft Edge, stable.
    MsEdge,
    /// Microsoft Edge, beta.
    MsEdgeBeta,
    /// Microsoft Edge, dev.
    MsEdgeDev,
    /// Microsoft Edge, canary.
    MsEdgeCanary,
    /// Chromium or Chrome for Testing.
    Chromium,
}

impl Channel {
    /// Every channel, for help texts.
    pub const ALL: [Self; 9] = [
        Self::Chrome,
        Self::ChromeBeta,
        Self::ChromeDev,
        Self::ChromeCanary,
        Self::MsEdge,
        Self::MsEdgeBeta,
        Self::MsEdgeDev,
        Self::MsEdgeCanary,
        Self::Chromium,
    ];

    /// The channel of a `--browser` value; `chrome-for-testing` means the same as `chromium`.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "chrome-for-testing" {
            return Some(Self::Chromium);
        }
        Self::ALL.into_iter().find(|channel| channel.name() == name)
    }

    /// Its name as a flag value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
            Self::ChromeBeta => "chrome-beta",
            Self::ChromeDev => "chrome-dev",
            Self::ChromeCanary => "chrome-canary",
            Self::MsEdge => "msedge",
            Self::MsEdgeBeta => "msedge-beta",
            Self::MsEdgeDev => "msedge-dev",
            Self::MsEdgeCanary => "msedge-canary",
            Self::Chromium => "chromium",
        }
    }
}

/// What sort of program was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserKind {
    /// The whole browser.
    Chrome,
    /// The headless shell: it has no windows, no extensions and no PDF viewer.
    HeadlessShell,
}

/// A packaging that gives the browser a file system of its own, so that it cannot use a profile
/// wherever we like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Snap: no hidden folders, its own `/tmp`.
    Snap,
    /// Flatpak: its own `/tmp`, only folders that were granted.
    Flatpak,
}

/// A browser that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The program to start.
    pub path: PathBuf,
    /// What it is, told by its name.
    pub kind: BrowserKind,
    /// How it is packaged, when that limits where its profile may be.
    pub confinement: Option<Confinement>,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// `--executable-path`: this program and no other.
    pub executable: Option<&'a Path>,
    /// A channel that the user named: this channel and no other. `None`: Chrome if it is there, else
    /// any Chromium.
    pub channel: Option<Channel>,
    /// It will run headless, so that a headless shell will do where nothing else is found.
    pub headless: bool,
    /// Look for a headless shell first. It starts in half the time of the whole browser, and differs
    /// from it (see [`BrowserKind::HeadlessShell`]).
    pub prefer_shell: bool,
}

/// No browser is there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct NotFound {
    /// The program that was asked for by path.
    pub executable: Option<PathBuf>,
    /// What is there instead of a program, if anything.
    pub instead: Option<Other>,
    /// The channel that was asked for.
    pub channel: Option<Channel>,
    /// Every place that was looked at, in order.
    pub tried: Vec<String>,
}

impl NotFound {
    fn message(&self) -> String {
        if let Some(path) = &self.executable {
            let path = path.display();
            let (what, remedy) = match self.instead {
                None => (format!("executable doesn't exist at {path}"), "Check"),
                Some(Other::Folder) => (
                    format!("{path} is a folder"),
                    "Name the program in it (in an app on macOS, the one in Contents/MacOS) with",
                ),
                Some(Other::File) => (
                    format!("{path} is not executable"),
                    "Make it executable if it is a browser, or check",
                ),
            };
            return format!(
                "Failed to launch chromium because {what}. {remedy} --executable-path, or leave it \
                 out to use an installed browser."
            );
        }
        let remedy = match self.channel {
            None => {
                "Install Chrome or Chromium, run `playguard install-browser`, \
                 or name a browser with --executable-path."
            }
            Some(Channel::Chromium) => {
                "Run `playguard install-browser`, or install your system's chromium package."
            }
            Some(channel) if channel.name().starts_with("msedge") => {
                "Install it from Microsoft, or leave out --browser to use any Chromium."
            }
            Some(_) => "Install it from Google, or leave out --browser to use any Chromium.",
        };
        let what = match self.channel {
            None => "No Chrome or Chromium was found".to_owned(),
            Some(channel) => format!("The browser '{}' was not found", channel.name()),
        };
        let mut text = format!("{what}. Looked at:\n");
        for place in &self.tried {
            text.push_str("  ");
            text.push_str(place);
            text.push('\n');
        }
        text.push_str(remedy);
        text
    }

    /// Upstream's text for the same failure, for `--stock`.
    pub fn stock_message(&self) -> String {
        if let Some(path) = &self.executable {
            return format!(
                "Failed to launch chromium because executable doesn't exist at {}",
                path.display()
            );
        }
        let channel = self.channel.unwrap_or(Channel::Chrome).name();
        let place = self.tried.first().map_or("", String::as_str);
        format!(
            "Chromium distribution '{channel}' is not found at {place}\n\
             Run \"npx playwright install {channel}\""
        )
    }
}

/// Finds the browser that is wanted.
///
/// # Errors
/// [`NotFound`] with every place that was looked at.
pub fn find(wanted: &Wanted<'_>, machine: &dyn Machine) -> Result<Found, NotFound> {
    if let Some(path) = wanted.executable {
        let there = path
            .to_str()
            .map_or_else(|| path.is_file(), |path| machine.is_executable(path));
        return if there {
            Ok(describe(path.to_path_buf(), machine))
        } else {
            Err(NotFound {
                executable: Some(path.to_path_buf()),
                instead: path.to_str().and_then(|path| machine.other(path)),
                channel: wanted.channel,
                tried: vec![path.display().to_string()],
            })
        };
    }
    let mut search = Search {
        machine,
        tried: Vec::new(),
    };
    let path = match wanted.channel {
        Some(Channel::Chromium) => search.chromium_channel(wanted),
        Some(channel) => search.branded(channel),
        None => search.anything(wanted),
    };
    match path {
        Some(path) => Ok(describe(PathBuf::from(path), machine)),
        None => Err(NotFound {
            executable: None,
            instead: None,
            channel: wanted.channel,
            tried: search.tried,
        }),
    }
}

fn describe(path: PathBuf, machine: &dyn Machine) -> Found {
    let text = path.to_string_lossy();
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let kind = if name.contains("headless") {
        BrowserKind::HeadlessShell
    } else {
        BrowserKind::Chrome
    };
    // Ubuntu's chromium-browser is a script that hands over to the snap.
    let ubuntu_stub = name == "chromium-browser" && machine.is_executable(SNAP_CHROMIUM);
    let confinement = if text.starts_with("/snap/") || ubuntu_stub {
        Some(Confinement::Snap)
    } else if text.contains("/flatpak/exports/") {
        Some(Confinement::Flatpak)
    } else {
        None
    };
    Found {
        path,
        kind,
        confinement,
    }
}

const SNAP_CHROMIUM: &str = "/snap/bin/chromium";
const SHELL_NAMES: &[&str] = &["chromium-headless-shell", "chrome-headless-shell"];

/// A search under way, which remembers where it has looked.
struct Search<'m> {
    machine: &'m dyn Machine,
    tried: Vec<String>,
}

impl Search<'_> {
    /// The unasked case: any browser will do, Chrome before Chromium, what the user installed before
    /// what tools have downloaded, and packagings that confine the browser late.
    fn anything(&mut self, wanted: &Wanted<'_>) -> Option<String> {
        let shell_early = wanted.headless && wanted.prefer_shell;
        let mut found = None;
        if shell_early {
            found = self.headless_shell();
        }
        found = found
            .or_else(|| self.branded(Channel::Chrome))
            .or_else(|| self.system_chromium())
            .or_else(|| self.own_download())
            .or_else(|| self.playwright_download("chromium-", BrowserKind::Chrome))
            .or_else(|| self.branded(Channel::MsEdge))
            .or_else(|| self.confined());
        if found.is_none() && wanted.headless && !shell_early {
            found = self.headless_shell();
        }
        found
    }

    /// `--browser chromium`: upstream's is the one that Playwright downloads, so downloads first.
    fn chromium_channel(&mut self, wanted: &Wanted<'_>) -> Option<String> {
        let shell_early = wanted.headless && wanted.prefer_shell;
        let mut found = None;
        if shell_early {
            found = self.headless_shell();
        }
        found = found
            .or_else(|| self.own_download())
            .or_else(|| self.playwright_download("chromium-", BrowserKind::Chrome))
            .or_else(|| self.system_chromium())
            .or_else(|| self.confined());
        if found.is_none() && wanted.headless && !shell_early {
            found = self.headless_shell();
        }
        found
    }

    /// Chrome's and Edge's own places, then their names on `PATH`.
    fn branded(&mut self, channel: Channel) -> Option<String> {
        let os = self.machine.os();
        let places: Vec<String> = match os {
            Os::Linux => vec![linux_place(channel).to_owned()],
            Os::MacOs => {
                let app = mac_app(channel);
                let inner = format!("Applications/{app}.app/Contents/MacOS/{app}");
                let home = machine::home(self.machine);
                std::iter::once(os.join("/", &[&inner]))
                    .chain(home.map(|home| os.join(&home, &[&inner])))
                    .collect()
            }
            Os::Windows => {
                let inner = windows_place(channel);
                self.windows_roots()
                    .iter()
                    .map(|root| os.join(root, &[inner]))
                    .collect()
            }
        };
        places
            .into_iter()
            .find_map(|place| self.file(place))
            .or_else(|| self.on_path(path_names(channel)))
    }

    fn windows_roots(&self) -> Vec<String> {
        [
            "LOCALAPPDATA",
            "PROGRAMFILES",
            "PROGRAMFILES(X86)",
            "PROGRAMW6432",
        ]
        .iter()
        .filter_map(|name| self.machine.var(name))
        .fold(Vec::new(), |mut roots, root| {
            if !roots.contains(&root) {
                roots.push(root);
            }
            roots
        })
    }

    /// A Chromium of the system: on `PATH`, or where packages put it (programs started by a desktop
    /// often have a bare `PATH`).
    fn system_chromium(&mut self) -> Option<String> {
        let os = self.machine.os();
        match os {
            Os::Linux => self
                .on_path(&["chromium", "chromium-browser", "chrome"])
                .or_else(|| {
                    [
                        "/usr/bin/chromium",
                        "/usr/bin/chromium-browser",
                        "/usr/lib/chromium/chromium",
                        "/usr/lib64/chromium-browser/chromium-browser",
                        "/usr/local/bin/chrome",
                    ]
                    .into_iter()
                    .find_map(|place| self.file(place.to_owned()))
                }),
            Os::MacOs => self
                .file("/Applications/Chromium.app/Contents/MacOS/Chromium".to_owned())
                .or_else(|| self.on_path(&["chromium"]))
                .or_else(|| self.file("/opt/homebrew/bin/chromium".to_owned())),
            Os::Windows => self
                .windows_roots()
                .iter()
                .find_map(|root| self.file(os.join(root, &["Chromium/Application/chrome.exe"])))
                .or_else(|| self.on_path(&["chromium.exe", "chrome.exe"])),
        }
    }

    /// The newest browser that `install-browser` has put into our cache.
    fn own_download(&mut self) -> Option<String> {
        let folder = machine::browsers_dir(self.machine)?;
        self.newest(&folder, "", &chrome_for_testing(self.machine.os()))
    }

    /// The newest browser among Playwright's downloads whose folder starts with `prefix`.
    fn playwright_download(&mut self, prefix: &str, kind: BrowserKind) -> Option<String> {
        let os = self.machine.os();
        let folder = match self.machine.var("PLAYWRIGHT_BROWSERS_PATH") {
            // "0" means inside node_modules, which we know nothing about.
            Some(path) if path != "0" => path,
            _ => os.join(&machine::cache_dir(self.machine)?, &["ms-playwright"]),
        };
        let inner: Vec<&str> = match (kind, os) {
            (BrowserKind::Chrome, Os::Linux) => vec![
                "chrome-linux64/chrome",
                "chrome-linux/chrome",
                "chrome-linux-arm64/chrome",
            ],
            (BrowserKind::Chrome, Os::MacOs) => {
                let mut inner = chrome_for_testing(os);
                inner.push("chrome-mac/Chromium.app/Contents/MacOS/Chromium");
                inner
            }
            (BrowserKind::Chrome, Os::Windows) => {
                vec!["chrome-win64/chrome.exe", "chrome-win/chrome.exe"]
            }
            (BrowserKind::HeadlessShell, Os::Linux) => vec![
                "chrome-headless-shell-linux64/chrome-headless-shell",
                "chrome-linux/headless_shell",
            ],
            (BrowserKind::HeadlessShell, Os::MacOs) => vec![
                "chrome-headless-shell-mac-arm64/chrome-headless-shell",
                "chrome-headless-shell-mac-x64/chrome-headless-shell",
                "chrome-mac/headless_shell",
            ],
            (BrowserKind::HeadlessShell, Os::Windows) => vec![
                "chrome-headless-shell-win64/chrome-headless-shell.exe",
                "chrome-win/headless_shell.exe",
            ],
        };
        self.newest(&folder, prefix, &inner)
    }

    fn confined(&mut self) -> Option<String> {
        if self.machine.os() != Os::Linux {
            return None;
        }
        let home = machine::home(self.machine);
        let user = home.map(|home| Os::Linux.join(&home, &[".local/share/flatpak"]));
        let flatpaks = std::iter::once("/var/lib/flatpak".to_owned())
            .chain(user)
            .flat_map(|root| {
                ["com.google.Chrome", "org.chromium.Chromium"]
                    .map(|app| Os::Linux.join(&root, &["exports/bin", app]))
            });
        std::iter::once(SNAP_CHROMIUM.to_owned())
            .chain(flatpaks)
            .find_map(|place| self.file(place))
    }

    fn headless_shell(&mut self) -> Option<String> {
        self.on_path(SHELL_NAMES).or_else(|| {
            self.playwright_download("chromium_headless_shell-", BrowserKind::HeadlessShell)
        })
    }

    fn file(&mut self, path: String) -> Option<String> {
        if self.machine.is_executable(&path) {
            return Some(path);
        }
        if !self.tried.contains(&path) {
            self.tried.push(path);
        }
        None
    }

    fn on_path(&mut self, names: &[&str]) -> Option<String> {
        let os = self.machine.os();
        let path = self.machine.var("PATH").unwrap_or_default();
        let separator = if os == Os::Windows { ';' } else { ':' };
        for name in names {
            for folder in path.split(separator).filter(|folder| !folder.is_empty()) {
                // Snaps come later, as the confined programs that they are.
                if folder.trim_end_matches('/') == "/snap/bin" {
                    continue;
                }
                let candidate = os.join(folder, &[name]);
                if self.machine.is_executable(&candidate) {
                    return Some(candidate);
                }
            }
        }
        self.tried.push(format!("PATH: {}", names.join(", ")));
        None
    }

    /// The first of the `inner` paths that exists in a subfolder of `folder` named `prefix` and a
    /// dotted number, the highest number first.
    fn newest(&mut self, folder: &str, prefix: &str, inner: &[&str]) -> Option<String> {
        let os = self.machine.os();
        let mut versions: Vec<(Vec<u64>, String)> = self
            .machine
            .entries(folder)
            .into_iter()
            .filter_map(|name| Some((dotted_number(name.strip_prefix(prefix)?)?, name)))
            .collect();
        versions.sort_unstable_by(|a, b| b.cmp(a));
        for (_, name) in &versions {
            for inner in inner {
                let candidate = os.join(folder, &[name, inner]);
                if self.machine.is_executable(&candidate) {
                    return Some(candidate);
                }
            }
        }
        self.tried
            .push(os.join(folder, &[&format!("{prefix}<version>")]));
        None
    }
}

/// `143.0.7499.40` as numbers, which compare as versions do.
fn dotted_number(text: &str) -> Option<Vec<u64>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;
