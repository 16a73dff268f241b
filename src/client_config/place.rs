//! Where clients keep their settings.

use playguard_cdp::launch::machine::{Machine, Os, home};

use super::Client;

/// The file in which a client looks for the servers of this user. `None` when the environment does
/// not even name a home.
pub fn default_file(client: Client, machine: &dyn Machine) -> Option<String> {
    let os = machine.os();
    let in_home = |parts: &[&str]| home(machine).map(|home| os.join(&home, parts));
    let in_folder_of = |variable: &str, otherwise: &[&str], file: &str| {
        let folder = machine.var(variable).or_else(|| in_home(otherwise));
        folder.map(|folder| os.join(&folder, &[file]))
    };
    match client {
        // Beside `~/.claude`, and not in it, unless the folder was moved.
        Client::ClaudeCode => in_folder_of("CLAUDE_CONFIG_DIR", &[], ".claude.json"),
        Client::ClaudeDesktop => {
            application(machine).map(|dir| os.join(&dir, &["Claude/claude_desktop_config.json"]))
        }
        Client::Cursor => in_home(&[".cursor/mcp.json"]),
        Client::VsCode => application(machine).map(|dir| os.join(&dir, &["Code/User/mcp.json"])),
        Client::Codex => in_folder_of("CODEX_HOME", &[".codex"], "config.toml"),
        Client::GeminiCli => in_home(&[".gemini/settings.json"]),
        Client::Windsurf => in_home(&[".codeium/windsurf/mcp_config.json"]),
        Client::Zed => match os {
            Os::MacOs => in_home(&[".config/zed/settings.json"]),
            Os::Windows => application(machine).map(|dir| os.join(&dir, &["Zed/settings.json"])),
            Os::Linux => application(machine).map(|dir| os.join(&dir, &["zed/settings.json"])),
        },
    }
}

/// The folder for settings of programs.
fn application(machine: &dyn Machine) -> Option<String> {
    let os = machine.os();
    let in_home = |part| home(machine).map(|home| os.join(&home, &[part]));
    match os {
        Os::Windows => machine
            .var("APPDATA")
            .or_else(|| in_home("AppData/Roaming")),
        Os::MacOs => in_home("Library/Application Support"),
        Os::Linux => machine
            .var("XDG_CONFIG_HOME")
            // A relative one is not valid (XDG Base Directory specification).
            .filter(|dir| dir.starts_with('/'))
            .or_else(|| in_home(".config")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use playguard_cdp::launch::machine::Other;

    use super::*;

    struct Fake(Os, HashMap<&'static str, &'static str>);

    impl Machine for Fake {
        fn os(&self) -> Os {
            self.0
        }
        fn var(&self, name: &str) -> Option<String> {
            self.1.get(name).map(|value| (*value).to_owned())
        }
        fn is_executable(&self, _: &str) -> bool {
            false
        }
        fn other(&self, _: &str) -> Option<Other> {
            None
        }
        fn entries(&self, _: &str) -> Vec<String> {
            Vec::new()
        }
        fn is_root(&self) -> bool {
            false
        }
    }

    fn files<const N: usize>(os: Os, vars: [(&'static str, &'static str); N]) -> Vec<String> {
        let machine = Fake(os, HashMap::from(vars));
        let file = |client: &Client| default_file(*client, &machine).expect("a place");
        Client::ALL.iter().map(file).collect()
    }

    #[test]
    fn on_linux() {
        assert_eq!(
            files(Os::Linux, [("HOME", "/home/ada")]),
            [
                "/home/ada/.claude.json",
                "/home/ada/.config/Claude/claude_desktop_config.json",
                "/home/ada/.cursor/mcp.json",
                "/home/ada/.config/Code/User/mcp.json",
                "/home/ada/.codex/config.toml",
                "/home/ada/.gemini/settings.json",
                "/home/ada/.codeium/windsurf/mcp_config.json",
                "/home/ada/.config/zed/settings.json",
            ]
        );
    }

    #[test]
    fn on_macos() {
        assert_eq!(
            files(Os::MacOs, [("HOME", "/Users/ada")]),
            [
                "/Users/ada/.claude.json",
                "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
                "/Users/ada/.cursor/mcp.json",
                "/Users/ada/Library/Application Support/Code/User/mcp.json",
                "/Users/ada/.codex/config.toml",
                "/Users/ada/.gemini/settings.json",
                "/Users/ada/.codeium/windsurf/mcp_config.json",
                "/Users/ada/.config/zed/settings.json",
            ]
        );
    }

    #[test]
    fn on_windows() {
        assert_eq!(
            files(
                Os::Windows,
                [("USERPROFILE", r"C:\Users\Ada"), ("APPDATA", r"D:\Roaming")]
            ),
            [
                r"C:\Users\Ada\.claude.json",
                r"D:\Roaming\Claude\claude_desktop_config.json",
                r"C:\Users\Ada\.cursor\mcp.json",
                r"D:\Roaming\Code\User\mcp.json",
                r"C:\Users\Ada\.codex\config.toml",
                r"C:\Users\Ada\.gemini\settings.json",
                r"C:\Users\Ada\.codeium\windsurf\mcp_config.json",
                r"D:\Roaming\Zed\settings.json",
            ]
        );
    }

    #[test]
    fn variables_move_the_folders() {
        let moved = files(
            Os::Linux,
            [
                ("HOME", "/home/ada"),
                ("XDG_CONFIG_HOME", "/etc/ada"),
                ("CODEX_HOME", "/srv/codex"),
                ("CLAUDE_CONFIG_DIR", "/srv/claude/"),
            ],
        );
        assert_eq!(moved[0], "/srv/claude/.claude.json");
        assert_eq!(moved[3], "/etc/ada/Code/User/mcp.json");
        assert_eq!(moved[4], "/srv/codex/config.toml");
        let relative = [("HOME", "/home/ada"), ("XDG_CONFIG_HOME", "etc")];
        assert_eq!(
            files(Os::Linux, relative)[7],
            "/home/ada/.config/zed/settings.json"
        );
    }

    #[test]
    fn without_a_home_there_is_none() {
        let machine = Fake(Os::Linux, HashMap::new());
        for client in Client::ALL {
            assert_eq!(default_file(client, &machine), None);
        }
    }
}
