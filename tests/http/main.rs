//! The server for several clients over HTTP, through the real program.

#[path = "../common/mod.rs"]
mod common;

mod heartbeat;
mod hosts;
mod older;
mod sharing;
mod streamable;
mod streams;

use common::Launch;

/// A server in upstream's manner.
fn stock() -> Launch {
    Launch::new().stock()
}
