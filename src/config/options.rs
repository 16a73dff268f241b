//! The one table of options: what each flag is called, which environment
//! variables set the same thing, and the sentence that explains it.
//!
//! The command line, the environment reader, the spelling hints and the help
//! text are all derived from [`OPTIONS`]; nothing else lists options.

use std::collections::{BTreeMap, BTreeSet};

/// One thing that can be set. Several flags may set the same thing, as
/// `--sandbox` and `--no-sandbox` do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // Each is explained once, by its row in OPTIONS.
pub enum Setting {
    Config,
    Stock,
    Verbose,
    Browser,
    ExecutablePath,
    Headless,
    Isolated,
    UserDataDir,
    Sandbox,
    CdpEndpoint,
    CdpHeader,
    CdpTimeout,
    ViewportSize,
    UserAgent,
    Device,
    Mobile,
    AllowedOrigins,
    BlockedOrigins,
    StorageState,
    GrantPermissions,
    InitScript,
    BlockServiceWorkers,
    IgnoreHttpsErrors,
    ProxyServer,
    ProxyBypass,
    OutputDir,
    OutputMaxSize,
    SaveSession,
    Secrets,
    FilePaths,
    SnapshotMode,
    SnapshotBoxes,
    SnapshotSource,
    Caps,
    Vision,
    ImageResponses,
    ConsoleLevel,
    TestIdAttribute,
    AllowUnrestrictedFileAccess,
    AllowUnsafeCode,
    TimeoutAction,
    TimeoutNavigation,
    TimeoutSettle,
    /// Only in configuration files; it has no flag.
    TimeoutExpect,
    IdleTimeout,
    Port,
    Host,
    AllowedHosts,
    SharedBrowserContext,
    PingTimeout,
    SessionTimeout,
}

