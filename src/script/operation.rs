//! What a script can ask of the browser: one typed value per request.
//!
//! The JavaScript side writes these as JSON (variants in camelCase, tagged from outside), the host
//! reads them as Rust. The answer's shape stands at each variant; where nothing is said it is
//! ignored and may be `null`. Durations are milliseconds; a timeout that is absent means the
//! host's own default, 0 means none.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::input::{ActionOptions, KeyboardAction, LocatorAction, MouseAction};

/// Number of a page, given by the host; never used again for another page.
pub type PageId = u64;
/// Number of a subscription or a route, given by the script's session.
pub type SubscriptionId = u64;
/// Name of an object the host keeps for the script: a request, a response, a dialog…
pub type Handle = String;

/// One request of a script to its host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Operation {
    /// Answer: a list of [`PageFacts`] of all open pages, in the order of their tabs. The script
    /// stands still meanwhile, so this must not wait for a page.
    Pages,
    /// Something about one page.
    Page { page: PageId, action: PageAction },
    /// Something about the elements that a selector finds. `selector` is in Playwright's syntax,
    /// whatever chain of locator calls it came from. Unless the action says otherwise exactly one
    /// element must match, and it is waited for.
    Locator {
        page: PageId,
        selector: String,
        action: LocatorAction,
        #[serde(default)]
        options: ActionOptions,
    },
    /// Keys, without a target.
    Keyboard {
        page: PageId,
        action: KeyboardAction,
    },
    /// The mouse, in CSS pixels of the viewport.
    Mouse { page: PageId, action: MouseAction },
    /// Something about the browser context.
    Context { action: ContextAction },
    /// From now on events of this kind go to the session's [`EventSender`](super::EventSender)
    /// with this id. Without a page: events of every page, and of pages to come. The script stands
    /// still until this is answered, so that it misses nothing that it causes afterwards.
    Subscribe {
        id: SubscriptionId,
        page: Option<PageId>,
        event: Event,
    },
    /// Ends a subscription.
    Unsubscribe { id: SubscriptionId },
    /// From now on requests that match are held and sent as events with this id; the value is
    /// `{"route": Handle, "request": RequestFacts}`. The newest matching route gets a request
    /// first; when it answers [`RouteAction::Fallback`] the next one does, and in the end the network.
    Route {
        id: SubscriptionId,
        page: Option<PageId>,
        pattern: UrlPattern,
    },
    /// Ends a route.
    Unroute { id: SubscriptionId },
    /// What is to become of a held request.
    RouteAnswer { route: Handle, action: RouteAction },
    /// Answer: what the variant says.
    Request {
        request: Handle,
        action: RequestAction,
    },
    /// Answer: what the variant says.
    Response {
        response: Handle,
        action: ResponseAction,
    },
    /// Answers an open dialog; `prompt_text` only when accepting.
    Dialog {
        dialog: Handle,
        accept: bool,
        prompt_text: Option<String>,
    },
    /// Gives files to an open file chooser.
    FileChooser {
        chooser: Handle,
        files: Vec<InputFile>,
    },
    /// Answer: a path (text) for `path` and `saveAs`, a text or `null` for `failure`.
    Download {
        download: Handle,
        action: DownloadAction,
    },
}

/// A page as it is right now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageFacts {
    pub id: PageId,
    pub url: String,
    /// CSS pixels; `None` when the page takes the window's size.
    pub viewport: Option<Size>,
}

/// CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

/// A function and its arguments as source text, to be run in the page as `(function)(arguments…)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Function {
    /// A function, or an expression when `is_function` is false.
    pub source: String,
    pub is_function: bool,
    /// Each a JavaScript expression without side effects: JSON wherever the value is JSON, else
    /// `undefined`, `NaN`, `new Date(0)`, `10n`…
    pub arguments: Vec<String>,
}

/// When a page counts as loaded: `load`, `domcontentloaded`, `networkidle` or `commit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoadState {
    Load,
    DomContentLoaded,
    NetworkIdle,
    Commit,
}

