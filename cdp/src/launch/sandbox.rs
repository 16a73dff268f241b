//! Whether the browser's own sandbox is on.

use super::find::Channel;
use super::machine::{Machine, Os};

/// What was decided about the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The sandbox is on.
    pub enabled: bool,
    /// Something the user should be told on stderr: whenever the sandbox is off, and why.
    pub notice: Option<String>,
}

/// Decides whether to start with the sandbox.
///
/// What was asked for wins. Otherwise it is on, unless we are root on Linux, where Chromium refuses
/// to start with it. With `stock`, upstream's rule holds for the unasked case: on outside Linux; on
/// Linux only for a channel other than Chromium and Chrome for Testing (`channel` is the one in
/// force, that is, `None` only where the configuration asks for upstream's bundled Chromium).
pub fn decide(
    asked: Option<bool>,
    stock: bool,
    channel: Option<Channel>,
    machine: &dyn Machine,
) -> Sandbox {
    let linux = machine.os() == Os::Linux;
    let root = linux && machine.is_root();
    let branded = channel.is_some_and(|channel| channel != Channel::Chromium);
    let enabled = match asked {
        Some(asked) => asked,
        None if stock => !linux || branded,
        None => !root,
    };
    let notice = match asked {
        _ if enabled => None,
        Some(_) => Some("The browser's sandbox is off, as asked (--no-sandbox)."),
        None if root => Some(
            "Running as root: the browser's sandbox is off. \
             Run as another user to have it on.",
        ),
        None => Some("The browser's sandbox is off, as is usual for this channel on Linux."),
    };
    Sandbox {
        enabled,
        notice: notice.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::fake::FakeMachine;
    use super::*;

    fn machine(os: Os, root: bool) -> FakeMachine {
        FakeMachine {
            root,
            ..FakeMachine::new(os, &[], &[])
        }
    }

    #[test]
    fn on_unless_root_or_asked_off() {
        let user = machine(Os::Linux, false);
        assert!(decide(None, false, None, &user).enabled);
        assert_eq!(decide(None, false, None, &user).notice, None);
        let root = decide(None, false, None, &machine(Os::Linux, true));
        assert!(!root.enabled);
        assert!(root.notice.unwrap().contains("root"));
        assert!(decide(None, false, None, &machine(Os::MacOs, true)).enabled);
        let off = decide(Some(false), false, Some(Channel::Chrome), &user);
        assert!(!off.enabled && off.notice.unwrap().contains("--no-sandbox"));
        assert!(decide(Some(true), false, None, &machine(Os::Linux, true)).enabled);
    }

    #[test]
    fn stock_goes_by_the_channel() {
        let user = machine(Os::Linux, false);
        assert!(decide(None, true, Some(Channel::Chrome), &user).enabled);
        assert!(decide(None, true, Some(Channel::MsEdgeBeta), &user).enabled);
        assert!(!decide(None, true, Some(Channel::Chromium), &user).enabled);
        assert!(!decide(None, true, None, &user).enabled);
        assert!(decide(None, true, None, &machine(Os::Windows, false)).enabled);
        assert!(!decide(Some(false), true, Some(Channel::Chrome), &user).enabled);
    }
}
