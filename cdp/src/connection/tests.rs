use std::sync::Mutex;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;

#[derive(Default)]
struct Recorder {
    events: Mutex<Vec<String>>,
    closed: Mutex<Option<String>>,
}

impl EventHandler for Recorder {
    fn on_event(&self, event: &Event<'_>) {
        assert_ne!(event.method, "Test.panic", "asked for");
        lock(&self.events).push(format!(
            "{} {}",
            event.session_id.unwrap_or("-"),
            event.method
        ));
    }

    fn on_close(&self, reason: &str) {
        *lock(&self.closed) = Some(reason.to_owned());
    }
}

/// The browser's side of a pipe.
struct Peer {
    io: DuplexStream,
}

impl Peer {
    async fn command(&mut self) -> Value {
        let mut bytes = Vec::new();
        loop {
            match self.io.read_u8().await.unwrap() {
                0 => return serde_json::from_slice(&bytes).unwrap(),
                byte => bytes.push(byte),
            }
        }
    }

    async fn say(&mut self, text: &str) {
        self.io.write_all(text.as_bytes()).await.unwrap();
        self.io.write_all(b"\0").await.unwrap();
    }
}

fn connect() -> (Connection, Peer, Arc<Recorder>) {
    let (ours, theirs) = duplex(1 << 16);
    let (reader, writer) = tokio::io::split(ours);
    let recorder = Arc::new(Recorder::default());
    (
        Connection::over_pipe(reader, writer, recorder.clone()),
        Peer { io: theirs },
        recorder,
    )
}

/// Parameters that outlive the statement they are used in.
fn none() -> &'static Value {
    static NONE: std::sync::OnceLock<Value> = std::sync::OnceLock::new();
    NONE.get_or_init(|| json!({}))
}

fn soon() -> Deadline {
    Deadline::ms(5_000)
}

#[tokio::test]
async fn answers_find_their_commands_in_any_order() {
    let (connection, mut peer, _) = connect();
    let session: SessionId = "S1".into();
    let params = json!({ "x": 1 });
    let first = connection.call::<_, Value>(Some(&session), "A.one", &params, soon());
    let second = connection.call::<_, Value>(None, "B.two", none(), soon());
    let browser = async {
        let a = peer.command().await;
        let b = peer.command().await;
        assert_eq!(
            (&a["method"], &a["sessionId"], &a["params"]["x"]),
            (&json!("A.one"), &json!("S1"), &json!(1))
        );
        assert!(b.get("sessionId").is_none());
        peer.say(&format!(r#"{{"id":{},"result":{{"n":2}}}}"#, b["id"]))
            .await;
        peer.say(&format!(
            r#"{{"id":{},"error":{{"code":-32000,"message":"no"}},"sessionId":"S1"}}"#,
            a["id"]
        ))
        .await;
    };
    let (first, second, ()) = tokio::join!(first, second, browser);
    assert_eq!(first.unwrap_err().to_string(), "Protocol error (A.one): no");
    assert_eq!(second.unwrap(), json!({ "n": 2 }));
}

#[tokio::test]
async fn odd_messages_and_panicking_handlers_do_not_end_the_reading() {
    let (connection, mut peer, recorder) = connect();
    for odd in [
        "",
        "nonsense",
        "[1]",
        r#"{"id":99,"result":{}}"#,
        r#"{"method":5}"#,
        r#"{"method":"Test.panic"}"#,
    ] {
        peer.say(odd).await;
    }
    peer.say(r#"{"method":"Made.up","sessionId":"S","params":{"status":"BrandNew","x":null}}"#)
        .await;
    let call = connection.call::<_, Value>(None, "C.three", none(), soon());
    let browser = async {
        let command = peer.command().await;
        peer.say(&format!(
            r#"{{"id":{},"result":{{"text":"half \ud83d end"}}}}"#,
            command["id"]
        ))
        .await;
    };
    let (answer, ()) = tokio::join!(call, browser);
    assert_eq!(answer.unwrap()["text"], "half \u{fffd} end");
    assert_eq!(*lock(&recorder.events), ["S Made.up"]);
}

#[tokio::test]
async fn a_message_may_come_in_pieces_and_several_at_once() {
    let (connection, mut peer, recorder) = connect();
    peer.io
        .write_all(b"{\"method\":\"A.a\"}\0{\"method\":\"B.")
        .await
        .unwrap();
    peer.io.flush().await.unwrap();
    tokio::task::yield_now().await;
    peer.io.write_all(b"b\"}\0").await.unwrap();
    drop(peer);
    connection.closed().await;
    assert_eq!(*lock(&recorder.events), ["- A.a", "- B.b"]);
}

#[tokio::test]
async fn the_end_of_the_connection_fails_waiting_commands_with_its_reason() {
    let (connection, peer, recorder) = connect();
    let call = connection.call::<_, Value>(None, "D.four", none(), soon());
    let browser = async { drop(peer) };
    let (answer, ()) = tokio::join!(call, browser);
    let error = answer.unwrap_err();
    assert!(error.is_closed(), "{error}");
    assert!(
        error.to_string().contains("closed its end of the pipe"),
        "{error}"
    );
    assert!(lock(&recorder.closed).is_some());
    let later = connection
        .call::<_, Value>(None, "E.five", none(), soon())
        .await;
    assert!(later.unwrap_err().is_closed());
}

#[tokio::test]
async fn a_session_that_ends_takes_only_its_own_commands_with_it() {
    let (connection, mut peer, _) = connect();
    let (gone, stays): (SessionId, SessionId) = ("S1".into(), "S2".into());
    let lost = connection.call::<_, Value>(Some(&gone), "F.six", none(), soon());
    let kept = connection.call::<_, Value>(Some(&stays), "G.seven", none(), soon());
    let browser = async {
        peer.command().await;
        let second = peer.command().await;
        connection.session_ended("S1", &CdpError::TargetCrashed);
        peer.say(&format!(
            r#"{{"id":{},"result":{{}},"sessionId":"S2"}}"#,
            second["id"]
        ))
        .await;
    };
    let (lost, kept, ()) = tokio::join!(lost, kept, browser);
    assert!(matches!(lost.unwrap_err(), CdpError::TargetCrashed));
    kept.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_command_without_an_answer_ends_at_its_deadline_and_leaves_nothing_behind() {
    let (connection, _peer, _) = connect();
    let error = connection
        .call::<_, Value>(None, "H.eight", none(), Deadline::ms(250))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "Timeout 250ms exceeded.");
    assert!(lock(&connection.0.pending).is_empty());
}
