//! Ten small questions with known outcomes, asked as the engine asks: what a model is good enough for here.

use ibidem_language::markers::{numbers, without_markers};
use ibidem_language::sentences::{Passed, Sentence};
use ibidem_ports::degrade::Deadline;
use ibidem_ports::language_model::{ModelError, PromptMessage, ReplyForm};
use ibidem_words::{Question, Speaker};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::footnotes::Footnotes;
use super::gauntlet;
use super::in_form::{self, SentencesInForm};
use super::prompt;
use crate::policy::{NotesBy, SpeakRules};
use crate::roles::NamedModel;

/// Enough for two short sentences in their form.
const MOST_TOKENS: u32 = 160;

/// The sentences of two notes, which the first questions are about.
const SENTENCES: [&str; 6] = [
    "The gearbox holds 1.8 litres of oil.",
    "The wipers are fitted with two clips each.",
    "Leave that is not taken lapses on 31 March of the following year.",
    "The oil is changed every 40,000 km.",
    "Requests for leave go to the head of the team.",
    "The office is closed between Christmas and New Year.",
];

/// Questions, with the number of the sentence that answers; none where no sentence does.
const CHOSEN: [(&str, Option<usize>); 4] = [
    ("How much oil does the gearbox take?", Some(1)),
    ("Until when can I take last year's holidays?", Some(3)),
    ("Who approves my holiday?", Some(5)),
    ("How much does a new gearbox cost?", None),
];

/// Questions on the first and the third sentence as notes, with what the reply must cite and have in it.
const WRITTEN: [(&str, u32, &str); 3] = [
    ("How much oil does the gearbox hold?", 1, "1.8"),
    ("When does leave lapse?", 2, "31 March"),
    ("On which date is leave lost?", 2, "31 March"),
];

/// Claims on a note, and whether it says so.
const NOTE: &str = "Leave that is not taken lapses on 31 March of the following year. Sick leave does not lapse.";
const JUDGED: [(&str, bool); 3] = [
    ("Leave from this year can still be taken in February of next year.", true),
    ("Leave that is not taken lapses at the end of the year.", false),
    ("Sick leave lapses on 31 March.", false),
];

/// How many of some questions came out as they must.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    pub right: usize,
    pub of: usize,
}

impl Tally {
    fn count(&mut self, is_right: bool) {
        self.of += 1;
        self.right += usize::from(is_right);
    }

    fn misses(self) -> usize {
        self.of - self.right
    }
}

/// What came of the ten.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Probed {
    /// It chose the sentence that answers, or said that none does.
    pub chosen: Tally,
    /// It wrote what its note says, and named the note.
    pub written: Tally,
    /// It told what a note says from what it does not say.
    pub judged: Tally,
    /// Replies that were not in the form that was asked for.
    pub out_of_form: usize,
}

/// What a model may be given to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GoodFor {
    /// Writes answers: `speak.mode: model`.
    Writing,
    /// Chooses among sentences: `speak.mode: choose`.
    Choosing,
    /// Puts questions in other words, and outlines.
    Planning,
    /// Has an opinion of others' answers.
    Judging,
}

impl Probed {
    /// What it is good enough for. Ten questions are few: who fails them will fail others, and who does not may.
    pub fn good_for(&self) -> Vec<GoodFor> {
        let (chooses, writes) = (self.chosen.misses() <= 1, self.written.misses() == 0);
        let keeps_form = self.out_of_form == 0;
        let all = [
            (GoodFor::Writing, chooses && writes),
            (GoodFor::Choosing, chooses),
            (GoodFor::Planning, chooses && keeps_form),
            // Three claims alone are guessed right one time in eight.
            (GoodFor::Judging, chooses && self.judged.misses() == 0),
        ];
        all.into_iter().filter_map(|(task, is_good)| is_good.then_some(task)).collect()
    }
}

/// Asks all ten, one after the other; `done` is told of each.
pub async fn probe(
    model: &NamedModel,
    rules: &SpeakRules,
    deadline: Deadline,
    mut done: impl FnMut(),
) -> Result<Probed, ModelError> {
    let rules = SpeakRules { notes_by: NotesBy::Schema, ..rules.clone() };
    let mut probed = Probed::default();
    for (question, expected) in CHOSEN {
        let chosen = chosen(model, question, deadline).await?;
        probed.out_of_form += usize::from(chosen.is_none());
        probed.chosen.count(chosen.is_some_and(|chosen| chosen == expected.map(|number| SENTENCES[number - 1])));
        done();
    }
    for (question, note, words) in WRITTEN {
        let written = written(model, &rules, question, deadline).await?;
        let (cited, text) = (numbers(&written), without_markers(&written));
        probed.out_of_form += usize::from(text.trim().is_empty());
        probed.written.count(cited.first() == Some(&note) && text.contains(words));
        done();
    }
    for (claim, expected) in JUDGED {
        let judged = judged(model, claim, deadline).await?;
        probed.out_of_form += usize::from(judged.is_none());
        probed.judged.count(judged == Some(expected));
        done();
    }
    Ok(probed)
}

