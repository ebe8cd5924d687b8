//! Receipts on a corpus that stays, changes, goes and lies; and receipts that were tampered with in every single place.

mod tampering;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::DateTime;
use ibidem_ports::corpus::{KeptDocument, KeptVersion};
use ibidem_ports::entailment::{Classification, EntailmentError, Pair, Support};
use ibidem_ports::vocabulary::{LabelKind, VocabularyError};
use ibidem_testing::fakes::{FakeConcept, FakeVocabulary};
use ibidem_words::{
    Action, Answer, CharSpan, Citation, DocumentId, GateRecord, Receipt, RetrievalQuality, Seal, SentenceCheck,
    Sha256Hash, SignatureOutcome, SigningKey, SourceId, Transparency, Verdict,
};
use uuid::Uuid;

use super::*;
use crate::no_look_alike;

const TITLE: &str = "Leave";
const TEXT: &str = "# Leave\n\nFünf: Five days may be carried over. They lapse in March.";
const PASSAGE: &str = "Five days may be carried over. They lapse in March.";

/// Supported is what stands there, but for the case of its letters; contradicted is what stands there after "not".
struct WordForWord;

#[async_trait]
impl Entailment for WordForWord {
    fn name(&self) -> &str {
        "word for word"
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        let judged = pairs.iter().map(|pair| {
            let (premise, claim) = (pair.premise.to_lowercase(), pair.claim.to_lowercase());
            match () {
                () if premise.contains(&format!("not true: {claim}")) => {
                    Classification { support: Support::Contradicted, score: 0.1 }
                }
                () if premise.contains(&claim) => Classification { support: Support::Supported, score: 0.9 },
                () => Classification { support: Support::Unknown, score: 0.2 },
            }
        });
        Ok(judged.collect())
    }
}

fn document() -> DocumentId {
    DocumentId(Uuid::from_u128(7))
}

fn corpus(versions: &[(u32, &str)], is_removed: bool) -> Corpus {
    let kept = |text: &str| KeptVersion {
        title: TITLE.to_owned(),
        text: text.to_owned(),
        updated_at: chrono::DateTime::UNIX_EPOCH,
    };
    let current_version = versions.iter().map(|(version, _)| *version).max().unwrap();
    let versions = versions.iter().map(|(version, text)| (*version, kept(text))).collect();
    [(document(), KeptDocument { current_version, address: Some("HR-5".to_owned()), is_removed, versions })].into()
}

fn source_of(text: &str, version: u32, passage: &str) -> ReceiptSource {
    let place = text.find(passage).unwrap();
    let start = u32::try_from(text[..place].chars().count()).unwrap();
    ReceiptSource {
        source_id: CitedSource::Passage(SourceId { document: document(), chunk_index: 0 }),
        version,
        span: CharSpan { start, end: start + u32::try_from(passage.chars().count()).unwrap() },
        document_sha256: Sha256Hash::of(text.as_bytes()),
        passage_sha256: Sha256Hash::of(passage.as_bytes()),
    }
}

fn sentence(text: &str, by: &str, sources: Vec<ReceiptSource>) -> Stretch {
    let check = SentenceCheck { by: by.to_owned(), support: 0.875, ..SentenceCheck::verbatim() };
    Stretch { text: text.to_owned(), kind: StretchKind::Claim, check, sources }
}

fn key() -> SigningKey {
    SigningKey::from_seed(&[1; 32]).unwrap()
}

fn citation(marker: u32, source: &ReceiptSource, passage: &str) -> Citation {
    Citation {
        marker,
        source_id: source.source_id.clone(),
        document_id: document().0,
        document_name: TITLE.to_owned(),
        version: source.version,
        updated_at: DateTime::UNIX_EPOCH,
        chunk_index: 0,
        page_number: None,
        section: None,
        cells: None,
        relevance_score: 0.5,
        snippet: no_look_alike::snippet_of(passage),
        snippet_full: passage.to_owned(),
        span: source.span,
        document_sha256: source.document_sha256,
        address: None,
        collection: None,
        file: None,
        link: None,
        status: None,
        replaced_by: Vec::new(),
        tool: None,
    }
}

