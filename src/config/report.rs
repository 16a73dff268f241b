//! The configuration as `browser_get_config` shows it: upstream's keys, in the
//! order in which upstream's layers bring them.

use serde_json::{Map, Value, json};

use super::capabilities::Capabilities;
use super::choices::BROWSERS;
use super::device::{GENERIC_MOBILE, described};
use super::file::keys::{Does, KEYS, Shape};
use super::options::Setting;
use super::secrets::Secrets;
use super::value::Lookup;

/// What upstream's flags bring, in its order.
const ORDER: &[Setting] = &[
    Setting::Isolated,
    Setting::UserDataDir,
    Setting::ExecutablePath,
    Setting::Headless,
    Setting::Sandbox,
    Setting::ProxyServer,
    Setting::ProxyBypass,
    Setting::UserAgent,
    Setting::ViewportSize,
    Setting::IgnoreHttpsErrors,
    Setting::AllowedOrigins,
    Setting::BlockedOrigins,
    Setting::StorageState,
    Setting::GrantPermissions,
    Setting::CdpEndpoint,
    Setting::CdpHeader,
    Setting::CdpTimeout,
    Setting::InitScript,
    Setting::Port,
    Setting::Host,
    Setting::AllowedHosts,
    Setting::Caps,
    Setting::ConsoleLevel,
    Setting::AllowUnrestrictedFileAccess,
    Setting::SaveSession,
    Setting::SharedBrowserContext,
    Setting::SnapshotMode,
    Setting::SnapshotBoxes,
    Setting::SnapshotSource,
    Setting::OutputDir,
    Setting::OutputMaxSize,
    Setting::ImageResponses,
    Setting::FilePaths,
    Setting::TestIdAttribute,
    Setting::TimeoutAction,
    Setting::IdleTimeout,
    Setting::TimeoutNavigation,
    Setting::TimeoutSettle,
];

/// Groups that are merged key by key and always there.
const GROUPS: [&str; 5] = ["console", "network", "server", "snapshot", "timeouts"];
/// What nobody reads over somebody's shoulder.
const HIDDEN: &str = "(hidden)";

/// What holds when nothing is set.
pub(super) fn defaults() -> Map<String, Value> {
    let mut shown = object(json!({
        "browser": { "launchOptions": {}, "contextOptions": {} },
        "codegen": "typescript",
        "timeouts": { "action": 5000, "navigation": 60000, "expect": 5000, "settle": 500 },
    }));
    merge(&mut shown, Map::new());
    shown
}

/// Defaults, file, variables and flags, one over the other.
pub(super) fn merged(
    lookup: &Lookup<'_>,
    capabilities: &Capabilities,
    secrets: &Secrets,
) -> Map<String, Value> {
    let mut shown = object(json!({
        "browser": { "launchOptions": {}, "contextOptions": {} },
        "codegen": "typescript",
        "timeouts": { "action": 5000, "navigation": 60000, "expect": 5000, "settle": 500 },
    }));
    merge(&mut shown, lookup.file.root().clone());
    merge(
        &mut shown,
        layer(&|setting| lookup.said_by_variable(setting)),
    );
    merge(&mut shown, layer(&|setting| lookup.said_by_flag(setting)));
    if !capabilities.listed().is_empty() {
        shown.insert("capabilities".to_owned(), json!(capabilities.listed()));
    }
    let names: Map<String, Value> = secrets
        .names()
        .map(|name| (name.to_owned(), format!("<secret>{name}</secret>").into()))
        .collect();
    if names.is_empty() {
        shown.shift_remove("secrets");
    } else {
        shown.insert("secrets".to_owned(), names.into());
    }
    if !lookup.stock {
        hide(&mut shown);
    }
    shown
}

