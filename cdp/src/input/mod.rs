//! Planning of keyboard and mouse input.
//!
//! Planners turn an intention ("press Control+a", "double-click here") into the exact parameters of
//! `Input.*` commands and keep the little state these depend on. They send nothing, so what is sent
//! can be tested to the letter.

pub mod keyboard;
pub mod layout;
mod mac_commands;
pub mod mouse;
pub mod shortcut;
