//! A question that asks for several things, taken apart: "how is data encrypted on the wire, and how at rest?".
//!
//! Only what joins two questions by its form is taken apart: a question word behind "and", "compared with", or two things
//! that are said to differ. What the second one leaves out is carried over from the first.

use super::carried::{fragment_in_place, in_place_of_complement};
use super::differing::differing;
use super::words::{Word, capitalised, is_content, joined, phrase_in, words};
use super::{Spoken, language_of};
use crate::tables::Tables;

/// What the question asks for, each so that it stands by itself, in the order of the question. None where it asks for one
/// thing, or for more than `most`.
pub fn taken_apart(question: &str, most: usize) -> Vec<String> {
    let parts = match sentences(question) {
        sentences if sentences.len() > 1 => sentences,
        _ => joined_questions(question),
    };
    let are_several = (2..=most).contains(&parts.len());
    let differ = parts.iter().enumerate().all(|(place, part)| !parts[..place].contains(part));
    if are_several && differ { parts } else { Vec::new() }
}

/// "What is A? And what is B?": each after those before it.
fn sentences(question: &str) -> Vec<String> {
    let question = question.trim();
    let pieces: Vec<&str> = question.split_inclusive('?').map(str::trim).filter(|piece| !piece.is_empty()).collect();
    if pieces.len() < 2 || !pieces.iter().all(|piece| piece.ends_with('?') && piece.len() > 1) {
        return Vec::new();
    }
    let mut spoken = Spoken::default();
    let mut parts = Vec::new();
    for piece in pieces {
        let part = spoken.self_contained(piece).unwrap_or_else(|| piece.to_owned());
        spoken.answered(piece);
        parts.push(part);
    }
    parts
}

fn joined_questions(question: &str) -> Vec<String> {
    let asked = words(question);
    let tables = language_of(&asked, &[]);
    if !begins_a_question(&asked, tables) {
        return Vec::new();
    }
    if let Some(each) = differing(&asked, tables) {
        return each.into();
    }
    let found = compared(&asked, tables).or_else(|| behind_and(&asked, tables));
    let Some((first, second)) = found else { return Vec::new() };
    vec![format!("{}?", joined(first)), second]
}

/// With a question word, perhaps behind a preposition, or with a verb.
fn begins_a_question(asked: &[Word<'_>], tables: &Tables) -> bool {
    let rules = &tables.follow_ups;
    match asked {
        [first, second, ..] => {
            rules.asks(first) || rules.is_auxiliary(first) || (rules.is_preposition(first) && rules.asks(second))
        }
        _ => false,
    }
}

/// "How many days do on-site roles have compared with most roles": the first question, and the second.
fn compared<'a, 'b>(asked: &'a [Word<'b>], tables: &Tables) -> Option<(&'a [Word<'b>], String)> {
    let phrase = phrase_in(asked, &tables.follow_ups.compared)?;
    let (first, other) = (&asked[..phrase.start], &asked[phrase.end..]);
    Some((first, asked_of(first, other, tables)?))
}

/// "How is data encrypted on the wire, and how at rest": the first question, and the second.
fn behind_and<'a, 'b>(asked: &'a [Word<'b>], tables: &Tables) -> Option<(&'a [Word<'b>], String)> {
    let rules = &tables.follow_ups;
    let is_and = |word: &Word<'_>| rules.and.contains(&word.lower.as_str());
    let place = (1..asked.len()).find(|place| {
        let behind = &asked[place + 1..];
        let asks_behind = behind.first().is_some_and(|word| {
            rules.asks(word) || (rules.is_preposition(word) && behind.get(1).is_some_and(|next| rules.asks(next)))
        });
        // "When and where is it held" asks one thing of one thing.
        is_and(&asked[*place]) && asks_behind && !rules.asks(&asked[place - 1])
    })?;
    let (first, second) = (&asked[..place], &asked[place + 1..]);
    if !first.iter().any(|word| is_content(word, tables)) {
        return None;
    }
    Some((first, stands_alone(first, second, tables)?))
}

