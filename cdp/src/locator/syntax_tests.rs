//! Reading and writing of the three texts of a locator.

use super::*;

fn selector(text: &str) -> Selector {
    match parse_target(text) {
        Ok(Target::Selector(selector)) => selector,
        other => panic!("{text}: {other:?}"),
    }
}

fn error(text: &str) -> String {
    parse_target(text).unwrap_err().to_string()
}

/// What upstream says to anything that it cannot read at all.
const UNREADABLE: &str =
    "Unexpected token \"\" while parsing css selector \"\". Did you mean to CSS.escape it?";

#[test]
fn refs_and_near_refs() {
    for text in ["e1", "e12", "f1e2", "f10e33"] {
        assert_eq!(parse_target(text), Ok(Target::Ref(text.to_owned())));
    }
    for text in ["E3", "f0", "e3 ", "e", "fe1", "f1", "e1x", "f1e", "e٣"] {
        assert!(
            matches!(parse_target(text), Ok(Target::Selector(_))),
            "{text}"
        );
    }
}

/// Selector syntax and the code that upstream prints for it (recorded).
#[test]
fn selectors_as_code() {
    for (text, code) in [
        ("div", "locator('div')"),
        (" div ", "locator('div')"),
        ("css=div", "locator('div')"),
        ("css:light=div", "locator(':light(div)')"),
        ("text=Tid", "locator('text=Tid')"),
        ("//h1", "locator('//h1')"),
        ("xpath=//h1", "locator('//h1')"),
        ("..", "locator('..')"),
        ("xpath=/html", "locator('xpath=/html')"),
        ("text=\"a\" >> b", "locator('text=\"a\"').locator('b')"),
        (
            "a[href=\"x>>y\"] >> b",
            "locator('a[href=\"x>>y\"]').locator('b')",
        ),
        ("text=it's >> b", "locator('text=it\\'s').locator('b')"),
        ("'quoted'", "locator('text=\\'quoted\\'')"),
        ("\"dq\"", "locator('text=\"dq\"')"),
        ("div >> nth=0", "locator('div').first()"),
        ("div >> nth=-1", "locator('div').last()"),
        ("div >> nth=3", "locator('div').nth(3)"),
        ("div >> visible=true", "locator('div').visible()"),
        (
            "div >> visible=false",
            "locator('div').filter({ visible: false })",
        ),
        ("id=foo", "locator('id=foo')"),
        ("data-test-id=foo", "locator('data-test-id=foo')"),
        ("aria-ref=e5", "locator('aria-ref=e5')"),
        (
            "role=button[name=\"X\"]",
            "locator('role=button[name=\"X\"]')",
        ),
        ("internal:role=button", "getByRole('button')"),
        (
            "internal:role=button[name=\"X\"i]",
            "getByRole('button', { name: 'X' })",
        ),
        (
            "internal:role=button[name=\"X\"s]",
            "getByRole('button', { name: 'X', exact: true })",
        ),
        (
            "internal:role=heading[level=2][name=/a\\/b\"'/i]",
            "getByRole('heading', { name: /a\\/b\"'/i, level: 2 })",
        ),
        (
            "internal:role=button[include-hidden=true][pressed=mixed]",
            "getByRole('button', { includeHidden: true, pressed: 'mixed' })",
        ),
        (
            "internal:role=button[name=\"X\"s][description=\"Y\"s]",
            "getByRole('button', { name: 'X', description: 'Y', exact: true })",
        ),
        ("internal:text=\"x\"i", "getByText('x')"),
        ("internal:text=\"x\"s", "getByText('x', { exact: true })"),
        ("internal:text=/a b/i", "getByText(/a b/i)"),
        (
            "internal:label=\"it's\"s",
            "getByLabel('it\\'s', { exact: true })",
        ),
        (
            "internal:testid=[data-testid=\"a\\\"b\"s]",
            "getByTestId('a\"b')",
        ),
        ("internal:testid=[data-testid=/x/]", "getByTestId(/x/)"),
        (
            "internal:attr=[placeholder=\"x\"i]",
            "getByPlaceholder('x')",
        ),
        (
            "internal:attr=[alt=\"x\"s]",
            "getByAltText('x', { exact: true })",
        ),
        ("internal:attr=[title=/x/g]", "getByTitle(/x/g)"),
        (
            "internal:attr=[foo=\"x\"i]",
            "locator('internal:attr=[foo=\"x\"i]')",
        ),
        (
            "div >> internal:has-text=\"x\"i",
            "locator('div').filter({ hasText: 'x' })",
        ),
        (
            "div >> internal:has-text=\"x\"s",
            "locator('div').locator('internal:has-text=\"x\"s')",
        ),
        (
            "div >> internal:has-not-text=/x/",
            "locator('div').filter({ hasNotText: /x/ })",
        ),
        (
            "div >> internal:has=\"span >> nth=1\"",
            "locator('div').filter({ has: locator('span').nth(1) })",
        ),
        (
            "div >> internal:has-not=\"span\"",
            "locator('div').filter({ hasNot: locator('span') })",
        ),
        (
            "div >> internal:and=\"span\"",
            "locator('div').and(locator('span'))",
        ),
        (
            "div >> internal:or=\"internal:role=button\"",
            "locator('div').or(getByRole('button'))",
        ),
        (
            "div >> internal:chain=\"span\"",
            "locator('div').locator(locator('span'))",
        ),
        (
            "iframe >> nth=0 >> internal:control=enter-frame >> internal:role=button[name=\"A\"i]",
            "locator('iframe').first().contentFrame().getByRole('button', { name: 'A' })",
        ),
        ("div >> internal:describe=\"foo\"", "foo"),
    ] {
        assert_eq!(selector(text).to_javascript(), code, "{text}");
    }
}

