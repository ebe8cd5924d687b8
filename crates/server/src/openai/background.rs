//! A chat program's own prompts, for titles, tags and follow-ups: answered by rule, never by the engine.

use serde_json::json;

/// Every one of them begins so.
const OPENING: &str = "### Task:";
/// Of a title, in characters.
const LONGEST_TITLE: usize = 60;

/// What such a prompt asks for. None for a question.
pub(super) fn reply_to(prompt: &str) -> Option<String> {
    if !prompt.trim_start().starts_with(OPENING) {
        return None;
    }
    let asks_for = |field: &str| prompt.contains(&format!("\"{field}\""));
    let reply = if asks_for("title") {
        json!({ "title": title(prompt) })
    } else if asks_for("follow_ups") {
        json!({ "follow_ups": [] })
    } else if asks_for("tags") {
        json!({ "tags": [] })
    } else if asks_for("queries") {
        json!({ "queries": [] })
    } else {
        json!({})
    };
    Some(reply.to_string())
}

/// The first line that the user said, cut where a word ends.
fn title(prompt: &str) -> String {
    let history = prompt.rsplit_once("<chat_history>").map_or(prompt, |(_, history)| history);
    let said = history.lines().find_map(|line| line.trim().strip_prefix("USER:")).unwrap_or_default().trim();
    if said.chars().count() <= LONGEST_TITLE {
        return said.to_owned();
    }
    let cut: String = said.chars().take(LONGEST_TITLE).collect();
    let whole_words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(asks_for: &str, question: &str) -> String {
        format!(
            "### Task:\nGenerate something.\n### Output:\nJSON format: {{ \"{asks_for}\": … }}\n### Chat History:\n\
             <chat_history>\nUSER: {question}\nASSISTANT: Thirty days.[1]\n</chat_history>"
        )
    }

    #[test]
    fn a_title_is_the_question_and_what_is_not_known_is_empty() {
        assert_eq!(reply_to(&prompt("title", "How much leave?")).unwrap(), r#"{"title":"How much leave?"}"#);
        let long = "Which database did we choose for the catalogue, and which alternatives were rejected then?";
        assert_eq!(
            reply_to(&prompt("title", long)).unwrap(),
            r#"{"title":"Which database did we choose for the catalogue, and which…"}"#
        );
        assert_eq!(reply_to(&prompt("tags", "x")).unwrap(), r#"{"tags":[]}"#);
        assert_eq!(reply_to(&prompt("follow_ups", "x")).unwrap(), r#"{"follow_ups":[]}"#);
        assert_eq!(reply_to(&prompt("queries", "x")).unwrap(), r#"{"queries":[]}"#);
        assert_eq!(reply_to("### Task:\nDraw a picture.").unwrap(), "{}");
    }

    #[test]
    fn a_question_is_no_task() {
        for question in ["How much leave?", "What is a ### Task: heading for?", ""] {
            assert_eq!(reply_to(question), None);
        }
    }
}
