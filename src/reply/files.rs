//! Where files of a session lie, how replies write their paths, and which files a model may name.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::names;
use crate::config::FilePaths;

/// Folder for automatic files inside the workspace.
const OUTPUT_FOLDER: &str = ".playwright-mcp";

/// Symbolic links that point nowhere are followed this often before a path counts as unusable; the
/// number is that of Linux.
const MAX_LINKS: usize = 40;

/// A file that a model named lies where it may not read or write. Its text is upstream's; as an
/// exception it prints with `Error: ` before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "File access denied: {} is outside allowed roots. Allowed roots: {}, {}",
    path.display(), output_dir.display(), workspace.display()
)]
pub struct FileAccessDenied {
    /// The file, absolute, symbolic links not resolved.
    pub path: PathBuf,
    /// First allowed root.
    pub output_dir: PathBuf,
    /// Second allowed root.
    pub workspace: PathBuf,
}

tokio::task_local! {
    /// Where the caller of the call under way says to be.
    static CALLER: PathBuf;
}

/// Runs a call for a caller who is in another folder than the workspace: names are resolved against
/// that folder and printed relative to it. What may be touched stays the same.
pub async fn seen_from<T>(folder: Option<PathBuf>, call: impl Future<Output = T>) -> T {
    match folder {
        Some(folder) => CALLER.scope(normalised(&folder), call).await,
        None => call.await,
    }
}

/// The file rules of one client session.
///
/// Names chosen by a model are resolved against the workspace and checked by [`guard`]; names that
/// the server makes up lie in the output folder and need no check.
///
/// [`guard`]: FileRules::guard
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRules {
    workspace: PathBuf,
    output_dir: PathBuf,
    paths: FilePaths,
    unrestricted: bool,
}

impl FileRules {
    /// `workspace` and `output_dir` are absolute. `unrestricted` turns the guard off.
    pub fn new(
        workspace: PathBuf,
        output_dir: PathBuf,
        paths: FilePaths,
        unrestricted: bool,
    ) -> Self {
        Self {
            workspace: normalised(&workspace),
            output_dir: normalised(&output_dir),
            paths,
            unrestricted,
        }
    }

    /// The folder of automatic files. It may not exist yet.
    pub fn output_dir(&self) -> &Path {
        &self.output_dir
    }

    /// The folder that names are resolved against.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Absolute path of an automatic file in the output folder, such as `page-<time>.yml`.
    pub fn automatic(&self, prefix: &str, extension: &str, time: SystemTime) -> PathBuf {
        self.output_dir
            .join(names::automatic(prefix, extension, time))
    }

    /// Absolute path of a download, from the name its server suggested.
    pub fn download(&self, suggested: &str) -> PathBuf {
        self.output_dir.join(names::download(suggested))
    }

    /// Absolute path of a file that a model named, checked.
    ///
    /// # Errors
    /// [`FileAccessDenied`] as [`FileRules::guard`] says.
    pub fn named(&self, name: &str) -> Result<PathBuf, FileAccessDenied> {
        let path = self.resolve(name);
        self.guard(&path)?;
        Ok(path)
    }

    /// Absolute path of a file that a model named, not checked. `.` and `..` are gone.
    pub fn resolve(&self, name: &str) -> PathBuf {
        normalised(&self.here().join(name))
    }

    /// Lets a path pass that is the output folder, the workspace or inside one of them.
    ///
    /// Symbolic links count as what they point to, also those of parent folders and those whose
    /// target does not exist yet. A folder replaced by a link between this check and the use of
    /// the path is not noticed.
    ///
    /// # Errors
    /// [`FileAccessDenied`] for every other path, and for circular links.
    pub fn guard(&self, path: &Path) -> Result<(), FileAccessDenied> {
        if self.unrestricted {
            return Ok(());
        }
        let inside = real(path).is_some_and(|file| {
            [&self.output_dir, &self.workspace]
                .into_iter()
                .filter_map(|root| real(root))
                .any(|root| file.starts_with(root))
        });
        if inside {
            return Ok(());
        }
        Err(FileAccessDenied {
            path: normalised(path),
            output_dir: self.output_dir.clone(),
            workspace: self.workspace.clone(),
        })
    }

    /// The folder that names are seen from: that of the caller, or else the workspace.
    fn here(&self) -> PathBuf {
        CALLER
            .try_with(|folder| self.workspace.join(folder))
            .unwrap_or_else(|_| self.workspace.clone())
    }

    /// A link line: `- [<title>](<path>)`.
    pub fn link(&self, title: &str, path: &Path) -> String {
        format!("- [{title}]({})", self.link_path(path))
    }

