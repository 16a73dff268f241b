//! From flags, variables and the configuration file to one [`Config`].

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::capabilities::{Capabilities, Capability};
use super::choices::{
    CONSOLE_LEVELS, FILE_PATHS, IMAGE_RESPONSES, SNAPSHOT_MODES, SNAPSHOT_SOURCES,
};
use super::environment::{unread_variables, unreadable_variable};
use super::error::ConfigError;
use super::file::ConfigFile;
use super::options::{Flags, Setting};
use super::report;
use super::secrets::Secrets;
use super::value::{Given, Lookup};
use super::{BrowserChoice, CdpEndpoint, Config, Proxy, SnapshotConfig, Timeouts};
use super::{device, launch, page};

impl Config {
    /// Decides every setting from the flags, the environment and the
    /// configuration file that one of them names.
    ///
    /// `env` answers for one variable name; an empty answer counts as none.
    /// `read` gives the text of a file. Paths are kept as given.
    ///
    /// # Errors
    /// A value that cannot be understood, or two settings that contradict
    /// each other. With `stock`, what upstream lets pass passes, in flags and
    /// in `PLAYWRIGHT_MCP_*` variables: it takes most nonsense as not set.
    pub fn resolve(
        flags: &Flags,
        env: &dyn Fn(&str) -> Option<String>,
        read: &dyn Fn(&Path) -> std::io::Result<String>,
    ) -> Result<Config, ConfigError> {
        let mut lookup = Lookup {
            flags,
            env,
            file: ConfigFile::default(),
            devices: [None, None],
            stock: false,
        };
        let file = lookup
            .text(Setting::Config)
            .map(|given| PathBuf::from(given.text));
        if let Some(path) = &file {
            lookup.file = config_file(path, read)?;
        }
        lookup.stock = lookup.boolean(Setting::Stock)?.unwrap_or(false);
        channel_of_file(&mut lookup);
        lookup.devices = devices(&lookup)?;
        let lookup = lookup;
        if let Some(flags) = flags.contradiction().filter(|_| !lookup.stock) {
            return Err(ConfigError::Contradiction { flags });
        }
        let path = |setting| lookup.text(setting).map(|given| PathBuf::from(given.text));
        let defaults = Config::default();
        if let Some(error) = lookup.file.misshapen().filter(|_| !lookup.stock) {
            return Err(error);
        }
        let mut warnings = lookup.file.warnings(lookup.stock);

        let capabilities = capabilities(&lookup, &mut warnings)?;
        let secrets = secrets(&lookup, read)?;
        let page = page::resolve(&lookup, &mut warnings)?;
        if let Some(path) = page.init_scripts.iter().find(|path| read(path).is_err()) {
            return Err(ConfigError::NoInitScript { path: path.clone() });
        }
        let config = Config {
            file,
            stock: lookup.stock,
            headless: lookup.boolean(Setting::Headless)?,
            browser: browser(&lookup)?,
            executable_path: path(Setting::ExecutablePath),
            isolated: lookup
                .boolean(Setting::Isolated)?
                .unwrap_or(defaults.isolated),
            user_data_dir: path(Setting::UserDataDir),
            sandbox: lookup.boolean(Setting::Sandbox)?,
            cdp: cdp(&lookup, &mut warnings)?,
            page,
            launch: launch::resolve(&lookup)?,
            viewport: lookup
                .formed(Setting::ViewportSize)
                .filter(|given| !given.is_no_size())
                .map(|given| given.size())
                .transpose()?,
            user_agent: lookup.text(Setting::UserAgent).map(|given| given.text),
            ignore_https_errors: lookup
                .boolean(Setting::IgnoreHttpsErrors)?
                .unwrap_or(defaults.ignore_https_errors),
            proxy: proxy(&lookup, &mut warnings)?,
            output_dir: path(Setting::OutputDir),
            snapshot: snapshot(&lookup)?,
            shown: report::merged(&lookup, &capabilities, &secrets),
            secrets,
            output_max_size: lookup
                .formed(Setting::OutputMaxSize)
                .map(|given| given.bytes())
                .transpose()?
                .flatten(),
            save_session: lookup
                .boolean(Setting::SaveSession)?
                .unwrap_or(defaults.save_session),
            capabilities,
            image_responses: choice(&lookup, Setting::ImageResponses, IMAGE_RESPONSES)?
                .unwrap_or_default(),
            file_paths: choice(&lookup, Setting::FilePaths, FILE_PATHS)?.unwrap_or_default(),
            console_level: choice(&lookup, Setting::ConsoleLevel, CONSOLE_LEVELS)?
                .unwrap_or_default(),
            test_id_attributes: test_id_attributes(&lookup)?.unwrap_or(defaults.test_id_attributes),
            timeouts: timeouts(&lookup)?,
            allow_unsafe_code: lookup
                .boolean(Setting::AllowUnsafeCode)?
                .unwrap_or(defaults.allow_unsafe_code),
            allow_unrestricted_file_access: lookup
                .boolean(Setting::AllowUnrestrictedFileAccess)?
                .unwrap_or(defaults.allow_unrestricted_file_access),
            http: super::http::resolve(&lookup, &mut warnings)?,
            shared_browser_context: lookup
                .boolean(Setting::SharedBrowserContext)?
                .unwrap_or(defaults.shared_browser_context),
            verbose: lookup
                .boolean(Setting::Verbose)?
                .unwrap_or(defaults.verbose),
            warnings,
        };
        config.check()?;
        Ok(config)
    }

