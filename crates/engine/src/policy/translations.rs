//! The same texts in another language, for whoever asks in it. They change no decision.

use std::collections::BTreeMap;
use std::sync::Arc;

use ibidem_language::Language;
use ibidem_words::Reason;
use serde::Deserialize;

use super::{
    AddressWording, FigureWording, ListWording, Policy, Rules, SmallTalkRules, TerminologyWording, TopicWording,
    ValidityWording,
};

/// Texts that stand in place of the policy file's own where a question is asked in their language. What is left out is said
/// in the policy file's own language.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Translation {
    /// In place of `wording.refusal`.
    pub refusal: Option<String>,
    /// In place of `wording.refusal_by_reason`.
    pub refusal_by_reason: BTreeMap<Reason, String>,
    /// In place of `wording.why_by_reason`.
    pub why_by_reason: BTreeMap<Reason, String>,
    /// In place of `wording.extractive_notice`.
    pub extractive_notice: Option<String>,
    /// In place of `wording.next_steps`.
    pub next_steps: Vec<String>,
    /// In place of `wording.unverified`.
    pub unverified: Option<String>,
    /// In place of `wording.cut_short`.
    pub cut_short: Option<String>,
    /// In place of `wording.draft`.
    pub draft: Option<String>,
    /// In place of `wording.stale`.
    pub stale: Option<String>,
    /// In place of `wording.standing`.
    pub standing: Option<ValidityWording>,
    /// In place of `speak.quote_instead`.
    pub quote_instead: Option<String>,
    /// In place of `refusals.read`.
    pub read: Option<String>,
    /// In place of `refusals.beside`.
    pub beside: Option<String>,
    /// In place of `refusals.unread`.
    pub unread: Option<String>,
    /// In place of `refusals.question`.
    pub question: Option<String>,
    /// In place of `gather.parts.not_answered`.
    pub part_not_answered: Option<String>,
    /// In place of `gather.small_talk`.
    pub small_talk: Option<SmallTalkRules>,
    /// In place of `gather.addresses.wording`.
    pub addresses: Option<AddressWording>,
    /// In place of `gather.lists.wording`.
    pub lists: Option<ListWording>,
    /// In place of `gather.figures.wording`.
    pub figures: Option<FigureWording>,
    /// In place of `gather.terminology.wording`.
    pub terminology: Option<TerminologyWording>,
    /// In place of `gather.topics.wording`.
    pub topics: Option<TopicWording>,
}

impl Translation {
    fn lay_over(&self, rules: &mut Rules) {
        let wording = &mut rules.wording;
        put(&mut wording.refusal, self.refusal.as_ref());
        put(&mut wording.extractive_notice, self.extractive_notice.as_ref());
        put(&mut wording.unverified, self.unverified.as_ref());
        put(&mut wording.cut_short, self.cut_short.as_ref());
        put(&mut wording.draft, self.draft.as_ref());
        put(&mut wording.stale, self.stale.as_ref());
        put(&mut wording.standing, self.standing.as_ref());
        put(&mut wording.next_steps, Some(&self.next_steps).filter(|steps| !steps.is_empty()));
        // A reason that has words in the one language alone is told in the words for all reasons of the other.
        if self.refusal.is_some() {
            wording.refusal_by_reason.clone_from(&self.refusal_by_reason);
        }
        wording.why_by_reason.clone_from(&self.why_by_reason);
        if rules.speak.quote_instead.is_some() && self.quote_instead.is_some() {
            rules.speak.quote_instead.clone_from(&self.quote_instead);
        }
        if let Some(refusals) = &mut rules.refusals {
            put(&mut refusals.read, self.read.as_ref());
            put(&mut refusals.beside, self.beside.as_ref());
            put(&mut refusals.unread, self.unread.as_ref());
            put(&mut refusals.question, self.question.as_ref());
        }
        let gather = &mut rules.gather;
        if let Some(parts) = &mut gather.parts {
            put(&mut parts.not_answered, self.part_not_answered.as_ref());
        }
        if let Some(small_talk) = &mut gather.small_talk {
            put(small_talk, self.small_talk.as_ref());
        }
        if let Some(addresses) = &mut gather.addresses {
            put(&mut addresses.wording, self.addresses.as_ref());
        }
        if let Some(lists) = &mut gather.lists {
            put(&mut lists.wording, self.lists.as_ref());
        }
        if let Some(figures) = &mut gather.figures {
            put(&mut figures.wording, self.figures.as_ref());
        }
        if let Some(terminology) = &mut gather.terminology {
            put(&mut terminology.wording, self.terminology.as_ref());
        }
        if let Some(topics) = &mut gather.topics {
            put(&mut topics.wording, self.topics.as_ref());
        }
    }
}

