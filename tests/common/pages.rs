//! A web server for pages: files of `fixtures/pages`, and answers made by the
//! test. HTTP/1.1 with one request for each connection.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::PATIENCE;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub query: String,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

/// What to answer.
#[derive(Debug, Clone)]
pub struct Answer {
    status: u16,
    reason: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    ending: Ending,
    gate: Option<Gate>,
    half_gate: Option<Gate>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    /// The whole answer, then the connection is closed.
    Complete,
    /// The start of an answer whose end never comes.
    Unfinished,
    /// The start of an answer, then the connection is closed.
    CutOff,
    /// Not a byte, ever.
    Silence,
    /// Not a byte; the connection is closed.
    HangUp,
}

impl Answer {
    pub fn new(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            reason: "OK".to_owned(),
            headers: vec![("Content-Type".to_owned(), kind.to_owned())],
            body: body.into(),
            ending: Ending::Complete,
            gate: None,
            half_gate: None,
        }
    }

    /// A page with this title and body.
    pub fn page(title: &str, body: &str) -> Self {
        Self::html(&format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><body>{body}</body></html>"
        ))
    }

    pub fn html(text: &str) -> Self {
        Self::new("text/html; charset=utf-8", text)
    }

    pub fn text(text: &str) -> Self {
        Self::new("text/plain; charset=utf-8", text)
    }

    pub fn json(text: &str) -> Self {
        Self::new("application/json", text)
    }

    /// A file to save.
    pub fn download(name: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new("application/octet-stream", body).header(
            "Content-Disposition",
            &format!("attachment; filename=\"{name}\""),
        )
    }

    pub fn redirect(to: &str) -> Self {
        Self::text("").status(302, "Found").header("Location", to)
    }

    /// Not a byte while the page server lives.
    pub fn silence() -> Self {
        Self::text("").ending(Ending::Silence)
    }

    /// Closes the connection without a byte.
    pub fn hang_up() -> Self {
        Self::text("").ending(Ending::HangUp)
    }

    /// Sends the body and keeps the browser waiting for more.
    pub fn unfinished(self) -> Self {
        self.ending(Ending::Unfinished)
    }

    /// Sends the body and closes the connection as if more should have come.
    pub fn cut_off(self) -> Self {
        self.ending(Ending::CutOff)
    }

    fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    pub fn status(mut self, status: u16, reason: &str) -> Self {
        self.status = status;
        reason.clone_into(&mut self.reason);
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Answers once the gate is open.
    pub fn behind(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Sends half of the body, and the rest once the gate is open.
    pub fn half_behind(mut self, gate: &Gate) -> Self {
        self.half_gate = Some(gate.clone());
        self
    }
}

/// Keeps answers back until it is opened.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn open(&self) {
        *self.0.0.lock().expect("no panic inside") = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let open = self.0.0.lock().expect("no panic inside");
        let _ = self.0.1.wait_timeout_while(open, PATIENCE, |open| !*open);
    }
}

type Handler = Box<dyn Fn(&Request) -> Answer + Send + Sync>;

struct Site {
    folder: PathBuf,
    handlers: Mutex<HashMap<String, Arc<Handler>>>,
    requests: Mutex<Vec<Request>>,
    closed: AtomicBool,
}

/// The page server. It listens on 127.0.0.1 and, where there is one, on ::1 at
/// the same port, so that `localhost` is a second origin.
pub struct Pages {
    port: u16,
    site: Arc<Site>,
}

impl Pages {
    /// Serves `fixtures/pages`.
    pub fn start() -> Self {
        Self::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pages"))
    }

    /// Serves a folder.
    pub fn of(folder: &Path) -> Self {
        let site = Arc::new(Site {
            folder: folder.to_owned(),
            handlers: Mutex::default(),
            requests: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let second = TcpListener::bind(("::1", port)).ok();
        for listener in [Some(listener), second].into_iter().flatten() {
            let site = Arc::clone(&site);
            std::thread::spawn(move || site.listen(&listener));
        }
        let pages = Self { port, site };
        // So that no page has a failed request that it did not ask for.
        pages.on("/favicon.ico", |_| {
            Answer::text("").status(204, "No Content")
        });
        pages
    }

    /// `http://127.0.0.1:<port>`
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The same server as another site: `http://localhost:<port>`
    pub fn other_origin(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// Answers requests for a path.
    pub fn on(&self, path: &str, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        let handler: Handler = Box::new(handler);
        let mut handlers = self.site.handlers.lock().expect("no panic inside");
        handlers.insert(path.to_owned(), Arc::new(handler));
    }

    /// Always answers a path with this, and gives its address.
    pub fn put(&self, path: &str, answer: Answer) -> String {
        self.on(path, move |_| answer.clone());
        self.url(path)
    }

    /// The requests for a path, oldest first.
    pub fn requests(&self, path: &str) -> Vec<Request> {
        let requests = self.site.requests.lock().expect("no panic inside");
        let wanted = |request: &&Request| request.path == path;
        requests.iter().filter(wanted).cloned().collect()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.site.closed.store(true, Ordering::Relaxed);
        // Accepting ends with the next connection.
        for address in ["127.0.0.1", "::1"] {
            let _ = TcpStream::connect((address, self.port));
        }
    }
}

impl Site {
    fn listen(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming().flatten() {
            if self.closed.load(Ordering::Relaxed) {
                return;
            }
            let site = Arc::clone(&self);
            // Browsers open connections ahead of need; each has its own thread.
            std::thread::spawn(move || site.serve(stream));
        }
    }

    fn serve(&self, stream: TcpStream) -> Option<()> {
        let request = read(&stream)?;
        let handler = {
            let handlers = self.handlers.lock().expect("no panic inside");
            handlers.get(&request.path).cloned()
        };
        self.requests
            .lock()
            .expect("no panic inside")
            .push(request.clone());
        let answer = match handler {
            Some(handler) => handler(&request),
            None => self.file(&request.path),
        };
        if let Some(gate) = &answer.gate {
            gate.wait();
        }
        self.send(&stream, &answer)
    }

    fn file(&self, path: &str) -> Answer {
        let missing = || Answer::text("Not found").status(404, "Not Found");
        let name = percent_decoded(path.trim_start_matches('/'));
        if name.split('/').any(|part| part == "..") {
            return missing();
        }
        let Ok(body) = std::fs::read(self.folder.join(&name)) else {
            return missing();
        };
        let kind = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            _ => "application/octet-stream",
        };
        Answer::new(kind, body)
    }

    fn send(&self, mut stream: &TcpStream, answer: &Answer) -> Option<()> {
        match answer.ending {
            Ending::HangUp => return None,
            Ending::Silence => return self.keep_open(),
            Ending::Complete | Ending::Unfinished | Ending::CutOff => {}
        }
        let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, answer.reason);
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("Cache-Control: no-store\r\nConnection: close\r\n");
        if answer.ending == Ending::Complete && answer.status != 204 {
            head.push_str(&format!("Content-Length: {}\r\n", answer.body.len()));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).ok()?;
        let (first, second) = answer.body.split_at(answer.body.len() / 2);
        stream.write_all(first).ok()?;
        if let Some(gate) = &answer.half_gate {
            gate.wait();
        }
        stream.write_all(second).ok()?;
        stream.flush().ok()?;
        match answer.ending {
            Ending::Unfinished => self.keep_open(),
            _ => Some(()),
        }
    }

    /// The caller's connection stays open for as long as this runs.
    fn keep_open(&self) -> Option<()> {
        while !self.closed.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
        None
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let method = words.next()?.to_owned();
    let target = words.next()?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body,
    })
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
