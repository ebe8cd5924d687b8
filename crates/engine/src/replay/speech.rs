//! What was said, in numbers: how each sentence was found, and how sure the whole was.

use crate::candidate::Candidate;
use ibidem_language::sentences::Kind;
use ibidem_ports::records::{PoolRecord, SentenceRecord, Speech, Weighed, Written, as_place};
use ibidem_words::Fallback;
use ibidem_words::{Action, Answer, GateRecord, Reason, SentenceVerdict, Verdict};

use super::{Again, Decided, Evidence, Open};
use crate::draft::{AnswerReading, CheckedSentence, Draft};
use crate::policy::{Below, ConfidenceRules, Judge, Policy, SpeakMode, SpeakRules, VerificationMode};
use crate::speak::answers;
use crate::speak::checked_sentence::BY_THE_LETTER;
use crate::speak::confidence::{retrieval_base, retrieval_score, weighed, weights};
use crate::speak::verify::DENIAL;

/// Who judges without an entailment model, whatever support a policy asks for.
const BY_RULE: [&str; 8] = ["verbatim", "catalogue", "figures", "none", "structure", "question", "policy", DENIAL];
/// What no policy lets out.
const NEVER_SAID: [&str; 3] = ["none", "structure", DENIAL];

fn sentence_record(checked: &CheckedSentence) -> SentenceRecord {
    let check = &checked.check;
    SentenceRecord {
        is_claim: checked.sentence.kind == Kind::Claim,
        is_cited: !checked.sentence.citations.is_empty(),
        verdict: check.verdict,
        support: check.support,
        by: check.by.clone(),
        why: check.why.clone(),
    }
}

fn is_supported(sentence: &SentenceRecord) -> bool {
    sentence.verdict == SentenceVerdict::Supported
}

/// What was said, as it is written down.
pub(super) fn speech(answer: &Answer, draft: Option<&Draft>, pool: &PoolRecord, rules: &SpeakRules) -> Option<Speech> {
    let fallback_reasons = &answer.retrieval_quality.fallback_reasons;
    let stands_in = fallback_reasons.contains(&Fallback::Extractive);
    let weighed = answer.confidence.map(|one| Weighed { coverage: one.coverage_score, judged: one.llm_score });
    let written = |draft: &Draft| Written {
        model: draft.model.clone(),
        evidence: pool.places(draft.written_from.iter().copied()),
        fell_back_before: draft.fell_back,
        // Whoever did not judge is no part of how the search went, and quoting instead comes after the writing.
        fell_back_after: fallback_reasons.iter().any(|flag| !matches!(flag, Fallback::NoJudge | Fallback::Extractive)),
        least_support: rules.verification.least_support,
        kept: draft.released.iter().chain(&draft.withheld).map(sentence_record).collect(),
        dropped: draft.dropped.iter().map(sentence_record).collect(),
        replaced: draft.replaced.iter().map(sentence_record).collect(),
        coverage: draft.coverage.iter().map(|(sentences, share)| (as_place(*sentences), *share)).collect(),
        quotations_unjudged: true,
        answering: rules.least_answering.map(|_| draft.answering.as_ref().map_or_else(Vec::new, so_far)),
        has_reader: draft.has_reader,
        unverified: draft.is_unverified(),
        chosen: draft.is_choice,
        weighed: weighed.filter(|_| !stands_in),
    };
    let Some(draft) = draft.filter(|_| !stands_in) else {
        let Weighed { coverage, judged } = weighed?;
        let read = answer.trace.iter().filter(|record| record.gate == answers::GATE);
        return Some(Speech::Extractive {
            coverage,
            judged,
            fallback_reasons: fallback_reasons.clone(),
            answering: rules.least_answering.map(|_| read.map(|record| (0, record.observed)).collect()),
            model_failed: draft.is_some_and(Draft::has_failed),
            instead_of: draft.filter(|draft| !draft.has_failed()).map(|draft| Box::new(written(draft))),
        });
    };
    Some(Speech::Model(written(draft)))
}

fn so_far(reading: &AnswerReading) -> Vec<(u32, f64)> {
    reading.so_far.iter().map(|(sentences, likely)| (as_place(*sentences), *likely)).collect()
}

