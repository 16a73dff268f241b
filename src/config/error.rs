//! What can be wrong with a configuration.

use std::path::PathBuf;

/// A configuration that cannot be used. The text is meant for the person who
/// wrote it: it names the flag or variable, the value, and what is accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value outside a fixed list.
    #[error("Invalid {name}: {value}. Valid values are: {}", valid.join(", "))]
    NotOneOf {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given.
        value: String,
        /// What would have been accepted.
        valid: Vec<&'static str>,
    },
    /// A browser of another kind than the one we drive.
    #[error(
        "Invalid {name}: {value}. PlayGuard's own backend drives Chromium and browsers built on \
         it, neither Firefox nor WebKit. Valid values are: {}",
        valid.join(", ")
    )]
    NotChromium {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given.
        value: String,
        /// What would have been accepted.
        valid: Vec<&'static str>,
    },
    /// Two flags that say the opposite of each other.
    #[error("{} contradict each other: give one of them", flags.join(" and "))]
    Contradiction {
        /// The flags, with their dashes.
        flags: Vec<String>,
    },
    /// Not a number of milliseconds, or one beyond [`super::MAX_MS`].
    #[error(
        "Invalid {name}: {value}. A whole number of milliseconds from 0 to {} is expected",
        super::MAX_MS
    )]
    NotMilliseconds {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given.
        value: String,
    },
    /// Not a port.
    #[error("Invalid {name}: {value}. A port from 0 to 65535 is expected; 0 is any free one")]
    NotAPort {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given.
        value: String,
    },
    /// Not a number, or one out of bounds.
    #[error(
        "Invalid {name}: {value}. A number from {least}{} is expected",
        most.as_ref().map(|most| format!(" to {most}")).unwrap_or(" on".to_owned())
    )]
    NotANumber {
        /// The key.
        name: String,
        /// What was given.
        value: String,
        /// The least that is accepted.
        least: String,
        /// The most that is accepted, if there is a bound.
        most: Option<String>,
    },
    /// A device that is not in the table.
    #[error(
        "Invalid {name}: {value}. The name of a device is expected, such as \"iPhone 15\"{}",
        meant.map(|meant| format!(". Did you mean \"{meant}\"?")).unwrap_or_default()
    )]
    NotADevice {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given.
        value: String,
        /// What was probably meant.
        meant: Option<&'static str>,
    },
    /// Two names for one thing.
    #[error("Cannot use --mobile together with --device, pick one.")]
    MobileWithDevice,
    /// Somebody else's browser stays as it is.
    #[error("Device emulation is not supported with cdpEndpoint.")]
    DeviceWithCdpEndpoint,
    /// Not an origin or host.
    #[error(
        "Invalid {name}: {value}. Hosts or origins are expected, separated by semicolons, such as \
         example.com;https://api.example.com;http://localhost:*"
    )]
    NoOrigin {
        /// How it was given.
        name: String,
        /// The entry.
        value: String,
    },
    /// A script that is to run in pages cannot be read.
    #[error("Init script file does not exist: {}", path.display())]
    NoInitScript {
        /// The file.
        path: PathBuf,
    },
    /// Not a number of bytes.
    #[error("Invalid {name}: {value}. A whole number of bytes is expected")]
    NotBytes {
        /// The flag with its dashes, the variable or the key.
        name: String,
        /// What was given.
        value: String,
    },
    /// Not a size; upstream's text, as given by its flag and variable.
    #[error("Invalid resolution format: use --viewport-size=\"800x600\"")]
    NotASize,
    /// Not a size, in a variable of ours, which the text can name.
    #[error("Invalid {name}: {value}. A width and a height are expected, such as 800x600")]
    NotASizeIn {
        /// The variable.
        name: String,
        /// What was given.
        value: String,
    },
    /// A size beyond what pages can be given.
    #[error(
        "Invalid {name}: {value}. Width and height may be from 1 to {} pixels",
        super::MAX_SIDE
    )]
    TooLarge {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given.
        value: String,
    },
    /// Not the address of a proxy.
    #[error(
        "Invalid {name}: {value}. A proxy is written as host:port or as an address such as \
         http://proxy:3128, with one of the schemes {}",
        schemes.join(", ")
    )]
    NotAProxy {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given, without user and password.
        value: String,
        /// The schemes that are known.
        schemes: &'static [&'static str],
    },
    /// Not the address of a running browser, and no channel either.
    #[error(
        "Invalid {name}: {value}. An address that begins with http://, https://, ws:// or wss:// \
         is expected, or a browser: {}{}",
        channels.join(", "),
        meant.as_ref().map(|meant| format!(". Did you mean {meant}?")).unwrap_or_default()
    )]
    NotAnEndpoint {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given, without user and password.
        value: String,
        /// The browsers that can be named.
        channels: Vec<&'static str>,
        /// What was probably meant.
        meant: Option<String>,
    },
    /// Not a list of attribute names.
    #[error(
        "Invalid {name}: {value}. Names of attributes are expected, separated by commas, such as \
         data-testid"
    )]
    NotAnAttribute {
        /// The flag with its dashes, or the variable.
        name: String,
        /// What was given.
        value: String,
    },
    /// A header that could not be sent. Its value is left out of the text: it
    /// may be a secret.
    #[error("Invalid {name}: a header is written as \"Name: value\", on one line")]
    NotAHeader {
        /// The flag with its dashes, or the variable.
        name: String,
    },
    /// A variable that holds something else than text.
    #[error("Invalid {name}: its value is not valid UTF-8")]
    NotText {
        /// The variable.
        name: String,
    },
    /// A file that was named cannot be read.
    #[error("The {what} {} cannot be read: {reason}", path.display())]
    FileUnreadable {
        /// What it is for.
        what: &'static str,
        /// The file, as given.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// The configuration file is not what it looks like.
    #[error("The configuration file {} is not valid: {reason}", path.display())]
    FileNotJson {
        /// The file, as given.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A value of a configuration file is a list, an object or the like where
    /// something else is needed.
    #[error("Invalid {name}: {expected} is expected")]
    WrongKind {
        /// The key and the file.
        name: String,
        /// What is expected, with its article.
        expected: &'static str,
    },
    /// `--isolated` keeps no profile, `--user-data-dir` names one.
    #[error("Browser userDataDir is not supported in isolated mode.")]
    IsolatedWithUserDataDir,
    /// The root of the file system as the place for our files.
    #[error("--output-dir cannot point to a system directory: {}.", path.display())]
    OutputDirIsRoot {
        /// The folder, after resolving.
        path: PathBuf,
    },
    /// A relative path with nothing to resolve it against.
    #[error("Cannot resolve {}: the working directory cannot be read ({reason})", path.display())]
    NoWorkingDirectory {
        /// The path as given.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
}
