//! Profile folders: temporary ones that leave nothing behind, persistent ones that only one browser
//! may use at a time.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::find::Confinement;
use super::machine::{self, Machine};
use super::profile_lock::{self, Holder, OwnerLock};

/// Names of temporary profiles start with this.
pub const TEMPORARY_PREFIX: &str = "playguard-profile-";
/// Names of folders for temporary files beside lasting profiles start with this.
const SCRATCH_PREFIX: &str = "playguard-tmp-";

/// A temporary profile whose folder has not changed for so long may be stale.
const STALE_AGE: Duration = Duration::from_secs(60);
/// How often a busy profile is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long removing a folder may take while a dying browser still writes into it.
pub(super) const REMOVE_LIMIT: Duration = Duration::from_secs(3);

/// How long to wait for a busy profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Patience {
    /// The time in all. Zero looks once.
    pub limit: Duration,
    /// Wait also while another server of ours has it, and not only for a browser whose server is
    /// gone, which is on its way out.
    pub for_servers: bool,
}

/// Why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Another browser has it.
    #[error("{}", busy_message(.dir))]
    Busy {
        /// The folder.
        dir: PathBuf,
        /// Who holds it, as far as is known.
        holder: Holder,
    },
    /// It cannot be made or read.
    #[error("Cannot use the profile folder {}: {source}", .dir.display())]
    Io {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Upstream's text for a busy profile.
pub fn busy_message(dir: &Path) -> String {
    format!(
        "Browser is already in use for {}, use --isolated to run multiple instances of the same browser",
        dir.display()
    )
}

/// A profile folder that is ours while this value lives.
#[derive(Debug)]
pub struct Profile {
    dir: PathBuf,
    temporary: bool,
    /// What had to be done to get it, for the user.
    notices: Vec<String>,
    lock: Option<OwnerLock>,
}

impl Profile {
    /// A fresh folder in `base`, readable by us alone. It is removed by [`Profile::remove`], or by
    /// the watchdog, or when all of that failed by a later [`sweep`].
    ///
    /// # Errors
    /// [`ProfileError::Io`] when `base` cannot be written to.
    pub fn temporary(base: &Path) -> Result<Self, ProfileError> {
        Self::fresh(base, TEMPORARY_PREFIX)
    }

    /// As [`Profile::temporary`], but not for a profile: for the temporary files of a browser whose
    /// profile stays.
    pub(super) fn scratch(base: &Path) -> Result<Self, ProfileError> {
        Self::fresh(base, SCRATCH_PREFIX)
    }

    /// A name as long as those of [`Profile::scratch`].
    pub(super) const SCRATCH_EXAMPLE: &str = "playguard-tmp-0123456789ab";

    fn fresh(base: &Path, prefix: &str) -> Result<Self, ProfileError> {
        let fail = |dir: &Path, source| ProfileError::Io {
            dir: dir.to_path_buf(),
            source,
        };
        std::fs::create_dir_all(base).map_err(|source| fail(base, source))?;
        loop {
            let dir = base.join(format!("{prefix}{:012x}", random() >> 16));
            match private_dir(&dir) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(fail(&dir, error)),
            }
            let lock = match OwnerLock::acquire(&dir) {
                Ok(lock) => lock,
                Err(error) => {
                    // Nothing else can be in a folder that was just made.
                    let _ = std::fs::remove_dir_all(&dir);
                    return Err(fail(&dir, error));
                }
            };
            return Ok(Self {
                dir,
                temporary: true,
                notices: Vec::new(),
                lock,
            });
        }
    }

    /// The folder `dir`, made if it is not there. While another browser has it, this looks again
    /// until the patience is over. A lock left by a browser that is gone is removed, with a notice.
    ///
    /// # Errors
    /// [`ProfileError::Busy`] when another browser has it, [`ProfileError::Io`] when the folder
    /// cannot be made or written to.
    pub async fn persistent(dir: &Path, patience: Patience) -> Result<Self, ProfileError> {
        let fail = |source| ProfileError::Io {
            dir: dir.to_path_buf(),
            source,
        };
        std::fs::create_dir_all(dir).map_err(fail)?;
        // Chromium and we must name the folder alike, whatever links lead to it.
        let dir = std::path::absolute(dir).map_err(fail)?;
        let give_up = tokio::time::Instant::now() + patience.limit;
        loop {
            let (holder, served) = match take(&dir).map_err(fail)? {
                Taken::Free(lock, notices) => {
                    return Ok(Self {
                        dir,
                        temporary: false,
                        notices,
                        lock,
                    });
                }
                Taken::Busy { holder, served } => (holder, served),
            };
            let hopeless = served && !patience.for_servers;
            if hopeless || tokio::time::Instant::now() + LOOK_AGAIN > give_up {
                return Err(ProfileError::Busy { dir, holder });
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether it goes away with the browser.
    pub const fn is_temporary(&self) -> bool {
        self.temporary
    }

    /// What the user should be told about getting it.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Ends our use of it: a temporary folder is removed, which may take a moment when a dying
    /// browser still writes into it. Blocks; the browser must be gone.
    ///
    /// # Errors
    /// When a temporary folder could not be removed within three seconds.
    pub fn remove(mut self) -> io::Result<()> {
        self.lock = None;
        if self.temporary {
            remove_folder(&self.dir, REMOVE_LIMIT)
        } else {
            Ok(())
        }
    }
}

enum Taken {
    Free(Option<OwnerLock>, Vec<String>),
    Busy {
        holder: Holder,
        /// A living server has it, rather than a browser without one.
        served: bool,
    },
}

fn take(dir: &Path) -> io::Result<Taken> {
    // Our own lock first: it settles races between two servers, and tells that a server which
    // recorded itself as the last user is gone.
    let previous = profile_lock::last_owner_host(dir);
    let lock = match OwnerLock::acquire(dir) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            let holder = profile_lock::browser_lock(dir).unwrap_or_default();
            return Ok(Taken::Busy {
                holder,
                served: true,
            });
        }
        Err(error) => return Err(error),
    };
    match profile_lock::browser_lock(dir) {
        None => Ok(Taken::Free(lock, Vec::new())),
        Some(holder) if holder.is_live(dir, previous.as_deref()) => Ok(Taken::Busy {
            holder,
            served: false,
        }),
        Some(holder) => {
            profile_lock::remove_browser_lock(dir)?;
            let notice = format!(
                "The profile {} was still locked by a browser that is gone ({holder}); \
                 the lock was removed.",
                dir.display()
            );
            Ok(Taken::Free(lock, vec![notice]))
        }
    }
}

/// The folder for temporary profiles of a browser: the system's, or one that a confined browser can
/// see.
pub fn temporary_base(confinement: Option<Confinement>, machine: &dyn Machine) -> PathBuf {
    confined_base(confinement, machine).map_or_else(std::env::temp_dir, PathBuf::from)
}

/// The persistent profile of a workspace: `<cache>/playguard/profiles/<channel>-<hash>`, with the
/// first seven hex digits of SHA-256 over the workspace's path. With `stock` it is upstream's
/// folder, `<cache>/ms-playwright-mcp/mcp-<channel>-<hash>`, so that logins carry over; the variable
/// `PWMCP_PROFILES_DIR_FOR_TEST` replaces its first two parts. `None` when there is no home.
pub fn workspace_dir(
    channel: &str,
    workspace: &str,
    stock: bool,
    confinement: Option<Confinement>,
    machine: &dyn Machine,
) -> Option<String> {
    let os = machine.os();
    let digest = Sha256::digest(workspace.as_bytes());
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let hash = hash.get(..7)?;
    let cache = || machine::cache_dir(machine);
    if stock {
        let root = match machine.var("PWMCP_PROFILES_DIR_FOR_TEST") {
            Some(root) => root,
            None => os.join(&cache()?, &["ms-playwright-mcp"]),
        };
        return Some(os.join(&root, &[&format!("mcp-{channel}-{hash}")]));
    }
    let root = confined_base(confinement, machine).or_else(cache)?;
    Some(os.join(&root, &["playguard/profiles", &format!("{channel}-{hash}")]))
}

/// A folder that a confined browser and we both see.
fn confined_base(confinement: Option<Confinement>, machine: &dyn Machine) -> Option<String> {
    let home = machine::home(machine)?;
    let inner = match confinement? {
        Confinement::Snap => "snap/chromium/common",
        Confinement::Flatpak => ".var/app/org.chromium.Chromium/cache",
    };
    Some(machine.os().join(&home, &[inner]))
}

/// Who has a profile, as a look from outside tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockState {
    /// Nobody.
    Free,
    /// A running browser, in words.
    Held(String),
    /// A browser that is gone and left its mark.
    Stale,
}

