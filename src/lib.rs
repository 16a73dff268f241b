//! PlayGuard: a browser for AI agents, over MCP, with guards around it.
//!
//! One value flows one way. A [`call::ToolCall`] comes from a client through [`server`], passes the
//! layers of [`pipeline`] and reaches a [`backend`]; a [`call::ToolReply`] comes back, typed, and
//! [`reply`] turns it into what the client reads. Nobody calls sideways or upward.
//!
//! - [`cli`] and [`config`] decide everything before the server starts: flags over environment over
//!   defaults, one resolved struct.
//! - [`tools`] holds the catalogue of tools, their schemas and the validation of arguments.
//! - [`backend::native`] implements the tools over the crate `playguard-cdp`, which knows the
//!   browser and nothing of MCP. One file per group of tools.
//! - [`find`] is the search in snapshots; [`demo`], [`doctor`] and, for `config`, [`client_config`]
//!   are commands.
//!
//! Where upstream (`@playwright/mcp`) and we differ, the difference is a value chosen once when the
//! server starts ([`backend::native`]'s manners), not a question asked in many places.

pub mod backend;
pub mod call;
pub mod cli;
pub mod client_config;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod find;
pub mod memory;
pub mod pipeline;
pub mod reply;
pub mod script;
pub mod server;
pub mod tools;