/// An answer of these stretches, sealed and signed.
fn answer(stretches: Vec<Stretch>) -> Answer {
    let quality = RetrievalQuality::of(0.9, Vec::new());
    let cited = stretches.iter().flat_map(|stretch| &stretch.sources).take(1);
    let answer = Answer {
        language: None,
        rewritten_question: None,
        request_id: Uuid::from_u128(3),
        action: Action::Cite,
        answer: stretches.iter().map(|stretch| stretch.text.as_str()).collect(),
        refused: false,
        refusal_reason: None,
        why: None,
        nearest: Vec::new(),
        reason: None,
        citations: cited.map(|source| citation(1, source, PASSAGE)).collect(),
        confidence: None,
        retrieval_quality: quality,
        transparency: Transparency { statement: None, show_to_user: false },
        route_to: None,
        suggestions: Vec::new(),
        offers: Vec::new(),
        details: Vec::new(),
        warnings: Vec::new(),
        model_used: Some("small".to_owned()),
        context_chunks_used: 1,
        context_tokens_used: 8,
        generation_time_ms: 12,
        confirmation: None,
        grounded: true,
        trace: vec![GateRecord {
            gate: "top1".to_owned(),
            verdict: Verdict::Pass,
            observed: 0.123_456,
            threshold: 0.1,
        }],
        receipt: Some(Receipt::unsealed(Some("word for word".to_owned()), stretches)),
    };
    sealed(answer)
}

const QUESTION: &str = "How many days may be carried over?";

fn sealed(answer: Answer) -> Answer {
    let policy = Sha256Hash::of(b"policy").into();
    answer.sealed(Seal { question: QUESTION, asked_at: DateTime::UNIX_EPOCH, policy, reader: None, key: Some(&key()) })
}

fn verified(json: &serde_json::Value, corpus: &Corpus) -> Result<Report, PresentedError> {
    let presented = Presented::parse(&json.to_string())?;
    let keys = PublicKeys::of([key().public().clone()]);
    let judge = Part::bare(Arc::new(WordForWord) as Arc<dyn Entailment>);
    let witnesses = Witnesses { keys: &keys, corpus, entailment: Some(&judge), vocabulary: None };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    Ok(runtime.block_on(verify(&presented, &witnesses)))
}

/// What becomes of a sentence on the first version, judged by this, when the corpus is that.
fn outcome(text: &str, by: &str, corpus: &Corpus) -> (Outcome, String) {
    let answer = answer(vec![sentence(text, by, vec![source_of(TEXT, 1, PASSAGE)])]);
    let json = serde_json::to_value(&answer).unwrap();
    let report = verified(&json, corpus).unwrap();
    assert_eq!(report.holds, report.stretches[0].outcome.holds());
    let alone = verified(&json["receipt"], corpus).unwrap();
    assert!(report.proof.not_covered.is_empty() && !alone.proof.not_covered.is_empty(), "{alone:?}");
    assert_eq!(Report { proof: report.proof.clone(), ..alone }, report, "alone or in its answer");
    (report.stretches[0].outcome, report.stretches[0].why.clone())
}

#[test]
fn each_sentence_is_told_what_became_of_it() {
    let claim = "Five days may be carried over.[1]";
    let same = format!("# Leave\n\nNew. {}", PASSAGE.replace(' ', "\n"));
    let reworded = "# Leave\n\nNow: five days may be carried over. All lapse in April.";
    let elsewhere = "# Leave\n\nFive days may be carried over. All lapse in April.";
    let other = "# Leave\n\nTen days may be carried over. They lapse in April.";
    let contrary = "# Leave\n\nNot true: Five days may be carried over.";
    let cases = [
        (claim, corpus(&[(1, TEXT)], false), Outcome::Holds, "version 1 is the current one"),
        (
            claim,
            corpus(&[(1, TEXT), (3, &same)], false),
            Outcome::StillSays,
            "version 1 was replaced by version 3, which has",
        ),
        (
            claim,
            corpus(&[(1, TEXT), (2, reworded)], false),
            Outcome::Reworded,
            "replaced by version 2, which says it in",
        ),
        (
            claim,
            corpus(&[(1, TEXT), (2, elsewhere)], false),
            Outcome::StillSays,
            "version 1 was replaced by version 2; this sentence is unchanged",
        ),
        (
            claim,
            corpus(&[(1, TEXT), (2, other)], false),
            Outcome::Changed,
            "the passage changed: Five days stands in none",
        ),
        (claim, corpus(&[(1, TEXT), (2, contrary)], false), Outcome::Changed, "its passages say otherwise"),
        (claim, corpus(&[(1, TEXT), (2, "# Nothing")], false), Outcome::Changed, "has no such passage"),
        (claim, corpus(&[(1, TEXT)], true), Outcome::Withdrawn, "withdrawn"),
        (claim, Corpus::new(), Outcome::NotVisible, "not here, or not for you"),
        (claim, corpus(&[(2, TEXT)], false), Outcome::Tampered, "never had a version 1"),
        (claim, corpus(&[(1, other)], false), Outcome::Tampered, "has the digest"),
        (
            "Six days may be carried over.[1]",
            corpus(&[(1, TEXT)], false),
            Outcome::Unsupported,
            "Six days stands in none",
        ),
    ];
    for (text, corpus, expected, why) in cases {
        let found = outcome(text, "word for word", &corpus);
        assert!(found.0 == expected && found.1.contains(why), "{expected:?} {why:?}: {found:?}");
    }
}