/// Looks who has the profile in `dir`; changes nothing.
pub fn lock_state(dir: &Path) -> LockState {
    match profile_lock::browser_lock(dir) {
        None => LockState::Free,
        Some(holder) if holder.is_live(dir, None) => LockState::Held(holder.to_string()),
        Some(_) => LockState::Stale,
    }
}

/// Removes temporary folders of ours in `base` whose owners are gone, as after a loss of power. Cheap when
/// there are none: one listing of the folder. Returns how many were removed. Blocks.
pub fn sweep(base: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(base) else {
        return 0;
    };
    let mut removed = 0;
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| {
            name.starts_with(TEMPORARY_PREFIX) || name.starts_with(SCRATCH_PREFIX)
        });
        // A folder, not a link to one: the system's temporary folder is open to everybody.
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let dir = entry.path();
        // A newborn has no owner yet.
        let old = std::fs::metadata(&dir)
            .and_then(|meta| meta.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE_AGE));
        let in_use =
            || profile_lock::browser_lock(&dir).is_some_and(|holder| holder.is_live(&dir, None));
        if old
            && !in_use()
            && profile_lock::abandoned(&dir)
            && std::fs::remove_dir_all(&dir).is_ok()
        {
            tracing::debug!(dir = %dir.display(), "removed a stale profile");
            removed += 1;
        }
    }
    removed
}

/// Removes a folder into which somebody may still be writing: tries until it is gone or `limit` is
/// over. Blocks.
pub(super) fn remove_folder(dir: &Path, limit: Duration) -> io::Result<()> {
    let give_up = std::time::Instant::now() + limit;
    loop {
        match std::fs::remove_dir_all(dir) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if std::time::Instant::now() >= give_up => return Err(error),
            Err(_) => {}
        }
        if !dir.exists() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(dir)
}

/// A number that differs between calls and processes. Not a secret.
fn random() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
