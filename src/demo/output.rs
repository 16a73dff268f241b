//! The transcript: one line per call, with time and size, and what matters of
//! the reply below it.

use std::io::{self, Write};
use std::time::Duration;

use super::client::{Reply, ServerInfo};
use super::snippet::snippet;
use super::terminal::Terminal;

/// Columns of what the agent does.
const DEED: usize = 29;
/// Columns of the tool, one more than the longest name that is used.
const TOOL: usize = 24;
/// Columns of time, and of each size.
const NUMBER: usize = 7;
/// Below this width each call has two lines.
const FULL_WIDTH: usize = 80;
/// Columns before what a reply says.
const INDENT: usize = 5;
/// Bytes of text per token, roughly. What it really is depends on the model.
const BYTES_PER_TOKEN: usize = 4;

/// How a piece of text looks on a terminal that has colours.
#[derive(Clone, Copy)]
enum Style {
    Plain,
    Bold,
    Faint,
    Good,
    Bad,
}

/// Writes the transcript, and counts along.
pub(super) struct Transcript<'a> {
    out: &'a mut dyn Write,
    terminal: Terminal,
    calls: usize,
    time: Duration,
    bytes: usize,
    /// Whether the line of a call is still open.
    open: bool,
}

impl<'a> Transcript<'a> {
    pub(super) fn new(out: &'a mut dyn Write, terminal: Terminal) -> Self {
        Transcript {
            out,
            terminal,
            calls: 0,
            time: Duration::ZERO,
            bytes: 0,
            open: false,
        }
    }

    /// For those who have their own to say.
    pub(super) fn raw(&mut self) -> &mut dyn Write {
        self.out
    }

    /// What this is.
    pub(super) fn title(&mut self) -> io::Result<()> {
        self.styled(Style::Bold, "PlayGuard demo: an agent orders tea")?;
        self.out.write_all(b"\n\n")?;
        self.out.flush()
    }

    /// Who takes part, and the heading of the calls.
    pub(super) fn started(
        &mut self,
        server: &ServerInfo,
        tools: usize,
        elapsed: Duration,
        url: &str,
    ) -> io::Result<()> {
        let ServerInfo { name, version } = server;
        let server = format!(
            "{name} {version} with {tools} tools, ready in {} ms",
            thousands(millis(elapsed))
        );
        self.fact("Server", &server)?;
        self.fact("Page", &format!("{url} (this program, this machine only)"))?;
        self.out.write_all(b"\n")?;
        if self.terminal.width >= FULL_WIDTH {
            let (deed, tool) = ("what the agent does", "tool");
            let (ms, bytes, tokens) = ("ms", "bytes", "tokens");
            let heading = format!(
                "   {deed:DEED$}{tool:TOOL$}{ms:>NUMBER$}{bytes:>NUMBER$}{tokens:>NUMBER$}"
            );
            self.styled(Style::Faint, &heading)?;
            self.out.write_all(b"\n")?;
        }
        self.out.flush()
    }

    /// A call that is about to be made.
    pub(super) fn call(&mut self, deed: &str, tool: &str) -> io::Result<()> {
        self.calls += 1;
        let number = self.calls;
        self.open = true;
        if self.terminal.width >= FULL_WIDTH {
            write!(self.out, "{number:<3}{deed:DEED$}")?;
            self.styled(Style::Faint, &format!("{tool:TOOL$}"))?;
        } else {
            write!(self.out, "{number:<3}{deed}\n   ")?;
            self.styled(Style::Faint, tool)?;
            self.out.write_all(b"  ")?;
        }
        self.out.flush()
    }

    /// Its reply.
    pub(super) fn reply(&mut self, reply: &Reply, elapsed: Duration) -> io::Result<()> {
        self.open = false;
        self.time += elapsed;
        self.bytes += reply.text.len();
        self.numbers(elapsed, reply.text.len())?;
        self.out.write_all(b" ")?;
        self.mark(!reply.is_error)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    /// Some lines of a reply, as they are.
    pub(super) fn excerpt<'t>(&mut self, lines: impl Iterator<Item = &'t str>) -> io::Result<()> {
        for line in lines {
            let room = self.terminal.width.saturating_sub(INDENT);
            let line = format!("{:INDENT$}{}", "", self.cut(&self.clean(line), room));
            self.styled(Style::Faint, &line)?;
            self.out.write_all(b"\n")?;
        }
        self.out.flush()
    }

