//! What is understood, what is refused, and in which words.

use super::*;
use crate::client_config::Client;
use crate::config::Setting;

fn ok(args: &[&str]) -> Cli {
    parse([&["playguard"], args].concat()).unwrap_or_else(|exit| panic!("{}", exit.text))
}

fn refused(args: &[&str]) -> String {
    let exit = parse([&["playguard"], args].concat()).expect_err("must be refused");
    assert_eq!(exit.code, 1);
    exit.text
}

#[test]
fn serving_is_the_default() {
    assert_eq!(ok(&[]).task, Task::Serve);
    assert_eq!(ok(&["serve"]), ok(&[]));
    assert_eq!(ok(&["demo"]).task, Task::Demo);
    assert_eq!(ok(&["doctor"]).task, Task::Doctor);
}

#[test]
fn options_stand_on_either_side_of_the_command() {
    let flags = Flags::default()
        .with(Setting::Stock, "true")
        .with(Setting::Browser, "chromium");
    assert_eq!(
        ok(&["--stock", "demo", "--browser", "chromium"]).flags,
        flags
    );
    let flags = Flags::default()
        .with(Setting::CdpHeader, "A: 1")
        .with(Setting::CdpHeader, "B: 2");
    let given = ok(&["--cdp-header", "A: 1", "--cdp-header=B: 2", "serve"]);
    assert_eq!(given.flags, flags);
    assert_eq!(ok(&["serve", "--cdp-header", "A: 1", "B: 2"]).flags, flags);
}

#[test]
fn a_negative_number_is_a_value() {
    let flags = Flags::default().with(Setting::CdpTimeout, "-5");
    assert_eq!(ok(&["--cdp-timeout", "-5"]).flags, flags);
    assert_eq!(ok(&["doctor", "--cdp-timeout=-5"]).flags, flags);
    assert_eq!(refused(&["-5"]), "error: unknown option '-5'\n");
}

#[test]
fn the_later_of_two_wins() {
    let value = |args: &[&str], setting| {
        let flags = ok(args).flags;
        let values: Vec<_> = flags.values(setting).map(str::to_owned).collect();
        values
    };
    let headless = Setting::Headless;
    assert_eq!(value(&["--headless", "--headed"], headless), ["false"]);
    assert_eq!(value(&["--headed", "--headless"], headless), ["true"]);
    assert_eq!(
        value(&["--headless", "demo", "--headed"], headless),
        ["false"]
    );
    assert_eq!(value(&["--headless", "--headless"], headless), ["true"]);
    assert_eq!(
        value(&["--no-sandbox", "--sandbox"], Setting::Sandbox),
        ["true"]
    );
    assert_eq!(
        value(&["--browser", "a", "--browser=b"], Setting::Browser),
        ["b"]
    );
}

#[test]
fn mistakes_have_the_known_wording() {
    assert_eq!(refused(&["--x"]), "error: unknown option '--x'\n");
    assert_eq!(refused(&["-q"]), "error: unknown option '-q'\n");
    assert_eq!(
        refused(&["--hedless"]),
        "error: unknown option '--hedless'\n(Did you mean --headless?)\n"
    );
    // Near enough to be meant, and no nearer than that.
    for (given, near) in [
        ("--isolate", "isolated"),
        ("--no-sanbox", "no-sandbox"),
        ("--userdatadir", "user-data-dir"),
        ("--viewport-sizes=1x1", "viewport-size"),
        ("--hepl", "help"),
    ] {
        let option = given.split('=').next().unwrap();
        assert_eq!(
            refused(&[given]),
            format!("error: unknown option '{option}'\n(Did you mean --{near}?)\n")
        );
    }
    for given in ["--save-trace", "--reporter", "--proxy", "--", "--é"] {
        let exit = parse(["playguard", given]);
        let text = exit.err().map(|exit| exit.text).unwrap_or_default();
        assert!(!text.contains("Did you mean"), "{text}");
    }
    for given in ["--extension", "--init-page", "--codegen"] {
        assert_eq!(
            refused(&[given]),
            format!(
                "error: unknown option '{given}'\n\
                 (@playwright/mcp has it; PlayGuard does not have it yet.)\n"
            )
        );
    }
    assert_eq!(
        refused(&["--browser"]),
        "error: option '--browser <browser>' argument missing\n"
    );
    assert_eq!(
        refused(&["--user-agent", "--headless"]),
        "error: option '--user-agent <ua string>' argument missing\n"
    );
    assert_eq!(
        refused(&["--cdp-header"]),
        "error: option '--cdp-header <headers...>' argument missing\n"
    );
    assert_eq!(
        refused(&["--headless=true"]),
        "error: option '--headless' takes no value\n"
    );
    assert_eq!(
        refused(&["x"]),
        "error: too many arguments. Expected 0 arguments but got 1: x.\n"
    );
    assert_eq!(
        refused(&["x", "--headless", "y"]),
        "error: too many arguments. Expected 0 arguments but got 2: x, y.\n"
    );
}

#[test]
fn commands_count_their_arguments() {
    assert_eq!(
        ok(&["install-browser"]).task,
        Task::InstallBrowser { name: None }
    );
    assert_eq!(
        ok(&["install-browser", "chromium"]).task,
        Task::InstallBrowser {
            name: Some("chromium".to_owned())
        }
    );
    assert_eq!(
        refused(&["install-browser", "a", "b"]),
        "error: too many arguments for 'install-browser'. \
         Expected 1 argument but got 2: a, b.\n"
    );
    assert_eq!(
        refused(&["demo", "a"]),
        "error: too many arguments for 'demo'. Expected 0 arguments but got 1: a.\n"
    );
    assert_eq!(
        refused(&["completions"]),
        "error: missing required argument 'shell'\n"
    );
    assert_eq!(
        refused(&["completions", "dos"]),
        "error: Invalid shell: dos. Valid values are: bash, elvish, fish, powershell, zsh\n"
    );
}