/// Expressions, their selectors and their normal form (recorded, but for those
/// that upstream refuses: quoted option names, a comma at the end).
#[test]
fn expressions() {
    for (text, syntax, code) in [
        (
            "getByRole(\"heading\", {name: \"Title\"})",
            "internal:role=heading[name=\"Title\"i]",
            "getByRole('heading', { name: 'Title' })",
        ),
        (
            "getByText(`42`)",
            "internal:text=\"42\"i",
            "getByText('42')",
        ),
        (
            "locator('div', { hasText: 'x', has: locator('b'), hasNot: locator('i'), hasNotText: /z/, visible: true })",
            "div >> internal:has-text=\"x\"i >> internal:has=\"b\" >> internal:has-not=\"i\" >> internal:has-not-text=/z/ >> visible=true",
            "locator('div').filter({ hasText: 'x' }).filter({ has: locator('b') }).filter({ hasNot: locator('i') }).filter({ hasNotText: /z/ }).visible()",
        ),
        (
            "frameLocator('iframe').nth(2).getByLabel('x')",
            "iframe >> nth=2 >> internal:control=enter-frame >> internal:label=\"x\"i",
            "locator('iframe').nth(2).contentFrame().getByLabel('x')",
        ),
        (
            "getByText('x').and(getByText('y', { exact: true }))",
            "internal:text=\"x\"i >> internal:and=\"internal:text=\\\"y\\\"s\"",
            "getByText('x').and(getByText('y', { exact: true }))",
        ),
        (
            "locator('a').locator(getByText('x'))",
            "a >> internal:chain=\"internal:text=\\\"x\\\"i\"",
            "locator('a').locator(getByText('x'))",
        ),
        (
            "getByTestId(/x\"y/)",
            "internal:testid=[data-testid=/x\\\"y/]",
            "getByTestId(/x\"y/)",
        ),
        (
            "getByText('a').nth(-1)",
            "internal:text=\"a\"i >> nth=-1",
            "getByText('a').last()",
        ),
        (
            "getByRole( 'row' , { 'name' : /a.b/ , level : 2 , } ) . first ( )",
            "internal:role=row[name=/a.b/][level=2] >> nth=0",
            "getByRole('row', { name: /a.b/, level: 2 }).first()",
        ),
        (
            "locator(\"text='42'\")",
            "text='42'",
            "locator('text=\\'42\\'')",
        ),
        (
            "getByText('a\\nb\\t\"q\" \\u00e9 \\\\')",
            "internal:text=\"a\\nb\\t\\\"q\\\" é \\\\\"i",
            "getByText('a\\nb\\t\"q\" é \\\\')",
        ),
    ] {
        let selector = selector(text);
        assert_eq!(selector.to_string(), syntax);
        assert_eq!(selector.to_javascript(), code);
        assert_eq!(self::selector(syntax).to_javascript(), code);
    }
}

#[test]
fn unreadable_texts() {
    for text in [
        "",
        "foo(",
        "page.getByRole('heading')",
        "await getByText('x')",
        "getByText('x');",
        "getByRole('heading', { nope: 1 })",
        "getByText('x').describe('y')",
        "getByText('x",
        "[id=\"sel\"",
        "h2 >>",
        "a::before",
        "internal:has=\"a\"",
        "div >> internal:has=\"a",
        "div >> nth=x",
        "locator()",
        "filter({ hasText: 'x' }",
        "and(locator('a'))",
    ] {
        assert_eq!(error(text), UNREADABLE, "{text}");
    }
    let detail = parse_target("page.getByText('x')").unwrap_err().detail();
    assert!(
        detail.contains("leave out \"page\" in front of the locator"),
        "{detail}"
    );
}

