//! Whether a document is in force, as it says itself: in its front matter, under a heading `Status`, or in lines such as
//! `Status: draft` and `Valid until: 2026-12-31` at its beginning.

use chrono::NaiveDate;
use ibidem_language::validity::{self, Label, label, statement};
use ibidem_words::{Status, Validity};

use super::ReadDocument;

/// So many lines are its beginning.
const FIRST_LINES: usize = 40;
/// What is said of its status is short.
const LONGEST_STATEMENT: usize = 2_000;
/// No document replaces more.
pub(super) const MOST_ADDRESSES: usize = 20;

/// What it says under a label adds to what is known; what was said before counts.
pub(super) fn add_stated(label: Label, words: &str, validity: &mut Validity) {
    let found = statement(words);
    match label {
        Label::Status => {
            validity.status = validity.status.or(found.status.map(status));
            validity.replaced_by.extend(found.replaced_by);
            validity.replaces.extend(found.replaces);
            validity.amends.extend(found.amends);
        }
        Label::ReplacedBy => validity.replaced_by.extend(ibidem_language::addresses::addresses_in(words)),
        Label::Replaces => validity.replaces.extend(ibidem_language::addresses::addresses_in(words)),
        Label::Amends => validity.amends.extend(ibidem_language::addresses::addresses_in(words)),
        Label::ValidFrom => validity.valid_from = validity.valid_from.or_else(|| date(words)),
        Label::ValidTo => validity.valid_to = validity.valid_to.or_else(|| date(words)),
    }
    for addresses in [&mut validity.replaced_by, &mut validity.replaces, &mut validity.amends] {
        let mut seen = Vec::new();
        addresses.retain(|address| {
            !seen.contains(address) && {
                seen.push(address.clone());
                true
            }
        });
        addresses.truncate(MOST_ADDRESSES);
    }
}

fn status(stated: validity::Status) -> Status {
    match stated {
        validity::Status::InForce => Status::InForce,
        validity::Status::Superseded => Status::Superseded,
        validity::Status::Rejected => Status::Rejected,
        validity::Status::Deprecated => Status::Deprecated,
        validity::Status::Draft => Status::Draft,
        validity::Status::Expired => Status::Expired,
    }
}

/// With what the text says, after what the front matter said.
pub(super) fn with_text(document: &ReadDocument) -> Validity {
    let mut validity = document.stated.validity.clone();
    for line in document.text.lines().take(FIRST_LINES) {
        let line = line.trim_start_matches(['-', '*', ' ']);
        if let Some((name, words)) = line.split_once([':', '：'])
            && let Some(label) = label(name.trim_matches(['*', '_']))
        {
            add_stated(label, short(words.trim_matches(['*', '_', ' '])), &mut validity);
        }
    }
    let ends = document.sections.iter().skip(1).map(|section| section.at).chain([usize::MAX]);
    for (section, end) in document.sections.iter().zip(ends) {
        let Some(heading) = section.path.last().filter(|heading| label(heading) == Some(Label::Status)) else {
            continue;
        };
        let length = end.saturating_sub(section.at).min(LONGEST_STATEMENT);
        let words: String = document.text.chars().skip(section.at).take(length).collect();
        let words = words.trim_start();
        add_stated(Label::Status, words.strip_prefix(heading.as_str()).unwrap_or(words), &mut validity);
        break;
    }
    validity
}

fn short(words: &str) -> &str {
    &words[..words.floor_char_boundary(LONGEST_STATEMENT)]
}

fn date(words: &str) -> Option<NaiveDate> {
    let words = words.trim().trim_end_matches('.');
    let forms = ["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y"];
    let whole = forms.iter().find_map(|form| NaiveDate::parse_from_str(words, form).ok());
    let first = || NaiveDate::parse_from_str(words.get(..10)?, "%Y-%m-%d").ok();
    whole.or_else(first)
}

#[cfg(test)]
mod tests {
    use ibidem_ports::intake::Format;
    use ibidem_words::Status;

    use super::*;

    fn validity(markdown: &str) -> Validity {
        super::super::extract(markdown.as_bytes(), Format::Markdown).unwrap().stated.validity
    }

    #[test]
    fn a_document_says_its_standing_in_front_matter_under_a_heading_or_in_a_line() {
        let superseded = Validity {
            status: Some(Status::Superseded),
            replaced_by: vec!["ADR-0031".to_owned()],
            ..Validity::default()
        };
        for markdown in [
            "---\nstatus: superseded\nsuperseded_by: ADR-0031\n---\n# TLS\n\nText.",
            "---\nstatus: superseded\n---\n# TLS\n\n## Status\n\nSuperseded by ADR-0031 on 2023-03-21.\n\n## Context\n\nX.",
            "# TLS\n\nStatus: Superseded by ADR-0031\n\nText.",
            "# TLS\n\n**Status**: superseded\n\n**Superseded by:** ADR-0031\n\nText.",
            "# TLS\n\nStatus: abgelöst\n\nErsetzt durch: ADR-0031\n\nText.",
        ] {
            assert_eq!(validity(markdown), superseded, "{markdown}");
        }
        let replaces =
            validity("---\nstatus: accepted\nsupersedes: [ADR-3, ADR-4]\nvalid_until: 2026-12-31\n---\nText.");
        assert_eq!((replaces.status, replaces.replaces.join(" ")), (Some(Status::InForce), "ADR-3 ADR-4".to_owned()));
        let amends = validity(
            "# Version 16\n\n## Status\n\nAccepted in May. Amends ADR-0007, which named 13.\n\n## Context\n\nX.",
        );
        assert_eq!((amends.amends.join(" "), amends.replaces), ("ADR-0007".to_owned(), Vec::new()));
        assert_eq!(replaces.valid_to, NaiveDate::from_ymd_opt(2026, 12, 31));
        assert_eq!(
            validity("# Leave\n\nThe status of a claim: it is open.\n\n## Context\n\nRejected."),
            Validity::default()
        );
    }
}
