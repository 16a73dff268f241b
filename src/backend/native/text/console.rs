//! `browser_console_messages`.

use playguard_cdp::observe::console::{ConsoleLog, Level, Scope};

/// The text of the result: a line of counts, how many are shown if not all, an empty line, messages.
///
/// The counts are about the current document even when `all` shows older messages too.
pub fn console_messages(log: &ConsoleLog, level: Level, all: bool) -> String {
    let scope = if all {
        Scope::Everything
    } else {
        Scope::CurrentDocument
    };
    let counts = log.counts();
    let shown: Vec<String> = log
        .entries(level, scope)
        .map(|entry| entry.to_string())
        .collect();
    let mut lines = vec![format!(
        "Total messages: {} (Errors: {}, Warnings: {})",
        counts.total, counts.errors, counts.warnings
    )];
    if shown.len() != counts.total {
        lines.push(format!(
            "Returning {} messages for level \"{}\"",
            shown.len(),
            level.name()
        ));
    }
    lines.push(String::new());
    lines.extend(shown);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use playguard_cdp::observe::Style;

    fn page() -> ConsoleLog {
        let mut log = ConsoleLog::new(Style::Stock);
        log.navigated("first");
        for (kind, text) in [("log", "hi"), ("warning", "careful"), ("error", "bad")] {
            let params = format!(
                r#"{{"type":"{kind}","args":[{{"type":"string","value":"{text}"}}],"executionContextId":1,"timestamp":0,"stackTrace":{{"callFrames":[{{"functionName":"","url":"http://h/","lineNumber":4,"columnNumber":0}}]}}}}"#
            );
            log.on_event("Runtime.consoleAPICalled", &params);
        }
        log.on_event(
            "Runtime.exceptionThrown",
            r#"{"timestamp":0,"exceptionDetails":{"text":"Uncaught","exception":{"type":"object","subtype":"error","description":"Error: boom\n    at http://h/:31:24"}}}"#,
        );
        log
    }

    #[test]
    fn all_shown() {
        assert_eq!(
            console_messages(&page(), Level::Info, false),
            "Total messages: 4 (Errors: 2, Warnings: 1)\n\n[LOG] hi @ http://h/:4\n[WARNING] careful @ http://h/:4\n[ERROR] bad @ http://h/:4\nError: boom\n    at http://h/:31:24"
        );
    }

    #[test]
    fn some_shown() {
        assert_eq!(
            console_messages(&page(), Level::Error, false),
            "Total messages: 4 (Errors: 2, Warnings: 1)\nReturning 2 messages for level \"error\"\n\n[ERROR] bad @ http://h/:4\nError: boom\n    at http://h/:31:24"
        );
    }

    #[test]
    fn none_shown_ends_with_the_empty_line() {
        let mut log = page();
        log.navigated("second");
        assert_eq!(
            console_messages(&log, Level::Info, false),
            "Total messages: 0 (Errors: 0, Warnings: 0)\n"
        );
        assert_eq!(
            console_messages(&log, Level::Warning, true),
            "Total messages: 0 (Errors: 0, Warnings: 0)\nReturning 3 messages for level \"warning\"\n\n[WARNING] careful @ http://h/:4\n[ERROR] bad @ http://h/:4\nError: boom\n    at http://h/:31:24"
        );
    }
}
