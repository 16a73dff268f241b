//! The command line: what was asked for, and the text for whoever asked
//! wrongly.
//!
//! Messages have the wording that users of `@playwright/mcp` know (commander's),
//! so that scripts and clients that look at them keep working.

mod client;
mod explain;

use std::ffi::OsString;
use std::fmt;
use std::io::Write;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use clap_complete::Shell;

use self::explain::explain;
use crate::client_config::Request;
use crate::config::options::{Flags, Group, OPTIONS, Opt, Setting, Takes};

/// The browsers that `install-browser` can be asked for.
pub const INSTALLABLE: [&str; 4] = ["chrome", "chrome-beta", "chrome-dev", "chrome-canary"];

/// The shells that there are completion scripts for.
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

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
    /// Print or write what a client needs to know.
    Config(Request),
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
                "help" => return help_for(sub),
                "install-browser" => Task::InstallBrowser {
                    name: sub.get_one::<String>("name").cloned(),
                },
                "config" => client::task(sub)?,
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
    if let Task::InstallBrowser { .. } | Task::Config(_) | Task::Completions { .. } = task
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

/// Answers `help` and `help <command>` as `--help` would.
fn help_for(matches: &ArgMatches) -> Result<Cli, Exit> {
    let Some(name) = matches.get_one::<String>("command") else {
        return parse(["playguard", "--help"]);
    };
    let all = command(Purpose::Parse);
    let mut known = all.get_subcommands().map(Command::get_name);
    if known.any(|known| known == name) {
        return parse(["playguard", name, "--help"]);
    }
    let known: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
    Err(Exit::mistake(format_args!(
        "Invalid command: {name}. Valid values are: {}",
        known.join(", ")
    )))
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
    let mut text = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish {
        text.push_str(&fish_arguments());
    }
    Exit { code: 0, text }
}

/// What clap leaves out of its script for fish: the arguments of commands.
fn fish_arguments() -> String {
    command(Purpose::Complete)
        .get_subcommands()
        .flat_map(|sub| sub.get_positionals().map(move |arg| (sub.get_name(), arg)))
        .filter(|(_, arg)| !arg.get_possible_values().is_empty())
        .map(|(name, arg)| {
            let values = arg.get_possible_values();
            let words: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
            format!(
                "complete -c playguard -n \"__fish_playguard_using_subcommand {name}\" -f -a \"{}\"\n",
                words.join(" ")
            )
        })
        .collect()
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
            .args(OPTIONS.iter().map(|opt| {
                let arg = arg(opt, purpose);
                if hide { arg.hide(true) } else { arg }
            }))
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
        .arg(one_of(
            Arg::new("name").help("chrome (default), chrome-beta, chrome-dev or chrome-canary"),
            &INSTALLABLE,
            purpose,
        ));
    let completions = Command::new("completions")
        .about("Print a completion script")
        .arg(one_of(
            Arg::new("shell")
                .required(true)
                .help("bash, elvish, fish, powershell or zsh"),
            &SHELLS,
            purpose,
        ));
    let commands = [
        "serve",
        "demo",
        "doctor",
        "install-browser",
        "config",
        "completions",
        "help",
    ];
    let help_command = Command::new("help")
        .about("Print this help, or that of a command")
        .arg(one_of(
            Arg::new("command").help("Which command"),
            &commands,
            purpose,
        ));

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
        .args(OPTIONS.iter().map(|opt| arg(opt, purpose)))
        .arg(help())
        .arg(
            Arg::new("version")
                .short('V')
                .long("version")
                .action(ArgAction::Version)
                .help("Print the version")
                .help_heading(Group::General.heading()),
        );
    let with_extra = |sub: Command| match purpose {
        Purpose::Parse => sub.arg(extra()),
        Purpose::Complete => sub,
    };
    let config = client::command(purpose);
    let [serve, demo, doctor, install, completions, help_command] =
        [serve, demo, doctor, install, completions, help_command].map(with_extra);
    let subs = [
        serve,
        demo,
        doctor,
        install,
        config,
        completions,
        help_command,
    ];
    let subs = subs.map(|sub| sub.args_override_self(true).arg(help()));
    with_extra(all).subcommands(subs)
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

/// Tells completion scripts what there is to choose from. When arguments are
/// read, the choice is made later, by those who know what to say about it.
fn one_of(arg: Arg, values: &[&'static str], purpose: Purpose) -> Arg {
    if purpose == Purpose::Complete && !values.is_empty() {
        arg.value_parser(PossibleValuesParser::new(values.iter().copied()))
    } else {
        arg
    }
}

fn arg(opt: &Opt, purpose: Purpose) -> Arg {
    let arg = Arg::new(opt.long)
        .long(opt.long)
        .help(opt.help)
        .help_heading(opt.group.heading())
        .hide(opt.help.is_empty());
    match opt.takes {
        Takes::Nothing(_) => arg.action(ArgAction::SetTrue),
        // A negative number is a wrong value, and not an option.
        Takes::One(value) => one_of(
            arg.action(ArgAction::Set)
                .value_name(value)
                .value_hint(hint(opt.setting))
                .allow_negative_numbers(true),
            &opt.setting.words(),
            purpose,
        ),
        Takes::Many(value) => arg
            .action(ArgAction::Append)
            .value_name(value)
            .num_args(1..),
    }
}

/// What a shell may offer where there are no words to choose from.
fn hint(setting: Setting) -> ValueHint {
    match setting {
        Setting::ExecutablePath => ValueHint::ExecutablePath,
        Setting::UserDataDir | Setting::OutputDir => ValueHint::DirPath,
        _ => ValueHint::Other,
    }
}

/// Takes over what was given for each option.
fn collect(matches: &ArgMatches, flags: &mut Flags) {
    // In the order of the command line: of two opposites, the later one stands.
    let mut switches: Vec<(usize, &Opt, &str)> = Vec::new();
    for opt in OPTIONS {
        match opt.takes {
            Takes::Nothing(means) => {
                if matches.get_flag(opt.long)
                    && let Some(place) = matches.index_of(opt.long)
                {
                    switches.push((place, opt, means));
                }
            }
            Takes::One(_) | Takes::Many(_) => {
                if let Some(values) = matches.get_many::<String>(opt.long) {
                    flags.give(opt.setting, values.cloned().collect());
                }
            }
        }
    }
    switches.sort_by_key(|(place, ..)| *place);
    for (_, opt, means) in switches {
        flags.give(opt.setting, vec![means.to_owned()]);
    }
}

fn refuse_extra(matches: &ArgMatches, sub: Option<&str>) -> Result<(), Exit> {
    let Some(extra) = matches.get_many::<String>(EXTRA) else {
        return Ok(());
    };
    // What the command does take counts as expected, and as got.
    let named = ["client", "shell", "command"]
        .into_iter()
        .chain((sub == Some("install-browser")).then_some("name"))
        .filter_map(|id| matches.try_get_one::<String>(id).ok().flatten());
    let expected = usize::from(matches!(
        sub,
        Some("install-browser" | "config" | "completions" | "help")
    ));
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
            "Invalid shell: {given}. Valid values are: {}",
            SHELLS.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests;
