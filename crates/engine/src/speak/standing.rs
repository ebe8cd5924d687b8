//! What is said of cited documents that are not in force.

use std::collections::HashSet;

use chrono::NaiveDate;
use ibidem_words::Status;

use super::footnotes::Footnotes;
use crate::draft::Said;
use crate::policy::StandingWording;

/// The policy's words for each cited document that is not in force, once each, in the order in which they are cited.
pub(super) fn marks(
    wording: &StandingWording,
    footnotes: &Footnotes<'_>,
    said: &[Said],
    today: NaiveDate,
) -> Vec<Said> {
    let mut seen = HashSet::new();
    let cited = said.iter().flat_map(|said| &said.sentence.citations);
    let passages = cited.filter_map(|number| footnotes.passage(*number));
    let marks = passages.filter(|passage| seen.insert(passage.passage.document)).filter_map(|passage| {
        let words = of_status(wording, passage.standing.on(today)).trim();
        if words.is_empty() {
            return None;
        }
        let name = passage.address.as_deref().unwrap_or(&passage.title);
        let by = passage.standing.replaced_by.join(", ");
        let replaced = if by.is_empty() { String::new() } else { format!(" {}", wording.replaced.trim()) };
        let text = format!("\n\n{words}{replaced}").replace("{by}", &by).replace("{document}", name);
        Some(Said::policy(super::markup::shown(&text, &[])))
    });
    marks.collect()
}

fn of_status(wording: &StandingWording, status: Status) -> &str {
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
    use ibidem_words::Standing;

    use super::*;

    #[test]
    fn what_is_not_in_force_is_marked_once_and_names_what_replaced_it() {
        let document = |number: u128, standing: Standing| {
            let mut passage = passage(number, &"ADR".parse().unwrap(), "Text.");
            passage.address = Some(format!("ADR-{number}"));
            Candidate::unscored(ibidem_ports::catalogue::CataloguePassage { standing, ..passage })
        };
        let standing = |status, replaced_by: &[&str]| Standing {
            status: Some(status),
            replaced_by: replaced_by.iter().map(|&address| address.to_owned()).collect(),
            ..Standing::default()
        };
        let evidence = [
            document(3, standing(Status::Superseded, &["ADR-31"])),
            document(25, standing(Status::Rejected, &[])),
            document(7, standing(Status::InForce, &[])),
        ];
        let said = |number: u32| Said::verbatim(Sentence::claim("Text. ".to_owned(), vec![number]));
        let footnotes = Footnotes::mint(&evidence);
        let today = NaiveDate::default();
        let marks = marks(&StandingWording::default(), &footnotes, &[said(1), said(3), said(1), said(2)], today);
        let text: Vec<&str> = marks.iter().map(|mark| mark.sentence.text.trim()).collect();
        assert_eq!(
            text,
            ["ADR-3 is superseded. It was replaced by ADR-31.", "ADR-25 is rejected: it was never in force."]
        );
    }
}
