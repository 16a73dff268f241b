//! Reading one value: where it came from, and what its text means.

use super::address;
use super::choices::{BROWSERS, words};
use super::device::Device;
use super::environment::variable_names;
use super::error::ConfigError;
use super::file::{ConfigFile, Group, NO_SIZE};
use super::options::{Flags, Setting};

/// Who said it. The rules for nonsense differ a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Flag,
    /// A `PLAYGUARD_*` variable.
    Own,
    /// A `PLAYWRIGHT_MCP_*` variable.
    Shared,
    /// The configuration file.
    File,
}

/// One value as text, with the name under which it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) text: String,
    name: String,
    origin: Origin,
    /// Nonsense that upstream lets pass passes.
    lenient: bool,
}

/// The places to look, in their order: flags, the environment, the file.
pub(super) struct Lookup<'a> {
    pub(super) flags: &'a Flags,
    pub(super) env: &'a dyn Fn(&str) -> Option<String>,
    pub(super) file: ConfigFile,
    /// The device that the flags name, and the one that the variables name.
    pub(super) devices: [Option<Device>; 2],
    /// Take nonsense as upstream takes it, except in variables of ours.
    pub(super) stock: bool,
}

impl Lookup<'_> {
    /// The value that wins for this setting, if it was given at all.
    pub(super) fn text(&self, setting: Setting) -> Option<Given> {
        let [by_flag, by_variable] = &self.devices;
        let flag = self.flags.values(setting).next_back();
        flag.map(|text| self.flag_value(setting, text))
            .or_else(|| self.of_device(by_flag.as_ref(), setting))
            .or_else(|| self.variables(setting).next())
            .or_else(|| self.of_device(by_variable.as_ref(), setting))
            .or_else(|| self.in_file(setting).next())
    }

    /// What a device says about a setting.
    fn of_device(&self, device: Option<&Device>, setting: Setting) -> Option<Given> {
        let device = device?;
        let text = match setting {
            Setting::UserAgent => device.user_agent.clone(),
            Setting::ViewportSize => {
                format!("{}x{}", device.viewport.width, device.viewport.height)
            }
            _ => return None,
        };
        Some(self.flag_value(Setting::Device, &text))
    }

    /// The device that pages are to see, if one was named.
    pub(super) fn device(&self) -> Option<&Device> {
        let [by_flag, by_variable] = &self.devices;
        by_flag.as_ref().or(by_variable.as_ref())
    }

    /// Whether the size of pages was said to be that of their window.
    pub(super) fn no_viewport(&self) -> bool {
        self.text(Setting::ViewportSize)
            .is_some_and(|given| given.is_no_size())
    }

    /// The context options of the file.
    pub(super) fn context(&self) -> Group<'_> {
        self.file.group("browser.contextOptions", self.stock)
    }

    /// The launch options of the file.
    pub(super) fn launch(&self) -> Group<'_> {
        self.file.group("browser.launchOptions", self.stock)
    }

    /// As [`Lookup::text`], for a value that must have a certain form: a flag
    /// with nothing behind it does not have it, and is not passed over.
    pub(super) fn formed(&self, setting: Setting) -> Option<Given> {
        if !self.stock && self.flags.is_blank(setting) {
            return Some(self.flag_value(setting, ""));
        }
        self.text(setting)
    }

    /// The texts of the flags for a setting.
    pub(super) fn said_by_flag(&self, setting: Setting) -> Vec<String> {
        self.flags.values(setting).map(str::to_owned).collect()
    }

    /// The text of the variable for a setting.
    pub(super) fn said_by_variable(&self, setting: Setting) -> Vec<String> {
        let said = self.variables(setting).next();
        said.map(|given| given.text).into_iter().collect()
    }

    /// All values of a repeatable setting. A variable holds one of them.
    pub(super) fn texts(&self, setting: Setting) -> Vec<Given> {
        let flags: Vec<_> = self
            .flags
            .values(setting)
            .map(|text| self.flag_value(setting, text))
            .collect();
        if flags.is_empty() {
            match self.variables(setting).next() {
                Some(one) => vec![one],
                None => self.in_file(setting).collect(),
            }
        } else {
            flags
        }
    }

    /// A yes or no. Upstream takes anything but `true`, `1`, `false` and `0`
    /// in its variables as not said; without `stock`, and in our variables, it
    /// is an error: whoever wrote `PLAYWRIGHT_MCP_ISOLATED=on` counts on it.
    pub(super) fn boolean(&self, setting: Setting) -> Result<Option<bool>, ConfigError> {
        if let Some(text) = self.flags.values(setting).next_back() {
            return self.flag_value(setting, text).boolean();
        }
        for given in self.variables(setting).chain(self.in_file(setting)) {
            if let Some(said) = given.boolean()? {
                return Ok(Some(said));
            }
        }
        Ok(None)
    }

    /// A number of milliseconds.
    pub(super) fn milliseconds(&self, setting: Setting) -> Result<Option<u64>, ConfigError> {
        self.formed(setting)
            .map(|given| given.milliseconds())
            .transpose()
    }

    /// What the file says, with its empty texts left out.
    fn in_file(&self, setting: Setting) -> impl Iterator<Item = Given> {
        self.file
            .texts(setting)
            .filter(|(text, _)| !text.is_empty())
            .map(|(text, name)| Given {
                text: text.to_owned(),
                name,
                origin: Origin::File,
                lenient: self.stock,
            })
    }

    fn flag_value(&self, setting: Setting, text: &str) -> Given {
        Given {
            text: text.to_owned(),
            name: format!("--{}", setting.flag()),
            origin: Origin::Flag,
            lenient: self.stock,
        }
    }

    /// The variables that are set and not empty, the winning one first.
    fn variables(&self, setting: Setting) -> impl Iterator<Item = Given> {
        variable_names(setting)
            .into_iter()
            .zip([Origin::Own, Origin::Shared])
            .filter_map(|(name, origin)| {
                let name = name?;
                let text = (self.env)(&name).filter(|text| !text.is_empty())?;
                Some(Given {
                    text,
                    name,
                    origin,
                    lenient: self.stock && origin != Origin::Own,
                })
            })
    }
}

