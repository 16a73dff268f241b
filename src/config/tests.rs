//! Who wins, what each setting does, and what is refused.

use std::path::PathBuf;

use super::resolve::without_dots;
use super::*;

/// Resolves with these variables set.
pub(super) fn resolve(flags: Flags, vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
    with_file(flags, vars, "")
}

/// The same, where every file holds this text.
pub(super) fn with_file(
    flags: Flags,
    vars: &[(&str, &str)],
    text: &str,
) -> Result<Config, ConfigError> {
    let env = |name: &str| {
        vars.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    };
    Config::resolve(&flags, &env, &|_| Ok(text.to_owned()))
}

pub(super) fn by_flag(setting: Setting, value: &str) -> Result<Config, ConfigError> {
    resolve(Flags::default().with(setting, value), &[])
}

pub(super) fn by_vars(vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
    resolve(Flags::default(), vars)
}

/// The same, in stock mode.
pub(super) fn in_stock(flags: Flags, vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
    resolve(flags.with(Setting::Stock, "true"), vars)
}

pub(super) fn refused(result: Result<Config, ConfigError>) -> String {
    result.expect_err("must be refused").to_string()
}

#[test]
fn nothing_given_gives_the_documented_defaults() {
    let config = by_vars(&[]).unwrap();
    assert_eq!(config, Config::default());
    assert!(!config.stock && !config.isolated && !config.verbose);
    assert_eq!((config.headless, config.sandbox), (None, None));
    assert_eq!(config.browser.name, "chromium");
    assert_eq!(config.browser.channel, "chrome");
    assert!(!config.browser.explicit);
    assert_eq!(config.console_level, ConsoleLevel::Info);
    assert_eq!(config.test_id_attributes, ["data-testid"]);
    let limits = config.timeouts;
    assert_eq!(
        (
            limits.action_ms,
            limits.navigation_ms,
            limits.expect_ms,
            limits.settle_ms,
            limits.idle_ms
        ),
        (5000, 60000, 5000, 500, None)
    );
    assert!(config.warnings.is_empty());
}

#[test]
fn flags_win_over_our_variables_and_those_over_upstreams() {
    let vars = [
        ("PLAYGUARD_TIMEOUT_ACTION", "2000"),
        ("PLAYWRIGHT_MCP_TIMEOUT_ACTION", "1000"),
    ];
    let action = |flags, vars: &[_]| resolve(flags, vars).unwrap().timeouts.action_ms;
    let flag = Flags::default().with(Setting::TimeoutAction, "3000");
    assert_eq!(action(flag, &vars), 3000);
    assert_eq!(action(Flags::default(), &vars), 2000);
    assert_eq!(action(Flags::default(), &vars[1..]), 1000);
}

#[test]
fn an_empty_value_is_no_value() {
    let vars = [
        ("PLAYGUARD_USER_AGENT", ""),
        ("PLAYWRIGHT_MCP_USER_AGENT", "shared"),
        ("PLAYGUARD_STOCK", ""),
    ];
    let flags = Flags::default().with(Setting::UserAgent, "");
    let config = resolve(flags, &vars).unwrap();
    assert_eq!(config.user_agent.as_deref(), Some("shared"));
    assert!(!config.stock);
}

#[test]
fn a_flag_with_nothing_behind_it_is_no_number_size_or_word() {
    for (setting, flag) in [
        (Setting::TimeoutAction, "--timeout-action"),
        (Setting::IdleTimeout, "--idle-timeout"),
        (Setting::CdpTimeout, "--cdp-timeout"),
    ] {
        assert_eq!(
            refused(by_flag(setting, "")),
            format!(
                "Invalid {flag}: (empty). A whole number of milliseconds from 0 to 2147483647 \
                 is expected"
            )
        );
        assert!(in_stock(Flags::default().with(setting, ""), &[]).is_ok());
    }
    assert_eq!(
        refused(by_flag(Setting::SnapshotMode, "")),
        "Invalid --snapshot-mode: (empty). Valid values are: full, none"
    );
    assert!(refused(by_flag(Setting::Browser, " ")).starts_with("Invalid --browser: (empty)."));
    assert_eq!(
        refused(by_flag(Setting::ViewportSize, "")),
        "Invalid resolution format: use --viewport-size=\"800x600\""
    );
    // An empty variable is not set, whatever it is for.
    assert_eq!(
        by_vars(&[("PLAYGUARD_TIMEOUT_ACTION", "")]).unwrap(),
        Config::default()
    );
}

