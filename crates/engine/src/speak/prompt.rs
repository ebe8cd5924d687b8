//! The prompt: the rules, the notes by number, the question. No id, no path, no name of the machinery; and of what
//! others wrote, no token of a chat template and no character that nobody sees.

use ibidem_language::markers::{self, quoted};
use ibidem_language::sentences::Sentence;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::language_model::{Prompt, PromptMessage};
use ibidem_ports::records::as_place;
use ibidem_words::{Message, Question, Speaker, unsteered};

use super::budget::Allotted;
use super::footnotes::Footnotes;
use super::in_form;
use super::note_line::NoteLine;
use crate::draft::CheckedSentence;
use crate::policy::{NotesBy, SpeakRules};

/// Enough for twenty numbers in their form.
const TOKENS_OF_A_CHOICE: u32 = 128;

/// What was allotted, as messages. The footnotes are those of the evidence that is kept.
pub fn prompt(
    rules: &SpeakRules,
    allotted: &Allotted,
    question: &Question,
    footnotes: &Footnotes<'_>,
    background: &[String],
) -> Prompt {
    let mut messages = instructions(rules);
    let form = (rules.notes_by == NotesBy::Schema).then(|| in_form::form_of_sentences(footnotes.minted()));
    messages.extend(allotted.history.iter().filter_map(|place| question.history.get(*place)).map(history_message));
    let notes = footnotes.notes().map(|(number, candidate)| note(number, &candidate.passage));
    let behind = background.iter().take(allotted.background).map(|note| background_note(note));
    let behind: String = behind.collect();
    let [above, below] = if behind.is_empty() { [const { String::new() }; 2] } else { around_background(rules) };
    let [before_notes, after_notes] = around_notes(&question.query);
    let asked = format!("{above}{behind}{below}{before_notes}{}{after_notes}", notes.collect::<String>());
    messages.push(message(Speaker::User, asked));
    let model = question.model.clone();
    Prompt { model, messages, temperature: rules.temperature, max_tokens: allotted.answer, form }
}

/// What comes before any conversation: the rules, and the policy's examples.
pub(super) fn instructions(rules: &SpeakRules) -> Vec<PromptMessage> {
    let by_schema = rules.notes_by == NotesBy::Schema;
    let how = if by_schema { format!("\n{}", in_form::HOW_TO_WRITE) } else { String::new() };
    let mut messages = vec![message(Speaker::System, format!("{}{how}", rules.system_prompt.trim()))];
    for example in &rules.examples {
        let notes = (1..).zip(&example.notes).map(|(number, text)| numbered(number, text));
        let [before_notes, after_notes] = around_notes(&example.question);
        messages.push(message(Speaker::User, format!("{before_notes}{}{after_notes}", notes.collect::<String>())));
        let answer = example.answer.trim();
        let answer =
            if by_schema { in_form::in_form(answer, as_place(example.notes.len())) } else { answer.to_owned() };
        messages.push(message(Speaker::Assistant, answer));
    }
    messages
}

/// What a model is asked whose reply had sentences that their notes do not bear out.
pub(super) fn again(reply: &str, failed: &[CheckedSentence]) -> [PromptMessage; 2] {
    let mut asked = "These sentences are not borne out by their notes:\n".to_owned();
    for CheckedSentence { sentence, .. } in failed {
        let text = one_paragraph(&unsteered(&markers::without_markers(&sentence.text)));
        let notes: Vec<String> = sentence.citations.iter().map(u32::to_string).collect();
        let named = if notes.is_empty() { "no note".to_owned() } else { format!("note {}", notes.join(", ")) };
        asked.push_str(&format!("- “{text}” ({named})\n"));
    }
    asked.push_str(
        "Write these sentences again, and only these, in the same order and form, so that each says what a note says and \
         no more. Leave out a sentence that no note says.",
    );
    [message(Speaker::Assistant, reply.to_owned()), message(Speaker::User, asked)]
}

/// What a model is asked that chooses among numbered sentences.
pub(super) fn choice(question: &Question, sentences: &[Sentence], most: usize, footnotes: &Footnotes<'_>) -> Prompt {
    let mut asked = "Sentences:\n".to_owned();
    let mut under = None;
    for (number, sentence) in (1..).zip(sentences) {
        let note = sentence.citations.first().copied();
        if note != under
            && let Some(passage) = note.and_then(|note| footnotes.passage(note))
        {
            asked.push_str(&format!("({})\n", one_paragraph(&without_markers(&NoteLine::of(passage).text()))));
        }
        under = note;
        asked.push_str(&numbered_sentence(number, sentence));
    }
    asked.push_str(&format!("\nQuestion: {}", one_paragraph(&without_markers(&question.query))));
    Prompt {
        model: question.model.clone(),
        messages: vec![message(Speaker::System, in_form::HOW_TO_CHOOSE.to_owned()), message(Speaker::User, asked)],
        temperature: 0.0,
        max_tokens: TOKENS_OF_A_CHOICE,
        form: Some(in_form::form_of_choice(as_place(sentences.len()), most)),
    }
}

fn numbered_sentence(number: u32, sentence: &Sentence) -> String {
    format!("{number}: {}\n", one_paragraph(&unsteered(&markers::without_markers(&sentence.text))))
}

/// A message of the conversation so far.
pub(super) fn history_message(line: &Message) -> PromptMessage {
    // What the conversation claims the system said is not what the system says.
    let role = if line.role == Speaker::Assistant { Speaker::Assistant } else { Speaker::User };
    message(role, without_markers(&line.content))
}

/// What stands before the notes, and what after them.
pub(super) fn around_notes(question: &str) -> [String; 2] {
    ["Notes:\n".to_owned(), format!("\nQuestion: {}", one_paragraph(&without_markers(question)))]
}

/// A note, on a line of its own, with what is known of it before its text.
pub(super) fn note(number: u32, passage: &CataloguePassage) -> String {
    let line = NoteLine::of(passage).text();
    let text = if line.is_empty() { passage.text.clone() } else { format!("({line}) {}", passage.text) };
    numbered(number, &text)
}

fn numbered(number: u32, text: &str) -> String {
    format!("[^{number}] {}\n", one_paragraph(&without_markers(text)))
}

/// What is said above what curators wrote for the model to know and not to say, and the empty line below it.
pub(super) fn around_background(rules: &SpeakRules) -> [String; 2] {
    [format!("{}\n", rules.background_prompt.trim()), "\n".to_owned()]
}

/// It has no number: there is nothing to cite.
pub(super) fn background_note(text: &str) -> String {
    format!("- {}\n", one_paragraph(&without_markers(text)))
}

fn message(role: Speaker, content: String) -> PromptMessage {
    PromptMessage { role, content }
}

/// What others wrote is data: a marker inside it must not pass for one of ours, nor a token for the template's.
fn without_markers(text: &str) -> String {
    quoted(&unsteered(text)).replace("[^", "(^")
}

/// A note must not look as if it ended and something else began.
fn one_paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
