use super::*;

fn log_event(text: &str) -> String {
    format!(
        r#"{{"type":"log","args":[{{"type":"string","value":{text:?}}}],"executionContextId":2,"timestamp":1000.4,"stackTrace":{{"callFrames":[{{"functionName":"","scriptId":"5","url":"http://h/","lineNumber":4,"columnNumber":8}}]}}}}"#
    )
}

fn error_entry(text: &str) -> String {
    format!(
        r#"{{"entry":{{"source":"network","level":"error","text":{text:?},"timestamp":2000.0,"url":"http://h/missing.png"}}}}"#
    )
}

fn boom(text: &str) -> String {
    format!(
        r#"{{"timestamp":3000,"exceptionDetails":{{"text":"Uncaught","exception":{{"type":"object","subtype":"error","description":"Error: {text}\n    at http://h/:31:24"}}}}}}"#
    )
}

fn lines(log: &ConsoleLog, level: Level, scope: Scope) -> Vec<String> {
    log.entries(level, scope)
        .map(|entry| entry.to_string())
        .collect()
}

#[test]
fn lines_are_as_upstream_prints_them() {
    let mut log = ConsoleLog::new(Style::Stock);
    assert!(log.on_event("Runtime.consoleAPICalled", &log_event("hi")));
    assert!(log.on_event(
        "Log.entryAdded",
        &error_entry(
            "Failed to load resource: the server responded with a status of 404 (Not Found)"
        )
    ));
    assert!(log.on_event("Runtime.exceptionThrown", &boom("boom")));
    assert_eq!(
        lines(&log, Level::Info, Scope::CurrentDocument),
        [
            "[LOG] hi @ http://h/:4",
            "[ERROR] Failed to load resource: the server responded with a status of 404 (Not Found) @ http://h/missing.png:0",
            "Error: boom\n    at http://h/:31:24",
        ]
    );
    assert_eq!(
        log.counts(),
        ConsoleCounts {
            total: 3,
            errors: 2,
            warnings: 0
        }
    );
}

#[test]
fn arguments_are_joined_and_formats_left_alone() {
    let mut log = ConsoleLog::new(Style::Stock);
    log.on_event(
        "Runtime.consoleAPICalled",
        r#"{"type":"warning","args":[{"type":"string","value":"%s is %d"},{"type":"string","value":"x"},{"type":"number","value":5,"description":"5"}],"executionContextId":1,"timestamp":1}"#,
    );
    assert_eq!(
        lines(&log, Level::Warning, Scope::Everything),
        ["[WARNING] %s is %d x 5 @ :0"]
    );
    assert_eq!(log.counts().warnings, 1);
}

#[test]
fn levels_include_the_more_serious_ones() {
    let mut log = ConsoleLog::new(Style::Stock);
    for kind in [
        "log",
        "verbose",
        "startGroup",
        "assert",
        "warning",
        "clear",
        "timeEnd",
        "newInChromium999",
    ] {
        log.on_event(
            "Runtime.consoleAPICalled",
            &format!(r#"{{"type":"{kind}","args":[],"executionContextId":1,"timestamp":1}}"#),
        );
    }
    let types = |level| -> Vec<String> {
        log.entries(level, Scope::Everything)
            .map(|entry| match &entry.kind {
                Kind::Message(kind) => kind.clone(),
                Kind::Exception => "exception".into(),
            })
            .collect()
    };
    assert_eq!(types(Level::Error), ["assert"]);
    assert_eq!(types(Level::Warning), ["assert", "warning"]);
    assert_eq!(
        types(Level::Info),
        [
            "log",
            "verbose",
            "assert",
            "warning",
            "timeEnd",
            "newInChromium999"
        ]
    );
    assert_eq!(types(Level::Debug).len(), 8);
    // A failed assertion is of level error but does not count as one.
    assert_eq!(
        log.counts(),
        ConsoleCounts {
            total: 8,
            errors: 0,
            warnings: 1
        }
    );
    assert_eq!(Level::parse("warning"), Some(Level::Warning));
    assert_eq!(Level::parse("Warning"), None);
}

#[test]
fn a_new_document_starts_the_counts_again_but_keeps_the_messages() {
    let mut log = ConsoleLog::new(Style::Stock);
    log.navigated("A");
    log.on_event("Runtime.consoleAPICalled", &log_event("one"));
    log.navigated("A");
    assert_eq!(log.counts().total, 1);
    log.navigated("B");
    assert_eq!(log.counts(), ConsoleCounts::default());
    log.on_event("Runtime.consoleAPICalled", &log_event("two"));
    assert_eq!(
        lines(&log, Level::Info, Scope::CurrentDocument),
        ["[LOG] two @ http://h/:4"]
    );
    assert_eq!(lines(&log, Level::Info, Scope::Everything).len(), 2);
}

#[test]
fn the_oldest_twenty_go_when_the_buffer_is_full() {
    let mut log = ConsoleLog::new(Style::Stock);
    for index in 0..201 {
        log.on_event("Runtime.consoleAPICalled", &log_event(&index.to_string()));
        log.on_event("Runtime.exceptionThrown", &boom(&index.to_string()));
    }
    let counts = log.counts();
    assert_eq!((counts.total, counts.errors), (362, 181));
    assert_eq!(
        lines(&log, Level::Info, Scope::Everything)[0],
        "[LOG] 20 @ http://h/:4"
    );
}

#[test]
fn repeated_and_duplicate_messages_are_left_out() {
    let mut log = ConsoleLog::new(Style::Stock);
    assert!(!log.on_event(
        "Runtime.consoleAPICalled",
        r#"{"type":"log","args":[],"executionContextId":0,"timestamp":1}"#
    ));
    assert!(!log.on_event(
        "Log.entryAdded",
        r#"{"entry":{"source":"worker","level":"error","text":"x","timestamp":1}}"#
    ));
    assert!(!log.on_event("Network.dataReceived", "{}"));
}

#[test]
fn nonsense_changes_nothing() {
    let mut log = ConsoleLog::new(Style::Full);
    for params in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"type":5}"#,
        r#"{"entry":{"level":[]}}"#,
        r#"{"exceptionDetails":7}"#,
        "{\"type\":",
    ] {
        for method in [
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ] {
            assert!(!log.on_event(method, params), "{method} {params}");
        }
    }
    assert_eq!(log.counts().total, 0);
}