/// The largest limit in milliseconds, about 24 days. It is where upstream's
/// timers end, and it keeps sums with the clock far from overflowing.
pub const MAX_MS: u64 = i32::MAX as u64;

/// The largest width and height of pages, in CSS pixels: what graphics cards
/// can draw into, and more than the browser can make a picture of.
pub const MAX_SIDE: u32 = 16_384;

impl Given {
    fn boolean(&self) -> Result<Option<bool>, ConfigError> {
        match self.text.as_str() {
            "true" | "1" => Ok(Some(true)),
            "false" | "0" => Ok(Some(false)),
            _ if self.lenient => Ok(None),
            _ => Err(self.not_one_of(vec!["true", "1", "false", "0"])),
        }
    }

    fn milliseconds(&self) -> Result<u64, ConfigError> {
        match self.text.trim().parse() {
            Ok(ms) if ms <= MAX_MS => Ok(ms),
            _ => Err(ConfigError::NotMilliseconds {
                name: self.name.clone(),
                value: self.shown(),
            }),
        }
    }

    /// A TCP port.
    pub(super) fn port(&self) -> Result<u16, ConfigError> {
        self.text.trim().parse().map_err(|_| ConfigError::NotAPort {
            name: self.name.clone(),
            value: self.shown(),
        })
    }

    /// Milliseconds, where anything below zero is none.
    pub(super) fn milliseconds_or_none(&self) -> Result<u64, ConfigError> {
        match self.text.trim().parse::<i64>() {
            Ok(..=0) => Ok(0),
            _ => self.milliseconds(),
        }
    }

    /// A number of bytes; `None` for what upstream takes as no limit.
    pub(super) fn bytes(&self) -> Result<Option<u64>, ConfigError> {
        match self.text.trim().parse() {
            Ok(0) => Ok(None),
            Ok(bytes) => Ok(Some(bytes)),
            Err(_) if self.lenient => Ok(None),
            Err(_) => Err(ConfigError::NotBytes {
                name: self.name.clone(),
                value: self.shown(),
            }),
        }
    }

