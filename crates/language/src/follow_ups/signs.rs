//! By what a question shows that it goes on with the one before.

use super::words::{Word, is_content};
use crate::tables::{FollowUps, Tables};

/// Why a question does not stand by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign<'a, 'b> {
    /// A phrase in place of one of the last question: "and for part-timers?".
    Fragment(&'a [Word<'b>]),
    /// The same is asked of what this names: "does the same apply to part-timers?".
    Same(&'a [Word<'b>]),
    /// A pronoun at this place.
    Pronoun(usize),
    /// Which of those that were spoken of: "which is longer?".
    Choice,
    /// Something that is always of something: "are there exceptions?".
    Relational,
    /// It says too little by itself: "and who approves?".
    Poor(&'a [Word<'b>]),
    /// Nothing but a question word: "why?".
    Bare(&'a [Word<'b>]),
}

/// A question that goes on has at most so many words that say what it is about.
const MOST_OF_A_POOR_ONE: usize = 2;
/// A phrase with more words is a question of its own.
const LONGEST_FRAGMENT: usize = 8;

pub(super) fn sign<'a, 'b>(asked: &'a [Word<'b>], is_asked: bool, tables: &Tables) -> Option<Sign<'a, 'b>> {
    let rules = &tables.follow_ups;
    if asked.is_empty() {
        return None;
    }
    if let Some(rest) = after(asked, &rules.same).filter(|rest| !rest.is_empty()) {
        return Some(Sign::Same(rest));
    }
    let opened = after(asked, &rules.openings).filter(|rest| !rest.is_empty());
    let rest = opened.unwrap_or(asked);
    let content = rest.iter().filter(|word| is_content(word, tables)).count();
    // "What about accounts that are not used": a phrase follows, whatever is in it.
    let names_a_phrase =
        opened.is_some() && asked.get(asked.len() - rest.len() - 1).is_some_and(|word| rules.is_preposition(word));
    let is_question = rest.iter().any(|word| rules.asks(word) || rules.is_auxiliary(word));
    if (names_a_phrase || !is_question) && content > 0 && rest.len() <= LONGEST_FRAGMENT {
        let begins_with_preposition = rules.is_preposition(&rest[0]);
        // Keywords alone are a search, and stand by themselves.
        if opened.is_some() || (is_asked && begins_with_preposition && content <= MOST_OF_A_POOR_ONE) {
            return Some(Sign::Fragment(rest));
        }
        return None;
    }
    let is_asking = rest.iter().any(|word| rules.asks(word));
    if content == 0 && is_asking && pronoun(rest, tables).is_none() {
        return Some(Sign::Bare(rest));
    }
    if is_choice(rest, tables) {
        return Some(Sign::Choice);
    }
    if let Some(place) = pronoun(asked, tables) {
        return Some(Sign::Pronoun(place));
    }
    let has_name = rest.iter().any(Word::has_digit);
    if has_name || content > MOST_OF_A_POOR_ONE {
        return None;
    }
    if rest.iter().any(|word| rules.relational.contains(&word.lower.as_str())) {
        return Some(Sign::Relational);
    }
    if opened.is_some() && content <= 1 {
        return Some(Sign::Poor(rest));
    }
    // "Who approves?" says of nothing; "what is retention?" asks for what it names.
    let says_of_nothing =
        content == 1 && rest.len() > 1 && is_asking && !rest.iter().any(|word| rules.is_auxiliary(word));
    says_of_nothing.then_some(Sign::Poor(rest))
}

/// What follows one of these openings, the longest first.
fn after<'a, 'b>(asked: &'a [Word<'b>], openings: &[&str]) -> Option<&'a [Word<'b>]> {
    let begins = |opening: &&&str| {
        let mut opening = opening.split(' ');
        let count = opening.clone().count();
        asked.len() >= count && asked.iter().zip(&mut opening).all(|(word, opening)| word.lower == opening)
    };
    let longest = openings.iter().filter(begins).map(|opening| opening.split(' ').count()).max()?;
    asked.get(longest..)
}

