//! The configuration file: JSON, or INI, to settings.
//!
//! What a file says is kept as text per setting, so that it is read by the same
//! rules as flags and variables.

mod group;
mod ini;
pub(super) mod keys;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::error::ConfigError;
use super::options::Setting;
pub(super) use group::Group;
use keys::{Does, Shape};

/// What a configuration file says.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    /// The path, as messages show it.
    shown: String,
    /// Where it lies.
    folder: PathBuf,
    /// All that it says.
    root: Map<String, Value>,
    settings: BTreeMap<Setting, Entry>,
    /// Values of keys that are read together with others.
    taken: BTreeMap<&'static str, Value>,
    /// Keys that nobody knows.
    unknown: Vec<String>,
    /// Keys that upstream knows and we do not.
    not_yet: Vec<&'static str>,
    /// Keys with a value of the wrong kind, with the kind that is expected.
    misshapen: Vec<(&'static str, &'static str)>,
}

/// One setting of a file.
#[derive(Debug)]
struct Entry {
    key: &'static str,
    texts: Vec<String>,
}

impl ConfigFile {
    /// Reads the text of a file. A name that ends in `.ini` says that it is
    /// INI; so does a text that is not JSON and does not begin with a brace.
    ///
    /// # Errors
    /// A text that begins as JSON and is none, or JSON that is no object.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_ini = path.extension().is_some_and(|extension| extension == "ini");
        let root = if is_ini {
            ini::parse(text)
        } else {
            match serde_json::from_str(text) {
                Ok(Value::Object(root)) => root,
                Ok(_) => {
                    return Err(ConfigError::FileNotJson {
                        path: path.to_owned(),
                        reason: "an object is expected".to_owned(),
                    });
                }
                Err(error) if text.trim_start().starts_with('{') => {
                    return Err(ConfigError::FileNotJson {
                        path: path.to_owned(),
                        reason: error.to_string(),
                    });
                }
                Err(_) => ini::parse(text),
            }
        };
        let mut file = ConfigFile {
            shown: path.display().to_string(),
            folder: path.parent().map(Path::to_owned).unwrap_or_default(),
            ..Self::default()
        };
        file.read(root.clone());
        file.root = root;
        Ok(file)
    }

    fn read(&mut self, root: Map<String, Value>) {
        // Groups yet to be read, with their paths; the table bounds the depth.
        let mut groups = vec![(String::new(), root)];
        while let Some((prefix, group)) = groups.pop() {
            for (name, value) in group {
                let path = format!("{prefix}{name}");
                match (keys::find(&path), value) {
                    (Some(_), Value::Null) if path != VIEWPORT => {}
                    (Some((key, does)), value) => self.take(key, does, value),
                    (None, Value::Object(inner)) if keys::is_group(&path) => {
                        groups.push((format!("{path}."), inner));
                    }
                    (None, Value::Null) if keys::is_group(&path) => {}
                    (None, _) => self.unknown.push(path),
                }
            }
        }
        self.unknown.sort_unstable();
        self.not_yet.sort_unstable();
    }

    fn take(&mut self, key: &'static str, does: Does, value: Value) {
        match does {
            Does::Sets(setting, shape) => match texts(shape, &value) {
                Ok(mut texts) => {
                    if shape == Shape::Paths {
                        for text in &mut texts {
                            *text = self.folder.join(&*text).to_string_lossy().into_owned();
                        }
                    }
                    self.settings.insert(setting, Entry { key, texts });
                }
                Err(expected) => self.misshapen.push((key, expected)),
            },
            Does::Taken => {
                self.taken.insert(key, value);
            }
            // Off is how it is.
            Does::NotYet if value == Value::Bool(false) && key != WEBMCP => {}
            Does::NotYet => self.not_yet.push(key),
            Does::Nothing => {}
        }
    }

    /// The file as it is written.
    pub(super) fn root(&self) -> &Map<String, Value> {
        &self.root
    }

    /// The values for one setting as text, and the name of their key.
    pub(super) fn texts(&self, setting: Setting) -> impl Iterator<Item = (&str, String)> {
        let entry = self.settings.get(&setting);
        entry.into_iter().flat_map(|entry| {
            let name = self.name_of(entry.key);
            entry
                .texts
                .iter()
                .map(move |text| (text.as_str(), name.clone()))
        })
    }

    /// Gives a setting the value that several keys make together.
    pub(super) fn set(&mut self, setting: Setting, key: &'static str, text: String) {
        let texts = vec![text];
        self.settings.insert(setting, Entry { key, texts });
    }

    /// The values of a group such as `browser.contextOptions`.
    pub(super) fn group<'a>(&'a self, path: &'static str, lenient: bool) -> Group<'a> {
        let mut steps = path.split('.');
        let values = steps.try_fold(&self.root, |at, step| at.get(step)?.as_object());
        Group {
            values,
            path: group::Path {
                outer: path,
                inner: None,
            },
            shown: &self.shown,
            lenient,
        }
    }

    /// The value of a key that is read together with others.
    pub(super) fn taken(&self, key: &str) -> Option<&Value> {
        self.taken.get(key)
    }

    /// How messages name a key.
    pub(super) fn name_of(&self, key: &str) -> String {
        format!("{key} in {}", self.shown)
    }

    /// The first value of the wrong kind.
    pub(super) fn misshapen(&self) -> Option<ConfigError> {
        let (key, expected) = self.misshapen.first()?;
        Some(ConfigError::WrongKind {
            name: self.name_of(key),
            expected,
        })
    }

    /// What to say about keys that have no effect. In stock, those that
    /// upstream ignores as well are not mentioned.
    pub(super) fn warnings(&self, stock: bool) -> Vec<String> {
        let not_yet = self.not_yet.iter().map(|key| {
            format!(
                "{} has no effect: PlayGuard does not have it yet.",
                self.name_of(key)
            )
        });
        let unknown = self.unknown.iter().filter(|_| !stock).map(|key| {
            let mut warning = format!("{} is not known and has no effect.", self.name_of(key));
            if let Some(near) = nearest(key) {
                warning.push_str(&format!(" Did you mean {near}?"));
            }
            warning
        });
        not_yet.chain(unknown).collect()
    }
}

