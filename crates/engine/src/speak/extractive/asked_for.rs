//! Which sentences of a note are meant, by the form of the question, beside the one that a reader points at.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::candidate::Candidate;
use ibidem_language::asking::{asks_for_things, asks_yes_or_no};
use ibidem_language::layout::{Begun, Line, Sort, ends_as_sentence, lines};
use ibidem_language::rows::{AskedRow, Naming};
use ibidem_language::sentences::sentence_places;
use ibidem_language::{same_word, significant_terms, telling_terms};

use super::super::quoting::quotation;
use super::{BETWEEN_CELLS, CandidateSentence, Quotation};

/// A comparison names at most so many rows.
const MOST_ROWS: usize = 4;
/// A list has at most so many items that are quoted.
const MOST_ITEMS: usize = 12;
/// A sentence has so many more of the question's words than the one that a reader points at: then it is what the question
/// is about.
const CLEARLY_MORE: usize = 2;

/// What the form of a question says of the sentences that answer it.
pub(super) struct AskedFor {
    rows: AskedRow,
    terms: BTreeSet<String>,
    /// Those of them that say something in the question's own language.
    telling: BTreeSet<String>,
    is_yes_or_no: bool,
    asks_for_things: bool,
}

impl AskedFor {
    pub(super) fn by(question: &str) -> Self {
        Self {
            rows: AskedRow::of(question),
            terms: significant_terms(question),
            telling: telling_terms(question),
            is_yes_or_no: asks_yes_or_no(question),
            asks_for_things: asks_for_things(question),
        }
    }