/// What becomes of it under a policy, `trace` being what the gates found before.
pub(super) fn again(speech: &Speech, policy: &Policy, evidence: &Evidence, trace: Vec<GateRecord>) -> Again {
    match speech {
        Speech::Extractive { coverage, judged, fallback_reasons, answering, model_failed, instead_of } => {
            if let Some(written) = instead_of {
                let of_model = written_again(written, policy, evidence, trace.clone());
                if !is_in_vain(written, &of_model) || policy.rules.speak.quote_instead.is_none() {
                    return of_model;
                }
            }
            let stood_in = fallback_reasons.contains(&Fallback::Extractive);
            if !stood_in && policy.rules.speak.mode != SpeakMode::Extractive {
                return Again::Open(Open::OtherSentences);
            }
            let reason = if *model_failed { Reason::GenerationUnavailable } else { Reason::BesideTheQuestion };
            let trace = match read_again(policy, answering.as_deref(), 0, evidence, trace) {
                Read::Answers(trace, _) => trace,
                Read::Beside(trace) => {
                    return Again::Decided(Decided { action: Action::Refuse, reason: Some(reason), trace });
                }
                Read::Unknown => return Again::Open(Open::OtherSentences),
            };
            let retrieval = retrieval(policy, &evidence.kept, evidence.by_words_alone, !fallback_reasons.is_empty());
            decided(policy, Some(weighed(weights(policy), retrieval, *coverage, *judged).overall), false, trace)
        }
        Speech::Model(written) => {
            let of_model = written_again(written, policy, evidence, trace);
            let is_quoted_instead = written.has_reader && policy.rules.speak.quote_instead.is_some();
            if is_quoted_instead && !written.unverified && is_in_vain(written, &of_model) {
                return Again::Open(Open::OtherSentences);
            }
            of_model
        }
    }
}

/// What a reader found, as another policy would see it.
enum Read {
    /// It answers, from so many sentences on.
    Answers(Vec<GateRecord>, u32),
    Beside(Vec<GateRecord>),
    /// Nobody read on, or at all, because the policy of then did not ask.
    Unknown,
}

/// Whether what was said answers the question, `all` being how many sentences there were.
fn read_again(
    policy: &Policy,
    answering: Option<&[(u32, f64)]>,
    all: u32,
    evidence: &Evidence,
    mut trace: Vec<GateRecord>,
) -> Read {
    let Some(least) = policy.rules.speak.least_answering else { return Read::Answers(trace, 0) };
    let Some(so_far) = answering else {
        // Where nobody read the passages, there was no reader for the answer either.
        let was_read = evidence.kept.iter().any(|candidate| candidate.rerank.is_some());
        return if was_read { Read::Unknown } else { Read::Answers(trace, 0) };
    };
    let from = so_far.iter().find(|(_, likely)| *likely >= least);
    if from.is_none() && so_far.last().is_some_and(|(sentences, _)| *sentences < all) {
        return Read::Unknown;
    }
    let gate = answers::record(policy, so_far);
    let is_beside = gate.as_ref().is_some_and(|gate| gate.verdict == Verdict::Stop);
    trace.extend(gate);
    if is_beside { Read::Beside(trace) } else { Read::Answers(trace, from.map_or(0, |(sentences, _)| *sentences)) }
}

fn retrieval<'e>(
    policy: &Policy,
    evidence: impl IntoIterator<Item = &'e Candidate>,
    by_words_alone: bool,
    fell_back: bool,
) -> f64 {
    retrieval_score(retrieval_base(policy, evidence), by_words_alone, fell_back)
}

fn written_again(written: &Written, policy: &Policy, evidence: &Evidence, trace: Vec<GateRecord>) -> Again {
    let rules = &policy.rules.speak;
    if rules.mode == SpeakMode::Extractive
        || (rules.mode == SpeakMode::Choose) != written.chosen
        || is_said_otherwise(written, rules.verification.mode, rules.verification.least_support)
    {
        return Again::Open(Open::OtherSentences);
    }
    if written.unverified {
        let mut trace = trace;
        trace.extend(written.answering.as_deref().and_then(|so_far| answers::record(policy, so_far)));
        return Again::Decided(Decided { action: Action::Refuse, reason: Some(Reason::UnsupportedClaims), trace });
    }
    if !written.kept.iter().any(|sentence| sentence.is_claim) {
        let reason = if has_denied(written) { Reason::NoResults } else { Reason::UnsupportedClaims };
        return Again::Decided(Decided { action: Action::Refuse, reason: Some(reason), trace });
    }
    let all = as_place(written.kept.len());
    let (trace, from) = match read_again(policy, written.answering.as_deref(), all, evidence, trace) {
        Read::Answers(trace, from) => (trace, from),
        Read::Beside(trace) => {
            let reason = Some(Reason::BesideTheQuestion);
            return Again::Decided(Decided { action: Action::Refuse, reason, trace });
        }
        Read::Unknown => return Again::Open(Open::OtherSentences),
    };
    let written_from = written.evidence.iter().filter_map(|place| evidence.at(*place));
    let before = retrieval(policy, written_from.clone(), evidence.by_words_alone, written.fell_back_before);
    let after = retrieval(policy, written_from, evidence.by_words_alone, written.fell_back_after);
    let by_verifier = rules.confidence.as_ref().is_none_or(|rules| rules.judge == Judge::Verifier);
    let (is_released, last) =
        if by_verifier { released(written, rules.confidence.as_ref(), before, from) } else { (false, None) };
    let last = last.or(written.weighed);
    let weighed = last.map(|last| weighed(weights(policy), after, last.coverage, last.judged).overall);
    decided(policy, weighed, is_released, trace)
}

