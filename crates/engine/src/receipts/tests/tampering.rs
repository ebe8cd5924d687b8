//! Every single change of a receipt is found.

use ibidem_testing::suites::changes::changed_once;
use proptest::prelude::*;
use serde_json::Value;

use super::*;

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
    let stretch = sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let json = serde_json::to_value(answer(vec![stretch])).unwrap();
    assert!(!is_found_out(&json, &corpus));
    for (place, changed) in changed_once(&json) {
        assert!(is_found_out(&changed, &corpus), "{place}");
    }
}

#[test]
fn a_new_digest_over_a_changed_source_does_not_help_against_the_corpus() {
    let corpus = corpus(&[(1, TEXT)], false);
    let stretch = sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let receipt = answer(vec![stretch]).receipt.unwrap();
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
