//! Which sentence of the passages each part of a claim is about.

use crate::tables::Tables;
use crate::tables::meaning::Cue;

use super::reading::{Sentence, Token};
use super::{Turn, rules};

/// A part of a claim with fewer words that say something belongs to its neighbour.
const LEAST_WORDS: usize = 2;
/// With a smaller share of a part's words, a sentence is about something else.
const LEAST_SHARE: f64 = 0.25;

/// A sentence of a claim beside the sentences of its passages.
pub(super) struct Aligned<'a> {
    pub(super) claim: &'a Sentence,
    pub(super) sources: &'a [Sentence],
    /// Lines above the passages.
    pub(super) known: &'a [Sentence],
}

/// A part of a claim and the sentence of the passages that comes closest to it.
pub(super) struct Pairing<'a> {
    pub(super) claim: &'a Sentence,
    pub(super) part: Vec<&'a Token>,
    pub(super) sources: &'a [Sentence],
    pub(super) known: &'a [Sentence],
    pub(super) place: usize,
}

impl<'a> Aligned<'a> {
    /// The first thing that a part of the claim turns, whichever of the sentences that are equally close is meant.
    pub(super) fn turned(&self, tables: &Tables) -> Option<Turn> {
        if let Some(turn) = rules::cause(self).or_else(|| rules::comparison(self, tables)) {
            return Some(turn);
        }
        self.parts().into_iter().find_map(|part| {
            let mut turns = Vec::new();
            for place in self.closest(&part) {
                let Self { claim, sources, known } = *self;
                let pairing = Pairing { claim, part: part.clone(), sources, known, place };
                turns.push(rules::of_part(&pairing, tables)?);
            }
            turns.into_iter().next()
        })
    }

    /// The clauses of the claim; one that says too little goes with its neighbour.
    fn parts(&self) -> Vec<Vec<&'a Token>> {
        let mut parts: Vec<Vec<&Token>> = Vec::new();
        let mut is_short = false;
        for clause in 0..self.claim.clauses {
            let tokens: Vec<&Token> = self.claim.clause(clause).iter().collect();
            let says = tokens.iter().filter(|token| token.root().is_some()).count();
            let denies = tokens.iter().any(|token| token.is(Cue::Deny) || token.is(Cue::Without));
            let is_enough = says >= LEAST_WORDS || (denies && says > 0);
            match parts.last_mut() {
                Some(last) if !is_enough || is_short => last.extend(tokens),
                _ => parts.push(tokens),
            }
            let says = parts.last().map_or(0, |part| part.iter().filter(|token| token.root().is_some()).count());
            is_short = says < LEAST_WORDS;
        }
        parts
    }

    /// The places of the sentences that have most of a part's words, and of the claim's.
    fn closest(&self, part: &[&Token]) -> Vec<usize> {
        let content: Vec<&&Token> = part.iter().filter(|token| token.root().is_some()).collect();
        let score = |source: &Sentence| {
            let own = content.iter().filter(|token| source.has(token)).count();
            let all = self.claim.content().filter(|token| source.has(token)).count();
            (own, all)
        };
        let scores: Vec<(usize, usize)> = self.sources.iter().map(score).collect();
        let Some(best) = scores.iter().copied().max_by_key(|(own, all)| (3 * own + all, *own)) else {
            return Vec::new();
        };
        #[expect(clippy::cast_precision_loss, reason = "words of a sentence are few")]
        let is_close = best.0 as f64 >= LEAST_SHARE * content.len() as f64;
        let places = scores.iter().enumerate().filter(|(_, score)| **score == best && is_close && best.0 > 0);
        places.map(|(place, _)| place).collect()
    }
}

impl<'a> Pairing<'a> {
    pub(super) fn source(&self) -> &'a Sentence {
        &self.sources[self.place]
    }

    pub(super) fn content(&self) -> impl Iterator<Item = &&'a Token> {
        self.part.iter().filter(|token| token.root().is_some())
    }

    pub(super) fn has_cue(&self, cue: Cue) -> bool {
        self.part.iter().any(|token| token.is(cue))
    }

    /// The clauses of the source that the part has words of, the one with most of them first.
    pub(super) fn clauses(&self) -> Vec<(usize, usize)> {
        let source = self.source();
        let of_clause = |clause: usize| {
            let tokens = source.clause(clause);
            self.content().filter(|token| tokens.iter().any(|own| own.is_same(token))).count()
        };
        let mut clauses: Vec<(usize, usize)> = (0..source.clauses).map(|clause| (clause, of_clause(clause))).collect();
        clauses.retain(|(_, count)| *count > 0);
        clauses.sort_by_key(|(clause, count)| (std::cmp::Reverse(*count), *clause));
        clauses
    }
}
