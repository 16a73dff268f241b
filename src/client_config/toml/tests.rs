//! What becomes of files as people have them.

use super::super::{Client, Entry, Merged, merge, snippet};
use super::scan::{Statement, Words, statements, words};

fn entry() -> Entry {
    Entry {
        name: "playguard".to_owned(),
        command: "/opt/playguard".to_owned(),
        args: vec!["--headless".to_owned()],
    }
}

#[track_caller]
fn added(text: &str) -> String {
    match merge(Client::Codex, text, &entry()) {
        Ok(Merged::Added(new)) => {
            assert_eq!(
                merge(Client::Codex, &new, &entry()),
                Ok(Merged::Same),
                "{new}"
            );
            new
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn updated(text: &str) -> String {
    match merge(Client::Codex, text, &entry()) {
        Ok(Merged::Updated(new)) => {
            assert_eq!(
                merge(Client::Codex, &new, &entry()),
                Ok(Merged::Same),
                "{new}"
            );
            new
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(text: &str) -> String {
    let merged = merge(Client::Codex, text, &entry());
    merged.expect_err("must be refused").to_string()
}

const WHOLE: &str =
    "[mcp_servers.playguard]\ncommand = \"/opt/playguard\"\nargs = [\"--headless\"]\n";

#[test]
fn it_comes_last_and_the_rest_stays() {
    assert_eq!(snippet(Client::Codex, &entry()), WHOLE);
    assert_eq!(added(""), WHOLE);
    let text =
        "# mine\nmodel = 'x' # [mcp_servers.playguard]\n\n[mcp_servers.other]\ncommand = \"y\"";
    assert_eq!(added(text), format!("{text}\n\n{WHOLE}"));
    assert_eq!(added("# mine\n"), format!("# mine\n\n{WHOLE}"));
    let text = "\u{feff}a = 1\r\n[b]\r\n";
    assert_eq!(
        added(text),
        format!("{text}\r\n{}", WHOLE.replace('\n', "\r\n"))
    );
    // A sub-table may come before its table.
    let text = "[mcp_servers.playguard.env]\nA = \"b\"\n";
    assert_eq!(added(text), format!("{text}\n{WHOLE}"));
}

#[test]
fn an_entry_that_is_there_keeps_what_is_not_ours() {
    assert_eq!(
        updated(
            "[mcp_servers . \"playguard\"] # here\ncommand = 'old' # since May\nargs = []\n\
             startup_timeout_sec = 20\n\n[mcp_servers.playguard.env]\nA = \"b\"\n[z]\n"
        ),
        "[mcp_servers . \"playguard\"] # here\ncommand = \"/opt/playguard\" # since May\n\
         args = [\"--headless\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.playguard.env]\n\
         A = \"b\"\n[z]\n"
    );
    assert_eq!(
        updated("[mcp_servers.playguard]\nenabled = false"),
        format!("{WHOLE}enabled = false")
    );
    assert_eq!(updated("[mcp_servers.playguard]"), WHOLE);
    assert_eq!(
        updated("[mcp_servers]\r\nplayguard.command = 'a'\r\nplayguard.args = []\r\n"),
        "[mcp_servers]\r\nplayguard.command = \"/opt/playguard\"\r\n\
         playguard.args = [\"--headless\"]\r\n"
    );
}

#[test]
fn the_same_in_another_hand_is_the_same() {
    for text in [
        "[mcp_servers.playguard]\nargs = [ # words\n '--headless',\n]\ncommand = '''\n/opt/playguard'''",
        "mcp_servers.playguard.command = \"\\u002Fopt/\\\n   playguard\"\n",
    ] {
        let text = text.replace(
            "\"\\u002Fopt/\\\n   playguard\"\n",
            "\"\"\"\\u002Fopt/\\\n   playguard\"\"\"\nmcp_servers.playguard.args = [\"--headless\"]",
        );
        assert_eq!(
            merge(Client::Codex, &text, &entry()),
            Ok(Merged::Same),
            "{text}"
        );
    }
}

#[test]
fn what_cannot_be_edited_is_refused() {
    for (text, told) in [
        (
            "mcp_servers = { playguard = { command = 'x' } }",
            "mcp_servers is not a table under a header of its own",
        ),
        (
            "[mcp_servers]\nplayguard = { command = 'x' }",
            "mcp_servers.playguard is not a table under a header of its own",
        ),
        (
            "[mcp_servers]\nplayguard.command = 'x'",
            "mcp_servers.playguard is not a table under a header of its own",
        ),
        (
            "[mcp_servers]\nplayguard.env.A = 'b'",
            "mcp_servers.playguard is not a table under a header of its own",
        ),
        (
            "[mcp_servers.playguard]\ncommand.x = 'a'",
            "mcp_servers.playguard.command is not a value: it is a table",
        ),
        (
            "[mcp_servers.playguard]\n[mcp_servers.playguard.args]",
            "mcp_servers.playguard.args is not a value: it is a table",
        ),
        (
            "[[mcp_servers]]",
            "mcp_servers is not a table: it is an array",
        ),
        (
            "[mcp_servers.playguard]\n[mcp_servers.playguard]",
            "mcp_servers.playguard is not one table: it is there twice",
        ),
        (
            "[mcp_servers.playguard]\nurl = 'http://localhost:8931/mcp'",
            "mcp_servers.playguard is a server at an address (url); choose another name with --name",
        ),
        (
            "[mcp_servers.playguard]\nargs = [ # none\n]",
            "mcp_servers.playguard.args has a comment in it, which would be lost",
        ),
    ] {
        assert_eq!(refused(text), told, "{text}");
    }
}

#[test]
fn broken_files_are_refused_with_the_place() {
    for (text, told) in [
        ("a", "line 1, column 2: '=' is expected here"),
        ("a =\nb = 1", "line 1, column 4: a value is expected here"),
        ("\n[a", "line 2, column 3: ']' is expected here"),
        ("[[a]", "line 1, column 4: ']' is expected here"),
        (
            "[a] b = 1",
            "line 1, column 5: the end of the line is expected here",
        ),
        (
            "a = 1 b = 2",
            "line 1, column 7: the end of the line is expected here",
        ),
        ("a = yes", "line 1, column 5: a value is expected here"),
        (
            "a = \"b\n\"",
            "line 1, column 5: a string begins that does not end",
        ),
        (
            "a = '''b''",
            "line 1, column 5: a string begins that does not end",
        ),
        ("a = \"\\q\"", "line 1, column 6: no such escape"),
        (
            "a = [1,\n",
            "line 1, column 5: a bracket opens here that is never closed",
        ),
        ("a = [1}", "line 1, column 7: a value is expected here"),
        ("ä = 1", "line 1, column 1: a key is expected here"),
        ("a. = 1", "line 1, column 4: a key is expected here"),
        (
            "{ \"mcpServers\": 1 }",
            "line 1, column 1: a key is expected here",
        ),
    ] {
        assert_eq!(refused(text), told, "{text:?}");
    }
}

#[test]
fn statements_are_told_from_what_looks_like_them() {
    let text = "a = \"\"\"\n[x]\n\"\"\"\nb.\"c.d\" = [\n  \"]\", # ]\n  { e = 1 },\n]\n\
                t = 1979-05-27 07:32:00Z # date\n[[f]]\n'g' = \"\"\"x\"\"\"\"\"\n";
    let found = statements(text).expect("valid");
    let shown: Vec<String> = found
        .iter()
        .map(|statement| match statement {
            Statement::Header { path, array, .. } => format!("{path:?} {array}"),
            Statement::Pair { path, value, .. } => format!("{path:?} {:?}", &text[value.clone()]),
        })
        .collect();
    assert_eq!(
        shown,
        [
            r#"["a"] "\"\"\"\n[x]\n\"\"\"""#,
            r#"["b", "c.d"] "[\n  \"]\", # ]\n  { e = 1 },\n]""#,
            r#"["t"] "1979-05-27 07:32:00Z""#,
            r#"["f"] true"#,
            r#"["f", "g"] "\"\"\"x\"\"\"\"\"""#,
        ]
    );
}

#[test]
fn strings_are_decoded() {
    for (text, word) in [
        (r#""a\tb\u00e9\U0001F43B\x41\e""#, "a\tbé🐻A\u{1b}"),
        (r"'C:\x'", r"C:\x"),
        ("\"\"\"\r\na \"\"b\"\"\"\"", "a \"\"b\""),
        ("\"\"\"a\\  \n\n  b\"\"\"", "ab"),
        ("''", ""),
        ("''''''", ""),
    ] {
        let words = words(text).expect("valid");
        assert_eq!(words, (Some(Words::One(word.to_owned())), false), "{text}");
    }
    for other in ["1", "[1]", "['a', ['b']]", "{ a = 'b' }", "true"] {
        assert_eq!(words(other).expect("valid").0, None, "{other}");
    }
}

#[test]
fn words_that_toml_must_escape_come_back() {
    let odd = "C:\\x \"y\" 'z'\n\t\r\u{7f}\u{1} é🐻";
    let entry = Entry {
        name: "playguard".to_owned(),
        command: odd.to_owned(),
        args: vec![odd.to_owned(), String::new()],
    };
    let Ok(Merged::Added(new)) = merge(Client::Codex, "", &entry) else {
        panic!("must be added");
    };
    assert_eq!(merge(Client::Codex, &new, &entry), Ok(Merged::Same));
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = 200_000;
    let text = format!("a = {}{}\n", "[".repeat(deep), "]".repeat(deep));
    assert!(added(&text).starts_with(&text));
}

/// Whatever is cut out of a file or put into it, either it is refused or what comes out has the
/// entry.
#[test]
fn damaged_files_never_become_worse() {
    let text =
        "a = \"\"\"\\\n x\"\"\" # c\n[b.'c']\nd = [\n  'e', { f = 1 }, # g\n]\n[mcp_servers.h]\n";
    for at in 0..=text.len() {
        let mut variants = vec![text[..at].to_owned(), text[at..].to_owned()];
        for new in [
            "\"", "'", "{", "}", "[", "]", ",", "=", "#", "\\", "\r", "é", "\n",
        ] {
            variants.push(format!("{}{new}{}", &text[..at], &text[at..]));
        }
        for variant in variants {
            if let Ok(Merged::Added(new) | Merged::Updated(new)) =
                merge(Client::Codex, &variant, &entry())
            {
                let again = merge(Client::Codex, &new, &entry());
                assert_eq!(again, Ok(Merged::Same), "{variant:?}\n{new}");
            }
        }
    }
}
