//! Serving several clients over HTTP.

use super::error::ConfigError;
use super::options::Setting;
use super::value::Lookup;

/// Where the HTTP server is, and what it puts up with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpConfig {
    /// The TCP port; 0 is any free one.
    pub port: u16,
    /// The name or address to listen on. Default: `localhost`.
    pub host: String,
    /// What may stand in the `Host` header, in lower case, port included; `*`
    /// is anything. Empty, the default: the names of this server itself.
    pub allowed_hosts: Vec<String>,
    /// How long a client may take to answer a heartbeat, in milliseconds. 0 is
    /// no heartbeat. Default: 5000.
    pub ping_timeout_ms: u64,
    /// After how long without a word a client without a connection is
    /// forgotten, in milliseconds. 0 is never. Default: half an hour; with
    /// `stock`, never.
    pub session_timeout_ms: u64,
}

const PING_TIMEOUT_MS: u64 = 5_000;
const SESSION_TIMEOUT_MS: u64 = 30 * 60_000;

/// The settings of the server, if there is to be one.
pub(super) fn resolve(
    lookup: &Lookup<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<HttpConfig>, ConfigError> {
    let ping = lookup
        .formed(Setting::PingTimeout)
        .map(|given| given.milliseconds_or_none())
        .transpose()?;
    let session = lookup.milliseconds(Setting::SessionTimeout)?;
    let Some(port) = lookup.formed(Setting::Port) else {
        // A variable of the heartbeat may be set for all servers of a machine.
        for setting in [
            Setting::Host,
            Setting::AllowedHosts,
            Setting::SessionTimeout,
        ] {
            if let Some(given) = lookup.text(setting).filter(|_| !lookup.stock) {
                warnings.push(format!("{} has no effect without --port.", given.name()));
            }
        }
        return Ok(None);
    };
    let hosts = lookup.text(Setting::AllowedHosts);
    Ok(Some(HttpConfig {
        port: port.port()?,
        host: lookup.text(Setting::Host).map_or_else(
            || "localhost".to_owned(),
            |given| given.text.trim().to_owned(),
        ),
        allowed_hosts: hosts.map_or_else(Vec::new, |given| {
            given
                .text
                .split(',')
                .map(|host| host.trim().to_lowercase())
                .filter(|host| !host.is_empty())
                .collect()
        }),
        ping_timeout_ms: ping.unwrap_or(PING_TIMEOUT_MS),
        session_timeout_ms: session.unwrap_or(if lookup.stock { 0 } else { SESSION_TIMEOUT_MS }),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{by_flag, by_vars, in_stock, refused, resolve};
    use super::super::{Flags, Setting};
    use super::*;

    #[test]
    fn a_port_makes_a_server() {
        assert_eq!(by_vars(&[]).unwrap().http, None);
        assert_eq!(
            by_flag(Setting::Port, "8931").unwrap().http,
            Some(HttpConfig {
                port: 8931,
                host: "localhost".to_owned(),
                allowed_hosts: Vec::new(),
                ping_timeout_ms: 5_000,
                session_timeout_ms: 1_800_000,
            })
        );
        let stock = in_stock(Flags::default().with(Setting::Port, "0"), &[]);
        assert_eq!(stock.unwrap().http.unwrap().session_timeout_ms, 0);
    }

    #[test]
    fn every_variable_is_read() {
        let config = by_vars(&[
            ("PLAYWRIGHT_MCP_PORT", "0"),
            ("PLAYWRIGHT_MCP_HOST", "0.0.0.0"),
            ("PLAYWRIGHT_MCP_ALLOWED_HOSTS", "Box:80, , other"),
            ("PLAYWRIGHT_MCP_PING_TIMEOUT_MS", "-1"),
            ("PLAYGUARD_SESSION_TIMEOUT", "7"),
            ("PLAYGUARD_SHARED_BROWSER_CONTEXT", "1"),
        ]);
        let config = config.unwrap();
        assert!(config.shared_browser_context);
        let http = config.http.unwrap();
        assert_eq!((http.port, http.host.as_str()), (0, "0.0.0.0"));
        assert_eq!(http.allowed_hosts, ["box:80", "other"]);
        assert_eq!((http.ping_timeout_ms, http.session_timeout_ms), (0, 7));
        let ours = by_vars(&[("PLAYGUARD_PORT", "1"), ("PLAYWRIGHT_MCP_PORT", "2")]);
        assert_eq!(ours.unwrap().http.unwrap().port, 1);
    }

    #[test]
    fn what_is_no_port_is_refused() {
        for wrong in ["65536", "-1", "http", "80 80"] {
            assert_eq!(
                refused(by_flag(Setting::Port, wrong)),
                format!(
                    "Invalid --port: {wrong}. A port from 0 to 65535 is expected; 0 is any free one"
                )
            );
        }
        assert!(refused(by_flag(Setting::Port, "")).starts_with("Invalid --port: (empty)."));
        assert!(refused(by_flag(Setting::PingTimeout, "soon")).contains("milliseconds"));
    }

    #[test]
    fn settings_without_a_server_are_announced() {
        let flags = Flags::default()
            .with(Setting::Host, "h")
            .with(Setting::PingTimeout, "1");
        let config = resolve(flags, &[("PLAYGUARD_ALLOWED_HOSTS", "*")]).unwrap();
        assert_eq!(
            config.warnings,
            [
                "--host has no effect without --port.",
                "PLAYGUARD_ALLOWED_HOSTS has no effect without --port."
            ]
        );
    }
}