#[test]
fn switches_take_four_words_and_only_stock_passes_over_others() {
    let headless = |vars: &[_]| by_vars(vars).map(|config| config.headless);
    let shared = |text| {
        in_stock(Flags::default(), &[("PLAYWRIGHT_MCP_HEADLESS", text)])
            .unwrap()
            .headless
    };
    assert_eq!(shared("true"), Some(true));
    assert_eq!(shared("1"), Some(true));
    assert_eq!(shared("false"), Some(false));
    assert_eq!(shared("0"), Some(false));
    assert_eq!(shared("TRUE"), None);
    assert_eq!(shared("yes"), None);

    assert_eq!(
        headless(&[("PLAYGUARD_HEADLESS", "0")]).unwrap(),
        Some(false)
    );
    assert_eq!(
        refused(by_vars(&[("PLAYGUARD_HEADLESS", "yes")])),
        "Invalid PLAYGUARD_HEADLESS: yes. Valid values are: true, 1, false, 0"
    );
    for variable in [
        "PLAYWRIGHT_MCP_HEADLESS",
        "PLAYWRIGHT_MCP_ISOLATED",
        "PLAYWRIGHT_MCP_SANDBOX",
        "PLAYWRIGHT_MCP_IGNORE_HTTPS_ERRORS",
        "PLAYWRIGHT_MCP_ALLOW_UNRESTRICTED_FILE_ACCESS",
    ] {
        for wrong in ["on", "TRUE", "yes", "2"] {
            let vars = [(variable, wrong)];
            assert_eq!(
                refused(by_vars(&vars)),
                format!("Invalid {variable}: {wrong}. Valid values are: true, 1, false, 0")
            );
            assert!(in_stock(Flags::default(), &vars).is_ok());
        }
    }
    // Ours are ours in stock as well, and a flag is not overruled by nonsense.
    assert!(in_stock(Flags::default(), &[("PLAYGUARD_ISOLATED", "on")]).is_err());
    let flags = Flags::default().with(Setting::Isolated, "true");
    let config = resolve(flags, &[("PLAYWRIGHT_MCP_ISOLATED", "on")]).unwrap();
    assert!(config.isolated);
}

#[test]
fn opposite_flags_contradict_each_other() {
    let both = |setting| {
        Flags::default()
            .with(setting, "true")
            .with(setting, "false")
    };
    assert_eq!(
        refused(resolve(both(Setting::Headless), &[])),
        "--headless and --headed contradict each other: give one of them"
    );
    assert_eq!(
        refused(resolve(both(Setting::Sandbox), &[])),
        "--sandbox and --no-sandbox contradict each other: give one of them"
    );
    let config = in_stock(both(Setting::Sandbox), &[]).unwrap();
    assert_eq!(config.sandbox, Some(false));
}

#[test]
fn one_opposite_flag_overrides_the_environment() {
    let vars = [
        ("PLAYWRIGHT_MCP_SANDBOX", "true"),
        ("PLAYGUARD_HEADLESS", "1"),
    ];
    let flags = Flags::default()
        .with(Setting::Sandbox, "false")
        .with(Setting::Headless, "false");
    let config = resolve(flags, &vars).unwrap();
    assert_eq!(config.sandbox, Some(false));
    assert_eq!(config.headless, Some(false));
}

