//! What a decision was made of, written down so that it can be made again.

use std::borrow::Cow;
use std::time::Duration;

use crate::candidate::Candidate;
use crate::word_overlap::WordOverlap;
use ibidem_language::sentences::Kind;
use ibidem_language::{PresentTerms, Terms};
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::records::{
    CandidateRecord, DecisionRecord, MarkerCounts, PoolRecord, SearchNumbers, Searched, SentenceCounts, TurnNumbers,
    as_place,
};
use ibidem_words::Fallback;
use ibidem_words::{Action, Answer, CharSpan, Reason, Receipt, Sha256Hash};

use super::speech::speech;
use crate::draft::Draft;
use crate::policy::SpeakRules;
use crate::sift::Pool;
use crate::turn::{Gathered, SearchRecord};

pub(crate) fn decision_record(
    answer: &Answer,
    draft: Option<&Draft>,
    search: Option<SearchRecord>,
    rules: &SpeakRules,
) -> DecisionRecord {
    // Where a part failed, or the time was over, what was gathered until then decided nothing.
    let is_failure = matches!(answer.reason, Some(Reason::RetrievalUnavailable | Reason::Deadline));
    let searched = search.as_ref().map(searched_record);
    let rounds = search.filter(|_| !is_failure).map_or_else(Vec::new, |search| search.pools);
    let speech = rounds.last().and_then(|pool| speech(answer, draft, pool, rules));
    DecisionRecord {
        action: answer.action,
        reason: answer.reason,
        class: None,
        trace: answer.trace.clone(),
        searched,
        is_general: !rounds.is_empty() && speech.is_none() && answer.action == Action::Route,
        rounds,
        speech,
        tool_calls: Vec::new(),
    }
}

fn searched_record(search: &SearchRecord) -> Searched {
    let of_last = search.pools.last().map_or(&[][..], |pool| &pool.candidates);
    let similarities: Vec<f64> = of_last
        .iter()
        .enumerate()
        .map(|(place, candidate)| restored_candidate(candidate, place).similarity())
        .collect();
    let mean = similarities.iter().sum::<f64>() / similarities.len() as f64;
    Searched {
        collections: search.collections.clone(),
        variants: search.variants.iter().map(|one| (one.kind.as_str().to_owned(), one.text.clone())).collect(),
        hits: search.found,
        mean_similarity: (!similarities.is_empty()).then_some(mean),
        left_out: search.left_out.iter().map(|one| candidate_record(one, one.overlap.as_ref())).collect(),
    }
}

/// Records what was gathered, with what the gates left of it.
pub(crate) fn pool_record(gathered: &Gathered, left: &[Candidate]) -> PoolRecord {
    let question = &gathered.asked.question;
    let terms = Terms::of(&question.query);
    let overlap = |candidate: &Candidate| WordOverlap::of(&candidate.passage, &terms);
    let overlaps: Vec<Cow<'_, WordOverlap>> = gathered
        .candidates
        .iter()
        .map(|one| one.overlap.as_ref().map_or_else(|| Cow::Owned(overlap(one)), Cow::Borrowed))
        .collect();
    let read = gathered.candidates.iter().zip(&overlaps);
    let mut candidates: Vec<CandidateRecord> =
        read.map(|(one, overlap)| candidate_record(one, Some(overlap))).collect();
    for (place, candidate) in candidates.iter_mut().enumerate() {
        let better = overlaps[..place].iter().enumerate();
        let alike = better.filter_map(|(other, overlap)| Some((as_place(other), overlaps[place].likeness(overlap)?)));
        candidate.alike = alike.collect();
    }
    let mut record = PoolRecord {
        round: gathered.search.round,
        reranked: gathered.reranked,
        max_context_chunks: question.max_context_chunks,
        terms: terms.len(),
        fallback_reasons: gathered.log.fallback_reasons.clone(),
        unread: gathered.log.unread.is_some(),
        by_words_alone: gathered.log.fallback_reasons.contains(&Fallback::KeywordsOnly),
        gates_look_alone: true,
        candidates,
        kept: Vec::new(),
    };
    record.kept = record.places(left.iter().map(|candidate| candidate.passage.passage));
    record
}