#[test]
fn a_sources_own_words_and_a_documents_title_need_no_model() {
    let unchanged = corpus(&[(1, TEXT)], false);
    assert_eq!(outcome("They lapse in\nMarch.[1]", "verbatim", &unchanged).0, Outcome::Holds);
    assert_eq!(outcome("They lapse in April.[1]", "verbatim", &unchanged).0, Outcome::Unsupported);
    assert_eq!(outcome("- Leave[1]", "catalogue", &unchanged).0, Outcome::Holds);
    assert_eq!(outcome("- HR-5 — Leave[1]", "catalogue", &unchanged).0, Outcome::Holds);
    assert_eq!(outcome("- Meals[1]", "catalogue", &unchanged).0, Outcome::Unsupported);
    // A title inside a text proves nothing, and neither does half a sentence.
    assert_eq!(outcome("- Leave is paid to everybody[1]", "catalogue", &unchanged).0, Outcome::Unsupported);
    assert_eq!(outcome("- Everybody gets a car — Leave[1]", "catalogue", &unchanged).0, Outcome::Unsupported);
    assert_eq!(outcome("days may be carried over.[1]", "verbatim", &unchanged).0, Outcome::Unsupported);
    let whole = "Five days may be carried over. They lapse in March.[1]";
    assert_eq!(outcome(whole, "verbatim", &unchanged).0, Outcome::Holds);
}

#[test]
fn a_quotation_holds_with_what_stands_above_it_and_with_nothing_else() {
    let text = "6 What is not paid\n\nNot paid are:\n\n- Fines.\n- Drinks.\n\nKind | Limit (EUR)\nTaxi | 40\nBus | 5";
    let corpus = corpus(&[(1, text)], false);
    let outcome = |claim: &str, sources: &[&str]| {
        let sources = sources.iter().map(|passage| source_of(text, 1, passage)).collect();
        let answer = answer(vec![sentence(claim, "verbatim", sources)]);
        let report = verified(&serde_json::to_value(&answer.receipt).unwrap(), &corpus).unwrap();
        report.stretches[0].outcome
    };
    let whole = text;
    for claim in ["What is not paid: Not paid are: Fines.[1]", "Taxi — Limit: EUR 40[1]", "Not paid are: Drinks.[1]"]
    {
        assert_eq!(outcome(claim, &[whole]), Outcome::Holds, "{claim}");
    }
    let beside = ["- Drinks.", "6 What is not paid", "Not paid are:"];
    assert_eq!(outcome("What is not paid: Not paid are: Drinks.[1]", &beside), Outcome::Holds);
    assert_eq!(outcome("Bus — Limit: EUR 5[1]", &["Bus | 5", "Kind | Limit (EUR)"]), Outcome::Holds);
    for (claim, sources) in [
        ("What is paid: Fines.[1]", &[whole][..]),
        ("What is not paid: Drinks.[1]", &["- Drinks."]),
        ("Bus — Limit: EUR 40[1]", &[whole]),
        ("Bus — Limit: 5 days[1]", &[whole]),
    ] {
        assert_eq!(outcome(claim, sources), Outcome::Unsupported, "{claim}");
    }
}

