//! `install-browser`: Chrome for Testing into our cache.
//!
//! The published layout (folders and archive names by platform) comes from chromiumoxide's fetcher.
//! Downloading and unpacking are ours, since the fetcher's own show no progress, check nothing and
//! leave half a browser behind when they are interrupted. Here the archive is hashed as it arrives
//! and compared with what the server says of it, each file's CRC is checked while unpacking, and
//! the finished folder appears in the cache by one rename. The program's SHA-256 is kept beside it,
//! so that a later run can tell an intact browser from a damaged one.

mod download;
mod platform;
mod progress;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chromiumoxide_fetcher::{BrowserHost, BrowserKind, BuildInfo};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use self::download::{client, download, newest};
pub use self::platform::{Unsupported, supported};
pub use self::progress::{Bar, Progress, Silent};
use super::machine::Os;
use super::places::chrome_for_testing;

/// Replaces both servers below: a mirror, or a test.
pub const HOST_VARIABLE: &str = "PLAYGUARD_BROWSER_DOWNLOAD_HOST";

const VERSIONS_HOST: &str = "https://googlechromelabs.github.io";
const FILES_HOST: &str = "https://storage.googleapis.com";
/// A whole browser unpacks to less than half of this.
const UNPACKED_BYTES: u128 = 4 << 30;
/// Names of unfinished installations start with this.
const PARTIAL: &str = ".partial-";
/// Unfinished installations this old belong to nobody.
const PARTIAL_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// What is known of an installation, inside its folder.
const RECORD: &str = "playguard-install.json";

/// Which release to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Release {
    /// The stable one.
    #[default]
    Stable,
    /// Beta.
    Beta,
    /// Dev.
    Dev,
    /// Canary.
    Canary,
}

impl Release {
    /// Its key in the list of versions.
    const fn key(self) -> &'static str {
        match self {
            Self::Stable => "Stable",
            Self::Beta => "Beta",
            Self::Dev => "Dev",
            Self::Canary => "Canary",
        }
    }
}

/// What to install, and where.
#[derive(Debug, Clone)]
pub struct InstallOptions {
    /// Which release.
    pub release: Release,
    /// The folder of browsers; see [`super::machine::browsers_dir`].
    pub folder: PathBuf,
    /// Another server than the official ones (the value of [`HOST_VARIABLE`]).
    pub host: Option<String>,
    /// The platform, as [`supported`] tells it.
    pub platform: chromiumoxide_fetcher::Platform,
}

/// An installed browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its version, such as `143.0.7499.40`.
    pub version: String,
    /// The program.
    pub executable: PathBuf,
    /// It was there already, and intact.
    pub already_there: bool,
}

