//! Whether a document is in force, as it says itself: in its front matter, under a heading `Status`, or in lines such as
//! `Status: draft` and `Valid until: 2026-12-31` at its beginning.

use chrono::NaiveDate;
use ibidem_language::standing::{self, Label, label, statement};
use ibidem_words::{Standing, Status};

use super::ReadDocument;

/// So many lines are its beginning.
const FIRST_LINES: usize = 40;
/// What is said of its status is short.
const LONGEST_STATEMENT: usize = 2_000;
/// No document replaces more.
pub(super) const MOST_ADDRESSES: usize = 20;

/// What it says under a label adds to what is known; what was said before counts.
pub(super) fn said_under(label: Label, words: &str, standing: &mut Standing) {
    let said = statement(words);
    match label {
        Label::Status => {
            standing.status = standing.status.or(said.status.map(status));
            standing.replaced_by.extend(said.replaced_by);
            standing.replaces.extend(said.replaces);
            standing.amends.extend(said.amends);
        }
        Label::ReplacedBy => standing.replaced_by.extend(ibidem_language::addresses::addresses_in(words)),
        Label::Replaces => standing.replaces.extend(ibidem_language::addresses::addresses_in(words)),
        Label::Amends => standing.amends.extend(ibidem_language::addresses::addresses_in(words)),
        Label::ValidFrom => standing.valid_from = standing.valid_from.or_else(|| date(words)),
        Label::ValidTo => standing.valid_to = standing.valid_to.or_else(|| date(words)),
    }
    for addresses in [&mut standing.replaced_by, &mut standing.replaces, &mut standing.amends] {
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

fn status(said: standing::Status) -> Status {
    match said {
        standing::Status::InForce => Status::InForce,
        standing::Status::Superseded => Status::Superseded,
        standing::Status::Rejected => Status::Rejected,
        standing::Status::Deprecated => Status::Deprecated,
        standing::Status::Draft => Status::Draft,
        standing::Status::Expired => Status::Expired,
    }
}

/// With what the text says, after what the front matter said.
pub(super) fn with_text(document: &ReadDocument) -> Standing {
    let mut standing = document.stated.standing.clone();
    for line in document.text.lines().take(FIRST_LINES) {
        let line = line.trim_start_matches(['-', '*', ' ']);
        if let Some((name, words)) = line.split_once([':', '：'])
            && let Some(label) = label(name.trim_matches(['*', '_']))
        {
            said_under(label, short(words.trim_matches(['*', '_', ' '])), &mut standing);
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
        said_under(Label::Status, words.strip_prefix(heading.as_str()).unwrap_or(words), &mut standing);
        break;
    }
    standing
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

    fn standing(markdown: &str) -> Standing {
        super::super::read(markdown.as_bytes(), Format::Markdown).unwrap().stated.standing
    }

    #[test]
    fn a_document_says_its_standing_in_front_matter_under_a_heading_or_in_a_line() {
        let superseded = Standing {
            status: Some(Status::Superseded),
            replaced_by: vec!["ADR-0031".to_owned()],
            ..Standing::default()
        };
        for markdown in [
            "---\nstatus: superseded\nsuperseded_by: ADR-0031\n---\n# TLS\n\nText.",
            "---\nstatus: superseded\n---\n# TLS\n\n## Status\n\nSuperseded by ADR-0031 on 2023-03-21.\n\n## Context\n\nX.",
            "# TLS\n\nStatus: Superseded by ADR-0031\n\nText.",
            "# TLS\n\n**Status**: superseded\n\n**Superseded by:** ADR-0031\n\nText.",
            "# TLS\n\nStatus: abgelöst\n\nErsetzt durch: ADR-0031\n\nText.",
        ] {
            assert_eq!(standing(markdown), superseded, "{markdown}");
        }
        let replaces =
            standing("---\nstatus: accepted\nsupersedes: [ADR-3, ADR-4]\nvalid_until: 2026-12-31\n---\nText.");
        assert_eq!((replaces.status, replaces.replaces.join(" ")), (Some(Status::InForce), "ADR-3 ADR-4".to_owned()));
        let amends = standing(
            "# Version 16\n\n## Status\n\nAccepted in May. Amends ADR-0007, which named 13.\n\n## Context\n\nX.",
        );
        assert_eq!((amends.amends.join(" "), amends.replaces), ("ADR-0007".to_owned(), Vec::new()));
        assert_eq!(replaces.valid_to, NaiveDate::from_ymd_opt(2026, 12, 31));
        assert_eq!(
            standing("# Leave\n\nThe status of a claim: it is open.\n\n## Context\n\nRejected."),
            Standing::default()
        );
    }
}
