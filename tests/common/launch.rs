//! How a server under test is started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::http::Server;
use super::processes::TAG_VARIABLE;
use super::session::Session;

/// Whether the tests run against upstream's server instead of ours. What only
/// ours can do is skipped then.
pub fn reference() -> bool {
    std::env::var("PLAYGUARD_TEST_SERVER").is_ok_and(|line| line.contains("@playwright/mcp"))
}

/// The command line of the server, without options.
pub fn server_words() -> Vec<OsString> {
    match std::env::var("PLAYGUARD_TEST_SERVER") {
        Ok(line) => split(&line).into_iter().map(OsString::from).collect(),
        Err(_) => vec![OsString::from(env!("CARGO_BIN_EXE_playguard"))],
    }
}

/// A server to start: headless, isolated and unsandboxed unless told otherwise.
pub struct Launch {
    args: Vec<OsString>,
    vars: Vec<(String, OsString)>,
    isolated: bool,
    browser: bool,
    capabilities: Value,
    elsewhere: bool,
    home: Home,
}

impl Launch {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self {
            args: Vec::new(),
            vars: Vec::new(),
            isolated: true,
            browser: true,
            capabilities: json!({}),
            elsewhere: false,
            home: Home::new(),
        }
    }

    /// Upstream's behaviour, word for word.
    pub fn stock(self) -> Self {
        if reference() {
            self
        } else {
            self.arg("--stock")
        }
    }

    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub fn args<const N: usize>(self, args: [&str; N]) -> Self {
        args.into_iter().fold(self, |launch, arg| launch.arg(arg))
    }

    pub fn var(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.vars.push((name.to_owned(), value.into()));
        self
    }

    /// With a profile on disk.
    pub fn persistent(mut self) -> Self {
        self.isolated = false;
        self
    }

    /// Without a word about which browser to start.
    pub fn any_browser(mut self) -> Self {
        self.browser = false;
        self
    }

    /// With what the client says that it can do; it always answers `roots/list`
    /// with its workspace.
    pub fn capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// In a working folder that is not the workspace.
    pub fn started_elsewhere(mut self) -> Self {
        self.elsewhere = true;
        self
    }

    /// The folder that will be the working folder, to put files into.
    pub fn workspace(&self) -> &Path {
        &self.home.workspace
    }

    /// Starts it and shakes hands.
    #[track_caller]
    pub fn start(self) -> Session {
        let words = self.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        self.spawn(command)
    }

    /// Starts it as the child of a shell that waits for it, as package runners
    /// do.
    #[track_caller]
    pub fn start_under_a_shell(self) -> Session {
        let mut command = Command::new("sh");
        // A second command keeps the shell from replacing itself by the first;
        // the redirection hands on standard input, which a background job
        // would not get.
        command
            .args(["-c", "\"$@\"; exit $?", "sh"])
            .args(self.words());
        self.spawn(command)
    }

    /// Starts it as a server for clients over HTTP, on a port of its choice.
    #[track_caller]
    pub fn serve(self) -> Server {
        let launch = self.args(["--port", "0"]);
        let words = launch.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        let (child, launch) = launch.spawn_child(command);
        Server::new(child, launch.home)
    }

    fn words(&self) -> Vec<OsString> {
        let mut words = server_words();
        words.extend(["--headless", "--no-sandbox"].map(OsString::from));
        if self.isolated {
            words.push("--isolated".into());
        }
        if self.browser {
            words.push("--executable-path".into());
            words.push(browser().into());
        }
        words.extend(self.args.iter().cloned());
        words
    }

    #[track_caller]
    fn spawn(self, command: Command) -> Session {
        let (child, launch) = self.spawn_child(command);
        Session::new(child, launch.home, &launch.capabilities)
    }

    #[track_caller]
    fn spawn_child(mut self, mut command: Command) -> (Child, Self) {
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("PLAYGUARD_") || text.starts_with("PLAYWRIGHT_MCP_") {
                command.env_remove(&name);
            }
        }
        let child = command
            .current_dir(if self.elsewhere {
                &self.home.folder
            } else {
                &self.home.workspace
            })
            .env_remove("RUST_LOG")
            // Upstream colours its call logs unless the terminal cannot.
            .env("TERM", "dumb")
            .env("TMPDIR", &self.home.temporary)
            .env("XDG_CACHE_HOME", self.home.folder.join("cache"))
            .env(TAG_VARIABLE, &self.home.tag)
            .envs(std::mem::take(&mut self.vars))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        (child, self)
    }
}

/// The folders of one server, removed with it.
pub struct Home {
    pub tag: String,
    pub folder: PathBuf,
    /// The working folder.
    pub workspace: PathBuf,
    /// Where it finds its temporary files.
    pub temporary: PathBuf,
}

impl Home {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Short: browsers make sockets below, whose paths may have 107 bytes.
        let tag = format!("pgt-{}-{number}-", std::process::id());
        let folder = std::env::temp_dir()
            .canonicalize()
            .expect("a folder for temporary files")
            .join(&tag);
        let workspace = folder.join("ws");
        let temporary = folder.join("tmp");
        for folder in [&workspace, &temporary] {
            std::fs::create_dir_all(folder).expect("folders for a test");
        }
        Self {
            tag,
            folder,
            workspace,
            temporary,
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The browser to test with.
#[track_caller]
pub fn browser() -> PathBuf {
    if let Some(path) = std::env::var_os("PLAYGUARD_TEST_BROWSER") {
        return path.into();
    }
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mac = Path::new("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    names
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |folder| folder.join(name)))
        .chain([mac.to_path_buf()])
        .find(|file| file.is_file())
        .expect("a Chromium in the PATH, or named by PLAYGUARD_TEST_BROWSER")
}

/// Splits a command line at blanks outside single or double quotes.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter.is_whitespace() => words.extend(word.take()),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
