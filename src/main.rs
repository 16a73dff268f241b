//! The `playguard` program: reads its configuration and does one of its tasks.

mod tasks;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use playguard::cli::{self, Cli, Task};
use playguard::client_config;
use playguard::config::{Config, logging};
use playguard::memory;
use playguard_cdp::launch::reaper_main;

fn main() -> ExitCode {
    // The watchdog is this program too; it must not do anything else.
    reaper_main::main_if_requested();
    memory::tune();
    let Cli { task, flags } = match cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(exit) => return ExitCode::from(exit.print()),
    };
    if let Task::Completions { shell } = task {
        return ExitCode::from(cli::completions(shell).print());
    }
    if let Task::Config(request) = &task {
        return ExitCode::from(client_config::run(request));
    }
    let config = match Config::load(&flags) {
        Ok(config) => Arc::new(config),
        Err(error) => {
            complain(&error);
            return ExitCode::FAILURE;
        }
    };
    if let Some(warning) = logging::init(config.verbose) {
        complain(&warning);
    }
    for warning in &config.warnings {
        complain(warning);
    }
    // One thread for everything that waits: a message then needs no wake-up between threads on its
    // way. What computes for long goes to the blocking threads.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(8)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("The program could not start its threads: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(async {
        match task {
            Task::Serve => tasks::serve(config).await,
            Task::Demo => tasks::demo(&config).await,
            Task::Doctor => tasks::doctor(&config).await,
            Task::InstallBrowser { name } => tasks::install_browser(name.as_deref()).await,
            // Answered above, before anything was read.
            Task::Config(_) | Task::Completions { .. } => 0,
        }
    });
    // Blocking work that is still running (a slow disk, standard input) must not hold the end up.
    runtime.shutdown_background();
    ExitCode::from(code)
}

/// Says something on standard error, whose other end may be gone.
fn complain(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