#[test]
fn help_is_a_command_too() {
    let help = |args: &[&str]| {
        let exit = parse([&["playguard"], args].concat()).expect_err("help ends the program");
        assert_eq!(exit.code, 0, "{}", exit.text);
        exit.text
    };
    assert_eq!(help(&["help"]), help(&["--help"]));
    for name in [
        "serve",
        "demo",
        "doctor",
        "install-browser",
        "config",
        "completions",
    ] {
        assert_eq!(help(&["help", name]), help(&[name, "--help"]));
    }
    assert_eq!(
        refused(&["help", "me"]),
        "error: Invalid command: me. Valid values are: \
         serve, demo, doctor, install-browser, config, completions, help\n"
    );
    assert_eq!(
        refused(&["help", "demo", "me"]),
        "error: too many arguments for 'help'. Expected 1 argument but got 2: demo, me.\n"
    );
}

#[test]
fn the_entry_of_a_client() {
    let request = |args: &[&str]| match ok(&[&["config"], args].concat()).task {
        Task::Config(request) => request,
        other => panic!("{other:?}"),
    };
    let zed = Request {
        client: Client::Zed,
        write: false,
        file: None,
        name: "playguard".to_owned(),
        args: Vec::new(),
    };
    assert_eq!(request(&["zed"]), zed);
    assert_eq!(request(&["zed", "--"]), zed);
    assert_eq!(
        request(&[
            "--write",
            "zed",
            "--file",
            "a.json",
            "--name",
            "pw-2",
            "--",
            "serve",
            "--headless",
            "--browser",
            "msedge",
        ]),
        Request {
            write: true,
            file: Some("a.json".into()),
            name: "pw-2".to_owned(),
            args: ["serve", "--headless", "--browser", "msedge"]
                .map(str::to_owned)
                .into(),
            ..zed
        }
    );
    for (args, told) in [
        (&[][..], "missing required argument 'client'"),
        (
            &["emacs"],
            "Invalid client: emacs. Valid values are: claude-code, claude-desktop, cursor, \
             vscode, codex, gemini-cli, windsurf, zed",
        ),
        (
            &["zed", "a", "b"],
            "too many arguments for 'config'. Expected 1 argument but got 3: zed, a, b.",
        ),
        (
            &["zed", "--name", "a b"],
            "Invalid name: a b. A name has letters, digits, '-' and '_', and at most 40 of them",
        ),
        (&["zed", "--headless"], "unknown option '--headless'"),
        (
            &["zed", "--", "--headles"],
            "unknown option '--headles'\n(Did you mean --headless?)",
        ),
        (
            &["zed", "--", "demo"],
            "behind '--' are options of the server, and no other command",
        ),
        (
            &["zed", "--", "--version"],
            "behind '--' are options of the server, and no other command",
        ),
        (
            &["zed", "--", "--cdp-header", "Authorization: x"],
            "'--cdp-header <headers...>' holds a secret, and a client's file is no place for \
             one. Leave it out, and set its variable where the client is started",
        ),
    ] {
        assert_eq!(
            refused(&[&["config"], args].concat()),
            format!("error: {told}\n")
        );
    }
    // An option before the command is not one of the server that the client starts.
    assert_eq!(
        refused(&["--browser", "chrome", "config", "zed"]),
        "error: option '--browser <browser>' has no meaning for this command\n"
    );
}

#[test]
fn an_option_without_meaning_is_refused() {
    assert_eq!(
        refused(&["--browser", "chrome", "install-browser"]),
        "error: option '--browser <browser>' has no meaning for this command\n"
    );
    assert_eq!(
        refused(&["completions", "bash", "--stock"]),
        "error: unknown option '--stock'\n"
    );
}

#[test]
fn help_fits_in_eighty_columns_and_lists_every_option() {
    let exit = parse(["playguard", "--help"]).expect_err("help ends the program");
    assert_eq!(exit.code, 0);
    for line in exit.text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for opt in OPTIONS {
        let entry = format!("--{}", opt.long);
        let listed = (exit.text.split_whitespace()).any(|word| word == entry);
        if opt.help.is_empty() {
            assert!(!listed, "{entry} is an old name");
            continue;
        }
        assert!(listed, "{entry}");
        // On the line of its flag, not broken into the next one.
        assert!(exit.text.contains(opt.help), "{}", opt.help);
    }
}

#[test]
fn every_shell_has_a_script_without_hidden_things() {
    for shell in [
        Shell::Bash,
        Shell::Elvish,
        Shell::Fish,
        Shell::PowerShell,
        Shell::Zsh,
    ] {
        let exit = completions(shell);
        assert_eq!(exit.code, 0);
        assert!(exit.text.contains("install-browser"));
        assert!(exit.text.contains("snapshot-mode"));
        // Clap writes no words to choose from for Elvish and PowerShell.
        if matches!(shell, Shell::Bash | Shell::Fish | Shell::Zsh) {
            let words = [
                "msedge-canary",
                "absolute",
                "omit",
                "warning",
                "elvish",
                "chrome-dev",
                "claude-desktop",
            ];
            for word in words {
                assert!(exit.text.contains(word), "{word} for {shell}");
            }
        }
        assert!(!exit.text.contains(EXTRA));
    }
}
