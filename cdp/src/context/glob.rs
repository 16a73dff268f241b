//! URL patterns of routes and origin lists.

use regex::Regex;
use url::Url;

/// Longer patterns are refused.
const MAX_PATTERN: usize = 16 << 10;

/// A pattern that whole URLs are compared with: `*` is anything but a slash, `**` anything,
/// `{a,b}` one of several, `\` takes the next character as it is; everything else, `?` too, stands for
/// itself.
#[derive(Debug, Clone)]
pub struct UrlGlob {
    source: String,
    regex: Regex,
}

/// The pattern cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid URL pattern \"{pattern}\": {reason}")]
pub struct GlobError {
    /// As given, shortened.
    pub pattern: String,
    /// Why.
    pub reason: &'static str,
}

impl UrlGlob {
    /// Reads a pattern. One that does not begin with a star is brought into the form that URLs have
    /// (`HTTP://Host` becomes `http://host/`).
    ///
    /// # Errors
    /// It is too long, or a brace is open or nested.
    pub fn parse(pattern: &str) -> Result<Self, GlobError> {
        let fault = |reason| GlobError {
            pattern: pattern.chars().take(100).collect(),
            reason,
        };
        if pattern.len() > MAX_PATTERN {
            return Err(fault("it is too long"));
        }
        let normal = if pattern.starts_with('*') {
            pattern.to_owned()
        } else {
            normalised(pattern)
        };
        Self::compiled(pattern, &normal).map_err(fault)
    }

    fn compiled(source: &str, normal: &str) -> Result<Self, &'static str> {
        let regex = Regex::new(&regex_of(normal)?).map_err(|_| "it is too complex")?;
        Ok(Self {
            source: source.to_owned(),
            regex,
        })
    }

    /// One entry of an origin list: an origin, an origin with any port (`http://host:*`), or a host.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn of_origin(entry: &str) -> Result<Self, GlobError> {
        let glob = match entry.split_once("://") {
            // The port is what the star stands for.
            Some((scheme @ ("http" | "https"), rest)) if rest.ends_with(":*") => {
                let host = rest.trim_end_matches(":*");
                format!("{scheme}://{host}{{:*,}}/**")
            }
            Some(_) => match Url::parse(entry) {
                Ok(url) if url.origin().is_tuple() => {
                    format!("{}/**", url.origin().ascii_serialization())
                }
                _ => format!("{}/**", entry.trim_end_matches('/')),
            },
            None => format!("*://{entry}/**"),
        };
        Self::compiled(entry, &glob).map_err(|reason| GlobError {
            pattern: entry.chars().take(100).collect(),
            reason,
        })
    }

    /// As given.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether a URL is meant.
    pub fn matches(&self, url: &str) -> bool {
        self.regex.is_match(url)
    }
}

fn regex_of(glob: &str) -> Result<String, &'static str> {
    let mut out = String::from("(?s)^");
    let mut characters = glob.chars().peekable();
    let mut before = None;
    let mut in_group = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                if let Some(next) = characters.next() {
                    out.push_str(&regex::escape(next.encode_utf8(&mut [0; 4])));
                }
            }
            '*' => {
                let mut stars = 1;
                while characters.next_if_eq(&'*').is_some() {
                    stars += 1;
                }
                if stars == 1 {
                    out.push_str("[^/]*");
                } else if before == Some('/') && characters.next_if_eq(&'/').is_some() {
                    // `/**/` is one slash too.
                    out.push_str("(?:(?:.+/)|)");
                    before = Some('/');
                    continue;
                } else {
                    out.push_str(".*");
                }
            }
            '{' if in_group => return Err("braces cannot be nested"),
            '{' => {
                in_group = true;
                out.push_str("(?:");
            }
            '}' if in_group => {
                in_group = false;
                out.push(')');
            }
            ',' if in_group => out.push('|'),
            c => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
        before = Some(c);
    }
    if in_group {
        return Err("a brace is not closed");
    }
    out.push('$');
    Ok(out)
}

/// The pattern with its parts as a URL has them; parts with stars and braces stay as they are.
fn normalised(pattern: &str) -> String {
    let special = |part: &str| part.contains(['*', '{', '}', '\\']);
    let mut kept = Vec::new();
    let parts: Vec<String> = pattern
        .split('/')
        .enumerate()
        .map(|(at, part)| {
            if special(part) {
                let mark = format!("$_{at}_$");
                kept.push((mark.clone(), part.to_owned()));
                mark
            } else {
                part.to_owned()
            }
        })
        .collect();
    let Ok(url) = Url::parse(&parts.join("/")) else {
        return pattern.to_owned();
    };
    let mut text = url.to_string();
    for (mark, part) in kept {
        text = text.replacen(&mark, &part, 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, url: &str) -> bool {
        UrlGlob::parse(pattern).expect("a pattern").matches(url)
    }

    #[test]
    fn stars_braces_and_escapes() {
        for (pattern, url, expected) in [
            ("**/api/*", "http://h/api/x", true),
            ("**/api/*", "http://h/api/x/y", false),
            ("**/*.png", "https://h/a/b/c.png", true),
            ("**/*.png", "https://h/a/b/c.png?x", false),
            ("**/*.{png,jpg}", "https://h/c.jpg", true),
            ("**/*.{png,jpg}", "https://h/c.gif", false),
            ("http://h/**/x", "http://h/x", true),
            ("http://h/**/x", "http://h/a/b/x", true),
            ("http://h/**/x", "http://h/yx", false),
            ("http://h/a?b=1", "http://h/a?b=1", true),
            ("http://h/a?b=1", "http://h/ab=1", false),
            ("http://h/\\*", "http://h/*", true),
            ("http://h/\\*", "http://h/z", false),
            ("HTTP://Host", "http://host/", true),
            ("http://h:80/x", "http://h/x", true),
            ("**", "data:text/html,a\nb", true),
            ("*://h/**", "https://h/x", true),
            ("api", "http://h/api", false),
        ] {
            assert_eq!(matches(pattern, url), expected, "{pattern} {url}");
        }
    }

    #[test]
    fn entries_of_origin_lists() {
        let allows =
            |entry: &str, url: &str| UrlGlob::of_origin(entry).expect("an entry").matches(url);
        assert!(allows("example.com", "https://example.com/x"));
        assert!(allows("example.com:8080", "http://example.com:8080/"));
        assert!(!allows("example.com", "http://example.com:8080/"));
        assert!(!allows("example.com", "https://www.example.com/"));
        assert!(!allows("example.com", "https://evil/?x=://example.com/y"));
        assert!(allows("https://example.com", "https://example.com/x/y"));
        assert!(!allows("https://example.com", "http://example.com/x"));
        assert!(allows("http://localhost:*", "http://localhost:3000/x"));
        assert!(allows("http://localhost:*", "http://localhost/x"));
        assert!(!allows("http://localhost:*", "http://localhost.evil/x"));
    }

    #[test]
    fn what_cannot_be_read() {
        assert!(UrlGlob::parse("**/{a,{b}}").is_err());
        assert!(UrlGlob::parse("**/{a").is_err());
        assert!(UrlGlob::parse(&"a".repeat(20_000)).is_err());
    }
}
