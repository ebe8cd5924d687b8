//! Records are bounded: a text that is too long is cut, a document that is too large is left out, and both say so where
//! they stand. What a question makes of a model or a tenant is no reason for a record that cannot be written.

use serde_json::{Value, json};

/// The most bytes of one text in a record; about ten thousand words.
const LONGEST_TEXT: usize = 64 * 1024;
/// The most bytes of one document in a record, as JSON.
const LARGEST_DOCUMENT: usize = 1024 * 1024;
/// The key of what stands for a document that was left out.
const CUT: &str = "cut";

/// The text, or its beginning with a mark that says how much there was.
pub(super) fn cut_text(mut text: String) -> String {
    let all = text.len();
    if all <= LONGEST_TEXT {
        return text;
    }
    let kept = (0..=LONGEST_TEXT).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    text.truncate(kept);
    text.push_str(&format!(" … [cut: {kept} of {all} bytes are kept]"));
    text
}

/// The same of every text in a document. `written` is the document as JSON.
pub(super) fn cut_document(written: String) -> Result<String, serde_json::Error> {
    if written.len() <= LONGEST_TEXT {
        return Ok(written);
    }
    let all = written.len();
    let cut = cut_in(serde_json::from_str(&written)?).to_string();
    if cut.len() <= LARGEST_DOCUMENT {
        return Ok(if cut.len() == all { written } else { cut });
    }
    Ok(json!({ CUT: { "bytes": all, "most": LARGEST_DOCUMENT } }).to_string())
}

/// How many bytes a document had that was too large for its record.
pub fn bytes_left_out(written: &str) -> Option<u64> {
    // Nothing that was left out is large.
    let small = Some(written).filter(|written| written.len() < 256)?;
    serde_json::from_str::<Value>(small).ok()?.get(CUT)?.get("bytes")?.as_u64()
}

fn cut_in(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut_text(text)),
        Value::Array(values) => Value::Array(values.into_iter().map(cut_in).collect()),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(name, value)| (name, cut_in(value))).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_at_a_character_and_says_so() {
        assert_eq!(cut_text("x".repeat(LONGEST_TEXT)), "x".repeat(LONGEST_TEXT));
        let cut = cut_text("ä".repeat(LONGEST_TEXT));
        assert!(cut.ends_with(" … [cut: 65536 of 131072 bytes are kept]"), "{}", &cut[cut.len() - 60..]);
        assert!(cut.len() < LONGEST_TEXT + 60);
        assert_eq!(cut_text(format!("x{}", "ä".repeat(LONGEST_TEXT))).find('…'), Some(LONGEST_TEXT));
    }

    #[test]
    fn of_a_document_each_long_text_is_cut_and_the_rest_is_as_it_was() {
        let small = r#"{"b":1,"a":[0.1,"x"]}"#.to_owned();
        assert_eq!(cut_document(small.clone()).unwrap(), small);
        let long = json!({ "answer": "word ".repeat(400_000), "reason": "no_results", "score": 0.1234567890123 });
        let cut: Value = serde_json::from_str(&cut_document(long.to_string()).unwrap()).unwrap();
        assert_eq!((&cut["reason"], &cut["score"]), (&long["reason"], &long["score"]));
        assert!(cut["answer"].as_str().unwrap().ends_with("[cut: 65536 of 2000000 bytes are kept]"));
        let many = json!(vec![0.25; 100_000]).to_string();
        assert_eq!(cut_document(many.clone()).unwrap(), many, "it is large, and not too large");
    }

    #[test]
    fn a_document_that_is_too_large_is_left_out_and_says_how_large_it_was() {
        let many = json!({ "rounds": vec![json!([1, 0.123456]); 200_000] }).to_string();
        let cut = cut_document(many.clone()).unwrap();
        assert_eq!(bytes_left_out(&cut), Some(many.len() as u64));
        for whole in ["{}", "[]", "", r#"{"cut":3}"#, r#"{"action":"cite","cut_off":{"bytes":3}}"#] {
            assert_eq!(bytes_left_out(whole), None, "{whole}");
        }
    }
}
