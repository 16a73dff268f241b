//! Search in a snapshot: the text of `browser_find`. Pure.

use crate::tools::js_regex::{InvalidRegex, JsRegex};

/// Lines shown before and after a hit.
const AROUND: usize = 3;

/// What to look for.
#[derive(Debug, Clone)]
pub enum Query {
    /// A substring, ignoring case.
    Text(String),
    /// A regular expression, tried on each line.
    Regex(JsRegex),
}

/// Why there is nothing to look for. Displays as the error that is reported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Neither argument was given.
    #[error("Provide either \"text\" or \"regex\" to search for.")]
    Neither,
    /// Both were given.
    #[error("Provide only one of \"text\" or \"regex\", not both.")]
    Both,
    /// The regular expression is none. Validation normally reports it before.
    #[error(transparent)]
    Invalid(#[from] InvalidRegex),
}

impl Query {
    /// The query of a call. Empty arguments count as not given.
    ///
    /// # Errors
    /// [`QueryError`] unless exactly one argument says something, and a valid one.
    pub fn new(text: Option<&str>, regex: Option<&str>) -> Result<Self, QueryError> {
        let given =
            |argument: Option<&str>| argument.filter(|text| !text.is_empty()).map(str::to_owned);
        match (given(text), given(regex)) {
            (None, None) => Err(QueryError::Neither),
            (Some(_), Some(_)) => Err(QueryError::Both),
            (Some(text), None) => Ok(Self::Text(text)),
            (None, Some(regex)) => Ok(Self::Regex(JsRegex::parse(&regex)?)),
        }
    }
}

impl std::fmt::Display for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Regex(regex) => write!(f, "{regex}"),
        }
    }
}

/// Searches the lines of a snapshot and returns the result text: how many lines match, then the
/// places where, each with the lines around it and the ancestors of its first line.
///
/// Places whose lines overlap or touch are shown as one. `...` stands for left out lines only
/// where neither neighbour is a hit or an ancestor of one: around those the indentation says
/// enough. Takes time linear in the snapshot plus the lines shown.
pub fn find(snapshot: &str, query: &Query) -> String {
    let lines: Vec<&str> = snapshot.split('\n').collect();
    let hits = hits(&lines, query);
    if hits.is_empty() {
        return format!("No matches found for {query}.");
    }
    let outline = Outline::new(&lines);
    let on_path = outline.on_path(&hits);
    let snippets: Vec<String> = windows(&hits, lines.len())
        .into_iter()
        .map(|(start, end)| {
            let mut shown = outline.ancestors(start);
            shown.extend(start..=end);
            snippet(&lines, &outline, &on_path, &shown)
        })
        .collect();
    let noun = if hits.len() == 1 { "match" } else { "matches" };
    format!(
        "Found {} {noun} for {query}:\n\n{}",
        hits.len(),
        snippets.join("\n\n----\n\n")
    )
}

fn hits(lines: &[&str], query: &Query) -> Vec<usize> {
    let matches: Box<dyn Fn(&str) -> bool> = match query {
        Query::Text(text) => {
            let wanted = text.to_lowercase();
            Box::new(move |line| line.to_lowercase().contains(&wanted))
        }
        Query::Regex(regex) => Box::new(move |line| regex.is_match(line)),
    };
    (0..lines.len()).filter(|at| matches(lines[*at])).collect()
}

/// First and last line of each place; places that overlap or touch are merged.
fn windows(hits: &[usize], line_count: usize) -> Vec<(usize, usize)> {
    let mut windows: Vec<(usize, usize)> = Vec::new();
    for hit in hits {
        let (start, end) = (
            hit.saturating_sub(AROUND),
            (hit + AROUND).min(line_count - 1),
        );
        match windows.last_mut() {
            Some(last) if start <= last.1 + 1 => last.1 = end,
            _ => windows.push((start, end)),
        }
    }
    windows
}

fn snippet(lines: &[&str], outline: &Outline, on_path: &[bool], shown: &[usize]) -> String {
    let mut out = String::new();
    let mut before: Option<usize> = None;
    for &at in shown {
        if let Some(before) = before {
            out.push('\n');
            if at > before + 1 && !on_path[before] && !on_path[at] {
                out.push_str(&" ".repeat(outline.indents[at]));
                out.push_str("...\n");
            }
        }
        out.push_str(lines[at]);
        before = Some(at);
    }
    out
}

/// The tree that indentation describes.
struct Outline {
    indents: Vec<usize>,
    /// The nearest line above with less indentation.
    parents: Vec<Option<usize>>,
}

impl Outline {
    fn new(lines: &[&str]) -> Self {
        let indents: Vec<usize> = lines
            .iter()
            .map(|line| line.len() - line.trim_start_matches(' ').len())
            .collect();
        let mut open: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(lines.len());
        for (at, indent) in indents.iter().enumerate() {
            while open.pop_if(|last| indents[*last] >= *indent).is_some() {}
            parents.push(open.last().copied());
            open.push(at);
        }
        Self { indents, parents }
    }

