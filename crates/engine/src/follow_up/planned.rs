//! The planner's wording of a question that goes on with earlier ones.

use ibidem_language::{same_word, significant_terms};
use ibidem_ports::degrade::Deadline;
use ibidem_ports::language_model::PromptMessage;
use ibidem_words::{Speaker, unsteered};

use crate::policy::FollowUpRules;
use crate::roles::Planner;

/// What the planner made of it; none where it did not answer in time, or with anything but a question of these words.
/// `Some(None)` says that the question stands by itself.
pub(super) async fn rewritten(
    planner: &Planner,
    rules: &FollowUpRules,
    answered: &[String],
    query: &str,
    deadline: Deadline,
) -> Option<Option<String>> {
    let from = answered.len().saturating_sub(rules.most_questions);
    let lines: Vec<String> = answered[from..].iter().map(String::as_str).chain([query]).map(on_one_line).collect();
    let message = |role, content: String| PromptMessage { role, content };
    let messages = vec![
        message(Speaker::System, rules.prompt.trim().to_owned()),
        message(Speaker::User, unsteered(&lines.join("\n")).into_owned()),
    ];
    let written = planner.model().say(messages, rules.max_tokens, deadline).await.ok()?;
    let line = written.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_matches(['"', '“', '”']).trim();
    if line.eq_ignore_ascii_case(query.trim()) {
        return Some(None);
    }
    // A word that nobody asked about would be the model's own question.
    let known = significant_terms(&lines.join("\n"));
    let is_known = |term: &String| known.iter().any(|known| same_word(known, term));
    let is_of_these = significant_terms(line).iter().all(is_known);
    (is_of_these && line.chars().any(char::is_alphanumeric)).then(|| Some(line.to_owned()))
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
