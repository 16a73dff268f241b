//! Scripts that mean harm: whatever they do, the caller gets an answer in time.

use super::*;

async fn limited(code: &str) -> Limit {
    match failure(code, short()).await {
        ScriptError::Limit { limit, .. } => limit,
        other => panic!("{code}: {other:?}"),
    }
}

fn time() -> Limit {
    Limit::Time(short().time)
}

#[tokio::test]
async fn endless_loops() {
    for code in [
        "() => { for (;;); }",
        "async () => { while (true) await null; }",
        "() => { for (;;) { try { for (;;); } catch {} finally { continue } } }",
        "() => { const next = () => Promise.resolve().then(next); return next() }",
        "() => { const f = () => queueMicrotask(f); f(); return new Promise(() => {}) }",
        "() => { const f = () => setTimeout(f, 0); f(); return new Promise(() => {}) }",
        "() => ({ toJSON() { for (;;); } })",
        "() => ({ get a() { for (;;); } })",
        "() => { throw { toString() { for (;;); } } }",
        "() => { const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e }",
        "() => ({ then() { for (;;); } })",
        "() => ({ then(done) { done(this) } })",
        "() => new Proxy({}, { ownKeys() { for (;;); } })",
        "() => [...{ *[Symbol.iterator]() { for (;;); } }]",
    ] {
        assert_eq!(limited(code).await, time(), "{code}");
    }
}