#[test]
fn what_was_marked_as_unsupported_does_not_hold_and_what_nobody_checked_is_judged() {
    let corpus = corpus(&[(1, TEXT)], false);
    let mut marked = sentence("Five days may be carried over.[1]", "x", vec![source_of(TEXT, 1, PASSAGE)]);
    marked.check = SentenceCheck { verdict: SentenceVerdict::Unsupported, ..SentenceCheck::unchecked() };
    let mut unchecked = marked.clone();
    unchecked.check = SentenceCheck::unchecked();
    let json = serde_json::to_value(answer(vec![marked, unchecked])).unwrap();
    let report = verified(&json, &corpus).unwrap();
    let outcomes: Vec<Outcome> = report.stretches.iter().map(|stretch| stretch.outcome).collect();
    assert_eq!((outcomes.as_slice(), report.holds), (&[Outcome::Unsupported, Outcome::Holds][..], false));
}

/// A definition of x, checked against a vocabulary.
fn definition_in(vocabulary: Option<FakeVocabulary>) -> (Outcome, String) {
    let vocabulary = vocabulary.map(|vocabulary| Part::bare(Arc::new(vocabulary) as Arc<dyn Vocabulary>));
    let definition = "Five (5) days.";
    let source = ReceiptSource {
        source_id: CitedSource::Concept("http://example.org/x".to_owned()),
        passage_sha256: Sha256Hash::of(definition.as_bytes()),
        ..source_of(TEXT, 1, PASSAGE)
    };
    let text = format!("- x (of y) (terms): “{definition}”[1]");
    let receipt = serde_json::to_value(answer(vec![sentence(&text, "verbatim", vec![source])]).receipt).unwrap();
    let presented = Presented::parse(&receipt.to_string()).unwrap();
    let keys = PublicKeys::of([key().public().clone()]);
    let witnesses =
        Witnesses { keys: &keys, corpus: &Corpus::new(), entailment: None, vocabulary: vocabulary.as_ref() };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let report = runtime.block_on(verify(&presented, &witnesses));
    assert_eq!(report.holds, report.stretches[0].outcome.holds());
    (report.stretches[0].outcome, report.stretches[0].why.clone())
}

#[test]
fn a_definition_is_checked_against_the_vocabulary_or_said_not_to_be() {
    let holding = |uri: &str, definition: &str| {
        let concept = FakeConcept::new(uri, "terms").label(LabelKind::Preferred, "x (of y)", "en");
        FakeVocabulary::of(vec![concept.definition(definition, "en")])
    };
    let (x, other) = ("http://example.org/x", "http://example.org/other");
    assert_eq!(definition_in(None).0, Outcome::NotChecked);
    assert_eq!(definition_in(Some(holding(x, "Five (5) days."))).0, Outcome::Holds);
    assert_eq!(definition_in(Some(holding(x, "Six days."))).0, Outcome::Changed);
    assert_eq!(definition_in(Some(holding(other, "Five (5) days."))).0, Outcome::Withdrawn);
    assert_eq!(definition_in(Some(FakeVocabulary::default())).0, Outcome::Withdrawn);
    let late = holding(x, "Five (5) days.");
    late.fail(VocabularyError::Timeout(300));
    let (outcome, why) = definition_in(Some(late));
    assert!(outcome == Outcome::NotChecked && why.contains("300 ms"), "{why}");
}

#[test]
fn a_refusal_has_a_receipt_that_holds() {
    let refusal = Answer { action: Action::Refuse, refused: true, receipt: None, ..answer(Vec::new()) };
    let refusal = Answer { answer: "Nobody knows.".to_owned(), ..refusal };
    let refusal = sealed(refusal);
    let report = verified(&serde_json::to_value(&refusal).unwrap(), &Corpus::new()).unwrap();
    assert!(report.holds, "{report:?}");
    let kinds: Vec<_> = report.stretches.iter().map(|stretch| (stretch.kind, stretch.text.as_str())).collect();
    assert_eq!(kinds, [(StretchKind::Policy, "Nobody knows.")]);
}

