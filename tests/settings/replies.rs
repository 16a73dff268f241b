//! Settings of replies and files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::{Launch, Stage};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn the_configuration_is_shown() {
    let stage = Stage::new(Launch::new().args(["--caps=config", "--timeout-action=7000"]));
    let reply = stage.call("browser_get_config", json!({})).fine();
    let json = reply.text.strip_prefix("### Result\n").expect("a result");
    let shown: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(shown["timeouts"]["action"], 7000);
    assert_eq!(shown["capabilities"], json!(["config"]));
    assert_eq!(shown["browser"]["browserName"], "chromium");
}

#[test]
fn the_output_folder_stays_small() {
    let stage = Stage::new(Launch::new().args(["--output-max-size=100", "--save-session"]));
    stage.show("<h1>Picture</h1>");
    for _ in 0..2 {
        stage.call("browser_take_screenshot", json!({})).fine();
    }
    let output = stage.workspace().join(".playwright-mcp");
    let (folders, left): (Vec<_>, Vec<_>) = files(&output).into_iter().partition(|p| p.is_dir());
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].extension().and_then(|e| e.to_str()), Some("png"));
    let log = std::fs::read_to_string(folders[0].join("session.md")).expect("a log");
    assert!(log.contains("### Tool call: browser_take_screenshot\n- Args\n```json\n{"));
    let told = format!("Session: {}", folders[0].display());
    assert!(stage.stderr().contains(&told), "{}", stage.stderr());
}

#[test]
fn a_session_is_logged_with_snapshots_and_without_failures() {
    let stage = Stage::new(Launch::new().arg("--save-session"));
    stage.show("<button>Press</button>");
    stage
        .call("browser_click", json!({ "target": "#none" }))
        .failed();
    stage.call("browser_snapshot", json!({})).fine();
    let output = stage.workspace().join(".playwright-mcp");
    let folders: Vec<_> = files(&output).into_iter().filter(|p| p.is_dir()).collect();
    let log = std::fs::read_to_string(folders[0].join("session.md")).expect("a log");
    assert!(!log.contains("browser_click"), "{log}");
    assert!(
        log.contains("\"snapshot\": \"- button \\\"Press\\\""),
        "{log}"
    );
    assert!(log.contains("\"inlineSnapshot\": "), "{log}");
}

#[test]
fn secrets_are_typed_by_name_and_never_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("secrets.env");
    std::fs::write(&file, "PASSWORD='hun ter2'\nEMPTY=\n").expect("a file");
    let stage = Stage::new(Launch::new().args(["--secrets", &file.display().to_string()]));
    stage.show("<input aria-label=Name oninput='console.log(value)'><p id=p>hun ter2</p>");
    stage
        .call(
            "browser_type",
            json!({ "target": "input", "text": "PASSWORD" }),
        )
        .fine()
        .has(".fill(process.env['PASSWORD']);");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => document.querySelector('input').value === ['hun', 'ter2'].join(' ')" }),
        )
        .has("### Result\ntrue");
    stage
        .call("browser_snapshot", json!({}))
        .has("<secret>PASSWORD</secret>")
        .lacks("hun ter2");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => { throw new Error('a hun%20ter2 b') }" }),
        )
        .failed()
        .lacks("hun%20ter2");
    stage
        .call(
            "browser_fill_form",
            json!({ "fields": [{ "name": "n", "type": "textbox", "target": "input", "value": "PASSWORD" }] }),
        )
        .has("process.env['PASSWORD']")
        .lacks("hun ter2");
    stage
        .call("browser_console_messages", json!({}))
        .lacks("hun ter2");
    let output = stage.workspace().join(".playwright-mcp");
    for file in files(&output) {
        let bytes = std::fs::read(&file).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("hun ter2"), "{}: {text}", file.display());
    }
}

#[test]
fn a_call_may_ask_for_another_form_and_folder() {
    let stage = Stage::new(Launch::new());
    stage.show("<button>Go</button>");
    let raw = stage.call("browser_snapshot", json!({ "_meta": { "raw": true } }));
    assert!(raw.text.starts_with("- button \"Go\""), "{}", raw.text);
    let json = stage.call("browser_snapshot", json!({ "_meta": { "json": true } }));
    let json: Value = serde_json::from_str(&json.text).expect("JSON");
    assert_eq!(json["snapshot"][0]["role"], "button");
    let folder = stage.workspace().join("below");
    let meta = json!({ "cwd": folder.display().to_string() });
    stage
        .call(
            "browser_snapshot",
            json!({ "filename": "x.yml", "_meta": meta }),
        )
        .fine()
        .has("- [Snapshot](./x.yml)");
    assert!(folder.join("x.yml").is_file());
    let outside = stage.workspace().join("..").display().to_string();
    stage
        .call(
            "browser_snapshot",
            json!({ "filename": "x.yml", "_meta": { "cwd": outside, "json": true } }),
        )
        .failed()
        .has("\"isError\": true")
        .has("File access denied");
}
