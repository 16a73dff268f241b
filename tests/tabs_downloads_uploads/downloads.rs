//! Downloads: whole, named as the page wants as far as that is safe, and told.

use std::time::Duration;

use serde_json::json;

use crate::common::{Answer, Gate, Launch, PATIENCE, Stage, reference, wait_for};
use crate::steps;

#[test]
fn downloads() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        a_link_to_a_file,
        a_file_made_by_the_page,
        a_download_in_a_new_tab,
        the_same_name_twice,
        names_that_try_to_leave_the_folder,
        a_large_file,
        a_download_that_takes_time,
        a_download_that_breaks_off,
    );
}

/// The content of a download, once it is whole.
#[track_caller]
fn saved(stage: &Stage, name: &str, length: usize) -> Vec<u8> {
    let path = stage.workspace().join(".playwright-mcp").join(name);
    wait_for(name, PATIENCE, || {
        std::fs::read(&path)
            .ok()
            .filter(|content| content.len() == length)
    })
}

/// Asks until a reply tells of the end of this download.
#[track_caller]
fn told(stage: &Stage, first: crate::common::Reply, name: &str, file: &str) {
    let line = format!("- Downloaded file {name} to \".playwright-mcp/{file}\"");
    if first.plain.contains(&line) {
        return;
    }
    wait_for(&line, PATIENCE, || {
        let reply = stage.call("browser_snapshot", json!({})).fine();
        reply.plain.contains(&line).then_some(())
    });
}

fn a_link_to_a_file(stage: &Stage) {
    stage
        .pages
        .put("/report", Answer::download("report.csv", "a,b\n1,2\n"));
    stage.show("<a href=/report>Report</a>");
    let click = stage.click("Report").fine();
    told(stage, click, "report.csv", "report.csv");
    assert_eq!(saved(stage, "report.csv", 8), b"a,b\n1,2\n");
}

fn a_file_made_by_the_page(stage: &Stage) {
    stage.show(
        "<a download=made.txt>Make</a><script>
            document.querySelector('a').href = URL.createObjectURL(new Blob(['made here']))
        </script>",
    );
    let click = stage.call("browser_click", json!({ "target": "a" })).fine();
    told(stage, click, "made.txt", "made.txt");
    assert_eq!(saved(stage, "made.txt", 9), b"made here");
}

fn a_download_in_a_new_tab(stage: &Stage) {
    stage
        .pages
        .put("/new", Answer::download("new.bin", vec![7; 1000]));
    stage.show("<a href=/new target=_blank>Get</a>");
    stage.click("Get").fine();
    assert_eq!(saved(stage, "new.bin", 1000), vec![7; 1000]);
    assert!(stage.snapshot().contains("Get"));
}

fn the_same_name_twice(stage: &Stage) {
    stage
        .pages
        .put("/twice", Answer::download("twice.txt", "first"));
    stage.show("<a href=/twice>Get</a>");
    stage.click("Get").fine();
    saved(stage, "twice.txt", 5);
    stage
        .pages
        .put("/twice", Answer::download("twice.txt", "second one"));
    stage.click("Get").fine();
    if !reference() {
        saved(stage, "twice-2.txt", 10);
        return assert_eq!(saved(stage, "twice.txt", 5), b"first");
    }
    // Either it replaces the first or gets a name of its own; it is not lost.
    let folder = stage.workspace().join(".playwright-mcp");
    wait_for("the second file", PATIENCE, || {
        std::fs::read_dir(&folder)
            .ok()?
            .flatten()
            .find_map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                let content = std::fs::read_to_string(entry.path()).ok()?;
                (name.starts_with("twice") && content == "second one").then_some(())
            })
    });
}

fn names_that_try_to_leave_the_folder(stage: &Stage) {
    for (number, name) in [
        "../../evil.txt",
        "..%2f..%2fevil.txt",
        "/etc/evil.txt",
        "a\\\\b.txt",
    ]
    .into_iter()
    .enumerate()
    {
        let path = format!("/evil{number}");
        stage.pages.put(&path, Answer::download(name, "evil"));
        stage.show(&format!("<a href={path}>Get</a>"));
        let click = stage.click("Get").fine();
        wait_for("the end of the download", PATIENCE, || {
            let more = stage.call("browser_snapshot", json!({})).fine();
            let both = format!("{}{}", click.plain, more.plain);
            both.contains("- Downloaded file").then_some(())
        });
    }
    let top = stage.workspace().parent().expect("a parent");
    for folder in [top, stage.workspace()] {
        let strangers: Vec<_> = std::fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().contains("evil"))
            .collect();
        assert!(strangers.is_empty(), "{strangers:?}");
    }
    assert!(!std::path::Path::new("/etc/evil.txt").exists());
}

fn a_large_file(stage: &Stage) {
    let content: Vec<u8> = (0..20_000_000_u32).map(|n| (n % 251) as u8).collect();
    stage
        .pages
        .put("/large", Answer::download("large.bin", content.clone()));
    stage.show("<a href=/large>Get</a>");
    stage.click("Get").fine();
    assert!(saved(stage, "large.bin", content.len()) == content);
}

fn a_download_that_takes_time(stage: &Stage) {
    let gate = Gate::new();
    let content = vec![b'x'; 400_000];
    let answer = Answer::download("slow.txt", content.clone()).half_behind(&gate);
    stage.pages.put("/slow", answer);
    stage.show("<a href=/slow>Get</a><button>Other</button>");
    stage.click("Get").fine();
    stage.click("Other").fine();
    gate.open();
    assert!(saved(stage, "slow.txt", content.len()) == content);
}

fn a_download_that_breaks_off(stage: &Stage) {
    let answer = Answer::download("broken.bin", vec![1; 5000]).header("Content-Length", "9000");
    stage.pages.put("/broken", answer.cut_off());
    stage.show("<a href=/broken>Get</a>");
    let click = stage.click("Get").fine().within(Duration::from_secs(30));
    assert!(stage.snapshot().contains("Get"));
    if reference() {
        return;
    }
    let line = "- Download of file broken.bin did not complete";
    if !click.plain.contains(line) {
        wait_for(line, PATIENCE, || {
            let reply = stage.call("browser_snapshot", json!({})).fine();
            reply.plain.contains(line).then_some(())
        });
    }
}
