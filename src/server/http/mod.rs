//! Several clients over HTTP.
//!
//! [`streamable`] and [`sse`] are the two transports; [`client`] is one session behind either;
//! [`events`] keeps what a client is sent until it has it; [`hosts`] decides who may come in at all.

mod body;
mod client;
mod events;
mod heartbeat;
mod hosts;
mod listen;
mod read;
mod sse;
mod streamable;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::{Request, StatusCode};
use hyper::body::Incoming;
use tokio_util::task::TaskTracker;

use self::body::Answer;
use self::client::{Client, Transport};
use self::events::{Budget, Hub, StreamRules};
use self::hosts::Hosts;
use super::ServerOptions;
use crate::backend::BackendFactory;
use crate::config::HttpConfig;

/// Clients at one time. Each may have a browser context; more than this is no use that is meant.
const MAX_CLIENTS: usize = 1_000;

/// A client that has not said who it is in this time has nothing to say.
const GREETING: Duration = Duration::from_secs(60);

/// How often clients that are away are looked for.
const SWEEP: Duration = Duration::from_secs(15);

/// How an HTTP server is set up.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where it listens, and what it puts up with.
    pub config: HttpConfig,
    /// A request for `/killkillkill` ends the server, for upstream's tests.
    pub killable: bool,
}

/// Where we do better than upstream, chosen once.
#[derive(Debug, Clone, Copy)]
struct Manners {
    streams: StreamRules,
    /// A heartbeat without an answer does not end the session at once.
    patient: bool,
    /// A client that names a session of the past may greet anew.
    readmits: bool,
    /// Clients that never greet are sent away.
    hurries: bool,
}

impl Manners {
    fn of(stock: bool) -> Self {
        Self {
            streams: StreamRules {
                resumable: !stock,
                any_stream: !stock,
            },
            patient: !stock,
            readmits: !stock,
            hurries: !stock,
        }
    }
}

/// Serves clients over HTTP until [`ServerOptions::shutdown`] fires. `announce` is told the name and
/// port once they are known, such as `localhost:8931`. All clients have their backends from one
/// `factory`.
///
/// # Errors
/// The address cannot be listened on.
pub async fn serve_http(
    factory: Arc<dyn BackendFactory>,
    options: ServerOptions,
    http: HttpOptions,
    announce: impl FnOnce(&str),
) -> io::Result<()> {
    let (listeners, port) = listen::bind(&http.config.host, http.config.port).await?;
    let shown = hosts::shown(&http.config.host, port);
    let site = Arc::new(Site {
        manners: Manners::of(options.stock),
        hosts: Hosts::new(&http.config.allowed_hosts, &shown, options.stock),
        factory,
        options,
        http,
        clients: Mutex::default(),
        leaving: TaskTracker::new(),
        budget: Arc::default(),
    });
    announce(&shown);
    let shutdown = site.options.shutdown.clone();
    let sweeping = tokio::spawn(sweep(site.clone()));
    listen::accept(listeners, site.clone(), &shutdown).await;
    sweeping.abort();
    site.close().await;
    Ok(())
}

/// The server: its clients and what they have in common.
struct Site {
    manners: Manners,
    hosts: Hosts,
    factory: Arc<dyn BackendFactory>,
    options: ServerOptions,
    http: HttpOptions,
    clients: Mutex<HashMap<String, Arc<Client>>>,
    /// Clients whose browser is being closed.
    leaving: TaskTracker,
    budget: Arc<Budget>,
}

impl Site {
    fn clients(&self) -> MutexGuard<'_, HashMap<String, Arc<Client>>> {
        // Single inserts and removals.
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn handle(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        if let Err((status, why)) = self.hosts.check(request.headers()) {
            return body::text(status, why);
        }
        let path = request.uri().path();
        if self.http.killable && path == "/killkillkill" {
            self.options.shutdown.cancel();
            return body::text(StatusCode::OK, "Killing process");
        }
        if path.starts_with("/sse") {
            sse::handle(&self, request).await
        } else {
            streamable::handle(&self, request).await
        }
    }

    fn find(&self, id: &str, transport: Transport) -> Option<Arc<Client>> {
        let client = self.clients().get(id).cloned();
        client.filter(|client| client.transport == transport)
    }

    /// A new client; `None` when there are too many.
    fn admit(self: &Arc<Self>, transport: Transport, rules: StreamRules) -> Option<Arc<Client>> {
        let client = {
            let mut clients = self.clients();
            if clients.len() >= MAX_CLIENTS || self.options.shutdown.is_cancelled() {
                return None;
            }
            let hub = Hub::new(rules, self.budget.clone());
            let client = Client::new(transport, self.factory.clone(), self.options.clone(), hub);
            clients.insert(client.id.clone(), client.clone());
            client
        };
        let limit = Duration::from_millis(self.http.config.ping_timeout_ms);
        if transport == Transport::Streamable && !limit.is_zero() {
            let (site, client) = (Arc::downgrade(self), client.clone());
            let patient = self.manners.patient;
            tokio::spawn(async move {
                heartbeat::watch(client.clone(), limit, patient).await;
                if let Some(site) = site.upgrade() {
                    site.dismiss(&client);
                }
            });
        }
        Some(client)
    }

    /// Forgets a client at once; what it had is closed meanwhile.
    fn dismiss(&self, client: &Arc<Client>) {
        if self.clients().remove(&client.id).is_none() {
            return;
        }
        tracing::info!(client = client.id, "a session ends");
        // Connections are dropped when the runtime ends, too, and then nothing can be begun.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let client = client.clone();
            self.leaving
                .spawn_on(async move { client.close().await }, &runtime);
        }
    }

    /// Ends every session.
    async fn close(&self) {
        let clients: Vec<_> = self.clients().values().cloned().collect();
        for client in &clients {
            self.dismiss(client);
        }
        self.leaving.close();
        // Each has its limits.
        self.leaving.wait().await;
    }
}

/// Looks for clients that are gone and did not say so.
async fn sweep(site: Arc<Site>) {
    let limit = match site.http.config.session_timeout_ms {
        0 => Duration::MAX,
        ms => Duration::from_millis(ms),
    };
    let pause = SWEEP.min(limit / 4).max(Duration::from_millis(10));
    loop {
        tokio::time::sleep(pause).await;
        let clients: Vec<_> = site.clients().values().cloned().collect();
        for client in clients {
            client.hub.trim(Instant::now());
            let silent = client.heard().borrow().elapsed();
            let never_greeted = client.version().is_none() && silent >= GREETING;
            if client.away() >= limit || site.manners.hurries && never_greeted {
                site.dismiss(&client);
            }
        }
    }
}