    /// The sentences of a note that are meant where a reader points at this one.
    pub(super) fn beside<'t>(
        &self,
        pick: Quotation<'t>,
        candidate: &Candidate,
        text: &'t str,
        found: &[CandidateSentence<'t>],
    ) -> Vec<Quotation<'t>> {
        let of_note: Vec<&CandidateSentence<'t>> = found.iter().filter(|found| found.number == pick.number).collect();
        let rows = self.rows_asked_for(&pick, &of_note);
        if !rows.is_empty() {
            return rows;
        }
        let list = if self.asks_for_things { whole_list(pick.place, text) } else { Vec::new() };
        if !list.is_empty() {
            let number = pick.number;
            return list.into_iter().map(|(place, sentence)| Quotation::whole(number, place, sentence)).collect();
        }
        let pick = if self.is_yes_or_no { self.sentence_about_it(pick, &of_note) } else { pick };
        let next = self.next_sentence(&pick, candidate, text, &of_note);
        [pick].into_iter().chain(next).collect()
    }

    /// The next sentence of the paragraph, where it speaks of something that is asked for and that the
    /// sentence which a reader points at does not speak of: "Full-time staff have 27 days. Part-time staff have …" A word of
    /// the title or of a heading is spoken of all along.
    fn next_sentence<'t>(
        &self,
        pick: &Quotation<'t>,
        candidate: &Candidate,
        text: &'t str,
        of_note: &[&CandidateSentence<'t>],
    ) -> Option<Quotation<'t>> {
        let above = candidate.passage.section.as_deref().unwrap_or_default();
        let quoted = quotation(&candidate.passage, text, pick.place)?;
        let spoken_of = [quoted.as_str(), above, &candidate.passage.title].map(significant_terms);
        let is_in = |term: &String, words: &BTreeSet<String>| words.iter().any(|word| same_word(word, term));
        let missing: Vec<&String> =
            self.telling.iter().filter(|term| !spoken_of.iter().any(|words| is_in(term, words))).collect();
        let places = sentence_places(text);
        let paragraph = |place: usize| places.get(place).map(|bytes| text[..bytes.start].matches(['\n']).count());
        let next = of_note.iter().find(|found| found.place == pick.place + 1);
        let speaks_of_it = |found: &&&CandidateSentence<'t>| {
            let words = significant_terms(found.sentence);
            paragraph(found.place) == paragraph(pick.place)
                && ends_as_sentence(found.sentence)
                && missing.iter().any(|term| is_in(term, &words))
        };
        let next = next.filter(speaks_of_it).filter(|_| pick.row.is_none() && ends_as_sentence(pick.sentence))?;
        Some(Quotation::whole(next.number, next.place, next.sentence))
    }

    /// Rows of one table look alike to a reader: where the question names another row of the note, by its label or by a
    /// figure that lies in its range, that one is meant; and where it names several by their labels, they are compared.
    /// None where the reader's own choice stands.
    fn rows_asked_for<'t>(&self, pick: &Quotation<'t>, of_note: &[&CandidateSentence<'t>]) -> Vec<Quotation<'t>> {
        let mut rows: Vec<(Naming, Quotation<'t>)> = Vec::new();
        for &&CandidateSentence { number, place, sentence, .. } in of_note {
            let lines = sentence.lines().map(str::trim).filter(|line| line.contains(BETWEEN_CELLS));
            rows.extend(lines.map(|row| {
                (self.rows.naming(row), Quotation { row: Some(row), ..Quotation::whole(number, place, sentence) })
            }));
        }
        rows.sort_by_key(|(naming, row)| (Reverse(*naming), row.place));
        let is_compared = |(naming, _): &&(Naming, Quotation<'t>)| naming.label > 0;
        if (2..=MOST_ROWS).contains(&rows.iter().filter(is_compared).count()) {
            return rows.into_iter().filter(|row| is_compared(&row)).map(|(_, row)| row).collect();
        }
        // A sentence that is no row was told: no row is meant.
        let is_picked = |(_, row): &&(Naming, Quotation<'t>)| row.place == pick.place;
        let Some(best_picked) = rows.iter().filter(is_picked).map(|(naming, _)| *naming).max() else {
            return Vec::new();
        };
        let mut best = rows.into_iter();
        match (best.next(), best.next()) {
            (Some((naming, row)), Some((next, _))) if naming > next => vec![row],
            // Several are named alike: where the told one is not among them, the first of them is meant.
            (Some((naming, row)), Some(_)) if naming > best_picked => vec![row],
            _ => Vec::new(),
        }
    }

    /// Whether something is so is said by the sentence that speaks of it: a reader looks for a thing that is asked for,
    /// and here there is none.
    fn sentence_about_it<'t>(&self, pick: Quotation<'t>, of_note: &[&CandidateSentence<'t>]) -> Quotation<'t> {
        let shared = |sentence: &str| {
            let words = significant_terms(sentence);
            self.terms.iter().filter(|term| words.iter().any(|word| same_word(word, term))).count()
        };
        let best = of_note.iter().max_by_key(|found| (shared(found.sentence), Reverse(found.place)));
        match best.filter(|best| shared(best.sentence) >= shared(pick.sentence) + CLEARLY_MORE) {
            Some(best) => Quotation::whole(best.number, best.place, best.sentence),
            None => pick,
        }
    }
}

/// All items of the list that has the sentence at this place; none where it is in no list, or in a long one.
fn whole_list(place: usize, text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<Line> = lines(text, Begun::default()).collect();
    let line_of = |at: usize| lines.partition_point(|line| line.bytes.end <= at);
    let is_item = |at: usize| lines.get(at).is_some_and(|line| matches!(line.sort, Sort::Item | Sort::Beneath));
    let places = sentence_places(text);
    let picked_line = places.get(place).map_or(lines.len(), |pick| line_of(pick.start));
    let first = (0..=picked_line).rev().take_while(|at| is_item(*at)).last();
    let last = (picked_line..lines.len()).take_while(|at| is_item(*at)).last();
    let Some((first, last)) = first.zip(last) else { return Vec::new() };
    let in_list = places.iter().enumerate().filter(|(_, bytes)| (first..=last).contains(&line_of(bytes.start)));
    let items: Vec<(usize, &str)> = in_list.map(|(place, bytes)| (place, &text[bytes.clone()])).collect();
    if items.len() <= MOST_ITEMS { items } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_quoted_whole_and_what_stands_around_it_is_not() {
        let text = "What to take\n\n- Keys with their tags.\n- The badge: keep it. It is yours.\n- Cards.\n\nThen go.";
        let list_with = |words: &str| {
            let place = sentence_places(text).iter().position(|bytes| text[bytes.clone()].contains(words)).unwrap();
            whole_list(place, text).into_iter().map(|(_, item)| item).collect::<Vec<_>>()
        };
        let list = list_with("badge");
        assert!(list[0].contains("Keys") && list.last().unwrap().contains("Cards"), "{list:?}");
        assert!(!list.iter().any(|item| item.contains("Then go")), "{list:?}");
        assert!(list_with("Then go").is_empty());
    }
}