#[tokio::test]
async fn endless_calls_that_wait_end_by_time_or_for_lack_of_memory() {
    let code = "() => { const f = async () => { await f2() }; const f2 = async () => { await null; await f() }; return f() }";
    match failure(code, short()).await {
        ScriptError::Limit {
            limit: Limit::Time(_) | Limit::Memory(_),
            ..
        } => {}
        // What the engine throws when there is no memory for an exception.
        ScriptError::Thrown(thrown) => assert_eq!(thrown.text, "null"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn waiting_counts_as_time() {
    assert_eq!(
        limited("async (page) => { await page.click('#never') }").await,
        time()
    );
    assert_eq!(
        limited("async (page) => { await page.waitForTimeout(60000) }").await,
        time()
    );
    assert_eq!(
        limited("() => new Promise(r => setTimeout(r, 60000))").await,
        time()
    );
    let error = failure("async (page) => { await page.click('#never') }", short()).await;
    assert_eq!(
        error.to_string(),
        "Error: PlayGuard: time limit of 500 ms reached"
    );
}

#[tokio::test]
async fn promises_that_nothing_settles() {
    assert_eq!(
        failure("() => new Promise(() => {})", Limits::default()).await,
        ScriptError::Stalled
    );
}

#[tokio::test]
async fn regular_expressions_that_explode() {
    assert_eq!(
        limited("() => /^(a+)+$/.test('a'.repeat(50) + 'b')").await,
        time()
    );
    assert_eq!(
        limited("() => /(.*)*x/.exec('y'.repeat(100000))").await,
        time()
    );
    assert_eq!(
        limited("() => 'a'.repeat(60).replace(/(a|a)*b/, '')").await,
        time()
    );
}

#[tokio::test]
async fn memory_bombs() {
    for code in [
        "() => { const l = []; for (;;) l.push(new Array(1000).fill(l.length)) }",
        "() => { let s = 'x'; for (;;) s += s }",
        "() => 'x'.repeat(2 ** 29)",
        "() => { const l = []; for (;;) l.push(new Uint8Array(1 << 20)) }",
        "() => new Uint8Array(2 ** 30)",
        "() => { const m = new Map(); for (let i = 0; ; i++) m.set(i, { i }) }",
        "() => { let o = {}; for (;;) o = { o } }",
        "async () => { const l = []; for (;;) l.push(Promise.resolve(l).then(() => {})) }",
        "() => { let b = 2n; for (;;) b = b * b }",
        "() => JSON.parse('[' + '1,'.repeat(20000000) + '1]')",
    ] {
        let error = failure(
            code,
            Limits {
                time: Duration::from_secs(20),
                ..Limits::default()
            },
        )
        .await;
        let told = match &error {
            ScriptError::Limit { limit, .. } => matches!(limit, Limit::Memory(_)),
            // The engine has bounds of its own for single values.
            ScriptError::Thrown(thrown) => {
                thrown.text.starts_with("RangeError")
                    || thrown.text.contains("too long")
                    || thrown.hint.is_some()
            }
            _ => false,
        };
        assert!(told, "{code}: {error:?}");
    }
    let error = failure(
        "() => { const l = []; for (;;) l.push({}) }",
        Limits::default(),
    )
    .await;
    assert!(
        error
            .to_string()
            .starts_with("Error: PlayGuard: memory limit of 64 MB reached"),
        "{error}"
    );
}

#[tokio::test]
async fn deep_recursion() {
    for code in [
        "() => { const f = () => f(); f() }",
        "() => { const f = () => 1 + f(); return f() }",
        "() => { class A { get x() { return this.x } } return new A().x }",
        "() => { let o = {}; for (let i = 0; i < 100000; i++) o = { o }; return o }",
        "() => { let a = []; for (let i = 0; i < 100000; i++) a = [a]; return a.toString() }",
        "() => new Proxy({}, { get(t, k, r) { return r[k] } }).x",
        "() => JSON.parse('['.repeat(200000))",
        "() => eval('('.repeat(200000))",
        "() => new RegExp('('.repeat(200000))",
        "() => { let a = []; for (let i = 0; i < 100000; i++) a = [a]; return structuredClone(a) }",
        "page => { let a = []; for (let i = 0; i < 100000; i++) a = [a]; return page.evaluate(x => x, a) }",
    ] {
        let error = failure(
            code,
            Limits {
                time: Duration::from_secs(20),
                ..Limits::default()
            },
        )
        .await;
        let told = match &error {
            ScriptError::Limit { limit, .. } => matches!(limit, Limit::Stack(_)),
            ScriptError::Thrown(thrown) => thrown.text.starts_with("SyntaxError"),
            _ => false,
        };
        assert!(told, "{code}: {error:?}");
    }
    let error = failure("() => {\n const f = () => f();\n f() }", Limits::default()).await;
    assert!(
        error
            .to_string()
            .starts_with("Error: PlayGuard: limit of recursion reached (1024 kB of stack)"),
        "{error}"
    );
    // It can be caught, and the script goes on.
    assert_eq!(
        value("() => { const f = () => f(); try { f() } catch { return 'caught' } }").await,
        "\"caught\""
    );
}

#[tokio::test]
async fn deep_source() {
    for open in ["(", "[", "{", "a=>(", "`${", "!"] {
        let error = failure(&open.repeat(100_000), Limits::default()).await;
        assert!(
            matches!(error, ScriptError::Thrown(_) | ScriptError::Limit { .. }),
            "{open}: {error:?}"
        );
    }
}

#[tokio::test]
async fn sizes() {
    let limits = Limits {
        source: 1000,
        result: 1000,
        ..Limits::default()
    };
    let error = failure(&format!("() => 1 // {}", "x".repeat(1000)), limits.clone()).await;
    assert_eq!(
        error,
        ScriptError::Limit {
            limit: Limit::Source(1000),
            line: None
        }
    );
    let error = failure("() => 'x'.repeat(1000)", limits).await;
    assert_eq!(
        error.to_string(),
        "Error: PlayGuard: result is longer than the limit of 1000 bytes"
    );
    assert_eq!(value("() => 'x'.repeat(9_999_998)").await.len(), 10_000_000);
}

#[tokio::test]
async fn too_much_at_once() {
    let text = async |code: &str| failure(code, Limits::default()).await.to_string();
    let timers = text("() => { for (;;) setTimeout(() => {}, 1000) }").await;
    assert!(
        timers.starts_with("Error: PlayGuard: limit of 1000 waiting timers reached"),
        "{timers}"
    );
    // Calls beyond the limit reject, and the script does not care until its time is over.
    let code = "async (page) => { for (;;) { page.click('#never').catch(() => {}); await null } }";
    assert_eq!(limited(code).await, time());
    let calls = text("async (page) => { const l = []; for (let i = 0; i < 501; i++) l.push(page.click('#never')); await Promise.race(l) }").await;
    assert!(
        calls.starts_with("Error: PlayGuard: limit of 500 waiting calls reached"),
        "{calls}"
    );
    let limits = Limits {
        calls: 100,
        ..Limits::default()
    };
    let all = failure("async (page) => { for (;;) await page.title() }", limits)
        .await
        .to_string();
    assert!(
        all.starts_with("Error: PlayGuard: limit of 100 calls reached"),
        "{all}"
    );
    let routes = text("async (page) => { for (;;) await page.route('**', () => {}) }").await;
    assert!(
        routes.starts_with("Error: PlayGuard: limit of 200 subscriptions reached"),
        "{routes}"
    );
}

#[tokio::test]
async fn results_that_cannot_be_written() {
    assert_eq!(
        thrown("() => { const a = {}; a.a = a; return a }")
            .await
            .text,
        "TypeError: Converting circular structure to JSON"
    );
    assert_eq!(
        thrown("() => 5n").await.text,
        "TypeError: Do not know how to serialize a BigInt"
    );
    assert_eq!(
        thrown("() => ({ get a() { throw new Error('got') } })")
            .await
            .text,
        "Error: got"
    );
    assert_eq!(thrown("() => ({ toJSON() { throw 'x' } })").await.text, "x");
    assert_eq!(
        thrown("() => new Proxy({}, { get() { throw new Error('trap') } })")
            .await
            .text,
        "Error: trap"
    );
}

#[tokio::test]
async fn exceptions_that_fight_back() {
    let odd = thrown("() => { const e = new Error('m'); Object.defineProperty(e, 'name', { get() { throw 1 } }); throw e }").await;
    assert_eq!(odd.text, "Error: m");
    assert_eq!(
        thrown("() => { throw { toString() { throw 1 } } }")
            .await
            .text,
        "[object Object]"
    );
    assert_eq!(
        thrown("() => { throw Object.create(null) }").await.text,
        "[object Object]"
    );
    assert_eq!(
        thrown("() => { throw new Proxy(new Error('x'), { get() { throw 1 } }) }")
            .await
            .text,
        "[object Object]"
    );
    let long = thrown("() => { throw new Error('é'.repeat(1e6)) }").await;
    assert!(long.text.len() < 21_000);
    assert_eq!(
        thrown("() => { throw new Error('a\\ud800') }").await.text,
        "Error: a\u{fffd}"
    );
    assert_eq!(
        thrown("() => { const e = new Error('m'); e.stack = 'x'; throw e }")
            .await
            .line,
        None
    );
    assert!(
        !thrown("() => { Error.prepareStackTrace = () => { throw 1 }; null.x }")
            .await
            .in_callback
    );
}

#[tokio::test]
async fn prototypes_and_globals_may_be_broken() {
    for code in [
        "async (page) => { Object.prototype.a = 1; Object.prototype.timeout = 'x'; return 1 }",
        "async (page) => { Array.prototype.push = () => { throw 1 }; Array.prototype.map = null; return 1 }",
        "async (page) => { Promise.prototype.then = null; Promise.resolve = null; globalThis.Promise = null; return 1 }",
        "async (page) => { JSON.parse = JSON.stringify = () => { throw 1 }; await page.title(); return 1 }",
        "async (page) => { globalThis.Error = globalThis.Object = globalThis.Array = undefined; await page.title(); return 1 }",
        "async (page) => { Function.prototype.call = Function.prototype.apply = null; await page.title(); return 1 }",
        "async (page) => { String.prototype.toWellFormed = null; Map.prototype.get = null; await page.title(); return 1 }",
        "async (page) => { for (const n of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[n] } catch {} } await page.title(); return 1 }",
        "async (page) => { page.constructor.prototype.title = null; return 1 }",
        "async (page) => { Object.defineProperty(Object.prototype, 'then', { get() { throw 1 }, configurable: true }); delete Object.prototype.then; return 1 }",
        "async (page) => { Object.defineProperty(Object.prototype, 'resolve', { set() { throw 1 }, configurable: true }); await page.title(); return 1 }",
        "async (page) => { Symbol.prototype[Symbol.toPrimitive]; Object.setPrototypeOf(page, null); return 1 }",
        "async (page) => { Object.freeze(globalThis); Object.freeze(Object.prototype); await page.title(); return 1 }",
    ] {
        assert_eq!(value(code).await, "1", "{code}");
    }
}

#[tokio::test]
async fn the_bridge_is_out_of_reach() {
    let code = "() => Object.getOwnPropertyNames(globalThis).filter(n => /native|kit|host|submit|deliver/i.test(n))";
    assert_eq!(value(code).await, "[]");
    assert!(
        value("() => { try { return arguments.callee.caller } catch (e) { return e.name } }")
            .await
            .len()
            < 30
    );
    // Source of the prelude's functions may be read, but leads nowhere.
    assert_eq!(value("page => Object.keys(page).length").await, "0");
    // Every operation is checked in Rust, whatever the prelude was made to send.
    let error = thrown("async (page) => page.mouse.move('a', {})").await;
    assert!(
        error
            .text
            .starts_with("TypeError: wrong argument: invalid type: string"),
        "{error}"
    );
    let error =
        thrown("async (page) => { Object.prototype.toJSON = () => 5; await page.title() }").await;
    assert!(error.text.contains("wrong argument"), "{error}");
    let error = thrown("async (page) => page.waitForTimeout(Infinity)").await;
    assert!(error.text.contains("wrong argument"), "{error}");
}

#[tokio::test]
async fn code_cannot_leave_its_wrapper_unnoticed() {
    // It may close our parentheses; it gains nothing that it had not before.
    assert_eq!(value("1)), (() => (2").await, "2");
    let error = failure("}); for (;;); (() => {", short()).await;
    assert!(
        matches!(error, ScriptError::Limit { .. } | ScriptError::Thrown(_)),
        "{error:?}"
    );
    let error = thrown("() => 1\0").await;
    assert!(error.text.starts_with("SyntaxError"), "{error}");
}

#[tokio::test]
async fn dropping_the_future_interrupts_the_script() {
    let (_, session) = start(Limits::default());
    let run = session.run_code("() => { for (;;); }", Form::Function);
    assert!(
        tokio::time::timeout(Duration::from_millis(50), run)
            .await
            .is_err()
    );
    let after = tokio::time::timeout(
        Duration::from_secs(5),
        session.run_code("() => 1", Form::Function),
    );
    assert_eq!(after.await.unwrap().unwrap_err(), ScriptError::Ended);
}

#[tokio::test]
async fn a_session_ends_with_its_limit() {
    let (_, session) = start(short());
    session
        .run_code("() => { for (;;); }", Form::Function)
        .await
        .unwrap_err();
    assert_eq!(
        session
            .run_code("() => 1", Form::Function)
            .await
            .unwrap_err(),
        ScriptError::Ended
    );
}

#[tokio::test]
async fn built_in_loops_over_nothing_are_bounded() {
    for code in [
        "() => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
        "() => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)",
        "() => Array.prototype.join.call({ length: 2 ** 40 }, '')",
        "() => Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)",
        "() => new Array(2 ** 32 - 1).lastIndexOf(1)",
        "() => Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
        "() => Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => {})",
        "() => new Array(2 ** 32 - 1).sort()",
    ] {
        let error = thrown(code).await;
        let expected = "RangeError: PlayGuard: limit of 10000000 elements for ";
        assert!(error.text.starts_with(expected), "{code}: {error}");
    }
    assert_eq!(
        value("() => [3, 1, 2].sort().map(x => x * 2).indexOf(4)").await,
        "1"
    );
}

#[tokio::test]
async fn what_cannot_be_interrupted_is_given_up() {
    let started = std::time::Instant::now();
    assert_eq!(
        limited("() => new Set(new Array(2 ** 32 - 1)).size").await,
        time()
    );
    assert!(started.elapsed() < Duration::from_secs(4));
}
