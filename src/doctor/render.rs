//! The report as text: a mark, a name, and a column of explanation.

use std::fmt::Write as _;

use super::{Report, Status};

/// How a status is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// `✓`, `!` and `✗`.
    Unicode,
    /// `+`, `!` and `x`, for terminals that know nothing else.
    Ascii,
}

impl Marks {
    fn of(self, status: Status) -> char {
        match (status, self) {
            (Status::Ok, Marks::Unicode) => '✓',
            (Status::Ok, Marks::Ascii) => '+',
            (Status::Warn, _) => '!',
            (Status::Fail, Marks::Unicode) => '✗',
            (Status::Fail, Marks::Ascii) => 'x',
        }
    }
}

/// Columns of the text; only a single word may be longer.
const WIDTH: usize = 80;
/// Columns before the explanation: mark, space, longest name, two spaces.
const INDENT: usize = 11;
/// Deeper indentation of a message is cut, so that room is left for its words.
const MOST_INDENT: usize = 24;

impl Report {
    /// The report as text, ending with a newline.
    pub fn render(&self, marks: Marks) -> String {
        let mut text = String::new();
        for check in &self.checks {
            let head = format!("{} {}", marks.of(check.status), check.name);
            let mut lines = wrap(&check.detail);
            lines.extend(check.remedy.iter().flat_map(|remedy| wrap(remedy)));
            for (index, line) in lines.iter().enumerate() {
                let margin = if index == 0 { head.as_str() } else { "" };
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{margin:INDENT$}{line}");
            }
        }
        text.push('\n');
        text.push_str(&self.summary());
        text.push('\n');
        text
    }

    fn summary(&self) -> String {
        let count = |status| {
            self.checks
                .iter()
                .filter(|check| check.status == status)
                .count()
        };
        let warnings = match count(Status::Warn) {
            0 => String::new(),
            1 => " 1 thing to know about.".to_owned(),
            many => format!(" {many} things to know about."),
        };
        match count(Status::Fail) {
            0 => format!("Ready.{warnings}"),
            1 => format!("Not ready: 1 thing to repair.{warnings}"),
            many => format!("Not ready: {many} things to repair.{warnings}"),
        }
    }
}

/// Breaks text at spaces so that it fits beside the names. Line breaks and
/// indentation of the text stay; control characters become `?`, because
/// paths and messages come from elsewhere and end up in a terminal.
fn wrap(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for source in text.lines() {
        let source: String = source
            .trim_end()
            .chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect();
        let words = source.trim_start();
        let indent = source.chars().count() - words.chars().count();
        let indent = " ".repeat(indent.min(MOST_INDENT));
        let mut line = indent.clone();
        let mut columns = indent.len();
        let mut empty = true;
        for word in words.split(' ') {
            let needed = word.chars().count() + usize::from(!empty);
            if !empty && columns + needed > WIDTH - INDENT {
                lines.push(std::mem::replace(&mut line, indent.clone()));
                columns = indent.len();
                empty = true;
            }
            if !empty {
                line.push(' ');
                columns += 1;
            }
            line.push_str(word);
            columns += word.chars().count();
            empty = false;
        }
        lines.push(line);
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::Check;
    use super::*;

    fn check(name: &'static str, status: Status, detail: &str, remedy: Option<&str>) -> Check {
        Check {
            name,
            status,
            detail: detail.to_owned(),
            remedy: remedy.map(str::to_owned),
        }
    }

    #[test]
    fn columns_marks_and_summary() {
        let report = Report {
            checks: vec![
                check("Browser", Status::Ok, "/usr/bin/chromium", None),
                check("Sandbox", Status::Warn, "off", Some("Turn it on.")),
                check("Output", Status::Fail, "/x is read-only", Some("Choose.")),
            ],
        };
        assert_eq!(
            report.render(Marks::Unicode),
            "\
✓ Browser  /usr/bin/chromium
! Sandbox  off
           Turn it on.
✗ Output   /x is read-only
           Choose.

Not ready: 1 thing to repair. 1 thing to know about.
"
        );
        assert!(report.render(Marks::Ascii).is_ascii());
        assert_eq!(report.exit_code(), 1);
    }

    #[test]
    fn good_news_is_short() {
        let report = Report {
            checks: vec![check("Browser", Status::Ok, "here", None)],
        };
        assert_eq!(report.render(Marks::Ascii), "+ Browser  here\n\nReady.\n");
        assert_eq!(report.exit_code(), 0);
    }

    #[test]
    fn long_text_is_broken_at_spaces() {
        let text = "word ".repeat(30);
        let lines = wrap(&text);
        // Fourteen words and the spaces between them are 69 columns: exactly
        // what is left beside the names.
        assert_eq!(lines[0].len(), WIDTH - INDENT);
        assert_eq!(lines.len(), 3);
        let long = "/".repeat(200);
        assert_eq!(wrap(&long), [long]);
    }

    #[test]
    fn lists_keep_their_lines_and_indentation() {
        assert_eq!(
            wrap("Looked at:\n  /a\n  /b\n"),
            ["Looked at:", "  /a", "  /b"]
        );
        assert_eq!(wrap(""), [""]);
    }

    #[test]
    fn a_broken_line_goes_on_below_its_beginning() {
        let lines = wrap(&format!("    {}", "word ".repeat(20)));
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.starts_with("    word")));
        let deep = wrap(&format!("{}end", " ".repeat(1000)));
        assert_eq!(deep, [format!("{}end", " ".repeat(MOST_INDENT))]);
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(wrap("a\u{1b}[31mb\u{7}"), ["a?[31mb?"]);
    }
}
