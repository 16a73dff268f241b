//! What scripts write to `console`.

use std::sync::{Arc, Mutex, PoisonError};

/// One `console` call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `log`, `info`, `warn`, `error` or `debug`; exceptions that nobody can catch are `error`.
    pub level: String,
    pub text: String,
}

/// The lines of one session, shared with its engine.
#[derive(Debug, Clone)]
pub(super) struct SharedLog {
    log: Arc<Mutex<Log>>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Log {
    lines: Vec<LogLine>,
    bytes: usize,
    cut: bool,
}

impl SharedLog {
    /// An empty log that keeps so many bytes until it is taken.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            log: Arc::default(),
            max_bytes,
        }
    }

    pub(super) fn add(&self, level: &str, text: String) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.cut {
            return;
        }
        // Lines cost something even when they are empty.
        log.bytes += text.len() + 16;
        let (level, text) = if log.bytes > self.max_bytes {
            log.cut = true;
            let note = format!("[more than {} bytes; the rest is left out]", self.max_bytes);
            ("warn", note)
        } else {
            (level, text)
        };
        log.lines.push(LogLine {
            level: level.to_owned(),
            text,
        });
    }

    /// Takes what is there and starts anew.
    pub(super) fn take(&self) -> Vec<LogLine> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *log).lines
    }
}
