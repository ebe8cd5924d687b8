//! The address lane: documents that the asker calls by name, exactly, or not at all.

use std::collections::BTreeSet;

use ibidem_language::addresses::{loosely_written_in, written_in};
use ibidem_language::asking::{Matter, asked_matter, asked_parts};
use ibidem_ports::catalogue::{AddressedDocument, Catalogue, CatalogueError};
use ibidem_words::{AddressKey, CollectionName, Scope};

use crate::policy::{AddressRules, AddressSeries};
use crate::turn::NamedDocuments;

/// A mention is an address that a question names.
#[derive(Clone, PartialEq, Debug)]
pub struct Mention<'a> {
    /// How the asker wrote it.
    pub written: String,
    /// What it may stand for: one address, or all of a range.
    pub keys: Vec<AddressKey>,
    /// A range has so many more addresses than are looked up.
    pub left_out: u64,
    /// The policy's series that it is of; none where it only has the form of an address, which a document may have.
    series: Option<&'a AddressSeries>,
    /// It may as well be a word and a number: an address only if there is such a document.
    is_loose: bool,
}

/// Every address in the question, from left to right, each once: those of the policy's series, and whatever else has the
/// form of one.
pub fn mentions<'a>(query: &str, rules: &'a AddressRules) -> Vec<Mention<'a>> {
    let by_form = written_in(query);
    let mut found: Vec<(usize, usize, Mention<'_>)> = Vec::new();
    for series in &rules.series {
        for captures in series.pattern.regex().captures_iter(query) {
            let Some(whole) = captures.get(0) else { continue };
            let to = captures.name("to");
            let first = &query[whole.start()..to.map_or(whole.end(), |to| to.start())];
            let Some(key) = AddressKey::of(first).map(|key| canonical(key, series)) else { continue };
            let to: Option<u64> = to.and_then(|to| to.as_str().parse().ok());
            // A range that the series does not know of, in any spelling: `ADR-0040 to ADR-0042`.
            let ranging = by_form.iter().find(|form| form.to.is_some() && form.first == whole.range());
            let (end, to) =
                ranging.filter(|_| to.is_none()).map_or((whole.end(), to), |form| (form.bytes.end, form.to));
            let written = query[whole.start()..end].trim().to_owned();
            found.push((whole.start(), end, Mention::of(written, &key, to, rules.longest_range, Some(series))));
        }
    }
    for form in by_form {
        let Some(key) = AddressKey::of(&query[form.first.clone()]) else { continue };
        let written = query[form.bytes.clone()].to_owned();
        let mention = Mention::of(written, &key, form.to, rules.longest_range, None);
        found.push((form.bytes.start, form.bytes.end, mention));
    }
    for form in loosely_written_in(query) {
        let Some(key) = AddressKey::of(&query[form.first.clone()]) else { continue };
        let written = query[form.bytes.clone()].to_owned();
        // What is asked by nothing else is asked for.
        let is_loose = written != query.trim_matches(|sign: char| !sign.is_alphanumeric());
        let mention = Mention::of(written, &key, form.to, rules.longest_range, None);
        found.push((form.bytes.start, form.bytes.end, Mention { is_loose, ..mention }));
    }
    // Where two series see an address in the same place, the longer one is meant; what is of a series comes before what
    // only has the form, and what surely has it before what may have it.
    found.sort_by_key(|(start, end, mention)| {
        (*start, std::cmp::Reverse(*end), mention.series.is_none(), mention.is_loose)
    });
    let mut covered = 0;
    let mut kept: Vec<Mention<'_>> = Vec::new();
    for (start, end, mention) in found {
        if start >= covered && !kept.iter().any(|other| other.keys == mention.keys) {
            covered = end;
            kept.push(mention);
        }
    }
    kept
}

impl<'a> Mention<'a> {
    fn of(
        written: String,
        key: &AddressKey,
        to: Option<u64>,
        longest: usize,
        series: Option<&'a AddressSeries>,
    ) -> Self {
        let keys = to.map_or_else(|| vec![key.clone()], |to| range(key, to, longest));
        let all = key.last_number().zip(to).map_or(0, |(first, last)| last.saturating_sub(first).saturating_add(1));
        let left_out = all.saturating_sub(keys.len() as u64);
        Self { written, keys, left_out, series, is_loose: false }
    }

    fn collection(&self) -> Option<&'a CollectionName> {
        self.series.and_then(|series| series.collection.as_ref())
    }

    /// Letters enough to name a series: `P1` is more often a priority than a document.
    fn names_a_series(&self) -> bool {
        let letters = |key: &AddressKey| key.series().chars().filter(|sign| sign.is_alphabetic()).count();
        self.keys.first().is_some_and(|key| letters(key) >= 2)
    }
}

