//! What tools and parameters mean, in our own words. Models read this with every request: say what
//! is needed to choose a tool and call it right, and nothing else.

mod config;
mod core;
mod network;
mod pdf;
mod storage;
mod testing;
mod vision;

/// The prose of one tool.
pub(super) struct Prose {
    /// Its name.
    pub tool: &'static str,
    /// What it does.
    pub text: &'static str,
    /// Descriptions of its parameters; `a.b` is a parameter of the objects in array `a`.
    pub parameters: &'static [(&'static str, &'static str)],
}

const ELEMENT: &str = "Short human description of the element";
const TARGET: &str = "Element ref from the latest snapshot (e12), or a CSS selector or locator";
const SAVE: &str =
    "Save the result to this file, relative to the workspace, instead of returning it";

/// Every tool that there is, by group. A tool of upstream that has no prose here is not written
/// yet, and is not listed.
pub(super) const GROUPS: &[&[Prose]] = &[
    config::CONFIG,
    core::CORE,
    network::NETWORK,
    pdf::PDF,
    storage::STORAGE,
    testing::TESTING,
    vision::VISION,
];
