//! What a question is about, in its own words.

use super::words::{Word, is_content, joined};
use crate::tables::Tables;

/// The phrase that a pronoun after this question stands for.
pub(super) fn topic(before: &[Word<'_>], tables: &Tables) -> Option<String> {
    let rules = &tables.follow_ups;
    // A document that was named by its address is what is spoken of.
    let is_address = |word: &&Word<'_>| word.has_digit() && word.shown.contains(|sign: char| sign.is_alphabetic());
    let addressed: Vec<&Word<'_>> = before.iter().filter(is_address).collect();
    if let [only] = addressed[..]
        && only.shown.contains('-')
    {
        return Some(only.shown.to_owned());
    }
    // "How many characters has a password": what is spoken of comes behind.
    let has = before.iter().position(|word| matches!(word.lower.as_str(), "has" | "have" | "had" | "hat" | "haben"));
    let before = match has.map(|place| before.split_at(place)) {
        Some((left, right)) if left.iter().any(|word| rules.is_measure(word)) => {
            if right.iter().any(|word| is_content(word, tables)) { right } else { before }
        }
        _ => before,
    };
    let asks = before.first().is_some_and(|word| rules.asks(word));
    let mut kept: Vec<Word<'_>> = before
        .iter()
        .filter(|word| !rules.asks(word) && !rules.is_measure(word) && !rules.is_auxiliary(word))
        .filter(|word| {
            let lower = word.lower.as_str();
            !rules.pronouns.contains(&lower) && !matches!(lower, "i" | "you" | "we" | "me" | "us" | "there" | "not")
        })
        .cloned()
        .collect();
    // "Who approves trips": the verb stands between the one who is asked for and what it is about.
    let begins_with_verb = asks
        && before.get(1).is_some_and(|word| is_content(word, tables))
        && matches!(before[0].lower.as_str(), "who" | "what" | "wer" | "was");
    if begins_with_verb && kept.iter().filter(|word| is_content(word, tables)).count() > 1 {
        kept.remove(0);
    }
    let is_edge = |word: &Word<'_>| rules.is_preposition(word) || rules.is_determiner(word);
    while kept.first().is_some_and(is_edge) {
        kept.remove(0);
    }
    // "Carried over" is one word.
    let belongs_to_verb = |kept: &[Word<'_>]| kept.iter().rev().nth(1).is_some_and(|word| is_participle(word, tables));
    while kept.last().is_some_and(is_edge) && !belongs_to_verb(&kept) {
        kept.pop();
    }
    let content = kept.iter().filter(|word| is_content(word, tables)).count();
    if content > 1 && kept.last().is_some_and(|word| is_participle(word, tables)) {
        kept.pop();
    }
    for word in &mut kept {
        word.ends_a_clause = false;
    }
    let has_content = kept.iter().any(|word| is_content(word, tables));
    has_content.then(|| joined(&kept))
}

/// "Kept", "changed".
pub(super) fn is_participle(word: &Word<'_>, tables: &Tables) -> bool {
    let lower = word.lower.as_str();
    let rules = &tables.follow_ups;
    let by_ending = !rules.participle_ending.is_empty() && lower.len() > 4 && lower.ends_with(rules.participle_ending);
    by_ending || rules.participles.contains(&lower)
}
