//! Forms: every kind of control gets its value the way a person would give it,
//! and what cannot be set is an error that changes nothing.

mod common;

use std::time::Duration;

use common::{Launch, Reply, Stage, reference};
use serde_json::{Value, json};

#[test]
fn forms() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        every_input_takes_its_kind_of_text,
        filling_replaces_and_fires_events,
        an_empty_text_clears,
        malformed_values_are_refused,
        typing_slowly_sends_keys,
        submitting_sends_once,
        an_editor_keeps_lines_and_is_replaced,
        labels_lead_to_their_controls,
        boxes_and_radios_are_set_not_toggled,
        options_by_value_and_by_label,
        several_options,
        a_length_limit_holds,
        a_whole_form_at_once,
        a_form_stops_at_the_first_failure,
        unusual_text_arrives_unchanged,
    );
}

#[test]
fn controls_that_cannot_be_changed() {
    let stage = Stage::new(Launch::new().args(["--timeout-action", "1500"]));
    steps!(&stage;
        read_only_and_disabled_fields_are_refused,
        disabled_and_unknown_options_are_refused,
    );
}

#[test]
fn what_only_this_server_does_for_forms() {
    if reference() {
        return eprintln!("skipped: not upstream's behaviour");
    }
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        an_unknown_option_is_refused_early_with_the_real_ones,
        a_read_only_field_is_refused_early,
        the_text_of_an_editor_shows_in_the_snapshot,
        a_password_is_masked_in_the_snapshot,
        required_and_read_only_are_told,
    );
}

#[track_caller]
fn type_into(stage: &Stage, id: &str, text: &str) -> Reply {
    stage.call(
        "browser_type",
        json!({ "target": format!("#{id}"), "text": text }),
    )
}

#[track_caller]
fn value_of(stage: &Stage, id: &str) -> Value {
    stage.value(&format!("document.getElementById('{id}').value"))
}

fn every_input_takes_its_kind_of_text(stage: &Stage) {
    stage.visit("forms.html");
    for (id, text, value) in [
        ("text", "new", "new"),
        ("search", "words", "words"),
        ("mail", "a@b.example", "a@b.example"),
        ("address", "http://b.example/", "http://b.example/"),
        ("phone", "+49 1", "+49 1"),
        ("password", "pässword", "pässword"),
        ("number", "-2.5e3", "-2.5e3"),
        ("range", "7", "7"),
        ("date", " 2026-11-30 ", "2026-11-30"),
        ("time", "13:45", "13:45"),
        ("moment", "2026-11-30T13:45", "2026-11-30T13:45"),
        ("month", "2026-11", "2026-11"),
        ("week", "2026-W48", "2026-W48"),
        ("colour", "#FF8000", "#ff8000"),
        ("story", "one\ntwo", "one\ntwo"),
    ] {
        type_into(stage, id, text).fine();
        assert_eq!(value_of(stage, id), value, "{id}");
    }
}

fn filling_replaces_and_fires_events(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "text", "first").fine();
    type_into(stage, "text", "second").fine();
    assert_eq!(value_of(stage, "text"), "second");
    assert_eq!(
        stage.value("events.filter(event => event === 'text input').length"),
        2
    );
    type_into(stage, "date", "2026-11-30").fine();
    assert_eq!(
        stage.value("events.filter(event => event.startsWith('date'))"),
        json!(["date input", "date change"])
    );
}

fn an_empty_text_clears(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "text", "").fine();
    type_into(stage, "story", "").fine();
    assert_eq!(value_of(stage, "text"), "");
    assert_eq!(value_of(stage, "story"), "");
    assert_eq!(
        stage.value("events.filter(event => event.endsWith('input'))"),
        json!(["text input", "story input"])
    );
}

fn malformed_values_are_refused(stage: &Stage) {
    stage.visit("forms.html");
    for (id, text) in [
        ("date", "30.11.2026"),
        ("time", "25:00"),
        ("week", "2026-W99"),
        ("colour", "red-ish"),
    ] {
        type_into(stage, id, text).failed().has("Malformed value");
    }
    type_into(stage, "number", "many")
        .failed()
        .has("Cannot type text into input[type=number]");
    type_into(stage, "agree", "x")
        .failed()
        .has("cannot be filled");
    type_into(stage, "send", "x")
        .failed()
        .has("Element is not an <input>");
    assert_eq!(stage.value("events"), json!([]));
}

