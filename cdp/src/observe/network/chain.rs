//! The hops that share one request id, and the wire headers that arrive apart from them.

use std::collections::VecDeque;

use super::headers::Headers;

/// Headers kept while it is not known whose they are; more than Chromium follows redirects.
const WAITING: usize = 32;

/// A request and the redirects it went through.
#[derive(Debug)]
pub(super) struct Chain {
    /// Session that first told of it.
    pub session: String,
    /// Index of the latest hop.
    pub hop: usize,
    request_headers: Pairing,
    response_headers: Pairing,
}

/// Whose headers are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

impl Chain {
    pub(super) fn new(session: &str, hop: usize) -> Self {
        Self {
            session: session.to_owned(),
            hop,
            request_headers: Pairing::default(),
            response_headers: Pairing::default(),
        }
    }

    pub(super) fn pairing(&mut self, side: Side) -> &mut Pairing {
        match side {
            Side::Request => &mut self.request_headers,
            Side::Response => &mut self.response_headers,
        }
    }
}

/// Brings together hops and wire headers, which come in the same order but on separate ways.
///
/// Which hops have wire headers at all is only known when their response arrives.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    headers: VecDeque<Headers>,
    hops: VecDeque<usize>,
}

impl Pairing {
    /// A hop is known to have wire headers: which, if they are here.
    pub(super) fn hop(&mut self, hop: usize) -> Option<Headers> {
        let headers = self.headers.pop_front();
        if headers.is_none() && self.hops.len() < WAITING {
            self.hops.push_back(hop);
        }
        headers
    }

    /// Wire headers have arrived: for which hop, if that is known.
    pub(super) fn headers(&mut self, headers: Headers) -> Option<(usize, Headers)> {
        if let Some(hop) = self.hops.pop_front() {
            return Some((hop, headers));
        }
        if self.headers.len() < WAITING {
            self.headers.push_back(headers);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &str) -> Headers {
        serde_json::from_str(&format!(r#"{{"n":"{value}"}}"#)).unwrap()
    }

    #[test]
    fn either_side_may_come_first() {
        let mut pairing = Pairing::default();
        assert_eq!(pairing.headers(headers("1")), None);
        assert_eq!(pairing.hop(1), Some(headers("1")));
        assert_eq!(pairing.hop(2), None);
        assert_eq!(pairing.hop(3), None);
        assert_eq!(pairing.headers(headers("2")), Some((2, headers("2"))));
        assert_eq!(pairing.headers(headers("3")), Some((3, headers("3"))));
    }
}
