//! The folder with recordings and cases that is not part of the repository.

use std::path::{Path, PathBuf};

/// `PLAYGUARD_SHARED`, else `shared` beside the repository. Says so and gives
/// nothing when `part` is not there: a checkout without it is no failure.
pub fn folder(part: &str) -> Option<PathBuf> {
    let base = std::env::var_os("PLAYGUARD_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = base.join(part);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {}", folder.display());
    None
}
