//! Which part of a page to capture, and at what scale.
//!
//! Models refuse pictures above 8,000 pixels a side, WebP ends at 16,383, and a page can be any
//! height. So the wanted size is computed first, and what would be too large is asked for at a
//! smaller scale: the browser then never makes the large picture.

use serde::Serialize;

use super::image_size::{ImageFormat, PixelSize};

/// A rectangle in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Extent to the right.
    pub width: f64,
    /// Extent downwards.
    pub height: f64,
}

/// Edges this close to a whole pixel count as on it; layout leaves such crumbs.
const CRUMB: f64 = 1e-3;

impl Rect {
    /// The smallest rectangle on whole pixels that holds this one.
    pub fn enclosing_integers(self) -> Self {
        let x = (self.x + CRUMB).floor();
        let y = (self.y + CRUMB).floor();
        Self {
            x,
            y,
            width: (self.x + self.width - CRUMB).ceil() - x,
            height: (self.y + self.height - CRUMB).ceil() - y,
        }
    }
}

/// `Page.getLayoutMetrics`' `cssVisualViewport`, as far as screenshots need it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VisualViewport {
    /// Where the visible part begins in the document, CSS pixels.
    pub page_x: f64,
    /// Where the visible part begins in the document, CSS pixels.
    pub page_y: f64,
    /// Pinch zoom, 1 when there is none.
    pub scale: f64,
}

/// The part of a page to capture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// In CSS pixels of the document.
    rect: Rect,
    /// Pinch zoom that applies to it.
    zoom: f64,
    beyond_viewport: bool,
}

/// Why an element has no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ElementError {
    /// It has no box.
    #[error("Node is either not visible or not an HTMLElement")]
    NoBox,
    /// Its box is empty.
    #[error("Node has 0 width.")]
    NoWidth,
    /// Its box is empty.
    #[error("Node has 0 height.")]
    NoHeight,
}

impl Area {
    /// What is visible; `width` and `height` are the viewport's, emulated or real.
    pub fn viewport(visual: VisualViewport, width: f64, height: f64) -> Self {
        Self {
            rect: Rect {
                x: visual.page_x,
                y: visual.page_y,
                width: (width / visual.scale + CRUMB).floor(),
                height: (height / visual.scale + CRUMB).floor(),
            },
            zoom: visual.scale,
            beyond_viewport: false,
        }
    }

    /// The whole document, `(width, height)` both of it and of the viewport.
    pub fn full_page(page: (f64, f64), viewport: (f64, f64)) -> Self {
        Self {
            rect: Rect {
                x: 0.0,
                y: 0.0,
                width: page.0.ceil(),
                height: page.1.ceil(),
            },
            zoom: 1.0,
            beyond_viewport: page.0 > viewport.0 || page.1 > viewport.1,
        }
    }

    /// An element that was scrolled into view, by its bounding box in the viewport.
    ///
    /// # Errors
    /// It has no box or an empty one.
    pub fn element(
        bounds: Option<Rect>,
        visual: VisualViewport,
        viewport: (f64, f64),
    ) -> Result<Self, ElementError> {
        let bounds = bounds.ok_or(ElementError::NoBox)?;
        if bounds.width <= 0.0 {
            return Err(ElementError::NoWidth);
        }
        if bounds.height <= 0.0 {
            return Err(ElementError::NoHeight);
        }
        let in_document = Rect {
            x: bounds.x + visual.page_x,
            y: bounds.y + visual.page_y,
            ..bounds
        };
        Ok(Self {
            rect: in_document.enclosing_integers(),
            zoom: 1.0,
            beyond_viewport: bounds.width > viewport.0 || bounds.height > viewport.1,
        })
    }
}

/// The size of the pixels in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// One for each CSS pixel, whatever the display.
    #[default]
    Css,
    /// One for each pixel of the display.
    Device,
}

/// How large a picture may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels a side.
    pub side: u32,
    /// Pixels altogether.
    pub pixels: u64,
}

impl Limits {
    /// What a model accepts in an answer.
    pub const INLINE: Self = Self {
        side: 8_000,
        pixels: 8_000 * 8_000,
    };

    /// What a file of this format can hold and a browser can make (a quarter of a gigapixel).
    pub fn file(format: ImageFormat) -> Self {
        Self {
            side: format.max_side(),
            pixels: 1 << 28,
        }
    }