/// The second question, with what it leaves out.
fn stands_alone(first: &[Word<'_>], second: &[Word<'_>], tables: &Tables) -> Option<String> {
    let rules = &tables.follow_ups;
    let asking = second.iter().position(|word| rules.asks(word))?;
    let measures = second[asking + 1..].iter().take_while(|word| rules.is_measure(word)).count();
    let rest = &second[asking + 1 + measures..];
    let is_clause = rest.iter().any(|word| rules.is_auxiliary(word));
    let asks_for_subject = rules.asking_for_subject.contains(&second[asking].lower.as_str());
    let has_verb = asks_for_subject && measures == 0 && rest.len() > 1 && is_content(&rest[0], tables);
    if !is_clause && !has_verb {
        // "And why?" is of the whole, and asks no second thing that could be looked for by itself.
        return asked_of(first, rest, tables);
    }
    if let Some(text) = of_another(first, second, asking + 1 + measures, tables) {
        return Some(text);
    }
    let begins_with_verb = measures > 0 && rest.first().is_some_and(|word| rules.is_auxiliary(word));
    let counted = if begins_with_verb { counted(first, tables) } else { &[] };
    let (head, tail) = second.split_at(asking + 1 + measures);
    let text = [joined(head), joined(counted), joined(tail)];
    let text = text.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let text = format!("{}?", capitalised(&text));
    let mut spoken = Spoken::default();
    spoken.answered(&format!("{}?", joined(first)));
    Some(spoken.self_contained(&text).unwrap_or(text))
}

/// "And through what do partners": the first question of somebody else, where the second has its auxiliary at `at`, one name
/// and no verb.
fn of_another(first: &[Word<'_>], second: &[Word<'_>], at: usize, tables: &Tables) -> Option<String> {
    let rules = &tables.follow_ups;
    let auxiliary = second.get(at).filter(|word| rules.is_auxiliary(word))?;
    let name = &second[at + 1..];
    let is_name = name.iter().filter(|word| !rules.is_determiner(word)).count() == 1;
    let in_first = first.iter().position(|word| word.lower == auxiliary.lower).filter(|_| is_name)?;
    let behind = &first[in_first + 1..];
    let subject = behind.iter().position(|word| !rules.is_determiner(word))? + 1;
    let same = [&first[..=in_first], name, &behind[subject..]].concat();
    let says_more = behind.len() > subject && !rules.is_preposition(&behind[subject]);
    says_more.then(|| format!("{}?", capitalised(&joined(&same))))
}

/// What the first question counts: "remote days" of "how many remote days are allowed".
fn counted<'a, 'b>(first: &'a [Word<'b>], tables: &Tables) -> &'a [Word<'b>] {
    let rules = &tables.follow_ups;
    let Some(measure) = first.iter().position(|word| rules.is_measure(word)) else { return &[] };
    let behind = &first[measure + 1..];
    let length = behind.iter().take_while(|word| !rules.is_auxiliary(word) && !rules.is_preposition(word)).count();
    if length < behind.len() { &behind[..length] } else { &[] }
}

