//! The words of tool results, made from what the browser crate recorded.
//!
//! Pure functions; spelling, spacing and order are upstream's and tested literally.

pub mod body;
pub mod console;
pub mod network;
