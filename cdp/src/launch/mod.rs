//! Starting a browser, and making sure that it ends.
//!
//! ```text
//! find      where is a browser          pure, over facts of a Machine
//! display   with a window?              pure
//! sandbox   with its sandbox?           pure
//! args      options -> command line     pure
//! child_env our environment -> its own  pure
//! profile   temporary or persistent folder, never two browsers in one
//! scratch   a folder for its temporary files that goes away with it
//! process   the running browser: last words, exit, end
//! reaper    a watchdog process for the case that we are killed
//! adopt     wait for orphans, as the first process of a container
//! parent    notice that our client was killed
//! install   download Chrome for Testing
//! ```
//!
//! [`launch`] puts them together; what it decided by itself it says in [`Launched::notices`].

mod adopt;
pub mod args;
mod channel_profile;
pub mod child_env;
pub mod display;
mod error;
pub mod find;
pub mod install;
pub mod machine;
mod output;
mod parent;
mod places;
mod process;
#[cfg(unix)]
mod procinfo;
pub mod profile;
mod profile_lock;
mod proxy;
pub mod reaper;
pub mod reaper_main;
pub mod sandbox;
mod scratch;
mod spawn;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use self::adopt::adopt_orphans;
pub use self::args::{IgnoreDefaults, Startup, Transport};
pub use self::channel_profile::channel_profile;
pub use self::error::{Exit, LaunchError, Report};
pub use self::find::{BrowserKind, Channel, Found, NotFound};
pub use self::parent::parent_gone;
pub use self::process::{BrowserProcess, Link};
pub use self::profile::{Patience, Profile, ProfileError};
pub use self::proxy::Proxy;
pub use self::reaper::Reaper;

use self::args::ArgOptions;
use self::machine::{Machine, Os, ThisMachine};
use self::scratch::Scratch;

/// Where the browser keeps its data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ProfileChoice {
    /// A fresh folder that goes away with the browser.
    #[default]
    Temporary,
    /// A folder that stays.
    Persistent {
        /// The folder, made if needed.
        dir: PathBuf,
        /// How long to wait while another browser has it.
        patience: Duration,
        /// Rather than failing with [`ProfileError::Busy`] afterwards, start with a fresh temporary
        /// profile and a notice. Then patience is only for a browser whose server is gone, which is
        /// on its way out; a living server may keep the profile for hours.
        fall_back: bool,
    },
}

/// Everything about a start. [`Default`] is what a bare server uses.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// `--executable-path`.
    pub executable: Option<PathBuf>,
    /// The channel that the user named.
    pub channel: Option<Channel>,
    /// Take a headless shell where there is a choice (see [`find::Wanted::prefer_shell`]).
    pub prefer_shell: bool,
    /// With or without a window; `None` decides by the display.
    pub headless: Option<bool>,
    /// With or without the sandbox; `None` decides by who we are.
    pub sandbox: Option<bool>,
    /// Decide as upstream does where nothing was asked for.
    pub stock: bool,
    /// Where the data goes.
    pub profile: ProfileChoice,
    /// How to talk to the browser. Windows always uses a port.
    pub transport: Transport,
    /// What it shows first; `None` is no window for a temporary profile, a blank page for a
    /// persistent one.
    pub startup: Option<Startup>,
    /// Outer size of the first window in pixels.
    pub window: Option<(u32, u32)>,
    /// Proxy for all traffic.
    pub proxy: Option<Proxy>,
    /// Language of the browser's texts, as a BCP 47 tag.
    pub language: Option<String>,
    /// Features to turn on.
    pub enable_features: Vec<String>,
    /// The user's own switches.
    pub args: Vec<String>,
    /// The browser's whole environment in place of ours.
    pub env: Option<Vec<(String, String)>>,
    /// Default switches to leave out.
    pub ignore_defaults: IgnoreDefaults,
    /// The watchdog; `None` starts without one.
    pub reaper: Option<Arc<Reaper>>,
}

/// A browser that was started. It may not answer yet: see [`BrowserProcess::started`].
#[derive(Debug)]
pub struct Launched {
    /// The process. Dropping it ends the browser.
    pub process: BrowserProcess,
    /// The connection.
    pub link: Link,
    /// Which program it is.
    pub found: Found,
    /// Whether it has no window.
    pub headless: bool,
    /// Whether its profile goes away with it (also after falling back to one).
    pub temporary: bool,
    /// What the user should be told on stderr: sandbox off, no display.
    pub notices: Vec<String>,
    /// What the agent should know as well: profile busy, stale lock removed.
    pub profile_notices: Vec<String>,
}

/// How long the browser may take to say on which port it listens.
const PORT_LIMIT: Duration = Duration::from_secs(30);

/// Starts a browser.
///
/// With a pipe this returns as soon as the process exists: commands can be written at once and are
/// read when the browser is ready. With a port it returns when the browser listens.
///
/// # Errors
/// See [`LaunchError`]. Nothing is left behind by a failed start.
pub async fn launch(options: &LaunchOptions) -> Result<Launched, LaunchError> {
    launch_on(options, &ThisMachine).await
}

