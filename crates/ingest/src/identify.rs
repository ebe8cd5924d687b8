//! From a read and split document to a version that can be stored.

use chrono::{DateTime, Utc};
use ibidem_language::addresses::written_in;
use ibidem_ports::intake::{NewPassage, NewVersion, Submission};
use ibidem_ports::vectors::MissingVector;
use ibidem_words::{Sha256Hash, fields, passage_in_context};

use crate::read::ReadDocument;
use crate::split::Passage;

/// The title people will see: what the submitter said, else what the document says, else its file's name.
pub fn title_of(submission: &Submission, document: &ReadDocument) -> String {
    let stated = [&submission.title, &document.stated.title, &document.title];
    let title = stated.into_iter().flatten().map(|title| title.trim()).find(|title| !title.is_empty());
    title.map_or_else(|| file_title(&submission.source_location), str::to_owned)
}

fn file_title(source_location: &str) -> String {
    let name = source_location.rsplit('/').next().unwrap_or(source_location);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    // A place in a .jsonl file or one that the API was told may be long: it is a name, and here a title.
    fields::own_title(&stem.replace(['_', '-'], " ")).unwrap_or_else(|| name.to_owned())
}

/// The address that a file's name begins with: `ADR-0012` of `adr/ADR-0012-use-queues.md`. Only in capitals: other names
/// that end in a number are names, and nobody calls a document by them.
fn file_address(source_location: &str) -> Option<String> {
    let name = source_location.rsplit('/').next().unwrap_or(source_location);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let address = written_in(stem).into_iter().next().map(|written| written.first).filter(|first| first.start == 0)?;
    let is_capital = |sign: char| !sign.is_alphabetic() || sign.is_uppercase();
    (!name.contains('#') && stem[address.clone()].chars().all(is_capital)).then(|| stem[address].to_owned())
}

/// A version ready to be stored, and what must be embedded for it, passage by passage.
#[derive(Clone, PartialEq, Debug)]
pub struct Identified {
    pub version: NewVersion,
    pub to_embed: Vec<MissingVector>,
}

/// `today` dates a document that neither says when it was changed nor comes with a date.
pub fn identify(
    submission: &Submission,
    title: String,
    document: ReadDocument,
    passages: Vec<Passage>,
    today: DateTime<Utc>,
) -> Identified {
    let mut to_embed = Vec::with_capacity(passages.len());
    let passages = passages.into_iter().map(|passage| {
        let text = passage_in_context(&title, passage.section.as_deref(), &passage.text);
        let key = Sha256Hash::of(text.as_bytes());
        to_embed.push(MissingVector { tenant: submission.tenant, key, text });
        NewPassage {
            sha256: Sha256Hash::of(passage.text.as_bytes()),
            text: passage.text,
            section: passage.section,
            page: passage.page,
            span: passage.span,
            above: passage.above,
            tokens: passage.tokens,
            embedding_key: key,
        }
    });
    let passages = passages.collect();
    let version = NewVersion {
        address: submission
            .address
            .clone()
            .or(document.stated.address)
            .or_else(|| file_address(&submission.source_location)),
        kind: submission.kind.clone().or(document.stated.kind),
        updated_at: document.stated.updated_at.or(submission.updated_at).unwrap_or(today),
        validity: document.stated.validity,
        text_sha256: Sha256Hash::of(document.text.as_bytes()),
        text: document.text,
        title,
        passages,
        remarks: document.remarks,
    };
    Identified { version, to_embed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_called_by_its_address() {
        for (location, address) in [
            ("adr/ADR-0012-use-queues.md", Some("ADR-0012")),
            ("HR-05.pdf", Some("HR-05")),
            ("ODH-ADR-0003_data.md", Some("ODH-ADR-0003")),
            ("report-2024.pdf", None),
            ("notes on ADR-0012.md", None),
            ("VERSES-1.jsonl#7", None),
        ] {
            assert_eq!(file_address(location).as_deref(), address, "{location}");
        }
    }

    #[test]
    fn a_file_without_a_title_is_called_by_its_name() {
        for (location, title) in
            [("a/travel-and_expenses.pdf", "travel and expenses"), ("notes", "notes"), ("x/.md", ".md")]
        {
            assert_eq!(file_title(location), title);
        }
    }
}
