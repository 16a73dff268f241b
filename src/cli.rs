//! The command line: what was asked for, and the text for whoever asked
//! wrongly.
//!
//! Messages have the wording that users of `@playwright/mcp` know (commander's),
//! so that scripts and clients that look at them keep working.

use std::ffi::OsString;
use std::fmt;
use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use clap_complete::Shell;

use crate::config::options::{Flags, Group, OPTIONS, Opt, Takes};

/// What the program was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Serve MCP on standard input and output.
    Serve,
    /// Show what the server does, on a page of its own.
    Demo,
    /// Look for what would keep the server from working.
    Doctor,
    /// Install a browser.
    InstallBrowser {
        /// Which one, as typed; the usual one when absent.
        name: Option<String>,
    },
    /// Print a completion script.
    Completions {
        /// For this shell.
        shell: Shell,
    },
}

/// A command line that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cli {
    /// What to do.
    pub task: Task,
    /// The options, for [`crate::config::Config::load`].
    pub flags: Flags,
}

/// A command line that ends the program at once: help, version, or a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// Exit code of the process.
    pub code: u8,
    /// What to print; ends with a newline.
    pub text: String,
}

impl Exit {
    fn mistake(text: impl fmt::Display) -> Self {
        Exit {
            code: 1,
            text: format!("error: {text}\n"),
        }
    }

    /// Prints to standard output, or for a mistake to standard error, and
    /// returns the exit code. Nobody listening is not an error.
    pub fn print(&self) -> u8 {
        let _ = if self.code == 0 {
            std::io::stdout().lock().write_all(self.text.as_bytes())
        } else {
            std::io::stderr().lock().write_all(self.text.as_bytes())
        };
        self.code
    }
}

/// Reads a command line; the first item is the name of the program.
///
/// # Errors
/// [`Exit`] when there is nothing to do but to print and leave.
pub fn parse<I, T>(args: I) -> Result<Cli, Exit>
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let matches = command(Purpose::Parse)
        .try_get_matches_from(args)
        .map_err(|error| explain(&error))?;
    refuse_extra(&matches, None)?;
    let mut flags = Flags::default();
    collect(&matches, &mut flags);

    let task = match matches.subcommand() {
        None => Task::Serve,
        Some((name, sub)) => {
            refuse_extra(sub, Some(name))?;
            match name {
                "install-browser" => Task::InstallBrowser {
                    name: sub.get_one::<String>("name").cloned(),
                },
                "completions" => Task::Completions { shell: shell(sub)? },
                _ => {
                    // The options may stand on either side of the command.
                    collect(sub, &mut flags);
                    match name {
                        "demo" => Task::Demo,
                        "doctor" => Task::Doctor,
                        _ => Task::Serve,
                    }
                }
            }
        }
    };
    if let Task::InstallBrowser { .. } | Task::Completions { .. } = task
        && let Some(setting) = flags.settings().next()
    {
        let opt = OPTIONS.iter().find(|opt| opt.setting == setting);
        return Err(Exit::mistake(format_args!(
            "option '{}' has no meaning for this command",
            opt.map(Opt::signature).unwrap_or_default()
        )));
    }
    Ok(Cli { task, flags })
}

/// The completion script for a shell, to be printed and left.
pub fn completions(shell: Shell) -> Exit {
    // Into memory first: clap's writer panics when a pipe is closed early.
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut command(Purpose::Complete),
        "playguard",
        &mut script,
    );
    Exit {
        code: 0,
        text: String::from_utf8_lossy(&script).into_owned(),
    }
}

/// What the description of the command line is wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Reading arguments and printing help.
    Parse,
    /// Completion scripts, which list nothing that is hidden.
    Complete,
}

/// Collects what should not be there, to count it in the message.
const EXTRA: &str = "extra";

fn command(purpose: Purpose) -> Command {
    let run = |name, about| {
        // The same options as without a command; shown once, in the main help.
        let hide = purpose == Purpose::Parse;
        Command::new(name)
            .about(about)
            .args(OPTIONS.iter().map(|opt| arg(opt).hide(hide)))
            .override_usage(format!("playguard {name} [options]"))
            .after_help("Takes the options that `playguard --help` lists.")
    };
    let serve = run(
        "serve",
        "Serve MCP on standard input and output (the default)",
    );
    let demo = run("demo", "See it work: drive a page and print each reply");
    let doctor = run("doctor", "Check the browser, the display and the folders");
    let install = Command::new("install-browser")
        .about("Download Chrome for Testing")
        .arg(Arg::new("name").help("Which browser"));
    let completions = Command::new("completions")
        .about("Print a completion script")
        .arg(
            Arg::new("shell")
                .required(true)
                .help("bash, elvish, fish, powershell or zsh"),
        );

    let all = Command::new("playguard")
        .about("A guarded browser for AI agents, served over MCP.")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args_override_self(true)
        .max_term_width(80)
        .override_usage("playguard [options] [command]")
        .subcommand_help_heading("Commands")
        .after_help(
            "Each option but --headed and --no-sandbox has a variable: \
             PLAYGUARD_USER_AGENT sets --user-agent. Most are also read by their \
             upstream names, PLAYWRIGHT_MCP_USER_AGENT. A flag wins over both.",
        )
        .args(OPTIONS.iter().map(arg))
        .arg(help())
        .arg(
            Arg::new("version")
                .short('V')
                .long("version")
                .action(ArgAction::Version)
                .help("Print the version")
                .help_heading(Group::General.heading()),
        );
    let subs = [serve, demo, doctor, install, completions].map(|sub| sub.arg(help()));
    match purpose {
        Purpose::Complete => all.subcommands(subs),
        Purpose::Parse => all.arg(extra()).subcommands(
            subs.into_iter()
                .map(|sub| sub.args_override_self(true).arg(extra())),
        ),
    }
}

