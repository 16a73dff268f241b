//! Getting a browser for a client, and giving it back.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use playguard_cdp::browser::{Browser, ContextId};
use playguard_cdp::connection::{CdpError, Deadline, endpoint};
use playguard_cdp::launch::machine::ThisMachine;
use playguard_cdp::launch::profile::workspace_dir;
use playguard_cdp::launch::{
    BrowserProcess, Channel, LaunchError, LaunchOptions, Launched, Link, NotFound, ProfileChoice,
    Reaper, channel_profile, launch,
};
use playguard_cdp::observe::console::Level;

use super::defaults;
use super::idle;
use super::manners::Manners;
use super::share::{Pool, Seat};
use super::tab::TabFiles;
use super::{NativeBackend, Tabs};
use crate::backend::{Backend, BackendFactory, BoxFuture, CreateError, Hooks};
use crate::call::ClientInfo;
use crate::config::{CdpEndpoint, Config, ConsoleLevel};
use crate::reply::files::{FileRules, output_dir};
use crate::reply::redact::Redactor;

/// A browser that is asked to end gets this long for its answer and its end together, then it is
/// killed: clients do not wait much longer for a server to end.
const GRACE: Duration = Duration::from_secs(2);
/// How long a browser whose server is gone may take to let its profile go.
const DYING: Duration = Duration::from_secs(2);
/// How long upstream looks at a profile that is in use.
const STOCK_PATIENCE: Duration = Duration::from_secs(5);

/// A browser and how it came to be ours.
pub(super) struct Host {
    browser: Browser,
    /// `None`: somebody else's browser, which we only leave.
    process: Option<BrowserProcess>,
    headless: bool,
    /// Downloads of somebody else's browser go here; removed when this is dropped.
    downloads: Mutex<Option<tempfile::TempDir>>,
}

impl Host {
    pub(super) fn browser(&self) -> &Browser {
        &self.browser
    }

    /// Whether it is a browser without a window that we have started.
    pub(super) fn is_headless(&self) -> bool {
        self.headless && self.process.is_some()
    }

    /// Gives up a client's own context; other clients stay.
    pub(super) async fn leave(&self, context: Option<&ContextId>) {
        let Some(context) = context.filter(|_| self.browser.is_connected()) else {
            return;
        };
        let disposed = self.browser.dispose_context(context);
        match tokio::time::timeout(GRACE, disposed).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a context is not disposed of"),
            Err(_) => tracing::warn!("a context does not end"),
        }
    }

    /// Ends the browser, or leaves it as it was.
    pub(super) async fn close(&self, context: Option<&ContextId>) {
        match &self.process {
            Some(process) => {
                let deadline = Deadline::after(GRACE);
                if let Err(error) = self.browser.close(deadline).await {
                    tracing::debug!(%error, "the browser did not take its leave");
                }
                self.browser.disconnect();
                process.close(deadline.left()).await;
            }
            None => {
                if let Some(context) = context {
                    // A context goes with its connection in any case.
                    let disposed = self.browser.dispose_context(context);
                    let _ = tokio::time::timeout(GRACE, disposed).await;
                }
                self.browser.disconnect();
            }
        }
        self.downloads
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take();
    }
}

/// Makes a [`NativeBackend`] for each client.
pub struct NativeFactory {
    config: Arc<Config>,
    reaper: Arc<Reaper>,
    /// The browser that clients share, where they do.
    pool: Pool,
}

impl NativeFactory {
    /// `reaper` cleans up after us should we be killed.
    pub fn new(config: Arc<Config>, reaper: Arc<Reaper>) -> Self {
        Self {
            config,
            reaper,
            pool: Pool::default(),
        }
    }

    async fn make(
        &self,
        client: Arc<ClientInfo>,
        hooks: Hooks,
    ) -> Result<NativeBackend, CreateError> {
        let config = self.config.clone();
        let manners = Manners::of(&config);
        let (host, mut notices) = self.seat(&client, &manners).await?;
        notices.extend(hooks.predecessor);
        let isolated = config.isolated;
        let context = if isolated {
            let proxy = config.proxy.as_ref().filter(|_| config.cdp.is_some());
            let proxy = proxy.map(|proxy| {
                (
                    proxy.server.as_str(),
                    proxy.bypass.as_deref().unwrap_or_default(),
                )
            });
            Some(if config.shared_browser_context {
                let common = host.house().common();
                let made = common.get_or_try_init(|| host.browser().new_context(proxy));
                made.await?.clone()
            } else {
                host.browser().new_context(proxy).await?
            })
        } else {
            None
        };
        if !config.page.permissions.is_empty() {
            let permissions = &config.page.permissions;
            host.browser()
                .grant_permissions(context.as_ref(), permissions)
                .await?;
        }
        let downloads = host.downloads_folder(config.launch.downloads_path.as_deref())?;
        host.browser()
            .save_downloads(context.as_ref(), &downloads)
            .await?;
        if !isolated && host.is_first() {
            host.first_page().await;
        }
        let output = output_dir(config.output_dir.as_deref(), &client.workspace);
        let rules = FileRules::new(
            client.workspace.clone(),
            output,
            config.file_paths,
            config.allow_unrestricted_file_access,
        );
        let files = TabFiles {
            rules,
            redactor: Arc::new(Redactor::new(&config.secrets, config.stock)),
            downloads,
            saved: host.house().saved().clone(),
            console_level: level(config.console_level),
            keep_all: manners.extras,
        };
        Ok(NativeBackend {
            manners,
            files,
            host,
            context,
            tabs: Mutex::new(Tabs::default()),
            notices: Mutex::new(if config.stock { Vec::new() } else { notices }),
            closed: false.into(),
            end: Mutex::default(),
            myself: std::sync::Weak::new(),
            scripts: Mutex::default(),
            first_tab: hooks.tools_changed,
            config,
        })
    }

