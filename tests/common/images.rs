//! Sizes of images, read from their headers.

/// Width and height in pixels of a PNG, JPEG or WebP image.
#[track_caller]
pub fn size(bytes: &[u8]) -> (u32, u32) {
    png(bytes)
        .or_else(|| jpeg(bytes))
        .or_else(|| webp(bytes))
        .unwrap_or_else(|| panic!("no image: {:?}", &bytes[..bytes.len().min(16)]))
}

/// The kind that the first bytes promise.
pub fn kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xff, 0xd8, ..] => "jpeg",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "webp",
        _ => "unknown",
    }
}

/// PNG (ISO/IEC 15948): the IHDR chunk comes first.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let at = |start: usize| {
        Some(u32::from_be_bytes(
            bytes.get(start..start + 4)?.try_into().ok()?,
        ))
    };
    Some((at(16)?, at(20)?))
}

/// JPEG (ISO/IEC 10918): walks the segments to the start of the frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(&[0xff, 0xd8])?;
    loop {
        let &[0xff, marker, high, low, ref tail @ ..] = rest else {
            return None;
        };
        if matches!(marker, 0xc0..=0xc2) {
            let &[_, h1, h0, w1, w0, ..] = tail else {
                return None;
            };
            let number = |high, low| u32::from(u16::from_be_bytes([high, low]));
            return Some((number(w1, w0), number(h1, h0)));
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        rest = rest.get(2 + length..)?;
    }
}

/// WebP: extended, lossless or simple.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    if kind(bytes) != "webp" {
        return None;
    }
    let byte = |at: usize| bytes.get(at).map(|&b| u32::from(b));
    let wide = |at: usize| Some(1 + byte(at)? + (byte(at + 1)? << 8) + (byte(at + 2)? << 16));
    let short = |at: usize| Some((byte(at)? + (byte(at + 1)? << 8)) & 0x3fff);
    match bytes.get(12..16)? {
        b"VP8X" => Some((wide(24)?, wide(27)?)),
        b"VP8L" => {
            let packed = byte(21)? + (byte(22)? << 8) + (byte(23)? << 16) + (byte(24)? << 24);
            Some(((packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1))
        }
        _ => Some((short(26)?, short(28)?)),
    }
}