fn typing_slowly_sends_keys(stage: &Stage) {
    stage.visit("forms.html");
    stage.value(
        "(window.keys = [], search.onkeydown = event => { keys.push(event.key + '/' + event.code + '/' + event.shiftKey) }, 0)",
    );
    stage
        .call(
            "browser_type",
            json!({ "target": "#search", "text": "aB 1!é", "slowly": true }),
        )
        .fine();
    assert_eq!(value_of(stage, "search"), "aB 1!é");
    assert_eq!(
        stage.value("keys"),
        json!([
            "a/KeyA/false",
            "B/KeyB/false",
            " /Space/false",
            "1/Digit1/false",
            "!/Digit1/false"
        ])
    );
}

fn submitting_sends_once(stage: &Stage) {
    stage.visit("forms.html");
    let arguments = json!({ "target": "#text", "text": "parcel", "submit": true });
    let reply = stage.call("browser_type", arguments).fine();
    assert!(
        reply.snapshot().contains("sent parcel"),
        "{}",
        reply.snapshot()
    );
}

fn an_editor_keeps_lines_and_is_replaced(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "editor", "Hello").fine();
    assert_eq!(stage.value("editor.innerText.trim()"), "Hello");
    type_into(stage, "editor", "one\ntwo").fine();
    let lines = stage.value("editor.innerText.split(/\\n+/).filter(line => line)");
    assert_eq!(lines, json!(["one", "two"]));
    type_into(stage, "editor", "").fine();
    assert_eq!(stage.value("editor.innerText.trim()"), "");
}

fn labels_lead_to_their_controls(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "short", "ab").fine();
    assert_eq!(value_of(stage, "limited"), "ab");
    stage
        .call("browser_click", json!({ "target": "getByText('Agree')" }))
        .fine();
    assert_eq!(stage.value("agree.checked"), true);
    let by_label = json!({ "target": "getByLabel('Country')", "values": ["fr"] });
    stage.call("browser_select_option", by_label).fine();
    assert_eq!(value_of(stage, "country"), "fr");
}

fn boxes_and_radios_are_set_not_toggled(stage: &Stage) {
    stage.visit("forms.html");
    let set = |id: &str, kind: &str, value: &str| {
        let field = json!({ "target": format!("#{id}"), "name": id, "type": kind, "value": value });
        stage.call("browser_fill_form", json!({ "fields": [field] }))
    };
    for _ in 0..2 {
        set("agree", "checkbox", "true").fine();
        assert_eq!(stage.value("agree.checked"), true);
        set("news", "checkbox", "false").fine();
        assert_eq!(stage.value("news.checked"), false);
        set("blue", "radio", "true").fine();
        assert_eq!(
            stage.value("[red.checked, blue.checked]"),
            json!([false, true])
        );
    }
    assert_eq!(
        stage.value("events.filter(event => event.endsWith('change'))"),
        json!(["agree change", "news change", "blue change"])
    );
    set("blue", "radio", "false")
        .failed()
        .has("Cannot uncheck radio button");
    set("text", "checkbox", "true")
        .failed()
        .has("Not a checkbox or radio button");
}

fn options_by_value_and_by_label(stage: &Stage) {
    stage.visit("forms.html");
    for (wanted, value) in [("fr", "fr"), ("Germany", "de"), ("Japan", "jp")] {
        let arguments = json!({ "target": "#country", "values": [wanted] });
        stage.call("browser_select_option", arguments).fine();
        assert_eq!(value_of(stage, "country"), value);
    }
    assert_eq!(
        stage.value("events.filter(event => event === 'country change').length"),
        3
    );
    stage
        .call(
            "browser_select_option",
            json!({ "target": "#text", "values": ["x"] }),
        )
        .failed()
        .has("Element is not a <select> element");
}

fn several_options(stage: &Stage) {
    stage.visit("forms.html");
    let chosen = "[...tags.selectedOptions].map(option => option.value)";
    let select = |values: Value| {
        stage
            .call(
                "browser_select_option",
                json!({ "target": "#tags", "values": values }),
            )
            .fine();
    };
    select(json!(["x", "Y"]));
    assert_eq!(stage.value(chosen), json!(["x", "y"]));
    select(json!([]));
    assert_eq!(stage.value(chosen), json!([]));
}

fn a_length_limit_holds(stage: &Stage) {
    stage.visit("forms.html");
    stage
        .call(
            "browser_type",
            json!({ "target": "#limited", "text": "abcdef", "slowly": true }),
        )
        .fine();
    assert_eq!(value_of(stage, "limited"), "abc");
}

