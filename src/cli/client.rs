//! `playguard config`: which client, and what its entry says.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::{Exit, Purpose, Task, extra, one_of, parse};
use crate::client_config::{Client, Request, start};

/// Longest name of a server. Clients put it before the name of each tool, and 64 is what most
/// models allow for both.
const LONGEST_NAME: usize = 40;

pub(super) fn command(purpose: Purpose) -> Command {
    let config = Command::new("config")
        .about("Print what an MCP client needs to know, or write it")
        .override_usage("playguard config <client> [--write] [-- <options of the server>]")
        .arg(one_of(
            Arg::new("client").required(true).help(
                "claude-code, claude-desktop, cursor, vscode, codex, gemini-cli, windsurf or zed",
            ),
            &Client::NAMES,
            purpose,
        ))
        .arg(
            Arg::new("write")
                .long("write")
                .action(ArgAction::SetTrue)
                .help("Put it into the client's file, and keep the rest of that"),
        )
        .arg(
            Arg::new("file")
                .long("file")
                .value_name("path")
                .value_hint(ValueHint::FilePath)
                .help("The file, such as that of a project (default: the user's)"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("name")
                .help("Name of the server (default: playguard)"),
        );
    // What is too much stands before `--`, and so comes first.
    let config = match purpose {
        Purpose::Parse => config.arg(extra()),
        Purpose::Complete => config,
    };
    config.arg(
        Arg::new("args")
            .last(true)
            .num_args(0..)
            .help("What the server is started with, such as -- --headless"),
    )
}

pub(super) fn task(matches: &ArgMatches) -> Result<Task, Exit> {
    let one = |id| matches.get_one::<String>(id).cloned();
    let client = one("client").unwrap_or_default();
    let Some(client) = Client::named(&client) else {
        return Err(Exit::mistake(format_args!(
            "Invalid client: {client}. Valid values are: {}",
            Client::NAMES.join(", ")
        )));
    };
    let name = one("name").unwrap_or_else(|| "playguard".to_owned());
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(allowed) {
        return Err(Exit::mistake(format_args!(
            "Invalid name: {name}. A name has letters, digits, '-' and '_', and at most \
             {LONGEST_NAME} of them"
        )));
    }
    let args: Vec<String> = matches
        .get_many::<String>("args")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    check(&args)?;
    Ok(Task::Config(Request {
        client,
        write: matches.get_flag("write"),
        file: one("file").map(PathBuf::from),
        name,
        args,
    }))
}

/// What a client would be told on starting the server is better told now.
fn check(args: &[String]) -> Result<(), Exit> {
    let program = ["playguard".to_owned()];
    let cli = match parse(program.iter().chain(args)) {
        Ok(cli) if cli.task == Task::Serve => cli,
        Err(exit) if exit.code != 0 => return Err(exit),
        _ => {
            return Err(Exit::mistake(
                "behind '--' are options of the server, and no other command",
            ));
        }
    };
    if let Some(option) = start::secret(&cli.flags) {
        return Err(Exit::mistake(format_args!(
            "'{option}' holds a secret, and a client's file is no place for one. \
             Leave it out, and set its variable where the client is started"
        )));
    }
    Ok(())
}
