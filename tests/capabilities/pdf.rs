//! The page as a PDF.

use serde_json::json;

use crate::common::{Launch, Stage};
use crate::steps;

#[test]
fn pdf() {
    let stage = Stage::new(Launch::new().arg("--caps=pdf"));
    steps!(&stage; a_page_is_printed);
}

fn a_page_is_printed(stage: &Stage) {
    stage.show("<h1>To be printed</h1>");
    stage
        .call("browser_pdf_save", json!({ "filename": "out/page.pdf" }))
        .fine()
        .has("- [Page as pdf](out/page.pdf)")
        .has("await page.pdf({\n  path: 'out/page.pdf'\n});");
    let bytes = std::fs::read(stage.workspace().join("out/page.pdf")).expect("a file");
    assert!(bytes.starts_with(b"%PDF-"));
    // US letter, in points.
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("/MediaBox [0 0 612 792]"), "{}", bytes.len());
    stage
        .call("browser_pdf_save", json!({}))
        .fine()
        .has("- [Page as pdf](.playwright-mcp/page-<ts>.pdf)");
}
