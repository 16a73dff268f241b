//! Pages that make it hard, by accident or on purpose: what a call says has happened has happened,
//! and the session goes on.

mod common;

use std::time::Duration;

use common::{Answer, Launch, Stage, reference};
use serde_json::json;

#[test]
fn hostile_pages() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        files_stay_closed_in_every_disguise,
        a_navigation_that_is_refused_is_soon_forgotten,
        forms_whose_fields_hide_their_properties,
        a_document_whose_images_hide_its_properties,
        what_lies_below_an_element_that_goes_is_not_clicked,
        files_that_are_no_files,
        a_page_that_replaced_what_scripts_need,
        a_page_that_dies_under_a_script,
        a_page_after_one_that_never_came,
    );
}

#[test]
fn what_only_this_server_does_on_hostile_pages() {
    if reference() {
        return eprintln!("skipped: not upstream's behaviour");
    }
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        a_button_in_a_closed_shadow_tree,
        fields_that_do_not_keep_what_is_typed,
        a_selection_that_is_changed_back,
        nothing_is_opened_behind_a_dialog,
        a_page_whose_script_never_ends_can_be_left,
    );
}

fn files_stay_closed_in_every_disguise(stage: &Stage) {
    stage.show("<p>Start</p>");
    for url in ["file:///etc/passwd", "FILE:/etc/passwd"]
        .into_iter()
        .chain((!reference()).then_some("view-source:file:///etc/passwd"))
    {
        stage
            .call("browser_navigate", json!({ "url": url }))
            .failed()
            .has("Access to \"file:\" protocol is blocked");
    }
    assert!(stage.snapshot().contains("Start"));
}

fn a_navigation_that_is_refused_is_soon_forgotten(stage: &Stage) {
    stage.show(
        "<a href=file:///nowhere>File</a>
         <button onclick='this.textContent = `Pressed`'>Press</button>",
    );
    stage.click("File").within(Duration::from_secs(5));
    assert_eq!(stage.value("1 + 1"), json!(2));
    stage.click("Press").fine().within(Duration::from_secs(4));
    assert!(stage.snapshot().contains("Pressed"));
}

fn forms_whose_fields_hide_their_properties(stage: &Stage) {
    let names = [
        "attributes",
        "checkVisibility",
        "childNodes",
        "closest",
        "focus",
        "getAnimations",
        "getAttribute",
        "getBoundingClientRect",
        "getRootNode",
        "isConnected",
        "isContentEditable",
        "matches",
        "nodeType",
        "ownerDocument",
        "parentElement",
        "parentNode",
        "shadowRoot",
        "style",
        "tagName",
        "assignedSlot",
    ];
    let inputs: String = names
        .iter()
        .map(|name| format!("<input name={name}>"))
        .collect();
    stage.show(&format!(
        "<form id=form onclick='clicks++'>{inputs}<input id=field>
         <button type=button onclick='presses++'>Press</button></form>
         <script>var clicks = 0, presses = 0</script>"
    ));
    stage.click("Press").fine();
    assert_eq!(stage.value("[clicks, presses]"), json!([1, 1]));
    let arguments = json!({ "target": "#field", "text": "typed" });
    stage.call("browser_type", arguments).fine();
    assert_eq!(stage.value("field.value"), json!("typed"));
    let arguments = json!({ "target": "#form" });
    stage.call("browser_click", arguments).fine();
    assert!(stage.value("clicks").as_u64() >= Some(2));
}

fn a_document_whose_images_hide_its_properties(stage: &Stage) {
    let names = [
        "activeElement",
        "body",
        "documentElement",
        "title",
        "querySelector",
        "hasFocus",
    ];
    let images: String = names
        .iter()
        .map(|name| format!("<img alt=x name={name}>"))
        .collect();
    let url = stage.pages.put(
        "/",
        Answer::page(
            "Real title",
            &format!("{images}<button onclick='this.textContent = `Pressed`'>Press</button>"),
        ),
    );
    stage
        .call("browser_navigate", json!({ "url": url }))
        .fine()
        .has("- Page Title: Real title");
    stage
        .click("Press")
        .fine()
        .has("- Page Title: Real title")
        .lacks("[object");
    assert!(stage.snapshot().contains("Pressed"));
}

fn a_button_in_a_closed_shadow_tree(stage: &Stage) {
    stage.show(
        "<div id=outer></div><script>
            var clicks = [];
            const outer = document.getElementById('outer').attachShadow({ mode: 'closed' });
            outer.innerHTML = '<button>First</button><div></div>';
            outer.querySelector('button').onclick = () => clicks.push('first');
            const inner = outer.querySelector('div').attachShadow({ mode: 'closed' });
            inner.innerHTML = '<label><input type=checkbox>Second</label>';
            inner.querySelector('input').onchange = () => clicks.push('second');
        </script>",
    );
    let snapshot = stage.snapshot();
    for pattern in ["button \"First\"", "checkbox \"Second\""] {
        let target = common::ref_of(&snapshot, pattern);
        let arguments = json!({ "target": target });
        stage.call("browser_click", arguments).fine();
    }
    assert_eq!(stage.value("clicks"), json!(["first", "second"]));
}

fn what_lies_below_an_element_that_goes_is_not_clicked(stage: &Stage) {
    stage.show(
        "<style>button { position: absolute; left: 20px; top: 20px; width: 90px }</style>
         <script>
            var events = [];
            for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click'])
                addEventListener(type, (event) => events.push(type + ' ' + event.target.id), true);
         </script>
         <button id=delete>Delete</button>
         <button id=save onmousemove='this.remove()'>Save</button>",
    );
    stage.click("Save").failed();
    assert_eq!(stage.value("events"), json!([]));
    assert!(!stage.snapshot().contains("Save"));
}

