//! From the configuration to what the browser layer takes: how pages begin, how the browser starts.

use std::path::Path;
use std::time::Duration;

use playguard_cdp::context::{Login, Rules, UrlGlob};
use playguard_cdp::launch::{IgnoreDefaults, LaunchOptions, Proxy};
use playguard_cdp::page::{Emulation, LocatorRules, Media, PageDefaults, Place};

use super::manners::Manners;
use crate::backend::CreateError;
use crate::config::{Config, IgnoreArgs};

/// A started browser must answer within this time, unless another one was configured.
const START: Duration = Duration::from_secs(30);
/// The size of pages without a window.
const VIEWPORT: (u32, u32) = (1280, 720);

/// What new pages get; somebody else's own pages are left as they are.
///
/// # Errors
/// A script that is to run in all pages cannot be read.
pub(super) fn of_pages(
    config: &Config,
    manners: &Manners,
    headless: bool,
    ours: bool,
) -> Result<PageDefaults, CreateError> {
    let locators = LocatorRules {
        test_id_attributes: config.test_id_attributes.clone(),
    };
    let origins = origins(config)?;
    if !ours {
        return Ok(PageDefaults {
            style: manners.style,
            locators,
            rules: origins,
            ..PageDefaults::default()
        });
    }
    let page = &config.page;
    let fallback = (headless && !page.no_viewport).then_some(VIEWPORT);
    Ok(PageDefaults {
        viewport: config.viewport.or(fallback),
        emulate_focus: true,
        user_agent: config.user_agent.clone(),
        emulation: emulation(config)?,
        media: Media {
            features: (page.media.iter())
                .map(|(feature, value)| ((*feature).to_owned(), value.clone()))
                .collect(),
            ..Media::default()
        },
        offline: page.offline,
        rules: Rules {
            credentials: page.http_credentials.as_ref().map(|login| Login {
                user: login.username.clone(),
                password: login.password.clone(),
                origin: login.origin.clone(),
            }),
            proxy_credentials: proxy(config).and_then(|proxy| {
                let (user, password) = proxy.login?;
                Some(Login {
                    user,
                    password,
                    origin: None,
                })
            }),
            ..origins
        },
        ignore_https_errors: config.ignore_https_errors,
        style: manners.style,
        locators,
    })
}

/// Where pages may go. In stock, redirects lead anywhere, as upstream says itself.
fn origins(config: &Config) -> Result<Rules, CreateError> {
    let read = |entries: &[String]| {
        let globs: Result<Vec<UrlGlob>, _> =
            entries.iter().map(|e| UrlGlob::of_origin(e)).collect();
        globs.map_err(|error| CreateError(format!("Error: {error}")))
    };
    Ok(Rules {
        allowed: read(&config.page.allowed_origins)?,
        blocked: read(&config.page.blocked_origins)?,
        check_redirects: !config.stock,
        ..Rules::default()
    })
}

/// The browser's own rule for names that follows from the lists of origins. It holds on paths that no
/// request of a page takes, such as WebSockets and WebRTC.
fn resolver_rules(config: &Config) -> Option<String> {
    let hosts = |entries: &[String], exact: bool| -> Vec<String> {
        entries
            .iter()
            .filter_map(|entry| {
                let whole = !entry.contains("://");
                let rest = entry
                    .split_once("://")
                    .map_or(entry.as_str(), |(_, rest)| rest);
                let (host, port) = match rest.rsplit_once(':') {
                    Some((host, port)) if !port.contains(']') => (host, Some(port)),
                    _ => (rest, None),
                };
                // One scheme or port of a host is no reason to refuse the others.
                let refuses = whole && port.is_none();
                (!exact || refuses).then(|| host.trim_end_matches('/').to_owned())
            })
            .collect()
    };
    let mut rules: Vec<String> = hosts(&config.page.blocked_origins, true)
        .iter()
        .map(|host| format!("MAP {host} ~NOTFOUND"))
        .collect();
    if !config.page.allowed_origins.is_empty() {
        rules.push("MAP * ~NOTFOUND".to_owned());
        let allowed = hosts(&config.page.allowed_origins, false);
        rules.extend(allowed.iter().map(|host| format!("EXCLUDE {host}")));
    }
    (!rules.is_empty() && !config.stock).then(|| rules.join(" , "))
}

fn emulation(config: &Config) -> Result<Emulation, CreateError> {
    let page = &config.page;
    let scripts = page.init_scripts.iter().map(|path| script(path));
    Ok(Emulation {
        screen: page.screen,
        scale: page.device_scale_factor,
        mobile: page.is_mobile,
        touch: page.has_touch,
        locale: page.locale.clone(),
        timezone: page.timezone.clone(),
        place: page.geolocation.map(|place| Place {
            latitude: place.latitude,
            longitude: place.longitude,
            accuracy: place.accuracy,
        }),
        headers: page.extra_headers.clone(),
        no_scripts: !page.java_script,
        bypass_csp: page.bypass_csp,
        no_service_workers: page.block_service_workers,
        init_scripts: scripts.collect::<Result<_, _>>()?,
    })
}

/// A script with its file's name, which the console then shows.
fn script(path: &Path) -> Result<String, CreateError> {
    let shown = path.display();
    let source = std::fs::read_to_string(path).map_err(|error| {
        CreateError(format!(
            "Error: The init script {shown} cannot be read: {error}"
        ))
    })?;
    Ok(format!("{source}\n//# sourceURL={shown}"))
}

/// The proxy with its login: what stands in the address, unless it was given apart.
pub(super) fn proxy(config: &Config) -> Option<Proxy> {
    let given = config.proxy.as_ref()?;
    let mut proxy = Proxy::new(&given.server, given.bypass.as_deref());
    if let Some(login) = &config.launch.proxy_login {
        proxy.login = Some(login.clone());
    }
    Some(proxy)
}

/// How long the browser may take to start.
pub(super) fn start_limit(config: &Config) -> Duration {
    match config.launch.timeout_ms {
        None => START,
        Some(0) => Duration::from_secs(24 * 3600),
        Some(ms) => Duration::from_millis(ms),
    }
}

/// The launch options that are the configuration's alone.
pub(super) fn of_launch(config: &Config) -> LaunchOptions {
    let mut args = config.launch.args.clone();
    args.extend(resolver_rules(config).map(|rules| format!("--host-resolver-rules={rules}")));
    LaunchOptions {
        executable: config.executable_path.clone(),
        headless: config.headless,
        sandbox: config.sandbox,
        stock: config.stock,
        window: config.viewport,
        proxy: proxy(config),
        args,
        ignore_defaults: match &config.launch.ignore_default_args {
            IgnoreArgs::None => IgnoreDefaults::None,
            IgnoreArgs::Some(args) => IgnoreDefaults::Some(args.clone()),
            IgnoreArgs::All => IgnoreDefaults::All,
        },
        env: config.launch.env.clone(),
        ..LaunchOptions::default()
    }
}
