//! `playguard config`, through the real program, in a home folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use playguard::client_config::Client;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Home(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_playguard"));
        for variable in ["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"] {
            command.env_remove(variable);
        }
        command
            .arg("config")
            .args(words)
            .env("HOME", self.0.path())
            .env("USERPROFILE", self.0.path())
            .env("APPDATA", self.0.path())
            .env("PLAYGUARD_CDP_HEADERS", "Authorization: Bearer hush")
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts")
    }

    #[track_caller]
    fn ok(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    #[track_caller]
    fn refused(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        assert_eq!(text(&output.stdout), "");
        text(&output.stderr)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn what_is_printed_is_what_is_written_and_nothing_else_is() {
    for client in Client::NAMES {
        let home = Home::new();
        let printed = home.ok(&[client, "--", "--headless"]);
        assert!(printed.contains("--headless"), "{printed}");
        assert!(!printed.contains("hush"), "{printed}");
        assert!(files(home.0.path()).is_empty(), "printing writes nothing");

        let said = home.ok(&[client, "--write", "--", "--headless"]);
        assert!(said.starts_with("Added playguard for "), "{said}");
        let [file] = &files(home.0.path())[..] else {
            panic!("one file for {client}: {:?}", files(home.0.path()));
        };
        assert_eq!(read(file), printed, "{client}");
        assert!(said.contains(&file.display().to_string()), "{said}");

        let said = home.ok(&[client, "--write", "--", "--headless"]);
        assert!(said.contains(" has playguard already, in "), "{said}");
        assert_eq!(
            files(home.0.path()),
            std::slice::from_ref(file),
            "no backup of nothing"
        );
    }
}

#[test]
fn the_command_starts_this_program() {
    let home = Home::new();
    let entry: serde_json::Value =
        serde_json::from_str(&home.ok(&["cursor", "--name", "pw"])).expect("JSON");
    let command = &entry["mcpServers"]["pw"]["command"];
    let version = Command::new(command.as_str().expect("a command"))
        .arg("--version")
        .current_dir(home.0.path())
        .output()
        .expect("it starts");
    assert!(text(&version.stdout).starts_with("playguard "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_in_path_is_what_a_client_is_told() {
    let home = Home::new();
    let link = home.path("playguard");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_playguard"), &link).expect("linked");
    let output = Command::new(&link)
        .args(["config", "codex"])
        .env("PATH", home.0.path())
        .output()
        .expect("the program starts");
    let said = text(&output.stdout);
    assert!(
        said.contains(&format!("command = \"{}\"", link.display())),
        "{said}"
    );
}

#[test]
fn a_file_with_other_things_keeps_them_and_is_kept_once() {
    let home = Home::new();
    let file = home.path("settings.json");
    let before = "// mine\r\n{\r\n\t\"context_servers\": {\r\n\t\t\"a\": {}, // b\r\n\t},\r\n}\r\n";
    fs::write(&file, before).expect("written");
    let words = ["zed", "--write", "--file", "settings.json", "--"];
    let said = home.ok(&words);
    let backup = home.path("settings.json.playguard-backup");
    assert!(said.contains("settings.json.playguard-backup"), "{said}");
    assert_eq!(read(&backup), before);
    let after = read(&file);
    assert!(
        after.starts_with(before.split_once("\t},").expect("a part").0),
        "{after}"
    );
    assert!(after.ends_with("\t},\r\n}\r\n"), "{after}");

    let said = home.ok(&[&words[..], &["--isolated"]].concat());
    assert!(
        said.starts_with("Updated playguard for Zed, in settings.json"),
        "{said}"
    );
    assert_eq!(read(&backup), before, "the first one stays");
    assert_eq!(
        read(&file),
        after.replace("\"args\": []", "\"args\": [\"--isolated\"]")
    );
    home.ok(&words);
    assert_eq!(read(&file), after);
}

#[test]
fn toml_too() {
    let home = Home::new();
    fs::create_dir(home.path(".codex")).expect("a folder");
    let file = home.path(".codex/config.toml");
    let before = "model = \"x\" # mine\n\n[mcp_servers.a]\nurl = \"http://localhost/\"\n";
    fs::write(&file, before).expect("written");
    home.ok(&["codex", "--write", "--", "--caps", "pdf,vision"]);
    let after = read(&file);
    let new = after.strip_prefix(before).expect("what was there stays");
    assert!(
        new.starts_with("\n[mcp_servers.playguard]\ncommand = "),
        "{new}"
    );
    assert!(
        new.ends_with("\nargs = [\"--caps\", \"pdf,vision\"]\n"),
        "{new}"
    );
}

#[test]
fn broken_files_are_left_alone_with_what_to_do() {
    let home = Home::new();
    let file = home.path("mcp.json");
    let broken = "{\n  \"mcpServers\": {,}\n}\n";
    fs::write(&file, broken).expect("written");
    let said = home.refused(&["cursor", "--write", "--file", "mcp.json"]);
    assert!(
        said.starts_with(
            "Nothing was changed in mcp.json: line 2, column 18: a key in double quotes is \
             expected here.\nRepair that, or put this in by hand:\n{\n  \"mcpServers\": {\n"
        ),
        "{said}"
    );
    assert_eq!(read(&file), broken);
    assert_eq!(files(home.0.path()), [file], "and no backup");
}

#[test]
fn a_folder_in_the_way_is_named() {
    let home = Home::new();
    fs::create_dir(home.path("mcp.json")).expect("a folder");
    assert_eq!(
        home.refused(&["cursor", "--write", "--file", "mcp.json"]),
        "Cannot read mcp.json: it is not a file.\n"
    );
}

#[test]
fn secrets_are_refused() {
    let home = Home::new();
    for args in [
        ["--cdp-header", "Authorization: Bearer hush"],
        ["--proxy-server", "http://me:hush@proxy:3128"],
    ] {
        let said = home.refused(&[&["cursor", "--write", "--"], &args[..]].concat());
        assert!(said.contains(args[0]) && !said.contains("hush"), "{said}");
    }
    assert!(files(home.0.path()).is_empty());
}

#[test]
fn help_and_readme_name_every_client() {
    let home = Home::new();
    let help = home.ok(&["--help"]);
    let readme = include_str!("../README.md");
    for client in Client::ALL {
        assert!(
            readme.contains(&format!("**{}**", client.title())),
            "{}",
            client.title()
        );
    }
    for name in Client::NAMES {
        assert!(help.contains(name), "{name} in:\n{help}");
        assert!(readme.contains(&format!("`{name}`")), "{name}");
    }
}
