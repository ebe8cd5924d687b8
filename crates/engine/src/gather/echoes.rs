//! A title or heading that repeats the question says nothing of the answer: where no reader has read the passages, such a
//! passage takes the place that its own sentences earn.

use crate::candidate::Candidate;
use ibidem_language::{PresentTerms, Terms};
use ibidem_ports::catalogue::CataloguePassage;

/// A title with fewer of the question's words is what the document is about, and repeats no question.
const FEWEST_TERMS: usize = 3;

/// Puts each passage whose title or heading has all words of the question, and whose own sentences have less than half of
/// them, behind those whose own sentences have more. What the asker named and what a curator chose stay where they are.
pub(super) fn echoes_behind(query: &str, candidates: &mut Vec<Candidate>) {
    let terms = Terms::of(query);
    if terms.len() < FEWEST_TERMS || candidates.iter().any(|candidate| candidate.rerank.is_some()) {
        return;
    }
    let earned: Vec<usize> = candidates.iter().map(|candidate| own_words(&terms, &candidate.passage)).collect();
    let places: Vec<(usize, bool)> = candidates
        .iter()
        .enumerate()
        .map(|(place, candidate)| {
            let is_chosen = candidate.addressed || candidate.curated.is_some();
            let is_echo = 2 * earned[place] < terms.len() && !is_chosen && repeats(&terms, &candidate.passage);
            let behind = earned.iter().rposition(|other| *other > earned[place]).filter(|behind| *behind > place);
            // What was moved comes after what stands where it was moved to.
            behind.filter(|_| is_echo).map_or((place, false), |behind| (behind, true))
        })
        .collect();
    if places.iter().any(|(_, is_moved)| *is_moved) {
        let mut placed: Vec<_> = places.into_iter().zip(std::mem::take(candidates)).collect();
        placed.sort_by_key(|(place, _)| *place);
        candidates.extend(placed.into_iter().map(|(_, candidate)| candidate));
    }
}

/// Whether the title, or one of the headings that the passage stands under, has all words of the question.
fn repeats(terms: &Terms, passage: &CataloguePassage) -> bool {
    let headings = passage.section.iter().flat_map(|section| section.split(" > "));
    std::iter::once(passage.title.as_str()).chain(headings).any(|line| count(terms, line) == terms.len())
}

/// How many words of the question stand in the passage's own lines: not in a heading, and not in a question.
fn own_words(terms: &Terms, passage: &CataloguePassage) -> usize {
    let is_heading = |line: &str| {
        let line = line.trim_matches(['#', ' ']);
        let headings = passage.section.iter().flat_map(|section| section.split(" > "));
        line.ends_with('?') || headings.chain([passage.title.as_str()]).any(|heading| heading.trim() == line)
    };
    let mut present = PresentTerms::default();
    for line in passage.text.lines().filter(|line| !is_heading(line)) {
        terms.mark(line, &mut present);
    }
    present.count()
}

fn count(terms: &Terms, text: &str) -> usize {
    let mut present = PresentTerms::default();
    terms.mark(text, &mut present);
    present.count()
}

#[cfg(test)]
mod tests {
    use ibidem_testing::fakes::passage;

    use super::*;

    const QUESTION: &str = "Which version of TLS do connections between services use?";
    const OFFICIAL: &str = "All connections between services use TLS 1.3. Older versions are switched off.";

    fn document(number: u128, title: &str, text: &str) -> Candidate {
        let mut passage = passage(number, &"ADR".parse().unwrap(), text);
        passage.title = title.to_owned();
        Candidate::unscored(passage)
    }

    fn ordered(question: &str, mut candidates: Vec<Candidate>) -> Vec<u128> {
        echoes_behind(question, &mut candidates);
        candidates.iter().map(|candidate| candidate.passage.passage.document.0.as_u128()).collect()
    }

    #[test]
    fn a_title_that_repeats_the_question_gets_the_place_that_its_text_earns() {
        let official = || document(3, "Encryption", OFFICIAL);
        let other = || document(5, "Offices", "The kitchen is on the second floor.");
        for text in ["Ask at the desk.", "Which version of TLS do connections between services use?\nAsk at the desk."]
        {
            let echo = || document(1, QUESTION, text);
            assert_eq!(ordered(QUESTION, vec![echo(), official(), other()]), [3, 1, 5], "{text}");
            assert_eq!(ordered(QUESTION, vec![echo(), other(), official()]), [5, 3, 1], "{text}");
            let mut under_heading = document(1, "Notes", text);
            under_heading.passage.section = Some(format!("Notes > {QUESTION}"));
            assert_eq!(ordered(QUESTION, vec![under_heading, official()]), [3, 1], "{text}");
        }
    }

    #[test]
    fn what_answers_under_a_title_that_is_the_question_keeps_its_place() {
        let official = || document(3, "Encryption", OFFICIAL);
        let answering = || document(1, QUESTION, "Connections of services use TLS 1.3.");
        assert_eq!(ordered(QUESTION, vec![answering(), official()]), [1, 3], "its text earns it");
        let echo = || document(1, QUESTION, "Ask at the desk.");
        assert_eq!(ordered(QUESTION, vec![echo(), document(5, "Offices", "The kitchen.")]), [1, 5], "none earns more");
        assert_eq!(ordered("What is TLS?", vec![document(1, "TLS", "Ask."), official()]), [1, 3], "what it is about");
        let read = Candidate { rerank: Some(0.9), ..echo() };
        assert_eq!(ordered(QUESTION, vec![read, official()]), [1, 3], "a reader has judged it");
        let named = Candidate { addressed: true, ..echo() };
        assert_eq!(ordered(QUESTION, vec![named, official()]), [1, 3], "it was asked for");
        let pinned = Candidate { curated: Some(0.9), ..echo() };
        assert_eq!(ordered(QUESTION, vec![pinned, official()]), [1, 3], "a curator chose it");
    }
}
