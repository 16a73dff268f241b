//! The text of a reply: headed sections in a fixed order, joined by single newlines, no blank line
//! between them and none at the end.

use std::sync::Arc;

use playguard_cdp::aria;

use super::form::{self, Form};
use super::redact::Redactor;
use crate::call::{Delivery, PageFacts, SnapshotContent, SnapshotPart, TabLine, ToolReply};
use crate::config::ImageResponses;

/// What the tab list says when there are no tabs. It is also the whole result of closing the page.
pub const NO_OPEN_TABS: &str = "No open tabs. Navigate to a URL to create one.";

/// How replies are printed. One value per server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// Info string of the code fence (`js`, `python`, `java`, `csharp`). `None` leaves the code
    /// section out. Default: `js`.
    pub code_fence: Option<&'static str>,
    /// What becomes of pictures. Default: they follow the text.
    pub images: ImageResponses,
    /// How the text is written. Default: sections under headings.
    pub form: Form,
    /// What hides secrets. Default: there are none.
    pub redactor: Arc<Redactor>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            code_fence: Some("js"),
            images: ImageResponses::default(),
            form: Form::default(),
            redactor: Arc::default(),
        }
    }
}

/// One headed part of a reply's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What stands after `### `.
    pub title: &'static str,
    /// The info string of the fence around the lines, if there is one.
    pub fence: Option<&'static str>,
    /// The lines; each may hold several. Never empty.
    pub lines: Vec<String>,
}

/// The text of a reply. Empty when no section has anything to say.
///
/// Snapshots that go to a file appear as a link; writing the file is the work of
/// [`deliver`](super::deliver).
pub fn text(reply: &ToolReply, options: &RenderOptions) -> String {
    match options.form {
        Form::Text => {}
        Form::Raw => return form::raw(reply, options),
        Form::Json => return form::object(reply, options),
    }
    let mut text = String::new();
    for section in sections(reply, options) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("### ");
        text.push_str(section.title);
        if let Some(fence) = section.fence {
            text.push_str("\n```");
            text.push_str(fence);
        }
        for line in &section.lines {
            text.push('\n');
            text.push_str(line);
        }
        if section.fence.is_some() {
            text.push_str("\n```");
        }
    }
    if reply.thrown.is_some() && options.redactor.spares_exceptions() {
        return text;
    }
    options.redactor.redact(text)
}

/// The sections of a reply in their order, with secrets still in them.
pub fn sections(reply: &ToolReply, options: &RenderOptions) -> Vec<Section> {
    let mut page = Sections::default();
    if let Some(thrown) = &reply.thrown {
        page.plain("Error", vec![thrown.clone()]);
        return page.0;
    }
    page.plain("Error", reply.errors.clone());
    page.plain("Result", reply.results.clone());
    if let Some(fence) = options.code_fence {
        page.fenced("Ran Playwright code", fence, reply.code.clone());
    }
    if let Some(tabs) = &reply.tabs
        && tabs.len() != 1
    {
        page.plain("Open tabs", tab_lines(tabs));
    }
    if let Some(facts) = &reply.page {
        page.plain("Page", page_lines(facts));
    }
    let modals = reply.modals.iter().map(|modal| {
        format!(
            "- [{}]: can be handled by {}",
            modal.description, modal.cleared_by
        )
    });
    page.plain("Modal state", modals.collect());
    match &reply.snapshot {
        Some(SnapshotPart {
            delivery: Delivery::File { link, .. },
            ..
        }) => {
            page.plain("Snapshot", vec![format!("- [Snapshot]({link})")]);
        }
        Some(SnapshotPart {
            delivery: Delivery::Inline,
            content,
        }) => {
            page.fenced("Snapshot", "yaml", vec![snapshot_text(content)]);
        }
        None => {}
    }
    page.plain("Events", dashed(&reply.events));
    page.plain("Notice", dashed(&reply.notices));
    page.0
}

/// The text of a snapshot as it stands in a file or between fences; it never ends with a newline.
pub fn snapshot_text(content: &SnapshotContent) -> String {
    match content {
        SnapshotContent::Interrupted => String::new(),
        SnapshotContent::Tree(tree) => aria::render(tree),
    }
}

