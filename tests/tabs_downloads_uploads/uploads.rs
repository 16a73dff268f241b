//! Files that go into a page, by its choosers and by dropping.

use serde_json::json;

use crate::common::{Launch, PATIENCE, Stage, wait_for};
use crate::steps;

#[test]
fn uploads() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        one_file,
        several_files,
        a_folder,
        a_hidden_input_behind_a_button,
        nothing_after_all,
        files_outside_of_the_workspace,
        links_that_lead_outside,
        dropped_files_keep_their_content,
        dropped_data,
        a_large_upload,
    );
}

fn state(stage: &Stage) -> String {
    wait_for("files in the page", PATIENCE, || {
        let text = stage.value("state.textContent");
        text.as_str()
            .filter(|text| *text != "none")
            .map(str::to_owned)
    })
}

#[track_caller]
fn choose(stage: &Stage, target: &str) {
    stage.visit("files.html");
    stage
        .call("browser_click", json!({ "target": target }))
        .fine()
        .has("- [File chooser]: can be handled by browser_file_upload");
}

fn one_file(stage: &Stage) {
    choose(stage, "#one");
    let path = stage.file("a.txt", "hello");
    stage
        .call("browser_file_upload", json!({ "paths": [path] }))
        .fine();
    assert_eq!(state(stage), "one: a.txt=hello");
}

fn several_files(stage: &Stage) {
    choose(stage, "#several");
    let paths = [stage.file("a.txt", "hello"), stage.file("b ü.txt", "bye")];
    stage
        .call("browser_file_upload", json!({ "paths": paths }))
        .fine();
    assert_eq!(state(stage), "several: a.txt=hello, b ü.txt=bye");
}

fn a_folder(stage: &Stage) {
    choose(stage, "#folder");
    let folder = stage.workspace().join("album");
    std::fs::create_dir_all(folder.join("deep")).expect("a folder");
    std::fs::write(folder.join("1.txt"), "one").expect("a file");
    std::fs::write(folder.join("deep/2.txt"), "two").expect("a file");
    stage
        .call("browser_file_upload", json!({ "paths": [folder] }))
        .fine();
    assert_eq!(
        state(stage),
        "folder: album/1.txt=one, album/deep/2.txt=two"
    );
}

fn a_hidden_input_behind_a_button(stage: &Stage) {
    choose(stage, "#open");
    let path = stage.file("a.txt", "hello");
    stage
        .call("browser_file_upload", json!({ "paths": [path] }))
        .fine();
    assert_eq!(state(stage), "hidden: a.txt=hello");
}

fn nothing_after_all(stage: &Stage) {
    choose(stage, "#one");
    stage
        .call("browser_snapshot", json!({}))
        .failed()
        .has("File chooser");
    stage.call("browser_file_upload", json!({})).fine();
    stage.snapshot();
    // The page may ask again.
    stage
        .call("browser_click", json!({ "target": "#one" }))
        .fine()
        .has("[File chooser]");
    stage
        .call("browser_file_upload", json!({ "paths": [] }))
        .fine();
}

fn files_outside_of_the_workspace(stage: &Stage) {
    choose(stage, "#one");
    let outside = stage.temporary().join("outside.txt");
    std::fs::write(&outside, "secret").expect("a file");
    for path in [
        outside,
        "/etc/hostname".into(),
        stage.workspace().join("../tmp/outside.txt"),
    ] {
        let reply = stage
            .call("browser_file_upload", json!({ "paths": [path] }))
            .failed();
        reply.has("File access denied");
    }
    // The chooser waits for a better answer.
    let path = stage.file("a.txt", "hello");
    stage
        .call("browser_file_upload", json!({ "paths": [path] }))
        .fine();
    assert_eq!(state(stage), "one: a.txt=hello");
}

#[cfg(unix)]
fn links_that_lead_outside(stage: &Stage) {
    choose(stage, "#one");
    let outside = stage.temporary().join("outside.txt");
    std::fs::write(&outside, "secret").expect("a file");
    let link = stage.workspace().join("link.txt");
    std::os::unix::fs::symlink(&outside, &link).expect("a link");
    let reply = stage
        .call("browser_file_upload", json!({ "paths": [link] }))
        .failed();
    reply.has("File access denied");
    stage.call("browser_file_upload", json!({})).fine();
}

#[cfg(not(unix))]
fn links_that_lead_outside(_: &Stage) {}

fn dropped_files_keep_their_content(stage: &Stage) {
    stage.visit("files.html");
    let paths = [stage.file("a.txt", "hello"), stage.file("b.bin", "bye")];
    stage
        .call("browser_drop", json!({ "target": "#zone", "paths": paths }))
        .fine();
    assert_eq!(state(stage), "zone: a.txt=hello, b.bin=bye");
}

fn dropped_data(stage: &Stage) {
    stage.visit("files.html");
    let data = json!({ "text/plain": "words", "text/uri-list": "http://a.example/" });
    stage
        .call("browser_drop", json!({ "target": "#zone", "data": data }))
        .fine();
    assert_eq!(
        state(stage),
        "zone: text/plain=words, text/uri-list=http://a.example/"
    );
    stage
        .call("browser_drop", json!({ "target": "h1", "data": data }))
        .failed()
        .has("Drop target did not accept the drop");
}

fn a_large_upload(stage: &Stage) {
    stage.show("<input id=one type=file>");
    stage
        .call("browser_click", json!({ "target": "#one" }))
        .fine()
        .has("[File chooser]");
    let path = stage.file("large.txt", "x".repeat(60_000_000));
    stage
        .call("browser_file_upload", json!({ "paths": [path] }))
        .fine();
    wait_for("the upload", PATIENCE, || {
        (stage.value("one.files[0]?.size") == 60_000_000).then_some(())
    });
}
