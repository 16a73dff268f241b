//! Where each browser lives on each system: tables without decisions.

use super::find::Channel;
use super::machine::Os;

/// Paths of the program inside an unpacked archive of Chrome for Testing.
pub(super) fn chrome_for_testing(os: Os) -> Vec<&'static str> {
    const MAC_ARM: &str = "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/\
                           Google Chrome for Testing";
    const MAC_X64: &str = "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/\
                           Google Chrome for Testing";
    match os {
        Os::Linux => vec!["chrome-linux64/chrome"],
        Os::MacOs => vec![MAC_ARM, MAC_X64],
        Os::Windows => vec!["chrome-win64/chrome.exe", "chrome-win32/chrome.exe"],
    }
}

pub(super) const fn linux_place(channel: Channel) -> &'static str {
    match channel {
        Channel::Chrome => "/opt/google/chrome/chrome",
        Channel::ChromeBeta => "/opt/google/chrome-beta/chrome",
        Channel::ChromeDev => "/opt/google/chrome-unstable/chrome",
        Channel::ChromeCanary => "/opt/google/chrome-canary/chrome",
        Channel::MsEdge => "/opt/microsoft/msedge/msedge",
        Channel::MsEdgeBeta => "/opt/microsoft/msedge-beta/msedge",
        Channel::MsEdgeDev => "/opt/microsoft/msedge-dev/msedge",
        Channel::MsEdgeCanary => "/opt/microsoft/msedge-canary/msedge",
        Channel::Chromium => "/usr/bin/chromium",
    }
}

pub(super) const fn mac_app(channel: Channel) -> &'static str {
    match channel {
        Channel::Chrome => "Google Chrome",
        Channel::ChromeBeta => "Google Chrome Beta",
        Channel::ChromeDev => "Google Chrome Dev",
        Channel::ChromeCanary => "Google Chrome Canary",
        Channel::MsEdge => "Microsoft Edge",
        Channel::MsEdgeBeta => "Microsoft Edge Beta",
        Channel::MsEdgeDev => "Microsoft Edge Dev",
        Channel::MsEdgeCanary => "Microsoft Edge Canary",
        Channel::Chromium => "Chromium",
    }
}

pub(super) const fn windows_place(channel: Channel) -> &'static str {
    match channel {
        Channel::Chrome => "Google/Chrome/Application/chrome.exe",
        Channel::ChromeBeta => "Google/Chrome Beta/Application/chrome.exe",
        Channel::ChromeDev => "Google/Chrome Dev/Application/chrome.exe",
        Channel::ChromeCanary => "Google/Chrome SxS/Application/chrome.exe",
        Channel::MsEdge => "Microsoft/Edge/Application/msedge.exe",
        Channel::MsEdgeBeta => "Microsoft/Edge Beta/Application/msedge.exe",
        Channel::MsEdgeDev => "Microsoft/Edge Dev/Application/msedge.exe",
        Channel::MsEdgeCanary => "Microsoft/Edge SxS/Application/msedge.exe",
        Channel::Chromium => "Chromium/Application/chrome.exe",
    }
}

pub(super) const fn path_names(channel: Channel) -> &'static [&'static str] {
    match channel {
        Channel::Chrome => &["google-chrome-stable", "google-chrome"],
        Channel::ChromeBeta => &["google-chrome-beta"],
        Channel::ChromeDev => &["google-chrome-unstable"],
        Channel::ChromeCanary => &["google-chrome-canary"],
        Channel::MsEdge => &["microsoft-edge-stable", "microsoft-edge"],
        Channel::MsEdgeBeta => &["microsoft-edge-beta"],
        Channel::MsEdgeDev => &["microsoft-edge-dev"],
        Channel::MsEdgeCanary => &["microsoft-edge-canary"],
        Channel::Chromium => &["chromium"],
    }
}
