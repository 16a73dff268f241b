//! The commands a person runs by hand, through the real program and a real browser.

use std::process::{Command, Output};

fn playguard(words: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    Command::new(env!("CARGO_BIN_EXE_playguard"))
        .args(words)
        .current_dir(folder.path())
        .env_remove("PLAYGUARD_SHARED")
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_demo_drives_a_page_checks_the_result_and_ends_with_a_snippet() {
    let output = playguard(&["demo"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", text(&output.stderr));
    for tool in [
        "browser_navigate",
        "browser_snapshot",
        "browser_type",
        "browser_click",
        "browser_take_screenshot",
    ] {
        assert!(said.contains(tool), "{tool} in:\n{said}");
    }
    let snippet = &said[said
        .find("{\n")
        .unwrap_or_else(|| panic!("a snippet in:\n{said}"))..];
    let snippet = &snippet[..=snippet.rfind('}').expect("its end")];
    let snippet: serde_json::Value = serde_json::from_str(snippet).expect("JSON to paste");
    let command = snippet["mcpServers"]["playguard"]["command"]
        .as_str()
        .expect("a command");
    assert!(std::path::Path::new(command).is_absolute(), "{command}");
    let picture = said
        .split_whitespace()
        .find(|word| word.ends_with("playguard-demo.png"))
        .unwrap_or_else(|| panic!("a picture in:\n{said}"));
    let bytes = std::fs::read(picture).expect("the picture is where it says");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let _ = std::fs::remove_dir_all(
        std::path::Path::new(picture)
            .parent()
            .expect("a folder of its own"),
    );
}

#[test]
fn the_doctor_starts_the_browser_and_names_what_it_found() {
    let output = playguard(&["doctor", "--isolated"]);
    let said = text(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{said}\n{}",
        text(&output.stderr)
    );
    for check in ["Browser", "Start", "Window", "Sandbox"] {
        assert!(said.contains(check), "{check} in:\n{said}");
    }
    assert!(said.contains("answered in"), "{said}");
    assert_eq!(text(&output.stderr), "", "a report and no log");
}

#[test]
fn the_doctor_does_not_claim_a_sandbox_that_cannot_be() {
    let output = playguard(&["doctor", "--isolated", "--sandbox"]);
    let said = text(&output.stdout);
    let line = said
        .lines()
        .find(|line| line.contains("Sandbox"))
        .unwrap_or_else(|| panic!("a line in:\n{said}"));
    // Whether there can be one is up to the machine; the two must agree.
    if output.status.success() {
        assert!(line.ends_with(" on"), "{said}");
    } else {
        assert!(
            said.contains("✗ Start") || said.contains("x Start"),
            "{said}"
        );
        assert!(line.contains("wanted"), "{said}");
    }
    assert_eq!(text(&output.stderr), "", "a report and no log");
}

#[test]
fn the_doctor_says_once_how_to_attach() {
    // A port that was just free, and is closed again.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port")
        .port();
    let endpoint = format!("http://127.0.0.1:{port}");
    let output = playguard(&["doctor", "--cdp-endpoint", &endpoint]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("--remote-debugging-port").count(), 1, "{said}");
}

#[test]
fn the_doctor_says_what_must_be_repaired() {
    let output = playguard(&[
        "doctor",
        "--isolated",
        "--executable-path",
        "/no/such/browser",
    ]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("/no/such/browser"), "{said}");
}

#[test]
fn an_unknown_browser_to_install_is_named_with_those_that_exist() {
    let output = playguard(&["install-browser", "netscape"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "Invalid browser: netscape. Valid values are: chrome, chrome-beta, chrome-dev, chrome-canary\n"
    );
}

#[test]
fn a_server_whose_input_ends_ends_too() {
    let output = playguard(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        text(&output.stdout),
        "",
        "nothing but JSON on standard output"
    );
}
