//! What is said to somebody rather than asked of documents, and what kind of question something is.

use crate::tables::{List, Talk, WITH_SPACES};

/// What is said and asks nothing of the documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SmallTalk {
    Greeting,
    Thanks,
    /// What can be asked here.
    AboutAssistant,
}

/// Whether a text is a greeting, thanks or a question about the assistant, and nothing else.
pub fn small_talk(text: &str) -> Option<SmallTalk> {
    let spaced = spaced(text);
    WITH_SPACES.iter().find_map(|language| in_language(&spaced, &language.talk))
}

fn in_language(spaced: &str, talk: &Talk) -> Option<SmallTalk> {
    let (mut rest, mut greets, mut thanks) = (spaced.trim(), false, false);
    while !rest.is_empty() {
        if talk.about_assistant.contains(&rest) {
            return Some(SmallTalk::AboutAssistant);
        }
        let (after, is_greeting, is_thanks) = [(talk.greetings, true, false), (talk.thanks, false, true)]
            .into_iter()
            .find_map(|(phrases, greeting, thanks)| Some((after(rest, phrases)?, greeting, thanks)))
            .or_else(|| Some((after(rest, talk.beside)?, false, false)))?;
        (rest, greets, thanks) = (after, greets || is_greeting, thanks || is_thanks);
    }
    match (thanks, greets) {
        (true, _) => Some(SmallTalk::Thanks),
        (false, true) => Some(SmallTalk::Greeting),
        (false, false) => None,
    }
}

/// What follows the longest of the phrases that a text begins with.
fn after(text: &str, phrases: List) -> Option<&str> {
    let rests = phrases.into_iter().filter_map(|phrase| {
        let rest = text.strip_prefix(phrase)?;
        (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start())
    });
    rests.min_by_key(|rest| rest.len())
}

/// Whether a question asks how something is done.
pub fn asks_how(text: &str) -> bool {
    let spaced = spaced(text);
    WITH_SPACES.iter().any(|language| after(spaced.trim(), language.talk.how_to).is_some())
}

/// Whether a question begins as one does that leans on what was said before it.
pub fn leans_on_history(text: &str) -> bool {
    let spaced = spaced(text);
    WITH_SPACES.iter().any(|language| after(spaced.trim(), language.talk.leaning).is_some())
}

/// In lower case, words parted by single spaces, without signs.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|sign: char| !(sign.is_alphanumeric() || sign == '\'')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_nothing_but_small_talk_is_small_talk() {
        use SmallTalk::{AboutAssistant, Greeting, Thanks};
        for (text, expected) in [
            ("Hi", Some(Greeting)),
            ("Hello there!", Some(Greeting)),
            ("Good morning, everyone.", Some(Greeting)),
            ("Hey, how are you?", Some(Greeting)),
            ("Thanks", Some(Thanks)),
            ("Thank you very much!", Some(Thanks)),
            ("Great, thanks a lot for your help.", Some(Thanks)),
            ("Hi, what can you do?", Some(AboutAssistant)),
            ("What can you do?", Some(AboutAssistant)),
            ("help", Some(AboutAssistant)),
            ("Guten Tag", Some(Greeting)),
            ("Vielen Dank!", Some(Thanks)),
            ("Was kannst du?", Some(AboutAssistant)),
            ("Hi, what is the mileage rate?", None),
            ("Thanks, and who approves it?", None),
            ("What can you do about TLS?", None),
            ("Help desk opening hours", None),
            ("ok", None),
            ("High availability", None),
            ("", None),
        ] {
            assert_eq!(small_talk(text), expected, "{text}");
        }
    }

    #[test]
    fn a_question_that_asks_how_and_one_that_leans_on_history_are_told_by_how_they_begin() {
        assert!(asks_how("How do I reset the router?") && asks_how("Wie kann ich Urlaub beantragen?"));
        assert!(!asks_how("What is the mileage rate?"));
        assert!(leans_on_history("And for contractors?") && leans_on_history("What about trains?"));
        assert!(!leans_on_history("Android devices are allowed where?"));
    }
}
