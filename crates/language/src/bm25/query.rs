//! A query's words, and how else each may be written in the passages that the asker may see.
//!
//! A word that no visible passage has may be a compound that they write in two words, a word without its umlaut, or a slip
//! of the hand. What it could be is made by rule from the tables of a language, and what it is, the counts of the scope
//! say: nothing is looked for that no visible passage has, and no document that the asker may not see says anything.

use std::collections::{BTreeMap, BTreeSet};

use super::{Analysis, TermCounts, TermId, TermWeights, in_attainable, rarity, unweighed, weighed};
use crate::tables::Spelling;

/// So many words that no passage has are looked for in another spelling, and so many of these as slips of the hand, of
/// which there are hundreds for each.
const MOST_RESPELLED: usize = 4;
const MOST_MISTYPED: usize = 2;
/// A shorter word is too like others to be taken for one of them.
const SHORTEST_MISTYPED: usize = 6;
/// Letters of a part of a compound, and of a whole one.
const SHORTEST_PART: usize = 4;
const LONGEST: usize = 40;
/// Words that stand so near each other may be the parts of one.
const NEAR: usize = 2;

/// What is looked for. First its own terms are counted ([`Query::terms`]), then those of other spellings
/// ([`Query::respelled`]).
#[derive(Clone, Debug)]
pub struct Query {
    words: Vec<Word>,
    /// Of two words that the passages may join.
    joined: BTreeSet<TermId>,
    analyses: Vec<Analysis>,
    spellings: Vec<&'static Spelling>,
}

#[derive(Clone, Debug)]
struct Word {
    written: String,
    /// One for each language that the passages may be of.
    terms: BTreeSet<TermId>,
    other: Option<Other>,
}

/// Other spellings of a word, by what makes them likely: the first that the passages have counts.
#[derive(Clone, Debug, Default)]
struct Other {
    same_sound: Vec<BTreeSet<TermId>>,
    /// By where a part begins and where the next one does.
    parts: BTreeMap<(usize, usize), Vec<BTreeSet<TermId>>>,
    mistyped: Vec<BTreeSet<TermId>>,
}

impl Query {
    pub(super) fn of<'a>(
        words: impl Iterator<Item = &'a str>,
        analyses: Vec<Analysis>,
        mut spellings: Vec<&'static Spelling>,
    ) -> Self {
        spellings.dedup_by(|one, other| std::ptr::eq(*one, *other));
        let mut query = Self { words: Vec::new(), joined: BTreeSet::new(), analyses, spellings };
        let mut seen = BTreeSet::new();
        let terms = query.term();
        for written in words {
            let terms = terms(written);
            if seen.insert(terms.clone()) {
                query.words.push(Word { written: written.to_owned(), terms, other: None });
            }
        }
        query.joined = query.compounds();
        query
    }

    /// The terms of a word by each analysis.
    fn term(&self) -> impl Fn(&str) -> BTreeSet<TermId> + use<> {
        let each: Vec<_> = self.analyses.iter().map(Analysis::term_of_word).collect();
        move |word| each.iter().map(|term| term(word)).collect()
    }

    /// What is to be counted first.
    pub fn terms(&self) -> impl Iterator<Item = TermId> {
        self.words.iter().flat_map(|word| &word.terms).chain(&self.joined).copied()
    }

    /// What is to be counted then: other spellings of the words that no passage has.
    pub fn respelled(&mut self, counts: &TermCounts) -> BTreeSet<TermId> {
        let term = self.term();
        let mut all = BTreeSet::new();
        let is_unknown =
            |word: &&mut Word| is_word(&word.written) && !word.terms.iter().any(|term| count(counts, *term) > 0);
        let mut may_be_mistyped = MOST_MISTYPED;
        for word in self.words.iter_mut().filter(is_unknown).take(MOST_RESPELLED) {
            let is_long = may_be_mistyped > 0 && letters(&word.written) >= SHORTEST_MISTYPED;
            may_be_mistyped -= usize::from(is_long);
            let other = Other::of(&word.written, &self.spellings, is_long, &term);
            all.extend(other.terms());
            word.other = Some(other);
        }
        all
    }

    /// The query's half, by how rare each term is in the scope. A term that no visible passage has is left out.
    pub fn weighed(&self, counts: &TermCounts) -> TermWeights {
        let mut terms = self.joined.clone();
        for word in &self.words {
            terms.extend(&word.terms);
            terms.extend(word.respelled(counts).into_iter().flatten());
        }
        weighed(&terms, counts)
    }

    /// The query's half where nothing is known about the scope.
    pub fn unweighed(&self) -> TermWeights {
        unweighed(&self.words.iter().flat_map(|word| &word.terms).copied().collect())
    }

    /// No passage scores more than this for the words as they are written, or as the passages write them; one that has
    /// two words apart and joined may. A word that none has counts as the rarest there is, so that a query in another
    /// language than the passages' attains little.
    #[expect(clippy::cast_precision_loss, reason = "a query has few words")]
    pub fn attainable(&self, counts: Option<&TermCounts>) -> f32 {
        let Some(counts) = counts else { return in_attainable(self.words.len() as f32) };
        let of_word = |word: &Word| {
            let known = word.terms.iter().map(|term| count(counts, *term)).filter(|count| *count > 0).min();
            match (known, word.respelled(counts)) {
                (None, parts) if !parts.is_empty() => {
                    let rarest = |part: &BTreeSet<TermId>| {
                        let counted = part.iter().map(|term| count(counts, *term)).filter(|count| *count > 0).min();
                        rarity(counts.passages, counted.unwrap_or(0))
                    };
                    parts.iter().map(rarest).sum()
                }
                (known, _) => rarity(counts.passages, known.unwrap_or(0)),
            }
        };
        in_attainable(self.words.iter().map(of_word).sum())
    }

    /// "Erstattung der Fahrtkosten" may stand in the passages as one word.
    fn compounds(&self) -> BTreeSet<TermId> {
        let linking = linking(&self.spellings);
        let term = self.term();
        let mut joined = BTreeSet::new();
        for (place, one) in self.words.iter().enumerate() {
            for other in self.words.iter().skip(place + 1).take(NEAR) {
                for (first, last) in [(one, other), (other, one)] {
                    let can_join = |word: &Word| is_word(&word.written) && letters(&word.written) >= SHORTEST_PART;
                    if linking.is_empty() || !can_join(first) || !can_join(last) {
                        continue;
                    }
                    for beginning in linked(&first.written, &linking) {
                        joined.extend(term(&format!("{beginning}{}", last.written)));
                    }
                }
            }
        }
        joined
    }
}

