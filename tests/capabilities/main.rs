//! The tools of capabilities that are off unless asked for.

#[path = "../common/mod.rs"]
mod common;

mod network;
mod pdf;
mod storage;
mod testing;
mod vision;