    /// Something about a reply, in words of our own.
    pub(super) fn remark(&mut self, text: &str) -> io::Result<()> {
        self.paragraph(Style::Faint, INDENT, text)
    }

    /// The sums.
    pub(super) fn total(&mut self) -> io::Result<()> {
        let calls = format!(
            "{} calls; a token is about {BYTES_PER_TOKEN} bytes of text",
            self.calls
        );
        if self.terminal.width >= FULL_WIDTH {
            write!(self.out, "   {calls:0$}", DEED + TOOL)?;
        } else {
            write!(self.out, "   {calls}  ")?;
        }
        self.numbers(self.time, self.bytes)?;
        self.out.write_all(b"\n\n")
    }

    /// What was proved.
    pub(super) fn proof(&mut self, text: &str) -> io::Result<()> {
        self.marked(true, text)
    }

    /// Where the picture is, if it was kept.
    pub(super) fn picture(&mut self, path: Option<&str>) -> io::Result<()> {
        match path {
            // On a line of its own and whole, for copying.
            Some(path) => writeln!(
                self.out,
                "\nThe picture is kept here:\n{}",
                self.clean(path)
            ),
            None => Ok(()),
        }
    }

    /// What to paste, and where.
    pub(super) fn snippet(&mut self, program: &str, args: &[String]) -> io::Result<()> {
        let text = "To give your agent this browser, paste this into the \
                    configuration of your MCP client:";
        self.out.write_all(b"\n")?;
        self.paragraph(Style::Plain, 0, text)?;
        let json = snippet(program, args, self.terminal.width, !self.terminal.unicode);
        write!(self.out, "\n{json}")?;
        self.out.flush()
    }

    /// What went wrong, what the server said last, and what to do.
    pub(super) fn trouble(
        &mut self,
        message: &str,
        last_words: &str,
        remedy: &str,
    ) -> io::Result<()> {
        self.end_line()?;
        self.out.write_all(b"\n")?;
        self.marked(false, message)?;
        if !last_words.is_empty() {
            self.paragraph(
                Style::Plain,
                2,
                "The server's last words on standard error:",
            )?;
            for line in last_words.lines() {
                let line = format!("{:INDENT$}{}", "", self.clean(line));
                self.styled(Style::Faint, &line)?;
                self.out.write_all(b"\n")?;
            }
        }
        if !remedy.is_empty() {
            self.paragraph(Style::Plain, 2, remedy)?;
        }
        self.out.flush()
    }

    /// Ends the line of a call that will have no reply.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open) {
            self.out.write_all(b"\n")?;
        }
        self.out.flush()
    }

    fn fact(&mut self, name: &str, text: &str) -> io::Result<()> {
        let text = self.clean(text);
        self.styled(Style::Faint, &format!("{name:8}"))?;
        writeln!(self.out, "{text}")
    }

    fn numbers(&mut self, time: Duration, bytes: usize) -> io::Result<()> {
        let time = thousands(millis(time));
        let tokens = thousands(bytes.div_ceil(BYTES_PER_TOKEN));
        let bytes = thousands(bytes);
        if self.terminal.width >= FULL_WIDTH {
            write!(self.out, "{time:>NUMBER$}{bytes:>NUMBER$}{tokens:>NUMBER$}")
        } else {
            write!(self.out, "{time} ms, {bytes} bytes, {tokens} tokens")
        }
    }

    fn mark(&mut self, good: bool) -> io::Result<()> {
        let (style, unicode, ascii) = if good {
            (Style::Good, "✓", "+")
        } else {
            (Style::Bad, "✗", "x")
        };
        self.styled(
            style,
            if self.terminal.unicode {
                unicode
            } else {
                ascii
            },
        )
    }

    /// A mark, and text beside it.
    fn marked(&mut self, good: bool, text: &str) -> io::Result<()> {
        self.mark(good)?;
        self.lines(Style::Plain, 1, 2, text)
    }

    /// Indented text, broken at spaces.
    fn paragraph(&mut self, style: Style, indent: usize, text: &str) -> io::Result<()> {
        self.lines(style, indent, indent, text)
    }

    /// Text that fits into the terminal when indented by `indent`; only the
    /// first line is indented by `first`, for there is something before it.
    fn lines(&mut self, style: Style, first: usize, indent: usize, text: &str) -> io::Result<()> {
        let room = self.terminal.width.saturating_sub(indent);
        let text: Vec<String> = text.lines().map(|line| self.clean(line)).collect();
        let mut margin = first;
        for line in wrap(&text.join("\n"), room) {
            self.styled(style, &format!("{:margin$}{line}", ""))?;
            self.out.write_all(b"\n")?;
            margin = indent;
        }
        self.out.flush()
    }

    fn styled(&mut self, style: Style, text: &str) -> io::Result<()> {
        // SGR parameters of ECMA-48: 1 bold, 2 faint, 31 red, 32 green.
        let code = match style {
            Style::Bold => "1",
            Style::Faint => "2",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Plain => "",
        };
        if self.terminal.color && !code.is_empty() {
            write!(self.out, "\x1b[{code}m{text}\x1b[0m")
        } else {
            self.out.write_all(text.as_bytes())
        }
    }

    /// Text that comes from elsewhere, without what a terminal would obey or
    /// could not show.
    fn clean(&self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                c if c.is_control() => clean.push('?'),
                c if c.is_ascii() || self.terminal.unicode => clean.push(c),
                '“' | '”' => clean.push('"'),
                '‘' | '’' => clean.push('\''),
                '…' => clean.push_str("..."),
                _ => clean.push('?'),
            }
        }
        clean
    }

    fn cut(&self, text: &str, room: usize) -> String {
        if text.chars().count() <= room {
            return text.to_owned();
        }
        let more = if self.terminal.unicode { "…" } else { "..." };
        let kept = room.saturating_sub(more.chars().count());
        let mut cut: String = text.chars().take(kept).collect();
        cut.push_str(more);
        cut
    }
}

