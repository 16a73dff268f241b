use super::*;
use serde_json::json;

const AT_TOP: VisualViewport = VisualViewport {
    page_x: 0.0,
    page_y: 0.0,
    scale: 1.0,
};
const VIEWPORT: (f64, f64) = (1280.0, 720.0);

fn full_page(height: f64) -> Area {
    Area::full_page((1280.0, height), VIEWPORT)
}

#[test]
fn rectangles_grow_to_whole_pixels() {
    let rect = Rect {
        x: 10.5,
        y: -0.4,
        width: 20.2,
        height: 1.0,
    };
    // 10.5 to 30.7 and -0.4 to 0.6.
    assert_eq!(
        rect.enclosing_integers(),
        Rect {
            x: 10.0,
            y: -1.0,
            width: 21.0,
            height: 2.0
        }
    );
    let crumbs = Rect {
        x: 9.9995,
        y: 5.0,
        width: 20.0008,
        height: 10.0,
    };
    assert_eq!(
        crumbs.enclosing_integers(),
        Rect {
            x: 10.0,
            y: 5.0,
            width: 20.0,
            height: 10.0
        }
    );
}

#[test]
fn a_viewport_as_it_is() {
    let scrolled = VisualViewport {
        page_y: 300.0,
        ..AT_TOP
    };
    let plan = plan(
        Area::viewport(scrolled, 1280.0, 720.0),
        ImageFormat::Png,
        Scale::Css,
        1.0,
        Limits::INLINE,
    )
    .unwrap();
    assert_eq!(
        serde_json::to_value(plan.params).unwrap(),
        json!({"format": "png", "clip": {"x": 0.0, "y": 300.0, "width": 1280.0, "height": 720.0, "scale": 1.0},
               "captureBeyondViewport": false})
    );
    assert_eq!(
        (plan.size, plan.factor, plan.note()),
        (
            PixelSize {
                width: 1280,
                height: 720
            },
            1.0,
            None
        )
    );
}

#[test]
fn css_pixels_undo_the_pixel_ratio_and_device_pixels_keep_it() {
    let area = Area::viewport(AT_TOP, 1280.0, 720.0);
    let css = plan(area, ImageFormat::Jpeg, Scale::Css, 2.0, Limits::INLINE).unwrap();
    assert_eq!((css.params.clip.scale, css.params.quality), (0.5, Some(90)));
    assert_eq!(
        css.size,
        PixelSize {
            width: 1280,
            height: 720
        }
    );
    let device = plan(area, ImageFormat::Webp, Scale::Device, 2.0, Limits::INLINE).unwrap();
    assert_eq!(
        (device.params.clip.scale, device.params.quality),
        (1.0, Some(100))
    );
    assert_eq!(
        device.size,
        PixelSize {
            width: 2560,
            height: 1440
        }
    );
}

#[test]
fn pinch_zoom_shows_less_page_on_as_many_pixels() {
    let zoomed = VisualViewport {
        page_x: 100.0,
        page_y: 50.0,
        scale: 2.0,
    };
    let plan = plan(
        Area::viewport(zoomed, 1280.0, 720.0),
        ImageFormat::Png,
        Scale::Css,
        1.0,
        Limits::INLINE,
    )
    .unwrap();
    assert_eq!(
        plan.params.clip,
        Clip {
            x: 100.0,
            y: 50.0,
            width: 640.0,
            height: 360.0,
            scale: 2.0
        }
    );
    assert_eq!(
        plan.size,
        PixelSize {
            width: 1280,
            height: 720
        }
    );
}

#[test]
fn tall_pages_are_scaled_for_the_answer_and_whole_in_the_file() {
    let inline = plan(
        full_page(20_100.0),
        ImageFormat::Png,
        Scale::Css,
        1.0,
        Limits::INLINE,
    )
    .unwrap();
    // 8,000 / 20,100 of 1,280 is 509.45.
    assert_eq!(
        inline.size,
        PixelSize {
            width: 509,
            height: 8_000
        }
    );
    assert!(inline.params.capture_beyond_viewport);
    assert_eq!(
        inline.note().unwrap(),
        "Image scaled to 509x8000 px (40%) because 1280x20100 px is too large. Take a screenshot of the viewport or of an element for full detail."
    );
    let file = |format| {
        plan(
            full_page(20_100.0),
            format,
            Scale::Css,
            1.0,
            Limits::file(format),
        )
        .unwrap()
    };
    assert_eq!(
        file(ImageFormat::Png).size,
        PixelSize {
            width: 1280,
            height: 20_100
        }
    );
    assert_eq!(file(ImageFormat::Png).note(), None);
    // 16,383 / 20,100 of 1,280 is 1,043.29.
    assert_eq!(
        file(ImageFormat::Webp).size,
        PixelSize {
            width: 1043,
            height: 16_383
        }
    );
}

