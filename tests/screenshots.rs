//! Screenshots: what is on them, how large they are, where they go.

mod common;

use std::time::Duration;

use common::{Launch, Reply, Stage, images, reference};
use serde_json::{Value, json};

#[test]
fn screenshots() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        the_viewport_in_every_format,
        the_whole_page,
        one_element,
        an_element_below_the_fold,
        an_element_that_cannot_be_seen,
        a_file_is_written_and_no_image_sent,
        the_format_follows_the_name_of_the_file,
        the_page_is_as_before,
        a_page_that_animates,
        after_resizing,
    );
}

#[test]
fn screenshots_of_very_tall_pages() {
    if reference() {
        return eprintln!("skipped: not upstream's behaviour");
    }
    // How long it takes depends on the machine, and is not what this is about.
    let stage = Stage::new(Launch::new().args(["--timeout-action", "30000"]));
    steps!(&stage; a_tall_page_fits_into_what_a_model_takes);
}

#[test]
fn images_can_be_left_out_of_replies() {
    let stage = Stage::new(Launch::new().args(["--image-responses", "omit"]));
    steps!(&stage; a_link_without_an_image);
}

#[test]
fn images_can_be_all_of_a_reply() {
    let stage = Stage::new(Launch::new().args(["--image-responses", "only"]));
    steps!(&stage; an_image_without_a_text);
}

#[track_caller]
fn shoot(stage: &Stage, arguments: Value) -> Reply {
    stage.call("browser_take_screenshot", arguments).fine()
}

/// Format and size of the only image of a reply.
#[track_caller]
fn image(reply: &Reply) -> (&'static str, (u32, u32)) {
    let [image] = &reply.images[..] else {
        panic!("{} images: {}", reply.images.len(), reply.text)
    };
    let kind = images::kind(&image.bytes);
    assert_eq!(image.mime, format!("image/{kind}"));
    (kind, images::size(&image.bytes))
}

fn the_viewport_in_every_format(stage: &Stage) {
    stage.show("<h1>Hello</h1>");
    for kind in ["png", "jpeg", "webp"] {
        let reply = shoot(stage, json!({ "type": kind }));
        assert_eq!(image(&reply), (kind, (1280, 720)));
        // The file is the image.
        let file = std::fs::read(reply.link("Screenshot of viewport")).expect("the file");
        assert!(file == reply.images[0].bytes);
    }
    assert_eq!(image(&shoot(stage, json!({}))).0, "png");
}

fn the_whole_page(stage: &Stage) {
    stage.show("<div style='width:1500px;height:3000px'>tall</div>");
    let (kind, (width, height)) = image(&shoot(stage, json!({ "fullPage": true })));
    assert_eq!(kind, "png");
    // The body has a margin of eight pixels.
    assert_eq!((width, height), (1508, 3016));
}

fn one_element(stage: &Stage) {
    stage.show("<div id=box style='position:absolute;left:10px;top:20px;width:123px;height:45px;background:red'></div>");
    let reply = shoot(stage, json!({ "target": "#box", "element": "red box" }));
    assert_eq!(image(&reply), ("png", (123, 45)));
    reply.has("- [Screenshot of red box](");
}

fn an_element_below_the_fold(stage: &Stage) {
    stage.show("<div id=box style='position:absolute;top:4000px;width:100px;height:1000px;background:red'></div>");
    let reply = shoot(stage, json!({ "target": "#box", "element": "box" }));
    assert_eq!(image(&reply), ("png", (100, 1000)));
}

fn an_element_that_cannot_be_seen(stage: &Stage) {
    stage.show("<div id=box style='display:none'>x</div>");
    stage
        .call(
            "browser_take_screenshot",
            json!({ "target": "#box", "element": "box" }),
        )
        .failed();
}

fn a_file_is_written_and_no_image_sent(stage: &Stage) {
    stage.show("<h1>Hello</h1>");
    let reply = shoot(stage, json!({ "filename": "shots/page.png" }));
    assert!(reply.images.is_empty());
    let file = std::fs::read(stage.workspace().join("shots/page.png")).expect("the file");
    assert_eq!(images::size(&file), (1280, 720));
}

fn the_format_follows_the_name_of_the_file(stage: &Stage) {
    stage.show("<h1>Hello</h1>");
    for (name, kind) in [
        ("a.jpg", "jpeg"),
        ("a.jpeg", "jpeg"),
        ("a.webp", "webp"),
        ("a.png", "png"),
        ("a.gif", "png"),
    ] {
        shoot(stage, json!({ "filename": name }));
        let file = std::fs::read(stage.workspace().join(name)).expect("the file");
        assert_eq!(images::kind(&file), kind, "{name}");
    }
}

fn the_page_is_as_before(stage: &Stage) {
    stage.show("<div style='width:1500px;height:3000px'>tall</div>");
    stage.value("(scrollTo(0, 700), 0)");
    shoot(stage, json!({ "fullPage": true }));
    assert_eq!(
        stage.value("[scrollY, innerWidth, innerHeight]"),
        json!([700, 1280, 720])
    );
}

fn a_page_that_animates(stage: &Stage) {
    stage.show("<style>@keyframes k { to { transform: rotate(1turn) } } div { animation: k 1s infinite; width: 99px; height: 99px; background: red }</style><div></div>");
    let reply = shoot(stage, json!({}));
    assert_eq!(image(&reply), ("png", (1280, 720)));
}

fn after_resizing(stage: &Stage) {
    stage.show("<h1>Hello</h1>");
    stage
        .call("browser_resize", json!({ "width": 500, "height": 400 }))
        .fine();
    assert_eq!(image(&shoot(stage, json!({}))), ("png", (500, 400)));
    assert_eq!(
        image(&shoot(stage, json!({ "scale": "device" }))),
        ("png", (500, 400))
    );
}

fn a_tall_page_fits_into_what_a_model_takes(stage: &Stage) {
    stage.show("<div style='height:20100px;background:linear-gradient(red,blue)'></div>");
    for kind in ["png", "jpeg", "webp"] {
        let reply = shoot(stage, json!({ "fullPage": true, "type": kind }));
        reply
            .within(Duration::from_secs(30))
            .images
            .iter()
            .for_each(|image| {
                let (width, height) = images::size(&image.bytes);
                assert!(
                    width <= 8000 && height <= 8000,
                    "{kind}: {width} x {height}"
                );
            });
    }
}

fn a_link_without_an_image(stage: &Stage) {
    stage.show("<h1>Hello</h1>");
    let reply = shoot(stage, json!({}));
    assert!(reply.images.is_empty());
    assert!(reply.link("Screenshot of viewport").exists());
}

fn an_image_without_a_text(stage: &Stage) {
    stage.show("<h1>Hello</h1>");
    let reply = shoot(stage, json!({}));
    assert_eq!((reply.images.len(), reply.text.as_str()), (1, ""));
    // Other replies keep their text.
    stage
        .call("browser_snapshot", json!({}))
        .fine()
        .has("Hello");
}
