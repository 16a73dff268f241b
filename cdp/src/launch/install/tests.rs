use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use base64::Engine as _;
use md5::Md5;

use super::*;

/// A server of fixed answers: path -> (headers, body).
struct Server {
    host: String,
    requests: Arc<AtomicUsize>,
}

type Answers = BTreeMap<String, (String, Vec<u8>)>;

async fn serve(answers: Answers) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.unwrap_or(0) == 1 {
                head.push(byte[0]);
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default();
            let (status, headers, body) = match answers.get(path) {
                Some((headers, body)) => ("200 OK", headers.as_str(), body.as_slice()),
                None => ("404 Not Found", "Content-Length: 0\r\n", [].as_slice()),
            };
            let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(body).await;
            let _ = stream.shutdown().await;
        }
    });
    Server { host, requests }
}

const VERSION: &str = "143.0.7499.40";

fn inner() -> &'static str {
    chrome_for_testing(Os::current())[0]
}

fn archive(names: &[&str]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in names {
        let options = zip::write::SimpleFileOptions::default().unix_permissions(0o755);
        writer.start_file(*name, options).unwrap();
        writer.write_all(b"#!/bin/sh\necho browser\n").unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn lists(version: &str) -> (String, (String, Vec<u8>)) {
    let body = serde_json::json!({
        "timestamp": "2026-01-01",
        "channels": {"Stable": {"channel": "Stable", "version": version, "revision": "1536371"}}
    })
    .to_string()
    .into_bytes();
    (
        "/chrome-for-testing/last-known-good-versions.json".to_owned(),
        (format!("Content-Length: {}\r\n", body.len()), body),
    )
}

/// Good answers for one archive, with the sum that Google's storage would give.
fn answers(archive: Vec<u8>, md5_of: &[u8]) -> Answers {
    let folder = BrowserKind::Chrome.folder(platform());
    let top = inner().split('/').next().unwrap();
    let sum = base64::engine::general_purpose::STANDARD.encode(Md5::digest(md5_of));
    let headers = format!(
        "Content-Length: {}\r\nx-goog-hash: crc32c=AAAAAA==\r\nx-goog-hash: md5={sum}\r\n",
        archive.len()
    );
    let path = format!("/chrome-for-testing-public/{VERSION}/{folder}/{top}.zip");
    BTreeMap::from([lists(VERSION), (path, (headers, archive))])
}

fn platform() -> chromiumoxide_fetcher::Platform {
    supported(std::env::consts::OS, "x86_64", "").unwrap()
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(
            std::env::temp_dir().join(format!("playguard-install-{}-{number}", std::process::id())),
        )
    }

    fn options(&self, server: &Server) -> InstallOptions {
        InstallOptions {
            release: Release::Stable,
            folder: self.0.clone(),
            host: Some(server.host.clone()),
            platform: platform(),
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .map(|entries| {
                entries
                    .flatten()
                    .map(|e| e.file_name().into_string().unwrap())
                    .collect()
            })
            .unwrap_or_default();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Default)]
struct Counter {
    length: AtomicU64,
    bytes: AtomicU64,
}

impl Progress for Counter {
    fn stage(&self, _: &str) {}
    fn length(&self, bytes: Option<u64>) {
        self.length.store(bytes.unwrap_or(0), Ordering::Relaxed);
    }
    fn advance(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
    fn done(&self) {}
}

#[tokio::test]
async fn installs_once_and_repairs_what_is_damaged() {
    let zip = archive(&[inner()]);
    let size = zip.len() as u64;
    let server = serve(answers(zip.clone(), &zip)).await;
    let folder = Folder::new();
    let counter = Counter::default();
    let first = install(&folder.options(&server), &counter).await.unwrap();
    assert_eq!(first.version, VERSION);
    assert!(!first.already_there);
    assert_eq!(first.executable, folder.0.join(VERSION).join(inner()));
    assert_eq!(counter.length.load(Ordering::Relaxed), size);
    assert_eq!(counter.bytes.load(Ordering::Relaxed), size);
    assert_eq!(folder.names(), [VERSION]);
    #[cfg(unix)]
    {
        let output = std::process::Command::new(&first.executable)
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"browser\n");
    }

    let before = server.requests.load(Ordering::Relaxed);
    let second = install(&folder.options(&server), &Silent).await.unwrap();
    assert!(second.already_there);
    assert_eq!(server.requests.load(Ordering::Relaxed), before + 1);

    std::fs::write(&first.executable, "damaged").unwrap();
    let third = install(&folder.options(&server), &Silent).await.unwrap();
    assert!(!third.already_there);
    assert_ne!(std::fs::read(&first.executable).unwrap(), b"damaged");
    assert_eq!(folder.names(), [VERSION]);
}

#[tokio::test]
async fn a_wrong_sum_installs_nothing() {
    let server = serve(answers(archive(&[inner()]), b"something else")).await;
    let folder = Folder::new();
    let error = install(&folder.options(&server), &Silent)
        .await
        .unwrap_err();
    assert!(matches!(error, InstallError::Damaged { .. }), "{error}");
    assert!(folder.names().is_empty());
}

#[tokio::test]
async fn a_connection_that_breaks_installs_nothing() {
    let zip = archive(&[inner()]);
    let mut answers = answers(zip.clone(), &zip);
    for (headers, body) in answers.values_mut() {
        if headers.contains("x-goog-hash") {
            *headers = format!("Content-Length: {}\r\n", body.len() + 1000);
        }
    }
    let server = serve(answers).await;
    let folder = Folder::new();
    let error = install(&folder.options(&server), &Silent)
        .await
        .unwrap_err();
    assert!(matches!(error, InstallError::Network { .. }), "{error}");
    assert!(folder.names().is_empty());
}

#[tokio::test]
async fn archives_that_are_none() {
    for (zip, expected) in [
        (b"no archive".to_vec(), "unpack"),
        (archive(&["readme.txt"]), "no browser in it"),
        (archive(&["../evil", inner()]), ""),
    ] {
        let server = serve(answers(zip.clone(), &zip)).await;
        let folder = Folder::new();
        let result = install(&folder.options(&server), &Silent).await;
        if expected.is_empty() {
            // Refused or kept inside: either way nothing appears outside the version's folder.
            assert!(folder.names().iter().all(|name| name == VERSION));
            assert!(!folder.0.with_file_name("evil").exists());
        } else {
            let text = result.unwrap_err().to_string();
            assert!(text.contains(expected), "{text}");
            assert!(folder.names().is_empty());
        }
    }
}

#[tokio::test]
async fn a_version_that_is_a_path_is_refused() {
    for version in ["../../etc", "", "1..2", "1.2/3"] {
        let server = serve(BTreeMap::from([lists(version)])).await;
        let folder = Folder::new();
        let error = install(&folder.options(&server), &Silent)
            .await
            .unwrap_err();
        assert!(matches!(error, InstallError::Versions { .. }), "{error}");
        assert!(folder.names().is_empty());
    }
}

#[tokio::test]
async fn a_mirror_without_an_address_is_named() {
    for host in [
        "mirror.example:8080",
        "mirror",
        "ftp://mirror",
        "http://",
        "",
    ] {
        let folder = Folder::new();
        let server = Server {
            host: host.to_owned(),
            requests: Arc::default(),
        };
        let error = install(&folder.options(&server), &Silent)
            .await
            .unwrap_err();
        assert!(matches!(error, InstallError::Host { .. }), "{error}");
        assert!(error.to_string().contains(HOST_VARIABLE), "{error}");
    }
}

#[tokio::test]
async fn offline_says_what_to_do() {
    // A port that was just free, and is closed again.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let folder = Folder::new();
    let server = Server {
        host,
        requests: Arc::default(),
    };
    let text = install(&folder.options(&server), &Silent)
        .await
        .unwrap_err()
        .to_string();
    for part in ["refused", "--executable-path", HOST_VARIABLE] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let server = serve(Answers::new()).await;
    let error = install(&folder.options(&server), &Silent)
        .await
        .unwrap_err();
    assert!(
        matches!(error, InstallError::Status { status: 404, .. }),
        "{error}"
    );
}
