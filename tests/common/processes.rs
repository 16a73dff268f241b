//! Finding the processes that a server started, whoever their parent is now.
//!
//! Every server gets a tag, in its environment and in the name of its folder
//! for temporary files. Browsers inherit the one and mention the other on
//! their command line, so a process is found even after its parents died.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The environment variable that carries the tag. It has no prefix of ours,
/// because those are kept from the browser.
pub const TAG_VARIABLE: &str = "BROWSER_TEST_TAG";

/// A process that runs, or has ended without being waited for.
#[derive(Debug, Clone)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// As in `/proc/<pid>/stat`: `Z` is a process that nobody waits for.
    pub state: char,
    pub command: String,
}

/// All processes with this tag. Empty where there is no `/proc`.
pub fn tagged(tag: &str) -> Vec<Process> {
    all(|directory, command| {
        command.contains(tag)
            || fs::read(directory.join("environ")).is_ok_and(|environment| {
                let wanted = format!("{TAG_VARIABLE}={tag}");
                environment
                    .split(|&byte| byte == 0)
                    .any(|variable| variable == wanted.as_bytes())
            })
    })
}

/// The tagged processes that are a browser's main process.
pub fn browsers(tag: &str) -> Vec<Process> {
    tagged(tag)
        .into_iter()
        .filter(|process| {
            process.command.contains("--remote-debugging") && !process.command.contains("--type=")
        })
        .collect()
}

/// The children of a process.
pub fn children(pid: u32) -> Vec<Process> {
    all(|_, _| true)
        .into_iter()
        .filter(|process| process.parent == pid)
        .collect()
}

fn all(wanted: impl Fn(&Path, &str) -> bool) -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        // Processes end while we look: whatever cannot be read is gone.
        let (Ok(stat), Ok(command)) = (
            fs::read_to_string(entry.path().join("stat")),
            fs::read(entry.path().join("cmdline")),
        ) else {
            continue;
        };
        // "pid (name, which may hold anything) state parent …"
        let mut fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
        let state = fields.next().and_then(|field| field.chars().next());
        let parent = fields.next().and_then(|field| field.parse().ok());
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        if wanted(&entry.path(), &command) {
            found.push(Process {
                pid,
                parent: parent.unwrap_or(0),
                state: state.unwrap_or('?'),
                command,
            });
        }
    }
    found
}

/// Sends a signal by name, such as `TERM`. A process that is gone is no error.
pub fn signal(pid: u32, name: &str) {
    let _ = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(pid.to_string())
        .output();
}
