//! Addresses that follow from where documents stand: `ADR-{number}` for `0012-use-queues.md`.

use std::str::FromStr;

use crate::find::SourceFile;

/// How an address is made of a document's place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressForm(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} makes the same address of every document: it must have {{number}} (the first number in the file's name), {{name}} (the file's name) or {{id}} (of a line in a .jsonl file)"
)]
pub struct InvalidForm(String);

impl FromStr for AddressForm {
    type Err = InvalidForm;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let tells = ["{number}", "{name}", "{id}"].iter().any(|part| written.contains(part));
        if tells { Ok(Self(written.to_owned())) } else { Err(InvalidForm(written.to_owned())) }
    }
}

impl AddressForm {
    /// None when the document's place lacks a part that the form needs.
    pub fn of(&self, found: &SourceFile) -> Option<String> {
        let (path, id) = match found.source_location.split_once('#') {
            Some((path, id)) => (path, Some(id)),
            None => (found.source_location.as_str(), None),
        };
        let file = path.rsplit('/').next().unwrap_or(path);
        let name = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let mut address = self.0.clone();
        for (part, value) in [("{number}", first_number(id.unwrap_or(name))), ("{name}", Some(name)), ("{id}", id)] {
            if address.contains(part) {
                address = address.replace(part, value?);
            }
        }
        Some(address)
    }
}

fn first_number(text: &str) -> Option<&str> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    Some(&rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use ibidem_ports::intake::Format;

    use super::*;

    fn at(source_location: &str) -> SourceFile {
        SourceFile {
            source_location: source_location.to_owned(),
            format: Format::Plain,
            bytes: Vec::new(),
            title: None,
            address: None,
            updated_at: None,
        }
    }

    #[test]
    fn an_address_follows_from_a_documents_place() {
        for (form, place, expected) in [
            ("ADR-{number}", "adr/0012-use-queues.md", Some("ADR-0012")),
            ("ADR-{number}", "adr/2024/readme.md", None),
            ("{id}", "verses.jsonl#Genesis 1:1", Some("Genesis 1:1")),
            ("{id}", "a.md", None),
            ("{name}", "policies/P-7.v2.pdf", Some("P-7.v2")),
            ("S {number}", "lines.jsonl#row 7", Some("S 7")),
        ] {
            let form: AddressForm = form.parse().unwrap();
            assert_eq!(form.of(&at(place)).as_deref(), expected, "{place}");
        }
        assert!("ADR".parse::<AddressForm>().is_err());
    }
}
