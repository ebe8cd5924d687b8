//! The form of a reply as a grammar (GBNF), for servers that bind a model by one and know no schema.

use std::fmt::Write as _;

use serde_json::Value;

/// Between the signs of JSON: a model that may write white space without end sometimes does.
const SPACE: &str = r#"" "?"#;
const STRING: &str = r#""\"" ( [^"\\\x7F\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] ) )* "\"""#;

/// What a schema of objects, lists, numbers, words and yes or no says, as a grammar; none of a schema that says more.
pub(super) fn grammar(schema: &Value) -> Option<String> {
    Some(format!("root ::= {}\nspace ::= {SPACE}\nstring ::= {STRING}\n", rule(schema)?))
}

fn rule(schema: &Value) -> Option<String> {
    match schema.get("type")?.as_str()? {
        "object" => object(schema),
        "array" => list(schema),
        "integer" => Some(match schema.get("enum") {
            Some(numbers) => one_of(numbers.as_array()?.iter().map(Value::to_string)),
            None => "[0-9]+".to_owned(),
        }),
        "string" => match schema.get("enum") {
            Some(words) => Some(one_of(words.as_array()?.iter().map(Value::to_string))),
            None => Some("string".to_owned()),
        },
        "boolean" => Some(one_of(["true", "false"].map(str::to_owned).into_iter())),
        _ => None,
    }
}

fn object(schema: &Value) -> Option<String> {
    let mut written = "\"{\" space ".to_owned();
    for (place, (name, value)) in schema.get("properties")?.as_object()?.iter().enumerate() {
        let comma = if place == 0 { "" } else { "\",\" space " };
        let name = literal(&Value::from(name.as_str()).to_string());
        let _ = write!(written, "{comma}{name} space \":\" space {} space ", rule(value)?);
    }
    Some(written + "\"}\"")
}

/// A list of some length. How many there may be at most is written out: not every server counts.
fn list(schema: &Value) -> Option<String> {
    let item = rule(schema.get("items")?)?;
    let next = format!("space \",\" space {item}");
    let more = match schema.get("maxItems").and_then(Value::as_u64) {
        Some(most) => (1..most).fold(String::new(), |inner, _| format!(" ( {next}{inner} )?")),
        None => format!(" ( {next} )*"),
    };
    let is_needed = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) > 0;
    let optional = if is_needed { "" } else { "?" };
    Some(format!("\"[\" space ( {item}{more} ){optional} space \"]\""))
}

fn one_of(values: impl Iterator<Item = String>) -> String {
    format!("( {} )", values.map(|value| literal(&value)).collect::<Vec<_>>().join(" | "))
}

fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_of_ours_is_a_grammar() {
        let numbers = json!({ "type": "array", "items": { "type": "integer", "enum": [1, 2] }, "maxItems": 2 });
        let schema = json!({ "type": "object", "properties": { "sentences": numbers } });
        let written = grammar(&schema).unwrap();
        let expected = r#"root ::= "{" space "\"sentences\"" space ":" space "[" space ( ( "1" | "2" ) ( space "," space ( "1" | "2" ) )? )? space "]" space "}""#;
        assert_eq!(written.lines().next(), Some(expected));
    }

    #[test]
    fn a_list_that_must_have_one_has_one_and_no_end() {
        let schema = json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 1 });
        let expected = r#""[" space ( ( "true" | "false" ) ( space "," space ( "true" | "false" ) )* ) space "]""#;
        assert_eq!(rule(&schema).as_deref(), Some(expected));
        assert_eq!(rule(&json!({ "type": "number" })), None);
    }
}
