//! What flags and configuration files do to replies, files, pages and the browser.

#[path = "../common/mod.rs"]
mod common;

mod coverage;
mod pages;
mod replies;
