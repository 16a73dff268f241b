//! Frames of every kind: same site, another site in a process of its own,
//! nested, written into the page, inside a shadow root, sandboxed, scaled,
//! scrolled, and out of sight.

mod common;

use common::{Answer, Launch, PATIENCE, Stage, ref_of, reference, wait_for};
use serde_json::json;

#[test]
fn frames() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        one_snapshot_holds_all_frames,
        a_click_lands_in_every_frame,
        typing_and_selecting_in_a_foreign_frame,
        evaluating_on_an_element_of_a_foreign_frame,
        locators_that_pass_frames,
        finding_text_in_a_frame,
        keys_go_where_the_focus_is,
        a_frame_that_is_gone,
        a_frame_that_cannot_be_loaded,
        many_frames,
        a_covered_frame_is_not_clicked_through,
    );
}

#[test]
fn what_only_this_server_does_for_frames() {
    if reference() {
        return eprintln!("skipped: not upstream's behaviour");
    }
    let stage = Stage::new(Launch::new());
    steps!(&stage; a_frame_that_navigates_forgets_its_refs);
}

/// The frames that can be seen, with the name of their button.
const SEEN: [&str; 9] = [
    "top",
    "other",
    "inner",
    "shadow",
    "shadowed",
    "text",
    "sandboxed",
    "scaled",
    "scrolled",
];

/// Opens the page and waits until a snapshot holds all of it.
#[track_caller]
fn all_frames(stage: &Stage) -> String {
    stage.visit("frames.html");
    wait_for("all frames", PATIENCE, || {
        let snapshot = stage.snapshot();
        let complete = SEEN
            .iter()
            .chain(&["far"])
            .all(|name| snapshot.contains(&format!("\"Press {name}\"")));
        complete.then_some(snapshot)
    })
}

fn one_snapshot_holds_all_frames(stage: &Stage) {
    let snapshot = all_frames(stage);
    assert!(!snapshot.contains("Press hidden"), "{snapshot}");
    // No two elements share a ref.
    let mut refs: Vec<&str> = snapshot
        .split("[ref=")
        .skip(1)
        .filter_map(|rest| rest.split(']').next())
        .collect();
    let count = refs.len();
    refs.sort_unstable();
    refs.dedup();
    assert_eq!(refs.len(), count, "{snapshot}");
}

fn a_click_lands_in_every_frame(stage: &Stage) {
    let mut snapshot = all_frames(stage);
    for name in SEEN.iter().chain(&["far"]) {
        let target = ref_of(&snapshot, &format!("\"Press {name}\""));
        let reply = stage
            .call(
                "browser_click",
                json!({ "target": target, "element": *name }),
            )
            .fine();
        snapshot = reply.snapshot();
        assert!(
            snapshot.contains(&format!("{name}: pressed")),
            "{name}\n{snapshot}"
        );
    }
}

fn typing_and_selecting_in_a_foreign_frame(stage: &Stage) {
    let snapshot = all_frames(stage);
    for name in ["other", "inner"] {
        let field = ref_of(&snapshot, &format!("Field {name}"));
        stage
            .call(
                "browser_type",
                json!({ "target": field, "text": "naïve 漢" }),
            )
            .fine();
        assert!(
            stage
                .snapshot()
                .contains(&format!("{name}: typed naïve 漢"))
        );
        let choice = ref_of(&snapshot, &format!("Choice {name}"));
        stage
            .call(
                "browser_select_option",
                json!({ "target": choice, "values": ["Beta"] }),
            )
            .fine();
        assert!(stage.snapshot().contains(&format!("{name}: chose b")));
        // The field still has the focus, and its caret stands at the end.
        stage
            .call(
                "browser_type",
                json!({ "target": field, "text": "xy", "slowly": true }),
            )
            .fine();
        assert!(
            stage
                .snapshot()
                .contains(&format!("{name}: typed naïve 漢xy"))
        );
    }
}

fn evaluating_on_an_element_of_a_foreign_frame(stage: &Stage) {
    let target = ref_of(&all_frames(stage), "Press inner");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "element => [element.id, location.search]", "target": target, "element": "button" }),
        )
        .fine()
        .has("\"press\"")
        .has("\"?name=inner\"");
}