/// Adds what is decided when the browser starts: whether it has a window and a
/// sandbox, and what follows from that.
pub(super) fn completed(
    mut shown: Map<String, Value>,
    headless: bool,
    sandbox: bool,
    file: Option<String>,
) -> Value {
    let browser = group(&mut shown, "browser");
    let named = browser.get("browserName").is_some_and(Value::is_string);
    let launch = group(browser, "launchOptions");
    launch.entry("headless").or_insert(Value::Bool(headless));
    launch
        .entry("chromiumSandbox")
        .or_insert(Value::Bool(sandbox));
    if !named {
        launch.entry("channel").or_insert("chrome".into());
    }
    let args = launch.entry("args").or_insert_with(|| json!([]));
    if let Value::Array(args) = args
        && !args
            .iter()
            .any(|arg| arg.as_str().is_some_and(|arg| arg.contains(BLINK)))
    {
        args.push(format!("{BLINK}=AutomationControlled").into());
    }
    let viewport = if headless {
        json!({ "width": 1280, "height": 720 })
    } else {
        Value::Null
    };
    group(browser, "contextOptions")
        .entry("viewport")
        .or_insert(viewport);
    if !named {
        browser.insert("browserName".to_owned(), "chromium".into());
    }
    if let Some(file) = file {
        shown.insert("configFile".to_owned(), file.into());
    }
    Value::Object(shown)
}

const BLINK: &str = "--disable-blink-features";

/// One of upstream's layers, from the texts that were given.
fn layer(said: &dyn Fn(Setting) -> Vec<String>) -> Map<String, Value> {
    let mut out = Map::new();
    if let Some(name) = said(Setting::Browser).last() {
        let name = name.to_lowercase();
        if let Some((_, channel)) = BROWSERS.iter().find(|(known, _)| *known == name) {
            put(&mut out, "browser.browserName", "chromium".into());
            put(&mut out, "browser.launchOptions.channel", (*channel).into());
        }
    }
    let on = |setting| {
        said(setting)
            .last()
            .is_some_and(|on| on == "true" || on == "1")
    };
    let device = said(Setting::Device).pop();
    let device = device.or_else(|| on(Setting::Mobile).then(|| GENERIC_MOBILE.to_owned()));
    for (key, value) in device.iter().filter_map(|name| described(name)).flatten() {
        put(
            &mut out,
            &format!("browser.contextOptions.{key}"),
            value.clone(),
        );
    }
    for setting in ORDER {
        if *setting == Setting::GrantPermissions && on(Setting::BlockServiceWorkers) {
            put(
                &mut out,
                "browser.contextOptions.serviceWorkers",
                "block".into(),
            );
        }
        let texts = said(*setting);
        let Some(last) = texts.last() else {
            continue;
        };
        let Some((key, shape)) = key_of(*setting) else {
            continue;
        };
        let Some(value) = typed(shape, last, &texts) else {
            continue;
        };
        if let Some(name) = key.strip_prefix("browser.launchOptions.proxy.") {
            put(
                &mut out,
                &format!("browser.contextOptions.proxy.{name}"),
                value.clone(),
            );
        }
        put(&mut out, key, value);
    }
    out
}

fn key_of(setting: Setting) -> Option<(&'static str, Shape)> {
    KEYS.iter().find_map(|(key, does)| match does {
        Does::Sets(found, shape) if *found == setting => Some((*key, *shape)),
        _ => None,
    })
}

/// What a text means, as JSON.
fn typed(shape: Shape, last: &str, all: &[String]) -> Option<Value> {
    match shape {
        Shape::Text => Some(last.into()),
        Shape::Number => serde_json::from_str(last.trim()).ok(),
        Shape::Switch => match last {
            "true" | "1" => Some(true.into()),
            "false" | "0" => Some(false.into()),
            _ => None,
        },
        Shape::Paths => Some(all.iter().map(String::as_str).collect()),
        Shape::Origins => Some(last.split(';').map(str::trim).collect()),
        Shape::List => Some(last.split(',').map(str::trim).collect()),
        Shape::Size => {
            let (width, height) = last.split_once(['x', ','])?;
            let side = |text: &str| text.trim().parse::<u32>().ok();
            Some(json!({ "width": side(width)?, "height": side(height)? }))
        }
        Shape::Pairs => Some(
            all.iter()
                .map(|pair| {
                    let (name, value) = pair.split_once(':').unwrap_or((pair, ""));
                    (name.trim().to_owned(), Value::from(value.trim()))
                })
                .collect::<Map<_, _>>()
                .into(),
        ),
    }
}

