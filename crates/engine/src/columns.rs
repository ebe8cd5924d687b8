//! Tables that spell out what a sentence only names: "the daily allowance covers meals" says no figure, and a table of the
//! same document has a column of that name.

use crate::candidate::Candidate;
use ibidem_language::asking::asks_for_figure;
use ibidem_language::rows::{column_named_by, rows_of};
use ibidem_language::sentences::sentence_places;

/// The place among the candidates of the table in which the figure stands that is asked for and that a sentence of a
/// candidate names and does not say. The first one that has it.
pub(crate) fn spelled_out(
    question: &str,
    reader_pick: &Candidate,
    sentence: &str,
    candidates: &[&Candidate],
) -> Option<usize> {
    if !asks_for_figure(question) {
        return None;
    }
    let above = reader_pick.passage.section.as_deref().unwrap_or_default();
    candidates.iter().position(|candidate| {
        let (passage, own) = (&candidate.passage, &reader_pick.passage.passage);
        let head = passage.above.head.as_ref().map(|head| head.text.as_str());
        let is_of_document = passage.passage.document == own.document && passage.passage.version == own.version;
        is_of_document
            && rows_of(&passage.text, head).iter().any(|row| column_named_by(row.head(), sentence, above).is_some())
    })
}

/// Puts the likeliest to answer and the table that spells it out before all others, so that no limit parts the two.
pub(crate) fn tables_first(question: &str, candidates: &mut Vec<Candidate>) {
    let likeliest = candidates.iter().enumerate().filter(|(_, candidate)| candidate.is_likely_to_answer());
    let likely = |candidate: &Candidate| candidate.answering().unwrap_or(0.0);
    let likeliest = likeliest.reduce(|best, other| if likely(other.1) > likely(best.1) { other } else { best });
    let Some((first, reader_pick)) = likeliest else { return };
    // Where the answer stands above the text, the heading names it.
    let sentence = picked_sentence(reader_pick).unwrap_or_default();
    let all: Vec<&Candidate> = candidates.iter().collect();
    let Some(table) = spelled_out(question, reader_pick, sentence, &all) else { return };
    if table == first {
        return;
    }
    let (reader_pick, table) = (candidates[first].clone(), candidates[table].clone());
    let is_moved = |candidate: &Candidate| {
        [&reader_pick, &table].iter().any(|moved| moved.passage.passage == candidate.passage.passage)
    };
    candidates.retain(|candidate| !is_moved(candidate));
    candidates.splice(0..0, [reader_pick, table]);
}

/// The sentence in which a reader found the answer.
fn picked_sentence(candidate: &Candidate) -> Option<&str> {
    let text = candidate.passage.text.as_str();
    let start = usize::try_from(candidate.answer?.start).ok()?;
    let at = text.char_indices().nth(start).map(|(at, _)| at)?;
    sentence_places(text).into_iter().find(|bytes| bytes.contains(&at)).map(|bytes| &text[bytes])
}

#[cfg(test)]
mod tests {
    use ibidem_ports::catalogue::CataloguePassage;
    use ibidem_testing::fakes::passage;
    use ibidem_words::CharSpan;

    use super::*;

    const QUESTION: &str = "What is the limit for lunch?";
    const TOLD: &str = "The lunch allowance covers drinks.";
    const TABLE: &str = "Town | Hotel limit (EUR) | Lunch allowance (EUR)\nOslo | 90 | 18\nBergen | 80 | 15";

    fn of_document(document: u128, chunk_index: u32, text: &str, likely: f32) -> Candidate {
        let mut passage: CataloguePassage = passage(document, &"Book".parse().unwrap(), text);
        passage.passage.chunk_index = chunk_index;
        let answer = Some(CharSpan { start: 0, end: 5 });
        Candidate { rerank: Some(likely), answer, ..Candidate::unscored(passage) }
    }

    fn order(question: &str, candidates: &[Candidate]) -> Vec<u32> {
        let mut candidates = candidates.to_vec();
        tables_first(question, &mut candidates);
        candidates.iter().map(|candidate| candidate.passage.passage.chunk_index).collect()
    }

    #[test]
    fn the_table_with_the_column_that_is_named_stands_behind_what_names_it() {
        let candidates = [
            of_document(1, 0, "Lunch with guests is EUR 45.", 0.6),
            of_document(1, 1, TOLD, 0.9),
            of_document(1, 2, "Lunch is at noon.", 0.2),
            of_document(1, 3, TABLE, 0.1),
        ];
        assert_eq!(order(QUESTION, &candidates), [1, 3, 0, 2]);
        assert_eq!(order("Who has lunch?", &candidates), [0, 1, 2, 3], "no figure is asked for");
        let mut elsewhere = candidates.to_vec();
        elsewhere[3] = of_document(2, 3, TABLE, 0.1);
        assert_eq!(order(QUESTION, &elsewhere), [0, 1, 2, 3], "of another document");
        let mut with_figure = candidates.to_vec();
        with_figure[1] = of_document(1, 1, "The lunch allowance is EUR 18.", 0.9);
        assert_eq!(order(QUESTION, &with_figure), [0, 1, 2, 3], "the figure is said");
        let mut headed = candidates.to_vec();
        headed[1].answer = None;
        headed[1].passage.section = Some("5 Lunch and its allowance".to_owned());
        assert_eq!(order(QUESTION, &headed), [1, 3, 0, 2], "its heading names it");
        let doubtful = candidates.map(|candidate| Candidate { rerank: Some(0.3), ..candidate });
        assert_eq!(order(QUESTION, &doubtful), [0, 1, 2, 3], "nothing answers");
    }
}
