//! Screenshots: what to ask the browser for, and whether what came back can be used.
//!
//! Pure computations; sending the command is somebody else's work.

pub mod image_size;
pub mod screenshot;
