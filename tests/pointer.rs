//! Pointing: real events at the right place, and never at the wrong element.

mod common;

use std::time::Duration;

use common::{Launch, PATIENCE, Stage, ref_of, reference, wait_for};
use serde_json::{Value, json};

#[test]
fn pointer() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        a_click_is_a_trusted_press_and_release,
        double_right_and_middle_clicks,
        modifiers_are_held_during_the_click_only,
        an_element_is_scrolled_into_view,
        an_element_in_a_scrolling_box,
        an_element_that_moves_is_waited_for,
        an_element_that_is_disabled_is_waited_for,
        an_element_that_is_hidden_is_waited_for,
        a_link_that_wraps_is_hit_on_a_line,
        a_label_stands_for_its_invisible_box,
        a_menu_opens_on_hover,
        a_cover_that_goes_away_is_waited_for,
        html5_dragging_carries_data,
        dragging_by_pointer_events,
        dropping_files_and_data,
        a_ref_keeps_its_element_when_others_come,
        a_ref_of_a_replaced_element_is_refused,
    );
}

#[test]
fn what_cannot_be_clicked() {
    let stage = Stage::new(Launch::new().args(["--timeout-action", "1500"]));
    steps!(&stage;
        a_covered_element_is_refused_and_the_cover_named,
        an_element_off_the_screen,
        an_element_without_a_size,
        a_disabled_element,
        an_element_that_never_rests,
        an_element_that_leaves_while_clicked,
    );
}

#[test]
fn what_only_this_server_does_when_pointing() {
    if reference() {
        return eprintln!("skipped: not upstream's behaviour");
    }
    let stage = Stage::new(Launch::new());
    steps!(&stage; a_cover_that_stays_is_refused_early);
}

#[track_caller]
fn click(stage: &Stage, target: &str) -> common::Reply {
    stage.call("browser_click", json!({ "target": target }))
}

/// The events since the last call.
#[track_caller]
fn events(stage: &Stage) -> Value {
    stage.value("events.splice(0)")
}

fn a_click_is_a_trusted_press_and_release(stage: &Stage) {
    stage.visit("pointer.html");
    click(stage, "#plain").fine();
    assert_eq!(
        events(stage),
        json!([
            "plain pointerdown 0 trusted",
            "plain mousedown 0 trusted",
            "plain mouseup 0 trusted",
            "plain click 0 trusted"
        ])
    );
}

fn double_right_and_middle_clicks(stage: &Stage) {
    stage.visit("pointer.html");
    let click = |arguments: Value| {
        let mut arguments = arguments;
        arguments["target"] = json!("#plain");
        stage.call("browser_click", arguments).fine();
        events(stage)
    };
    let double = click(json!({ "doubleClick": true }));
    let names: Vec<&str> = double
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|event| event.as_str()?.split(' ').nth(1))
        .filter(|name| name.contains("click"))
        .collect();
    assert_eq!(names, ["click", "click", "dblclick"]);
    let right = click(json!({ "button": "right" })).to_string();
    assert!(
        right.contains("plain contextmenu 2 trusted") && right.contains("auxclick 2"),
        "{right}"
    );
    let middle = click(json!({ "button": "middle" })).to_string();
    assert!(
        middle.contains("mousedown 1 trusted") && middle.contains("auxclick 1"),
        "{middle}"
    );
}

fn modifiers_are_held_during_the_click_only(stage: &Stage) {
    stage.visit("pointer.html");
    let arguments = json!({ "target": "#plain", "modifiers": ["Alt", "Shift"] });
    stage.call("browser_click", arguments).fine();
    assert!(
        events(stage)
            .to_string()
            .contains("plain click 0 trusted alt+shift\"")
    );
    click(stage, "#plain").fine();
    assert!(
        events(stage)
            .to_string()
            .contains("plain click 0 trusted\"")
    );
}

