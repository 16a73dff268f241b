//! From options to the browser's command line.
//!
//! The switches fall into groups: those that upstream also gives and that pages or tools can feel
//! (no unasked upgrades to https, no back-forward cache, no throttling of hidden tabs, no password
//! prompts, `navigator.webdriver` false), and those that keep the browser from doing things nobody
//! asked for (updates, sync, metrics, first-run pages, popups of the address bar). Compared one by
//! one, only the last of these makes a measurable difference to the start.

use std::ffi::OsString;
use std::path::Path;

use super::machine::Os;
use super::proxy::Proxy;

/// How we talk to the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// Over two inherited pipes. Nobody else can connect, and the browser ends when they close.
    #[default]
    Pipe,
    /// Over a port of the loopback interface; 0 lets the browser choose. For systems where pipes
    /// cannot be handed over; any local user can connect.
    Port(u16),
}

/// What the browser shows first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Startup {
    /// No window: contexts and pages are made over the protocol.
    #[default]
    NoWindow,
    /// One window with `about:blank` in the default context.
    BlankPage,
}

/// Which of our default switches to leave out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IgnoreDefaults {
    /// None.
    #[default]
    None,
    /// Exactly these, as they would be written.
    Some(Vec<String>),
    /// All: only the transport, the profile, the sandbox switch and the user's own remain.
    All,
}

/// Everything that shapes the command line.
#[derive(Debug, Clone)]
pub struct ArgOptions<'a> {
    /// The system it will run on.
    pub os: Os,
    /// Without a window.
    pub headless: bool,
    /// Use the Wayland backend (see [`super::display`]).
    pub wayland: bool,
    /// With the browser's sandbox.
    pub sandbox: bool,
    /// The profile folder.
    pub profile: &'a Path,
    /// How we talk to it.
    pub transport: Transport,
    /// What it shows first.
    pub startup: Startup,
    /// Outer size of the first window, in pixels.
    pub window: Option<(u32, u32)>,
    /// Proxy for all traffic.
    pub proxy: Option<&'a Proxy>,
    /// Language of the browser's own texts, as a BCP 47 tag.
    pub language: Option<&'a str>,
    /// Leave extensions on (persistent profiles).
    pub extensions: bool,
    /// More features to turn on, such as `WebMCP`.
    pub enable_features: &'a [String],
    /// The user's own switches; they come last and so win.
    pub user: &'a [String],
    /// Defaults to leave out.
    pub ignore_defaults: &'a IgnoreDefaults,
}

/// Switches that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgError {
    /// The launcher owns this switch.
    #[error("The browser argument {0} cannot be given here. {1}")]
    Owned(String, &'static str),
}

/// Switches for every start.
const QUIET: &[&str] = &[
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-field-trial-config",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-search-engine-choice-screen",
    "--metrics-recording-only",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
];

const STEADY: &[&str] = &[
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-dev-shm-usage",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--enable-unsafe-swiftshader",
    "--export-tagged-pdf",
    "--force-color-profile=srgb",
];

/// Features that get in the way of automation or call home.
const DISABLED_FEATURES: &[&str] = &[
    "AcceptCHFrame",
    "AutofillServerCommunication",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    // Holds a page's tasks back until the frame after an input event: waiting for nothing, for us.
    "DeferRendererTasksAfterInput",
    "DestroyProfileOnBrowserClose",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "Translate",
    // Two pages of the browser's own address bar, loaded in advance by every first window: half of
    // all the processor time that a start takes, for something that nobody opens here.
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
];

/// Pages see a mouse that hovers, as they do with a window.
const HEADLESS: &[&str] = &[
    "--headless",
    "--hide-scrollbars",
    "--mute-audio",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,\
     primaryPointerType=4,availablePointerTypes=4",
];

/// Switches whose value is a list, of which the browser reads only the last: ours and the user's
/// are merged into one.
const LIST_SWITCHES: &[&str] = &[
    "--disable-features",
    "--enable-features",
    "--disable-blink-features",
    "--enable-blink-features",
    "--blink-settings",
];

