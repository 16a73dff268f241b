//! The command line and the environment, through the real program.

use std::process::{Command, Output, Stdio};

use playguard::config::keys_not_yet;
use playguard::config::options::{OPTIONS, OWN_PREFIX, Opt, Variable};
use playguard::config::upstream::NOT_YET;
use playguard::tools::catalogue::Catalogue;
use playguard_cdp::launch::install::HOST_VARIABLE;

/// The program with no variable of ours set and nothing on standard input, so
/// that a server that does start ends at once.
fn playguard(args: &[&str], vars: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_playguard"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("PLAYGUARD_") || text.starts_with("PLAYWRIGHT_MCP_") {
            command.env_remove(&name);
        }
    }
    command
        .args(args)
        .env_remove("RUST_LOG")
        .envs(vars.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Asserts that the program ends with code 1, says this on standard error,
/// and leaves standard output to the protocol.
#[track_caller]
fn refused(args: &[&str], vars: &[(&str, &str)], text: &str) {
    let output = playguard(args, vars);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(stdout(&output), "");
    assert_eq!(stderr(&output).trim_end(), text);
}

#[test]
fn version() {
    for flag in ["-V", "--version"] {
        let output = playguard(&[flag], &[]);
        assert!(output.status.success());
        assert_eq!(
            stdout(&output),
            concat!("playguard ", env!("CARGO_PKG_VERSION"), "\n")
        );
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn help_of_the_program_and_of_its_commands() {
    for args in [
        &["--help"][..],
        &["-h"],
        &["serve", "--help"],
        &["demo", "-h"],
        &["doctor", "--help"],
        &["install-browser", "--help"],
        &["completions", "--help"],
        &["help"],
        &["help", "doctor"],
    ] {
        let output = playguard(args, &[]);
        assert!(output.status.success(), "{args:?}");
        assert!(stdout(&output).contains("Usage: playguard"), "{args:?}");
        assert!(stdout(&output).lines().all(|line| line.len() <= 80));
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn mistakes_on_the_command_line() {
    refused(&["--nonsense"], &[], "error: unknown option '--nonsense'");
    refused(
        &["--isolate"],
        &[],
        "error: unknown option '--isolate'\n(Did you mean --isolated?)",
    );
    refused(
        &["--viewport-size"],
        &[],
        "error: option '--viewport-size <size>' argument missing",
    );
    refused(
        &["--extension"],
        &[],
        "error: unknown option '--extension'\n\
         (@playwright/mcp has it; PlayGuard does not have it yet.)",
    );
    refused(
        &["--save-trace"],
        &[],
        "error: unknown option '--save-trace'",
    );
    refused(
        &["x"],
        &[],
        "error: too many arguments. Expected 0 arguments but got 1: x.",
    );
}

#[test]
fn values_that_cannot_be_used() {
    refused(
        &["--console-level", "x"],
        &[],
        "Invalid --console-level: x. Valid values are: error, warning, info, debug",
    );
    refused(
        &["--viewport-size", "wide"],
        &[],
        "Invalid resolution format: use --viewport-size=\"800x600\"",
    );
    refused(
        &["--isolated", "--user-data-dir", "p"],
        &[],
        "Browser userDataDir is not supported in isolated mode.",
    );
    refused(
        &[],
        &[("PLAYGUARD_STOCK", "maybe")],
        "Invalid PLAYGUARD_STOCK: maybe. Valid values are: true, 1, false, 0",
    );
    refused(
        &[],
        &[("PLAYWRIGHT_MCP_IMAGE_RESPONSES", "never")],
        "Invalid PLAYWRIGHT_MCP_IMAGE_RESPONSES: never. Valid values are: allow, omit, only",
    );
    refused(
        &["--cdp-timeout", "-5"],
        &[],
        "Invalid --cdp-timeout: -5. A whole number of milliseconds from 0 to 2147483647 is expected",
    );
    refused(
        &["--headless", "--headed"],
        &[],
        "--headless and --headed contradict each other: give one of them",
    );
    refused(
        &["--no-sandbox", "serve", "--sandbox"],
        &[],
        "--sandbox and --no-sandbox contradict each other: give one of them",
    );
}

/// Asserts that the server starts, and says nothing about it.
#[track_caller]
fn accepted(args: &[&str], vars: &[(&str, &str)]) {
    let output = playguard(args, vars);
    assert!(output.status.success(), "{output:?}");
    assert_eq!((stdout(&output), stderr(&output)), Default::default());
}

#[test]
fn a_switch_of_upstream_with_a_value_it_does_not_know() {
    for variable in [
        "PLAYWRIGHT_MCP_HEADLESS",
        "PLAYWRIGHT_MCP_ISOLATED",
        "PLAYWRIGHT_MCP_SANDBOX",
        "PLAYWRIGHT_MCP_IGNORE_HTTPS_ERRORS",
        "PLAYWRIGHT_MCP_ALLOW_UNRESTRICTED_FILE_ACCESS",
    ] {
        refused(
            &[],
            &[(variable, "on")],
            &format!("Invalid {variable}: on. Valid values are: true, 1, false, 0"),
        );
        accepted(&["--stock"], &[(variable, "on")]);
        accepted(&[], &[(variable, "1")]);
    }
}

#[test]
fn stock_lets_pass_what_upstream_lets_pass() {
    for args in [
        &["--snapshot-mode", "incremental"][..],
        &["--proxy-server", "not a proxy"],
        &["--viewport-size", "99999999x1"],
        &["--cdp-endpoint", "127.0.0.1:1", "--cdp-header", "nocolon"],
        &["--test-id-attribute", "a b"],
        &["--timeout-action="],
        &["--no-sandbox", "--sandbox"],
    ] {
        accepted(&[&["--stock"], args].concat(), &[]);
        let output = playguard(args, &[]);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(!stderr(&output).is_empty(), "{args:?}");
    }
}

#[test]
fn a_configuration_file_is_read_and_a_wrong_one_is_fatal() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let good = file("good.json", "\u{feff}{\"browsr\": {}, \"extension\": true}");
    let output = playguard(&["--config", &good], &[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        stderr(&output),
        format!(
            "extension in {good} has no effect: PlayGuard does not have it yet.\n\
             browsr in {good} is not known and has no effect. Did you mean browser?\n"
        )
    );
    let bad = file("bad.json", "{\"timeouts\": ");
    let said = format!(
        "The configuration file {bad} is not valid: EOF while parsing a value at line 1 column 13"
    );
    refused(&["--config", &bad], &[], &said);
    refused(&[], &[("PLAYWRIGHT_MCP_CONFIG", &bad)], &said);
    let ini = file("wrong.ini", "timeouts.action = soon");
    refused(
        &["--config", &ini],
        &[],
        &format!(
            "Invalid timeouts.action in {ini}: soon. A whole number of milliseconds from 0 to \
             2147483647 is expected"
        ),
    );
    let gone = folder.path().join("gone.json").display().to_string();
    let output = playguard(&["--config", &gone], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with(&format!("The configuration file {gone} cannot be read")));
}

#[test]
fn the_old_flag_for_vision_still_works_and_says_so() {
    let output = playguard(&["--vision"], &[]);
    assert!(output.status.success());
    assert_eq!(
        stderr(&output),
        "The --vision option is deprecated, use --caps=vision instead\n"
    );
}

#[test]
fn the_variable_of_the_installer_is_known() {
    accepted(&[], &[(HOST_VARIABLE, "http://127.0.0.1:1")]);
    assert!(include_str!("../README.md").contains(HOST_VARIABLE));
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_not_taken_for_none() {
    use std::os::unix::ffi::OsStrExt as _;
    let output = Command::new(env!("CARGO_BIN_EXE_playguard"))
        .env(
            "PLAYGUARD_USER_DATA_DIR",
            std::ffi::OsStr::from_bytes(b"/tmp/\xff"),
        )
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output).trim_end(),
        "Invalid PLAYGUARD_USER_DATA_DIR: its value is not valid UTF-8"
    );
}

#[cfg(unix)]
#[test]
fn the_root_is_refused_as_output_folder() {
    refused(
        &["--output-dir", "/"],
        &[],
        "--output-dir cannot point to a system directory: /.",
    );
}

#[test]
fn a_variable_with_a_typing_error_is_announced_and_does_no_harm() {
    let output = playguard(&[], &[("PLAYGUARD_HEADLES", "1")]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stdout(&output), "");
    let said = stderr(&output);
    assert!(said.contains("PLAYGUARD_HEADLES is not known"), "{said}");
    assert!(said.contains("Did you mean PLAYGUARD_HEADLESS?"), "{said}");
}

#[test]
fn completion_scripts() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = playguard(&["completions", shell], &[]);
        assert!(output.status.success(), "{shell}");
        assert!(stdout(&output).contains("--snapshot-mode") || shell == "fish");
        assert!(stdout(&output).contains("install-browser"));
        assert_eq!(stderr(&output), "");
    }
    refused(
        &["completions", "dos"],
        &[],
        "error: Invalid shell: dos. Valid values are: bash, elvish, fish, powershell, zsh",
    );
}

#[test]
fn the_readme_lists_exactly_the_options_that_exist() {
    /// Flag, variable, and whether upstream's variable is read: the first
    /// three cells of a row.
    fn cells(opt: &Opt) -> Vec<String> {
        let (variable, shared) = match opt.variable {
            Variable::Shared(suffix) => (format!("`{OWN_PREFIX}{suffix}`"), "✓"),
            Variable::Own(suffix) => (format!("`{OWN_PREFIX}{suffix}`"), ""),
            Variable::Absent => (String::new(), ""),
        };
        vec![
            format!("`{}`", opt.signature()),
            variable,
            shared.to_owned(),
        ]
    }
    let told: Vec<Vec<String>> = include_str!("../README.md")
        .lines()
        .filter(|line| line.starts_with("| `--"))
        .map(|line| {
            let cells = line.split('|').skip(1).take(3);
            cells.map(|cell| cell.trim().to_owned()).collect()
        })
        .collect();
    let shown = OPTIONS.iter().filter(|opt| !opt.help.is_empty());
    let real: Vec<Vec<String>> = shown.map(cells).collect();
    assert_eq!(told, real);
}

#[test]
fn the_readme_names_what_upstream_has_and_we_do_not() {
    let readme = include_str!("../README.md");
    let limits = readme.split("## Limits").nth(1).expect("a section");
    let limits = limits.split("\n## ").next().unwrap_or_default();
    for (flag, _) in NOT_YET {
        assert!(limits.contains(&format!("`--{flag}`")), "--{flag}");
    }
    for flag in limits.split('`').filter_map(|text| text.strip_prefix("--")) {
        let flag = flag.split(' ').next().unwrap_or_default();
        let known = OPTIONS.iter().any(|opt| opt.long == flag);
        let missing = NOT_YET.iter().any(|(missing, _)| *missing == flag);
        assert!(known || missing, "--{flag}");
    }
}

#[test]
fn the_readme_names_the_keys_that_have_no_effect_yet() {
    let readme = include_str!("../README.md");
    let limits = readme.split("## Limits").nth(1).expect("a section");
    let list = limits.split("these keys are").nth(1).expect("a list");
    let list = list.split("\n- ").next().unwrap_or_default();
    let told: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    let mut real: Vec<&str> = Vec::new();
    for key in keys_not_yet() {
        let (group, name) = key.rsplit_once('.').unwrap_or(("", key));
        // Each group is named once, before its keys.
        if !group.is_empty() && !real.contains(&group) {
            real.push(group);
        }
        real.push(name);
    }
    let sorted = |mut list: Vec<_>| {
        list.sort_unstable();
        list
    };
    assert_eq!(sorted(told), sorted(real));
}

#[test]
fn the_readme_lists_exactly_the_tools_that_exist() {
    let readme = include_str!("../README.md");
    let table = readme.split("| group | tools |").nth(1).expect("a table");
    let table = table.split("\n\n").next().unwrap_or_default();
    let mut told: Vec<&str> = table
        .split('`')
        .filter(|word| word.starts_with("browser_"))
        .collect();
    let mut real: Vec<&str> = Catalogue::core()
        .tools()
        .iter()
        .map(|tool| tool.name.as_ref())
        .collect();
    told.sort_unstable();
    real.sort_unstable();
    assert_eq!(told, real);
    assert!(readme.contains(&format!("The {} core tools", real.len())));
}
