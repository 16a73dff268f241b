//! Several clients, one browser.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::http::Client;
use crate::common::{Answer, Launch, PATIENCE, Pages, wait_for};

fn open(client: &Client<'_>, url: &str) -> String {
    client.call("browser_navigate", json!({ "url": url }))
}

fn value(client: &Client<'_>, expression: &str) -> String {
    let function = format!("() => ({expression})");
    let text = client.call("browser_evaluate", json!({ "function": function }));
    let result = text.split("### Result\n").nth(1).unwrap_or_default();
    result.lines().next().unwrap_or_default().to_owned()
}

fn tabs(client: &Client<'_>) -> String {
    client.call("browser_tabs", json!({"action": "list"}))
}

#[test]
fn clients_share_a_browser_and_nothing_in_it() {
    let pages = Pages::start();
    let url = pages.put("/", Answer::page("Shared", "hello"));
    let server = Launch::new().serve();
    let (first, second) = (server.client(), server.client());
    open(&first, &url);
    open(&second, &url);
    assert_eq!(server.browsers(), 1);
    value(&first, "document.cookie = 'who=first'");
    value(&first, "localStorage.setItem('who', 'first')");
    assert_eq!(value(&second, "document.cookie"), "\"\"");
    assert_eq!(value(&second, "localStorage.getItem('who')"), "null");
    first.call("browser_tabs", json!({"action": "new"}));
    assert!(tabs(&first).contains("- 1:"), "{}", tabs(&first));
    assert!(!tabs(&second).contains("- 1:"), "{}", tabs(&second));
    // Closing what is one's own leaves the other alone.
    first.call("browser_close", json!({}));
    assert_eq!(value(&second, "document.title"), "\"Shared\"");
    open(&first, &url);
    assert_eq!(value(&first, "document.cookie"), "\"\"");
    assert_eq!(first.end(), 200);
    assert_eq!(value(&second, "document.title"), "\"Shared\"");
    assert_eq!(server.browsers(), 1);
    // The last one turns off the light.
    assert_eq!(second.end(), 200);
    wait_for("the browser to end", PATIENCE, || {
        (server.browsers() == 0).then_some(())
    });
    let third = server.client();
    open(&third, &url);
    assert_eq!(value(&third, "document.title"), "\"Shared\"");
}

#[test]
fn a_context_goes_with_its_client() {
    let server = Launch::new().serve();
    let stays = server.client();
    open(&stays, "about:blank");
    let renderers = || {
        let processes = server.processes();
        let of = |p: &&crate::common::processes::Process| p.command.contains("--type=renderer");
        processes.iter().filter(of).count()
    };
    let leaves = server.client();
    open(&leaves, "data:text/html,<title>x</title>");
    let before = renderers();
    leaves.end();
    wait_for("its page to end", PATIENCE, || {
        (renderers() < before).then_some(())
    });
    assert!(tabs(&stays).contains("(current)"));
}

#[test]
fn a_context_can_be_shared() {
    for isolated in [true, false] {
        let pages = Pages::start();
        let url = pages.put("/", Answer::page("Common", "hello"));
        let launch = Launch::new().arg("--shared-browser-context");
        let launch = if isolated {
            launch
        } else {
            launch.persistent()
        };
        let server = launch.serve();
        let (first, second) = (server.client(), server.client());
        open(&first, &url);
        value(&first, "document.cookie = 'who=first'");
        assert!(tabs(&second).contains("[Common]"), "{}", tabs(&second));
        assert_eq!(value(&second, "document.cookie"), "\"who=first\"");
        assert_eq!(server.browsers(), 1);
        // Closing in one does not close for the other.
        first.call("browser_close", json!({}));
        assert_eq!(value(&second, "document.title"), "\"Common\"");
        first.end();
        assert_eq!(value(&second, "document.title"), "\"Common\"");
        second.end();
        wait_for("the browser to end", PATIENCE, || {
            (server.browsers() == 0).then_some(())
        });
    }
}

#[test]
fn a_download_of_a_shared_context_is_told_to_all() {
    let pages = Pages::start();
    pages.put("/report", Answer::download("report.csv", "a,b\n1,2\n"));
    let url = pages.put("/", Answer::page("Files", "<a href=/report>Report</a>"));
    let server = Launch::new().arg("--shared-browser-context").serve();
    let (first, second) = (server.client(), server.client());
    open(&first, &url);
    assert!(tabs(&second).contains("[Files]"));
    value(&first, "document.querySelector('a').click()");
    for client in [&first, &second] {
        let mut told = String::new();
        wait_for("the download", PATIENCE, || {
            told += &client.call("browser_snapshot", json!({}));
            told.contains("Downloaded file report.csv to \".playwright-mcp/report.csv\"")
                .then_some(())
        });
        assert!(!told.contains("could not be saved"), "{told}");
    }
}