/// The argument list, without the program itself.
///
/// # Errors
/// [`ArgError::Owned`] when the user's switches name a profile or a transport, which would take the
/// browser out of our hands.
pub fn build(options: &ArgOptions<'_>) -> Result<Vec<OsString>, ArgError> {
    for arg in options.user {
        let name = arg.split('=').next().unwrap_or(arg);
        let reason = match name {
            "--user-data-dir" => "Use --user-data-dir of this program instead.",
            "--remote-debugging-pipe"
            | "--remote-debugging-port"
            | "--remote-debugging-io-pipes" => {
                "How to talk to the browser is chosen by this program."
            }
            _ => continue,
        };
        return Err(ArgError::Owned(name.to_owned(), reason));
    }

    let mut args: Vec<String> = match options.ignore_defaults {
        IgnoreDefaults::All => Vec::new(),
        IgnoreDefaults::None => defaults(options),
        IgnoreDefaults::Some(unwanted) => {
            let mut args = defaults(options);
            args.retain(|arg| !unwanted.contains(arg));
            args
        }
    };
    args.extend(chosen(options));
    args.extend(options.user.iter().cloned());
    merge_lists(&mut args);

    let mut args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
    let mut profile = OsString::from("--user-data-dir=");
    profile.push(options.profile);
    args.push(profile);
    args.push(match options.transport {
        Transport::Pipe => "--remote-debugging-pipe".into(),
        Transport::Port(port) => format!("--remote-debugging-port={port}").into(),
    });
    args.push(match options.startup {
        Startup::NoWindow => "--no-startup-window".into(),
        Startup::BlankPage => "about:blank".into(),
    });
    Ok(args)
}

fn defaults(options: &ArgOptions<'_>) -> Vec<String> {
    let mut args: Vec<String> = [QUIET, STEADY]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
    args.push(format!(
        "--disable-features={}",
        DISABLED_FEATURES.join(",")
    ));
    let user_chose_blink = options
        .user
        .iter()
        .any(|arg| arg.starts_with("--disable-blink-features"));
    if !user_chose_blink {
        args.push("--disable-blink-features=AutomationControlled".to_owned());
    }
    if !options.extensions {
        args.push("--disable-extensions".to_owned());
    }
    match options.os {
        // Edge may start itself anew under a compatibility layer, and the pipes would be lost.
        Os::Windows => args.push("--edge-skip-compat-layer-relaunch".to_owned()),
        Os::MacOs | Os::Linux => {}
    }
    if options.headless {
        args.extend(HEADLESS.iter().map(|arg| (*arg).to_owned()));
    }
    args
}

/// What follows from options that were set, whatever the defaults.
fn chosen(options: &ArgOptions<'_>) -> Vec<String> {
    let mut args = Vec::new();
    if !options.sandbox {
        args.push("--no-sandbox".to_owned());
    }
    if options.wayland && !options.headless {
        args.push("--ozone-platform=wayland".to_owned());
    }
    if let Some((width, height)) = options.window {
        args.push(format!("--window-size={width},{height}"));
    }
    if let Some(language) = options.language {
        args.push(format!("--lang={language}"));
    }
    if let Some(proxy) = options.proxy {
        args.extend(proxy.args());
    }
    if !options.enable_features.is_empty() {
        args.push(format!(
            "--enable-features={}",
            options.enable_features.join(",")
        ));
    }
    args
}