/// The first question asked of what the phrase says.
fn asked_of(first: &[Word<'_>], phrase: &[Word<'_>], tables: &Tables) -> Option<String> {
    if !phrase.iter().any(|word| is_content(word, tables) || word.has_digit()) {
        return None;
    }
    let rules = &tables.follow_ups;
    let is_adverbial =
        rules.is_preposition(&phrase[0]) || phrase.iter().all(|word| rules.adverbs.contains(&word.lower.as_str()));
    let text = match fragment_in_place(first, phrase, !is_adverbial, tables) {
        Some(text) => text,
        None => in_place_of_complement(first, phrase, tables),
    };
    Some(format!("{}?", capitalised(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_are_joined_are_taken_apart_so_that_each_stands_by_itself() {
        let rows: &[(&str, &[&str])] = &[
            (
                "How is mail encrypted on the way, and how at rest?",
                &["How is mail encrypted on the way?", "How is mail encrypted at rest?"],
            ),
            (
                "How long are values kept online, and how long in the archive?",
                &["How long are values kept online?", "How long are values kept in the archive?"],
            ),
            (
                "How many days are allowed in the first year, and how many afterwards?",
                &["How many days are allowed in the first year?", "How many days are allowed afterwards?"],
            ),
            (
                "How many desks does a small office have compared with a large office?",
                &["How many desks does a small office have?", "How many desks does a large office have?"],
            ),
            (
                "How much may tier 1 lose compared to tier 2?",
                &["How much may tier 1 lose?", "How much may tier 2 lose?"],
            ),
            (
                "What does the firm pay for lunch in the canteen, and how much for a dinner with guests?",
                &[
                    "What does the firm pay for lunch in the canteen?",
                    "What does the firm pay for a dinner with guests?",
                ],
            ),
            (
                "Which paper is used for letters and which for posters?",
                &["Which paper is used for letters?", "Which paper is used for posters?"],
            ),
            (
                "Through what do guests enter the house, and through what do drivers?",
                &["Through what do guests enter the house?", "Through what do drivers enter the house?"],
            ),
            (
                "How do the room limits of the northern sites and the harbour compare?",
                &["What are the room limits of the northern sites?", "What are the room limits of the harbour?"],
            ),
            (
                "How does a plain ticket differ from a return ticket?",
                &["What is a plain ticket?", "What is a return ticket?"],
            ),
            (
                "How do copper and glass lines differ in their speeds?",
                &["What are the speeds of copper?", "What are the speeds of glass lines?"],
            ),
            (
                "What is the difference between a door in the hall and a gate?",
                &["What is a door in the hall?", "What is a gate?"],
            ),
            ("Wie unterscheiden sich Kupfer und Glas?", &["Was ist Kupfer?", "Was ist Glas?"]),
            ("Was ist der Unterschied zwischen Mahnung und Sperre?", &["Was ist Mahnung?", "Was ist Sperre?"]),
            (
                "What does a parcel cost, and what has to be written on the label?",
                &["What does a parcel cost?", "What has to be written on the label?"],
            ),
            (
                "Who approves trips to France and who pays for hotels in Spain?",
                &["Who approves trips to France?", "Who pays for hotels in Spain?"],
            ),
            (
                "How often are passwords changed and who changes them?",
                &["How often are passwords changed?", "Who changes passwords?"],
            ),
            (
                "How many keys are handed out in summer and how many are handed out in winter?",
                &["How many keys are handed out in summer?", "How many keys are handed out in winter?"],
            ),
            (
                "What is a relay? And who owns the fuses of a house?",
                &["What is a relay?", "And who owns the fuses of a house?"],
            ),
            (
                "Wie lange werden Daten online gespeichert, und wie lange im Archiv?",
                &["Wie lange werden Daten online gespeichert?", "Wie lange werden Daten online im Archiv gespeichert?"],
            ),
            (
                "Was kostet ein Umzug, und was muss am Router eingestellt werden?",
                &["Was kostet ein Umzug?", "Was muss am Router eingestellt werden?"],
            ),
        ];
        let wrong: Vec<_> = rows
            .iter()
            .map(|(question, expected)| (taken_apart(question, 3), expected.to_vec()))
            .filter(|(parts, expected)| parts != expected)
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_asks_one_thing_is_left_as_it_is() {
        for question in [
            "How many days of leave are there?",
            "What are the limits for meals and hotels?",
            "When and where is the course held?",
            "What did the board decide, and why?",
            "My daughter is ill and eight years old, how many days may I stay with her?",
            "How do the two houses differ?",
            "How do prices compare?",
            "Which plan is faster, the small or the large one?",
            "Research and development: who pays?",
            "leave and sickness",
            "",
        ] {
            assert_eq!(taken_apart(question, 3), Vec::<String>::new(), "{question}");
        }
        assert!(taken_apart("What is A? What is B? What is C?", 2).is_empty(), "more than are read");
    }
}
