//! What a record says, without what its reader may not see now, or what nobody may see any more.
//!
//! A sentence stays when every passage that it rests on stands. One that rests on nothing goes with the others: it may
//! lead in to what was taken out. Fields are kept by name, so that one that is new is left out until somebody has
//! thought about it.
//!
//! An answer is either as it was given, with its receipt, or it says which fields are not and has none: a receipt is of
//! the whole answer, and its digests would tell whoever guesses what was taken out.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};
use ibidem_words::{CitedSource, DocumentId, PassageKey, Scope};
use serde_json::{Map, Value, json};

/// Fields of an answer that hold codes, numbers and words of the policy, and nothing of a document.
const KEPT: [&str; 15] = [
    "request_id",
    "action",
    "refused",
    "reason",
    "why",
    "language",
    "confidence",
    "retrieval_quality",
    "transparency",
    "model_used",
    "context_chunks_used",
    "context_tokens_used",
    "generation_time_ms",
    "grounded",
    "trace",
];

/// An answer as it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredAnswer {
    asked_at: DateTime<Utc>,
    answer: Value,
}

impl StoredAnswer {
    pub(crate) fn of(asked_at: DateTime<Utc>, answer: Value) -> Self {
        Self { asked_at, answer }
    }

    /// The passages it rests on: whether they are visible now is asked of the catalogue before it is shown.
    pub fn passages(&self) -> Vec<PassageKey> {
        let of_sentences = sentences(&self.answer).iter().flat_map(|sentence| list(sentence, "sources"));
        let near = list(&self.answer, "nearest");
        let cited = list(&self.answer, "citations").iter().chain(near).chain(of_sentences);
        let keys: BTreeSet<PassageKey> = cited.filter_map(|source| passage(source).ok().flatten()).collect();
        keys.into_iter().collect()
    }

    /// As it was given, if all that it rests on is among the visible; else without the rest, and it says so.
    pub fn masked(self, scope: &Scope, visible: &HashSet<PassageKey>) -> Value {
        let (asked_at, given) = (self.asked_at, self.answer.clone());
        let mut answer = self.without(|key| !visible.contains(key)).0;
        if !names_own_tag(&answer["route_to"], scope) {
            answer["route_to"] = Value::Null;
        }
        // Names of documents near the one that was not found: which of them are visible now is not known, and not even
        // whether there are any may show.
        let is_unknown = answer["reason"] == "entity_not_found";
        if is_unknown {
            take_out_offers(&mut answer);
        }
        withdrawn_from(&given, answer, asked_at, if is_unknown { &OFFERED } else { &[] })
    }

    /// Without anything that rests on a document or calls it by one of its names, and how many sentences that took.
    pub(crate) fn without_document(self, document: DocumentId, names: &[String]) -> (Value, u64) {
        let (asked_at, given) = (self.asked_at, self.answer.clone());
        let (answer, lost) = self.without(|key| key.document == document);
        (withdrawn_from(&given, without_names(answer, names), asked_at, &[]), lost)
    }

    /// Codes and numbers alone: nothing that anybody asked, wrote or was told.
    pub(crate) fn without_words(self) -> Value {
        let kept = KEPT.iter().map(|field| ((*field).to_owned(), self.answer[*field].clone()));
        let mut kept: Map<String, Value> = kept.collect();
        for (field, value) in [
            ("asked_at", json!(self.asked_at)),
            ("answer", json!("")),
            ("citations", json!([])),
            ("refusal_reason", Value::Null),
            ("route_to", Value::Null),
            ("suggestions", json!([])),
            ("warnings", json!([])),
            ("receipt", Value::Null),
        ] {
            kept.insert(field.to_owned(), value);
        }
        Value::Object(kept)
    }

    /// What its sentences say that rest on a document.
    pub(crate) fn sentences_on(&self, document: DocumentId) -> impl Iterator<Item = &str> {
        let rests_on_it = move |sentence: &&Value| {
            let named = |source: &Value| passage(source).ok().flatten().map(|key| key.document);
            list(sentence, "sources").iter().any(|source| named(source) == Some(document))
        };
        sentences(&self.answer).iter().filter(rests_on_it).filter_map(|sentence| sentence["text"].as_str())
    }

