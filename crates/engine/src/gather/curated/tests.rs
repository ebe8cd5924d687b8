//! Both kinds at each of their thresholds.

use std::sync::Arc;

use ibidem_ports::degrade::Deadline;
use ibidem_ports::reranker::RerankError;
use ibidem_testing::fakes::{FakeMemory, FakeReranker, passage};
use ibidem_words::{DocumentId, Identity, MemoryEntry, PassageKey, Question, Reference, Scope, Tag, TenantId};
use uuid::Uuid;

use super::*;

const QUESTION: &str = "How much oil does it take?";
const TRIGGER: &str = "Oil capacity";

fn rules() -> CuratedRules {
    let default = include_str!("../../../../../policies/default.yaml");
    crate::policy::Policy::parse(default).unwrap().rules.gather.curated.unwrap()
}

fn tenant() -> TenantId {
    TenantId::named("t")
}

fn scope() -> Scope {
    let identity = Identity::for_tests(tenant(), "s", Default::default());
    Scope::of(&identity)
}

fn asked() -> Asked {
    Asked {
        request_id: Uuid::nil(),
        at: chrono::DateTime::UNIX_EPOCH,
        scope: scope(),
        question: Question::new(QUESTION),
        policy: Arc::new(crate::policy::Policy::parse(include_str!("../../../../../policies/default.yaml")).unwrap()),
        deadline: Deadline::NONE,
    }
}

fn document(number: u128, tags: &[Tag], memory: &FakeMemory) -> Reference {
    let document = DocumentId(Uuid::from_u128(number));
    let passage = passage(number, &"Book".parse().unwrap(), &format!("Document {number}."));
    memory.put_document(tenant(), tags.to_vec(), vec![passage]);
    Reference::Document(document)
}

/// A memory of one entry with so many references, and what the index brings of it.
fn memory(kind: MemoryKind, references: u128, similarity: f32) -> (FakeMemory, Vec<(VariantKind, IndexHit)>) {
    let memory = FakeMemory::default();
    let references = (1..=references).map(|number| document(number, &[Tag::public()], &memory)).collect();
    let id = MemoryId(Uuid::from_u128(99));
    let entry = MemoryEntry { id, kind, triggers: vec![TRIGGER.to_owned()], references, tags: vec![Tag::public()] };
    let version = memory.put(tenant(), entry);
    let passage = PassageKey { document: id.as_document(), version, chunk_index: 0 };
    let hit = IndexHit { passage, cosine: Some(similarity), bm25: None, dense_rank: Some(0), lexical_rank: None };
    (memory, vec![(VariantKind::Question, hit)])
}

fn note() -> MemoryKind {
    MemoryKind::Note { text: "Mechanics call it lube.".to_owned() }
}

async fn recalled(
    kind: MemoryKind,
    references: u128,
    similarity: f32,
    reranker: Option<&Arc<FakeReranker>>,
) -> Recalled {
    let (memory, hits) = memory(kind, references, similarity);
    let reranker = reranker.map(|reranker| Part::bare(Arc::clone(reranker) as Arc<dyn Reranker>));
    recall(&memory, reranker.as_ref(), &asked(), &rules(), &hits, SimilarityScale::COSINE).await.unwrap()
}

#[tokio::test]
async fn a_pin_needs_no_judge_from_its_threshold_on_and_is_never_meant_below_the_judges() {
    for (similarity, with_yes, with_no, without) in [
        (0.59, false, false, false),
        (0.60, false, false, false),
        (0.69, false, false, false),
        (0.6999, false, false, false),
        (0.70, true, false, false),
        (0.84, true, false, false),
        (0.8499, true, false, false),
        (0.85, true, true, true),
    ] {
        let yes = Arc::new(FakeReranker::scoring(&[(TRIGGER, 0.5)]));
        let no = Arc::new(FakeReranker::scoring(&[(TRIGGER, 0.49)]));
        for (reranker, expected) in [(Some(&yes), with_yes), (Some(&no), with_no), (None, without)] {
            let recalled = recalled(MemoryKind::Pin, 1, similarity, reranker).await;
            let what = format!("{similarity} {}", reranker.is_some());
            assert_eq!(recalled.suffices, expected, "{what}");
            assert_eq!(recalled.candidates.len(), usize::from(expected), "{what}");
            if expected {
                let lent = recalled.candidates[0].similarity();
                assert!((lent - f64::from(similarity)).abs() < 1e-4 && recalled.candidates[0].forced, "{what}");
            }
        }
        let score = usize::from((0.70..0.85).contains(&similarity));
        assert_eq!((yes.calls(), no.calls()), (score, score), "asked only where it decides: {similarity}");
    }
}

