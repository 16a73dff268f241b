//! What the program can do, each task from configuration to exit code.

use std::io::{IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use playguard::backend::native::NativeFactory;
use playguard::cli::INSTALLABLE;
use playguard::config::{Config, HttpConfig, logging};
use playguard::demo::{self, Terminal};
use playguard::doctor::{self, BrowserFacts, Choice, Failure, Lack, Lock, Profile, Reach, Started};
use playguard::reply::RenderOptions;
use playguard::reply::files::output_dir;
use playguard::reply::redact::Redactor;
use playguard::server::{HttpOptions, KeepOptions, ServerOptions, serve_http, serve_stdio};
use playguard::tools::catalogue::Catalogue;
use playguard_cdp::launch::find::{Wanted, find};
use playguard_cdp::launch::install::{
    Bar, HOST_VARIABLE, InstallOptions, Progress, Release, Silent, install, supported,
};
use playguard_cdp::launch::machine::{Machine, ThisMachine, browsers_dir};
use playguard_cdp::launch::{Channel, LaunchError, Reaper, parent_gone};
use tokio_util::sync::CancellationToken;

use crate::complain;

/// Once asked to end, the program does, whatever hangs.
const HARD_EXIT: Duration = Duration::from_secs(15);

/// Serves MCP on standard input and output.
pub async fn serve(config: Arc<Config>) -> u8 {
    let shutdown = CancellationToken::new();
    let working_dir = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let many = config.http.is_some();
    let options = ServerOptions {
        stock: config.stock,
        tools: Arc::new(Catalogue::of(&config.capabilities)),
        render: RenderOptions {
            images: config.image_responses,
            redactor: Arc::new(Redactor::new(&config.secrets, config.stock)),
            ..RenderOptions::default()
        },
        secrets: config.secrets.clone(),
        unsafe_code: config.stock || config.allow_unsafe_code,
        keep: KeepOptions {
            output_dir: config.output_dir.clone(),
            max_size: config.output_max_size,
            log_sessions: config.save_session,
        },
        call_limit: None,
        working_dir,
        shutdown: shutdown.clone(),
    };
    tokio::spawn(async move {
        let reason = end_wanted(many).await;
        tracing::info!("{reason}: ending");
        shutdown.cancel();
        tokio::time::sleep(HARD_EXIT).await;
        tracing::warn!("something does not end; leaving it");
        std::process::exit(0);
    });
    let http = config.http.clone();
    let factory = Arc::new(NativeFactory::new(config, Arc::new(Reaper::new())));
    if let Some(config) = http {
        return serve_over_http(factory, options, config).await;
    }
    match serve_stdio(factory, options).await {
        Ok(()) => 0,
        Err(error) => {
            complain(&format!("Standard input cannot be read: {error}"));
            1
        }
    }
}

/// Serves MCP over HTTP.
async fn serve_over_http(
    factory: Arc<NativeFactory>,
    options: ServerOptions,
    config: HttpConfig,
) -> u8 {
    let place = format!("{}:{}", config.host, config.port);
    let http = HttpOptions {
        config,
        killable: std::env::var_os("PWTEST_UNDER_TEST").is_some_and(|value| !value.is_empty()),
    };
    let served = serve_http(factory, options, http, |shown| {
        let client = serde_json::json!({
            "mcpServers": { "playwright": { "url": format!("http://{shown}/mcp") } }
        });
        complain(&format!(
            "Listening on http://{shown}\nPut this in your client config:\n{client:#}\nFor legacy \
             SSE transport support, you can use the /sse endpoint instead."
        ));
    });
    match served.await {
        Ok(()) => 0,
        Err(error) => {
            complain(&format!("Cannot listen on {place}: {error}"));
            1
        }
    }
}

/// Waits for a signal, or for the end of the client that started us. A server for `many` clients is
/// started by nobody who needs to stay.
async fn end_wanted(many: bool) -> &'static str {
    let client_gone = async {
        if many {
            std::future::pending::<()>().await;
        }
        parent_gone().await;
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut handlers = Vec::new();
        for (kind, name) in [
            (SignalKind::interrupt(), "SIGINT"),
            (SignalKind::terminate(), "SIGTERM"),
            (SignalKind::hangup(), "SIGHUP"),
        ] {
            if is_ignored(kind) {
                // By whoever started us, as `nohup` does.
                continue;
            }
            match signal(kind) {
                Ok(handler) => handlers.push((handler, name)),
                Err(error) => tracing::warn!(%error, "{name} is not handled"),
            }
        }
        let signals = handlers.iter_mut().map(|(handler, name)| {
            let name = *name;
            Box::pin(async move {
                handler.recv().await;
                name
            })
        });
        let signals: Vec<_> = signals.collect();
        if signals.is_empty() {
            client_gone.await;
            return "the client is gone";
        }
        tokio::select! {
            (name, ..) = futures_util::future::select_all(signals) => name,
            () = client_gone => "the client is gone",
        }
    }
    #[cfg(not(unix))]
    {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => "Ctrl-C",
            () = client_gone => "the client is gone",
        }
    }
}