#[test]
fn scaling_and_the_pixel_ratio_combine() {
    let inline = plan(
        full_page(20_000.0),
        ImageFormat::Png,
        Scale::Device,
        2.0,
        Limits::INLINE,
    )
    .unwrap();
    assert_eq!((inline.factor, inline.params.clip.scale), (0.2, 0.2));
    assert_eq!(
        inline.size,
        PixelSize {
            width: 512,
            height: 8_000
        }
    );
    assert_eq!(
        inline.wanted,
        PixelSize {
            width: 2560,
            height: 40_000
        }
    );
}

#[test]
fn areas_are_limited_too() {
    let square = Area::full_page((60_000.0, 60_000.0), VIEWPORT);
    let file = plan(
        square,
        ImageFormat::Png,
        Scale::Css,
        1.0,
        Limits::file(ImageFormat::Png),
    )
    .unwrap();
    assert_eq!(
        file.size,
        PixelSize {
            width: 16_384,
            height: 16_384
        }
    );
    let both = Limits::file(ImageFormat::Webp).and(Limits::INLINE);
    assert_eq!(both, Limits::INLINE);
}

#[test]
fn no_limit_is_ever_passed() {
    for height in (1..200_000).step_by(997) {
        for ratio in [1.0, 1.25, 2.0, 3.0] {
            let plan = plan(
                full_page(height.into()),
                ImageFormat::Webp,
                Scale::Device,
                ratio,
                Limits::INLINE,
            )
            .unwrap();
            assert!(
                plan.size.width <= 8_000 && plan.size.height <= 8_000,
                "{height} {ratio}"
            );
        }
    }
}

#[test]
fn impossible_areas_are_refused() {
    let error = |width, height| {
        plan(
            Area::full_page((width, height), VIEWPORT),
            ImageFormat::Png,
            Scale::Css,
            1.0,
            Limits::INLINE,
        )
        .unwrap_err()
        .to_string()
    };
    assert_eq!(
        error(0.0, 100.0),
        "There is nothing to capture: the area is 0x100 px."
    );
    assert_eq!(
        error(f64::INFINITY, 100.0),
        "There is nothing to capture: the area is infx100 px."
    );
    assert_eq!(
        error(1280.0, 33_000_000.0),
        "1280x33000000 px cannot be made into one image of at most 8000 px a side. Take a screenshot of the viewport or of an element instead."
    );
    let odd_ratio = plan(
        full_page(720.0),
        ImageFormat::Png,
        Scale::Css,
        f64::NAN,
        Limits::INLINE,
    )
    .unwrap();
    assert_eq!(odd_ratio.params.clip.scale, 1.0);
}

#[test]
fn elements() {
    let scrolled = VisualViewport {
        page_y: 500.0,
        ..AT_TOP
    };
    let bounds = Rect {
        x: 8.0,
        y: 100.25,
        width: 200.0,
        height: 18.5,
    };
    let area = Area::element(Some(bounds), scrolled, VIEWPORT).unwrap();
    let small = plan(area, ImageFormat::Png, Scale::Css, 1.0, Limits::INLINE).unwrap();
    // 600.25 to 618.75.
    assert_eq!(
        small.params.clip,
        Clip {
            x: 8.0,
            y: 600.0,
            width: 200.0,
            height: 19.0,
            scale: 1.0
        }
    );
    assert!(!small.params.capture_beyond_viewport);
    let tall = Area::element(
        Some(Rect {
            height: 721.0,
            ..bounds
        }),
        AT_TOP,
        VIEWPORT,
    )
    .unwrap();
    assert!(tall.beyond_viewport);
    let error = |bounds| {
        Area::element(bounds, AT_TOP, VIEWPORT)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(None),
        "Node is either not visible or not an HTMLElement"
    );
    assert_eq!(
        error(Some(Rect {
            width: 0.0,
            ..bounds
        })),
        "Node has 0 width."
    );
    assert_eq!(
        error(Some(Rect {
            height: 0.0,
            ..bounds
        })),
        "Node has 0 height."
    );
}

#[test]
fn full_pages_that_fit_are_captured_as_seen() {
    assert!(!Area::full_page((1280.0, 720.0), VIEWPORT).beyond_viewport);
    assert!(Area::full_page((1280.0, 720.5), VIEWPORT).beyond_viewport);
}
