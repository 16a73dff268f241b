//! The core function library (XPath 1.0 §4).

use super::Expr;
use super::eval::{Context, Evaluator};
use super::value::{Item, Value, round};
use crate::locator::LocatorError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Last,
    Position,
    Count,
    Id,
    LocalName,
    NamespaceUri,
    Name,
    String,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    StringLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Lang,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
}

/// Name, function, fewest and most arguments.
const TABLE: [(&str, Function, usize, usize); 27] = [
    ("last", Function::Last, 0, 0),
    ("position", Function::Position, 0, 0),
    ("count", Function::Count, 1, 1),
    ("id", Function::Id, 1, 1),
    ("local-name", Function::LocalName, 0, 1),
    ("namespace-uri", Function::NamespaceUri, 0, 1),
    ("name", Function::Name, 0, 1),
    ("string", Function::String, 0, 1),
    ("concat", Function::Concat, 2, usize::MAX),
    ("starts-with", Function::StartsWith, 2, 2),
    ("contains", Function::Contains, 2, 2),
    ("substring-before", Function::SubstringBefore, 2, 2),
    ("substring-after", Function::SubstringAfter, 2, 2),
    ("substring", Function::Substring, 2, 3),
    ("string-length", Function::StringLength, 0, 1),
    ("normalize-space", Function::NormalizeSpace, 0, 1),
    ("translate", Function::Translate, 3, 3),
    ("boolean", Function::Boolean, 1, 1),
    ("not", Function::Not, 1, 1),
    ("true", Function::True, 0, 0),
    ("false", Function::False, 0, 0),
    ("lang", Function::Lang, 1, 1),
    ("number", Function::Number, 0, 1),
    ("sum", Function::Sum, 1, 1),
    ("floor", Function::Floor, 1, 1),
    ("ceiling", Function::Ceiling, 1, 1),
    ("round", Function::Round, 1, 1),
];

impl Function {
    pub(super) fn by_name(name: &str) -> Option<Self> {
        TABLE
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, function, ..)| *function)
    }

    pub(super) fn takes(self, arguments: usize) -> bool {
        TABLE
            .iter()
            .any(|&(_, function, min, max)| function == self && (min..=max).contains(&arguments))
    }
}

