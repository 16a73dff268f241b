//! Chromium over the DevTools protocol, usable on its own.
//!
//! Rooms, from the wire upwards; each knows only those above it in this list:
//!
//! - [`connection`] multiplexes commands, answers and events over a pipe or a WebSocket.
//! - [`launch`] finds, starts, watches and ends browsers. It knows nothing of the protocol.
//! - [`dom`], [`aria`] and [`locator`] are pure: captured documents as data, the snapshot text that
//!   agents read and the refs in it, and the queries and locator code that name elements.
//! - [`input`], [`observe`] and [`capture`] are pure too: planned key and pointer events, what a page
//!   said and requested, and the arithmetic of pictures.
//! - [`context`] holds what the pages of a browser context share: cookies, routes, being offline.
//! - [`page`] keeps the state of a tab by its events and sends commands to it; [`action`] acts on its
//!   elements as a person would; [`browser`] routes events to pages.
//!
//! Rules that hold everywhere: every command has a deadline; an event that is not understood is
//! ignored; what decides is pure and tested without a browser; nothing a page says is trusted.

pub mod action;
pub mod aria;
pub mod browser;
pub mod capture;
pub mod connection;
pub mod context;
pub mod dom;
pub mod input;
pub mod launch;
pub mod locator;
pub mod observe;
pub mod page;
