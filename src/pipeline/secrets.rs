//! Lets a model fill in secrets that it does not know: it names one, the page gets the value.

use serde_json::{Map, Value};

use crate::backend::BoxFuture;
use crate::call::{ToolCall, ToolReply};
use crate::config::Secrets;
use crate::pipeline::{Layer, Next};
use crate::tools::js_code::quote;

/// The layer. Texts to type that equal the name of a secret become its value, and the code that
/// the reply shows looks the value up.
#[derive(Debug)]
pub struct FillSecrets {
    secrets: Secrets,
}

impl FillSecrets {
    /// With these secrets.
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets }
    }

    /// Replaces names in the arguments. Returns the names that were used.
    fn fill(&self, call: &mut ToolCall) -> Vec<String> {
        let mut used = Vec::new();
        match call.name.as_str() {
            "browser_type" => self.replace(&mut call.arguments, "text", &mut used),
            "browser_fill_form" => {
                let fields = call.arguments.get_mut("fields");
                for field in fields.and_then(Value::as_array_mut).into_iter().flatten() {
                    let Some(field) = field.as_object_mut() else {
                        continue;
                    };
                    let kind = field.get("type").and_then(Value::as_str);
                    if matches!(kind, Some("textbox" | "slider")) {
                        self.replace(field, "value", &mut used);
                    }
                }
            }
            _ => {}
        }
        used
    }

    fn replace(&self, object: &mut Map<String, Value>, key: &str, used: &mut Vec<String>) {
        let Some(Value::String(text)) = object.get_mut(key) else {
            return;
        };
        if let Some(value) = self.secrets.value(text) {
            used.push(std::mem::replace(text, value.to_owned()));
        }
    }

    /// Puts look-ups in the place of the values that these names stand for.
    fn look_up(&self, code: &mut [String], used: &[String]) {
        for name in used {
            let Some(value) = self.secrets.value(name) else {
                continue;
            };
            let (literal, lookup) = (quote(value), format!("process.env[{}]", quote(name)));
            for line in code.iter_mut() {
                // The value is the whole argument; a locator may hold the same text.
                for method in ["fill", "pressSequentially"] {
                    let shown = format!(".{method}({literal})");
                    if line.contains(&shown) {
                        *line = line.replace(&shown, &format!(".{method}({lookup})"));
                    }
                }
            }
        }
    }
}

impl Layer for FillSecrets {
    fn call<'a>(&'a self, mut call: ToolCall, next: Next<'a>) -> BoxFuture<'a, ToolReply> {
        Box::pin(async move {
            let used = self.fill(&mut call);
            let mut reply = next.run(call).await;
            self.look_up(&mut reply.code, &used);
            reply
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::call;
    use super::*;
    use serde_json::json;

    fn layer() -> FillSecrets {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        FillSecrets::new(Secrets::new([pair("KEY", "it's"), pair("NONE", "")]))
    }

    fn filled(tool: &str, arguments: Value) -> (Value, Vec<String>) {
        let mut call = call(tool);
        call.arguments = arguments.as_object().unwrap().clone();
        let used = layer().fill(&mut call);
        (Value::Object(call.arguments), used)
    }

    #[test]
    fn names_become_values_where_text_is_typed() {
        let (arguments, used) = filled("browser_type", json!({"text": "KEY", "target": "KEY"}));
        assert_eq!(arguments, json!({"text": "it's", "target": "KEY"}));
        assert_eq!(used, ["KEY"]);
        let fields = json!({"fields": [
            {"type": "textbox", "value": "KEY"}, {"type": "combobox", "value": "KEY"},
            {"type": "slider", "value": "NONE"}, {"type": "textbox", "value": "a KEY"}
        ]});
        let (arguments, used) = filled("browser_fill_form", fields.clone());
        assert_eq!(arguments["fields"][0]["value"], "it's");
        for at in [1, 2, 3] {
            assert_eq!(arguments["fields"][at], fields["fields"][at]);
        }
        assert_eq!(used, ["KEY"]);
        assert!(
            filled("browser_evaluate", json!({"text": "KEY"}))
                .1
                .is_empty()
        );
    }

    #[test]
    fn code_looks_the_value_up() {
        let mut code = vec![
            r"await page.getByText('it\'s').fill('it\'s');".to_owned(),
            r"await page.locator('x').pressSequentially('it\'s');".to_owned(),
        ];
        layer().look_up(&mut code, &["KEY".to_owned()]);
        assert_eq!(
            code,
            [
                r"await page.getByText('it\'s').fill(process.env['KEY']);",
                "await page.locator('x').pressSequentially(process.env['KEY']);"
            ]
        );
    }
}