/// Nothing of it may be said, and that is the model's fault.
fn is_in_vain(written: &Written, of_model: &Again) -> bool {
    let why = [Some(Reason::UnsupportedClaims), Some(Reason::BesideTheQuestion)];
    !has_denied(written) && matches!(of_model, Again::Decided(decided) if why.contains(&decided.reason))
}

/// What was dropped says that the documents do not say.
fn has_denied(written: &Written) -> bool {
    written.dropped.iter().any(|sentence| sentence.by == DENIAL)
}

/// Whether another standard would keep other sentences than were kept.
fn is_said_otherwise(written: &Written, mode: VerificationMode, least: f64) -> bool {
    let is_judged = |sentence: &SentenceRecord| !BY_RULE.contains(&sentence.by.as_str());
    let falls = |sentence: &SentenceRecord| match mode {
        VerificationMode::Strict => !is_supported(sentence) || (is_judged(sentence) && sentence.support < least),
        VerificationMode::Mark => false,
        VerificationMode::Off => !sentence.is_cited,
    };
    // Below the old standard nobody wrote down whether a sentence was held to be supported at all.
    let rises = |sentence: &SentenceRecord| match mode {
        VerificationMode::Strict => least < written.least_support && is_judged(sentence) && sentence.support >= least,
        VerificationMode::Mark => sentence.verdict != SentenceVerdict::Unchecked,
        VerificationMode::Off => sentence.is_cited && sentence.is_claim && !NEVER_SAID.contains(&sentence.by.as_str()),
    };
    let claims = written.kept.iter().filter(|sentence| sentence.is_claim);
    claims.clone().any(falls) || written.dropped.iter().chain(&written.replaced).any(rises)
}

/// Whether the answer became sure enough on the way, and how it is weighed in the end: what went out until it last was
/// is not taken back, and what came behind is not said; where nothing went out, all of it is weighed. Nothing goes out
/// before so many sentences: only with them it answers the question.
fn released(written: &Written, rules: Option<&ConfidenceRules>, retrieval: f64, from: u32) -> (bool, Option<Weighed>) {
    let so_far = |(sentences, coverage): &(u32, f64)| {
        let kept = &written.kept[..written.kept.len().min(*sentences as usize)];
        Weighed { coverage: *coverage, judged: support(kept, !written.quotations_unjudged) }
    };
    let Some(rules) = rules else { return (true, written.coverage.last().map(so_far)) };
    let overall = |so_far: &Weighed| weighed(rules.weights, retrieval, so_far.coverage, so_far.judged).overall;
    let is_enough = |so_far: &Weighed| overall(so_far) >= rules.cite_from;
    let may_go_out = written.coverage.iter().rev().filter(|(sentences, _)| *sentences >= from);
    let last_enough = may_go_out.map(so_far).find(is_enough);
    (last_enough.is_some(), last_enough.or_else(|| written.coverage.last().map(so_far)))
}

/// As the verifier's own opinion is made: the mean over the claims, 0 to 100. In a record of an older version it has one of
/// quotations too.
fn support(kept: &[SentenceRecord], has_always_one: bool) -> Option<f64> {
    let claims: Vec<&SentenceRecord> = kept.iter().filter(|sentence| sentence.is_claim).collect();
    let of = |sentence: &&SentenceRecord| if is_supported(sentence) { sentence.support } else { 0.0 };
    let is_judged = claims.iter().any(|sentence| !BY_THE_LETTER.contains(&sentence.by.as_str()));
    match claims.len() {
        0 => has_always_one.then_some(0.0),
        count => (is_judged || has_always_one).then(|| 100.0 * claims.iter().map(of).sum::<f64>() / count as f64),
    }
}

/// An answer that was released, or is sure enough in the end, is said.
fn decided(policy: &Policy, overall: Option<f64>, is_released: bool, mut trace: Vec<GateRecord>) -> Again {
    let cited = |trace| Again::Decided(Decided { action: Action::Cite, reason: None, trace });
    let Some(rules) = policy.rules.speak.confidence.as_ref() else { return cited(trace) };
    let Some(overall) = overall else { return Again::Open(Open::OtherSentences) };
    let is_enough = overall >= rules.cite_from;
    let verdict = if is_enough { Verdict::Pass } else { Verdict::Stop };
    trace.push(GateRecord { gate: "confidence".to_owned(), verdict, observed: overall, threshold: rules.cite_from });
    if is_enough || is_released {
        return cited(trace);
    }
    let action = if rules.below == Below::Refuse { Action::Refuse } else { Action::Route };
    Again::Decided(Decided { action, reason: Some(Reason::LowConfidence), trace })
}
