//! Conversions between values, operators and comparisons (XPath 1.0 §3.4, §3.5).

use std::collections::HashSet;

use super::Operator;
use super::eval::{Evaluated, Evaluator};
use super::value::{Item, Value, number_to_text, text_to_number};

impl Evaluator<'_, '_> {
    pub(super) fn to_bool(&self, value: &Value) -> bool {
        match value {
            Value::Nodes(nodes) => !nodes.is_empty(),
            Value::Text(text) => !text.is_empty(),
            Value::Number(number) => *number != 0.0 && !number.is_nan(),
            Value::Bool(value) => *value,
        }
    }

    pub(super) fn to_text(&self, value: &Value) -> String {
        match value {
            Value::Nodes(nodes) => nodes
                .iter()
                .min()
                .map_or_else(String::new, |&n| self.text_of(n)),
            Value::Text(text) => text.clone(),
            Value::Number(number) => number_to_text(*number),
            Value::Bool(value) => value.to_string(),
        }
    }

    pub(super) fn to_number(&self, value: &Value) -> f64 {
        match value {
            Value::Number(number) => *number,
            Value::Bool(value) => f64::from(u8::from(*value)),
            other => text_to_number(&self.to_text(other)),
        }
    }

    pub(super) fn operate(
        &self,
        operator: Operator,
        left: &Value,
        right: &Value,
    ) -> Evaluated<Value> {
        let numbers = || (self.to_number(left), self.to_number(right));
        Ok(match operator {
            Operator::Add => Value::Number(numbers().0 + numbers().1),
            Operator::Subtract => Value::Number(numbers().0 - numbers().1),
            Operator::Multiply => Value::Number(numbers().0 * numbers().1),
            Operator::Divide => Value::Number(numbers().0 / numbers().1),
            Operator::Modulo => Value::Number(numbers().0 % numbers().1),
            comparison => Value::Bool(self.compare(comparison, left, right)?),
        })
    }

    /// Comparisons with node sets hold if some node makes them true (§3.4).
    fn compare(&self, operator: Operator, left: &Value, right: &Value) -> Evaluated<bool> {
        let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        match (left, right) {
            (Value::Nodes(nodes), other) | (other, Value::Nodes(nodes))
                if equality && matches!(other, Value::Bool(_)) =>
            {
                Ok(holds(operator, !nodes.is_empty(), self.to_bool(other)))
            }
            (Value::Nodes(a), Value::Nodes(b)) if equality => {
                let texts = |nodes: &[Item]| -> HashSet<String> {
                    nodes.iter().map(|&n| self.text_of(n)).collect()
                };
                let (a, b) = (texts(a), texts(b));
                Ok(match operator {
                    Operator::Equal => a.intersection(&b).next().is_some(),
                    // Some pair differs unless both are one and the same text.
                    _ => !a.is_empty() && !b.is_empty() && (a.len() > 1 || b.len() > 1 || a != b),
                })
            }
            (Value::Nodes(a), Value::Nodes(b)) => {
                // An order relation needs only the extremes.
                let numbers = |nodes: &[Item]| -> Vec<f64> {
                    let each = nodes.iter().map(|&n| text_to_number(&self.text_of(n)));
                    each.filter(|number| !number.is_nan()).collect()
                };
                let (a, b) = (numbers(a), numbers(b));
                let smallest = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
                let largest = |list: &[f64]| list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if a.is_empty() || b.is_empty() {
                    return Ok(false);
                }
                Ok(match operator {
                    Operator::Less | Operator::LessOrEqual => {
                        holds(operator, smallest(&a), largest(&b))
                    }
                    _ => holds(operator, largest(&a), smallest(&b)),
                })
            }
            (Value::Nodes(nodes), other) => Ok(nodes
                .iter()
                .any(|&n| self.compare_plain(operator, &Value::Text(self.text_of(n)), other))),
            (other, Value::Nodes(nodes)) => Ok(nodes
                .iter()
                .any(|&n| self.compare_plain(operator, other, &Value::Text(self.text_of(n))))),
            _ => Ok(self.compare_plain(operator, left, right)),
        }
    }

    fn compare_plain(&self, operator: Operator, left: &Value, right: &Value) -> bool {
        let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        match (left, right) {
            (Value::Bool(_), _) | (_, Value::Bool(_)) if equality => {
                holds(operator, self.to_bool(left), self.to_bool(right))
            }
            (Value::Text(a), Value::Text(b)) if equality => holds(operator, a, b),
            _ => holds(operator, self.to_number(left), self.to_number(right)),
        }
    }
}

fn holds<T: PartialOrd>(operator: Operator, left: T, right: T) -> bool {
    match operator {
        Operator::Equal => left == right,
        Operator::NotEqual => left != right,
        Operator::Less => left < right,
        Operator::LessOrEqual => left <= right,
        Operator::Greater => left > right,
        Operator::GreaterOrEqual => left >= right,
        _ => false,
    }
}
