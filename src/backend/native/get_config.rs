//! Showing the configuration.

use playguard_cdp::launch::machine::ThisMachine;
use playguard_cdp::launch::{Channel, display, sandbox};

use super::NativeBackend;
use super::response::Response;

impl NativeBackend {
    /// The resolved configuration as JSON. The page is not asked for anything.
    pub(super) fn get_config(&self, response: &mut Response) {
        let config = &self.config;
        let headless = display::decide(config.headless, config.stock, &ThisMachine).headless;
        let channel = Channel::parse(config.browser.channel);
        let sandbox = sandbox::decide(config.sandbox, config.stock, channel, &ThisMachine).enabled;
        response.result(format!("{:#}", config.report(headless, sandbox)));
    }
}