    /// A path as links and code comments print it: relative to the workspace, with `./` before
    /// bare names, or absolute when so configured.
    pub fn link_path(&self, path: &Path) -> String {
        let text = self.plain_path(path);
        let bare = Path::new(&text).components().count() == 1;
        if bare && !text.starts_with('.') && !Path::new(&text).is_absolute() {
            return format!("./{text}");
        }
        text
    }

    /// The same without the `./`: console links, downloads, response bodies.
    pub fn plain_path(&self, path: &Path) -> String {
        let path = normalised(path);
        match self.paths {
            FilePaths::Absolute => path.to_string_lossy().into_owned(),
            FilePaths::Relative => relative(&self.here(), &path).to_string_lossy().into_owned(),
        }
    }
}

/// The output folder of a session.
///
/// `configured` wins when given. Else it is a folder in the workspace, or in the system's folder
/// for temporary files when the workspace is a root folder or cannot be written to. Nothing is
/// created.
pub fn output_dir(configured: Option<&Path>, workspace: &Path) -> PathBuf {
    match configured {
        Some(folder) => folder.to_owned(),
        None if is_system_folder(workspace) || !is_writable(workspace) => {
            std::env::temp_dir().join(OUTPUT_FOLDER)
        }
        None => workspace.join(OUTPUT_FOLDER),
    }
}

#[cfg(windows)]
fn is_system_folder(path: &Path) -> bool {
    path.parent().is_none()
        || std::env::var_os("SystemRoot").is_some_and(|root| path.starts_with(Path::new(&root)))
}

#[cfg(not(windows))]
fn is_system_folder(path: &Path) -> bool {
    path.parent().is_none()
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|facts| !facts.permissions().readonly())
}

