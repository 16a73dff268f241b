//! Snapshots against recordings of upstream's: every page of the corpus, its
//! variants, and the scenarios of several steps.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::reply::difference;
use common::{Launch, Pages, Session, shared};
use serde_json::{Value, json};

/// Pages with text that no browser gives without running a script inside the
/// page. Their recordings may differ.
const SCRIPTED: [&str; 2] = ["pseudo-content", "hidden-pseudo-icons"];

/// A recording and what came instead: its name, the expected text, the real one.
struct Outcome {
    name: String,
    expected: String,
    real: String,
}

#[test]
fn snapshots_equal_the_recorded_ones() {
    let Some(folder) = shared::folder("corpus") else {
        return;
    };
    let variants: Value = read_json(&folder.join("variants.json"));
    let scenarios: Value = read_json(&folder.join("scenarios.json"));
    let mut names: Vec<String> = std::fs::read_dir(folder.join("pages"))
        .expect("pages")
        .flatten()
        .filter_map(|entry| {
            Some(
                entry
                    .file_name()
                    .to_str()?
                    .strip_suffix(".html")?
                    .to_owned(),
            )
        })
        .collect();
    names.sort();

    // Two servers share the work; a page is a job, and so is a scenario.
    let pages = Pages::of(&folder.join("pages"));
    let scenarios = scenarios.as_array().expect("a list");
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let only = std::env::var("PLAYGUARD_TEST_STEP").unwrap_or_default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let session = Launch::new()
                    .stock()
                    .args(["--viewport-size", "1280x720", "--snapshot-mode", "none"])
                    .start();
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    let found = if let Some(name) = names.get(job) {
                        if !name.contains(&only) {
                            continue;
                        }
                        page(&session, &pages, &folder, name, &variants[name])
                    } else if let Some(steps) = scenarios.get(job - names.len()) {
                        if !steps["name"]
                            .as_str()
                            .is_some_and(|name| name.contains(&only))
                        {
                            continue;
                        }
                        vec![scenario(&session, &pages, &folder, steps)]
                    } else {
                        break;
                    };
                    outcomes.lock().expect("no panic inside").extend(found);
                }
            });
        }
    });
    judge(outcomes.into_inner().expect("no panic inside"));
}

