//! The log of a session: each call with its arguments and what was answered, for people to read.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::{ContentPart, RenderOptions, content, sections, snapshot_text};
use crate::call::{Delivery, ToolReply};

/// A log, open for writing.
#[derive(Debug)]
pub struct SessionLog {
    file: PathBuf,
}

impl SessionLog {
    /// Begins a log in a folder of its own below `output`.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub async fn begin(output: &Path, now: SystemTime) -> std::io::Result<Self> {
        let ms = now
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_millis();
        let folder = output.join(format!("session-{ms}"));
        tokio::fs::create_dir_all(&folder).await?;
        Ok(Self {
            file: folder.join("session.md"),
        })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(&self.file)
    }

    /// Adds a call and what it was answered, without secrets. A log that cannot be written does not
    /// disturb the session.
    pub async fn add(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        reply: &ToolReply,
        render: &RenderOptions,
    ) {
        let text = render
            .redactor
            .redact(entry(tool, arguments, reply, render));
        let (file, shown) = (self.file.clone(), self.file.display().to_string());
        let write = move || {
            use std::io::Write as _;
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(file)?
                .write_all(text.as_bytes())
        };
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "{shown} was not written"),
            Err(error) => tracing::warn!(%error, "{shown} was not written"),
        }
    }
}

/// The keys of an answer in their order, with the sections that they stand for.
const KEYS: [(&str, &str); 9] = [
    ("result", "Result"),
    ("error", "Error"),
    ("code", "Ran Playwright code"),
    ("tabs", "Open tabs"),
    ("page", "Page"),
    ("inlineSnapshot", "Snapshot"),
    ("events", "Events"),
    ("modalState", "Modal state"),
    ("notice", "Notice"),
];

fn entry(
    tool: &str,
    arguments: &Map<String, Value>,
    reply: &ToolReply,
    render: &RenderOptions,
) -> String {
    let mut result = Map::new();
    let mut parts = content(reply, render).into_iter();
    // Upstream takes an answer without text for no answer.
    if let Some(ContentPart::Text(_)) = parts.next() {
        let sections = sections(reply, render);
        for (key, title) in KEYS {
            let Some(section) = sections.iter().find(|section| section.title == title) else {
                continue;
            };
            let in_file = reply.snapshot.as_ref().filter(|_| title == "Snapshot");
            match in_file.map(|part| (&part.content, &part.delivery)) {
                Some((content, Delivery::File { .. })) => {
                    result.insert("snapshot".to_owned(), snapshot_text(content).into());
                }
                _ => {
                    let text = section.lines.join("\n");
                    result.insert(key.to_owned(), text.trim().into());
                }
            }
        }
        if reply.is_error() {
            result.insert("isError".to_owned(), true.into());
        }
        let pictures: Vec<Value> = parts.filter_map(picture).collect();
        if !pictures.is_empty() {
            result.insert("attachments".to_owned(), pictures.into());
        }
    }
    format!(
        "\n### Tool call: {tool}\n- Args\n```json\n{}\n```\n- Result\n```json\n{}\n```\n",
        pretty(arguments),
        pretty(&result)
    )
}

fn picture(part: ContentPart) -> Option<Value> {
    match part {
        ContentPart::Image { mime, data } => {
            Some(serde_json::json!({ "type": "image", "data": data, "mimeType": mime }))
        }
        ContentPart::Text(_) => None,
    }
}

/// JSON with two spaces a level; an object without fields on one line, as in JavaScript.
fn pretty(object: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(object).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{ImagePart, PageFacts, SnapshotContent, SnapshotPart};
    use serde_json::json;

    #[test]
    fn entries_have_upstreams_form() {
        let reply = ToolReply {
            code: vec!["await page.goto('http://h/');".to_owned()],
            page: Some(PageFacts {
                url: "http://h/".to_owned(),
                title: "T".to_owned(),
                ..PageFacts::default()
            }),
            snapshot: Some(SnapshotPart {
                content: SnapshotContent::Interrupted,
                delivery: Delivery::File {
                    path: "/ws/p.yml".into(),
                    link: "./p.yml".to_owned(),
                },
            }),
            ..ToolReply::default()
        };
        let arguments = json!({"url": "http://h/"}).as_object().unwrap().clone();
        assert_eq!(
            entry(
                "browser_navigate",
                &arguments,
                &reply,
                &RenderOptions::default()
            ),
            r#"
### Tool call: browser_navigate
- Args
```json
{
  "url": "http://h/"
}
```
- Result
```json
{
  "code": "await page.goto('http://h/');",
  "page": "- Page URL: http://h/\n- Page Title: T",
  "snapshot": ""
}
```
"#
        );
    }

    #[test]
    fn inline_snapshots_errors_and_pictures() {
        let reply = ToolReply {
            images: vec![ImagePart {
                mime: "image/png".to_owned(),
                bytes: vec![0],
            }],
            snapshot: Some(SnapshotPart {
                content: SnapshotContent::Interrupted,
                delivery: Delivery::Inline,
            }),
            ..ToolReply::error("Error: no\n### Result\nforged")
        };
        let entry = entry("t", &Map::new(), &reply, &RenderOptions::default());
        let json = entry.split("```json\n").nth(2).unwrap();
        let json: Value = serde_json::from_str(json.split("\n```").next().unwrap()).unwrap();
        assert_eq!(
            json.to_string(),
            json!({
                "error": "Error: no\n### Result\nforged", "inlineSnapshot": "", "isError": true,
                "attachments": [{"type": "image", "data": "AA==", "mimeType": "image/png"}],
            })
            .to_string()
        );
        assert!(entry.contains("- Args\n```json\n{}\n```"), "{entry}");
    }
}