/// The one key whose `null` says something: no fixed size.
pub(super) const VIEWPORT: &str = "browser.contextOptions.viewport";
/// The one key that is on unless turned off.
const WEBMCP: &str = "webmcp";

/// The keys of a configuration file that upstream has and we have not.
pub fn keys_not_yet() -> impl Iterator<Item = &'static str> {
    keys::KEYS
        .iter()
        .filter(|(_, does)| *does == Does::NotYet)
        .map(|(key, _)| *key)
}

/// The key that a slip of the hand could have turned into this one.
fn nearest(path: &str) -> Option<String> {
    let (parent, name) = path
        .rsplit_once('.')
        .map_or(("", path), |(parent, name)| (parent, name));
    let limit = name.chars().count().div_ceil(4).min(4);
    let (_, near) = keys::siblings(path)
        .map(|known| {
            let (known_low, low) = (known.to_lowercase(), name.to_lowercase());
            (strsim::osa_distance(&low, &known_low), known)
        })
        .filter(|(distance, _)| *distance <= limit)
        .min()?;
    Some(match parent {
        "" => near.to_owned(),
        parent => format!("{parent}.{near}"),
    })
}

/// A value as the texts that a flag would have been given.
fn texts(shape: Shape, value: &Value) -> Result<Vec<String>, &'static str> {
    let one = |text: Option<String>, expected| text.map(|text| vec![text]).ok_or(expected);
    match shape {
        Shape::Text => one(plain(value), "a text"),
        Shape::Number => one(plain(value), "a number"),
        Shape::Switch => match value {
            Value::Bool(on) => Ok(vec![on.to_string()]),
            other => one(plain(other), "true or false"),
        },
        Shape::List | Shape::Origins => match value {
            Value::Array(items) => items
                .iter()
                .map(plain)
                .collect::<Option<Vec<_>>>()
                .map(|items| {
                    let between = if shape == Shape::Origins { ";" } else { "," };
                    vec![items.join(between)]
                })
                .ok_or("a list of texts"),
            other => one(plain(other), "a list of texts"),
        },
        Shape::Paths => match value {
            Value::Array(items) => items
                .iter()
                .map(plain)
                .collect::<Option<Vec<_>>>()
                .ok_or("a list of paths"),
            other => one(plain(other), "a list of paths"),
        },
        Shape::Size => match value {
            Value::Null => Ok(vec![NO_SIZE.to_owned()]),
            Value::Object(size) => {
                let side = |name: &str| plain(size.get(name)?);
                let sides = side("width").zip(side("height"));
                one(sides.map(|(w, h)| format!("{w}x{h}")), EXPECTED_SIZE)
            }
            other => one(plain(other), EXPECTED_SIZE),
        },
        Shape::Pairs => match value {
            Value::Object(pairs) => pairs
                .iter()
                .map(|(name, value)| Some(format!("{name}: {}", plain(value)?)))
                .collect::<Option<Vec<_>>>()
                .ok_or("an object of texts"),
            _ => Err("an object of texts"),
        },
    }
}

const EXPECTED_SIZE: &str = "an object with width and height";
/// How a size of `null` is kept.
pub(super) const NO_SIZE: &str = "null";

/// A text or a number, as text. Whole numbers have no fraction, however they
/// are written.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => match number.as_f64() {
            Some(whole) if number.is_f64() && whole.fract() == 0.0 && whole.abs() < 1e15 => {
                Some(format!("{whole:.0}"))
            }
            _ => Some(number.to_string()),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
