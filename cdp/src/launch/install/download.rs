//! Talking to the servers that have the browsers.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use md5::Md5;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{InstallError, Progress, Release, hex, io_error};

const CONNECT_LIMIT: Duration = Duration::from_secs(15);
/// How long the server may stay silent in the middle of a download.
const SILENCE_LIMIT: Duration = Duration::from_secs(60);
/// An answer about versions is a few kilobytes.
const VERSIONS_BYTES: usize = 4 << 20;

/// A client that gives up on servers that do not answer, and follows the system's proxy settings.
pub(super) fn client() -> Result<reqwest::Client, InstallError> {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_LIMIT)
        .read_timeout(SILENCE_LIMIT)
        .user_agent(concat!("playguard/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| network("the browser", &error))
}

#[derive(Deserialize)]
struct Versions {
    channels: std::collections::BTreeMap<String, Version>,
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

/// The newest version of a release.
pub(super) async fn newest(
    client: &reqwest::Client,
    host: &str,
    release: Release,
) -> Result<String, InstallError> {
    let url = format!("{host}/chrome-for-testing/last-known-good-versions.json");
    let mut response = get(client, &url).await?;
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| network(&url, &error))?
    {
        body.extend_from_slice(&chunk);
        if body.len() > VERSIONS_BYTES {
            return Err(InstallError::Versions {
                url,
                reason: "it is too long".to_owned(),
            });
        }
    }
    let fail = |reason: String| InstallError::Versions {
        url: url.clone(),
        reason,
    };
    let mut versions: Versions =
        serde_json::from_slice(&body).map_err(|error| fail(error.to_string()))?;
    let version = versions
        .channels
        .remove(release.key())
        .ok_or_else(|| fail(format!("it has no channel {}", release.key())))?
        .version;
    // It becomes part of a path and of an address.
    let plain = version.split('.').all(|part| {
        !part.is_empty() && part.len() < 10 && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    if plain {
        Ok(version)
    } else {
        Err(fail(format!("{version:?} is no version number")))
    }
}

async fn get(client: &reqwest::Client, url: &str) -> Result<reqwest::Response, InstallError> {
    let response = client
        .get(url)
        .send()
        .await
        .map_err(|error| network(url, &error))?;
    if response.status().is_success() {
        Ok(response)
    } else {
        Err(InstallError::Status {
            url: url.to_owned(),
            status: response.status().as_u16(),
        })
    }
}

/// Downloads into a file and returns the SHA-256 of what arrived, after comparing it with what the
/// server says: its length and, where given, its MD5 (Google's storage has no stronger sum; it is
/// against damage, the connection's encryption is against forgery).
pub(super) async fn download(
    client: &reqwest::Client,
    url: &str,
    path: &Path,
    progress: &dyn Progress,
) -> Result<String, InstallError> {
    use tokio::io::AsyncWriteExt as _;

    let mut response = get(client, url).await?;
    let expected_md5 = stored_md5(response.headers());
    let length = response.content_length();
    progress.length(length);
    let file = tokio::fs::File::create(path).await;
    let mut file = file.map_err(|source| io_error(path, source))?;
    let (mut sha256, mut md5, mut arrived) = (Sha256::new(), Md5::new(), 0);
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| network(url, &error))?
    {
        sha256.update(&chunk);
        md5.update(&chunk);
        file.write_all(&chunk)
            .await
            .map_err(|source| io_error(path, source))?;
        arrived += chunk.len() as u64;
        progress.advance(chunk.len() as u64);
    }
    file.sync_all()
        .await
        .map_err(|source| io_error(path, source))?;
    let damaged = |what: String| InstallError::Damaged {
        url: url.to_owned(),
        what,
    };
    if let Some(length) = length.filter(|length| *length != arrived) {
        return Err(damaged(format!("{arrived} of {length} bytes arrived")));
    }
    if expected_md5.is_some_and(|expected| expected != md5.finalize().as_slice()) {
        return Err(damaged("its MD5 differs from the server's".to_owned()));
    }
    Ok(hex(&sha256.finalize()))
}

/// The MD5 in Google Storage's `x-goog-hash: crc32c=…, md5=…`, which may also come as two headers.
fn stored_md5(headers: &reqwest::header::HeaderMap) -> Option<Vec<u8>> {
    headers
        .get_all("x-goog-hash")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .find_map(|part| part.trim().strip_prefix("md5="))
        .and_then(|sum| base64::engine::general_purpose::STANDARD.decode(sum).ok())
}

/// The innermost reason says most: "connection refused" rather than "error sending request".
fn network(url: &str, error: &reqwest::Error) -> InstallError {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    InstallError::Network {
        url: url.to_owned(),
        // It becomes a part of a sentence.
        reason: reason.to_string().trim_end_matches('.').to_owned(),
    }
}
