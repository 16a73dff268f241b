//! Who may be meant by a request, and where it may come from.
//!
//! A web page can make the user's browser send requests to servers on the user's machine, by letting
//! its own name resolve to their address. Such a request carries that name in `Host`, and the page's
//! origin in `Origin`; a client of ours has no reason for either.

use std::net::IpAddr;

use http::{HeaderMap, StatusCode, header};
use url::Url;

/// What is not let in, and what it is told.
pub(super) type Refusal = (StatusCode, String);

/// The names of this server.
#[derive(Debug)]
pub(super) struct Hosts {
    any: bool,
    /// As they are told to whoever is refused.
    told: Vec<String>,
    /// Others that mean this server just as surely.
    also: Vec<String>,
    check_origin: bool,
}

impl Hosts {
    /// `allowed` is what was configured, empty for the default: `shown`, the name that the server
    /// goes by. With `strict` that is all, and origins are not looked at, as upstream has it.
    pub(super) fn new(allowed: &[String], shown: &str, strict: bool) -> Self {
        let mut also = Vec::new();
        if let Some((name, port)) = shown
            .rsplit_once(':')
            .filter(|_| !strict && allowed.is_empty())
        {
            if name == "localhost" {
                // Addresses cannot be taken over by somebody's name server.
                also.extend([format!("127.0.0.1:{port}"), format!("[::1]:{port}")]);
            }
            if port == "80" {
                let bare = |host: &String| host.trim_end_matches(":80").to_owned();
                let all: Vec<_> = also.iter().chain([&shown.to_owned()]).map(bare).collect();
                also.extend(all);
            }
        }
        Self {
            any: allowed.iter().any(|host| host == "*"),
            told: if allowed.is_empty() {
                vec![shown.to_lowercase()]
            } else {
                allowed.to_vec()
            },
            also,
            check_origin: !strict,
        }
    }

    /// Whether a request with these headers may come in.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if self.any {
            return Ok(());
        }
        let Some(host) = headers.get(header::HOST).filter(|host| !host.is_empty()) else {
            return Err((StatusCode::BAD_REQUEST, "Missing host".to_owned()));
        };
        if !host.to_str().is_ok_and(|host| self.is_ours(host)) {
            let told = self.told.join(", ");
            return Err((
                StatusCode::FORBIDDEN,
                format!("Access is only allowed at {told}"),
            ));
        }
        let origins = headers.get_all(header::ORIGIN);
        let foreign = |origin: &http::HeaderValue| {
            !origin.to_str().is_ok_and(|origin| self.is_own_page(origin))
        };
        if self.check_origin && origins.iter().any(foreign) {
            return Err((
                StatusCode::FORBIDDEN,
                "Access is not allowed from web pages of another origin".to_owned(),
            ));
        }
        Ok(())
    }

    fn is_ours(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        self.told.contains(&host) || self.also.contains(&host)
    }

    /// Whether an origin (RFC 6454 §6.1) is one of this server's names.
    fn is_own_page(&self, origin: &str) -> bool {
        let Ok(url) = Url::parse(origin) else {
            // Among others `null`, which any page can have.
            return false;
        };
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return false;
        };
        // A name without a port was configured so, for a server behind another.
        let told = |name: &str| self.told.iter().any(|told| told == name);
        matches!(url.scheme(), "http" | "https")
            && (self.is_ours(&format!("{host}:{port}")) || url.port().is_none() && told(host))
    }
}

/// The name under which a server on this address is shown.
pub(super) fn shown(host: &str, port: u16) -> String {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) if address.is_loopback() || address.is_unspecified() => {
            format!("localhost:{port}")
        }
        Ok(IpAddr::V6(address)) => format!("[{address}]:{port}"),
        _ => format!("{}:{port}", host.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    fn told(hosts: &Hosts, pairs: &[(&'static str, &str)]) -> Option<(u16, String)> {
        let refusal = hosts.check(&headers(pairs)).err();
        refusal.map(|(status, text)| (status.as_u16(), text))
    }

    #[test]
    fn stock_knows_one_name_and_no_origin() {
        let hosts = Hosts::new(&[], "localhost:8931", true);
        assert_eq!(told(&hosts, &[("host", "LocalHost:8931")]), None);
        let foreign = [
            ("host", "localhost:8931"),
            ("origin", "http://evil.example"),
        ];
        assert_eq!(told(&hosts, &foreign), None);
        assert_eq!(told(&hosts, &[]), Some((400, "Missing host".to_owned())));
        for other in ["127.0.0.1:8931", "localhost", "evil.example:8931"] {
            assert_eq!(
                told(&hosts, &[("host", other)]),
                Some((403, "Access is only allowed at localhost:8931".to_owned()))
            );
        }
    }

    #[test]
    fn configured_names_replace_the_default() {
        let allowed = ["a".to_owned(), "b:1".to_owned()];
        let hosts = Hosts::new(&allowed, "localhost:8931", false);
        assert_eq!(told(&hosts, &[("host", "b:1")]), None);
        assert_eq!(
            told(&hosts, &[("host", "localhost:8931")]),
            Some((403, "Access is only allowed at a, b:1".to_owned()))
        );
        let hosts = Hosts::new(&["*".to_owned()], "localhost:8931", false);
        assert_eq!(told(&hosts, &[("origin", "null")]), None);
    }

    #[test]
    fn loopback_addresses_are_names_too() {
        let hosts = Hosts::new(&[], "localhost:80", false);
        for host in ["127.0.0.1:80", "[::1]", "localhost"] {
            assert_eq!(told(&hosts, &[("host", host)]), None, "{host}");
        }
        assert!(told(&hosts, &[("host", "127.0.0.2:80")]).is_some());
        let hosts = Hosts::new(&[], "box.example:80", false);
        assert_eq!(told(&hosts, &[("host", "box.example")]), None);
        assert!(told(&hosts, &[("host", "127.0.0.1:80")]).is_some());
    }

    #[test]
    fn pages_of_others_are_kept_out() {
        let hosts = Hosts::new(&[], "localhost:80", false);
        let from = |origin| told(&hosts, &[("host", "localhost:80"), ("origin", origin)]);
        for own in ["http://localhost", "http://127.0.0.1", "http://[::1]:80"] {
            assert_eq!(from(own), None, "{own}");
        }
        for foreign in [
            "http://localhost:3000",
            "https://localhost",
            "http://evil.example",
            "null",
            "chrome-extension://abc",
            "",
        ] {
            assert_eq!(from(foreign).unwrap().0, 403, "{foreign}");
        }
    }

    #[test]
    fn loopback_and_every_address_are_shown_as_localhost() {
        for host in ["localhost", "127.0.0.1", "0.0.0.0", "::", "::1", "[::1]"] {
            assert_eq!(shown(host, 1), "localhost:1");
        }
        assert_eq!(shown("10.0.0.1", 80), "10.0.0.1:80");
        assert_eq!(shown("fe80::1", 80), "[fe80::1]:80");
        assert_eq!(shown("Box.Example", 80), "box.example:80");
    }
}