/// Under the name that its series has in the documents.
fn canonical(key: AddressKey, series: &AddressSeries) -> AddressKey {
    let is_alias = |alias: &str| AddressKey::of(alias).is_some_and(|alias| alias.as_str() == key.series());
    let name = series.aliases.iter().find(|(alias, _)| is_alias(alias)).map(|(_, name)| name);
    name.and_then(|name| key.renamed(name)).unwrap_or(key)
}

/// From an address to the one with this last number; the address alone where that is no range.
fn range(from: &AddressKey, to: u64, longest: usize) -> Vec<AddressKey> {
    let keys = from.last_number().map(|first| (first..=to).take(longest).filter_map(|number| from.numbered(number)));
    let keys: Vec<AddressKey> = keys.into_iter().flatten().collect();
    if keys.is_empty() { vec![from.clone()] } else { keys }
}

/// What a question wants of the documents that it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The documents themselves.
    Whole,
    /// Parts that every such document has, by their headings.
    Parts(Vec<&'static str>),
    /// Something that the documents may have a section of, or say something about.
    Matter(Matter),
}

/// What the question wants of the documents by its form alone.
pub fn asked_for(query: &str, mentions: &[Mention<'_>]) -> Option<Wanted> {
    if mentions.is_empty() {
        return None;
    }
    let mut rest = query.to_lowercase();
    for mention in mentions {
        rest = rest.replace(&mention.written.to_lowercase(), " ");
    }
    match asked_parts(&rest) {
        Some(parts) if parts.is_empty() => Some(Wanted::Whole),
        Some(parts) => Some(Wanted::Parts(parts)),
        None => asked_matter(&rest).map(Wanted::Matter),
    }
}

/// What the addresses stand for, in this scope, and those of them that are addresses: what only has the form of one, and
/// is of no series that a document here is of, is not.
pub async fn resolve<'a>(
    catalogue: &dyn Catalogue,
    scope: &Scope,
    mentions: Vec<Mention<'a>>,
) -> Result<(NamedDocuments, Vec<Mention<'a>>), CatalogueError> {
    let mut resolved = NamedDocuments::default();
    let mut found = Vec::new();
    for (collection, keys) in by_collection(&mentions) {
        found.extend(catalogue.addressed(scope, collection, &keys).await?);
    }
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for mention in mentions {
        let of_mention = |document: &&AddressedDocument| {
            mention.collection().is_none_or(|collection| *collection == document.collection)
        };
        let is_there = |key: &AddressKey| found.iter().filter(of_mention).any(|document| document.key == *key);
        let missing: Vec<&AddressKey> = mention.keys.iter().filter(|key| !is_there(key)).collect();
        let has_none = missing.len() == mention.keys.len();
        if has_none && mention.series.is_none() {
            let may_be_of_series = !mention.is_loose && mention.names_a_series();
            if !may_be_of_series || nearest(catalogue, scope, &mention, 1).await?.is_empty() {
                continue;
            }
        }
        if has_none {
            resolved.missing.push(mention.written.clone());
        } else {
            resolved.missing.extend(missing.into_iter().map(readable));
        }
        if mention.left_out > 0 {
            resolved.shortened.push((mention.written.clone(), mention.keys.len()));
        }
        for key in &mention.keys {
            let named = found.iter().filter(of_mention).filter(|document| document.key == *key);
            resolved.documents.extend(named.filter(|document| seen.insert(document.document)).cloned());
        }
        kept.push(mention);
    }
    Ok((resolved, kept))
}

/// One question to the catalogue for each collection that addresses are looked up in.
fn by_collection<'a>(mentions: &[Mention<'a>]) -> Vec<(Option<&'a CollectionName>, Vec<AddressKey>)> {
    let mut groups: Vec<(Option<&CollectionName>, Vec<AddressKey>)> = Vec::new();
    for mention in mentions {
        let keys = mention.keys.iter().cloned();
        match groups.iter_mut().find(|(collection, _)| *collection == mention.collection()) {
            Some((_, group)) => group.extend(keys),
            None => groups.push((mention.collection(), keys.collect())),
        }
    }
    groups
}

/// A key without its filling zeros.
fn readable(key: &AddressKey) -> String {
    let bare = |part: &str| match part.trim_start_matches('0') {
        "" => "0".to_owned(),
        rest => rest.to_owned(),
    };
    key.as_str().split(' ').map(bare).collect::<Vec<_>>().join(" ")
}

/// The nearest addresses of the same series that exist and are visible, the nearest first.
pub async fn nearest(
    catalogue: &dyn Catalogue,
    scope: &Scope,
    mention: &Mention<'_>,
    most: usize,
) -> Result<Vec<String>, CatalogueError> {
    let Some(key) = mention.keys.first() else { return Ok(Vec::new()) };
    let mut near = catalogue.neighbours(scope, mention.collection(), key, most).await?;
    near.sort_by_cached_key(|(other, _)| (std::cmp::Reverse(shared(other, key)), distance(other, key), other.clone()));
    Ok(near.into_iter().take(most).map(|(_, address)| address).collect())
}

