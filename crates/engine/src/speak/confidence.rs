//! How much an answer can be relied on: how well the search went, how far the answer covers the question and the sources
//! the answer, and what a judge says of it where one was asked.

use crate::candidate::Candidate;
use ibidem_language::markers::without_markers;
use ibidem_language::sentences::Kind;
use ibidem_language::validity::tells_of_replacing;
use ibidem_language::{PresentTerms, Terms};
use ibidem_words::Fallback;
use ibidem_words::{Confidence, GateRecord, Question, RetrievalQuality, Verdict, as_shown};

use super::checked_sentence::BY_THE_LETTER;
use super::key_phrases::Sources;
use crate::draft::CheckedSentence;
use crate::outcome::Retrieval;
use crate::policy::{ConfidenceRules, ConfidenceWeights, Policy};

/// Weighs two shares and a number from 0 to 100. Where nobody judged, the coverage counts for it: it is what is known
/// of the answer. The result is rounded to what is shown, so that what is compared is what is said.
pub fn weighed(
    weights: ConfidenceWeights,
    retrieval_score: f64,
    coverage_score: f64,
    llm_score: Option<f64>,
) -> Confidence {
    let ConfidenceWeights { retrieval, coverage, judge } = weights;
    let judged = llm_score.map_or(coverage_score, |score| score / 100.0);
    let sum = retrieval_score * retrieval + coverage_score * coverage + judged * judge;
    let overall = sum * (100.0 / (retrieval + coverage + judge));
    let overall = (overall.clamp(0.0, 100.0) * 100.0).round() / 100.0;
    Confidence { overall, retrieval_score, coverage_score, llm_score }
}

/// The weights of a policy; those of one that shows every answer are the usual ones.
pub(crate) fn weights(policy: &Policy) -> ConfidenceWeights {
    policy.rules.speak.confidence.as_ref().map_or_else(ConfidenceWeights::default, |rules| rules.weights)
}

/// What is left of the coverage where there is a reason for doubt, and what is given of it where no reader read.
fn shares(policy: &Policy) -> (f64, f64) {
    let rules = policy.rules.speak.confidence.as_ref();
    let usual = (ConfidenceRules::DOUBTFUL_SHARE, ConfidenceRules::UNREAD_SHARE);
    rules.map_or(usual, |rules| (rules.doubtful_share, rules.unread_share))
}

/// The mean similarity of the best passages, as many as the policy looks at; one that is missing counts nothing, so that
/// less evidence is never better.
pub fn retrieval_base<'e>(policy: &Policy, evidence: impl IntoIterator<Item = &'e Candidate>) -> f64 {
    let most = policy.rules.speak.confidence.as_ref().map_or(1, |rules| rules.best_passages);
    let mut similarities: Vec<f64> = evidence.into_iter().map(Candidate::similarity).collect();
    similarities.sort_by(|one, other| other.total_cmp(one));
    similarities.truncate(most);
    similarities.iter().sum::<f64>() / most as f64
}

/// How well the search went, as confidence counts it. Where only words were searched nobody knows how near the evidence is
/// in meaning, and words that are shared do not stand in for it: an answer must not be surer than with the embedding model.
pub(crate) fn retrieval_score(base: f64, by_words_alone: bool, fell_back: bool) -> f64 {
    RetrievalQuality::score(if by_words_alone { 0.0 } else { base }, fell_back)
}

/// All that may be quoted of a passage.
fn texts(candidate: &Candidate) -> impl Iterator<Item = &str> {
    let passage = &candidate.passage;
    [passage.text.as_str()].into_iter().chain(passage.above.all().map(|line| line.text.as_str()))
}

