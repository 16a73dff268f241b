//! What scripts know from the web platform and is easier in Rust: addresses and randomness.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use url::{Url, quirks};

/// Bytes at most, as `crypto.getRandomValues` has it.
const MAX_RANDOM: usize = 65_536;

/// An address as the WHATWG URL standard parses it: href, protocol, username, password, host,
/// hostname, port, pathname, search, hash, origin. `None` when it is none.
pub(super) fn parse_url(input: &str, base: Option<&str>) -> Option<Vec<String>> {
    let base = match base {
        Some(base) => Some(Url::parse(base).ok()?),
        None => None,
    };
    let url = Url::options().base_url(base.as_ref()).parse(input).ok()?;
    Some(parts(&url))
}

/// The address with one part set, as by assignment to a `URL` object. What cannot be set stays.
pub(super) fn change_url(href: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&href).ok()?;
    // The setters that can fail leave the address alone then, and so does assignment.
    let _ = match part.as_str() {
        "href" => return parse_url(&value, None),
        "protocol" => quirks::set_protocol(&mut url, &value),
        "username" => quirks::set_username(&mut url, &value),
        "password" => quirks::set_password(&mut url, &value),
        "host" => quirks::set_host(&mut url, &value),
        "hostname" => quirks::set_hostname(&mut url, &value),
        "port" => quirks::set_port(&mut url, &value),
        "pathname" => {
            quirks::set_pathname(&mut url, &value);
            Ok(())
        }
        "search" => {
            quirks::set_search(&mut url, &value);
            Ok(())
        }
        "hash" => {
            quirks::set_hash(&mut url, &value);
            Ok(())
        }
        _ => Err(()),
    };
    Some(parts(&url))
}

fn parts(url: &Url) -> Vec<String> {
    [
        quirks::href(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([quirks::origin(url)])
    .collect()
}

/// Bytes for test data and identifiers: unpredictable enough not to collide, not meant for keys.
/// The seeds are those the standard library draws from the system for its hash maps.
pub(super) fn random(count: usize) -> Option<Vec<u8>> {
    if count > MAX_RANDOM {
        return None;
    }
    let mut bytes = Vec::with_capacity(count + 8);
    let seed = RandomState::new();
    for block in 0..count.div_ceil(8) {
        let mut hasher = seed.build_hasher();
        hasher.write_usize(block);
        bytes.extend(hasher.finish().to_le_bytes());
    }
    bytes.truncate(count);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_the_parts_of_the_standard() {
        let parts = parse_url("../c?d=1#e", Some("https://u:p@h.test:8443/a/b/")).unwrap();
        assert_eq!(
            parts,
            [
                "https://u:p@h.test:8443/a/c?d=1#e",
                "https:",
                "u",
                "p",
                "h.test:8443",
                "h.test",
                "8443",
                "/a/c",
                "?d=1",
                "#e",
                "https://h.test:8443"
            ]
        );
        assert_eq!(parse_url("no address", None), None);
        assert_eq!(parse_url("x", Some("no address")), None);
    }

    #[test]
    fn parts_can_be_set() {
        let set = |part: &str, value: &str| {
            change_url("http://a.test/x?y#z".into(), part.into(), value.into()).unwrap()[0].clone()
        };
        assert_eq!(set("port", "81"), "http://a.test:81/x?y#z");
        assert_eq!(set("search", ""), "http://a.test/x#z");
        assert_eq!(set("hash", "q"), "http://a.test/x?y#q");
        assert_eq!(set("port", "none"), "http://a.test/x?y#z");
        assert_eq!(set("nothing", "1"), "http://a.test/x?y#z");
    }

    #[test]
    fn random_bytes_are_bounded_and_differ() {
        assert_eq!(random(65_537), None);
        assert_eq!(random(5).unwrap().len(), 5);
        assert_ne!(random(16), random(16));
    }
}