    /// A place in a browser: in one that is there for several clients, or in a new one.
    async fn seat(
        &self,
        client: &ClientInfo,
        manners: &Manners,
    ) -> Result<(Seat, Vec<String>), CreateError> {
        let config = &self.config;
        if let Some(cdp) = &config.cdp {
            // The browser is there for all; a connection of one's own costs nothing.
            return Ok((Seat::alone(self.attach(cdp, manners).await?), Vec::new()));
        }
        // The profile's own context belongs to one client, unless they mean to share it.
        if !config.isolated && !config.shared_browser_context {
            let (host, notices) = self.start(client, manners).await?;
            return Ok((Seat::alone(host), notices));
        }
        let door = self.pool.enter().await;
        if let Some(seat) = door.join() {
            return Ok((seat, Vec::new()));
        }
        let (host, notices) = self.start(client, manners).await?;
        Ok((door.found(host), notices))
    }

    async fn attach(&self, cdp: &CdpEndpoint, manners: &Manners) -> Result<Host, CreateError> {
        let limit = Duration::from_millis(if cdp.timeout_ms == 0 {
            24 * 3_600_000
        } else {
            cdp.timeout_ms
        });
        let deadline = Deadline::after(limit);
        let url = match Channel::parse(&cdp.url) {
            Some(channel) => {
                let profile = channel_profile(channel, &ThisMachine).ok_or_else(|| {
                    CdpError::Connect(format!("No default profile is known for {}", cdp.url))
                })?;
                endpoint::websocket_of_profile(Path::new(&profile))?
            }
            None => endpoint::websocket_url(&cdp.url, &cdp.headers, limit).await?,
        };
        let defaults = defaults::of_pages(&self.config, manners, true, self.config.isolated)?;
        let browser = Browser::over_websocket(&url, &cdp.headers, defaults, deadline).await?;
        Ok(Host {
            browser,
            process: None,
            headless: false,
            downloads: Mutex::new(None),
        })
    }

    async fn start(
        &self,
        client: &ClientInfo,
        manners: &Manners,
    ) -> Result<(Host, Vec<String>), CreateError> {
        let config = &self.config;
        let channel = if config.browser.explicit {
            Channel::parse(config.browser.channel)
        } else {
            None
        };
        let options = LaunchOptions {
            channel,
            profile: self.profile(client, manners),
            reaper: Some(self.reaper.clone()),
            ..defaults::of_launch(config)
        };
        let Launched {
            process,
            link,
            headless,
            notices,
            profile_notices,
            ..
        } = launch(&options)
            .await
            .map_err(|error| self.launch_error(error))?;
        for notice in notices.iter().chain(&profile_notices) {
            tracing::warn!("{notice}");
        }
        let defaults = defaults::of_pages(config, manners, headless, true)?;
        let limit = defaults::start_limit(config);
        let deadline = Deadline::after(limit);
        let connect = async {
            match link {
                Link::Pipe { reader, writer } => {
                    Browser::over_pipe(reader, writer, defaults, deadline).await
                }
                Link::WebSocket(url) => {
                    Browser::over_websocket(&url, &[], defaults, deadline).await
                }
            }
        };
        let browser = process
            .started(limit, connect)
            .await
            .map_err(|error| self.launch_error(error))?;
        Ok((
            Host {
                browser,
                process: Some(process),
                headless,
                downloads: Mutex::new(None),
            },
            profile_notices,
        ))
    }

    fn launch_error(&self, error: LaunchError) -> CreateError {
        let text = match &error {
            LaunchError::NotFound(missing) if self.config.stock => NotFound::stock_message(missing),
            _ => error.to_string(),
        };
        CreateError(format!("Error: {text}"))
    }

