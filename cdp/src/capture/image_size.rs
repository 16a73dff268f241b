//! Format and size of an encoded image, read from its first bytes.

use serde::Serialize;

/// The formats a browser takes screenshots in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// Lossless.
    Png,
    /// Small for photos.
    Jpeg,
    /// Small, with at most 16,383 pixels a side.
    Webp,
}

impl ImageFormat {
    /// `png`, `jpeg` or `webp`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }

    /// From [`ImageFormat::name`].
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Png, Self::Jpeg, Self::Webp]
            .into_iter()
            .find(|format| format.name() == name)
    }

    /// From a file name's extension (`.png`, `.jpg`, `.jpeg`, `.webp`), in any case.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "jpg" => Some(Self::Jpeg),
            other => Self::parse(other),
        }
    }

    /// The media type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }

    /// The most pixels a side that the format, or the browser's encoder of it, can hold.
    pub fn max_side(self) -> u32 {
        match self {
            // PNG could hold more, but nothing reads that.
            Self::Png | Self::Jpeg => 65_535,
            Self::Webp => 16_383,
        }
    }
}

impl std::fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelSize {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl std::fmt::Display for PixelSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// Why an image cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// No bytes at all, which is how Chromium reports pictures that are too large to encode.
    #[error("The browser returned an empty {0} image; it is probably too large for that format.")]
    Empty(ImageFormat),
    /// Another format than the one asked for.
    #[error("The browser returned a {found} image instead of {expected}.")]
    OtherFormat {
        /// What was asked for.
        expected: ImageFormat,
        /// What came.
        found: ImageFormat,
    },
    /// Damaged, or no known image.
    #[error("The browser returned something that is not a readable {0} image.")]
    Unreadable(ImageFormat),
}

/// Checks that `bytes` are an image of the format asked for and returns its size.
///
/// # Errors
/// It is empty, of another format, or its head cannot be read.
pub fn check(bytes: &[u8], expected: ImageFormat) -> Result<PixelSize, ImageError> {
    if bytes.is_empty() {
        return Err(ImageError::Empty(expected));
    }
    match inspect(bytes) {
        Some((found, size)) if found == expected => Ok(size),
        Some((found, _)) => Err(ImageError::OtherFormat { expected, found }),
        None => Err(ImageError::Unreadable(expected)),
    }
}

/// Format and size of an image; `None` when it is neither PNG, JPEG nor WebP, or cut short.
pub fn inspect(bytes: &[u8]) -> Option<(ImageFormat, PixelSize)> {
    let (format, size) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        (ImageFormat::Png, png(bytes)?)
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        (ImageFormat::Jpeg, jpeg(bytes)?)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12)? == b"WEBP" {
        (ImageFormat::Webp, webp(bytes)?)
    } else {
        return None;
    };
    (size.width > 0 && size.height > 0).then_some((format, size))
}

/// The IHDR chunk comes first (PNG specification §5.6).
fn png(bytes: &[u8]) -> Option<PixelSize> {
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    Some(PixelSize {
        width: u32::from_be_bytes(array(bytes, 16)?),
        height: u32::from_be_bytes(array(bytes, 20)?),
    })
}

/// Walks the marker segments to the frame header (ITU-T T.81 §B.2.2).
fn jpeg(bytes: &[u8]) -> Option<PixelSize> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // Fill bytes may precede a marker.
            0xFF => at += 1,
            // Markers without a segment.
            0x01 | 0xD0..=0xD8 => at += 2,
            // Frame headers; the gaps are tables and arithmetic conditioning.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some(PixelSize {
                    height: u16::from_be_bytes(array(bytes, at + 5)?).into(),
                    width: u16::from_be_bytes(array(bytes, at + 7)?).into(),
                });
            }
            // Scan data or the end before any frame header.
            0xD9 | 0xDA => return None,
            _ => {
                let length = usize::from(u16::from_be_bytes(array(bytes, at + 2)?));
                at += 2 + length.max(2);
            }
        }
    }
}

