//! `playguard doctor`: what would keep the server from working, and what to do
//! about it.
//!
//! [`gather`] collects [`Facts`]; [`examine`] judges them without looking at
//! anything else; [`Report::render`] writes the result down. What only the
//! browser's side can know comes in as [`BrowserFacts`].

mod gather;
mod render;

use std::path::PathBuf;

pub use gather::gather;
pub use render::Marks;

/// What one check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// As it should be.
    Ok,
    /// Works, with a drawback.
    Warn,
    /// Keeps the server from working.
    Fail,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, in one or two words.
    pub name: &'static str,
    /// How it is.
    pub status: Status,
    /// What was found. May have several lines.
    pub detail: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// All checks, in the order in which to read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The checks.
    pub checks: Vec<Check>,
}

impl Report {
    /// The exit code of the process: 1 if anything failed, else 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.checks.iter().any(|check| check.status == Status::Fail))
    }
}

/// Everything that the judgement rests on.
#[derive(Debug, Clone)]
pub struct Facts {
    /// What the browser's side found.
    pub browser: BrowserFacts,
    /// Where files go.
    pub output: Folder,
    /// Whether the folder of the profile can be written to; `None` when no
    /// profile is kept on disk.
    pub profile: Option<Folder>,
    /// The proxy of the configuration, without user and password.
    pub configured_proxy: Option<String>,
    /// Proxy variables that are set, with their values, without user and
    /// password.
    pub proxies: Vec<(&'static str, String)>,
    /// Names of the variables that hold keys of services and are set. Never
    /// the values.
    pub keys: Vec<&'static str>,
    /// Facts of Linux, absent elsewhere.
    pub linux: Option<LinuxFacts>,
}

impl Facts {
    /// The marks that a terminal of this machine can show.
    pub fn marks(&self) -> Marks {
        match &self.linux {
            Some(linux) if !linux.is_utf8() => Marks::Ascii,
            _ => Marks::Unicode,
        }
    }
}

/// What the browser's side found, by its own rules, for one configuration.
#[derive(Debug, Clone)]
pub struct BrowserFacts {
    /// Launching or attaching, and what became of it.
    pub reach: Reach,
    /// Whether it would run without a window, and what to say about that.
    pub window: Choice,
    /// Whether the browser's sandbox would be on, and what to say about that.
    pub sandbox: Choice,
    /// The folder of the profile with its lock; `None` when no profile is
    /// kept on disk.
    pub profile: Option<Profile>,
}

/// How the browser is reached.
#[derive(Debug, Clone)]
pub enum Reach {
    /// It would be launched.
    Launch {
        /// The program, or the places that were looked at.
        program: Result<PathBuf, String>,
        /// Result of a trial start; `None` when there is nothing to start.
        start: Option<Result<Started, Failure>>,
    },
    /// A running one would be attached to.
    Attach {
        /// Its address, without user and password.
        endpoint: String,
        /// Result of connecting.
        connect: Result<Started, String>,
    },
}

/// A browser that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Name and version as the browser tells them, `Chrome/143.0.7499.40`.
    pub product: String,
    /// From the beginning to the first answer, in milliseconds.
    pub ms: u64,
}

/// A browser that did not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What happened, and what to do.
    pub message: String,
    /// What the browser could not have, if it was that.
    pub lacks: Option<Lack>,
}

/// What a browser wanted and could not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Its sandbox.
    Sandbox,
    /// A window.
    Window,
}

/// Something that is on or off, by request or by rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// On.
    pub on: bool,
    /// Something the launcher would tell the user about it.
    pub notice: Option<String>,
}

/// A profile folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Where it is or would be.
    pub dir: PathBuf,
    /// Who is using it.
    pub lock: Lock,
}

/// State of a profile's lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lock {
    /// Nobody.
    Free,
    /// A running browser, named as well as is known.
    Held(String),
    /// A browser that is gone and left its lock behind.
    Stale,
}

/// A folder that must take files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Where it is or would be.
    pub path: PathBuf,
    /// Why it cannot be written to, if so.
    pub problem: Option<String>,
}

/// Facts of a Linux system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinuxFacts {
    /// The locale for characters: the first of `LC_ALL`, `LC_CTYPE`, `LANG`
    /// that is set.
    pub locale: Option<String>,
    /// Whether any font is installed.
    pub fonts: bool,
    /// Size of `/dev/shm` in bytes; `None` when there is none.
    pub shared_memory: Option<u64>,
    /// The folder for temporary files and what is free there, in bytes.
    pub temporary: Option<(PathBuf, u64)>,
    /// The kernel keeps ordinary users from making user namespaces, which
    /// Chromium's sandbox is built from.
    pub namespaces_restricted: bool,
}

impl LinuxFacts {
    /// Whether the locale can name every character.
    pub fn is_utf8(&self) -> bool {
        self.locale.as_deref().is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
    }
}