fn an_element_is_scrolled_into_view(stage: &Stage) {
    stage.visit("pointer.html");
    click(stage, "#far").fine();
    assert_eq!(events(stage), json!(["far click 0 trusted"]));
    assert!(stage.value("scrollY").as_f64() > Some(1500.0));
}

fn an_element_in_a_scrolling_box(stage: &Stage) {
    stage.visit("pointer.html");
    click(stage, "#aside").fine();
    assert_eq!(events(stage), json!(["aside click 0 trusted"]));
}

fn an_element_that_moves_is_waited_for(stage: &Stage) {
    stage.visit("pointer.html");
    stage.value("slow.style.marginLeft = '400px'");
    click(stage, "#slow").fine();
    assert_eq!(events(stage), json!(["slow click 0 trusted"]));
}

fn an_element_that_is_disabled_is_waited_for(stage: &Stage) {
    stage.visit("pointer.html");
    stage.value("setTimeout(() => { late.disabled = false }, 1500)");
    click(stage, "#late").fine();
    assert_eq!(events(stage), json!(["late click 0 trusted"]));
}

fn an_element_that_is_hidden_is_waited_for(stage: &Stage) {
    stage.visit("pointer.html");
    stage.value("setTimeout(() => { shown.hidden = false }, 1500)");
    click(stage, "#shown").fine();
    assert_eq!(events(stage), json!(["shown click 0 trusted"]));
}

fn a_link_that_wraps_is_hit_on_a_line(stage: &Stage) {
    stage.visit("pointer.html");
    stage.value("broken.style.display = 'inline'");
    click(stage, "#broken").fine();
    assert_eq!(events(stage), json!(["broken click 0 trusted"]));
}

fn a_label_stands_for_its_invisible_box(stage: &Stage) {
    stage.visit("pointer.html");
    click(stage, "text=Switch").fine();
    assert_eq!(stage.value("hiddenbox.checked"), true);
    click(stage, "#hiddenbox").fine();
    assert_eq!(stage.value("hiddenbox.checked"), false);
}

fn a_menu_opens_on_hover(stage: &Stage) {
    stage.visit("pointer.html");
    let hover = stage
        .call("browser_hover", json!({ "target": "#menu span" }))
        .fine();
    let item = ref_of(&hover.snapshot(), "button \"Item\"");
    click(stage, &item).fine();
    assert_eq!(events(stage), json!(["item click 0 trusted"]));
}

const COVER: &str = "(document.body.insertAdjacentHTML('beforeend',
    '<div id=veil style=\"position:fixed;inset:0;background:#fffc\"></div>'),
    veil.onclick = () => events.push('veil'), 0)";

fn a_cover_that_goes_away_is_waited_for(stage: &Stage) {
    stage.visit("pointer.html");
    stage.value(COVER);
    // Fading, as cookie banners do: this is no cover that stays.
    stage.value(
        "(veil.animate([{ opacity: 1 }, { opacity: 0 }], 1200).onfinish = () => veil.remove(), 0)",
    );
    click(stage, "#plain").fine();
    assert!(events(stage).to_string().contains("plain click"));
}

fn html5_dragging_carries_data(stage: &Stage) {
    stage.visit("pointer.html");
    let arguments = json!({ "startTarget": "#source", "endTarget": "#target" });
    stage.call("browser_drag", arguments).fine();
    assert_eq!(events(stage), json!(["dragstart", "drop cargo", "dragend"]));
}

fn dragging_by_pointer_events(stage: &Stage) {
    stage.visit("pointer.html");
    let arguments = json!({ "startTarget": "#handle", "endTarget": "#dock" });
    stage.call("browser_drag", arguments).fine();
    assert_eq!(events(stage), json!(["grab", "carry", "release over dock"]));
}

fn dropping_files_and_data(stage: &Stage) {
    stage.visit("pointer.html");
    let path = stage.file("note.txt", "hello");
    stage
        .call(
            "browser_drop",
            json!({ "target": "#target", "paths": [path] }),
        )
        .fine();
    stage
        .call(
            "browser_drop",
            json!({ "target": "#target", "data": { "text/plain": "words" } }),
        )
        .fine();
    assert_eq!(
        events(stage),
        json!(["drop note.txt:5:text/plain", "drop words"])
    );
}

