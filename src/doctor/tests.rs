//! The judgement, fact by fact.

use super::*;
use crate::config::Config;

/// A machine on which everything is as it should be.
fn good() -> Facts {
    let folder = |path: &str| Folder {
        path: PathBuf::from(path),
        problem: None,
    };
    Facts {
        browser: BrowserFacts {
            reach: Reach::Launch {
                program: Ok(PathBuf::from("/usr/bin/chromium")),
                start: Some(Ok(Started {
                    product: "Chrome/143.0.7499.40".to_owned(),
                    ms: 649,
                })),
            },
            window: Choice {
                on: true,
                notice: None,
            },
            sandbox: Choice {
                on: true,
                notice: None,
            },
            profile: Some(Profile {
                dir: PathBuf::from("/home/me/profile"),
                lock: Lock::Free,
            }),
        },
        output: folder("/home/me/work/.playwright-mcp"),
        profile: Some(folder("/home/me/profile")),
        configured_proxy: None,
        proxies: Vec::new(),
        keys: Vec::new(),
        linux: Some(LinuxFacts {
            locale: Some("C.UTF-8".to_owned()),
            fonts: true,
            shared_memory: Some(64 << 20),
            temporary: Some((PathBuf::from("/tmp"), 2 << 30)),
            namespaces_restricted: true,
        }),
    }
}

fn find<'a>(report: &'a Report, name: &str) -> &'a Check {
    report
        .checks
        .iter()
        .find(|check| check.name == name)
        .unwrap_or_else(|| panic!("no check {name}"))
}

#[track_caller]
fn expect(facts: &Facts, name: &str, status: Status, detail: &str) {
    let report = examine(facts);
    let check = find(&report, name);
    assert_eq!((check.status, check.detail.as_str()), (status, detail));
    assert_eq!(report.exit_code(), u8::from(status == Status::Fail));
}

#[track_caller]
fn expect_detail(facts: &Facts, name: &str, detail: &str) {
    assert_eq!(find(&examine(facts), name).detail, detail);
}

/// The same machine, with a window on its screen.
fn with_a_window() -> Facts {
    let mut facts = good();
    facts.browser.window.on = false;
    facts
}

fn failed(lacks: Option<Lack>) -> Reach {
    Reach::Launch {
        program: Ok(PathBuf::from("/usr/bin/chromium")),
        start: Some(Err(Failure {
            message: "It ended.".to_owned(),
            lacks,
        })),
    }
}

#[test]
fn what_the_start_did_not_show_is_not_claimed() {
    let mut facts = with_a_window();
    expect_detail(&facts, "Window", "yes (headed)");
    expect_detail(&facts, "Sandbox", "on");

    facts.browser.reach = failed(Some(Lack::Window));
    let no_display = "wanted (headed), but there is no display: see Start";
    expect_detail(&facts, "Window", no_display);
    let untried = "wanted; whether it can be used is not known yet";
    expect_detail(&facts, "Sandbox", untried);
    assert_eq!(find(&examine(&facts), "Start").remedy, None);

    facts.browser.reach = failed(None);
    let untried_window = "wanted (headed); whether it opens is not known yet";
    expect_detail(&facts, "Window", untried_window);
    expect_detail(&facts, "Sandbox", untried);

    facts.browser.reach = Reach::Launch {
        program: Err("nowhere".to_owned()),
        start: None,
    };
    expect_detail(&facts, "Window", untried_window);
    expect_detail(&facts, "Sandbox", untried);
    // What is off is off without a start.
    facts.browser.window.on = true;
    facts.browser.sandbox.on = false;
    expect_detail(&facts, "Window", "none (headless)");
    expect_detail(&facts, "Sandbox", "off");
}

#[test]
fn the_readme_shows_each_check() {
    let readme = include_str!("../../README.md");
    let sample = readme.split("✓ Browser").nth(1).unwrap_or_default();
    let sample = sample.split("```").next().unwrap_or_default();
    for check in &examine(&good()).checks[1..] {
        assert!(
            sample.contains(&format!(" {:9}", check.name)),
            "{}",
            check.name
        );
    }
}

