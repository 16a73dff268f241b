//! What pages get to see and may do: the context options of the configuration
//! file, devices, and the flags that belong to them.

use std::fmt;
use std::path::PathBuf;

use super::device::Size;
use super::error::ConfigError;
use super::options::Setting;
use super::value::Lookup;

/// What pages get to see and may do.
#[derive(Debug, Clone, PartialEq)]
pub struct PageOptions {
    /// Pages are as large as their window. Default: no.
    pub no_viewport: bool,
    /// Size of the screen in CSS pixels. Default: that of the pages.
    pub screen: Option<(u32, u32)>,
    /// Device pixels per CSS pixel, above 0. Default: 1.
    pub device_scale_factor: Option<f64>,
    /// Lay pages out as mobile browsers do. Default: no.
    pub is_mobile: bool,
    /// Have a touch screen. Default: no.
    pub has_touch: bool,
    /// The language, as a BCP 47 tag. Default: the browser's.
    pub locale: Option<String>,
    /// The time zone, as an IANA name. Default: the machine's.
    pub timezone: Option<String>,
    /// Where the device is. Default: unknown.
    pub geolocation: Option<Geolocation>,
    /// CSS media features and their values. Default: the browser's.
    pub media: Vec<(&'static str, String)>,
    /// Headers that requests get in addition.
    pub extra_headers: Vec<(String, String)>,
    /// What servers get that ask for a password.
    pub http_credentials: Option<HttpCredentials>,
    /// Begin without a network. Default: no.
    pub offline: bool,
    /// Let pages run scripts. Default: yes.
    pub java_script: bool,
    /// Ignore the content security policies of pages. Default: no.
    pub bypass_csp: bool,
    /// The only origins that pages reach, as hosts or origins; all if there are none.
    pub allowed_origins: Vec<String>,
    /// Origins that pages never reach.
    pub blocked_origins: Vec<String>,
    /// A file with what a new context remembers.
    pub storage_state: Option<PathBuf>,
    /// Permissions to grant to all origins, in the browser's words.
    pub permissions: Vec<String>,
    /// Files whose scripts run in every document before its own.
    pub init_scripts: Vec<PathBuf>,
    /// Let pages register no service workers. Default: no.
    pub block_service_workers: bool,
}

impl Default for PageOptions {
    fn default() -> Self {
        PageOptions {
            no_viewport: false,
            screen: None,
            device_scale_factor: None,
            is_mobile: false,
            has_touch: false,
            locale: None,
            timezone: None,
            geolocation: None,
            media: Vec::new(),
            extra_headers: Vec::new(),
            http_credentials: None,
            offline: false,
            java_script: true,
            bypass_csp: false,
            allowed_origins: Vec::new(),
            blocked_origins: Vec::new(),
            storage_state: None,
            permissions: Vec::new(),
            init_scripts: Vec::new(),
            block_service_workers: false,
        }
    }
}

/// A place on earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geolocation {
    /// Degrees north, from -90 to 90.
    pub latitude: f64,
    /// Degrees east, from -180 to 180.
    pub longitude: f64,
    /// Metres by which it may be wrong; 0 or more.
    pub accuracy: f64,
}

/// A user name and a password for servers that ask.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpCredentials {
    /// The name.
    pub username: String,
    /// The password.
    pub password: String,
    /// The only origin that gets them; all when absent.
    pub origin: Option<String>,
}

impl fmt::Debug for HttpCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpCredentials")
            .field("username", &self.username)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// Keys of context options and the CSS media features that they set, with the
/// values that each takes.
const MEDIA: [(&str, &str, &[&str]); 4] = [
    (
        "colorScheme",
        "prefers-color-scheme",
        &["light", "dark", "no-preference"],
    ),
    (
        "reducedMotion",
        "prefers-reduced-motion",
        &["reduce", "no-preference"],
    ),
    ("forcedColors", "forced-colors", &["active", "none"]),
    ("contrast", "prefers-contrast", &["no-preference", "more"]),
];

/// Playwright's names of permissions, and the browser's.
pub(super) const PERMISSIONS: &[(&str, &str)] = &[
    ("geolocation", "geolocation"),
    ("midi", "midi"),
    ("midi-sysex", "midiSysex"),
    ("notifications", "notifications"),
    ("camera", "videoCapture"),
    ("microphone", "audioCapture"),
    ("background-sync", "backgroundSync"),
    ("ambient-light-sensor", "sensors"),
    ("accelerometer", "sensors"),
    ("gyroscope", "sensors"),
    ("magnetometer", "sensors"),
    ("clipboard-read", "clipboardReadWrite"),
    ("clipboard-write", "clipboardSanitizedWrite"),
    ("payment-handler", "paymentHandler"),
    ("storage-access", "storageAccess"),
    ("local-fonts", "localFonts"),
    ("local-network-access", "localNetworkAccess"),
    ("screen-wake-lock", "wakeLockScreen"),
];

/// The browser's name of a permission that Playwright calls `name`.
pub fn protocol_permission(name: &str) -> Option<&'static str> {
    let found = PERMISSIONS.iter().find(|(own, _)| *own == name);
    found.map(|(_, protocol)| *protocol)
}

