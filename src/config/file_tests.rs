//! Settings that come from a configuration file: who wins, and what is refused.

use super::tests::{refused, with_file};
use super::*;

fn by_file(text: &str) -> Result<Config, ConfigError> {
    with_file(Flags::default().with(Setting::Config, "c.json"), &[], text)
}

fn in_stock(text: &str) -> Result<Config, ConfigError> {
    let flags = Flags::default()
        .with(Setting::Config, "c.json")
        .with(Setting::Stock, "true");
    with_file(flags, &[], text)
}

#[test]
fn every_key_that_is_a_flag_reaches_its_field() {
    let config = by_file(
        r#"{
        "browser": {
            "browserName": "chromium", "isolated": true,
            "cdpEndpoint": "http://127.0.0.1:9222", "cdpHeaders": {"A": "1"}, "cdpTimeout": 7,
            "launchOptions": {
                "channel": "msedge-dev", "headless": false, "executablePath": "/b",
                "chromiumSandbox": false, "proxy": {"server": "http://p:1", "bypass": "a.com"}
            },
            "contextOptions": {
                "userAgent": "UA", "ignoreHTTPSErrors": true,
                "viewport": {"width": 640, "height": 480}
            }
        },
        "capabilities": ["pdf", "vision"],
        "outputDir": "/o", "console": {"level": "error"}, "testIdAttribute": "data-x",
        "timeouts": {"action": 1, "navigation": 2, "expect": 3, "settle": 4, "idle": 5},
        "imageResponses": "omit", "filePaths": "absolute",
        "snapshot": {"mode": "none", "boxes": true, "source": "ax"},
        "allowUnrestrictedFileAccess": true, "verbose": true
    }"#,
    )
    .unwrap();
    assert_eq!(config.warnings, [""; 0]);
    assert_eq!(config.file, Some("c.json".into()));
    assert_eq!(
        config.browser,
        BrowserChoice {
            name: "chromium",
            channel: "msedge-dev",
            explicit: true
        }
    );
    assert!(config.isolated && config.ignore_https_errors && config.verbose);
    assert_eq!(
        (config.headless, config.sandbox),
        (Some(false), Some(false))
    );
    assert_eq!(config.executable_path, Some("/b".into()));
    let cdp = config.cdp.unwrap();
    assert_eq!(cdp.url, "http://127.0.0.1:9222");
    assert_eq!(cdp.headers, [("A".to_owned(), "1".to_owned())]);
    assert_eq!(cdp.timeout_ms, 7);
    assert_eq!(config.viewport, Some((640, 480)));
    assert_eq!(config.user_agent.as_deref(), Some("UA"));
    let proxy = config.proxy.unwrap();
    assert_eq!(proxy.server, "http://p:1");
    assert_eq!(proxy.bypass.as_deref(), Some("a.com"));
    assert_eq!(config.output_dir, Some("/o".into()));
    assert_eq!(config.console_level, ConsoleLevel::Error);
    assert_eq!(config.test_id_attributes, ["data-x"]);
    assert_eq!(
        config.timeouts,
        Timeouts {
            action_ms: 1,
            navigation_ms: 2,
            expect_ms: 3,
            settle_ms: 4,
            idle_ms: Some(5)
        }
    );
    assert_eq!(config.image_responses, ImageResponses::Omit);
    assert_eq!(config.file_paths, FilePaths::Absolute);
    assert_eq!(
        config.snapshot,
        SnapshotConfig {
            mode: SnapshotMode::None,
            boxes: true,
            source: SnapshotSource::Ax
        }
    );
    assert_eq!(config.capabilities.listed(), ["pdf", "vision"]);
    assert!(config.allow_unrestricted_file_access);
    let profile = by_file(r#"{"browser": {"userDataDir": "/p"}, "stock": true}"#).unwrap();
    assert!(profile.stock);
    assert_eq!(profile.user_data_dir, Some("/p".into()));
}

#[test]
fn flags_win_over_variables_and_those_over_the_file() {
    let text = r#"{"timeouts": {"action": 1, "settle": 9}, "capabilities": ["pdf"],
        "browser": {"isolated": true, "cdpEndpoint": "chrome", "cdpHeaders": {"A": "1", "B": "2"}}}"#;
    let flags = Flags::default().with(Setting::Config, "c.json");
    let vars = [
        ("PLAYWRIGHT_MCP_TIMEOUT_ACTION", "2"),
        ("PLAYWRIGHT_MCP_ISOLATED", "false"),
        ("PLAYWRIGHT_MCP_CDP_HEADERS", "C: 3"),
    ];
    let config = with_file(flags.clone(), &vars, text).unwrap();
    assert_eq!(config.timeouts.action_ms, 2);
    assert_eq!(config.timeouts.settle_ms, 9);
    assert!(!config.isolated);
    // Lists are replaced, not joined.
    assert_eq!(
        config.cdp.unwrap().headers,
        [("C".to_owned(), "3".to_owned())]
    );
    let flags = flags
        .with(Setting::TimeoutAction, "3")
        .with(Setting::Caps, "vision");
    let config = with_file(flags, &vars, text).unwrap();
    assert_eq!(config.timeouts.action_ms, 3);
    assert_eq!(config.capabilities.listed(), ["vision"]);
}

#[test]
fn a_variable_may_name_the_file() {
    let vars = [("PLAYWRIGHT_MCP_CONFIG", "c.ini")];
    let config = with_file(Flags::default(), &vars, "timeouts.action = 7").unwrap();
    assert_eq!(config.timeouts.action_ms, 7);
}

