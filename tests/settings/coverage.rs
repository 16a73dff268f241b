//! Every setting of upstream is known here: by an option and a test, or by its place in the list of
//! what is not there yet.

use std::path::Path;

use playguard::config::keys_not_yet;
use playguard::config::options::{OPTIONS, Variable};
use playguard::config::upstream::NOT_YET;

/// Upstream's flags, the rest of their variables after `PLAYWRIGHT_MCP_` (empty where it reads
/// none), and the keys of a file that do the same.
const UPSTREAM: &[(&str, &str, &[&str])] = &[
    ("allowed-hosts", "ALLOWED_HOSTS", &["server.allowedHosts"]),
    (
        "allowed-origins",
        "ALLOWED_ORIGINS",
        &["network.allowedOrigins"],
    ),
    (
        "blocked-origins",
        "BLOCKED_ORIGINS",
        &["network.blockedOrigins"],
    ),
    (
        "allow-unrestricted-file-access",
        "ALLOW_UNRESTRICTED_FILE_ACCESS",
        &["allowUnrestrictedFileAccess"],
    ),
    (
        "block-service-workers",
        "BLOCK_SERVICE_WORKERS",
        &["browser.contextOptions.serviceWorkers"],
    ),
    (
        "browser",
        "BROWSER",
        &["browser.browserName", "browser.launchOptions.channel"],
    ),
    ("caps", "CAPS", &["capabilities"]),
    ("vision", "", &[]),
    ("cdp-endpoint", "CDP_ENDPOINT", &["browser.cdpEndpoint"]),
    ("cdp-header", "CDP_HEADERS", &["browser.cdpHeaders"]),
    ("cdp-timeout", "CDP_TIMEOUT", &["browser.cdpTimeout"]),
    ("codegen", "CODEGEN", &["codegen"]),
    ("config", "CONFIG", &[]),
    ("console-level", "CONSOLE_LEVEL", &["console.level"]),
    ("device", "DEVICE", &[]),
    ("mobile", "MOBILE", &[]),
    ("endpoint", "", &["browser.remoteEndpoint"]),
    (
        "executable-path",
        "EXECUTABLE_PATH",
        &["browser.launchOptions.executablePath"],
    ),
    ("extension", "EXTENSION", &["extension"]),
    ("profile-dir-name", "PROFILE_DIR_NAME", &[]),
    ("file-paths", "FILE_PATHS", &["filePaths"]),
    (
        "grant-permissions",
        "GRANT_PERMISSIONS",
        &["browser.contextOptions.permissions"],
    ),
    ("headless", "HEADLESS", &["browser.launchOptions.headless"]),
    ("host", "HOST", &["server.host"]),
    ("port", "PORT", &["server.port"]),
    ("idle-timeout", "IDLE_TIMEOUT", &["timeouts.idle"]),
    (
        "ignore-https-errors",
        "IGNORE_HTTPS_ERRORS",
        &["browser.contextOptions.ignoreHTTPSErrors"],
    ),
    ("image-responses", "IMAGE_RESPONSES", &["imageResponses"]),
    ("init-page", "INIT_PAGE", &["browser.initPage"]),
    ("init-script", "INIT_SCRIPT", &["browser.initScript"]),
    ("isolated", "ISOLATED", &["browser.isolated"]),
    (
        "sandbox",
        "SANDBOX",
        &["browser.launchOptions.chromiumSandbox"],
    ),
    ("no-sandbox", "", &[]),
    ("no-webmcp", "WEBMCP", &["webmcp"]),
    ("output-dir", "OUTPUT_DIR", &["outputDir"]),
    ("output-max-size", "OUTPUT_MAX_SIZE", &["outputMaxSize"]),
    (
        "proxy-server",
        "PROXY_SERVER",
        &[
            "browser.launchOptions.proxy.server",
            "browser.contextOptions.proxy",
        ],
    ),
    (
        "proxy-bypass",
        "PROXY_BYPASS",
        &["browser.launchOptions.proxy.bypass"],
    ),
    (
        "remote-header",
        "REMOTE_HEADERS",
        &["browser.remoteHeaders"],
    ),
    ("save-session", "", &["saveSession"]),
    ("secrets", "SECRETS_FILE", &["secrets"]),
    ("shared-browser-context", "", &["sharedBrowserContext"]),
    ("snapshot-boxes", "", &["snapshot.boxes"]),
    ("snapshot-mode", "", &["snapshot.mode"]),
    (
        "storage-state",
        "STORAGE_STATE",
        &["browser.contextOptions.storageState"],
    ),
    (
        "test-id-attribute",
        "TEST_ID_ATTRIBUTE",
        &["testIdAttribute"],
    ),
    ("timeout-action", "TIMEOUT_ACTION", &["timeouts.action"]),
    (
        "timeout-navigation",
        "TIMEOUT_NAVIGATION",
        &["timeouts.navigation"],
    ),
    ("timeout-settle", "TIMEOUT_SETTLE", &["timeouts.settle"]),
    (
        "user-agent",
        "USER_AGENT",
        &["browser.contextOptions.userAgent"],
    ),
    ("user-data-dir", "USER_DATA_DIR", &["browser.userDataDir"]),
    (
        "viewport-size",
        "VIEWPORT_SIZE",
        &["browser.contextOptions.viewport"],
    ),
];