/// How much of two keys is the same from the start, in parts.
fn shared(one: &AddressKey, other: &AddressKey) -> usize {
    one.as_str().split(' ').zip(other.as_str().split(' ')).take_while(|(a, b)| a == b).count()
}

/// How far the first numbers that differ are apart.
fn distance(one: &AddressKey, other: &AddressKey) -> u64 {
    let number = |part: &str| part.parse::<u64>().unwrap_or(u64::MAX);
    let mut parts = one.as_str().split(' ').zip(other.as_str().split(' '));
    parts.find(|(a, b)| a != b).map_or(0, |(a, b)| number(a).abs_diff(number(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(series: &str) -> AddressRules {
        let text = format!(
            "longest_range: 20\nsuggestions: 3\nquoted_passages: 5\nwording: {{not_found: a, suggestion: b, partly: c, \
             shortened: d}}\nseries:\n{series}"
        );
        serde_saphyr::from_str(&text).unwrap()
    }

    fn adrs() -> AddressRules {
        rules("  - {collection: ADR, pattern: 'ADR[.\\- ]?\\d{1,4}'}\n  - {pattern: 'BG \\d+\\.\\d+'}\n")
    }

    fn verses() -> AddressRules {
        rules(
            "  - pattern: '(?:[1-3] )?(?:song of songs|[a-z]+)\\.? \\d{1,3}:\\d{1,3}(?:\\s*[-–]\\s*(?P<to>\\d{1,3}))?'\n    \
             aliases: {gen: Genesis, 1 cor: 1 Corinthians}\n",
        )
    }

    fn keys(query: &str, rules: &AddressRules) -> Vec<String> {
        mentions(query, rules).iter().flat_map(|mention| mention.keys.iter().map(readable)).collect()
    }

    #[test]
    fn addresses_are_found_wherever_they_stand_and_however_they_are_written() {
        for (query, expected) in [
            ("ADR-0031", vec!["adr 31"]),
            ("What does adr.12 decide?", vec!["adr 12"]),
            ("Compare ADR 7 with ADR-0008, and ADR7 again", vec!["adr 7", "adr 8"]),
            ("What does BG 2.13 say?", vec!["bg 2 13"]),
            ("Which ADRs are about TLS 13?", vec!["tls 13"]),
            ("What do POLICY-03 and ODH-ADR-0003 say?", vec!["policy 3", "odh adr 3"]),
            ("Compare ADR-0040 to ADR-0042", vec!["adr 40", "adr 41", "adr 42"]),
            ("ADR-0040–0042", vec!["adr 40", "adr 41", "adr 42"]),
            ("ADR-00312", vec!["adr 312"]),
            ("padr-12", vec!["padr 12"]),
        ] {
            assert_eq!(keys(query, &adrs()), expected, "{query}");
        }
    }

    #[test]
    fn abbreviations_and_ranges_stand_for_what_they_mean() {
        for (query, expected) in [
            ("Genesis 48:14", vec!["genesis 48 14"]),
            ("Gen. 9:4", vec!["genesis 9 4"]),
            ("1 Cor 13:4", vec!["1 corinthians 13 4"]),
            ("Esther 3:7-9", vec!["esther 3 7", "esther 3 8", "esther 3 9"]),
            ("Song of Songs 1:2", vec!["song of songs 1 2"]),
            ("Luke 3:9-7", vec!["luke 3 9"]),
        ] {
            assert_eq!(keys(query, &verses()), expected, "{query}");
        }
        assert_eq!(keys("Psalms 119:1-176", &verses()).len(), 20, "a range is bounded");
    }

    #[test]
    fn a_question_for_the_documents_themselves_is_told_from_one_about_something() {
        let rules = adrs();
        let matter = |words: &str, is_said_about| Matter { words: words.to_owned(), is_said_about };
        for (query, wanted) in [
            ("ADR-0031", Some(Wanted::Whole)),
            ("Please show me ADR-0031 and adr 32.", Some(Wanted::Whole)),
            ("What does ADR-0031 decide about backups?", Some(Wanted::Matter(matter("decide about backups", false)))),
            ("What does ADR-0031 say about backups?", Some(Wanted::Matter(matter("backups", true)))),
            ("Why?", None),
        ] {
            assert_eq!(asked_for(query, &mentions(query, &rules)), wanted, "{query}");
        }
        let query = "What did ADR-0031 decide, and why?";
        assert!(matches!(asked_for(query, &mentions(query, &rules)), Some(Wanted::Parts(parts)) if !parts.is_empty()));
    }
}
