//! Removes TypeScript's types from a module, as far as blanks can stand in their place.
//!
//! Lines and columns stay as they are, so that exceptions point into the file as it was written.
//! What would need other code in its place (enums, namespaces, parameter properties) is refused.
//! A text that this reader does not understand is left alone: then the engine says what is wrong.

mod declarations;
mod expressions;
mod tokens;
mod types;
mod walk;

use std::collections::HashSet;

use tokens::{Kind, Token};
use walk::{Walk, Walked};

/// Source without types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped {
    /// JavaScript of the same shape.
    pub text: String,
    /// Whether it imports or exports anything.
    pub is_module: bool,
}

/// Something that is no type, and yet not JavaScript.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (line {line})")]
pub struct StripError {
    /// From 1.
    pub line: u32,
    pub reason: String,
}

/// Removes types.
///
/// # Errors
/// The module uses a part of TypeScript that leaves code behind.
pub fn strip_types(source: &str) -> Result<Stripped, StripError> {
    let untouched = Stripped {
        text: source.to_owned(),
        is_module: source.contains("export ") || source.contains("import "),
    };
    let Some(tokens) = tokens::read(source) else {
        return Ok(untouched);
    };
    let walked = match Walk::run(&tokens, source) {
        Ok(walked) => walked,
        Err(walk::Stop::Refused { token, reason }) => {
            let start = tokens.get(token).map_or(source.len(), |token| token.start);
            let line = source[..start].matches('\n').count() + 1;
            return Err(StripError {
                line: u32::try_from(line).unwrap_or(u32::MAX),
                reason: reason.to_owned(),
            });
        }
        Err(walk::Stop::Lost) => return Ok(untouched),
    };
    let is_module = walked.is_module;
    let text = blanked(source, &tokens, walked);
    Ok(Stripped { text, is_module })
}

/// Puts blanks where tokens were cut, and cuts imports that only types used.
fn blanked(source: &str, tokens: &[Token], walked: Walked) -> String {
    let mut cut = vec![false; tokens.len()];
    for range in &walked.cuts {
        cut[range.clone()].fill(true);
    }
    let mut imported = vec![false; tokens.len()];
    for import in &walked.imports {
        imported[import.tokens.clone()].fill(true);
    }
    let used: HashSet<&str> = (0..tokens.len())
        .filter(|&i| !cut[i] && !imported[i] && tokens[i].kind == Kind::Word)
        .map(|i| tokens[i].text(source))
        .collect();
    let mut statements = walked.statements;
    for import in &walked.imports {
        let unused = |name: &std::ops::Range<usize>| {
            let local = name.end.checked_sub(1).and_then(|last| tokens.get(last));
            local.is_none_or(|local| !used.contains(local.text(source)))
        };
        if import.names.is_empty() {
            continue;
        }
        if import.names.iter().all(unused) {
            cut[import.tokens.clone()].fill(true);
            statements.push(import.tokens.start);
            continue;
        }
        for name in import.names.iter().filter(|name| unused(name)) {
            cut[name.clone()].fill(true);
            // The comma goes with it.
            if let Some(next) = tokens.get(name.end)
                && next.text(source) == ","
            {
                cut[name.end] = true;
            }
        }
    }
    let statements: HashSet<usize> = statements.into_iter().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    let mut i = 0;
    while i < tokens.len() {
        if !cut[i] {
            i += 1;
            continue;
        }
        let first = i;
        while i < tokens.len() && cut[i] && (i == first || !statements.contains(&i)) {
            i += 1;
        }
        out.push_str(&source[at..tokens[first].start]);
        at = tokens[i - 1].end;
        let gone = &source[tokens[first].start..at];
        for (n, c) in gone.chars().enumerate() {
            out.push(match c {
                '\n' | '\r' => c,
                // What comes before must not run into what comes after.
                _ if n == 0 && statements.contains(&first) => ';',
                _ => ' ',
            });
        }
    }
    out.push_str(&source[at..]);
    out
}

#[cfg(test)]
mod tests;