fn judge(outcomes: Vec<Outcome>) {
    let total = outcomes.len();
    let unequal: BTreeMap<String, Outcome> = outcomes
        .into_iter()
        .filter(|outcome| outcome.real != outcome.expected)
        // Frames of different processes attach in the order in which those happen to start, in upstream
        // as here: then the numbers differ and nothing else may.
        .filter(|outcome| comparable(&outcome.real) != comparable(&outcome.expected))
        .map(|outcome| (outcome.name.clone(), outcome))
        .collect();
    println!("corpus: {} of {total} equal", total - unequal.len());
    assert!(total > 0, "nothing was compared");
    let mut wrong = Vec::new();
    for (name, outcome) in &unequal {
        let scripted = SCRIPTED
            .iter()
            .any(|page| name.split('.').next() == Some(page));
        let word = if scripted { "tolerated" } else { "WRONG" };
        println!(
            "== {word}: {name}\n{}",
            difference(&outcome.expected, &outcome.real)
        );
        if !scripted {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{} differ: {wrong:#?}", wrong.len());
}

/// The text with its frames numbered by first appearance, and without the link to new console lines:
/// it belongs to whichever reply the browser's message happens to arrive before.
fn comparable(text: &str) -> String {
    let link = regex::Regex::new(r"(?m)^### Events\n- New console entries: .*\n")
        .expect("a valid pattern");
    let text = link.replace_all(text, "");
    let pattern = regex::Regex::new(r"\[ref=f(\d+)e").expect("a valid pattern");
    let mut seen: Vec<String> = Vec::new();
    pattern
        .replace_all(&text, |found: &regex::Captures<'_>| {
            let frame = found[1].to_owned();
            let at = seen
                .iter()
                .position(|known| *known == frame)
                .unwrap_or_else(|| {
                    seen.push(frame);
                    seen.len() - 1
                });
            format!("[ref=f#{at}e")
        })
        .into_owned()
}

/// One page and its variants.
fn page(
    session: &Session,
    pages: &Pages,
    folder: &Path,
    name: &str,
    variants: &Value,
) -> Vec<Outcome> {
    let source =
        std::fs::read_to_string(folder.join(format!("pages/{name}.html"))).expect("a page");
    let framed = ["<iframe", "<frame", "createElement('iframe')"]
        .iter()
        .any(|mark| source.contains(mark));
    if !framed {
        return in_a_tab(session, pages, folder, name, variants, None);
    }
    // Frames load after the page. The recorder waited this long, which a busy
    // machine may exceed: then once more, with time.
    let outcomes = in_a_tab(session, pages, folder, name, variants, Some(0.7));
    if outcomes
        .iter()
        .all(|outcome| outcome.real == outcome.expected)
    {
        return outcomes;
    }
    in_a_tab(session, pages, folder, name, variants, Some(4.0))
}

/// In a tab of its own, because the refs of a tab's first document have no
/// prefix.
fn in_a_tab(
    session: &Session,
    pages: &Pages,
    folder: &Path,
    name: &str,
    variants: &Value,
    pause: Option<f32>,
) -> Vec<Outcome> {
    session.call("browser_tabs", json!({ "action": "new" }));
    session.call(
        "browser_navigate",
        json!({ "url": pages.url(&format!("/{name}.html")) }),
    );
    if let Some(seconds) = pause {
        session.call("browser_wait_for", json!({ "time": seconds }));
    }
    let mut outcomes = Vec::new();
    let plain = json!([{ "name": "", "args": {} }]);
    for variant in [&plain, variants]
        .into_iter()
        .filter_map(Value::as_array)
        .flatten()
    {
        let suffix = variant["name"].as_str().filter(|suffix| !suffix.is_empty());
        let name = suffix.map_or(name.to_owned(), |suffix| format!("{name}.{suffix}"));
        let reply = session.call("browser_snapshot", variant["args"].clone());
        let real = reply.section("Snapshot").unwrap_or(reply.text) + "\n";
        outcomes.push(compare(folder, name.clone(), &format!("{name}.yml"), real));
    }
    session.call("browser_tabs", json!({ "action": "close" }));
    outcomes
}

/// One scenario, written down as the recorder does.
fn scenario(session: &Session, pages: &Pages, folder: &Path, scenario: &Value) -> Outcome {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let clean = |reply: common::Reply| {
        let mark = if reply.is_error { "[isError]\n" } else { "" };
        format!(
            "{mark}{}",
            reply.text.replace(&pages.origin(), "http://ORIGIN")
        )
    };
    session.call("browser_tabs", json!({ "action": "new" }));
    let start = pages.url(&format!("/{}.html", text(&scenario["page"])));
    session.call("browser_navigate", json!({ "url": start }));
    let mut lines = Vec::new();
    for step in scenario["steps"].as_array().expect("steps") {
        if let Some(function) = step["eval"].as_str() {
            lines.push(format!("## eval {function}"));
            let reply = session.call("browser_evaluate", json!({ "function": function }));
            if reply.is_error {
                lines.push(clean(reply));
            }
        } else if let Some(seconds) = step["wait"].as_f64() {
            session.call("browser_wait_for", json!({ "time": seconds }));
        } else if let Some(name) = step["navigate"].as_str() {
            lines.push(format!("## navigate {name}"));
            let suffix = if name.contains('.') { "" } else { ".html" };
            let url = pages.url(&format!("/{name}{suffix}"));
            session.call("browser_navigate", json!({ "url": url }));
        } else if let Some(tool) = step["call"].as_str() {
            lines.push(format!("## call {tool} {}", step["args"]));
            lines.push(clean(session.call(tool, step["args"].clone())));
        } else {
            lines.push(format!("## snapshot {}", step["snapshot"]));
            let reply = session.call("browser_snapshot", step["snapshot"].clone());
            lines.push(reply.section("Snapshot").unwrap_or_else(|| clean(reply)));
        }
    }
    session.call("browser_tabs", json!({ "action": "close" }));
    let name = text(&scenario["name"]);
    compare(
        folder,
        name.clone(),
        &format!("scenarios/{name}.txt"),
        lines.join("\n") + "\n",
    )
}

fn compare(folder: &Path, name: String, file: &str, real: String) -> Outcome {
    let path = folder.join("expected").join(file);
    Outcome {
        expected: std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        name,
        real,
    }
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a file of the corpus");
    serde_json::from_str(&text).expect("JSON")
}
