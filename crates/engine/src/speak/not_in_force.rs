//! What is said of cited documents that are not in force.

use std::collections::HashSet;

use chrono::NaiveDate;
use ibidem_words::Status;

use super::footnotes::Footnotes;
use crate::draft::CheckedSentence;
use crate::policy::ValidityWording;

/// The policy's words for each cited document that is not in force, once each, in the order in which they are cited.
pub(super) fn marks(
    wording: &ValidityWording,
    footnotes: &Footnotes<'_>,
    sentences: &[CheckedSentence],
    today: NaiveDate,
) -> Vec<CheckedSentence> {
    let mut seen = HashSet::new();
    let cited = sentences.iter().flat_map(|checked| &checked.sentence.citations);
    let passages = cited.filter_map(|number| footnotes.passage(*number));
    let marks = passages.filter(|passage| seen.insert(passage.passage.document)).filter_map(|passage| {
        let words = of_status(wording, passage.validity.on(today)).trim();
        if words.is_empty() {
            return None;
        }
        let name = passage.address.as_deref().unwrap_or(&passage.title);
        let by = passage.validity.replaced_by.join(", ");
        let replaced = if by.is_empty() { String::new() } else { format!(" {}", wording.replaced.trim()) };
        let text = format!("\n\n{words}{replaced}").replace("{by}", &by).replace("{document}", name);
        Some(CheckedSentence::policy(super::markup::sanitize(&text, &[])))
    });
    marks.collect()
}

fn of_status(wording: &ValidityWording, status: Status) -> &str {
    match status {
        Status::InForce => "",
        Status::Superseded => &wording.superseded,
        Status::Rejected => &wording.rejected,
        Status::Deprecated => &wording.deprecated,
        Status::Draft => &wording.draft,
        Status::Expired => &wording.expired,
        Status::NotYet => &wording.not_yet,
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate::Candidate;
    use ibidem_language::sentences::Sentence;
    use ibidem_testing::fakes::passage;
    use ibidem_words::Validity;

    use super::*;

    #[test]
    fn what_is_not_in_force_is_marked_once_and_names_what_replaced_it() {
        let document = |number: u128, validity: Validity| {
            let mut passage = passage(number, &"ADR".parse().unwrap(), "Text.");
            passage.address = Some(format!("ADR-{number}"));
            Candidate::unscored(ibidem_ports::catalogue::CataloguePassage { validity, ..passage })
        };
        let validity = |status, replaced_by: &[&str]| Validity {
            status: Some(status),
            replaced_by: replaced_by.iter().map(|&address| address.to_owned()).collect(),
            ..Validity::default()
        };
        let evidence = [
            document(3, validity(Status::Superseded, &["ADR-31"])),
            document(25, validity(Status::Rejected, &[])),
            document(7, validity(Status::InForce, &[])),
        ];
        let citing = |number: u32| CheckedSentence::verbatim(Sentence::claim("Text. ".to_owned(), vec![number]));
        let footnotes = Footnotes::mint(&evidence);
        let today = NaiveDate::default();
        let marks =
            marks(&ValidityWording::default(), &footnotes, &[citing(1), citing(3), citing(1), citing(2)], today);
        let text: Vec<&str> = marks.iter().map(|mark| mark.sentence.text.trim()).collect();
        assert_eq!(
            text,
            ["ADR-3 is superseded. It was replaced by ADR-31.", "ADR-25 is rejected: it was never in force."]
        );
    }
}