    /// [`Config::resolve`] for this process: its environment, with a warning
    /// for each variable that looks like ours and is not, and every path made
    /// absolute by its working folder.
    ///
    /// # Errors
    /// As [`Config::resolve`]; a variable that is not UTF-8; or a relative path
    /// when the working folder cannot be read.
    pub fn load(flags: &Flags) -> Result<Config, ConfigError> {
        if let Some(name) = unreadable_variable() {
            return Err(ConfigError::NotText { name });
        }
        let mut config = Config::resolve(flags, &|name| std::env::var(name).ok(), &|path| {
            std::fs::read_to_string(path)
        })?;
        let names: Vec<String> = std::env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .collect();
        config
            .warnings
            .extend(unread_variables(names.iter().map(String::as_str)));
        for path in [
            &mut config.executable_path,
            &mut config.user_data_dir,
            &mut config.output_dir,
            &mut config.launch.downloads_path,
            &mut config.page.storage_state,
        ]
        .into_iter()
        .flatten()
        .chain(&mut config.page.init_scripts)
        {
            *path = absolute(path)?;
        }
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        if self.isolated && self.user_data_dir.is_some() {
            return Err(ConfigError::IsolatedWithUserDataDir);
        }
        if let Some(dir) = &self.output_dir {
            let path = without_dots(dir);
            if path.is_absolute() && path.parent().is_none() {
                return Err(ConfigError::OutputDirIsRoot { path });
            }
        }
        Ok(())
    }
}

