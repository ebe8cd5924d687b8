//! Records that tell what happened and not what was said.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use ibidem_ports::records::HIDDEN;
use ibidem_words::{CitedSource, Sha256Hash};
use serde_json::Value;
use sha2::Sha256;

/// Fields that hold codes, ids, names of parts, digests of documents and times, and never anybody's words. What is not
/// named here is hidden: a field that is new is hidden until somebody has thought about it. So is the plain digest of an
/// answer, which whoever has the documents could find out by trying.
const CODES: [&str; 35] = [
    "action",
    "asked_at",
    "by",
    "call_id",
    "called_at",
    "class",
    "confidence_level",
    "confirms",
    "document",
    "document_id",
    "document_sha256",
    "fallback_reasons",
    "gate",
    "language",
    "model",
    "model_used",
    "outcome",
    "owner_user_id",
    "passage_sha256",
    "pin",
    "policy_sha256",
    "promised",
    "reason",
    "request_id",
    "role",
    "server",
    "session_id",
    "source_id",
    "timestamp",
    "tool",
    "trace_sha256",
    "updated_at",
    "verdict",
    "verifier",
    "version",
];

/// Names that the operator gave to shelves and sorts of documents, which may hold spaces.
const NAMES: [&str; 3] = ["collection", "collections", "kind"];

/// The secret that digests are made with. Without it nobody can find out a short question by trying.
#[derive(Clone)]
pub struct HashKey(Hmac<Sha256>);

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

impl HashKey {
    pub fn of(secret: &[u8]) -> Self {
        // HMAC takes a key of any length: one that is too long is digested first.
        let key = Hmac::new_from_slice(secret);
        Self(key.unwrap_or_else(|_| Hmac::new(&Default::default())))
    }

    /// The digest that stands for a text: equal for equal texts.
    pub fn hide(&self, text: &str) -> String {
        let mut digest = self.0.clone();
        digest.update(text.as_bytes());
        format!("{HIDDEN}{}", Sha256Hash::from_bytes(digest.finalize().into_bytes().into()))
    }

    /// The same document with every text hidden that is not a code.
    pub(super) fn hide_in(&self, value: Value) -> Value {
        self.hide_under("", value)
    }

    fn hide_under(&self, field: &str, value: Value) -> Value {
        match value {
            Value::String(text) if is_code(field, &text) => Value::String(text),
            Value::String(text) => Value::String(self.hide(&text)),
            Value::Array(values) => values.into_iter().map(|value| self.hide_under(field, value)).collect(),
            Value::Object(fields) => {
                let hidden = fields.into_iter().map(|(name, value)| {
                    let value = self.hide_under(&name, value);
                    (name, value)
                });
                Value::Object(hidden.collect())
            }
            other => other,
        }
    }
}

fn is_code(field: &str, text: &str) -> bool {
    // A concept's address holds the term that was asked about.
    let is_concept = || matches!(CitedSource::from(text.to_owned()), CitedSource::Concept(_));
    let is_one_word = || !text.contains(char::is_whitespace);
    NAMES.contains(&field) || CODES.contains(&field) && is_one_word() && !(field == "source_id" && is_concept())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_digest_is_hmac_sha256_as_rfc_4231_has_it() {
        let key = HashKey::of(b"Jefe");
        assert_eq!(
            key.hide("what do ya want for nothing?"),
            "hmac-sha256:5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_ne!(HashKey::of(b"other").hide("leave"), HashKey::of(b"secret").hide("leave"));
        assert_eq!(format!("{key:?}"), "HashKey");
    }

    #[test]
    fn only_codes_ids_and_numbers_stay_readable() {
        let key = HashKey::of(b"secret");
        let passage = "01890a5d-ac96-774b-bcce-b302099a8057:3";
        let hidden = key.hide_in(json!({
            "query": "zebra", "history": [{"role": "user", "content": "zebra"}], "reason": "low_similarity",
            "trace": [{"gate": "top1_similarity", "observed": 0.5}], "route_to": {"reason": "zebra has no owner"},
            "citations": [{"source_id": passage, "snippet": "zebra"}, {"source_id": "http://terms/zebra"}],
            "tool_calls": [{"server": "desk", "tool": "get_price", "outcome": "answered", "arguments": [["plan", "zebra"]]}],
            "something_new": "zebra"
        }));
        assert!(!hidden.to_string().contains("zebra"), "{hidden}");
        assert_eq!(
            (&hidden["reason"], &hidden["trace"][0]["gate"]),
            (&json!("low_similarity"), &json!("top1_similarity"))
        );
        assert_eq!(
            (&hidden["citations"][0]["source_id"], &hidden["trace"][0]["observed"]),
            (&json!(passage), &json!(0.5))
        );
        assert_eq!(hidden["query"], key.hide("zebra"));
        assert_eq!(hidden["tool_calls"][0]["tool"], "get_price");
    }
}