/// A receipt that somebody wrote anew, digests and all.
fn forged(change: impl FnOnce(&mut Receipt)) -> (Outcome, Report) {
    let stretch = sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let mut receipt = answer(vec![stretch]).receipt.unwrap();
    let signature = receipt.signature.clone();
    change(&mut receipt);
    receipt.answer_sha256 = Sha256Hash::of(receipt.text().as_bytes());
    let receipt = Receipt { signature, ..receipt.sealed() };
    let report = verified(&serde_json::to_value(&receipt).unwrap(), &corpus(&[(1, TEXT)], false)).unwrap();
    let worst = report.stretches.iter().map(|stretch| stretch.outcome).max().unwrap_or(Outcome::Holds);
    (worst, report)
}

#[test]
fn a_forged_receipt_does_not_hold_whatever_its_digests() {
    type Forgery = dyn Fn(&mut Receipt);
    let forgeries: [(&str, &Forgery); 7] = [
        ("no claims at all", &|receipt| receipt.stretches.clear()),
        ("a lie as the policy's words", &|receipt| {
            receipt.stretches = vec![Stretch::policy("All is paid.".to_owned())];
        }),
        ("a lie as structure", &|receipt| {
            receipt.stretches[0].kind = StretchKind::Structure;
            receipt.stretches[0].text = "All is paid".to_owned();
        }),
        ("a lie as nobody's", &|receipt| receipt.stretches.push(Stretch::unverified("All is paid.".to_owned()))),
        ("a claim without a source", &|receipt| receipt.stretches[0].sources.clear()),
        ("a span of one space", &|receipt| {
            let source = &mut receipt.stretches[0].sources[0];
            let start = u32::try_from(TEXT.chars().position(|sign| sign == ' ').unwrap()).unwrap();
            source.span = CharSpan { start, end: start + 1 };
            source.passage_sha256 = Sha256Hash::of(b" ");
            receipt.stretches[0].check.by = "verbatim".to_owned();
            receipt.stretches[0].text = "All is paid.[1]".to_owned();
        }),
        ("nothing changed but the digest", &|receipt| receipt.asked_at += chrono::TimeDelta::seconds(1)),
    ];
    for (what, forgery) in forgeries {
        let (_, report) = forged(forgery);
        assert!(!report.holds, "{what}: {report:?}");
        assert!(matches!(report.signature, SignatureOutcome::Forged { .. }), "{what}: {report:?}");
    }
    // What the receipt itself betrays, even if the key were stolen.
    for (what, forgery, outcome, says) in [
        ("no claims at all", forgeries[0].1, Outcome::Holds, "claims nothing"),
        ("structure of no source", forgeries[2].1, Outcome::Tampered, "claims nothing"),
        ("nobody's words", forgeries[3].1, Outcome::Tampered, "checked by nobody"),
        ("no source", forgeries[4].1, Outcome::Unsupported, ""),
        ("one space", forgeries[5].1, Outcome::Tampered, ""),
    ] {
        let (worst, report) = forged(forgery);
        assert_eq!(worst, outcome, "{what}: {report:?}");
        assert!(report.tampered.concat().contains(says), "{what}: {report:?}");
    }
}

#[test]
fn a_receipt_that_nobody_signed_or_a_stranger_did_does_not_hold() {
    let stretch = || sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let receipt = answer(vec![stretch()]).receipt.unwrap();
    let stranger = SigningKey::from_seed(&[2; 32]).unwrap();
    let corpus = corpus(&[(1, TEXT)], false);
    let unsigned = receipt.clone().sealed();
    let strange = receipt.signed(&stranger);
    for (receipt, expected) in [
        (unsigned, SignatureOutcome::Unsigned),
        (strange, SignatureOutcome::UnknownKey { key: stranger.public().id() }),
    ] {
        let report = verified(&serde_json::to_value(&receipt).unwrap(), &corpus).unwrap();
        assert_eq!((report.holds, &report.signature), (false, &expected));
        assert!(report.tampered.is_empty() && report.stretches[0].outcome == Outcome::Holds, "{report:?}");
    }
}

#[test]
fn what_is_no_receipt_is_said_to_be_none() {
    for (json, expected) in [
        (serde_json::json!({ "answer": "x" }), "this is not a receipt"),
        (serde_json::json!({ "answer": "x", "receipt": null }), "has no receipt"),
        (serde_json::json!([1]), "this is not a receipt"),
        (serde_json::json!({ "sentences": [], "sha256": "x" }), "made by version 0.1"),
        (serde_json::json!({ "version": 3 }), "of version 3"),
        (serde_json::json!({ "receipt": null, "withdrawn": {} }), "was withdrawn"),
    ] {
        assert!(Presented::parse(&json.to_string()).unwrap_err().to_string().contains(expected), "{json}");
    }
    let twice = r#"{"answer": "x", "receipt": {"sha256": 1, "sha256": 2}}"#;
    let message = Presented::parse(twice).unwrap_err().to_string();
    assert!(message.contains("\"sha256\" stands twice") && message.contains("every program reads alike"), "{message}");
}

