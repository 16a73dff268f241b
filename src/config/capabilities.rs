//! The groups of tools that a server offers beyond the core ones.

/// A group of tools that is off unless asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// Showing the configuration.
    Config,
    /// Routes and the state of the network.
    Network,
    /// Saving pages as PDF.
    Pdf,
    /// Cookies and what pages store.
    Storage,
    /// Checks and locators for tests.
    Testing,
    /// The mouse by coordinates.
    Vision,
    /// Tracing, video, highlights, recording.
    Devtools,
}

impl Capability {
    /// All of them, under the names by which they are asked for.
    pub const NAMED: [(&'static str, Capability); 7] = [
        ("config", Capability::Config),
        ("network", Capability::Network),
        ("pdf", Capability::Pdf),
        ("storage", Capability::Storage),
        ("testing", Capability::Testing),
        ("vision", Capability::Vision),
        ("devtools", Capability::Devtools),
    ];

    /// The capability of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, capability)| *capability)
    }
}

/// What was asked for beyond the core tools.
///
/// Upstream keeps the list as it was written, names that nobody knows
/// included, and shows it so; a second list replaces the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    listed: Vec<String>,
}

impl Capabilities {
    /// A list of names, in the order given.
    pub fn new(listed: Vec<String>) -> Self {
        Self { listed }
    }

    /// Whether this group of tools is on.
    pub fn has(&self, capability: Capability) -> bool {
        self.listed
            .iter()
            .any(|name| Capability::named(name) == Some(capability))
    }

    /// Whether the tools of the group of this name are on. Those of `core`
    /// always are.
    pub fn has_named(&self, name: &str) -> bool {
        name.starts_with("core") || Capability::named(name).is_some_and(|known| self.has(known))
    }

    /// The names as they were given.
    pub fn listed(&self) -> &[String] {
        &self.listed
    }

    /// Those of the names that mean nothing.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.listed
            .iter()
            .map(String::as_str)
            .filter(|name| !name.is_empty() && !name.starts_with("core"))
            .filter(|name| Capability::named(name).is_none() && *name != TRACING)
    }

    /// A list of names separated by commas, as upstream reads it.
    pub(super) fn parse(text: &str) -> Self {
        Self::new(text.split(',').map(|name| name.trim().to_owned()).collect())
    }

    /// Whether the list has the old name for what `devtools` holds now.
    pub(super) fn wants_tracing(&self) -> bool {
        self.listed.iter().any(|name| name == TRACING)
    }

    /// The same list with one more name.
    pub(super) fn with(mut self, name: &str) -> Self {
        self.listed.push(name.to_owned());
        self
    }
}

const TRACING: &str = "tracing";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_upstream_reads_them() {
        let list = Capabilities::parse("vision, pdf,moon");
        assert!(list.has(Capability::Vision) && list.has(Capability::Pdf));
        assert!(!list.has(Capability::Devtools));
        assert_eq!(list.listed(), ["vision", "pdf", "moon"]);
        assert_eq!(list.unknown().collect::<Vec<_>>(), ["moon"]);
    }

    #[test]
    fn core_is_always_on_and_the_old_name_is_known() {
        let list = Capabilities::parse("tracing,core-tabs");
        assert!(list.has_named("core") && list.wants_tracing());
        assert!(list.with("devtools").has(Capability::Devtools));
        let list = Capabilities::parse("tracing,core-tabs");
        assert_eq!(list.unknown().count(), 0);
        assert!(!Capabilities::default().has_named("vision"));
    }
}