impl Word {
    /// The terms by which the passages have it in another spelling, part by part. None where they have it as it is.
    fn respelled(&self, counts: &TermCounts) -> Vec<BTreeSet<TermId>> {
        let Some(other) = &self.other else { return Vec::new() };
        let commonest = |spelled: &[BTreeSet<TermId>]| {
            // The first of equals.
            let known = spelled.iter().rev().filter(|terms| most(counts, terms) > 0);
            known.max_by_key(|terms| most(counts, terms)).cloned()
        };
        let same_sound = commonest(&other.same_sound).map(|terms| vec![terms]);
        let apart = || other.apart(counts, letters(&self.written));
        let mistyped = || commonest(&other.mistyped).map(|terms| vec![terms]);
        same_sound.or_else(apart).or_else(mistyped).unwrap_or_default()
    }
}

impl Other {
    fn of(
        word: &str,
        spellings: &[&Spelling],
        may_be_mistyped: bool,
        term: &impl Fn(&str) -> BTreeSet<TermId>,
    ) -> Self {
        let signs: Vec<char> = word.chars().collect();
        if signs.len() > LONGEST {
            return Self::default();
        }
        let same_sound = same_sound(word, spellings).iter().map(|word| term(word)).collect();
        let linking = linking(spellings);
        let mut parts = BTreeMap::new();
        if !linking.is_empty() {
            for from in 0..signs.len() {
                let begins = from == 0 || from >= SHORTEST_PART;
                for to in (from + SHORTEST_PART..=signs.len()).filter(|to| begins && signs.len() - to != 1) {
                    let written: String = signs[from..to].iter().collect();
                    let is_last = to == signs.len();
                    if (is_last && from == 0) || (!is_last && signs.len() - to < SHORTEST_PART) {
                        continue;
                    }
                    let forms = if is_last { vec![written] } else { unlinked(&written, &linking) };
                    parts.insert((from, to), forms.iter().map(|form| term(form)).collect());
                }
            }
        }
        let mistyped = if may_be_mistyped { mistyped(&signs, spellings) } else { Vec::new() };
        Self { same_sound, parts, mistyped: mistyped.iter().map(|word| term(word)).collect() }
    }

    fn terms(&self) -> impl Iterator<Item = TermId> {
        let lists = [&self.same_sound, &self.mistyped].into_iter().chain(self.parts.values());
        lists.flatten().flatten().copied()
    }

