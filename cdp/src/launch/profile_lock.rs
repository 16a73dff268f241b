//! Who is using a profile: Chromium's own lock, and ours beside it.
//!
//! Chromium marks a profile in use by a symbolic link `SingletonLock` to `<host>-<pid>` (on Windows
//! by a file `lockfile` that it keeps open). The link outlives a browser that was killed, and a
//! process id may since belong to somebody else. So servers also hold a lock of the system on a
//! small file in the profile: such locks end with their holder, whatever ends it, and hold across
//! containers that share the folder.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// The file that servers lock; it holds the name of the last owner's host.
const OWNER_FILE: &str = "playguard.lock";

/// Who holds a profile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The host that the browser runs on.
    pub host: Option<String>,
    /// Its process id there.
    pub pid: Option<u32>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pid, &self.host) {
            (Some(pid), Some(host)) => write!(f, "process {pid} on {host}"),
            (Some(pid), None) => write!(f, "process {pid}"),
            (None, _) => f.write_str("an unknown process"),
        }
    }
}

impl Holder {
    /// The target of a `SingletonLock`. Host names may hold hyphens.
    fn parse(target: &str) -> Self {
        match target.rsplit_once('-') {
            Some((host, pid)) => Self {
                host: Some(host.to_owned()),
                pid: pid.parse().ok(),
            },
            None => Self::default(),
        }
    }

    /// Whether this browser still has the profile in `dir`. To be asked while our own lock is held:
    /// then a lock from the host of our last owner, when that is another host, is known to be stale,
    /// as from a container that has been replaced.
    pub(super) fn is_live(&self, dir: &Path, previous_owner: Option<&str>) -> bool {
        let ours = host_name();
        match (&self.host, self.pid) {
            (Some(host), _) if Some(host) != ours.as_ref() => previous_owner != Some(host),
            (_, Some(pid)) => process_has_profile(pid, dir),
            // A lock that says nothing: let Chromium judge.
            (_, None) => cfg!(windows),
        }
    }
}

/// The browser that has marked the profile as its own.
#[cfg(unix)]
pub(super) fn browser_lock(dir: &Path) -> Option<Holder> {
    let target = std::fs::read_link(dir.join("SingletonLock")).ok()?;
    Some(Holder::parse(&target.to_string_lossy()))
}

#[cfg(windows)]
pub(super) fn browser_lock(dir: &Path) -> Option<Holder> {
    /// ERROR_SHARING_VIOLATION: somebody has the file open for themselves.
    const SHARING_VIOLATION: i32 = 32;
    let error = File::open(dir.join("lockfile")).err()?;
    (error.raw_os_error() == Some(SHARING_VIOLATION)).then(Holder::default)
}

/// Removes the mark of a browser that is gone, and what belongs to it.
pub(super) fn remove_browser_lock(dir: &Path) -> io::Result<()> {
    for name in ["SingletonLock", "SingletonCookie", "SingletonSocket"] {
        match std::fs::remove_file(dir.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Whether process `pid` runs and is a browser with this profile. Where its command line cannot be
/// seen, running is enough.
#[cfg(unix)]
fn process_has_profile(pid: u32, dir: &Path) -> bool {
    use super::procinfo;
    if !procinfo::is_alive(pid) {
        return false;
    }
    let Some(line) = procinfo::command_line(pid) else {
        return true;
    };
    let line = line.to_ascii_lowercase();
    let has = |needle: &str| memchr_find(&line, needle.to_ascii_lowercase().as_bytes());
    // A browser that a person started on its default profile names no folder.
    has(&dir.to_string_lossy())
        || ["chrom", "edge", "brave", "vivaldi", "opera"]
            .iter()
            .any(|name| has(name))
}

#[cfg(unix)]
fn memchr_find(text: &[u8], needle: &[u8]) -> bool {
    !needle.is_empty() && text.windows(needle.len()).any(|window| window == needle)
}

#[cfg(windows)]
fn process_has_profile(_: u32, _: &Path) -> bool {
    true
}

/// Our lock on a profile; it ends when this value is dropped or the process ends.
#[derive(Debug)]
pub(super) struct OwnerLock {
    _file: File,
}

impl OwnerLock {
    /// Takes the lock. `None` where the file system knows no locks.
    ///
    /// # Errors
    /// `WouldBlock` when another server has it, else what opening the file said.
    pub(super) fn acquire(dir: &Path) -> io::Result<Option<Self>> {
        let mut file = match open_exclusively(&dir.join(OWNER_FILE), true)? {
            Some(file) => file,
            None => return Ok(None),
        };
        if let Some(host) = host_name() {
            // Only a help for whoever comes next.
            let _ = file
                .set_len(0)
                .and_then(|()| file.write_all(host.as_bytes()));
        }
        Ok(Some(Self { _file: file }))
    }
}

/// The host of the server that had the profile last.
pub(super) fn last_owner_host(dir: &Path) -> Option<String> {
    let mut host = String::new();
    // A host name has at most 255 bytes.
    File::open(dir.join(OWNER_FILE))
        .ok()?
        .take(256)
        .read_to_string(&mut host)
        .ok()?;
    (!host.is_empty()).then_some(host)
}

/// Whether no server has this temporary profile any more. To be asked of profiles old enough to have
/// got an owner.
pub(super) fn abandoned(dir: &Path) -> bool {
    match open_exclusively(&dir.join(OWNER_FILE), false) {
        Ok(Some(_)) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        // It cannot be told.
        Ok(None) => false,
    }
}

#[cfg(unix)]
fn open_exclusively(path: &Path, create: bool) -> io::Result<Option<File>> {
    use rustix::fs::{FlockOperation, flock};
    use std::os::unix::fs::OpenOptionsExt as _;
    let file = File::options()
        .read(true)
        .write(true)
        .create(create)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(io::ErrorKind::WouldBlock.into()),
        Err(_) => Ok(None),
    }
}

#[cfg(windows)]
fn open_exclusively(path: &Path, create: bool) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt as _;
    const SHARING_VIOLATION: i32 = 32;
    let opened = File::options()
        .read(true)
        .write(true)
        .create(create)
        .truncate(false)
        .share_mode(0)
        .open(path);
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => {
            Err(io::ErrorKind::WouldBlock.into())
        }
        Err(error) => Err(error),
    }
}

/// This host's name, as Chromium writes it into its lock.
#[cfg(unix)]
fn host_name() -> Option<String> {
    rustix::system::uname()
        .nodename()
        .to_str()
        .ok()
        .map(str::to_owned)
}

#[cfg(windows)]
fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_targets() {
        let holder = Holder::parse("my-host-4711");
        assert_eq!(holder.host.as_deref(), Some("my-host"));
        assert_eq!(holder.pid, Some(4711));
        assert_eq!(holder.to_string(), "process 4711 on my-host");
        assert_eq!(Holder::parse("nonsense"), Holder::default());
        assert_eq!(Holder::parse("host-x").pid, None);
    }
}
