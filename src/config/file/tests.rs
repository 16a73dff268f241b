//! What files hold, key by key, and what is said about the rest.

use std::path::Path;

use super::*;

fn file(name: &str, text: &str) -> ConfigFile {
    ConfigFile::parse(Path::new(name), text).unwrap()
}

fn value(file: &ConfigFile, setting: Setting) -> Vec<String> {
    file.texts(setting)
        .map(|(text, _)| text.to_owned())
        .collect()
}

#[test]
fn json_with_and_without_a_byte_order_mark() {
    for mark in ["", "\u{feff}"] {
        let file = file(
            "c.json",
            &format!("{mark}{{\"timeouts\": {{\"action\": 1e3, \"idle\": \"20\"}}}}"),
        );
        assert_eq!(value(&file, Setting::TimeoutAction), ["1000"]);
        assert_eq!(value(&file, Setting::IdleTimeout), ["20"]);
    }
}

#[test]
fn what_begins_as_json_must_be_json() {
    let refused = |text| {
        ConfigFile::parse(Path::new("/c/x.json"), text)
            .unwrap_err()
            .to_string()
    };
    let message = refused("\n { \"outputDir\": }");
    assert!(
        message.starts_with("The configuration file /c/x.json is not valid: expected value"),
        "{message}"
    );
    assert!(refused("[1]").contains("an object is expected"));
}

#[test]
fn anything_else_is_ini() {
    for (name, text) in [
        ("c.conf", "[snapshot]\nmode = none\nboxes = true"),
        ("c.ini", "snapshot.mode=none\nsnapshot.boxes=1"),
    ] {
        let file = file(name, text);
        assert_eq!(value(&file, Setting::SnapshotMode), ["none"]);
        assert_eq!(value(&file, Setting::SnapshotBoxes).len(), 1);
    }
    // The name decides before the text does.
    assert_eq!(file("c.ini", "{\"outputDir\": \"x\"}").unknown.len(), 1);
}

#[test]
fn shapes() {
    let file = file(
        "c.json",
        r#"{"browser": {"cdpHeaders": {"A": "1", "B": 2},
            "contextOptions": {"viewport": {"width": 640, "height": 480}}},
            "capabilities": ["pdf", "vision"]}"#,
    );
    assert_eq!(value(&file, Setting::CdpHeader), ["A: 1", "B: 2"]);
    assert_eq!(value(&file, Setting::ViewportSize), ["640x480"]);
    assert_eq!(value(&file, Setting::Caps), ["pdf,vision"]);
    assert!(file.misshapen().is_none());
}

#[test]
fn values_of_the_wrong_kind_name_their_key() {
    for (text, message) in [
        (
            r#"{"outputDir": ["a"]}"#,
            "Invalid outputDir in c.json: a text is expected",
        ),
        (
            r#"{"browser": {"isolated": {}}}"#,
            "Invalid browser.isolated in c.json: true or false is expected",
        ),
        (
            r#"{"browser": {"contextOptions": {"viewport": {"width": 1}}}}"#,
            "Invalid browser.contextOptions.viewport in c.json: an object with width and height \
             is expected",
        ),
    ] {
        let error = file("c.json", text).misshapen().unwrap();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn keys_without_effect_are_named_with_their_file() {
    let file = file(
        "c.json",
        r#"{"browser": {"launchOption": {}, "launchOptions": {"slowMo": 5, "handleSIGINT": false}},
            "extension": false, "outputDirs": "x", "timeouts": null, "outputDir": null}"#,
    );
    assert_eq!(
        file.warnings(false),
        [
            "browser.launchOptions.slowMo in c.json has no effect: PlayGuard does not have it yet.",
            "browser.launchOption in c.json is not known and has no effect. \
             Did you mean browser.launchOptions?",
            "outputDirs in c.json is not known and has no effect. Did you mean outputDir?",
        ]
    );
    assert_eq!(file.warnings(true).len(), 1);
    assert!(value(&file, Setting::OutputDir).is_empty());
}