/// What can be done with a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageAction {
    /// Answer: [`ResponseFacts`], or `null` when there was none (a fragment, `about:blank`).
    Goto {
        url: String,
        wait_until: Option<LoadState>,
        timeout: Option<f64>,
        referer: Option<String>,
    },
    /// Answer: as for `goto`.
    Reload {
        wait_until: Option<LoadState>,
        timeout: Option<f64>,
    },
    /// Answer: as for `goto`; `null` when there is no such entry.
    GoBack {
        wait_until: Option<LoadState>,
        timeout: Option<f64>,
    },
    /// Answer: as for `goBack`.
    GoForward {
        wait_until: Option<LoadState>,
        timeout: Option<f64>,
    },
    /// Answer: text.
    Title,
    /// Answer: the document's HTML.
    Content,
    SetContent {
        html: String,
        wait_until: Option<LoadState>,
        timeout: Option<f64>,
    },
    /// Runs a function in the main frame. Answer: `{"value": …}`, or `{}` for `undefined`.
    Evaluate {
        function: Function,
    },
    BringToFront,
    Close,
    SetViewportSize {
        size: Size,
    },
    EmulateMedia {
        media: Map<String, Value>,
    },
    WaitForTimeout {
        duration: f64,
    },
    WaitForLoadState {
        state: LoadState,
        timeout: Option<f64>,
    },
    /// Waits until the function's result is true. Answer: as for `evaluate`. `polling` in
    /// milliseconds, absent for every frame.
    WaitForFunction {
        function: Function,
        polling: Option<f64>,
        timeout: Option<f64>,
    },
    /// Answer: `{"base64": …}`. Options are those of Playwright's `page.screenshot`.
    Screenshot {
        options: Map<String, Value>,
    },
    /// Answer: `{"base64": …}`. Options are those of Playwright's `page.pdf`.
    Pdf {
        options: Map<String, Value>,
    },
    /// Answer: the snapshot's text.
    AriaSnapshot {
        options: Map<String, Value>,
    },
    /// Runs in every new document of the page, before its own scripts.
    AddInitScript {
        source: String,
    },
    /// Adds a `<script>` or `<style>` with an address or a text.
    AddTag {
        style: bool,
        url: Option<String>,
        content: Option<String>,
    },
    SetExtraHttpHeaders {
        headers: Map<String, Value>,
    },
    /// A request sent by the page's own `fetch`. Answer: [`FetchAnswer`].
    Fetch {
        request: FetchRequest,
    },
}

/// A request as the script describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FetchRequest {
    pub url: String,
    pub method: Option<String>,
    #[serde(default)]
    pub headers: Map<String, Value>,
    /// The body's bytes in base64.
    pub body: Option<String>,
    pub credentials: Option<String>,
    pub redirect: Option<String>,
}

/// What came back for a [`FetchRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FetchAnswer {
    pub url: String,
    pub status: u16,
    pub status_text: String,
    pub headers: Map<String, Value>,
    /// The body's bytes in base64.
    pub body: String,
}

/// A file for an `<input type=file>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", untagged)]
pub enum InputFile {
    /// A path; the host decides whether it may be read.
    Path(String),
    /// A file made by the script, in base64.
    Buffer {
        name: String,
        #[serde(rename = "mimeType")]
        mime_type: String,
        base64: String,
    },
}

/// What can be done with the browser context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ContextAction {
    /// Answer: the new page's [`PageFacts`].
    NewPage,
    /// Answer: a list of cookies in Playwright's shape; with `urls`, those that apply to them.
    Cookies {
        urls: Vec<String>,
    },
    AddCookies {
        cookies: Vec<Map<String, Value>>,
    },
    /// Removes cookies that match all given patterns; all cookies without any.
    ClearCookies {
        name: Option<UrlPattern>,
        domain: Option<UrlPattern>,
        path: Option<UrlPattern>,
    },
    GrantPermissions {
        permissions: Vec<String>,
        origin: Option<String>,
    },
    ClearPermissions,
    /// `None` removes it.
    SetGeolocation {
        geolocation: Option<Map<String, Value>>,
    },
    SetOffline {
        offline: bool,
    },
    SetExtraHttpHeaders {
        headers: Map<String, Value>,
    },
    /// Answer: `{"cookies": […], "origins": […]}`.
    StorageState,
    /// Runs in every new document of every page, before its own scripts.
    AddInitScript {
        source: String,
    },
}

