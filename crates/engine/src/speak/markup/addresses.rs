//! Addresses as a reader or a renderer would take them: `https://…`, `www.…`, `name@host`.

/// The first address in a text that none of the sources has: `https://…`, `www.…`, `name@host`.
pub fn foreign_address<'a>(text: &'a str, sources: &[&str]) -> Option<&'a str> {
    let known: Vec<&str> = sources.iter().flat_map(|source| addresses(source)).collect();
    addresses(text).into_iter().find(|address| !known.contains(address))
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
