//! Tokens of XPath 1.0 §3.7, with its rules for telling names from operators.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// Operators and punctuation, word operators included.
    Symbol(&'static str),
    Name(String),
    /// A name before `(`.
    Function(String),
    /// A name before `::`, which is consumed with it.
    Axis(String),
    Literal(String),
    Number(f64),
}

const SYMBOLS: [&str; 21] = [
    "//", "..", "!=", "<=", ">=", "/", ".", "@", "(", ")", "[", "]", ",", "|", "+", "-", "=", "<",
    ">", "*", "$",
];

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name(c: char) -> bool {
    is_name_start(c) || c.is_numeric() || c == '-' || c == '.' || c == '\u{B7}'
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

pub(super) fn tokenize(source: &str) -> Result<Vec<Token>, String> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = source;
    loop {
        rest = rest.trim_start_matches(is_space);
        let Some(c) = rest.chars().next() else {
            return Ok(tokens);
        };
        if c == '"' || c == '\'' {
            let body = &rest[1..];
            let end = body.find(c).ok_or("unterminated string")?;
            tokens.push(Token::Literal(body[..end].to_owned()));
            rest = &body[end + 1..];
            continue;
        }
        let decimal = c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        if c.is_ascii_digit() || decimal {
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(rest.len());
            let text = &rest[..end];
            tokens.push(Token::Number(
                text.parse()
                    .map_err(|_| format!("\"{text}\" is no number"))?,
            ));
            rest = &rest[end..];
            continue;
        }
        if is_name_start(c) {
            let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            rest = after;
            let next = after.trim_start_matches(is_space);
            tokens.push(if expects_operator(&tokens) {
                match name {
                    "and" => Token::Symbol("and"),
                    "or" => Token::Symbol("or"),
                    "div" => Token::Symbol("div"),
                    "mod" => Token::Symbol("mod"),
                    _ => return Err(format!("unexpected \"{name}\"")),
                }
            } else if let Some(after) = next.strip_prefix("::") {
                rest = after;
                Token::Axis(name.to_owned())
            } else if after.starts_with(':') {
                return Err(format!("namespace prefix \"{name}\" is not supported"));
            } else if next.starts_with('(') {
                Token::Function(name.to_owned())
            } else {
                Token::Name(name.to_owned())
            });
            continue;
        }
        let symbol = SYMBOLS
            .into_iter()
            .find(|symbol| rest.starts_with(symbol))
            .ok_or_else(|| format!("unexpected \"{c}\""))?;
        if symbol == "$" {
            return Err("variables are not supported".into());
        }
        rest = &rest[symbol.len()..];
        tokens.push(match symbol {
            "*" if expects_operator(&tokens) => Token::Symbol("multiply"),
            other => Token::Symbol(other),
        });
    }
}

/// After an operand, a name or `*` is an operator (§3.7).
fn expects_operator(tokens: &[Token]) -> bool {
    match tokens.last() {
        None | Some(Token::Axis(_) | Token::Function(_)) => false,
        Some(Token::Symbol(symbol)) => matches!(*symbol, ")" | "]" | "." | ".." | "*"),
        Some(Token::Name(_) | Token::Literal(_) | Token::Number(_)) => true,
    }
}