/// Events that a script may listen to, and the value each carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// [`RequestFacts`]
    Request,
    /// [`RequestFacts`]
    RequestFinished,
    /// [`RequestFacts`] with `failure`
    RequestFailed,
    /// [`ResponseFacts`]
    Response,
    /// `{"type", "text", "location": {"url", "lineNumber", "columnNumber"}, "page": PageId}`
    Console,
    /// `{"name", "message", "stack"}`
    PageError,
    /// `{"dialog": Handle, "type", "message", "defaultValue"}`. While a script listens to this,
    /// it answers the dialogs and nobody else does.
    Dialog,
    /// [`PageFacts`] of the new page
    Popup,
    /// `{"download": Handle, "url", "suggestedFilename"}`
    Download,
    /// `{"chooser": Handle, "multiple": bool}`
    FileChooser,
    /// `null`
    Load,
    /// `null`
    DomContentLoaded,
    /// `{"url", "main": bool}`
    FrameNavigated,
    /// `null`
    Close,
    /// `null`
    Crash,
    /// [`PageFacts`]; only without a page
    Page,
}

/// Which addresses (or names) are meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum UrlPattern {
    /// A function of the script decides; to the host every address matches.
    Any,
    /// Exactly this text.
    Text(String),
    /// A JavaScript regular expression. Globs arrive translated into one.
    Regex { source: String, flags: String },
}

/// A request. `headers` have lower-case names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestFacts {
    pub request: Handle,
    pub page: Option<PageId>,
    pub url: String,
    pub method: String,
    pub resource_type: String,
    pub headers: Map<String, Value>,
    pub post_data: Option<String>,
    pub is_navigation: bool,
    /// Why it failed, as the browser says it.
    pub failure: Option<String>,
}

/// A response and its request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseFacts {
    pub response: Handle,
    pub url: String,
    pub status: u16,
    pub status_text: String,
    pub headers: Map<String, Value>,
    pub request: RequestFacts,
}

/// What is to become of a held request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RouteAction {
    /// An answer made by the script. `body` in base64; `path` is a file, if the host allows it.
    Fulfill {
        status: Option<u16>,
        #[serde(default)]
        headers: Map<String, Value>,
        content_type: Option<String>,
        body: Option<String>,
        path: Option<String>,
        /// A response to start from.
        response: Option<Handle>,
    },
    /// On to the network, perhaps changed. `post_data` in base64.
    Continue {
        url: Option<String>,
        method: Option<String>,
        headers: Option<Map<String, Value>>,
        post_data: Option<String>,
    },
    /// On to the next matching route. `post_data` in base64.
    Fallback {
        url: Option<String>,
        method: Option<String>,
        headers: Option<Map<String, Value>>,
        post_data: Option<String>,
    },
    /// Fails with one of Playwright's error codes, such as `failed` or `blockedbyclient`.
    Abort { error_code: String },
    /// Sends it, and answers with [`ResponseFacts`] instead of going on.
    Fetch {
        url: Option<String>,
        method: Option<String>,
        headers: Option<Map<String, Value>>,
        post_data: Option<String>,
    },
}

/// What can be asked of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestAction {
    /// Answer: [`ResponseFacts`], or `null` when it failed. Waits for it.
    Response,
    /// Answer: an object of headers, with those the network added.
    AllHeaders,
}

/// What can be asked of a response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResponseAction {
    /// Answer: `{"base64": …}`.
    Body,
    /// Answer: an object of headers, with those the network added.
    AllHeaders,
    /// Waits for the end. Answer: `null`, or why it failed.
    Finished,
}

/// What can be done with a download.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DownloadAction {
    Path,
    SaveAs { path: String },
    Cancel,
    Delete,
    Failure,
}