    fn without(self, is_gone: impl Fn(&PassageKey) -> bool) -> (Value, u64) {
        let Self { asked_at, mut answer } = self;
        // A source that cannot be read cannot be confirmed.
        let stands = |source: &Value| passage(source).is_ok_and(|key| key.is_none_or(|key| !is_gone(&key)));
        // What came near is named, what can be asked of it, and who looks after it: all go with it.
        if let Some(near) = answer.get_mut("nearest").and_then(Value::as_array_mut) {
            let before = near.len();
            near.retain(stands);
            if near.len() < before {
                take_out_offers(&mut answer);
                answer["route_to"] = Value::Null;
            }
        }
        let stands_whole = |sentence: &Value| {
            let sources = list(sentence, "sources");
            !sources.is_empty() && sources.iter().all(stands)
        };
        let (sentences, citations) = (sentences(&answer), list(&answer, "citations"));
        let rests_on_gone = |sentence: &Value| !list(sentence, "sources").iter().all(stands);
        if citations.iter().all(stands) && !sentences.iter().any(rests_on_gone) {
            return (answer, 0);
        }
        let texts: Vec<&str> =
            sentences.iter().filter(|one| stands_whole(one)).filter_map(|one| one["text"].as_str()).collect();
        let gone: Vec<usize> =
            (1_usize..).zip(sentences).filter(|(_, one)| !stands_whole(one)).map(|(place, _)| place).collect();
        let left: Vec<&Value> = citations.iter().filter(|citation| stands(citation)).collect();
        let mut shown: Map<String, Value> =
            KEPT.iter().map(|field| ((*field).to_owned(), answer[*field].clone())).collect();
        let text = texts.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n");
        let lost = gone.len() as u64;
        for (field, value) in [
            ("asked_at", json!(asked_at)),
            ("answer", json!(text)),
            ("citations", json!(left)),
            ("withdrawn", json!({ "citations": citations.len() - left.len(), "sentences": gone })),
            ("refusal_reason", Value::Null),
            ("route_to", Value::Null),
            ("suggestions", json!([])),
            ("nearest", json!([])),
            ("warnings", json!([])),
        ] {
            shown.insert(field.to_owned(), value);
        }
        (Value::Object(shown), lost)
    }
}

/// The fields that say what can be asked or done next.
const OFFERED: [&str; 2] = ["offers", "suggestions"];

fn take_out_offers(answer: &mut Value) {
    answer["suggestions"] = json!([]);
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("offers");
    }
}

/// An answer without the offers, suggestions and warnings that call a document by name.
fn without_names(mut answer: Value, names: &[String]) -> Value {
    for field in ["offers", "suggestions", "warnings"] {
        if let Some(texts) = answer.get_mut(field).and_then(Value::as_array_mut) {
            let is_named = |text: &str| names.iter().any(|name| text.to_lowercase().contains(name.as_str()));
            // An offer has two texts: what is shown, and what it asks.
            let texts_of =
                |one: &Value| [one, &one["text"], &one["query"]].map(|text| text.as_str().is_some_and(is_named));
            texts.retain(|one| !texts_of(one).contains(&true));
        }
    }
    answer
}

/// The answer as it was given, if nothing was taken out. Else it says which fields are not as they were given, and has no
/// receipt. A field may have to be named whether or not there was anything in it.
fn withdrawn_from(given: &Value, mut answer: Value, asked_at: DateTime<Utc>, named: &[&str]) -> Value {
    if answer == *given && named.is_empty() {
        return answer;
    }
    let former = list(&given["withdrawn"], "fields").iter().filter_map(Value::as_str);
    let fields = given.as_object().into_iter().flatten();
    let changed =
        fields.filter(|(name, value)| answer.get(name.as_str()) != Some(value)).map(|(name, _)| name.as_str());
    // What became of these is said by the numbers of citations and sentences.
    let is_counted = |name: &&str| ["answer", "citations", "receipt", "asked_at", "withdrawn"].contains(name);
    let fields: BTreeSet<&str> =
        former.chain(changed).chain(named.iter().copied()).filter(|name| !is_counted(name)).collect();
    let fields = json!(fields);
    if answer.get("withdrawn").is_none() {
        answer["withdrawn"] = json!({ "citations": 0, "sentences": [] });
    }
    answer["withdrawn"]["fields"] = fields;
    answer["asked_at"] = json!(asked_at);
    answer["receipt"] = Value::Null;
    answer
}

/// Every passage that a document of JSON names, however deep.
pub(crate) fn passages_in(value: &Value) -> BTreeSet<PassageKey> {
    let mut found = BTreeSet::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut BTreeSet<PassageKey>) {
    if let Ok(key) = serde_json::from_value(value.clone())
        && value.is_object()
    {
        found.insert(key);
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, found)),
        _ => {}
    }
}

