//! The configuration: what can be set, who wins, and the one resolved struct
//! that the rest of the program reads.
//!
//! Defaults give way to the configuration file, the file to the environment,
//! the environment to flags. Within the
//! environment `PLAYGUARD_<X>` wins over `PLAYWRIGHT_MCP_<X>`, the name that
//! `@playwright/mcp` reads. [`Config::resolve`] is pure; [`Config::load`] is
//! the thin edge that looks at the process.

mod address;
mod capabilities;
mod choices;
mod device;
mod environment;
mod error;
mod file;
mod http;
mod launch;
pub mod logging;
pub mod options;
mod page;
mod report;
mod resolve;
mod secrets;
pub mod upstream;
mod value;

use std::fmt;
use std::path::PathBuf;

use serde_json::{Map, Value};

pub use capabilities::{Capabilities, Capability};
pub use environment::unread_variables;
pub use error::ConfigError;
pub use file::keys_not_yet;
pub use http::HttpConfig;
pub use launch::{IgnoreArgs, LaunchExtras};
pub use options::{Flags, Setting};
pub use page::{Geolocation, HttpCredentials, PageOptions, protocol_permission};
pub use secrets::Secrets;
pub use value::{MAX_MS, MAX_SIDE};

/// Everything that was decided before the server starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The configuration file, as given. Default: none.
    pub file: Option<PathBuf>,
    /// Behave exactly like `@playwright/mcp`, without our extras. Default: no.
    pub stock: bool,
    /// Run without a window. `None`, the default: decided at launch, without a
    /// window exactly where there is no display.
    pub headless: Option<bool>,
    /// Which browser to look for.
    pub browser: BrowserChoice,
    /// The browser program itself; looked for when absent.
    pub executable_path: Option<PathBuf>,
    /// Keep the profile in memory and give each client its own. Default: no.
    pub isolated: bool,
    /// Folder of the profile; chosen per working folder when absent. Never
    /// set together with `isolated`.
    pub user_data_dir: Option<PathBuf>,
    /// Chromium's own sandbox. `None`, the default: decided at launch, on
    /// wherever the browser can start with it.
    pub sandbox: Option<bool>,
    /// A running browser to attach to. When set, nothing is launched.
    pub cdp: Option<CdpEndpoint>,
    /// Width and height of pages in CSS pixels, from 1 to [`MAX_SIDE`] unless
    /// `stock`. `None`, the default: 1280 by
    /// 720 without a window, the size of the window with one.
    pub viewport: Option<(u32, u32)>,
    /// The user agent that pages see; the browser's own when absent.
    pub user_agent: Option<String>,
    /// What pages get to see and may do.
    pub page: PageOptions,
    /// How the browser is started, beyond the rest.
    pub launch: LaunchExtras,
    /// Accept broken certificates. Default: no.
    pub ignore_https_errors: bool,
    /// The proxy for pages. `None`, the default: the system's settings.
    pub proxy: Option<Proxy>,
    /// Folder for files we write. `None`, the default: `.playwright-mcp` in
    /// the client's working folder. Never the root of a file system.
    pub output_dir: Option<PathBuf>,
    /// The most bytes that the output folder may hold; older files are removed
    /// for newer ones. `None`, the default: no limit.
    pub output_max_size: Option<u64>,
    /// Write a log of each session into the output folder. Default: no.
    pub save_session: bool,
    /// What can be typed by its name and is not shown. Default: none.
    pub secrets: Secrets,
    /// What snapshots hold and when they come.
    pub snapshot: SnapshotConfig,
    /// Groups of tools beyond the core ones. Default: none.
    pub capabilities: Capabilities,
    /// What becomes of images in replies. Default: allow.
    pub image_responses: ImageResponses,
    /// How paths are written in replies. Default: relative.
    pub file_paths: FilePaths,
    /// The least severe console messages that reach the console log.
    /// Default: info.
    pub console_level: ConsoleLevel,
    /// Attributes that name an element for tests, most wanted first; never
    /// empty. Default: `data-testid`.
    pub test_id_attributes: Vec<String>,
    /// Time limits.
    pub timeouts: Timeouts,
    /// Let tools read and write any file and open `file:` pages. Default: no.
    pub allow_unrestricted_file_access: bool,
    /// Let `browser_run_code_unsafe` run. Stock always does. Default: no.
    pub allow_unsafe_code: bool,
    /// Serve clients over HTTP there. `None`, the default: serve one on standard
    /// input and output.
    pub http: Option<HttpConfig>,
    /// Let all clients share one browser context, tabs and logins included.
    /// Default: no.
    pub shared_browser_context: bool,
    /// What was set, in upstream's shape, for [`Config::report`].
    pub shown: Map<String, Value>,
    /// Log in detail to standard error. Default: no.
    pub verbose: bool,
    /// Sentences to show on standard error before starting: settings that
    /// were read and have no effect. Default: none.
    pub warnings: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            file: None,
            stock: false,
            headless: None,
            browser: BrowserChoice::default(),
            executable_path: None,
            isolated: false,
            user_data_dir: None,
            sandbox: None,
            cdp: None,
            viewport: None,
            user_agent: None,
            page: PageOptions::default(),
            launch: LaunchExtras::default(),
            ignore_https_errors: false,
            proxy: None,
            output_dir: None,
            output_max_size: None,
            save_session: false,
            secrets: Secrets::default(),
            snapshot: SnapshotConfig::default(),
            capabilities: Capabilities::default(),
            image_responses: ImageResponses::default(),
            file_paths: FilePaths::default(),
            console_level: ConsoleLevel::default(),
            test_id_attributes: vec!["data-testid".to_owned()],
            timeouts: Timeouts::default(),
            allow_unrestricted_file_access: false,
            allow_unsafe_code: false,
            http: None,
            shared_browser_context: false,
            shown: report::defaults(),
            verbose: false,
            warnings: Vec::new(),
        }
    }
}

