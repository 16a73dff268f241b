use super::*;

struct Page(NetworkLog);

impl Page {
    fn new() -> Self {
        Self(NetworkLog::new("F"))
    }

    fn send(&mut self, id: u32, kind: &str, method: &str, url: &str, extra: &str) {
        let params = format!(
            r#"{{"requestId":"{id}","loaderId":"L","type":"{kind}","timestamp":1.0,"request":{{"url":"{url}","method":"{method}","headers":{{"X-C":"1"}}{extra}}}}}"#
        );
        self.0.on_event("s", "Network.requestWillBeSent", &params);
    }

    fn answer(&mut self, id: u32, status: u16, text: &str, headers: &str) {
        let params = format!(
            r#"{{"requestId":"{id}","response":{{"url":"","status":{status},"statusText":"{text}","headers":{headers},"mimeType":""}}}}"#
        );
        self.0.on_event("s", "Network.responseReceived", &params);
    }

    fn finish(&mut self, id: u32) {
        let params = format!(r#"{{"requestId":"{id}","timestamp":1.0251}}"#);
        self.0.on_event("s", "Network.loadingFinished", &params);
    }

    fn fail(&mut self, id: u32, error: &str) {
        let params = format!(r#"{{"requestId":"{id}","timestamp":1.5,"errorText":"{error}"}}"#);
        self.0.on_event("s", "Network.loadingFailed", &params);
    }

    fn details(&self, index: usize) -> String {
        request_details(self.0.get(index).unwrap())
    }
}

fn page() -> Page {
    let mut page = Page::new();
    page.send(1, "Document", "GET", "http://h/", "");
    page.answer(1, 200, "OK", "{}");
    page.finish(1);
    page.send(2, "Image", "GET", "http://h/img.png", "");
    page.answer(2, 200, "OK", "{}");
    page.send(3, "Image", "GET", "http://h/missing.png", "");
    page.answer(3, 404, "Not Found", "{}");
    page.send(4, "Fetch", "POST", "http://h/api?x=1", "");
    page.answer(4, 200, "OK", "{}");
    page.send(5, "Fetch", "GET", "http://h/slow", "");
    page.fail(5, "net::ERR_ABORTED");
    page.send(6, "XHR", "GET", "http://h/nostatus", "");
    page.answer(6, 200, "", "{}");
    page.send(7, "Script", "GET", "http://h/pending.js", "");
    page.send(8, "Image", "GET", "http://h/half.png", "");
    page.answer(8, 200, "OK", "{}");
    page.fail(8, "net::ERR_ABORTED");
    page
}

#[test]
fn what_succeeded_and_is_no_fetch_is_hidden() {
    assert_eq!(
        request_list(&page().0, false, |_| true),
        "3. [GET] http://h/missing.png => [404] Not Found\n\
         4. [POST] http://h/api?x=1 => [200] OK\n\
         5. [GET] http://h/slow => [FAILED] net::ERR_ABORTED\n\
         6. [GET] http://h/nostatus => [200] \n\
         7. [GET] http://h/pending.js\n\
         8. [GET] http://h/half.png => [200] OK\n\
         \n\
         Note: 2 static requests not shown, run with \"static\" option to see them."
    );
}

#[test]
fn everything_is_shown_on_request() {
    let text = request_list(&page().0, true, |_| true);
    assert!(
        text.starts_with(
            "1. [GET] http://h/ => [200] OK\n2. [GET] http://h/img.png => [200] OK\n3. "
        )
    );
    assert_eq!(text.lines().count(), 8);
    assert_eq!(request_list(&Page::new().0, true, |_| true), "");
}

#[test]
fn the_filter_does_not_change_the_note() {
    assert_eq!(
        request_list(&page().0, false, |url| url.contains("api")),
        "4. [POST] http://h/api?x=1 => [200] OK\n\nNote: 2 static requests not shown, run with \"static\" option to see them."
    );
    assert_eq!(
        request_list(&page().0, false, |_| false),
        "\nNote: 2 static requests not shown, run with \"static\" option to see them."
    );
    let mut one = Page::new();
    one.send(1, "Document", "GET", "http://h/", "");
    one.answer(1, 200, "OK", "{}");
    assert_eq!(
        request_list(&one.0, false, |_| true),
        "\nNote: 1 static request not shown, run with \"static\" option to see it."
    );
}

#[test]
fn dropped_requests_are_admitted() {
    let mut page = Page(NetworkLog::with_capacity("F", 1));
    page.send(1, "Fetch", "GET", "http://h/1", "");
    page.send(2, "Fetch", "GET", "http://h/2", "");
    assert_eq!(
        request_list(&page.0, false, |_| true),
        "2. [GET] http://h/2\n\nNote: requests before 2 are no longer kept."
    );
}

#[test]
fn details_of_a_finished_fetch() {
    let mut page = Page::new();
    page.send(1, "Fetch", "GET", "http://h/first", "");
    page.send(
        2,
        "Fetch",
        "POST",
        "http://host/api",
        r#","hasPostData":true,"postData":"{}""#,
    );
    page.answer(
        2,
        200,
        "OK",
        r#"{"Content-Type":"application/json; charset=utf-8"}"#,
    );
    page.finish(2);
    assert_eq!(
        page.details(2),
        "#2 [POST] http://host/api\n\
         \n\
         \x20 General\n\
         \x20   status:    [200] OK\n\
         \x20   duration:  25ms\n\
         \x20   type:      fetch\n\
         \x20   mimeType:  application/json\n\
         \n\
         \x20 Request headers\n\
         \x20   x-c: 1\n\
         \n\
         \x20 Response headers\n\
         \x20   content-type: application/json; charset=utf-8\n\
         \n\
         Call browser_network_request with part=\"request-body\" to read the request body.\n\
         Call browser_network_request with part=\"response-body\" to read the response body."
    );
    assert_eq!(
        page.details(1),
        "#1 [GET] http://h/first\n\n  General\n    type:      fetch\n\n  Request headers\n    x-c: 1"
    );
}

#[test]
fn no_hint_for_a_body_that_cannot_be() {
    for status in [101, 204, 304] {
        let mut page = Page::new();
        page.send(1, "Fetch", "GET", "http://h/", "");
        page.answer(1, status, "No", "{}");
        assert_eq!(
            page.details(1),
            format!(
                "#1 [GET] http://h/\n\n  General\n    status:    [{status}] No\n    type:      fetch\n\n  Request headers\n    x-c: 1"
            )
        );
    }
    let mut page = Page::new();
    page.send(1, "Image", "GET", "http://h/", "");
    page.fail(1, "net::ERR_UNSAFE_PORT");
    assert_eq!(
        page.details(1),
        "#1 [GET] http://h/\n\n  General\n    status:    [FAILED] net::ERR_UNSAFE_PORT\n    type:      image\n\n  Request headers\n    x-c: 1"
    );
}

#[test]
fn headers_alone() {
    let headers: Headers = serde_json::from_str(r#"{"Accept":"*/*","X":"1\n2"}"#).unwrap();
    assert_eq!(header_lines(&headers), "accept: */*\nx: 1, 2");
    assert_eq!(header_lines(&Headers::default()), "");
}

#[test]
fn names_and_errors() {
    assert_eq!(
        request_not_found(99),
        "Request #99 not found. Use browser_network_requests to see available indexes."
    );
    assert_eq!(Part::parse("response-body"), Some(Part::ResponseBody));
    assert_eq!(Part::parse("body"), None);
    assert_eq!(file_title(None), "Request");
    assert_eq!(
        file_title(Part::parse("request-headers")),
        "Request headers"
    );
    assert_eq!(
        shown_url("data:image/png;base64,AAAA,BB"),
        "data:image/png;base64,…"
    );
    assert_eq!(shown_url("http://h/a,b"), "http://h/a,b");
}