#[test]
fn a_good_machine() {
    let report = examine(&good());
    assert_eq!(
        report.render(Marks::Unicode),
        "\
✓ Browser  /usr/bin/chromium
✓ Start    Chrome/143.0.7499.40 answered in 0.6 s
✓ Window   none (headless)
✓ Sandbox  on
✓ Profile  /home/me/profile
✓ Output   /home/me/work/.playwright-mcp
✓ Proxy    none
✓ Locale   C.UTF-8
✓ Fonts    installed
✓ Memory   shared in /tmp, 2048 MiB free (not in /dev/shm, which has 64 MiB)

Ready.
"
    );
    assert_eq!(report.exit_code(), 0);
}

#[test]
fn no_browser() {
    let mut facts = good();
    facts.browser.reach = Reach::Launch {
        program: Err("Looked at:\n  /opt\nInstall one.".to_owned()),
        start: None,
    };
    expect(
        &facts,
        "Browser",
        Status::Fail,
        "Looked at:\n  /opt\nInstall one.",
    );
    assert!(
        examine(&facts)
            .checks
            .iter()
            .all(|check| check.name != "Start")
    );
}

#[test]
fn a_browser_that_does_not_start() {
    let mut facts = good();
    facts.browser.reach = Reach::Launch {
        program: Ok(PathBuf::from("/usr/bin/chromium")),
        start: Some(Err(Failure {
            message: "No usable sandbox!".to_owned(),
            lacks: Some(Lack::Sandbox),
        })),
    };
    expect(&facts, "Start", Status::Fail, "No usable sandbox!");
    let wanted = "wanted, but it cannot be used here: see Start";
    let report = examine(&facts);
    assert_eq!(find(&report, "Sandbox").detail, wanted);
    assert_eq!(find(&report, "Sandbox").status, Status::Warn);
    let remedy = |facts: &Facts| find(&examine(facts), "Start").remedy.clone();
    assert!(remedy(&facts).unwrap().contains("--no-sandbox"));
    // With the sandbox off already, that is not the reason.
    facts.browser.sandbox.on = false;
    assert_eq!(remedy(&facts), None);
}

#[test]
fn attaching_leaves_out_what_only_a_launch_needs() {
    let mut facts = good();
    facts.browser.reach = Reach::Attach {
        endpoint: "http://127.0.0.1:9222".to_owned(),
        connect: Err("connection refused".to_owned()),
    };
    expect(
        &facts,
        "Attach",
        Status::Fail,
        "http://127.0.0.1:9222: connection refused",
    );
    let report = examine(&facts);
    let names: Vec<_> = report.checks.iter().map(|check| check.name).collect();
    assert_eq!(names, ["Attach", "Output", "Proxy", "Locale"]);
    let remedy = |facts: &Facts| find(&examine(facts), "Attach").remedy.clone();
    assert!(remedy(&facts).unwrap().contains("--remote-debugging-port"));
    // Said once is enough.
    facts.browser.reach = Reach::Attach {
        endpoint: "http://127.0.0.1:9222".to_owned(),
        connect: Err("refused. Start it with --remote-debugging-port.".to_owned()),
    };
    assert_eq!(remedy(&facts), None);

    facts.browser.reach = Reach::Attach {
        endpoint: "ws://h/x".to_owned(),
        connect: Ok(Started {
            product: "Chrome/1".to_owned(),
            ms: 1950,
        }),
    };
    expect(
        &facts,
        "Attach",
        Status::Ok,
        "ws://h/x: Chrome/1 answered in 2.0 s",
    );
}

