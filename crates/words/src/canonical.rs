//! JSON in the one form that everybody writes alike (RFC 8785), so that it has one digest.

use serde::Serialize;
use serde_json::Value;

use super::Sha256Hash;

/// The digest of a value as canonical JSON.
pub(crate) fn digest_of(value: &impl Serialize) -> Sha256Hash {
    // Plain strings and numbers: serialising them cannot fail.
    digest_of_json(&serde_json::to_value(value).unwrap_or_default())
}

pub fn digest_of_json(value: &Value) -> Sha256Hash {
    let mut written = String::new();
    write(value, &mut written);
    Sha256Hash::of(written.as_bytes())
}

fn write(value: &Value, to: &mut String) {
    match value {
        Value::Null => to.push_str("null"),
        Value::Bool(value) => to.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => to.push_str(&number_as_ecmascript_writes_it(float)),
            _ => to.push_str(&number.to_string()),
        },
        // Written as RFC 8785 does: only what must be escaped is, in the short form where there is one.
        Value::String(text) => to.push_str(&Value::from(text.as_str()).to_string()),
        Value::Array(values) => {
            to.push('[');
            for (place, value) in values.iter().enumerate() {
                to.push_str(if place == 0 { "" } else { "," });
                write(value, to);
            }
            to.push(']');
        }
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_by(|one, other| one.encode_utf16().cmp(other.encode_utf16()));
            to.push('{');
            for (place, name) in names.into_iter().enumerate() {
                to.push_str(if place == 0 { "" } else { "," });
                to.push_str(&Value::from(name.as_str()).to_string());
                to.push(':');
                write(&fields[name], to);
            }
            to.push('}');
        }
    }
}

fn number_as_ecmascript_writes_it(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if size >= 1e21 => format!("{number:e}").replace('e', "e+"),
        size if size < 1e-6 => format!("{number:e}"),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_that_of_rfc_8785() {
        let value: Value = serde_json::from_str(
            r#"{"numbers": [333333333.25, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, 1.0, -0.0, 56.0],
                "string": "€$\u000F\u000aA'B\"\\\\\"/", "literals": [null, true, false], "\ufb33": 1, "\ud83d\ude00": 2}"#,
        )
        .unwrap();
        let mut written = String::new();
        write(&value, &mut written);
        assert_eq!(
            written,
            concat!(
                r#"{"literals":[null,true,false],"numbers":[333333333.25,1e+30,4.5,0.002,1e-27,1,0,56],"#,
                r#""string":"€$\u000f\nA'B\"\\\\\"/","😀":2,""#,
                "\u{fb33}\":1}"
            )
        );
    }
}
