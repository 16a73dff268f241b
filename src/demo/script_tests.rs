use std::collections::VecDeque;

use super::super::client::ServerInfo;
use super::super::terminal::Terminal;
use super::*;

/// Answers from a list, and checks what it is asked.
struct Fake {
    answers: VecDeque<(&'static str, Value, Reply, Duration)>,
}

impl Agent for Fake {
    async fn call(
        &mut self,
        tool: &str,
        arguments: Value,
    ) -> Result<(Reply, Duration), ClientError> {
        let (name, expected, reply, elapsed) = self.answers.pop_front().expect("one more call");
        assert_eq!((tool, &arguments), (name, &expected));
        Ok((reply, elapsed))
    }
}

fn text(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        ..Reply::default()
    }
}

fn error(message: &str) -> Reply {
    Reply {
        is_error: true,
        ..text(message)
    }
}

const BEFORE: &str = "\
### Page
- Page URL: http://127.0.0.1:1/
### Snapshot
```yaml
- main [ref=e2]:
  - heading \"Tea by post\" [level=1] [ref=e3]
  - generic [ref=e5]:
    - generic [ref=e6]:
      - text: Your name
      - textbox \"Your name\" [required] [ref=e8]
    - spinbutton \"Tins\" [ref=e19]: \"2\"
    - button \"Place order\" [ref=e20] [cursor=pointer]
  - status
```";

const AFTER: &str = "\
### Snapshot
```yaml
- main [ref=e2]:
  - status [ref=e21]: Thank you, Ada. 2 tins of Darjeeling will be $17.00.
```";

/// A server with which all goes well.
fn fake() -> Fake {
    let picture = Reply {
        text: "### Result\n- [Screenshot of viewport](../tmp/a.png)".to_owned(),
        images: vec![37_684],
        is_error: false,
    };
    let answers = [
        (
            "browser_navigate",
            json!({ "url": "http://127.0.0.1:1/" }),
            text("### Page\n- Page URL: http://127.0.0.1:1/\n- Page Title: Tea by post"),
            1_017,
        ),
        ("browser_snapshot", json!({}), text(BEFORE), 12),
        (
            "browser_type",
            json!({ "element": "Your name", "target": "e8", "text": "Ada" }),
            text("### Ran Playwright code\n```js\nawait page.fill('Ada');\n```"),
            30,
        ),
        (
            "browser_click",
            json!({ "element": "Place order", "target": "e20" }),
            text("### Ran Playwright code\n```js\nawait page.click();\n```"),
            105,
        ),
        (
            "browser_wait_for",
            json!({ "text": "Thank you, Ada." }),
            text("### Result\nWaited for Thank you, Ada."),
            4,
        ),
        ("browser_snapshot", json!({}), text(AFTER), 11),
        (
            "browser_console_messages",
            json!({ "level": "error" }),
            text("### Result\nTotal messages: 0 (Errors: 0, Warnings: 0)\n"),
            1,
        ),
        ("browser_take_screenshot", json!({}), picture, 80),
    ];
    Fake {
        answers: answers
            .into_iter()
            .map(|(tool, arguments, reply, ms)| (tool, arguments, reply, Duration::from_millis(ms)))
            .collect(),
    }
}

const TERMINAL: Terminal = Terminal {
    width: 80,
    color: false,
    unicode: true,
};

/// The whole transcript of a demo that goes well.
async fn transcript(terminal: Terminal) -> String {
    let mut out = Vec::new();
    let mut shown = Transcript::new(&mut out, terminal);
    let url = "http://127.0.0.1:1/";
    let server = ServerInfo {
        name: "playguard".to_owned(),
        version: "0.1.0".to_owned(),
    };
    let mut fake = fake();
    let written: Result<(), Trouble> = async {
        shown.title()?;
        shown.started(&server, 25, Duration::from_millis(23), url)?;
        let picture = play(&mut fake, &mut shown, url).await?;
        shown.picture(picture.as_deref())?;
        shown.snippet("/usr/bin/playguard", &["--headless".to_owned()])?;
        Ok(())
    }
    .await;
    written.expect("all goes well");
    assert!(fake.answers.is_empty());
    String::from_utf8(out).expect("only text is written")
}

#[tokio::test]
async fn a_whole_transcript() {
    let expected = r#"PlayGuard demo: an agent orders tea

Server  playguard 0.1.0 with 25 tools, ready in 23 ms
Page    http://127.0.0.1:1/ (this program, this machine only)

   what the agent does          tool                         ms  bytes tokens
1  Start a browser, open a page browser_navigate          1,017     66     17 ✓
     - Page Title: Tea by post
2  Read the page                browser_snapshot             12    349     88 ✓
     - main [ref=e2]:
       - heading "Tea by post" [level=1] [ref=e3]
       - generic [ref=e5]:
         - generic [ref=e6]:
           - text: Your name
           - textbox "Your name" [required] [ref=e8]
         - spinbutton "Tins" [ref=e19]: "2"
     (and 2 more lines)
3  Type "Ada" into e8           browser_type                 30     57     15 ✓
     await page.fill('Ada');
4  Press the button e20         browser_click               105     53     14 ✓
     await page.click();
5  Wait for the answer          browser_wait_for              4     37     10 ✓
6  Read the answer              browser_snapshot             11    116     29 ✓
     - status [ref=e21]: Thank you, Ada. 2 tins of Darjeeling will be $17.00.
7  Look for errors              browser_console_messages      1     54     14 ✓
     Total messages: 0 (Errors: 0, Warnings: 0)
8  Take a picture               browser_take_screenshot      80     51     13 ✓
     and an image of 38 kB, which models count by its pixels
   8 calls; a token is about 4 bytes of text              1,260    783    196

✓ The page says: "Thank you, Ada. 2 tins of Darjeeling will be $17.00."

The picture is kept here:
../tmp/a.png

To give your agent this browser, paste this into the configuration of your MCP
client:

{
  "mcpServers": {
    "playguard": { "command": "/usr/bin/playguard", "args": ["--headless"] }
  }
}
"#;
    assert_eq!(transcript(TERMINAL).await, expected);
}