/// The first sentence that it chose; none in it where it says that none answers.
async fn chosen(
    model: &NamedModel,
    question: &str,
    deadline: Deadline,
) -> Result<Option<Option<&'static str>>, ModelError> {
    let sentences = SENTENCES.map(|text| Sentence::claim(text.to_owned(), Vec::new()));
    let prompt = prompt::choice(&Question::new(question), &sentences, 3, &Footnotes::mint(&[]));
    let reply = model.reply(prompt, deadline).await?;
    let chosen = in_form::chosen(&reply, &sentences, 3);
    let first = |chosen: Vec<Sentence>| {
        let first = chosen.first()?;
        SENTENCES.into_iter().find(|text| *text == first.text)
    };
    Ok(chosen.map(first))
}

/// What it wrote in the form, with citations as they are shown.
async fn written(
    model: &NamedModel,
    rules: &SpeakRules,
    question: &str,
    deadline: Deadline,
) -> Result<String, ModelError> {
    let notes = [SENTENCES[0], SENTENCES[2]];
    let mut messages = prompt::instructions(rules);
    let [before, after] = prompt::around_notes(question);
    let numbered: String = (1..).zip(notes).map(|(number, text)| format!("[^{number}] {text}\n")).collect();
    messages.push(PromptMessage { role: Speaker::User, content: format!("{before}{numbered}{after}") });
    let reply = model.fill(in_form::form_of_sentences(2), messages, MOST_TOKENS, deadline).await?;
    let mut sentences = SentencesInForm::of(2);
    let mut text = sentences.push(reply.as_bytes());
    text.extend(sentences.finish());
    let passed = gauntlet::run(2, &String::from_utf8_lossy(&text)).0;
    let shown = passed.into_iter().map(|passed| match passed {
        Passed::Text(text) => text,
        Passed::Citation(number) => format!("[{number}]"),
    });
    Ok(shown.collect())
}

/// Whether it says that the note says so; none where it says neither.
async fn judged(model: &NamedModel, claim: &str, deadline: Deadline) -> Result<Option<bool>, ModelError> {
    #[derive(Deserialize)]
    struct Verdict {
        supported: bool,
    }
    let schema = json!({
        "type": "object",
        "properties": { "supported": { "type": "boolean" } },
        "required": ["supported"],
        "additionalProperties": false,
    });
    let content = format!(
        "Note: {NOTE}\nClaim: {claim}\nDoes the note say so? Reply in JSON: {{\"supported\": true}} or {{\"supported\": false}}."
    );
    let messages = vec![PromptMessage { role: Speaker::User, content }];
    let reply = model.fill(ReplyForm { name: "verdict", schema }, messages, 24, deadline).await?;
    let inside = reply.find('{').zip(reply.rfind('}')).and_then(|(from, to)| reply.get(from..=to));
    Ok(inside.and_then(|reply| serde_json::from_str::<Verdict>(reply).ok()).map(|verdict| verdict.supported))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ibidem_testing::fakes::FakeModel;

    use super::*;
    use crate::policy::Policy;

    fn rules() -> SpeakRules {
        Policy::parse(include_str!("../../../../policies/default.yaml")).unwrap().rules.speak
    }

    #[tokio::test]
    async fn a_model_that_always_says_the_same_is_good_for_nothing() {
        for reply in [r#"{"sentences": [1]}"#, r#"{"supported": true}"#, "Yes, of course.", ""] {
            let model = NamedModel::unknown(Arc::new(FakeModel::saying(&[reply])));
            let mut asked = 0;
            let probed = probe(&model, &rules(), Deadline::NONE, || asked += 1).await.unwrap();
            assert_eq!((asked, probed.good_for()), (10, vec![]), "{reply}: {probed:?}");
        }
    }

    #[test]
    fn what_it_is_good_for_follows_from_what_it_got_right() {
        let all = |right| Tally { right, of: 4 };
        let three = Tally { right: 3, of: 3 };
        let probed = Probed { chosen: all(3), written: three, judged: three, out_of_form: 0 };
        let good = [GoodFor::Writing, GoodFor::Choosing, GoodFor::Planning, GoodFor::Judging];
        assert_eq!(probed.good_for(), good);
        assert_eq!(Probed { chosen: all(2), ..probed }.good_for(), []);
    }
}
