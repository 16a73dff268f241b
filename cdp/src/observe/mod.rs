//! What a page did, kept in memory: console messages, uncaught errors, network requests.
//!
//! Everything here is a pure reducer. It is fed with the name and the undecoded parameters of
//! DevTools events in the order they arrived, asks nobody anything and never fails: an event it does
//! not understand changes nothing. Pages are not trusted, so all memory is bounded.

pub mod console;
pub mod console_feed;
pub mod network;
pub mod network_idle;
mod preview;
mod stack;
mod text;

use serde::Deserialize;

/// How faithfully texts repeat what the browser said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Exactly what `@playwright/mcp` prints, including what it leaves out.
    Stock,
    /// The same format with what an agent would otherwise miss: marks where the browser shortened a
    /// preview, the selector of an element instead of a handle's name, the name and the place of an
    /// error that has no stack. Messages are cut earlier, with a mark.
    #[default]
    Full,
}

/// Decodes the parameters of an event; `None` when they have another shape than the known one.
fn decode<'a, T: Deserialize<'a>>(params: &'a str) -> Option<T> {
    serde_json::from_str(params).ok()
}

/// Decodes a count that some browsers give as -1 for "unknown"; anything that is none becomes 0.
fn count<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let value: Option<f64> = serde_json::Value::deserialize(from)?.as_f64();
    // Saturates at both ends.
    Ok(value.unwrap_or(0.0) as u64)
}