fn files_that_are_no_files(stage: &Stage) {
    let pipe = stage.workspace().join("pipe.png");
    if !std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .is_ok_and(|status| status.success())
    {
        return eprintln!("skipped: no mkfifo here");
    }
    stage.show("<div id=zone>Zone</div><input type=file>");
    if reference() {
        return;
    }
    let limit = Duration::from_secs(5);
    for (tool, arguments) in [
        ("browser_take_screenshot", json!({ "filename": "pipe.png" })),
        ("browser_snapshot", json!({ "filename": "pipe.png" })),
        (
            "browser_evaluate",
            json!({ "function": "() => 1", "filename": "pipe.png" }),
        ),
        (
            "browser_drop",
            json!({ "target": "#zone", "paths": [pipe.to_string_lossy()] }),
        ),
    ] {
        stage
            .call(tool, arguments)
            .failed()
            .has("is not a regular file")
            .within(limit);
    }
    std::fs::remove_file(pipe).expect("to be removed");
}

fn a_page_that_replaced_what_scripts_need(stage: &Stage) {
    stage.show(
        "<button onclick='this.textContent = `Pressed`'>Press</button><script>
            Set = Map = WeakMap = Promise = null;
            Object.keys = Array.from = JSON.stringify = () => { throw new Error('replaced') };
            Array.prototype.map = Array.prototype.push = () => 7;
            Document.prototype.querySelector = Element.prototype.matches = () => null;
        </script>",
    );
    if !reference() {
        assert_eq!(stage.value("({ a: [1, 'x'] })"), json!({ "a": [1, "x"] }));
    }
    stage.click("Press").fine();
    assert!(stage.snapshot().contains("Pressed"));
}

fn a_page_that_dies_under_a_script(stage: &Stage) {
    if reference() {
        return;
    }
    stage.show("<p>Alive</p>");
    let call = stage.begin(
        "browser_evaluate",
        json!({ "function": "() => { setTimeout(() => document.title = 'busy'); return new Promise(() => {}) }" }),
    );
    common::wait_for("the script", common::PATIENCE, || {
        let tabs = stage.call("browser_tabs", json!({ "action": "list" }));
        tabs.plain.contains("busy").then_some(())
    });
    for process in common::processes::tagged(stage.tag()) {
        if process.command.contains("--type=renderer") {
            common::processes::signal(process.pid, "KILL");
        }
    }
    call.reply().failed().within(Duration::from_secs(10));
    stage.show("<p>Again</p>");
    assert!(stage.snapshot().contains("Again"));
}

fn a_page_after_one_that_never_came(stage: &Stage) {
    let pages = &stage.pages;
    let session = Launch::new().arg("--timeout-navigation=1500").start();
    session.open(&pages.put("/start", Answer::page("Start", "<button>Stay</button>")));
    let never = pages.put("/never", Answer::silence());
    session
        .call("browser_navigate", json!({ "url": never }))
        .failed()
        .has("Timeout 1500ms exceeded");
    if reference() {
        return;
    }
    let limit = Duration::from_secs(4);
    assert!(session.snapshot().contains("Stay"));
    session
        .call("browser_click", json!({ "target": "button" }))
        .fine()
        .within(limit);
    assert_eq!(session.value("document.title"), json!("Start"));
    session.end();
}

fn fields_that_do_not_keep_what_is_typed(stage: &Stage) {
    stage.show(
        "<input id=short maxlength=3>
         <input id=own oninput='this.value = `mine`'>
         <input id=secret type=password oninput='this.value = `geheim`'>
         <input id=kept>",
    );
    let fill = |target: &str| {
        let arguments = json!({ "target": target, "text": "abcdef" });
        stage.call("browser_type", arguments).fine()
    };
    fill("#short").has("The field now holds 'abc', not what was typed");
    fill("#own").has("The field now holds 'mine', not what was typed");
    fill("#secret")
        .has("The field does not hold what was typed into it.")
        .lacks("geheim");
    fill("#kept").lacks("### Notice");
}

fn a_selection_that_is_changed_back(stage: &Stage) {
    stage.show(
        "<select id=free><option>One<option>Two</select>
         <select id=fixed onchange='this.selectedIndex = 0'><option>One<option>Two</select>",
    );
    let select = |target: &str| {
        let arguments = json!({ "target": target, "values": ["Two"] });
        stage.call("browser_select_option", arguments).fine()
    };
    select("#free").lacks("### Notice");
    select("#fixed").has("The page has changed the selection again");
}

fn nothing_is_opened_behind_a_dialog(stage: &Stage) {
    let other = stage.pages.put("/other", Answer::page("Other", "Other"));
    stage.show("<button onclick='alert(`Stop`)'>Ask</button>");
    stage.click("Ask").fine();
    stage
        .call("browser_navigate", json!({ "url": other }))
        .failed()
        .has("Nothing was opened")
        .has("browser_handle_dialog");
    stage
        .call("browser_handle_dialog", json!({ "accept": true }))
        .fine();
    stage.open(&other);
}

fn a_page_whose_script_never_ends_can_be_left(stage: &Stage) {
    let other = stage.pages.put("/other", Answer::page("Other", "Other"));
    stage.show("<button onclick='setTimeout(() => { for (;;); }, 50)'>Loop</button>");
    stage.click("Loop");
    stage
        .call("browser_navigate", json!({ "url": other }))
        .fine()
        .within(Duration::from_secs(25));
    assert!(stage.snapshot().contains("Other"));
}
