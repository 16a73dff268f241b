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
    );
}

#[test]
fn what_only_this_server_does_on_hostile_pages() {
    if reference() {
        return eprintln!("skipped: not upstream's behaviour");
    }
    let stage = Stage::new(Launch::new());
    steps!(&stage; a_button_in_a_closed_shadow_tree);
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