fn locators_that_pass_frames(stage: &Stage) {
    all_frames(stage);
    let outer = "locator('iframe[title=\"other\"]').contentFrame()";
    for target in [
        format!("{outer}.getByRole('button', {{ name: 'Press other' }})"),
        format!("{outer}.locator('iframe').contentFrame().locator('#press')"),
        "iframe[name=text] >> internal:control=enter-frame >> button".to_owned(),
    ] {
        let reply = stage
            .call("browser_click", json!({ "target": target }))
            .fine();
        let name = if target.contains("'iframe'") {
            "inner"
        } else if target.contains("text") {
            "text"
        } else {
            "other"
        };
        assert!(
            reply.snapshot().contains(&format!("{name}: pressed")),
            "{target}"
        );
    }
}

fn finding_text_in_a_frame(stage: &Stage) {
    all_frames(stage);
    stage
        .call("browser_find", json!({ "text": "press inner" }))
        .fine()
        .has("Found 1 match")
        .has("button \"Press inner\"");
}

fn keys_go_where_the_focus_is(stage: &Stage) {
    let target = ref_of(&all_frames(stage), "Field inner");
    stage
        .call("browser_click", json!({ "target": target }))
        .fine();
    for key in ["a", "B", "Backspace", "Shift+Digit1"] {
        stage
            .call("browser_press_key", json!({ "key": key }))
            .fine();
    }
    assert!(stage.snapshot().contains("inner: typed a!"));
}

fn a_frame_that_navigates_forgets_its_refs(stage: &Stage) {
    stage
        .pages
        .put("/a", Answer::page("A", "<button>First</button>"));
    stage
        .pages
        .put("/b", Answer::page("B", "<button>Second</button>"));
    for origin in [stage.pages.origin(), stage.pages.other_origin()] {
        stage.show(&format!("<iframe src='{origin}/a'></iframe>"));
        let wait = |text: &str| {
            wait_for(text, PATIENCE, || {
                Some(stage.snapshot()).filter(|snapshot| snapshot.contains(text))
            })
        };
        let old = ref_of(&wait("First"), "First");
        stage.value(&format!(
            "document.querySelector('iframe').src = '{origin}/b'"
        ));
        let new = wait("Second");
        stage
            .call("browser_click", json!({ "target": old }))
            .failed()
            .has(&format!("Ref {old} not found"));
        let target = ref_of(&new, "Second");
        stage
            .call("browser_click", json!({ "target": target }))
            .fine();
    }
}

fn a_frame_that_is_gone(stage: &Stage) {
    let old = ref_of(&all_frames(stage), "Press other");
    stage.value("document.querySelector('iframe[title=other]').remove()");
    stage
        .call("browser_click", json!({ "target": old }))
        .failed()
        .has(&old);
    let snapshot = stage.snapshot();
    assert!(
        !snapshot.contains("Press other") && snapshot.contains("Press text"),
        "{snapshot}"
    );
}

fn a_frame_that_cannot_be_loaded(stage: &Stage) {
    stage.pages.put("/cut", Answer::hang_up());
    stage.show("<iframe src=/cut title=broken></iframe><button>Still here</button>");
    stage.click("Still here").fine();
    assert!(stage.snapshot().contains("- iframe"));
}

fn many_frames(stage: &Stage) {
    stage
        .pages
        .put("/leaf", Answer::page("L", "<button>Leaf</button>"));
    let source = format!("{}/leaf", stage.pages.other_origin());
    stage.show(&format!("<iframe width=80 height=40 src='{source}'></iframe>").repeat(40));
    wait_for("forty frames", PATIENCE, || {
        (stage.snapshot().matches("\"Leaf\"").count() == 40).then_some(())
    });
}

fn a_covered_frame_is_not_clicked_through(stage: &Stage) {
    stage.pages.put(
        "/leaf",
        Answer::page(
            "L",
            "<button onclick=\"this.textContent = 'hit'\">Leaf</button>",
        ),
    );
    let source = format!("{}/leaf", stage.pages.other_origin());
    stage.show(&format!(
        "<iframe src='{source}'></iframe><div id=veil style='position:fixed;inset:0;background:#ddd'></div>"
    ));
    let target = wait_for("the frame", PATIENCE, || {
        let snapshot = stage.snapshot();
        snapshot.contains("Leaf").then(|| ref_of(&snapshot, "Leaf"))
    });
    stage
        .call("browser_click", json!({ "target": target }))
        .failed()
        .has("veil");
    assert!(stage.snapshot().contains("\"Leaf\""));
}