#[test]
fn meaningless_texts() {
    for (text, message) in [
        (
            "zzz=1",
            "Unknown engine \"zzz\" while parsing selector zzz=1",
        ),
        (
            "Price = 5",
            "Unknown engine \"Price\" while parsing selector Price= 5",
        ),
        (
            "div >> zzz=1",
            "Unknown engine \"zzz\" while parsing selector div >> zzz=1",
        ),
        (
            "role=button[foo]",
            "Unknown attribute \"foo\", must be one of \"checked\", \"description\", \"disabled\", \"expanded\", \"include-hidden\", \"level\", \"name\", \"pressed\", \"selected\".",
        ),
        (
            "getByRole('button', { level: 2 })",
            "\"level\" attribute is only supported for roles: \"heading\", \"listitem\", \"row\", \"treeitem\"",
        ),
        (
            "internal:role=",
            "Error while parsing selector `` - selector cannot be empty",
        ),
        ("role=[name='x']", "Role must not be empty"),
        ("role=button[name]", "\"name\" attribute must have a value"),
        (
            "role=button[pressed='x']",
            "\"pressed\" must be one of true, false, \"mixed\"",
        ),
        (
            "text=/(/",
            "Invalid regular expression: /(/: Unterminated group",
        ),
        (
            "getByText(/(/)",
            "Invalid regular expression: /(/: Unterminated group",
        ),
        (
            "*css=a >> *css=b",
            "Only one of the selectors can capture using * modifier",
        ),
        (
            ":foo",
            "Failed to execute 'querySelectorAll' on 'Document': ':foo' is not a valid selector. There is no pseudo-class \":foo\".",
        ),
        (
            "//a[foo()]",
            "Failed to execute 'evaluate' on 'Document': The string '//a[foo()]' is not a valid XPath expression: unsupported function foo().",
        ),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

#[test]
fn frame_hops() {
    let hops = selector("#a >> iframe >> internal:control=enter-frame >> b >> i")
        .split_frames()
        .unwrap();
    let texts: Vec<String> = hops.iter().map(Selector::to_string).collect();
    assert_eq!(texts, ["#a >> iframe", "b >> i"]);
    let joined = selector("iframe").first().in_frame(selector("button"));
    assert_eq!(
        joined.to_javascript(),
        "locator('iframe').first().contentFrame().locator('button')"
    );
    let fails = |text: &str| selector(text).split_frames().unwrap_err().to_string();
    assert_eq!(
        fails("internal:control=enter-frame"),
        "Selector cannot start with entering frame, select the iframe first"
    );
    assert_eq!(
        fails("iframe >> internal:control=enter-frame"),
        "Selector cannot end with entering frame, while parsing selector iframe >> internal:control=enter-frame"
    );
    // A nested selector may begin with the frames of its surroundings.
    let nested = "iframe >> internal:control=enter-frame >> a >> internal:has=\"iframe >> internal:control=enter-frame >> b\"";
    assert_eq!(
        selector(nested).split_frames().unwrap()[1].to_string(),
        "a >> internal:has=\"b\""
    );
}

#[test]
fn captures_keep_the_marked_elements() {
    assert_eq!(
        selector("*css=div >> span").to_string(),
        "div >> internal:has=\"span\""
    );
    // Nothing follows the mark, so it says nothing.
    assert_eq!(selector("a >> *css=div").to_string(), "a >> div");
}

#[test]
fn nesting_is_bounded() {
    let mut text = "b".to_owned();
    for _ in 0..12 {
        text = format!("a >> internal:has={}", serde_json::Value::from(text));
    }
    assert!(parse_target(&text).is_ok());
    let deep = format!(
        "{}locator('a'){}",
        "locator('a').and(".repeat(40),
        ")".repeat(40)
    );
    assert_eq!(error(&deep), UNREADABLE);
    assert_eq!(
        error(&"a".repeat(200_000)),
        "Selector is too complex: the text is too long"
    );
}

#[test]
fn previews() {
    let document = recorded::mixed();
    let by_id = |id: &str| {
        document
            .elements()
            .find(|&n| document.attr(n, "id") == Some(id))
    };
    assert_eq!(
        preview(&document, by_id("desc1").unwrap()),
        "<div id=\"desc1\">first description</div>"
    );
    assert_eq!(
        preview(&document, by_id("desc2").unwrap()),
        "<div id=\"desc2\">…</div>"
    );
    assert_eq!(
        preview(&document, by_id("nm").unwrap()),
        "<input id=\"nm\"/>"
    );
    let long = document.elements().find(|&n| {
        let children = document.light_children(n);
        children.len() == 1 && document.value(children[0]).starts_with("Some very long")
    });
    assert_eq!(
        preview(&document, long.unwrap()),
        "<p>Some very long paragraph text that goes beyond th…</p>"
    );
}
