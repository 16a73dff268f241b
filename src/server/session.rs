//! One client's session: what its requests mean, independent of how they arrive.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, InitializeResult};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::ServerOptions;
use super::keep::Keeper;
use super::lazy::{Announce, LazyBackend};
use super::peer::Peer;
use super::protocol;
use super::roots;
use crate::backend::{Backend, BackendFactory};
use crate::call::{ClientInfo, ToolCall, ToolReply};
use crate::pipeline::Pipeline;
use crate::reply::files::seen_from;
use crate::reply::{self, RenderOptions, deliver};
use crate::tools::validate;

/// A client that does not tell its roots in this time has none.
const ROOTS_LIMIT: Duration = Duration::from_secs(5);

/// The name of clients that give none.
const NAMELESS: &str = "Playwright MCP";

/// State of one client.
pub(super) struct Session {
    options: ServerOptions,
    peer: Arc<dyn Peer>,
    hello: Mutex<Hello>,
    client: OnceCell<Arc<ClientInfo>>,
    backend: Arc<LazyBackend>,
    pipeline: Pipeline,
    keeper: Keeper,
    /// Clients ask for the list again and again.
    tool_list: OnceLock<Box<RawValue>>,
}

/// What the client said of itself.
#[derive(Debug, Clone, Default)]
struct Hello {
    name: String,
    version: String,
    has_roots: bool,
}

impl Session {
    pub(super) fn new(
        factory: Arc<dyn BackendFactory>,
        options: ServerOptions,
        peer: Arc<dyn Peer>,
    ) -> Self {
        let backend = Arc::new(LazyBackend::new(factory, announcement(peer.clone())));
        Self {
            pipeline: Pipeline::compose(
                backend.clone(),
                options.call_limit,
                &options.secrets,
                options.unsafe_code,
            ),
            keeper: Keeper::new(options.keep.clone()),
            options,
            peer,
            hello: Mutex::default(),
            client: OnceCell::new(),
            backend,
            tool_list: OnceLock::new(),
        }
    }

    /// Answers initialize. Whatever is missing from the parameters is taken as not said.
    pub(super) fn initialize(&self, params: &Value) -> InitializeResult {
        let info = &params["clientInfo"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        *self.hello.lock().unwrap_or_else(PoisonError::into_inner) = Hello {
            name: text(&info["name"]),
            version: text(&info["version"]),
            has_roots: params["capabilities"]["roots"].is_object(),
        };
        protocol::greeting(self.options.stock, params["protocolVersion"].as_str())
    }

    /// Answers tools/list.
    pub(super) fn tool_list(&self) -> &RawValue {
        self.tool_list
            .get_or_init(|| protocol::tool_list(&self.options.tools))
    }

    /// Answers tools/call. `cancel` stops the call; its outcome then says nothing.
    ///
    /// # Errors
    /// Only when the parameters have not the shape of a call. All that goes wrong with a tool is
    /// part of the result.
    pub(super) async fn call_tool(
        &self,
        params: Option<Value>,
        cancel: CancellationToken,
    ) -> Result<CallToolResult, ErrorData> {
        let (name, mut arguments) = protocol::call_params(params)?;
        let wishes = protocol::wishes(&mut arguments);
        let render = &RenderOptions {
            form: wishes.form,
            ..self.options.render.clone()
        };
        let call = match self.prepare(name, arguments, cancel).await {
            Ok(call) => call,
            Err(reply) => return Ok(printed(&reply, render)),
        };
        let kept = self.keeper.before(&call).await;
        let mut reply = seen_from(wishes.cwd, self.pipeline.call(call)).await;
        if let Err(error) = deliver::deliver(&reply, &render.redactor).await {
            reply = ToolReply::thrown(error.to_string());
        }
        self.keeper.after(kept, &reply, render).await;
        Ok(printed(&reply, render))
    }

    /// The result that carries a reply.
    pub(super) fn printed(&self, reply: &ToolReply) -> CallToolResult {
        printed(reply, &self.options.render)
    }

    /// All that comes before a call: is there such a tool, are the arguments right, who asks.
    async fn prepare(
        &self,
        name: String,
        arguments: Map<String, Value>,
        cancel: CancellationToken,
    ) -> Result<ToolCall, ToolReply> {
        let Some(tool) = self.options.tools.get(&name) else {
            return Err(ToolReply::thrown(format!("Tool \"{name}\" not found")));
        };
        let arguments = validate::validate(&name, &tool.input_schema, arguments)
            .map_err(|error| ToolReply::thrown(error.to_string()))?;
        let client = self.client().await;
        Ok(ToolCall {
            name,
            arguments,
            client,
            cancel,
        })
    }

    /// Who the client is. Asks for its roots the first time.
    async fn client(&self) -> Arc<ClientInfo> {
        let identify = || async {
            let hello = self
                .hello
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let folder = if hello.has_roots {
                self.first_root().await
            } else {
                None
            };
            Arc::new(ClientInfo {
                name: if hello.name.is_empty() {
                    NAMELESS.to_owned()
                } else {
                    hello.name
                },
                version: hello.version,
                workspace: folder.unwrap_or_else(|| self.options.working_dir.clone()),
            })
        };
        self.client.get_or_init(identify).await.clone()
    }

    async fn first_root(&self) -> Option<std::path::PathBuf> {
        let answer = tokio::time::timeout(ROOTS_LIMIT, self.peer.request("roots/list")).await;
        roots::first_folder(&answer.ok()??)
    }

    /// Ends the session: a backend being made is given up, one that is there is closed.
    pub(super) async fn close(&self) {
        self.backend.close().await;
    }
}

fn printed(reply: &ToolReply, render: &RenderOptions) -> CallToolResult {
    protocol::tool_result(reply::content(reply, render), reply.is_error())
}

/// Tells the client that its list of tools may differ, the first time it is called. The list is
/// fixed: more would be no news, whatever becomes of browsers and tabs.
fn announcement(peer: Arc<dyn Peer>) -> Announce {
    let announced = AtomicBool::new(false);
    Arc::new(move || {
        if !announced.swap(true, Ordering::Relaxed) {
            peer.notify("notifications/tools/list_changed");
        }
    })
}