#[test]
fn notices_of_the_launcher_are_passed_on() {
    let mut facts = good();
    facts.browser.sandbox = Choice {
        on: false,
        notice: Some("Running as root.".to_owned()),
    };
    facts.browser.window.notice = Some("No display.".to_owned());
    expect(&facts, "Sandbox", Status::Warn, "Running as root.");
    expect(
        &facts,
        "Window",
        Status::Warn,
        "none (headless). No display.",
    );
    assert!(
        examine(&facts)
            .render(Marks::Ascii)
            .ends_with("\nReady. 2 things to know about.\n")
    );
}

#[test]
fn the_profile() {
    let mut facts = good();
    let set = |facts: &mut Facts, lock| {
        facts.browser.profile = Some(Profile {
            dir: PathBuf::from("/p"),
            lock,
        });
    };
    set(&mut facts, Lock::Held("process 12".to_owned()));
    expect(
        &facts,
        "Profile",
        Status::Warn,
        "/p is in use by process 12",
    );
    set(&mut facts, Lock::Stale);
    expect(
        &facts,
        "Profile",
        Status::Ok,
        "/p (with the lock of a browser that is gone, which does no harm)",
    );
    facts.profile = Some(Folder {
        path: PathBuf::from("/p"),
        problem: Some("read-only".to_owned()),
    });
    expect(
        &facts,
        "Profile",
        Status::Fail,
        "/p cannot be written to: read-only",
    );
    facts.browser.profile = None;
    facts.profile = None;
    expect(&facts, "Profile", Status::Ok, "in memory only (--isolated)");
}

#[test]
fn a_small_container() {
    let mut facts = good();
    facts.linux = Some(LinuxFacts {
        temporary: Some((PathBuf::from("/tmp"), 20 << 20)),
        ..LinuxFacts::default()
    });
    expect(
        &facts,
        "Memory",
        Status::Warn,
        "/tmp has 20 MiB free: large pages may crash",
    );
    expect(
        &facts,
        "Locale",
        Status::Warn,
        "none is set: names of downloads may be garbled",
    );
    let fonts = "none found: text shows as boxes, and sizes are wrong";
    expect(&facts, "Fonts", Status::Warn, fonts);

    facts.linux = None;
    let report = examine(&facts);
    assert!(report.checks.iter().all(|check| check.name != "Locale"));
}

#[test]
fn locales() {
    let utf8 = |locale: &str| {
        LinuxFacts {
            locale: Some(locale.to_owned()),
            ..LinuxFacts::default()
        }
        .is_utf8()
    };
    assert!(utf8("en_US.UTF-8") && utf8("de_DE.utf8"));
    assert_eq!(good().marks(), Marks::Unicode);
    let bare = Facts {
        linux: Some(LinuxFacts::default()),
        ..good()
    };
    assert_eq!(bare.marks(), Marks::Ascii);
    assert!(!utf8("C") && !utf8("POSIX") && !utf8("de_DE.ISO-8859-1"));
}

#[test]
fn what_is_gathered_holds_no_secret() {
    let browser = good().browser;
    let env = |name: &str| match name {
        "HTTPS_PROXY" => Some("http://me:hunter2@proxy:3128".to_owned()),
        "JEV_API_KEY" => Some("hunter2".to_owned()),
        "FIGMA_TOKEN" => Some(String::new()),
        _ => None,
    };
    let mut facts = gather(
        &Config::default(),
        &env,
        &std::env::temp_dir().join("out"),
        browser,
    );
    assert!(!format!("{facts:?}").contains("hunter2"));
    assert_eq!(facts.keys, ["JEV_API_KEY"]);
    expect_detail(
        &facts,
        "Keys",
        "JEV_API_KEY is set; the browser does not get to see it",
    );
    facts.keys = vec!["FIGMA_TOKEN", "FIGMA_API_KEY", "JEV_API_KEY"];
    expect_detail(
        &facts,
        "Keys",
        "FIGMA_TOKEN, FIGMA_API_KEY and JEV_API_KEY are set; the browser does not get to see them",
    );
    facts.profile = None;
    expect(
        &facts,
        "Proxy",
        Status::Ok,
        "HTTPS_PROXY=http://proxy:3128 (from the environment; --proxy-server overrides)",
    );
}
