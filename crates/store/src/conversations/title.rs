//! What a conversation is called.

/// In characters.
const LONGEST: usize = 200;
/// Of a title that is made of a question, in characters.
const LONGEST_OF_A_QUESTION: usize = 80;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a title has 1 to {LONGEST} characters and stands on one line")]
pub struct InvalidTitle;

/// A title that somebody wrote, if it can be one.
pub fn checked_title(written: &str) -> Result<String, InvalidTitle> {
    let title = ibidem_words::seen(written).trim().to_owned();
    let fits = !title.is_empty() && title.chars().count() <= LONGEST && !title.contains(char::is_control);
    if fits { Ok(title) } else { Err(InvalidTitle) }
}

/// The first words of a question.
pub(super) fn of_question(question: &str) -> String {
    let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
    if question.chars().count() <= LONGEST_OF_A_QUESTION {
        return question;
    }
    let cut: String = question.chars().take(LONGEST_OF_A_QUESTION).collect();
    let whole_words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_a_question_is_its_first_words() {
        assert_eq!(of_question(" How  long\nare logs kept? "), "How long are logs kept?");
        let long = of_question(&"word ".repeat(40));
        assert!(long.ends_with("word…") && long.chars().count() <= LONGEST_OF_A_QUESTION + 1, "{long}");
        assert_eq!(of_question(&"x".repeat(200)).chars().count(), LONGEST_OF_A_QUESTION + 1);
    }

    #[test]
    fn a_title_stands_on_one_line_and_is_seen() {
        assert_eq!(checked_title("  Logs ").as_deref(), Ok("Logs"));
        for wrong in ["", " ", "\u{200b}", "a\nb", &"x".repeat(201)] {
            assert_eq!(checked_title(wrong), Err(InvalidTitle), "{wrong:?}");
        }
    }
}
