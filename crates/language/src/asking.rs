//! Questions that ask for a document itself, or for parts of it that every such document has: what it decided, and why.

pub use crate::tables::SUCCESSOR;
use crate::tables::{Aspect, WITH_SPACES};

/// What is left of a question without the addresses in it, if it asks for the documents themselves: the headings of the
/// parts it asks for, in lower case; none where it asks for the whole. None at all if it asks for anything else.
pub fn asked_parts(rest: &str) -> Option<Vec<&'static str>> {
    let lower = rest.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut headings: Vec<&'static str> = Vec::new();
    for word in words {
        match WITH_SPACES.iter().flat_map(|language| language.aspects).find(|aspect| aspect.words.contains(&word)) {
            Some(Aspect { headings: asked, .. }) => headings.extend(*asked),
            None if WITH_SPACES.iter().any(|language| language.around_address.contains(&word)) => {}
            None => return None,
        }
    }
    headings.dedup();
    Some(headings)
}

/// What of a document is asked for that is no part which every such document has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matter {
    /// The words that say what it is, in lower case.
    pub words: String,
    /// It was asked what the document says about it. Else its words may be those of a heading, and a question of any
    /// sort.
    pub is_said_about: bool,
}

/// What is left of a question without the addresses in it, if it asks for something that a document has or says.
pub fn asked_matter(rest: &str) -> Option<Matter> {
    let lower = rest.to_lowercase();
    let words: Vec<&str> = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_around = |word: &&&str| WITH_SPACES.iter().any(|language| language.around_address.contains(*word));
    let before = words.iter().take_while(is_around).count();
    let leads_on = |word: &&str| WITH_SPACES.iter().any(|language| language.about.contains(word));
    let is_said_about = before > 0 && words.get(before).is_some_and(leads_on);
    let matter: Vec<&str> = match is_said_about {
        true => words[before + 1..].to_vec(),
        false => words.iter().filter(|word| !is_around(word)).copied().collect(),
    };
    (!matter.is_empty()).then(|| Matter { words: matter.join(" "), is_said_about })
}

/// Whether a question asks if something is so: it begins with a verb.
pub fn asks_yes_or_no(question: &str) -> bool {
    let first = words(question).next();
    first.is_some_and(|first| {
        WITH_SPACES.iter().any(|language| language.follow_ups.auxiliaries.contains(&first.as_str()))
    })
}

/// Whether a question asks for things of a kind, and not for one: "which devices", "what must be returned", "for which
/// reasons".
pub fn asks_for_things(question: &str) -> bool {
    let words: Vec<String> = words(question).collect();
    WITH_SPACES.iter().any(|language| {
        let rules = &language.follow_ups;
        let leads_on = words.first().is_some_and(|first| rules.prepositions.contains(&first.as_str()));
        let asked = words.get(usize::from(leads_on)..).unwrap_or_default();
        let begins = |phrase: &&&str| {
            let length = phrase.split(' ').count();
            length < asked.len() && asked.iter().zip(phrase.split(' ')).all(|(word, other)| word == other)
        };
        rules.asking_for_things.iter().any(|phrase| begins(&phrase))
            || asked.split_first().is_some_and(|(first, behind)| {
                let ends_it = |word: &&String| {
                    rules.auxiliaries.contains(&word.as_str()) || rules.prepositions.contains(&word.as_str())
                };
                let noun = behind.iter().take_while(|word| !ends_it(word)).last();
                rules.choosing.first() == Some(&first.as_str())
                    && noun.is_some_and(|noun| noun.ends_with(rules.plural) && !noun.ends_with("ss"))
            })
    })
}

/// Whether a question asks for a figure: "how much", "what is the limit".
pub fn asks_for_figure(question: &str) -> bool {
    let words: Vec<String> = words(question).collect();
    WITH_SPACES.iter().any(|language| {
        let rules = &language.follow_ups;
        let has = |list: &[&str], word: &String| list.contains(&word.as_str());
        let measures = words.windows(2).any(|pair| has(&rules.asking, &pair[0]) && has(&rules.measures, &pair[1]));
        let asks = words.iter().any(|word| has(&rules.asking, word));
        measures || (asks && words.iter().any(|word| has(&language.amounts, word)))
    })
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|sign: char| !(sign.is_alphanumeric() || sign == '\'')).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_document_is_told_from_one_about_something() {
        for (rest, parts) in [
            ("", Some("")),
            ("Please show me and .", Some("")),
            ("What does say?", Some("")),
            ("What did decide, and why?", Some("decision")),
            ("Warum wurde abgelehnt?", Some("reasons")),
            ("Which record replaced , and why?", Some(SUCCESSOR)),
            ("What are the consequences of ?", Some("consequences")),
            ("What does decide about backups?", None),
            ("Which TLS version does require?", None),
        ] {
            let found = asked_parts(rest);
            assert_eq!(found.is_some(), parts.is_some(), "{rest}: {found:?}");
            if let (Some(found), Some(part)) = (found, parts) {
                assert!(if part.is_empty() { found.is_empty() } else { found.contains(&part) }, "{rest}: {found:?}");
            }
        }
    }

    #[test]
    fn what_a_document_says_about_something_is_told_from_other_questions() {
        for (rest, words, is_said_about) in [
            ("What does say about taxis?", "taxis", true),
            ("What is in on the use of cars?", "the use of cars", true),
            ("Was sagt zu Gutschriften?", "gutschriften", true),
            ("What is the statement of ?", "statement", false),
            ("Which TLS version does require?", "tls version require", false),
        ] {
            let expected = Matter { words: words.to_owned(), is_said_about };
            assert_eq!(asked_matter(rest), Some(expected), "{rest}");
        }
        assert_eq!(asked_matter("What does say?"), None);
    }

    #[test]
    fn the_form_of_a_question_is_told_by_its_first_words() {
        for (question, yes_or_no, things) in [
            ("Is business class paid?", true, false),
            ("Darf ich das?", true, false),
            ("Which devices are sent back?", false, true),
            ("For which reasons is it refused?", false, true),
            ("Which costs of a move are paid?", false, true),
            ("Which floor of the houses is it?", false, false),
            ("Welche Geräte sind es?", false, true),
            ("How long is it kept?", false, false),
            ("", false, false),
        ] {
            assert_eq!((asks_yes_or_no(question), asks_for_things(question)), (yes_or_no, things), "{question}");
        }
        for (question, figure) in [
            ("What is the daily limit for lunch?", true),
            ("How much may a room cost?", true),
            ("Wie viel kostet das?", true),
            ("Was ist der Höchstbetrag?", true),
            ("Who sets the date?", false),
            ("Is there a limit?", false),
        ] {
            assert_eq!(asks_for_figure(question), figure, "{question}");
        }
    }
}
