//! The address lane: documents that the asker calls by name, exactly, or not at all.

use std::collections::BTreeSet;

use ibidem_words::ports::catalogue::{Catalogue, CatalogueError};
use ibidem_words::{AddressKey, Scope};

use crate::policy::{AddressRules, AddressSeries};
use crate::turn::NamedDocuments;

/// An address in a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Mention<'a> {
    /// As the asker wrote it.
    pub written: String,
    /// What it may stand for: one address, or all of a range.
    pub keys: Vec<AddressKey>,
    series: &'a AddressSeries,
}

/// Every address in the question, from left to right, each once.
pub fn mentions<'a>(query: &str, rules: &'a AddressRules) -> Vec<Mention<'a>> {
    let mut found: Vec<(usize, usize, Mention<'_>)> = Vec::new();
    for series in &rules.series {
        for captures in series.pattern.regex().captures_iter(query) {
            let Some(whole) = captures.get(0) else { continue };
            let to = captures.name("to");
            let first = &query[whole.start()..to.map_or(whole.end(), |to| to.start())];
            let Some(key) = AddressKey::of(first).map(|key| canonical(key, series)) else { continue };
            let to = to.and_then(|to| to.as_str().parse().ok());
            let keys = to.map_or_else(|| vec![key.clone()], |to| range(&key, to, rules.longest_range));
            let written = whole.as_str().trim().to_owned();
            found.push((whole.start(), whole.end(), Mention { written, keys, series }));
        }
    }
    // Where two series see an address in the same place, the longer one is meant.
    found.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
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

/// Whether the question is nothing but addresses: then the documents themselves are asked for.
pub fn is_bare(query: &str, mentions: &[Mention<'_>]) -> bool {
    const AROUND: [&str; 12] =
        ["and", "display", "get", "give", "me", "open", "please", "print", "quote", "read", "show", "the"];
    let mut rest = query.to_lowercase();
    for mention in mentions {
        rest = rest.replace(&mention.written.to_lowercase(), " ");
    }
    !mentions.is_empty()
        && rest.split(|c: char| !c.is_alphanumeric()).all(|word| word.is_empty() || AROUND.contains(&word))
}

/// What the addresses stand for, in this scope.
pub async fn resolve(
    catalogue: &dyn Catalogue,
    scope: &Scope,
    mentions: &[Mention<'_>],
) -> Result<NamedDocuments, CatalogueError> {
    let mut resolved = NamedDocuments::default();
    let mut seen = BTreeSet::new();
    for (series, together) in by_series(mentions) {
        let keys: Vec<AddressKey> = together.iter().flat_map(|mention| mention.keys.clone()).collect();
        let found = catalogue.addressed(scope, series.collection.as_ref(), &keys).await?;
        for mention in together {
            let missing: Vec<&AddressKey> =
                mention.keys.iter().filter(|key| !found.iter().any(|document| document.key == **key)).collect();
            if missing.len() == mention.keys.len() {
                resolved.missing.push(mention.written.clone());
            } else {
                resolved.missing.extend(missing.into_iter().map(readable));
            }
            for key in &mention.keys {
                let named = found.iter().filter(|document| document.key == *key);
                resolved.documents.extend(named.filter(|document| seen.insert(document.document)).cloned());
            }
        }
    }
    Ok(resolved)
}

/// One question to the catalogue for each series that occurs.
fn by_series<'a, 'b>(mentions: &'b [Mention<'a>]) -> Vec<(&'a AddressSeries, Vec<&'b Mention<'a>>)> {
    let mut groups: Vec<(&AddressSeries, Vec<&Mention<'_>>)> = Vec::new();
    for mention in mentions {
        match groups.iter_mut().find(|(series, _)| std::ptr::eq(*series, mention.series)) {
            Some((_, group)) => group.push(mention),
            None => groups.push((mention.series, vec![mention])),
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
    let mut near = catalogue.neighbours(scope, mention.series.collection.as_ref(), key, most).await?;
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
            ("Which ADRs are about TLS 13?", vec![]),
            ("ADR-00312", vec![]),
            ("padr-12", vec![]),
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
    fn a_question_that_is_nothing_but_addresses_asks_for_the_documents_themselves() {
        let rules = adrs();
        for (query, bare) in [
            ("ADR-0031", true),
            ("Please show me ADR-0031 and adr 32.", true),
            ("What does ADR-0031 decide?", false),
            ("Why?", false),
        ] {
            assert_eq!(is_bare(query, &mentions(query, &rules)), bare, "{query}");
        }
    }
}
