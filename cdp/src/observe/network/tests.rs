use super::*;

fn page() -> NetworkLog {
    NetworkLog::new("F")
}

fn sent(log: &mut NetworkLog, session: &str, id: &str, url: &str, kind: &str, at: f64) {
    let params = format!(
        r#"{{"requestId":"{id}","loaderId":"L","documentURL":"x","type":"{kind}","timestamp":{at},"frameId":"F","initiator":{{"type":"script"}},"request":{{"url":"{url}","method":"GET","headers":{{"User-Agent":"UA"}}}}}}"#
    );
    log.on_event(session, "Network.requestWillBeSent", &params);
}

fn redirected(log: &mut NetworkLog, session: &str, id: &str, url: &str, status: i64, at: f64) {
    let params = format!(
        r#"{{"requestId":"{id}","loaderId":"L","type":"Fetch","timestamp":{at},"frameId":"F","redirectHasExtraInfo":true,"redirectResponse":{{"url":"","status":{status},"statusText":"Found","headers":{{"Location":"{url}"}},"mimeType":""}},"request":{{"url":"{url}","method":"GET","headers":{{}}}}}}"#
    );
    log.on_event(session, "Network.requestWillBeSent", &params);
}

fn received(log: &mut NetworkLog, session: &str, id: &str, status: i64, text: &str) {
    let params = format!(
        r#"{{"requestId":"{id}","loaderId":"L","timestamp":1,"type":"Document","frameId":"F","hasExtraInfo":true,"response":{{"url":"http://h/","status":{status},"statusText":"{text}","headers":{{"Content-Type":"text/html"}},"mimeType":"text/html"}}}}"#
    );
    log.on_event(session, "Network.responseReceived", &params);
}