/// The first chunk tells the size in each of the three flavours (RFC 9649 §2).
fn webp(bytes: &[u8]) -> Option<PixelSize> {
    match bytes.get(12..16)? {
        b"VP8X" => Some(PixelSize {
            width: 1 + three_bytes(bytes, 24)?,
            height: 1 + three_bytes(bytes, 27)?,
        }),
        b"VP8L" => {
            if *bytes.get(20)? != 0x2F {
                return None;
            }
            let bits = u32::from_le_bytes(array(bytes, 21)?);
            Some(PixelSize {
                width: 1 + (bits & 0x3FFF),
                height: 1 + (bits >> 14 & 0x3FFF),
            })
        }
        b"VP8 " => {
            if bytes.get(23..26)? != [0x9D, 0x01, 0x2A] {
                return None;
            }
            // The upper two bits ask for upscaling by the viewer.
            Some(PixelSize {
                width: u32::from(u16::from_le_bytes(array(bytes, 26)?) & 0x3FFF),
                height: u32::from(u16::from_le_bytes(array(bytes, 28)?) & 0x3FFF),
            })
        }
        _ => None,
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn three_bytes(bytes: &[u8], at: usize) -> Option<u32> {
    let [low, middle, high] = array(bytes, at)?;
    Some(u32::from_le_bytes([low, middle, high, 0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_head(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    /// A JPEG's head as Chromium writes it: JFIF, a quantisation table, fill bytes, the frame.
    fn jpeg_head(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = vec![
            0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0xFF, 0xC0, 0xFF, 0xDB, 0, 3, 0, 0xFF,
        ];
        bytes.extend([0xFF, 0xC0, 0, 17, 8]);
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes
    }

    fn webp_head(chunk: &[u8; 4], payload: &[u8]) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WEBP".to_vec();
        bytes.extend(chunk);
        bytes.extend([0; 4]);
        bytes.extend(payload);
        bytes
    }

    fn size(bytes: &[u8]) -> Option<(u32, u32)> {
        inspect(bytes).map(|(_, size)| (size.width, size.height))
    }

    #[test]
    fn sizes_of_all_formats() {
        assert_eq!(size(&png_head(1265, 20100)), Some((1265, 20100)));
        assert_eq!(size(&jpeg_head(1265, 20100)), Some((1265, 20100)));
        // Lossy: 0x1234 & 0x3FFF columns, 3 rows.
        let lossy = [0, 0, 0, 0x9D, 0x01, 0x2A, 0x34, 0x52, 3, 0];
        assert_eq!(size(&webp_head(b"VP8 ", &lossy)), Some((0x1234, 3)));
        // Lossless: (width - 1) | (height - 1) << 14, here 503 and 8000.
        let bits: u32 = 502 | 7999 << 14;
        let mut lossless = vec![0x2F];
        lossless.extend(bits.to_le_bytes());
        assert_eq!(size(&webp_head(b"VP8L", &lossless)), Some((503, 8000)));
        // Extended: flags, three reserved bytes, then width - 1 and height - 1 in 24 bits each.
        let extended = [0, 0, 0, 0, 0xFF, 0x04, 0x00, 0xCF, 0x02, 0x01];
        assert_eq!(size(&webp_head(b"VP8X", &extended)), Some((1280, 0x1_02D0)));
    }

    #[test]
    fn whatever_is_cut_short_is_unreadable() {
        for image in [
            png_head(10, 10),
            jpeg_head(10, 10),
            webp_head(b"VP8X", &[0, 0, 0, 0, 1, 0, 0, 1, 0, 0]),
            webp_head(b"VP8L", &[0x2F, 1, 1, 1, 1]),
            webp_head(b"VP8 ", &[0, 0, 0, 0x9D, 0x01, 0x2A, 1, 0, 1, 0]),
        ] {
            assert!(inspect(&image).is_some());
            for length in 0..image.len() {
                assert_eq!(inspect(&image[..length]), None);
            }
        }
        assert_eq!(inspect(&png_head(0, 5)), None);
        assert_eq!(inspect(&[0xFF; 64]), None);
        assert_eq!(inspect(b"<svg>"), None);
    }

    #[test]
    fn unusable_images_are_errors() {
        assert_eq!(
            check(b"", ImageFormat::Webp).unwrap_err().to_string(),
            "The browser returned an empty webp image; it is probably too large for that format."
        );
        assert_eq!(
            check(&png_head(1, 1), ImageFormat::Webp)
                .unwrap_err()
                .to_string(),
            "The browser returned a png image instead of webp."
        );
        assert_eq!(
            check(b"nonsense", ImageFormat::Png),
            Err(ImageError::Unreadable(ImageFormat::Png))
        );
        let size = check(&png_head(2, 3), ImageFormat::Png).unwrap();
        assert_eq!(size.to_string(), "2x3");
    }

    #[test]
    fn names() {
        assert_eq!(ImageFormat::parse("jpeg"), Some(ImageFormat::Jpeg));
        assert_eq!(ImageFormat::parse("jpg"), None);
        assert_eq!(
            ImageFormat::from_file_name("a.b/c.JPG"),
            Some(ImageFormat::Jpeg)
        );
        assert_eq!(ImageFormat::from_file_name("shot"), None);
        assert_eq!(ImageFormat::from_file_name("shot.gif"), None);
    }
}
