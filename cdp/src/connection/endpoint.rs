//! From what a person knows of a running browser to its WebSocket.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::CdpError;

/// The longest answer of `/json/version/` that is read, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// Asks a DevTools HTTP endpoint (`http://127.0.0.1:9222`) for the browser's WebSocket address. A
/// `ws:` or `wss:` address is that already.
///
/// # Errors
/// Nobody answers, or not as a DevTools server would.
pub async fn websocket_url(
    endpoint: &str,
    headers: &[(String, String)],
    limit: Duration,
) -> Result<String, CdpError> {
    if endpoint.starts_with("ws:") || endpoint.starts_with("wss:") {
        return Ok(endpoint.to_owned());
    }
    let url = format!("{}/json/version/", endpoint.trim_end_matches('/'));
    let failed =
        |reason: &dyn std::fmt::Display| CdpError::Connect(format!("{reason}\n{}", hint(endpoint)));
    let client = reqwest::Client::builder()
        .timeout(limit)
        // The browser is reached directly: a proxy is for pages.
        .no_proxy()
        .build()
        .map_err(|error| failed(&error))?;
    let mut request = client.get(&url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let mut answer = request
        .send()
        .await
        .map_err(|error| failed(&root_cause(&error)))?;
    if !answer.status().is_success() {
        return Err(CdpError::Connect(format!(
            "Unexpected status {} when connecting to {url}.\nThis does not look like a DevTools server, try \
             connecting via ws://.",
            answer.status().as_u16()
        )));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer
        .chunk()
        .await
        .map_err(|error| failed(&root_cause(&error)))?
    {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER {
            return Err(CdpError::Connect(format!(
                "The answer of {url} is too long for a DevTools server."
            )));
        }
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        web_socket_debugger_url: String,
    }
    let version: Version = serde_json::from_slice(&body).map_err(|_| {
        CdpError::Connect(format!(
            "{url} does not name a browser.\nThis does not look like a DevTools server, try connecting via ws://."
        ))
    })?;
    Ok(version.web_socket_debugger_url)
}

fn hint(endpoint: &str) -> String {
    format!(
        "Is a browser listening at {endpoint}? Start it with --remote-debugging-port, or leave out --cdp-endpoint."
    )
}

/// What the operating system said, without the layers around it.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let address = error.url().and_then(|url| {
        Some(format!(
            "{}:{}",
            url.host_str()?,
            url.port_or_known_default()?
        ))
    });
    match (
        cause
            .downcast_ref::<std::io::Error>()
            .map(std::io::Error::kind),
        address,
    ) {
        (Some(std::io::ErrorKind::ConnectionRefused), Some(address)) => {
            format!("connect ECONNREFUSED {address}")
        }
        _ => cause.to_string(),
    }
}

/// The WebSocket of a browser that was started with remote debugging on its own profile: its
/// `DevToolsActivePort` file holds the port and the path.
///
/// # Errors
/// There is no such file, which means that no such browser runs.
pub fn websocket_of_profile(profile: &Path) -> Result<String, CdpError> {
    let file: PathBuf = profile.join("DevToolsActivePort");
    let text = std::fs::read_to_string(&file).map_err(|error| {
        CdpError::Connect(format!(
            "Could not find DevToolsActivePort: {error}, {}. Open chrome://inspect/#remote-debugging in that browser \
             and allow it.",
            file.display()
        ))
    })?;
    let mut lines = text.lines();
    let port = lines
        .next()
        .and_then(|line| line.trim().parse::<u16>().ok());
    let path = lines
        .next()
        .map(str::trim)
        .filter(|path| path.starts_with('/'));
    match (port, path) {
        (Some(port), Some(path)) => Ok(format!("ws://127.0.0.1:{port}{path}")),
        _ => Err(CdpError::Connect(format!(
            "{} is not what a browser writes",
            file.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_port_files() {
        let folder = tempfile::tempdir().unwrap();
        assert!(websocket_of_profile(folder.path()).is_err());
        let file = folder.path().join("DevToolsActivePort");
        std::fs::write(&file, "9222\n/devtools/browser/abc\n").unwrap();
        assert_eq!(
            websocket_of_profile(folder.path()).unwrap(),
            "ws://127.0.0.1:9222/devtools/browser/abc"
        );
        std::fs::write(&file, "99999\nx").unwrap();
        assert!(websocket_of_profile(folder.path()).is_err());
    }

    #[tokio::test]
    async fn nobody_there_is_said_with_the_address() {
        // Port 1 is privileged and unused.
        let error = websocket_url("http://127.0.0.1:1", &[], Duration::from_secs(5))
            .await
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("connect ECONNREFUSED 127.0.0.1:1\n"),
            "{error}"
        );
    }
}
