//! A claim laid over its passages, stretch by stretch: where words were put in that the passages do not have.
//!
//! Who says something in other words puts them in the place of the passage's. Who adds something puts words where the
//! passage has none: in front of a sentence, behind it, or between two words that stand side by side.

use std::collections::HashMap;
use std::ops::Range;

use ibidem_language::sentences::sentences_of;

use super::additions::clauses;
use super::lexical::text::{Kind, Word, words_of};

/// Of a script without spaces, each sign is a word, and one alone is grammar.
const FEWEST_SIGNS: usize = 2;

/// A claim's words, each with its place in the passages, where it has one.
pub(super) struct Tiles<'a> {
    claim: &'a [Word],
    /// All words of the passages, and the clause that each stands in.
    passage: Vec<(Word, usize)>,
    /// The sentence of each clause.
    sentences: Vec<usize>,
    /// Whether each clause is a cell of a table's row, between which anything may stand that joins them.
    is_cell: Vec<bool>,
    in_passage: Vec<Option<usize>>,
    in_claim: Vec<Option<usize>>,
}

impl<'a> Tiles<'a> {
    /// The longest stretches in common first; no stretch goes on from one clause of a passage into the next.
    pub(super) fn of(claim: &'a [Word], passages: &str, says: &impl Fn(&Word) -> bool) -> Self {
        let mut passage = Vec::new();
        let mut is_cell = Vec::new();
        let mut sentences = Vec::new();
        for (place, sentence) in sentences_of(passages).into_iter().enumerate() {
            for clause in clauses(sentence) {
                sentences.push(place);
                passage.extend(words_of(clause).into_iter().map(|word| (word, is_cell.len())));
                is_cell.push(sentence.contains('|'));
            }
        }
        let in_claim = vec![None; passage.len()];
        let mut tiles = Self { claim, passage, sentences, is_cell, in_passage: vec![None; claim.len()], in_claim };
        let alike = tiles.alike();
        let shared = tiles.shared(&alike, says);
        while let Some((from, at, length)) = tiles.longest(&alike, &shared, says) {
            for step in 0..length {
                tiles.in_passage[from + step] = Some(at + step);
                tiles.in_claim[at + step] = Some(from + step);
            }
        }
        tiles
    }

    /// For each word of the claim, the places of the passages that have it in some form, in order.
    fn alike(&self) -> Vec<Vec<usize>> {
        let places = |word: &Word| {
            let alike = |(_, (other, _)): &(usize, &(Word, usize))| word.is_form_of(other);
            self.passage.iter().enumerate().filter(alike).map(|(place, _)| place).collect()
        };
        self.claim.iter().map(places).collect()
    }

    /// How many of the claim's words that say something each clause of the passages has.
    fn shared(&self, alike: &[Vec<usize>], says: &impl Fn(&Word) -> bool) -> Vec<usize> {
        let mut shared = vec![0; self.passage.last().map_or(0, |(_, clause)| clause + 1)];
        for (_, places) in self.claim.iter().zip(alike).filter(|(word, _)| says(word)) {
            let mut clauses: Vec<usize> = places.iter().map(|place| self.passage[*place].1).collect();
            clauses.dedup();
            clauses.into_iter().for_each(|clause| shared[clause] += 1);
        }
        shared
    }

    /// The longest stretch that is in both and in no tile yet, by its words that say something: where it begins in the
    /// claim and in the passages, and its length. Of several, the one in the clause that shares most.
    fn longest(
        &self,
        alike: &[Vec<usize>],
        shared: &[usize],
        says: &impl Fn(&Word) -> bool,
    ) -> Option<(usize, usize, usize)> {
        let mut best = ((0, 0, 0), (0, 0, 0));
        for (from, places) in alike.iter().enumerate().filter(|(from, _)| self.in_passage[*from].is_none()) {
            for at in places {
                let goes_on = |step: &usize| {
                    let (one, other) = (from + step, at + step);
                    one < self.claim.len()
                        && self.in_passage[one].is_none()
                        && self.passage.get(other).is_some_and(|(_, clause)| *clause == self.passage[*at].1)
                        && self.in_claim[other].is_none()
                        && alike[one].binary_search(&other).is_ok()
                };
                let length = (0..).take_while(goes_on).count();
                let stretch = &self.claim[from..from + length];
                let says = stretch.iter().filter(|word| says(word)).count();
                let is_grammar = stretch.iter().all(Word::is_sign) && length < FEWEST_SIGNS;
                let rank = (says, length, shared[self.passage[*at].1]);
                if says > 0 && !is_grammar && rank > best.0 {
                    best = (rank, (from, *at, length));
                }
            }
        }
        (best.0.0 > 0).then_some(best.1)
    }

