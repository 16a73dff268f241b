//! How the browser is started, beyond what flags say: the launch options of
//! the configuration file.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::error::ConfigError;
use super::value::Lookup;

/// How the browser is started, beyond what flags say.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LaunchExtras {
    /// Switches for its command line.
    pub args: Vec<String>,
    /// Our own switches that are left out.
    pub ignore_default_args: IgnoreArgs,
    /// Its whole environment, in place of ours.
    pub env: Option<Vec<(String, String)>>,
    /// Limit for its start in milliseconds; 0 is no limit. Default: 30000.
    pub timeout_ms: Option<u64>,
    /// Where it keeps what pages save until that is moved to the output folder.
    pub downloads_path: Option<PathBuf>,
    /// User name and password for the proxy.
    pub proxy_login: Option<(String, String)>,
}

impl fmt::Debug for LaunchExtras {
    // Values of the environment may be tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = (self.env.iter().flatten())
            .map(|(name, _)| name.as_str())
            .collect();
        f.debug_struct("LaunchExtras")
            .field("args", &self.args)
            .field("ignore_default_args", &self.ignore_default_args)
            .field("env", &names)
            .field("timeout_ms", &self.timeout_ms)
            .field("downloads_path", &self.downloads_path)
            .finish_non_exhaustive()
    }
}

/// Which of our own switches are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum IgnoreArgs {
    /// None.
    #[default]
    None,
    /// These.
    Some(Vec<String>),
    /// All.
    All,
}

/// Reads the options.
pub(super) fn resolve(lookup: &Lookup<'_>) -> Result<LaunchExtras, ConfigError> {
    const IGNORE: &str = "ignoreDefaultArgs";
    let file = lookup.launch();
    let ignore_default_args = match file.value(IGNORE) {
        None | Some(Value::Bool(false)) => IgnoreArgs::None,
        Some(Value::Bool(true)) => IgnoreArgs::All,
        Some(Value::String(text)) if text == "true" => IgnoreArgs::All,
        Some(_) => IgnoreArgs::Some(file.list(IGNORE)?),
    };
    let env = file.pairs("env")?;
    let proxy = file.group("proxy")?;
    let login = match &proxy {
        Some(proxy) => proxy
            .text("username")?
            .map(|user| Ok((user, proxy.text("password")?.unwrap_or_default())))
            .transpose()?,
        None => None,
    };
    Ok(LaunchExtras {
        args: file.list("args")?,
        ignore_default_args,
        env: (!env.is_empty()).then_some(env),
        timeout_ms: file
            .number("timeout", 0.0, super::MAX_MS as f64)?
            // Within range by the check above.
            .map(|ms| ms as u64),
        downloads_path: file.text("downloadsPath")?.map(PathBuf::from),
        proxy_login: login,
    })
}
