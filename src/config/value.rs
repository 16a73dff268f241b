//! Reading one value: where it came from, and what its text means.

use super::environment::variable_names;
use super::error::ConfigError;
use super::options::{Flags, Setting};

/// Who said it. The rules for nonsense differ a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Flag,
    /// A `PLAYGUARD_*` variable.
    Own,
    /// A `PLAYWRIGHT_MCP_*` variable.
    Shared,
}

/// One value as text, with the name under which it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) text: String,
    name: String,
    origin: Origin,
}

/// The two places to look, in their order: flags, then the environment.
pub(super) struct Lookup<'a> {
    pub(super) flags: &'a Flags,
    pub(super) env: &'a dyn Fn(&str) -> Option<String>,
}

impl Lookup<'_> {
    /// The value that wins for this setting, if it was given at all.
    pub(super) fn text(&self, setting: Setting) -> Option<Given> {
        match self.flags.values(setting).next_back() {
            Some(text) => Some(from_flag(setting, text)),
            None => self.variables(setting).next(),
        }
    }

    /// All values of a repeatable setting. A variable holds one of them.
    pub(super) fn texts(&self, setting: Setting) -> Vec<Given> {
        let flags: Vec<_> = self
            .flags
            .values(setting)
            .map(|text| from_flag(setting, text))
            .collect();
        if flags.is_empty() {
            self.variables(setting).take(1).collect()
        } else {
            flags
        }
    }

    /// A yes or no. Upstream takes anything but `true`, `1`, `false` and `0`
    /// in its variables as not said; in ours it is an error.
    pub(super) fn boolean(&self, setting: Setting) -> Result<Option<bool>, ConfigError> {
        if let Some(text) = self.flags.values(setting).next_back() {
            return from_flag(setting, text).boolean();
        }
        for given in self.variables(setting) {
            if let Some(said) = given.boolean()? {
                return Ok(Some(said));
            }
        }
        Ok(None)
    }

    /// A number of milliseconds.
    pub(super) fn milliseconds(&self, setting: Setting) -> Result<Option<u64>, ConfigError> {
        self.text(setting)
            .map(|given| given.milliseconds())
            .transpose()
    }

    /// The variables that are set and not empty, the winning one first.
    fn variables(&self, setting: Setting) -> impl Iterator<Item = Given> {
        variable_names(setting)
            .into_iter()
            .zip([Origin::Own, Origin::Shared])
            .filter_map(|(name, origin)| {
                let name = name?;
                let text = (self.env)(&name).filter(|text| !text.is_empty())?;
                Some(Given { text, name, origin })
            })
    }
}

fn from_flag(setting: Setting, text: &str) -> Given {
    Given {
        text: text.to_owned(),
        name: format!("--{}", setting.flag()),
        origin: Origin::Flag,
    }
}

/// The largest limit in milliseconds, about 24 days. It is where upstream's
/// timers end, and it keeps sums with the clock far from overflowing.
pub const MAX_MS: u64 = i32::MAX as u64;

impl Given {
    fn boolean(&self) -> Result<Option<bool>, ConfigError> {
        match self.text.as_str() {
            "true" | "1" => Ok(Some(true)),
            "false" | "0" => Ok(Some(false)),
            _ if self.origin == Origin::Shared => Ok(None),
            _ => Err(self.not_one_of(vec!["true", "1", "false", "0"])),
        }
    }

    fn milliseconds(&self) -> Result<u64, ConfigError> {
        match self.text.trim().parse() {
            Ok(ms) if ms <= MAX_MS => Ok(ms),
            _ => Err(ConfigError::NotMilliseconds {
                name: self.name.clone(),
                value: self.text.clone(),
            }),
        }
    }

    /// The member of a fixed list that this text names.
    pub(super) fn one_of<T: Copy>(&self, choices: &[(&'static str, T)]) -> Result<T, ConfigError> {
        choices
            .iter()
            .find(|(name, _)| *name == self.text)
            .map(|(_, choice)| *choice)
            .ok_or_else(|| self.not_one_of(choices.iter().map(|(name, _)| *name).collect()))
    }

    /// `1280x720` or `1280,720`, both above zero.
    pub(super) fn size(&self) -> Result<(u32, u32), ConfigError> {
        let side = |text: &str| text.trim().parse().ok().filter(|side: &u32| *side > 0);
        self.text
            .split_once(['x', ','])
            .and_then(|(width, height)| Some((side(width)?, side(height)?)))
            .ok_or_else(|| match self.origin {
                Origin::Own => ConfigError::NotASizeIn {
                    name: self.name.clone(),
                    value: self.text.clone(),
                },
                Origin::Flag | Origin::Shared => ConfigError::NotASize,
            })
    }

    /// A header, split at the first colon; without one the value is empty.
    pub(super) fn header(&self) -> Result<(String, String), ConfigError> {
        let (name, value) = self.text.split_once(':').unwrap_or((&self.text, ""));
        let (name, value) = (name.trim(), value.trim());
        if !is_token(name) || value.chars().any(|c| c.is_control() && c != '\t') {
            return Err(ConfigError::NotAHeader {
                name: self.name.clone(),
            });
        }
        Ok((name.to_owned(), value.to_owned()))
    }

    /// Whether the text comes from a variable of ours, where nonsense is
    /// always an error.
    pub(super) fn is_own_variable(&self) -> bool {
        self.origin == Origin::Own
    }

    /// The flag or variable, as messages show it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn not_one_of(&self, valid: Vec<&'static str>) -> ConfigError {
        ConfigError::NotOneOf {
            name: self.name.clone(),
            value: self.text.clone(),
            valid,
        }
    }
}

/// A header name as RFC 9110 §5.6.2 has it.
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
