use super::*;

#[test]
fn flags_are_recognized_in_both_spellings() {
    let args = |args: &[&str]| -> Vec<String> { args.iter().map(|&arg| arg.to_owned()).collect() };
    assert!(given(&args(&["a", "--output-dir", "x"]), &["--output-dir"]));
    assert!(given(&args(&["--output-dir=x"]), &["--output-dir"]));
    assert!(!given(&args(&["--output-directory"]), &["--output-dir"]));
    assert_eq!(window(&args(&["--headed"])), None);
    assert_eq!(window(&args(&["--headless"])), None);
    assert_eq!(window(&[]).as_deref(), Some("--headless"));
}

#[test]
fn the_server_gets_what_the_demo_needs() {
    let demo = |extra_args: &[String]| -> Vec<String> {
        let demo = Demo {
            program: Path::new("playguard"),
            extra_args,
            limits: Limits::default(),
        };
        let command = demo.command(Some(Path::new("/tmp/x")));
        let args = command.as_std().get_args();
        args.map(|arg| arg.to_string_lossy().into_owned()).collect()
    };
    assert_eq!(
        demo(&["--stock".to_owned()]),
        [
            "--stock",
            "--headless",
            "--output-dir",
            "/tmp/x",
            "--isolated"
        ]
    );
    let own = ["--headed".to_owned(), "--user-data-dir=/tmp/p".to_owned()];
    assert_eq!(
        demo(&own),
        [
            "--headed",
            "--user-data-dir=/tmp/p",
            "--output-dir",
            "/tmp/x"
        ]
    );
}

/// Whole runs, with shell scripts in place of the server.
#[cfg(unix)]
mod whole {
    use std::time::Duration;

    use super::*;

    const TERMINAL: Terminal = Terminal {
        width: 80,
        color: false,
        unicode: true,
    };
    const LIMITS: Limits = Limits {
        answer: Duration::from_secs(20),
        exit: Duration::from_secs(20),
    };

