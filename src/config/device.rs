//! The table of devices: what upstream's `--device` can name, and what each
//! stands for. The values are those of Playwright's device descriptors.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

const TABLE: &str = include_str!("../../fixtures/devices.json");

/// What `--mobile` stands for.
pub(super) const GENERIC_MOBILE: &str = "Pixel 10";

/// One device.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Device {
    pub(super) user_agent: String,
    pub(super) viewport: Size,
    pub(super) screen: Option<Size>,
    pub(super) device_scale_factor: f64,
    pub(super) is_mobile: bool,
    pub(super) has_touch: bool,
}

/// A size in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

/// The table as it is written. Read once, and only when a device is named.
fn table() -> &'static BTreeMap<String, Map<String, Value>> {
    static READ: LazyLock<BTreeMap<String, Map<String, Value>>> = LazyLock::new(|| {
        // The text is part of the program; a test reads all of it.
        serde_json::from_str(TABLE).expect("embedded device table")
    });
    &READ
}

/// The device of that name.
pub(super) fn find(name: &str) -> Option<Device> {
    let fields = described(name)?.clone();
    serde_json::from_value(Value::Object(fields)).ok()
}

/// The same as Playwright writes it.
pub(super) fn described(name: &str) -> Option<&'static Map<String, Value>> {
    table().get(name)
}

/// The name that was probably meant: equal but for case, or few letters off.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let low = name.to_lowercase();
    let limit = name.chars().count().div_ceil(4).min(3);
    table()
        .keys()
        .map(|known| (strsim::osa_distance(&low, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, known)| known.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_can_be_read() {
        assert_eq!(table().len(), 207);
        for name in table().keys() {
            let device = find(name).unwrap_or_else(|| panic!("{name}"));
            assert!(device.viewport.width > 0 && device.device_scale_factor > 0.0);
        }
    }

    #[test]
    fn the_generic_mobile_device() {
        let device = find(GENERIC_MOBILE).unwrap();
        assert_eq!(
            device.viewport,
            Size {
                width: 360,
                height: 732
            }
        );
        assert_eq!(device.device_scale_factor, 3.0);
        assert!(device.is_mobile && device.has_touch);
        assert!(device.user_agent.contains("Android"));
    }

    #[test]
    fn slips_are_noticed() {
        assert_eq!(find("iphone 15"), None);
        assert_eq!(nearest("iphone 15"), Some("iPhone 15"));
        assert_eq!(nearest("Toaster"), None);
    }
}
