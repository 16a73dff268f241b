//! Connections: where they arrive, and how long they may take.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, select_all};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Site;

/// Connections at one time. Further ones wait.
const MAX_CONNECTIONS: usize = 4_096;

/// How long the head of a request may take, and how long a connection may wait for its next request.
/// Longer than clients keep a connection that they do not use, so that they are the ones to close it.
const HEAD_LIMIT: Duration = Duration::from_secs(120);

/// How long the last answers may take to leave.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);

/// After a connection could not be taken, mostly for want of file descriptors.
const BREATHER: Duration = Duration::from_millis(100);

/// Listens on a host: a name or an address, with or without brackets. `localhost` is both loopback
/// addresses where the system has both, because clients differ in which one they try.
pub(super) async fn bind(host: &str, port: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if !host.eq_ignore_ascii_case("localhost") {
        let listener = TcpListener::bind((host, port)).await?;
        let port = listener.local_addr()?.port();
        return Ok((vec![listener], port));
    }
    let fourth = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let port = match &fourth {
        Ok(listener) => listener.local_addr()?.port(),
        // Somebody else has it there; taking the other address would only hide that.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            return fourth.map(|_| (Vec::new(), 0));
        }
        Err(_) => port,
    };
    let sixth = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await;
    match (fourth, sixth) {
        (Ok(fourth), Ok(sixth)) => Ok((vec![fourth, sixth], port)),
        (Ok(fourth), Err(_)) => Ok((vec![fourth], port)),
        (Err(_), Ok(sixth)) => {
            let port = sixth.local_addr()?.port();
            Ok((vec![sixth], port))
        }
        (Err(error), Err(_)) => Err(error),
    }
}

/// Takes connections until `shutdown` fires, then ends them.
pub(super) async fn accept(
    listeners: Vec<TcpListener>,
    site: Arc<Site>,
    shutdown: &CancellationToken,
) {
    let connections = TaskTracker::new();
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        // Never closed, so there is always a permit in the end.
        let Ok(place) = room.clone().acquire_owned().await else {
            return;
        };
        let arrivals = listeners
            .iter()
            .map(|listener| -> BoxFuture<'_, _> { Box::pin(listener.accept()) });
        let arrived = tokio::select! {
            (arrived, ..) = select_all(arrivals) => arrived,
            () = shutdown.cancelled() => break,
        };
        match arrived {
            Ok((stream, _)) => {
                let serving = serve(stream, site.clone(), shutdown.clone());
                connections.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(BREATHER).await;
            }
        }
    }
    drop(listeners);
    // Streams end with their sessions, which is for others to see to meanwhile.
    connections.close();
    tokio::spawn(async move {
        let _ = tokio::time::timeout(FLUSH_LIMIT, connections.wait()).await;
    });
}

async fn serve(stream: TcpStream, site: Arc<Site>, shutdown: CancellationToken) {
    // Events are small and wait for nothing.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let answer = site.clone().handle(request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection broke");
    }
}