/// Restores the pool as the gates saw it.
pub(super) fn restored(record: &PoolRecord) -> Pool<'_> {
    let candidates = record.candidates.iter().enumerate();
    Pool {
        terms: Terms::unknown(record.terms),
        most_kept: record.max_context_chunks,
        reranked: record.reranked,
        round: record.round,
        fallback_reasons: &record.fallback_reasons,
        unread: record.unread.then_some("it had not read them then"),
        gates_look_alone: record.gates_look_alone,
        candidates: candidates.map(|(place, candidate)| restored_candidate(candidate, place)).collect(),
    }
}

fn candidate_record(candidate: &Candidate, overlap: Option<&WordOverlap>) -> CandidateRecord {
    let unread = || (PresentTerms::default(), 0.0);
    let (present, coverage) = overlap.map_or_else(unread, |read| (read.present.clone(), read.coverage));
    CandidateRecord {
        passage: candidate.passage.passage,
        collection: candidate.passage.collection.clone(),
        kind: candidate.passage.kind.clone(),
        cosine: candidate.cosine,
        scaled: candidate.scaled,
        bm25: candidate.bm25,
        fused: candidate.fused,
        rerank: candidate.rerank,
        read_first: candidate.read_first,
        curated: candidate.curated,
        addressed: candidate.addressed,
        on_its_text: candidate.on_its_text,
        forced: candidate.forced,
        promised: candidate.promised,
        coverage,
        present,
        alike: Vec::new(),
    }
}

/// Restores a candidate without its texts: no gate reads one that was read before.
pub fn restored_candidate(record: &CandidateRecord, place: usize) -> Candidate {
    let passage = CataloguePassage {
        passage: record.passage,
        collection: record.collection.clone(),
        kind: record.kind.clone(),
        title: String::new(),
        address: None,
        source_location: String::new(),
        updated_at: chrono::DateTime::UNIX_EPOCH,
        section: None,
        page: None,
        span: CharSpan { start: 0, end: 0 },
        text: String::new(),
        above: Default::default(),
        validity: Default::default(),
        tokens: 0,
        document_sha256: Sha256Hash::from_bytes([0; 32]),
    };
    let overlap = WordOverlap::recorded(as_place(place), record.alike.clone(), record.present.clone(), record.coverage);
    Candidate {
        cosine: record.cosine,
        scaled: record.scaled,
        bm25: record.bm25,
        fused: record.fused,
        rerank: record.rerank,
        read_first: record.read_first,
        curated: record.curated,
        addressed: record.addressed,
        on_its_text: record.on_its_text,
        forced: record.forced,
        promised: record.promised,
        overlap: Some(overlap),
        ..Candidate::unscored(passage)
    }
}

/// What can be counted of a turn.
pub(crate) fn turn_numbers(
    answer: &Answer,
    draft: Option<&Draft>,
    mut stages: Vec<(&'static str, Duration)>,
    search: Option<&SearchRecord>,
    took: Duration,
) -> TurnNumbers {
    stages.extend(draft.map(|draft| ("generate", Duration::from_millis(draft.took_ms))));
    stages.push(("turn", took));
    let is_by_words = |flag: &Fallback| *flag == Fallback::KeywordsOnly;
    let search = search.map(|search| SearchNumbers {
        collections: search.collections.clone(),
        took: search.took,
        found: search.found,
        embedding_requests: search.embedding_requests,
        embedding_failures: search.embedding_failures,
        by_words_alone: answer.retrieval_quality.fallback_reasons.iter().any(is_by_words)
            || search.embedding_failures > 0,
    });
    let markers = draft.map_or_else(MarkerCounts::default, |draft| draft.markers);
    TurnNumbers { stages, search, markers, sentences: sentences(answer, draft) }
}

/// What went out is in the receipt; what a model wrote besides is in its draft.
fn sentences(answer: &Answer, draft: Option<&Draft>) -> SentenceCounts {
    let mut counts = SentenceCounts::default();
    for sentence in answer.receipt.iter().flat_map(Receipt::claims) {
        counts.add(sentence.check.verdict);
    }
    let Some(draft) = draft else { return counts };
    // A draft that is shown all the same has its sentences in the receipt already.
    let is_shown = draft.released.is_empty() && counts.all() > 0;
    let withheld = if is_shown { &[] } else { draft.withheld.as_slice() };
    for checked in draft
        .dropped
        .iter()
        .chain(&draft.replaced)
        .chain(withheld)
        .filter(|checked| checked.sentence.kind == Kind::Claim)
    {
        counts.add(checked.check.verdict);
    }
    counts
}
