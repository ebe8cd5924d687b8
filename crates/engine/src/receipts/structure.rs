//! What only orders an answer: a heading or a label must be one of its source, or the asker's own words.

use std::collections::HashSet;

use ibidem_language::alphabet::plain;
use ibidem_language::markers::without_markers;
use ibidem_language::sentences::sentences_of;
use ibidem_words::Stretch;

use super::report::{Outcome, StretchReport};
use super::source::SourceState;

/// A rule or white space says nothing; a label without a source is the asker's own, or the vocabulary's, by the
/// signature's word.
pub(super) fn check(report: StretchReport, stretch: &Stretch, found: &[SourceState]) -> StretchReport {
    let label = without_markers(&stretch.text);
    if folded(&label).is_empty() {
        return StretchReport { why: "it says nothing".to_owned(), ..report };
    }
    match stretch.check.by.as_str() {
        "question" if found.is_empty() => StretchReport { why: "the question's own words".to_owned(), ..report },
        "structure" if found.is_empty() => StretchReport { why: "a name without a definition".to_owned(), ..report },
        "structure" if found.iter().any(|found| is_label_of(&label, found)) => report,
        _ => report.with(Outcome::Unsupported, "it is no heading or label of its source".to_owned()),
    }
}

/// Whether every cell of it is the title, a line, a cell, the label of a line or a lead-in of the document.
fn is_label_of(label: &str, found: &SourceState) -> bool {
    let lines = found.whole.lines();
    let cells = lines.clone().flat_map(|line| line.split('|'));
    let labels = lines.clone().filter_map(|line| line.split_once([':', '：'])).map(|(label, _)| label);
    let lead_ins = sentences_of(&found.whole).into_iter().filter(|sentence| sentence.ends_with([':', '：']));
    let phrases = lines.chain(cells).chain(labels).chain(lead_ins).chain([found.title.as_str()]);
    let known: HashSet<String> = phrases.map(folded).collect();
    let mut parts = label.split('|').map(folded).filter(|part| !part.is_empty());
    known.contains(&folded(label)) || parts.all(|part| known.contains(&part))
}

/// The words alone, in lower case: markup, numbering signs and punctuation are the writer's.
fn folded(text: &str) -> String {
    let text = plain(text);
    let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
