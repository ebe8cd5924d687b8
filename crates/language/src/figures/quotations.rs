//! What a sentence puts in quotation marks must stand in its passages word for word.

use super::tokens::{fold, is_dash};
use super::{Finding, FindingKind};

/// One finding for each quotation of more than one word that no passage has.
pub(super) fn check(sentence: &str, passages: &[&str]) -> Vec<Finding> {
    let quoted = quotations(sentence);
    if quoted.is_empty() {
        return Vec::new();
    }
    let plain: Vec<String> = passages.iter().map(|passage| format!(" {} ", plain(passage))).collect();
    let missing = |quotation: &&str| {
        let parts = quotation.split('…').flat_map(|part| part.split("..."));
        parts.map(self::plain).any(|part| {
            let part = format!(" {part} ");
            part.trim().contains(' ') && !plain.iter().any(|passage| passage.contains(&part))
        })
    };
    let finding = |quotation: &str| {
        let explanation = format!("the quotation \"{quotation}\" stands in none of the cited passages");
        Finding::new(FindingKind::Quotation, quotation, explanation)
    };
    quoted.into_iter().filter(missing).map(finding).collect()
}

/// What stands between quotation marks, the marks not included.
fn quotations(sentence: &str) -> Vec<&str> {
    const PAIRS: [(char, &[char]); 4] = [('"', &['"']), ('“', &['”', '"']), ('„', &['“', '”']), ('«', &['»'])];
    let mut found = Vec::new();
    let mut rest = sentence;
    while let Some((open, closing)) = rest.char_indices().find_map(|(place, character)| {
        PAIRS.iter().find(|(open, _)| *open == character).map(|(open, closing)| (place + open.len_utf8(), closing))
    }) {
        rest = &rest[open..];
        let Some(close) = rest.find(|c| closing.contains(&c)) else { break };
        found.push(rest[..close].trim());
        rest = &rest[close..];
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
    found
}

/// Words and numbers with single spaces between them, without case and punctuation.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in fold(text).chars() {
        if character == '&' {
            plain.push_str("and");
        } else if character.is_alphanumeric() || character == '\'' || character == '%' {
            plain.push(character);
        } else if (character.is_whitespace() || is_dash(character) || !character.is_alphanumeric())
            && !plain.is_empty()
            && !plain.ends_with(' ')
        {
            plain.push(' ');
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}
