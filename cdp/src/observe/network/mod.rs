//! The requests of one page: of its frames and workers, every hop of a redirect on its own.

use std::collections::{HashMap, HashSet, VecDeque};

use self::chain::{Chain, Side};
use self::wire::{
    ExtraInfo, LoadingFailed, LoadingFinished, RequestWillBeSent, ResponseHead, ResponseReceived,
    ServedFromCache,
};
use super::{decode, text};

mod chain;
mod entry;
mod headers;
mod wire;

pub use entry::{NetworkEntry, PostData, ResourceType, Response, State};
pub use headers::Headers;

/// Entries kept by default; the oldest go first and the others keep their index.
const KEPT: usize = 5_000;
/// Bytes of addresses, headers and request bodies kept.
const KEPT_BYTES: usize = 64 << 20;
/// Bytes of an address kept.
const URL_BYTES: usize = 64 << 10;
/// Bytes of a request body kept; longer ones must be asked for.
const POST_BYTES: usize = 256 << 10;
/// Ids of requests that are left out on purpose; their redirects are left out too.
const IGNORED: usize = 256;
/// Wire headers kept that overtook the request they belong to.
const EARLY: usize = 64;

/// Status of the main document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentStatus {
    /// Status code.
    pub code: i64,
    /// Reason phrase, possibly empty.
    pub text: String,
}

/// The requests of one page, in order of start.
///
/// Left out, as upstream does: `data:` addresses, favicons, CORS preflights.
#[derive(Debug)]
pub struct NetworkLog {
    main_frame: String,
    entries: VecDeque<NetworkEntry>,
    /// How many of the oldest entries are gone.
    dropped: usize,
    bytes: usize,
    kept: usize,
    chains: HashMap<String, Vec<Chain>>,
    ignored: HashSet<String>,
    early: VecDeque<(Side, ExtraInfo)>,
    main_status: Option<DocumentStatus>,
    epoch: u64,
}

impl NetworkLog {
    /// An empty log of the page whose main frame has this id.
    pub fn new(main_frame: &str) -> Self {
        Self::with_capacity(main_frame, KEPT)
    }

    /// An empty log that keeps at most `kept` entries (at least one).
    pub fn with_capacity(main_frame: &str, kept: usize) -> Self {
        Self {
            main_frame: main_frame.to_owned(),
            entries: VecDeque::new(),
            dropped: 0,
            bytes: 0,
            kept: kept.max(1),
            chains: HashMap::new(),
            ignored: HashSet::new(),
            early: VecDeque::new(),
            main_status: None,
            epoch: 0,
        }
    }

    /// The main frame's id has changed, as it does when a prerendered page is activated.
    pub fn set_main_frame(&mut self, main_frame: &str) {
        self.main_frame = main_frame.to_owned();
    }

    /// Takes in an event of the Network domain from the page's session, a frame's or a worker's.
    ///
    /// Service workers and the browser's own pages are other targets; do not feed theirs.
    pub fn on_event(&mut self, session: &str, method: &str, params: &str) {
        // Undecodable parameters are an event we do not know.
        let _ = match method {
            "Network.requestWillBeSent" => decode(params).map(|event| self.sent(session, event)),
            "Network.responseReceived" => decode(params).map(|event| self.received(session, event)),
            "Network.loadingFinished" => decode(params).map(|event| self.finished(session, event)),
            "Network.loadingFailed" => decode(params).map(|event| self.failed(session, event)),
            "Network.requestServedFromCache" => {
                decode(params).map(|event| self.cached(session, event))
            }
            "Network.requestWillBeSentExtraInfo" => {
                decode(params).map(|event| self.wired(session, Side::Request, event))
            }
            "Network.responseReceivedExtraInfo" => {
                decode(params).map(|event| self.wired(session, Side::Response, event))
            }
            _ => None,
        };
    }

    /// A frame's or worker's session is gone, and with it all word of its unfinished requests.
    pub fn session_closed(&mut self, session: &str) {
        for entry in &mut self.entries {
            if entry.state == State::Pending && entry.session == session {
                entry.state = State::Failed;
                entry.failure = Some("net::ERR_ABORTED".into());
            }
        }
    }