/// What a decision was made of, without the reasons in words: those repeat what a model wrote.
pub(crate) fn without_reasons(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(without_reasons).collect(),
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(name, _)| name != "why");
            Value::Object(kept.map(|(name, value)| (name, without_reasons(value))).collect())
        }
        other => other,
    }
}

/// The question, with what the assistant had said before replaced where `is_gone`.
pub(crate) fn without_replies(mut question: Value, instead: &str, is_gone: impl Fn(&str) -> bool) -> (Value, u64) {
    let mut replaced = 0;
    for message in question["history"].as_array_mut().into_iter().flatten() {
        let is_reply = message["role"] != "user";
        if is_reply && message["content"].as_str().is_some_and(|content| content != instead && is_gone(content)) {
            message["content"] = json!(instead);
            replaced += 1;
        }
    }
    (question, replaced)
}

/// Stands in place of words that a reader may not see now.
pub(crate) const GONE: &str = "[withdrawn]";

/// Stands in place of words that nobody sees any more.
pub(crate) const ERASED: &str = "[erased]";

/// The receipt's sentences, each with its text and sources.
fn sentences(answer: &Value) -> &[Value] {
    let receipt = &answer["receipt"];
    let stretches = list(receipt, "stretches");
    if stretches.is_empty() { list(receipt, "sentences") } else { stretches }
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

/// The passage that a source or a citation names; none for a concept, which is its vocabulary's, and for a
/// tool's result.
fn passage(source: &Value) -> Result<Option<PassageKey>, ()> {
    let id = source["source_id"].as_str().ok_or(())?;
    match CitedSource::from(id.to_owned()) {
        CitedSource::Concept(_) | CitedSource::Tool(_) => Ok(None),
        CitedSource::Passage(id) => {
            let version = source["version"].as_u64().and_then(|version| version.try_into().ok()).ok_or(())?;
            Ok(Some(PassageKey { document: id.document, version, chunk_index: id.chunk_index }))
        }
    }
}

fn names_own_tag(route_to: &Value, scope: &Scope) -> bool {
    let tag = route_to["tag"].as_str().unwrap_or_default();
    tag.is_empty() || scope.tags().any(|own| own.as_str() == tag)
}

#[cfg(test)]
mod tests {
    use ibidem_words::{Identity, TenantId};
    use uuid::Uuid;

    use super::*;

    fn key(document: u128) -> PassageKey {
        PassageKey { document: DocumentId(Uuid::from_u128(document)), version: 1, chunk_index: 0 }
    }

    fn source(document: u128) -> Value {
        json!({"source_id": key(document).source_id().to_string(), "version": 1, "snippet": format!("secret {document}")})
    }

    fn stored() -> StoredAnswer {
        let sentence = |text: &str, of: &[u128]| json!({"text": text, "sources": of.iter().map(|one| source(*one)).collect::<Vec<_>>()});
        StoredAnswer::of(
            DateTime::UNIX_EPOCH,
            json!({
                "request_id": "r", "action": "cite", "answer": "One.[1] Two.[2] Both.[1][2] So:", "new_field": "a secret field",
                "citations": [source(1), source(2)], "warnings": ["Secret is old"], "suggestions": ["Secret?"],
                "reason": null, "route_to": {"tag": "finance"}, "trace": [{"gate": "coverage"}],
                "receipt": {"sentences": [
                    sentence("One.[1]", &[1]), sentence("Two.[2]", &[2]), sentence("Both.[1][2]", &[1, 2]), sentence("So:", &[]),
                ]},
            }),
        )
    }

    fn scope(tags: &[&str]) -> Scope {
        let tags = tags.iter().map(|tag| tag.parse().unwrap()).collect();
        Scope::of(&Identity::for_tests(TenantId::named("t"), "s", tags))
    }

    #[test]
    fn an_answer_whose_sources_all_stand_is_as_it_was_given() {
        assert_eq!(stored().passages(), [key(1), key(2)]);
        assert_eq!(stored().masked(&scope(&["finance"]), &[key(1), key(2)].into()), stored().answer);
        let shown = stored().masked(&scope(&[]), &[key(1), key(2)].into());
        assert_eq!((&shown["route_to"], &shown["receipt"]), (&Value::Null, &Value::Null));
        assert_eq!(shown["withdrawn"], json!({"citations": 0, "sentences": [], "fields": ["route_to"]}));
        assert_eq!(shown["answer"], stored().answer["answer"]);
    }

    #[test]
    fn nothing_that_rests_on_a_source_that_is_gone_is_left() {
        let shown = stored().masked(&scope(&["finance"]), &[key(1)].into());
        assert_eq!(shown["answer"], "One.[1]");
        assert_eq!(shown["citations"], json!([source(1)]));
        let fields = ["new_field", "route_to", "suggestions", "warnings"];
        assert_eq!(shown["withdrawn"], json!({"citations": 1, "sentences": [2, 3, 4], "fields": fields}));
        assert_eq!(shown["receipt"], Value::Null);
        assert_eq!((&shown["request_id"], &shown["action"]), (&json!("r"), &json!("cite")));
        assert_eq!(shown["asked_at"], "1970-01-01T00:00:00Z");
        let written = shown.to_string();
        for gone in ["secret 2", "Secret", "Two", "Both", "So:", "a secret field", "finance"] {
            assert!(!written.contains(gone), "{gone}: {written}");
        }
        assert_eq!(stored().masked(&scope(&[]), &HashSet::new())["answer"], "");
    }

    #[test]
    fn what_came_near_a_refusal_and_is_gone_is_not_named() {
        let refused = || {
            let near = |document: u128| json!({"source_id": key(document).source_id().to_string(), "version": 1, "title": format!("secret {document}")});
            let answer = json!({"answer": "No.", "citations": [], "nearest": [near(1), near(2)],
                "suggestions": ["What does secret 2 say?"], "receipt": {"stretches": []},
                "offers": [{"text": "This one?", "query": "What does secret 2 say?"}]});
            StoredAnswer::of(DateTime::UNIX_EPOCH, answer)
        };
        assert_eq!(refused().passages(), [key(1), key(2)]);
        assert_eq!(refused().masked(&scope(&[]), &[key(1), key(2)].into()), refused().answer);
        let shown = refused().masked(&scope(&[]), &[key(1)].into());
        assert!(!shown.to_string().contains("secret 2") && shown.to_string().contains("secret 1"), "{shown}");
        assert_eq!(
            (&shown["withdrawn"]["fields"], &shown["receipt"]),
            (&json!(["nearest", "offers", "suggestions"]), &Value::Null)
        );
        assert!(!refused().without_document(key(2).document, &[]).0.to_string().contains("secret 2"));
        // By its name alone.
        let (erased, lost) = refused().without_document(key(3).document, &["secret 2 say".to_owned()]);
        assert_eq!((lost, &erased["suggestions"], &erased["receipt"]), (0, &json!([]), &Value::Null));
        assert_eq!(erased["offers"], json!([]), "it is called by name in what the offer asks");
        assert_eq!(refused().without_document(key(3).document, &["another".to_owned()]).0, refused().answer);
    }

    #[test]
    fn whether_anything_was_near_what_was_not_found_does_not_show() {
        let refused = |suggestions: Value| {
            let mut answer = json!({"answer": "No.", "reason": "entity_not_found", "citations": [], "nearest": [],
                "suggestions": suggestions, "receipt": {"stretches": []}});
            if let Some(text) = suggestions[0].as_str() {
                answer["offers"] = json!([{"text": text, "query": text}]);
            }
            StoredAnswer::of(DateTime::UNIX_EPOCH, answer).masked(&scope(&[]), &HashSet::new())
        };
        assert_eq!(refused(json!(["ADR-0007"])), refused(json!([])));
        assert_eq!(refused(json!([]))["withdrawn"]["fields"], json!(["offers", "suggestions"]));
    }

    #[test]
    fn a_source_that_cannot_be_read_is_gone() {
        let mut odd = stored();
        odd.answer["citations"][1]["version"] = json!("one");
        assert_eq!(odd.masked(&scope(&[]), &[key(1), key(2)].into())["withdrawn"]["citations"], 1);
    }

    #[test]
    fn erasing_twice_takes_out_what_is_left() {
        let (once, lost) = stored().without_document(key(2).document, &[]);
        assert_eq!((lost, once["answer"].as_str()), (3, Some("One.[1]")));
        let (twice, _) = StoredAnswer::of(DateTime::UNIX_EPOCH, once.clone()).without_document(key(2).document, &[]);
        assert_eq!(twice, once);
        let (other, _) = StoredAnswer::of(DateTime::UNIX_EPOCH, once).without_document(key(1).document, &[]);
        assert_eq!((other["answer"].as_str(), &other["citations"]), (Some(""), &json!([])));
    }

    #[test]
    fn passages_are_found_however_deep_and_reasons_go() {
        let decision = json!({"rounds": [{"candidates": [{"passage": key(3), "why": "secret"}]}]});
        assert_eq!(passages_in(&decision), [key(3)].into());
        assert_eq!(without_reasons(decision), json!({"rounds": [{"candidates": [{"passage": key(3)}]}]}));
    }
}
