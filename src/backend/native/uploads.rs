//! Files for an intercepted file chooser.

use std::path::{Path, PathBuf};

use playguard_cdp::page::{FileChooser, Modal};

use super::NativeBackend;
use super::response::{Response, Thrown};
use super::tab::Tab;
use crate::call::ToolCall;

impl NativeBackend {
    pub(super) async fn file_upload(
        &self,
        tab: &Tab,
        call: &ToolCall,
        response: &mut Response,
    ) -> Result<(), Thrown> {
        response.show_page();
        let paths: Option<Vec<PathBuf>> = call
            .strings("paths")
            .map(|paths| {
                paths
                    .into_iter()
                    .map(|path| self.files.rules.named(path))
                    .collect::<Result<_, _>>()
            })
            .transpose()
            .map_err(Thrown::error)?;
        let Some(chooser) = self.take_chooser(tab) else {
            return Ok(());
        };
        let printed = paths
            .as_ref()
            .map_or_else(|| "undefined".to_owned(), |paths| json_list(paths));
        response.code(format!("await fileChooser.setFiles({printed})"));
        let Some(paths) = paths else { return Ok(()) };
        let takes_folder = tab.page.chooser_takes_folder(&chooser).await;
        if let Err(reason) = acceptable(&chooser, takes_folder, &paths) {
            tab.page
                .change(|state| state.modals.push(Modal::FileChooser(chooser)));
            response.error(reason);
            return Ok(());
        }
        let files: Vec<String> = paths
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let work = async {
            Ok(tab
                .page
                .unless_dialog(tab.page.choose_files(&chooser, &files))
                .await)
        };
        if let Some(Err(error)) = self.complete(tab, work).await? {
            tab.page
                .change(|state| state.modals.push(Modal::FileChooser(chooser)));
            response.error(format!("fileChooser.setFiles: Error: {error}"));
        }
        Ok(())
    }

    fn take_chooser(&self, tab: &Tab) -> Option<FileChooser> {
        tab.page.change(|state| {
            let at = state
                .modals
                .iter()
                .position(|modal| matches!(modal, Modal::FileChooser(_)))?;
            match state.modals.remove(at) {
                Modal::FileChooser(chooser) => Some(chooser),
                Modal::Dialog(_) => None,
            }
        })
    }
}

fn json_list(paths: &[PathBuf]) -> String {
    let texts: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    // A list of strings always serialises.
    serde_json::to_string(&texts).unwrap_or_default()
}

/// What upstream checks before it hands files over.
fn acceptable(chooser: &FileChooser, takes_folder: bool, paths: &[PathBuf]) -> Result<(), String> {
    if takes_folder {
        return match paths {
            [] => Ok(()),
            [folder] if folder.is_dir() => Ok(()),
            [only] if !only.exists() => exists(only),
            _ => Err("fileChooser.setFiles: Error: [webkitdirectory] input requires passing a path to a directory"
                .to_owned()),
        };
    }
    if !chooser.multiple && paths.len() > 1 {
        return Err(
            "fileChooser.setFiles: Error: Non-multiple file input can only accept single file"
                .to_owned(),
        );
    }
    for path in paths {
        exists(path)?;
    }
    Ok(())
}

fn exists(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(format!(
            "fileChooser.setFiles: Error: File input does not support directories, pass individual files instead: {}",
            path.display()
        )),
        // Reading a pipe or a device might never end.
        Ok(about) if !about.is_file() => Err(format!("{} is not a regular file", path.display())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(format!(
            "ENOENT: no such file or directory, stat '{}'",
            path.display()
        )),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
