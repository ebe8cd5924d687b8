//! A pool of candidates: as the gates are given it, and while they look at it.

use std::collections::HashMap;

use crate::candidate::Candidate;
use ibidem_language::Terms;
use ibidem_words::Fallback;
use ibidem_words::{DocumentId, GateRecord, Promise, Reason, Verdict};

/// What is dropped because there are enough better ones.
pub(crate) const BEYOND_THE_BEST: &str = "max_context_chunks";

/// What the gates look at: a pool, and what they must know of how it came about.
pub(crate) struct Pool<'a> {
    pub(crate) terms: Terms,
    pub(crate) most_kept: usize,
    pub(crate) reranked: bool,
    /// 0, or 1 where the first round brought too little and a wider one followed.
    pub(crate) round: u32,
    pub(crate) fallback_reasons: &'a [Fallback],
    /// Why the configured reader has read none of it: what needs its word is refused. None where it read, or nobody is
    /// there to read; it was none in older records too, where the other gates decided.
    pub(crate) unread: Option<&'a str>,
    /// Every gate looks at all that was found, whatever the others dropped: a stricter one can only leave less. It was not
    /// so when older records were written.
    pub(crate) gates_look_alone: bool,
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
    pub(crate) kept: Vec<Candidate>,
    /// Holds what was dropped, with the name of the gate that dropped it.
    pub(crate) dropped: Vec<(&'static str, Candidate)>,
    /// Where each of those that are kept, and of those that were dropped, stood among all that was found.
    kept_places: Vec<usize>,
    dropped_places: Vec<usize>,
    /// Every gate looks at all that was found.
    pub(crate) gates_look_alone: bool,
    pub(crate) trace: Vec<GateRecord>,
    pub(crate) warnings: Vec<String>,
    /// The question's significant words.
    pub(crate) terms: Terms,
    pub(crate) most_kept: usize,
    /// What its likeness to a better one costs a candidate where there is not place for all; nothing, if no gate says.
    pub(crate) cost_of_likeness: Option<f64>,
    pub(crate) reranked: bool,
    pub(crate) round: u32,
    pub(crate) fallback_reasons: &'a [Fallback],
    /// Why the configured reader has read none of it.
    pub(crate) unread: Option<&'a str>,
    /// The question names documents, and a reader has read passages of them.
    pub(crate) is_named_and_read: bool,
    /// A reader has read what was found.
    pub(crate) is_read: bool,
    /// The share of the reader's threshold that a document which the question names must reach.
    pub(crate) named_share: f64,
    /// The best similarity of all that was found, before anything was dropped.
    pub(crate) best_found: Option<f64>,
    /// The strictest similarity that a candidate had to have so far.
    pub(crate) strictest: Option<f64>,
    /// Why the best candidate was dropped, with its numbers, if a gate dropped all that were left.
    pub(crate) why_none_is_left: Option<(Reason, String)>,
}

impl<'a> WorkingPool<'a> {
    pub(crate) fn new(pool: Pool<'a>, named_share: f64) -> Self {
        let Pool { terms, most_kept, reranked, round, fallback_reasons, unread, gates_look_alone, mut candidates } =
            pool;
        // Where meaning was not searched, words are what there is to compare.
        for candidate in candidates.iter_mut().filter(|candidate| candidate.cosine.is_none()) {
            candidate.overlap_with(&terms);
        }
        Self {
            is_named_and_read: candidates.iter().any(Candidate::is_named_and_read),
            is_read: candidates.iter().any(|candidate| candidate.answering().is_some()),
            best_found: candidates.iter().map(Candidate::similarity).reduce(f64::max),
            kept_places: (0..candidates.len()).collect(),
            dropped_places: Vec::new(),
            gates_look_alone,
            kept: candidates,
            dropped: Vec::new(),
            trace: Vec::new(),
            warnings: Vec::new(),
            terms,
            most_kept,
            cost_of_likeness: None,
            reranked,
            round,
            fallback_reasons,
            unread,
            named_share,
            strictest: None,
            why_none_is_left: None,
        }
    }

    /// The best similarity of what is left.
    pub(crate) fn best(&self) -> f64 {
        self.passing().map(Candidate::similarity).fold(0.0, f64::max)
    }