#[tokio::test]
async fn every_terminal_gets_what_it_can_show() {
    let wide = transcript(Terminal {
        width: 200,
        ..TERMINAL
    });
    for line in wide.await.lines().take(30) {
        assert!(line.chars().count() < 80, "{line}");
    }
    let narrow = transcript(Terminal {
        width: 50,
        color: false,
        unicode: false,
    });
    let narrow = narrow.await;
    assert!(narrow.is_ascii());
    assert!(
        narrow
            .contains("4  Press the button e20\n   browser_click  105 ms, 53 bytes, 14 tokens +\n")
    );
    let color = transcript(Terminal {
        color: true,
        ..TERMINAL
    });
    assert!(color.await.contains("\u{1b}[32m✓\u{1b}[0m\n"));
}

/// What comes of it when one call has another reply.
async fn with(index: usize, reply: Reply) -> (Trouble, String) {
    let mut fake = fake();
    fake.answers[index].2 = reply;
    let mut out = Vec::new();
    let mut shown = Transcript::new(&mut out, TERMINAL);
    let played = play(&mut fake, &mut shown, "http://127.0.0.1:1/").await;
    let trouble = played.expect_err("must not go well");
    assert_eq!(trouble.exit_code(), 1);
    (
        trouble,
        String::from_utf8(out).expect("only text is written"),
    )
}

#[tokio::test]
async fn an_answer_that_is_wrong_is_found() {
    let wrong = AFTER.replace("17.00", "8.50");
    let (trouble, shown) = with(5, text(&wrong)).await;
    let Trouble::Wrong(message) = trouble else {
        panic!("{trouble:?}");
    };
    assert_eq!(
        message,
        "After the order the page should say \"Thank you, Ada. 2 tins of Darjeeling will be \
         $17.00.\". It says: - status [ref=e21]: Thank you, Ada. 2 tins of Darjeeling will be \
         $8.50."
    );
    assert!(!shown.contains("The page says"));
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_found() {
    let (trouble, _) = with(4, error("### Error\nTimeout 5000ms exceeded.")).await;
    let Trouble::Wrong(message) = trouble else {
        panic!("{trouble:?}");
    };
    assert!(message.ends_with("and does not.\nTimeout 5000ms exceeded."));
    // That the tool says the text is there is not enough.
    let (trouble, _) = with(5, text(BEFORE)).await;
    let Trouble::Wrong(message) = trouble else {
        panic!("{trouble:?}");
    };
    assert!(message.ends_with("The snapshot has nothing of it."));
}

#[tokio::test]
async fn a_call_that_fails_is_told_in_the_servers_words() {
    let (trouble, shown) = with(0, error("### Error\nError: no browser\n\nCall log")).await;
    let Trouble::Failed(message) = trouble else {
        panic!("{trouble:?}");
    };
    assert_eq!(
        message,
        "browser_navigate failed:\nError: no browser\nCall log"
    );
    assert!(shown.trim_end().ends_with('✗'));
}

#[tokio::test]
async fn a_snapshot_without_the_form_is_found() {
    let (trouble, _) = with(1, text("### Snapshot\n```yaml\n- main\n```")).await;
    let Trouble::Wrong(message) = trouble else {
        panic!("{trouble:?}");
    };
    assert_eq!(message, "The snapshot shows no textbox \"Your name\".");
}

#[test]
fn targets_are_taken_from_the_tree() {
    let tree = [
        "- textbox \"Your name or not\" [ref=e1]",
        "  - textbox \"Your name\"",
        "    - textbox \"Your name\" [required] [ref=f1e7] [cursor=pointer]: Ada",
    ];
    assert_eq!(
        target(&tree, "textbox", "Your name").expect("the third"),
        "f1e7"
    );
    assert!(target(&tree, "button", "Your name").is_err());
    assert!(target(&["- button \"Go\" [ref=e1"], "button", "Go").is_err());
}

#[test]
fn trees_end_where_their_fence_does() {
    assert_eq!(tree("a\n```yaml\n- b\n  - c\n```\n- d"), ["- b", "  - c"]);
    assert_eq!(tree("```yaml\n- b"), ["- b"]);
    assert!(tree("no tree").is_empty());
}

#[test]
fn links_are_found() {
    let reply = "### Result\n- [Screenshot of page](./a (1).png)\nmore";
    assert_eq!(link(reply), Some("./a (1).png"));
    assert_eq!(link("- [half](a"), None);
}

/// The page brings along what the script relies on.
#[test]
fn the_page_offers_what_is_ordered() {
    use super::super::PAGE;
    assert!(PAGE.contains("value=\"Darjeeling\" data-cents=\"850\" checked"));
    assert!(PAGE.contains("id=\"tins\" type=\"number\" min=\"1\" max=\"99\" value=\"2\""));
    // It works out the sum itself: the answer stands nowhere in it.
    assert!(!PAGE.contains("17.00"));
}