    /// Forgets all requests and the main document's status; indexes start again at 1.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.chains.clear();
        self.ignored.clear();
        self.early.clear();
        self.dropped = 0;
        self.bytes = 0;
        self.main_status = None;
        self.epoch += 1;
    }

    /// The entries still kept, in order of start.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &NetworkEntry> {
        self.entries.iter()
    }

    /// The entry with this 1-based index, unless there is none or it is no longer kept.
    pub fn get(&self, index: usize) -> Option<&NetworkEntry> {
        self.entries.get(index.checked_sub(self.dropped + 1)?)
    }

    /// Index of the newest entry, 0 when there is none.
    pub fn last_index(&self) -> usize {
        self.dropped + self.entries.len()
    }

    /// How many of the oldest entries were dropped to keep memory bounded.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Status of the last main document that was not a redirect, since the log was cleared.
    pub fn main_status(&self) -> Option<&DocumentStatus> {
        self.main_status.as_ref()
    }

    /// Changes whenever the log is cleared, so that indexes are not carried over.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    fn sent(&mut self, session: &str, event: RequestWillBeSent) {
        let next = self.last_index() + 1;
        let left_out = is_data(&event.request.url)
            || event.initiator.kind == "preflight"
            || event.request.url.ends_with("/favicon.ico")
            || self.ignored.contains(&event.request_id);
        match event.redirect_response {
            Some(head) => {
                let to = if left_out { 0 } else { next };
                let wired = event.redirect_has_extra_info;
                self.redirected(session, &event.request_id, head, wired, event.timestamp, to);
            }
            None if self.is_repeated(session, &event.request_id, &event.request.url) => return,
            None => {}
        }
        if left_out {
            // Losing track of very many favicons would list their redirects, nothing worse.
            if self.ignored.len() >= IGNORED {
                self.ignored.clear();
            }
            self.ignored.insert(event.request_id);
            return;
        }
        self.remember_hop(session, &event.request_id, next);
        let mut url = event.request.url;
        text::cut(&mut url, URL_BYTES);
        self.push(NetworkEntry {
            index: next,
            session: session.to_owned(),
            navigation: event.resource_type == "Document" && event.request_id == event.loader_id,
            request_id: event.request_id,
            frame_id: event.frame_id,
            method: event.request.method,
            url,
            resource_type: ResourceType::from_protocol(&event.resource_type),
            request_headers: event.request.headers,
            wire_request_headers: None,
            post_data: match event.request.post_data {
                Some(text) if text.len() <= POST_BYTES => PostData::Inline(text),
                None if !event.request.has_post_data => PostData::None,
                _ => PostData::Remote,
            },
            response: None,
            failure: None,
            state: State::Pending,
            duration_ms: None,
            from_cache: false,
            started: event.timestamp,
        });
    }

    /// Ends the hop that was answered by a redirect; `to` is 0 when the next hop is left out.
    fn redirected(
        &mut self,
        session: &str,
        request_id: &str,
        head: ResponseHead,
        wired: bool,
        timestamp: f64,
        to: usize,
    ) {
        let Some(hop) = self.answered(session, request_id, head, wired) else {
            return;
        };
        self.update(hop, |entry| {
            entry.state = match to {
                0 => State::Finished,
                to => State::Redirected { to },
            };
            entry.duration_ms = Some((timestamp - entry.started) * 1000.0);
        });
    }

    fn received(&mut self, session: &str, event: ResponseReceived) {
        let is_main_document = event.resource_type == "Document"
            && event.request_id == event.loader_id
            && event.frame_id.as_deref() == Some(&self.main_frame)
            && !is_data(&event.response.url);
        if is_main_document {
            self.main_status = Some(DocumentStatus {
                code: event.response.status,
                text: event.response.status_text.clone(),
            });
        }
        self.answered(
            session,
            &event.request_id,
            event.response,
            event.has_extra_info,
        );
    }

    /// Sets the response of the latest hop and returns the hop.
    fn answered(
        &mut self,
        session: &str,
        request_id: &str,
        head: ResponseHead,
        wired: bool,
    ) -> Option<usize> {
        let chain = self.chain(session, request_id)?;
        let hop = chain.hop;
        let (wire_request_headers, wire_headers) = match wired {
            true => (
                chain.pairing(Side::Request).hop(hop),
                chain.pairing(Side::Response).hop(hop),
            ),
            false => (None, None),
        };
        self.update(hop, |entry| {
            // A worker's script is asked for by the page and answered to the worker, a child
            // frame's document likewise; bodies are where the answer went.
            entry.session = session.to_owned();
            entry.from_cache |= head.from_disk_cache || head.from_prefetch_cache;
            entry.wire_request_headers = wire_request_headers;
            entry.response = Some(Response {
                status: head.status,
                status_text: head.status_text,
                mime_type: head.mime_type,
                headers: head.headers,
                wire_headers,
            });
        });
        Some(hop)
    }

    fn finished(&mut self, session: &str, event: LoadingFinished) {
        self.end(session, &event.request_id, |entry| {
            entry.state = State::Finished;
            entry.duration_ms = Some((event.timestamp - entry.started) * 1000.0);
        });
    }

    fn failed(&mut self, session: &str, event: LoadingFailed) {
        self.end(session, &event.request_id, |entry| {
            entry.state = State::Failed;
            entry.failure = Some(match event.error_text {
                text if text.is_empty() => event.blocked_reason,
                text => text,
            });
            if entry.response.is_some() {
                entry.duration_ms = Some((event.timestamp - entry.started) * 1000.0);
            }
        });
    }

    fn end(&mut self, session: &str, request_id: &str, change: impl FnOnce(&mut NetworkEntry)) {
        let Some(hop) = self.chain(session, request_id).map(|chain| chain.hop) else {
            return;
        };
        self.update(hop, |entry| {
            if entry.state == State::Pending {
                change(entry);
            }
        });
    }

    fn cached(&mut self, session: &str, event: ServedFromCache) {
        if let Some(hop) = self
            .chain(session, &event.request_id)
            .map(|chain| chain.hop)
        {
            self.update(hop, |entry| entry.from_cache = true);
        }
    }

    fn wired(&mut self, session: &str, side: Side, event: ExtraInfo) {
        let Some(chain) = self.chain(session, &event.request_id) else {
            // Wire headers come from another process and may overtake the request itself.
            if !self.ignored.contains(&event.request_id) {
                self.early.truncate(EARLY - 1);
                self.early.push_front((side, event));
            }
            return;
        };
        let Some((hop, headers)) = chain.pairing(side).headers(event.headers) else {
            return;
        };
        self.update(hop, |entry| match (side, &mut entry.response) {
            (Side::Request, _) => entry.wire_request_headers = Some(headers),
            (Side::Response, Some(response)) => response.wire_headers = Some(headers),
            (Side::Response, None) => {}
        });
    }

    /// The chain of a request id: the session's own, else the newest of any session, because a
    /// request may be told of by one session and answered in another.
    fn chain(&mut self, session: &str, request_id: &str) -> Option<&mut Chain> {
        let chains = self.chains.get_mut(request_id)?;
        let at = chains
            .iter()
            .rposition(|chain| chain.session == session)
            .or(chains.len().checked_sub(1))?;
        chains.get_mut(at)
    }

    /// Whether a request is told of twice, by the session it leaves and the one it is made for.
    fn is_repeated(&mut self, session: &str, request_id: &str, url: &str) -> bool {
        let Some(hop) = self.chain(session, request_id).map(|chain| chain.hop) else {
            return false;
        };
        self.get(hop)
            .is_some_and(|entry| entry.state == State::Pending && entry.url == url)
    }

    fn remember_hop(&mut self, session: &str, request_id: &str, hop: usize) {
        let continues = self
            .chain(session, request_id)
            .map(|chain| chain.hop)
            .and_then(|last| self.get(last))
            .is_some_and(|entry| entry.state == State::Redirected { to: hop });
        if continues && let Some(chain) = self.chain(session, request_id) {
            chain.hop = hop;
            return;
        }
        let mut chain = Chain::new(session, hop);
        // Oldest first, as they came.
        for at in (0..self.early.len()).rev() {
            if self.early[at].1.request_id == request_id
                && let Some((side, event)) = self.early.remove(at)
            {
                chain.pairing(side).headers(event.headers);
            }
        }
        self.chains
            .entry(request_id.to_owned())
            .or_default()
            .push(chain);
    }

    fn push(&mut self, entry: NetworkEntry) {
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        while self.entries.len() > self.kept || (self.bytes > KEPT_BYTES && self.entries.len() > 1)
        {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(entry) = self.entries.pop_front() else {
            return;
        };
        self.dropped += 1;
        self.bytes -= entry.bytes();
        if let Some(chains) = self.chains.get_mut(&entry.request_id) {
            chains.retain(|chain| chain.hop > entry.index);
            if chains.is_empty() {
                self.chains.remove(&entry.request_id);
            }
        }
    }

    fn update(&mut self, index: usize, change: impl FnOnce(&mut NetworkEntry)) {
        let at = index.checked_sub(self.dropped + 1);
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at)) {
            let before = entry.bytes();
            change(entry);
            self.bytes = self.bytes - before + entry.bytes();
        }
    }
}

fn is_data(url: &str) -> bool {
    url.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

#[cfg(test)]
mod tests;
