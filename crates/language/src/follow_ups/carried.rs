//! The last question with a phrase of the new one in its place, and the new one with the last one's subject in it.

use std::ops::Range;

use super::Carried;
use super::topic::is_participle;
use super::words::{Word, capitalised, is_content, joined};
use crate::stems::same_word;
use crate::tables::Tables;

/// The last question, asked of what the phrase names. `led_by` stands before a phrase that has no preposition.
pub(super) fn fragment(
    last: &str,
    before: &[Word<'_>],
    led_by: &[Word<'_>],
    phrase: &[Word<'_>],
    tables: &Tables,
) -> Option<Carried> {
    let rules = &tables.follow_ups;
    let leading = phrase.iter().take_while(|word| rules.is_preposition(word)).count();
    let (own, object) = phrase.split_at(leading);
    let prepositions = if own.is_empty() { led_by } else { own };
    if !object.iter().any(|word| is_content(word, tables) || word.has_digit()) {
        return None;
    }
    match place_of(before, prepositions, object, tables) {
        Some((place, new)) => {
            let place = with_article(before, place, &new, tables);
            let new = named_again(&before[place.clone()], &new);
            let text = spaced([joined(&before[..place.start]), new, joined(&before[place.end..])]);
            Some(Carried { text: format!("{}?", capitalised(&text)), takes_place: true })
        }
        None => {
            let last = last.trim().trim_end_matches(['?', '.', '!']);
            let with = if prepositions.is_empty() { rules.for_whom.to_owned() } else { joined(prepositions) };
            Some(Carried { text: format!("{last} {with} {}?", joined(object)), takes_place: true })
        }
    }
}

/// The question with the phrase in place of what it surely takes the place of: what has its number, its words or its
/// preposition; and a thing in place of the thing that the question is about, where the phrase names one.
pub(super) fn fragment_in_place(
    before: &[Word<'_>],
    phrase: &[Word<'_>],
    names_a_thing: bool,
    tables: &Tables,
) -> Option<String> {
    let rules = &tables.follow_ups;
    let leading = phrase.iter().take_while(|word| rules.is_preposition(word)).count();
    let (prepositions, object) = phrase.split_at(leading);
    let (place, new) = match names_a_thing {
        true => place_of(before, prepositions, object, tables)?,
        false => by_preposition(before, prepositions, object, tables)
            .map(|(place, from)| (place, object[from..].to_vec()))?,
    };
    let place = with_article(before, place, &new, tables);
    let new = named_again(&before[place.clone()], &new);
    Some(spaced([joined(&before[..place.start]), new, joined(&before[place.end..])]))
}

/// The question with the phrase in place of what it says of when, where or how; behind all of it where it says nothing of
/// that. A verb at the end stays there.
pub(super) fn in_place_of_complement(before: &[Word<'_>], phrase: &[Word<'_>], tables: &Tables) -> String {
    let rules = &tables.follow_ups;
    let auxiliary = before.iter().position(|word| rules.is_auxiliary(word));
    let ends_in_verb = rules.verb_comes_last && auxiliary.is_some_and(|place| place + 2 < before.len());
    let end = before.len() - usize::from(ends_in_verb);
    let participle =
        before[..end].iter().rposition(|word| is_participle(word, tables)).filter(|_| !rules.verb_comes_last);
    let from = match participle {
        Some(place) => place + 1,
        None => first_preposition(&before[..end], tables).unwrap_or(end),
    };
    spaced([joined(&before[..from]), joined(phrase), joined(&before[end..])])
}

/// What is not empty, with spaces between.
fn spaced(parts: [String; 3]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whose place the phrase takes, and what stands there then.
fn place_of<'b>(
    before: &[Word<'_>],
    prepositions: &[Word<'b>],
    object: &[Word<'b>],
    tables: &Tables,
) -> Option<(Range<usize>, Vec<Word<'b>>)> {
    let whole = || object.to_vec();
    if let Some(place) = numbered(before, object) {
        return Some((place, whole()));
    }
    let shared = sharing(before, object, tables);
    // "Trips to other continents" in place of "trips within the country".
    if let Some(place) =
        shared.clone().filter(|_| prepositions.is_empty() && begins_with_its_head(before, object, tables))
    {
        return Some((place, whole()));
    }
    if let Some((place, from)) = by_preposition(before, prepositions, object, tables) {
        return Some((place, object[from..].to_vec()));
    }
    if !prepositions.is_empty() {
        // Another preposition: all that the last question said of where, when or for whom.
        shared?;
        let from = first_preposition(before, tables)?;
        return Some((from..before.len(), prepositions.iter().chain(object).cloned().collect()));
    }
    let place = shared.or_else(|| name(before, object, tables)).or_else(|| subject(before, tables))?;
    Some((place, whole()))
}

/// An article is not said twice.
fn with_article(before: &[Word<'_>], place: Range<usize>, new: &[Word<'_>], tables: &Tables) -> Range<usize> {
    let rules = &tables.follow_ups;
    let has_one = place.start > 0 && rules.is_determiner(&before[place.start - 1]);
    let brings_one = new.first().is_some_and(|word| rules.is_determiner(word));
    if has_one && brings_one { place.start - 1..place.end } else { place }
}

/// "High ones" in place of "critical weaknesses" are high weaknesses.
fn named_again(former: &[Word<'_>], new: &[Word<'_>]) -> String {
    match (former.last(), new.split_last()) {
        (Some(head), Some((last, rest))) if matches!(last.lower.as_str(), "one" | "ones") && !rest.is_empty() => {
            format!("{} {}", joined(rest), head.shown)
        }
        _ => joined(new),
    }
}

/// "Tier 2" in place of "tier 1", "ADR-0003" in place of "ADR-0031".
fn numbered(before: &[Word<'_>], object: &[Word<'_>]) -> Option<Range<usize>> {
    let label = |word: &Word<'_>| {
        let letters = word.lower.split(|sign: char| sign.is_ascii_digit()).next().unwrap_or_default();
        letters.trim_end_matches(['-', '.']).to_owned()
    };
    match object {
        [only] if only.has_digit() && !label(only).is_empty() => {
            let place = before.iter().position(|word| word.has_digit() && label(word) == label(only))?;
            Some(place..place + 1)
        }
        [name, number] if number.has_digit() && !name.has_digit() => {
            let at = |pair: &[Word<'_>]| same_word(&pair[0].lower, &name.lower) && pair[1].has_digit();
            let place = before.windows(2).position(at)?;
            Some(place..place + 2)
        }
        _ => None,
    }
}

/// The words behind the same preposition, "for part-timers" in place of "for full-timers", and where what takes their
/// place begins in the object.
fn by_preposition(
    before: &[Word<'_>],
    prepositions: &[Word<'_>],
    object: &[Word<'_>],
    tables: &Tables,
) -> Option<(Range<usize>, usize)> {
    let rules = &tables.follow_ups;
    // "Those of workloads" are what they were of something else.
    let is_of_those = object.first().is_some_and(|word| rules.demonstratives.contains(&word.lower.as_str()));
    let inner = object.iter().position(|word| rules.is_preposition(word) && (is_of_those || word.lower != "of"));
    let (preposition, from) = match (prepositions.last(), inner) {
        (Some(preposition), _) => (preposition, 0),
        (None, Some(place)) => (&object[place], place + 1),
        (None, None) => return None,
    };
    let place = before.iter().rposition(|word| word.lower == preposition.lower)? + 1;
    let rest = &before[place..];
    let length = rest.iter().position(|word| rules.is_auxiliary(word)).unwrap_or(rest.len());
    (length > 0 && from < object.len()).then_some((place..place + length, from))
}

fn first_preposition(before: &[Word<'_>], tables: &Tables) -> Option<usize> {
    let rules = &tables.follow_ups;
    let from = before.iter().position(|word| rules.is_auxiliary(word)).map_or(1, |place| place + 1);
    let behind = before.get(from..)?;
    behind.iter().position(|word| rules.is_preposition(word)).map(|place| from + place)
}

/// What has a word in common with the phrase, with the words before it that say which.
fn sharing(before: &[Word<'_>], object: &[Word<'_>], tables: &Tables) -> Option<Range<usize>> {
    let rules = &tables.follow_ups;
    let shared = before.iter().rposition(|word| {
        is_content(word, tables)
            && object.iter().any(|own| is_content(own, tables) && same_word(&own.lower, &word.lower))
    })?;
    let is_part = |word: &Word<'_>| is_content(word, tables) && !rules.asks(word);
    let mut from = shared;
    while from > 0 && is_part(&before[from - 1]) && !before[from - 1].ends_a_clause {
        from -= 1;
    }
    // "Who approves trips": the first word behind the question word is what is done with it.
    let is_verb = from == 1 && matches!(before[0].lower.as_str(), "who" | "what" | "wer" | "was");
    if is_verb && from < shared {
        from += 1;
    }
    // The phrase says more behind the shared word: so did the question.
    let says_more = |word: &Word<'_>| rules.is_preposition(word) || rules.subordinators.contains(&word.lower.as_str());
    if !object.iter().any(says_more) {
        return Some(from..shared + 1);
    }
    let ends_in_verb = before.len() > shared + 1 && before.last().is_some_and(|word| is_participle(word, tables));
    Some(from..before.len() - usize::from(ends_in_verb))
}

/// Whether the phrase begins with a word that the question says something more of.
fn begins_with_its_head(before: &[Word<'_>], object: &[Word<'_>], tables: &Tables) -> bool {
    let Some(first) = object.iter().find(|word| is_content(word, tables)) else { return false };
    let place = before.iter().rposition(|word| is_content(word, tables) && same_word(&word.lower, &first.lower));
    place.is_some_and(|place| before.get(place + 1).is_none_or(|next| !is_content(next, tables)))
}

/// A name in place of a name: "North America" where "Nordic countries" stood. Where every noun is written with a capital
/// letter, names cannot be told.
fn name(before: &[Word<'_>], object: &[Word<'_>], tables: &Tables) -> Option<Range<usize>> {
    let begins_large = |word: &Word<'_>| word.shown.starts_with(char::is_uppercase);
    let is_name = object.iter().all(|word| begins_large(word) || !is_content(word, tables));
    if tables.meaning.has_capital_nouns || !is_name {
        return None;
    }
    let from = 1 + before.iter().skip(1).position(|word| begins_large(word) && is_content(word, tables))?;
    let length = before[from..].iter().take_while(|word| is_content(word, tables)).count();
    Some(from..from + length)
}

/// What the question says something of: the words behind its first auxiliary.
fn subject(before: &[Word<'_>], tables: &Tables) -> Option<Range<usize>> {
    let rules = &tables.follow_ups;
    let mut from = before.iter().position(|word| rules.is_auxiliary(word))? + 1;
    while before.get(from).is_some_and(|word| rules.is_auxiliary(word)) {
        from += 1;
    }
    let behind = before.get(from..)?;
    let ends = |(place, word): (usize, &Word<'_>)| {
        rules.is_preposition(word)
            || rules.is_auxiliary(word)
            || rules.asks(word)
            || place > 0 && is_participle(word, tables)
    };
    let ended = behind.iter().enumerate().position(ends);
    let mut to = from + ended.unwrap_or(behind.len());
    // "How much does it cost": the verb comes last.
    let does = before[..from].iter().any(|word| matches!(word.lower.as_str(), "do" | "does" | "did"));
    if does && to - from > 1 {
        to -= 1;
    }
    let speaks_of_something = before[from..to].iter().any(|word| is_content(word, tables));
    speaks_of_something.then_some(from..to)
}

/// The new question, with what is spoken of in place of the pronoun.
pub(super) fn pronoun(asked: &[Word<'_>], place: usize, topic: &str, tables: &Tables) -> Option<Carried> {
    let rules = &tables.follow_ups;
    let word = asked.get(place)?;
    let lower = word.lower.as_str();
    let (before, mut behind) = (joined(&asked[..place]), &asked[place + 1..]);
    let noun = behind.first().filter(|next| is_content(next, tables) && !is_participle(next, tables));
    let instead = if rules.possessives.contains(&lower) {
        format!("{topic}'s")
    } else if lower == rules.place_pronoun && behind.is_empty() {
        format!("{} {topic}", rules.at_place)
    } else if lower == rules.case_pronoun && behind.is_empty() {
        format!("{} {topic}", rules.for_whom)
    } else if let Some(noun) = noun.filter(|_| rules.demonstratives.contains(&lower)) {
        behind = &behind[1..];
        let names_it = topic.split(' ').any(|word| same_word(&word.to_lowercase(), &noun.lower));
        if names_it { topic.to_owned() } else { format!("{} {} {topic}", noun.shown, rules.for_whom) }
    } else {
        topic.to_owned()
    };
    let parts = [before, instead, joined(behind)];
    let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Some(Carried::plainly(format!("{}?", capitalised(&text))))
}