#[test]
fn a_channel_needs_a_name_only_in_stock() {
    let channel = r#"{"browser": {"launchOptions": {"channel": "msedge"}}}"#;
    assert_eq!(by_file(channel).unwrap().browser.channel, "msedge");
    let stock = in_stock(channel).unwrap().browser;
    assert_eq!((stock.channel, stock.explicit), ("chrome", false));
    let name = by_file(r#"{"browser": {"browserName": "chromium"}}"#).unwrap();
    assert_eq!(name.browser.channel, "chrome-for-testing");
    let other = refused(by_file(r#"{"browser": {"browserName": "firefox"}}"#));
    assert!(
        other.starts_with("Invalid browser.browserName in c.json: firefox. PlayGuard's own"),
        "{other}"
    );
}

#[test]
fn nonsense_is_refused_with_its_key_and_passes_in_stock() {
    for (text, message) in [
        (
            r#"{"timeouts": {"action": "soon"}}"#,
            "Invalid timeouts.action in c.json: soon. A whole number of milliseconds",
        ),
        (
            r#"{"browser": {"isolated": "on"}}"#,
            "Invalid browser.isolated in c.json: on. Valid values are: true",
        ),
        (
            r#"{"browser": {"contextOptions": {"viewport": "wide"}}}"#,
            "Invalid browser.contextOptions.viewport in c.json: wide. A width and a height",
        ),
        (
            r#"{"outputDir": 1, "filePaths": []}"#,
            "Invalid filePaths in c.json: a text is expected",
        ),
    ] {
        let said = refused(by_file(text));
        assert!(said.starts_with(message), "{said}");
    }
    assert!(
        !in_stock(r#"{"browser": {"isolated": "on"}}"#)
            .unwrap()
            .isolated
    );
    assert!(in_stock(r#"{"filePaths": []}"#).is_ok());
}

#[test]
fn a_file_that_cannot_be_read_is_fatal() {
    let flags = Flags::default().with(Setting::Config, "gone.json");
    let read = |_: &std::path::Path| {
        Err(std::io::Error::new(
            std::io::ErrorKind::NotFound,
            "not there",
        ))
    };
    let error = Config::resolve(&flags, &|_| None, &read).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The configuration file gone.json cannot be read: not there"
    );
}

#[test]
fn groups_of_tools_that_nobody_knows_are_announced_outside_stock() {
    let config = by_file(r#"{"capabilities": ["pdf", "moon", "tracing"]}"#).unwrap();
    assert_eq!(
        config.warnings,
        [
            "capabilities in c.json: moon is no group of tools and has no effect. Groups are: \
             config, network, pdf, storage, testing, vision, devtools."
        ]
    );
    assert_eq!(
        config.capabilities.listed(),
        ["pdf", "moon", "tracing", "devtools"]
    );
    let stock = in_stock(r#"{"capabilities": ["moon", "tracing"]}"#).unwrap();
    assert_eq!(stock.warnings, [""; 0]);
    assert_eq!(stock.capabilities.listed(), ["moon", "tracing"]);
}

#[test]
fn secrets_come_from_either_file() {
    let config = by_file(r#"{"secrets": {"B": "2", "A": 1}}"#).unwrap();
    let entries: Vec<_> = config.secrets.iter().collect();
    assert_eq!(entries, [("B", "2"), ("A", "1")]);
    assert_eq!(
        refused(by_file(r#"{"secrets": "x"}"#)),
        "Invalid secrets in c.json: an object of texts is expected"
    );
    // The reader of these tests gives the same text for every file.
    let vars = [("PLAYWRIGHT_MCP_SECRETS_FILE", "s.env")];
    let config = with_file(Flags::default(), &vars, "KEY=hunter2").unwrap();
    assert_eq!(config.secrets.value("KEY"), Some("hunter2"));
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn the_size_of_the_output_folder() {
    let by = |text: &str| by_file(&format!(r#"{{"outputMaxSize": {text}}}"#));
    assert_eq!(by("1e6").unwrap().output_max_size, Some(1_000_000));
    assert_eq!(by("0").unwrap().output_max_size, None);
    assert_eq!(
        refused(by("-1")),
        "Invalid outputMaxSize in c.json: -1. A whole number of bytes is expected"
    );
    assert!(by_file(r#"{"saveSession": true}"#).unwrap().save_session);
}

#[test]
fn keys_of_the_server() {
    let config = by_file(
        r#"{"server": {"port": 8931, "host": "0.0.0.0", "allowedHosts": ["a:1", "b"]},
            "sharedBrowserContext": true}"#,
    )
    .unwrap();
    let http = config.http.unwrap();
    assert_eq!((http.port, http.host.as_str()), (8931, "0.0.0.0"));
    assert_eq!(http.allowed_hosts, ["a:1", "b"]);
    assert!(config.shared_browser_context);
}

#[test]
fn lists_of_origins() {
    let config = by_file(
        r#"{"network": {"allowedOrigins": ["a.example", "http://b.example:*"],
            "blockedOrigins": ["c.example"]}}"#,
    )
    .unwrap();
    assert_eq!(
        config.page.allowed_origins,
        ["a.example", "http://b.example:*"]
    );
    assert_eq!(config.page.blocked_origins, ["c.example"]);
}

#[test]
fn a_state_to_begin_with() {
    let text = r#"{"browser": {"isolated": true, "contextOptions": {"storageState": "/s.json"}}}"#;
    let config = by_file(text).unwrap();
    assert_eq!(config.page.storage_state, Some("/s.json".into()));
}