fn finished(log: &mut NetworkLog, session: &str, id: &str, at: f64) {
    let params = format!(r#"{{"requestId":"{id}","timestamp":{at},"encodedDataLength":0}}"#);
    log.on_event(session, "Network.loadingFinished", &params);
}

fn failed(log: &mut NetworkLog, session: &str, id: &str, error: &str, at: f64) {
    let params =
        format!(r#"{{"requestId":"{id}","timestamp":{at},"type":"Fetch","errorText":"{error}"}}"#);
    log.on_event(session, "Network.loadingFailed", &params);
}

fn urls(log: &NetworkLog) -> Vec<&str> {
    log.entries().map(|entry| entry.url.as_str()).collect()
}

#[test]
fn a_request_from_start_to_end() {
    let mut log = page();
    sent(&mut log, "s", "1", "http://h/api", "Fetch", 10.0);
    let entry = log.get(1).unwrap();
    assert_eq!(
        (entry.state, entry.resource_type),
        (State::Pending, ResourceType::Fetch)
    );
    assert_eq!(entry.request_headers.get("user-agent"), Some("UA"));
    received(&mut log, "s", "1", 200, "OK");
    assert_eq!(log.get(1).unwrap().state, State::Pending);
    finished(&mut log, "s", "1", 10.0254);
    let entry = log.get(1).unwrap();
    assert_eq!(entry.state, State::Finished);
    assert_eq!(entry.duration_ms.unwrap().round(), 25.0);
    assert!(entry.succeeded() && entry.is_fetch() && !entry.navigation);
    // It is over; later words change nothing.
    failed(&mut log, "s", "1", "net::ERR_FAILED", 11.0);
    assert_eq!(log.get(1).unwrap().failure, None);
    assert_eq!(
        (log.get(0).is_none(), log.get(2).is_none(), log.last_index()),
        (true, true, 1)
    );
}

#[test]
fn every_hop_of_a_redirect_is_an_entry() {
    let mut log = page();
    sent(&mut log, "s", "1", "http://h/a", "Fetch", 1.0);
    redirected(&mut log, "s", "1", "http://h/b", 302, 1.176);
    redirected(&mut log, "s", "1", "http://h/c", 301, 1.263);
    received(&mut log, "s", "1", 200, "OK");
    finished(&mut log, "s", "1", 1.269);
    assert_eq!(urls(&log), ["http://h/a", "http://h/b", "http://h/c"]);
    let told: Vec<_> = log
        .entries()
        .map(|entry| {
            let status = entry.response.as_ref().unwrap().status;
            (entry.state, status, entry.duration_ms.unwrap().round())
        })
        .collect();
    assert_eq!(
        told,
        [
            (State::Redirected { to: 2 }, 302, 176.0),
            (State::Redirected { to: 3 }, 301, 87.0),
            (State::Finished, 200, 6.0),
        ]
    );
}

#[test]
fn failures_before_and_after_the_response() {
    let mut log = page();
    sent(&mut log, "s", "1", "http://h/refused", "Fetch", 1.0);
    failed(&mut log, "s", "1", "net::ERR_CONNECTION_REFUSED", 1.5);
    let entry = log.get(1).unwrap();
    assert_eq!(
        entry.failure.as_deref(),
        Some("net::ERR_CONNECTION_REFUSED")
    );
    assert_eq!((entry.duration_ms, entry.succeeded()), (None, false));
    sent(&mut log, "s", "2", "http://h/half", "Image", 2.0);
    received(&mut log, "s", "2", 200, "OK");
    failed(&mut log, "s", "2", "net::ERR_ABORTED", 2.534);
    let entry = log.get(2).unwrap();
    assert_eq!(entry.duration_ms.unwrap().round(), 534.0);
    assert!(!entry.succeeded());
    sent(&mut log, "s", "3", "http://h/blocked", "Image", 2.0);
    log.on_event(
        "s",
        "Network.loadingFailed",
        r#"{"requestId":"3","timestamp":3,"errorText":"","blockedReason":"csp"}"#,
    );
    assert_eq!(log.get(3).unwrap().failure.as_deref(), Some("csp"));
}

#[test]
fn some_requests_are_left_out() {
    let mut log = page();
    sent(&mut log, "s", "1", "data:text/plain,hi", "Other", 1.0);
    sent(&mut log, "s", "2", "http://h/favicon.ico", "Other", 1.0);
    redirected(&mut log, "s", "2", "http://h/icon.png", 302, 1.1);
    log.on_event("s", "Network.requestWillBeSent", r#"{"requestId":"3","type":"Other","initiator":{"type":"preflight"},"request":{"url":"http://h/cors","method":"OPTIONS","headers":{}}}"#);
    assert_eq!(log.last_index(), 0);
    sent(&mut log, "s", "4", "http://h/x", "Fetch", 1.0);
    redirected(&mut log, "s", "4", "DATA:,x", 302, 1.1);
    assert_eq!(log.get(1).unwrap().state, State::Finished);
    assert_eq!(log.last_index(), 1);
}

#[test]
fn a_request_may_be_answered_in_another_session() {
    let mut log = page();
    sent(&mut log, "page", "W", "http://h/w.js", "Script", 1.0);
    sent(&mut log, "worker", "W", "http://h/w.js", "Script", 1.0);
    received(&mut log, "worker", "W", 200, "OK");
    finished(&mut log, "worker", "W", 1.5);
    assert_eq!(log.last_index(), 1);
    let entry = log.get(1).unwrap();
    assert_eq!(
        (entry.session.as_str(), entry.state),
        ("worker", State::Finished)
    );
}

#[test]
fn the_same_id_in_two_sessions_is_two_requests() {
    let mut log = page();
    sent(&mut log, "a", "7", "http://h/1", "Fetch", 1.0);
    sent(&mut log, "b", "7", "http://h/2", "Fetch", 1.0);
    received(&mut log, "b", "7", 500, "Oops");
    received(&mut log, "a", "7", 200, "OK");
    let statuses: Vec<_> = log
        .entries()
        .map(|entry| entry.response.as_ref().unwrap().status)
        .collect();
    assert_eq!(statuses, [200, 500]);
    log.session_closed("b");
    assert_eq!(log.get(1).unwrap().state, State::Pending);
    assert_eq!(
        log.get(2).unwrap().failure.as_deref(),
        Some("net::ERR_ABORTED")
    );
}

#[test]
fn the_main_documents_status_is_that_of_the_last_hop() {
    let mut log = page();
    sent(&mut log, "s", "L", "http://h/nav", "Document", 1.0);
    assert!(log.get(1).unwrap().navigation);
    redirected(&mut log, "s", "L", "http://h/locked", 302, 1.1);
    assert_eq!(log.main_status(), None);
    received(&mut log, "s", "L", 402, "Payment Required");
    let status = DocumentStatus {
        code: 402,
        text: "Payment Required".into(),
    };
    assert_eq!(log.main_status(), Some(&status));
    // A child frame's document, and a data: document, are not it.
    log.on_event("s", "Network.responseReceived", r#"{"requestId":"C","loaderId":"C","type":"Document","frameId":"child","response":{"url":"http://h/f","status":500,"headers":{}}}"#);
    log.on_event("s", "Network.responseReceived", r#"{"requestId":"D","loaderId":"D","type":"Document","frameId":"F","response":{"url":"data:text/html,x","status":200,"headers":{}}}"#);
    assert_eq!(log.main_status(), Some(&status));
    let epoch = log.epoch();
    log.clear();
    assert_eq!((log.main_status(), log.last_index()), (None, 0));
    assert_ne!(log.epoch(), epoch);
    finished(&mut log, "s", "L", 2.0);
    sent(&mut log, "s", "2", "http://h/next", "Fetch", 3.0);
    assert_eq!(log.get(1).unwrap().url, "http://h/next");
}

#[test]
fn request_bodies() {
    let mut log = page();
    let post = |log: &mut NetworkLog, id: u32, body: &str| {
        let params = format!(
            r#"{{"requestId":"{id}","type":"Fetch","request":{{"url":"http://h/{id}","method":"POST","headers":{{}}{body}}}}}"#
        );
        log.on_event("s", "Network.requestWillBeSent", &params);
        log.get(id as usize).unwrap().post_data.clone()
    };
    assert_eq!(post(&mut log, 1, ""), PostData::None);
    assert_eq!(
        post(&mut log, 2, r#","hasPostData":true,"postData":"{\"q\":1}""#),
        PostData::Inline(r#"{"q":1}"#.into())
    );
    assert_eq!(
        post(&mut log, 3, r#","hasPostData":true"#),
        PostData::Remote
    );
    let long = format!(
        r#","hasPostData":true,"postData":"{}""#,
        "x".repeat(POST_BYTES + 1)
    );
    assert_eq!(post(&mut log, 4, &long), PostData::Remote);
}

#[test]
fn wire_headers_find_their_hop() {
    let mut log = page();
    let extra = |log: &mut NetworkLog, method: &str, value: &str| {
        log.on_event(
            "s",
            method,
            &format!(r#"{{"requestId":"1","headers":{{"Set-Cookie":"{value}"}}}}"#),
        );
    };
    // The first hop's request headers even overtake the request.
    extra(&mut log, "Network.requestWillBeSentExtraInfo", "q1");
    sent(&mut log, "s", "1", "http://h/a", "Fetch", 1.0);
    extra(&mut log, "Network.responseReceivedExtraInfo", "r1");
    // The second hop's headers overtake the redirect that starts it.
    extra(&mut log, "Network.requestWillBeSentExtraInfo", "q2");
    redirected(&mut log, "s", "1", "http://h/b", 302, 1.1);
    received(&mut log, "s", "1", 200, "OK");
    extra(&mut log, "Network.responseReceivedExtraInfo", "r2");
    let told: Vec<_> = log
        .entries()
        .map(|entry| {
            let response = entry.response.as_ref().unwrap();
            (
                entry
                    .wire_request_headers
                    .as_ref()
                    .unwrap()
                    .get("set-cookie")
                    .unwrap(),
                response
                    .wire_headers
                    .as_ref()
                    .unwrap()
                    .get("set-cookie")
                    .unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("q1", "r1"), ("q2", "r2")]);
}

#[test]
fn headers_of_requests_nobody_sees_do_not_pile_up() {
    let mut log = page();
    for id in 0..1000 {
        log.on_event(
            "s",
            "Network.requestWillBeSentExtraInfo",
            &format!(r#"{{"requestId":"{id}","headers":{{}}}}"#),
        );
    }
    assert_eq!(log.early.len(), EARLY);
    assert_eq!(log.early[0].1.request_id, "999");
}

#[test]
fn the_oldest_go_and_indexes_stay() {
    let mut log = NetworkLog::with_capacity("F", 3);
    for id in 1..=5 {
        sent(
            &mut log,
            "s",
            &id.to_string(),
            &format!("http://h/{id}"),
            "Fetch",
            1.0,
        );
    }
    assert_eq!(urls(&log), ["http://h/3", "http://h/4", "http://h/5"]);
    assert_eq!((log.dropped(), log.last_index()), (2, 5));
    assert!(log.get(2).is_none());
    assert_eq!(log.get(3).unwrap().url, "http://h/3");
    // Words about a dropped request change nothing.
    received(&mut log, "s", "1", 200, "OK");
    assert_eq!(log.chains.len(), 3);
}

#[test]
fn huge_requests_are_bounded() {
    let mut log = page();
    let url = format!("http://h/{}", "x".repeat(2 << 20));
    for id in 0..10 {
        sent(&mut log, "s", &id.to_string(), &url, "Fetch", 1.0);
    }
    assert!(log.bytes < 10 * (URL_BYTES + 100));
    let body = "x".repeat(POST_BYTES);
    for id in 100..500 {
        log.on_event("s", "Network.requestWillBeSent", &format!(r#"{{"requestId":"{id}","request":{{"url":"http://h/","method":"POST","postData":"{body}"}}}}"#));
    }
    assert!(log.bytes <= KEPT_BYTES && log.dropped() > 0);
    let bytes: usize = log.entries().map(NetworkEntry::bytes).sum();
    assert_eq!(bytes, log.bytes);
}

#[test]
fn nonsense_changes_nothing() {
    let mut log = page();
    for params in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"requestId":1}"#,
        r#"{"requestId":"x","request":{}}"#,
        r#"{"requestId":"x","response":{}}"#,
        "é",
    ] {
        for method in [
            "requestWillBeSent",
            "responseReceived",
            "loadingFinished",
            "loadingFailed",
            "requestServedFromCache",
            "requestWillBeSentExtraInfo",
            "responseReceivedExtraInfo",
            "unknown",
        ] {
            log.on_event("s", &format!("Network.{method}"), params);
        }
    }
    assert_eq!(log.last_index(), 0);
    assert!(!is_data("é:data:"));
}
