//! Keeps the output folder below a size, by removing what is oldest.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A limit for all files below a folder, in bytes.
#[derive(Debug, Clone)]
pub struct OutputBudget {
    folder: PathBuf,
    limit: u64,
}

/// The files that are there at some time.
#[derive(Debug, Default)]
pub struct Files(HashMap<PathBuf, Facts>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    bytes: u64,
    modified: SystemTime,
}

impl OutputBudget {
    /// `limit` bytes for the files below `folder`.
    pub fn new(folder: PathBuf, limit: u64) -> Self {
        Self { folder, limit }
    }

    /// What is there before a call, so that its own files can be told from others.
    pub async fn look(&self) -> Files {
        let folder = self.folder.clone();
        let found = tokio::task::spawn_blocking(move || files_below(&folder)).await;
        found.unwrap_or_default()
    }

    /// Removes files until the limit holds, oldest first, but none that was written since
    /// `before`. What cannot be removed stays, in silence as upstream has it.
    pub async fn enforce(&self, before: Files) {
        let (folder, limit) = (self.folder.clone(), self.limit);
        let work = move || {
            for path in surplus(&before, &files_below(&folder), limit) {
                if let Err(error) = std::fs::remove_file(&path) {
                    tracing::debug!(%error, path = %path.display(), "not removed");
                }
            }
        };
        let _ = tokio::task::spawn_blocking(work).await;
    }
}

/// What has to go.
fn surplus(before: &Files, now: &Files, limit: u64) -> Vec<PathBuf> {
    let mut total: u64 = now.0.values().map(|facts| facts.bytes).sum();
    let mut old: Vec<(&PathBuf, &Facts)> = now
        .0
        .iter()
        .filter(|(path, facts)| before.0.get(*path) == Some(facts))
        .collect();
    old.sort_by_key(|(path, facts)| (facts.modified, *path));
    let mut gone = Vec::new();
    for (path, facts) in old {
        if total <= limit {
            break;
        }
        total -= facts.bytes;
        gone.push(path.clone());
    }
    gone
}

/// All regular files below a folder; symbolic links are not followed.
fn files_below(folder: &Path) -> Files {
    let mut files = Files::default();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file()
                && let Ok(about) = entry.metadata()
            {
                let facts = Facts {
                    bytes: about.len(),
                    modified: about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                };
                files.0.insert(entry.path(), facts);
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn files(list: &[(&str, u64, u64)]) -> Files {
        let facts = |bytes, age| Facts {
            bytes,
            modified: SystemTime::UNIX_EPOCH + Duration::from_secs(age),
        };
        let entry = |(path, bytes, age): &(&str, u64, u64)| (path.into(), facts(*bytes, *age));
        Files(list.iter().map(entry).collect())
    }

    #[test]
    fn the_oldest_go_first_and_new_ones_stay() {
        let before = files(&[("a", 50, 3), ("b", 50, 1), ("c", 50, 2)]);
        let now = files(&[("a", 50, 3), ("b", 50, 1), ("c", 50, 2), ("d", 60, 9)]);
        let gone = |limit| surplus(&before, &now, limit);
        assert!(gone(210).is_empty());
        assert_eq!(gone(209), [PathBuf::from("b")]);
        assert_eq!(gone(110), [PathBuf::from("b"), PathBuf::from("c")]);
        assert_eq!(gone(1).len(), 3);
    }

    #[test]
    fn a_file_that_was_written_again_is_new() {
        let before = files(&[("a", 50, 1), ("b", 50, 2)]);
        let now = files(&[("a", 70, 3), ("b", 50, 2)]);
        assert_eq!(surplus(&before, &now, 1), [PathBuf::from("b")]);
    }

    #[tokio::test]
    async fn files_in_folders_count() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("old"), [0; 80]).unwrap();
        let budget = OutputBudget::new(dir.path().to_owned(), 100);
        let before = budget.look().await;
        std::fs::write(dir.path().join("new"), [0; 80]).unwrap();
        budget.enforce(before).await;
        assert!(!deep.join("old").exists());
        assert!(dir.path().join("new").exists());
    }
}
