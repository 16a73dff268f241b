//! The cases made from public bug reports, through their own runner: with
//! everything this server adds, and without.

mod common;

use std::process::{Command, Stdio};

use common::{launch, reference, shared};

#[test]
fn cases_pass_with_defaults() {
    run(&[], 8931);
}

#[test]
fn cases_pass_with_stock() {
    if reference() {
        return eprintln!("skipped: upstream is stock");
    }
    run(&["--stock"], 8932);
}

/// Runs all cases. Each run has a port of its own for the pages.
fn run(more: &[&str], port: u16) {
    let Some(folder) = shared::folder("cases") else {
        return;
    };
    let python = Command::new("python3")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !python.is_ok_and(|status| status.success()) {
        return eprintln!("skipped: there is no python3");
    }
    // Upstream's screenshots of the tall page of case 19 are too large.
    let only: &[&str] = match reference() {
        true => &["--only", "01,02,05,07,08,10,11,15,17"],
        false => &[],
    };
    let browser = launch::browser();
    let output = Command::new("python3")
        .arg("runner.py")
        // Two slow cores, and other tests beside.
        .args(["--slow", "3", "--port", &port.to_string()])
        .args(only)
        .arg("--")
        .args(launch::server_words())
        .args([
            "--headless",
            "--no-sandbox",
            "--isolated",
            "--executable-path",
        ])
        .arg(browser)
        .args(more)
        .current_dir(folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("TERM", "dumb")
        .stdin(Stdio::null())
        .output()
        .expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
