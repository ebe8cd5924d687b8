use ibidem_ports::entailment::EntailmentFault;
use ibidem_ports::entailment::Support;
use ibidem_ports::language_model::{ModelError, ModelFault};
use ibidem_testing::fakes::FakeModel;
use ibidem_testing::suites::entailment::{entailment_suite, plain_cases};

use super::super::YesNoPrompt;
use super::super::tests::token;
use super::*;

const PROMPT: &str = "Claim: {claim}\nText:\n{premise}\nIs it so?";

fn settings() -> YesNoSettings {
    let prompt = YesNoPrompt::about_claims(PROMPT).unwrap();
    YesNoSettings { prompt, model: None, at_once: 3, max_characters: 200 }
}

fn pair(premise: &str, claim: &str) -> Pair {
    Pair { premise: premise.to_owned(), claim: claim.to_owned() }
}

/// The surer of a yes, the larger the share of the claim's words that the text has.
fn reader() -> FakeModel {
    FakeModel::weighing(|prompt| {
        let content = prompt.messages[0].content.strip_prefix("Claim: ").unwrap();
        let (claim, premise) = content.split_once("\nText:\n").unwrap();
        let words: Vec<&str> = claim.split_whitespace().collect();
        let shared = words.iter().filter(|word| premise.contains(**word)).count();
        let sure = (shared as f64 + 0.5) / (words.len() as f64 + 1.0);
        Ok(vec![token("Yes", 0.9 * sure), token("No", 0.9 * (1.0 - sure))])
    })
}

#[tokio::test]
async fn it_behaves_as_an_entailment_model() {
    let entailment = YesNoEntailment::new(Arc::new(reader()), settings());
    entailment_suite(&entailment, 0.0).await;
    plain_cases(&entailment).await;
    assert_eq!(entailment.name(), "scripted (yes or no)");
}

#[tokio::test]
async fn the_premise_is_cut_to_its_beginning_and_the_claim_never() {
    let model = Arc::new(reader());
    let entailment = YesNoEntailment::new(model.clone(), YesNoSettings { max_characters: 8, ..settings() });
    // What looks like a place in the prompt is data.
    let pairs = vec![pair("{claim} and more", "A claim about {premise}."), pair(&"é".repeat(9), "Long, but whole.")];
    entailment.classify(pairs).await.unwrap();
    let mut asked: Vec<String> = model.prompts().iter().map(|prompt| prompt.messages[0].content.clone()).collect();
    asked.sort();
    let expected = |premise: &str, claim: &str| format!("Claim: {claim}\nText:\n{premise}\nIs it so?");
    assert_eq!(asked, [expected("{claim} ", "A claim about {premise}."), expected("éééééééé", "Long, but whole.")]);
}

#[tokio::test]
async fn what_is_likelier_a_yes_is_supported_and_the_rest_unknown() {
    let model = FakeModel::weighing(|prompt| {
        let sure = if prompt.messages[0].content.contains("rains") { 0.8 } else { 0.4 };
        Ok(vec![token("yes", sure), token("no", 1.0 - sure)])
    });
    let entailment = YesNoEntailment::new(Arc::new(model), settings());
    let classifications = entailment.classify(vec![pair("It rains.", "Wet."), pair("Sun.", "Wet.")]).await.unwrap();
    assert_eq!(
        classifications.iter().map(|one| one.support).collect::<Vec<_>>(),
        [Support::Supported, Support::Unknown]
    );
    assert!((classifications[0].score - 0.8).abs() < 1e-6 && (classifications[1].score - 0.4).abs() < 1e-6);
}

#[tokio::test]
async fn a_model_that_does_not_judge_fails_the_whole_batch() {
    let cases = [
        (
            Ok(vec![token("Perhaps", 0.9)]),
            EntailmentError::Own(EntailmentFault::Failed(
                "asked for yes or no, scripted (yes or no) would begin with [\"Perhaps\"]".to_owned(),
            )),
        ),
        (Err(ModelError::Timeout(700)), EntailmentError::Timeout(700)),
        (
            Err(ModelError::Own(ModelFault::NotServed { model: "m".to_owned(), served: vec!["n".to_owned()] })),
            EntailmentError::Unavailable(
                "the model \"m\" is not served; load it on the model server (with Ollama: `ollama pull m`), served are: n".to_owned(),
            ),
        ),
        (
            Err(ModelError::Own(ModelFault::TooLong("9000 tokens".to_owned()))),
            EntailmentError::Own(EntailmentFault::TooLong("9000 tokens".to_owned())),
        ),
    ];
    for (answer, expected) in cases {
        let model = FakeModel::weighing(move |prompt| {
            if prompt.messages[0].content.contains("good") { Ok(vec![token("Yes", 0.9)]) } else { answer.clone() }
        });
        let entailment = YesNoEntailment::new(Arc::new(model), settings());
        let pairs = ["good", "bad", "good"].map(|claim| pair("text", claim)).to_vec();
        assert_eq!(entailment.classify(pairs).await, Err(expected));
    }
}
