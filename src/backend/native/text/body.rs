//! Whether a response body is shown as text or saved, and under which extension.

/// How the body of a response is handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyForm {
    /// In the result itself.
    Text,
    /// In a file with this extension (without dot).
    File(String),
}

impl BodyForm {
    /// From the `content-type` header, parameters included; a missing or unreadable one means
    /// [`BodyForm::File`] with `bin`.
    pub fn of(content_type: Option<&str>) -> Self {
        let essence = essence(content_type.unwrap_or_default()).to_ascii_lowercase();
        if is_textual(&essence) {
            Self::Text
        } else {
            Self::File(extension(&essence))
        }
    }
}

/// Type and subtype without parameters: `text/html` of `text/html; charset=utf-8`.
pub(super) fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

fn is_textual(essence: &str) -> bool {
    match essence.split_once('/') {
        Some(("text", _)) => true,
        Some(("image", subtype)) => matches!(subtype, "svg" | "svg+xml"),
        Some(("application", subtype)) => {
            matches!(
                subtype,
                "json"
                    | "javascript"
                    | "x-javascript"
                    | "ecmascript"
                    | "graphql"
                    | "x-www-form-urlencoded"
            ) || subtype.starts_with("xml")
                || subtype.ends_with("+json")
                || subtype.ends_with("+xml")
        }
        _ => false,
    }
}

fn extension(essence: &str) -> String {
    let subtype = essence.split_once('/').map_or("", |(_, subtype)| subtype);
    let tail = subtype.rsplit('+').next().unwrap_or_default();
    let letters: String = match tail {
        "plain" => "txt".into(),
        "javascript" | "ecmascript" => "js".into(),
        "jpeg" => "jpg".into(),
        other => other.chars().filter(char::is_ascii_alphanumeric).collect(),
    };
    if letters.is_empty() {
        "bin".into()
    } else {
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for content_type in [
            "text/html; charset=utf-8",
            "text/",
            "Text/HTML;charset=X",
            "application/json",
            "application/json; x=y",
            "application/JSON",
            "application/ld+json",
            "application/soap+xml",
            "application/xhtml+xml",
            "application/xml-dtd",
            "application/javascript",
            "application/x-javascript",
            "application/ecmascript",
            "application/graphql",
            "application/x-www-form-urlencoded",
            "image/svg+xml",
            "image/svg",
        ] {
            assert_eq!(
                BodyForm::of(Some(content_type)),
                BodyForm::Text,
                "{content_type}"
            );
        }
    }

    #[test]
    fn files() {
        for (content_type, extension) in [
            ("image/png", "png"),
            ("image/jpeg", "jpg"),
            ("IMAGE/JPEG", "jpg"),
            ("image/x-icon", "xicon"),
            ("font/woff2", "woff2"),
            ("audio/mpeg", "mpeg"),
            ("application/pdf", "pdf"),
            ("application/octet-stream", "octetstream"),
            ("application/vnd.ms-excel", "vndmsexcel"),
            ("application/vnd.api+zip", "zip"),
            ("application/vnd.a.b+x-y", "xy"),
            ("application/x-ndjson", "xndjson"),
            ("application/plain", "txt"),
            ("multipart/form-data", "formdata"),
            ("application/+", "bin"),
            ("weird", "bin"),
            (" ; ", "bin"),
            ("image/../../é", "bin"),
        ] {
            assert_eq!(
                BodyForm::of(Some(content_type)),
                BodyForm::File(extension.into()),
                "{content_type}"
            );
        }
        assert_eq!(BodyForm::of(None), BodyForm::File("bin".into()));
    }
}