#[test]
fn long_messages_are_cut_with_a_mark() {
    let long = "漢".repeat(30_000); // 90,000 bytes
    let mut full = ConsoleLog::new(Style::Full);
    full.on_event("Runtime.consoleAPICalled", &log_event(&long));
    let text = full
        .entries(Level::Info, Scope::Everything)
        .next()
        .unwrap()
        .text
        .clone();
    // 64 KiB are 65,536 bytes, which is 21,845 characters of three bytes and one byte over.
    assert_eq!(
        text,
        format!("{}… [24465 more bytes cut]", "漢".repeat(21_845))
    );
    let mut stock = ConsoleLog::new(Style::Stock);
    stock.on_event("Runtime.consoleAPICalled", &log_event(&long));
    assert_eq!(
        stock
            .entries(Level::Info, Scope::Everything)
            .next()
            .unwrap()
            .text,
        long
    );
}

#[test]
fn few_huge_messages_fit_in_memory_too() {
    let mut log = ConsoleLog::new(Style::Stock);
    let huge = log_event(&"x".repeat(1 << 20));
    for _ in 0..40 {
        log.on_event("Runtime.consoleAPICalled", &huge);
    }
    assert!(log.messages.bytes <= KEPT_BYTES);
    assert_eq!(log.counts().total, 31);
}

#[test]
fn the_log_file_has_times_and_line_numbers() {
    let mut log = ConsoleLog::new(Style::Stock);
    assert_eq!(log.take_new_lines(), None);
    log.start_feed(0.0, Level::Info);
    log.on_event("Runtime.consoleAPICalled", &log_event("hi"));
    log.on_event(
        "Runtime.consoleAPICalled",
        r#"{"type":"debug","args":[],"executionContextId":1,"timestamp":1}"#,
    );
    log.on_event("Log.entryAdded", &error_entry("bad"));
    assert_eq!(
        log.take_feed_text(),
        "[    1000ms] [LOG] hi @ http://h/:4\n[    2000ms] [ERROR] bad @ http://h/missing.png:0\n"
    );
    assert_eq!(log.take_new_lines().unwrap().to_string(), "#L1-L2");
    assert_eq!(log.take_new_lines(), None);
    assert_eq!(log.take_feed_text(), "");
    log.on_event("Runtime.consoleAPICalled", &log_event("one line"));
    assert_eq!(log.take_new_lines().unwrap().to_string(), "#L3");
    // A stack takes as many lines of the file as it has.
    log.on_event("Runtime.exceptionThrown", &boom("boom"));
    assert_eq!(log.take_new_lines().unwrap().to_string(), "#L4-L5");
    log.start_feed(5000.0, Level::Error);
    log.on_event("Runtime.exceptionThrown", &boom("early"));
    assert_eq!(
        log.take_feed_text(),
        "[       0ms] Error: early\n    at http://h/:31:24\n"
    );
    assert_eq!(log.take_new_lines().unwrap().to_string(), "#L1-L2");
}

#[test]
fn a_log_file_nobody_writes_stays_small() {
    let mut log = ConsoleLog::new(Style::Stock);
    log.start_feed(0.0, Level::Debug);
    let huge = log_event(&"x".repeat(1 << 20));
    for _ in 0..10 {
        log.on_event("Runtime.consoleAPICalled", &huge);
    }
    assert_eq!(log.take_feed_text().lines().count(), 4);
    assert_eq!(
        log.take_feed_text(),
        "[6 messages came too fast and were not logged]\n"
    );
    assert_eq!(log.take_new_lines().unwrap().to_string(), "#L1-L5");
}
