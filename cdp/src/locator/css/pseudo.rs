//! Pseudo-classes: names, arguments and what they mean.

use super::parse::{Parsed, Parser};
use super::token::Token;
use super::{Complex, Nth, PseudoClass, SelectorList, State};
use crate::locator::layout::Layout;
use crate::locator::{JsRegex, LocatorError};

/// Selectors inside selectors.
const MAX_DEPTH: usize = 32;

/// One argument of a pseudo-class.
enum Argument {
    Text(String),
    Number(f64),
    Selector(Complex),
}

impl Parser<'_> {
    /// A pseudo-class after its colon.
    pub(super) fn pseudo(&mut self) -> Parsed<PseudoClass> {
        match self.peek() {
            Some(Token::Ident(name)) => {
                let name = name.to_ascii_lowercase();
                self.pos += 1;
                self.plain_pseudo(&name)
            }
            Some(Token::Function(name)) => {
                let name = name.to_ascii_lowercase();
                self.pos += 1;
                if self.depth >= MAX_DEPTH {
                    return Err(LocatorError::TooComplex("selectors nested too deeply"));
                }
                self.depth += 1;
                let pseudo = self.functional_pseudo(&name)?;
                self.depth -= 1;
                Ok(pseudo)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn plain_pseudo(&self, name: &str) -> Parsed<PseudoClass> {
        let nth = |offset, from_end, of_type| {
            PseudoClass::Nth(Nth {
                step: 0,
                offset,
                from_end,
                of_type,
                of: None,
            })
        };
        Ok(match name {
            "root" => PseudoClass::Root,
            "scope" => PseudoClass::Scope,
            "empty" => PseudoClass::Empty,
            "visible" => PseudoClass::Visible,
            "first-child" => nth(1, false, false),
            "last-child" => nth(1, true, false),
            "first-of-type" => nth(1, false, true),
            "last-of-type" => nth(1, true, true),
            "only-child" => PseudoClass::Only { of_type: false },
            "only-of-type" => PseudoClass::Only { of_type: true },
            "checked" => PseudoClass::State(State::Checked),
            "disabled" => PseudoClass::State(State::Disabled),
            "enabled" => PseudoClass::State(State::Enabled),
            "required" => PseudoClass::State(State::Required),
            "optional" => PseudoClass::State(State::Optional),
            "read-only" => PseudoClass::State(State::ReadOnly),
            "read-write" => PseudoClass::State(State::ReadWrite),
            "placeholder-shown" => PseudoClass::State(State::PlaceholderShown),
            "link" | "any-link" => PseudoClass::State(State::Link),
            "open" => PseudoClass::State(State::Open),
            "focus" => PseudoClass::State(State::Focus),
            "focus-within" => PseudoClass::State(State::FocusWithin),
            // Browsers answer no to :visited in scripts, to guard privacy.
            "host" | "visited" => PseudoClass::State(State::Never),
            "not" | "is" | "where" | "has" | "light" => return Err(needs_selectors(name)),
            "text" | "text-is" | "has-text" => return Err(needs_text(name)),
            "text-matches" => return Err(needs_regex()),
            "nth-match" => return Err(needs_index()),
            _ if Layout::by_name(name).is_some() => return Err(needs_distance(name)),
            "active" | "autofill" | "buffering" | "default" | "defined" | "focus-visible"
            | "fullscreen" | "hover" | "in-range" | "indeterminate" | "invalid" | "modal"
            | "muted" | "out-of-range" | "paused" | "picture-in-picture" | "playing"
            | "popover-open" | "seeking" | "stalled" | "target" | "target-current"
            | "user-invalid" | "user-valid" | "valid" | "volume-locked" | "xr-overlay" => {
                return Err(LocatorError::LivePseudoClass {
                    pseudo: format!(":{name}"),
                    selector: self.source.to_owned(),
                });
            }
            _ => return Err(self.unknown(&format!(":{name}"))),
        })
    }

    pub(super) fn invalid(&self, reason: String) -> LocatorError {
        LocatorError::InvalidCss {
            selector: self.source.to_owned(),
            reason,
        }
    }

    fn unknown(&self, pseudo: &str) -> LocatorError {
        self.invalid(format!("There is no pseudo-class \"{pseudo}\"."))
    }

    /// The rest of `:name(`, its closing parenthesis included.
    fn functional_pseudo(&mut self, name: &str) -> Parsed<PseudoClass> {
        if let Some((from_end, of_type)) = match name {
            "nth-child" => Some((false, false)),
            "nth-last-child" => Some((true, false)),
            "nth-of-type" => Some((false, true)),
            "nth-last-of-type" => Some((true, true)),
            _ => None,
        } {
            return self.nth(from_end, of_type);
        }
        match name {
            "lang" => {
                self.skip_space();
                let Some(Token::Ident(text) | Token::Str(text)) = self.next() else {
                    self.pos -= 1;
                    return Err(self.unexpected());
                };
                self.skip_space();
                self.expect(&Token::CloseParen)?;
                return Ok(PseudoClass::Lang(text));
            }
            "host" | "host-context" => {
                self.arguments()?;
                return Ok(PseudoClass::State(State::Never));
            }
            "dir" | "state" | "active-view-transition-type" => {
                return Err(LocatorError::LivePseudoClass {
                    pseudo: format!(":{name}()"),
                    selector: self.source.to_owned(),
                });
            }
            _ => {}
        }
        let known = matches!(
            name,
            "not"
                | "is"
                | "where"
                | "has"
                | "light"
                | "visible"
                | "scope"
                | "text"
                | "text-is"
                | "text-matches"
                | "has-text"
                | "nth-match"
        );
        if !known && Layout::by_name(name).is_none() {
            return Err(self.unknown(&format!(":{name}()")));
        }
        let arguments = self.arguments()?;
        build(name, arguments)
    }

    /// Arguments up to and with the closing parenthesis.
    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut arguments = Vec::new();
        self.skip_space();
        if self.eat(&Token::CloseParen) {
            return Ok(arguments);
        }
        loop {
            self.skip_space();
            let argument = match self.peek() {
                Some(Token::Str(text)) => Argument::Text(text.clone()),
                Some(Token::Number(number)) => Argument::Number(*number),
                _ => {
                    arguments.push(Argument::Selector(self.complex()?));
                    self.skip_space();
                    if self.eat(&Token::Comma) {
                        continue;
                    }
                    self.expect(&Token::CloseParen)?;
                    return Ok(arguments);
                }
            };
            self.pos += 1;
            arguments.push(argument);
            self.skip_space();
            if !self.eat(&Token::Comma) {
                self.expect(&Token::CloseParen)?;
                return Ok(arguments);
            }
        }
    }

    fn nth(&mut self, from_end: bool, of_type: bool) -> Parsed<PseudoClass> {
        // The micro syntax cuts across tokens ("2n-1" is one), so read text.
        let start = self.pos;
        while !matches!(
            self.peek(),
            None | Some(Token::CloseParen | Token::OpenParen)
        ) {
            if self.peek() == Some(&Token::Ident("of".into())) {
                break;
            }
            self.pos += 1;
        }
        let text: String = self.tokens[start..self.pos]
            .iter()
            .map(|t| match t.token {
                Token::Whitespace => " ",
                _ => &self.source[t.span.clone()],
            })
            .collect();
        let Some((step, offset)) = an_plus_b(text.trim()) else {
            self.pos = start;
            return Err(self.unexpected());
        };
        let mut of = None;
        if !of_type && self.eat(&Token::Ident("of".into())) {
            of = Some(self.list()?);
        }
        self.expect(&Token::CloseParen)?;
        Ok(PseudoClass::Nth(Nth {
            step,
            offset,
            from_end,
            of_type,
            of,
        }))
    }
}

/// `An+B` of CSS Syntax §6, spaces allowed only around the inner sign.
fn an_plus_b(text: &str) -> Option<(i64, i64)> {
    let text = text.to_ascii_lowercase();
    match text.as_str() {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    let integer = |s: &str| -> Option<i64> {
        let digits = s.strip_prefix(['+', '-']).unwrap_or(s);
        let valid = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        // Positions beyond any document saturate, as they do in browsers; what is
        // left can be added and divided without overflow.
        let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let beyond = if s.starts_with('-') { low } else { high };
        valid.then(|| s.parse().unwrap_or(beyond).clamp(low, high))
    };
    let Some((before, after)) = text.split_once('n') else {
        return Some((0, integer(&text)?));
    };
    let step = match before {
        "" | "+" => 1,
        "-" => -1,
        other => integer(other)?,
    };
    let after = after.trim();
    if after.is_empty() {
        return Some((step, 0));
    }
    let sign = after.strip_prefix(['+', '-'])?;
    let value =
        integer(sign.trim_start()).filter(|_| !sign.trim_start().starts_with(['+', '-']))?;
    Some((
        step,
        if after.starts_with('-') {
            -value
        } else {
            value
        },
    ))
}

fn syntax(text: String) -> LocatorError {
    LocatorError::Syntax(text)
}

fn needs_selectors(name: &str) -> LocatorError {
    syntax(format!("\"{name}\" engine expects non-empty selector list"))
}

fn needs_text(name: &str) -> LocatorError {
    syntax(format!("\"{name}\" engine expects a single string"))
}

fn needs_regex() -> LocatorError {
    syntax("\"text-matches\" engine expects a regexp body and optional regexp flags".into())
}

fn needs_index() -> LocatorError {
    syntax(
        "\"nth-match\" engine expects a selector list and a one-based index as the last argument"
            .into(),
    )
}

fn needs_distance(name: &str) -> LocatorError {
    syntax(format!(
        "\"{name}\" engine expects a selector list and optional maximum distance in pixels"
    ))
}

/// Turns arguments into selectors, or nothing if some are not or none are there.
fn selectors(arguments: Vec<Argument>) -> Option<SelectorList> {
    let list: Option<Vec<Complex>> = arguments
        .into_iter()
        .map(|argument| match argument {
            Argument::Selector(complex) => Some(complex),
            _ => None,
        })
        .collect();
    list.filter(|list| !list.is_empty()).map(SelectorList)
}

fn build(name: &str, mut arguments: Vec<Argument>) -> Parsed<PseudoClass> {
    if let Some(layout) = Layout::by_name(name) {
        let distance = match arguments.last() {
            Some(Argument::Number(distance)) => {
                let distance = *distance;
                arguments.pop();
                Some(distance)
            }
            _ => None,
        };
        let list = selectors(arguments).ok_or_else(|| needs_distance(name))?;
        return Ok(PseudoClass::Layout(layout, list, distance));
    }
    match name {
        "visible" | "scope" if arguments.is_empty() => Ok(if name == "scope" {
            PseudoClass::Scope
        } else {
            PseudoClass::Visible
        }),
        "visible" | "scope" => Err(syntax(format!("\"{name}\" engine expects no arguments"))),
        "text" | "text-is" | "has-text" => match <[Argument; 1]>::try_from(arguments) {
            Ok([Argument::Text(text)]) => Ok(match name {
                "text" => PseudoClass::Text(text),
                "text-is" => PseudoClass::TextIs(text),
                _ => PseudoClass::HasText(text),
            }),
            _ => Err(needs_text(name)),
        },
        "text-matches" => {
            let mut texts = arguments.into_iter().map(|argument| match argument {
                Argument::Text(text) => Some(text),
                _ => None,
            });
            match (texts.next(), texts.next(), texts.next()) {
                (Some(Some(body)), None, None) => {
                    Ok(PseudoClass::TextMatches(JsRegex::new(&body, "")?))
                }
                (Some(Some(body)), Some(Some(flags)), None) => {
                    Ok(PseudoClass::TextMatches(JsRegex::new(&body, &flags)?))
                }
                _ => Err(needs_regex()),
            }
        }
        "nth-match" => match arguments.pop() {
            Some(Argument::Number(index)) if index >= 1.0 && index.fract() == 0.0 => {
                let list = selectors(arguments).ok_or_else(needs_index)?;
                Ok(PseudoClass::NthMatch(list, index.min(1e9) as usize))
            }
            _ => Err(needs_index()),
        },
        _ => {
            let list = selectors(arguments).ok_or_else(|| needs_selectors(name))?;
            Ok(match name {
                "not" => PseudoClass::Not(list),
                "has" => PseudoClass::Has(list),
                "light" => PseudoClass::Light(list),
                _ => PseudoClass::Is(list),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn message(source: &str) -> String {
        parse(source).unwrap_err().to_string()
    }

    #[test]
    fn positions() {
        assert_eq!(an_plus_b("odd"), Some((2, 1)));
        assert_eq!(an_plus_b("2n + 1"), Some((2, 1)));
        assert_eq!(an_plus_b("-n+3"), Some((-1, 3)));
        assert_eq!(an_plus_b("n"), Some((1, 0)));
        assert_eq!(an_plus_b("+5"), Some((0, 5)));
        assert_eq!(an_plus_b("2n-1"), Some((2, -1)));
        assert_eq!(an_plus_b("2n 1"), None);
        assert_eq!(an_plus_b("2n + -1"), None);
        assert_eq!(an_plus_b(""), None);
        assert_eq!(an_plus_b("- 3"), None);
        // Nothing that overflows when positions are compared with it.
        let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
        assert_eq!(an_plus_b("-n-9223372036854775807"), Some((-1, -high)));
        assert_eq!(an_plus_b("-99999999999999999999"), Some((0, low)));
        assert_eq!(an_plus_b("99999999999999999999n"), Some((high, 0)));
    }

    #[test]
    fn meaningless_pseudo_classes() {
        assert!(message("a:hover").contains("\":hover\""));
        assert!(message("a:contains('x')").contains("\":contains()\""));
        assert!(message("a:frist-child").contains("\":frist-child\""));
        assert_eq!(
            message(":has-text(a)"),
            "\"has-text\" engine expects a single string"
        );
        assert_eq!(
            message(":has()"),
            "\"has\" engine expects non-empty selector list"
        );
        assert_eq!(
            message(":visible(a)"),
            "\"visible\" engine expects no arguments"
        );
        assert!(message(":nth-match(a, 0)").contains("one-based index"));
    }
}
