//! A passage's sentences as they are quoted: each with what it needs to say by itself what it means.
//!
//! Speaking and checking a receipt again both ask here, so that what was quoted can be found again.

use ibidem_language::quotations::{Above, Quotable};
use ibidem_language::sentences::sentence_places;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_words::LinesAbove;

use super::markup::sanitize;

/// Where ingestion parts the headings of a section's path.
const BETWEEN_HEADINGS: &str = " > ";

/// The sentence of a passage's text, as it is shown, at this place among its sentences.
pub(crate) fn quotation(passage: &CataloguePassage, text: &str, place: usize) -> Option<String> {
    let above = ShownAbove::of(&passage.above);
    let sentence = sentence_places(text).into_iter().nth(place)?;
    // A line only looks like a heading: which one is, the section says.
    let is_heading = |line: &str| {
        let mut path = passage.section.iter().flat_map(|section| section.split(BETWEEN_HEADINGS));
        path.any(|heading| !heading.is_empty() && line.starts_with(&sanitize(heading, &[])))
    };
    let quoted = Quotable::new(text, above.lines()).quotation(&sentence, is_heading);
    Some(sanitize(&quoted, &[passage.text.as_str()]))
}

/// A row of that sentence by itself, where it has several; of its columns one, or all.
pub(super) fn quotation_of_row(
    passage: &CataloguePassage,
    text: &str,
    place: usize,
    row: &str,
    column: Option<usize>,
) -> Option<String> {
    let above = ShownAbove::of(&passage.above);
    let sentence = sentence_places(text).into_iter().nth(place)?;
    let quotable = Quotable::new(text, above.lines());
    let rows = match column {
        Some(column) => quotable.rows_in_column(&sentence, column),
        None => quotable.rows_of(&sentence),
    };
    let (_, quoted) = rows.into_iter().find(|(written, _)| *written == row)?;
    Some(sanitize(&quoted, &[passage.text.as_str()]))
}

/// Whether these words are a quotation of a text that has these lines above it. Which of the lines that look like
/// headings are some is not known: any of them may have been quoted.
pub(crate) fn is_quotation(words: &str, source: &str, above: &LinesAbove, alike: impl Fn(&str) -> String) -> bool {
    let text = sanitize(source, &[source]);
    let above = ShownAbove::of(above);
    let quotable = Quotable::new(&text, above.lines());
    let words = alike(words);
    let headings: Vec<Option<&str>> = quotable.headings().map(Some).chain([None]).collect();
    sentence_places(&text).iter().any(|sentence| {
        let is_it = |heading: &Option<&str>| {
            let quoted = quotable.quotation(sentence, |line| Some(line) == *heading);
            alike(&sanitize(&quoted, &[source])) == words
        };
        let is_row = |(_, row): &(&str, String)| alike(&sanitize(row, &[source])) == words;
        let in_column = |column| quotable.rows_in_column(sentence, column).iter().any(is_row);
        headings.iter().any(is_it)
            || quotable.rows_of(sentence).iter().any(is_row)
            || (1..quotable.columns_of(sentence)).any(in_column)
    })
}

/// Lines above a passage as they may be shown.
struct ShownAbove {
    heading: Option<String>,
    lead_in: Option<String>,
    head: Option<String>,
}

impl ShownAbove {
    fn of(above: &LinesAbove) -> Self {
        let line = |line: &Option<ibidem_words::LineAbove>| line.as_ref().map(|line| sanitize(&line.text, &[]));
        Self { heading: line(&above.heading), lead_in: line(&above.lead_in), head: line(&above.head) }
    }

    fn lines(&self) -> Above<'_> {
        Above { heading: self.heading.as_deref(), lead_in: self.lead_in.as_deref(), head: self.head.as_deref() }
    }
}
