//! The two forms' JSON, and what makes a reply a classification of these pairs.

use ibidem_ports::entailment::{Classification, Pair, Support};
use serde::{Deserialize, Serialize};

use super::EntailmentForm;
use crate::model_server::by_index;
use crate::onnx::labels::{is_numbered, meaning};

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Request<'a> {
    Tei {
        /// The premise first, as entailment models are trained.
        inputs: Vec<[&'a str; 2]>,
        raw_scores: bool,
        /// A pair longer than the model's window is judged by what fits, instead of refusing them all.
        truncate: bool,
    },
    Pairs {
        model: &'a str,
        pairs: Vec<WrittenPair<'a>>,
    },
}

#[derive(Serialize)]
pub(super) struct WrittenPair<'a> {
    premise: &'a str,
    claim: &'a str,
}

impl<'a> Request<'a> {
    pub(super) fn new(form: EntailmentForm, model: &'a str, pairs: &'a [Pair]) -> Self {
        match form {
            EntailmentForm::Tei => {
                let inputs = pairs.iter().map(|pair| [pair.premise.as_str(), pair.claim.as_str()]).collect();
                Self::Tei { inputs, raw_scores: false, truncate: true }
            }
            EntailmentForm::Pairs => {
                let pairs = pairs.iter().map(|pair| WrittenPair { premise: &pair.premise, claim: &pair.claim });
                Self::Pairs { model, pairs: pairs.collect() }
            }
        }
    }
}

#[derive(Deserialize)]
struct Prediction {
    label: String,
    score: f64,
}

#[derive(Deserialize)]
struct PairsReply {
    results: Vec<Judged>,
}

#[derive(Deserialize)]
struct Judged {
    index: usize,
    supported: f64,
    #[serde(default)]
    contradicted: f64,
}

/// The classifications in the order of the pairs; or why the reply is none of these pairs.
pub(super) fn classifications(form: EntailmentForm, body: &[u8], pairs: usize) -> Result<Vec<Classification>, String> {
    let other_form =
        |error: serde_json::Error| format!("its reply is not of the form: {error}; check `entailment.form`");
    match form {
        EntailmentForm::Tei => {
            let replies: Vec<Vec<Prediction>> = serde_json::from_slice(body).map_err(other_form)?;
            if replies.len() != pairs {
                return Err(format!("it judged {} of {pairs} pairs", replies.len()));
            }
            replies.iter().map(|predictions| by_labels(predictions)).collect()
        }
        EntailmentForm::Pairs => {
            let reply: PairsReply = serde_json::from_slice(body).map_err(other_form)?;
            let found = reply.results.into_iter().map(|Judged { index, supported, contradicted }| {
                let (supported, contradicted) = (probability(supported)?, probability(contradicted)?);
                Ok((index, classified(supported, contradicted, 1.0 - supported - contradicted)))
            });
            by_index(found, pairs, ["judged", "judge", "pair"])
        }
    }
}

/// Labels count by their names, as those of a model in this process do.
fn by_labels(predictions: &[Prediction]) -> Result<Classification, String> {
    let names = || predictions.iter().map(|prediction| prediction.label.as_str()).collect::<Vec<_>>().join(", ");
    if let [only] = predictions {
        let is_support = is_numbered(&only.label) || meaning(&only.label)? == Support::Supported;
        if !is_support {
            return Err(format!("it gives the label {} alone, and nothing about support", only.label));
        }
        return Ok(Classification::of(probability(only.score)?));
    }
    let (mut supported, mut contradicted, mut neither) = (None, 0.0_f32, 0.0_f32);
    for prediction in predictions {
        let share = probability(prediction.score)?;
        match meaning(&prediction.label)? {
            Support::Supported if supported.is_some() => {
                return Err(format!("more than one of its labels means support: {}", names()));
            }
            Support::Supported => supported = Some(share),
            Support::Contradicted => contradicted = contradicted.max(share),
            Support::Unknown => neither = neither.max(share),
        }
    }
    let supported = supported.ok_or_else(|| format!("none of its labels means support: {}", names()))?;
    Ok(classified(supported, contradicted, neither))
}

/// Contradicted is what is more likely that than anything else.
fn classified(supported: f32, contradicted: f32, neither: f32) -> Classification {
    let classification = Classification::of(supported);
    let is_denied = contradicted > supported && contradicted > neither;
    match classification.support {
        Support::Unknown if is_denied => Classification { support: Support::Contradicted, ..classification },
        _ => classification,
    }
}