    /// Plays all the server's part. `$1` to `$4` are what the demo adds:
    /// `--headless --output-dir FOLDER --isolated`.
    const GOOD: &str = r#"
        id=0
        reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
        text() { reply '{"content":[{"type":"text","text":"'"$1"'"}]}'; }
        while IFS= read -r line; do
            case $line in *'"id":'*) id=$((id + 1));; esac
            case $line in
                *'"method":"initialize"'*) reply '{"serverInfo":{"name":"fake","version":"1"}}';;
                *notifications/*) ;;
                *tools/list*) reply '{"tools":[{"name":"browser_navigate"},
                    {"name":"browser_snapshot"},{"name":"browser_type"},
                    {"name":"browser_click"},{"name":"browser_wait_for"},
                    {"name":"browser_console_messages"},
                    {"name":"browser_take_screenshot"}]}' | tr -d '\n'; echo;;
                *browser_snapshot*)
                    text '```yaml\n- textbox \"Your name\" [ref=e1]\n- button \"Place order\" [ref=e2]\n- status: Thank you, Ada. 2 tins of Darjeeling will be $17.00.\n```';;
                *browser_take_screenshot*)
                    mkdir "$3/sub"; echo picture >"$3/sub/a.png"; echo tree >"$3/a.yml"
                    text "- [Screenshot](PICTURE)";;
                *) text fine;;
            esac
        done
        END
    "#;

    async fn run(script: &str, limits: Limits) -> (u8, String) {
        let extra_args = ["-c", script, "fake"].map(str::to_owned);
        let demo = Demo {
            program: Path::new("/bin/sh"),
            extra_args: &extra_args,
            limits,
        };
        let mut out = Vec::new();
        let mut shown = Transcript::new(&mut out, TERMINAL);
        let code = demo.run(async |_: &mut dyn Write| Ok(()), &mut shown);
        let code = code.await;
        (code, String::from_utf8(out).expect("only text is written"))
    }

    fn good(picture: &str, end: &str) -> String {
        GOOD.replace("PICTURE", picture).replace("END", end)
    }

    #[tokio::test]
    async fn the_picture_is_kept_and_the_snippet_printed() {
        let (code, text) = run(&good("$3/sub/a.png", ""), LIMITS).await;
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("\nServer  fake 1 with 7 tools, ready in "));
        assert!(text.contains("\n✓ The page says: "));
        let (_, rest) = text.split_once("kept here:\n").expect("a picture");
        let (picture, rest) = rest.split_once('\n').expect("and more");
        let picture = Path::new(picture);
        assert_eq!(std::fs::read(picture).expect("it is there"), b"picture\n");
        let folder = picture.parent().expect("a folder");
        assert_eq!(std::fs::read_dir(folder).expect("readable").count(), 1);
        std::fs::remove_dir_all(folder).expect("removed");

        let (_, json) = rest.split_once("\n{\n").expect("a snippet");
        let json: serde_json::Value = serde_json::from_str(&format!("{{{json}")).expect("JSON");
        let entry = &json["mcpServers"]["playguard"];
        assert_eq!(entry["command"], "/bin/sh");
        assert_eq!(entry["args"][3], "--headless");
        assert_eq!(entry["args"].as_array().map(Vec::len), Some(4));
    }

    #[tokio::test]
    async fn a_picture_that_is_not_there_is_found() {
        let (code, text) = run(&good("$3/b.png", ""), LIMITS).await;
        assert_eq!(code, 1);
        assert!(text.contains("\n✗ The picture is not at "), "{text}");
    }

    #[tokio::test]
    async fn a_server_that_does_not_end_well_is_found() {
        let end = "echo 'I forgot my browser' >&2; exit 7";
        let (code, text) = run(&good("$3/sub/a.png", end), LIMITS).await;
        assert_eq!(code, 1);
        let end = "\
✗ The server did not end well (exit status: 7).
  The server's last words on standard error:
     I forgot my browser
  \"playguard doctor\" looks for the reason.
";
        assert!(text.ends_with(end), "{text}");
    }

    #[tokio::test]
    async fn a_server_that_hangs_is_stopped_and_told_about() {
        let limits = Limits {
            answer: Duration::from_secs(1),
            exit: Duration::from_millis(300),
        };
        let (code, text) = run("echo $3 >&2; exec sleep 30", limits).await;
        assert_eq!(code, 1);
        assert!(text.contains("\n✗ The server did not answer initialize within 1 s.\n"));
        let folder = text
            .lines()
            .find(|line| line.contains("playguard-demo-"))
            .expect("its last words");
        assert!(!Path::new(folder.trim()).exists());
    }

    #[tokio::test]
    async fn a_server_without_the_tools_is_refused() {
        let script = r#"
            read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'
            read -r line; read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'
            cat >/dev/null
        "#;
        let (code, text) = run(script, LIMITS).await;
        assert_eq!(code, 1);
        assert!(text.contains("✗ The server has no tool browser_navigate, which the demo needs."));
    }

    #[tokio::test]
    async fn without_a_browser_nothing_is_started() {
        let demo = Demo {
            program: Path::new("/nowhere"),
            extra_args: &[],
            limits: LIMITS,
        };
        let mut out = Vec::new();
        let mut shown = Transcript::new(&mut out, TERMINAL);
        let hook = async |out: &mut dyn Write| {
            let _ = out.write_all(b"Looking for a browser\n");
            Err("Nobody could download one.".to_owned())
        };
        let code = demo.run(hook, &mut shown).await;
        let text = String::from_utf8(out).expect("only text is written");
        assert_eq!(code, 1);
        assert_eq!(
            text,
            "PlayGuard demo: an agent orders tea\n\n\
             Looking for a browser\n\n\
             ✗ There is no browser to drive. Nobody could download one.\n  \
               \"playguard doctor\" looks for the reason.\n"
        );
    }

    /// A reader that goes away after the first line.
    struct Deaf(usize);

    impl Write for Deaf {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0 == 0 {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            self.0 -= 1;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_reader_that_leaves_ends_the_demo() {
        let script = good("$3/sub/a.png", "");
        let args = ["-c", &script, "fake"].map(str::to_owned);
        let mut out = Deaf(6);
        let hook = async |_: &mut dyn Write| Ok(());
        let code = super::super::run(Path::new("/bin/sh"), &args, hook, &mut out, TERMINAL);
        assert_eq!(code.await, 1);
    }
}
