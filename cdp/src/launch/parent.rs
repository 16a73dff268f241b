//! Noticing that our client is gone, although our standard input stays open.
//!
//! A client that is killed usually closes our standard input with its end. Not so when somebody else
//! holds a duplicate of that pipe, such as a wrapper or another child of the client. So the parent
//! process itself is watched too.

/// Resolves when the process that started us is gone. Ask early: the parent is the one at the time
/// of the first poll. Never resolves when there is nothing to watch: on Windows, where handles of a
/// dead parent do close, and when our parent is the first process of the system, which adopts
/// orphans and so says nothing about our client.
///
/// Only for servers that live for one client, such as over standard input and output: a server that
/// was put into the background must outlive its shell.
#[cfg(unix)]
pub async fn parent_gone() {
    use std::time::Duration;

    let Some(parent) = rustix::process::getppid().filter(|parent| !parent.is_init()) else {
        return std::future::pending().await;
    };
    #[cfg(target_os = "linux")]
    watch_by_descriptor(parent).await;
    // Where there are no process descriptors, and as a check on what they said.
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while rustix::process::getppid() == Some(parent) {
        ticks.tick().await;
    }
}

/// Waits for the end of a process without asking again and again. Returns at once where the system
/// (before Linux 5.3) or its policy does not allow that.
#[cfg(target_os = "linux")]
async fn watch_by_descriptor(process: rustix::process::Pid) {
    use rustix::process::{PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    let Ok(descriptor) = pidfd_open(process, PidfdFlags::NONBLOCK) else {
        return;
    };
    // It may have ended, and its id been given away, before the descriptor was opened.
    if rustix::process::getppid() != Some(process) {
        return;
    }
    // SAFETY: an `OwnedFd` is one open descriptor until it is dropped, and the `AsyncFd` owns it.
    let registered = unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) };
    if let Ok(descriptor) = registered {
        // An error here only means that we fall back to asking.
        let _ = descriptor.readable().await;
    }
}

/// See the Unix version.
#[cfg(not(unix))]
pub async fn parent_gone() {
    std::future::pending().await
}