impl Config {
    /// The configuration as upstream's `browser_get_config` shows it, with its
    /// keys in its order. `headless` and `sandbox` are what was decided when
    /// the browser started. Secrets are replaced by their names.
    pub fn report(&self, headless: bool, sandbox: bool) -> Value {
        let file = self.file.as_ref().map(|file| file.display().to_string());
        report::completed(self.shown.clone(), headless, sandbox, file)
    }
}

/// Which browser to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserChoice {
    /// The engine, in upstream's words. Always `chromium`: we drive no other.
    pub name: &'static str,
    /// The distribution: `chrome`, `chrome-beta`, `chrome-dev`,
    /// `chrome-canary`, the same for `msedge`, or `chrome-for-testing`.
    /// Default: `chrome`.
    pub channel: &'static str,
    /// Whether someone asked for it. If not, any Chromium may stand in.
    pub explicit: bool,
}

impl Default for BrowserChoice {
    fn default() -> Self {
        BrowserChoice {
            name: "chromium",
            channel: "chrome",
            explicit: false,
        }
    }
}

/// A running browser to attach to.
#[derive(Clone, PartialEq, Eq)]
pub struct CdpEndpoint {
    /// Its address (`http`, `https`, `ws`, `wss`) or the name of a channel.
    pub url: String,
    /// Headers for the connecting request, names and values trimmed, in the
    /// order given.
    pub headers: Vec<(String, String)>,
    /// Limit for connecting, in milliseconds. Default: 30000; 0 is no limit.
    pub timeout_ms: u64,
}

impl fmt::Debug for CdpEndpoint {
    // Header values are often tokens, and this may end up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("CdpEndpoint")
            .field("url", &without_credentials(&self.url))
            .field("headers", &names)
            .field("timeout_ms", &self.timeout_ms)
            .finish()
    }
}

/// The proxy for pages.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Its address, such as `http://proxy:3128` or `socks5://proxy:1080`.
    pub server: String,
    /// Hosts to reach directly, separated by commas, as given.
    pub bypass: Option<String>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("server", &without_credentials(&self.server))
            .field("bypass", &self.bypass)
            .finish()
    }
}

/// The address with `user:password@` cut out (RFC 3986 §3.2.1), for showing.
pub fn without_credentials(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    match authority.rsplit_once('@') {
        None => url.to_owned(),
        Some((_, host)) if scheme.is_empty() => format!("{host}{path}"),
        Some((_, host)) => format!("{scheme}://{host}{path}"),
    }
}

/// What snapshots hold and when they come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SnapshotConfig {
    /// Whether actions end with a snapshot. Default: full.
    pub mode: SnapshotMode,
    /// Add each element's box, in CSS pixels. Default: no.
    pub boxes: bool,
    /// What snapshots are made from. Default: the DOM.
    pub source: SnapshotSource,
}

/// Whether actions end with a snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SnapshotMode {
    /// After every action that may have changed the page.
    #[default]
    Full,
    /// Only when asked for.
    None,
}

/// What snapshots are made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SnapshotSource {
    /// The DOM, with facts from the accessibility tree joined to it.
    #[default]
    Dom,
    /// The browser's accessibility tree alone.
    Ax,
}

/// What becomes of images in replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ImageResponses {
    /// They follow the text.
    #[default]
    Allow,
    /// They are left out.
    Omit,
    /// They replace the text.
    Only,
}

/// How paths are written in replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FilePaths {
    /// Relative to the client's working folder.
    #[default]
    Relative,
    /// In full.
    Absolute,
}

/// Severity of console messages; a level includes the more severe ones, and
/// the order of the variants is from few messages to many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConsoleLevel {
    /// Errors, failed assertions, uncaught exceptions.
    Error,
    /// And warnings.
    Warning,
    /// And ordinary output.
    #[default]
    Info,
    /// And debugging output.
    Debug,
}

/// Time limits, in milliseconds; none is above [`MAX_MS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// One action on an element. Default: 5000; 0 is no limit.
    pub action_ms: u64,
    /// One navigation. Default: 60000; 0 is no limit.
    pub navigation_ms: u64,
    /// One check of a `browser_verify_*` tool. Default: 5000; it has no flag.
    pub expect_ms: u64,
    /// How long to watch what an action sets off before looking at the
    /// requests it made. Default: 500.
    pub settle_ms: u64,
    /// After how long without calls the browser is closed; 0 is never.
    /// `None`, the default: one hour for a browser that we launched without a
    /// window, never for any other.
    pub idle_ms: Option<u64>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            action_ms: 5_000,
            navigation_ms: 60_000,
            expect_ms: 5_000,
            settle_ms: 500,
            idle_ms: None,
        }
    }
}

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod reach_tests;
#[cfg(test)]
mod tests;
