//! Addresses among the settings: a proxy, and a browser to attach to.

use url::Url;

use super::choices::{BROWSERS, words};

/// The kinds of proxy that Chromium knows.
pub(super) const PROXY_SCHEMES: &[&str] = &["http", "https", "socks", "socks4", "socks5", "quic"];

/// The ways to a running browser.
const ENDPOINT_SCHEMES: &[&str] = &["http", "https", "ws", "wss"];

/// Whether this names a proxy: `host`, `host:port`, or either after one of
/// [`PROXY_SCHEMES`], with or without `user:password@`.
pub(super) fn is_proxy(text: &str) -> bool {
    let (scheme, rest) = split_scheme(text.trim()).unwrap_or(("http", text.trim()));
    // A password may hold what an address may not, and is never parsed.
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    is_one_of(scheme, PROXY_SCHEMES) && is_host(host)
}

/// Whether this names a running browser: an address, or the channel of a
/// browser whose profile says where it listens.
pub(super) fn is_endpoint(text: &str) -> bool {
    if let Some((scheme, rest)) = split_scheme(text) {
        return is_one_of(scheme, ENDPOINT_SCHEMES) && Url::parse(text).is_ok() && !rest.is_empty();
    }
    text == "chrome-for-testing" || words(BROWSERS).contains(&text)
}

/// The address that was probably meant by one without a scheme.
pub(super) fn endpoint_meant(text: &str) -> Option<String> {
    // What stands before an @ may be a password, and is not repeated.
    if split_scheme(text).is_some() || text.contains('@') {
        return None;
    }
    if text.parse::<u16>().is_ok() {
        return Some(format!("http://127.0.0.1:{text}"));
    }
    // A single word is as likely the name of something.
    let (host, _) = text.split_once('/').unwrap_or((text, ""));
    let address = format!("http://{text}");
    (host.contains(['.', ':']) || host == "localhost")
        .then_some(address)
        .filter(|address| Url::parse(address).is_ok())
}

/// What may be shown of an address that was not understood: nothing before an
/// `@`, where a password would be.
pub(super) fn presentable(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => format!("...@{host}"),
        None => text.to_owned(),
    }
}

fn split_scheme(text: &str) -> Option<(&str, &str)> {
    text.split_once("://")
}

/// Schemes are the same in capitals (RFC 3986 §3.1).
fn is_one_of(scheme: &str, known: &[&str]) -> bool {
    known.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// A host with or without a port, and nothing else but a closing slash.
fn is_host(text: &str) -> bool {
    Url::parse(&format!("http://{text}")).is_ok_and(|url| {
        url.has_host() && url.path() == "/" && url.query().is_none() && url.fragment().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies() {
        for good in [
            "http://proxy:3128",
            "https://proxy.corp.example",
            "SOCKS5://127.0.0.1:1080",
            "socks5://[::1]:1080/",
            "proxy:3128",
            "proxy",
            "http://me:p#s/s@proxy:3128",
        ] {
            assert!(is_proxy(good), "{good}");
        }
        for bad in [
            "not a proxy",
            "http://",
            "http://:3128",
            "ftp://proxy:21",
            "htp://proxy",
            "http://proxy:99999",
            "http://proxy:port",
            "http://proxy/path",
            "http=a:1;https=b:2",
        ] {
            assert!(!is_proxy(bad), "{bad}");
        }
    }

    #[test]
    fn endpoints() {
        for good in [
            "http://127.0.0.1:9222",
            "https://host/a?token=b",
            "ws://h/devtools/browser/1",
            "wss://me:pw@h/x",
            "chrome",
            "msedge-beta",
        ] {
            assert!(is_endpoint(good), "{good}");
        }
        for bad in [
            "127.0.0.1:9388",
            "localhost",
            "http://",
            "ws://",
            "ftp://h",
            "http://a b",
            "netscape",
        ] {
            assert!(!is_endpoint(bad), "{bad}");
        }
    }

    #[test]
    fn what_was_meant() {
        let meant = |text| endpoint_meant(text).unwrap_or_default();
        assert_eq!(meant("127.0.0.1:9388"), "http://127.0.0.1:9388");
        assert_eq!(meant("localhost"), "http://localhost");
        assert_eq!(meant("9222"), "http://127.0.0.1:9222");
        assert_eq!(meant("[::1]:9222"), "http://[::1]:9222");
        for nothing in ["netscape", "ftp://h:1", "a b.c", "me:pw@h:1", ""] {
            assert_eq!(meant(nothing), "", "{nothing}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(presentable("x://me:p/w@h ost:1"), "...@h ost:1");
        assert_eq!(presentable("not a proxy"), "not a proxy");
    }
}
