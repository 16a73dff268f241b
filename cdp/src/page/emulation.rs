//! What pages believe about the device and its surroundings, told to each session as it begins.

use serde_json::{Value, json};

/// The device and the surroundings of pages. The default changes nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Emulation {
    /// Size of the screen in CSS pixels; that of the viewport when absent.
    pub screen: Option<(u32, u32)>,
    /// Device pixels per CSS pixel; 1 when absent.
    pub scale: Option<f64>,
    /// A mobile device: pages without a viewport declaration are laid out 980 px wide, scroll bars
    /// lie over the page.
    pub mobile: bool,
    /// It has a touch screen.
    pub touch: bool,
    /// Language of `navigator.language`, of requests and of formats, as a BCP 47 tag.
    pub locale: Option<String>,
    /// An IANA name, such as `Europe/Berlin`.
    pub timezone: Option<String>,
    /// Where it is.
    pub place: Option<Place>,
    /// Headers that requests get in addition.
    pub headers: Vec<(String, String)>,
    /// Pages run no scripts.
    pub no_scripts: bool,
    /// Pages' content security policies do not hold.
    pub bypass_csp: bool,
    /// Pages can register no service workers, and those that are registered answer nothing.
    pub no_service_workers: bool,
    /// Scripts that run in every document before its own.
    pub init_scripts: Vec<String>,
}

/// A place on earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Degrees north, from -90 to 90.
    pub latitude: f64,
    /// Degrees east, from -180 to 180.
    pub longitude: f64,
    /// Metres by which it may be wrong.
    pub accuracy: f64,
}

/// Takes `register` from pages; the promise it gives settles as if nobody answered it.
const NO_SERVICE_WORKERS: &str = "if (navigator.serviceWorker) { \
     navigator.serviceWorker.register = async () => { \
     console.warn('Service workers are blocked'); }; }";

