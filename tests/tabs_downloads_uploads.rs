//! What comes into and goes out of the browser beside the page: tabs and
//! popups, downloads, uploads.

mod common;

use std::time::Duration;

use common::{Answer, Gate, Launch, PATIENCE, Stage, wait_for};
use serde_json::json;

#[test]
fn tabs() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        tabs_are_opened_chosen_and_closed,
        each_tab_keeps_its_refs,
        a_popup_is_listed_and_can_be_chosen,
        closing_a_tab_chooses_its_neighbour,
        a_hidden_tab_believes_that_it_is_seen,
        a_crashed_tab_is_replaced,
        going_back_and_forth,
    );
}

#[test]
fn popups_of_scripts() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        a_popup_of_a_script_is_listed_and_can_be_chosen,
        a_popup_knows_its_opener,
        a_popup_that_closes_itself,
        a_click_that_closes_the_only_tab,
    );
}

#[test]
fn downloads() {
    let stage = Stage::new(Launch::new());
    steps!(&stage;
        a_link_to_a_file,
        a_file_made_by_the_page,
        a_download_in_a_new_tab,
        the_same_name_twice,
        names_that_try_to_leave_the_folder,
        a_large_file,
        a_download_that_takes_time,
        a_download_that_breaks_off,
    );
}

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

fn list(stage: &Stage) -> String {
    stage
        .call("browser_tabs", json!({ "action": "list" }))
        .fine()
        .plain
}

fn tabs_are_opened_chosen_and_closed(stage: &Stage) {
    for name in ["A", "B", "C"] {
        let url = stage.pages.put(
            &format!("/{name}"),
            Answer::page(name, &format!("<p>page {name}")),
        );
        stage
            .call("browser_tabs", json!({ "action": "new", "url": url }))
            .fine();
    }
    assert!(
        list(stage).ends_with("(current) [C](http://HOST/C)"),
        "{}",
        list(stage)
    );
    let index = list(stage)
        .lines()
        .position(|line| line.contains("/A"))
        .expect("A")
        - 1;
    stage
        .call(
            "browser_tabs",
            json!({ "action": "select", "index": index }),
        )
        .fine();
    assert!(stage.snapshot().contains("page A"));
    stage
        .call(
            "browser_tabs",
            json!({ "action": "close", "index": index + 1 }),
        )
        .fine();
    assert!(
        !list(stage).contains("/B") && list(stage).contains("(current) [A]"),
        "{}",
        list(stage)
    );
}

fn each_tab_keeps_its_refs(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    let page = |name: &str| {
        let body = format!("<button onclick=\"document.title = 'hit {name}'\">{name}</button>");
        stage
            .pages
            .put(&format!("/{name}"), Answer::page(name, &body))
    };
    stage.open(&page("one"));
    let first = stage.find("button \"one\"");
    stage
        .call(
            "browser_tabs",
            json!({ "action": "new", "url": page("two") }),
        )
        .fine();
    let second = stage.find("button \"two\"");
    stage
        .call("browser_click", json!({ "target": second }))
        .fine();
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 0 }))
        .fine();
    stage
        .call("browser_click", json!({ "target": first }))
        .fine();
    let list = list(stage);
    assert!(
        list.contains("[hit one]") && list.contains("[hit two]"),
        "{list}"
    );
}

/// Opens a popup, looks into it and closes it.
#[track_caller]
fn popup(stage: &Stage, opener: &str) {
    stage.call("browser_close", json!({})).fine();
    stage
        .pages
        .put("/popup", Answer::page("Popup", "<p>inside</p>"));
    stage.show(opener);
    stage
        .click("Open")
        .fine()
        .has("- 0: (current) [T](http://HOST/)\n- 1: [Popup](http://HOST/popup)");
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    assert!(stage.snapshot().contains("inside"));
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine();
    assert!(stage.snapshot().contains("Open"));
}

fn a_popup_is_listed_and_can_be_chosen(stage: &Stage) {
    popup(stage, "<a href=/popup target=_blank>Open</a>");
}

fn a_popup_of_a_script_is_listed_and_can_be_chosen(stage: &Stage) {
    popup(
        stage,
        "<button onclick=\"window.open('/popup')\">Open</button>",
    );
    popup(
        stage,
        "<button onclick=\"window.open('/popup', '', 'width=300,height=200')\">Open</button>",
    );
    popup(stage, "<a href=/popup target=other rel=opener>Open</a>");
}

