//! The words of `--stock`: replies that equal upstream's, character by
//! character. Each area is a module with a server of its own.

#[path = "../common/mod.rs"]
mod common;

mod actions;
mod evaluate;
mod files;
mod logs;
mod mistakes;
mod modals;
mod navigation;
mod tabs;
mod timeouts;
mod views;
