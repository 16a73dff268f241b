//! `browser_evaluate`: code, values and exceptions.

use serde_json::json;

use crate::common::{Launch, Stage};
use crate::steps;

#[test]
fn evaluate() {
    let stage = Stage::new(Launch::new().stock());
    steps!(&stage;
        values_are_written_as_indented_json,
        special_values,
        what_json_has_no_word_for,
        an_expression_is_shown_as_a_function,
        a_function_with_an_element,
        exceptions_are_errors,
        rejections_are_errors,
        a_navigation_meanwhile_is_an_error,
        logging_shows_the_page_section,
        strings_are_quoted_with_single_quotes,
        lone_surrogates_become_escapes_or_replacements,
    );
}

/// The result of a function, as text.
#[track_caller]
fn result(stage: &Stage, function: &str) -> String {
    let reply = stage
        .call("browser_evaluate", json!({ "function": function }))
        .fine();
    reply.section("Result").unwrap_or_default()
}

fn values_are_written_as_indented_json(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => ({ a: 1, b: [true, null, 'é'] })" }),
        )
        .fine()
        .says(
            "
            ### Result
            {
              \"a\": 1,
              \"b\": [
                true,
                null,
                \"é\"
              ]
            }
            ### Ran Playwright code
            ```js
            await page.evaluate('() => ({ a: 1, b: [true, null, \\'é\\'] })');
            ```
            ",
        );
}

fn special_values(stage: &Stage) {
    stage.show("x");
    for (function, text) in [
        ("() => {}", "undefined"),
        ("() => null", "null"),
        ("() => 'a\"b'", "\"a\\\"b\""),
        ("() => 20.5", "20.5"),
        ("() => 1e21", "1e+21"),
        ("() => 1e-7", "1e-7"),
        ("() => 0.1 + 0.2", "0.30000000000000004"),
        ("() => 123456789012345680000", "123456789012345680000"),
        ("() => NaN", "null"),
        ("() => Infinity", "null"),
        ("() => -Infinity", "null"),
        ("() => -0", "0"),
        ("() => new Date(0)", "\"1970-01-01T00:00:00.000Z\""),
        ("() => new URL('http://a/b?c')", "\"http://a/b?c\""),
        ("() => /x/g", "{}"),
        ("() => new Map([[1, 2]])", "{}"),
        ("() => new Set([1])", "{}"),
        ("() => new Error('e')", "{\n  \"name\": \"Error\"\n}"),
        (
            "() => new Uint8Array([7, 8])",
            "{\n  \"0\": 7,\n  \"1\": 8\n}",
        ),
        ("() => window", "\"ref: <Window>\""),
        ("() => document", "\"ref: <Document>\""),
        ("() => document.body", "\"ref: <Node>\""),
        ("() => []", "[]"),
        ("() => ({})", "{}"),
        (
            "() => ({ a: {} , b: [] })",
            "{\n  \"a\": {},\n  \"b\": []\n}",
        ),
        ("() => Promise.resolve(4)", "4"),
        ("async () => { await null; return 5 }", "5"),
    ] {
        assert_eq!(result(stage, function), text, "{function}");
    }
}

fn what_json_has_no_word_for(stage: &Stage) {
    stage.show("x");
    for (function, text) in [
        (
            "() => [() => 1, Symbol('s'), undefined]",
            "[\n  null,\n  null,\n  null\n]",
        ),
        ("() => ({ f() {}, u: undefined, k: 1 })", "{\n  \"k\": 1\n}"),
        // Values are copied before they are written; what they would say of
        // themselves is not asked.
        ("() => ({ toJSON: () => 'own' })", "{\n  \"toJSON\": {}\n}"),
        ("() => Symbol('s')", "undefined"),
    ] {
        assert_eq!(result(stage, function), text, "{function}");
    }
    stage
        .call("browser_evaluate", json!({ "function": "() => 1n" }))
        .failed()
        .says(
            "
        ### Error
        Do not know how to serialize a BigInt
        ### Ran Playwright code
        ```js
        await page.evaluate('() => 1n');
        ```
        ",
        );
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => { const o = {}; o.o = o; return o }" }),
        )
        .failed()
        .has("### Error\nConverting circular structure to JSON");
}

fn an_expression_is_shown_as_a_function(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "document.title + '!'" }),
        )
        .fine()
        .says(
            "
        ### Result
        \"T!\"
        ### Ran Playwright code
        ```js
        await page.evaluate('() => (document.title + \\'!\\')');
        ```
        ",
        );
}

fn a_function_with_an_element(stage: &Stage) {
    stage.show("<button id=b>Press</button>");
    let target = stage.find("Press");
    let function = "element => element.id";
    stage
        .call(
            "browser_evaluate",
            json!({ "function": function, "element": "the button", "target": target }),
        )
        .fine()
        .says(
            "
            ### Result
            \"b\"
            ### Ran Playwright code
            ```js
            await page.getByRole('button', { name: 'Press' }).evaluate('element => element.id');
            ```
            ",
        );
}

fn exceptions_are_errors(stage: &Stage) {
    stage.show("x");
    let reply = stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => { throw new TypeError('boom') }" }),
        )
        .failed();
    reply
        .matches(r"^### Error\nTypeError: boom\n    at ")
        .lacks("Ran Playwright code");
    for (function, text) in [
        ("() => { throw 'a string' }", "### Error\na string"),
        ("() => { throw { a: 1 } }", "### Error\nObject"),
    ] {
        let reply = stage
            .call("browser_evaluate", json!({ "function": function }))
            .failed();
        assert_eq!(reply.plain, text, "{function}");
    }
    stage
        .call("browser_evaluate", json!({ "function": "() => {" }))
        .failed()
        .has("SyntaxError");
}

fn rejections_are_errors(stage: &Stage) {
    stage.show("x");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => Promise.reject(new Error('later'))" }),
        )
        .failed()
        .has("### Error\nError: later");
}

fn a_navigation_meanwhile_is_an_error(stage: &Stage) {
    stage
        .pages
        .put("/next", crate::common::Answer::page("N", "next"));
    stage.show("x");
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => { location.href = '/next'; return new Promise(() => {}) }" }),
        )
        .failed()
        .has("Execution context was destroyed, most likely because of a navigation.");
}

fn logging_shows_the_page_section(stage: &Stage) {
    stage.show("x");
    // The log is written beside the reply: now and then its link comes with the
    // next one.
    stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => console.log('quiet')" }),
        )
        .fine()
        .has("### Result\nundefined\n### Ran Playwright code\n```js\nawait page.evaluate('() => console.log(\\'quiet\\')');\n```\n### Page\n- Page URL: http://HOST/\n- Page Title: T")
        .matches(
            r"- Page Title: T(\n### Events\n- New console entries: \.playwright-mcp/console-<ts>\.log#L1)?$",
        );
}

fn strings_are_quoted_with_single_quotes(stage: &Stage) {
    stage.show("x");
    let reply = stage
        .call(
            "browser_evaluate",
            json!({ "function": "() => \"it's\" +\n '\\\\'" }),
        )
        .fine();
    assert_eq!(
        reply.section("Ran Playwright code").as_deref(),
        Some(r#"await page.evaluate('() => "it\'s" +\n \'\\\\\'');"#)
    );
}

fn lone_surrogates_become_escapes_or_replacements(stage: &Stage) {
    stage.show("x");
    assert_eq!(result(stage, r#"() => "\uD83D end""#), r#""\ud83d end""#);
    assert_eq!(result(stage, r#"() => "\uD83D\uDE00""#), "\"😀\"");
}