/// Upstream's merge: key by key in the groups, whole values elsewhere; a
/// channel without the name of the engine does not last.
fn merge(base: &mut Map<String, Value>, over: Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) if key == "browser" => {
                for (key, value) in new {
                    match (old.get_mut(&key), value) {
                        (Some(Value::Object(old)), Value::Object(new))
                            if matches!(key.as_str(), "launchOptions" | "contextOptions") =>
                        {
                            old.extend(new);
                        }
                        (_, value) => {
                            old.insert(key, value);
                        }
                    }
                }
            }
            (Some(Value::Object(old)), Value::Object(new)) if GROUPS.contains(&key.as_str()) => {
                old.extend(new);
            }
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
    for key in GROUPS {
        group(base, key);
    }
    let browser = group(base, "browser");
    if browser.get("browserName").and_then(Value::as_str) != Some("chromium") {
        group(browser, "launchOptions").shift_remove("channel");
    }
}

/// The object under a key, made if it is not there.
fn group<'a>(of: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let slot = of.entry(key).or_insert(Value::Null);
    if !slot.is_object() {
        *slot = Value::Object(Map::new());
    }
    match slot {
        Value::Object(group) => group,
        // Made an object on the lines above.
        _ => unreachable!("an object was just put here"),
    }
}

fn put(root: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            root.insert(path.to_owned(), value);
        }
        Some((first, rest)) => put(group(root, first), rest, value),
    }
}

