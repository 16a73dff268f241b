//! Headless or not.

use super::machine::{Machine, Os};

/// What was decided about the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Display {
    /// Start without a window.
    pub headless: bool,
    /// Use the Wayland backend: there is a Wayland display and no X display.
    pub wayland: bool,
    /// Something the user should be told on stderr.
    pub notice: Option<String>,
}

/// Decides whether to start headless.
///
/// What was asked for wins, except that a window that has no display to open on becomes headless,
/// with a notice: the browser would only exit. Not asked: headless exactly where there is no
/// display. With `stock`, upstream's rule holds: what was asked for, else headless on Linux without
/// `DISPLAY`, whatever Wayland says.
pub fn decide(asked: Option<bool>, stock: bool, machine: &dyn Machine) -> Display {
    let linux = machine.os() == Os::Linux;
    let x = machine.var("DISPLAY").is_some();
    let wayland_only = linux && !x && machine.var("WAYLAND_DISPLAY").is_some();
    let none = linux && !x && (stock || !wayland_only);
    let headless = match asked {
        Some(asked) if stock => asked,
        Some(asked) => asked || none,
        None => none,
    };
    let overruled = headless && asked == Some(false);
    Display {
        headless,
        wayland: wayland_only && !headless,
        notice: overruled.then(|| {
            "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), \
             so the browser starts headless."
                .to_owned()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::fake::FakeMachine;
    use super::*;

    fn headless(asked: Option<bool>, stock: bool, os: Os, vars: &[(&str, &str)]) -> bool {
        decide(asked, stock, &FakeMachine::new(os, vars, &[])).headless
    }

    #[test]
    fn unasked_follows_the_display() {
        assert!(headless(None, false, Os::Linux, &[]));
        assert!(!headless(None, false, Os::Linux, &[("DISPLAY", ":0")]));
        assert!(!headless(None, false, Os::MacOs, &[]));
        assert!(!headless(None, true, Os::Windows, &[]));
    }

    #[test]
    fn wayland_counts_except_for_stock() {
        let vars = [("WAYLAND_DISPLAY", "wayland-0")];
        assert!(!headless(None, false, Os::Linux, &vars));
        assert!(headless(None, true, Os::Linux, &vars));
        assert!(decide(None, false, &FakeMachine::new(Os::Linux, &vars, &[])).wayland);
    }

    #[test]
    fn a_window_without_a_display_is_refused_with_a_notice() {
        let bare = FakeMachine::new(Os::Linux, &[("DISPLAY", "")], &[]);
        let shown = decide(Some(false), false, &bare);
        assert!(shown.headless && shown.notice.is_some());
        assert!(!decide(Some(false), true, &bare).headless);
        assert_eq!(decide(Some(true), false, &bare).notice, None);
    }
}
