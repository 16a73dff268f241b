//! What becomes of files as people have them.

use serde_json::Value;

use super::super::{Client, Entry, MergeError, Merged, merge, snippet};

fn entry(args: &[&str]) -> Entry {
    Entry {
        name: "playguard".to_owned(),
        command: "/opt/playguard".to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
    }
}

/// The text with the entry added; that it is there to stay is looked at too.
#[track_caller]
fn added(text: &str) -> String {
    let entry = entry(&["--headless"]);
    match merge(Client::Cursor, text, &entry) {
        Ok(Merged::Added(new)) => {
            assert_eq!(
                merge(Client::Cursor, &new, &entry),
                Ok(Merged::Same),
                "{new}"
            );
            new
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn updated(client: Client, text: &str) -> String {
    let entry = entry(&["--headless"]);
    match merge(client, text, &entry) {
        Ok(Merged::Updated(new)) => {
            assert_eq!(merge(client, &new, &entry), Ok(Merged::Same), "{new}");
            new
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(text: &str) -> String {
    let merged = merge(Client::Cursor, text, &entry(&["--headless"]));
    merged.expect_err("must be refused").to_string()
}

const WHOLE: &str = r#"{
  "mcpServers": {
    "playguard": {
      "command": "/opt/playguard",
      "args": ["--headless"]
    }
  }
}
"#;

#[test]
fn each_client_has_its_words() {
    let snippet = |client| -> Value {
        serde_json::from_str(&snippet(client, &entry(&["--headless"]))).expect("JSON")
    };
    let plain = serde_json::json!({ "command": "/opt/playguard", "args": ["--headless"] });
    for client in [
        Client::ClaudeCode,
        Client::ClaudeDesktop,
        Client::Cursor,
        Client::GeminiCli,
        Client::Windsurf,
    ] {
        assert_eq!(snippet(client)["mcpServers"]["playguard"], plain);
    }
    assert_eq!(
        snippet(Client::VsCode),
        serde_json::json!({ "servers": { "playguard": {
            "type": "stdio", "command": "/opt/playguard", "args": ["--headless"],
        } } })
    );
    assert_eq!(
        snippet(Client::Zed),
        serde_json::json!({ "context_servers": { "playguard": {
            "command": "/opt/playguard", "args": ["--headless"], "env": {},
        } } })
    );
}

#[test]
fn files_with_nothing_in_them_get_all_of_it() {
    for text in ["", "\n", " \t\n", "{}"] {
        assert_eq!(added(text).trim_end(), WHOLE.trim_end(), "{text:?}");
    }
    assert_eq!(added("{\n}\n"), WHOLE);
    assert_eq!(added("// mine\n"), format!("// mine\n{WHOLE}"));
    assert_eq!(added("{ // mine\n}\n"), WHOLE.replacen('{', "{ // mine", 1));
}

#[test]
fn other_servers_and_settings_stay_as_they_are() {
    let text = r#"{
    "theme" :   "dark",
    "mcpServers": {
        "other": { "command": "x",
                   "args": [ ] }
    },
    "numbers": [1e3, -0.50, 12345678901234567890123]
}"#;
    assert_eq!(
        added(text),
        r#"{
    "theme" :   "dark",
    "mcpServers": {
        "other": { "command": "x",
                   "args": [ ] },
        "playguard": {
            "command": "/opt/playguard",
            "args": ["--headless"]
        }
    },
    "numbers": [1e3, -0.50, 12345678901234567890123]
}"#
    );
}

#[test]
fn without_servers_they_come_last() {
    assert_eq!(
        added("{\n\t\"theme\": \"dark\"\n}\n"),
        "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"playguard\": {\n\
         \t\t\t\"command\": \"/opt/playguard\",\n\t\t\t\"args\": [\"--headless\"]\n\t\t}\n\t}\n}\n"
    );
    assert_eq!(
        added("{\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n"),
        WHOLE.replacen("{\n", "{\n  \"a\": 1,\n", 1)
    );
}

#[test]
fn one_line_stays_one_line() {
    assert_eq!(
        added(r#"{"mcpServers":{"a":{"command":"x"}}}"#),
        r#"{"mcpServers":{"a":{"command":"x"},"playguard":{"command":"/opt/playguard","args":["--headless"]}}}"#
    );
    assert_eq!(
        added(r#"{"mcpServers":{},"a":1}"#),
        r#"{"mcpServers":{"playguard":{"command":"/opt/playguard","args":["--headless"]}},"a":1}"#
    );
    assert_eq!(
        added("{\n  \"mcpServers\": { \"a\": { \"command\": \"x\" } }\n}"),
        "{\n  \"mcpServers\": { \"a\": { \"command\": \"x\" }, \"playguard\": \
         { \"command\": \"/opt/playguard\", \"args\": [\"--headless\"] } }\n}"
    );
}

#[test]
fn comments_and_trailing_commas_stay() {
    let text = r#"// Settings
{
  /* { "mcpServers": { "playguard": 1 } } */
  "mcpServers": {
    "other": { "command": "x" }, // the "other" one
    // "third": { "command": "y" },
  }, // }
}
// end
"#;
    assert_eq!(
        added(text),
        r#"// Settings
{
  /* { "mcpServers": { "playguard": 1 } } */
  "mcpServers": {
    "other": { "command": "x" }, // the "other" one
    // "third": { "command": "y" },
    "playguard": {
      "command": "/opt/playguard",
      "args": ["--headless"]
    },
  }, // }
}
// end
"#
    );
    assert_eq!(
        added("{ \"mcpServers\": { \"a\": {} /* b */, } // c\n}"),
        "{ \"mcpServers\": { \"a\": {} /* b */, \"playguard\": { \"command\": \"/opt/playguard\", \
         \"args\": [\"--headless\"] }, } // c\n}"
    );
    // The comma goes before the comment, or it would be in it.
    let new = added("{\n  \"mcpServers\": {\n    \"a\": {} // last\n  }\n}");
    assert!(
        new.contains("\"a\": {}, // last\n    \"playguard\": {\n"),
        "{new}"
    );
}

#[test]
fn line_ends_and_marks_stay() {
    let text = "\u{feff}{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n";
    let new = added(text);
    assert!(new.starts_with("\u{feff}{\r\n"));
    assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
    assert_eq!(new.matches('\n').count(), 9);
    assert_eq!(added("\u{feff}"), format!("\u{feff}{WHOLE}"));
    assert_eq!(added("\r\n"), WHOLE.replace('\n', "\r\n"));
}

#[test]
fn an_entry_that_is_there_keeps_what_is_not_ours() {
    assert_eq!(
        updated(
            Client::Cursor,
            r#"{
  "mcpServers": {
    "playguard": {
      "env": { "PLAYGUARD_PROXY_SERVER": "http://a:b@c" },
      "command": "old", // since May
      "disabled": true
    }
  }
}"#
        ),
        r#"{
  "mcpServers": {
    "playguard": {
      "env": { "PLAYGUARD_PROXY_SERVER": "http://a:b@c" },
      "command": "/opt/playguard", // since May
      "disabled": true,
      "args": ["--headless"]
    }
  }
}"#
    );
    // The last one counts, and as Zed once wrote it.
    assert_eq!(
        updated(
            Client::Zed,
            r#"{"context_servers":{"playguard":{"command":{"path":"old"},"args":[]}}}"#
        ),
        r#"{"context_servers":{"playguard":{"command":"/opt/playguard","args":["--headless"]}}}"#
    );
    assert_eq!(
        updated(
            Client::VsCode,
            r#"{"servers":{"playguard":{},"playguard":{"args":["--headless"]}}}"#
        ),
        r#"{"servers":{"playguard":{},"playguard":{"args":["--headless"],"type":"stdio","command":"/opt/playguard"}}}"#
    );
    assert_eq!(
        updated(Client::Cursor, r#"{ "mcpServers": { "playguard": {} } }"#),
        r#"{ "mcpServers": { "playguard": { "command": "/opt/playguard", "args": ["--headless"] } } }"#
    );
}

#[test]
fn the_same_in_another_hand_is_the_same() {
    let text = "{\"mcpServers\": {\"playguard\": {\"args\": [ // words\n \"\\u002d-headless\", ],\n\
                \"command\":\n\"\\/opt/playguard\"}}}";
    let merged = merge(Client::Cursor, text, &entry(&["--headless"]));
    assert_eq!(merged, Ok(Merged::Same));
    // Written with escapes, the key is still the key.
    let text =
        r#"{"mcpServers":{"play\u0067uard":{"command":"/opt/playguard","args":["--headless"]}}}"#;
    let merged = merge(Client::Cursor, text, &entry(&["--headless"]));
    assert_eq!(merged, Ok(Merged::Same));
}

#[test]
fn a_comment_that_would_be_lost_keeps_the_file_as_it_is() {
    assert_eq!(
        refused(r#"{ "mcpServers": { "playguard": { "args": [/* none */] } } }"#),
        "mcpServers.playguard.args has a comment in it, which would be lost"
    );
}

#[test]
fn servers_at_an_address_are_left_alone() {
    assert_eq!(
        refused(r#"{ "mcpServers": { "playguard": { "url": "http://localhost:8931/mcp" } } }"#),
        "mcpServers.playguard is a server at an address (url); choose another name with --name"
    );
}

#[test]
fn something_else_in_the_way_is_named() {
    assert_eq!(
        refused("[1]"),
        "what the file holds is not an object: { … }"
    );
    assert_eq!(
        refused(r#"{"mcpServers": null}"#),
        "mcpServers is not an object: { … }"
    );
    assert_eq!(
        refused(r#"{"mcpServers": {"playguard": "on"}}"#),
        "mcpServers.playguard is not an object: { … }"
    );
}

#[test]
fn broken_files_are_refused_with_the_place() {
    for (text, told) in [
        (
            "{",
            "line 1, column 2: a key in double quotes is expected here",
        ),
        ("{\n  \"a\" 1\n}", "line 2, column 7: ':' is expected here"),
        (
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "line 3, column 3: ',' or '}' is expected here",
        ),
        (
            "{\"a\": [1 2]}",
            "line 1, column 10: ',' or ']' is expected here",
        ),
        ("{\"ä\": tru}", "line 1, column 7: a value is expected here"),
        ("{\"a\": 01}", "line 1, column 7: a value is expected here"),
        (
            "{\"a\": \"b\n\"}",
            "line 1, column 7: a string begins that does not end in its line",
        ),
        (
            "{\"a\": \"\\x\"}",
            "line 1, column 7: this string is not valid",
        ),
        (
            "{} {}",
            "line 1, column 4: the end of the file is expected here",
        ),
        (
            "{\"a\": 1,,}",
            "line 1, column 9: a key in double quotes is expected here",
        ),
        (
            "{,}",
            "line 1, column 2: a key in double quotes is expected here",
        ),
        ("{\"a\": }", "line 1, column 7: a value is expected here"),
        ("{\"a\": [}", "line 1, column 8: a value is expected here"),
        (
            "{ /* }",
            "line 1, column 3: a comment begins that never ends",
        ),
        ("{ / }", "line 1, column 3: a '/' that begins no comment"),
        (
            "{'a': 1}",
            "line 1, column 2: a key in double quotes is expected here",
        ),
        (
            "{\"a\": \"\\",
            "line 1, column 7: a string begins that does not end in its line",
        ),
        ("ü", "line 1, column 1: a value is expected here"),
    ] {
        assert_eq!(refused(text), told, "{text:?}");
    }
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = 200_000;
    let nested = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
    let new = added(&format!("{{\"a\": {nested}}}"));
    assert!(new.starts_with(&format!("{{\"a\": {nested}, \"mcpServers\"")));
    let unclosed = refused(&format!("{{\"a\": {}", "[{\"b\":".repeat(deep)));
    assert!(unclosed.ends_with("a value is expected here"), "{unclosed}");
    // Where ours should be, it is only another thing in the way, or replaced.
    let new = updated(
        Client::Cursor,
        &format!("{{\"mcpServers\": {{\"playguard\": {{\"args\": {nested}}}}}}}"),
    );
    assert!(new.len() < 200, "{}", new.len());
}

/// Whatever is cut out of a file or put into it, either the rest is refused or what comes out is
/// whole and has the entry.
#[test]
fn damaged_files_never_become_worse() {
    let text =
        "{ // a\n  \"x\": [1, {\"y\": \"\\\"}\"}],\n  \"mcpServers\": {\n    \"b\": {},\n  },\n}\n";
    let entry = entry(&[]);
    let mut good = 0;
    for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let mut variants = vec![text[..at].to_owned(), text[at..].to_owned()];
        for new in [
            "\"", "{", "}", "[", "]", ",", ":", "//", "/*", "\\", "\r", "é",
        ] {
            variants.push(format!("{}{new}{}", &text[..at], &text[at..]));
        }
        for variant in variants {
            if let Ok(Merged::Added(new) | Merged::Updated(new)) =
                merge(Client::Cursor, &variant, &entry)
            {
                good += 1;
                let again = merge(Client::Cursor, &new, &entry);
                assert_eq!(again, Ok(Merged::Same), "{variant:?}\n{new}");
                let (plain, _) = super::scan::plain(&new).expect("whole");
                let value: Value = serde_json::from_str(&plain).expect("JSON");
                assert!(value["mcpServers"]["playguard"]["command"].is_string());
            }
        }
    }
    assert!(good > 50, "{good}");
}

#[test]
fn words_that_json_must_escape() {
    let entry = Entry {
        name: "playguard".to_owned(),
        command: r"C:\Program Files\playguard.exe".to_owned(),
        args: vec!["--user-agent".to_owned(), "a \"b\"\n🐻".to_owned()],
    };
    let Ok(Merged::Added(new)) = merge(Client::Cursor, "{}", &entry) else {
        panic!("must be added");
    };
    let value: Value = serde_json::from_str(&new).expect("JSON");
    let server = &value["mcpServers"]["playguard"];
    assert_eq!(server["command"], entry.command.as_str());
    assert_eq!(server["args"][1], entry.args[1].as_str());
}

#[test]
fn places_are_counted_in_characters() {
    let error = MergeError::broken("a\nüé!", 6, "x");
    assert_eq!(error.to_string(), "line 2, column 3: x");
}
