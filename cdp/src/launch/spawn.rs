//! Starting processes that are on their own: their own session and no descriptors of ours but those
//! that are meant for them.

use std::process::Command;

/// Makes a command start apart from us: no signal from our terminal or to our group reaches it, and
/// nothing that we inherited stays open because of it (a duplicate of our input pipe held by a
/// browser would keep *our* client from noticing our end).
#[cfg(unix)]
pub(super) fn detach(command: &mut Command) {
    in_child(command, None);
}

/// As [`detach`], and hands over the two ends of a DevTools pipe: descriptor 3 is what the program
/// reads from and 4 what it writes to.
#[cfg(unix)]
pub(super) fn detach_with_pipe(
    command: &mut Command,
    read: std::os::fd::OwnedFd,
    write: std::os::fd::OwnedFd,
) {
    in_child(command, Some((read, write)));
}

#[cfg(unix)]
fn in_child(command: &mut Command, pipe: Option<(std::os::fd::OwnedFd, std::os::fd::OwnedFd)>) {
    use std::os::unix::process::CommandExt as _;

    let place = move || {
        // Fails only for the leader of a group, which a new process is not.
        rustix::process::setsid()?;
        close_on_exec_from_3()?;
        if let Some((read, write)) = &pipe {
            hand_over(read, write)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only system calls are made: no allocation, no lock, nothing that
    // another thread of the parent could have left half done. An error that is passed back is a
    // plain number.
    unsafe {
        command.pre_exec(place);
    }
}

/// Duplicates onto 3 and 4. Each end is first moved out of the other's way.
#[cfg(unix)]
fn hand_over(read: &std::os::fd::OwnedFd, write: &std::os::fd::OwnedFd) -> std::io::Result<()> {
    use std::os::fd::AsRawFd as _;
    let read = rustix::io::fcntl_dupfd_cloexec(read, 5)?;
    let write = rustix::io::fcntl_dupfd_cloexec(write, 5)?;
    for (from, to) in [(&read, 3), (&write, 4)] {
        // SAFETY: this process is about to become another program; whatever 3 and 4 were before is
        // the parent's and stays open there. The duplicates are not closed on exec.
        if unsafe { libc::dup2(from.as_raw_fd(), to) } == -1 {
            return Err(std::io::Error::last_os_error());
        }
    }
    // Dropping the temporary duplicates only closes them in this process.
    Ok(())
}

/// Marks every descriptor from 3 on to be closed on exec. Ours all are, but some may be inherited.
#[cfg(unix)]
fn close_on_exec_from_3() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;
        // SAFETY: changes flags of descriptors only. The number is used, as not every C library
        // that we build with has the function.
        let done = unsafe {
            libc::syscall(
                libc::SYS_close_range,
                3 as libc::c_uint,
                libc::c_uint::MAX,
                CLOSE_RANGE_CLOEXEC,
            )
        };
        if done == 0 {
            return Ok(());
        }
    }
    // Linux before 5.11, and macOS: one by one, as far as anybody is likely to have opened any.
    const FAR_ENOUGH: libc::c_int = 4096;
    for descriptor in 3..FAR_ENOUGH {
        // SAFETY: as above; a number that is not open is an error that does not matter.
        unsafe {
            let flags = libc::fcntl(descriptor, libc::F_GETFD);
            if flags >= 0 {
                libc::fcntl(descriptor, libc::F_SETFD, flags | libc::FD_CLOEXEC);
            }
        }
    }
    Ok(())
}

/// Makes a command start without a console window, and without our Ctrl-C.
#[cfg(windows)]
pub(super) fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
}
