//! What the watchdog process does (see [`super::reaper`] for why).
//!
//! It is our program, started with a hidden argument: no runtime, no settings, a few hundred
//! kilobytes of its own memory. It reads lines until its input ends. An input that ends while
//! browsers are still announced means that the server is gone without cleaning up.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::profile;
use super::reaper::{ARGUMENT, Entry, Message};

/// How long a browser may take to end by itself: it does so when its pipe closes.
const GRACE: Duration = Duration::from_millis(1500);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(20);

/// Becomes the watchdog, and does not return, if this process was started as one. To be called first
/// thing in `main`, before any thread is started.
pub fn main_if_requested() {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|arg| arg == ARGUMENT)
    {
        run();
        std::process::exit(0);
    }
}

/// Reads announcements from standard input until it ends, then cleans up after whatever is left.
pub fn run() {
    ignore_signals();
    let mut entries: BTreeMap<u64, Watched> = BTreeMap::new();
    let mut ending = Vec::new();
    for line in std::io::stdin().lock().lines() {
        // An unreadable line says that the input is gone.
        let Ok(line) = line else { break };
        match serde_json::from_str(&line) {
            Ok(Message::Watch(entry)) => {
                entries.insert(entry.id, Watched::new(entry));
            }
            Ok(Message::Forget { id }) => {
                entries.remove(&id);
            }
            Ok(Message::End { id }) => {
                if let Some(watched) = entries.remove(&id) {
                    ending.push(std::thread::spawn(move || watched.clean_up(Duration::ZERO)));
                }
            }
            // From a newer server that has been started from the same file: not for us.
            Err(_) => {}
        }
    }
    // All at once: each may need its own grace.
    ending.extend(
        entries
            .into_values()
            .map(|watched| std::thread::spawn(move || watched.clean_up(GRACE))),
    );
    for thread in ending {
        // A thread that panicked has nobody left to tell.
        let _ = thread.join();
    }
}

/// A browser that we were told of.
struct Watched {
    entry: Entry,
    #[cfg(unix)]
    main: Option<super::procinfo::Identity>,
}

impl Watched {
    fn new(entry: Entry) -> Self {
        Self {
            #[cfg(unix)]
            main: entry.pid.map(super::procinfo::identify),
            entry,
        }
    }

    /// Ends what is left of a browser and removes its profile if that is temporary.
    fn clean_up(&self, grace: Duration) {
        let dir = Path::new(&self.entry.profile);
        // Noted now, before another server may start a browser of its own on this profile.
        #[cfg(unix)]
        let running = super::procinfo::belonging_to(self.entry.pid, dir);
        let give_up = Instant::now() + grace;
        while self.lives() && Instant::now() < give_up {
            std::thread::sleep(LOOK);
        }
        #[cfg(unix)]
        {
            self.kill_group();
            for process in running {
                process.kill();
            }
        }
        if self.entry.temporary {
            self.remove(dir);
        }
        if let Some(scratch) = &self.entry.scratch {
            self.remove(Path::new(scratch));
        }
    }

    /// Nobody else uses a temporary folder: whoever still does is ended, and the folder removed
    /// until it stays away.
    fn remove(&self, dir: &Path) {
        let give_up = Instant::now() + profile::REMOVE_LIMIT;
        let mut gone = 0;
        while gone < 2 && Instant::now() < give_up {
            #[cfg(unix)]
            for process in super::procinfo::belonging_to(None, dir) {
                process.kill();
            }
            // Tried again until the limit.
            let _ = std::fs::remove_dir_all(dir);
            gone = if dir.exists() { 0 } else { gone + 1 };
            std::thread::sleep(LOOK);
        }
    }

    /// Whether there is still somebody worth waiting for: the browser, or a helper that writes what
    /// the browser left to it.
    #[cfg(unix)]
    fn lives(&self) -> bool {
        use super::procinfo::group_exists;
        self.main
            .is_some_and(|main| main.is_alive() || group_exists(main.pid))
    }

    /// The group keeps its number while any process is in it, so this is right even when the main
    /// process is gone; when the whole group is gone there is nothing to end, and a group that got
    /// the same number since would have a living leader that is not ours.
    #[cfg(unix)]
    fn kill_group(&self) {
        if let Some(main) = self.main
            && (main.is_alive() || !super::procinfo::is_alive(main.pid))
        {
            super::procinfo::kill_group(main.pid);
        }
    }

    /// On Windows a job object ends the browser with the server; only the profile is left to us.
    #[cfg(not(unix))]
    fn lives(&self) -> bool {
        self.entry.temporary && std::fs::remove_dir_all(&self.entry.profile).is_err()
    }
}

/// A signal to everything in sight must not take the watchdog along.
fn ignore_signals() {
    #[cfg(unix)]
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: ignoring a signal runs no code of ours in a handler.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let entry = Entry {
            id: 3,
            pid: Some(42),
            profile: "/tmp/\"ü\nx".to_owned(),
            temporary: true,
            scratch: Some("/tmp/x".to_owned()),
        };
        for message in [
            Message::Watch(entry),
            Message::Forget { id: 3 },
            Message::End { id: 3 },
        ] {
            let line = serde_json::to_string(&message).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Message>(&line).unwrap(), message);
        }
    }

    #[cfg(unix)]
    #[test]
    fn beside_a_lasting_profile_only_its_temporary_files_go() {
        let base = tempfile::tempdir().unwrap();
        let (profile, scratch) = (base.path().join("p"), base.path().join("t"));
        for dir in [&profile, &scratch] {
            std::fs::create_dir_all(dir.join("deep/er")).unwrap();
        }
        let watched = Watched::new(Entry {
            id: 0,
            pid: None,
            profile: profile.to_str().unwrap().to_owned(),
            temporary: false,
            scratch: Some(scratch.to_str().unwrap().to_owned()),
        });
        watched.clean_up(Duration::ZERO);
        assert!(profile.join("deep/er").exists() && !scratch.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_process_with_the_profile_is_ended_and_the_folder_removed() {
        let dir =
            std::env::temp_dir().join(format!("playguard-reaper-test-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("deep/er")).unwrap();
        let mut child = std::process::Command::new("sh")
            .args(["-c", "while :; do sleep 0.1; done", "x"])
            .arg(format!("--user-data-dir={}", dir.display()))
            .spawn()
            .unwrap();
        let watched = Watched::new(Entry {
            id: 0,
            pid: None,
            profile: dir.to_str().unwrap().to_owned(),
            temporary: true,
            scratch: None,
        });
        watched.clean_up(Duration::ZERO);
        let status = child.wait().unwrap();
        assert!(!status.success());
        assert!(!dir.exists());
    }
}