/// Below this, large pages run out of shared memory.
const LITTLE_SPACE: u64 = 256 << 20;

/// Judges the facts.
pub fn examine(facts: &Facts) -> Report {
    let mut checks = Vec::new();
    reach(facts, &mut checks);
    if let Reach::Launch { .. } = facts.browser.reach {
        checks.push(window(&facts.browser));
        checks.push(sandbox(&facts.browser));
        checks.push(profile(facts));
    }
    checks.push(folder("Output", &facts.output, "--output-dir"));
    checks.push(proxy(facts));
    if let Some(linux) = &facts.linux {
        checks.push(locale(linux));
        // A browser that already runs has its fonts and memory elsewhere.
        if let Reach::Launch { .. } = facts.browser.reach {
            checks.push(fonts(linux));
            checks.extend(shared_memory(linux));
        }
    }
    // A browser that already runs got its environment from somebody else.
    if let Reach::Launch { .. } = facts.browser.reach {
        checks.extend(keys(&facts.keys));
    }
    Report { checks }
}

fn check(
    name: &'static str,
    status: Status,
    detail: impl Into<String>,
    remedy: Option<&str>,
) -> Check {
    Check {
        name,
        status,
        detail: detail.into(),
        remedy: remedy.map(str::to_owned),
    }
}

fn reach(facts: &Facts, checks: &mut Vec<Check>) {
    match &facts.browser.reach {
        Reach::Launch { program, start } => {
            checks.push(match program {
                Ok(path) => check("Browser", Status::Ok, path.display().to_string(), None),
                // The launcher's message ends with what to do.
                Err(message) => check("Browser", Status::Fail, message, None),
            });
            match start {
                None => {}
                Some(Ok(started)) => checks.push(answered("Start", started)),
                Some(Err(Failure { message, lacks })) => {
                    let restricted = facts.browser.sandbox.on
                        && *lacks != Some(Lack::Window)
                        && facts
                            .linux
                            .as_ref()
                            .is_some_and(|linux| linux.namespaces_restricted);
                    checks.push(check(
                        "Start",
                        Status::Fail,
                        message,
                        restricted.then_some(
                            "This kernel keeps the browser from building its sandbox. Allow \
                             unprivileged user namespaces for it, or add --no-sandbox and open \
                             only pages that you trust.",
                        ),
                    ));
                }
            }
        }
        Reach::Attach { endpoint, connect } => checks.push(match connect {
            Ok(started) => {
                let mut check = answered("Attach", started);
                check.detail = format!("{endpoint}: {}", check.detail);
                check
            }
            Err(message) => check(
                "Attach",
                Status::Fail,
                format!("{endpoint}: {message}"),
                // Some messages end with what to do.
                (!message.contains("--remote-debugging-port")).then_some(
                    "Start the browser with --remote-debugging-port and an own --user-data-dir, \
                     and give its address as --cdp-endpoint.",
                ),
            ),
        }),
    }
}

fn answered(name: &'static str, started: &Started) -> Check {
    // Tenths of a second, rounded without floating point.
    let tenths = started.ms.saturating_add(50) / 100;
    check(
        name,
        Status::Ok,
        format!(
            "{} answered in {}.{} s",
            started.product,
            tenths / 10,
            tenths % 10
        ),
        None,
    )
}

/// How far the trial start bears out that the browser has what it is to have.
enum Trial {
    /// It started with it.
    Had,
    /// It did not start, for the lack of it.
    Lacked,
    /// It was not started, or ended for another reason.
    Unknown,
}

fn trial(browser: &BrowserFacts, of: Lack) -> Trial {
    match &browser.reach {
        Reach::Launch {
            start: Some(Ok(_)), ..
        } => Trial::Had,
        Reach::Launch {
            start: Some(Err(failure)),
            ..
        } if failure.lacks == Some(of) => Trial::Lacked,
        _ => Trial::Unknown,
    }
}

fn window(browser: &BrowserFacts) -> Check {
    const NAME: &str = "Window";
    let headless = &browser.window;
    let detail = match trial(browser, Lack::Window) {
        _ if headless.on => "none (headless)",
        Trial::Had => "yes (headed)",
        Trial::Lacked => {
            let detail = "wanted (headed), but there is no display: see Start";
            return check(NAME, Status::Warn, detail, None);
        }
        Trial::Unknown => "wanted (headed); whether it opens is not known yet",
    };
    match &headless.notice {
        None => check(NAME, Status::Ok, detail, None),
        Some(notice) => check(
            NAME,
            Status::Warn,
            format!("{detail}. {notice}"),
            Some("Set DISPLAY, or add --headless to have it said."),
        ),
    }
}

