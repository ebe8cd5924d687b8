//! Published models that judge claims, in the forms in which they were taught, with models whose classification is known.

use std::path::Path;

use ibidem_adapters::onnx::{ClaimInput, OnnxEntailment, PairModelSettings};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, EntailmentFault, Pair, Support};
use ibidem_testing::suites::entailment::entailment_suite;
use serde_json::json;
use tempfile::TempDir;

use crate::setting;
use crate::tiny_model::{self, BIAS, FAINT, Kind, LENGTH, WEIGHT};

const WORDS: [&str; 8] = ["passwords", "are", "changed", "every", "ninety", "days", "lunch", "word"];

/// A tiny model with this `config.json`.
fn folder(kind: Kind, config: &serde_json::Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    tiny_model::write(folder.path(), kind, &WORDS);
    tiny_model::write_config(folder.path(), config);
    folder
}

fn settings(folder: &Path) -> PairModelSettings {
    let settings = PairModelSettings::of(folder, setting("IBIDEM__EMBEDDING__RUNTIME"));
    PairModelSettings { name: "tiny".to_owned(), ..settings }
}

fn load(folder: &TempDir, input: ClaimInput) -> OnnxEntailment {
    OnnxEntailment::load(&settings(folder.path()), input).unwrap()
}

fn refused(folder: &TempDir, input: ClaimInput) -> String {
    OnnxEntailment::load(&settings(folder.path()), input).err().unwrap().to_string()
}

fn pair(premise: &str, claim: &str) -> Pair {
    Pair { premise: premise.to_owned(), claim: claim.to_owned() }
}

async fn classify(entailment: &dyn Entailment, pairs: &[Pair]) -> Vec<Classification> {
    entailment.classify(pairs.to_vec()).await.unwrap()
}

fn assert_scores(classifications: &[Classification], expected: &[f32]) {
    assert_eq!(classifications.len(), expected.len());
    for (classification, score) in classifications.iter().zip(expected) {
        assert!((classification.score - score).abs() < 1e-6, "{classifications:?}, not {score}");
        assert_eq!(classification.support == Support::Supported, *score >= 0.5, "{classifications:?}");
    }
}

/// The share of the tiny model's second logit, which is `BIAS`. It knows no halves: of a text in which each token is so
/// often, each is found beside itself.
fn second_of_one_text(often: &[usize]) -> f32 {
    let [shared, tokens] = [often.iter().map(|count| count * count).sum::<usize>(), often.iter().sum()]
        .map(|sum| u16::try_from(sum).unwrap());
    let logit = FAINT * f32::from(shared) - LENGTH * f32::from(tokens) - BIAS;
    1.0 / (1.0 + (logit - BIAS).exp())
}

#[tokio::test]
async fn minicheck_reads_one_text_with_its_end_mark_between_and_its_second_label_means_support() {
    // Hugging Face leaves two unnamed labels out of the file.
    for config in [json!({}), json!({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}})] {
        let entailment = load(&folder(Kind::TwoLogitsOneHalf, &config), ClaimInput::MiniCheck);
        // [CLS] passwords are changed [SEP] are changed [SEP]
        let expected = [second_of_one_text(&[1, 1, 2, 2, 2]), second_of_one_text(&[1, 1, 1, 2])];
        let pairs = [pair("passwords are changed", "are changed"), pair("lunch", "word")];
        assert_scores(&classify(&entailment, &pairs).await, &expected);
    }
    let named = json!({"id2label": {"0": "supported", "1": "unsupported"}});
    let entailment = load(&folder(Kind::TwoLogitsOneHalf, &named), ClaimInput::MiniCheck);
    let expected = 1.0 - second_of_one_text(&[1, 1, 1, 2]);
    assert_scores(&classify(&entailment, &[pair("lunch", "word")]).await, &[expected]);
}

#[tokio::test]
async fn factcg_asks_in_its_own_words_whether_the_claim_can_be_concluded() {
    let entailment = load(&folder(Kind::TwoLogitsOneHalf, &json!({})), ClaimInput::FactCg);
    // 14 tokens between the two and 12 behind them, none of which the tiny tokenizer knows, one mark at either end.
    let expected = [second_of_one_text(&[1, 1, 1, 1, 26]), second_of_one_text(&[1, 1, 2, 26])];
    let pairs = [pair("lunch", "word"), pair("lunch", "lunch")];
    assert_scores(&classify(&entailment, &pairs).await, &expected);
}