/// Calls `function`; the parser has checked the number of arguments.
pub(super) fn call(
    evaluator: &Evaluator<'_, '_>,
    function: Function,
    arguments: &[Expr],
    context: &Context,
) -> Result<Value, LocatorError> {
    let value = |index: usize| -> Result<Value, LocatorError> {
        match arguments.get(index) {
            Some(argument) => evaluator.evaluate(argument, context),
            // An absent argument means the context node.
            None => Ok(Value::Nodes(vec![context.item])),
        }
    };
    let text =
        |index: usize| -> Result<String, LocatorError> { Ok(evaluator.to_text(&value(index)?)) };
    let number =
        |index: usize| -> Result<f64, LocatorError> { Ok(evaluator.to_number(&value(index)?)) };
    let nodes = |index: usize| -> Result<Vec<Item>, LocatorError> {
        match value(index)? {
            Value::Nodes(nodes) => Ok(nodes),
            _ => Err(evaluator.error("a function expects nodes, not a value")),
        }
    };
    let first_name = || -> Result<String, LocatorError> {
        let nodes = nodes(0)?;
        Ok(nodes
            .first()
            .map_or_else(String::new, |&item| evaluator.name(item)))
    };
    Ok(match function {
        Function::Last => Value::Number(context.size as f64),
        Function::Position => Value::Number(context.position as f64),
        Function::Count => Value::Number(nodes(0)?.len() as f64),
        Function::Id => Value::Nodes(match value(0)? {
            Value::Nodes(nodes) => {
                let texts: Vec<String> = nodes.iter().map(|&n| evaluator.text_of(n)).collect();
                evaluator.by_ids(&texts.join(" "))
            }
            other => evaluator.by_ids(&evaluator.to_text(&other)),
        }),
        Function::LocalName => {
            let name = first_name()?;
            Value::Text(name.rsplit(':').next().unwrap_or_default().to_owned())
        }
        Function::Name => Value::Text(first_name()?),
        Function::NamespaceUri => {
            let nodes = nodes(0)?;
            let uri = nodes.first().map_or("", |&item| evaluator.namespace(item));
            Value::Text(uri.to_owned())
        }
        Function::String => Value::Text(text(0)?),
        Function::Concat => {
            let mut all = String::new();
            for index in 0..arguments.len() {
                all.push_str(&text(index)?);
            }
            Value::Text(all)
        }
        Function::StartsWith => Value::Bool(text(0)?.starts_with(&text(1)?)),
        Function::Contains => Value::Bool(text(0)?.contains(&text(1)?)),
        Function::SubstringBefore => {
            let whole = text(0)?;
            let before = whole.split_once(&text(1)?).map_or("", |(before, _)| before);
            Value::Text(before.to_owned())
        }
        Function::SubstringAfter => {
            let whole = text(0)?;
            let after = whole.split_once(&text(1)?).map_or("", |(_, after)| after);
            Value::Text(after.to_owned())
        }
        Function::Substring => {
            let length = match arguments.len() {
                2 => None,
                _ => Some(number(2)?),
            };
            Value::Text(substring(&text(0)?, number(1)?, length))
        }
        Function::StringLength => Value::Number(text(0)?.chars().count() as f64),
        Function::NormalizeSpace => {
            let whole = text(0)?;
            let words: Vec<&str> = whole
                .split([' ', '\t', '\r', '\n'])
                .filter(|word| !word.is_empty())
                .collect();
            Value::Text(words.join(" "))
        }
        Function::Translate => Value::Text(translate(&text(0)?, &text(1)?, &text(2)?)),
        Function::Boolean => Value::Bool(evaluator.to_bool(&value(0)?)),
        Function::Not => Value::Bool(!evaluator.to_bool(&value(0)?)),
        Function::True => Value::Bool(true),
        Function::False => Value::Bool(false),
        Function::Lang => Value::Bool(evaluator.has_lang(context.item, &text(0)?)),
        Function::Number => Value::Number(number(0)?),
        Function::Sum => {
            let items = nodes(0)?.into_iter().map(|item| Value::Nodes(vec![item]));
            Value::Number(items.map(|item| evaluator.to_number(&item)).sum())
        }
        Function::Floor => Value::Number(number(0)?.floor()),
        Function::Ceiling => Value::Number(number(0)?.ceil()),
        Function::Round => Value::Number(round(number(0)?)),
    })
}

/// Characters whose 1-based position p has `round(start) <= p` and
/// `p < round(start) + round(length)`.
fn substring(text: &str, start: f64, length: Option<f64>) -> String {
    let start = round(start);
    let end = length.map_or(f64::INFINITY, |length| start + round(length));
    text.chars()
        .zip(1u32..)
        .filter(|(_, position)| f64::from(*position) >= start && f64::from(*position) < end)
        .map(|(c, _)| c)
        .collect()
}

fn translate(text: &str, from: &str, to: &str) -> String {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    text.chars()
        .filter_map(|c| match from.iter().position(|f| *f == c) {
            None => Some(c),
            Some(index) => to.get(index).copied(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_recommendation() {
        assert_eq!(substring("12345", 2.0, Some(3.0)), "234");
        assert_eq!(substring("12345", 1.5, Some(2.6)), "234");
        assert_eq!(substring("12345", 0.0, Some(3.0)), "12");
        assert_eq!(substring("12345", f64::NAN, Some(3.0)), "");
        assert_eq!(substring("12345", -42.0, Some(f64::INFINITY)), "12345");
        assert_eq!(substring("12345", 2.0, None), "2345");
        assert_eq!(translate("bar", "abc", "ABC"), "BAr");
        assert_eq!(translate("--aaa--", "abc-", "ABC"), "AAA");
    }
}