/// What a reader of the answer sees of a note beside what is said of it: title, section and address.
fn line(candidate: &Candidate) -> String {
    let passage = &candidate.passage;
    let parts = [Some(passage.title.as_str()), passage.section.as_deref(), passage.address.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The confidence of an answer as far as it is said, weighed anew with every sentence.
pub struct Weighing {
    rules: Option<ConfidenceRules>,
    weights: ConfidenceWeights,
    retrieval_base: f64,
    retrieval_score: f64,
    sources: Sources,
    question: Terms,
    /// What is asked for was worked out by rule or by a model: the question was taken apart, or put in other words.
    is_worked_out: bool,
    /// What is left of the coverage where there is a reason for doubt.
    doubtful_share: f64,
    /// What is given of the coverage where no reader read the answer.
    unread_share: f64,
    /// Of each note, in their order, with how well it fits by a curator's choice.
    lines: Vec<(String, f64)>,
}

impl Weighing {
    pub fn of(policy: &Policy, question: &Question, fallback_reasons: &[Fallback], evidence: &[Candidate]) -> Self {
        let (doubtful_share, unread_share) = shares(policy);
        let weighing = Self {
            rules: policy.rules.speak.confidence.clone(),
            weights: weights(policy),
            retrieval_base: retrieval_base(policy, evidence),
            retrieval_score: 0.0,
            sources: Sources::of(evidence.iter().flat_map(texts)),
            question: Terms::of(&question.query),
            is_worked_out: question.reworded || !policy.parts_of(&question.query).is_empty(),
            doubtful_share,
            unread_share,
            lines: evidence.iter().map(|note| (line(note), note.curated.unwrap_or_default())).collect(),
        };
        weighing.with(fallback_reasons)
    }

    /// Adds what fell back by now.
    #[must_use]
    pub fn with(self, fallback_reasons: &[Fallback]) -> Self {
        let by_words_alone = fallback_reasons.contains(&Fallback::KeywordsOnly);
        let retrieval_score = retrieval_score(self.retrieval_base, by_words_alone, !fallback_reasons.is_empty());
        Self { retrieval_score, ..self }
    }

    /// What the search brought, before falling back costs anything.
    pub(crate) fn retrieval(&self) -> Retrieval {
        Retrieval::searched(self.retrieval_base)
    }

    /// How far what is said covers the question, times the share of its phrases that the sources have. `read` is how far it
    /// covers the question by a reader; where none read it, its words tell. Once, however many reasons for doubt there are,
    /// only the policy's share of it is left.
    pub fn coverage<'s>(
        &self,
        sentences: impl IntoIterator<Item = &'s CheckedSentence> + Clone,
        read: Option<f64>,
    ) -> f64 {
        let claims = || sentences.clone().into_iter().filter(|checked| checked.sentence.kind == Kind::Claim);
        let is_quoted = claims().all(|checked| BY_THE_LETTER.contains(&checked.check.by.as_str()));
        let texts = || claims().map(|checked| checked.sentence.text.as_str());
        let in_sources = if is_quoted { 1.0 } else { self.sources.share_of(texts()) };
        let is_doubtful = self.is_worked_out || texts().any(tells_of_replacing);
        let left = if is_doubtful { self.doubtful_share } else { 1.0 };
        let covered = match read {
            Some(read) => read,
            None => self.unread(sentences),
        };
        as_shown(in_sources * covered * left)
    }

    /// How far an answer covers the question that no reader read: a part is given, and the rest as far as its words go. A
    /// curator's choice for this question counts as much as its match.
    fn unread<'s>(&self, sentences: impl IntoIterator<Item = &'s CheckedSentence> + Clone) -> f64 {
        let numbers = sentences.clone().into_iter().flat_map(|checked| &checked.sentence.citations);
        let curated = numbers.filter_map(|number| self.note(*number)).map(|(_, curated)| *curated).fold(0.0, f64::max);
        let by_words = self.unread_share + (1.0 - self.unread_share) * self.by_words(sentences);
        by_words.max(curated)
    }

    fn note(&self, number: u32) -> Option<&(String, f64)> {
        self.lines.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The share of the question's words that an answer has, with the titles, sections and addresses of what it cites; all
    /// of them where the question has none.
    fn by_words<'s>(&self, sentences: impl IntoIterator<Item = &'s CheckedSentence>) -> f64 {
        if self.question.is_empty() {
            return 1.0;
        }
        let mut present = PresentTerms::default();
        for sentence in sentences.into_iter().map(|checked| &checked.sentence) {
            self.question.mark(&without_markers(&sentence.text), &mut present);
            for (line, _) in sentence.citations.iter().filter_map(|number| self.note(*number)) {
                self.question.mark(line, &mut present);
            }
        }
        present.count() as f64 / self.question.len() as f64
    }

    /// `judged` is the judge's opinion, 0 to 100, where one was asked.
    pub fn confidence(&self, coverage: f64, judged: Option<f64>) -> Confidence {
        weighed(self.weights, self.retrieval_score, coverage, judged.map(|judged| judged.clamp(0.0, 100.0)))
    }

    pub fn is_enough(&self, confidence: Confidence) -> bool {
        self.rules.as_ref().is_none_or(|rules| confidence.overall >= rules.cite_from)
    }

    /// The gate's record, where the policy has the gate.
    pub fn record(&self, confidence: Confidence) -> Option<GateRecord> {
        let rules = self.rules.as_ref()?;
        let verdict = if self.is_enough(confidence) { Verdict::Pass } else { Verdict::Stop };
        let gate = "confidence".to_owned();
        Some(GateRecord { gate, verdict, observed: confidence.overall, threshold: rules.cite_from })
    }
}

#[cfg(test)]
mod tests;
