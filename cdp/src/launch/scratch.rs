//! The folder for a browser's own temporary files.
//!
//! Chromium puts a folder with a socket into the system's temporary folder and removes it when it
//! ends in order. A browser that is killed leaves it, once per kill. So a browser gets a temporary
//! folder that goes away with it, whatever ends it.

use std::io;
use std::path::{Path, PathBuf};

use super::find::Confinement;
use super::machine::Os;
use super::profile::Profile;

/// Bytes of a socket's path, without its final NUL (unix(7)).
const SOCKET_PATH: usize = 107;
/// What Chromium appends to its temporary folder for its socket. Other brands' names are shorter.
const SOCKET: &str = "/org.chromium.Chromium.XXXXXX/SingletonSocket";

/// A folder for temporary files, and how it goes away.
#[derive(Debug)]
pub(super) struct Scratch {
    dir: PathBuf,
    /// Beside a lasting profile it is a folder of its own; in a temporary one it goes with that.
    own: Option<Profile>,
}

impl Scratch {
    /// Makes the folder for a browser with this profile. `None` leaves the browser to the system's
    /// folder: where it would not look at ours (macOS and Windows ask the system; snaps and flatpaks
    /// have folders of their own), where the path of its socket would get too long, and where the
    /// folder cannot be made.
    pub(super) fn make(
        profile: &Profile,
        confinement: Option<Confinement>,
        os: Os,
    ) -> Option<Self> {
        if os != Os::Linux || confinement.is_some() {
            return None;
        }
        let made = if profile.is_temporary() {
            inside(profile.dir())
        } else {
            beside(&std::env::temp_dir())
        };
        made.unwrap_or_else(|error| {
            tracing::warn!(%error, "no temporary folder of the browser's own");
            None
        })
    }

    /// The folder, absolute.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The folder, if nothing else takes it along.
    pub(super) fn of_its_own(&self) -> Option<&Path> {
        self.own.as_ref().map(Profile::dir)
    }

    /// Removes a folder of its own. Blocks; the browser must be gone.
    ///
    /// # Errors
    /// As [`Profile::remove`].
    pub(super) fn remove(self) -> io::Result<()> {
        self.own.map_or(Ok(()), Profile::remove)
    }
}

fn inside(profile: &Path) -> io::Result<Option<Scratch>> {
    let dir = std::path::absolute(profile.join("tmp"))?;
    if !has_room(&dir) {
        return Ok(None);
    }
    std::fs::create_dir(&dir)?;
    Ok(Some(Scratch { dir, own: None }))
}

fn beside(base: &Path) -> io::Result<Option<Scratch>> {
    let base = std::path::absolute(base)?;
    if !has_room(&base.join(Profile::SCRATCH_EXAMPLE)) {
        return Ok(None);
    }
    let own = Profile::scratch(&base).map_err(io::Error::other)?;
    Ok(Some(Scratch {
        dir: own.dir().to_path_buf(),
        own: Some(own),
    }))
}

fn has_room(dir: &Path) -> bool {
    dir.as_os_str().len() + SOCKET.len() <= SOCKET_PATH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> tempfile::TempDir {
        tempfile::Builder::new().prefix("pg-").tempdir().unwrap()
    }

    #[test]
    fn in_a_temporary_profile_it_goes_with_that() {
        let base = base();
        let profile = Profile::temporary(base.path()).unwrap();
        let scratch = Scratch::make(&profile, None, Os::Linux).unwrap();
        assert!(scratch.dir().is_dir() && scratch.dir().starts_with(profile.dir()));
        assert_eq!(scratch.of_its_own(), None);
        scratch.remove().unwrap();
        profile.remove().unwrap();
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 0);
    }

    #[test]
    fn beside_a_lasting_profile_it_is_a_folder_that_is_removed() {
        let base = base();
        let scratch = beside(base.path()).unwrap().unwrap();
        assert_eq!(scratch.of_its_own(), Some(scratch.dir()));
        let dir = scratch.dir().to_path_buf();
        assert_eq!(
            dir.file_name().unwrap().len(),
            Profile::SCRATCH_EXAMPLE.len()
        );
        std::fs::create_dir(dir.join("org.chromium.Chromium.abcdef")).unwrap();
        scratch.remove().unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_not_used() {
        // 107 bytes less the 45 of the socket's folder and name.
        assert!(has_room(Path::new(&"x".repeat(62))));
        assert!(!has_room(Path::new(&"x".repeat(63))));
        let base = base();
        let deep = base.path().join("x".repeat(60));
        std::fs::create_dir(&deep).unwrap();
        assert!(beside(&deep).unwrap().is_none());
        assert!(inside(&deep).unwrap().is_none());
        assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 0);
    }

    #[test]
    fn confined_browsers_and_other_systems_keep_theirs() {
        let base = base();
        let profile = Profile::temporary(base.path()).unwrap();
        assert!(Scratch::make(&profile, Some(Confinement::Snap), Os::Linux).is_none());
        assert!(Scratch::make(&profile, None, Os::MacOs).is_none());
        assert!(Scratch::make(&profile, None, Os::Windows).is_none());
    }
}
