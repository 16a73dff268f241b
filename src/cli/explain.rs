//! The text for a command line that was not understood.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Exit;
use crate::config::options::{OPTIONS, Opt};
use crate::config::upstream;

/// Turns clap's finding into the wording described at the top.
pub(super) fn explain(error: &clap::Error) -> Exit {
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
            let hint = advice(&argument);
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

/// What to say to somebody who gave this unknown option: that it is one of
/// upstream's, or which one a slip of the hand could have turned into it.
/// Clap's own guesses go by common letters, and find something for anything.
fn advice(argument: &str) -> String {
    let Some(name) = argument.strip_prefix("--") else {
        return String::new();
    };
    let name = name.split('=').next().unwrap_or_default();
    if upstream::is_not_yet(name) {
        return "\n(@playwright/mcp has it; PlayGuard does not have it yet.)".to_owned();
    }
    // One slip in a short name, two in one that is long enough for them.
    let limit = name.chars().count().div_ceil(4).min(2);
    OPTIONS
        .iter()
        .map(|opt| opt.long)
        .chain(["help", "version"])
        .map(|long| (strsim::osa_distance(name, long), long))
        .filter(|(distance, _)| (1..=limit).contains(distance))
        .min()
        .map(|(_, near)| format!("\n(Did you mean --{near}?)"))
        .unwrap_or_default()
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