    /// From the root down, without the line itself.
    fn ancestors(&self, line: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = self.parents[line];
        while let Some(parent) = at {
            found.push(parent);
            at = self.parents[parent];
        }
        found.reverse();
        found
    }

    /// Marks hits and their ancestors.
    fn on_path(&self, hits: &[usize]) -> Vec<bool> {
        let mut marked = vec![false; self.parents.len()];
        for hit in hits {
            let mut at = Some(*hit);
            // A marked line has marked ancestors.
            while let Some(line) = at.filter(|line| !marked[*line]) {
                marked[line] = true;
                at = self.parents[line];
            }
        }
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(wanted: &str) -> Query {
        Query::new(Some(wanted), None).unwrap()
    }

    const PAGE: &str = r#"- generic [ref=f6e1]:
  - link "DL" [active] [ref=f6e4] [cursor=pointer]:
    - /url: /dl
  - list [ref=f6e5]:
    - listitem [ref=f6e6]: Apple
    - listitem [ref=f6e7]: Banana
  - checkbox "chk" [checked] [ref=f6e8]
  - textbox "txt" [ref=f6e9]: v1"#;

    #[test]
    fn one_hit_with_its_surroundings() {
        assert_eq!(
            find(PAGE, &text("apple")),
            format!("Found 1 match for \"apple\":\n\n{PAGE}")
        );
    }

    #[test]
    fn nothing_found() {
        assert_eq!(find(PAGE, &text("pear")), "No matches found for \"pear\".");
        let regex = Query::new(None, Some("/apples/i")).unwrap();
        assert_eq!(find(PAGE, &regex), "No matches found for /apples/i.");
        assert_eq!(find("", &text("x")), "No matches found for \"x\".");
    }

    #[test]
    fn regular_expressions_heed_case() {
        let count = |source: &str| {
            let found = find(PAGE, &Query::new(None, Some(source)).unwrap());
            found.lines().next().unwrap().to_owned()
        };
        assert_eq!(
            count("/apple|banana/i"),
            "Found 2 matches for /apple|banana/i:"
        );
        assert_eq!(count("Apple"), "Found 1 match for /Apple/:");
        assert_eq!(count("apple"), "No matches found for /apple/.");
    }

    #[test]
    fn arguments() {
        let error = |text, regex| Query::new(text, regex).unwrap_err().to_string();
        assert_eq!(
            error(None, None),
            "Provide either \"text\" or \"regex\" to search for."
        );
        assert_eq!(
            error(Some(""), None),
            "Provide either \"text\" or \"regex\" to search for."
        );
        assert_eq!(
            error(Some("a"), Some("b")),
            "Provide only one of \"text\" or \"regex\", not both."
        );
        assert_eq!(error(None, Some("(")), "Invalid regular expression");
    }

    /// A root with two lists of ten items each.
    fn two_lists() -> String {
        let mut page = String::from("- main:");
        for list in ["a", "b"] {
            page.push_str(&format!("\n  - list \"{list}\":"));
            for item in 0..10 {
                page.push_str(&format!("\n    - listitem: {list}{item}"));
            }
        }
        page
    }

    #[test]
    fn distant_hits_are_apart_and_close_ones_are_one() {
        let page = two_lists();
        assert_eq!(
            find(&page, &text("5")),
            r#"Found 2 matches for "5":

- main:
  - list "a":
    - listitem: a2
    - listitem: a3
    - listitem: a4
    - listitem: a5
    - listitem: a6
    - listitem: a7
    - listitem: a8

----

- main:
  - list "b":
    - listitem: b2
    - listitem: b3
    - listitem: b4
    - listitem: b5
    - listitem: b6
    - listitem: b7
    - listitem: b8"#
        );
        // Line 3 is a1, line 10 is a8: the places 0..=6 and 7..=13 touch.
        let touching = find(&page, &Query::new(None, Some("a[18]")).unwrap());
        assert!(
            !touching.contains("----") && !touching.contains("..."),
            "{touching}"
        );
        assert_eq!(touching.lines().count(), 2 + 14);
    }

    #[test]
    fn left_out_lines_are_marked_away_from_the_path() {
        // The window begins in list "a", which is no ancestor of the hit in list "b".
        assert_eq!(
            find(&two_lists(), &text("b0")),
            r#"Found 1 match for "b0":

- main:
  - list "a":
    ...
    - listitem: a8
    - listitem: a9
  - list "b":
    - listitem: b0
    - listitem: b1
    - listitem: b2
    - listitem: b3"#
        );
    }

    #[test]
    fn deep_pages_do_not_take_quadratic_time() {
        let page: String = (0..20_000)
            .map(|depth| format!("{}- generic:\n", " ".repeat(depth % 50)))
            .collect();
        let found = find(&page, &text("generic"));
        assert!(found.starts_with("Found 20000 matches"));
    }
}
