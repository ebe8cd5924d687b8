//! Addresses as a reader or a renderer would take them: `https://…`, `www.…`, `name@host`, `host.example/…`.

use ibidem_language::sentences::is_abbreviation;

/// The first address in a text that none of the sources has: one that a renderer makes a link of, or one that a reader
/// may type.
pub fn foreign_address<'a>(text: &'a str, sources: &[&str]) -> Option<&'a str> {
    let known: Vec<&str> = sources.iter().flat_map(|source| addresses(source)).collect();
    let linked = addresses(text).into_iter().find(|address| !known.contains(address));
    linked.or_else(|| bare_addresses(text).find(|address| !sources.iter().any(|source| has_whole(source, address))))
}

/// Words that a reader may type as an address: a scheme of any name, or a host with dots between its parts.
fn bare_addresses(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |sign: char| sign.is_whitespace() || "<>\"`|()[]*，。、（）「」“”„«»".contains(sign);
    let bare = |word: &'_ str| -> bool {
        let has_scheme =
            word.split_once(":/").is_some_and(|(scheme, _)| scheme.ends_with(|sign: char| sign.is_alphanumeric()));
        has_scheme || is_host(word.split(['/', ':', '?', '#']).next().unwrap_or(word))
    };
    text.split(is_end)
        .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()))
        .filter(move |word| !word.is_empty() && bare(word))
}

/// `pay.example`: parts of letters, digits and dashes, the last of letters alone. No abbreviation, and no figure.
fn is_host(word: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|sign| sign.is_alphanumeric() || sign == '-');
    let Some((before, last)) = word.rsplit_once('.') else { return false };
    before.split('.').all(is_part)
        && before.contains(char::is_alphabetic)
        && last.chars().nth(1).is_some()
        && last.chars().all(char::is_alphabetic)
        && !is_abbreviation(word)
}

/// Whether a text has these words by themselves, and not as a part of longer ones.
fn has_whole(text: &str, words: &str) -> bool {
    let (text, words) = (text.to_lowercase(), words.to_lowercase());
    let goes_on = |sign: char| sign.is_alphanumeric() || sign == '-';
    text.match_indices(&words)
        .any(|(place, _)| !text[..place].ends_with(goes_on) && !text[place + words.len()..].starts_with(goes_on))
}

/// The text without anything that a renderer makes a link of by itself.
pub fn without_addresses(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(address) = addresses(rest).first() {
        let Some(place) = rest.find(address) else { break };
        kept.push_str(&rest[..place]);
        rest = &rest[place + address.len()..];
    }
    kept + rest
}

/// Everything that a reader or a renderer would take for an address, in order, without the punctuation behind it.
pub(super) fn addresses(text: &str) -> Vec<&str> {
    let is_end = |sign: char| {
        sign.is_whitespace() || matches!(sign, '<' | '>' | '"' | '`' | '|' | '，' | '。' | '、' | '）' | '」' | '”')
    };
    let parts = |sign: char| is_end(sign) || matches!(sign, '(' | ')' | '[' | ']' | '（');
    let mut found = Vec::new();
    let (mut next, mut begin) = (0, 0);
    for word in text.split_inclusive(parts) {
        let place = next;
        next += word.len();
        if place < begin {
            continue;
        }
        let word = word.trim_end_matches(parts);
        let lower = word.to_ascii_lowercase();
        let at_host = word.split_once('@').is_some_and(|(name, host)| {
            name.ends_with(|sign: char| sign.is_alphanumeric() || "._+-".contains(sign))
                && host.starts_with(char::is_alphanumeric)
                && host.contains('.')
        });
        let has_scheme = word.contains("://") || lower.contains("mailto:") || lower.contains("www.");
        let is_address = has_scheme || at_host;
        if !is_address {
            continue;
        }
        // Brackets may be part of an address, so it goes on to where it surely ends.
        let whole = text[place..].find(is_end).map_or(&text[place..], |end| &text[place..place + end]);
        begin = place + whole.len();
        let whole = whole.trim_start_matches(|sign: char| !sign.is_alphanumeric());
        found.push(whole.trim_end_matches(|sign: char| !sign.is_alphanumeric() && !matches!(sign, '/' | '=' | '#')));
    }
    found
}
