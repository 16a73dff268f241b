//! Where we do as upstream does and where we do better, chosen once when the server starts.

use std::time::Duration;

use playguard_cdp::action::RestRule;
use playguard_cdp::observe::Style;

use crate::config::Config;

/// How to wait for a page after an action.
#[derive(Debug, Clone, Copy)]
pub(super) enum Settle {
    /// Upstream's way: this long, always.
    Fixed(Duration),
    /// Until the page has come to rest.
    Adaptive(RestRule),
}

/// The differences between stock and our own way, as values.
#[derive(Debug, Clone)]
pub(super) struct Manners {
    pub(super) settle: Settle,
    /// What stands before the messages of failed browser operations.
    pub(super) operation_prefix: &'static str,
    /// Give up on an element before the time-out once waiting cannot help.
    pub(super) early_refusal: bool,
    /// Print facts beyond upstream's in snapshots, show closed shadow roots, mask passwords.
    pub(super) extras: bool,
    pub(super) style: Style,
    /// What a busy profile does: an error, or a fresh profile with a notice.
    pub(super) fall_back_to_fresh_profile: bool,
}

impl Manners {
    pub(super) fn of(config: &Config) -> Self {
        let settle = Duration::from_millis(config.timeouts.settle_ms);
        if config.stock {
            return Self {
                settle: Settle::Fixed(settle),
                operation_prefix: "browserBackend.callTool: ",
                early_refusal: false,
                extras: false,
                style: Style::Stock,
                fall_back_to_fresh_profile: false,
            };
        }
        Self {
            settle: Settle::Adaptive(RestRule {
                quiet: 3,
                idle: 60,
                limit: config.timeouts.settle_ms,
            }),
            operation_prefix: "",
            early_refusal: true,
            extras: true,
            style: Style::Full,
            fall_back_to_fresh_profile: true,
        }
    }
}