    /// Both limits.
    pub fn and(self, other: Self) -> Self {
        Self {
            side: self.side.min(other.side),
            pixels: self.pixels.min(other.pixels),
        }
    }
}

/// `Page.captureScreenshot`'s `clip`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Clip {
    /// Left edge in CSS pixels of the document.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Factor on top of the device's pixel ratio.
    pub scale: f64,
}

/// Parameters of `Page.captureScreenshot`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureParams {
    /// The format.
    pub format: ImageFormat,
    /// 0 to 100; PNG has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<u8>,
    /// What and how large.
    pub clip: Clip,
    /// Whether the clip reaches beyond what is visible.
    pub capture_beyond_viewport: bool,
}

/// What to ask for, and what will come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Parameters of the command.
    pub params: CaptureParams,
    /// The size the picture will have.
    pub size: PixelSize,
    /// The size it would have had without limits.
    pub wanted: PixelSize,
    /// How much smaller it is, 1 when it is not.
    pub factor: f64,
}

impl Plan {
    /// What to tell about a picture that had to be made smaller.
    pub fn note(&self) -> Option<String> {
        (self.factor < 1.0).then(|| {
            format!(
                "Image scaled to {}x{} px ({:.0}%) because {}x{} px is too large. Take a screenshot of the viewport or of an element for full detail.",
                self.size.width,
                self.size.height,
                (self.factor * 100.0).max(1.0),
                self.wanted.width,
                self.wanted.height
            )
        })
    }
}

/// Why nothing can be captured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The area has no extent, or none that a number can express.
    #[error("There is nothing to capture: the area is {width}x{height} px.")]
    Empty {
        /// CSS pixels.
        width: f64,
        /// CSS pixels.
        height: f64,
    },
    /// Made small enough one way, it would vanish the other way.
    #[error(
        "{width}x{height} px cannot be made into one image of at most {side} px a side. Take a screenshot of the viewport or of an element instead."
    )]
    TooLong {
        /// CSS pixels.
        width: f64,
        /// CSS pixels.
        height: f64,
        /// The limit.
        side: u32,
    },
}

/// Plans the capture of `area` on a display with `pixel_ratio` device pixels per CSS pixel.
///
/// # Errors
/// The area is empty, or so long and thin that nothing of it would be left within the limits.
pub fn plan(
    area: Area,
    format: ImageFormat,
    scale: Scale,
    pixel_ratio: f64,
    limits: Limits,
) -> Result<Plan, PlanError> {
    let Rect {
        x,
        y,
        width,
        height,
    } = area.rect;
    let ratio = if pixel_ratio.is_finite() && pixel_ratio > 0.0 {
        pixel_ratio
    } else {
        1.0
    };
    // Pixels of the picture per CSS pixel.
    let density = area.zoom
        * match scale {
            Scale::Css => 1.0,
            Scale::Device => ratio,
        };
    let (wide, high) = (width * density, height * density);
    if !(wide.is_finite() && high.is_finite() && wide >= 1.0 && high >= 1.0) {
        return Err(PlanError::Empty { width, height });
    }
    let side = f64::from(limits.side);
    // Precise enough: limits are far below 2^53.
    let by_pixels = (limits.pixels as f64 / (wide * high)).sqrt();
    let factor = (side / wide).min(side / high).min(by_pixels).min(1.0);
    let size = pixels(wide * factor, high * factor);
    if size.width == 0 || size.height == 0 {
        return Err(PlanError::TooLong {
            width,
            height,
            side: limits.side,
        });
    }
    Ok(Plan {
        params: CaptureParams {
            format,
            quality: match format {
                ImageFormat::Png => None,
                ImageFormat::Jpeg => Some(90),
                ImageFormat::Webp => Some(100),
            },
            clip: Clip {
                x,
                y,
                width,
                height,
                // The browser multiplies by the pixel ratio itself.
                scale: density * factor / ratio,
            },
            capture_beyond_viewport: area.beyond_viewport,
        },
        size,
        wanted: pixels(wide, high),
        factor,
    })
}

/// Rounds as the browser does; too large values saturate.
fn pixels(width: f64, height: f64) -> PixelSize {
    PixelSize {
        width: width.round() as u32,
        height: height.round() as u32,
    }
}

#[cfg(test)]
#[path = "screenshot_tests.rs"]
mod tests;