/// Clap's own would stand under a heading of its own.
fn help() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .help("Print this help")
        .help_heading(Group::General.heading())
}

fn extra() -> Arg {
    Arg::new(EXTRA).num_args(0..).hide(true)
}

fn arg(opt: &Opt) -> Arg {
    let arg = Arg::new(opt.long)
        .long(opt.long)
        .help(opt.help)
        .help_heading(opt.group.heading());
    match opt.takes {
        // Of two flags for one thing, the later one stands.
        Takes::Nothing(_) => arg.action(ArgAction::SetTrue).overrides_with_all(
            OPTIONS
                .iter()
                .filter(|other| other.setting == opt.setting)
                .map(|other| other.long),
        ),
        Takes::One(value) => arg.action(ArgAction::Set).value_name(value),
        Takes::Many(value) => arg
            .action(ArgAction::Append)
            .value_name(value)
            .num_args(1..),
    }
}

/// Takes over what was given for each option.
fn collect(matches: &ArgMatches, flags: &mut Flags) {
    for opt in OPTIONS {
        match opt.takes {
            Takes::Nothing(means) => {
                if matches.get_flag(opt.long) {
                    flags.give(opt.setting, vec![means.to_owned()]);
                }
            }
            Takes::One(_) | Takes::Many(_) => {
                if let Some(values) = matches.get_many::<String>(opt.long) {
                    flags.give(opt.setting, values.cloned().collect());
                }
            }
        }
    }
}

fn refuse_extra(matches: &ArgMatches, sub: Option<&str>) -> Result<(), Exit> {
    let Some(extra) = matches.get_many::<String>(EXTRA) else {
        return Ok(());
    };
    // What the command does take counts as expected, and as got.
    let named = ["name", "shell"]
        .into_iter()
        .filter_map(|id| matches.try_get_one::<String>(id).ok().flatten());
    let expected = usize::from(matches!(sub, Some("install-browser" | "completions")));
    let got: Vec<&str> = named.chain(extra).map(String::as_str).collect();
    let whose = sub.map(|name| format!(" for '{name}'")).unwrap_or_default();
    let plural = if expected == 1 { "" } else { "s" };
    Err(Exit::mistake(format_args!(
        "too many arguments{whose}. Expected {expected} argument{plural} but got {}: {}.",
        got.len(),
        got.join(", ")
    )))
}

fn shell(matches: &ArgMatches) -> Result<Shell, Exit> {
    let given = matches
        .get_one::<String>("shell")
        .map_or("", String::as_str);
    given.parse().map_err(|_| {
        Exit::mistake(format_args!(
            "Invalid shell: {given}. Valid values are: bash, elvish, fish, powershell, zsh"
        ))
    })
}

/// Turns clap's finding into the wording described at the top.
fn explain(error: &clap::Error) -> Exit {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg).unwrap_or_default();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit {
            code: 0,
            text: error.render().to_string(),
        },
        ErrorKind::UnknownArgument => {
            let hint = text(ContextKind::SuggestedArg)
                .map(|near| format!("\n(Did you mean {near}?)"))
                .unwrap_or_default();
            Exit::mistake(format_args!("unknown option '{argument}'{hint}"))
        }
        ErrorKind::InvalidValue | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            Exit::mistake(format_args!(
                "option '{}' argument missing",
                signature(&argument)
            ))
        }
        ErrorKind::TooManyValues => Exit::mistake(format_args!(
            "option '{}' takes no value",
            signature(&argument)
        )),
        ErrorKind::MissingRequiredArgument => Exit::mistake(format_args!(
            "missing required argument '{}'",
            argument.trim_matches(['<', '>'])
        )),
        ErrorKind::InvalidUtf8 => Exit::mistake("an argument is not valid UTF-8"),
        // Nothing in the description above leads here; if it ever does, clap's
        // own words are better than none.
        _ => Exit {
            code: 1,
            text: error.render().to_string(),
        },
    }
}

/// The option as the table spells it, from clap's spelling of it.
fn signature(argument: &str) -> String {
    let long = argument
        .trim_start_matches('-')
        .split([' ', '='])
        .next()
        .unwrap_or_default();
    OPTIONS
        .iter()
        .find(|opt| opt.long == long)
        .map_or_else(|| argument.to_owned(), Opt::signature)
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let entry = format!("--{} ", opt.long);
            assert!(exit.text.contains(&entry), "{entry}");
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
            assert!(!exit.text.contains(EXTRA));
        }
    }
}
