//! Context and launch options of configuration files, devices, and their flags.

use super::tests::{by_flag, in_stock, refused, resolve, with_file};
use super::*;

fn by_file(text: &str) -> Result<Config, ConfigError> {
    with_file(
        Flags::default().with(Setting::Config, "/c/c.json"),
        &[],
        text,
    )
}

fn context(text: &str) -> Result<Config, ConfigError> {
    by_file(&format!(r#"{{"browser": {{"contextOptions": {text}}}}}"#))
}

fn launch(text: &str) -> Result<Config, ConfigError> {
    by_file(&format!(r#"{{"browser": {{"launchOptions": {text}}}}}"#))
}

#[test]
fn every_context_option_reaches_its_field() {
    let config = context(
        r#"{
        "viewport": null, "locale": "de-DE", "timezoneId": "Europe/Berlin",
        "geolocation": {"latitude": 52.5, "longitude": 13, "accuracy": 5},
        "colorScheme": "dark", "reducedMotion": "reduce", "forcedColors": "active",
        "contrast": "more", "extraHTTPHeaders": {"X-A": "1"}, "offline": true,
        "httpCredentials": {"username": "u", "password": "p", "origin": "http://h"},
        "javaScriptEnabled": false, "bypassCSP": true, "hasTouch": true,
        "permissions": ["geolocation", "camera"], "serviceWorkers": "block"
    }"#,
    )
    .unwrap();
    assert_eq!(config.warnings, [""; 0]);
    let expected = PageOptions {
        no_viewport: true,
        locale: Some("de-DE".to_owned()),
        timezone: Some("Europe/Berlin".to_owned()),
        geolocation: Some(Geolocation {
            latitude: 52.5,
            longitude: 13.0,
            accuracy: 5.0,
        }),
        media: vec![
            ("prefers-color-scheme", "dark".to_owned()),
            ("prefers-reduced-motion", "reduce".to_owned()),
            ("forced-colors", "active".to_owned()),
            ("prefers-contrast", "more".to_owned()),
        ],
        extra_headers: vec![("X-A".to_owned(), "1".to_owned())],
        http_credentials: Some(HttpCredentials {
            username: "u".to_owned(),
            password: "p".to_owned(),
            origin: Some("http://h".to_owned()),
        }),
        offline: true,
        java_script: false,
        bypass_csp: true,
        has_touch: true,
        permissions: vec!["geolocation".to_owned(), "videoCapture".to_owned()],
        block_service_workers: true,
        ..PageOptions::default()
    };
    assert_eq!(config.page, expected);
    assert!(!format!("{config:?}").contains("\"p\""));
    let sized = context(
        r#"{"viewport": {"width": 300, "height": 500}, "screen": {"width": 320, "height": 600},
            "deviceScaleFactor": 2.5, "isMobile": true}"#,
    )
    .unwrap();
    assert_eq!(sized.viewport, Some((300, 500)));
    assert_eq!(sized.page.screen, Some((320, 600)));
    assert_eq!(sized.page.device_scale_factor, Some(2.5));
    assert!(sized.page.is_mobile);
}

#[test]
fn every_launch_option_reaches_its_field() {
    let config = launch(
        r#"{"args": ["--a", "--b=1"], "ignoreDefaultArgs": ["--mute-audio"],
            "env": {"A": "1", "B": 2}, "timeout": 100, "downloadsPath": "/d",
            "proxy": {"server": "http://p:1", "username": "u", "password": "w"}}"#,
    )
    .unwrap();
    assert_eq!(config.warnings, [""; 0]);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        config.launch,
        LaunchExtras {
            args: vec!["--a".to_owned(), "--b=1".to_owned()],
            ignore_default_args: IgnoreArgs::Some(vec!["--mute-audio".to_owned()]),
            env: Some(vec![pair("A", "1"), pair("B", "2")]),
            timeout_ms: Some(100),
            downloads_path: Some("/d".into()),
            proxy_login: Some(pair("u", "w")),
        }
    );
    let all = launch(r#"{"ignoreDefaultArgs": true}"#).unwrap();
    assert_eq!(all.launch.ignore_default_args, IgnoreArgs::All);
}

#[test]
fn nonsense_names_its_key() {
    for (result, message) in [
        (
            context(r#"{"geolocation": {"latitude": 91, "longitude": 0}}"#),
            "Invalid browser.contextOptions.geolocation.latitude in /c/c.json: 91. A number from \
             -90 to 90 is expected",
        ),
        (
            context(r#"{"geolocation": {"latitude": 1}}"#),
            "Invalid browser.contextOptions.geolocation in /c/c.json: an object with latitude and \
             longitude is expected",
        ),
        (
            context(r#"{"colorScheme": "blue"}"#),
            "Invalid browser.contextOptions.colorScheme in /c/c.json: blue. Valid values are: \
             light, dark, no-preference",
        ),
        (
            launch(r#"{"args": {}}"#),
            "Invalid browser.launchOptions.args in /c/c.json: a list of texts is expected",
        ),
        (
            launch(r#"{"timeout": "soon"}"#),
            "Invalid browser.launchOptions.timeout in /c/c.json: soon. A number from 0 to \
             2147483647 is expected",
        ),
    ] {
        assert_eq!(refused(result), message);
    }
    let stock = Flags::default()
        .with(Setting::Stock, "true")
        .with(Setting::Config, "c.json");
    let text = r#"{"browser": {"contextOptions": {"colorScheme": "blue", "offline": []}}}"#;
    assert_eq!(
        with_file(stock, &[], text).unwrap().page,
        PageOptions::default()
    );
}

#[test]
fn without_a_viewport_there_is_no_device() {
    let config = context(r#"{"viewport": null, "isMobile": true, "deviceScaleFactor": 2}"#);
    let config = config.unwrap();
    assert_eq!(
        config.warnings,
        ["deviceScaleFactor, isMobile and screen have no effect without a viewport."]
    );
    assert!(!config.page.is_mobile && config.page.device_scale_factor.is_none());
}

#[test]
fn a_device_brings_its_values_and_flags_win_over_them() {
    let config = by_flag(Setting::Device, "Pixel 7").unwrap();
    assert_eq!(config.viewport, Some((412, 839)));
    assert_eq!(config.page.screen, Some((412, 915)));
    assert_eq!(config.page.device_scale_factor, Some(2.625));
    assert!(config.page.is_mobile && config.page.has_touch);
    assert!(config.user_agent.unwrap().contains("Pixel 7"));
    let flags = Flags::default()
        .with(Setting::Device, "Pixel 7")
        .with(Setting::ViewportSize, "300x400")
        .with(Setting::UserAgent, "UA");
    let config = resolve(flags, &[]).unwrap();
    assert_eq!(config.viewport, Some((300, 400)));
    assert_eq!(config.user_agent.as_deref(), Some("UA"));
    // A device of the flags wins over single variables, one of the variables gives way to flags.
    let vars = [
        ("PLAYWRIGHT_MCP_VIEWPORT_SIZE", "1x1"),
        ("PLAYWRIGHT_MCP_DEVICE", "iPhone 15"),
    ];
    let config = resolve(Flags::default().with(Setting::Device, "Pixel 7"), &vars).unwrap();
    assert_eq!(config.viewport, Some((412, 839)));
    let config = resolve(Flags::default(), &vars).unwrap();
    assert_eq!(config.viewport, Some((1, 1)));
    assert!(config.user_agent.unwrap().contains("iPhone"));
}

#[test]
fn the_generic_mobile_device_and_its_errors() {
    let config = by_flag(Setting::Mobile, "true").unwrap();
    assert_eq!(config.viewport, Some((360, 732)));
    let both = Flags::default()
        .with(Setting::Mobile, "true")
        .with(Setting::Device, "Pixel 7");
    assert_eq!(
        refused(in_stock(both, &[])),
        "Cannot use --mobile together with --device, pick one."
    );
    let attached = Flags::default()
        .with(Setting::Mobile, "true")
        .with(Setting::CdpEndpoint, "chrome");
    assert_eq!(
        refused(in_stock(attached, &[])),
        "Device emulation is not supported with cdpEndpoint."
    );
    assert_eq!(
        refused(by_flag(Setting::Device, "iphone 15")),
        "Invalid --device: iphone 15. The name of a device is expected, such as \"iPhone 15\". \
         Did you mean \"iPhone 15\"?"
    );
    let unknown = Flags::default().with(Setting::Device, "Toaster");
    assert_eq!(in_stock(unknown, &[]).unwrap().viewport, None);
}

#[test]
fn permissions_scripts_and_service_workers() {
    let flags = Flags::default()
        .with(Setting::GrantPermissions, "geolocation, camera")
        .with(Setting::GrantPermissions, "gyroscope,accelerometer")
        .with(Setting::BlockServiceWorkers, "true");
    let page = resolve(flags, &[]).unwrap().page;
    assert_eq!(page.permissions, ["geolocation", "videoCapture", "sensors"]);
    assert!(page.block_service_workers);
    let wrong = refused(by_flag(Setting::GrantPermissions, "flying"));
    assert!(
        wrong.starts_with("Invalid --grant-permissions: flying. Valid values are: geolocation"),
        "{wrong}"
    );
    // Paths of a file are relative to it.
    let config = by_file(r#"{"browser": {"initScript": ["a.js", "/b.js"]}}"#).unwrap();
    let scripts: Vec<PathBuf> = vec!["/c/a.js".into(), "/b.js".into()];
    assert_eq!(config.page.init_scripts, scripts);
    let vars = [("PLAYWRIGHT_MCP_INIT_SCRIPT", "v.js")];
    let config = resolve(Flags::default(), &vars).unwrap();
    assert_eq!(config.page.init_scripts, [PathBuf::from("v.js")]);
    let flags = Flags::default().with(Setting::InitScript, "gone.js");
    let read = |_: &std::path::Path| Err(std::io::Error::other("gone"));
    assert_eq!(
        Config::resolve(&flags, &|_| None, &read)
            .unwrap_err()
            .to_string(),
        "Init script file does not exist: gone.js"
    );
}
