//! What an action tried, line by line, for the message of its failure.

use std::fmt::Write as _;

/// The steps of one action. A line's own indent is two spaces a level.
#[derive(Debug, Clone, Default)]
pub struct CallLog {
    lines: Vec<String>,
}

/// Long waits repeat themselves; more lines than this tell nothing new.
const MAX_LINES: usize = 400;

impl CallLog {
    /// Adds a top-level line.
    pub fn step(&mut self, text: impl Into<String>) {
        self.push(text.into());
    }

    /// Adds a line one level down.
    pub fn detail(&mut self, text: impl AsRef<str>) {
        self.push(format!("  {}", text.as_ref()));
    }

    /// Notes, behind the first line, what the locator stood for.
    pub(super) fn resolved_to(&mut self, preview: &str) {
        if !self.lines.is_empty() {
            self.lines
                .insert(1, format!("  locator resolved to {preview}"));
        }
    }

    fn push(&mut self, line: String) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(line);
        }
    }

    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The block that ends a message: `\nCall log:\n`, the lines with repeated groups counted
    /// (`2 × …`), and a final newline. Empty without lines.
    pub fn block(&self) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let mut text = String::from("\nCall log:\n");
        for (group, count) in repeated_groups(&self.lines) {
            for (index, line) in group.iter().enumerate() {
                let bare = line.trim_start();
                let indent = " ".repeat(2 + line.len() - bare.len());
                // Writing to a String cannot fail.
                let _ = match (count, index) {
                    (1, _) => writeln!(text, "{indent}- {bare}"),
                    (_, 0) => writeln!(text, "{indent}{count} × {bare}"),
                    _ => writeln!(text, "{indent}  - {bare}"),
                };
            }
        }
        text
    }
}

/// Cuts the lines into groups that stand one or more times in a row, each time taking the group that
/// covers most lines.
fn repeated_groups(lines: &[String]) -> Vec<(&[String], usize)> {
    let mut groups = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let rest = &lines[at..];
        let (mut length, mut count) = (1, 1);
        for candidate in 1..=rest.len() / 2 {
            let times = rest
                .chunks_exact(candidate)
                .take_while(|chunk| *chunk == &rest[..candidate])
                .count();
            if times > 1 && times * candidate > length * count {
                (length, count) = (candidate, times);
            }
        }
        groups.push((&rest[..length], count));
        at += length * count;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_attempts_are_counted() {
        let mut log = CallLog::default();
        log.step("waiting for locator('#covered')");
        log.detail("locator resolved to <button id=\"covered\">Covered</button>");
        log.step("attempting click action");
        for wait in [None, None, Some(20)] {
            if let Some(wait) = wait {
                log.detail(format!("waiting {wait}ms"));
            }
            log.detail("waiting for element to be visible, enabled and stable");
            log.detail("element is visible, enabled and stable");
            log.detail("<div id=\"cover\"></div> intercepts pointer events");
            log.step("retrying click action");
        }
        assert_eq!(
            log.block(),
            "\nCall log:\n\
             \x20 - waiting for locator('#covered')\n\
             \x20   - locator resolved to <button id=\"covered\">Covered</button>\n\
             \x20 - attempting click action\n\
             \x20   2 × waiting for element to be visible, enabled and stable\n\
             \x20     - element is visible, enabled and stable\n\
             \x20     - <div id=\"cover\"></div> intercepts pointer events\n\
             \x20   - retrying click action\n\
             \x20   - waiting 20ms\n\
             \x20   - waiting for element to be visible, enabled and stable\n\
             \x20   - element is visible, enabled and stable\n\
             \x20   - <div id=\"cover\"></div> intercepts pointer events\n\
             \x20 - retrying click action\n"
        );
    }

    #[test]
    fn nothing_noted_nothing_said() {
        assert_eq!(CallLog::default().block(), "");
    }
}