    /// The member of a fixed list that this text names.
    pub(super) fn one_of<T: Copy>(&self, choices: &[(&'static str, T)]) -> Result<T, ConfigError> {
        choices
            .iter()
            .find(|(name, _)| *name == self.text)
            .map(|(_, choice)| *choice)
            .ok_or_else(|| self.not_one_of(words(choices)))
    }

    /// As [`Given::one_of`], for a word that upstream takes for the default
    /// when it does not know it.
    pub(super) fn one_of_or_default<T: Copy + Default>(
        &self,
        choices: &[(&'static str, T)],
    ) -> Result<T, ConfigError> {
        match self.one_of(choices) {
            Err(_) if self.lenient => Ok(T::default()),
            read => read,
        }
    }

    /// The channel of a browser.
    pub(super) fn browser(&self) -> Result<&'static str, ConfigError> {
        let name = self.text.to_ascii_lowercase();
        let other_kind = ["firefox", "moz-firefox", "webkit", "safari"]
            .iter()
            .any(|kind| name.starts_with(kind));
        self.one_of(BROWSERS).map_err(|error| match error {
            ConfigError::NotOneOf { name, value, valid } if other_kind && !self.lenient => {
                ConfigError::NotChromium { name, value, valid }
            }
            other => other,
        })
    }

    /// `1280x720` or `1280,720`, both above zero.
    pub(super) fn size(&self) -> Result<(u32, u32), ConfigError> {
        let sides = self
            .text
            .split_once(['x', ','])
            .and_then(|(width, height)| Some((whole(width)?, whole(height)?)))
            .filter(|(width, height)| *width > 0 && *height > 0);
        match sides {
            Some((width, height)) if self.lenient || width.max(height) <= MAX_SIDE => {
                Ok((width, height))
            }
            Some(_) => Err(ConfigError::TooLarge {
                name: self.name.clone(),
                value: self.text.clone(),
            }),
            None if matches!(self.origin, Origin::Own | Origin::File) => {
                Err(ConfigError::NotASizeIn {
                    name: self.name.clone(),
                    value: self.text.clone(),
                })
            }
            None => Err(ConfigError::NotASize),
        }
    }

    /// The address of a proxy, as given.
    pub(super) fn proxy(self) -> Result<String, ConfigError> {
        if self.lenient || address::is_proxy(&self.text) {
            return Ok(self.text);
        }
        Err(ConfigError::NotAProxy {
            value: address::presentable(&self.text),
            name: self.name,
            schemes: address::PROXY_SCHEMES,
        })
    }

    /// The address or the channel of a running browser, as given.
    pub(super) fn endpoint(self) -> Result<String, ConfigError> {
        if self.lenient || address::is_endpoint(&self.text) {
            return Ok(self.text);
        }
        let value = address::presentable(&self.text);
        Err(ConfigError::NotAnEndpoint {
            channels: words(BROWSERS),
            meant: address::endpoint_meant(&self.text),
            name: self.name,
            value,
        })
    }

    /// Names of attributes, separated by commas; empty ones are left out.
    pub(super) fn attributes(&self) -> Result<Vec<String>, ConfigError> {
        let names: Vec<String> = self
            .text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        let good = !names.is_empty() && names.iter().all(|name| is_attribute_name(name));
        if good || self.lenient {
            return Ok(names);
        }
        Err(ConfigError::NotAnAttribute {
            name: self.name.clone(),
            value: self.text.clone(),
        })
    }

    /// A header, split at the first colon. Without one, upstream sends it with
    /// an empty value.
    pub(super) fn header(&self) -> Result<(String, String), ConfigError> {
        let parts = self.text.split_once(':');
        let missing = parts.is_none() && !self.lenient;
        let (name, value) = parts.unwrap_or((&self.text, ""));
        let (name, value) = (name.trim(), value.trim());
        if missing || !is_token(name) || value.chars().any(|c| c.is_control() && c != '\t') {
            return Err(ConfigError::NotAHeader {
                name: self.name.clone(),
            });
        }
        Ok((name.to_owned(), value.to_owned()))
    }

    /// Whether a file says that there is to be no fixed size.
    pub(super) fn is_no_size(&self) -> bool {
        self.origin == Origin::File && self.text == NO_SIZE
    }

    /// Whether it was said on the command line.
    pub(super) fn is_flag(&self) -> bool {
        self.origin == Origin::Flag
    }

    /// The flag, variable or key, as messages show it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn not_one_of(&self, valid: Vec<&'static str>) -> ConfigError {
        ConfigError::NotOneOf {
            name: self.name.clone(),
            value: self.shown(),
            valid,
        }
    }

    /// The text, as messages show it.
    fn shown(&self) -> String {
        match self.text.as_str() {
            "" => "(empty)".to_owned(),
            text => text.to_owned(),
        }
    }
}

/// A whole number of pixels. More than fits is no less a number, and the most
/// that fits stands for it.
fn whole(text: &str) -> Option<u32> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u32::MAX))
}

/// An attribute name as the HTML standard has it (13.1.2.3).
fn is_attribute_name(name: &str) -> bool {
    !name.is_empty()
        && !name.chars().any(|c| {
            let noncharacter =
                ('\u{fdd0}'..='\u{fdef}').contains(&c) || u32::from(c) & 0xfffe == 0xfffe;
            c.is_whitespace() || c.is_control() || noncharacter || "\"'>/=".contains(c)
        })
}

/// A header name as RFC 9110 §5.6.2 has it.
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