/// The tab list, one line per tab, or the one line that says there is none.
pub fn tab_lines(tabs: &[TabLine]) -> Vec<String> {
    if tabs.is_empty() {
        return vec![NO_OPEN_TABS.to_owned()];
    }
    tabs.iter()
        .enumerate()
        .map(|(index, tab)| {
            let current = if tab.current { " (current)" } else { "" };
            let crashed = if tab.crashed { " [crashed]" } else { "" };
            format!("- {index}:{current} [{}]({}){crashed}", tab.title, tab.url)
        })
        .collect()
}

fn page_lines(page: &PageFacts) -> Vec<String> {
    let mut lines = vec![format!("- Page URL: {}", page.url)];
    if !page.title.is_empty() {
        lines.push(format!("- Page Title: {}", page.title));
    }
    if page.crashed {
        lines.push("- Page status: crashed".to_owned());
    }
    match &page.http_status {
        Some((code, reason)) if !(200..300).contains(code) => {
            let gap = if reason.is_empty() { "" } else { " " };
            lines.push(format!("- HTTP status: {code}{gap}{reason}"));
        }
        _ => {}
    }
    match page.page_tools {
        0 => {}
        1 => lines.push("- 1 webmcp tool available on the page".to_owned()),
        n => lines.push(format!("- {n} webmcp tools available on the page")),
    }
    let console = page.console;
    if console.errors > 0 || console.warnings > 0 {
        lines.push(format!(
            "- Console: {} errors, {} warnings",
            console.errors, console.warnings
        ));
    }
    lines
}

fn dashed(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| format!("- {line}")).collect()
}

/// Sections under construction.
#[derive(Default)]
struct Sections(Vec<Section>);

impl Sections {
    fn plain(&mut self, title: &'static str, lines: Vec<String>) {
        self.add(title, None, lines);
    }

    fn fenced(&mut self, title: &'static str, fence: &'static str, lines: Vec<String>) {
        self.add(title, Some(fence), lines);
    }

