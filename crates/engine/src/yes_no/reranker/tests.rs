use std::sync::atomic::{AtomicUsize, Ordering};

use ibidem_ports::language_model::{LikelyToken, ModelError, ModelFault, Prompt};
use ibidem_ports::reranker::RerankFault;
use ibidem_testing::fakes::FakeModel;
use ibidem_testing::suites::reranker::reranker_suite;

use super::super::YesNoPrompt;
use super::super::tests::token;
use super::*;

const PROMPT: &str = "Passage:\n{passage}\nQuestion: {question}\nIs it answered?";

fn settings() -> YesNoSettings {
    let prompt = YesNoPrompt::about_passages(PROMPT).unwrap();
    YesNoSettings { prompt, model: None, at_once: 3, max_characters: 200 }
}

/// The surer of a yes, the more of the question's words the passage has.
fn reader() -> FakeModel {
    FakeModel::weighing(|prompt| {
        let (passage, question) = prompt.messages[0].content.split_once("\nQuestion: ").unwrap();
        let shared = question.split_whitespace().filter(|word| passage.contains(*word)).count();
        let sure = 1.0 / (shared as f64 + 2.0);
        Ok(vec![token("Yes", 0.9 * (1.0 - sure)), token("No", 0.9 * sure)])
    })
}

#[tokio::test]
async fn it_behaves_as_a_reranker() {
    let reranker = YesNoReranker::new(Arc::new(reader()), settings());
    reranker_suite(&reranker, 0.0).await;
    assert_eq!(reranker.name(), "scripted (yes or no)");
}

#[tokio::test]
async fn the_model_is_asked_once_for_each_passage_in_the_given_words() {
    let model = Arc::new(reader());
    let reranker = YesNoReranker::new(model.clone(), YesNoSettings { max_characters: 8, ..settings() });
    // What looks like a place in the prompt is data.
    let texts = vec!["{question} and more".to_owned(), "é".repeat(9)];
    reranker.score("What is {passage}?", texts).await.unwrap();
    let mut asked: Vec<String> = model.prompts().iter().map(|prompt| prompt.messages[0].content.clone()).collect();
    asked.sort();
    let expected = |passage: &str| format!("Passage:\n{passage}\nQuestion: What is {{passage}}?\nIs it answered?");
    assert_eq!(asked, [expected("{questio"), expected("éééééééé")]);
}

#[tokio::test]
async fn a_model_that_does_not_judge_fails_the_whole_batch() {
    let cases: [(Result<Vec<LikelyToken>, ModelError>, RerankError); 4] = [
        (
            Ok(vec![token("Perhaps", 0.9)]),
            RerankError::Own(RerankFault::Failed(
                "asked for yes or no, scripted (yes or no) would begin with [\"Perhaps\"]".to_owned(),
            )),
        ),
        (Err(ModelError::Timeout(700)), RerankError::Timeout(700)),
        (
            Err(ModelError::Unavailable("refused".to_owned())),
            RerankError::Unavailable("the model server cannot be reached: refused".to_owned()),
        ),
        (
            Err(ModelError::Own(ModelFault::Failed("status 500".to_owned()))),
            RerankError::Own(RerankFault::Failed("the model server failed: status 500".to_owned())),
        ),
    ];
    for (answer, expected) in cases {
        let model = FakeModel::weighing(move |prompt| {
            if prompt.messages[0].content.contains("good") { Ok(vec![token("Yes", 0.9)]) } else { answer.clone() }
        });
        let reranker = YesNoReranker::new(Arc::new(model), settings());
        let scores = reranker.score("?", ["good", "bad", "good"].map(str::to_owned).to_vec()).await;
        assert_eq!(scores, Err(expected));
    }
}

#[tokio::test]
async fn no_more_passages_are_judged_at_once_than_allowed() {
    /// Yields in the middle of every answer, so that others come in between.
    struct Crowd {
        inside: AtomicUsize,
        most: AtomicUsize,
    }

    #[async_trait]
    impl LanguageModel for Crowd {
        fn default_model(&self) -> &str {
            "crowd"
        }

        fn allowed(&self) -> Vec<String> {
            vec!["crowd".to_owned()]
        }

        async fn write(&self, _: Prompt) -> Result<ibidem_ports::language_model::Pieces, ModelError> {
            Err(ModelError::Own(ModelFault::Failed("it only weighs".to_owned())))
        }

        async fn first_tokens(&self, _: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
            let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(inside, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.inside.fetch_sub(1, Ordering::SeqCst);
            Ok(vec![token("no", 1.0)])
        }
    }

    let crowd = Arc::new(Crowd { inside: AtomicUsize::new(0), most: AtomicUsize::new(0) });
    let reranker = YesNoReranker::new(crowd.clone(), settings());
    assert_eq!(reranker.score("?", vec!["text".to_owned(); 20]).await.unwrap(), [0.0; 20]);
    assert_eq!(crowd.most.load(Ordering::SeqCst), 3);
}
