//! A long session: nothing grows, nothing leaks, nothing is left half dead.

mod common;

use std::fs;
use std::path::Path;

use common::{Launch, Pages};
use serde_json::json;

const NAVIGATIONS: usize = 50;
const CALLS_EACH: usize = 20;

#[test]
fn a_thousand_calls_over_fifty_navigations_leave_memory_and_descriptors_flat() {
    if common::reference() || !Path::new("/proc/self/statm").exists() {
        return eprintln!("skipped: needs our own server and /proc");
    }
    let pages = Pages::start();
    for n in 0..NAVIGATIONS {
        let rows: String = (0..100)
            .map(|row| format!("<tr><td>{n}</td><td>row {row}</td></tr>"))
            .collect();
        let body = format!(
            "<button onclick='this.dataset.n = 1 + +(this.dataset.n || 0); console.log(this.dataset.n)'>Count</button>\
             <input aria-label=Name><table>{rows}</table><iframe srcdoc='<p>inner {n}</p>'></iframe>"
        );
        pages.put(
            &format!("/page{n}"),
            common::Answer::page(&format!("Page {n}"), &body),
        );
    }
    let session = Launch::new().start();
    let pid = session.pid;
    let mut warm = None;
    for n in 0..NAVIGATIONS {
        session.open(&pages.url(&format!("/page{n}"))).fine();
        let snapshot = session.snapshot();
        let button = common::ref_of(&snapshot, "button \"Count\"");
        let field = common::ref_of(&snapshot, "textbox \"Name\"");
        for call in 0..CALLS_EACH - 2 {
            match call % 6 {
                0 => session
                    .call("browser_click", json!({ "target": button }))
                    .fine(),
                1 => session
                    .call(
                        "browser_type",
                        json!({ "target": field, "text": format!("{n} {call}") }),
                    )
                    .fine(),
                2 => session
                    .call(
                        "browser_evaluate",
                        json!({ "function": "() => document.title" }),
                    )
                    .fine(),
                3 => session
                    .call("browser_find", json!({ "text": "row 50" }))
                    .fine(),
                4 => session
                    .call("browser_console_messages", json!({ "level": "info" }))
                    .fine(),
                _ => session
                    .call("browser_network_requests", json!({ "static": true }))
                    .fine(),
            };
        }
        // Buffers have their size, and the allocator its arenas, after the first part.
        if n + 1 == NAVIGATIONS * 2 / 5 {
            warm = Some((resident_kb(pid), descriptors(pid)));
        }
    }
    let (memory_before, descriptors_before) = warm.expect("the loop passes two fifths");
    let (memory, open) = (resident_kb(pid), descriptors(pid));
    println!(
        "resident {memory_before} kB -> {memory} kB, descriptors {descriptors_before} -> {open}"
    );
    assert!(
        memory * 10 <= memory_before * 11,
        "resident memory grew from {memory_before} to {memory} kB"
    );
    assert!(
        open <= descriptors_before,
        "descriptors grew from {descriptors_before} to {open}"
    );
    assert_eq!(zombies(pid), Vec::<u32>::new());
    session.end();
}

fn resident_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the server runs");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("Linux tells it");
    line.split_whitespace()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .expect("a number of kB")
}

fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd"))
        .expect("the server runs")
        .count()
}

fn zombies(parent: u32) -> Vec<u32> {
    let state = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // "pid (name) state ppid …"; the name may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        Some((
            fields.next()?.to_owned(),
            fields.next()?.parse::<u32>().ok()?,
        ))
    };
    fs::read_dir("/proc")
        .expect("checked above")
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|name| state(name).is_some_and(|(state, owner)| state == "Z" && owner == parent))
        .filter_map(|name| name.parse().ok())
        .collect()
}