fn a_popup_knows_its_opener(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    let button = "<button onclick=\"opener.document.title = 'told'\">Tell</button>";
    stage.pages.put("/popup", Answer::page("Popup", button));
    stage.show("<button onclick=\"window.open('/popup')\">Open</button>");
    stage.click("Open").fine();
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    stage.click("Tell").fine();
    assert!(list(stage).contains("- 0: [told]"), "{}", list(stage));
}

fn a_popup_that_closes_itself(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.pages.put(
        "/popup",
        Answer::page("Popup", "<button onclick='window.close()'>Enough</button>"),
    );
    stage.show("<button onclick=\"window.open('/popup')\">Open</button>");
    stage.click("Open").fine();
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    stage.click("Enough");
    wait_for("one tab", PATIENCE, || {
        (!list(stage).contains("- 1:")).then_some(())
    });
    assert!(stage.snapshot().contains("Open"));
}

fn a_click_that_closes_the_only_tab(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.pages.put(
        "/popup",
        Answer::page("Popup", "<button onclick='window.close()'>Enough</button>"),
    );
    stage.show("<button onclick=\"window.open('/popup')\">Open</button>");
    stage.click("Open").fine();
    stage
        .call("browser_tabs", json!({ "action": "close", "index": 0 }))
        .fine();
    // Whatever this says, the next call works.
    stage.click("Enough").within(Duration::from_secs(20));
    stage.show("<p>on we go</p>");
    assert!(stage.snapshot().contains("on we go"));
}

fn closing_a_tab_chooses_its_neighbour(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("first");
    for name in ["B", "C"] {
        let url = stage
            .pages
            .put(&format!("/{name}"), Answer::page(name, name));
        stage
            .call("browser_tabs", json!({ "action": "new", "url": url }))
            .fine();
    }
    stage
        .call("browser_tabs", json!({ "action": "select", "index": 1 }))
        .fine();
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine()
        .has("- 1: (current) [C]");
    stage
        .call("browser_tabs", json!({ "action": "close" }))
        .fine()
        .has("- 0: (current) [T]");
}

fn a_hidden_tab_believes_that_it_is_seen(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show(
        "<script>setInterval(() => { document.title = document.hasFocus() + ' ' + document.visibilityState }, 100)</script>",
    );
    stage
        .call("browser_tabs", json!({ "action": "new" }))
        .fine();
    wait_for("a tab that is told it has the focus", PATIENCE, || {
        list(stage).contains("- 0: [true visible]").then_some(())
    });
}

fn a_crashed_tab_is_replaced(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    stage.show("<p>doomed</p>");
    let _ = stage.call("browser_navigate", json!({ "url": "chrome://crash" }));
    // The next call may still see the crash; soon one works again.
    wait_for("a page after the crash", PATIENCE, || {
        let url = stage
            .pages
            .put("/again", Answer::page("Again", "<p>alive</p>"));
        let reply = stage.call("browser_navigate", json!({ "url": url }));
        (!reply.is_error && reply.snapshot().contains("alive")).then_some(())
    });
}

fn going_back_and_forth(stage: &Stage) {
    stage.call("browser_close", json!({})).fine();
    for name in ["A", "B"] {
        stage.open(&stage.pages.put(
            &format!("/{name}"),
            Answer::page(name, &format!("<p>page {name}")),
        ));
    }
    let back = stage.call("browser_navigate_back", json!({})).fine();
    back.has("- Page URL: http://HOST/A");
    wait_for("page A", PATIENCE, || {
        stage.snapshot().contains("page A").then_some(())
    });
    stage.value("(history.forward(), 0)");
    wait_for("page B", PATIENCE, || {
        stage.snapshot().contains("page B").then_some(())
    });
}

/// The content of a download, once it is whole.
#[track_caller]
fn saved(stage: &Stage, name: &str, length: usize) -> Vec<u8> {
    let path = stage.workspace().join(".playwright-mcp").join(name);
    wait_for(name, PATIENCE, || {
        std::fs::read(&path)
            .ok()
            .filter(|content| content.len() == length)
    })
}

/// Asks until a reply tells of the end of this download.
#[track_caller]
fn told(stage: &Stage, first: common::Reply, name: &str, file: &str) {
    let line = format!("- Downloaded file {name} to \".playwright-mcp/{file}\"");
    if first.plain.contains(&line) {
        return;
    }
    wait_for(&line, PATIENCE, || {
        let reply = stage.call("browser_snapshot", json!({})).fine();
        reply.plain.contains(&line).then_some(())
    });
}

