//! What goes back over a connection: short texts, JSON-RPC errors, streams of events.

use std::any::Any;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Frame};
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::super::wire;
use super::events::Reader;

/// Something is sent at least this often: gateways close connections that are silent, and a
/// connection whose other end is gone is noticed by writing to it.
const PULSE: Duration = Duration::from_secs(15);

/// Any answer.
pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// A line of plain text.
pub(super) fn text(status: StatusCode, text: impl Into<String>) -> Answer {
    with_body(status, Full::from(text.into()).boxed())
}

/// Nothing but a status.
pub(super) fn empty(status: StatusCode) -> Answer {
    text(status, "")
}

/// An error of JSON-RPC that answers no request in particular.
pub(super) fn error(status: StatusCode, code: i32, message: &str) -> Answer {
    let error = ErrorData::new(ErrorCode(code), message.to_owned(), None);
    let mut line = wire::refusal(None, &error);
    line.pop();
    let mut answer = with_body(status, Full::from(line).boxed());
    let json = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(header::CONTENT_TYPE, json);
    answer
}

/// A stream of events. `held` is let go of when the connection ends.
pub(super) fn events(reader: Reader, held: Option<Box<dyn Any + Send + Sync>>) -> Answer {
    let mut pulse = interval_at(Instant::now() + PULSE, PULSE);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let body = Events {
        reader,
        pulse,
        _held: held,
    };
    let mut answer = with_body(StatusCode::OK, body.boxed());
    let headers = answer.headers_mut();
    let event_stream = HeaderValue::from_static("text/event-stream");
    headers.insert(header::CONTENT_TYPE, event_stream);
    let no_cache = HeaderValue::from_static("no-cache, no-transform");
    headers.insert(header::CACHE_CONTROL, no_cache);
    // Some gateways collect what passes through unless told not to.
    let unbuffered = HeaderValue::from_static("no");
    headers.insert("x-accel-buffering", unbuffered);
    answer
}

fn with_body(status: StatusCode, body: BoxBody<Bytes, Infallible>) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer
}

/// A stream of events as a body.
struct Events {
    reader: Reader,
    pulse: Interval,
    _held: Option<Box<dyn Any + Send + Sync>>,
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        match this.reader.poll_next(context) {
            Poll::Ready(Some(piece)) => {
                this.pulse.reset();
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => {}
        }
        match this.pulse.poll_tick(context) {
            Poll::Ready(_) => {
                let comment = Bytes::from_static(b": still here\n\n");
                Poll::Ready(Some(Ok(Frame::data(comment))))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}
