//! Globals of the web platform.

use super::*;

#[tokio::test]
async fn addresses() {
    assert_eq!(value("() => { const u = new URL('../c?a=1&b=x+y%20z', 'https://h.test/a/b/'); u.searchParams.append('q', 'ä&'); u.hash = 'f'; return [u.href, u.searchParams.get('b'), u.origin, u.pathname] }").await,
        "[\"https://h.test/a/c?a=1&b=x+y+z&q=%C3%A4%26#f\",\"x y z\",\"https://h.test\",\"/a/c\"]");
    assert_eq!(value("() => [URL.canParse('x'), `${new URL('http://EXAMPLE.com')}`, JSON.stringify({ u: new URL('x:y') })]").await, "[false,\"http://example.com/\",\"{\\\"u\\\":\\\"x:y\\\"}\"]");
    assert_eq!(
        thrown("() => new URL('no')").await.text,
        "TypeError: Invalid URL"
    );
    assert_eq!(value("() => { const p = new URLSearchParams({ a: 1, b: 'c d' }); p.set('a', 2); p.delete('b'); p.append('a', '3'); return [String(p), p.getAll('a'), [...p], p.has('b'), p.size] }").await,
        "[\"a=2&a=3\",[\"2\",\"3\"],[[\"a\",\"2\"],[\"a\",\"3\"]],false,2]");
}

#[tokio::test]
async fn text_and_base64() {
    assert_eq!(
        value("() => [...new TextEncoder().encode('aé€😀\\ud800')]").await,
        "[97,195,169,226,130,172,240,159,152,128,239,191,189]"
    );
    // Vectors of the Encoding standard's rule of maximal subparts.
    assert_eq!(value("() => new TextDecoder().decode(new Uint8Array([0xf0, 0x90, 0x41, 0xe2, 0x82, 0xc0, 0xed, 0xa0, 0x80, 0xef, 0xbb, 0xbf]))").await, "\"\u{fffd}A\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{feff}\"");
    assert_eq!(
        value("() => new TextDecoder().decode(new TextEncoder().encode('aé€😀'))").await,
        "\"aé€😀\""
    );
    assert!(
        thrown("() => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))")
            .await
            .text
            .starts_with("TypeError")
    );
    assert_eq!(
        value("() => [btoa('hi!'), btoa('a'), btoa('\\xff'), atob('aGkh'), atob('YQ')]").await,
        "[\"aGkh\",\"YQ==\",\"/w==\",\"hi!\",\"a\"]"
    );
    assert!(
        thrown("() => btoa('€')")
            .await
            .text
            .starts_with("InvalidCharacterError")
    );
    assert!(
        thrown("() => atob('a')")
            .await
            .text
            .starts_with("InvalidCharacterError")
    );
}

#[tokio::test]
async fn buffers() {
    assert_eq!(value("() => [Buffer.from('é').toString('hex'), Buffer.from('aGk', 'base64').toString(), Buffer.concat([Buffer.from('a'), Buffer.from([98])]).toString(), Buffer.byteLength('é'), Buffer.isBuffer(Buffer.from('')), Buffer.from('ff0', 'hex').length]").await,
        "[\"c3a9\",\"hi\",\"ab\",2,true,1]");
    assert_eq!(
        value("() => Buffer.from('hi')").await,
        "{\"type\":\"Buffer\",\"data\":[104,105]}"
    );
}

#[tokio::test]
async fn clones() {
    assert_eq!(value("() => { const a = { d: new Date(1), m: new Map([[1, { x: 2 }]]), l: [1, , 3] }; a.self = a; const b = structuredClone(a); return [b.self === b, b !== a, b.d.getTime(), b.m.get(1).x, b.m.get(1) !== a.m.get(1), b.l.length] }").await,
        "[true,true,1,2,true,3]");
    assert!(
        thrown("() => structuredClone(() => 1)")
            .await
            .text
            .starts_with("DataCloneError")
    );
}

#[tokio::test]
async fn timers() {
    assert_eq!(value("() => new Promise(done => { const l = []; setTimeout(() => { l.push('t20'); done(l) }, 20); setTimeout(x => l.push(x), 1, 't1'); const gone = setTimeout(() => l.push('no'), 2); clearTimeout(gone); queueMicrotask(() => l.push('m')); setImmediate(() => l.push('i')) })").await,
        "[\"m\",\"i\",\"t1\",\"t20\"]");
    assert_eq!(value("() => new Promise(done => { let n = 0; const t = setInterval(() => { n++; if (n === 3) { clearInterval(t); done(n) } }, 1) })").await, "3");
}

#[tokio::test]
async fn fetch_goes_through_the_page() {
    let code = "async () => { const r = await fetch('/api', { method: 'POST', headers: { 'X-A': 'b' }, body: JSON.stringify({ a: 1 }) }); return [r.status, r.ok, r.headers.get('x-method'), await r.json()] }";
    assert_eq!(value(code).await, "[201,true,\"POST\",{\"k\":1}]");
    let asked = asked(code).await;
    assert_eq!(
        asked[0]["page"]["action"]["fetch"]["request"],
        json!({ "url": "/api", "method": "POST", "headers": { "x-a": "b" }, "body": "eyJhIjoxfQ==" })
    );
    assert_eq!(thrown("async () => { const c = new AbortController(); c.abort(); await fetch('/x', { signal: c.signal }) }").await.text, "AbortError: This operation was aborted");
}

#[tokio::test]
async fn random_values() {
    assert_eq!(value("() => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())").await, "true");
    assert_eq!(
        value("() => crypto.randomUUID() !== crypto.randomUUID()").await,
        "true"
    );
    assert_eq!(
        value("() => crypto.getRandomValues(new Uint32Array(4)).length").await,
        "4"
    );
}
