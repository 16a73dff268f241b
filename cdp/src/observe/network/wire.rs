//! The parts of the Network domain's events that are read.

use serde::Deserialize;

use super::headers::Headers;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestWillBeSent {
    pub request_id: String,
    #[serde(default)]
    pub loader_id: String,
    pub request: Request,
    #[serde(default)]
    pub timestamp: f64,
    #[serde(default)]
    pub initiator: Initiator,
    pub redirect_response: Option<ResponseHead>,
    #[serde(default)]
    pub redirect_has_extra_info: bool,
    #[serde(rename = "type", default)]
    pub resource_type: String,
    pub frame_id: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Initiator {
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub url: String,
    #[serde(default)]
    pub method: String,
    #[serde(default)]
    pub headers: Headers,
    pub post_data: Option<String>,
    #[serde(default)]
    pub has_post_data: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseHead {
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub status: i64,
    #[serde(default)]
    pub status_text: String,
    #[serde(default)]
    pub headers: Headers,
    #[serde(default)]
    pub mime_type: String,
    #[serde(default)]
    pub from_disk_cache: bool,
    #[serde(default)]
    pub from_prefetch_cache: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseReceived {
    pub request_id: String,
    #[serde(default)]
    pub loader_id: String,
    pub frame_id: Option<String>,
    #[serde(rename = "type", default)]
    pub resource_type: String,
    pub response: ResponseHead,
    #[serde(default)]
    pub has_extra_info: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFinished {
    pub request_id: String,
    #[serde(default)]
    pub timestamp: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFailed {
    pub request_id: String,
    #[serde(default)]
    pub timestamp: f64,
    #[serde(default)]
    pub error_text: String,
    #[serde(default)]
    pub blocked_reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServedFromCache {
    pub request_id: String,
}

/// `requestWillBeSentExtraInfo` and `responseReceivedExtraInfo`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExtraInfo {
    pub request_id: String,
    pub headers: Headers,
}