/// Replaces what may be a password or a token.
fn hide(shown: &mut Map<String, Value>) {
    fn cover(value: &mut Value) {
        match value {
            Value::Object(fields) => fields.values_mut().for_each(|value| *value = HIDDEN.into()),
            other => *other = HIDDEN.into(),
        }
    }
    let browser = group(shown, "browser");
    for key in ["cdpHeaders", "remoteHeaders"] {
        browser.get_mut(key).into_iter().for_each(cover);
    }
    if let Some(Value::String(url)) = browser.get_mut("cdpEndpoint") {
        *url = super::without_credentials(url);
    }
    for key in ["launchOptions", "contextOptions"] {
        let options = group(browser, key);
        for secret in ["extraHTTPHeaders", "env"] {
            options.get_mut(secret).into_iter().for_each(cover);
        }
        for login in ["proxy", "httpCredentials"] {
            if let Some(Value::Object(login)) = options.get_mut(login) {
                for part in ["username", "password"] {
                    login.get_mut(part).into_iter().for_each(cover);
                }
                if let Some(Value::String(server)) = login.get_mut("server") {
                    *server = super::without_credentials(server);
                }
            }
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Flags;
    use super::super::tests::{in_stock, with_file};
    use super::*;

    fn text(value: &Value) -> String {
        value.to_string()
    }

    // The expected texts are what upstream answered to the same settings.

    #[test]
    fn a_bare_run_has_upstreams_shape_and_order() {
        let flags = Flags::default()
            .with(Setting::ExecutablePath, "/usr/bin/chromium")
            .with(Setting::Sandbox, "false")
            .with(Setting::Headless, "true")
            .with(Setting::Isolated, "true")
            .with(Setting::Caps, "config");
        let config = in_stock(flags, &[]).unwrap();
        let shown = completed(config.shown, true, false, None);
        let expected = r#"{"browser":{"launchOptions":{"executablePath":"/usr/bin/chromium",
            "headless":true,"chromiumSandbox":false,"channel":"chrome",
            "args":["--disable-blink-features=AutomationControlled"]},
            "contextOptions":{"viewport":{"width":1280,"height":720}},
            "isolated":true,"browserName":"chromium"},"codegen":"typescript",
            "timeouts":{"action":5000,"navigation":60000,"expect":5000,"settle":500},
            "console":{},"network":{},"server":{},"snapshot":{},"capabilities":["config"]}"#;
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(text(&shown), text(&expected));
    }

    #[test]
    fn a_file_brings_its_own_order() {
        let file = r#"{"timeouts":{"action":7},"browser":{"isolated":true,
            "browserName":"chromium","launchOptions":{"args":["--x"],"slowMo":0}},
            "capabilities":["config","moon"],"snapshot":{"mode":"none"},"outputDir":"o",
            "foo":1,"server":{"host":"h"},"testIdAttribute":"x"}"#;
        let flags = Flags::default()
            .with(Setting::Stock, "true")
            .with(Setting::Config, "c.json")
            .with(Setting::ExecutablePath, "/usr/bin/chromium")
            .with(Setting::Sandbox, "false")
            .with(Setting::Headless, "true")
            .with(Setting::TimeoutSettle, "3")
            .with(Setting::ImageResponses, "omit")
            .with(Setting::ProxyServer, "http://x:1")
            .with(Setting::UserAgent, "UA")
            .with(Setting::Device, "Pixel 7")
            .with(Setting::GrantPermissions, "geolocation,midi")
            .with(Setting::SnapshotBoxes, "true")
            .with(Setting::ConsoleLevel, "debug");
        let config = with_file(flags, &[], file).unwrap();
        let shown = completed(config.shown, true, false, Some("c.json".to_owned()));
        let expected = r#"{"browser":{"launchOptions":{"args":["--x",
            "--disable-blink-features=AutomationControlled"],"slowMo":0,
            "executablePath":"/usr/bin/chromium","headless":true,"chromiumSandbox":false,
            "proxy":{"server":"http://x:1"}},"contextOptions":{
            "userAgent":"UA","viewport":{"width":412,"height":839},
            "screen":{"width":412,"height":915},"deviceScaleFactor":2.625,"isMobile":true,
            "hasTouch":true,"defaultBrowserType":"chromium","proxy":{"server":"http://x:1"},
            "permissions":["geolocation","midi"]},"isolated":true,"browserName":"chromium"},
            "codegen":"typescript",
            "timeouts":{"action":7,"navigation":60000,"expect":5000,"settle":3},
            "capabilities":["config","moon"],"snapshot":{"mode":"none","boxes":true},
            "outputDir":"o","foo":1,"server":{"host":"h"},"testIdAttribute":"x",
            "console":{"level":"debug"},"network":{},"imageResponses":"omit",
            "configFile":"c.json"}"#;
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(text(&shown), text(&expected));
    }

    #[test]
    fn a_channel_is_lost_without_a_name_as_upstream_loses_it() {
        let file = r#"{"browser":{"launchOptions":{"channel":"msedge"}}}"#;
        let flags = Flags::default()
            .with(Setting::Stock, "true")
            .with(Setting::Config, "c.json");
        let config = with_file(flags, &[], file).unwrap();
        let shown = completed(config.shown, false, true, None);
        assert_eq!(shown["browser"]["launchOptions"]["channel"], "chrome");
        assert!(shown["browser"]["contextOptions"]["viewport"].is_null());
    }

    #[test]
    fn passwords_are_shown_in_stock_only() {
        let file = r#"{"secrets":{"KEY":"hunter2"},"browser":{"cdpHeaders":{"Auth":"hunter2"},
            "launchOptions":{"proxy":{"server":"http://u:hunter2@p:1","password":"hunter2"}},
            "contextOptions":{"httpCredentials":{"username":"u","password":"hunter2"}}}}"#;
        let flags = Flags::default().with(Setting::Config, "c.json");
        let config = with_file(flags.clone(), &[], file).unwrap();
        let shown = text(&completed(config.shown, true, true, None));
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains(r#""KEY":"<secret>KEY</secret>""#), "{shown}");
        let stock = with_file(flags.with(Setting::Stock, "true"), &[], file).unwrap();
        assert!(text(&Value::Object(stock.shown)).contains(r#""password":"hunter2""#));
    }
}
