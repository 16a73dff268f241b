//! Where diagnostics go: standard error, because standard output belongs to
//! the protocol.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// The filter without `--verbose` and without `RUST_LOG`.
const QUIET: &str = "warn";
/// The filter under `--verbose`: our own crates in detail, others when they
/// complain.
const VERBOSE: &str = "warn,playguard=debug,playguard_cdp=debug";

/// Starts logging for the whole process.
///
/// `RUST_LOG`, when set, decides alone; otherwise `verbose` does. Returns a
/// warning to show when `RUST_LOG` cannot be read. Later calls change
/// nothing, so that tests may call it freely.
pub fn init(verbose: bool) -> Option<String> {
    let wanted = std::env::var("RUST_LOG").ok();
    let (filter, warning) = filter(wanted.as_deref(), verbose);
    let stderr = std::io::stderr();
    let ansi = stderr.is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    // An error here means that a subscriber is already in place.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(ansi)
        // Such errors are reported by a print that panics when standard error
        // has been closed, and a client may well close it.
        .log_internal_errors(false)
        .try_init();
    warning
}

/// Keeps this thread's log to itself while the returned guard lives, for tasks
/// that report to a person what they find. Somebody who asked for the log, by
/// `verbose` or by `RUST_LOG`, gets it all the same.
#[must_use]
pub fn hush(verbose: bool) -> Option<tracing::subscriber::DefaultGuard> {
    let asked = verbose || std::env::var_os("RUST_LOG").is_some_and(|text| !text.is_empty());
    (!asked).then(|| tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::new()))
}

fn filter(rust_log: Option<&str>, verbose: bool) -> (EnvFilter, Option<String>) {
    let own = EnvFilter::new(if verbose { VERBOSE } else { QUIET });
    match rust_log.filter(|text| !text.is_empty()) {
        None => (own, None),
        Some(text) => match EnvFilter::try_new(text) {
            Ok(filter) => (filter, None),
            Err(error) => (own, Some(format!("RUST_LOG is ignored: {error}"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_log_decides_before_verbose() {
        assert_eq!(filter(None, false).0.to_string(), "warn");
        assert_eq!(filter(Some(""), false).0.to_string(), "warn");
        assert!(filter(None, true).0.to_string().contains("playguard=debug"));
        assert_eq!(filter(Some("trace"), true).0.to_string(), "trace");
    }

    #[test]
    fn nonsense_in_rust_log_is_reported_and_not_fatal() {
        let (filter, warning) = filter(Some("playguard=loud"), false);
        assert_eq!(filter.to_string(), "warn");
        assert!(warning.unwrap().starts_with("RUST_LOG is ignored: "));
    }

    #[test]
    fn who_asked_for_the_log_is_not_hushed() {
        assert!(hush(true).is_none());
    }

    #[test]
    fn starting_twice_is_harmless() {
        init(false);
        init(true);
    }
}
