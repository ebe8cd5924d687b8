//! The question in other words, by the planner. Bounded, remembered, and skipped when the planner is not there in time.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use ibidem_ports::degrade::Deadline;
use ibidem_ports::language_model::{ModelError, PromptMessage};
use ibidem_words::{Sha256Hash, Speaker, unsteered};

use super::NamedModel;
use crate::policy::RewriteRules;
use crate::turn::{Variant, VariantKind};

/// Variants that are remembered, for one question and model each.
const MOST_REMEMBERED: usize = 1_000;
/// A variant that is longer is no variant of a question.
const LONGEST_VARIANT: usize = 300;

/// A model that plans the search, and what it said before. How long it may take is the model's own limit.
pub struct Planner {
    model: NamedModel,
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    variants: HashMap<Sha256Hash, Vec<Variant>>,
    order: VecDeque<Sha256Hash>,
}

impl Planner {
    pub fn new(model: NamedModel) -> Self {
        Self { model, remembered: Mutex::default() }
    }

    pub fn model(&self) -> &NamedModel {
        &self.model
    }

    /// Returns the question's variants, itself not among them. Only what was said in time and in whole is remembered.
    pub async fn variants(
        &self,
        question: &str,
        rules: &RewriteRules,
        deadline: Deadline,
    ) -> Result<Vec<Variant>, ModelError> {
        let most = rules.most.to_string();
        let key = [question, self.model.name.as_str(), rules.prompt.as_str(), most.as_str()];
        let key = Sha256Hash::of_parts(key.map(str::as_bytes));
        if let Some(variants) = self.remembered().variants.get(&key) {
            return Ok(variants.clone());
        }
        let written = self.write(question, rules, deadline).await?;
        let variants = parse(&written, question, rules.most);
        self.remembered().put(key, variants.clone());
        Ok(variants)
    }

    async fn write(&self, question: &str, rules: &RewriteRules, deadline: Deadline) -> Result<String, ModelError> {
        let message = |role, content: &str| PromptMessage { role, content: content.trim().to_owned() };
        let messages = vec![message(Speaker::System, &rules.prompt), message(Speaker::User, &unsteered(question))];
        self.model.say(messages, rules.max_tokens, deadline).await
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remembered {
    fn put(&mut self, key: Sha256Hash, variants: Vec<Variant>) {
        if self.variants.insert(key, variants).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MOST_REMEMBERED {
            if let Some(oldest) = self.order.pop_front() {
                self.variants.remove(&oldest);
            }
        }
    }
}

/// Lines that say what they are, `part: …` or `same: …`, each once and none of them the question itself.
fn parse(written: &str, question: &str, most: usize) -> Vec<Variant> {
    let mut variants: Vec<Variant> = Vec::new();
    for line in written.lines() {
        let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
        let Some((kind, text)) = line.split_once(':') else { continue };
        let kind = match kind.trim().to_lowercase().as_str() {
            "part" => VariantKind::SubQuestion,
            "same" => VariantKind::Paraphrase,
            _ => continue,
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_new = !text.eq_ignore_ascii_case(question.trim())
            && !variants.iter().any(|known| known.text.eq_ignore_ascii_case(&text));
        if is_new && text.chars().any(char::is_alphanumeric) && text.chars().count() <= LONGEST_VARIANT {
            variants.push(Variant { kind, text });
        }
    }
    variants.truncate(most);
    variants
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ibidem_testing::fakes::{FakeModel, Script};

    fn rules() -> RewriteRules {
        RewriteRules { most: 3, max_tokens: 100, prompt: "Rewrite.".to_owned() }
    }

    fn says(written: &str) -> Arc<FakeModel> {
        Arc::new(FakeModel::new(Script::Says(vec![written.to_owned()])))
    }

    #[tokio::test]
    async fn lines_of_both_kinds_are_variants_and_everything_else_is_not() {
        let model = says(
            "Here you are:\n1. part: How much oil?\n- same:  Oil  amount of the gearbox?\nsame: how much OIL?\n\
             other: x\npart:\nsame: The gearbox?\npart: Which oil?",
        );
        let planner = Planner::new(NamedModel::unknown(model));
        let variants = planner.variants("the gearbox?", &rules(), Deadline::NONE).await.unwrap();
        let expected = [
            (VariantKind::SubQuestion, "How much oil?"),
            (VariantKind::Paraphrase, "Oil amount of the gearbox?"),
            (VariantKind::SubQuestion, "Which oil?"),
        ];
        assert_eq!(variants.iter().map(|v| (v.kind, v.text.as_str())).collect::<Vec<_>>(), expected);
    }

    #[tokio::test]
    async fn a_question_is_planned_once_and_a_failure_is_not_remembered() {
        let model = says("same: Oil amount?");
        let planner = Planner::new(NamedModel::unknown(model.clone()));
        for _ in 0..3 {
            assert_eq!(planner.variants("How much oil?", &rules(), Deadline::NONE).await.unwrap().len(), 1);
        }
        assert_eq!(model.prompts().len(), 1);
        planner.variants("Which oil?", &rules(), Deadline::NONE).await.unwrap();
        assert_eq!(model.prompts().len(), 2);

        let model = Arc::new(FakeModel::new(Script::CannotBeReached));
        let planner = Planner::new(NamedModel::unknown(model.clone()));
        for asked in 1..=2 {
            assert!(planner.variants("How much oil?", &rules(), Deadline::NONE).await.is_err());
            assert_eq!(model.prompts().len(), asked);
        }
    }

    #[tokio::test]
    async fn a_planner_that_is_late_is_not_waited_for() {
        let late = Script::BreaksOffAfter(vec!["same: Oil amount?".to_owned()]);
        let planner = Planner::new(NamedModel::unknown(Arc::new(FakeModel::new(late))));
        assert!(matches!(
            planner.variants("How much oil?", &rules(), Deadline::NONE).await,
            Err(ModelError::Timeout(_))
        ));
    }

    #[tokio::test]
    async fn what_is_remembered_is_bounded() {
        let planner = Planner::new(NamedModel::unknown(says("same: Oil amount?")));
        for number in 0..MOST_REMEMBERED + 5 {
            planner.variants(&format!("Question {number}?"), &rules(), Deadline::NONE).await.unwrap();
        }
        let remembered = planner.remembered();
        assert_eq!((remembered.variants.len(), remembered.order.len()), (MOST_REMEMBERED, MOST_REMEMBERED));
    }
}
