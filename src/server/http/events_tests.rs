use super::*;

const OURS: StreamRules = StreamRules {
    resumable: true,
    any_stream: true,
};
const STOCK: StreamRules = StreamRules {
    resumable: false,
    any_stream: false,
};

fn hub(rules: StreamRules) -> Arc<Hub> {
    Hub::new(rules, Arc::default())
}

/// All that can be read now, and whether the stream has ended.
fn read(reader: &mut Reader) -> (String, bool) {
    let mut text = String::new();
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match reader.poll_next(&mut context) {
            Poll::Ready(Some(piece)) => text.push_str(std::str::from_utf8(&piece).unwrap()),
            Poll::Ready(None) => return (text, true),
            Poll::Pending => return (text, false),
        }
    }
}

fn event(id: &str, data: &str) -> String {
    format!("event: message\nid: {id}\ndata: {data}\n\n")
}

fn line(text: &str) -> Vec<u8> {
    format!("{text}\n").into_bytes()
}

#[test]
fn an_answering_stream_ends_when_all_is_said() {
    let hub = hub(OURS);
    let (way_in, reader) = hub.answering();
    let mut reader = reader.primed();
    assert_eq!(read(&mut reader), ("id: 1-0\ndata: \n\n".to_owned(), false));
    way_in.send(line("{}"));
    assert_eq!(read(&mut reader), (event("1-1", "{}"), false));
    drop(way_in);
    assert_eq!(read(&mut reader), (String::new(), true));
}

#[test]
fn a_broken_stream_is_resumed_after_the_last_event() {
    let hub = hub(OURS);
    let (way_in, mut reader) = hub.answering();
    way_in.send(line("1"));
    way_in.send(line("2"));
    assert_eq!(read(&mut reader).0, event("1-1", "1") + &event("1-2", "2"));
    drop(reader);
    way_in.send(line("3"));
    // The client has seen the first event only.
    let mut again = hub.listen(Some("1-1")).unwrap();
    assert_eq!(
        read(&mut again),
        (event("1-2", "2") + &event("1-3", "3"), false)
    );
    drop(way_in);
    assert_eq!(read(&mut again), (String::new(), true));
}

#[test]
fn answers_of_a_broken_stream_go_to_who_listens() {
    let hub = hub(OURS);
    let (way_in, reader) = hub.answering();
    drop(reader);
    let mut listener = hub.listen(None).unwrap();
    assert_eq!(read(&mut listener), (String::new(), false));
    way_in.send(line("late"));
    drop(way_in);
    assert_eq!(read(&mut listener), (event("0-1", "late"), false));
    // And to who comes later.
    let (way_in, reader) = hub.answering();
    way_in.send(line("later"));
    drop((way_in, reader, listener));
    let mut listener = hub.listen(None).unwrap();
    assert_eq!(read(&mut listener), (event("0-2", "later"), false));
}

#[test]
fn the_listening_stream_is_resumed_and_taken_over() {
    let hub = hub(OURS);
    hub.send(line("before anyone listens"));
    let mut first = hub.listen(None).unwrap();
    assert_eq!(read(&mut first).0, event("0-1", "before anyone listens"));
    hub.send(line("2"));
    let mut second = hub.listen(Some("0-0")).unwrap();
    assert_eq!(read(&mut first), (String::new(), true));
    drop(first);
    assert!(hub.listener().is_some());
    assert_eq!(
        read(&mut second).0,
        event("0-1", "before anyone listens") + &event("0-2", "2")
    );
    for strange in ["x", "9-9", "0-77", "", "0-", "-1"] {
        let mut reader = hub.listen(Some(strange)).unwrap().primed();
        assert_eq!(read(&mut reader).0, "id: 0-2\ndata: \n\n", "{strange}");
    }
}