/// Why nothing was installed. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no such browser for this machine.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The server cannot be reached, or the connection broke.
    #[error(
        "Could not download {url}: {reason}. Check the network and the proxy (HTTPS_PROXY), or set \
         {HOST_VARIABLE} to a mirror. Without a network, install Chrome or Chromium from a package \
         and name it with --executable-path."
    )]
    Network {
        /// What was asked for.
        url: String,
        /// The innermost reason.
        reason: String,
    },
    /// The mirror's address is none.
    #[error(
        "{HOST_VARIABLE} is {host}: the address of a server that begins with http:// or https:// \
         is expected."
    )]
    Host {
        /// What was given.
        host: String,
    },
    /// The server has not what was asked for.
    #[error("The server answered {status} for {url}. If {HOST_VARIABLE} is set, check it.")]
    Status {
        /// What was asked for.
        url: String,
        /// The status code.
        status: u16,
    },
    /// The list of versions is not one.
    #[error("{url} is not a list of browser versions: {reason}")]
    Versions {
        /// What was asked for.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// What arrived is not what was sent.
    #[error("The download of {url} is damaged ({what}). Try again.")]
    Damaged {
        /// What was asked for.
        url: String,
        /// What differs.
        what: String,
    },
    /// The archive cannot be unpacked.
    #[error("Cannot unpack the download of {url}: {reason}")]
    Archive {
        /// What was asked for.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The disk.
    #[error("Cannot write to {}: {source}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What is known of an installation.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    version: String,
    url: String,
    /// SHA-256 of the archive, hexadecimal.
    archive_sha256: String,
    /// The program, relative to the folder.
    executable: String,
    /// SHA-256 of the program, hexadecimal.
    executable_sha256: String,
}

/// Installs a browser, unless the newest one is there and intact.
///
/// # Errors
/// See [`InstallError`].
pub async fn install(
    options: &InstallOptions,
    progress: &dyn Progress,
) -> Result<Installed, InstallError> {
    let host = options
        .host
        .as_deref()
        .map(|host| host.trim_end_matches('/'));
    if let Some(host) = host.filter(|host| !is_address(host)) {
        return Err(InstallError::Host {
            host: host.to_owned(),
        });
    }
    let client = client()?;

    progress.stage("Looking for the newest version");
    let version = newest(&client, host.unwrap_or(VERSIONS_HOST), options.release).await?;
    let target = options.folder.join(&version);
    if let Some(executable) = intact(&target).await {
        return Ok(Installed {
            version,
            executable,
            already_there: true,
        });
    }

    let url = BrowserKind::Chrome.download_url(
        options.platform,
        &BuildInfo::version(version.clone()),
        &BrowserHost::single(host.unwrap_or(FILES_HOST)),
    );
    let partial = Partial::new(&options.folder, &version)?;
    let archive = partial.path.join("archive.zip");
    progress.stage(&format!("Downloading Chrome for Testing {version}"));
    let archive_sha256 = download(&client, &url, &archive, progress).await?;

    progress.stage("Unpacking");
    let work = Unpack {
        archive,
        folder: partial.path.join("browser"),
        record: Record {
            version: version.clone(),
            url,
            archive_sha256,
            executable: String::new(),
            executable_sha256: String::new(),
        },
    };
    let unpacked = match tokio::task::spawn_blocking(move || work.run()).await {
        Ok(result) => result?,
        Err(error) => return Err(io_error(&partial.path, std::io::Error::other(error))),
    };
    let executable = move_into_place(&unpacked.folder, &target, &unpacked.executable).await?;
    drop(partial);
    progress.done();
    Ok(Installed {
        version,
        executable,
        already_there: false,
    })
}

/// Whether this is an address of the Web, with a host in it.
fn is_address(host: &str) -> bool {
    reqwest::Url::parse(host)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Unpacking, which blocks for some seconds.
struct Unpack {
    archive: PathBuf,
    folder: PathBuf,
    record: Record,
}

struct Unpacked {
    folder: PathBuf,
    executable: String,
}

impl Unpack {
    fn run(mut self) -> Result<Unpacked, InstallError> {
        let archive_error = |url: &str, reason: String| InstallError::Archive {
            url: url.to_owned(),
            reason,
        };
        let file = std::fs::File::open(&self.archive);
        let file = file.map_err(|source| io_error(&self.archive, source))?;
        let url = &self.record.url;
        let mut archive = zip::ZipArchive::new(std::io::BufReader::new(file))
            .map_err(|error| archive_error(url, error.to_string()))?;
        if archive
            .decompressed_size()
            .is_some_and(|size| size > UNPACKED_BYTES)
        {
            return Err(archive_error(url, "it is far too large".to_owned()));
        }
        // Keeps to the folder whatever names and links the archive holds.
        archive
            .extract(&self.folder)
            .map_err(|error| archive_error(url, error.to_string()))?;
        let executable = chrome_for_testing(Os::current())
            .into_iter()
            .find(|inner| self.folder.join(inner).is_file())
            .ok_or_else(|| archive_error(url, "there is no browser in it".to_owned()))?;
        let program = self.folder.join(executable);
        self.record.executable = executable.to_owned();
        self.record.executable_sha256 =
            hash_file(&program).map_err(|source| io_error(&program, source))?;
        let record = self.folder.join(RECORD);
        serde_json::to_vec_pretty(&self.record)
            .map_err(std::io::Error::from)
            .and_then(|json| std::fs::write(&record, json))
            .map_err(|source| io_error(&record, source))?;
        Ok(Unpacked {
            folder: self.folder,
            executable: executable.to_owned(),
        })
    }
}

/// The rename that makes the browser appear. Should another process have been faster, its browser is
/// as good; what stands in the way otherwise is damaged, and goes.
async fn move_into_place(
    unpacked: &Path,
    target: &Path,
    executable: &str,
) -> Result<PathBuf, InstallError> {
    if tokio::fs::rename(unpacked, target).await.is_err() {
        if let Some(executable) = intact(target).await {
            return Ok(executable);
        }
        tokio::fs::remove_dir_all(target)
            .await
            .map_err(|source| io_error(target, source))?;
        tokio::fs::rename(unpacked, target)
            .await
            .map_err(|source| io_error(target, source))?;
    }
    Ok(target.join(executable))
}

/// The program in an installation's folder, if it is the one that was installed.
async fn intact(folder: &Path) -> Option<PathBuf> {
    let record = tokio::fs::read(folder.join(RECORD)).await.ok()?;
    let record: Record = serde_json::from_slice(&record).ok()?;
    let program = folder.join(&record.executable);
    let hashed = program.clone();
    let sum = tokio::task::spawn_blocking(move || hash_file(&hashed))
        .await
        .ok()?
        .ok()?;
    (sum == record.executable_sha256).then_some(program)
}

fn hash_file(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 17];
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(hex(&sum.finalize()));
        }
        sum.update(&buffer[..length]);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder for an installation under way; it goes with this value.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn new(folder: &Path, version: &str) -> Result<Self, InstallError> {
        std::fs::create_dir_all(folder).map_err(|source| io_error(folder, source))?;
        sweep(folder);
        let path = folder.join(format!("{PARTIAL}{version}-{}", std::process::id()));
        // From a process that had our id and was killed.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).map_err(|source| io_error(&path, source))?;
        Ok(Self { path })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Else a later run sweeps it.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Removes what interrupted installations left.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let partial = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PARTIAL));
        let modified = entry.metadata().and_then(|meta| meta.modified());
        let old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > PARTIAL_AGE));
        if partial && old {
            // Else the next run tries again.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn io_error(path: &Path, source: std::io::Error) -> InstallError {
    InstallError::Io {
        path: path.to_path_buf(),
        source,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