#[test]
fn with_a_profile_each_client_has_a_browser() {
    let server = Launch::new().persistent().serve();
    let (first, second) = (server.client(), server.client());
    open(&first, "about:blank");
    let told = open(&second, "about:blank");
    assert_eq!(server.browsers(), 2);
    assert!(told.contains("profile"), "{told}");
    first.end();
    wait_for("one browser to end", PATIENCE, || {
        (server.browsers() == 1).then_some(())
    });
    assert!(tabs(&second).contains("(current)"));
}

#[test]
fn a_browser_that_dies_is_replaced_for_everyone() {
    let server = Launch::new().serve();
    let (first, second) = (server.client(), server.client());
    open(&first, "about:blank");
    open(&second, "about:blank");
    let browser = server
        .processes()
        .into_iter()
        .find(|p| p.command.contains("--remote-debugging") && !p.command.contains("--type="));
    crate::common::processes::signal(browser.expect("a browser").pid, "KILL");
    std::thread::sleep(Duration::from_millis(500));
    for client in [&first, &second] {
        assert!(open(client, "data:text/html,<title>new</title>").contains("Title: new"));
    }
    assert_eq!(server.browsers(), 1);
}

#[test]
fn a_signal_ends_everything() {
    for signal in ["TERM", "INT"] {
        let server = Launch::new().serve();
        let clients: Vec<_> = (0..3).map(|_| server.client()).collect();
        let mut listening = clients[0].listen(None);
        for client in &clients {
            open(client, "about:blank");
        }
        let mut call = clients[1].begin("browser_wait_for", json!({"time": 30}));
        server.signal(signal);
        let start = Instant::now();
        let status = server.exit(Duration::from_secs(10));
        assert!(status.success(), "{status}");
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(listening.ends(PATIENCE) && call.ends(PATIENCE));
        wait_for("every process to end", Duration::from_secs(3), || {
            server.processes().is_empty().then_some(())
        });
    }
}

#[test]
fn a_server_outlives_who_started_it() {
    // Nobody reads its standard output, its standard input is empty, its parent ends.
    let folder = tempfile::tempdir().expect("a folder");
    let told = folder.path().join("told");
    let started = std::process::Command::new("sh")
        .args([
            "-c",
            "\"$1\" --port 0 2>\"$2\" </dev/null >/dev/null & echo $!",
            "sh",
        ])
        .arg(env!("CARGO_BIN_EXE_playguard"))
        .arg(&told)
        .output()
        .expect("a shell");
    let pid = String::from_utf8_lossy(&started.stdout).trim().to_owned();
    let pid: u32 = pid.parse().expect("a process id");
    wait_for("it to listen", PATIENCE, || {
        let told = std::fs::read_to_string(&told).ok()?;
        told.contains("/sse endpoint").then_some(())
    });
    std::thread::sleep(Duration::from_secs(2));
    let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    assert!(state().is_some());
    crate::common::processes::signal(pid, "TERM");
    wait_for("it to end", Duration::from_secs(5), || {
        state()
            .is_none_or(|stat| stat.contains(") Z "))
            .then_some(())
    });
}

#[test]
fn eight_clients_work_at_once() {
    let pages = Pages::start();
    for number in 0..8 {
        pages.put(
            &format!("/{number}"),
            Answer::page(
                &format!("Page {number}"),
                &format!("<button>b{number}</button>"),
            ),
        );
    }
    let server = Launch::new().serve();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (server, pages) = (&server, &pages);
            scope.spawn(move || {
                let client = server.client();
                for _ in 0..3 {
                    let told = open(&client, &pages.url(&format!("/{number}")));
                    assert!(told.contains(&format!("Title: Page {number}")), "{told}");
                    let seen = client.call("browser_snapshot", json!({}));
                    assert!(seen.contains(&format!("button \"b{number}\"")), "{seen}");
                    assert_eq!(
                        value(&client, "document.title"),
                        format!("\"Page {number}\"")
                    );
                }
                assert_eq!(client.end(), 200);
            });
        }
    });
    wait_for("the browser to end", PATIENCE, || {
        (server.browsers() == 0).then_some(())
    });
}

#[test]
fn fifty_sessions_fit_into_sixty_megabytes() {
    let server = Launch::new().serve();
    let clients: Vec<_> = (0..50).map(|_| server.client()).collect();
    let listening: Vec<_> = clients.iter().map(|client| client.listen(None)).collect();
    for client in &clients {
        let told = open(client, "data:text/html,<title>T</title><button>b</button>");
        assert!(told.contains("Title: T"), "{told}");
    }
    assert_eq!(server.browsers(), 1);
    let used = server.memory();
    eprintln!("50 sessions: {used} KiB");
    // Programs without optimisation and with tables for debugging are larger.
    assert!(used <= 60 * 1024, "{used} KiB");
    drop(listening);
}