#[test]
fn stock_streams_are_plain_and_single() {
    let hub = hub(STOCK);
    let mut listener = hub.listen(Some("0-5")).unwrap().primed();
    hub.send(line("x"));
    assert_eq!(
        read(&mut listener).0,
        "event: message\ndata: x\n\n".to_owned()
    );
    assert_eq!(hub.listen(None).err(), Some(Taken));
    drop(listener);
    // What a broken connection should have carried is lost.
    let (way_in, reader) = hub.answering();
    drop(reader);
    way_in.send(line("too late"));
    drop(way_in);
    let mut listener = hub.listen(None).unwrap();
    assert_eq!(read(&mut listener), (String::new(), false));
}

#[test]
fn our_requests_take_an_open_call_when_nobody_listens() {
    let hub = hub(OURS);
    let (way_in, mut reader) = hub.answering();
    hub.send(line("a question"));
    assert_eq!(read(&mut reader).0, event("1-1", "a question"));
    let mut listener = hub.listen(None).unwrap();
    hub.send(line("another"));
    assert_eq!(read(&mut listener).0, event("0-1", "another"));
    drop(way_in);
}

#[test]
fn what_is_kept_is_bounded() {
    let hub = hub(OURS);
    let mut listener = hub.listen(None).unwrap();
    for _ in 0..40 {
        hub.send(vec![b'x'; 100_000]);
        read(&mut listener);
    }
    hub.trim(Instant::now());
    assert!(hub.state().totals().0 <= KEPT_BYTES);
    drop(listener);
    for _ in 0..200 {
        hub.send(vec![b'x'; 100_000]);
    }
    assert!(hub.state().totals().1 <= WAITING_BYTES);
    for _ in 0..2 * EVENTS {
        hub.send(line("x"));
    }
    assert_eq!(hub.state().totals().2, EVENTS);
}

#[test]
fn clients_share_what_may_be_kept() {
    let budget = Arc::<Budget>::default();
    let hubs: Vec<_> = (0..20).map(|_| Hub::new(OURS, budget.clone())).collect();
    for hub in &hubs {
        let mut listener = hub.listen(None).unwrap();
        for _ in 0..10 {
            hub.send(vec![b'x'; 100_000]);
            read(&mut listener);
        }
    }
    let all = budget.0.load(Ordering::Relaxed);
    assert!(all <= KEPT_BYTES_OF_ALL + 20 * KEPT_LEAST, "{all}");
    drop(hubs);
    assert_eq!(budget.0.load(Ordering::Relaxed), 0);
}

#[test]
fn events_age_and_tracks_are_forgotten() {
    let hub = hub(OURS);
    let (way_in, mut reader) = hub.answering();
    way_in.send(line("1"));
    read(&mut reader);
    drop((way_in, reader));
    assert_eq!(hub.state().tracks.len(), 2);
    hub.trim(Instant::now() + KEEP);
    assert_eq!(hub.state().totals(), (0, 0, 0));
    assert_eq!(hub.state().tracks.keys().collect::<Vec<_>>(), [&LISTENING]);
    // Nothing is kept in stock.
    let hub = super::tests::hub(STOCK);
    let (way_in, mut reader) = hub.answering();
    way_in.send(line("1"));
    read(&mut reader);
    drop((way_in, reader));
    assert_eq!(hub.state().totals(), (0, 0, 0));
}

#[test]
fn closing_ends_every_stream() {
    let hub = hub(OURS);
    let (way_in, mut answers) = hub.answering();
    let mut listener = hub.listen(None).unwrap();
    hub.close();
    way_in.send(line("too late"));
    assert_eq!(read(&mut answers), (String::new(), true));
    assert_eq!(read(&mut listener), (String::new(), true));
}

#[test]
fn a_listener_can_be_hung_up_on() {
    let hub = hub(OURS);
    let mut listener = hub.listen(None).unwrap();
    hub.hang_up_listener();
    assert_eq!(read(&mut listener), (String::new(), true));
    assert_eq!(hub.listener(), None);
    drop(listener);
    assert!(!hub.is_read());
}
