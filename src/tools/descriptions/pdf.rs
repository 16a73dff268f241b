//! The tools of capability `pdf`.

use super::Prose;

/// The tools of capability `pdf`.
pub(super) const PDF: &[Prose] = &[Prose {
    tool: "browser_pdf_save",
    text: "Save the page as a PDF.",
    parameters: &[(
        "filename",
        "File to write, relative to the workspace; page-<time>.pdf in the output folder if not given",
    )],
}];