fn a_link_to_a_file(stage: &Stage) {
    stage
        .pages
        .put("/report", Answer::download("report.csv", "a,b\n1,2\n"));
    stage.show("<a href=/report>Report</a>");
    let click = stage.click("Report").fine();
    told(stage, click, "report.csv", "report.csv");
    assert_eq!(saved(stage, "report.csv", 8), b"a,b\n1,2\n");
}

fn a_file_made_by_the_page(stage: &Stage) {
    stage.show(
        "<a download=made.txt>Make</a><script>
            document.querySelector('a').href = URL.createObjectURL(new Blob(['made here']))
        </script>",
    );
    let click = stage.call("browser_click", json!({ "target": "a" })).fine();
    told(stage, click, "made.txt", "made.txt");
    assert_eq!(saved(stage, "made.txt", 9), b"made here");
}

fn a_download_in_a_new_tab(stage: &Stage) {
    stage
        .pages
        .put("/new", Answer::download("new.bin", vec![7; 1000]));
    stage.show("<a href=/new target=_blank>Get</a>");
    stage.click("Get").fine();
    assert_eq!(saved(stage, "new.bin", 1000), vec![7; 1000]);
    assert!(stage.snapshot().contains("Get"));
}

fn the_same_name_twice(stage: &Stage) {
    stage
        .pages
        .put("/twice", Answer::download("twice.txt", "first"));
    stage.show("<a href=/twice>Get</a>");
    stage.click("Get").fine();
    saved(stage, "twice.txt", 5);
    stage
        .pages
        .put("/twice", Answer::download("twice.txt", "second one"));
    stage.click("Get").fine();
    // Either it replaces the first or gets a name of its own; it is not lost.
    let folder = stage.workspace().join(".playwright-mcp");
    wait_for("the second file", PATIENCE, || {
        std::fs::read_dir(&folder)
            .ok()?
            .flatten()
            .find_map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                let content = std::fs::read_to_string(entry.path()).ok()?;
                (name.starts_with("twice") && content == "second one").then_some(())
            })
    });
}

fn names_that_try_to_leave_the_folder(stage: &Stage) {
    for (number, name) in [
        "../../evil.txt",
        "..%2f..%2fevil.txt",
        "/etc/evil.txt",
        "a\\\\b.txt",
    ]
    .into_iter()
    .enumerate()
    {
        let path = format!("/evil{number}");
        stage.pages.put(&path, Answer::download(name, "evil"));
        stage.show(&format!("<a href={path}>Get</a>"));
        let click = stage.click("Get").fine();
        wait_for("the end of the download", PATIENCE, || {
            let more = stage.call("browser_snapshot", json!({})).fine();
            let both = format!("{}{}", click.plain, more.plain);
            both.contains("- Downloaded file").then_some(())
        });
    }
    let top = stage.workspace().parent().expect("a parent");
    for folder in [top, stage.workspace()] {
        let strangers: Vec<_> = std::fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().contains("evil"))
            .collect();
        assert!(strangers.is_empty(), "{strangers:?}");
    }
    assert!(!std::path::Path::new("/etc/evil.txt").exists());
}

fn a_large_file(stage: &Stage) {
    let content: Vec<u8> = (0..20_000_000_u32).map(|n| (n % 251) as u8).collect();
    stage
        .pages
        .put("/large", Answer::download("large.bin", content.clone()));
    stage.show("<a href=/large>Get</a>");
    stage.click("Get").fine();
    assert!(saved(stage, "large.bin", content.len()) == content);
}

fn a_download_that_takes_time(stage: &Stage) {
    let gate = Gate::new();
    let content = vec![b'x'; 400_000];
    let answer = Answer::download("slow.txt", content.clone()).half_behind(&gate);
    stage.pages.put("/slow", answer);
    stage.show("<a href=/slow>Get</a><button>Other</button>");
    stage.click("Get").fine();
    stage.click("Other").fine();
    gate.open();
    assert!(saved(stage, "slow.txt", content.len()) == content);
}

fn a_download_that_breaks_off(stage: &Stage) {
    let answer = Answer::download("broken.bin", vec![1; 5000]).header("Content-Length", "9000");
    stage.pages.put("/broken", answer.cut_off());
    stage.show("<a href=/broken>Get</a>");
    stage.click("Get").fine().within(Duration::from_secs(30));
    assert!(stage.snapshot().contains("Get"));
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