/// Whether this signal was to be ignored when the program began.
#[cfg(unix)]
fn is_ignored(kind: tokio::signal::unix::SignalKind) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action given, sigaction only writes the present one to where it is told,
    // and every field of that may be zero.
    let action = unsafe {
        if libc::sigaction(kind.as_raw_value(), std::ptr::null(), action.as_mut_ptr()) != 0 {
            return false;
        }
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// Shows what the server does.
pub async fn demo(config: &Config) -> u8 {
    if config.http.is_some() {
        // The demo would wait for its answers for ever.
        complain(&"The demo talks to a server on standard input and output: leave out --port.");
        return 1;
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            complain(&format!("The program does not know where it is: {error}"));
            return 1;
        }
    };
    let flags: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "demo")
        .collect();
    let mut out = std::io::stdout();
    let ensure = async |out: &mut dyn Write| {
        if config.cdp.is_some() || find(&wanted(config), &ThisMachine).is_ok() {
            return Ok(());
        }
        if config.executable_path.is_some() || config.browser.explicit {
            return find(&wanted(config), &ThisMachine)
                .map(drop)
                .map_err(|missing| missing.to_string());
        }
        let _ = writeln!(
            out,
            "No browser was found on this machine; installing Chrome for Testing."
        );
        install_release(Release::Stable).await.map(drop)
    };
    demo::run(&program, &flags, ensure, &mut out, Terminal::of_stdout()).await
}

/// Looks for what would keep the server from working.
pub async fn doctor(config: &Config) -> u8 {
    let working_dir = std::env::current_dir().unwrap_or_default();
    let env = |name: &str| std::env::var(name).ok();
    let output = output_dir(config.output_dir.as_deref(), &working_dir);
    // What the launcher would log is in the report.
    let hushed = logging::hush(config.verbose);
    let browser = browser_facts(config, &working_dir).await;
    drop(hushed);
    let facts = doctor::gather(config, &env, &output, browser);
    let report = doctor::examine(&facts);
    let _ = write!(std::io::stdout(), "{}", report.render(facts.marks()));
    report.exit_code()
}

