//! The mouse at coordinates.

use serde_json::json;

use crate::common::{Launch, Stage};
use crate::steps;

#[test]
fn vision() {
    let stage = Stage::new(Launch::new().arg("--caps=vision"));
    steps!(&stage;
        moving_clicking_and_the_wheel,
        pressing_and_releasing_apart,
        dragging_what_can_be_dragged,
        dragging_by_pointer_events,
    );
}

const LOG: &str = "<style>body { margin: 0; height: 3000px }</style><script>
    var events = [];
    for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick'])
        addEventListener(type, (event) =>
            events.push(`${type} ${event.clientX},${event.clientY} ${event.button} ${event.detail}`));
</script>";

fn moving_clicking_and_the_wheel(stage: &Stage) {
    stage.show(LOG);
    stage
        .call("browser_mouse_move_xy", json!({ "x": 10.5, "y": 20 }))
        .fine()
        .has("// Move mouse to (10.5, 20)\nawait page.mouse.move(10.5, 20);");
    stage
        .call("browser_mouse_click_xy", json!({ "x": 30, "y": 40 }))
        .fine()
        .has("// Click mouse at coordinates (30, 40)\nawait page.mouse.click(30, 40);")
        .has("### Snapshot");
    assert_eq!(
        stage.value("events.splice(0)"),
        json!([
            "mousemove 10,20 0 0",
            "mousemove 30,40 0 0",
            "mousedown 30,40 0 1",
            "mouseup 30,40 0 1",
            "click 30,40 0 1"
        ])
    );
    stage
        .call(
            "browser_mouse_click_xy",
            json!({ "x": 1, "y": 2, "clickCount": 2, "delay": 5 }),
        )
        .fine()
        .has("await page.mouse.click(1, 2, {\n  clickCount: 2,\n  delay: 5\n});");
    let events = stage.value("events.splice(0)").to_string();
    assert!(events.contains("dblclick 1,2 0 2"), "{events}");
    stage
        .call("browser_mouse_wheel", json!({ "deltaX": 0, "deltaY": 250 }))
        .fine()
        .has("// Scroll mouse wheel\nawait page.mouse.wheel(0, 250);");
    crate::common::wait_for("the page to scroll", crate::common::PATIENCE, || {
        (stage.value("scrollY") == json!(250)).then_some(())
    });
}

fn pressing_and_releasing_apart(stage: &Stage) {
    stage.show(LOG);
    let point = json!({ "x": 50, "y": 60 });
    stage.call("browser_mouse_move_xy", point).fine();
    stage
        .call("browser_mouse_down", json!({}))
        .fine()
        .has("// Press mouse down\nawait page.mouse.down();");
    assert_eq!(
        stage.value("events.splice(0).at(-1)"),
        json!("mousedown 50,60 0 1")
    );
    stage
        .call("browser_mouse_up", json!({}))
        .fine()
        .has("// Press mouse up\nawait page.mouse.up();");
    assert_eq!(
        stage.value("events.splice(0)"),
        json!(["mouseup 50,60 0 1", "click 50,60 0 1"])
    );
    let right = json!({ "button": "right" });
    stage
        .call("browser_mouse_down", right.clone())
        .fine()
        .has("await page.mouse.down({\n  button: 'right'\n});");
    stage.call("browser_mouse_up", right).fine();
    let events = stage.value("events.splice(0)").to_string();
    assert!(events.contains("mousedown 50,60 2 1"), "{events}");
}

fn dragging_what_can_be_dragged(stage: &Stage) {
    stage.show(
        "<style>div { position: absolute; width: 80px; height: 80px; top: 0 }</style>
         <div id=from draggable=true style='left: 0'>From</div>
         <div id=to style='left: 200px'>To</div>
         <script>
            from.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'cargo');
            to.ondragover = (event) => event.preventDefault();
            to.ondrop = (event) => { to.textContent = event.dataTransfer.getData('text/plain') };
         </script>",
    );
    let arguments = json!({ "startX": 40, "startY": 40, "endX": 240, "endY": 40 });
    stage.call("browser_mouse_drag_xy", arguments).fine().has(
        "// Drag mouse from (40, 40) to (240, 40)\nawait page.mouse.move(40, 40);\n\
             await page.mouse.down();\nawait page.mouse.move(240, 40);\nawait page.mouse.up();",
    );
    assert_eq!(stage.value("to.textContent"), json!("cargo"));
}

fn dragging_by_pointer_events(stage: &Stage) {
    stage.show(
        "<div id=thing style='position: absolute; left: 0; top: 0; width: 50px; height: 50px'>Thing</div>
         <script>
            thing.onpointerdown = () => {
                onpointermove = (event) => { thing.style.left = event.clientX + 'px' };
                onpointerup = () => { onpointermove = null; thing.dataset.dropped = thing.style.left };
            };
         </script>",
    );
    let arguments = json!({ "startX": 20, "startY": 20, "endX": 140, "endY": 20 });
    stage.call("browser_mouse_drag_xy", arguments).fine();
    assert_eq!(stage.value("thing.dataset.dropped"), json!("140px"));
}