#[test]
fn plain_switches() {
    type Read = fn(&Config) -> bool;
    let switches: [(Setting, &str, Read); 6] = [
        (Setting::Stock, "PLAYGUARD_STOCK", |c| c.stock),
        (Setting::Isolated, "PLAYWRIGHT_MCP_ISOLATED", |c| c.isolated),
        (
            Setting::IgnoreHttpsErrors,
            "PLAYWRIGHT_MCP_IGNORE_HTTPS_ERRORS",
            |c| c.ignore_https_errors,
        ),
        (
            Setting::AllowUnrestrictedFileAccess,
            "PLAYWRIGHT_MCP_ALLOW_UNRESTRICTED_FILE_ACCESS",
            |c| c.allow_unrestricted_file_access,
        ),
        (
            Setting::AllowUnsafeCode,
            "PLAYGUARD_ALLOW_UNSAFE_CODE",
            |c| c.allow_unsafe_code,
        ),
        (Setting::Verbose, "PLAYGUARD_VERBOSE", |c| c.verbose),
    ];
    for (setting, variable, read) in switches {
        assert!(read(&by_flag(setting, "true").unwrap()), "{setting:?}");
        assert!(read(&by_vars(&[(variable, "1")]).unwrap()), "{variable}");
        assert!(!read(&by_vars(&[(variable, "0")]).unwrap()), "{variable}");
    }
}

#[test]
fn browsers_and_their_channels() {
    let browser = |name| by_flag(Setting::Browser, name).unwrap().browser;
    assert_eq!(browser("chromium").channel, "chrome-for-testing");
    assert_eq!(browser("msedge-beta").channel, "msedge-beta");
    assert!(browser("chrome").explicit);
    let valid = "Valid values are: chrome, chrome-beta, chrome-dev, chrome-canary, msedge, \
                 msedge-beta, msedge-dev, msedge-canary, chromium";
    assert_eq!(
        refused(by_flag(Setting::Browser, "netscape")),
        format!("Invalid --browser: netscape. {valid}")
    );
    for other in ["firefox", "moz-firefox-beta", "webkit"] {
        assert_eq!(
            refused(by_flag(Setting::Browser, other)),
            format!(
                "Invalid --browser: {other}. PlayGuard's own backend drives Chromium and \
                 browsers built on it, neither Firefox nor WebKit. {valid}"
            )
        );
        assert_eq!(
            refused(in_stock(
                Flags::default().with(Setting::Browser, other),
                &[]
            )),
            format!("Invalid --browser: {other}. {valid}")
        );
    }
}

#[test]
fn fixed_lists_name_the_value_and_the_choices() {
    assert_eq!(
        refused(by_flag(Setting::ConsoleLevel, "x")),
        "Invalid --console-level: x. Valid values are: error, warning, info, debug"
    );
    assert_eq!(
        refused(by_flag(Setting::ImageResponses, "never")),
        "Invalid --image-responses: never. Valid values are: allow, omit, only"
    );
    assert_eq!(
        refused(by_vars(&[("PLAYWRIGHT_MCP_FILE_PATHS", "short")])),
        "Invalid PLAYWRIGHT_MCP_FILE_PATHS: short. Valid values are: relative, absolute"
    );
    assert_eq!(
        refused(by_vars(&[("PLAYGUARD_SNAPSHOT_SOURCE", "AX")])),
        "Invalid PLAYGUARD_SNAPSHOT_SOURCE: AX. Valid values are: dom, ax"
    );
}

#[test]
fn fixed_lists_are_read() {
    let level = |text| by_flag(Setting::ConsoleLevel, text).unwrap().console_level;
    assert_eq!(level("error"), ConsoleLevel::Error);
    assert_eq!(level("warning"), ConsoleLevel::Warning);
    assert_eq!(level("debug"), ConsoleLevel::Debug);
    let images = |text| {
        by_flag(Setting::ImageResponses, text)
            .unwrap()
            .image_responses
    };
    assert_eq!(images("allow"), ImageResponses::Allow);
    assert_eq!(images("omit"), ImageResponses::Omit);
    assert_eq!(images("only"), ImageResponses::Only);
    let paths = |text| by_flag(Setting::FilePaths, text).unwrap().file_paths;
    assert_eq!(paths("relative"), FilePaths::Relative);
    assert_eq!(paths("absolute"), FilePaths::Absolute);
}

