//! The gates that look at one candidate at a time.

use std::collections::HashMap;

use ibidem_language::Terms;
use ibidem_words::{Candidate, DocumentId, GateRecord, Reading, Reason, Verdict, as_shown};

use super::{name, shown};
use crate::policy::{CollectionThresholds, Gate, Thresholds};

/// A pool while gates drop from it.
pub(super) struct Dropping {
    pub(super) kept: Vec<Candidate>,
    pub(super) dropped: Vec<(&'static str, Candidate)>,
    pub(super) trace: Vec<GateRecord>,
    /// The strictest cosine that a candidate had to have so far.
    pub(super) strictest: Option<f64>,
    /// Why the best of those went that left nothing behind, with its numbers.
    pub(super) last_word: Option<(Reason, String)>,
    pub(super) terms: Terms,
    most_kept: usize,
    reranked: bool,
}

impl Dropping {
    pub(super) fn new(terms: Terms, most_kept: usize, reranked: bool, mut candidates: Vec<Candidate>) -> Self {
        // Where meaning was not searched, words are what there is to compare.
        for candidate in candidates.iter_mut().filter(|candidate| candidate.cosine.is_none()) {
            candidate.read(&terms);
        }
        Self {
            kept: candidates,
            dropped: Vec::new(),
            trace: Vec::new(),
            strictest: None,
            last_word: None,
            terms,
            most_kept,
            reranked,
        }
    }

    /// Whether this gate looks at single candidates; if so, it has.
    pub(super) fn applies(&mut self, gate: &Gate) -> bool {
        match gate {
            Gate::NoiseFloor(floor) => {
                let floor = if self.reranked { floor.reranked } else { floor.otherwise };
                self.demand(floor);
                self.gate(name(gate), floor, |candidate, _| candidate.forced || candidate.similarity() >= floor);
            }
            Gate::MinSimilarity(least) => {
                self.demand(*least);
                self.gate(name(gate), *least, |candidate, _| candidate.similarity() >= *least);
            }
            Gate::Duplicates(most) => {
                let mut is_new = self.distinct(*most).into_iter();
                self.gate(name(gate), *most, |_, _| is_new.next().unwrap_or(true));
            }
            Gate::PerDocument(most) => {
                let mut seen: HashMap<DocumentId, usize> = HashMap::new();
                self.gate(name(gate), *most as f64, |candidate, _| {
                    let count = seen.entry(candidate.passage.passage.document).or_default();
                    *count += 1;
                    *count <= *most
                });
            }
            Gate::Collections(thresholds) => self.collections(thresholds),
            Gate::KeepBest(_) => self.keep_best(),
            Gate::Top1Similarity(_)
            | Gate::NoContext(_)
            | Gate::RetrievalConfidence(_)
            | Gate::Coverage(_)
            | Gate::MissingKeywords(_) => {
                return false;
            }
        }
        true
    }

    /// The best, as many as the question asks for. Doing it again changes nothing.
    pub(super) fn keep_best(&mut self) {
        let beyond = self.kept.split_off(self.kept.len().min(self.most_kept));
        self.dropped.extend(beyond.into_iter().map(|candidate| ("max_context_chunks", candidate)));
    }

    /// Whether each candidate says something that no better one says: best first, compared with those that were new.
    fn distinct(&mut self, most: f64) -> Vec<bool> {
        let terms = &self.terms;
        let readings: Vec<&Reading> = self.kept.iter_mut().map(|candidate| candidate.read(terms)).collect();
        let mut better: Vec<&Reading> = Vec::new();
        let mut is_new = Vec::with_capacity(readings.len());
        for reading in readings {
            let new = !better.iter().any(|better| better.is_more_alike(reading, most));
            if new {
                better.push(reading);
            }
            is_new.push(new);
        }
        is_new
    }

    /// Too far from the question, or too few of its words, for a candidate's own collection.
    fn collections(&mut self, thresholds: &CollectionThresholds) {
        let of = |candidate: &Candidate| -> Thresholds {
            let own = thresholds.collections.iter();
            let mut own = own.filter(|(name, _)| name.eq_ignore_ascii_case(candidate.passage.collection.as_str()));
            own.next().map_or(thresholds.default, |(_, own)| *own)
        };
        let before = self.dropped.len();
        self.gate("distance_threshold", thresholds.default.distance_threshold, |candidate, _| {
            distance(candidate) <= of(candidate).distance_threshold
        });
        if let Some(best) = self.best_of_all_dropped(before) {
            let (seen, most) = (shown(distance(best)), shown(of(best).distance_threshold));
            let explanation = format!("Distance ({seen}) above threshold ({most}) of {}", best.passage.collection);
            self.last_word = Some((Reason::LowSimilarity, explanation));
        }
        let before = self.dropped.len();
        self.gate("query_coverage", thresholds.default.min_query_coverage, |candidate, terms| {
            candidate.read(terms).coverage >= of(candidate).min_query_coverage
        });
        if let Some(best) = self.best_of_all_dropped(before) {
            let (seen, least) = (
                shown(best.reading.as_ref().map_or(0.0, |reading| reading.coverage)),
                shown(of(best).min_query_coverage),
            );
            let explanation =
                format!("Query coverage ({seen}) below threshold ({least}) of {}", best.passage.collection);
            self.last_word = Some((Reason::LowCoverage, explanation));
        }
    }

    /// The best of what a gate dropped, if it left nothing; `before` is what had been dropped until then.
    fn best_of_all_dropped(&self, before: usize) -> Option<&Candidate> {
        self.dropped.get(before).filter(|_| self.kept.is_empty()).map(|(_, best)| best)
    }

    /// Keeps what passes. A gate that drops candidates passes as a whole; what it observed is how many it dropped.
    fn gate(&mut self, gate: &'static str, threshold: f64, mut passes: impl FnMut(&mut Candidate, &Terms) -> bool) {
        let before = self.dropped.len();
        let fails = |candidate: &mut Candidate| !passes(candidate, &self.terms);
        self.dropped.extend(self.kept.extract_if(.., fails).map(|candidate| (gate, candidate)));
        let observed = (self.dropped.len() - before) as f64;
        self.trace.push(GateRecord { gate: gate.to_owned(), verdict: Verdict::Pass, observed, threshold });
    }

    fn demand(&mut self, least: f64) {
        self.strictest = Some(self.strictest.map_or(least, |strictest| strictest.max(least)));
    }
}

/// Compared as it is shown: a distance of 0.45 is not more than 0.45.
fn distance(candidate: &Candidate) -> f64 {
    as_shown(1.0 - candidate.similarity())
}