async fn launch_on(
    options: &LaunchOptions,
    machine: &(dyn Machine + Sync),
) -> Result<Launched, LaunchError> {
    let display = display::decide(options.headless, options.stock, machine);
    let found = find::find(
        &find::Wanted {
            executable: options.executable.as_deref(),
            channel: options.channel,
            headless: display.headless,
            prefer_shell: options.prefer_shell,
        },
        machine,
    )?;
    // Unasked, upstream means Chrome; it knows "no channel" only from its settings file.
    let channel = options.channel.unwrap_or(Channel::Chrome);
    let sandbox = sandbox::decide(options.sandbox, options.stock, Some(channel), machine);
    let notices: Vec<String> = [display.notice, sandbox.notice]
        .into_iter()
        .flatten()
        .collect();

    let base = profile::temporary_base(found.confinement, machine);
    sweep_once(&base);
    let mut profile_notices = Vec::new();
    let profile = open_profile(&options.profile, base, &mut profile_notices).await?;
    let temporary = profile.is_temporary();
    let transport = match machine.os() {
        Os::Windows if options.transport == Transport::Pipe => Transport::Port(0),
        _ => options.transport,
    };
    let args = args::build(&ArgOptions {
        os: machine.os(),
        headless: display.headless,
        wayland: display.wayland,
        sandbox: sandbox.enabled,
        profile: profile.dir(),
        transport,
        startup: options.startup.unwrap_or(match &options.profile {
            ProfileChoice::Temporary => Startup::NoWindow,
            ProfileChoice::Persistent { .. } => Startup::BlankPage,
        }),
        window: options.window,
        proxy: options.proxy.as_ref(),
        language: options.language.as_deref(),
        extensions: matches!(options.profile, ProfileChoice::Persistent { .. }),
        enable_features: &options.enable_features,
        user: &options.args,
        ignore_defaults: &options.ignore_defaults,
    });
    let args = match args {
        Ok(args) => args,
        Err(error) => {
            // Only just made: there is nothing in it that could hold the removal up.
            let _ = profile.remove();
            return Err(error.into());
        }
    };
    let port_file = profile.dir().join("DevToolsActivePort");
    if matches!(transport, Transport::Port(_)) {
        // One that an earlier browser left would be taken for this one's.
        let _ = std::fs::remove_file(&port_file);
    }
    let scratch = Scratch::make(&profile, found.confinement, machine.os());
    let env = child_env::child_environment(
        options.env.as_deref(),
        std::env::vars_os(),
        options.language.as_deref(),
        scratch.as_ref().map(Scratch::dir),
        machine.os(),
    );
    let (process, link) = process::start(process::Start {
        program: found.path.clone(),
        args,
        env,
        transport,
        profile,
        scratch,
        reaper: options.reaper.clone(),
    })?;
    let link = match link {
        Some(link) => link,
        None => {
            let address = process.started(PORT_LIMIT, listening_at(&port_file));
            Link::WebSocket(address.await?)
        }
    };
    Ok(Launched {
        process,
        link,
        found,
        headless: display.headless,
        temporary,
        notices,
        profile_notices,
    })
}

/// Cleans up after earlier processes that were killed together with their watchdogs: once in the life
/// of this one, beside the start of the browser.
fn sweep_once(base: &std::path::Path) {
    static SWEPT: std::sync::Once = std::sync::Once::new();
    SWEPT.call_once(|| {
        let base = base.to_path_buf();
        drop(tokio::task::spawn_blocking(move || profile::sweep(&base)));
    });
}

async fn open_profile(
    choice: &ProfileChoice,
    base: PathBuf,
    notices: &mut Vec<String>,
) -> Result<Profile, LaunchError> {
    match choice {
        ProfileChoice::Temporary => {}
        ProfileChoice::Persistent {
            dir,
            patience,
            fall_back,
        } => match Profile::persistent(
            dir,
            Patience {
                limit: *patience,
                for_servers: !*fall_back,
            },
        )
        .await
        {
            Ok(profile) => {
                notices.extend(profile.notices().iter().cloned());
                return Ok(profile);
            }
            Err(ProfileError::Busy { dir, holder }) if *fall_back => notices.push(format!(
                "The profile {} is in use by another browser ({holder}), so this one starts with a \
                 fresh temporary profile: logins are not shared. Close the other browser, or give \
                 --user-data-dir, to use a lasting profile.",
                dir.display()
            )),
            Err(error) => return Err(error.into()),
        },
    }
    Ok(Profile::temporary(&base)?)
}

/// Waits until the browser has written where it listens: a port, and the path of its own socket.
async fn listening_at(port_file: &std::path::Path) -> Result<String, std::convert::Infallible> {
    loop {
        if let Ok(text) = tokio::fs::read_to_string(port_file).await
            && let Some((port, path)) = text.split_once('\n')
            && let Ok(port) = port.trim().parse::<u16>()
            && path.starts_with("/devtools/browser/")
        {
            return Ok(format!("ws://127.0.0.1:{port}{}", path.trim_end()));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
