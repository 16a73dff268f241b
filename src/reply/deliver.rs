//! The one step of a reply that touches the disk: snapshots that travel as files are written here,
//! after the last layer and before the text is printed.

use std::io;
use std::path::PathBuf;

use super::files::write_file;
use super::redact::Redactor;
use super::snapshot_text;
use crate::call::{Delivery, SnapshotPart, ToolReply};

/// A snapshot could not be written. Displays as an exception's string form, ready for
/// [`ToolReply::thrown`].
#[derive(Debug, thiserror::Error)]
#[error("Error: cannot write the snapshot to {}: {source}", path.display())]
pub struct DeliveryError {
    /// Where it should have gone.
    pub path: PathBuf,
    /// Why it did not.
    pub source: io::Error,
}

/// Writes the snapshot of `reply`, without secrets, when it goes to a file, making missing parent folders and
/// replacing what was there. The file does not end with a newline; an interrupted capture gives an
/// empty file.
///
/// # Errors
/// When a folder or the file cannot be made or written.
pub async fn deliver(reply: &ToolReply, redactor: &Redactor) -> Result<(), DeliveryError> {
    if reply.thrown.is_some() {
        return Ok(());
    }
    let Some(SnapshotPart {
        content,
        delivery: Delivery::File { path, .. },
    }) = &reply.snapshot
    else {
        return Ok(());
    };
    let text = redactor.redact(snapshot_text(content));
    let written = write_file(path.clone(), text.into_bytes()).await;
    written.map_err(|source| DeliveryError {
        path: path.clone(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::SnapshotContent;

    fn to_file(path: PathBuf) -> ToolReply {
        ToolReply {
            snapshot: Some(SnapshotPart {
                content: SnapshotContent::Interrupted,
                delivery: Delivery::File {
                    path,
                    link: "x.yml".to_owned(),
                },
            }),
            ..ToolReply::default()
        }
    }

    #[tokio::test]
    async fn makes_folders_and_writes_even_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/page.yml");
        deliver(&to_file(path.clone()), &Redactor::default())
            .await
            .unwrap();
        assert_eq!(std::fs::read(path).unwrap(), b"");
    }

    #[tokio::test]
    async fn says_what_could_not_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let blocker = dir.path().join("file");
        std::fs::write(&blocker, "").unwrap();
        let path = blocker.join("page.yml");
        let error = deliver(&to_file(path.clone()), &Redactor::default())
            .await
            .unwrap_err();
        let expected = format!("Error: cannot write the snapshot to {}: ", path.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }

    #[tokio::test]
    async fn replies_without_a_file_write_nothing() {
        deliver(&ToolReply::default(), &Redactor::default())
            .await
            .unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("page.yml");
        let thrown = ToolReply {
            thrown: Some("Error: x".to_owned()),
            ..to_file(path.clone())
        };
        deliver(&thrown, &Redactor::default()).await.unwrap();
        assert!(!path.exists());
    }
}
