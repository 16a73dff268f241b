//! What the fuzz targets run: the pure modules of `playguard-cdp`, and checks
//! that panic when a promise of theirs is broken.
//!
//! Each check takes the bytes that the fuzzer made. `cargo test` runs them over
//! the seeds, without a fuzzer.

#[path = "../../cdp/src/aria/mod.rs"]
pub mod aria;
#[path = "../../cdp/src/dom/mod.rs"]
pub mod dom;
#[path = "../../cdp/src/connection/envelope.rs"]
pub mod envelope;
#[path = "../../cdp/src/locator/mod.rs"]
pub mod locator;
#[path = "../../cdp/src/connection/surrogates.rs"]
pub mod surrogates;

pub mod check_aria;
pub mod check_document;
pub mod check_envelope;
pub mod check_generate;
pub mod check_locator;
pub mod mutate;
pub mod page;