/// Reads the options.
pub(super) fn resolve(
    lookup: &Lookup<'_>,
    warnings: &mut Vec<String>,
) -> Result<PageOptions, ConfigError> {
    let file = lookup.context();
    let device = lookup.device();
    let size = |size: Size| (size.width, size.height);
    let mut options = PageOptions {
        no_viewport: lookup.no_viewport(),
        screen: match device {
            Some(device) if device.screen.is_some() => device.screen.map(size),
            _ => file.size("screen")?,
        },
        device_scale_factor: match device {
            Some(device) => Some(device.device_scale_factor),
            None => file.number("deviceScaleFactor", 0.01, 100.0)?,
        },
        is_mobile: match device {
            Some(device) => device.is_mobile,
            None => file.switch("isMobile")?.unwrap_or(false),
        },
        has_touch: match device {
            Some(device) => device.has_touch,
            None => file.switch("hasTouch")?.unwrap_or(false),
        },
        locale: file.text("locale")?,
        timezone: file.text("timezoneId")?,
        geolocation: geolocation(lookup)?,
        media: Vec::new(),
        extra_headers: file.pairs("extraHTTPHeaders")?,
        http_credentials: credentials(lookup)?,
        offline: file.switch("offline")?.unwrap_or(false),
        java_script: file.switch("javaScriptEnabled")?.unwrap_or(true),
        bypass_csp: file.switch("bypassCSP")?.unwrap_or(false),
        allowed_origins: origins(lookup, Setting::AllowedOrigins)?,
        blocked_origins: origins(lookup, Setting::BlockedOrigins)?,
        storage_state: lookup
            .text(Setting::StorageState)
            .map(|given| PathBuf::from(given.text)),
        permissions: permissions(lookup)?,
        init_scripts: lookup
            .texts(Setting::InitScript)
            .into_iter()
            .map(|given| PathBuf::from(given.text))
            .collect(),
        block_service_workers: match lookup.boolean(Setting::BlockServiceWorkers)? {
            Some(block) => block,
            None => file.word("serviceWorkers", &["allow", "block"])?.as_deref() == Some("block"),
        },
    };
    for (key, feature, words) in MEDIA {
        if let Some(value) = file.word(key, words)? {
            options.media.push((feature, value));
        }
    }
    if options.no_viewport {
        let of_viewport = [
            options.device_scale_factor.take().is_some(),
            std::mem::take(&mut options.is_mobile),
            options.screen.take().is_some(),
        ];
        if of_viewport.contains(&true) {
            warnings.push(
                "deviceScaleFactor, isMobile and screen have no effect without a viewport."
                    .to_owned(),
            );
        }
    }
    Ok(options)
}

fn geolocation(lookup: &Lookup<'_>) -> Result<Option<Geolocation>, ConfigError> {
    let Some(place) = lookup.context().group("geolocation")? else {
        return Ok(None);
    };
    let latitude = place.number("latitude", -90.0, 90.0)?;
    let longitude = place.number("longitude", -180.0, 180.0)?;
    let accuracy = place.number("accuracy", 0.0, f64::MAX)?;
    match latitude.zip(longitude) {
        Some((latitude, longitude)) => Ok(Some(Geolocation {
            latitude,
            longitude,
            accuracy: accuracy.unwrap_or(0.0),
        })),
        None => place.refuse("an object with latitude and longitude"),
    }
}

fn credentials(lookup: &Lookup<'_>) -> Result<Option<HttpCredentials>, ConfigError> {
    let Some(login) = lookup.context().group("httpCredentials")? else {
        return Ok(None);
    };
    let origin = login.text("origin")?;
    match login.text("username")?.zip(login.text("password")?) {
        Some((username, password)) => Ok(Some(HttpCredentials {
            username,
            password,
            origin,
        })),
        None => login.refuse("an object with username and password"),
    }
}

/// A list of origins or hosts, separated by semicolons. Outside stock each must be one.
fn origins(lookup: &Lookup<'_>, setting: Setting) -> Result<Vec<String>, ConfigError> {
    let mut origins = Vec::new();
    for given in lookup.texts(setting) {
        for entry in given.text.split(';').map(str::trim) {
            if entry.is_empty() {
                continue;
            }
            if !lookup.stock && !is_origin(entry) {
                return Err(ConfigError::NoOrigin {
                    name: given.name().to_owned(),
                    value: entry.to_owned(),
                });
            }
            origins.push(entry.to_owned());
        }
    }
    Ok(origins)
}

/// `host`, `host:port`, `*.host`, `https://host`, `https://host:port` or `https://host:*`.
fn is_origin(entry: &str) -> bool {
    let rest = match entry.split_once("://") {
        Some(("http" | "https", rest)) => rest.strip_suffix('/').unwrap_or(rest),
        Some(_) => return false,
        None => entry,
    };
    let allowed =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '*' | '[' | ']');
    !rest.is_empty() && rest.chars().all(allowed)
}

/// The browser's names of the permissions that were asked for, each once.
/// Names that Playwright does not know are kept, and the browser refuses them.
fn permissions(lookup: &Lookup<'_>) -> Result<Vec<String>, ConfigError> {
    let mut names: Vec<String> = Vec::new();
    for given in lookup.texts(Setting::GrantPermissions) {
        for word in given.text.split(',').map(str::trim) {
            if word.is_empty() {
                continue;
            }
            let known = PERMISSIONS.iter().find(|(known, _)| *known == word);
            let name = match known {
                Some((_, name)) => (*name).to_owned(),
                None if lookup.stock => word.to_owned(),
                None => {
                    let valid = PERMISSIONS.iter().map(|(known, _)| *known).collect();
                    return Err(ConfigError::NotOneOf {
                        name: given.name().to_owned(),
                        value: word.to_owned(),
                        valid,
                    });
                }
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}
