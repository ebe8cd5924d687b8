//! Every single change of a receipt is found.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Every receipt that differs from this one in a single place, with where.
fn changed_once(json: &Value) -> Vec<(String, Value)> {
    let mut changed = Vec::new();
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                for (place, other) in changed_once(value) {
                    changed.push((format!("/{name}{place}"), with(json, |it| it[name] = other.clone())));
                }
                let without = |it: &mut Value| drop(it.as_object_mut().unwrap().remove(name));
                changed.push((format!("/{name} left out"), with(json, without)));
            }
            changed.push(("/ with a field more".to_owned(), with(json, |it| it["also"] = json!(1))));
        }
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                for (inner, other) in changed_once(value) {
                    changed.push((format!("/{place}{inner}"), with(json, |it| it[place] = other.clone())));
                }
                let list = |it: &mut Value, change: &dyn Fn(&mut Vec<Value>)| change(it.as_array_mut().unwrap());
                changed.push((format!("/{place} gone"), with(json, |it| list(it, &|it| drop(it.remove(place))))));
                let double = |it: &mut Vec<Value>| it.insert(place, value.clone());
                changed.push((format!("/{place} doubled"), with(json, |it| list(it, &double))));
                if values.get(place + 1).is_some_and(|next| next != value) {
                    changed.push((
                        format!("/{place} swapped"),
                        with(json, |it| list(it, &|it| it.swap(place, place + 1))),
                    ));
                }
            }
        }
        Value::String(text) => {
            let others = [format!("{text}x"), format!(" {text}"), text.to_uppercase(), text.chars().skip(1).collect()];
            changed.extend(others.into_iter().filter(|other| other != text).map(|other| (String::new(), json!(other))));
            // A digit more or less is the change that does harm.
            let digit = text.char_indices().find(|(_, sign)| sign.is_ascii_digit());
            if let Some((place, sign)) = digit {
                let next = if sign == '9' { "8" } else { "9" };
                changed.push((String::new(), json!(format!("{}{next}{}", &text[..place], &text[place + 1..]))));
            }
            changed.push((String::new(), Value::Null));
        }
        Value::Number(number) => {
            let float = number.as_f64().unwrap();
            for other in [json!(float + 1.0), json!(float / 2.0 + 0.25), json!(float.to_string()), Value::Null] {
                if other.as_f64() != Some(float) {
                    changed.push((String::new(), other));
                }
            }
            if let Some(whole) = number.as_u64() {
                changed.push((String::new(), json!(whole + 1)));
            }
        }
        Value::Bool(value) => changed.push((String::new(), json!(!value))),
        Value::Null => changed.extend([json!("x"), json!(0), json!(false)].map(|other| (String::new(), other))),
    }
    changed
}

fn with(json: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut json = json.clone();
    change(&mut json);
    json
}

/// Unreadable is found out too.
fn is_found_out(json: &Value, corpus: &Corpus) -> bool {
    verified(json, corpus).map_or(true, |report| !report.holds)
}

prop_compose! {
    fn sentences()(
        texts in prop::collection::vec(prop_oneof![
            Just("Five days may be carried over.[1]".to_owned()),
            Just("They lapse in March.[1]".to_owned()),
            Just("may be carried[1]".to_owned()),
        ], 1..4),
        sources in 1_usize..3,
        why in prop::option::of("[a-z ]{0,8}"),
        attributed in any::<bool>(),
        support in 0.0_f64..1.0,
    ) -> Vec<Stretch> {
        texts.iter().map(|text| {
            let mut sources: Vec<ReceiptSource> = vec![source_of(TEXT, 1, PASSAGE); sources];
            // Two passages of one document.
            sources[0] = source_of(TEXT, 1, &TEXT[2..]);
            let mut sentence = sentence(text, "word for word", sources);
            sentence.check = SentenceCheck { why: why.clone(), attributed, support, ..sentence.check };
            sentence
        }).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn a_receipt_that_was_changed_in_any_single_place_does_not_hold(sentences in sentences()) {
        let corpus = corpus(&[(1, TEXT)], false);
        let receipt = serde_json::to_value(answer(sentences).receipt).unwrap();
        prop_assert!(!is_found_out(&receipt, &corpus), "{:?}", verified(&receipt, &corpus));
        // As records and other programs write it: with other white space and another order of fields.
        let read_again: Value = serde_json::from_str(&serde_json::to_string_pretty(&receipt).unwrap()).unwrap();
        prop_assert!(!is_found_out(&read_again, &corpus));
        for (place, changed) in changed_once(&receipt) {
            prop_assert!(is_found_out(&changed, &corpus), "{} {:?}", place, verified(&changed, &corpus));
        }
    }
}

#[test]
fn an_answer_that_is_not_the_receipts_does_not_hold() {
    let corpus = corpus(&[(1, TEXT)], false);
    let said = sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let json = serde_json::to_value(answer(vec![said])).unwrap();
    assert!(!is_found_out(&json, &corpus));
    let covered = [
        "/answer",
        "/request_id",
        "/action",
        "/reason",
        "/model_used",
        "/trace/0/gate",
        "/trace/0/verdict",
        "/trace/0/observed",
        "/trace/0/threshold",
        "/citations/0/source_id",
        "/citations/0/version",
        "/citations/0/span/start",
        "/citations/0/span/end",
        "/citations/0/document_sha256",
        "/citations/0/snippet_full",
    ];
    for place in covered {
        let value = json.pointer(place).unwrap_or_else(|| panic!("no {place}"));
        for (_, other) in changed_once(value) {
            // The same digest in large letters is the same digest.
            if place.ends_with("sha256") && other.as_str().map(str::to_lowercase).as_deref() == value.as_str() {
                continue;
            }
            let changed = with(&json, |json| *json.pointer_mut(place).unwrap() = other.clone());
            assert!(is_found_out(&changed, &corpus), "{place} {other}");
        }
    }
}

#[test]
fn a_new_digest_over_a_changed_source_does_not_help_against_the_corpus() {
    let corpus = corpus(&[(1, TEXT)], false);
    let said = sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let receipt = answer(vec![said]).receipt.unwrap();
    let changes: [&dyn Fn(&mut ReceiptSource); 6] = [
        &|source| source.version = 2,
        &|source| source.span.start += 1,
        &|source| source.span.end -= 1,
        &|source| source.span.end = u32::MAX,
        &|source| source.document_sha256 = Sha256Hash::of(b"x"),
        &|source| source.passage_sha256 = Sha256Hash::of(b"x"),
    ];
    for change in changes {
        let mut forged = receipt.clone();
        change(&mut forged.stretches[0].sources[0]);
        let report = verified(&serde_json::to_value(forged.sealed().signed(&key())).unwrap(), &corpus).unwrap();
        assert!(report.tampered.is_empty(), "its digest is right");
        assert_eq!(report.stretches[0].outcome, Outcome::Tampered, "{report:?}");
    }
    let mut forged = receipt;
    forged.stretches[0].text = "Six days may be carried over.[1]".to_owned();
    forged.answer_sha256 = Sha256Hash::of(forged.text().as_bytes());
    let report = verified(&serde_json::to_value(forged.sealed().signed(&key())).unwrap(), &corpus).unwrap();
    assert_eq!(report.stretches[0].outcome, Outcome::Unsupported);
}
