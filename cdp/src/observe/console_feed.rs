//! The text of a page's console log file, before anybody writes it.

use std::fmt::Write;

use super::console::{ConsoleEntry, Level};

/// Text that waits to be written; a page that prints faster than the disk takes it loses the excess.
const WAITING_BYTES: usize = 4 << 20;

/// Lines of the log file, first and last, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: usize,
    /// The last line, which may be the first.
    pub last: usize,
}

/// `#L3`, or `#L3-L5` for several.
impl std::fmt::Display for LineRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#L{}", self.first)?;
        if self.last > self.first {
            write!(f, "-L{}", self.last)?;
        }
        Ok(())
    }
}

/// Collects the lines of one log file.
#[derive(Debug)]
pub(super) struct ConsoleFeed {
    start_ms: f64,
    threshold: Level,
    waiting: String,
    lost: usize,
    lines: usize,
    reported: usize,
}

impl ConsoleFeed {
    pub(super) fn new(start_ms: f64, threshold: Level) -> Self {
        Self {
            start_ms,
            threshold,
            waiting: String::new(),
            lost: 0,
            lines: 0,
            reported: 0,
        }
    }

    pub(super) fn push(&mut self, entry: &ConsoleEntry) {
        if entry.level > self.threshold {
            return;
        }
        if self.waiting.len() > WAITING_BYTES {
            self.lost += 1;
            return;
        }
        self.note_lost();
        let from = self.waiting.len();
        // A clock set back must not print a negative time.
        let elapsed = (entry.timestamp_ms - self.start_ms).round().max(0.0) + 0.0;
        // Writing to a String cannot fail.
        let _ = writeln!(self.waiting, "[{elapsed:>8}ms] {entry}");
        self.count_lines(from);
    }

    pub(super) fn take_text(&mut self) -> String {
        self.note_lost();
        std::mem::take(&mut self.waiting)
    }

    pub(super) fn take_new_lines(&mut self) -> Option<LineRange> {
        let range = LineRange {
            first: self.reported + 1,
            last: self.lines,
        };
        self.reported = self.lines;
        (range.first <= range.last).then_some(range)
    }

    fn note_lost(&mut self) {
        if self.lost == 0 || self.waiting.len() > WAITING_BYTES {
            return;
        }
        let from = self.waiting.len();
        let _ = writeln!(
            self.waiting,
            "[{} messages came too fast and were not logged]",
            self.lost
        );
        self.lost = 0;
        self.count_lines(from);
    }

    fn count_lines(&mut self, from: usize) {
        self.lines += self.waiting.as_bytes()[from..]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
    }
}
