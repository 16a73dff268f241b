//! Our standard input and output, read and written without a helper thread where the system allows.
//!
//! Every hop between threads costs a wake-up on the way of each message. Clients connect us through
//! pipes or, those on Node, through sockets; both can be waited for directly. Files and terminals go
//! through the runtime's blocking threads, as usual.

use tokio::io::{AsyncRead, AsyncWrite};

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

#[cfg(unix)]
pub(super) fn pipes() -> (Input, Output) {
    (
        unix::input().unwrap_or_else(|| Box::new(tokio::io::stdin())),
        unix::output().unwrap_or_else(|| Box::new(tokio::io::stdout())),
    )
}

#[cfg(not(unix))]
pub(super) fn pipes() -> (Input, Output) {
    (Box::new(tokio::io::stdin()), Box::new(tokio::io::stdout()))
}

#[cfg(unix)]
mod unix {
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream as StdStream;

    use rustix::fs::FileType;
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use super::{Input, Output};

    pub(super) fn input() -> Option<Input> {
        let (fd, kind) = own(std::io::stdin())?;
        match kind {
            FileType::Fifo => Some(Box::new(pipe::Receiver::from_owned_fd(fd).ok()?)),
            FileType::Socket => Some(Box::new(socket(fd)?)),
            _ => None,
        }
    }

    pub(super) fn output() -> Option<Output> {
        let (fd, kind) = own(std::io::stdout())?;
        match kind {
            FileType::Fifo => Some(Box::new(pipe::Sender::from_owned_fd(fd).ok()?)),
            FileType::Socket => Some(Box::new(socket(fd)?)),
            _ => None,
        }
    }

    /// A descriptor of our own for the same thing, and what that is.
    fn own(standard: impl AsFd) -> Option<(OwnedFd, FileType)> {
        let fd = standard.as_fd().try_clone_to_owned().ok()?;
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd).ok()?.st_mode);
        Some((fd, kind))
    }

    fn socket(fd: OwnedFd) -> Option<UnixStream> {
        let stream = StdStream::from(fd);
        stream.set_nonblocking(true).ok()?;
        UnixStream::from_std(stream).ok()
    }
}
