//! Proxy settings as the browser takes them.

/// A proxy for the browser's traffic.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// `scheme://host:port` without a login, which would show in the list of processes.
    pub server: String,
    /// User name and password to answer the proxy's challenge with (over the protocol's
    /// `Fetch.authRequired`; the browser ignores a login on its command line).
    pub login: Option<(String, String)>,
    /// Hosts to reach directly, as Chromium's bypass rules.
    pub bypass: Vec<String>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy")
            .field("server", &self.server)
            .field("login", &self.login.as_ref().map(|_| "(hidden)"))
            .field("bypass", &self.bypass)
            .finish()
    }
}

impl Proxy {
    /// From `--proxy-server` and `--proxy-bypass` (a comma list). A server without a scheme is an
    /// HTTP proxy. A bypass entry `.x.com` means `*.x.com`.
    pub fn new(server: &str, bypass: Option<&str>) -> Self {
        let server = server.trim();
        let (scheme, rest) = server.split_once("://").unwrap_or(("http", server));
        let (login, host) = match rest.rsplit_once('@') {
            Some((login, host)) => (Some(login), host),
            None => (None, rest),
        };
        let login = login.map(|login| {
            let (user, password) = login.split_once(':').unwrap_or((login, ""));
            (percent_decode(user), percent_decode(password))
        });
        let bypass = bypass
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|host| !host.is_empty())
            .map(|host| {
                if host.starts_with('.') {
                    format!("*{host}")
                } else {
                    host.to_owned()
                }
            })
            .collect();
        Self {
            server: format!("{scheme}://{}", host.trim_end_matches('/')),
            login,
            bypass,
        }
    }

    /// The command line switches. Chromium leaves loopback out by itself; like upstream we proxy it
    /// too, unless a bypass rule names it.
    pub(super) fn args(&self) -> Vec<String> {
        let mut args = vec![format!("--proxy-server={}", self.server)];
        if self.server.starts_with("socks5://") {
            // Names are resolved by the proxy, never here.
            let host = self.host();
            args.push(format!(
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {host}"
            ));
        }
        let mut rules = self.bypass.clone();
        if !rules.iter().any(|rule| names_loopback(rule)) {
            rules.push("<-loopback>".to_owned());
        }
        args.push(format!("--proxy-bypass-list={}", rules.join(";")));
        args
    }

    fn host(&self) -> &str {
        let authority = self
            .server
            .split_once("://")
            .map_or(self.server.as_str(), |(_, rest)| rest);
        match authority.rfind(':') {
            // Not the colons of a bracketed IPv6 address.
            Some(colon) if !authority[colon..].contains(']') => &authority[..colon],
            _ => authority,
        }
    }
}

fn names_loopback(rule: &str) -> bool {
    let host = rule.split_once("://").map_or(rule, |(_, host)| host);
    let bare = host.trim_start_matches('[');
    matches!(rule, "<-loopback>" | "<local>")
        || ["localhost", "127.0.0.1", "::1"].iter().any(|name| {
            bare.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ']', '/']))
        })
}

/// Percent-decoding of RFC 3986; what is not an escape stays.
fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit = |offset: usize| (*bytes.get(at + offset)? as char).to_digit(16);
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                // Two hexadecimal digits are at most 255.
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_proxied_unless_named() {
        let proxy = Proxy::new("localhost:3128", Some(".x.com, y.com"));
        assert_eq!(
            proxy.args(),
            [
                "--proxy-server=http://localhost:3128",
                "--proxy-bypass-list=*.x.com;y.com;<-loopback>"
            ]
        );
        for rule in [
            "localhost",
            "127.0.0.1:80",
            "[::1]",
            "http://localhost",
            "<-loopback>",
        ] {
            let args = Proxy::new("p:1", Some(rule)).args();
            assert_eq!(args[1], format!("--proxy-bypass-list={rule}"));
        }
        let args = Proxy::new("p:1", Some("localhost.example")).args();
        assert!(args[1].ends_with(";<-loopback>"));
    }

    #[test]
    fn the_login_stays_off_the_command_line() {
        let proxy = Proxy::new("http://us%40er:p%3Aw@proxy:8080/", None);
        assert_eq!(proxy.login, Some(("us@er".into(), "p:w".into())));
        assert_eq!(proxy.args()[0], "--proxy-server=http://proxy:8080");
        assert!(!format!("{proxy:?}").contains("p:w"));
        assert_eq!(percent_decode("100%"), "100%");
        assert_eq!(percent_decode("%é%zz"), "%é%zz");
    }

    #[test]
    fn socks_resolves_at_the_proxy() {
        let args = Proxy::new("socks5://10.0.0.1:1080", None).args();
        assert!(args[1].ends_with("EXCLUDE 10.0.0.1"));
        let args = Proxy::new("socks5://[fd00::1]:1080", None).args();
        assert!(args[1].ends_with("EXCLUDE [fd00::1]"));
    }
}
