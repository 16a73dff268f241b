//! The one table of keys that a configuration file may hold: `config.d.ts` of
//! upstream and the launch and context options of Playwright, and what each
//! does here.

use super::super::options::Setting;

/// What the value of a key looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Shape {
    /// A text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Switch,
    /// A list of texts, which a flag takes with commas between.
    List,
    /// A list of origins, which a flag takes with semicolons between.
    Origins,
    /// A list of paths, which a flag takes one by one.
    Paths,
    /// Width and height: an object, or `640x480`.
    Size,
    /// Names with texts, as headers have them.
    Pairs,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Does {
    /// The same as a flag.
    Sets(Setting, Shape),
    /// Read together with others, by its name.
    Taken,
    /// What upstream has and we have not.
    NotYet,
    /// Nothing that a client of a server could notice.
    Nothing,
}

/// Every key, with dots between its levels. Keys that are the beginning of
/// others are groups.
pub(in super::super) const KEYS: &[(&str, Does)] = {
    use Does::{NotYet, Nothing, Sets, Taken};
    use Setting as S;
    use Shape::{List, Number, Origins, Pairs, Paths, Size, Switch, Text};
    &[
        ("browser.browserName", Taken),
        ("browser.isolated", Sets(S::Isolated, Switch)),
        ("browser.userDataDir", Sets(S::UserDataDir, Text)),
        ("browser.cdpEndpoint", Sets(S::CdpEndpoint, Text)),
        ("browser.cdpHeaders", Sets(S::CdpHeader, Pairs)),
        ("browser.cdpTimeout", Sets(S::CdpTimeout, Number)),
        ("browser.remoteEndpoint", NotYet),
        ("browser.remoteHeaders", NotYet),
        ("browser.initPage", NotYet),
        ("browser.initScript", Sets(S::InitScript, Paths)),
        ("browser.launchOptions.args", Taken),
        ("browser.launchOptions.artifactsDir", Nothing),
        ("browser.launchOptions.channel", Taken),
        (
            "browser.launchOptions.chromiumSandbox",
            Sets(S::Sandbox, Switch),
        ),
        ("browser.launchOptions.devtools", NotYet),
        ("browser.launchOptions.downloadsPath", Taken),
        ("browser.launchOptions.env", Taken),
        (
            "browser.launchOptions.executablePath",
            Sets(S::ExecutablePath, Text),
        ),
        ("browser.launchOptions.firefoxUserPrefs", Nothing),
        ("browser.launchOptions.handleSIGHUP", Nothing),
        ("browser.launchOptions.handleSIGINT", Nothing),
        ("browser.launchOptions.handleSIGTERM", Nothing),
        ("browser.launchOptions.headless", Sets(S::Headless, Switch)),
        ("browser.launchOptions.ignoreDefaultArgs", Taken),
        ("browser.launchOptions.logger", Nothing),
        (
            "browser.launchOptions.proxy.server",
            Sets(S::ProxyServer, Text),
        ),
        (
            "browser.launchOptions.proxy.bypass",
            Sets(S::ProxyBypass, Text),
        ),
        ("browser.launchOptions.proxy.username", Taken),
        ("browser.launchOptions.proxy.password", Taken),
        ("browser.launchOptions.slowMo", NotYet),
        ("browser.launchOptions.timeout", Taken),
        ("browser.launchOptions.tracesDir", NotYet),
        ("browser.contextOptions.acceptDownloads", NotYet),
        ("browser.contextOptions.baseURL", NotYet),
        ("browser.contextOptions.bypassCSP", Taken),
        ("browser.contextOptions.clientCertificates", NotYet),
        ("browser.contextOptions.colorScheme", Taken),
        ("browser.contextOptions.contrast", Taken),
        ("browser.contextOptions.deviceScaleFactor", Taken),
        ("browser.contextOptions.extraHTTPHeaders", Taken),
        ("browser.contextOptions.forcedColors", Taken),
        ("browser.contextOptions.geolocation", Taken),
        ("browser.contextOptions.hasTouch", Taken),
        ("browser.contextOptions.httpCredentials", Taken),
        (
            "browser.contextOptions.ignoreHTTPSErrors",
            Sets(S::IgnoreHttpsErrors, Switch),
        ),
        ("browser.contextOptions.isMobile", Taken),
        ("browser.contextOptions.javaScriptEnabled", Taken),
        ("browser.contextOptions.locale", Taken),
        ("browser.contextOptions.logger", Nothing),
        ("browser.contextOptions.offline", Taken),
        (
            "browser.contextOptions.permissions",
            Sets(S::GrantPermissions, List),
        ),
        ("browser.contextOptions.proxy", NotYet),
        ("browser.contextOptions.recordHar", NotYet),
        ("browser.contextOptions.recordVideo", NotYet),
        ("browser.contextOptions.reducedMotion", Taken),
        ("browser.contextOptions.screen", Taken),
        ("browser.contextOptions.serviceWorkers", Taken),
        (
            "browser.contextOptions.storageState",
            Sets(S::StorageState, Text),
        ),
        ("browser.contextOptions.strictSelectors", Nothing),
        ("browser.contextOptions.timezoneId", Taken),
        ("browser.contextOptions.userAgent", Sets(S::UserAgent, Text)),
        (
            "browser.contextOptions.viewport",
            Sets(S::ViewportSize, Size),
        ),
        ("extension", NotYet),
        ("server.port", Sets(S::Port, Number)),
        ("server.host", Sets(S::Host, Text)),
        ("server.allowedHosts", Sets(S::AllowedHosts, List)),
        ("capabilities", Sets(S::Caps, List)),
        ("saveSession", Sets(S::SaveSession, Switch)),
        ("saveVideo", NotYet),
        ("webmcp", NotYet),
        (
            "sharedBrowserContext",
            Sets(S::SharedBrowserContext, Switch),
        ),
        ("secrets", Taken),
        ("outputDir", Sets(S::OutputDir, Text)),
        ("outputMaxSize", Sets(S::OutputMaxSize, Number)),
        ("console.level", Sets(S::ConsoleLevel, Text)),
        ("network.allowedOrigins", Sets(S::AllowedOrigins, Origins)),
        ("network.blockedOrigins", Sets(S::BlockedOrigins, Origins)),
        ("testIdAttribute", Sets(S::TestIdAttribute, Text)),
        ("timeouts.action", Sets(S::TimeoutAction, Number)),
        ("timeouts.navigation", Sets(S::TimeoutNavigation, Number)),
        ("timeouts.expect", Sets(S::TimeoutExpect, Number)),
        ("timeouts.settle", Sets(S::TimeoutSettle, Number)),
        ("timeouts.idle", Sets(S::IdleTimeout, Number)),
        ("imageResponses", Sets(S::ImageResponses, Text)),
        ("filePaths", Sets(S::FilePaths, Text)),
        ("snapshot.mode", Sets(S::SnapshotMode, Text)),
        ("snapshot.boxes", Sets(S::SnapshotBoxes, Switch)),
        (
            "allowUnrestrictedFileAccess",
            Sets(S::AllowUnrestrictedFileAccess, Switch),
        ),
        ("codegen", NotYet),
        // Ours.
        ("stock", Sets(S::Stock, Switch)),
        ("verbose", Sets(S::Verbose, Switch)),
        ("allowUnsafeCode", Sets(S::AllowUnsafeCode, Switch)),
        ("snapshot.source", Sets(S::SnapshotSource, Text)),
    ]
};