fn config_file(
    path: &Path,
    read: &dyn Fn(&Path) -> std::io::Result<String>,
) -> Result<ConfigFile, ConfigError> {
    let text = read(path).map_err(|error| ConfigError::FileUnreadable {
        what: "configuration file",
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    ConfigFile::parse(path, &text)
}

/// The secrets of a dotenv file, or those of the configuration file.
fn secrets(
    lookup: &Lookup<'_>,
    read: &dyn Fn(&Path) -> std::io::Result<String>,
) -> Result<Secrets, ConfigError> {
    const KEY: &str = "secrets";
    if let Some(given) = lookup.text(Setting::Secrets) {
        let path = PathBuf::from(given.text);
        let text = read(&path).map_err(|error| ConfigError::FileUnreadable {
            what: "file of secrets",
            path,
            reason: error.to_string(),
        })?;
        return Ok(Secrets::parse(&text));
    }
    match lookup.file.taken(KEY) {
        None => Ok(Secrets::default()),
        Some(Value::Object(entries)) => {
            let text = |value: &Value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            };
            let entries = entries
                .iter()
                .map(|(name, value)| (name.clone(), text(value)));
            Ok(Secrets::new(entries))
        }
        Some(_) if lookup.stock => Ok(Secrets::default()),
        Some(_) => Err(ConfigError::WrongKind {
            name: lookup.file.name_of(KEY),
            expected: "an object of texts",
        }),
    }
}

/// The devices that flags and variables name, each apart: a device of the
/// variables gives way to what the flags say of the same things.
fn devices(lookup: &Lookup<'_>) -> Result<[Option<device::Device>; 2], ConfigError> {
    let of = |named: Vec<String>, mobile: Vec<String>, name: &str, attached: bool| {
        let mobile = mobile.last().is_some_and(|on| on == "true" || on == "1");
        let named = named.into_iter().last();
        let wanted = match (&named, mobile) {
            (Some(_), true) => return Err(ConfigError::MobileWithDevice),
            (Some(named), false) => named.as_str(),
            (None, true) => device::GENERIC_MOBILE,
            (None, false) => return Ok(None),
        };
        if attached {
            return Err(ConfigError::DeviceWithCdpEndpoint);
        }
        match device::find(wanted) {
            None if !lookup.stock => Err(ConfigError::NotADevice {
                name: name.to_owned(),
                value: wanted.to_owned(),
                meant: device::nearest(wanted),
            }),
            found => Ok(found),
        }
    };
    // Upstream looks at flags and at variables, each by itself.
    let anywhere = !lookup.stock && lookup.text(Setting::CdpEndpoint).is_some();
    let by_flag = |setting| lookup.said_by_flag(setting);
    let by_variable = |setting| lookup.said_by_variable(setting);
    Ok([
        of(
            by_flag(Setting::Device),
            by_flag(Setting::Mobile),
            "--device",
            anywhere || !by_flag(Setting::CdpEndpoint).is_empty(),
        )?,
        of(
            by_variable(Setting::Device),
            by_variable(Setting::Mobile),
            "PLAYWRIGHT_MCP_DEVICE",
            anywhere || !by_variable(Setting::CdpEndpoint).is_empty(),
        )?,
    ])
}

/// Makes one setting of the two keys of a file that together say which browser.
///
/// Upstream drops a channel that comes without `browserName: "chromium"`; it is
/// only dropped in stock, because whoever wrote it wants that browser.
fn channel_of_file(lookup: &mut Lookup<'_>) {
    const NAME: &str = "browser.browserName";
    const CHANNEL: &str = "browser.launchOptions.channel";
    let text = |key| {
        let value = lookup.file.taken(key)?.as_str()?;
        (!value.is_empty()).then(|| value.to_owned())
    };
    let (key, text) = match (text(NAME), text(CHANNEL)) {
        (Some(name), channel) if name == "chromium" => match channel.as_deref() {
            None | Some("chromium" | "chrome-for-testing") => (NAME, name),
            Some(channel) => (CHANNEL, channel.to_owned()),
        },
        (Some(name), _) => (NAME, name),
        (None, Some(channel)) if !lookup.stock => match channel.as_str() {
            "chrome-for-testing" => (CHANNEL, "chromium".to_owned()),
            _ => (CHANNEL, channel),
        },
        (None, _) => return,
    };
    lookup.file.set(Setting::Browser, key, text);
}

fn choice<T: Copy>(
    lookup: &Lookup<'_>,
    setting: Setting,
    choices: &[(&'static str, T)],
) -> Result<Option<T>, ConfigError> {
    lookup
        .formed(setting)
        .map(|given| given.one_of(choices))
        .transpose()
}

fn browser(lookup: &Lookup<'_>) -> Result<BrowserChoice, ConfigError> {
    Ok(match lookup.formed(Setting::Browser) {
        Some(given) => BrowserChoice {
            channel: given.browser()?,
            explicit: true,
            ..BrowserChoice::default()
        },
        None => BrowserChoice::default(),
    })
}

/// The list, and a warning for each name in it that upstream ignores: someone
/// believes in tools that will not come.
fn capabilities(
    lookup: &Lookup<'_>,
    warnings: &mut Vec<String>,
) -> Result<Capabilities, ConfigError> {
    let given = lookup.text(Setting::Caps);
    let mut list = given.as_ref().map_or_else(Capabilities::default, |given| {
        Capabilities::parse(&given.text)
    });
    // Upstream knows the old name on the command line only.
    let old_name_counts = |given: &Given| given.is_flag() || !lookup.stock;
    if list.wants_tracing() && given.as_ref().is_some_and(old_name_counts) {
        list = list.with("devtools");
    }
    if lookup.boolean(Setting::Vision)?.unwrap_or(false) {
        warnings.push("The --vision option is deprecated, use --caps=vision instead".to_owned());
        list = list.with("vision");
    }
    if let Some(given) = given.filter(|_| !lookup.stock) {
        let known: Vec<&str> = Capability::NAMED.iter().map(|(name, _)| *name).collect();
        warnings.extend(list.unknown().map(|name| {
            format!(
                "{}: {name} is no group of tools and has no effect. Groups are: {}.",
                given.name(),
                known.join(", ")
            )
        }));
    }
    Ok(list)
}

fn cdp(
    lookup: &Lookup<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<CdpEndpoint>, ConfigError> {
    let timeout_ms = lookup.milliseconds(Setting::CdpTimeout)?.unwrap_or(30_000);
    let given = lookup.texts(Setting::CdpHeader);
    let headers = given
        .iter()
        .map(|given| given.header())
        .collect::<Result<Vec<_>, _>>()?;
    let Some(endpoint) = lookup.text(Setting::CdpEndpoint) else {
        if let Some(header) = given.first() {
            warnings.push(format!(
                "{} has no effect without --cdp-endpoint.",
                header.name()
            ));
        }
        return Ok(None);
    };
    Ok(Some(CdpEndpoint {
        url: endpoint.endpoint()?,
        headers,
        timeout_ms,
    }))
}

fn proxy(lookup: &Lookup<'_>, warnings: &mut Vec<String>) -> Result<Option<Proxy>, ConfigError> {
    let bypass = lookup.text(Setting::ProxyBypass);
    let Some(server) = lookup.text(Setting::ProxyServer) else {
        if let Some(bypass) = bypass {
            warnings.push(format!(
                "{} has no effect without --proxy-server.",
                bypass.name()
            ));
        }
        return Ok(None);
    };
    Ok(Some(Proxy {
        server: server.proxy()?,
        bypass: bypass.map(|given| given.text),
    }))
}

fn snapshot(lookup: &Lookup<'_>) -> Result<SnapshotConfig, ConfigError> {
    let mode = lookup
        .formed(Setting::SnapshotMode)
        .map(|given| given.one_of_or_default(SNAPSHOT_MODES))
        .transpose()?;
    Ok(SnapshotConfig {
        mode: mode.unwrap_or_default(),
        boxes: lookup.boolean(Setting::SnapshotBoxes)?.unwrap_or(false),
        source: choice(lookup, Setting::SnapshotSource, SNAPSHOT_SOURCES)?.unwrap_or_default(),
    })
}

fn test_id_attributes(lookup: &Lookup<'_>) -> Result<Option<Vec<String>>, ConfigError> {
    let names = lookup
        .text(Setting::TestIdAttribute)
        .map(|given| given.attributes())
        .transpose()?;
    Ok(names.filter(|names| !names.is_empty()))
}

fn timeouts(lookup: &Lookup<'_>) -> Result<Timeouts, ConfigError> {
    let defaults = Timeouts::default();
    Ok(Timeouts {
        action_ms: lookup
            .milliseconds(Setting::TimeoutAction)?
            .unwrap_or(defaults.action_ms),
        navigation_ms: lookup
            .milliseconds(Setting::TimeoutNavigation)?
            .unwrap_or(defaults.navigation_ms),
        expect_ms: lookup
            .milliseconds(Setting::TimeoutExpect)?
            .unwrap_or(defaults.expect_ms),
        settle_ms: lookup
            .milliseconds(Setting::TimeoutSettle)?
            .unwrap_or(defaults.settle_ms),
        idle_ms: lookup.milliseconds(Setting::IdleTimeout)?,
    })
}

/// The path from the root, without `.` and `..`.
fn absolute(path: &Path) -> Result<PathBuf, ConfigError> {
    std::path::absolute(path)
        .map(|path| without_dots(&path))
        .map_err(|error| ConfigError::NoWorkingDirectory {
            path: path.to_owned(),
            reason: error.to_string(),
        })
}

/// Resolves `.` and `..` by the text alone, as upstream does: symbolic links
/// are not looked at, and `..` at the root stays there. In a relative path
/// leading `..` are kept.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match clean.components().next_back() {
                Some(Component::Normal(_)) => {
                    clean.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                None | Some(Component::ParentDir | Component::CurDir) => clean.push(".."),
            },
            other => clean.push(other),
        }
    }
    clean
}