fn probability(score: f64) -> Result<f32, String> {
    if !(0.0..=1.0).contains(&score) {
        return Err(format!("it gave {score} where a probability from 0 to 1 belongs"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of a score is meant")]
    let score = score as f32;
    Ok(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> [Pair; 2] {
        let pair = |premise: &str, claim: &str| Pair { premise: premise.to_owned(), claim: claim.to_owned() };
        [pair("It rains.", "It is wet."), pair("It snows.", "It is hot.")]
    }

    #[test]
    fn requests_are_written_as_each_form_says() {
        let pairs = pairs();
        let written = |form| serde_json::to_string(&Request::new(form, "m", &pairs)).unwrap();
        assert_eq!(
            written(EntailmentForm::Tei),
            r#"{"inputs":[["It rains.","It is wet."],["It snows.","It is hot."]],"raw_scores":false,"truncate":true}"#
        );
        assert_eq!(
            written(EntailmentForm::Pairs),
            r#"{"model":"m","pairs":[{"premise":"It rains.","claim":"It is wet."},{"premise":"It snows.","claim":"It is hot."}]}"#
        );
    }

    #[test]
    fn labels_count_by_name_and_the_likeliest_decides_what_is_contradicted() {
        let reply = br#"[[{"score":0.7,"label":"entailment"},{"score":0.2,"label":"neutral"},{"score":0.1,"label":"contradiction"}],
            [{"score":0.6,"label":"CONTRADICTION"},{"score":0.3,"label":"entailment"},{"score":0.1,"label":"neutral"}],
            [{"score":0.5,"label":"neutral"},{"score":0.4,"label":"contradiction"},{"score":0.1,"label":"entailment"}],
            [{"score":0.8,"label":"LABEL_0"}], [{"score":0.2,"label":"consistent"}]]"#;
        let found = classifications(EntailmentForm::Tei, reply, 5).unwrap();
        let expected = [
            (Support::Supported, 0.7),
            (Support::Contradicted, 0.3),
            (Support::Unknown, 0.1),
            (Support::Supported, 0.8),
            (Support::Unknown, 0.2),
        ];
        assert_eq!(found, expected.map(|(support, score)| Classification { support, score }));
    }

    #[test]
    fn the_plain_form_comes_in_any_order() {
        let reply = br#"{"results":[{"index":1,"supported":0.1,"contradicted":0.8},{"index":0,"supported":0.9}]}"#;
        let found = classifications(EntailmentForm::Pairs, reply, 2).unwrap();
        assert_eq!(found[0], Classification { support: Support::Supported, score: 0.9 });
        assert_eq!(found[1], Classification { support: Support::Contradicted, score: 0.1 });
    }

    #[test]
    fn a_reply_that_is_no_judgement_of_these_pairs_is_refused() {
        let cases = [
            (EntailmentForm::Pairs, r#"{"results":[{"index":0,"supported":0.5}]}"#, "did not judge pair 1"),
            (
                EntailmentForm::Pairs,
                r#"{"results":[{"index":0,"supported":0.5},{"index":0,"supported":0.5}]}"#,
                "pair 0 twice",
            ),
            (EntailmentForm::Pairs, r#"{"results":[{"index":2,"supported":0.5}]}"#, "pair 2 of 2"),
            (EntailmentForm::Pairs, r#"{"results":[{"index":0,"supported":1.5}]}"#, "where a probability"),
            (EntailmentForm::Pairs, r#"{"results":[{"index":0,"supported":null}]}"#, "`entailment.form`"),
            (EntailmentForm::Pairs, "[]", "`entailment.form`"),
            (EntailmentForm::Tei, "<html>", "`entailment.form`"),
            (EntailmentForm::Tei, r#"[[{"score":0.5,"label":"entailment"}]]"#, "judged 1 of 2 pairs"),
            (EntailmentForm::Tei, r#"[[{"score":0.5,"label":"joy"}],[]]"#, "says nothing about support"),
            (EntailmentForm::Tei, r#"[[{"score":0.5,"label":"neutral"}],[]]"#, "nothing about support"),
            (EntailmentForm::Tei, r#"[[],[]]"#, "none of its labels means support"),
            (
                EntailmentForm::Tei,
                r#"[[{"score":0.5,"label":"entailment"},{"score":0.5,"label":"supports"}],[]]"#,
                "more than one",
            ),
            (
                EntailmentForm::Tei,
                r#"[[{"score":0.5,"label":"LABEL_0"},{"score":0.5,"label":"LABEL_1"}],[]]"#,
                "says nothing about support",
            ),
            (
                EntailmentForm::Tei,
                r#"[[{"score":-3.2,"label":"entailment"},{"score":0.5,"label":"neutral"}],[]]"#,
                "where a probability",
            ),
        ];
        for (form, reply, expected) in cases {
            let refused = classifications(form, reply.as_bytes(), 2).unwrap_err();
            assert!(refused.contains(expected), "{reply}: {refused}");
        }
    }
}