/// What a key does; `None` when nobody knows it.
pub(super) fn find(path: &str) -> Option<(&'static str, Does)> {
    KEYS.iter().find(|(known, _)| *known == path).copied()
}

/// Whether it is the beginning of other keys.
pub(super) fn is_group(path: &str) -> bool {
    KEYS.iter().any(|(known, _)| {
        known
            .strip_prefix(path)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

/// The names that may stand where `path` stands.
pub(super) fn siblings(path: &str) -> impl Iterator<Item = &'static str> {
    let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
    KEYS.iter().filter_map(move |(known, _)| {
        let rest = match parent {
            "" => known,
            parent => known.strip_prefix(parent)?.strip_prefix('.')?,
        };
        Some(rest.split('.').next().unwrap_or(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_key_stands_once_and_is_no_group() {
        let names: BTreeSet<_> = KEYS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), KEYS.len());
        assert!(KEYS.iter().all(|(name, _)| !is_group(name)));
        assert!(is_group("browser.launchOptions") && !is_group("browser.launch"));
    }

    #[test]
    fn siblings_are_of_the_same_level() {
        let beside: BTreeSet<_> = siblings("snapshot.bokses").collect();
        assert_eq!(beside, BTreeSet::from(["mode", "boxes", "source"]));
        assert!(siblings("brwoser").any(|name| name == "browser"));
    }
}