fn sandbox(browser: &BrowserFacts) -> Check {
    const NAME: &str = "Sandbox";
    if browser.sandbox.on {
        return match trial(browser, Lack::Sandbox) {
            Trial::Had => check(NAME, Status::Ok, "on", None),
            Trial::Lacked => {
                let detail = "wanted, but it cannot be used here: see Start";
                check(NAME, Status::Warn, detail, None)
            }
            Trial::Unknown => {
                let detail = "wanted; whether it can be used is not known yet";
                check(NAME, Status::Ok, detail, None)
            }
        };
    }
    let detail = browser.sandbox.notice.as_deref().unwrap_or("off");
    check(
        NAME,
        Status::Warn,
        detail,
        Some(
            "Without it, a page that breaks the browser has your rights. Keep to pages you trust, or run in a container.",
        ),
    )
}

fn profile(facts: &Facts) -> Check {
    const NAME: &str = "Profile";
    let (Some(profile), Some(place)) = (&facts.browser.profile, &facts.profile) else {
        return check(NAME, Status::Ok, "in memory only (--isolated)", None);
    };
    let written = folder(NAME, place, "--user-data-dir");
    if written.status != Status::Ok {
        return written;
    }
    let dir = profile.dir.display();
    match &profile.lock {
        Lock::Free => check(NAME, Status::Ok, dir.to_string(), None),
        Lock::Held(by) => check(
            NAME,
            Status::Warn,
            format!("{dir} is in use by {by}"),
            Some("Add --isolated, or another --user-data-dir, to run beside it."),
        ),
        Lock::Stale => check(
            NAME,
            Status::Ok,
            format!("{dir} (with the lock of a browser that is gone, which does no harm)"),
            None,
        ),
    }
}

fn folder(name: &'static str, folder: &Folder, flag: &str) -> Check {
    let path = folder.path.display();
    match &folder.problem {
        None => check(name, Status::Ok, path.to_string(), None),
        Some(problem) => check(
            name,
            Status::Fail,
            format!("{path} cannot be written to: {problem}"),
            Some(&format!("Choose another folder with {flag}.")),
        ),
    }
}

fn proxy(facts: &Facts) -> Check {
    const NAME: &str = "Proxy";
    if let Some(proxy) = &facts.configured_proxy {
        return check(NAME, Status::Ok, format!("{proxy} (configured)"), None);
    }
    if facts.proxies.is_empty() {
        return check(NAME, Status::Ok, "none", None);
    }
    let list: Vec<String> = facts
        .proxies
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    check(
        NAME,
        Status::Ok,
        format!(
            "{} (from the environment; --proxy-server overrides)",
            list.join(", ")
        ),
        None,
    )
}

fn locale(linux: &LinuxFacts) -> Check {
    const NAME: &str = "Locale";
    let locale = linux.locale.as_deref();
    if linux.is_utf8() {
        return check(NAME, Status::Ok, locale.unwrap_or_default(), None);
    }
    check(
        NAME,
        Status::Warn,
        match locale {
            Some(locale) => format!("{locale} is not UTF-8: names of downloads may be garbled"),
            None => "none is set: names of downloads may be garbled".to_owned(),
        },
        Some("Set LANG=C.UTF-8."),
    )
}

fn fonts(linux: &LinuxFacts) -> Check {
    if linux.fonts {
        return check("Fonts", Status::Ok, "installed", None);
    }
    check(
        "Fonts",
        Status::Warn,
        "none found: text shows as boxes, and sizes are wrong",
        Some("Install fonts-liberation or fonts-dejavu-core."),
    )
}

/// The launcher has the browser keep shared memory in the temporary folder,
/// because containers give `/dev/shm` no more than 64 MiB unasked.
fn shared_memory(linux: &LinuxFacts) -> Option<Check> {
    const NAME: &str = "Memory";
    let (folder, free) = linux.temporary.as_ref()?;
    let folder = folder.display();
    let free_mib = free >> 20;
    if *free < LITTLE_SPACE {
        return Some(check(
            NAME,
            Status::Warn,
            format!("{folder} has {free_mib} MiB free: large pages may crash"),
            Some("Free some space there, or set TMPDIR to a folder with more."),
        ));
    }
    let unused = match linux.shared_memory {
        Some(size) => format!(" (not in /dev/shm, which has {} MiB)", size >> 20),
        None => String::new(),
    };
    Some(check(
        NAME,
        Status::Ok,
        format!("shared in {folder}, {free_mib} MiB free{unused}"),
        None,
    ))
}

/// Keys that are set are named, because pages must not come by them.
fn keys(keys: &[&'static str]) -> Option<Check> {
    let (last, others) = keys.split_last()?;
    let detail = match others {
        [] => format!("{last} is set; the browser does not get to see it"),
        _ => format!(
            "{} and {last} are set; the browser does not get to see them",
            others.join(", ")
        ),
    };
    Some(check("Keys", Status::Ok, detail, None))
}

#[cfg(test)]
mod tests;
