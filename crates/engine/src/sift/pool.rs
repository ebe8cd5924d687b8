//! A pool of candidates: as the gates are given it, and while they look at it.

use std::collections::HashMap;

use ibidem_language::Terms;
use ibidem_words::degrade::Fallback;
use ibidem_words::{Candidate, DocumentId, GateRecord, Promise, Reason, Verdict};

/// What the gates look at: a pool, and what they must know of how it came about.
pub(crate) struct Pool<'a> {
    pub(crate) terms: Terms,
    pub(crate) most_kept: usize,
    pub(crate) reranked: bool,
    /// 0, or 1 where the first round brought too little and a wider one followed.
    pub(crate) round: u32,
    pub(crate) fallback_reasons: &'a [Fallback],
    /// Best first.
    pub(crate) candidates: Vec<Candidate>,
}

/// What a gate found.
pub(crate) enum Finding {
    Passes,
    Refuses(Reason, String),
    AsksBack { reason: Reason, explanation: String, text: String, ask_for: Vec<String> },
    TriesAgain(Reason, String),
}

/// A pool while the gates look at it: what is left, what was dropped, and how each gate found it.
pub(crate) struct WorkingPool<'a> {
    /// Best first.
    pub(super) kept: Vec<Candidate>,
    /// With the name of the gate that dropped it.
    pub(super) dropped: Vec<(&'static str, Candidate)>,
    pub(super) trace: Vec<GateRecord>,
    pub(super) warnings: Vec<String>,
    /// The question's significant words.
    pub(super) terms: Terms,
    pub(super) most_kept: usize,
    pub(super) reranked: bool,
    pub(super) round: u32,
    pub(super) fallback_reasons: &'a [Fallback],
    /// The share of the reader's threshold that a document which the question names must reach.
    pub(super) named_share: f64,
    /// The best similarity of all that was found, before anything was dropped.
    pub(super) best_found: Option<f64>,
    /// The strictest similarity that a candidate had to have so far.
    pub(super) strictest: Option<f64>,
    /// Why the best candidate was dropped, with its numbers, if a gate dropped all that were left.
    pub(super) why_none_is_left: Option<(Reason, String)>,
}

impl<'a> WorkingPool<'a> {
    pub(super) fn new(pool: Pool<'a>, named_share: f64) -> Self {
        let Pool { terms, most_kept, reranked, round, fallback_reasons, mut candidates } = pool;
        // Where meaning was not searched, words are what there is to compare.
        for candidate in candidates.iter_mut().filter(|candidate| candidate.cosine.is_none()) {
            candidate.overlap_with(&terms);
        }
        Self {
            best_found: candidates.iter().map(Candidate::similarity).reduce(f64::max),
            kept: candidates,
            dropped: Vec::new(),
            trace: Vec::new(),
            warnings: Vec::new(),
            terms,
            most_kept,
            reranked,
            round,
            fallback_reasons,
            named_share,
            strictest: None,
            why_none_is_left: None,
        }
    }

    /// The best similarity of what is left.
    pub(super) fn best(&self) -> f64 {
        self.kept.iter().map(Candidate::similarity).fold(0.0, f64::max)
    }

    /// Keeps what passes. A gate that drops candidates passes as a whole; what it observed is how many it dropped.
    pub(super) fn keep_if(
        &mut self,
        gate: &'static str,
        threshold: f64,
        mut passes: impl FnMut(&mut Candidate, &Terms) -> bool,
    ) {
        let before = self.dropped.len();
        let fails = |candidate: &mut Candidate| !passes(candidate, &self.terms);
        self.dropped.extend(self.kept.extract_if(.., fails).map(|candidate| (gate, candidate)));
        let observed = (self.dropped.len() - before) as f64;
        self.trace.push(GateRecord { gate: gate.to_owned(), verdict: Verdict::Pass, observed, threshold });
    }

    /// Keeps what passes, and what gathering promised a place: of one document that was named or chosen by a curator, no
    /// more than so many. That it kept promises, and how many, is a line of its own in the trace.
    pub(super) fn keep_if_or_promised(
        &mut self,
        gate: &'static str,
        threshold: f64,
        most_of_document: usize,
        mut passes: impl FnMut(&mut Candidate) -> bool,
    ) {
        let passing: Vec<bool> = self.kept.iter_mut().map(&mut passes).collect();
        let promised = self.promised(&passing, most_of_document);
        let mut keeps = passing.iter().zip(&promised).map(|(passes, is_promised)| *passes || *is_promised);
        self.keep_if(gate, threshold, |_, _| keeps.next().unwrap_or(true));
        self.record_promises(gate, promised.iter().filter(|is_promised| **is_promised).count(), threshold);
    }

    /// Which of those that do not pass keep their place by a promise.
    pub(super) fn promised(&self, passing: &[bool], most_of_document: usize) -> Vec<bool> {
        let mut of_document: HashMap<DocumentId, usize> = HashMap::new();
        let promised = self.kept.iter().zip(passing).map(|(candidate, passes)| {
            let of_document = of_document.entry(candidate.passage.passage.document).or_default();
            let is_promised = !passes
                && match candidate.promised {
                    None => false,
                    Some(Promise::Words | Promise::Kind) => true,
                    Some(Promise::Curator | Promise::Name) => *of_document < most_of_document,
                };
            *of_document += usize::from(*passes || is_promised);
            is_promised
        });
        promised.collect()
    }

    /// Says once in the trace that a gate kept promises, and how many.
    pub(super) fn record_promises(&mut self, gate: &str, count: usize, threshold: f64) {
        let gate = format!("{gate}_promised");
        if count > 0 && !self.trace.iter().any(|record| record.gate == gate) {
            self.trace.push(GateRecord { gate, verdict: Verdict::Pass, observed: count as f64, threshold });
        }
    }

    /// Remembers that a gate drops what is less similar than this.
    pub(super) fn demand(&mut self, least: f64) {
        self.strictest = Some(self.strictest.map_or(least, |strictest| strictest.max(least)));
    }

    /// Records what a gate that may stop observed. Returns whether it stops.
    pub(super) fn record(&mut self, gate: &'static str, stops: bool, observed: f64, threshold: f64) -> bool {
        let verdict = if stops { Verdict::Stop } else { Verdict::Pass };
        self.trace.push(GateRecord { gate: gate.to_owned(), verdict, observed, threshold });
        stops
    }
}

/// A number as people read it: two places, or more where two would hide the difference that decided.
pub(super) fn shown(number: f64) -> String {
    let two = format!("{number:.2}");
    let exact = (two.parse::<f64>().unwrap_or(number) - number).abs() < 5e-5;
    let written = if exact { two } else { format!("{number:.4}") };
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}