/// Keys of a file that no flag of upstream sets.
const FILE_ONLY: &[&str] = &[
    "timeouts.expect",
    "saveVideo",
    "browser.launchOptions.args",
    "browser.launchOptions.devtools",
    "browser.launchOptions.downloadsPath",
    "browser.launchOptions.env",
    "browser.launchOptions.ignoreDefaultArgs",
    "browser.launchOptions.proxy.username",
    "browser.launchOptions.proxy.password",
    "browser.launchOptions.slowMo",
    "browser.launchOptions.timeout",
    "browser.launchOptions.tracesDir",
    "browser.contextOptions.acceptDownloads",
    "browser.contextOptions.baseURL",
    "browser.contextOptions.bypassCSP",
    "browser.contextOptions.clientCertificates",
    "browser.contextOptions.colorScheme",
    "browser.contextOptions.contrast",
    "browser.contextOptions.deviceScaleFactor",
    "browser.contextOptions.extraHTTPHeaders",
    "browser.contextOptions.forcedColors",
    "browser.contextOptions.geolocation",
    "browser.contextOptions.hasTouch",
    "browser.contextOptions.httpCredentials",
    "browser.contextOptions.isMobile",
    "browser.contextOptions.javaScriptEnabled",
    "browser.contextOptions.locale",
    "browser.contextOptions.offline",
    "browser.contextOptions.recordHar",
    "browser.contextOptions.recordVideo",
    "browser.contextOptions.reducedMotion",
    "browser.contextOptions.screen",
    "browser.contextOptions.timezoneId",
];

/// The text of all tests: the folder `tests`, and the parts of the configuration that test.
fn tests() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("tests"), root.join("src/config")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && path.file_name().is_some_and(|name| name != "coverage.rs")
            {
                let all = std::fs::read_to_string(&path).expect("a file");
                let whole = path.starts_with(root.join("tests"))
                    || path
                        .file_stem()
                        .is_some_and(|name| name.to_string_lossy().contains("tests"));
                let from = if whole {
                    Some(0)
                } else {
                    all.find("#[cfg(test)]")
                };
                text.push_str(&all[from.unwrap_or(all.len())..]);
            }
        }
    }
    text
}

#[test]
fn every_flag_and_variable_of_upstream_is_tested_or_known_to_be_missing() {
    let tests = tests();
    for (flag, variable, _) in UPSTREAM {
        let variable = Some(*variable).filter(|variable| !variable.is_empty());
        if let Some((_, missing)) = NOT_YET.iter().find(|(known, _)| known == flag) {
            assert_eq!(*missing, variable, "--{flag}");
            continue;
        }
        let Some(opt) = OPTIONS.iter().find(|opt| opt.long == *flag) else {
            panic!("--{flag} is neither here nor in the list of what is not");
        };
        let shared = match opt.variable {
            Variable::Shared(suffix) => Some(suffix),
            Variable::Own(_) | Variable::Absent => None,
        };
        assert_eq!(shared, variable, "the variable of --{flag}");
        let ways = [
            format!("\"--{flag}"),
            format!("\"PLAYWRIGHT_MCP_{}\"", variable.unwrap_or("-")),
            format!("Setting::{:?}", opt.setting),
        ];
        assert!(
            ways.iter().any(|way| tests.contains(way)),
            "no test gives --{flag}"
        );
    }
    for (flag, _) in NOT_YET {
        assert!(UPSTREAM.iter().any(|(known, ..)| known == flag), "--{flag}");
    }
}

#[test]
fn every_key_of_a_file_is_tested_or_known_to_be_missing() {
    let tests = tests();
    let missing: Vec<&str> = keys_not_yet().collect();
    let all = || {
        let with_flags = UPSTREAM.iter().flat_map(|(_, _, keys)| keys.iter());
        with_flags.chain(FILE_ONLY).copied()
    };
    for key in all().filter(|key| !missing.contains(key)) {
        let name = key.rsplit('.').next().unwrap_or(key);
        let quoted = tests.contains(&format!("\"{name}\":")) || tests.contains(key);
        assert!(quoted, "no test has {key}");
    }
    for key in missing {
        assert!(all().any(|known| known == key), "{key}");
    }
}