    /// The folder of the lasting profile, unless there is none by configuration.
    pub fn profile_dir(config: &Config, workspace: &Path) -> Option<PathBuf> {
        if config.isolated {
            return None;
        }
        config.user_data_dir.clone().or_else(|| {
            let workspace = workspace.to_string_lossy();
            workspace_dir(
                config.browser.channel,
                &workspace,
                config.stock,
                None,
                &ThisMachine,
            )
            .map(PathBuf::from)
        })
    }

    /// Starts a browser as configured, but with a profile of its own, and asks what it is.
    ///
    /// # Errors
    /// Why it did not start, in words.
    pub async fn trial_start(config: &Config) -> Result<String, String> {
        let config = Config {
            isolated: true,
            user_data_dir: None,
            ..config.clone()
        };
        let factory = Self::new(Arc::new(config), Arc::new(Reaper::new()));
        let client = ClientInfo {
            name: String::new(),
            version: String::new(),
            workspace: PathBuf::from("/"),
        };
        let (host, _) = factory
            .start(&client, &Manners::of(&factory.config))
            .await
            .map_err(|error| error.0)?;
        let product = host
            .browser
            .product()
            .await
            .map_err(|error| error.to_string());
        host.close(None).await;
        product
    }

    /// Attaches to the browser that is configured, asks what it is, and leaves it.
    ///
    /// # Errors
    /// Why that did not work, in words.
    pub async fn trial_attach(config: &Config) -> Result<String, String> {
        let Some(cdp) = &config.cdp else {
            return Err("no browser to attach to is configured".into());
        };
        let factory = Self::new(Arc::new(config.clone()), Arc::new(Reaper::new()));
        let host = factory
            .attach(cdp, &Manners::of(config))
            .await
            .map_err(|error| error.0)?;
        let product = host
            .browser
            .product()
            .await
            .map_err(|error| error.to_string());
        host.close(None).await;
        product
    }

    fn profile(&self, client: &ClientInfo, manners: &Manners) -> ProfileChoice {
        let config = &self.config;
        if config.isolated {
            return ProfileChoice::Temporary;
        }
        match Self::profile_dir(config, &client.workspace) {
            Some(dir) => ProfileChoice::Persistent {
                dir,
                patience: if manners.fall_back_to_fresh_profile {
                    DYING
                } else {
                    STOCK_PATIENCE
                },
                fall_back: manners.fall_back_to_fresh_profile,
            },
            // Without a home there is no place for a lasting profile.
            None => ProfileChoice::Temporary,
        }
    }
}

impl BackendFactory for NativeFactory {
    fn create(
        &self,
        client: Arc<ClientInfo>,
        hooks: Hooks,
    ) -> BoxFuture<'_, Result<Arc<dyn Backend>, CreateError>> {
        Box::pin(async move {
            let made = self.make(client, hooks).await?;
            let backend = Arc::new_cyclic(|myself| NativeBackend {
                myself: myself.clone(),
                ..made
            });
            backend.begin_with_storage_state().await?;
            if let Some(limit) = backend.idle_limit() {
                idle::watch(Arc::downgrade(&backend), limit);
            }
            Ok(backend as Arc<dyn Backend>)
        })
    }
}

impl Host {
    /// Where the browser puts what pages save, until it is moved to the output folder.
    fn downloads_folder(&self, wanted: Option<&Path>) -> Result<PathBuf, CreateError> {
        let failed =
            |error: std::io::Error| CreateError(format!("Error: no folder for downloads: {error}"));
        if let Some(folder) = wanted {
            std::fs::create_dir_all(folder).map_err(failed)?;
            return Ok(folder.to_owned());
        }
        match &self.process {
            Some(process) => {
                let folder = process.profile_dir().join("playguard-downloads");
                std::fs::create_dir_all(&folder).map_err(failed)?;
                Ok(folder)
            }
            None => {
                let folder = tempfile::Builder::new()
                    .prefix("playguard-downloads-")
                    .tempdir()
                    .map_err(failed)?;
                let path = folder.path().to_owned();
                *self
                    .downloads
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(folder);
                Ok(path)
            }
        }
    }

    /// A browser with a window opens a page by itself; it becomes the first tab.
    async fn first_page(&self) {
        let mut changes = self.browser.changes();
        let appeared = async {
            while self.browser.pages(None).is_empty() && changes.changed().await.is_ok() {}
        };
        let _ = tokio::time::timeout(Duration::from_secs(5), appeared).await;
    }
}

impl From<CdpError> for CreateError {
    fn from(error: CdpError) -> Self {
        Self(format!("Error: {error}"))
    }
}

fn level(level: ConsoleLevel) -> Level {
    match level {
        ConsoleLevel::Error => Level::Error,
        ConsoleLevel::Warning => Level::Warning,
        ConsoleLevel::Info => Level::Info,
        ConsoleLevel::Debug => Level::Debug,
    }
}
