//! How much an answer can be relied on: how well the search went, how much of the answer the sources have, and what a
//! judge says of it.

use ibidem_language::sentences::Kind;
use ibidem_words::degrade::Fallback;
use ibidem_words::{Candidate, Confidence, GateRecord, RetrievalQuality, Verdict};

use super::key_phrases::KeyPhrases;
use super::said::support;
use crate::draft::Said;
use crate::outcome::Retrieval;
use crate::policy::{ConfidenceRules, Policy};

/// What the three signals count.
const RETRIEVAL: f64 = 30.0;
const COVERAGE: f64 = 40.0;
const JUDGE: f64 = 30.0;

/// Two shares and a number from 0 to 100, weighed. Rounded to what is shown, so that what is compared is what is said.
pub fn weighed(retrieval_score: f64, coverage_score: f64, llm_score: f64) -> Confidence {
    let overall = retrieval_score * RETRIEVAL + coverage_score * COVERAGE + llm_score / 100.0 * JUDGE;
    let overall = (overall.clamp(0.0, 100.0) * 100.0).round() / 100.0;
    Confidence { overall, retrieval_score, coverage_score, llm_score }
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

/// All that may be quoted of a passage.
fn texts(candidate: &Candidate) -> impl Iterator<Item = &str> {
    let passage = &candidate.passage;
    [passage.text.as_str()].into_iter().chain(passage.above.all().map(|line| line.text.as_str()))
}

/// The confidence of an answer as far as it is said, weighed anew with every sentence.
pub struct Weighing {
    rules: Option<ConfidenceRules>,
    retrieval_base: f64,
    retrieval_score: f64,
    context: KeyPhrases,
}

impl Weighing {
    pub fn of(policy: &Policy, fallback_reasons: &[Fallback], evidence: &[Candidate]) -> Self {
        let weighing = Self {
            rules: policy.rules.speak.confidence.clone(),
            retrieval_base: retrieval_base(policy, evidence),
            retrieval_score: 0.0,
            context: KeyPhrases::of(evidence.iter().flat_map(texts)),
        };
        weighing.with(fallback_reasons)
    }

    /// With what fell back by now.
    #[must_use]
    pub fn with(self, fallback_reasons: &[Fallback]) -> Self {
        let retrieval_score = RetrievalQuality::score(self.retrieval_base, !fallback_reasons.is_empty());
        Self { retrieval_score, ..self }
    }

    /// What the search brought, before falling back costs anything.
    pub(crate) fn retrieval(&self) -> Retrieval {
        Retrieval::searched(self.retrieval_base)
    }

    /// By the verifier's own opinion of each sentence.
    pub fn verified<'s>(&self, said: impl IntoIterator<Item = &'s Said> + Clone) -> Confidence {
        self.judged(said.clone(), support(said))
    }

    /// By somebody else's opinion of the whole.
    pub fn judged<'s>(&self, said: impl IntoIterator<Item = &'s Said>, llm_score: f64) -> Confidence {
        let claims = said.into_iter().filter(|said| said.sentence.kind == Kind::Claim);
        let coverage = self.context.share_of(claims.map(|said| said.sentence.text.as_str()));
        weighed(self.retrieval_score, coverage, llm_score.clamp(0.0, 100.0))
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
