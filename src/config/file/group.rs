//! Reading the keys of one group of a file, each as what it should be.

use serde_json::{Map, Value};

use super::super::error::ConfigError;
use super::{Shape, plain, texts};

/// The values below one key of a file.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Group<'a> {
    pub(super) values: Option<&'a Map<String, Value>>,
    /// The path of the group, such as `browser.contextOptions`.
    pub(super) path: Path<'a>,
    /// The file, as messages show it.
    pub(super) shown: &'a str,
    /// Values of the wrong kind count as none.
    pub(super) lenient: bool,
}

/// A group, or a group below one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path<'a> {
    pub(super) outer: &'a str,
    pub(super) inner: Option<&'static str>,
}

impl<'a> Group<'a> {
    /// The value of a key, unless it is null.
    pub(in super::super) fn value(&self, key: &str) -> Option<&'a Value> {
        self.values?.get(key).filter(|value| !value.is_null())
    }

    /// How messages name a key.
    pub(in super::super) fn name_of(&self, key: &str) -> String {
        format!("{}.{key} in {}", self.own_path(), self.shown)
    }

    fn own_path(&self) -> String {
        match self.path.inner {
            None => self.path.outer.to_owned(),
            Some(inner) => format!("{}.{inner}", self.path.outer),
        }
    }

    /// A text; an empty one counts as none.
    pub(in super::super) fn text(&self, key: &str) -> Result<Option<String>, ConfigError> {
        let text = self.read(key, "a text", plain)?;
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// One of some words.
    pub(in super::super) fn word(
        &self,
        key: &str,
        valid: &[&'static str],
    ) -> Result<Option<String>, ConfigError> {
        match self.text(key)? {
            Some(word) if !valid.contains(&word.as_str()) => {
                if self.lenient {
                    return Ok(None);
                }
                Err(ConfigError::NotOneOf {
                    name: self.name_of(key),
                    value: word,
                    valid: valid.to_vec(),
                })
            }
            word => Ok(word),
        }
    }

    /// True or false.
    pub(in super::super) fn switch(&self, key: &str) -> Result<Option<bool>, ConfigError> {
        self.read(key, "true or false", |value| {
            match texts(Shape::Switch, value).ok()?.first()?.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            }
        })
    }

    /// A number within bounds.
    pub(in super::super) fn number(
        &self,
        key: &str,
        least: f64,
        most: f64,
    ) -> Result<Option<f64>, ConfigError> {
        let read = |value: &Value| {
            let number: f64 = plain(value)?.trim().parse().ok()?;
            (least..=most).contains(&number).then_some(number)
        };
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        match read(value) {
            None if !self.lenient => Err(ConfigError::NotANumber {
                name: self.name_of(key),
                value: plain(value).unwrap_or_else(|| value.to_string()),
                least: least.to_string(),
                most: (most < f64::MAX).then(|| most.to_string()),
            }),
            number => Ok(number),
        }
    }

    /// A list of texts; a single one is a list of one.
    pub(in super::super) fn list(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let list = self.read(key, "a list of texts", |value| match value {
            Value::Array(items) => items.iter().map(plain).collect(),
            one => plain(one).map(|one| vec![one]),
        })?;
        Ok(list.unwrap_or_default())
    }

    /// Names with texts.
    pub(in super::super) fn pairs(&self, key: &str) -> Result<Vec<(String, String)>, ConfigError> {
        let pairs = self.read(key, "an object of texts", |value| {
            let text = |value: &Value| match value {
                Value::Bool(on) => Some(on.to_string()),
                other => plain(other),
            };
            (value.as_object()?.iter())
                .map(|(name, value)| Some((name.clone(), text(value)?)))
                .collect()
        })?;
        Ok(pairs.unwrap_or_default())
    }

    /// Width and height in whole pixels.
    pub(in super::super) fn size(&self, key: &str) -> Result<Option<(u32, u32)>, ConfigError> {
        self.read(key, "an object with width and height", |value| {
            let texts = texts(Shape::Size, value).ok()?;
            let (width, height) = texts.first()?.split_once('x')?;
            let side = |text: &str| text.trim().parse::<u32>().ok().filter(|side| *side > 0);
            Some((side(width)?, side(height)?))
        })
    }

    /// A group below this one.
    pub(in super::super) fn group(
        &self,
        key: &'static str,
    ) -> Result<Option<Group<'a>>, ConfigError> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Object(values)) => Ok(Some(Group {
                values: Some(values),
                path: Path {
                    inner: Some(key),
                    ..self.path
                },
                ..*self
            })),
            Some(_) if self.lenient => Ok(None),
            Some(_) => Err(ConfigError::WrongKind {
                name: self.name_of(key),
                expected: "an object",
            }),
        }
    }

    /// Says that the group as a whole is not as it should be.
    pub(in super::super) fn refuse<T>(
        &self,
        expected: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        if self.lenient {
            return Ok(None);
        }
        Err(ConfigError::WrongKind {
            name: format!("{} in {}", self.own_path(), self.shown),
            expected,
        })
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &'static str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        match read(value) {
            None if !self.lenient => Err(ConfigError::WrongKind {
                name: self.name_of(key),
                expected,
            }),
            found => Ok(found),
        }
    }
}
