//! Locators for test code, and checks.

use serde_json::json;

use crate::common::{Launch, Stage, reference};
use crate::steps;

#[test]
fn testing() {
    let stage = Stage::new(Launch::new().arg("--caps=testing"));
    steps!(&stage;
        locators_are_generated,
        elements_are_found_in_all_frames,
        visible_texts,
        items_of_lists,
        values_of_controls,
    );
}

fn locators_are_generated(stage: &Stage) {
    stage.show("<button>Save</button><button data-testid=other>Save as</button>");
    let generated = |target: &str| {
        let arguments = json!({ "element": "button", "target": target });
        stage.call("browser_generate_locator", arguments).fine()
    };
    let snapshot = stage.snapshot();
    let target = crate::common::ref_of(&snapshot, "button \"Save\"");
    generated(&target).says("### Result\ngetByRole('button', { name: 'Save', exact: true })");
    generated("[data-testid=other]").has("locator('[data-testid=other]')");
}

fn elements_are_found_in_all_frames(stage: &Stage) {
    stage.show("<h1>Main</h1><iframe title=inner srcdoc='<button>Deep inside</button>'></iframe>");
    let verify = |role: &str, name: &str| {
        let arguments = json!({ "role": role, "accessibleName": name });
        stage.call("browser_verify_element_visible", arguments)
    };
    verify("heading", "main")
        .fine()
        .has("### Result\nDone")
        .has("await expect(page.getByRole('heading', { name: 'Main' })).toBeVisible();");
    verify("button", "inside")
        .fine()
        .has("contentFrame().getByRole('button', { name: 'Deep inside' })).toBeVisible();");
    verify("button", "main")
        .failed()
        .has("Element with role \"button\" and accessible name \"main\" not found");
    if !reference() {
        verify("x]; y[", "a\"b").failed().has("not found");
    }
}

fn visible_texts(stage: &Stage) {
    stage.show("<p>Hello there</p><p hidden>Secret word</p>");
    let verify = |text: &str| stage.call("browser_verify_text_visible", json!({ "text": text }));
    verify("hello")
        .fine()
        .has("await expect(page.getByText('Hello there')).toBeVisible();");
    verify("Secret").failed().has("Text not found");
    verify("\"quoted\" \\").failed().has("Text not found");
}

fn items_of_lists(stage: &Stage) {
    stage.show("<ul><li>Milk</li><li>Bread `${x}`</li></ul>");
    let verify = |items: serde_json::Value| {
        let arguments = json!({ "element": "list", "target": "ul", "items": items });
        stage.call("browser_verify_list_visible", arguments)
    };
    if reference() {
        // It takes the end of a placeholder for code.
        return;
    }
    verify(json!(["Milk", "bread"])).fine().has(
        "await expect(page.locator('body')).toMatchAriaSnapshot(`\n  - list:\n    - listitem: \"Milk\"\n    \
         - listitem: \"Bread \\`\\${x}\\`\"\n  `);",
    );
    verify(json!(["Milk", "Eggs"]))
        .failed()
        .has("Item \"Eggs\" not found");
}

fn values_of_controls(stage: &Stage) {
    stage.show(
        "<input id=text value=abc><input id=empty><input id=box type=checkbox checked>
         <select id=choice><option value=1>One<option value=2 selected>Two</select><p id=none>p</p>",
    );
    let verify = |kind: &str, target: &str, value: &str| {
        let arguments = json!({ "type": kind, "element": "it", "target": target, "value": value });
        stage.call("browser_verify_value", arguments)
    };
    verify("textbox", "#text", "abc")
        .fine()
        .has("await expect(page.locator('#text')).toHaveValue('abc');");
    verify("textbox", "#text", "abd")
        .failed()
        .has("Expected value \"abd\", but got \"abc\"");
    verify("textbox", "#empty", "")
        .fine()
        .has("await expect(page.locator('#empty')).toBeEmpty();");
    verify("combobox", "#choice", "2")
        .fine()
        .has("toHaveValue('2')");
    verify("checkbox", "#box", "true")
        .fine()
        .has("await expect(page.locator('#box')).toBeChecked();");
    verify("checkbox", "#box", "false")
        .failed()
        .has("Expected value \"false\", but got \"true\"");
    verify("textbox", "#none", "p")
        .failed()
        .has("Node is not an <input>, <textarea> or <select> element");
}
