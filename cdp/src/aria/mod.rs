//! Aria snapshots: from captured documents to the text that agents read.
//!
//! The pipeline is pure. [`PageCapture`] holds what was read of each frame,
//! [`snapshot`] makes an [`AriaTree`] of it with refs from a [`RefBook`], and
//! [`render`] prints it. With default [`SnapshotOptions`] the text is upstream's,
//! byte for byte, refs included.

mod ax;
mod ax_only;
mod build;
mod content;
mod distill;
mod name_sources;
mod names;
mod naming;
mod page;
mod raw;
mod refs;
mod render;
mod roles;
mod snapshot;
mod states;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

pub use ax::{AxOverlay, AxTree};
pub use ax_only::{AxFrame, AxPage, AxSnapshotOptions, ax_snapshot};
pub use names::{Name, NameOptions, Namer};
pub use page::{Captured, FrameCapture, PageCapture};
pub use raw::snapshot_from_json;
pub use refs::{RefBook, RefTarget};
pub use render::{key, render};
pub use roles::{Role, explicit_role, role_of};
pub use snapshot::{SnapshotOptions, snapshot};
pub use tree::{
    AriaId, AriaNode, AriaTree, Box2d, Child, ElementKey, Invalid, Ref, States, Toggle, Walk,
};