fn a_whole_form_at_once(stage: &Stage) {
    stage.visit("forms.html");
    let snapshot = stage.snapshot();
    let field = |pattern: &str, kind: &str, value: &str| json!({ "target": common::ref_of(&snapshot, pattern), "name": pattern, "type": kind, "value": value });
    let fields = json!([
        field("textbox \"Text\"", "textbox", "Ann"),
        field("textbox \"Date\"", "textbox", "2026-01-02"),
        field("slider \"Range\"", "slider", "3"),
        field("checkbox \"Agree\"", "checkbox", "true"),
        field("radio \"Red\"", "radio", "true"),
        field("combobox \"Country\"", "combobox", "France"),
    ]);
    stage
        .call("browser_fill_form", json!({ "fields": fields }))
        .fine();
    assert_eq!(
        stage.value(
            "[text.value, date.value, range.value, agree.checked, red.checked, country.value]"
        ),
        json!(["Ann", "2026-01-02", "3", true, true, "fr"])
    );
}

fn a_form_stops_at_the_first_failure(stage: &Stage) {
    stage.visit("forms.html");
    let fields = json!([
        { "target": "#search", "name": "a", "type": "textbox", "value": "one" },
        { "target": "#number", "name": "b", "type": "textbox", "value": "many" },
        { "target": "#phone", "name": "c", "type": "textbox", "value": "three" },
    ]);
    stage
        .call("browser_fill_form", json!({ "fields": fields }))
        .failed();
    assert_eq!(
        stage.value("[search.value, number.value, phone.value]"),
        json!(["one", "", ""])
    );
}

fn unusual_text_arrives_unchanged(stage: &Stage) {
    stage.visit("forms.html");
    let text = "naïve 👩‍👧 𠮷 漢 שלום \u{200b}\u{a0} <b>&amp;\\'\"`${x}";
    type_into(stage, "text", text).fine();
    assert_eq!(value_of(stage, "text"), text);
    stage
        .call(
            "browser_type",
            json!({ "target": "#story", "text": text, "slowly": true }),
        )
        .fine();
    assert_eq!(value_of(stage, "story"), format!("{text}old\nstory"));
}

fn read_only_and_disabled_fields_are_refused(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "fixed", "x").failed().has("not editable");
    for id in ["off", "set"] {
        type_into(stage, id, "x").failed().has("not enabled");
    }
    assert_eq!(
        stage.value("[fixed.value, off.value, set.value]"),
        json!(["stays", "stays", "stays"])
    );
}

fn disabled_and_unknown_options_are_refused(stage: &Stage) {
    stage.visit("forms.html");
    for value in ["xx", "Atlantis"] {
        let arguments = json!({ "target": "#country", "values": [value] });
        stage.call("browser_select_option", arguments).failed();
        assert_eq!(value_of(stage, "country"), "de");
    }
    assert_eq!(stage.value("events"), json!([]));
}

/// Well below the limit of an action, which is five seconds.
const EARLY: Duration = Duration::from_millis(2500);

fn an_unknown_option_is_refused_early_with_the_real_ones(stage: &Stage) {
    stage.visit("forms.html");
    let arguments = json!({ "target": "#country", "values": ["Atlantis"] });
    stage
        .call("browser_select_option", arguments)
        .failed()
        .within(EARLY)
        .has("Atlantis")
        .has("Germany")
        .has("France")
        .has("Japan");
    assert_eq!(value_of(stage, "country"), "de");
}

fn a_read_only_field_is_refused_early(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "fixed", "x")
        .failed()
        .within(EARLY)
        .has("not editable");
    assert_eq!(value_of(stage, "fixed"), "stays");
}

fn the_text_of_an_editor_shows_in_the_snapshot(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "editor", "line one\nline two").fine();
    let snapshot = stage.snapshot();
    let editor = &snapshot[snapshot.find("textbox \"Editor\"").expect("the editor")..];
    let (first, second) = (editor.find("line one"), editor.find("line two"));
    assert!(first.is_some() && first < second, "{snapshot}");
}

fn a_password_is_masked_in_the_snapshot(stage: &Stage) {
    stage.visit("forms.html");
    type_into(stage, "password", "hunter2").fine();
    let snapshot = stage.snapshot();
    assert!(!snapshot.contains("hunter2"), "{snapshot}");
    let line = snapshot
        .lines()
        .find(|line| line.contains("textbox \"Password\""))
        .expect("the field");
    assert!(line.contains("•"), "{line}");
}

fn required_and_read_only_are_told(stage: &Stage) {
    stage.show("<input aria-label=Needed required><input aria-label=Kept readonly>");
    let snapshot = stage.snapshot();
    let line = |name: &str| {
        snapshot
            .lines()
            .find(|line| line.contains(name))
            .expect("a field")
            .to_owned()
    };
    assert!(line("Needed").contains("[required]"), "{snapshot}");
    assert!(line("Kept").contains("[readonly]"), "{snapshot}");
}