#[tokio::test]
async fn a_judge_that_fails_is_no_judge_and_that_is_told() {
    let reranker = Arc::new(FakeReranker::scoring(&[(TRIGGER, 1.0)]));
    reranker.set_trouble(Some(RerankError::Timeout(500)));
    let recalled = recalled(MemoryKind::Pin, 1, 0.84, Some(&reranker)).await;
    assert!(!recalled.suffices && recalled.candidates.is_empty());
    assert!(recalled.failure.is_some());
}

#[tokio::test]
async fn a_note_helps_from_its_threshold_on_and_its_references_enter_at_theirs() {
    for (similarity, helps, suffices) in [
        (0.59, false, false),
        (0.60, true, false),
        (0.69, true, false),
        (0.70, true, true),
        (0.84, true, true),
        (0.85, true, true),
    ] {
        let recalled = recalled(note(), 3, similarity, None).await;
        assert_eq!((recalled.background.len(), recalled.suffices), (usize::from(helps), suffices), "{similarity}");
        assert_eq!(recalled.candidates.len(), if helps { 3 } else { 0 });
        assert!(recalled.candidates.iter().all(|candidate| candidate.curated == Some(0.75)));
    }
}

#[tokio::test]
async fn a_note_with_too_few_references_that_resolve_does_not_suffice() {
    assert!(!recalled(note(), 2, 0.95, None).await.suffices);
    assert!(!recalled(note(), 0, 0.95, None).await.suffices);
    let (memory, hits) = memory(note(), 2, 0.95);
    let hidden = document(7, &["others".parse().unwrap()], &memory);
    let mut entry = memory.recall(&scope(), &[MemoryId(Uuid::from_u128(99))]).await.unwrap().remove(0).entry;
    entry.references.push(hidden);
    let version = memory.put(tenant(), entry);
    let newer = |hit: IndexHit| IndexHit { passage: PassageKey { version, ..hit.passage }, ..hit };
    let hits: Vec<_> = hits.into_iter().map(|(kind, hit)| (kind, newer(hit))).collect();
    let recalled = recall(&memory, None, &asked(), &rules(), &hits, SimilarityScale::COSINE).await.unwrap();
    assert!(!recalled.suffices, "a reference that the asker may not see is none");
    assert_eq!(recalled.candidates.len(), 2);
}

#[tokio::test]
async fn a_pin_without_a_source_that_the_asker_may_have_says_nothing() {
    let recalled = recalled(MemoryKind::Pin, 0, 0.99, None).await;
    assert!(!recalled.suffices && !recalled.matches[0].accepted);
}

#[tokio::test]
async fn any_form_of_the_question_calls_an_entry_up_and_a_part_of_it_never_suffices() {
    for (kind, suffices) in
        [(VariantKind::Question, true), (VariantKind::Paraphrase, true), (VariantKind::SubQuestion, false)]
    {
        let (memory, hits) = memory(MemoryKind::Pin, 1, 0.99);
        let hits: Vec<_> = hits.into_iter().map(|(_, hit)| (kind, hit)).collect();
        let recalled = recall(&memory, None, &asked(), &rules(), &hits, SimilarityScale::COSINE).await.unwrap();
        assert_eq!((recalled.matches[0].accepted, recalled.suffices), (true, suffices), "{kind:?}");
    }
}

#[tokio::test]
async fn words_that_are_no_longer_the_entrys_do_not_call_it_up() {
    let (memory, hits) = memory(MemoryKind::Pin, 1, 0.99);
    let entry = memory.recall(&scope(), &[MemoryId(Uuid::from_u128(99))]).await.unwrap().remove(0).entry;
    memory.put(tenant(), entry);
    let recalled = recall(&memory, None, &asked(), &rules(), &hits, SimilarityScale::COSINE).await.unwrap();
    assert!(recalled.matches.is_empty());
}