#[test]
fn snapshot_settings() {
    let flags = Flags::default()
        .with(Setting::SnapshotMode, "none")
        .with(Setting::SnapshotBoxes, "true")
        .with(Setting::SnapshotSource, "ax");
    assert_eq!(
        resolve(flags, &[]).unwrap().snapshot,
        SnapshotConfig {
            mode: SnapshotMode::None,
            boxes: true,
            source: SnapshotSource::Ax
        }
    );
    // Upstream documents this variable and never reads it.
    let ignored = by_vars(&[("PLAYWRIGHT_MCP_SNAPSHOT_MODE", "none")]).unwrap();
    assert_eq!(ignored.snapshot.mode, SnapshotMode::Full);
    let ours = by_vars(&[("PLAYGUARD_SNAPSHOT_MODE", "none")]).unwrap();
    assert_eq!(ours.snapshot.mode, SnapshotMode::None);
}

#[test]
fn a_snapshot_mode_that_is_not_known_means_full_in_stock_only() {
    let flags = Flags::default().with(Setting::SnapshotMode, "incremental");
    let config = in_stock(flags.clone(), &[]).unwrap();
    assert_eq!(config.snapshot.mode, SnapshotMode::Full);
    assert_eq!(config.warnings, [""; 0]);
    assert_eq!(
        refused(resolve(flags, &[])),
        "Invalid --snapshot-mode: incremental. Valid values are: full, none"
    );
    let ours = [("PLAYGUARD_SNAPSHOT_MODE", "some")];
    let wrong = "Invalid PLAYGUARD_SNAPSHOT_MODE: some. Valid values are: full, none";
    assert_eq!(refused(by_vars(&ours)), wrong);
    assert_eq!(refused(in_stock(Flags::default(), &ours)), wrong);
}

#[test]
fn sizes() {
    let size = |text| by_flag(Setting::ViewportSize, text).map(|config| config.viewport);
    assert_eq!(size("1280x720").unwrap(), Some((1280, 720)));
    assert_eq!(size("800,600").unwrap(), Some((800, 600)));
    for wrong in [
        "800",
        "0x600",
        "800x0",
        "-1x5",
        "800x600x2",
        "ax b",
        "x",
        "1e3x2",
    ] {
        assert_eq!(
            refused(by_flag(Setting::ViewportSize, wrong)),
            "Invalid resolution format: use --viewport-size=\"800x600\"",
            "{wrong}"
        );
    }
    assert_eq!(
        refused(by_vars(&[("PLAYGUARD_VIEWPORT_SIZE", "12")])),
        "Invalid PLAYGUARD_VIEWPORT_SIZE: 12. A width and a height are expected, such as 800x600"
    );
    assert_eq!(size("16384x1").unwrap(), Some((16384, 1)));
    for large in ["16385x1", "99999999x1", "1x99999999999999999999"] {
        assert_eq!(
            refused(by_flag(Setting::ViewportSize, large)),
            format!(
                "Invalid --viewport-size: {large}. Width and height may be from 1 to 16384 pixels"
            )
        );
    }
    let stock = in_stock(
        Flags::default().with(Setting::ViewportSize, "99999999x1"),
        &[],
    );
    assert_eq!(stock.unwrap().viewport, Some((99_999_999, 1)));
}