fn put<T: Clone>(place: &mut T, text: Option<&T>) {
    if let Some(text) = text {
        place.clone_from(text);
    }
}

impl Policy {
    /// The policy with its texts in the language of a question; as it is where it has none in that language. Its hash stays:
    /// the file is the same, and so is every decision.
    #[must_use]
    pub fn in_language_of(self: Arc<Self>, question: &str) -> Arc<Self> {
        if self.rules.in_other_languages.is_empty() {
            return self;
        }
        let language = Language::of(question).map(Language::name);
        let found = language.and_then(|name| self.rules.in_other_languages.get_key_value(name));
        let Some((name, translation)) = found else { return self };
        let mut policy = Self::clone(&self);
        translation.lay_over(&mut policy.rules);
        policy.rules.wording.language.clone_from(name);
        Arc::new(policy)
    }
}

pub(super) fn contradictions(translations: &BTreeMap<String, Translation>, found: &mut Vec<String>) {
    for (name, translation) in translations {
        if name.parse::<Language>().is_err() {
            found.push(format!("in_other_languages.{name} is not a language that is known"));
        }
        if translation.refusal.as_ref().is_some_and(|refusal| refusal.trim().is_empty()) {
            found.push(format!("in_other_languages.{name}.refusal is empty: a refusal would say nothing"));
        }
        if translation.question.as_ref().is_some_and(|text| !text.contains("{title}") && !text.contains("{section}")) {
            found.push(format!(
                "in_other_languages.{name}.question has neither {{title}} nor {{section}}: it would ask the same of \
                 everything"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SHIPPED_POLICIES, shipped_policy};
    use super::*;

    fn parsed(text: &str) -> Arc<Policy> {
        Arc::new(Policy::parse(text).unwrap())
    }

    #[test]
    fn whoever_asks_in_german_is_told_in_german_by_the_same_rules() {
        let policy = parsed(shipped_policy("default").unwrap());
        let german = policy.clone().in_language_of("Wie viele Urlaubstage kann ich übertragen?");
        assert_eq!(german.rules.wording.refusal, "Ich habe keine Stelle gefunden, die das beantwortet.");
        assert_eq!(german.rules.wording.texts().code, "de");
        assert_eq!(german.hash, policy.hash);
        assert_eq!((&german.rules.sift, &german.texts), (&policy.rules.sift, &policy.texts));
        for question in ["How many days may be carried over?", "ADR-0012", "Combien de jours puis-je reporter ?"] {
            assert_eq!(policy.clone().in_language_of(question).rules, policy.rules, "{question}");
        }
    }

    #[test]
    fn words_of_ones_own_are_said_in_every_language_until_there_are_others() {
        let own = "extends: default\nname: ours\nabout: Ours.\nwording: {refusal: Das Handbuch sagt dazu nichts.}\n";
        let ours = parsed(own).in_language_of("Wie viele Urlaubstage kann ich übertragen?");
        assert_eq!(ours.rules.wording.refusal, "Das Handbuch sagt dazu nichts.");
        let both = format!("{own}in_other_languages: {{german: {{refusal: Nichts gefunden.}}}}\n");
        let both = parsed(&both).in_language_of("Wie viele Urlaubstage kann ich übertragen?");
        assert_eq!(both.rules.wording.refusal, "Nichts gefunden.");
    }

    #[test]
    fn what_no_question_can_be_asked_in_is_refused() {
        for (text, part) in [
            ("klingon: {refusal: Qo'.}", "not a language"),
            ("german: {refusal: ''}", "would say nothing"),
            ("german: {question: Was?}", "neither {title}"),
        ] {
            let text = format!("extends: default\nname: x\nabout: X.\nin_other_languages: {{{text}}}\n");
            assert!(Policy::parse(&text).unwrap_err().to_string().contains(part), "{text}");
        }
    }

    #[test]
    fn a_shipped_policy_has_its_german_texts_for_every_reason_that_it_has_words_for() {
        for (name, text) in SHIPPED_POLICIES {
            let policy = parsed(text);
            let Some(german) = policy.rules.in_other_languages.get("german") else { panic!("{name} has none") };
            let reasons = |texts: &BTreeMap<Reason, String>| texts.keys().copied().collect::<Vec<_>>();
            let wording = &policy.rules.wording;
            assert_eq!(reasons(&german.refusal_by_reason), reasons(&wording.refusal_by_reason), "{name}");
            assert_eq!(german.next_steps.len(), wording.next_steps.len(), "{name}");
            assert!(german.extractive_notice.is_some() && german.refusal.is_some(), "{name}");
        }
    }
}
