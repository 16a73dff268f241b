//! Files of other programs, changed so that they are whole at every moment.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What the name of a backup ends with.
const BACKUP: &str = ".playguard-backup";

/// A file as it was found.
#[derive(Debug)]
pub(super) struct Found {
    /// The file itself, not a link to it: a link stays a link.
    path: PathBuf,
    /// `None` when there is none yet.
    text: Option<String>,
}

impl Found {
    /// What is in it; nothing in one that is not there.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

/// Reads a file that may not be there yet.
///
/// # Errors
/// What the system says, or in words what else is in its place.
pub(super) fn read(path: &Path) -> io::Result<Found> {
    let other = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let path = match fs::canonicalize(path) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(other("it is a link that leads nowhere"));
            }
            return Ok(Found {
                path: path.to_owned(),
                text: None,
            });
        }
        Err(error) => return Err(error),
    };
    // Reading a pipe or a device might never end.
    if !fs::metadata(&path)?.is_file() {
        return Err(other("it is not a file"));
    }
    let text = String::from_utf8(fs::read(&path)?);
    let text = text.map_err(|_| other("it is not UTF-8 text"))?;
    Ok(Found {
        path,
        text: Some(text),
    })
}

/// Puts a new text in place of what was found, in one step. The first time, the old one is kept
/// beside it; returns its place then.
///
/// # Errors
/// What the system says; the file is as it was.
pub(super) fn replace(found: &Found, text: &str) -> io::Result<Option<PathBuf>> {
    let folder = match found.path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new();
    file.prefix(".playguard-");
    // As any other new file, up to the umask; an old one gets its own rights below.
    #[cfg(unix)]
    file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = file.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let Some(old) = &found.text else {
        file.as_file().sync_all()?;
        // Who made it meanwhile keeps it.
        file.persist_noclobber(&found.path)?;
        return Ok(None);
    };
    file.as_file()
        .set_permissions(fs::metadata(&found.path)?.permissions())?;
    file.as_file().sync_all()?;
    let backup = keep(found, folder, old)?;
    if fs::read(&found.path)? != old.as_bytes() {
        return Err(io::Error::other(
            "another program has just changed it; try again",
        ));
    }
    file.persist(&found.path)?;
    Ok(backup)
}

/// Writes the backup unless there is one.
fn keep(found: &Found, folder: &Path, old: &str) -> io::Result<Option<PathBuf>> {
    let mut name = found
        .path
        .file_name()
        .map_or_else(OsString::new, OsString::from);
    name.push(BACKUP);
    let place = folder.join(name);
    if fs::symlink_metadata(&place).is_ok() {
        return Ok(None);
    }
    let mut copy = tempfile::Builder::new()
        .prefix(".playguard-")
        .tempfile_in(folder)?;
    copy.write_all(old.as_bytes())?;
    copy.as_file()
        .set_permissions(fs::metadata(&found.path)?.permissions())?;
    copy.as_file().sync_all()?;
    match copy.persist_noclobber(&place) {
        Ok(_) => Ok(Some(place)),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_comes_with_its_folders_and_no_backup() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b/c.json");
        let found = read(&path).expect("nothing is not an error");
        assert_eq!(found.text(), "");
        assert_eq!(replace(&found, "{}").expect("written"), None);
        assert_eq!(fs::read_to_string(&path).expect("there"), "{}");
        assert_eq!(names(path.parent().expect("a folder")), ["c.json"]);
    }

    #[test]
    fn the_first_text_is_kept_and_later_ones_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.json");
        fs::write(&path, "1").expect("written");
        let backup = replace(&read(&path).expect("read"), "2").expect("written");
        let backup = backup.expect("the first time");
        assert!(backup.ends_with("c.json.playguard-backup"));
        assert_eq!(
            replace(&read(&path).expect("read"), "3").expect("written"),
            None
        );
        assert_eq!(fs::read_to_string(&backup).expect("there"), "1");
        assert_eq!(fs::read_to_string(&path).expect("there"), "3");
        assert_eq!(names(folder.path()), ["c.json", "c.json.playguard-backup"]);
    }

    #[test]
    fn what_changed_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.json");
        let absent = read(&path).expect("read");
        fs::write(&path, "1").expect("written");
        replace(&absent, "2").expect_err("it is there now");
        let found = read(&path).expect("read");
        fs::write(&path, "theirs").expect("written");
        replace(&found, "2").expect_err("it is another one now");
        assert_eq!(fs::read_to_string(&path).expect("there"), "theirs");
    }

    #[test]
    fn folders_and_binary_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = |path: &Path| read(path).expect_err("refused").to_string();
        assert_eq!(refused(folder.path()), "it is not a file");
        let path = folder.path().join("c.json");
        fs::write(&path, b"\xff\xfe{\0}\0").expect("written");
        assert_eq!(refused(&path), "it is not UTF-8 text");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_rights_stay_as_they_are() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().join("dotfiles.json");
        let link = folder.path().join("link.json");
        fs::write(&real, "1").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
        symlink(&real, &link).expect("linked");
        let backup = replace(&read(&link).expect("read"), "2").expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("there"), "2");
        for path in [real.clone(), backup.expect("one")] {
            let mode = fs::metadata(path).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
        }
        fs::remove_file(&real).expect("removed");
        let error = read(&link).expect_err("refused").to_string();
        assert_eq!(error, "it is a link that leads nowhere");
    }
}
