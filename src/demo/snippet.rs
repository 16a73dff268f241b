//! The piece of configuration to paste into an MCP client.

use serde_json::Value;

/// JSON that makes a client start `program` with `args`. Characters beyond
/// ASCII are escaped if `ascii` is set; the meaning is the same.
///
/// The shape is the one that most clients read: `mcpServers`, by name.
pub(super) fn snippet(program: &str, args: &[String], width: usize, ascii: bool) -> String {
    let quote = |text: &str| {
        let quoted = Value::from(text).to_string();
        if ascii { escape(&quoted) } else { quoted }
    };
    let command = quote(program);
    let args: Vec<String> = args.iter().map(|arg| quote(arg)).collect();
    let short = format!(
        "    \"playguard\": {{ \"command\": {command}, \"args\": [{}] }}",
        args.join(", ")
    );
    let entry = if short.chars().count() <= width {
        short
    } else {
        format!(
            "    \"playguard\": {{\n      \"command\": {command},\n      \"args\": [{}]\n    }}",
            args.join(", ")
        )
    };
    format!("{{\n  \"mcpServers\": {{\n{entry}\n  }}\n}}\n")
}

/// Writes everything but ASCII as JSON escapes, which are UTF-16 (RFC 8259,
/// section 7). Outside of strings JSON has only ASCII.
fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(args: &[&str]) -> Vec<String> {
        args.iter().map(|arg| (*arg).to_owned()).collect()
    }

    #[test]
    fn short_ones_have_one_line_per_server() {
        assert_eq!(
            snippet("/usr/bin/playguard", &args(&["--headless"]), 80, false),
            r#"{
  "mcpServers": {
    "playguard": { "command": "/usr/bin/playguard", "args": ["--headless"] }
  }
}
"#
        );
    }

    #[test]
    fn long_ones_are_broken() {
        assert_eq!(
            snippet(
                "/home/ada/projects/target/release/playguard",
                &args(&["--headless"]),
                80,
                false
            ),
            r#"{
  "mcpServers": {
    "playguard": {
      "command": "/home/ada/projects/target/release/playguard",
      "args": ["--headless"]
    }
  }
}
"#
        );
    }

    #[test]
    fn any_path_survives_the_way_through_json() {
        for ascii in [false, true] {
            let program = "C:\\Programme\\Tee \"Bär\" 🐻\\playguard.exe";
            let text = snippet(program, &args(&["--user-agent", "a\nb"]), 80, ascii);
            assert!(!ascii || text.is_ascii());
            let read: Value = serde_json::from_str(&text).expect("valid JSON");
            assert_eq!(
                read,
                json!({ "mcpServers": { "playguard": {
                    "command": program,
                    "args": ["--user-agent", "a\nb"],
                } } })
            );
        }
    }
}