const LIST: &str = "<ul></ul><output id=o>none</output><script>
    const list = document.querySelector('ul');
    const item = name => { const b = document.createElement('button'); b.textContent = name; b.onclick = () => o.textContent = name; const li = document.createElement('li'); li.append(b); return li; };
    const render = (...names) => list.replaceChildren(...names.map(item));
    render('Alpha', 'Beta');
</script>";

fn a_ref_keeps_its_element_when_others_come(stage: &Stage) {
    stage.show(LIST);
    let beta = stage.find("\"Beta\"");
    stage.value("(list.prepend(item('New')), 0)");
    let after = stage.snapshot();
    assert_eq!(ref_of(&after, "\"Beta\""), beta);
    click(stage, &beta).fine();
    assert_eq!(stage.value("o.textContent"), "Beta");
}

fn a_ref_of_a_replaced_element_is_refused(stage: &Stage) {
    stage.show(LIST);
    let beta = stage.find("\"Beta\"");
    stage.value("(render('Zero', 'Alpha', 'Beta'), 0)");
    click(stage, &beta)
        .failed()
        .has(&format!("Ref {beta} not found"));
    assert_eq!(stage.value("o.textContent"), "none");
    // Refs are not given out again.
    assert!(!stage.snapshot().contains(&format!("[ref={beta}]")));
}

fn a_covered_element_is_refused_and_the_cover_named(stage: &Stage) {
    stage.visit("pointer.html");
    stage.value(COVER);
    click(stage, "#plain")
        .failed()
        .has("<div id=\"veil\"></div> intercepts pointer events");
    assert_eq!(events(stage), json!([]));
}

fn an_element_off_the_screen(stage: &Stage) {
    stage.show("<button style='position:fixed;top:-99px'>Out</button>");
    click(stage, "button")
        .failed()
        .has("outside of the viewport");
}

fn an_element_without_a_size(stage: &Stage) {
    stage
        .show("<button id=b style='width:0;height:0;padding:0;border:0;overflow:hidden'></button>");
    click(stage, "#b").failed().has("not visible");
}

fn a_disabled_element(stage: &Stage) {
    stage.visit("pointer.html");
    click(stage, "#late").failed().has("not enabled");
    stage.show("<button aria-disabled=true onclick=\"document.title = 'hit'\">No</button>");
    click(stage, "button").failed().has("not enabled");
    assert_eq!(stage.value("document.title"), "T");
}

fn an_element_that_never_rests(stage: &Stage) {
    stage.show(
        "<style>@keyframes k { to { margin-left: 500px } } button { animation: k .4s linear infinite alternate }</style><button>Run</button>",
    );
    click(stage, "button").failed().has("not stable");
}

fn an_element_that_leaves_while_clicked(stage: &Stage) {
    stage.show(
        "<button onpointerdown=\"this.remove(); document.title = 'left'\">Go</button><p>rest</p>",
    );
    click(stage, "button").fine();
    assert_eq!(stage.value("document.title"), "left");
    // One that leaves before its turn is an error soon, not a hang.
    stage.show("<button disabled>Go</button><script>setTimeout(() => document.querySelector('button').remove(), 700)</script>");
    let target = stage.find("Go");
    click(stage, &target)
        .failed()
        .within(Duration::from_secs(15));
}

fn a_cover_that_stays_is_refused_early(stage: &Stage) {
    stage.visit("pointer.html");
    stage.value(COVER);
    let target = stage.find("\"Plain\"");
    click(stage, &target)
        .failed()
        .within(Duration::from_millis(2500))
        .has("<div id=\"veil\"></div>");
    assert_eq!(events(stage), json!([]));
    stage.value("(veil.remove(), 0)");
    wait_for("a click", PATIENCE, || {
        click(stage, &target).fine();
        (events(stage) != json!([])).then_some(())
    });
}
