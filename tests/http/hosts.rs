//! Requests that a web page could have sent.

use serde_json::json;

use crate::common::Launch;
use crate::common::http::{BOTH, EVENTS, JSON, Server, greeting};
use crate::stock;

fn greet(server: &Server, headers: &[(&str, &str)]) -> (u16, String) {
    let hello = greeting("2025-06-18", json!({})).to_string();
    let headers = [&[BOTH, JSON], headers].concat();
    let (status, text) = server.ask("POST", "/mcp", &headers, &hello);
    (status, if status == 200 { String::new() } else { text })
}

#[test]
fn a_foreign_name_is_refused() {
    let server = stock().serve();
    let port = server.port;
    let refused = (403, format!("Access is only allowed at localhost:{port}"));
    assert_eq!(greet(&server, &[("Host", "evil.example")]), refused);
    assert_eq!(
        greet(&server, &[("Host", &format!("127.0.0.1:{port}"))]),
        refused
    );
    assert_eq!(
        greet(&server, &[("Host", "")]),
        (400, "Missing host".to_owned())
    );
    let capital = format!("LOCALHOST:{port}");
    assert_eq!(greet(&server, &[("Host", &capital)]).0, 200);
    // Upstream does not look at origins.
    assert_eq!(greet(&server, &[("Origin", "http://evil.example")]).0, 200);
    // The older transport has the same door.
    let headers = [EVENTS, ("Host", "evil.example")];
    assert_eq!(server.ask("GET", "/sse", &headers, ""), refused);
}

#[test]
fn a_foreign_origin_is_refused() {
    let server = Launch::new().serve();
    let port = server.port;
    for host in ["127.0.0.1", "[::1]", "localhost"] {
        let host = format!("{host}:{port}");
        assert_eq!(greet(&server, &[("Host", &host)]).0, 200, "{host}");
        let origin = format!("http://{host}");
        assert_eq!(greet(&server, &[("Origin", &origin)]).0, 200, "{origin}");
    }
    for origin in ["http://evil.example", "null", "http://localhost:1", "x"] {
        assert_eq!(
            greet(&server, &[("Origin", origin)]),
            (
                403,
                "Access is not allowed from web pages of another origin".to_owned()
            )
        );
        let headers = [EVENTS, ("Origin", origin)];
        assert_eq!(server.ask("GET", "/sse", &headers, "").0, 403);
    }
    assert_eq!(greet(&server, &[("Host", "evil.example")]).0, 403);
}

#[test]
fn names_can_be_given() {
    let server = Launch::new()
        .args(["--allowed-hosts", "box:1, Other"])
        .serve();
    assert_eq!(greet(&server, &[("Host", "other")]).0, 200);
    assert_eq!(greet(&server, &[("Host", "BOX:1")]).0, 200);
    assert_eq!(
        greet(&server, &[]),
        (403, "Access is only allowed at box:1, other".to_owned())
    );
    let server = Launch::new()
        .var("PLAYWRIGHT_MCP_ALLOWED_HOSTS", "*")
        .serve();
    let anything = [("Host", "evil.example"), ("Origin", "null")];
    assert_eq!(greet(&server, &anything).0, 200);
    assert_eq!(greet(&server, &[("Host", "")]).0, 200);
}