    /// What no gate found wanting: also what there was no place for.
    pub(crate) fn passing(&self) -> impl Iterator<Item = &Candidate> {
        let is_cut = |gate: &str| self.gates_look_alone && gate == BEYOND_THE_BEST;
        let cut = self.dropped.iter().filter(move |(gate, _)| is_cut(gate)).map(|(_, candidate)| candidate);
        self.kept.iter().chain(cut)
    }

    /// All that was found; where older records are decided, what was left before this gate.
    pub(crate) fn looked_at(&self) -> Vec<&Candidate> {
        let kept = self.kept_places.iter().copied().zip(&self.kept);
        let dropped = self.dropped_places.iter().copied().zip(self.dropped.iter().map(|(_, candidate)| candidate));
        let mut all: Vec<(usize, &Candidate)> = kept.chain(dropped.filter(|_| self.gates_look_alone)).collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// The same, to read the words of each, and the question's words.
    pub(crate) fn read_all(&mut self) -> (Vec<&mut Candidate>, &Terms) {
        let alone = self.gates_look_alone;
        let kept = self.kept_places.iter().copied().zip(&mut self.kept);
        let dropped = self.dropped_places.iter().copied().zip(self.dropped.iter_mut().map(|(_, candidate)| candidate));
        let mut all: Vec<(usize, &mut Candidate)> = kept.chain(dropped.filter(|_| alone)).collect();
        all.sort_by_key(|(place, _)| *place);
        (all.into_iter().map(|(_, candidate)| candidate).collect(), &self.terms)
    }

    /// Drops what is still kept of those that a gate does not keep, each by its place in what the gate looked at.
    fn drop_all_but(&mut self, gate: &'static str, keeps: &[bool]) -> usize {
        let alone = self.gates_look_alone;
        let at = self.kept_places.iter().enumerate().map(|(at, place)| if alone { *place } else { at });
        let is_kept: Vec<bool> = at.map(|at| keeps.get(at).copied().unwrap_or(true)).collect();
        if !alone {
            return self.drop_kept_but(gate, &is_kept);
        }
        self.judge_cut_off(gate, keeps);
        let dropped = self.drop_kept_but(gate, &is_kept);
        self.fill_places();
        dropped
    }

    /// What is dropped leaves its place to the best of those that there was no place for.
    fn fill_places(&mut self) {
        while self.kept.len() < self.most_kept {
            let cut_off = self.dropped.iter().zip(&self.dropped_places).enumerate();
            let cut_off = cut_off.filter(|(_, ((by, _), _))| *by == BEYOND_THE_BEST);
            let Some((at, _)) = cut_off.min_by_key(|(_, (_, place))| **place) else { return };
            let ((_, candidate), place) = (self.dropped.remove(at), self.dropped_places.remove(at));
            let before = self.kept_places.partition_point(|other| *other < place);
            self.kept.insert(before, candidate);
            self.kept_places.insert(before, place);
        }
    }

    /// What there was no place for is judged as well: where this gate does not keep it, it is this gate that dropped it.
    fn judge_cut_off(&mut self, gate: &'static str, keeps: &[bool]) {
        for ((by, _), place) in self.dropped.iter_mut().zip(&self.dropped_places) {
            if *by == BEYOND_THE_BEST && !keeps[*place] {
                *by = gate;
            }
        }
    }

    /// Drops those of what is kept that are not to be kept.
    pub(crate) fn drop_kept_but(&mut self, gate: &'static str, is_kept: &[bool]) -> usize {
        let before = self.dropped.len();
        let mut keeps = is_kept.iter();
        let gone = self.kept.extract_if(.., |_| !*keeps.next().unwrap_or(&true));
        self.dropped.extend(gone.map(|candidate| (gate, candidate)));
        let mut keeps = is_kept.iter();
        self.dropped_places.extend(self.kept_places.extract_if(.., |_| !*keeps.next().unwrap_or(&true)));
        self.dropped.len() - before
    }

    /// Keeps what passes. A gate that drops candidates passes as a whole; what it observed is how many it dropped.
    pub(crate) fn keep_if(
        &mut self,
        gate: &'static str,
        threshold: f64,
        mut passes: impl FnMut(&mut Candidate, &Terms) -> bool,
    ) {
        let (all, terms) = self.read_all();
        let keeps: Vec<bool> = all.into_iter().map(|candidate| passes(candidate, terms)).collect();
        let observed = self.drop_all_but(gate, &keeps) as f64;
        self.trace.push(GateRecord { gate: gate.to_owned(), verdict: Verdict::Pass, observed, threshold });
    }

    /// Keeps what passes, and what gathering promised a place: of one document that was named or chosen by a curator, no
    /// more than so many. That it kept promises, and how many, is a line of its own in the trace.
    pub(crate) fn keep_if_or_promised(
        &mut self,
        gate: &'static str,
        threshold: f64,
        most_of_document: usize,
        mut passes: impl FnMut(&mut Candidate) -> bool,
    ) {
        let passing: Vec<bool> = self.read_all().0.into_iter().map(&mut passes).collect();
        let promised = promised(self.looked_at(), &passing, most_of_document);
        let places = if self.gates_look_alone { self.kept_places.clone() } else { (0..self.kept.len()).collect() };
        let kept_promises = places.into_iter().filter(|place| promised[*place]).count();
        let mut keeps = passing.iter().zip(&promised).map(|(passes, is_promised)| *passes || *is_promised);
        self.keep_if(gate, threshold, |_, _| keeps.next().unwrap_or(true));
        self.record_promises(gate, kept_promises, threshold);
    }

    /// Says once in the trace that a gate kept promises, and how many.
    pub(crate) fn record_promises(&mut self, gate: &str, count: usize, threshold: f64) {
        let gate = format!("{gate}_promised");
        if count > 0 && !self.trace.iter().any(|record| record.gate == gate) {
            self.trace.push(GateRecord { gate, verdict: Verdict::Pass, observed: count as f64, threshold });
        }
    }

    /// Remembers that a gate drops what is less similar than this.
    pub(crate) fn demand(&mut self, least: f64) {
        self.strictest = Some(self.strictest.map_or(least, |strictest| strictest.max(least)));
    }

    /// Stops where the embedding model is away and a reader has read what words brought: how similar that is nobody knows,
    /// and whether a gate would have let it through.
    pub(crate) fn unmeasured(&mut self, gate: &'static str) -> Option<Finding> {
        let is_away = self.fallback_reasons.contains(&Fallback::KeywordsOnly);
        if !is_away || !self.is_read || !self.gates_look_alone {
            return None;
        }
        let found = self.kept.len();
        self.record(gate, true, 0.0, 1.0);
        let explanation = format!(
            "Similarities that were measured (0 of {found}) below the least that is needed (1): the embedding model does \
             not answer"
        );
        Some(Finding::Refuses(Reason::RetrievalUnavailable, explanation))
    }

    /// Records that a gate did not look, and why; older records do not say so.
    pub(crate) fn leave_out(&mut self, gate: &'static str, why: Verdict) {
        if self.gates_look_alone {
            self.trace.push(GateRecord { gate: gate.to_owned(), verdict: why, observed: 0.0, threshold: 0.0 });
        }
    }

    /// Records what a gate that may stop observed. Returns whether it stops.
    pub(crate) fn record(&mut self, gate: &'static str, stops: bool, observed: f64, threshold: f64) -> bool {
        let verdict = if stops { Verdict::Stop } else { Verdict::Pass };
        self.trace.push(GateRecord { gate: gate.to_owned(), verdict, observed, threshold });
        stops
    }
}

/// Which of those that do not pass keep their place by a promise.
pub(crate) fn promised<'c>(
    looked_at: impl IntoIterator<Item = &'c Candidate>,
    passing: &[bool],
    most_of_document: usize,
) -> Vec<bool> {
    let mut of_document: HashMap<DocumentId, usize> = HashMap::new();
    let promised = looked_at.into_iter().zip(passing).map(|(candidate, passes)| {
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

/// A number as people read it: two places, or more where two would hide the difference that decided.
pub(crate) fn format_number(number: f64) -> String {
    let two = format!("{number:.2}");
    let exact = (two.parse::<f64>().unwrap_or(number) - number).abs() < 5e-5;
    let written = if exact { two } else { format!("{number:.4}") };
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}
