//! The command itself.

use std::io::Write as _;
use std::path::PathBuf;

use playguard_cdp::launch::machine::ThisMachine;

use super::{Client, Entry, Merged, merge, place, snippet, start, write};

/// What `playguard config` was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// For this client.
    pub client: Client,
    /// Whether to change its file, and not only print.
    pub write: bool,
    /// The file, if not the usual one.
    pub file: Option<PathBuf>,
    /// Name of the server.
    pub name: String,
    /// What the server is started with.
    pub args: Vec<String>,
}

/// Prints the entry, or puts it into the file of the client. Returns the exit code.
pub fn run(request: &Request) -> u8 {
    match answer(request) {
        Ok(answer) => {
            // Nobody listening is not an error.
            let _ = std::io::stdout().write_all(answer.result.as_bytes());
            let _ = std::io::stderr().write_all(answer.remark.as_bytes());
            0
        }
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "{message}");
            1
        }
    }
}

struct Answer {
    /// For standard output.
    result: String,
    /// For standard error.
    remark: String,
}

fn answer(request: &Request) -> Result<Answer, String> {
    let client = request.client;
    let title = client.title();
    let entry = Entry {
        name: request.name.clone(),
        command: command()?,
        args: request.args.clone(),
    };
    let pasted = snippet(client, &entry);
    let usual = place::default_file(client, &ThisMachine).map(PathBuf::from);
    let file = request.file.clone().or(usual);
    if !request.write {
        let remark = match file {
            Some(file) => format!("For {}. --write puts it there.\n", file.display()),
            None => String::new(),
        };
        return Ok(Answer {
            result: pasted,
            remark,
        });
    }
    let file = file.ok_or_else(|| {
        format!("The environment names no home folder: give the file of {title} with --file.")
    })?;
    let shown = file.display();
    let found = write::read(&file).map_err(|error| format!("Cannot read {shown}: {error}."))?;
    let merged = merge(client, found.text(), &entry).map_err(|error| {
        format!(
            "Nothing was changed in {shown}: {error}.\nRepair that, or put this in by hand:\n{}",
            pasted.trim_end()
        )
    })?;
    let name = &entry.name;
    let (done, text) = match merged {
        Merged::Same => {
            return Ok(Answer {
                result: format!("{title} has {name} already, in {shown}.\n"),
                remark: String::new(),
            });
        }
        Merged::Added(text) => ("Added", text),
        Merged::Updated(text) => ("Updated", text),
    };
    let backup =
        write::replace(&found, &text).map_err(|error| format!("Cannot write {shown}: {error}."))?;
    let mut result = format!("{done} {name} for {title}, in {shown}.\n");
    if let Some(backup) = backup {
        result.push_str(&format!("As it was before: {}\n", backup.display()));
    }
    result.push_str(&format!("Start {title} anew to use it.\n"));
    Ok(Answer {
        result,
        remark: String::new(),
    })
}

/// The command for this very program.
fn command() -> Result<String, String> {
    let program = std::env::current_exe()
        .map_err(|error| format!("The program does not know where it is: {error}."))?;
    let real = std::fs::canonicalize(&program).ok();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let command = start::command(&program, std::env::split_paths(&path), |place| {
        real.is_some() && std::fs::canonicalize(place).ok() == real
    });
    command.into_os_string().into_string().map_err(|path| {
        format!(
            "The path of this program is no text that a file could hold: {}. Move it elsewhere.",
            path.display()
        )
    })
}