    /// The parts of a compound, if the passages have each of them: as few as possible, then the commonest.
    fn apart(&self, counts: &TermCounts, length: usize) -> Option<Vec<BTreeSet<TermId>>> {
        let part = |from: usize, to: usize| {
            let forms = self.parts.get(&(from, to))?.iter().rev();
            let best = forms.max_by_key(|terms| most(counts, terms))?;
            (most(counts, best) > 0).then_some(best)
        };
        let two = (1..length).filter_map(|cut| Some(vec![part(0, cut)?, part(cut, length)?]));
        let three = (1..length).flat_map(|first| {
            let ends = (first + 1..length).filter_map(move |second| Some((second, part(first, second)?)));
            ends.filter_map(move |(second, middle)| Some(vec![part(0, first)?, middle, part(second, length)?]))
        });
        // The mean of their logarithms is that of the counts.
        let commonness =
            |parts: &Vec<&BTreeSet<TermId>>| parts.iter().map(|terms| most(counts, terms).ilog2()).sum::<u32>();
        let best = two.max_by_key(commonness).or_else(|| three.max_by_key(commonness))?;
        Some(best.into_iter().cloned().collect())
    }
}

fn count(counts: &TermCounts, term: TermId) -> u64 {
    counts.with_term.get(&term).copied().unwrap_or(0)
}

fn most(counts: &TermCounts, terms: &BTreeSet<TermId>) -> u64 {
    terms.iter().map(|term| count(counts, *term)).max().unwrap_or(0)
}

fn is_word(written: &str) -> bool {
    written.chars().all(char::is_alphabetic)
}

fn letters(written: &str) -> usize {
    written.chars().count()
}

fn linking(spellings: &[&Spelling]) -> BTreeSet<&'static str> {
    spellings.iter().flat_map(|spelling| spelling.linking).copied().collect()
}

/// A first part as it may stand before the last one: with another ending than it has by itself.
fn linked(first: &str, linking: &BTreeSet<&str>) -> BTreeSet<String> {
    let bare = unlinked(first, linking);
    bare.iter().flat_map(|bare| linking.iter().map(move |link| format!("{bare}{link}"))).collect()
}

/// A first part as it is, and without what may link it to the next.
fn unlinked(part: &str, linking: &BTreeSet<&str>) -> Vec<String> {
    let bare = linking.iter().filter_map(|link| part.strip_suffix(link));
    let mut bare: Vec<String> = bare.filter(|bare| letters(bare) >= SHORTEST_PART).map(str::to_owned).collect();
    bare.sort_unstable_by_key(|bare| std::cmp::Reverse(bare.len()));
    bare.dedup();
    bare
}

/// With a letter for what is typed in its place, or the other way round: once, or wherever it can be.
fn same_sound(word: &str, spellings: &[&Spelling]) -> BTreeSet<String> {
    let mut others = BTreeSet::new();
    for (typed, letter) in spellings.iter().flat_map(|spelling| spelling.written_for) {
        for (from, to) in [(typed, letter), (letter, typed)] {
            for (place, _) in word.match_indices(from) {
                others.insert(format!("{}{to}{}", &word[..place], &word[place + from.len()..]));
            }
            others.insert(word.replace(from, to));
        }
    }
    // Each letter by its own: "Ruecksendegebuehr" of "Rücksendegebühr" is one pair, "Ubergrosse" of "Übergröße" is three.
    let longer = |(typed, _): &&&(&str, &str)| letters(typed) > 1;
    let whole = spellings.iter().flat_map(|spelling| spelling.written_for);
    let folded = whole
        .clone()
        .filter(|pair| longer(&pair))
        .fold(word.to_owned(), |word, (typed, letter)| word.replace(typed, letter));
    let spelled_out =
        whole.filter(|pair| longer(&pair)).fold(word.to_owned(), |word, (typed, letter)| word.replace(letter, typed));
    others.extend([folded, spelled_out]);
    others.remove(word);
    others
}

/// One letter too many, too few, another one, or two in the wrong order. The first letter is as it is.
fn mistyped(signs: &[char], spellings: &[&Spelling]) -> Vec<String> {
    let letters: BTreeSet<char> =
        ('a'..='z').chain(spellings.iter().flat_map(|spelling| spelling.letters.chars())).collect();
    let mut others = Vec::new();
    let mut add = |before: &[char], between: &[char], after: &[char]| {
        others.push(before.iter().chain(between).chain(after).collect::<String>());
    };
    for place in 1..signs.len() {
        let (before, after) = signs.split_at(place);
        if let [one, other, rest @ ..] = after {
            add(before, &[*other, *one], rest);
        }
        add(before, &[], &after[1..]);
    }
    for place in 1..=signs.len() {
        let (before, after) = signs.split_at(place);
        for letter in &letters {
            add(before, &[*letter], after);
            if !after.is_empty() {
                add(before, &[*letter], &after[1..]);
            }
        }
    }
    others
}

#[cfg(test)]
mod tests;