/// What follows a flag on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing; the flag alone stands for this boolean text.
    Nothing(&'static str),
    /// One value, shown under this name.
    One(&'static str),
    /// One value or more, and the flag may be repeated.
    Many(&'static str),
}

/// The environment variables that set the same thing as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// `PLAYGUARD_<X>`, or else `PLAYWRIGHT_MCP_<X>`.
    Shared(&'static str),
    /// `PLAYGUARD_<X>` alone: upstream has no such variable.
    Own(&'static str),
    /// None; the opposite flag carries the variable.
    Absent,
}

/// The heading under which `--help` shows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Group {
    General,
    Browser,
    Attach,
    Page,
    Replies,
    Limits,
    Http,
}

impl Group {
    /// The heading itself.
    pub fn heading(self) -> &'static str {
        match self {
            Group::General => "General",
            Group::Browser => "Browser",
            Group::Attach => "Attach to a running browser",
            Group::Page => "Pages and network",
            Group::Replies => "Replies and files",
            Group::Limits => "Time limits, in milliseconds",
            Group::Http => "Several clients, over HTTP",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// Name of the flag, without the dashes.
    pub long: &'static str,
    /// What it sets.
    pub setting: Setting,
    /// What follows it.
    pub takes: Takes,
    /// The variables that do the same.
    pub variable: Variable,
    /// Where `--help` shows it.
    pub group: Group,
    /// One short sentence part, without a full stop; empty for what is not
    /// shown, because it is kept for old configurations only.
    pub help: &'static str,
}

impl Opt {
    /// The flag as error messages show it: `--browser <browser>`.
    pub fn signature(&self) -> String {
        match self.takes {
            Takes::Nothing(_) => format!("--{}", self.long),
            Takes::One(value) => format!("--{} <{value}>", self.long),
            Takes::Many(value) => format!("--{} <{value}...>", self.long),
        }
    }
}

/// Prefix of our own variables.
pub const OWN_PREFIX: &str = "PLAYGUARD_";
/// Prefix of the variables we share with `@playwright/mcp`.
pub const SHARED_PREFIX: &str = "PLAYWRIGHT_MCP_";

const fn opt(
    group: Group,
    long: &'static str,
    takes: Takes,
    setting: Setting,
    variable: Variable,
    help: &'static str,
) -> Opt {
    Opt {
        long,
        setting,
        takes,
        variable,
        group,
        help,
    }
}

/// An option without a variable that help does not show.
const fn hidden(group: Group, long: &'static str, takes: Takes, setting: Setting) -> Opt {
    opt(group, long, takes, setting, Variable::Absent, "")
}

/// Every option, in the order of `--help`.
#[rustfmt::skip] // Two lines a row; formatted, each would be a column of seven.
pub const OPTIONS: &[Opt] = {
    use Group::*;
    use Setting as S;
    use Takes::{Many, Nothing, One};
    use Variable::{Absent, Own, Shared};
    const ON: Takes = Nothing("true");
    const OFF: Takes = Nothing("false");
    &[
        opt(General, "config", One("path"), S::Config, Shared("CONFIG"),
            "A file with settings, JSON or INI"),
        opt(General, "stock", ON, S::Stock, Own("STOCK"),
            "Behave exactly like @playwright/mcp"),
        opt(General, "verbose", ON, S::Verbose, Own("VERBOSE"),
            "Say more on standard error"),
        opt(General, "caps", One("caps"), S::Caps, Shared("CAPS"),
            "More tools, by comma: vision, pdf, ..."),
        hidden(General, "vision", ON, S::Vision),

        opt(Browser, "browser", One("browser"), S::Browser, Shared("BROWSER"),
            "chrome, msedge (or -beta, -dev, ...), chromium"),
        opt(Browser, "executable-path", One("path"), S::ExecutablePath, Shared("EXECUTABLE_PATH"),
            "The browser program to start"),
        opt(Browser, "headless", ON, S::Headless, Shared("HEADLESS"),
            "No window (the default without a display)"),
        opt(Browser, "headed", OFF, S::Headless, Absent,
            "With a window"),
        opt(Browser, "isolated", ON, S::Isolated, Shared("ISOLATED"),
            "Profile in memory only, one per client"),
        opt(Browser, "user-data-dir", One("path"), S::UserDataDir, Shared("USER_DATA_DIR"),
            "Folder of the profile"),
        opt(Browser, "sandbox", ON, S::Sandbox, Shared("SANDBOX"),
            "Insist on the browser's sandbox"),
        opt(Browser, "no-sandbox", OFF, S::Sandbox, Absent,
            "Start the browser without its sandbox"),

        opt(Attach, "cdp-endpoint", One("endpoint"), S::CdpEndpoint, Shared("CDP_ENDPOINT"),
            "Its http, https, ws or wss address"),
        opt(Attach, "cdp-header", Many("headers"), S::CdpHeader, Shared("CDP_HEADERS"),
            "\"Name: value\" to send on connecting"),
        opt(Attach, "cdp-timeout", One("timeout"), S::CdpTimeout, Shared("CDP_TIMEOUT"),
            "Limit for connecting in ms (30000)"),

        opt(Page, "viewport-size", One("size"), S::ViewportSize, Shared("VIEWPORT_SIZE"),
            "Such as 1280x720"),
        opt(Page, "user-agent", One("ua string"), S::UserAgent, Shared("USER_AGENT"),
            "What pages are told the browser is"),
        opt(Page, "device", One("device"), S::Device, Shared("DEVICE"),
            "Look like this one: \"iPhone 15\""),
        opt(Page, "mobile", ON, S::Mobile, Shared("MOBILE"),
            "Look like a mobile device (Pixel 10)"),
        opt(Page, "allowed-origins", One("origins"), S::AllowedOrigins, Shared("ALLOWED_ORIGINS"),
            "Pages reach nothing else: a.com;http://b.com:*"),
        opt(Page, "blocked-origins", One("origins"), S::BlockedOrigins, Shared("BLOCKED_ORIGINS"),
            "Pages never reach these"),
        opt(Page, "storage-state", One("path"), S::StorageState, Shared("STORAGE_STATE"),
            "Cookies and storage to begin with"),
        opt(Page, "grant-permissions", Many("permissions"), S::GrantPermissions, Shared("GRANT_PERMISSIONS"),
            "What pages may do: geolocation, ..."),
        opt(Page, "init-script", Many("path"), S::InitScript, Shared("INIT_SCRIPT"),
            "A script to run first in every document"),
        opt(Page, "block-service-workers", ON, S::BlockServiceWorkers, Shared("BLOCK_SERVICE_WORKERS"),
            "Pages cannot register service workers"),
        opt(Page, "ignore-https-errors", ON, S::IgnoreHttpsErrors, Shared("IGNORE_HTTPS_ERRORS"),
            "Accept broken certificates"),
        opt(Page, "proxy-server", One("proxy"), S::ProxyServer, Shared("PROXY_SERVER"),
            "Such as http://proxy:3128"),
        opt(Page, "proxy-bypass", One("bypass"), S::ProxyBypass, Shared("PROXY_BYPASS"),
            "Hosts to reach directly: a.com,.b.com"),

        opt(Replies, "output-dir", One("path"), S::OutputDir, Shared("OUTPUT_DIR"),
            "Folder for files (.playwright-mcp)"),
        opt(Replies, "output-max-size", One("bytes"), S::OutputMaxSize, Shared("OUTPUT_MAX_SIZE"),
            "Remove older files above this size"),
        opt(Replies, "save-session", ON, S::SaveSession, Own("SAVE_SESSION"),
            "Log each session into that folder"),
        opt(Replies, "secrets", One("path"), S::Secrets, Shared("SECRETS_FILE"),
            "A dotenv file of what is not shown"),
        opt(Replies, "file-paths", One("mode"), S::FilePaths, Shared("FILE_PATHS"),
            "relative (default) or absolute"),
        opt(Replies, "snapshot-mode", One("mode"), S::SnapshotMode, Own("SNAPSHOT_MODE"),
            "After actions: full (default) or none"),
        opt(Replies, "snapshot-boxes", ON, S::SnapshotBoxes, Own("SNAPSHOT_BOXES"),
            "Add each element's position and size"),
        opt(Replies, "snapshot-source", One("source"), S::SnapshotSource, Own("SNAPSHOT_SOURCE"),
            "dom (default) or ax"),
        opt(Replies, "image-responses", One("mode"), S::ImageResponses, Shared("IMAGE_RESPONSES"),
            "allow (default), omit or only"),
        opt(Replies, "console-level", One("level"), S::ConsoleLevel, Shared("CONSOLE_LEVEL"),
            "error, warning, info (default), debug"),
        opt(Replies, "test-id-attribute", One("attribute"), S::TestIdAttribute, Shared("TEST_ID_ATTRIBUTE"),
            "Attributes, by comma (data-testid)"),
        opt(Replies, "allow-unsafe-code", ON, S::AllowUnsafeCode, Own("ALLOW_UNSAFE_CODE"),
            "Let browser_run_code_unsafe run scripts"),
        opt(Replies, "allow-unrestricted-file-access", ON, S::AllowUnrestrictedFileAccess, Shared("ALLOW_UNRESTRICTED_FILE_ACCESS"),
            "Any file, and file: pages"),

        opt(Limits, "timeout-action", One("timeout"), S::TimeoutAction, Shared("TIMEOUT_ACTION"),
            "One action (5000)"),
        opt(Limits, "timeout-navigation", One("timeout"), S::TimeoutNavigation, Shared("TIMEOUT_NAVIGATION"),
            "One navigation (60000)"),
        opt(Limits, "timeout-settle", One("timeout"), S::TimeoutSettle, Shared("TIMEOUT_SETTLE"),
            "Watching what an action sets off (500)"),
        opt(Limits, "idle-timeout", One("timeout"), S::IdleTimeout, Shared("IDLE_TIMEOUT"),
            "Close an unused browser; 0 = never"),

        opt(Http, "port", One("port"), S::Port, Shared("PORT"),
            "Serve HTTP there; 0 = any free port"),
        opt(Http, "host", One("host"), S::Host, Shared("HOST"),
            "Address to serve on (localhost)"),
        opt(Http, "allowed-hosts", One("hosts"), S::AllowedHosts, Shared("ALLOWED_HOSTS"),
            "Names of this server, by comma; * = any"),
        opt(Http, "shared-browser-context", ON, S::SharedBrowserContext, Own("SHARED_BROWSER_CONTEXT"),
            "All clients use the same pages"),
        opt(Http, "ping-timeout", One("timeout"), S::PingTimeout, Shared("PING_TIMEOUT_MS"),
            "Limit for a heartbeat (5000); 0 = none"),
        opt(Http, "session-timeout", One("timeout"), S::SessionTimeout, Own("SESSION_TIMEOUT"),
            "Forget a silent client; 0 = never"),
    ]
};

impl Setting {
    /// The variables of this setting.
    pub(super) fn variable(self) -> Variable {
        OPTIONS
            .iter()
            .filter(|opt| opt.setting == self)
            .map(|opt| opt.variable)
            .find(|variable| *variable != Variable::Absent)
            .unwrap_or(Variable::Absent)
    }

    /// The name of the flag that sets this, for messages. Where two flags set
    /// the same thing it is the first one.
    pub(super) fn flag(self) -> &'static str {
        OPTIONS
            .iter()
            .find(|opt| opt.setting == self)
            .map_or("", |opt| opt.long)
    }
}

/// What was given on the command line, still as text.
///
/// Flags that stand alone are kept as `true` or `false`, so that they are read
/// by the same rules as the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    given: BTreeMap<Setting, Vec<String>>,
    /// Settings that one flag turned on and its opposite off.
    contradicted: BTreeSet<Setting>,
}

impl Flags {
    /// The same flags with one more value. A repeatable option keeps all its
    /// values, any other the last one.
    pub fn with(mut self, setting: Setting, value: &str) -> Self {
        self.give(setting, vec![value.to_owned()]);
        self
    }

    /// Adds what was given for one option. Of several values of one that is
    /// not repeatable, the last one stands.
    pub fn give(&mut self, setting: Setting, values: Vec<String>) {
        let takes = |wanted: fn(Takes) -> bool| {
            OPTIONS
                .iter()
                .any(|opt| opt.setting == setting && wanted(opt.takes))
        };
        let repeatable = takes(|takes| matches!(takes, Takes::Many(_)));
        let is_switch = takes(|takes| matches!(takes, Takes::Nothing(_)));
        let kept = self.given.entry(setting).or_default();
        if is_switch && !kept.is_empty() && *kept != values {
            self.contradicted.insert(setting);
        }
        if !repeatable {
            kept.clear();
        }
        kept.extend(values);
    }

    /// The values of one option that are not empty, in the order given.
    /// An empty value counts as not given, as it does in the environment:
    /// client configurations fill in templates and leave them empty.
    pub fn values(&self, setting: Setting) -> impl DoubleEndedIterator<Item = &str> {
        self.given
            .get(&setting)
            .into_iter()
            .flatten()
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Whether this option was given, and its value left empty.
    pub(super) fn is_blank(&self, setting: Setting) -> bool {
        self.given
            .get(&setting)
            .and_then(|values| values.last())
            .is_some_and(|last| last.trim().is_empty())
    }

    /// A setting that was turned on by one flag and off by its opposite, with
    /// these flags.
    pub(super) fn contradiction(&self) -> Option<Vec<String>> {
        let setting = self.contradicted.first()?;
        let flags = OPTIONS.iter().filter(|opt| opt.setting == *setting);
        Some(flags.map(|opt| format!("--{}", opt.long)).collect())
    }

    /// Every setting that was given, in a fixed order.
    pub fn settings(&self) -> impl Iterator<Item = Setting> {
        self.given.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_variables_are_unique() {
        let mut longs: Vec<_> = OPTIONS.iter().map(|opt| opt.long).collect();
        longs.sort_unstable();
        longs.dedup();
        assert_eq!(longs.len(), OPTIONS.len());

        let mut suffixes: Vec<_> = OPTIONS
            .iter()
            .filter_map(|opt| match opt.variable {
                Variable::Shared(suffix) | Variable::Own(suffix) => Some(suffix),
                Variable::Absent => None,
            })
            .collect();
        let count = suffixes.len();
        suffixes.sort_unstable();
        suffixes.dedup();
        assert_eq!(suffixes.len(), count);
    }

    #[test]
    fn every_setting_has_a_variable_and_a_flag() {
        for opt in OPTIONS {
            let carried = opt.setting.variable() != Variable::Absent;
            assert_eq!(carried, !opt.help.is_empty(), "--{}", opt.long);
            assert!(!opt.setting.flag().is_empty());
        }
    }

    #[test]
    fn variable_names_follow_the_flags() {
        // Upstream's irregular names: a plural, a longer one, and one that has no flag there.
        for opt in OPTIONS {
            let (Variable::Shared(suffix) | Variable::Own(suffix)) = opt.variable else {
                continue;
            };
            let from_flag = opt.long.to_uppercase().replace('-', "_");
            match opt.setting {
                Setting::CdpHeader => assert_eq!(suffix, "CDP_HEADERS"),
                Setting::Secrets => assert_eq!(suffix, "SECRETS_FILE"),
                Setting::PingTimeout => assert_eq!(suffix, "PING_TIMEOUT_MS"),
                _ => assert_eq!(suffix, from_flag),
            }
        }
    }

    #[test]
    fn a_single_value_is_replaced_and_a_list_grows() {
        let flags = Flags::default()
            .with(Setting::Browser, "chrome")
            .with(Setting::Browser, "msedge")
            .with(Setting::CdpHeader, "A: 1")
            .with(Setting::CdpHeader, "")
            .with(Setting::CdpHeader, "B: 2");
        assert_eq!(
            flags.values(Setting::Browser).collect::<Vec<_>>(),
            ["msedge"]
        );
        assert_eq!(
            flags.values(Setting::CdpHeader).collect::<Vec<_>>(),
            ["A: 1", "B: 2"]
        );
    }

    #[test]
    fn opposites_are_noticed_and_the_later_one_stands() {
        let flags = Flags::default()
            .with(Setting::Headless, "true")
            .with(Setting::Headless, "true")
            .with(Setting::Browser, "chrome")
            .with(Setting::Browser, "msedge");
        assert_eq!(flags.contradiction(), None);
        let flags = flags.with(Setting::Headless, "false");
        assert_eq!(
            flags.contradiction(),
            Some(vec!["--headless".to_owned(), "--headed".to_owned()])
        );
        assert_eq!(
            flags.values(Setting::Headless).collect::<Vec<_>>(),
            ["false"]
        );
    }

    #[test]
    fn blank_is_given_and_empty() {
        let flags = Flags::default().with(Setting::TimeoutAction, " ");
        assert!(flags.is_blank(Setting::TimeoutAction));
        assert!(!flags.is_blank(Setting::TimeoutSettle));
        assert!(
            !flags
                .with(Setting::TimeoutAction, "1")
                .is_blank(Setting::TimeoutAction)
        );
    }

    #[test]
    fn signatures_read_like_the_help() {
        let of = |long: &str| OPTIONS.iter().find(|opt| opt.long == long).unwrap();
        assert_eq!(of("headless").signature(), "--headless");
        assert_eq!(of("browser").signature(), "--browser <browser>");
        assert_eq!(of("cdp-header").signature(), "--cdp-header <headers...>");
    }
}
