//! How the browser and the pages are reached: endpoints, headers, proxies.

use super::tests::{by_flag, by_vars, in_stock, refused, resolve};
use super::*;

#[test]
fn an_endpoint_with_headers() {
    let flags = Flags::default()
        .with(Setting::CdpEndpoint, "http://127.0.0.1:9222")
        .with(Setting::CdpHeader, "Authorization: Bearer a:b")
        .with(Setting::CdpHeader, "X-Empty:")
        .with(Setting::CdpTimeout, "100");
    let config = resolve(flags, &[("PLAYWRIGHT_MCP_CDP_HEADERS", "X-Env: 1")]).unwrap();
    assert_eq!(
        config.cdp,
        Some(CdpEndpoint {
            url: "http://127.0.0.1:9222".to_owned(),
            headers: vec![
                ("Authorization".to_owned(), "Bearer a:b".to_owned()),
                ("X-Empty".to_owned(), String::new()),
            ],
            timeout_ms: 100
        })
    );

    let config = by_vars(&[
        ("PLAYWRIGHT_MCP_CDP_ENDPOINT", "ws://h/1"),
        ("PLAYWRIGHT_MCP_CDP_HEADERS", "X-Env: 1"),
    ])
    .unwrap();
    let cdp = config.cdp.unwrap();
    assert_eq!(cdp.headers, [("X-Env".to_owned(), "1".to_owned())]);
    assert_eq!(cdp.timeout_ms, 30_000);
}

#[test]
fn a_header_that_cannot_be_sent_is_refused_without_showing_it() {
    for wrong in [
        "A: secret\r\nB: 2",
        ": secret",
        "a b: secret",
        "é: secret",
        "secret",
    ] {
        assert_eq!(
            refused(by_flag(Setting::CdpHeader, wrong)),
            "Invalid --cdp-header: a header is written as \"Name: value\", on one line"
        );
    }
}

#[test]
fn a_header_without_a_value_is_upstreams_way() {
    let flags = Flags::default()
        .with(Setting::CdpEndpoint, "ws://h/1")
        .with(Setting::CdpHeader, "X-Empty");
    let cdp = in_stock(flags, &[]).unwrap().cdp.unwrap();
    assert_eq!(cdp.headers, [("X-Empty".to_owned(), String::new())]);
}

#[test]
fn an_endpoint_is_an_address_or_a_browser() {
    let expected = "An address that begins with http://, https://, ws:// or wss:// is expected, \
                    or a browser: chrome, chrome-beta, chrome-dev, chrome-canary, msedge, \
                    msedge-beta, msedge-dev, msedge-canary, chromium";
    assert_eq!(
        refused(by_flag(Setting::CdpEndpoint, "127.0.0.1:9388")),
        format!(
            "Invalid --cdp-endpoint: 127.0.0.1:9388. {expected}. \
             Did you mean http://127.0.0.1:9388?"
        )
    );
    assert_eq!(
        refused(by_vars(&[(
            "PLAYWRIGHT_MCP_CDP_ENDPOINT",
            "ftp://me:hunter2@h"
        )])),
        format!("Invalid PLAYWRIGHT_MCP_CDP_ENDPOINT: ...@h. {expected}")
    );
    let flags = Flags::default().with(Setting::CdpEndpoint, "127.0.0.1:9388");
    let cdp = in_stock(flags, &[]).unwrap().cdp.unwrap();
    assert_eq!(cdp.url, "127.0.0.1:9388");
    let chrome = by_flag(Setting::CdpEndpoint, "chrome").unwrap().cdp;
    assert_eq!(chrome.unwrap().url, "chrome");
}

#[test]
fn a_setting_that_needs_another_one_says_so() {
    let config = by_vars(&[
        ("PLAYGUARD_CDP_HEADERS", "A: 1"),
        ("PLAYWRIGHT_MCP_PROXY_BYPASS", "localhost"),
    ])
    .unwrap();
    assert_eq!((&config.cdp, &config.proxy), (&None, &None));
    assert_eq!(
        config.warnings,
        [
            "PLAYGUARD_CDP_HEADERS has no effect without --cdp-endpoint.",
            "PLAYWRIGHT_MCP_PROXY_BYPASS has no effect without --proxy-server."
        ]
    );
}

#[test]
fn a_proxy_with_exceptions() {
    let config = by_vars(&[
        ("PLAYWRIGHT_MCP_PROXY_SERVER", "socks5://127.0.0.1:1080"),
        ("PLAYGUARD_PROXY_BYPASS", ".corp.example,localhost"),
    ])
    .unwrap();
    assert_eq!(
        config.proxy,
        Some(Proxy {
            server: "socks5://127.0.0.1:1080".to_owned(),
            bypass: Some(".corp.example,localhost".to_owned())
        })
    );
}

#[test]
fn a_proxy_is_an_address() {
    for (wrong, shown) in [
        ("not a proxy", "not a proxy"),
        ("ftp://me:hunter2@proxy", "...@proxy"),
    ] {
        assert_eq!(
            refused(by_flag(Setting::ProxyServer, wrong)),
            format!(
                "Invalid --proxy-server: {shown}. A proxy is written as host:port or as an \
                 address such as http://proxy:3128, with one of the schemes http, https, socks, \
                 socks4, socks5, quic"
            )
        );
        let flags = Flags::default().with(Setting::ProxyServer, wrong);
        assert!(in_stock(flags, &[]).is_ok());
    }
}

#[test]
fn secrets_stay_out_of_debug_output() {
    let config = by_vars(&[
        ("PLAYGUARD_PROXY_SERVER", "http://me:hunter2@proxy:3128/x@y"),
        ("PLAYGUARD_CDP_ENDPOINT", "wss://me:hunter2@host/devtools"),
        ("PLAYGUARD_CDP_HEADERS", "Authorization: hunter2"),
    ])
    .unwrap();
    let shown = format!("{config:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("http://proxy:3128/x@y"), "{shown}");
    assert!(shown.contains("wss://host/devtools"), "{shown}");
    assert_eq!(without_credentials("me:pw@proxy:1"), "proxy:1");
    assert_eq!(without_credentials("proxy:1"), "proxy:1");
}
