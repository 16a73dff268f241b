//! The page as data: what `DOMSnapshot.captureSnapshot` (and, for pages with
//! shadow trees, `DOM.getDocument`) said, turned into one immutable
//! [`Document`] per frame.
//!
//! Nothing here talks to a browser. A [`Document`] is plain arrays, `Send` and
//! `Sync`, and is shared by `Arc` between the snapshot builder and the locator
//! engine. Pages are untrusted: indices may point anywhere, trees may be ten
//! thousand levels deep, so every pass is iterative and linear.

mod capture;
mod declared;
mod derive;
mod document;
mod facts;
mod json;
mod links;
mod node;
mod numbering;
mod rendering;
mod sharing;
mod skeleton;
mod skipped;
mod strings;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub use capture::{DocumentSnapshot, DomSnapshot};
pub use document::Document;
pub use node::{Namespace, NodeId, Pseudo, Rect, ScopeId, ShadowKind, StyleProperty};
pub use text::{
    is_js_space, js_number, js_trim, lossy_utf16_json, normalize_white_space, utf16_len,
};
pub use tree::DomTree;

/// Why raw protocol data could not be turned into documents.
#[derive(Debug, thiserror::Error)]
pub enum DomError {
    /// The reply is not the JSON that the protocol describes.
    #[error("the browser's {what} reply could not be read: {reason}")]
    Malformed {
        /// Name of the protocol method.
        what: &'static str,
        /// What the parser said.
        reason: String,
    },
}
