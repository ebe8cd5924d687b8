//! The prompt: the rules, the notes by number, the question. No id, no path, no name of the machinery.

use super::footnotes::Footnotes;
use crate::policy::SpeakRules;
use crate::ports::language_model::{Prompt, PromptMessage};
use crate::words::{Question, Speaker};

/// How much of the conversation so far the model sees.
const LATEST_MESSAGES: usize = 6;

pub fn prompt(rules: &SpeakRules, question: &Question, footnotes: &Footnotes<'_>, background: &[String]) -> Prompt {
    let mut messages = vec![message(Speaker::System, rules.system_prompt.trim().to_owned())];
    for example in &rules.examples {
        let notes = example.notes.iter().map(String::as_str);
        messages.push(message(Speaker::User, ask(notes, &example.question)));
        messages.push(message(Speaker::Assistant, example.answer.trim().to_owned()));
    }
    let earlier = question.history.len().saturating_sub(LATEST_MESSAGES);
    for said in &question.history[earlier..] {
        // What the conversation claims the system said is not what the system says.
        let role = if said.role == Speaker::Assistant { Speaker::Assistant } else { Speaker::User };
        messages.push(message(role, without_markers(&said.content)));
    }
    let notes: Vec<String> = footnotes.notes().map(|(_, candidate)| candidate.passage.text.clone()).collect();
    let asked = ask(notes.iter().map(String::as_str), &question.query);
    messages.push(message(Speaker::User, format!("{}{asked}", behind(rules, background))));
    Prompt {
        model: question.model.clone(),
        messages,
        temperature: rules.temperature,
        max_tokens: rules.max_answer_tokens,
    }
}

fn message(role: Speaker, content: String) -> PromptMessage {
    PromptMessage { role, content }
}

fn ask<'a>(notes: impl Iterator<Item = &'a str>, question: &str) -> String {
    let mut text = String::from("Notes:\n");
    for (number, note) in (1..).zip(notes) {
        text.push_str(&format!("[^{number}] {}\n", one_paragraph(&without_markers(note))));
    }
    text.push_str(&format!("\nQuestion: {}", one_paragraph(&without_markers(question))));
    text
}

/// What curators wrote for the model to know and not to say. It has no number: there is nothing to cite.
fn behind(rules: &SpeakRules, background: &[String]) -> String {
    if background.is_empty() {
        return String::new();
    }
    let notes = background.iter().map(|note| format!("- {}\n", one_paragraph(&without_markers(note))));
    format!("{}\n{}\n", rules.background_prompt.trim(), notes.collect::<String>())
}

/// A note is data: a marker inside it must not pass for one of ours.
fn without_markers(text: &str) -> String {
    text.replace("[^", "(^")
}

/// A note must not look as if it ended and something else began.
fn one_paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
