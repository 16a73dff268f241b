//! A folder of the demo's own, for what the server writes.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

/// Names to try. More than one is taken only if somebody else wants them to be.
const MOST_NAMES: u32 = 100;
/// What the picture is called when it is kept.
const PICTURE: &str = "playguard-demo.png";

/// A new, private folder among the temporary ones. It is removed when dropped,
/// unless something in it was to be kept.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Whether it outlives this value.
    kept: bool,
}

impl Folder {
    /// Creates it in `parent`, for this user alone where the system has such
    /// permissions.
    ///
    /// # Errors
    /// When nothing can be created there.
    pub(super) fn create(parent: &Path) -> io::Result<Self> {
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let process = std::process::id();
        let mut taken = io::ErrorKind::AlreadyExists.into();
        for number in 0..MOST_NAMES {
            let path = parent.join(format!("playguard-demo-{process}-{number}"));
            // Fails for whatever is there already, links included: others may
            // write to this place, too.
            match builder.create(&path) {
                Ok(()) => return Ok(Folder { path, kept: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps `picture`, which must be in the folder, and removes all else.
    /// Returns where the picture is now.
    ///
    /// # Errors
    /// When it is not there, or cannot be moved; then nothing is kept.
    pub(super) fn keep_only(mut self, picture: &Path) -> io::Result<PathBuf> {
        let picture = picture.canonicalize()?;
        if !picture.starts_with(self.path.canonicalize()?) {
            return Err(io::Error::other("it is not in the folder for it"));
        }
        let kept = self.path.join(PICTURE);
        std::fs::rename(&picture, &kept)?;
        let entries = std::fs::read_dir(&self.path)?;
        self.kept = true;
        for entry in entries.flatten() {
            if entry.path() != kept {
                remove(&entry.path());
            }
        }
        Ok(kept)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.kept {
            remove(&self.path);
        }
    }
}

/// Removes a file or a folder; what cannot be removed is left to the system,
/// which empties the temporary folder at some time.
fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
    let _ = if is_folder {
        std::fs::remove_dir_all(path)
    } else {
        std::fs::remove_file(path)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> Folder {
        Folder::create(&std::env::temp_dir()).expect("the temporary folder is writable")
    }

    #[test]
    fn each_is_new_and_goes_when_dropped() {
        let (one, other) = (folder(), folder());
        assert_ne!(one.path(), other.path());
        let path = one.path().to_owned();
        std::fs::create_dir(path.join("sub")).expect("created");
        drop(one);
        assert!(!path.exists());
        assert!(other.path().exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look_into_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = folder();
        let about = std::fs::metadata(folder.path()).expect("it is there");
        assert_eq!(about.permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn the_picture_stays_and_the_rest_goes() {
        let folder = folder();
        let path = folder.path().to_owned();
        std::fs::create_dir(path.join("sub")).expect("created");
        std::fs::write(path.join("sub/a.png"), "picture").expect("written");
        std::fs::write(path.join("page.yml"), "snapshot").expect("written");
        let kept = folder.keep_only(&path.join("sub/a.png")).expect("kept");
        assert_eq!(std::fs::read(&kept).expect("it is there"), b"picture");
        let left = std::fs::read_dir(&path).expect("readable").count();
        assert_eq!(left, 1);
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn a_picture_from_elsewhere_is_not_moved() {
        let (folder, elsewhere) = (folder(), folder());
        let path = folder.path().to_owned();
        let picture = elsewhere.path().join("a.png");
        std::fs::write(&picture, "picture").expect("written");
        assert!(folder.keep_only(&picture).is_err());
        assert!(picture.exists());
        assert!(!path.exists());
    }
}
