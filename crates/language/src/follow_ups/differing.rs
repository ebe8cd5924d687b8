//! Two things that are said to differ: "how does A differ from B", "what is the difference between A and B". Each is asked
//! for by itself.

use super::words::{Word, is_content, joined, phrase_in};
use crate::tables::{FollowUps, Tables};

/// What is asked of each of the two; none where the question does not hold two things against each other.
pub(super) fn differing(asked: &[Word<'_>], tables: &Tables) -> Option<[String; 2]> {
    let rules = &tables.follow_ups;
    let (things, matter) = by_verb(asked, rules).or_else(|| by_noun(asked, rules).map(|things| (things, &[][..])))?;
    let things = with_what_they_share(things, rules);
    let names_something = |words: &[Word<'_>]| words.iter().any(|word| is_content(word, tables) || word.has_digit());
    let all_named = things.iter().all(|thing| names_something(thing));
    all_named.then(|| things.map(|thing| asked_for(&thing, matter, rules)))
}

/// "How do A and B differ in C", "how does A differ from B", and in German the verb before both: the two, and C.
fn by_verb<'a, 'b>(asked: &'a [Word<'b>], rules: &FollowUps) -> Option<([&'a [Word<'b>]; 2], &'a [Word<'b>])> {
    rules.asks(asked.first()?).then_some(())?;
    let verb = asked.iter().position(|word| rules.differ.contains(&word.lower.as_str()))?;
    // "Wie unterscheiden sich": what is behind the reflexive is all there is.
    let (before, behind) = match verb {
        1 => (&[][..], asked.get(3..)?),
        _ if rules.is_auxiliary(&asked[1]) => (&asked[2..verb], &asked[verb + 1..]),
        _ => return None,
    };
    let is = |word: &Word<'_>, what: &str| word.lower == what;
    let (behind, matter) = match behind.iter().rposition(|word| is(word, rules.differ_in)) {
        Some(place) => (&behind[..place], &behind[place + 1..]),
        None => (behind, &[][..]),
    };
    let owned = matter.iter().take_while(|word| rules.possessives.contains(&word.lower.as_str())).count();
    let pair = match behind.iter().position(|word| is(word, rules.differ_from)) {
        Some(0) => [before, &behind[1..]],
        Some(place) => [&behind[..place], &behind[place + 1..]],
        None if before.is_empty() => at_and(behind, rules)?,
        None if behind.is_empty() => at_and(before, rules)?,
        None => return None,
    };
    Some((pair, &matter[owned..]))
}

/// "What is the difference between A and B": the two.
fn by_noun<'a, 'b>(asked: &'a [Word<'b>], rules: &FollowUps) -> Option<[&'a [Word<'b>]; 2]> {
    at_and(&asked[phrase_in(asked, &rules.difference)?.end..], rules)
}

/// What stands before the first "and" and behind it.
fn at_and<'a, 'b>(both: &'a [Word<'b>], rules: &FollowUps) -> Option<[&'a [Word<'b>]; 2]> {
    let place = both.iter().position(|word| rules.and.contains(&word.lower.as_str()))?;
    Some([&both[..place], &both[place + 1..]])
}

/// "The limits of A and B" are those of A and those of B.
fn with_what_they_share<'b>([one, other]: [&[Word<'b>]; 2], rules: &FollowUps) -> [Vec<Word<'b>>; 2] {
    let of_both = one.iter().position(|word| word.lower == rules.of_which);
    let has_its_own = other.iter().any(|word| rules.is_preposition(word));
    let shared = of_both.filter(|_| !has_its_own).map_or(&[][..], |place| &one[..=place]);
    [one.to_vec(), [shared, other].concat()]
}

/// "What is A", or "what are the C of A".
fn asked_for(thing: &[Word<'_>], matter: &[Word<'_>], rules: &FollowUps) -> String {
    let [one, several] = rules.what_is;
    let of_which = |words: &[Word<'_>]| words.iter().position(|word| word.lower == rules.of_which);
    let asked = if matter.is_empty() { &thing[..of_which(thing).unwrap_or(thing.len())] } else { matter };
    let are_several = asked.last().is_some_and(|word| !rules.plural.is_empty() && word.lower.ends_with(rules.plural));
    let what_is = if are_several { several } else { one };
    match matter {
        [] => format!("{what_is} {}?", joined(thing)),
        _ => {
            let of_thing = rules.matter_of.replace("{matter}", &joined(matter)).replace("{thing}", &joined(thing));
            format!("{what_is} {of_thing}?")
        }
    }
}