    fn add(&mut self, title: &'static str, fence: Option<&'static str>, lines: Vec<String>) {
        if !lines.is_empty() {
            self.0.push(Section {
                title,
                fence,
                lines,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{ConsoleCounts, ModalLine};
    use playguard_cdp::aria::{AriaNode, AriaTree, Child};

    fn printed(reply: &ToolReply) -> String {
        text(reply, &RenderOptions::default())
    }

    fn file_snapshot() -> Option<SnapshotPart> {
        Some(SnapshotPart {
            content: SnapshotContent::Interrupted,
            delivery: Delivery::File {
                path: "/ws/.playwright-mcp/page-1.yml".into(),
                link: ".playwright-mcp/page-1.yml".to_owned(),
            },
        })
    }

    #[test]
    fn first_navigation() {
        let reply = ToolReply {
            code: vec!["await page.goto('http://localhost:40691');".to_owned()],
            tabs: Some(vec![TabLine {
                current: true,
                ..TabLine::default()
            }]),
            page: Some(PageFacts {
                url: "http://localhost:40691/".to_owned(),
                title: "T".to_owned(),
                http_status: Some((200, "OK".to_owned())),
                ..PageFacts::default()
            }),
            snapshot: file_snapshot(),
            ..ToolReply::default()
        };
        assert_eq!(
            printed(&reply),
            "### Ran Playwright code\n```js\nawait page.goto('http://localhost:40691');\n```\n\
             ### Page\n- Page URL: http://localhost:40691/\n- Page Title: T\n\
             ### Snapshot\n- [Snapshot](.playwright-mcp/page-1.yml)"
        );
        assert!(!reply.is_error());
    }

    #[test]
    fn every_section_in_order() {
        let reply = ToolReply {
            errors: vec!["Error: one".to_owned(), "two\nlines".to_owned()],
            results: vec!["r".to_owned()],
            code: vec!["a();".to_owned(), "b();".to_owned()],
            tabs: Some(vec![
                TabLine {
                    title: "T".to_owned(),
                    url: "http://a/".to_owned(),
                    current: true,
                    crashed: false,
                },
                TabLine {
                    title: String::new(),
                    url: "http://b/".to_owned(),
                    current: false,
                    crashed: true,
                },
            ]),
            page: Some(PageFacts {
                url: "http://a/locked".to_owned(),
                title: "L".to_owned(),
                crashed: true,
                http_status: Some((402, "Payment Required".to_owned())),
                page_tools: 2,
                console: ConsoleCounts {
                    errors: 1,
                    warnings: 0,
                },
            }),
            modals: vec![
                ModalLine {
                    description: "\"alert\" dialog with message \"Alert\"".to_owned(),
                    cleared_by: "browser_handle_dialog".to_owned(),
                },
                ModalLine {
                    description: "File chooser".to_owned(),
                    cleared_by: "browser_file_upload".to_owned(),
                },
            ],
            snapshot: Some(SnapshotPart {
                content: SnapshotContent::Interrupted,
                delivery: Delivery::Inline,
            }),
            events: vec![
                "New console entries: .playwright-mcp/console-1.log#L1-L2".to_owned(),
                "Downloading file srv name.txt ...".to_owned(),
            ],
            notices: vec!["The page asked for a download.".to_owned()],
            ..ToolReply::default()
        };
        assert_eq!(
            printed(&reply),
            r#"### Error
Error: one
two
lines
### Result
r
### Ran Playwright code
```js
a();
b();
```
### Open tabs
- 0: (current) [T](http://a/)
- 1: [](http://b/) [crashed]
### Page
- Page URL: http://a/locked
- Page Title: L
- Page status: crashed
- HTTP status: 402 Payment Required
- 2 webmcp tools available on the page
- Console: 1 errors, 0 warnings
### Modal state
- ["alert" dialog with message "Alert"]: can be handled by browser_handle_dialog
- [File chooser]: can be handled by browser_file_upload
### Snapshot
```yaml

```
### Events
- New console entries: .playwright-mcp/console-1.log#L1-L2
- Downloading file srv name.txt ...
### Notice
- The page asked for a download."#
        );
        assert!(reply.is_error());
    }

    #[test]
    fn an_inline_snapshot_is_fenced() {
        let mut tree = AriaTree::default();
        let button = tree.push(AriaNode {
            role: "button".into(),
            name: "Go".into(),
            ..AriaNode::default()
        });
        tree.roots.push(Child::Node(button));
        let reply = ToolReply {
            snapshot: Some(SnapshotPart {
                content: SnapshotContent::Tree(Arc::new(tree)),
                delivery: Delivery::Inline,
            }),
            ..ToolReply::default()
        };
        assert_eq!(
            printed(&reply),
            "### Snapshot\n```yaml\n- button \"Go\"\n```"
        );
    }

    #[test]
    fn thrown_errors_stand_alone() {
        let reply = ToolReply {
            results: vec!["lost".to_owned()],
            ..ToolReply::thrown("Error: Tab 3 not found")
        };
        assert_eq!(printed(&reply), "### Error\nError: Tab 3 not found");
        assert!(reply.is_error());
    }

    #[test]
    fn nothing_to_say_is_empty_text() {
        assert_eq!(printed(&ToolReply::default()), "");
    }

    #[test]
    fn no_tabs_is_one_line() {
        let reply = ToolReply {
            tabs: Some(Vec::new()),
            ..ToolReply::default()
        };
        assert_eq!(
            printed(&reply),
            "### Open tabs\nNo open tabs. Navigate to a URL to create one."
        );
    }

    #[test]
    fn blank_first_tab() {
        let tab = TabLine {
            url: "about:blank".to_owned(),
            current: true,
            ..TabLine::default()
        };
        assert_eq!(tab_lines(&[tab]), ["- 0: (current) [](about:blank)"]);
    }

    #[test]
    fn page_lines_leave_out_what_is_normal() {
        let mut page = PageFacts {
            url: "about:blank".to_owned(),
            ..PageFacts::default()
        };
        assert_eq!(page_lines(&page), ["- Page URL: about:blank"]);
        page.http_status = Some((304, String::new()));
        page.page_tools = 1;
        page.console.warnings = 3;
        assert_eq!(
            page_lines(&page)[1..],
            [
                "- HTTP status: 304",
                "- 1 webmcp tool available on the page",
                "- Console: 0 errors, 3 warnings"
            ]
        );
    }

    #[test]
    fn code_follows_the_language() {
        let reply = ToolReply {
            code: vec!["page.goto(\"u\")".to_owned()],
            ..ToolReply::default()
        };
        let python = RenderOptions {
            code_fence: Some("python"),
            ..RenderOptions::default()
        };
        assert_eq!(
            text(&reply, &python),
            "### Ran Playwright code\n```python\npage.goto(\"u\")\n```"
        );
        let none = RenderOptions {
            code_fence: None,
            ..RenderOptions::default()
        };
        assert_eq!(text(&reply, &none), "");
    }
}