/// What a check says it proves.
fn proven(presented: &Presented) -> Proof {
    let keys = PublicKeys::of([key().public().clone()]);
    proof(
        presented,
        &keys.check(presented.receipt.sha256, presented.receipt.asked_at, presented.receipt.signature.as_ref()),
    )
}

#[test]
fn what_is_proven_is_said_in_a_sentence_and_that_it_is_true_never_is() {
    let stretch = || sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let whole = answer(vec![stretch()]);
    let json = serde_json::to_value(&whole).unwrap();
    let proof = proven(&Presented::parse(&json.to_string()).unwrap());
    assert_eq!((proof.receipt_version, proof.not_covered.len()), (2, 0));
    assert_eq!(
        proof.proves,
        "It proves that this installation, asked “How many days may be carried over?”, said these words at 1970-01-01 \
         00:00:00 UTC, from this 1 passage, by this method: written by small, each sentence held against its passages by \
         word for word. It does not prove that they are true."
    );
    let alone = proven(&Presented::parse(&json["receipt"].to_string()).unwrap());
    assert!(alone.proves.contains("does not prove that they are true. Only the receipt was handed in"), "{alone:?}");
    let mut unchecked = stretch();
    unchecked.check = SentenceCheck::unchecked();
    let json = serde_json::to_string(&answer(vec![unchecked])).unwrap();
    let proof = proven(&Presented::parse(&json).unwrap());
    assert!(proof.proves.contains("1 of its parts checked by nobody"), "{proof:?}");
    // What was changed, and what nobody signed, proves nothing.
    let mut changed = serde_json::to_value(&whole).unwrap();
    changed["warnings"] = serde_json::json!(["All is well."]);
    let presented = Presented::parse(&changed.to_string()).unwrap();
    assert!(presented.tampered[0].contains("not the one that was shown"), "{presented:?}");
    assert_eq!(proven(&presented).proves, "It proves nothing: it was changed after it was made.");
    let unsigned = Answer { receipt: whole.receipt.clone().map(Receipt::sealed), ..whole };
    let proof = proven(&Presented::parse(&serde_json::to_string(&unsigned).unwrap()).unwrap());
    assert!(proof.proves.starts_with("It proves nothing: no key of this installation"), "{proof:?}");
}

#[test]
fn a_receipt_of_version_1_is_checked_by_its_own_rules_and_what_it_does_not_cover_is_named() {
    let stretch = sentence("Five days may be carried over.[1]", "word for word", vec![source_of(TEXT, 1, PASSAGE)]);
    let mut old = answer(vec![stretch]);
    let receipt = old.receipt.take().unwrap();
    let receipt = Receipt { version: 1, question: None, shown_sha256: None, ..receipt }.sealed().signed(&key());
    old.receipt = Some(receipt);
    let mut json = serde_json::to_value(&old).unwrap();
    assert_eq!(json["receipt"].get("version"), None, "as it was written then");
    let unchanged = corpus(&[(1, TEXT)], false);
    json["warnings"] = serde_json::json!(["nobody would notice"]);
    let report = verified(&json, &unchanged).unwrap();
    assert!(report.holds && report.proof.receipt_version == 1, "{report:?}");
    assert!(
        report.proof.proves.contains("of version 1, which covers the words and their sources, and not: the question")
    );
    assert!(report.proof.not_covered.contains(&"warnings and notices"));
    json["answer"] = serde_json::json!("Six days.");
    assert!(!verified(&json, &unchanged).unwrap().holds);
    // A receipt of today does not pass for one of then.
    let mut today = serde_json::to_value(answer(vec![Stretch::policy("Hello.".to_owned())])).unwrap();
    for field in ["version", "question", "shown_sha256"] {
        today["receipt"].as_object_mut().unwrap().remove(field);
    }
    assert!(!verified(&today, &unchanged).unwrap().holds);
}
