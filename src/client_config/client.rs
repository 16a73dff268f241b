//! The clients, and what is particular about each.

/// A program that starts MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Their names say it.
pub enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Codex,
    GeminiCli,
    Windsurf,
    Zed,
}

/// What a client's file is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// JSON, perhaps with comments.
    Json(JsonShape),
    /// TOML, with a table of servers called `mcp_servers`.
    Toml,
}

/// Where in a JSON file the servers are, and what an entry has beside command and arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JsonShape {
    /// Key of the object that holds the servers by name.
    pub(super) servers: &'static str,
    /// The kind of server that an entry must name, if any.
    pub(super) kind: Option<&'static str>,
    /// Whether a new entry gets an empty `env`.
    pub(super) env: bool,
}

impl Client {
    /// All of them, in the order of the README.
    pub const ALL: [Client; 8] = [
        Client::ClaudeCode,
        Client::ClaudeDesktop,
        Client::Cursor,
        Client::VsCode,
        Client::Codex,
        Client::GeminiCli,
        Client::Windsurf,
        Client::Zed,
    ];

    /// What they are called on the command line, in the same order.
    pub const NAMES: [&str; 8] = [
        "claude-code",
        "claude-desktop",
        "cursor",
        "vscode",
        "codex",
        "gemini-cli",
        "windsurf",
        "zed",
    ];

    /// The client of this name.
    pub fn named(name: &str) -> Option<Client> {
        let place = Self::NAMES.iter().position(|known| *known == name)?;
        Self::ALL.get(place).copied()
    }

    /// What its makers call it.
    pub fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::ClaudeDesktop => "Claude Desktop",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
            Client::Codex => "Codex",
            Client::GeminiCli => "Gemini CLI",
            Client::Windsurf => "Windsurf",
            Client::Zed => "Zed",
        }
    }

    pub(super) fn shape(self) -> Shape {
        let json = |servers, kind, env| Shape::Json(JsonShape { servers, kind, env });
        match self {
            Client::ClaudeCode
            | Client::ClaudeDesktop
            | Client::Cursor
            | Client::GeminiCli
            | Client::Windsurf => json("mcpServers", None, false),
            Client::VsCode => json("servers", Some("stdio"), false),
            Client::Zed => json("context_servers", None, true),
            Client::Codex => Shape::Toml,
        }
    }
}
