//! The sentences of the passages, and which of them a claim is about.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::antonyms::denied_by_prefix;
use super::clauses::parse;
use super::sources::Sources;
use super::statements::{Statement, is_content, root};
use super::tokens::{Kind, Token};

/// Sentences of the passages that are nearly as close as the closest are all asked.
const NEARLY: f64 = 0.85;
/// Less of a claim than this in common with a passage's sentence, and they speak of different things.
const LEAST_IN_COMMON: f64 = 0.4;

/// The sentences of all passages, by the roots of their words.
pub(super) struct Windows<'s, 'a> {
    sources: &'s Sources<'a>,
    each: Vec<(usize, Range<usize>)>,
    by_root: HashMap<String, Vec<usize>>,
}

impl<'s, 'a> Windows<'s, 'a> {
    /// Only the wanted roots are looked for.
    pub(super) fn of(sources: &'s Sources<'a>, wanted: &HashSet<String>) -> Self {
        let mut windows = Self { sources, each: Vec::new(), by_root: HashMap::new() };
        let mut roots: HashMap<&str, Vec<String>> = HashMap::new();
        for (passage, source) in sources.each.iter().enumerate() {
            for range in sentences(&source.tokens) {
                let window = windows.each.len();
                for token in &source.tokens[range.clone()] {
                    // Most words come again and again.
                    let roots_of = |token: &Token<'_>| {
                        let denied = denied_by_prefix(&token.folded).map(|rest| root(rest).0);
                        let own = is_content(token).then(|| root(&token.folded).0);
                        let found = [own, denied].into_iter().flatten();
                        found.filter(|root| wanted.contains(root)).collect::<Vec<String>>()
                    };
                    let of_word = roots.entry(token.folded.as_ref()).or_insert_with(|| roots_of(token));
                    for root in of_word.iter() {
                        match windows.by_root.get_mut(root.as_str()) {
                            Some(found) if found.last() == Some(&window) => {}
                            Some(found) => found.push(window),
                            None => drop(windows.by_root.insert(root.clone(), vec![window])),
                        }
                    }
                }
                windows.each.push((passage, range));
            }
        }
        windows
    }

    /// The sentences that come closest to a clause with these roots, of a sentence with those; none when none is close.
    pub(super) fn closest(&self, clause: &HashSet<&str>, sentence: &HashSet<&str>) -> Vec<usize> {
        let mut in_common: HashMap<usize, (u32, u32)> = HashMap::new();
        for root in sentence {
            for window in self.by_root.get(*root).into_iter().flatten() {
                let (of_clause, of_sentence) = in_common.entry(*window).or_default();
                *of_clause += u32::from(clause.contains(root));
                *of_sentence += 1;
            }
        }
        let score = |(of_clause, of_sentence): (u32, u32)| f64::from(2 * of_clause + of_sentence);
        let most = in_common.values().map(|common| score(*common)).fold(0.0, f64::max);
        let enough = |(of_clause, of_sentence): (u32, u32)| {
            let clause_share = f64::from(of_clause) / clause.len().max(1) as f64;
            let sentence_share = f64::from(of_sentence) / sentence.len().max(1) as f64;
            of_clause >= 1
                && (of_sentence >= 2 || sentence.len() < 2)
                && clause_share.max(sentence_share) >= LEAST_IN_COMMON
        };
        let close = in_common.into_iter().filter(|(_, common)| score(*common) >= NEARLY * most && enough(*common));
        let mut close: Vec<usize> = close.map(|(window, _)| window).collect();
        close.sort_unstable();
        close
    }

    /// How many of these roots each sentence has, of those that have any.
    pub(super) fn in_common<'r>(&self, roots: impl Iterator<Item = &'r str>) -> HashMap<usize, usize> {
        let mut in_common = HashMap::new();
        for root in roots {
            for window in self.by_root.get(root).into_iter().flatten() {
                *in_common.entry(*window).or_default() += 1;
            }
        }
        in_common
    }

    /// The sentence in which this token of a passage stands.
    pub(super) fn at(&self, passage: usize, token: usize) -> Option<usize> {
        let after = self.each.partition_point(|(of, range)| (*of, range.start) <= (passage, token));
        after.checked_sub(1)
    }

    /// Whether figures stand in a sentence.
    pub(super) fn has_figures(&self, window: usize) -> bool {
        let Some((passage, range)) = self.each.get(window) else { return false };
        let figures = self.sources.each.get(*passage).map_or(&[][..], |source| &source.figures);
        figures.iter().any(|figure| range.contains(&figure.from))
    }

    pub(super) fn statement(&self, window: usize) -> Statement {
        let Some((passage, range)) = self.each.get(window).cloned() else { return Statement::default() };
        self.sources.each.get(passage).map(|source| parse(&source.tokens[range])).unwrap_or_default()
    }
}

/// Where the sentences of a text begin and end, in tokens.
pub(super) fn sentences(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for place in 0..tokens.len() {
        let begins = tokens.get(place + 1).is_none_or(|next| is_beginning(next));
        let token = &tokens[place];
        let ends = match token.kind {
            Kind::Sign => matches!(token.text, "." | "!" | "?") && begins,
            Kind::Break => begins,
            _ => place + 1 == tokens.len(),
        };
        if ends {
            found.push(from..place + 1);
            from = place + 1;
        }
    }
    if from < tokens.len() {
        found.push(from..tokens.len());
    }
    found
}

/// A line that goes on in lower case is the same sentence, and so is what follows `e.g.`.
fn is_beginning(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Word => !token.glued && token.is_capitalised(),
        Kind::Sign => !token.glued,
        _ => !token.glued,
    }
}