/// "Which is longer?", "which of them is newer?", "which one applies?".
fn is_choice(rest: &[Word<'_>], tables: &Tables) -> bool {
    let rules = &tables.follow_ups;
    let [first, second, ..] = rest else { return false };
    let chooses = rules.choosing.first() == Some(&first.lower.as_str())
        || rules.choosing.len() > 2 && rules.choosing[..rules.choosing.len() - 1].contains(&first.lower.as_str());
    let of_those =
        second.lower == "one" || second.lower == "ones" || rules.is_preposition(second) && is_of_those(rest, rules);
    let content = rest.iter().filter(|word| is_content(word, tables)).count();
    chooses && (of_those || rules.is_auxiliary(second) && content <= MOST_OF_A_POOR_ONE)
}

fn is_of_those(rest: &[Word<'_>], rules: &FollowUps) -> bool {
    rest.get(2).is_some_and(|word| {
        let lower = word.lower.as_str();
        lower == "the" || lower == "two" || rules.pronouns.contains(&lower) || rules.demonstratives.contains(&lower)
    })
}

/// Where a pronoun stands for something that is not in the question itself.
pub(super) fn pronoun(asked: &[Word<'_>], tables: &Tables) -> Option<usize> {
    (0..asked.len()).find(|place| stands_for_something_before(asked, *place, tables))
}

fn stands_for_something_before(asked: &[Word<'_>], place: usize, tables: &Tables) -> bool {
    let rules = &tables.follow_ups;
    let word = &asked[place];
    let lower = word.lower.as_str();
    let (before, behind) = (&asked[..place], &asked[place + 1..]);
    let content = |words: &[Word<'_>]| words.iter().filter(|word| is_content(word, tables)).count();
    let next_is_content = behind.first().is_some_and(|next| is_content(next, tables));
    // A polite "Sie" is the one who is spoken to.
    if lower == "sie" && place > 0 && word.shown.starts_with('S') {
        return false;
    }
    let follows_a_clause =
        content(before) > 0
            && (before.iter().any(|word| word.ends_a_clause)
                || before.iter().enumerate().skip(1).any(|(at, word)| {
                    rules.subordinators.contains(&word.lower.as_str()) && content(&before[..at]) > 0
                }));
    if rules.possessives.contains(&lower) && !rules.auxiliaries.contains(&lower) {
        return content(before) < 2;
    }
    if rules.demonstratives.contains(&lower) {
        let is_moment = behind.first().is_some_and(|next| rules.moments.contains(&next.lower.as_str()));
        // "Documents that are …": it belongs to the noun before it.
        let is_relative = lower == "that"
            && before.last().is_some_and(|word| is_content(word, tables))
            && content(before) > 0
            && before.iter().any(|word| rules.is_auxiliary(word))
            && !behind.is_empty();
        return !is_moment && !is_relative && !follows_a_clause;
    }
    if rules.article_pronouns.contains(&lower) {
        let is_alone = behind.first().is_none_or(|next| !next_is_content && !rules.is_determiner(next));
        return is_alone && place > 0 && !follows_a_clause;
    }
    // "Is there a limit", "how many are there": only at the end, and behind no form of "be", it stands for a place.
    if lower == rules.place_pronoun && behind.is_empty() {
        let is_place = before.last().is_some_and(|word| !rules.is_auxiliary(word));
        return is_place && content(before) > 0 && !follows_a_clause;
    }
    // "If the light is red, what do I do then": the case is in the question.
    if lower == rules.case_pronoun && behind.is_empty() {
        return content(before) > 0 && !follows_a_clause;
    }
    if !rules.pronouns.contains(&lower) || follows_a_clause {
        return false;
    }
    // "How long does it take to …": what it stands for follows.
    let says_itself = matches!(lower, "it" | "es")
        && behind.iter().any(|word| matches!(word.lower.as_str(), "to" | "that" | "dass" | "zu"))
        && content(behind) > MOST_OF_A_POOR_ONE;
    !says_itself
}