/// Merges repeated list switches into their first place, values in order, each once.
fn merge_lists(args: &mut Vec<String>) {
    for switch in LIST_SWITCHES {
        let value_of = |arg: &str| {
            arg.strip_prefix(switch)
                .and_then(|rest| rest.strip_prefix('='))
                .map(str::to_owned)
        };
        let Some(first) = args.iter().position(|arg| value_of(arg).is_some()) else {
            continue;
        };
        let mut values: Vec<String> = Vec::new();
        for value in args.iter().filter_map(|arg| value_of(arg)) {
            for item in value.split(',').filter(|item| !item.is_empty()) {
                if !values.iter().any(|known| known == item) {
                    values.push(item.to_owned());
                }
            }
        }
        let mut position = 0;
        args.retain(|arg| {
            let keep = position <= first || value_of(arg).is_none();
            position += 1;
            keep
        });
        args[first] = format!("{switch}={}", values.join(","));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base<'a>(user: &'a [String], ignore_defaults: &'a IgnoreDefaults) -> ArgOptions<'a> {
        ArgOptions {
            os: Os::Linux,
            headless: true,
            wayland: false,
            sandbox: true,
            profile: Path::new("/p"),
            transport: Transport::Pipe,
            startup: Startup::NoWindow,
            window: None,
            proxy: None,
            language: None,
            extensions: false,
            enable_features: &[],
            user,
            ignore_defaults,
        }
    }

    fn strings(options: &ArgOptions<'_>) -> Vec<String> {
        build(options)
            .unwrap()
            .into_iter()
            .map(|arg| arg.into_string().unwrap())
            .collect()
    }

    fn value(args: &[String], switch: &str) -> Option<String> {
        let mut values = args
            .iter()
            .filter_map(|arg| arg.strip_prefix(switch)?.strip_prefix('='));
        let value = values.next().map(str::to_owned);
        assert_eq!(values.next(), None, "{switch} twice");
        value
    }

    fn own(args: &[&str]) -> Vec<String> {
        args.iter().map(|arg| (*arg).to_owned()).collect()
    }

    #[test]
    fn isolated_headless() {
        let args = strings(&base(&[], &IgnoreDefaults::None));
        for expected in [
            "--headless",
            "--remote-debugging-pipe",
            "--no-startup-window",
            "--user-data-dir=/p",
            "--disable-extensions",
            "--disable-blink-features=AutomationControlled",
            "--hide-scrollbars",
            "--mute-audio",
            "--disable-popup-blocking",
            "--disable-back-forward-cache",
            "--password-store=basic",
            "--use-mock-keychain",
            "--force-color-profile=srgb",
            "--export-tagged-pdf",
            "--enable-unsafe-swiftshader",
        ] {
            assert!(args.iter().any(|arg| arg == expected), "{expected}");
        }
        assert!(!args.iter().any(|arg| arg == "--no-sandbox"));
        let settings = value(&args, "--blink-settings").unwrap();
        assert!(settings.contains("primaryHoverType=2,availableHoverTypes=2"));
        let features = value(&args, "--disable-features").unwrap();
        for feature in ["HttpsUpgrades", "Translate", "PaintHolding"] {
            assert!(features.split(',').any(|f| f == feature), "{feature}");
        }
    }

    #[test]
    fn persistent_with_a_window() {
        let options = ArgOptions {
            headless: false,
            wayland: true,
            sandbox: false,
            startup: Startup::BlankPage,
            extensions: true,
            window: Some((1280, 720)),
            language: Some("de"),
            ..base(&[], &IgnoreDefaults::None)
        };
        let args = strings(&options);
        assert_eq!(args.last().unwrap(), "about:blank");
        assert!(!args.iter().any(|arg| arg == "--disable-extensions"));
        assert!(!args.iter().any(|arg| arg.starts_with("--headless")));
        for expected in [
            "--no-sandbox",
            "--window-size=1280,720",
            "--lang=de",
            "--ozone-platform=wayland",
        ] {
            assert!(args.iter().any(|arg| arg == expected), "{expected}");
        }
    }

    #[test]
    fn lists_of_both_sides_are_merged() {
        let user = own(&["--disable-features=Foo,Translate", "--enable-features=Bar"]);
        let features = own(&["WebMCP"]);
        let args = strings(&ArgOptions {
            enable_features: &features,
            ..base(&user, &IgnoreDefaults::None)
        });
        let disabled = value(&args, "--disable-features").unwrap();
        assert!(disabled.ends_with(",Foo"), "{disabled}");
        assert_eq!(disabled.matches("Translate").count(), 1);
        assert_eq!(value(&args, "--enable-features").unwrap(), "WebMCP,Bar");
    }

    #[test]
    fn the_users_blink_features_stand_alone() {
        let user = own(&["--disable-blink-features=X"]);
        let args = strings(&base(&user, &IgnoreDefaults::None));
        assert_eq!(value(&args, "--disable-blink-features").unwrap(), "X");
    }

    #[test]
    fn defaults_can_be_left_out() {
        let some = IgnoreDefaults::Some(own(&["--mute-audio"]));
        let args = strings(&base(&[], &some));
        assert!(!args.iter().any(|arg| arg == "--mute-audio"));
        assert!(args.iter().any(|arg| arg == "--hide-scrollbars"));
        let args = strings(&base(&own(&["--headless=new"]), &IgnoreDefaults::All));
        assert_eq!(
            args,
            [
                "--headless=new",
                "--user-data-dir=/p",
                "--remote-debugging-pipe",
                "--no-startup-window"
            ]
        );
    }

    #[test]
    fn profile_and_transport_are_ours() {
        for arg in ["--user-data-dir=/x", "--remote-debugging-port=1"] {
            let user = own(&[arg]);
            assert!(build(&base(&user, &IgnoreDefaults::None)).is_err(), "{arg}");
        }
    }
}
