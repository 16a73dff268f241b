//! The client's roots: where its files lie.

use std::path::PathBuf;

use serde_json::Value;
use url::Url;

/// The path of the first root with a usable `file:` address in an answer to roots/list.
pub(super) fn first_folder(answer: &Value) -> Option<PathBuf> {
    answer["roots"].as_array()?.iter().find_map(|root| {
        let url = Url::parse(root["uri"].as_str()?).ok()?;
        if url.scheme() == "file" {
            url.to_file_path().ok()
        } else {
            None
        }
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_file_root_counts() {
        let answer = json!({"roots": [
            {"uri": "https://example.com/x"},
            {"uri": "no address"},
            {"name": "no uri"},
            {"uri": "file:///home/me/my%20project"},
            {"uri": "file:///other"},
        ]});
        assert_eq!(first_folder(&answer), Some("/home/me/my project".into()));
    }

    #[test]
    fn anything_else_is_no_root() {
        for answer in [
            json!({}),
            json!({"roots": null}),
            json!([]),
            json!({"roots": [1, {}]}),
        ] {
            assert_eq!(first_folder(&answer), None);
        }
    }
}
