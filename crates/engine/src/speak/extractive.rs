//! Extractive answers: the sources' own sentences, each cited, and no model at all.

use super::footnotes::Footnotes;
use super::sentences::{Sentence, sentences_of};
use crate::sift::significant_terms;

/// The sentences that share most with the question, best evidence first among equals, in the order of the notes.
pub fn extract(query: &str, footnotes: &Footnotes<'_>, most: usize) -> Vec<Sentence> {
    let asked = significant_terms(query);
    let mut found: Vec<(usize, u32, usize, &str)> = Vec::new();
    let any_whole =
        footnotes.notes().any(|(_, candidate)| sentences_of(&candidate.passage.text).into_iter().any(is_whole));
    for (number, candidate) in footnotes.notes() {
        for (place, sentence) in sentences_of(&candidate.passage.text).into_iter().enumerate() {
            // A heading shares many words with the question, and says nothing.
            if any_whole && !is_whole(sentence) {
                continue;
            }
            let shared = significant_terms(sentence).intersection(&asked).count();
            found.push((shared, number, place, sentence));
        }
    }
    found.sort_by_key(|(shared, number, place, _)| (std::cmp::Reverse(*shared), *number, *place));
    // A sentence that shares nothing is worth saying only if no other is there.
    let any_shared = found.first().is_some_and(|(shared, ..)| *shared > 0);
    found.retain(|(shared, ..)| *shared > 0 || !any_shared);
    let mut seen = std::collections::HashSet::new();
    found.retain(|(.., sentence)| seen.insert(*sentence));
    found.truncate(if any_shared { most } else { 1 });
    found.sort_by_key(|(_, number, place, _)| (*number, *place));
    let sentences = found
        .into_iter()
        .map(|(_, number, _, sentence)| Sentence::claim(format!("{sentence}[{number}] "), vec![number]));
    sentences.collect()
}

/// Whether this ends as a sentence does: headings and cells of tables do not.
fn is_whole(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»']);
    end.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '…'])
}