/// Breaks at spaces, and where the text has line breaks. A word that is too
/// long has a line of its own.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for source in text.lines() {
        let mut line = String::new();
        let mut columns = 0;
        for word in source.split_whitespace() {
            let length = word.chars().count();
            if columns > 0 && columns + 1 + length > room {
                lines.push(std::mem::take(&mut line));
                columns = 0;
            }
            if columns > 0 {
                line.push(' ');
                columns += 1;
            }
            line.push_str(word);
            columns += length;
        }
        lines.push(line);
    }
    lines
}

fn millis(time: Duration) -> usize {
    usize::try_from(time.as_millis()).unwrap_or(usize::MAX)
}

/// With a comma between groups of three.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (60_000, "60,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a\n\nb", 7), ["a", "", "b"]);
        assert_eq!(wrap("/a/very/long/path is", 7), ["/a/very/long/path", "is"]);
        assert_eq!(wrap("é é é é", 7), ["é é é é"]);
    }

    fn shown(terminal: Terminal, write: impl FnOnce(&mut Transcript) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut Transcript::new(&mut out, terminal)).expect("a vector takes everything");
        String::from_utf8(out).expect("only text is written")
    }

    const PLAIN: Terminal = Terminal {
        width: 80,
        color: false,
        unicode: true,
    };

    #[test]
    fn what_comes_from_elsewhere_cannot_steer_the_terminal() {
        let lines = ["a\u{1b}[31mb\u{9b}c"];
        let text = shown(PLAIN, |shown| shown.excerpt(lines.into_iter()));
        assert_eq!(text, "     a?[31mb?c\n");
        let text = shown(PLAIN, |shown| shown.trouble("m\u{7}", "w\u{1b}c", ""));
        assert!(!text.contains(['\u{7}', '\u{1b}']));
    }

    #[test]
    fn lines_of_replies_are_cut() {
        let long = "é".repeat(200);
        let text = shown(PLAIN, |shown| shown.excerpt(std::iter::once(long.as_str())));
        assert_eq!(text, format!("     {}…\n", "é".repeat(74)));
    }

    #[test]
    fn colour_only_if_there_is_any() {
        let title = shown(PLAIN, |shown| shown.title());
        assert!(!title.contains('\u{1b}'));
        let color = Terminal {
            color: true,
            ..PLAIN
        };
        let colored = shown(color, |shown| shown.title());
        assert_eq!(
            colored,
            format!("\u{1b}[1m{}\u{1b}[0m\n\n", title.trim_end())
        );
    }

    #[test]
    fn trouble_in_the_middle_of_a_call() {
        let text = shown(PLAIN, |shown| {
            shown.call("Press it", "browser_click")?;
            shown.trouble("The server is gone.", "first\nlast", "Look.")
        });
        assert_eq!(
            text,
            "1  Press it                     browser_click           \n\
             \n\
             ✗ The server is gone.\n  \
               The server's last words on standard error:\n     \
                  first\n     \
                  last\n  \
               Look.\n"
        );
    }
}
