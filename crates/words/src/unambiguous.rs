//! JSON that everybody reads alike: no object has a name twice.
//!
//! Of a name that stands twice some readers take the first value and some the last. Whoever checks such a document may
//! find another value good than the one that somebody is shown.

use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

/// Reads a document, or says where a name stands twice in one object or what else is wrong.
pub fn unambiguous_json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Unambiguous>(text).map(|read| read.0)
}

struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unambiguous(value)) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format!("the name {name:?} stands twice in one object")));
            }
            let Unambiguous(value) = map.next_value()?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everybody_reads_alike_is_read_as_ever() {
        for text in [
            r#"{"a": [1, -2, 0.1, 1e300, true, null, "x\u00e4\ud83d\ude00"], "b": {"a": {}, "": []}}"#,
            "7",
            r#""text""#,
            "18446744073709551615",
        ] {
            assert_eq!(unambiguous_json(text).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_refused_however_deep_and_however_it_is_written() {
        for text in [r#"{"a": 1, "a": 1}"#, r#"[{"x": {"a": 1, "b": 2, "a": null}}]"#, r#"{"a": 1, "\u0061": 2}"#] {
            let error = unambiguous_json(text).unwrap_err().to_string();
            assert!(error.contains(r#"the name "a" stands twice"#), "{text}: {error}");
        }
        assert!(unambiguous_json(r#"{"a": {"b": 1}, "b": {"a": 1}}"#).is_ok(), "in two objects");
        for text in ["", "{", r#"{"a": 1} {"a": 1}"#, "1e999", "nonsense"] {
            assert!(unambiguous_json(text).is_err(), "{text}");
        }
    }
}