/// Removes `.` and `..` without looking at the disk.
fn normalised(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            // `pop` leaves a root as it is.
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// `path` as seen from `base`; both absolute and normalised. Absolute when they share no root, as
/// on two Windows drives.
fn relative(base: &Path, path: &Path) -> PathBuf {
    let shared = base
        .components()
        .zip(path.components())
        .take_while(|(a, b)| a == b)
        .count();
    if shared == 0 {
        return path.to_owned();
    }
    let up = base.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// The path with symbolic links resolved, as far as it exists. `None` when links go in circles.
fn real(path: &Path) -> Option<PathBuf> {
    let mut existing = normalised(path);
    let mut missing: Vec<OsString> = Vec::new();
    let mut links = 0;
    loop {
        if let Ok(mut resolved) = std::fs::canonicalize(&existing) {
            resolved.extend(missing.iter().rev());
            return Some(resolved);
        }
        if let Ok(target) = std::fs::read_link(&existing) {
            // A link to something that does not exist: writing through it would create that.
            links += 1;
            let folder = std::fs::canonicalize(existing.parent()?).ok()?;
            if links > MAX_LINKS {
                return None;
            }
            existing = normalised(&folder.join(target));
            continue;
        }
        missing.push(existing.file_name()?.to_owned());
        existing.pop();
    }
}

/// Writes a file, making missing parent folders and replacing what was there.
///
/// # Errors
/// As the file system says; and what exists and is no regular file is not opened, since pipes and
/// devices may block for ever.
pub async fn write_file(path: PathBuf, bytes: Vec<u8>) -> io::Result<()> {
    blocking(move || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        match std::fs::metadata(&path) {
            Ok(about) if !about.is_file() => Err(not_regular(&about)),
            _ => std::fs::write(path, bytes),
        }
    })
    .await
}

/// Reads a file of at most `limit` bytes, and when it was last modified.
///
/// # Errors
/// As [`write_file`], and when the file is larger.
pub async fn read_file(path: PathBuf, limit: u64) -> io::Result<(Vec<u8>, SystemTime)> {
    blocking(move || {
        let about = std::fs::metadata(&path)?;
        if !about.is_file() {
            return Err(not_regular(&about));
        }
        if about.len() > limit {
            let text = format!("{} bytes are more than the limit of {limit}", about.len());
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let bytes = std::fs::read(&path)?;
        Ok((bytes, about.modified().unwrap_or(SystemTime::UNIX_EPOCH)))
    })
    .await
}

fn not_regular(about: &std::fs::Metadata) -> io::Error {
    if about.is_dir() {
        return io::Error::new(io::ErrorKind::IsADirectory, "is a folder");
    }
    io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failure) => Err(io::Error::other(failure)),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn rules(workspace: &str, output_dir: &str) -> FileRules {
        FileRules::new(
            workspace.into(),
            output_dir.into(),
            FilePaths::Relative,
            false,
        )
    }

    #[test]
    fn links_are_relative_to_the_workspace() {
        let rules = rules("/ws", "/od");
        let link = |path: &str| rules.link_path(Path::new(path));
        assert_eq!(link("/ws/x.png"), "./x.png");
        assert_eq!(link("/ws/.x.png"), ".x.png");
        assert_eq!(link("/ws/a/b.jpg"), "a/b.jpg");
        assert_eq!(
            link("/ws/.playwright-mcp/page-1.yml"),
            ".playwright-mcp/page-1.yml"
        );
        assert_eq!(link("/od/x.png"), "../od/x.png");
        assert_eq!(
            rules.link("Snapshot", Path::new("/ws/x.yml")),
            "- [Snapshot](./x.yml)"
        );
        assert_eq!(
            rules.plain_path(Path::new("/ws/console.log")),
            "console.log"
        );
    }

    #[test]
    fn links_may_be_absolute() {
        let rules = FileRules::new("/ws".into(), "/od".into(), FilePaths::Absolute, false);
        assert_eq!(rules.link_path(Path::new("/ws/x.png")), "/ws/x.png");
        assert_eq!(rules.plain_path(Path::new("/x.png")), "/x.png");
    }

    #[test]
    fn names_resolve_against_the_workspace() {
        let rules = rules("/ws/p", "/od");
        assert_eq!(rules.resolve("a/../b.png"), Path::new("/ws/p/b.png"));
        assert_eq!(rules.resolve("/etc/passwd"), Path::new("/etc/passwd"));
        assert_eq!(rules.resolve("../../../../x"), Path::new("/x"));
    }

    #[test]
    fn automatic_files_lie_in_the_output_folder() {
        let rules = rules("/ws", "/od");
        let path = rules.automatic("page", "yml", SystemTime::UNIX_EPOCH);
        assert_eq!(path, Path::new("/od/page-1970-01-01T00-00-00-000Z.yml"));
        assert_eq!(
            rules.download("srv name.txt"),
            Path::new("/od/srv-name.txt")
        );
    }

    #[test]
    fn outside_is_denied_in_upstream_words() {
        let rules = rules("/nowhere/ws", "/nowhere/ws/.playwright-mcp");
        let error = rules.named("../secret.txt").unwrap_err();
        assert_eq!(
            error.to_string(),
            "File access denied: /nowhere/secret.txt is outside allowed roots. \
             Allowed roots: /nowhere/ws/.playwright-mcp, /nowhere/ws"
        );
        // A sibling that shares the beginning of the name is outside too.
        assert!(rules.named("/nowhere/ws2/x").is_err());
        assert!(rules.named("").is_ok());
        assert!(rules.named("new/folder/x.png").is_ok());
    }

    #[test]
    fn unrestricted_lets_everything_pass() {
        let rules = FileRules::new("/ws".into(), "/od".into(), FilePaths::Relative, true);
        assert_eq!(
            rules.named("/etc/passwd").unwrap(),
            Path::new("/etc/passwd")
        );
    }

    #[test]
    fn symbolic_links_count_as_their_target() {
        let dir = tempfile::tempdir().unwrap();
        let (ws, out, away) = (
            dir.path().join("ws"),
            dir.path().join("out"),
            dir.path().join("away"),
        );
        for folder in [&ws, &out, &away] {
            std::fs::create_dir(folder).unwrap();
        }
        symlink(&away, ws.join("leak")).unwrap();
        symlink(&out, ws.join("ok")).unwrap();
        symlink(away.join("new.txt"), ws.join("dangling")).unwrap();
        symlink("../away/new.txt", ws.join("dangling2")).unwrap();
        symlink("circle", ws.join("circle")).unwrap();
        let rules = FileRules::new(ws.clone(), out, FilePaths::Relative, false);
        assert!(rules.named("leak/x.txt").is_err());
        assert!(rules.named("leak/deep/x.txt").is_err());
        assert!(rules.named("dangling").is_err());
        assert!(rules.named("dangling2").is_err());
        assert!(rules.named("circle").is_err());
        assert!(rules.named("ok/x.txt").is_ok());
        assert!(rules.named("deep/er/x.txt").is_ok());

        // The workspace itself may be reached through a link.
        let alias = dir.path().join("alias");
        symlink(&ws, &alias).unwrap();
        let aliased = FileRules::new(alias.clone(), alias.join("o"), FilePaths::Relative, false);
        assert!(aliased.named("x.txt").is_ok());
        assert!(aliased.named("leak/x.txt").is_err());
    }

    #[test]
    fn the_output_folder_avoids_root_and_places_it_cannot_write() {
        let temporary = std::env::temp_dir().join(".playwright-mcp");
        assert_eq!(output_dir(None, Path::new("/")), temporary);
        assert_eq!(output_dir(None, Path::new("/does/not/exist")), temporary);
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            output_dir(None, dir.path()),
            dir.path().join(".playwright-mcp")
        );
        assert_eq!(
            output_dir(Some(Path::new("/od")), Path::new("/")),
            Path::new("/od")
        );
    }
}