#[tokio::test]
async fn lettucedetect_marks_tokens_and_the_least_supported_one_decides() {
    let tokens = json!({"architectures": ["ModernBertForTokenClassification"]});
    let named = json!({"architectures": ["ModernBertForTokenClassification"],
        "id2label": {"0": "supported", "1": "hallucinated"}});
    for config in [tokens, named] {
        let entailment = load(&folder(Kind::Tokens, &config), ClaimInput::LettuceDetect);
        let supported = |often: f32| 1.0 / (1.0 + (BIAS - WEIGHT * often).exp());
        let twice = "passwords are changed passwords are changed";
        let pairs = [
            pair(twice, "are changed"),
            // Whatever else of it is supported, one token that is not decides.
            pair(twice, "passwords are changed every"),
            pair(&format!("{twice} every"), "passwords are changed every"),
            pair("", "are changed"),
        ];
        let expected = [supported(2.0), supported(0.0), supported(1.0), supported(0.0)];
        assert_scores(&classify(&entailment, &pairs).await, &expected);
        let nothing = classify(&entailment, &[pair(twice, "")]).await;
        assert_eq!(nothing[0].support, Support::Unknown, "a claim without words is supported by nothing");
    }
}

#[tokio::test]
async fn each_of_them_behaves_as_an_entailment_model() {
    let marks = json!({"architectures": ["BertForTokenClassification"]});
    entailment_suite(&load(&folder(Kind::Tokens, &marks), ClaimInput::LettuceDetect), 1e-6).await;
    for input in [ClaimInput::MiniCheck, ClaimInput::FactCg] {
        entailment_suite(&load(&folder(Kind::TwoLogitsOneHalf, &json!({})), input), 1e-6).await;
    }
}

#[tokio::test]
async fn a_premise_is_cut_to_fit_and_neither_the_claim_nor_the_words_around_them() {
    let small = |folder: &TempDir, input, max_tokens| {
        OnnxEntailment::load(&PairModelSettings { max_tokens, ..settings(folder.path()) }, input).unwrap()
    };
    let many = format!("lunch {}", ["word"; 200].join(" "));
    let folder_of_one = folder(Kind::TwoLogitsOneHalf, &json!({}));
    // Of 32 tokens the claim has two and the marks three: 26 words after the first.
    let entailment = small(&folder_of_one, ClaimInput::MiniCheck, 32);
    let expected = second_of_one_text(&[1, 1, 26, 1, 1, 2]);
    assert_scores(&classify(&entailment, &[pair(&many, "ninety days")]).await, &[expected]);
    // Of 128 the words of the question have 26, the marks two and the claim two.
    let entailment = small(&folder_of_one, ClaimInput::FactCg, 128);
    let expected = second_of_one_text(&[1, 1, 97, 1, 1, 1, 26]);
    assert_scores(&classify(&entailment, &[pair(&many, "ninety days")]).await, &[expected]);
    let marks = json!({"architectures": ["BertForTokenClassification"]});
    let entailment = small(&folder(Kind::Tokens, &marks), ClaimInput::LettuceDetect, 64);
    // What stands at the end was cut off, and supports nothing.
    let behind = format!("{many} ninety ninety");
    let found = classify(&entailment, &[pair(&behind, "ninety"), pair(&behind, "word")]).await;
    assert_eq!([found[0].support, found[1].support], [Support::Unknown, Support::Supported]);
    let long = entailment.classify(vec![pair("word", &["word"; 31].join(" "))]).await;
    let said = "the claim has 33 tokens, and 32 leave room for what should support it";
    assert_eq!(long, Err(EntailmentError::Own(EntailmentFault::TooLong(said.to_owned()))));
}

#[test]
fn what_was_taught_in_another_form_is_refused_with_what_to_set() {
    let tokens = json!({"architectures": ["ModernBertForTokenClassification"]});
    let pairs = json!({"architectures": ["RobertaForSequenceClassification"]});
    let cases = [
        (Kind::Tokens, &tokens, ClaimInput::Pair, "set entailment.input to lettucedetect"),
        (Kind::Tokens, &tokens, ClaimInput::MiniCheck, "it marks tokens"),
        (Kind::TwoLogits, &pairs, ClaimInput::LettuceDetect, "it judges pairs"),
        (Kind::Tokens, &json!({}), ClaimInput::MiniCheck, "it must give 2 logits for each pair"),
        (Kind::TwoLogits, &json!({}), ClaimInput::LettuceDetect, "it must give 2 logits for each token"),
    ];
    for (kind, config, input, said) in cases {
        let error = refused(&folder(kind, config), input);
        assert!(error.contains(said) && error.contains("entailment.folder"), "{input:?}: {error}");
    }
    let one = folder(Kind::TwoLogitsOneHalf, &json!({}));
    let narrow = PairModelSettings { max_tokens: 64, ..settings(one.path()) };
    let error = OnnxEntailment::load(&narrow, ClaimInput::FactCg).err().unwrap().to_string();
    assert!(error.contains("no room beside the 27 of the input's own words"), "{error}");
}