#[test]
fn times() {
    let vars = [
        ("PLAYWRIGHT_MCP_TIMEOUT_ACTION", "1"),
        ("PLAYWRIGHT_MCP_TIMEOUT_NAVIGATION", "2"),
        ("PLAYWRIGHT_MCP_TIMEOUT_SETTLE", "0"),
        ("PLAYWRIGHT_MCP_IDLE_TIMEOUT", "0"),
    ];
    assert_eq!(
        by_vars(&vars).unwrap().timeouts,
        Timeouts {
            action_ms: 1,
            navigation_ms: 2,
            expect_ms: 5000,
            settle_ms: 0,
            idle_ms: Some(0)
        }
    );
    let most = by_flag(Setting::TimeoutSettle, "2147483647").unwrap();
    assert_eq!(most.timeouts.settle_ms, MAX_MS);
    for wrong in ["soon", "-1", "1.5", "2147483648", "99999999999999999999"] {
        assert_eq!(
            refused(by_flag(Setting::TimeoutNavigation, wrong)),
            format!(
                "Invalid --timeout-navigation: {wrong}. A whole number of milliseconds \
                 from 0 to 2147483647 is expected"
            )
        );
    }
}

#[test]
fn test_ids_may_be_a_list() {
    let ids = |text| {
        by_flag(Setting::TestIdAttribute, text)
            .unwrap()
            .test_id_attributes
    };
    assert_eq!(ids("data-qa"), ["data-qa"]);
    assert_eq!(ids("data-qa, data-test ,"), ["data-qa", "data-test"]);
    assert_eq!(ids("data-Ünï:x"), ["data-Ünï:x"]);
    for wrong in ["a b", " , ", "data-x,a=b", "a\"", "a>", "a/b", "a\u{1}"] {
        assert_eq!(
            refused(by_flag(Setting::TestIdAttribute, wrong)),
            format!(
                "Invalid --test-id-attribute: {wrong}. Names of attributes are expected, \
                 separated by commas, such as data-testid"
            )
        );
    }
    let stock = in_stock(Flags::default().with(Setting::TestIdAttribute, " , "), &[]);
    assert_eq!(stock.unwrap().test_id_attributes, ["data-testid"]);
}

#[test]
fn isolated_and_a_profile_folder_contradict_each_other() {
    let flags = Flags::default().with(Setting::UserDataDir, "/tmp/p");
    assert_eq!(
        refused(resolve(flags, &[("PLAYWRIGHT_MCP_ISOLATED", "1")])),
        "Browser userDataDir is not supported in isolated mode."
    );
}

#[cfg(unix)]
#[test]
fn the_root_is_no_place_for_files() {
    for root in ["/", "//", "/tmp/..", "/../.", "/a/b/../../.."] {
        assert_eq!(
            refused(by_flag(Setting::OutputDir, root)),
            "--output-dir cannot point to a system directory: /.",
            "{root}"
        );
    }
    let config = by_flag(Setting::OutputDir, "/tmp/out").unwrap();
    assert_eq!(config.output_dir, Some(PathBuf::from("/tmp/out")));
}

#[cfg(unix)]
#[test]
fn loading_makes_paths_absolute() {
    let flags = Flags::default()
        .with(Setting::OutputDir, "out/../files")
        .with(Setting::ExecutablePath, "./chrome");
    let config = Config::load(&flags).unwrap();
    let here = std::env::current_dir().unwrap();
    assert_eq!(config.output_dir, Some(here.join("files")));
    assert_eq!(config.executable_path, Some(here.join("chrome")));

    let up = "../".repeat(here.components().count());
    assert_eq!(
        Config::load(&Flags::default().with(Setting::OutputDir, &up)),
        Err(ConfigError::OutputDirIsRoot {
            path: PathBuf::from("/")
        })
    );
}

#[cfg(unix)]
#[test]
fn dots_are_resolved_by_text() {
    let clean = |path: &str| without_dots(std::path::Path::new(path));
    assert_eq!(clean("/a/./b/../c"), PathBuf::from("/a/c"));
    assert_eq!(clean("/../a"), PathBuf::from("/a"));
    assert_eq!(clean("../../a/../b"), PathBuf::from("../../b"));
    assert_eq!(clean("a/.."), PathBuf::new());
}