    /// The first stretch of the claim that is in no tile, and has more words that are missing than the passages have left
    /// beside the tiles next to it. A verb may stand elsewhere than the one it is in the place of: where the passages have
    /// words left in that clause, that no other stretch is in the place of.
    pub(super) fn put_in(
        &self,
        is_missing: impl Fn(usize) -> bool,
        is_verb: impl Fn(usize) -> bool,
        says: &impl Fn(&Word) -> bool,
    ) -> Option<Range<usize>> {
        let mut taken: HashMap<usize, usize> = HashMap::new();
        let mut beyond: Vec<(Range<usize>, Range<usize>, usize)> = Vec::new();
        for stretch in self.untiled() {
            let missing = || stretch.clone().filter(|place| is_missing(*place));
            let Some((first, last)) = missing().next().zip(missing().last()) else { continue };
            let signs = missing().filter(|place| self.claim[*place].is_sign()).count();
            let words = missing().count() - signs;
            let count = words + if signs < FEWEST_SIGNS { 0 } else { signs };
            if count > self.room(&stretch, says) {
                beyond.push((stretch, first..last + 1, count));
                continue;
            }
            for clause in self.clauses_beside(&stretch) {
                *taken.entry(clause).or_default() += count;
            }
        }
        for (stretch, missing, count) in beyond {
            let left = |clause: &usize| self.left(*clause, says) >= taken.get(clause).unwrap_or(&0) + count;
            let clause = self.clauses_beside(&stretch).find(left).filter(|_| is_verb(missing.start));
            *taken
                .entry(match clause {
                    Some(clause) => clause,
                    None => return Some(missing),
                })
                .or_default() += count;
        }
        None
    }

    /// The first figure that stands among words of another sentence of the passages than its own. In a table figures stand
    /// by themselves.
    pub(super) fn figure_of_another(&self) -> Option<&Word> {
        let sentence = |place: usize| {
            let clause = self.passage[self.in_passage[place]?].1;
            (!self.is_cell[clause]).then(|| self.sentences[clause])
        };
        let is_another = |place: &usize| {
            let Some(own) = sentence(*place) else { return false };
            let before = self.claim[..*place].iter().enumerate().rev().find_map(|(before, _)| sentence(before));
            let behind = (place + 1..self.claim.len()).find_map(sentence);
            let mut beside = before.into_iter().chain(behind).peekable();
            beside.peek().is_some() && beside.all(|beside| beside != own)
        };
        let figures = (0..self.claim.len()).filter(|place| self.claim[*place].kind == Kind::Figure);
        figures.into_iter().find(is_another).map(|place| &self.claim[place])
    }

    /// The stretches of the claim that are in no tile.
    fn untiled(&self) -> Vec<Range<usize>> {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for place in (0..self.claim.len()).filter(|place| self.in_passage[*place].is_none()) {
            match stretches.last_mut() {
                Some(last) if last.end == place => last.end += 1,
                _ => stretches.push(place..place + 1),
            }
        }
        stretches
    }

    /// The clauses of the passages that the tiles before and behind a stretch are of.
    fn clauses_beside(&self, stretch: &Range<usize>) -> impl Iterator<Item = usize> {
        let before = stretch.start.checked_sub(1).and_then(|before| self.in_passage[before]);
        let behind = self.in_passage.get(stretch.end).copied().flatten();
        let clause = |place: usize| self.passage[place].1;
        let (before, behind) = (before.map(clause), behind.map(clause));
        before.into_iter().chain(behind.filter(|clause| Some(*clause) != before))
    }

    /// How many words of a clause that say something are in no tile, and not in the claim elsewhere.
    fn left(&self, clause: usize, says: &impl Fn(&Word) -> bool) -> usize {
        let places = (0..self.passage.len()).filter(|place| self.passage[*place].1 == clause);
        let is_left = |place: &usize| self.in_claim[*place].is_none() && says(&self.passage[*place].0);
        places.filter(is_left).filter(|place| !self.is_elsewhere(&self.passage[*place].0)).count()
    }

    /// Whether the claim has a word in none of its tiles.
    fn is_elsewhere(&self, word: &Word) -> bool {
        let loose = self.claim.iter().zip(&self.in_passage).filter(|(_, place)| place.is_none());
        loose.into_iter().any(|(loose, _)| loose.text == word.text)
    }

    /// How many words the passages have that are in no tile, right behind the tile before this stretch or right before
    /// the one behind it, or between the two where the claim has turned them. What the claim says elsewhere makes no room,
    /// and neither does grammar: a word that says something is in no place of a preposition's.
    fn room(&self, stretch: &Range<usize>, says: &impl Fn(&Word) -> bool) -> usize {
        let last = stretch.start.checked_sub(1).and_then(|before| self.in_passage[before]);
        let first = self.in_passage.get(stretch.end).copied().flatten();
        let behind = last.map_or(0, |last| self.free(last + 1..self.passage.len(), last, says));
        let before = first.map_or(0, |first| self.free((0..first).rev(), first, says));
        let between = last.zip(first).filter(|(last, first)| first < last).map_or(0, |(last, first)| {
            let ends = self.in_claim[first..].iter().take_while(|place| place.is_some()).count();
            self.free(first + ends..last, first, says)
        });
        let joins = last.zip(first).is_some_and(|(last, first)| {
            let (last, first) = (self.passage[last].1, self.passage[first].1);
            last != first && (self.is_cell[last] || self.is_cell[first])
        });
        behind.max(before).max(between).max(usize::from(joins))
    }

    /// How many of these words of the passages that say something are in no tile, up to the first that is in one or is of
    /// another clause.
    fn free(&self, places: impl Iterator<Item = usize>, of_clause: usize, says: &impl Fn(&Word) -> bool) -> usize {
        places
            .take_while(|place| self.in_claim[*place].is_none() && self.passage[*place].1 == self.passage[of_clause].1)
            .filter(|place| says(&self.passage[*place].0) && !self.is_elsewhere(&self.passage[*place].0))
            .count()
    }
}
