//! A corpus of four paragraphs in the fakes: what it answers, what it seems to answer, and what is counted as which.

use std::sync::Arc;

use ibidem_engine::policy::{Policy, SpeakMode};
use ibidem_ports::degrade::Deadline;
use ibidem_words::{Question, TenantId};

use super::*;
use ibidem_testing::small_corpus::{scope, searcher};

const CORPUS: [(&str, &[&str]); 3] =
    [("birds", &["Penguins eat small fish."]), ("lava", &["Volcanoes erupt hot lava."]), ("ice", &["Glaciers melt."])];

fn question(text: &str, answer: Option<&str>, context: &str) -> SquadQuestion {
    SquadQuestion {
        id: text.to_owned(),
        article: "A".to_owned(),
        text: text.to_owned(),
        answerable: answer.is_some(),
        paragraph: "A#p0".to_owned(),
        context: context.into(),
        answers: answer.into_iter().map(str::to_owned).collect(),
    }
}

fn asked() -> Asked {
    let mut policy = Policy::parse(include_str!("../../../../policies/book.yaml")).unwrap();
    policy.rules.speak.mode = SpeakMode::Extractive;
    policy.rules.speak.confidence = None;
    Asked {
        request_id: uuid::Uuid::nil(),
        at: chrono::DateTime::UNIX_EPOCH,
        scope: scope(TenantId::named("lab")),
        question: Question::new(""),
        policy: Arc::new(policy),
        deadline: Deadline::NONE,
    }
}

#[tokio::test]
async fn false_answers_and_false_refusals_are_counted_of_the_questions_they_are_about() {
    let (searcher, _) = searcher(TenantId::named("lab"), &CORPUS).await;
    let questions = [
        // Answered from the paragraph it is about, and from another.
        question("penguins eat small fish", Some("small  FISH"), "Penguins eat\nsmall fish."),
        question("volcanoes erupt hot lava", Some("cold"), "Volcanoes are cold."),
        // Nothing is close.
        question("who painted the ceiling", Some("nobody"), "Nobody painted it."),
        question("glaciers melt", None, "Glaciers melt."),
        question("who wrote the letter", None, "Letters."),
    ];
    let all = sample(&questions, None);
    let mut received = 0;
    let outcomes = ask_all(&Engine::new(searcher), &asked(), &all, 2, |_, _| received += 1).await.unwrap();
    let tally = Tally::of(&outcomes);
    let counts = |share: Share| (share.count, share.of);
    assert_eq!((received, tally.questions), (5, 5));
    assert_eq!(counts(tally.false_answers), (1, 2), "{outcomes:#?}");
    assert_eq!(counts(tally.false_refusals), (1, 3));
    assert_eq!(counts(tally.cites_the_paragraph), (1, 2));
    assert_eq!(counts(tally.says_the_answer), (1, 2));
    assert_eq!(tally.refused_for.values().sum::<usize>(), 2, "{:?}", tally.refused_for);
}

#[tokio::test]
async fn a_simpler_search_is_not_measured_as_if_it_were_the_search() {
    let (searcher, embedder) = searcher(TenantId::named("lab"), &CORPUS).await;
    embedder.set_down(true);
    let questions = [question("glaciers melt", None, "Glaciers melt.")];
    let error = ask_all(&Engine::new(searcher), &asked(), &sample(&questions, None), 1, |_, _| {}).await.unwrap_err();
    assert!(error.to_string().contains("bm25_only"), "{error}");
}

#[test]
fn a_sample_is_every_kth_and_always_the_same() {
    let questions: Vec<_> = (0..10).map(|number| question(&number.to_string(), None, "")).collect();
    let ids = |wanted| sample(&questions, wanted).iter().map(|question| question.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(Some(3)), ["0", "4", "8"]);
    assert_eq!((ids(None).len(), ids(Some(100)).len()), (10, 10));
}
