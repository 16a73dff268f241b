//! The content parts of a reply: one text part, then pictures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::sections::{RenderOptions, text};
use crate::call::ToolReply;
use crate::config::ImageResponses;

/// One content part of a tool result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentPart {
    /// Text; may be empty.
    Text(String),
    /// A picture.
    Image {
        /// Media type.
        mime: String,
        /// The file in standard base64 with padding (RFC 4648 §4).
        data: String,
    },
}

/// The parts of a reply.
///
/// There is always a text part, even an empty one, except when only pictures are wanted, there is
/// one, and nothing failed.
pub fn content(reply: &ToolReply, options: &RenderOptions) -> Vec<ContentPart> {
    let pictures = match (&reply.thrown, options.images) {
        (Some(_), _) | (_, ImageResponses::Omit) => &[],
        (None, _) => reply.images.as_slice(),
    };
    let only_pictures =
        options.images == ImageResponses::Only && !pictures.is_empty() && !reply.is_error();
    let mut parts = Vec::with_capacity(pictures.len() + 1);
    if !only_pictures {
        parts.push(ContentPart::Text(text(reply, options)));
    }
    parts.extend(pictures.iter().map(|picture| ContentPart::Image {
        mime: picture.mime.clone(),
        data: STANDARD.encode(&picture.bytes),
    }));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ImagePart;

    fn shot() -> ToolReply {
        ToolReply {
            images: vec![ImagePart {
                mime: "image/png".to_owned(),
                bytes: vec![1, 2, 3, 4],
            }],
            ..ToolReply::result("- [Screenshot of viewport](./x.png)")
        }
    }

    fn with(images: ImageResponses) -> RenderOptions {
        RenderOptions {
            images,
            ..RenderOptions::default()
        }
    }

    fn image() -> ContentPart {
        ContentPart::Image {
            mime: "image/png".to_owned(),
            data: "AQIDBA==".to_owned(),
        }
    }

    fn words() -> ContentPart {
        ContentPart::Text("### Result\n- [Screenshot of viewport](./x.png)".to_owned())
    }

    #[test]
    fn pictures_follow_the_text_unless_told_otherwise() {
        assert_eq!(
            content(&shot(), &with(ImageResponses::Allow)),
            [words(), image()]
        );
        assert_eq!(content(&shot(), &with(ImageResponses::Omit)), [words()]);
        assert_eq!(content(&shot(), &with(ImageResponses::Only)), [image()]);
    }

    #[test]
    fn only_pictures_still_shows_errors_and_plain_text() {
        let only = with(ImageResponses::Only);
        let failed = ToolReply {
            errors: vec!["Error: no".to_owned()],
            ..shot()
        };
        assert_eq!(content(&failed, &only).len(), 2);
        assert_eq!(
            content(&ToolReply::default(), &only),
            [ContentPart::Text(String::new())]
        );
    }

    #[test]
    fn a_thrown_error_has_no_pictures() {
        let thrown = ToolReply {
            thrown: Some("Error: x".to_owned()),
            ..shot()
        };
        assert_eq!(
            content(&thrown, &with(ImageResponses::Allow)),
            [ContentPart::Text("### Error\nError: x".to_owned())]
        );
    }
}
