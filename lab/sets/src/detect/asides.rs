//! Sentences that claim nothing of their own: what the sources do not say, what introduces a list, courtesies.
//!
//! None of them is ever released. Here they are told apart because whoever marked the answers did not mark them as
//! invented, so they count neither for nor against a verifier. Their figures are checked like any other sentence's, a
//! sentence that goes on after "but" is a claim, and one that only ends in a colon is too unless it announces what follows.

use ibidem_language::denials::is_about_sources;

/// Why a sentence needs no support.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aside {
    /// The sources do not say.
    Absence,
    /// A list or an explanation follows.
    Introduction,
    /// A word to the reader.
    Courtesy,
}

/// What sources do, or do not do.
const SAYING: [&str; 22] = [
    "address",
    "answer",
    "contain",
    "define",
    "describe",
    "directly",
    "discuss",
    "explain",
    "explicitly",
    "give",
    "include",
    "indicate",
    "list",
    "mention",
    "name",
    "offer",
    "provide",
    "say",
    "specifically",
    "specify",
    "state",
    "tell",
];
/// What was not done.
const SAID: [&str; 14] = [
    "addressed",
    "answered",
    "clear",
    "contained",
    "described",
    "discussed",
    "explained",
    "given",
    "included",
    "indicated",
    "mentioned",
    "provided",
    "specified",
    "stated",
];
/// What nobody can do.
const FINDING: [&str; 7] = ["answer", "determine", "find", "provide", "say", "specify", "tell"];
/// What there is none of.
const TOLD: [&str; 8] = ["answer", "details", "direct", "evidence", "information", "indication", "mention", "specific"];
/// What comes after is a claim again.
const TURNS: [&str; 8] = ["although", "but", "except", "however", "instead", "though", "while", "yet"];
/// What announces.
const ANNOUNCING: [&str; 16] = [
    "below",
    "examples",
    "factors",
    "following",
    "follows",
    "here",
    "here's",
    "here’s",
    "include",
    "includes",
    "including",
    "key",
    "reasons",
    "steps",
    "tips",
    "ways",
];
const COURTESIES: [&[&str]; 9] = [
    &["i", "hope"],
    &["let", "me", "know"],
    &["please", "let", "me", "know"],
    &["feel", "free"],
    &["if", "you", "have", "any"],
    &["thank", "you"],
    &["sure"],
    &["certainly"],
    &["of", "course"],
];
/// A courtesy is short; what goes on longer says something.
const LONGEST_COURTESY: usize = 16;
const LONGEST_INTRODUCTION: usize = 25;
/// As a heading has.
const LONGEST_LABEL: usize = 3;

/// Whether a sentence claims nothing, and why. Figures in it are to be checked all the same.
pub fn aside(sentence: &str) -> Option<Aside> {
    let trimmed = sentence.trim().trim_end_matches(['*', '_', ' ']);
    let lower = trimmed.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !(character.is_alphanumeric() || matches!(character, '\'' | '’')))
        .filter(|word| !word.is_empty())
        .collect();
    if is_absence(&words) {
        return Some(Aside::Absence);
    }
    if trimmed.ends_with([':', '：']) {
        let announces = words.iter().any(|word| is_among(word, &ANNOUNCING));
        let introduces = words.len() <= LONGEST_LABEL || (announces && words.len() <= LONGEST_INTRODUCTION);
        return introduces.then_some(Aside::Introduction);
    }
    if let [letter] = words.as_slice()
        && letter.chars().nth(1).is_none()
    {
        // The label of a list's item.
        return Some(Aside::Introduction);
    }
    let is_courtesy = words.len() <= LONGEST_COURTESY && COURTESIES.iter().any(|courtesy| words.starts_with(courtesy));
    is_courtesy.then_some(Aside::Courtesy)
}

fn is_absence(words: &[&str]) -> bool {
    let speaks_of_sources = words.iter().any(|word| is_about_sources(word) || matches!(*word, "i" | "there" | "it"));
    let denied = (0..words.len()).find_map(|at| denied_until(&words[at..]).map(|length| at + length));
    denied.is_some_and(|end| speaks_of_sources && !words[end..].iter().any(|word| is_among(word, &TURNS)))
}

/// The length of a denial that begins here: "does not mention", "no information", "cannot be determined".
fn denied_until(words: &[&str]) -> Option<usize> {
    let within = |from: usize, list: &[&str]| {
        let found = words.iter().skip(from).take(3).position(|word| is_among(word, list));
        found.map(|place| from + place + 1)
    };
    match words {
        ["do" | "does" | "did", "not", ..] => within(2, &SAYING),
        ["don't" | "doesn't" | "didn't" | "don’t" | "doesn’t" | "didn’t", ..] => within(1, &SAYING),
        ["no", ..] => within(1, &TOLD),
        ["not", "possible", "to", ..] => within(3, &FINDING),
        ["not", ..] => within(1, &SAID),
        ["unable" | "impossible", "to", ..] => within(2, &FINDING),
        ["cannot" | "can't" | "can’t", ..] => within(1, &FINDING).or_else(|| within(1, &["determined", "answered"])),
        ["can", "not", ..] => within(2, &FINDING),
        _ => None,
    }
}

fn is_among(word: &str, list: &[&str]) -> bool {
    list.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claims_nothing_is_told_from_what_does() {
        let none = None;
        for (sentence, expected) in [
            ("The passages do not mention the price.", Some(Aside::Absence)),
            ("The notes don't say who approved it.", Some(Aside::Absence)),
            ("There is no information about refunds in the sources.", Some(Aside::Absence)),
            ("I am unable to answer from the given text.", Some(Aside::Absence)),
            ("It is not specified in the documents.", Some(Aside::Absence)),
            ("Based on the given passages, here are the steps to reset a password:", Some(Aside::Introduction)),
            ("Here's what the notes say about it:", Some(Aside::Introduction)),
            ("**Ingredients:**", Some(Aside::Introduction)),
            ("a.", Some(Aside::Introduction)),
            ("I hope this helps!", Some(Aside::Courtesy)),
            ("The limit is 40 euros.", none),
            ("Passwords do not expire.", none),
            ("No.", none),
            ("The price is not paid by the tenant.", none),
        ] {
            assert_eq!(aside(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn an_aside_carries_no_claim_past_the_verifier() {
        for sentence in [
            "The passages do not mention the price, but it is usually paid by the tenant.",
            "The notes do not say who pays; however, the landlord must.",
            "The landlord must repaint all the rooms before the tenant moves in, and pays for it:",
            "Sure, the landlord must repaint all the rooms before the tenant moves in and also pays for the new floor.",
        ] {
            assert_eq!(aside(sentence), None, "{sentence}");
        }
    }
}
