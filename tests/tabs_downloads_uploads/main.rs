//! What comes into and goes out of the browser beside the page: tabs and
//! popups, downloads, uploads.

#[path = "../common/mod.rs"]
mod common;

mod downloads;
mod tabs;
mod uploads;
