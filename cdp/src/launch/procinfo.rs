//! What the system tells about other processes. Unix only.
//!
//! Linux answers from `/proc`. Elsewhere there is `kill(pid, 0)` and `ps`.

use std::path::Path;

use rustix::process::{Pid, Signal};

/// A process, told apart from a later one that got the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) pid: u32,
    /// Ticks between boot and its start; 0 where the system does not say.
    started: u64,
}

/// What `/proc/<pid>/stat` says.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    state: u8,
    parent: u32,
    session: u32,
    started: u64,
}

impl Stat {
    /// Fields 3, 4, 6 and 22 of proc(5). The second field, the name, may itself hold blanks and
    /// parentheses, so counting starts behind its last parenthesis.
    fn parse(text: &str) -> Option<Self> {
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Self {
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    fn of(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }
}

/// Whether a process runs. A defunct one, which only waits for its parent, does not.
pub(super) fn is_alive(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        return Stat::of(pid).is_some_and(|stat| stat.state != b'Z' && stat.state != b'X');
    }
    let Some(pid) = as_pid(pid) else {
        return false;
    };
    match rustix::process::test_kill_process(pid) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    }
}

/// The identity of a process, defunct ones included.
pub(super) fn identify(pid: u32) -> Identity {
    Identity {
        pid,
        started: Stat::of(pid).map_or(0, |stat| stat.started),
    }
}

impl Identity {
    /// Whether it runs still, and is not another process with its id.
    pub(super) fn is_alive(self) -> bool {
        is_alive(self.pid) && (self.started == 0 || identify(self.pid).started == self.started)
    }

    /// Ends it at once, if it runs.
    pub(super) fn kill(self) {
        if let Some(pid) = as_pid(self.pid)
            && self.is_alive()
        {
            // It may be gone by now, which is what we want.
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
}

/// Ends a process group at once. `leader` is the process id that the group is named after.
pub(super) fn kill_group(leader: u32) {
    if let Some(pid) = as_pid(leader) {
        // No such group: nothing left to end.
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    }
}

/// Whether any process is in the group named after `leader`, if only a defunct one.
pub(super) fn group_exists(leader: u32) -> bool {
    as_pid(leader).is_some_and(|pid| rustix::process::test_kill_process_group(pid).is_ok())
}

/// The command line, arguments separated by NUL (Linux) or blanks. `None` when it cannot be seen.
pub(super) fn command_line(pid: u32) -> Option<Vec<u8>> {
    if cfg!(target_os = "linux") {
        return std::fs::read(format!("/proc/{pid}/cmdline"))
            .ok()
            .filter(|line| !line.is_empty());
    }
    let output = std::process::Command::new("ps")
        .args(["-o", "command=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    (!output.stdout.is_empty()).then_some(output.stdout)
}

/// Running processes that belong to a browser: those in the session of its main process, and those
/// whose command line names its profile.
pub(super) fn belonging_to(session: Option<u32>, profile: &Path) -> Vec<Identity> {
    let needle = profile.as_os_str().as_encoded_bytes();
    let own = std::process::id();
    if cfg!(target_os = "linux") {
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        return entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            .filter(|pid| *pid != own)
            .filter_map(|pid| {
                let stat = Stat::of(pid)?;
                let in_session = session == Some(stat.session);
                let named = || command_line(pid).is_some_and(|line| names(&line, needle));
                let running = stat.state != b'Z' && stat.state != b'X';
                (running && (in_session || named())).then_some(Identity {
                    pid,
                    started: stat.started,
                })
            })
            .collect();
    }
    let Ok(output) = std::process::Command::new("ps")
        .args(["-axww", "-o", "pid=,command="])
        .output()
    else {
        return Vec::new();
    };
    output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| names(line, needle))
        .filter_map(|line| {
            let text = String::from_utf8_lossy(line);
            text.split_ascii_whitespace().next()?.parse().ok()
        })
        .filter(|pid| *pid != own)
        .map(|pid| Identity { pid, started: 0 })
        .collect()
}

/// Children of ours that have ended and that nobody has waited for. Linux only.
#[cfg(target_os = "linux")]
pub(super) fn defunct_children() -> Vec<u32> {
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| Stat::of(*pid).is_some_and(|stat| stat.state == b'Z' && stat.parent == own))
        .collect()
}

/// Whether a command line names a folder: the path, and not as the start of a longer name.
fn names(line: &[u8], path: &[u8]) -> bool {
    if path.is_empty() {
        return false;
    }
    line.windows(path.len()).enumerate().any(|(at, window)| {
        window == path
            && line
                .get(at + path.len())
                .is_none_or(|next| matches!(next, 0 | b'/' | b' ' | b'\n' | b'"' | b'\''))
    })
}

pub(super) fn as_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_blanks() {
        let text = "42 (a) b (c)) S 1 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
        assert_eq!(
            Stat::parse(text),
            Some(Stat {
                state: b'S',
                parent: 1,
                session: 39,
                started: 987_654
            })
        );
        assert_eq!(Stat::parse("42 (x) S 1"), None);
    }

    #[test]
    fn we_are_alive_and_the_reaped_are_not() {
        assert!(is_alive(std::process::id()));
        assert!(identify(std::process::id()).is_alive());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let identity = identify(child.id());
        child.wait().unwrap();
        assert!(!identity.is_alive());
        assert!(!is_alive(0));
    }

    #[test]
    fn a_defunct_process_is_not_alive() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let give_up = std::time::Instant::now() + std::time::Duration::from_secs(5);
        while is_alive(child.id()) && std::time::Instant::now() < give_up {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(!is_alive(child.id()));
        child.wait().unwrap();
    }

    #[test]
    fn a_longer_name_is_another_folder() {
        assert!(names(b"x\0--user-data-dir=/tmp/p-1\0y", b"/tmp/p-1"));
        assert!(names(b"--database=/tmp/p-1/Crash", b"/tmp/p-1"));
        assert!(!names(b"--user-data-dir=/tmp/p-10", b"/tmp/p-1"));
        assert!(names(b"/tmp/p-10 /tmp/p-1", b"/tmp/p-1"));
    }
}