async fn browser_facts(config: &Config, working_dir: &std::path::Path) -> BrowserFacts {
    let machine = &ThisMachine;
    let display = playguard_cdp::launch::display::decide(config.headless, config.stock, machine);
    let channel = config
        .browser
        .explicit
        .then(|| Channel::parse(config.browser.channel))
        .flatten();
    let sandbox = playguard_cdp::launch::sandbox::decide(
        config.sandbox,
        config.stock,
        Some(channel.unwrap_or(Channel::Chrome)),
        machine,
    );
    let began = Instant::now();
    let started = |answer: Result<String, String>| {
        answer.map(|product| Started {
            product,
            ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    };
    let reach = match &config.cdp {
        Some(cdp) => Reach::Attach {
            endpoint: playguard::config::without_credentials(&cdp.url),
            connect: started(NativeFactory::trial_attach(config).await).map_err(in_report),
        },
        None => {
            let program = find(&wanted(config), machine)
                .map(|found| found.path)
                .map_err(|missing| missing.to_string());
            let start = match &program {
                Ok(_) => {
                    let answer = started(NativeFactory::trial_start(config).await);
                    Some(answer.map_err(failure))
                }
                Err(_) => None,
            };
            Reach::Launch { program, start }
        }
    };
    let profile = NativeFactory::profile_dir(config, working_dir)
        .filter(|_| config.cdp.is_none())
        .map(|dir| {
            let lock = match playguard_cdp::launch::profile::lock_state(&dir) {
                playguard_cdp::launch::profile::LockState::Free => Lock::Free,
                playguard_cdp::launch::profile::LockState::Held(holder) => Lock::Held(holder),
                playguard_cdp::launch::profile::LockState::Stale => Lock::Stale,
            };
            Profile { dir, lock }
        });
    BrowserFacts {
        reach,
        window: Choice {
            on: display.headless,
            notice: display.notice,
        },
        sandbox: Choice {
            on: sandbox.enabled,
            notice: sandbox.notice,
        },
        profile,
    }
}

/// What a message about a failed start says the browser could not have.
fn failure(message: String) -> Failure {
    let lacks = if message.contains(LaunchError::NO_SANDBOX_HERE) {
        Some(Lack::Sandbox)
    } else if message.contains(LaunchError::NO_DISPLAY_HERE) {
        Some(Lack::Window)
    } else {
        None
    };
    Failure {
        message: in_report(message),
        lacks,
    }
}

/// A message without the word that marks it as an error in a reply; in a
/// report its place says so.
fn in_report(message: String) -> String {
    match message.strip_prefix("Error: ") {
        Some(message) => message.to_owned(),
        None => message,
    }
}

fn wanted(config: &Config) -> Wanted<'_> {
    let display =
        playguard_cdp::launch::display::decide(config.headless, config.stock, &ThisMachine);
    Wanted {
        executable: config.executable_path.as_deref(),
        channel: config
            .browser
            .explicit
            .then(|| Channel::parse(config.browser.channel))
            .flatten(),
        headless: display.headless,
        prefer_shell: false,
    }
}

/// Installs a browser.
pub async fn install_browser(name: Option<&str>) -> u8 {
    let release = match name {
        None | Some("chrome" | "chromium" | "chrome-for-testing" | "stable") => Release::Stable,
        Some("chrome-beta" | "beta") => Release::Beta,
        Some("chrome-dev" | "dev") => Release::Dev,
        Some("chrome-canary" | "canary") => Release::Canary,
        Some(other) => {
            complain(&format!(
                "Invalid browser: {other}. Valid values are: {}",
                INSTALLABLE.join(", ")
            ));
            return 1;
        }
    };
    match install_release(release).await {
        Ok((path, already_there)) => {
            let words = if already_there {
                "is already installed"
            } else {
                "is installed"
            };
            let _ = writeln!(
                std::io::stdout(),
                "Chrome for Testing {words}: {}",
                path.display()
            );
            0
        }
        Err(error) => {
            complain(&error);
            1
        }
    }
}

async fn install_release(release: Release) -> Result<(PathBuf, bool), String> {
    let folder = browsers_dir(&ThisMachine)
        .map(PathBuf::from)
        .ok_or("There is no home folder to install into.")?;
    let os_release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let platform = supported(std::env::consts::OS, std::env::consts::ARCH, &os_release)
        .map_err(|error| error.to_string())?;
    let options = InstallOptions {
        release,
        folder,
        host: ThisMachine.var(HOST_VARIABLE),
        platform,
    };
    let progress: Box<dyn Progress> = if std::io::stderr().is_terminal() {
        Box::new(Bar::new())
    } else {
        Box::new(Silent)
    };
    let installed = install(&options, progress.as_ref())
        .await
        .map_err(|error| error.to_string())?;
    Ok((installed.executable, installed.already_there))
}