/// A command without its session.
pub(super) type Command = (&'static str, Value);

impl Emulation {
    /// The size of pages, as `Emulation.setDeviceMetricsOverride` takes it.
    pub(super) fn metrics(&self, width: u32, height: u32) -> Value {
        let (screen_width, screen_height) = self.screen.unwrap_or((width, height));
        json!({
            "width": width,
            "height": height,
            "deviceScaleFactor": self.scale.unwrap_or(1.0),
            "mobile": self.mobile,
            "screenWidth": screen_width,
            "screenHeight": screen_height,
            "screenOrientation": if width > height {
                json!({ "angle": 90, "type": "landscapePrimary" })
            } else {
                json!({ "angle": 0, "type": "portraitPrimary" })
            },
        })
    }

    /// What each session is told before anything runs in it.
    pub(super) fn commands(&self, user_agent: Option<&str>) -> Vec<Command> {
        let mut all: Vec<Command> = Vec::new();
        if user_agent.is_some() || self.locale.is_some() {
            all.push((
                "Emulation.setUserAgentOverride",
                identity(user_agent, self.locale.as_deref(), self.mobile),
            ));
        }
        if self.touch {
            all.push((
                "Emulation.setTouchEmulationEnabled",
                json!({ "enabled": true }),
            ));
        }
        if let Some(locale) = &self.locale {
            all.push(("Emulation.setLocaleOverride", json!({ "locale": locale })));
        }
        if let Some(timezone) = &self.timezone {
            all.push((
                "Emulation.setTimezoneOverride",
                json!({ "timezoneId": timezone }),
            ));
        }
        if let Some(place) = self.place {
            let params = json!({
                "latitude": place.latitude,
                "longitude": place.longitude,
                "accuracy": place.accuracy,
            });
            all.push(("Emulation.setGeolocationOverride", params));
        }
        if !self.headers.is_empty() {
            let headers: serde_json::Map<String, Value> = (self.headers.iter())
                .map(|(name, value)| (name.clone(), value.as_str().into()))
                .collect();
            all.push(("Network.setExtraHTTPHeaders", json!({ "headers": headers })));
        }
        if self.bypass_csp {
            all.push(("Page.setBypassCSP", json!({ "enabled": true })));
        }
        if self.no_service_workers {
            all.push(("Network.setBypassServiceWorker", json!({ "bypass": true })));
        }
        let blocker = self.no_service_workers.then_some(NO_SERVICE_WORKERS);
        for script in blocker
            .into_iter()
            .chain(self.init_scripts.iter().map(String::as_str))
        {
            all.push((
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": script }),
            ));
        }
        if self.no_scripts {
            all.push((
                "Emulation.setScriptExecutionDisabled",
                json!({ "value": true }),
            ));
        }
        all
    }
}

/// What `Emulation.setUserAgentOverride` takes. An empty user agent leaves the browser's own.
fn identity(user_agent: Option<&str>, locale: Option<&str>, mobile: bool) -> Value {
    let mut params = json!({ "userAgent": user_agent.unwrap_or_default() });
    if let Some(locale) = locale {
        params["acceptLanguage"] = locale.into();
    }
    if let Some(user_agent) = user_agent {
        params["userAgentMetadata"] = hints(user_agent, mobile);
    }
    params
}

/// The client hints (`Sec-CH-UA-…`, `navigator.userAgentData`) that belong to a user agent.
fn hints(user_agent: &str, mobile: bool) -> Value {
    const SYSTEMS: [(&str, &str); 5] = [
        ("Android ", "Android"),
        ("iPhone OS ", "iOS"),
        ("iPad; CPU OS ", "iOS"),
        ("Mac OS X ", "macOS"),
        ("Windows NT ", "Windows"),
    ];
    let found = SYSTEMS
        .iter()
        .find_map(|(mark, name)| Some((*name, user_agent.split_once(mark)?.1)));
    let (platform, version) = match found {
        Some((name, rest)) => (name, version(rest)),
        None if user_agent.to_ascii_lowercase().contains("linux") => ("Linux", String::new()),
        None => ("Windows", String::new()),
    };
    let arm = platform == "Android"
        || user_agent.contains("ARM")
        || (platform == "macOS" && !user_agent.contains("Intel"));
    json!({
        "platform": platform,
        "platformVersion": version,
        "architecture": if arm { "arm" } else { "x86" },
        "model": "",
        "mobile": mobile,
    })
}

/// Up to three numbers at the beginning of a text, with points between.
fn version(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_')));
    let numbers = &text[..end.unwrap_or(text.len())];
    let numbers: Vec<&str> = numbers
        .split(['.', '_'])
        .filter(|number| !number.is_empty())
        .take(3)
        .collect();
    numbers.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_set_is_nothing_said() {
        assert_eq!(Emulation::default().commands(None), []);
        let metrics = Emulation::default().metrics(1280, 720);
        assert_eq!(metrics["deviceScaleFactor"], 1.0);
        assert_eq!(
            (&metrics["screenWidth"], &metrics["mobile"]),
            (&json!(1280), &json!(false))
        );
    }

    #[test]
    fn hints_follow_the_user_agent() {
        let of = |agent: &str, mobile| {
            let hints = hints(agent, mobile);
            let text = |key: &str| hints[key].as_str().unwrap_or_default().to_owned();
            (
                text("platform"),
                text("platformVersion"),
                text("architecture"),
            )
        };
        let expect = |platform: &str, version: &str, architecture: &str| {
            (platform.into(), version.into(), architecture.into())
        };
        assert_eq!(
            of("Mozilla/5.0 (Linux; Android 16; Pixel 10) Mobile", true),
            expect("Android", "16", "arm")
        );
        assert_eq!(
            of("(iPhone; CPU iPhone OS 18_7 like Mac OS X)", true),
            expect("iOS", "18.7", "x86")
        );
        assert_eq!(
            of("(Macintosh; Intel Mac OS X 10_15_7)", false),
            expect("macOS", "10.15.7", "x86")
        );
        assert_eq!(
            of("(Windows NT 10.0; Win64; x64)", false),
            expect("Windows", "10.0", "x86")
        );
        assert_eq!(of("(X11; Linux x86_64)", false), expect("Linux", "", "x86"));
        assert_eq!(of("x", false), expect("Windows", "", "x86"));
        assert_eq!(of("Android ", true), expect("Android", "", "arm"));
    }

    #[test]
    fn a_locale_alone_keeps_the_browsers_user_agent() {
        let emulation = Emulation {
            locale: Some("de-DE".into()),
            ..Emulation::default()
        };
        let commands = emulation.commands(None);
        assert_eq!(
            commands[0],
            (
                "Emulation.setUserAgentOverride",
                json!({ "userAgent": "", "acceptLanguage": "de-DE" })
            )
        );
        assert_eq!(commands[1].0, "Emulation.setLocaleOverride");
    }

    #[test]
    fn scripts_are_added_before_scripts_are_turned_off() {
        let emulation = Emulation {
            no_service_workers: true,
            init_scripts: vec!["x = 1".into()],
            no_scripts: true,
            bypass_csp: true,
            ..Emulation::default()
        };
        let methods: Vec<_> = emulation.commands(None).iter().map(|c| c.0).collect();
        assert_eq!(
            methods,
            [
                "Page.setBypassCSP",
                "Network.setBypassServiceWorker",
                "Page.addScriptToEvaluateOnNewDocument",
                "Page.addScriptToEvaluateOnNewDocument",
                "Emulation.setScriptExecutionDisabled"
            ]
        );
    }
}
