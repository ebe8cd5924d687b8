//! What a conversation is called, by a model that sees its first question and nothing else.

use ibidem_ports::degrade::Deadline;
use ibidem_ports::language_model::PromptMessage;
use ibidem_words::{Speaker, seen, unsteered};

use crate::policy::TitleRules;
use crate::roles::NamedModel;

/// A longer one is no title.
const LONGEST: usize = 100;

/// None where the model did not answer in time, or with no title.
pub(crate) async fn written(
    model: &NamedModel,
    rules: &TitleRules,
    question: &str,
    deadline: Deadline,
) -> Option<String> {
    let message = |role, content: String| PromptMessage { role, content };
    let messages = vec![
        message(Speaker::System, rules.prompt.trim().to_owned()),
        message(Speaker::User, unsteered(question).into_owned()),
    ];
    let written = model.say(messages, rules.max_tokens, deadline).await.ok()?;
    let line = seen(&written).lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)?;
    let title =
        line.trim_matches(|sign: char| matches!(sign, '"' | '“' | '”' | '#' | '*' | '.') || sign.is_whitespace());
    let fits = !title.is_empty() && title.chars().count() <= LONGEST;
    fits.then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ibidem_testing::fakes::{FakeModel, Script};

    async fn titled(script: Script) -> Option<String> {
        let model = NamedModel::unknown(Arc::new(FakeModel::new(script)));
        written(&model, &TitleRules::default(), "How much oil does the gearbox take?", Deadline::NONE).await
    }

    #[tokio::test]
    async fn a_title_is_the_first_line_without_its_signs_and_a_story_is_none() {
        let says = |text: &str| Script::Says(vec![text.to_owned()]);
        assert_eq!(titled(says("\n**\"Oil of the gearbox\"**\nIt has")).await.as_deref(), Some("Oil of the gearbox"));
        assert_eq!(titled(says(&"oil ".repeat(50))).await, None);
        assert_eq!(titled(says("  ")).await, None);
        assert_eq!(titled(Script::CannotBeReached).await, None);
    }
}
